from __future__ import annotations

import builtins

import numpy as np
import pytest

from headcount import ExtraError, OptionError, Predictions, running_example
from headcount.data.classifiers import Classifier
from headcount.equivalence.calibration.catalogue import CALIBRATIONS
from headcount.equivalence.calibration.cross_fit import calibrated
from headcount.equivalence.calibration.reliability import reliability
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
    found = reliability(Classifier("h", "soft", p), p, ("a", "b", "c"), None)
    assert found.label == "any label"
    assert len(found.items) == 10
    np.testing.assert_allclose(found.observed, found.predicted)
    assert reliability(Classifier("h", "soft", p), p, ("a", "b", "c"), "b").label == "b"


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
