"""More than ten labels: what is not learned is said, and widens intervals."""

from __future__ import annotations

import numpy as np
import pytest

from headcount import Labels, survey
from headcount.equivalence.calibration.learning import WRONG, error_of_learning
from headcount.equivalence.scorers.catalogue import as_scorer


def at_random(items, n_labels, raters, seed=0):
    """Ratings that tell nothing of each other."""
    said = np.random.default_rng(seed).integers(n_labels, size=(items, raters))
    rows = [(i, f"r{r}", f"v{said[i, r]}") for i in range(items) for r in range(raters)]
    return Labels.from_triples(*zip(*rows, strict=True))


def test_surveys_that_are_too_many_to_count_are_made_smaller_not_sampled(monkeypatch):
    """Sampled ones would not be smoothed: 6 raters were said to gain bits on what is random."""
    monkeypatch.setattr("headcount.equivalence.surveys.choice.MOST_NUMBERS", 60_000)
    result = survey(at_random(300, 30, 6), bootstrap=20)
    assert result.provenance.all_surveys
    assert result.provenance.max_k == 1
    assert result.curve[1].gain.value == pytest.approx(0, abs=0.02)
    assert [note for note in result.notes if "surveys are of up to" in note] == [
        "surveys are of up to 1 rater, not 5: with 30 labels these ratings are too few to learn "
        "what follows larger ones."
    ]


def test_a_curve_of_too_few_items_a_label_is_told_in_words():
    result = survey(at_random(60, 40, 4), bootstrap=20)
    assert str(result).startswith("60 items are too few, for so many labels, to tell what raters")
    assert all(point.gain.low is None for point in result.curve)
    assert "no intervals (too few items)" in str(result)


def test_the_error_of_learning_is_a_part_of_what_is_corrected():
    """By hand: bits of the label that is said, with the item in and out."""
    shares, weight = np.eye(2), np.array([1.0, 3.0])
    outside, inside = np.array([[0.5, 0.5], [0.75, 0.25]]), np.array([[1.0, 0.0], [0.5, 0.5]])
    scorer = as_scorer("cross-entropy", None, None)
    both = (outside + inside) / 2
    corrected = ((0 + 1) + 3 * (-1 + 2)) / 4 / 2
    error = error_of_learning(outside, both, shares, weight, scorer)
    assert error == pytest.approx(WRONG * corrected)
    assert error_of_learning(outside, outside, shares, weight, scorer) == 0


def test_what_was_learned_wrongly_widens_the_interval(monkeypatch):
    rng = np.random.default_rng(2)
    theta = rng.dirichlet(np.full(12, 0.2), 200)
    said = np.array([rng.choice(12, 4, p=p) for p in theta])
    rows = [(i, f"r{r}", f"v{said[i, r]}") for i in range(200) for r in range(3)]
    labels = Labels.from_triples(*zip(*rows, strict=True))
    judged = {"item": list(range(200)), "judge": [f"v{code}" for code in said[:, 3]]}

    def score():
        return survey(labels, judged, bootstrap=200)["judge"].score

    wide = score()
    monkeypatch.setattr("headcount.equivalence.calibration.learning.WRONG", 0.0)
    narrow = score()
    assert wide.value == narrow.value
    assert wide.low < narrow.low < narrow.value < narrow.high < wide.high


@pytest.mark.parametrize(("items", "told"), [(12 * 16 - 1, False), (12 * 16, True)])
def test_a_judge_of_many_labels_has_a_worth_from_16_items_a_label_on(items, told):
    rng = np.random.default_rng(5)
    theta = rng.dirichlet(np.full(12, 0.1), items)
    said = np.array([rng.choice(12, 4, p=p) for p in theta])
    said[:12] = np.arange(12)[:, None]  # so that every label is used
    rows = [(i, f"r{r}", f"v{said[i, r]}") for i in range(items) for r in range(3)]
    labels = Labels.from_triples(*zip(*rows, strict=True))
    judged = {"item": list(range(items)), "judge": [f"v{code}" for code in said[:, 3]]}
    result = survey(labels, judged, bootstrap=50, ceiling=False)
    assert (result["judge"].equivalence.undefined is None) == told
    assert any("it takes 16 a label" in note for note in result.notes) != told


def test_surveys_are_small_where_raters_agree_and_labels_are_many(monkeypatch):
    """Those of two were too low by .02 bits, of three by .08: near-perfect judges looked better."""
    rng = np.random.default_rng(3)
    right = rng.choice(11, 600)
    rows = [
        (i, r, f"label {x if rng.random() < 0.9 else rng.choice(11)}")
        for i, x in enumerate(right)
        for r in range(4)
    ]
    labels = Labels.from_triples(*zip(*rows, strict=True))
    judge = {"item": list(range(600)), "judge": [f"label {x}" for x in right]}
    assert survey(labels, judge, bootstrap=20).provenance.max_k == 1
    monkeypatch.setattr("headcount.equivalence.surveys.choice.REMEMBERED", 1.0)
    result = survey(labels, judge, bootstrap=20)
    assert result.provenance.max_k == 2
    assert any("worths above 1 are approximate" in str(note) for note in result.notes)
