"""Planning from a pilot: options, results, and what votes cost instead."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, HeadcountError, OptionError
from headcount.pairwise.answers import in_order
from headcount.pairwise.forecast import normal_population, posterior_at
from headcount.pairwise.pilot import (
    Sampler,
    fit_laws,
    pilot_sizes,
)
from headcount.pairwise.plan import (
    agreement_between_raters,
    majority_accuracy,
    matched_model,
    plan,
    votes_needed,
)
from headcount.simulation.labelling import (
    LabellingModel,
    draw_comparisons,
    draw_truth,
    simulate_comparisons,
)
from tests.pairwise.data import random_comparisons

# Planning from a pilot: options, results and the climate pilot.


@pytest.fixture(scope="module")
def pilot():
    made, _ = simulate_comparisons(LabellingModel(items=30, comparisons=435), seed=1)
    return made


@pytest.fixture(scope="module")
def planned(pilot):
    """A plan with all its parts, of few repeats."""
    return plan(pilot, items=100, target_f1=0.8, budget=300, repeats=20, laws=True)


@pytest.fixture
def climate_file(data_folder):
    return data_folder / "pairs" / "climate_pilot" / "comparisons.csv"


def test_the_climate_pilot_needs_as_many_as_an_independent_script_says(climate_file, golden):
    known = golden("plan")["all_answers"]
    found = plan(
        climate_file, items=1000, target_f1=0.8, budget=8500, repeats=1000, laws=True
    ).growth
    per_item = {each.items: each.comparisons.value / each.items for each in found.sizes}
    for size, wanted in zip(known["sizes"], known["comparisons_per_item"], strict=True):
        # f1 of a set has a standard deviation of .08, so .0025 for means of 1,000 and .0013 for
        # 4,000; the curve rises by .0065 for each comparison an item there. 4 standard errors of
        # the difference are .0113, or 1.7 comparisons an item, which is 14%.
        assert per_item[size] == pytest.approx(wanted, rel=0.14)
    linear, other = found.laws
    assert linear.spread < 0.1 < other.spread
    assert 11_500 < linear.comparisons.value < 13_200
    assert 23_500 < other.comparisons.value < 27_500


def test_its_first_answers_need_as_many_as_an_earlier_analysis_says(climate_file, golden):
    known = golden("plan")["earlier_analysis"]
    with climate_file.open(encoding="utf-8") as file:
        rows = [line.strip().split(",") for line in file][:820]
    pilot = in_order(Comparisons.from_columns(*zip(*rows, strict=True)))
    assert len({frozenset(row[:2]) for row in rows}) == len(pilot) == 820
    rng = np.random.default_rng(0)
    curves = Sampler(pilot, 600).curves(pilot_sizes(41), rng)
    linear, other = fit_laws(curves, 1000, 0.8, None, 0.95, rng).laws
    # Which answers the earlier analysis used, and how it broke ties, is not known. Monte Carlo
    # errors are 2% to 3% in either; ways to break ties differ by up to 8%.
    assert linear.factor == pytest.approx(known["comparisons_per_item"], rel=0.12)
    assert linear.comparisons.value == pytest.approx(known["linear_1000"], rel=0.12)
    assert other.comparisons.value == pytest.approx(known["n_log_n_1000"], rel=0.12)
    assert other.comparisons.value == pytest.approx(golden("plan")["paper"]["comparisons"], rel=0.1)
    assert linear.spread < other.spread


def test_order_of_rows_changes_no_digit(pilot):
    names = [f"item {i}" for i in pilot.items]
    columns = pilot.left, pilot.right, pilot.outcome
    rows = [(names[i], names[j], share) for i, j, share in zip(*columns, strict=True)]
    told = []
    for seed in range(3):
        mixed = [rows[k] for k in np.random.default_rng(seed).permutation(len(rows))]
        made = Comparisons.from_columns(*zip(*mixed, strict=True))
        found = plan(made, items=500, target_f1=0.7, budget=900, repeats=3, laws=True)
        told.append(found.to_dict())
    assert told[0] == told[1] == told[2]


def test_same_seed_same_plan_and_progress_counts_all(pilot):
    calls = []
    options = {"items": 500, "target_f1": 0.8, "budget": 900, "repeats": 20, "laws": True}
    one = plan(pilot, seed=3, progress=lambda *call: calls.append(call), **options)
    two = plan(pilot, seed=np.random.default_rng(3), **options)
    three = plan(pilot, seed=4, **options)
    assert one.growth.laws == two.growth.laws
    assert one.growth.laws != three.growth.laws
    total = 5 * 20
    assert calls == [(k, total) for k in range(1, total + 1)]
    assert (one.provenance.seed, two.provenance.seed) == (3, None)


def test_names_of_items_do_not_matter_but_their_order_may(pilot):
    options = {"items": 500, "target_f1": 0.8, "repeats": 20, "laws": True}
    named = replace(pilot, items=np.array([f"x{i:02}" for i in pilot.items], dtype=object))
    assert plan(named, **options).growth.laws == plan(pilot, **options).growth.laws


def test_words_json_and_frame_agree(planned):
    found, text = planned, planned.to_text(details=True)
    assert all(len(line) <= 80 for line in text.splitlines())
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    growth = told["growth"]
    assert [size["items"] for size in growth["sizes"]] == [14, 18, 22, 26, 30]
    for law, kept in zip(growth["laws"], found.growth.laws, strict=True):
        assert law["comparisons"]["value"] == kept.comparisons.value
        assert law["f1"]["value"] == kept.f1.value
    assert len(growth["curves"]) == 5
    assert told["pilot"] == {
        "items": 30, "comparisons": 435, "pairs": 435, "pairs_asked_again": 0,
    }  # fmt: skip
    assert told["data"]["items"] == {"used": 30, "dropped": 0}
    assert told["data"]["ratings"] == 435
    assert "tasks" not in told
    frame = found.to_frame("polars")
    assert frame.columns == ["comparisons", "f1", "f1_low", "f1_high"]
    assert frame["f1"].is_sorted()


def test_what_speaks_against_the_answer_comes_before_the_tables(planned):
    text = planned.to_text(details=True)
    assert text.index("caution: 100 items are 3.33 times") < text.index("Random sets of the pilot")
    assert "For an f1 of 0.8, 100 items need" in planned._repr_html_()


def test_a_target_that_is_nowhere_reached_is_a_warning():
    coins = random_comparisons(16, 60, seed=3, spread=0.0)
    found = plan(coins, items=500, target_f1=0.999, repeats=5, laws=True)
    assert [note.severity for note in found.notes if "reached f1" in note] == ["warning"]


def test_a_pilot_may_be_a_frame_and_nothing_else_is_taken(pilot):
    frame = pl.DataFrame({"left": pilot.left, "right": pilot.right, "outcome": pilot.outcome})
    options = {"items": 500, "target_f1": 0.8, "repeats": 3, "laws": True}
    one, two = plan(frame, **options), plan(pilot, **options)
    assert one.growth.laws == two.growth.laws
    assert isinstance(one.to_frame(), pl.DataFrame)
    for bad in (123, pl.DataFrame(), "no/such/file.csv"):
        with pytest.raises(HeadcountError):
            plan(bad, **options)


def test_the_plot_has_the_interval_and_what_was_asked(planned):
    axes = planned.plot()
    assert axes.get_ylabel().startswith("f1")
    shown = [text.get_text() for text in axes.get_legend().get_texts()]
    assert {"95% interval", "f1 0.8", "300 asked"} <= set(shown)
    assert planned.plot(ax=axes) is axes


def test_a_panel_a_law(planned, pilot):
    axes = planned.plot_laws().axes
    assert [a.get_xlabel() for a in axes] == ["comparisons / N", "comparisons / (N log N)"]
    shown = [text.get_text() for text in axes[0].get_legend().get_texts()]
    assert shown == [f"{size} items" for size in (14, 18, 22, 26, 30)]
    with pytest.raises(OptionError, match="needs the laws"):
        plan(pilot, items=100, target_f1=0.8).plot_laws()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r"nothing to plan for: .*\(target_f1=0.8\).*\(budget=5000\)"),
        ({"target_f1": 0.4}, "target_f1 must be a number above 0.5 and below 1, such as 0.8"),
        ({"target_f1": 1}, "not 1"),
        ({"budget": 0}, "budget must be a whole number from 1 to"),
        ({"budget": 2.5}, "budget must be a whole number"),
        ({"target_f1": 0.8, "items": 1}, "items must be a whole number from 2 to .*, not 1"),
        ({"target_f1": 0.8, "items": 10**400}, "from 2 to 1,000,000,000,000"),
        ({"target_f1": 0.8, "repeats": 0}, "repeats must be a whole number from 1 to 100,000"),
        ({"target_f1": 0.8, "repeats": 10**9}, "from 1 to 100,000, not 1,000,000,000"),
        ({"target_f1": 0.8, "laws": "N"}, "laws must be"),
        ({"target_f1": 0.8, "level": 95}, "level must be a number between 0 and 1"),
        ({"target_f1": 0.8, "seed": 1.5}, "seed must be a whole number"),
    ],
)
def test_bad_options_are_refused(pilot, options, message):
    with pytest.raises(OptionError, match=message):
        plan(pilot, **{"items": 500, **options})


def test_sparse_pilots_are_refused_or_told():
    sparse = random_comparisons(60, 50, seed=0, circle=False)
    with pytest.raises(DataError, match="too few to plan from"):
        plan(sparse, items=500, target_f1=0.8, repeats=5, laws=True)
    some = random_comparisons(40, 20, seed=0)
    found = plan(some, items=500, target_f1=0.8, repeats=5, laws=True)
    assert any("items have too few comparisons and are left out" in note for note in found.notes)


def test_a_pilot_in_pieces_is_told():
    halves = [random_comparisons(8, 120, seed=seed) for seed in (0, 1)]
    apart = Comparisons(
        np.arange(16),
        np.concatenate([halves[0].left, 8 + halves[1].left]),
        np.concatenate([halves[0].right, 8 + halves[1].right]),
        np.concatenate([each.outcome for each in halves]),
    )
    found = plan(apart, items=500, target_f1=0.8, repeats=5)
    told = "The pilot falls into 2 groups of items with no comparison between them"
    assert [note.severity for note in found.notes if note.startswith(told)] == ["warning"]
    whole = plan(random_comparisons(16, 240, seed=0), items=500, target_f1=0.8, repeats=5)
    assert not any("groups" in note for note in whole.notes)


def test_large_numbers_stay_within_80_columns(pilot):
    found = plan(pilot, items=10**9, target_f1=0.8, budget=10**11, repeats=10, laws=True)
    assert all(len(line) <= 80 for line in found.to_text(details=True).splitlines())


def test_one_number_is_near_what_a_simulated_crowd_needs(climate_file):
    """A crowd that ties and agrees like the pilot's needs 23,641 (docs/guide/plan.md)."""
    found = plan(climate_file, items=1000, target_f1=0.8, budget=8500, cost=0.2)
    assert found.growth is None
    assert found.needed.low < 23_641 < found.needed.high
    assert found.needed.high < 5 * found.needed.low
    assert 0.6 < found.f1.low < found.f1.value < found.f1.high < 0.8
    assert found.total_cost.value == pytest.approx(0.2 * found.needed.value)
    assert found.voting.votes % 2 == 1
    axes = found.plot()
    assert axes.get_ylabel().startswith("f1")


@pytest.mark.parametrize("spread", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("each", [2.0, 8.0])
def test_accuracy_by_formula_is_that_of_simulated_labels(spread, each):
    rng = np.random.default_rng(1)
    n, number = 1500, int(1500 * each)
    theta = spread * rng.normal(size=n)
    left = rng.integers(0, n, number)
    right = (left + rng.integers(1, n, number)) % n
    won = (rng.random(number) < 1 / (1 + np.exp(theta[right] - theta[left]))).astype(float)
    asked = Comparisons(np.arange(n), left, right, won)
    known = posterior_at(asked, spread, 1.0, None, n)
    right_ones = np.mean((known.rating > 0) == (theta > theta.mean()))
    # A share of 1,500 has a standard error of .012; the formula is within .01 (docs).
    assert normal_population(spread, 1.0).accuracy(each) == pytest.approx(right_ones, abs=0.03)


def test_more_votes_are_better_and_agree_with_the_simulation():
    accuracy = [majority_accuracy(votes, LabellingModel()) for votes in (1, 3, 5, 9)]
    assert accuracy == sorted(accuracy)
    # docs/studies/pairs.md: f1 of three votes is .858 at the paper's parameters.
    assert accuracy[1] == pytest.approx(0.858, abs=0.005)
    assert votes_needed(0.999, 10, LabellingModel(), 1.0).votes is None


# A simulated crowd like that of the pilot, and what votes cost in it.


def asked_twice(model, seed=0):
    """All pairs of a simulated crowd, each compared by two raters."""
    rng = np.random.default_rng(seed)
    truth = draw_truth(model, rng)
    pairs = model.items * (model.items - 1) // 2
    twice = [draw_comparisons(model, truth, pairs, each)[:3] for each in rng.spawn(2)]
    left, right, outcome = (np.concatenate(column) for column in zip(*twice, strict=True))
    return Comparisons(np.arange(model.items), left, right, outcome)


@pytest.mark.parametrize(("perception", "comparison"), [(0.5, 0.5), (1.5, 0.8), (3.0, 0.0)])
def test_ambiguities_are_recovered(perception, comparison):
    model = LabellingModel(
        items=300, raters=2000, perception_ambiguity=perception, comparison_ambiguity=comparison
    )
    found = matched_model(asked_twice(model))
    # 44,850 pairs, but 300 items, whose variance is known to 8% (one standard error), which makes
    # 4% of a ratio of standard deviations.
    assert found.perception_ambiguity == pytest.approx(perception, rel=0.15)
    assert found.comparison_ambiguity == pytest.approx(comparison, rel=0.15, abs=1e-9)


def test_agreement_is_the_mean_product_of_answers():
    asked = random_comparisons(5, 60, seed=1, ties=0.2)
    answers: dict = {}
    for i, j, share in zip(asked.left, asked.right, asked.outcome, strict=True):
        answers.setdefault((min(i, j), max(i, j)), []).append(
            (2 * share - 1) * (1 if i < j else -1)
        )
    products = [a * b for given in answers.values() for a, b in combinations(given, 2)]
    size = np.mean([a * a for given in answers.values() for a in given])
    assert agreement_between_raters(asked) == pytest.approx(np.mean(products) / size)


def test_raters_who_never_agree_or_were_never_asked_twice():
    never = Comparisons.from_columns("abab", "baba", [1, 1, 1, 1])  # left wins, whatever it is
    model = matched_model(never)
    assert model.perception_ambiguity == 10
    once = Comparisons.from_columns("abc", "bca", [1, 1, 1])
    model = matched_model(once)
    assert model.perception_ambiguity == LabellingModel().perception_ambiguity
    assert model.comparison_ambiguity == 0
