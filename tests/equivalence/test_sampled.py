"""Sampled surveys meet exact ones."""

from __future__ import annotations

import numpy as np
import pytest

from headcount import Labels, OptionError, running_example
from headcount.equivalence.scorers.catalogue import SCORERS
from headcount.equivalence.surveys import choice
from tests.equivalence import survey


def numeric(labels: Labels, drop: float = 0.0) -> Labels:
    """The same labels as 0 and 1, some of them missing."""
    keep = np.random.default_rng(1).random(len(labels)) >= drop
    return Labels.from_triples(labels.item[keep], labels.rater[keep], labels.label[keep])


@pytest.mark.parametrize("drop", [0.0, 0.2], ids=["rectangular", "ragged"])
@pytest.mark.parametrize("scorer", list(SCORERS))
def test_exact_and_sampled_meet_for_each_scorer(scorer, drop):
    labels = numeric(running_example(400, 6, rng=3)[0], drop)
    combiner = "mean" if scorer == "correlation" else "abc"
    options = {"combiner": combiner, "scorer": scorer, "bootstrap": 0, "max_k": 3}
    exact = survey(labels, method="exact", **options)
    runs = [
        [
            p.score.value
            for p in survey(labels, method="sampled", samples=40, rng=s, **options).curve
        ]
        for s in range(6)
    ]
    mean, spread = np.mean(runs, axis=0), np.std(runs, axis=0, ddof=1) / np.sqrt(6)
    # Ratio scorers average scores of tables of 400 items instead of scoring the expected table:
    # they differ by the order of 1/400, relative to the score.
    bias = 0.0 if scorer in ("cross-entropy", "agreement", "brier") else 1.5 / 400
    for k, point in enumerate(exact.curve):
        # Six runs know their spread badly: five standard errors.
        assert mean[k] == pytest.approx(point.score.value, abs=5 * spread[k] + bias + 1e-9)


def test_all_sets_of_raters_give_the_exact_curve():
    """With 200 sets or fewer in all, nothing is left to chance."""
    labels, predictions = running_example(150, 6, rng=3)
    exact = survey(labels, predictions, bootstrap=0)
    sampled = survey(labels, predictions, method="sampled", bootstrap=0)
    for ours, theirs in zip(exact.curve, sampled.curve, strict=True):
        # abc takes the rater asked last for the one who is missing; all else is equal.
        assert theirs.score.value == pytest.approx(ours.score.value, abs=1e-4)
    assert sampled["calibrated"].score.value == pytest.approx(exact["calibrated"].score.value)
    plurality = {"combiner": "plurality", "scorer": "agreement", "bootstrap": 0}
    for ours, theirs in zip(
        survey(labels, **plurality).curve,
        survey(labels, method="sampled", **plurality).curve,
        strict=True,
    ):
        assert theirs.score.value == pytest.approx(ours.score.value, abs=1e-12)


def test_intervals_and_seed():
    labels, predictions = running_example(200, 5, rng=3)
    first, again = (
        survey(labels, predictions, method="sampled", samples=20, bootstrap=50, rng=4)
        for _ in range(2)
    )
    assert first == again
    exact = survey(labels, predictions, bootstrap=200, rng=4)
    for ours, theirs in zip(exact.curve, first.curve, strict=True):
        assert theirs.score.low <= theirs.score.value <= theirs.score.high
        width = ours.score.high - ours.score.low
        # 50 draws know the ends of an interval to about a third of its width.
        assert theirs.score.low == pytest.approx(ours.score.low, abs=width / 2)


def test_too_many_outcomes_are_sampled_and_the_estimate_is_told():
    rng = np.random.default_rng(0)
    n, raters = 12, 40
    labels = Labels.from_triples(
        np.repeat(np.arange(n), raters),
        np.tile(np.arange(raters), n),
        rng.integers(0, 9, n * raters),
    )
    result = survey(labels, max_k=20, samples=5, bootstrap=10)
    assert result.provenance.method == "sampled"
    assert any("different outcomes" in note and "'sampled'" in note for note in result.notes)
    assert len(result.curve) == 21


def test_written_combiners_can_be_sampled():
    labels, _ = running_example(60, 5, rng=3)
    combiner = {"combiner": lambda counts: "cat" if counts["cat"] else "dog", "scorer": "agreement"}
    exact = survey(labels, bootstrap=0, **combiner)
    sampled = survey(labels, bootstrap=0, method="sampled", **combiner)
    for ours, theirs in zip(exact.curve, sampled.curve, strict=True):
        assert theirs.score.value == pytest.approx(ours.score.value, abs=1e-12)


def test_bad_method_and_samples():
    labels, _ = running_example(20, 4)
    with pytest.raises(OptionError, match="did you mean 'sampled'"):
        survey(labels, method="sample")
    with pytest.raises(OptionError, match="samples must be a whole number from 1 on"):
        survey(labels, method="sampled", samples=0)


def test_fewer_sets_are_drawn_where_each_is_dear(monkeypatch):
    """As many as the work allows, ten at least, and never more than were asked for."""
    labels = numeric(running_example(60, 6, rng=3)[0])
    options = {"method": "sampled", "combiner": "abc", "bootstrap": 0, "max_k": 2, "samples": 15}

    def drawn() -> str:
        notes = survey(labels, **options).notes
        return next(str(note) for note in notes if "sets of raters of each size" in str(note))

    assert "up to 15 sets" in drawn()
    monkeypatch.setattr(choice, "AFFORDABLE", 0)
    assert "up to 10 sets" in drawn()
    options["samples"] = 4
    assert "up to 4 sets" in drawn()
