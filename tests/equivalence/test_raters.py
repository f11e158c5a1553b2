"""Raters as a sample: leaving out each of them, by hand and by enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import Labels, Predictions, survey
from headcount.equivalence.combiners.frequency import Frequency
from headcount.equivalence.prepare import Prepared
from headcount.equivalence.raters.variance import RaterVariance, Without
from headcount.equivalence.scorers.catalogue import as_scorer
from headcount.equivalence.surveys.base import Design


def random_data(rng, items=30, raters=4, *, severity=1.0, missing=0.0):
    """Two labels; raters differ in how readily they say yes."""
    z = 1.5 * rng.standard_normal(items)
    bias = severity * rng.standard_normal(raters)
    yes = rng.random((items, raters)) < 1 / (1 + np.exp(-z[:, None] - bias))
    item, rater = np.nonzero(rng.random((items, raters)) >= missing)
    names = ["no", "yes"]
    labels = Labels.from_triples(
        item.tolist(),
        [f"r{r}" for r in rater],
        [names[int(yes[i, r])] for i, r in zip(item, rater, strict=True)],
    )
    p = np.clip(1 / (1 + np.exp(-z)), 0.02, 0.98)
    table = {"judge": np.column_stack([1 - p, p]).tolist()}
    return labels, Predictions.from_probabilities(range(items), names, table)


def change_by_hand(labels, probability, left_out, k):
    """Lead over k raters without a rater less the lead with all, survey by survey."""
    told: dict[int, dict[int, int]] = {}
    for item, rater, label in zip(labels.item, labels.rater, labels.label, strict=True):
        told.setdefault(int(item), {})[int(rater)] = int(label)

    def lead(some):
        leads = []
        for item, by in told.items():
            by = {rater: label for rater, label in by.items() if rater in some}
            h = np.mean([np.log2(probability[item, label]) for label in by.values()])
            scores = []
            for asked in combinations(by, k):
                counts = np.bincount([by[r] for r in asked] or [0], minlength=2) * bool(k)
                p = Frequency().predict(counts[None])[0]
                rest = [by[r] for r in by if r not in asked]
                scores.append(np.mean([np.log2(p[label]) for label in rest]))
            leads.append(h - np.mean(scores))
        return np.mean(leads)

    everybody = set(range(len(labels.raters)))
    return lead(everybody - {left_out}) - lead(everybody)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000))
def test_leaving_out_a_rater_by_enumeration(seed):
    """frequency learns nothing, so that every survey can be scored by hand."""
    labels, predictions = random_data(np.random.default_rng(seed), items=12)
    counts = labels.matrix()
    classifier = predictions.classifiers[0]
    prepared = Prepared(
        kept=np.ones(12, dtype=bool),
        items=labels.items,
        counts=counts,
        short=counts[:0],
        amateurs=None,
        n_raters=4,
        max_k=3,
        max_m=0,
        reference_raters=1,
        states=None,
        classifiers=(classifier,),
    )
    scorer = as_scorer("cross-entropy", labels.scale)
    design = Design(
        pools=prepared.pools(),
        reference=prepared.reference,
        classifiers=(classifier,),
        combiner=Frequency(),
        scorer=scorer,
    )
    found = Without(prepared, design, Frequency()).variance(labels, 0)
    for k in range(3):
        by_hand = [change_by_hand(labels, classifier.probability, r, k) for r in range(4)]
        assert found.jackknife[0, k] == pytest.approx(0.75 * np.sum(np.square(by_hand)), rel=1e-9)
    assert found.raters == pytest.approx(4)


def test_ends_by_hand():
    """With no luck, 3 raters and nothing else: t of 2 degrees of freedom is 4.303."""
    curve, h = np.array([0.0, 1.0, 1.5]), np.array([0.8])
    error = 0.1
    one = RaterVariance(np.full((1, 2), error**2), np.zeros((1, 2)), 3)
    still = (np.zeros((2, 3)), np.zeros((2, 1)))
    low, high = one.ends((curve, h), still, 0.95)
    half = 4.302653 * error
    assert low[0] == pytest.approx(0.8 - half, abs=1e-5)
    assert high[0] == pytest.approx(1 + (0.8 - (1 - half)) / 0.5, abs=1e-5)
    # Far beyond the curve it is open.
    assert one.ends((curve, np.array([1.4])), still, 0.95)[1][0] == np.inf


def test_luck_alone_leaves_the_interval_over_items():
    """What raters vary by no more than items let them expect is no difference of raters."""
    rng = np.random.default_rng(0)
    curve, h = np.array([0.0, 1.0, 1.5]), np.array([0.8])
    drawn = (curve + 0.05 * rng.standard_normal((500, 3)), h + 0 * rng.random((500, 1)))
    one = RaterVariance(np.full((1, 2), 1e-6), np.full((1, 2), 2e-6), 3)
    low, high = one.ends((curve, h), drawn, 0.95)
    assert low[0] == pytest.approx(0.8 - 1.96 * 0.05, abs=0.02)
    assert high[0] == pytest.approx(0.8 + 1.96 * 0.05, abs=0.02)


def test_intervals_for_raters_like_these_are_wider():
    labels, predictions = random_data(np.random.default_rng(1), items=200, raters=5)
    over_items = survey(labels, predictions, bootstrap=100)
    wider = survey(labels, predictions, bootstrap=100, raters="sample")
    a, b = over_items["judge"].equivalence, wider["judge"].equivalence
    assert a.value == b.value
    assert b.low <= a.low <= a.high <= b.high
    assert (b.low, b.high) != (a.low, a.high)
    # With five raters both are told.
    assert over_items["judge"].like_these == b
    assert any("For raters like these" in str(note) for note in over_items.notes)
    assert wider.to_dict()["holds_for"] == "for raters like these"
    assert "95% interval for raters like these" in " ".join(str(wider).split())
    assert any("shares, differences and of the worth" in note for note in wider.notes)
    assert "those of the worth for raters like these" in " ".join(str(wider).split())


def test_order_of_ratings_does_not_matter():
    labels, predictions = random_data(np.random.default_rng(2), items=40, raters=4)
    order = np.random.default_rng(0).permutation(len(labels.item))
    names = labels.scale.labels
    shuffled = Labels.from_triples(
        labels.items[labels.item[order]].tolist(),
        labels.raters[labels.rater[order]].tolist(),
        [names[code] for code in labels.label[order]],
    )
    found = [
        survey(each, predictions, bootstrap=50, raters="sample")["judge"].equivalence
        for each in (labels, shuffled)
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("raters", "missing", "why"),
    [(2, 0.0, "2 raters cannot show how others would differ"), (60, 0.9, "adds next to nothing")],
)
def test_says_why_raters_cannot_tell(raters, missing, why):
    data = random_data(np.random.default_rng(3), items=80, raters=raters, missing=missing)
    result = survey(*data, bootstrap=20, raters="sample", max_k=1)
    assert any(why in str(note) for note in result.notes)
    assert result.to_dict()["holds_for"] == "for raters drawn as these were"
    assert result["judge"].like_these is None


def test_unknown_kind_of_raters():
    from headcount.errors import OptionError

    labels, predictions = random_data(np.random.default_rng(4))
    with pytest.raises(OptionError, match="raters"):
        survey(labels, predictions, raters="random")


@pytest.mark.parametrize("draws", [0, 1, 2])
def test_few_draws_do_no_harm(draws):
    data = random_data(np.random.default_rng(5), items=40, raters=3)
    result = survey(*data, bootstrap=draws, raters="sample")
    assert (result["judge"].like_these is not None) == (draws == 2)
