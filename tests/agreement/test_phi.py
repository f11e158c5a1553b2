"""Phi against published values and a dense integration, and where data or options are awkward."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betainc

from headcount.agreement.phi import phi
from headcount.agreement.phi_model import (
    ONE,
    Binned,
    Continuous,
    Group,
    Priors,
    compress,
    continuous,
    group,
    log_likelihood,
    mirror,
)
from headcount.agreement.phi_posterior import phi_of
from headcount.data.labels import Labels, Scale
from headcount.errors import DataError, OptionError
from tests.agreement.naive import (
    ALL_SHAPES,
    dense_log_likelihood,
    dense_mu,
    dense_posterior,
    precision_of,
    prior_of,
)

# Phi against its published values, an independent dense integration, and its own promises.


def rated(rows, scale=None) -> Labels:
    """Labels of a table, one row an item and one column a rater; nan is missing."""
    table = np.asarray(rows, dtype=float)
    items, raters = table.shape
    return Labels.from_triples(
        np.repeat(np.arange(items), raters),
        np.tile(np.arange(raters), items),
        table.ravel(),
        scale=scale,
    )


def drawn(items, raters, points, truth, rng, mu=None):
    """Ratings on points 1 to `points` whose Phi is known."""
    p = float(precision_of(np.array(truth)))
    mu = (rng.random(items) if mu is None else np.full(items, mu))[:, None]
    x = rng.beta(p * mu, p * (1 - mu), (items, raters))
    return np.minimum(np.floor(x * points), points - 1) + 1


# Published values


def pairs(*parts):
    return [row for times, row in parts for _ in range(times)]


YES, NO, SPLIT = (1, 1), (0, 0), (0, 1)
EXAMPLES = {
    "1": lambda: np.random.default_rng(0).random((1000, 100)).round(3),
    "2": lambda: pairs((100, YES)),
    "3": lambda: pairs((99, YES), (1, SPLIT)),
    "4a": lambda: pairs((98, YES), (1, NO), (1, SPLIT)),
    "4b": lambda: pairs((99, YES), (1, SPLIT)),
    "5a": lambda: pairs((90, YES), (10, SPLIT)),
    "5b": lambda: pairs((98, YES), (2, SPLIT)),
    "5c": lambda: pairs((99, YES), (1, SPLIT)),
    "5d": lambda: pairs((100, YES)),
    "6a": lambda: pairs((40, YES), (20, SPLIT)),
    "6b": lambda: pairs((15, YES), (15, NO), (15, (0, 1)), (15, (1, 0))),
    "7a": lambda: pairs((40, (1,) * 4), (40, (0,) * 4), (20, (1, 1, 0, 0))),
    "7b": lambda: pairs((80, (0,) * 4), (20, (1, 1, 0, 0))),
    "7c": lambda: [(0, 0, 0, 0, 1), (0, 0, 0, 0, 1)],
    "7d": lambda: [(0, 0, 0, 0, 1), (1, 1, 1, 1, 0)],
    "8a": lambda: pairs((20, YES), (10, NO), (10, SPLIT)),
    "8b": lambda: pairs((200, YES), (100, NO), (100, SPLIT)),
    "8c": lambda: pairs((2, YES), (1, NO), (1, SPLIT)),
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_table_2(golden, example):
    found = phi(rated(EXAMPLES[example]()), limits=(0, 1), method="paper")
    # Numbers are given to three digits; row 1 is one random draw of many.
    tolerance = 2e-3 if example == "1" else 1.1e-3
    wanted = golden("phi")["table_2"][example]
    assert [found.value, found.low, found.high] == pytest.approx(wanted, abs=tolerance)
    assert found.verdict == ("cannot tell" if example in ("7c", "7d") else "agreement")


def test_paradoxes_7_and_8_are_none():
    a, b, c, d = (
        phi(rated(EXAMPLES[name]()), limits=(0, 1), method="paper")
        for name in ("7a", "7b", "7c", "7d")
    )
    assert a.value == pytest.approx(b.value, abs=1e-9)
    assert c.value == pytest.approx(d.value, abs=1e-9)


# An independent integration: see dense.py


def test_posterior_of_points_is_the_dense_one():
    table = [[0, 1, 1], [4, 4, 2], [2, 2, 3], [3, 1, 2]]
    found = phi(rated(np.array(table) + 1), limits=(1, 5), intervals="fixed")
    mean, above = dense_posterior(table, 5, shapes=ALL_SHAPES)
    assert found.points == 5
    # The dense grids have steps of 1/14 in the spread, and 30 quantiles of mu.
    assert found.mean == pytest.approx(mean, abs=1e-3)
    assert found.p_positive == pytest.approx(above, abs=2e-3)


def test_posterior_of_numbers_is_the_dense_one():
    table = [[0.11, 0.35, 0.212], [0.93, 0.81, 0.4123], [0.5, 0.61, 0.3333], [0.7, 0.2, 0.9]]
    found = phi(rated(table), limits=(0, 1), points="continuous", intervals="fixed")
    mean, above = dense_posterior(table, None, shapes=ALL_SHAPES)
    assert found.mean == pytest.approx(mean, abs=1e-3)
    assert found.p_positive == pytest.approx(above, abs=2e-3)


def test_interval_holds_its_level_and_is_the_shortest():
    labels = rated(drawn(40, 3, 5, 0.5, np.random.default_rng(1)))
    found = phi(labels, limits=(1, 5), intervals="fixed")
    at, density = found.posterior.density()
    assert np.trapezoid(density, at) == pytest.approx(1, abs=1e-4)
    inside = (at >= found.low) & (at <= found.high)
    assert np.trapezoid(density[inside], at[inside]) == pytest.approx(0.95, abs=2e-3)
    ends = np.interp([found.low, found.high], at, density)
    assert ends[0] == pytest.approx(ends[1], rel=1e-2)
    assert at[np.argmax(density)] == pytest.approx(found.map, abs=1e-6)


NONE = np.zeros(1)


@settings(max_examples=40)
@given(
    counts=st.lists(st.integers(0, 5), min_size=3, max_size=6).filter(lambda c: sum(c) > 1),
    p=st.floats(0.05, 60),
    a=st.floats(0.5, 150),
    b=st.floats(0.5, 150),
)
def test_integral_of_points(counts, p, a, b):
    item = Group(Binned(np.array([counts], dtype=float)), np.ones(1), sum(counts))
    prior = prior_of(a, b)
    # Others that are tried along with it, the limits among them, do not change it.
    among = Priors(np.r_[0, prior.spread, 1, 0.7], np.r_[0, prior.angle, 1, 0])
    row = [[j for j, c in enumerate(counts) for _ in range(c)]]
    (wanted,) = dense_log_likelihood(row, len(counts), p, [(a, b)])
    assert log_likelihood([item], p, among)[1] == pytest.approx(wanted, abs=1e-6)
    assert log_likelihood([item], p, prior)[0] == pytest.approx(wanted, abs=1e-6)


@settings(max_examples=40)
@given(
    row=st.lists(st.floats(0.001, 0.999), min_size=2, max_size=8),
    p=st.floats(0.05, 60),
    a=st.floats(0.5, 150),
    b=st.floats(0.5, 150),
)
def test_integral_of_numbers(row, p, a, b):
    x = np.array(row)
    total = np.array([(np.log(x) - np.log1p(-x)).sum()])
    product = float((np.log(x) + np.log1p(-x)).sum() / 2)
    item = Group(Continuous(np.array([float(len(x))]), total, NONE, NONE), np.ones(1), len(x))
    found = log_likelihood([item], p, prior_of(a, b), log_product=product)[0]
    assert [found] == pytest.approx(dense_log_likelihood([row], None, p, [(a, b)]), abs=1e-6)


def test_limits_of_the_prior():
    counts = np.array([[2.0, 0, 0], [0, 2, 0]])
    groups = [
        Group(Binned(counts), np.array([1.0, 0]), 2),
        Group(Binned(counts), np.array([0.0, 1]), 2),
    ]
    edges = np.diff(betainc(1.5, 1.5, [0, 1 / 3, 2 / 3, 1]))
    ends = Priors(np.array([0.0, 1.0]), np.array([0.0, 0.4]))
    # No spread: mu is 1/2. All of it: mu is 0 or 1, and everybody is at one end.
    assert np.exp(log_likelihood(groups[:1], 3.0, ends)) == pytest.approx([edges[0] ** 2, 0.5])
    assert np.exp(log_likelihood(groups[1:], 3.0, ends)) == pytest.approx([edges[1] ** 2, 0])


def test_few_nodes_stand_for_many_items():
    rng = np.random.default_rng(3)
    n, size = 4, 3000
    x = rng.beta(2, 1, size * n).clip(1e-9, 1 - 1e-9)
    items, _ = continuous(np.repeat(np.arange(size), n), x, size)
    few = compress(mirror(items))
    assert few.ratings.patterns < 400
    priors = Priors(np.array([0.2, 0.577, 0.9, 0.6, 0.6]), np.array([ONE, ONE, ONE, 0.5, 0]))
    for p in (0.3, 2.0, 9.0, 40.0):
        all_of_them = log_likelihood(group(items), p, priors)
        assert log_likelihood(group(few), p, priors) == pytest.approx(all_of_them, abs=1e-5)


# Promises


@pytest.mark.parametrize("method", ["unbiased", "paper"])
@pytest.mark.parametrize("points", [5, 101])
def test_reversing_the_question_changes_nothing(method, points):
    rng = np.random.default_rng(4)
    table = drawn(60, 4, points, 0.4, rng)
    some = rng.random(60) < 0.5
    turned = np.where(some[:, None], points + 1 - table, table)
    first, second, third = (
        phi(rated(t), limits=(1, points), method=method)
        for t in (table, points + 1 - table, turned)
    )
    assert first.value == pytest.approx(second.value, abs=1e-7)
    assert (first.low, first.high) == pytest.approx((third.low, third.high), abs=1e-7)


def test_order_of_items_and_units_of_labels_do_not_matter():
    rng = np.random.default_rng(5)
    table = drawn(80, 3, 7, 0.6, rng)
    first = phi(rated(table), limits=(1, 7))
    assert phi(rated(rng.permutation(table)), limits=(1, 7)).value == first.value
    other = phi(rated(table * 10 - 10), limits=(0, 60))
    assert other.value == pytest.approx(first.value, abs=1e-9)
    assert other.items().mu == pytest.approx(first.items().mu * 10 - 10, abs=1e-6)


@pytest.mark.parametrize("points", [5, 101])
def test_ten_times_the_data_stays_within_the_interval(points):
    table = drawn(100, 4, points, 0.6, np.random.default_rng(6))
    once, often = (
        phi(rated(rows), limits=(1, points), intervals="fixed")
        for rows in (table, np.tile(table, (10, 1)))
    )
    assert once.low < often.value < once.high
    ratio = (once.high - once.low) / (often.high - often.low)
    assert ratio == pytest.approx(math.sqrt(10), rel=0.1)


@pytest.mark.parametrize(("points", "raters"), [(3, 5), (5, 2), (5, 3), (11, 5), (1001, 3)])
def test_random_ratings_have_phi_zero(points, raters):
    rng = np.random.default_rng([points, raters])
    found = phi(rated(rng.integers(1, points + 1, (1500, raters))), limits=(1, points))
    # Three standard errors of 1,500 items of 2 raters are .1; 'paper' would say .2 to .9.
    assert abs(found.value) < 0.1
    assert found.verdict == "cannot tell"


def test_coverage():
    rng = np.random.default_rng(7)
    inside = []
    for _ in range(40):
        truth = rng.uniform(-0.5, 0.9)
        table = drawn(60, int(rng.integers(2, 6)), int(rng.choice([3, 5, 11])), truth, rng)
        found = phi(rated(table), limits=(1, table.max()), level=0.9)
        inside.append(found.low <= truth <= found.high)
    # 90% of 40 is 36; fewer than 31 would come up once in a hundred times.
    assert sum(inside) >= 31


def test_central_values_in_the_middle_are_found():
    table = drawn(3000, 3, 5, 0.75, np.random.default_rng(8), mu=0.5)
    found = phi(rated(table), limits=(1, 5))
    assert found.value == pytest.approx(0.75, abs=0.03)
    assert found.spread < 0.1


@pytest.mark.parametrize(("points", "raters"), [(5, 5), (11, 3), (1001, 3)])
@pytest.mark.parametrize("mu", [0.9, 0.7])
def test_central_values_to_one_side_do_no_harm(points, raters, mu):
    table = drawn(3000, raters, points, 0.5, np.random.default_rng(12), mu=mu)
    found = phi(rated(table), limits=(1, points))
    # Three standard errors; a prior around the middle would make it .06 to .11 less at .9.
    assert found.value == pytest.approx(0.5, abs=0.04)
    assert found.spread == pytest.approx(2 * mu - 1, abs=0.05)


def test_polarised_raters_disagree():
    rows = [[1, 5, 1, 5], [5, 5, 1, 1], [1, 1, 5, 2]] * 5
    found = phi(rated(rows), limits=(1, 5), intervals="fixed")
    assert found.verdict == "disagreement"
    assert found.words.startswith("Phi shows disagreement: its 95% interval lies below 0")
    assert found.high < 0
    assert found.p_positive < 0.01


# Central values


def test_central_value_of_an_item_by_hand():
    """One prior, one precision in the limit of many items: the posterior of mu is one integral."""
    table = np.vstack([drawn(4000, 3, 5, 0.5, np.random.default_rng(9)), [[1, 2, 2]]])
    found = phi(rated(table), limits=(1, 5))
    items = found.items()
    p, k = precision_of(found.value), 1 / found.spread**2 - 1
    _, log_mu, log_rest = dense_mu()
    mu = np.exp(log_mu)
    a, b = p * mu, p * np.exp(log_rest)
    first, second = betainc(a, b, 0.2), betainc(a, b, 0.4) - betainc(a, b, 0.2)
    density = first * second**2 * np.exp(k / 2 * (log_mu + log_rest))
    density /= density.sum()
    mean = density @ mu
    low, high = np.interp([0.025, 0.975], np.cumsum(density) - density / 2, mu)
    wanted = np.array([mean, low, high]) * 5 + 0.5
    # Phi is not a point yet: its standard error of .01 moves mu by less than 1e-3 of the scale.
    got = items.mu[-1], items.low[-1], items.high[-1]
    assert got == pytest.approx(wanted.clip(1, 5), abs=0.01)
    assert len(items) == 4001
    assert (items.low <= items.mu).all()
    assert (items.mu <= items.high).all()


def test_items_of_numbers():
    rng = np.random.default_rng(10)
    mu = rng.random((400, 1))
    table = rng.beta(6 * mu, 6 * (1 - mu), (400, 4)).clip(1e-6, 1 - 1e-6)
    found = phi(rated(table), limits=(0, 1), points="continuous")
    items = found.items()
    assert np.corrcoef(items.mu, mu[:, 0])[0, 1] > 0.9
    assert items.residual.mean() == pytest.approx(1, abs=0.15)
    assert found.items(0.5).high[0] < items.high[0]
    assert list(found.to_frame("pandas").columns) == [
        "item", "ratings", "mu", "low", "high", "residual",
    ]  # fmt: skip


# Phi where the data or the options are awkward: what is answered, said or refused.


def test_value_outside_the_limits():
    with pytest.raises(DataError, match=r"1 label outside the limits 1 to 4: '5'.*widen limits"):
        phi(rated([[1, 5], [2, 2]]), limits=(1, 4))


def test_number_on_a_limit():
    moved = phi(rated([[0, 0.123456], [0.5, 0.2]]), limits=(0, 1), points="continuous")
    # By half of 1 / (ratings - 1) of the scale.
    assert moved.limits == pytest.approx((-1 / 6, 7 / 6))
    assert any("continuous ratings on the limits 0 or 1" in note for note in moved.notes)
    inferred = phi(rated([[1, 2], [4, 5]]))
    assert inferred.limits == (1, 5)
    assert any("limits" in note and "inferred" in note for note in inferred.notes)


@pytest.mark.parametrize(
    ("rows", "known"),
    [
        ([[1, 2], [4, 5]], True),
        ([[0, 3], [9, 10]], True),
        ([[-2, 1], [0, 2]], True),
        ([[0, 33], [71, 100]], True),
        ([[0.1, 0.3], [0.5, 0.2]], False),
        ([[120.5, 118], [131, 140]], False),
        ([[2, 3], [7, 14]], False),
    ],
)
def test_scales_that_say_where_they_end(rows, known):
    """Measurements and counts have no ends unless somebody says so: then there is no Phi."""
    found = phi(rated(rows), check=False)
    assert (found.estimate.undefined is None) == known
    if not known:
        assert "the ends of the scale are unknown" in found.words
        assert not any("inferred" in note for note in found.notes)
        given_ = phi(rated(rows), limits=(0, 200), check=False)
        assert given_.estimate.undefined is None


def sliders(on_limit: int) -> np.ndarray:
    """Ratings of 48 items by 5 raters who agree closely, of which some slipped to an end."""
    rng = np.random.default_rng(2)
    mu = rng.uniform(0.2, 0.8, (48, 1))
    x = rng.beta(100 * mu, 100 * (1 - mu), (48, 5))
    x.ravel()[rng.choice(240, on_limit, replace=False)] = 0
    return x


def test_many_ratings_on_a_limit_keep_phi_back():
    assert phi(rated(sliders(0)), limits=(0, 1), intervals="fixed").withheld is None
    found = phi(rated(sliders(24)), limits=(0, 1), intervals="fixed")
    assert found.withheld is not None


def test_raters_are_left_out_of_some_of_many_items(monkeypatch):
    """From half of the items the interval for raters like these comes out much the same."""
    rng = np.random.default_rng(5)
    mu, own = rng.random((400, 1)), 6 * np.exp(0.8 * rng.normal(size=6))
    ratings = rated(np.ceil(5 * rng.beta(mu * own, (1 - mu) * own)).clip(1, 5))
    whole = phi(ratings, limits=(1, 5))
    monkeypatch.setattr("headcount.agreement.phi_posterior.MOST_ITEMS", 200)
    some = phi(ratings, limits=(1, 5))
    assert some.value == whole.value
    assert some.these_raters == whole.these_raters
    assert some.low < some.these_raters.low
    # Raters differ by chance on other items: the width is within a third.
    assert some.high - some.low == pytest.approx(whole.high - whole.low, rel=1 / 3)


def test_all_ratings_equal():
    found = phi(rated([[3, 3], [3, 3], [3, 3]]), limits=(1, 5))
    assert (found.value, found.map, found.high) == (1, 1, 1)
    assert found.unanimous
    assert 0 < found.low < 1
    assert found.verdict == "agreement"
    assert any("Phi is 1 by definition" in note for note in found.notes)
    with pytest.raises(DataError, match="every rating is 3 and the limits"):
        phi(rated([[3, 3], [3, 3]]))


def test_every_item_unanimous():
    found = phi(rated([[1, 1, 1], [5, 5, 5], [2, 2, 2]]), limits=(1, 5))
    assert found.value == 1
    assert found.unanimous
    two = phi(rated([[0, 0], [1, 1]]))
    assert (two.value, two.low, two.unanimous) == (1, None, True)
    assert two.verdict == "agreement"
    with pytest.raises(DataError, match="no central values"):
        two.items()


def test_words_say_what_the_verdict_says():
    few = phi(rated([[1, 1], [3, 3], [5, 5]]), limits=(1, 5))
    assert few.unanimous
    assert few.low < 0
    assert few.verdict == "cannot tell"
    assert few.words.startswith("Phi cannot show whether raters agree: the raters of every")
    more = phi(rated([[1, 1, 1], [3, 3, 3], [5, 5, 5]] * 3), limits=(1, 5))
    assert more.words == "Phi shows agreement: the raters of every item agree in full"


def test_inferred_points_are_told():
    """1, 3 and 5 may be all of a scale of three points, or some of one of five."""
    inferred = phi(rated([[1, 3], [3, 5], [5, 5]]))
    assert inferred.points == 3
    assert "limits 1 to 5 inferred from the labels, 3 equally spaced points" in inferred.notes[0]


def test_level_of_items():
    found = phi(rated([[1, 2], [3, 5], [5, 5]]), limits=(1, 5))
    with pytest.raises(OptionError, match="level must be a number between 0 and 1"):
        found.items(2)


def test_two_points():
    found = phi(rated([[0, 1], [1, 1], [0, 0]]))
    assert math.isnan(found.value)
    assert found.verdict == "undefined"
    assert "not identified on a scale of two points" in found.estimate.undefined
    assert "kappa" in repr(found)
    assert "alpha" in found.words
    assert found.to_dict()["value"] is None
    assert found.posterior is None


def test_items_with_one_rating():
    nan = math.nan
    table = [[1, 2, 2], [4, nan, 5], [3, 3, 3], [nan, nan, 1], [2, nan, nan]]
    found = phi(rated(table), limits=(1, 5))
    p = found.provenance
    assert (p.items_used, p.items_dropped, p.n_ratings) == (3, 2, 8)
    assert "Phi: 2 items with a single rating left out." in found.notes
    assert found.value == phi(rated(table[:3]), limits=(1, 5)).value
    nothing = phi(rated([[1, nan], [nan, 3]]), limits=(1, 5))
    assert nothing.verdict == "undefined"
    assert "no item has two ratings" in nothing.estimate.undefined


def test_one_item_and_two_ratings_answer_and_warn():
    found = phi(rated([[2, 3]]), limits=(1, 5))
    assert found.verdict == "cannot tell"
    assert any("only one item" in note for note in found.notes)
    assert any("more than two ratings" in note for note in found.notes)
    assert any("far off" in n for n in phi(rated([[2, 3]]), limits=(1, 5), method="paper").notes)


def test_what_the_scale_is_read_as():
    assert phi(rated([[1, 3], [5, 3]])).points == 3
    assert phi(rated([[1, 3], [5, 3]]), limits=(1, 5)).points == 5
    assert phi(rated([[0, 0.3333], [0.6667, 1]])).points == 4
    assert phi(rated([[0, 25], [50, 75]]), limits=(0, 100)).points == 5
    assert phi(rated([[0, 1000], [17, 18]])).points == 1001
    noted = phi(rated([[1, 2], [5, 2]]))
    assert any("5 equally spaced points, of which 3 are labels" in note for note in noted.notes)
    words = Labels.from_triples(
        [0, 0, 1, 1], [0, 1, 0, 1], ["bad", "good", "fair", "fair"],
        scale=Scale(("bad", "fair", "good"), kind="ordinal"),
    )  # fmt: skip
    assert phi(words).limits == (1, 3)
    with pytest.raises(DataError, match="Phi needs labels that are numbers, but found 'no'"):
        phi(Labels.from_triples([0, 0], [0, 1], ["no", "1"]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "papper"}, "did you mean 'paper'"),
        ({"level": 1.0}, "level must be a number between 0 and 1"),
        ({"limits": (5, 1)}, "the lower first"),
        ({"limits": (1, 5, 6)}, "must be two numbers"),
        ({"limits": 5}, "must be two numbers"),
        ({"points": 4}, "unknown points '4'. Known: continuous"),
    ],
)
def test_options_that_cannot_be_served(options, message):
    with pytest.raises((OptionError, DataError), match=message):
        phi(rated([[1, 2], [5, 3]]), **options)


def test_numbers_that_are_almost_equal_have_phi_one():
    found = phi(rated([[0.5, 0.5 + 1e-7], [0.2, 0.2 + 1e-7], [0.7, 0.7]] * 9), limits=(0, 1))
    # Nine items of two ratings against a prior that is flat up to 1.
    assert found.value == pytest.approx(1, abs=1e-3)
    assert found.low == pytest.approx(1, abs=1e-3)
    assert phi_of(np.array([2000.0]))[0] == 1
