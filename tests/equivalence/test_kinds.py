"""Kinds that users bring: scorers, combiners, calibrations and alignments of their own."""

from __future__ import annotations

import numpy as np
import pytest

from headcount import OptionError, alt_test, running_example
from headcount.equivalence.alt_test.alignments import ALIGNMENTS
from headcount.equivalence.calibration.catalogue import CALIBRATIONS
from headcount.equivalence.combiners.base import Combiner, unhelped
from headcount.equivalence.combiners.catalogue import COMBINERS
from headcount.equivalence.scorers.catalogue import SCORERS, as_scorer
from headcount.equivalence.surveys.choice import METHODS
from tests.equivalence import survey


@pytest.fixture(scope="module")
def example():
    return running_example(120, 5, rng=2)


def curve(result):
    return [point.score.value for point in result.curve]


@pytest.mark.parametrize("kinds", [SCORERS, COMBINERS, CALIBRATIONS, ALIGNMENTS, METHODS])
def test_each_kind_is_listed_by_its_own_name(kinds):
    assert all(name == kind.name for name, kind in kinds.items())


class Squared:
    """Brier's score by another hand, with no more attributes than are asked for."""

    name, kinds = "squared", {"soft"}

    def score(self, prediction, reference, weight, kind="soft"):
        labels = np.eye(prediction.shape[-1])
        loss = ((prediction[..., None, :] - labels) ** 2).sum(axis=-1)
        each = -(reference * loss).sum(axis=-1)
        return (weight * each).sum(axis=-1) / weight.sum(axis=-1)


@pytest.mark.parametrize("method", ["exact", "sampled"])
def test_an_own_scorer(example, method):
    ours = survey(*example, scorer="brier", method=method, bootstrap=20)
    theirs = survey(*example, scorer=Squared(), method=method, bootstrap=20)
    assert curve(theirs) == pytest.approx(curve(ours), abs=1e-12)
    assert theirs["calibrated"].equivalence.low == pytest.approx(
        ours["calibrated"].equivalence.low, abs=1e-9
    )
    assert (theirs.provenance.scorer, theirs.provenance.unit) == ("squared", "squared")
    assert "scorer squared" in str(theirs)


class Bound(Squared):
    """The same, with what does not depend on weights done once."""

    def bind(self, prediction, reference, kind, group=None):
        return lambda weight: self.score(prediction, reference, weight, kind)


def test_an_own_scorer_may_do_some_work_once(example):
    one, other = (survey(*example, scorer=own, bootstrap=5) for own in (Squared(), Bound()))
    assert curve(one) == curve(other)


def test_an_own_scorer_says_what_it_needs_to_have(example):
    with pytest.raises(OptionError, match="name, kinds and score, not int") as error:
        survey(*example, scorer=3)
    assert error.value.option == "scorer"
    whole = as_scorer(Squared(), example[0].scale)
    assert (whole.unbounded, whole.by_choice, whole.in_bits) == (False, False, False)


class Learner:
    """A combiner that learns: the share of each label after the same survey, this item included."""

    name, kind, bayesian, leaves_out = "learner", "soft", False, False

    def learn(self, items):
        self.multiplicity = items.multiplicity
        return self

    def predictions(self, surveys):
        seen = (self.multiplicity[surveys.pattern] * surveys.probability)[:, None] * surveys.next
        total = np.zeros(surveys.observed.shape)
        np.add.at(total, surveys.state, seen)
        share = total / total.sum(axis=1, keepdims=True)
        return [unhelped(share[surveys.state])]

    def sampled(self, asked, shorter):
        raise AssertionError("not asked for here")

    def predict(self, observed):
        raise AssertionError("not asked for here")

    def limit_predictions(self, observed, next_label):
        return next_label


def test_an_own_combiner_may_learn_from_the_surveys(example):
    """Having seen the item itself, it predicts better than abc, which leaves the item out."""
    assert isinstance(Learner(), Combiner)
    ours = survey(example[0], scorer="brier", bootstrap=0)
    theirs = survey(example[0], combiner=Learner(), scorer="brier", bootstrap=0)
    assert all(a >= b for a, b in zip(curve(theirs), curve(ours), strict=True))
    assert theirs.provenance.combiner == "learner"
    assert not theirs.provenance.information


@pytest.mark.parametrize("combiner", list(COMBINERS.values()), ids=list(COMBINERS))
def test_every_combiner_has_the_whole_protocol(combiner):
    assert isinstance(combiner, Combiner)


class Wide:
    name, kind = "wide", "soft"

    def predict(self, observed):
        return np.full((len(observed), 7), 1 / 7)


class Odd(Wide):
    kind = "label"


@pytest.mark.parametrize(
    ("combiner", "message"),
    [
        (7, "a function of a dict of counts, or an object with name, kind and predict, not int"),
        (Wide(), "one probability a label and row"),
        (Odd(), "of kind 'label'; it must be hard or soft or mean"),
    ],
)
def test_own_combiners_that_cannot_be_used(example, combiner, message):
    with pytest.raises(OptionError, match=message):
        survey(example[0], combiner=combiner, bootstrap=0)


class Same:
    """Leaves probabilities as they are, and makes labels a bit less sure."""

    name, softens = "same", True

    def fit(self, learned, shares, prediction):
        return 0.9 * prediction + 0.1 / prediction.shape[1]


def test_an_own_calibration(example):
    result = survey(*example, calibrate=Same(), bootstrap=0)
    assert [c.name for c in result.classifiers] == [
        "hard (same)",
        "calibrated",
        "calibrated (same)",
        "omniscient",
        "omniscient (same)",
    ]
    with pytest.raises(OptionError, match=r"isotonic, empirical, platt, .*or an object") as error:
        survey(*example, calibrate=3)
    assert error.value.option == "calibrate"


class Reversed:
    """Whoever agrees with fewer of the others is closer."""

    name = "contrarian"

    def lead(self, table, item, mine, its):
        return (table[item, its] - (its == mine)) - (table[item, mine] - 1.0)


def test_an_own_alignment(example):
    ours = alt_test(*example, epsilon=0.1)
    theirs = alt_test(*example, epsilon=0.1, scorer=Reversed())
    for one, other in zip(ours["hard"].raters, theirs["hard"].raters, strict=True):
        assert (one.rho_f, one.rho_h) == pytest.approx((other.rho_h, other.rho_f))
    assert theirs.scorer == "contrarian"
    with pytest.raises(OptionError, match="agreement, rmse, or an object with name and lead"):
        alt_test(*example, epsilon=0.1, scorer=1)
