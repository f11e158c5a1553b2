from __future__ import annotations

import builtins

import numpy as np
import pytest

from headcount import ExtraError, Labels, OptionError, Predictions, running_example
from headcount.data.classifiers import Classifier
from headcount.equivalence.calibration import classifiers
from headcount.equivalence.calibration.catalogue import CALIBRATIONS
from headcount.equivalence.calibration.cross_fit import calibrated, cross_fit
from headcount.equivalence.calibration.learning import cost_of_learning
from tests.equivalence import survey


def overconfident(items=4000, seed=1):
    """Ratings, and the calibrated classifier of the running example pushed towards 0 and 1."""
    labels, predictions = running_example(items, 8, rng=seed)
    p = predictions.classifiers[2].probability ** 3
    pushed = Predictions.from_probabilities(
        predictions.items, predictions.labels, {"pushed": p / p.sum(axis=1, keepdims=True)}
    )
    return labels, predictions, pushed


@pytest.mark.parametrize("method", list(CALIBRATIONS))
def test_calibration_repairs_a_distorted_classifier(method):
    labels, predictions, pushed = overconfident()
    best = survey(labels, predictions, bootstrap=0)["omniscient"].score.value
    result = survey(labels, pushed, calibrate=method, bootstrap=0)
    raw, repaired = result["pushed"], result[f"pushed ({method})"]
    assert [c.name for c in result.classifiers] == ["pushed", f"pushed ({method})"]
    assert raw.score.value < best - 0.02
    # Three values to learn from 4,000 items: each is known to .005, which costs next to nothing.
    assert repaired.score.value == pytest.approx(best, abs=0.003)
    assert any("10-fold cross-fitting" in n for n in result.notes)


@pytest.mark.parametrize("method", list(CALIBRATIONS))
def test_noise_stays_worthless(method):
    """Cross-fitting: a classifier that knows nothing gains nothing from being calibrated."""
    labels, predictions = running_example(300, 6, rng=2)
    noise = np.random.default_rng(0).dirichlet(np.ones(2), size=300)
    random = Predictions.from_probabilities(predictions.items, predictions.labels, {"noise": noise})
    result = survey(labels, random, calibrate=method, bootstrap=0)
    # In-sample isotonic regression would gain some .03 bits on these 300 items.
    assert result[f"noise ({method})"].gain.value < 0.005


def test_hard_classifiers_become_soft():
    labels, predictions = running_example(5000, 6, rng=2)
    result = survey(labels, predictions, calibrate="isotonic", bootstrap=0)
    assert [c.name for c in result.classifiers] == [
        "hard (empirical)",
        "calibrated",
        "calibrated (isotonic)",
        "omniscient",
        "omniscient (isotonic)",
    ]
    # The paper's calibrated classifier is the hard one with the true frequencies.
    softened = result["hard (empirical)"].score.value
    assert softened == pytest.approx(result["calibrated"].score.value, abs=0.002)


@pytest.mark.parametrize("method", list(CALIBRATIONS))
@pytest.mark.parametrize("n_labels", [2, 3])
def test_calibrated_probabilities_are_positive_and_sum_to_one(method, n_labels):
    rng = np.random.default_rng(3)
    probability = rng.dirichlet(np.full(n_labels, 0.3), size=60)
    reference = np.eye(n_labels)[rng.integers(0, n_labels - (n_labels > 2), 60)]
    for classifier in (
        Classifier("soft", "soft", probability),
        Classifier("hard", "hard", np.eye(n_labels)[probability.argmax(axis=1)]),
    ):
        out = calibrated(classifier, np.arange(60), reference, CALIBRATIONS[method], 3).probability
        assert (out > 0).all()
        np.testing.assert_allclose(out.sum(axis=1), 1)


def test_an_item_does_not_see_its_own_labels():
    rng = np.random.default_rng(3)
    classifier = Classifier("h", "soft", rng.dirichlet(np.ones(2), size=40))
    reference = np.eye(2)[rng.integers(0, 2, 40)]
    changed = reference.copy()
    changed[7] = changed[7][::-1]
    for method in CALIBRATIONS.values():
        before, after = (
            calibrated(classifier, np.arange(40), r, method, 1).probability[7]
            for r in (reference, changed)
        )
        np.testing.assert_array_equal(before, after)


def test_reliability_of_a_calibrated_classifier_lies_on_the_diagonal():
    labels, predictions, pushed = overconfident()
    result = survey(labels, predictions, bootstrap=0)
    found = {r.name: r for r in result.reliability}
    assert set(found) == {"hard", "calibrated", "omniscient"}
    for r in found.values():
        assert sum(r.items) == 4000
        assert r.label == "dog"
        for p, o, e in zip(r.predicted, r.observed, r.error, strict=True):
            assert o == pytest.approx(p, abs=4 * e)
    (off,) = survey(labels, pushed, bootstrap=0).reliability
    distance = np.abs(np.subtract(off.predicted, off.observed)) / off.error
    assert distance.max() > 10


def test_reliability_of_many_values_is_in_tenths():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), size=500)
    ratings = {"item": [], "rater": [], "label": []}
    for item, shares in enumerate(p):
        for rater in range(4):
            ratings["item"].append(item)
            ratings["rater"].append(rater)
            ratings["label"].append("abc"[rng.choice(3, p=shares)])
    columns = {f"h:{one}": p[:, code] for code, one in enumerate("abc")}
    asked = {"bootstrap": 0, "ceiling": False, "together": False}
    (found,) = survey(ratings, {"item": range(500), **columns}, **asked).reliability
    assert found.label == "any label"
    assert len(found.items) == 10
    assert sum(found.items) == 1500
    for predicted, observed, error in zip(
        found.predicted, found.observed, found.error, strict=True
    ):
        assert observed == pytest.approx(predicted, abs=4 * error)
    (one,) = survey(
        ratings, {"item": range(500), **columns}, scorer="f1", positive="b", **asked
    ).reliability
    assert one.label == "b"
    assert sum(one.items) == 500


def test_unknown_method_and_missing_extra(monkeypatch):
    labels, predictions = running_example(30, 4)
    with pytest.raises(OptionError, match="did you mean 'isotonic'"):
        survey(labels, predictions, calibrate="isotonc")
    real = builtins.__import__

    def without_sklearn(name, *args, **kwargs):
        if name.startswith("sklearn"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr("importlib.import_module", lambda name: without_sklearn(name))
    with pytest.raises(ExtraError, match=r"pip install 'headcount\[learn\]'"):
        survey(labels, predictions, calibrate="isotonic", bootstrap=0)


def many_labels(n_labels=30, items=300, seed=0):
    """A judge who is a rater, three raters, and what is known of the next by the judge's label."""
    rng = np.random.default_rng(seed)
    states = rng.dirichlet(np.full(n_labels, 0.05), items)
    said = np.array([rng.choice(n_labels, 4, p=state) for state in states])
    # With a = .05 for each of L labels, the next is the same with 1.05 / (.05 L + 1).
    after = (np.eye(n_labels) + 0.05) / (1 + 0.05 * n_labels)
    shares = np.eye(n_labels)[said[:, :3]].mean(axis=1)
    return said, shares, after[said[:, 3]]


@pytest.mark.parametrize("items", [150, 600])
def test_many_labels_are_learned_and_not_remembered(items):
    errors = []
    for seed in range(4):
        said, shares, known = many_labels(items=items, seed=seed)
        table, ids = np.eye(30)[said[:, 3]], np.arange(items).astype(str)
        made = cross_fit(table, ids, shares, CALIBRATIONS["empirical"], 0, two_sided=True)
        errors.append((shares * np.log2(made / known)).sum(axis=1).mean())
    assert abs(np.mean(errors)) < 0.03  # .1 where imaginary items say any label


def test_the_cost_of_learning_counts_items_not_rows():
    rng = np.random.default_rng(1)
    shares, out, both = (rng.dirichlet(np.ones(12), 40) for _ in range(3))
    both = (out + both) / 2
    times = rng.integers(1, 4, 40)
    repeated = [np.repeat(each, times, axis=0) for each in (out, both, shares)]
    cost = cost_of_learning(*repeated, np.ones(times.sum()))
    assert cost_of_learning(out, both, shares, times.astype(float)) == pytest.approx(cost)
    assert cost_of_learning(out, out, shares, np.ones(40)) == 0


def test_words_stand_where_labels_are_too_many_to_learn(monkeypatch):
    said, _, _ = many_labels(12, 300)
    names = [f"topic {code}" for code in range(12)]
    rows = [(i, r, names[said[i, r]]) for i in range(300) for r in range(3)]
    labels = Labels.from_triples(*zip(*rows, strict=True))
    judged = {"item": list(range(300)), "judge": [names[code] for code in said[:, 3]]}
    told = survey(labels, judged, combiner="states", bootstrap=50)["judge"]
    assert told.equivalence.undefined is None
    monkeypatch.setattr(classifiers, "MOST_LEARNING", 0.0)
    soft = Predictions.from_probabilities(range(300), names, {"even": np.full((300, 12), 1 / 12)})
    result = survey(labels, judged, combiner="states", bootstrap=50)
    assert "judge: 300 items are too few, for so many labels, to tell" in str(result)
    assert "no wider here" not in str(result)
    assert any("too few to learn what raters say after each of 12" in n for n in result.notes)
    assert (
        survey(labels, soft, combiner="states", bootstrap=0)["even"].equivalence.undefined is None
    )
