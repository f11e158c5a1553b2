"""Data for which there is no finite rating, and options that cannot be served."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError
from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
from headcount.pairwise.bradley_terry.likelihood.existence import _unbounded, refuse_runaway
from headcount.pairwise.bradley_terry.likelihood.pair_wins import PairWins
from headcount.pairwise.bradley_terry.ties.catalogue import tie_model
from tests.pairwise.bradley_terry.data import random_comparisons


def game(text: str) -> Comparisons:
    """'ab' is a win of a over b, 'a=b' a tie; the first is on the left."""
    words = text.split()
    return Comparisons.from_columns(
        [w[0] for w in words],
        [w[-1] for w in words],
        ["tie" if "=" in w else "left" for w in words],
    )


def rated(fit) -> dict[str, float]:
    return dict(zip(fit.items.tolist(), fit.rating.tolist(), strict=True))


def test_undefeated_and_winless_are_infinite_and_said_so():
    fit = bradley_terry(game("ab ac bc cb bd cd bc"))
    found = rated(fit)
    assert found["a"] == np.inf
    assert found["d"] == -np.inf
    assert found["b"] - found["c"] == pytest.approx(np.log(2), abs=1e-8)
    assert found["b"] == pytest.approx(-found["c"])
    assert np.isnan(fit.standard_error).tolist() == [True, False, False, True]
    assert fit.finite.tolist() == [False, True, True, False]
    text = " ".join(fit.notes)
    assert "'a'" in text
    assert "'d'" in text
    assert "prior=1" in text
    assert {note.severity for note in fit.notes} == {"caution"}
    assert "2 of them not finite" in repr(fit)
    assert fit.converged
    # Comparisons with infinite gaps are certain: the rest is the likelihood of b against c.
    expected = 2 * np.log(2 / 3) + np.log(1 / 3)
    assert fit.log_likelihood == pytest.approx(expected)


def test_probability_at_infinity():
    fit = bradley_terry(game("ab ac bc cb bd cd bc xa"))
    sure = fit.probability("a", "d")
    assert (sure.value, sure.low) == (1.0, None)
    assert fit.probability("d", "b").value == 0.0
    assert fit.probability("a", "x").undefined is not None


def test_no_two_items_beat_each_other():
    fit = bradley_terry(game("ab bc ac"), position=True)
    assert fit.rating[[0, 2]].tolist() == [np.inf, -np.inf]
    assert np.isnan(fit.rating[1])
    assert np.isnan(fit.standard_error).all()
    assert fit.converged
    assert fit.position is None
    assert fit.log_likelihood == 0


def test_components_are_rated_apart():
    fit = bradley_terry(game("ab ba ab xy yx yx yx"))
    found = rated(fit)
    assert found["a"] == pytest.approx(np.log(2) / 2)
    assert found["y"] == pytest.approx(np.log(3) / 2)
    assert fit.component[0] == fit.component[1] != fit.component[2] == fit.component[3]
    assert any("groups" in note for note in fit.notes)
    assert "2 components" in repr(fit)
    assert "no comparisons join" in fit.probability("a", "x").undefined


def test_a_prior_joins_components_and_says_on_what_ground():
    fit = bradley_terry(game("ab ba ab xy xy"), prior=1.0)
    assert fit.finite.all()
    assert any("prior is right" in note for note in fit.notes)
    assert any("but for the prior" in note for note in fit.notes)
    across = fit.probability("a", "x")
    within = fit.probability("a", "b")
    assert across.high - across.low > within.high - within.low


def test_an_item_that_was_never_compared():
    data = game("ab ba ac ca ad da").select(np.arange(4))
    fit = bradley_terry(data)
    assert np.isnan(fit.rating[3])
    assert any("never compared" in note for note in fit.notes)
    held = bradley_terry(data, prior=2.0)
    assert held.rating[3] == 0
    # Relative to the mean of four.
    assert held.standard_error[3] == pytest.approx(2 * np.sqrt(3 / 4))


def test_weight_zero_is_no_comparison():
    data = game("ab ba ab ca")
    weight = np.array([1.0, 1, 1, 0])
    fit = bradley_terry(replace(data, weight=weight))
    assert rated(fit)["a"] == pytest.approx(np.log(2) / 2)
    assert np.isnan(rated(fit)["c"])
    with pytest.raises(DataError, match="weight 0"):
        bradley_terry(replace(data, weight=0 * weight))


def test_no_ties_leave_the_plain_model():
    data = game("ab ba ab bc ca")
    for ties, neutral in (("davidson", 0.0), ("rao-kupper", 1.0)):
        fit = bradley_terry(data, ties=ties)
        np.testing.assert_allclose(fit.rating, bradley_terry(data).rating, atol=1e-9)
        assert fit.tie.value == neutral
        assert any("no ties" in note for note in fit.notes)
        assert fit.tie.estimate().low is None


def test_ties_outside_the_core_do_not_count():
    fit = bradley_terry(game("ab bc ca xa x=y"), ties="davidson")
    assert rated(fit)["x"] == rated(fit)["y"] == np.inf
    assert fit.tie.value == 0
    assert any("no ties among items with a finite rating" in note for note in fit.notes)


def test_few_steps_are_not_enough_and_said_so():
    fit = bradley_terry(random_comparisons(20, 300), max_iter=1)
    assert not fit.converged
    assert "NOT CONVERGED" in repr(fit)
    assert any("not converged" in note for note in fit.notes)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"ties": "davison"}, OptionError, "did you mean 'davidson'"),
        ({"prior": 0}, OptionError, "prior"),
        ({"prior": np.inf}, OptionError, "prior"),
        ({"covariates": np.zeros((3, 1))}, OptionError, "need a prior"),
        ({"covariates": np.zeros((2, 1)), "prior": 1.0}, DataError, "shape"),
        ({"covariates": np.ones((3, 1)), "prior": 1.0}, DataError, "same for all items"),
        ({"covariates": {"a": 1, "b": 2}, "prior": 1.0}, DataError, "'c'"),
        ({"covariates": [1, 2, np.nan], "prior": 1.0}, DataError, "'c'"),
        ({"covariates": [1, 2, 1e200], "prior": 1.0}, DataError, "larger unit"),
        ({"covariates": {"a": 1, "b": [2, 3], "c": 1}, "prior": 1}, DataError, "different"),
        (
            {"covariates": {"a": {"n": 1}, "b": {"m": 2}, "c": {"n": 1}}, "prior": 1},
            DataError,
            "different covariates",
        ),
        ({"covariates": {"a": {"n": 1}, "b": 2, "c": 1}, "prior": 1}, DataError, "different"),
        ({"reliability": True}, DataError, "no rater"),
        ({"start": [0, 0]}, OptionError, "start has 2"),
        ({"tolerance": 0}, OptionError, "tolerance"),
        ({"max_iter": 0}, OptionError, "max_iter"),
    ],
)
def test_options_that_cannot_be_served(options, error, words):
    with pytest.raises(error, match=words):
        bradley_terry(game("ab ba bc cb"), **options)


def test_outcomes_between_have_no_place_in_models_of_ties():
    data = Comparisons.from_columns("ab", "ba", [0.7, 1])
    assert bradley_terry(data).finite.all()
    with pytest.raises(DataError, match="outcome 0"):
        bradley_terry(data, ties="davidson")


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_nothing_but_ties(ties):
    data = game("a=b b=c")
    assert bradley_terry(data).rating.tolist() == pytest.approx([0, 0, 0])
    with pytest.raises(DataError, match="every comparison is a tie"):
        bradley_terry(data, ties=ties)


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_wins_and_ties_that_run_off_together(ties):
    """P(tie) = P(a) = 1/2 is likeliest, and only reached at infinity."""
    with pytest.raises(DataError, match="circle"):
        bradley_terry(game("ab a=b"), ties=ties)
    assert bradley_terry(game("ab a=b"), ties=ties, prior=1.0).converged
    # No circle of wins here either, but a that is two wins above c cannot be one tie away.
    fit = bradley_terry(game("ab bc a=c"), ties=ties)
    assert fit.converged
    assert fit.finite.all()


def test_position_that_cannot_be_told():
    with pytest.raises(DataError, match="named first"):
        bradley_terry(game("ab ba bc cb"), position=True)
    # a and b always on the left, c and d on the right: a shift of both is a position effect.
    data = Comparisons.from_columns("aabbabab", "ccccdddd", [1, 0, 1, 0, 1, 0, 0, 1])
    assert bradley_terry(data).finite.all()
    with pytest.raises(DataError, match="both ways round"):
        bradley_terry(data, position=True)
    fit = bradley_terry(data, position=True, prior=1.0)
    assert fit.converged
    assert abs(fit.position.value) < 1


@given(st.integers(0, 100_000), st.sampled_from(["half", "davidson"]), st.booleans())
@settings(max_examples=40)
def test_circles_of_wins_and_linear_programs_agree(seed, ties, sided):
    """Where circles say that all is bounded, no direction is left; where not, fits run off."""
    data = random_comparisons(3, 7, ties=0.3, seed=seed, circle=False)
    fit = bradley_terry(data)
    if not fit.finite.all() or (ties != "half" and not (data.outcome == 0.5).any()):
        return
    wins = PairWins.of(data, split=ties == "half", sided=sided, by_rater=False)
    by_cut = ties != "half"
    unbounded = any(_unbounded(wins, sided=sided, by_cut=by_cut))
    if by_cut and (data.outcome == 0.5).all():
        return
    if unbounded:
        with pytest.raises(DataError):
            refuse_runaway(wins, tie_model(ties), sided=sided, source="games")
        return
    found = bradley_terry(data, ties=ties, position=sided)
    assert found.converged
    # Data of seven answers have no ratings further apart than that, unless they run off.
    assert np.abs(found.point.z).max() < 8
