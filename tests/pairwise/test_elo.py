from __future__ import annotations

import math
import sys
from decimal import Decimal, getcontext

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import minimize

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError
from headcount.pairwise.elo import Elo

NAMES = "abcdef"


def comparisons(rows, weight=None) -> Comparisons:
    left, right, outcome = zip(*rows, strict=True)
    return Comparisons.from_columns(left, right, outcome, weight=weight)


# --- published ------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [0, 1])
def test_documented_examples(golden, case):
    """One rounding apart: the sum of the two ratings is kept exactly here."""
    known = golden("elo")["cases"][case]
    elo = Elo(denom=known["denom"])
    first, *others = (tuple(match) for match in known["matches"])
    elo.add_match(*first, k=known["k"], default_rating=known["default_rating"])
    elo.add_matches(others, k=known["k"], default_rating=known["default_rating"])
    assert elo.ratings() == pytest.approx(known["ratings"], rel=1e-15)
    if known["expected_score"]:
        assert elo.expected_score("p1", "p2") == known["expected_score"]
    assert elo.items() == ["p1", "p2"]
    assert elo.rankings() == {"p1": 0, "p2": 1}
    assert elo.ranking("p1") == 0
    assert elo.rating("p1") == elo.ratings()["p1"]


def test_defaults_and_positions_are_those_of_elo_rating():
    elo = Elo({"a": 1.0}, 2.0)
    elo.add_match("a", "b", 0, 0.2, 3)
    expected = 1 / (1 + math.exp((3 - 1) / 2))
    assert elo.ratings() == pytest.approx({"a": 1 - 0.2 * expected, "b": 3 + 0.2 * expected})
    plain = Elo()
    plain.add_match("a", "b", 1)
    assert plain.ratings() == {"a": 0.05, "b": -0.05}


def test_equation_2_with_the_right_sign():
    """400 points more are ten times the odds."""
    elo = Elo({"a": 400.0, "b": 0.0, "c": 800.0}, base=10, denom=400)
    assert elo.expected_score("a", "b") == pytest.approx(10 / 11, rel=1e-14)
    assert elo.expected_score("b", "a") == pytest.approx(1 / 11, rel=1e-14)
    assert elo.expected_score("c", "b") == pytest.approx(100 / 101, rel=1e-14)
    assert (elo.base, elo.denom) == (10, 400)


# --- against slow implementations -----------------------------------------------------------------

matches = st.lists(
    st.tuples(
        st.permutations(NAMES).map(lambda p: (p[0], p[1])),
        st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0, 1),
    ).map(lambda row: (*row[0], row[1])),
    min_size=1,
    max_size=20,
)
ks = st.floats(0, 10)
bases, denominators = st.floats(1.5, 20), st.floats(0.5, 500)


def slow(rows, k, base, denominator, *, start=None, weight=None):
    """Elo in fifty decimal digits, from the textbook."""
    getcontext().prec = 50
    rating = {item: Decimal(value) for item, value in (start or {}).items()}
    for number, (one, other, result) in enumerate(rows):
        a, b = rating.get(one, Decimal(0)), rating.get(other, Decimal(0))
        strength = Decimal(base) ** ((a - b) / Decimal(denominator))
        share = strength / (strength + 1)
        step = Decimal(k) * (Decimal(1) if weight is None else Decimal(weight[number]))
        rating[one] = a + step * (Decimal(result) - share)
        rating[other] = b + step * ((1 - Decimal(result)) - (1 - share))
    return {item: float(value) for item, value in rating.items()}


@given(matches, ks, bases, denominators)
def test_matches_one_by_one(rows, k, base, denominator):
    """Errors of rounding grow a little with each comparison; 1e-9 leaves room for 20 of them."""
    elo = Elo(base=base, denom=denominator)
    elo.add_matches(rows, k=k)
    assert elo.ratings() == pytest.approx(slow(rows, k, base, denominator), rel=1e-9, abs=1e-9)


@given(matches, ks, bases, denominators, st.data())
def test_fit_in_the_order_given(rows, k, base, denominator, data):
    weight = data.draw(
        st.none() | st.lists(st.floats(0, 3), min_size=len(rows), max_size=len(rows))
    )
    if weight is not None and not any(weight):
        weight = None
    elo = Elo(base=base, denom=denominator)
    fit = elo.fit(comparisons(rows, weight), k=k)
    expected = slow(rows, k, base, denominator, weight=weight)
    assert elo.ratings() == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert dict(zip(fit.items, fit.ratings, strict=True)) == elo.ratings()
    assert (fit.n_epochs, fit.converged, fit.misfit) == (1, None, None)
    assert fit.n_comparisons == len(rows)


@given(matches, st.floats(0.01, 2), st.integers(1, 4), st.integers(0, 99))
def test_epochs_in_random_order_are_passes_over_permutations(rows, k, epochs, seed):
    """Of rows in the order of their items and outcomes, whatever the order they come in."""
    elo, played = Elo(), comparisons(rows)
    fit = elo.fit(played, k=k, epochs=epochs, order="shuffled", seed=seed)
    code = {item: number for number, item in enumerate(played.items.tolist())}
    rows = sorted(rows, key=lambda row: (code[row[0]], code[row[1]], row[2]))
    rng = np.random.default_rng(seed)
    everything = [rows[i] for _ in range(epochs) for i in rng.permutation(len(rows))]
    assert elo.ratings() == pytest.approx(slow(everything, k, math.e, 1), rel=1e-9, abs=1e-9)
    assert fit.n_epochs == epochs


# --- invariants -----------------------------------------------------------------------------------


@given(matches, ks, st.floats(-100, 100))
def test_the_sum_of_ratings_is_kept(rows, k, start):
    elo = Elo()
    elo.fit(comparisons(rows), k=k, default_rating=start, epochs=3, order="shuffled")
    total = sum(elo.ratings().values())
    assert total == pytest.approx(start * len(elo.items()), rel=1e-12, abs=1e-10)


@given(matches, ks)
def test_turning_comparisons_round_changes_nothing(rows, k):
    elo, turned = Elo(), Elo()
    elo.fit(comparisons(rows), k=k)
    turned.fit(comparisons([(b, a, 1 - s) for a, b, s in rows]), k=k)
    assert turned.ratings() == pytest.approx(elo.ratings(), rel=1e-12, abs=1e-12)


@given(matches, ks)
def test_turning_outcomes_round_turns_ratings_round(rows, k):
    elo, other = Elo(), Elo()
    elo.fit(comparisons(rows), k=k)
    other.fit(comparisons([(a, b, 1 - s) for a, b, s in rows]), k=k)
    assert other.ratings() == pytest.approx(
        {item: -rating for item, rating in elo.ratings().items()}, rel=1e-9, abs=1e-12
    )


@given(matches, ks, st.permutations(NAMES))
def test_names_do_not_matter(rows, k, names):
    new = dict(zip(NAMES, names, strict=True))
    elo, renamed = Elo(), Elo()
    elo.fit(comparisons(rows), k=k)
    renamed.fit(comparisons([(new[a], new[b], s) for a, b, s in rows]), k=k)
    assert renamed.ratings() == {new[item]: rating for item, rating in elo.ratings().items()}


@given(matches, st.floats(0.1, 5), st.floats(0.1, 50))
def test_points_are_units(rows, k, unit):
    elo, scaled = Elo(), Elo(denom=unit)
    elo.add_matches(rows, k=k)
    scaled.add_matches(rows, k=k * unit)
    assert scaled.ratings() == pytest.approx(
        {item: unit * rating for item, rating in elo.ratings().items()}, rel=1e-9, abs=1e-9
    )


# --- online ---------------------------------------------------------------------------------------


@given(matches, matches, ks)
def test_more_comparisons_and_new_items_continue_a_fit(first, second, k):
    at_once, online = Elo(), Elo()
    at_once.fit(comparisons([*first, *second]), k=k)
    online.fit(comparisons(first), k=k)
    online.fit(comparisons(second), k=k)
    assert online.ratings() == pytest.approx(at_once.ratings(), rel=1e-12, abs=1e-12)
    one_by_one = Elo()
    one_by_one.fit(comparisons(first), k=k)
    for match in second:
        one_by_one.add_match(*match, k=k)
    assert one_by_one.ratings() == pytest.approx(online.ratings(), rel=1e-9, abs=1e-9)


def test_numbers_and_text_are_the_same_items():
    """A file with only whole numbers gives integers; with one more item it gives text."""
    elo = Elo()
    elo.fit(comparisons([(1, 2, 1)]))
    elo.fit(comparisons([("1", "x", 1)]))
    assert elo.items() == [1, 2, "x"]
    assert elo.rankings() == {1: 0, "x": 1, 2: 2}
    elo.fit(comparisons([(1, 2, 1)]))
    assert elo.items() == [1, 2, "x"]


def test_items_without_a_comparison_get_no_rating():
    played = comparisons([("a", "b", 1), ("c", "d", 1)]).select(np.array([0]))
    assert Elo().fit(played).items == ("a", "b")


def test_an_empty_batch_changes_nothing():
    elo = Elo({"a": 1.0})
    fit = elo.fit(comparisons([("a", "b", 1)]).select(np.zeros(1, bool)))
    assert (fit.items, fit.n_comparisons) == (("a",), 0)
    assert elo.ratings() == {"a": 1.0}
    elo.add_matches([])
    assert elo.ratings() == {"a": 1.0}


def test_given_ratings_and_those_handed_out_are_copies():
    mine = {"a": 1.0, "b": 0.0}
    elo = Elo(mine)
    elo.add_match("a", "b", 1)
    elo.ratings()["a"] = 7.0
    assert mine == {"a": 1.0, "b": 0.0}
    assert elo.rating("a") < 2


# --- until stable ---------------------------------------------------------------------------------


def likelihood_ratings(played: Comparisons, slope: float):
    def loss(theta):
        gap = slope * (theta[played.left] - theta[played.right])
        return np.sum(np.logaddexp(0, gap) - played.outcome * gap)

    found = minimize(loss, np.zeros(len(played.items)), method="BFGS", options={"gtol": 1e-9})
    return found.x - found.x.mean()


@pytest.mark.parametrize("k", [2.0, 0.05])
@pytest.mark.parametrize("denominator", [1.0, 400.0])
def test_stable_ratings_are_those_of_maximum_likelihood(k, denominator):
    """A misfit of .001 a comparison is about .01 logits here: each item has 60 comparisons."""
    rng = np.random.default_rng(5)
    truth = rng.normal(size=10)
    left = rng.integers(10, size=300)
    right = (left + rng.integers(1, 10, size=300)) % 10
    outcome = rng.random(300) < 1 / (1 + np.exp(truth[right] - truth[left]))
    played = Comparisons.from_columns(left, right, outcome.astype(float))
    elo = Elo(denom=denominator)
    fit = elo.fit(played, k=k * denominator, epochs=2000, order="shuffled", tolerance=0.001, seed=1)
    assert fit.converged
    assert fit.misfit <= 0.001
    assert 1 < fit.n_epochs < 2000
    ratings = np.array([elo.rating(item) for item in played.items])
    expected = likelihood_ratings(played, 1 / denominator)
    assert ratings / denominator == pytest.approx(expected / denominator, abs=0.03)


def test_misfit_is_that_of_the_final_ratings():
    rows = [("a", "b", 1), ("b", "c", 1), ("c", "a", 1), ("a", "c", 1)]
    elo = Elo()
    fit = elo.fit(comparisons(rows), k=0.5, epochs=2, order="shuffled", tolerance=1e-9)
    assert fit.converged is False
    assert fit.n_epochs == 2
    excess: dict[str, list[float]] = {item: [] for item in "abc"}
    for a, b, score in rows:
        excess[a].append(score - elo.expected_score(a, b))
        excess[b].append(1 - score - elo.expected_score(b, a))
    assert fit.misfit == pytest.approx(max(abs(np.mean(e)) for e in excess.values()), rel=1e-12)


def test_undefeated_items_stay_finite():
    fit = Elo().fit(
        comparisons([("a", "b", 1)]), k=1, epochs=10_000, order="shuffled", tolerance=0.01
    )
    assert fit.converged
    assert fit.ratings[0] == pytest.approx(math.log(99) / 2, abs=0.02)


def test_seeds_repeat_and_differ():
    rows = [("a", "b", 1), ("b", "c", 1), ("c", "a", 1), ("a", "c", 0.5)]

    def fitted(rng):
        elo = Elo()
        elo.fit(comparisons(rows), k=1, order="shuffled", seed=rng)
        return elo.ratings()

    assert fitted(3) == fitted(3) == fitted(np.random.default_rng(3))
    assert len({tuple(fitted(seed).values()) for seed in range(10)}) > 1


# --- extremes and errors --------------------------------------------------------------------------


@pytest.mark.parametrize("gap", [0.0, 1.0, 700.0, 1e4, 1e300, 1.7e308])
def test_no_gap_overflows(gap):
    elo = Elo({"a": gap, "b": -gap}, denom=0.5)
    assert elo.expected_score("a", "b") + elo.expected_score("b", "a") == pytest.approx(1)
    assert elo.expected_score("a", "b") == (0.5 if gap == 0 else pytest.approx(1, abs=0.02))
    elo.add_match("a", "b", 0, k=1)
    bulk = Elo({"a": gap, "b": -gap}, denom=0.5)
    bulk.fit(comparisons([("a", "b", 0)]), k=1)
    assert bulk.ratings() == elo.ratings()


# Ends of the table of the logistic function, its middle, nodes and halfway between them.
@example(gap=8.0)
@example(gap=-8.0)
@example(gap=math.nextafter(8, 0))
@example(gap=math.nextafter(-8, 0))
@example(gap=0.0)
@example(gap=1 / 64)
@example(gap=-1 / 64)
@example(gap=math.nextafter(7 + 63 / 64, 8))
@given(gap=st.floats(-12, 12))
def test_many_at_once_expect_what_the_formula_says(gap):
    # The table's error is below 1e-16 at each node, and a few roundings follow.
    elo = Elo({"a": gap, "b": 0.0})
    elo.fit(comparisons([("a", "b", 0)]), k=1)
    assert elo.rating("b") == pytest.approx(1 / (1 + math.exp(-gap)), rel=0, abs=5e-16)


def test_small_expected_scores_keep_their_digits():
    elo = Elo({"a": -100.0, "b": 0.0})
    assert elo.expected_score("a", "b") == pytest.approx(math.exp(-100), rel=1e-12)


BAD = [
    (("a", "a", 1), "comparison 1: item 'a' is compared with itself"),
    (("a", "b", 7), "comparison 1: result 7. Expected 1 if player 1 won"),
    (("a", "b", -0.1), "result -0.1"),
    (("a", "b", math.nan), "comparison 1, result: expected a finite number, not nan"),
    (("a", "b", math.inf), "not inf"),
    (("a", "b", "won"), "not 'won'"),
    (("a", "b", None), "not None"),
    (("a", None, 1), "comparison 1: an item is missing"),
    ((math.nan, "b", 1), "an item is missing"),
    (("a", "b"), "expected \\(player 1, player 2, result\\)"),
    (3, "expected \\(player 1, player 2, result\\)"),
]


@pytest.mark.parametrize(("match", "message"), BAD)
def test_a_bad_comparison_is_refused_and_none_counts(match, message):
    elo = Elo()
    with pytest.raises(DataError, match=message):
        elo.add_matches([("x", "y", 1), match])
    assert elo.ratings() == {}


@pytest.mark.parametrize("result", [7, -1, math.nan, "x"])
def test_a_single_bad_comparison_leaves_no_trace(result):
    elo = Elo()
    with pytest.raises(DataError):
        elo.add_match("a", "b", result)
    assert elo.items() == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": -1}, "k must be a number of at least 0"),
        ({"k": math.nan}, "k must be a number of at least 0"),
        ({"k": math.inf}, "k must be a number of at least 0"),
        ({"epochs": 0}, "epochs must be a whole number of at least 1"),
        ({"order": "random"}, "unknown order 'random'.*given, shuffled"),
        ({"tolerance": 0, "order": "shuffled"}, "tolerance must be a number above 0"),
        ({"tolerance": 0.1}, "order='shuffled'"),
        ({"seed": -1}, "seed"),
        ({"seed": 1.5}, "seed must be a whole number"),
        ({"epochs": 2.5}, "epochs must be a whole number"),
        ({"k": "x"}, "k must be a number"),
    ],
)
def test_bad_options_of_fit(options, message):
    elo = Elo()
    with pytest.raises(OptionError, match=message):
        elo.fit(comparisons([("a", "b", 1)]), **options)
    assert elo.items() == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"denom": 0}, "denom must be a number above 0"),
        ({"denom": math.nan}, "denom must be a number above 0"),
        ({"denom": -400}, "denom must be"),
        ({"base": 1}, "base must be a number above 1"),
        ({"base": math.inf}, "base must be"),
        ({"denom": 5e-324}, "too extreme"),
    ],
)
def test_bad_constants(options, message):
    with pytest.raises(OptionError, match=message):
        Elo(**options)


def test_ratings_must_be_finite():
    with pytest.raises(DataError, match="rating of 'a': expected a finite number, not nan"):
        Elo({"a": math.nan})
    with pytest.raises(DataError, match="default_rating"):
        Elo().add_match("a", "b", 1, default_rating=math.inf)
    with pytest.raises(DataError, match="default_rating"):
        Elo().fit(comparisons([("a", "b", 1)]), default_rating=math.nan)


def test_ratings_that_would_overflow_are_refused():
    elo = Elo({"a": sys.float_info.max, "b": 1.7e308}, denom=1e308)
    before = elo.ratings()
    with pytest.raises(DataError, match="smaller k"):
        elo.add_match("b", "a", 0, k=1e308)
    with pytest.raises(DataError, match="smaller k"):
        elo.fit(comparisons([("b", "a", 0)]), k=1e308)
    assert elo.ratings() == before


def test_unknown_item_is_also_a_key_error():
    elo = Elo({"apple": 1.0})
    for call in (elo.rating, elo.ranking, lambda item: elo.expected_score("apple", item)):
        with pytest.raises(DataError, match=r"no rating of 'appel'.*Did you mean 'apple'"):
            call("appel")
        with pytest.raises(KeyError):
            call("appel")


# --- results and files ----------------------------------------------------------------------------


def test_equal_ratings_rank_by_name():
    elo = Elo({"b": 0.0, "c": 1.0, "a": 0.0})
    assert elo.rankings() == {"c": 0, "a": 1, "b": 2}


def test_repr():
    elo = Elo(base=10, denom=400)
    elo.fit(comparisons([("a", "b", 1), ("b", "c", 1)]))
    assert repr(elo) == "Elo: 3 items; base 10, denom 400"
    assert repr(Elo()) == "Elo: 0 items; base e, denom 1"


def test_a_fit_that_is_not_stable_warns():
    fit = Elo().fit(comparisons([("a", "b", 1)]), epochs=3, order="shuffled", tolerance=1e-6)
    assert [note.severity for note in fit.notes] == ["warning"]
    assert "Elo is not stable after 3 epochs" in fit.notes[0]


def test_comparisons_as_a_file_or_a_frame(tmp_path):
    rows = [("a", "b", 1.0), ("b", "c", 0.5), ("a", "c", 1.0)]
    left, right, outcome = zip(*rows, strict=True)
    frame = pl.DataFrame({"left": left, "right": right, "outcome": outcome})
    frame.write_csv(tmp_path / "games.csv")

    def fitted(data):
        elo = Elo()
        elo.fit(data)
        return elo.ratings()

    known = fitted(comparisons(rows))
    assert fitted(frame) == known
    assert fitted(tmp_path / "games.csv") == known
    with pytest.raises(DataError, match="comparisons"):
        Elo().fit(123)


@given(matches, st.integers(0, 99), st.randoms())
def test_in_random_order_the_order_of_rows_does_not_matter(rows, seed, random):
    played = comparisons(rows)
    order = np.array(random.sample(range(len(rows)), len(rows)))
    options = {"k": 1.0, "epochs": 3, "order": "shuffled", "seed": seed}
    one, two = Elo(), Elo()
    one.fit(played, **options)
    two.fit(played.select(order), **options)
    assert one.ratings() == two.ratings()


def test_the_papers_k_counts_wins_on_the_pilot(data_folder):
    """With k = .15 in 400 points ratings hardly leave 0, so that all wins count the same."""
    from headcount.io.comparisons import read_comparisons

    played = read_comparisons(data_folder / "pairs/climate_pilot/comparisons.csv")
    elo = Elo(base=10, denom=400)
    elo.fit(played, k=0.15, epochs=20, order="shuffled")
    won = np.bincount(played.left, played.outcome) + np.bincount(played.right, 1 - played.outcome)
    ratings = np.array([elo.rating(item) for item in played.items])
    assert np.corrcoef(won, ratings)[0, 1] > 0.999999
    near = elo.fit(played, k=32, epochs=500, order="shuffled", tolerance=0.002)
    assert near.converged
