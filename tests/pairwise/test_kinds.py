"""Kinds: found by name, named in one list, and given as objects of one's own."""

from __future__ import annotations

import math

import numpy as np
import pytest

from headcount.errors import OptionError
from headcount.pairwise.answers import components
from headcount.pairwise.bradley_terry import bradley_terry
from headcount.pairwise.labels import RULES, LabelRule
from headcount.pairwise.methods import METHODS, SCALES, Rated, RatingMethod, RatingScale
from headcount.pairwise.pairs import pairs
from headcount.pairwise.ties import DAVIDSON, TIES, TieModel, tie_model
from tests.pairwise.data import random_comparisons

PLAYED = random_comparisons(6, 200, ties=0.3, raters=5, seed=1)


def items(result):
    return {i.item: i for i in result.items}


def test_names():
    assert [ties.name for ties in TIES] == ["half", "davidson", "rao-kupper"]
    assert [method.name for method in METHODS] == ["bradley-terry", "plackett-luce", "elo"]
    assert [scale.name for scale in SCALES] == ["logit", "elo"]
    assert [rule.name for rule in RULES] == ["sign", "quantile", "anchors"]
    assert len({ties.code for ties in TIES}) == len(TIES)


def test_an_object_is_the_same_as_its_name():
    assert pairs(PLAYED, ties=DAVIDSON, method=METHODS[0]).to_dict() == (
        pairs(PLAYED, ties="davidson", method="bradley-terry").to_dict()
    )


# --- ties -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ties", TIES, ids=lambda ties: ties.name)
@pytest.mark.parametrize("gap", [-700.0, -2.0, 0.0, 0.7, 700.0])
def test_probabilities_of_winning_and_losing_leave_room_for_ties(ties: TieModel, gap):
    parameter = 1.5 if ties.has_cut else math.nan
    win, loss = (ties.win_probability(x, parameter) for x in (gap, -gap))
    assert 0 <= win <= 1
    assert win + loss <= 1 + 1e-12
    assert (win + loss < 1 - 1e-3) == (ties.has_cut and abs(gap) < 10)


@pytest.mark.parametrize("ties", [t for t in TIES if t.has_cut], ids=lambda ties: ties.name)
def test_the_start_has_the_share_of_ties_that_equal_items_have(ties: TieModel):
    for share in (0.05, 0.3, 0.9):
        win = ties.win_probability(0.0, math.exp(ties.start(share)))
        assert 1 - 2 * win == pytest.approx(share)
    assert 1 - 2 * ties.win_probability(0.0, ties.without_ties) == pytest.approx(0)


def test_the_names_of_ties_are_checked():
    assert tie_model("half").has_cut is False
    with pytest.raises(OptionError, match="did you mean 'davidson'"):
        tie_model("davidsen")
    with pytest.raises(OptionError, match="unknown ties '3'"):
        bradley_terry(PLAYED, ties=3)


# --- of one's own ---------------------------------------------------------------------------------


class ShareOfPoints(RatingMethod):
    """Log odds of the share of points, and no intervals."""

    name = "points"
    title = "Points"

    def fit(self, comparisons, settings, rng, progress=None):
        n = len(comparisons.items)
        won = np.bincount(comparisons.left, comparisons.outcome, n)
        won += np.bincount(comparisons.right, 1 - comparisons.outcome, n)
        played = np.bincount(comparisons.left, minlength=n) + np.bincount(
            comparisons.right, minlength=n
        )
        rating = np.log(won / (played - won))
        graph = components(comparisons)
        return Rated(
            method=self,
            settings=settings,
            rating=rating - rating.mean(),
            standard_error=np.full(n, np.nan),
            component=graph.component,
            draws=None,
            normal=False,
            graph=graph,
            converged=None,
            notes=(),
        )


def test_an_own_method():
    result = pairs(PLAYED, method=ShareOfPoints())
    assert result.provenance.method == "points"
    assert "for Points they need a bootstrap (bootstrap=200)" in " ".join(
        result.to_text(details=True).split()
    )
    best = bradley_terry(PLAYED).rating.argmax()
    assert result.items[0].item == best
    assert result.items[0].rating.low is None
    assert result.probability(*(i.item for i in result.items[:2])).value > 0.5
    assert result.to_dict()["fit"]["converged"] is None
    with pytest.raises(OptionError, match="Points knows no prior"):
        pairs(PLAYED, method=ShareOfPoints(), prior=1.0)


class AtMost(LabelRule):
    """Above a rating that is known beforehand."""

    name = "known"

    def __init__(self, rating: float) -> None:
        self.rating = rating

    @property
    def words(self) -> str:
        return f"a rating of {self.rating:g}"

    def cut(self, ratings, members):
        return np.full(ratings.shape[:-1], self.rating)


def test_an_own_label_rule():
    result = pairs(PLAYED, label=AtMost(0.5))
    for i in result.items:
        assert i.label == ("above" if i.rating.value > 0.5 else "below")
        assert (i.probability > 0.5) == (i.rating.value > 0.5)
    assert (result.provenance.label, result.provenance.cut) == ("known", "a rating of 0.5")


def test_an_own_scale():
    bits = RatingScale(name="bit", per_logit=1 / math.log(2), unit="bits", digits=2)
    one, two = items(pairs(PLAYED)), pairs(PLAYED, units=bits)
    for item, i in items(two).items():
        assert i.rating.high == pytest.approx(one[item].rating.high / math.log(2))
    assert two.to_dict()["units"] == "bit"
    assert "bits" in two.to_text(details=True)


class Unknown(type(DAVIDSON)):
    name = "unknown"
    code = 7


class NoCut(type(DAVIDSON)):
    name = "no cut"
    parameter = ""


class Renamed(type(DAVIDSON)):
    name = "renamed"


@pytest.mark.parametrize("ties", [Unknown(), NoCut()])
@pytest.mark.parametrize("fit", [pairs, bradley_terry])
def test_a_model_of_ties_that_the_kernel_does_not_know_is_refused(ties: TieModel, fit):
    with pytest.raises(OptionError, match="must have the code of a likelihood") as error:
        fit(PLAYED, ties=ties)
    assert error.value.option == "ties"


def test_a_model_of_ties_may_have_the_likelihood_of_another():
    own, ours = (bradley_terry(PLAYED, ties=ties) for ties in (Renamed(), DAVIDSON))
    assert own.rating.tolist() == ours.rating.tolist()
