"""Raters: those who answer at random are found, and nobody else is accused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError
from headcount.pairwise.bradley_terry import bradley_terry
from headcount.pairwise.spammers import (
    Honest,
    Slopes,
    find_spammers,
    honest_slopes,
    left_out,
    rater_sentence,
    rater_slopes,
)
from headcount.simulation.labelling import LabellingModel, simulate_comparisons


def crowd(slopes, *, each=30, items=40, spread=1.5, ties=0.0, seed=0, habits=()):
    """Raters with slopes of their own compare random pairs; habits replace some raters' answers."""
    rng = np.random.default_rng(seed)
    theta = rng.normal(0, spread, items)
    rater = np.repeat(np.arange(len(slopes)), each)
    left = rng.integers(0, items, len(rater))
    right = (left + rng.integers(1, items, len(rater))) % items
    eta = np.asarray(slopes)[rater] * (theta[left] - theta[right])
    odds = np.stack([np.exp(-eta / 2), np.full(len(eta), ties), np.exp(eta / 2)])
    chance = np.cumsum(odds / odds.sum(axis=0), axis=0)
    outcome = (rng.random(len(eta)) > chance[:2]).sum(axis=0) / 2
    for who, answer in dict(habits).items():
        outcome[rater == who] = answer
    return Comparisons(
        np.arange(items), left, right, outcome, rater=rater, raters=np.arange(len(slopes))
    )


def verdicts(found):
    return {r.rater: r.verdict for r in found.raters}


# --- found, and not accused -----------------------------------------------------------------------


@pytest.mark.parametrize("items", [100, 512])
def test_planted_spammers_are_found(items):
    """15% of 100 raters, 30 comparisons each, over 6 crowds: most of them, and nobody else.

    One in 20 who answer at random beats chance, and is spared, and so is one in 20 who goes with
    the others who differ. Over these 6 crowds 73 of 90 were found on 100 items, and 70 on 512.
    """
    hit = accused = planted = 0
    for seed in range(6):
        model = LabellingModel(items=items, raters=100, spammers=0.15, comparisons=3000)
        played, truth = simulate_comparisons(model, seed=seed)
        true = {played.raters[i] for i in np.flatnonzero(truth.spammer)}
        found = set(find_spammers(played, seed=seed).spammers)
        hit, accused, planted = hit + len(found & true), accused + len(found), planted + len(true)
    assert planted == 90
    assert hit / accused >= 0.97
    assert hit / planted >= 0.75


def test_every_kind_of_spammer_and_no_habit_of_the_others():
    """Always left, left and right by turns, turned round; beside them one who never says tie.

    One who always says tie decides nothing, and is not judged.
    """
    slopes = [2.0] * 40
    slopes[3] = -2.0
    habits = {0: 1.0, 1: 0.5, 2: np.tile([1.0, 0.5, 0.0], 20)}
    played = crowd(slopes, each=60, ties=0.8, habits=habits)
    decided = played.rater == 4
    outcome = played.outcome.copy()
    theta = bradley_terry(played, prior=3.0).rating
    outcome[decided] = (theta[played.left] > theta[played.right])[decided]
    found = find_spammers(replace(played, outcome=outcome))
    assert set(found.spammers) == {0, 2, 3}
    assert verdicts(found)[1] == "too few answers to tell"
    assert verdicts(found)[4] == "fine"
    assert "answers the wrong way round" in rater_sentence(found.raters)


def test_a_rater_who_looks_less_well_is_weak_and_no_spammer():
    """With 600 answers a slope of a third of the usual is neither random nor as most are."""
    slopes = [1.5] * 20 + [0.5, 0.0]
    found = verdicts(find_spammers(crowd(slopes, each=600)))
    assert found[20] == "weak"
    assert found[21] == "spammer"
    assert {found[k] for k in range(20)} == {"fine"}


def test_slopes_that_differ_are_allowed_for():
    """Slopes with a lognormal spread of .5: who sees little is weak, and nearly nobody accused."""
    slopes = np.exp(0.5 * np.random.default_rng(0).normal(size=100))
    found = find_spammers(crowd(1.5 * slopes, each=40))
    assert len(found.spammers) <= 1
    weak = [slopes[r.rater] for r in found.raters if r.verdict == "weak"]
    assert np.mean(weak) < 0.7
    alike = verdicts(find_spammers(crowd([1.5] * 100, each=40)))
    assert "spammer" not in alike.values()
    assert sum(verdict == "fine" for verdict in alike.values()) >= 95


def test_one_answer_against_one_other_rater_condemns_nobody():
    """Only one of ann's pairs was compared by anybody else, and bob's answer to it was another.

    She must count as one who looks in what is expected of those: else bob and zoe alone, who have
    answered as the ratings say, make it seem that nobody who looks ever errs.
    """
    rows = ["abA", "baB", "bcB", "cbB", "xyA", "yxA", "taA", "tbA", "alA", "pqZ"]
    left, right, rater = zip(*rows, strict=True)
    played = Comparisons.from_columns(left, right, [1] * len(rows), rater=rater)
    found = {r.rater: r for r in find_spammers(played).raters}
    assert found["A"].verdict == "too few answers to tell"
    assert found["A"].p_value > 0.05


def test_few_answers_tell_nothing():
    played = crowd([1.5] * 30 + [0.0] * 30, each=30)
    kept = np.flatnonzero((played.rater < 30) | (np.arange(len(played)) % 30 < 2))
    found = verdicts(find_spammers(played.select(kept)))
    assert {found[k] for k in range(30, 60)} == {"too few answers to tell"}


def test_nobody_is_accused_where_all_answer_at_random():
    assert find_spammers(crowd([0.0] * 40)).spammers == []


def test_a_second_opinion_is_no_spam():
    """Eight of 48 have a taste of their own, together; four answer at random."""
    rng = np.random.default_rng(5)
    theta = rng.normal(0, 1.5, (2, 40))
    rater = np.repeat(np.arange(52), 40)
    taste = ((rater >= 40) & (rater < 48)).astype(int)
    left = rng.integers(0, 40, len(rater))
    right = (left + rng.integers(1, 40, len(rater))) % 40
    eta = np.where(rater < 48, 1.5 * (theta[taste, left] - theta[taste, right]), 0.0)
    outcome = (rng.random(len(rater)) < 1 / (1 + np.exp(-eta))).astype(float)
    data = Comparisons(np.arange(40), left, right, outcome, rater=rater, raters=np.arange(52))
    found = find_spammers(data)
    said = verdicts(found)
    # One of the eight may not agree with the other seven by their 40 answers.
    assert len(set(found.spammers) - set(range(48, 52))) <= 1
    assert len(set(found.spammers) & set(range(48, 52))) >= 3
    assert sum(said[k] == "another opinion" for k in range(40, 48)) >= 6
    assert any("another reading of the question" in note for note in found.notes)


def test_nobody_who_beats_chance_is_a_spammer():
    for seed in range(4):
        slopes = np.random.default_rng(seed).uniform(0, 1.5, 40)
        for r in find_spammers(crowd(slopes, each=60, ties=0.3, seed=seed)).raters:
            assert not (r.spammer and r.p_random < 0.05)


# --- p-values -------------------------------------------------------------------------------------


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_slopes_are_those_of_a_regression_of_each_rater(seed):
    rng = np.random.default_rng(seed)
    rater = rng.integers(0, 6, 60)
    expected = rng.random(60)
    answer = (rng.random(60) < expected).astype(float)
    found = rater_slopes(expected, answer, rater, 7)
    for r in range(6):
        x, y = expected[rater == r], answer[rater == r]
        if len(x) < 3 or np.ptp(y) == 0:
            assert len(x) < 3 or found.p_random[r] == 1
            continue
        line = stats.linregress(x, y, alternative="greater")
        assert found.n[r] == len(x)
        assert found.slope[r] == pytest.approx(line.slope, rel=1e-9)
        assert found.p_random[r] == pytest.approx(line.pvalue, rel=1e-6, abs=1e-12)
        # The variance of a sum of independent answers, each a coin of its own.
        lead = (x - x.mean()) / np.sum((x - x.mean()) ** 2)
        assert found.error[r] == pytest.approx(np.sqrt(np.sum(lead**2 * x * (1 - x))), rel=1e-9)
    assert np.isnan(found.slope[6])
    assert found.p_random[6] == 1


def test_p_random_is_that_of_permutations():
    """The t approximation against 20,000 permutations of a rater's own answers."""
    rng = np.random.default_rng(3)
    expected = rng.random(30)
    answer = rng.permutation(np.repeat([0.0, 1.0], [18, 12]))
    found = rater_slopes(expected, answer, np.zeros(30, dtype=int), 1).p_random[0]
    drawn = rng.permuted(np.tile(answer, (20000, 1)), axis=1)
    permuted = (drawn @ expected >= answer @ expected - 1e-9).mean()
    assert found == pytest.approx(permuted, abs=0.02)


def test_p_values_of_raters_who_look_are_uniform():
    """1,000 raters, before correction: a share below alpha of alpha, give or take.

    The binomial standard deviation at .05 is .007, and at .01 .003; three of them are allowed, and
    a third more for that items are rated from a finite number of answers.
    """
    p = []
    for seed in range(10):
        played = crowd([1.0] * 100, seed=seed, ties=0.5 if seed % 2 else 0.0)
        without = left_out(played, prior=None)
        decided = played.outcome != 0.5
        expected = 1 / (1 + np.exp(-without.evidence[decided]))
        slopes = rater_slopes(expected, played.outcome[decided], played.rater[decided], 100)
        p.extend(honest_slopes(slopes, np.arange(100)).below(slopes))
    p = np.array(p)
    assert 0.029 < np.mean(p < 0.05) < 0.088
    assert np.mean(p < 0.01) < 0.026
    assert 0.44 < np.mean(p < 0.5) < 0.56


def test_honest_slopes_are_found_beside_many_at_random():
    """30% at random: the mean and spread of the others, to within what 70 raters tell."""
    rng = np.random.default_rng(0)
    error = np.full(100, 0.15)
    slope = np.where(np.arange(100) < 30, 0.0, rng.normal(1, 0.2, 100)) + rng.normal(0, error)
    nothing = np.zeros(100)
    slopes = Slopes(n=nothing, slope=slope, error=error, own_error=error, p_random=nothing)
    found = honest_slopes(slopes, np.arange(100))
    assert found.mean == pytest.approx(1, abs=0.1)
    assert found.spread == pytest.approx(0.2, abs=0.1)
    tight = replace(slopes, slope=np.ones(100))
    assert honest_slopes(tight, np.arange(100)) == Honest(pytest.approx(1), pytest.approx(0.05))


# --- parts ----------------------------------------------------------------------------------------


def test_left_out_is_a_fit_without_the_rater():
    played = crowd([1.0] * 12, items=10)
    gap = left_out(played, prior=2.0).gap
    for r in range(12):
        rows = played.rater == r
        rating = bradley_terry(played.select(~rows), prior=2.0).rating
        # A gradient of .003 wins, over some 7 wins' worth of curvature.
        np.testing.assert_allclose(
            gap[rows], (rating[played.left] - rating[played.right])[rows], atol=2e-3
        )


def test_groups_of_raters_leave_out_nearly_the_same():
    played = crowd([1.5] * 250 + [0.0] * 20, each=20, items=30)
    alone = left_out(played.select(played.rater < 200), prior=None)
    assert np.isfinite(alone.variance).all()
    assert set(find_spammers(played).spammers) <= set(range(250, 270))


def test_winners_first_say_nothing_of_sides():
    """Every winner stands on the left, as in lists of results: spammers are found all the same."""
    played = crowd([1.5] * 40 + [0.0] * 5, each=60)
    turn = played.outcome == 0
    first = replace(
        played,
        left=np.where(turn, played.right, played.left),
        right=np.where(turn, played.left, played.right),
        outcome=np.ones(len(played)),
    )
    found = find_spammers(first)
    assert set(found.spammers) == set(range(40, 45))
    assert any("always stands on the left" in note for note in found.notes)


def test_order_of_comparisons_and_codes_of_raters_do_not_matter():
    played = crowd([1.5] * 20 + [0.0] * 3)
    rng = np.random.default_rng(1)
    code = rng.permutation(23)
    names = np.empty(23, dtype=np.int64)
    names[code] = np.arange(23)
    again = replace(played, rater=code[played.rater], raters=names).select(
        rng.permutation(len(played))
    )
    one = {r.rater: r for r in find_spammers(played).raters}
    two = {r.rater: r for r in find_spammers(again).raters}
    for name, r in one.items():
        # Fits stop at a tolerance, from which scores differ by some thousandths.
        assert two[name].score == pytest.approx(r.score, abs=0.02)
        assert two[name].verdict == r.verdict


def test_raters_are_needed():
    with pytest.raises(DataError, match="rater column"):
        find_spammers(replace(crowd([1.0]), rater=None, raters=None))


def test_of_many_at_random_nobody_is_said_to_answer_the_wrong_way_round():
    # A tenth of them would have intervals of slopes below 0 by what those vary who look.
    found = find_spammers(crowd([2.0] * 60 + [0.0] * 30, each=40))
    assert len(found.spammers) > 20
    assert not any("wrong way round" in note for note in found.notes)
