"""Comparisons end to end: rated, ranked, labelled, and said in words."""

from __future__ import annotations

import io
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError
from headcount.pairwise.bradley_terry import bradley_terry
from headcount.pairwise.labels import choose_rule, known_label, label_items
from headcount.pairwise.methods import EloMethod, normal_draws
from headcount.pairwise.pairs import pairs
from headcount.pairwise.plot import plot_graph, plot_raters, plot_ratings
from headcount.pairwise.standard_errors import variance
from headcount.simulation.labelling import LabellingModel, simulate_comparisons
from headcount.stats.ranks import ranks
from tests.pairwise.data import random_comparisons

# Comparisons end to end: rated, ranked, labelled, and said in words.


CHAIN = Comparisons.from_columns(
    ["u", "a", "b", "a", "b", "x", "y"], ["a", "b", "a", "w", "w", "y", "x"], ["left"] * 7
)
"""u beat a, a and b beat w and each other; x and y beat each other, and met nobody else."""


@pytest.fixture(scope="module")
def crowd():
    model = LabellingModel(items=30, raters=40, spammers=0.15, comparisons=400)
    return simulate_comparisons(model, seed=2)


def by_item(result):
    return {i.item: i for i in result.items}


# --- ratings --------------------------------------------------------------------------------------


def test_ratings_ranks_and_intervals_are_those_of_the_fit():
    played = random_comparisons(12, 300, seed=4, ties=0.1)
    fit, result = bradley_terry(played), pairs(played, level=0.9)
    assert [i.item for i in result.items] == np.argsort(-fit.rating).tolist()
    rank = ranks(fit.rating)
    for i in result.items:
        assert i.rating.value == fit.rating[i.item]
        half = 1.6448536269514722 * fit.standard_error[i.item]
        assert i.rating.high - i.rating.value == pytest.approx(half)
        assert i.rank.value == rank[i.item]
        assert i.rank.low <= i.rank.value <= i.rank.high
        assert i.label == ("above" if fit.rating[i.item] > 0 else "below")
        z = fit.rating[i.item] / fit.standard_error[i.item]
        assert i.probability == pytest.approx(0.5 * math.erfc(-z / math.sqrt(2)))
    asked = np.bincount(np.append(played.left, played.right))
    assert [i.comparisons for i in result.items] == asked[[i.item for i in result.items]].tolist()
    assert result.fit["converged"]
    assert result.probability(3, 5).value == fit.probability(3, 5).value


def test_elo_points_are_logits_times_400_over_ln_10():
    played = random_comparisons(6, 100, ties=0.2)
    one = by_item(pairs(played, position=True))
    result = pairs(played, position=True, units="elo")
    unit = 400 / math.log(10)
    for name, i in by_item(result).items():
        assert i.rating.value == pytest.approx(unit * one[name].rating.value)
        assert i.rating.low == pytest.approx(unit * one[name].rating.low)
        assert i.rank == one[name].rank
    shift = bradley_terry(played, position=True).position.value
    assert result.fit["position"]["value"] == pytest.approx(unit * shift)


def test_intervals_by_bootstrap_agree_with_normal_ones():
    played = random_comparisons(6, 2000, seed=1)
    one, two = by_item(pairs(played)), by_item(pairs(played, bootstrap=400))
    for name, i in two.items():
        assert i.rating.value == one[name].rating.value
        wide = one[name].rating.high - one[name].rating.low
        # A 2.5% quantile of 400 draws is known to about a fifth of a standard error.
        assert i.rating.low == pytest.approx(one[name].rating.low, abs=0.15 * wide)
        assert i.rating.high == pytest.approx(one[name].rating.high, abs=0.15 * wide)


def test_probability_has_the_interval_of_the_bootstrap():
    """Every comparison ten times over, by one rater each: only raters tell of the copies."""
    few = random_comparisons(4, 40, seed=1)
    played = few.select(np.repeat(np.arange(40), 10))
    copies = Comparisons(
        **{**vars(played), "rater": np.repeat(np.arange(40), 10), "raters": np.arange(40)}
    )
    normal = pairs(copies, cluster="none").probability(0, 1)
    drawn = pairs(copies, bootstrap=200, cluster="rater").probability(0, 1)
    assert drawn.value == normal.value
    # The standard error is sqrt(10) = 3.2 times larger; in probabilities, which end at 0 and 1,
    # a little less.
    assert drawn.high - drawn.low > 2 * (normal.high - normal.low)
    # Unless somebody says otherwise, standard errors know of the raters as well.
    clustered = pairs(copies).probability(0, 1)
    assert clustered.high - clustered.low == pytest.approx(drawn.high - drawn.low, rel=0.2)
    with_ties = random_comparisons(4, 200, seed=1, ties=0.3)
    for ties in ("davidson", "rao-kupper"):
        result = pairs(with_ties, ties=ties, bootstrap=200)
        p, wald = result.probability(0, 1), pairs(with_ties, ties=ties).probability(0, 1)
        # Standard errors from 200 draws are known to 5%, and percentiles to some 10%.
        assert p.high - p.low == pytest.approx(wald.high - wald.low, rel=0.4)


def test_a_draw_that_cannot_be_fitted_leaves_no_hole():
    """Two comparisons rate a and b; both are missing in one of 7 draws."""
    played = Comparisons.from_columns("uabaw", "abawb", [1, 1, 1, 1, 0])
    result = pairs(played, bootstrap=30, prior="none")
    assert any("could not be fitted" in note for note in result.notes)
    assert "nan" not in result.to_text(details=True)
    assert result["a"].rating.high is not None
    assert math.isfinite(result["a"].rating.high)
    assert math.isfinite(result.probability("a", "b").high)


def test_position_and_ties_have_the_interval_of_the_bootstrap():
    played = random_comparisons(5, 1200, ties=0.2, shift=0.4, raters=6, seed=1)
    options = {"ties": "davidson", "position": True, "units": "elo", "cluster": "none"}
    normal, drawn = pairs(played, **options).fit, pairs(played, **options, bootstrap=400).fit
    for name in ("position", "tie"):
        assert drawn[name]["value"] == normal[name]["value"]
        assert drawn[name]["low"] != normal[name]["low"]
        wide = normal[name]["high"] - normal[name]["low"]
        # A 2.5% quantile of 400 draws is known to about a fifth of a standard error.
        assert drawn[name]["low"] == pytest.approx(normal[name]["low"], abs=0.15 * wide)
        assert drawn[name]["high"] == pytest.approx(normal[name]["high"], abs=0.15 * wide)


def test_bootstrap_over_raters_and_progress(crowd):
    seen = []
    result = pairs(
        crowd[0], prior=2, bootstrap=5, cluster="rater", progress=lambda d, n: seen.append((d, n))
    )
    assert seen == [(k, 5) for k in range(1, 6)]
    assert result.to_dict()["cluster"] == "rater"
    assert "5 bootstrap samples of raters" in " ".join(result.to_text(details=True).split())


def test_bootstrap_over_what_a_column_tells():
    played = random_comparisons(6, 200, seed=4)
    rater, raters = np.arange(len(played)) % 9, np.arange(9)
    by_rater = Comparisons(**{**vars(played), "rater": rater, "raters": raters})
    by_column = Comparisons(**{**vars(played), "clusters": {"prompt": rater}})
    drawn = [
        pairs(data, bootstrap=20, cluster=name).rated.draws
        for data, name in ((by_rater, "rater"), (by_column, "prompt"))
    ]
    np.testing.assert_allclose(*drawn)
    both = Comparisons(**{**vars(by_rater), "clusters": {"prompt": rater}})
    with pytest.raises(OptionError, match="one kind"):
        pairs(both, bootstrap=20, cluster="rater,prompt")


def test_stable_elo_is_bradley_terry_and_is_infinite_where_that_is():
    played = random_comparisons(10, 300, ties=0.2)
    result = pairs(played, method="elo")
    assert result.fit["converged"]
    assert result.fit["misfit"] <= 1e-4
    # Off by 1e-4 points a comparison, with a slope of a quarter at most and of some .15 on average.
    np.testing.assert_allclose(result.rated.rating, bradley_terry(played).rating, atol=2e-3)
    assert result.items[0].rating.low is None
    chain = by_item(pairs(CHAIN, method="elo"))
    assert chain["u"].rating.undefined == "above all others: undefeated"
    assert chain["a"].rating.value == pytest.approx(0, abs=0.02)  # one win each


def test_elo_is_stable_soon_with_items_near_the_ends():
    """Orders that are not gone back through leave a misfit of .0002 after 2,000 passes here."""
    result = pairs(random_comparisons(60, 3000, seed=3, spread=2.0), method="elo")
    assert result.fit["converged"]
    assert result.fit["epochs"] <= 800  # 340 to 410 with seeds 0 to 2


def test_elo_by_passes_gives_numbers_to_all_and_says_what_they_are_worth():
    result = pairs(CHAIN, method=EloMethod(order="given", k=0.5))
    assert all(math.isfinite(i.rating.value) for i in result.items)
    assert result.fit["epochs"] == 1
    assert any("depend on k" in note for note in result.notes)


def test_elo_by_bootstrap():
    played = random_comparisons(5, 200)
    result = pairs(played, method="elo", bootstrap=30)
    for i in result.items:
        assert i.rating.low < i.rating.value < i.rating.high
    estimate = result.probability(0, 1)
    gap = result.rated.rating[0] - result.rated.rating[1]
    assert estimate.value == pytest.approx(1 / (1 + math.exp(-gap)))
    assert estimate.low < estimate.value < estimate.high
    with pytest.raises(OptionError, match="with itself"):
        result.probability(0, "0")


# --- where ratings do not exist -------------------------------------------------------------------


def test_infinite_ratings_are_no_numbers_and_components_are_apart():
    result = pairs(CHAIN, prior="none")
    item = by_item(result)
    assert [i.item for i in result.items] == ["u", "a", "b", "w", "x", "y"]
    assert [i.component for i in result.items] == [0, 0, 0, 0, 1, 1]
    assert [i.rank.value for i in result.items] == [1, 2, 2, 4, 1, 1]
    assert item["u"].rating.undefined == "above all others: undefeated"
    assert item["w"].rating.undefined == "below all others: winless"
    assert (item["u"].label, item["w"].label, item["a"].label) == ("above", "below", None)
    assert (item["u"].probability, item["u"].rank.low) == (None, None)
    text = json.dumps(result.to_dict(), allow_nan=False)
    assert json.loads(text)["items"][0]["rating"] == {
        "value": None,
        "low": None,
        "high": None,
        "undefined": "above all others: undefeated",
    }
    assert result.fit["components"] == 2
    assert (result.fit["undefeated"], result.fit["winless"]) == (["u"], ["w"])
    said = result.to_text(details=True)
    assert "undefeated" in said
    assert "winless" in said
    assert "Group 2: 2 items" in said
    assert "inf" not in said
    assert any("a prior (prior=1)" in note for note in result.notes)
    for a, b in (("a", "x"), ("u", "y")):
        assert "no comparisons join" in result.probability(a, b).undefined
        assert "no comparisons join" in pairs(CHAIN, method="elo").probability(a, b).undefined


def test_a_prior_makes_all_finite_and_all_compare():
    result = pairs(CHAIN, prior=1.0)
    assert all(math.isfinite(i.rating.value) for i in result.items)
    assert {i.component for i in result.items} == {0}
    ordered = [i.rating.value for i in result.items]
    assert ordered == sorted(ordered, reverse=True)


def test_what_is_below_all_is_last_even_behind_the_undetermined():
    result = pairs(Comparisons.from_columns("ab", "bc", [1, 1]), prior="none")
    assert {i.item: i.rank.value for i in result.items if i.item != "b"} == {"a": 1, "c": 3}
    assert by_item(result)["b"].rank.undefined == "not determined"
    assert "not determined" in result.to_text(details=True)


def test_equal_items_share_a_rank_and_have_no_label():
    played = Comparisons.from_columns("abcabc", "bcabca", [1, 1, 1, 0, 0, 0])
    result = pairs(played)
    assert [(i.rank.value, i.label) for i in result.items] == [(1, None)] * 3
    assert any("at the cut" in note for note in result.notes)
    assert "All 3 items share the first rank" in result.to_text(details=True)


# --- raters ---------------------------------------------------------------------------------------


def test_dropping_spammers_is_a_fit_without_them(crowd):
    played, truth = crowd
    result = pairs(played, by_rater="drop", prior=3)
    spammers = {r.rater for r in result.raters if r.spammer}
    assert spammers
    assert set(result.dropped.raters) == spammers
    kept = ~np.isin(played.raters[played.rater], list(spammers))
    rating = bradley_terry(played.select(kept), prior=3).rating
    np.testing.assert_allclose(result.rated.rating, rating)
    assert result.dropped.comparisons == (~kept).sum()
    assert result.provenance.n_raters == len(result.raters) - len(spammers)
    before = bradley_terry(played, prior=3).rating
    # Nearer to the truth without spammers.
    assert np.corrcoef(truth.theta, rating)[0, 1] > np.corrcoef(truth.theta, before)[0, 1]
    said = result.to_text(details=True)
    assert "spammers or reversed" in " ".join(said.split())
    assert all(len(line) <= 80 for line in said.splitlines())


def test_it_is_told_who_was_dropped():
    """Two who always say left speak against the order of all others, which then has no bound."""
    rng = np.random.default_rng(3)
    pair = np.array([rng.choice(6, 2, replace=False) for _ in range(400)])
    rater = np.arange(400) % 10
    outcome = np.where(rater < 2, 1, pair[:, 0] < pair[:, 1])
    result = pairs(
        Comparisons.from_columns(pair[:, 0], pair[:, 1], outcome, rater=rater),
        by_rater="drop",
        prior="none",
    )
    assert set(result.dropped.raters) == {0, 1}
    (note,) = [note for note in result.notes if note.startswith("rated without")]
    assert note.severity == "caution"
    assert "2 of 10 raters" in note
    assert "80 of 400 comparisons" in note
    assert result.to_dict()["dropped"] == {"raters": [0, 1], "comparisons": 80}


def test_without_spammers_nothing_is_dropped():
    played, _ = simulate_comparisons(LabellingModel(items=20, raters=10, comparisons=150), seed=1)
    result = pairs(played, by_rater="drop")
    assert result.dropped is None
    assert result.to_dict()["dropped"] is None
    assert not any("rated without" in note for note in result.notes)
    assert "no spammer found among 10" in result.to_text(details=True)


# --- forms ----------------------------------------------------------------------------------------


def test_frame_and_json_say_the_same(crowd):
    result = pairs(crowd[0], by_rater=True)
    document = result.to_dict()
    frame = result.to_frame("polars")
    assert frame["item"].to_list() == [i["item"] for i in document["items"]]
    assert frame["rating_low"].to_list() == [i["rating"]["low"] for i in document["items"]]
    assert frame["rank"].to_list() == [i["rank"]["value"] for i in document["items"]]
    assert len(document["raters"]) == 40
    assert json.loads(json.dumps(document, allow_nan=False)) == document


def test_ids_too_large_for_floats_are_text_in_json():
    large = 2**53 + 1
    result = pairs(Comparisons.from_columns([large, 7], [7, large], ["left", "left"]))
    assert {i["item"] for i in result.to_dict()["items"]} == {str(large), 7}
    assert result[large].item == large


def test_tables_are_narrow_and_short():
    played = random_comparisons(200, 3000)
    said = pairs(played, units="elo", label="quantile:0.9").to_text(details=True)
    lines = said.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert "and 180 more items in between" in said
    assert len(lines) < 40


def test_who_won_against_whom_is_a_table_for_a_dozen():
    dozen, more = (pairs(random_comparisons(n, 600)).to_text(details=True) for n in (12, 13))
    assert "Share of points won by the row's item" in dozen
    assert "Who won against whom: not shown for more than 12 items" in more


def test_unknown_items_are_named():
    with pytest.raises(OptionError, match="unknown item 'zz'"):
        pairs(CHAIN)["zz"]
    with pytest.raises(OptionError, match="unknown item 'zz'"):
        pairs(CHAIN, method="elo").probability("zz", "a")


def test_words_say_no_more_than_there_is():
    nothing = pairs(Comparisons.from_columns("a", "b", [1]), prior="none").to_text(details=True)
    assert "No item has a finite rating." in nothing
    assert "intervals" not in nothing
    together = pairs(CHAIN, prior=1).to_text(details=True)  # one scale, though there are two groups
    assert "on average over all items" in " ".join(together.split())
    options = {"position": True, "prior": 1.0, "bootstrap": 9}
    both = " ".join(pairs(random_comparisons(5, 90), **options).to_text(details=True).split())
    assert "9 bootstrap samples of comparisons." in both


def test_names_are_not_mathematics():
    names = [r"$\frac$", "_hidden"]
    result = pairs(Comparisons.from_columns(names * 3, names[::-1] * 3, [1, 1, 0, 1, 1, 0]))
    axes = plot_ratings(result)
    assert {tick.get_text() for tick in axes.get_yticklabels()} == {r"\$\frac\$", " _hidden"}
    for figure in (axes.figure, plot_graph(result)):
        drawn = io.BytesIO()
        figure.savefig(drawn)  # raises if a name is read as mathematics
        assert drawn.tell() > 0


@pytest.mark.parametrize(("n", "each"), [(6, 8), (12, 80), (70, 8), (250, 8)])
def test_plots_are_drawn(n, each):
    result = pairs(random_comparisons(n, each * n))
    axes = plot_ratings(result)
    assert len(axes.get_yticks()) == min(n, 60)
    assert result.plot(axes) is axes
    met = plot_graph(result).axes[0]
    assert met.images[0].get_array().shape == (min(n, 40),) * 2
    names = [label.get_text() for label in met.get_yticklabels()]
    assert names[0] == str(result.items[0].item)
    share, number = result.win_rates()
    np.testing.assert_allclose((share + share.T)[number > 0], 1)
    assert number.sum() == 2 * len(result.compared)
    with pytest.raises(OptionError, match="by_rater"):
        plot_raters(result)


def test_plots_of_raters_and_of_groups(crowd):
    judged = pairs(crowd[0], by_rater=True)
    text = [t.get_text() for t in plot_raters(judged).get_legend().get_texts()]
    assert sum(int(t.split(": ")[1]) for t in text) == 40
    labels = [
        t.get_text() for t in plot_ratings(pairs(CHAIN, prior="none")).get_legend().get_texts()
    ]
    assert "no bound" in labels


# --- options --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "glicko"}, "unknown method"),
        ({"ties": "thirds"}, "unknown ties"),
        ({"units": "stars"}, "unknown units"),
        ({"level": 1.0}, "level"),
        ({"level": "x"}, "level must be a number"),
        ({"bootstrap": -1}, "bootstrap"),
        ({"bootstrap": 2.5}, "bootstrap must be a whole number"),
        ({"seed": 1.5}, "seed must be a whole number"),
        ({"position": 1}, "position must be True or False"),
        ({"by_rater": "yes"}, "by_rater must be True or False"),
        ({"method": 3}, "unknown method"),
        ({"ties": None}, "unknown ties"),
        ({"label": None}, "unknown label"),
        ({"label": "sign:2"}, "unknown label"),
        ({"units": 400}, "unknown units"),
        ({"prior": "wide"}, "prior must be a standard deviation in logits"),
        ({"cluster": "rater", "method": "elo"}, "say how often"),
        ({"bootstrap": 2, "cluster": "rater,prompt"}, "one kind"),
        ({"prior": 1e-200}, "prior"),
        ({"prior": 1e300}, "prior"),
        ({"method": "elo", "prior": 1.0}, "Elo knows no prior"),
    ],
)
def test_options_that_cannot_be_served(options, said):
    with pytest.raises(OptionError, match=said):
        pairs(CHAIN, **options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"order": "sideways"}, "unknown order"),
        ({"k": -1}, "k must be a number of at least 0"),
        ({"epochs": 0}, "epochs must be a whole number of at least 1"),
    ],
)
def test_options_of_elo_that_cannot_be_served(options, said):
    with pytest.raises(OptionError, match=said):
        EloMethod(**options)


def test_raters_that_are_not_there():
    with pytest.raises(DataError, match="rater column"):
        pairs(CHAIN, by_rater=True)
    for method in ("bradley-terry", "elo"):
        with pytest.raises(DataError, match="rater column"):
            pairs(CHAIN, method=method, bootstrap=2, cluster="rater")


def test_one_rater_cannot_be_drawn():
    """All answers would be drawn equally often: intervals without any width."""
    alone = Comparisons.from_columns("abcab", "bcaca", [1, 1, 1, 0, 1], rater=["ann"] * 5)
    for method in ("bradley-terry", "elo"):
        with pytest.raises(DataError, match="Draw comparisons"):
            pairs(alone, method=method, bootstrap=2, cluster="rater")


def test_a_level_next_to_1_has_an_interval():
    rating = pairs(random_comparisons(4, 60), level=1 - 2**-53).items[0].rating
    assert math.isfinite(rating.high)
    # The tail is 2^-54, 8.3 standard errors off.
    assert (rating.high - rating.value) / pairs(
        random_comparisons(4, 60)
    ).rated.model.standard_error.max() < 8.5


# --- the pilot ------------------------------------------------------------------------------------


def test_climate_pilot(data_folder, golden):
    from headcount.io.comparisons import read_comparisons

    facts = golden("pairs_pilot")
    played = read_comparisons(data_folder / "pairs/climate_pilot/comparisons.csv")
    points = np.bincount(played.left, played.outcome) + np.bincount(
        played.right, 1 - played.outcome
    )
    of = dict(zip(map(str, played.items), points.tolist(), strict=True))
    result = pairs(played)
    names = [str(i.item) for i in result.items]
    for some, known in ((names[:5], facts["top"]), (names[-5:], facts["bottom"])):
        assert set(some) == set(known)
        assert {name: of[name] for name in some} == known
    assert result.items[0].rank.value == 1
    assert {i.comparisons for i in result.items} == {facts["comparisons_per_item"]}
    p = result.provenance
    assert (p.n_items, p.n_comparisons, p.n_ties) == (
        facts["items"], facts["comparisons"], facts["ties"],
    )  # fmt: skip
    rating = np.array([i.rating.value for i in result.items])
    won = np.array([of[name] for name in names])
    correlation = facts["bradley_terry_correlation_with_points"]
    assert np.corrcoef(rating, won)[0, 1] == pytest.approx(correlation, abs=1e-5)
    # The order is random: one seed in five is below, the median never.
    found = []
    for seed in range(9):
        paper = by_item(pairs(played, method=EloMethod(k=0.15, epochs=20), units="elo", seed=seed))
        rating = [paper[i.item].rating.value for i in result.items]
        found.append(np.corrcoef(rating, won)[0, 1])
    assert np.median(found) >= facts["elo_correlation_with_points_at_least"]


# Labels: where the cut lies, and how likely an item is to be above it.

ITEMS = np.array(list("abcdef"), dtype=object)
ONE = np.zeros(6, dtype=np.int64)
RATING = np.array([2.0, 1.0, 0.5, -0.5, -1.0, -2.0])


def labels(rule, rating=RATING, component=ONE):
    return label_items(rule, rating, component, None)[0]


def test_sign_is_by_the_average_of_the_component():
    component = np.array([0, 0, 0, 0, 1, 1])
    got = labels(choose_rule("sign", ITEMS), RATING, component)
    assert got == ["above", "above", "below", "below", "above", "below"]  # averages .75 and -1.5


def test_quantiles_cut_off_their_share():
    for q, above in ((0.75, 2), (0.5, 3), (0.1, 5)):
        assert labels(choose_rule(f"quantile:{q}", ITEMS)).count("above") == above


def test_anchors_at_the_boundary_and_on_both_sides():
    boundary = choose_rule(["b", "c"], ITEMS)
    assert boundary.at(RATING, ONE).tolist() == [0.75] * 6
    assert labels(choose_rule(["c"], ITEMS))[2] is None  # at the cut itself
    sides = {"a": "positive", "b": "positive", "f": "Negative"}
    assert choose_rule(sides, ITEMS).at(RATING, ONE).tolist() == [-0.25] * 6


def test_anchors_reach_as_far_as_their_component():
    component = np.array([0, 0, 0, 1, 1, 1])
    got = labels(choose_rule(["b"], ITEMS), RATING, component)
    assert got == ["above", None, "below", None, None, None]


def test_infinite_ratings_have_a_label_and_do_not_move_the_cut():
    rating = np.array([math.inf, 1.0, 0.5, -0.5, -1.0, math.nan])
    for cut in (choose_rule("sign", ITEMS), choose_rule(["a", "c"], ITEMS)):
        assert np.isfinite(cut.at(rating, ONE)).all()
        got = labels(cut, rating)
        assert (got[0], got[5]) == ("above", None)
        assert np.isnan(
            label_items(cut, rating, ONE, np.tile(rating, (9, 1)), error=np.ones(6))[1][[0, 5]]
        ).all()


def test_probabilities_are_those_of_the_exact_difference():
    """Normal draws against the variance of a contrast; 1,000 draws give an sd to 2.2%."""
    played = random_comparisons(8, 300, seed=2)
    fit = bradley_terry(played)
    cut = choose_rule(["0", "3"], fit.items)
    draws = normal_draws(fit, rng=np.random.default_rng(0))
    _, above = label_items(cut, fit.rating, fit.component, draws, error=fit.standard_error)
    for i in range(8):
        direction = np.zeros(fit.point.model.size)
        direction[i] += 1
        direction[[0, 3]] -= 0.5
        error = math.sqrt(variance(fit.point, direction))
        z = (fit.rating[i] - fit.rating[[0, 3]].mean()) / error
        # Five of those 2.2% move a normal probability by less than .11 z phi(z) <= .03.
        assert above[i] == pytest.approx(0.5 * math.erfc(-z / math.sqrt(2)), abs=0.03)


def test_probability_above_the_average_is_exact():
    """The standard error of a rating is that of its distance to the mean, so no draw matters."""
    played = random_comparisons(8, 300, seed=2)
    fit = bradley_terry(played)
    few = normal_draws(fit, draws=3, rng=np.random.default_rng(0))
    cut = choose_rule("sign", fit.items)
    _, above = label_items(cut, fit.rating, fit.component, few, error=fit.standard_error)
    z = fit.rating / fit.standard_error
    assert above == pytest.approx([0.5 * math.erfc(-x / math.sqrt(2)) for x in z.tolist()])


def test_without_a_draw_that_was_fitted_there_is_no_probability():
    cut = choose_rule("sign", ITEMS)
    got, above = label_items(cut, RATING, ONE, np.full((3, 6), np.nan))
    assert got[0] == "above"
    assert np.isnan(above).all()


def test_bootstrap_probability_is_a_share_of_draws():
    draws = np.array([[1.0, 0.0], [1.0, 2.0], [0.0, 0.0], [3.0, 1.0]])
    cut = choose_rule(["b"], np.array(["a", "b"], dtype=object))
    _, above = label_items(cut, draws[0], np.zeros(2, dtype=np.int64), draws)
    assert above.tolist() == [(2 + 0.5) / 4, 0.5]


@given(st.lists(st.floats(-5, 5), min_size=6, max_size=6), st.floats(0.1, 3), st.floats(-3, 3))
def test_labels_do_not_depend_on_origin_and_scale(rating, scale, shift):
    rating = np.round(rating, 3)
    for cut in (
        choose_rule("sign", ITEMS),
        choose_rule("quantile:0.3", ITEMS),
        choose_rule({"a": "positive", "d": "negative"}, ITEMS),
    ):
        distance = rating - cut.at(rating, ONE)
        clear = np.abs(distance) > 1e-6
        before, after = labels(cut, rating), labels(cut, scale * rating + shift)
        assert [x for x, c in zip(before, clear, strict=True) if c] == [
            x for x, c in zip(after, clear, strict=True) if c
        ]


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("quantile:1.5", "between 0 and 1"),
        ("quantile:half", "between 0 and 1"),
        ("median", "unknown label"),
        ("anchors", "needs the anchors"),
        (["z"], "unknown anchor"),
        ({"a": "good"}, "unknown side"),
        ({"a": "positive"}, "one positive and one negative"),
        ({"a": "boundary", "b": "negative"}, "one kind or the other"),
    ],
)
def test_what_cannot_be_read(label, said):
    with pytest.raises(OptionError, match=said):
        choose_rule(known_label(label), ITEMS)


def test_a_relative_control_is_explained_on_the_page() -> None:
    result = pairs("example:battles", control="words_a:words_b:relative")
    page = result.to_text(details=True).replace("\n", " ")
    assert "more of words_a than of words_b as a share of both" in page


def test_boards_of_a_column_have_no_clusters_of_it() -> None:
    result = pairs("example:battles", by="prompt", cluster="prompt")
    assert result.provenance.cluster == "prompt"
    assert {board.provenance.cluster for board in result.by.values()} == {"auto"}
