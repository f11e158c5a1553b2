"""A simulated crowd like that of the pilot, and what votes cost in it."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from headcount.data.comparisons import Comparisons
from headcount.pairwise.experiments.experiment import labelling_experiment
from headcount.pairwise.planning.prepare import Question, in_order
from headcount.pairwise.planning.voting import vote_cost as module
from headcount.pairwise.planning.voting.crowd import Crowd, agreement_between_raters
from headcount.pairwise.planning.voting.crowd import matched_model as match
from headcount.results.notes import Notes
from headcount.simulation.labelling import (
    LabellingModel,
    draw_comparisons,
    draw_truth,
    simulate_comparisons,
)
from tests.pairwise.bradley_terry.data import random_comparisons


def matched_model(pilot, **options):
    """The crowd of a pilot, and the notes."""
    notes = Notes()
    return match(pilot, notes, **options), list(notes)


def vote_cost(pilot, *, items, votes, target_f1=None, model=None, **options):
    """What votes cost in a crowd, the pilot's if none is given; and the notes."""
    notes = Notes()
    crowd = Crowd(match(pilot, notes) if model is None else model, matched=model is None)
    question = Question(items=items, votes=votes, target_f1=target_f1)
    return module.vote_cost(crowd, question, notes, **options), list(notes)


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
    found, notes = matched_model(asked_twice(model))
    # 44,850 pairs, but 300 items, whose variance is known to 8% (one standard error), which makes
    # 4% of a ratio of standard deviations.
    assert found.perception_ambiguity == pytest.approx(perception, rel=0.15)
    assert found.comparison_ambiguity == pytest.approx(comparison, rel=0.15, abs=1e-9)
    assert notes == []


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
    model, notes = matched_model(never)
    assert model.perception_ambiguity == 10
    assert "hardly agree" in notes[0]
    once = Comparisons.from_columns("abc", "bca", [1, 1, 1])
    model, notes = matched_model(once)
    assert model.perception_ambiguity == LabellingModel().perception_ambiguity
    assert "No pair was asked twice" in notes[0]
    assert model.comparison_ambiguity == 0


def test_raters_of_a_given_perception_tie_as_those_of_the_pilot():
    pilot = asked_twice(LabellingModel(items=60, perception_ambiguity=2.5))
    given, notes = matched_model(pilot, perception_ambiguity=0.5)
    assert given.perception_ambiguity == 0.5
    assert notes == []
    crowd = replace(given, items=400, raters=2000, comparisons=40_000)
    made, _ = simulate_comparisons(crowd, rng=4)
    # 3,540 answers of the pilot, about a tenth of them ties: one standard error is .005. Items are
    # a sample in both, whose spread moves the share by about as much.
    assert np.mean(made.outcome == 0.5) == pytest.approx(np.mean(pilot.outcome == 0.5), abs=0.025)
    once = Comparisons.from_columns("abc", "bca", [1, 1, 1])
    assert matched_model(once, perception_ambiguity=0.5)[1] == []


def test_votes_and_comparisons_meet_where_the_experiment_says():
    pilot = asked_twice(LabellingModel(items=40))
    crowd = LabellingModel()
    found, notes = vote_cost(pilot, items=300, votes=3, model=crowd, runs=40, rng=2)
    assert (found.tasks, found.matched, found.runs, notes) == (900, False, 40, [])
    n = round(found.comparisons["bradley-terry"].value)
    model = LabellingModel(items=300, votes=3)
    seen = labelling_experiment(model, runs=200, comparisons=[n], rng=9)
    votes, compared = (seen.values(m)[:, 0].mean() for m in ("majority", "bradley-terry"))
    assert found.f1.value == pytest.approx(votes, abs=0.015)  # 40 runs with an sd of .025: .004
    # The slope of f1 is .02 for .1 comparisons an item; means of 40 and 200 runs, and a line
    # between numbers of comparisons, leave .01.
    assert compared == pytest.approx(votes, abs=0.015)


def test_comparisons_for_a_target_are_those_that_reach_it():
    pilot = asked_twice(LabellingModel(items=40))
    crowd = LabellingModel()
    found, _ = vote_cost(pilot, items=300, votes=3, target_f1=0.85, model=crowd, runs=40, rng=2)
    needed = found.for_target["bradley-terry"]
    assert needed.low < needed.value < needed.high
    seen = labelling_experiment(
        LabellingModel(items=300, votes=3), runs=200, comparisons=[round(needed.value)], rng=9
    )
    # As above, where f1 grows more slowly.
    assert seen.values("bradley-terry")[:, 0].mean() == pytest.approx(0.85, abs=0.015)
    without, _ = vote_cost(pilot, items=300, votes=3, model=crowd, runs=2)
    assert without.for_target is None


def test_large_studies_are_simulated_small_and_told():
    pilot = asked_twice(LabellingModel(items=40))
    small, _ = vote_cost(pilot, items=500, votes=3, runs=5)
    large, notes = vote_cost(pilot, items=5000, votes=3, runs=5)
    assert "tasks are in proportion" in notes[0]
    assert large.tasks == 10 * small.tasks
    for method, n in small.comparisons.items():
        assert large.comparisons[method].value == pytest.approx(10 * n.value)


def test_f1_that_comparisons_do_not_reach_is_censored():
    pilot = asked_twice(LabellingModel(items=40))
    # Raters who all see the same and have the same threshold vote without error; comparisons that
    # say equal of nearly everything do not.
    crowd = LabellingModel(
        perception_ambiguity=0, threshold_diversity=0, comparison_ambiguity=4.0, raters=20
    )
    found, _ = vote_cost(pilot, items=60, votes=1, model=crowd, runs=10)
    assert found.f1.value == 1
    assert found.comparisons["elo"].censored == "above"


def test_order_of_rows_changes_no_digit_of_the_crowd():
    asked = random_comparisons(8, 90, seed=2, ties=0.3)
    found = set()
    for seed in range(4):
        rows = np.random.default_rng(seed).permutation(len(asked))
        found.add(matched_model(in_order(asked.select(rows)))[0])
    assert len(found) == 1
