"""Raters: those who answer at random are found, and nobody else is accused."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError
from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
from headcount.pairwise.spammers.answer_sums import chance_below
from headcount.pairwise.spammers.answers import LEFT, RIGHT, TIE, fit_kinds
from headcount.pairwise.spammers.left_out import left_out
from headcount.pairwise.spammers.spammers import find_spammers
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
    """15% of 100 raters, 30 comparisons each: precision and recall of .9 or more, over 6 crowds.

    Over 20 crowds on 100 items they were 1 and .99, over 30 on 512 items .998 and .95.
    """
    hit = accused = planted = 0
    for seed in range(6):
        model = LabellingModel(items=items, raters=100, spammers=0.15, comparisons=3000)
        played, truth = simulate_comparisons(model, rng=seed)
        true = {played.raters[i] for i in np.flatnonzero(truth.spammer)}
        found = set(find_spammers(played, rng=seed).spammers)
        hit, accused, planted = hit + len(found & true), accused + len(found), planted + len(true)
    assert planted == 90
    assert hit / accused >= 0.9
    assert hit / planted >= 0.9


def test_every_kind_of_spammer_and_no_habit_of_the_others():
    """Always left, always a tie, turned round; beside them a rater who never says tie."""
    slopes = [2.0] * 40
    slopes[3] = -2.0
    habits = {0: 1.0, 1: 0.5, 2: np.tile([1.0, 0.5, 0.0], 20)}
    played = crowd(slopes, each=60, ties=0.8, habits=habits)
    decided = played.rater == 4
    outcome = played.outcome.copy()
    theta = bradley_terry(played, prior=3.0).rating
    outcome[decided] = (theta[played.left] > theta[played.right])[decided]
    found = find_spammers(replace(played, outcome=outcome))
    assert set(found.spammers) == {0, 1, 2, 3}
    assert verdicts(found)[4] == "fine"
    assert any("wrong way round" in note for note in found.notes)


def test_a_rater_who_looks_less_well_is_weak_and_no_spammer():
    """With 600 answers a slope of a third of the usual is neither random nor as most are."""
    slopes = [1.5] * 20 + [0.5, 0.0]
    found = verdicts(find_spammers(crowd(slopes, each=600)))
    assert found[20] == "weak"
    assert found[21] == "spammer"
    assert {found[k] for k in range(20)} == {"fine"}


def test_slopes_that_differ_are_seen_and_allowed_for():
    """Slopes with a lognormal spread of .5: far more than none, and nearly nobody is accused."""
    slopes = np.exp(0.5 * np.random.default_rng(0).normal(size=100))
    accused = 0
    for these, least, most in ((slopes, 0.3, 0.6), (np.ones(100), 0.0, 0.2)):
        played = crowd(1.5 * these, each=40)
        answer = np.where(played.outcome > 0.5, LEFT, RIGHT)
        without = left_out(played, prior=None)
        kinds = fit_kinds(without.evidence, answer, played.rater, 100)
        assert least <= kinds.spread <= most
        shares = np.array(kinds.slopes())
        assert shares[:, 1].sum() == pytest.approx(1)
        assert shares[:, 0] @ shares[:, 1] == pytest.approx(1, abs=1e-3)
        accused += len(find_spammers(played).spammers)
    assert accused <= 1


def test_one_answer_against_one_other_rater_condemns_nobody():
    """Only one of ann's pairs was compared by anybody else, and bob's answer to it was another.

    She must count as one who looks in what is expected of those: else bob and zoe alone, who have
    answered as the ratings say, make it seem that nobody who looks ever errs.
    """
    rows = ["abA", "baB", "bcB", "cbB", "xyA", "yxA", "taA", "tbA", "alA", "pqZ"]
    left, right, rater = zip(*rows, strict=True)
    played = Comparisons.from_columns(left, right, [1] * len(rows), rater=rater)
    found = {r.rater: r for r in find_spammers(played).raters}
    assert found["A"].verdict == "cannot tell"
    assert found["A"].p_value > 0.05


def test_few_answers_tell_nothing():
    played = crowd([1.5] * 30 + [0.0] * 30, each=30)
    kept = np.flatnonzero((played.rater < 30) | (np.arange(len(played)) % 30 < 2))
    found = verdicts(find_spammers(played.select(kept)))
    assert {found[k] for k in range(30, 60)} == {"cannot tell"}


def test_nobody_is_accused_where_all_answer_at_random():
    assert find_spammers(crowd([0.0] * 40)).spammers == []


# --- p-values -------------------------------------------------------------------------------------


def test_p_values_of_raters_who_look_are_uniform():
    """Before Holm's correction, 1,000 raters: a share below alpha of alpha, give or take.

    The binomial standard deviation at .05 is .007, and at .01 .003; three of them are allowed, and
    a third more for that items are rated from a finite number of answers.
    """
    p = []
    for seed in range(10):
        played = crowd([1.0] * 100, seed=seed, ties=0.5 if seed % 2 else 0.0)
        answer = np.where(played.outcome == 0.5, TIE, np.where(played.outcome > 0.5, LEFT, RIGHT))
        without = left_out(played, prior=None)
        kinds = fit_kinds(without.evidence, answer, played.rater, 100)
        value = kinds.looking() - kinds.random
        crowds = [(np.exp(kinds.looking(s)), weight) for s, weight in kinds.slopes()]
        for r in range(100):
            rows = np.flatnonzero(played.rater == r)
            p.append(
                sum(
                    weight * chance_below(chance[:, rows], value[:, rows], answer[rows])
                    for chance, weight in crowds
                )
            )
    p = np.array(p)
    assert 0.029 < np.mean(p < 0.05) < 0.088
    assert np.mean(p < 0.01) < 0.026
    assert 0.44 < np.mean(p < 0.5) < 0.56


def test_p_random_of_random_raters_is_that_of_permutations():
    """The t approximation against 20,000 permutations of a rater's own answers."""
    played = crowd([1.5] * 30 + [0.0], ties=0.4, seed=3)
    found = {r.rater: r for r in find_spammers(played).raters}
    without = left_out(played, prior=None)
    answer = np.where(played.outcome == 0.5, TIE, np.where(played.outcome > 0.5, LEFT, RIGHT))
    kinds = fit_kinds(without.evidence, answer, played.rater, 31)
    rows = np.flatnonzero(played.rater == 30)
    chance = np.exp(kinds.looking()[:, rows])
    expected = chance[LEFT] + chance[TIE] / 2
    rng = np.random.default_rng(0)
    drawn = rng.permuted(np.tile(played.outcome[rows], (20000, 1)), axis=1)
    permuted = (drawn @ expected >= played.outcome[rows] @ expected - 1e-9).mean()
    # Holm's correction leaves the largest p of all as it is, and this one is.
    assert found[30].p_random == max(r.p_random for r in found.values())
    assert found[30].p_random == pytest.approx(permuted, abs=0.02)


@given(st.data())
def test_chance_below_is_that_of_all_answers(data):
    n = data.draw(st.integers(1, 6))
    numbers = st.floats(0.02, 1)
    chance = np.array(data.draw(st.lists(numbers, min_size=3 * n, max_size=3 * n))).reshape(3, n)
    chance /= chance.sum(axis=0)
    values = st.floats(-5, 5)
    value = np.array(data.draw(st.lists(values, min_size=3 * n, max_size=3 * n))).reshape(3, n)
    answer = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    seen = value[answer, np.arange(n)].sum()
    sums, probabilities = [], []
    for every in itertools.product(range(3), repeat=n):
        sums.append(value[list(every), np.arange(n)].sum())
        probabilities.append(chance[list(every), np.arange(n)].prod())
    sums, probabilities = np.array(sums), np.array(probabilities)
    # Each value is rounded by half a bin at most: n of them here, n there.
    sd = np.sqrt(np.sum(chance * (value - np.sum(chance * value, axis=0)) ** 2))
    near = n * max(sd / 400, np.ptp(value, axis=0).sum() / 20000) + 1e-12
    found = chance_below(chance, value, answer)
    assert probabilities[sums < seen - near].sum() - 1e-9 <= found
    assert found <= probabilities[sums <= seen + near].sum() + 1e-9


@pytest.mark.parametrize("pull", [0.0, 0.2, 0.5, 1.0, -1.0])
def test_saddlepoint_above_200_answers(pull):
    """One answer more, that adds nothing, changes the method: from the middle to the far tails."""
    rng = np.random.default_rng(0)
    chance = rng.dirichlet([2, 1, 2], 200).T
    value = rng.normal(size=(3, 200))
    answer = np.argmax(rng.gumbel(size=(3, 200)) + np.log(chance) - pull * value, axis=0)
    exact = chance_below(chance, value, answer)
    tail, nothing = np.full((3, 1), 1 / 3), np.zeros((3, 1))
    more = chance_below(
        np.hstack([chance, tail]), np.hstack([value, nothing]), np.append(answer, 0)
    )
    assert more == pytest.approx(exact, rel=0.05)


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


def test_checks_tell_on_items_that_ratings_do_not():
    """All items are equal but two, which only checks compare."""
    rng = np.random.default_rng(0)
    played = crowd([0.0] * 20, each=20, items=20)
    rater = np.repeat(np.arange(20), 12)
    left = np.where(rng.random(240) < 0.5, 20, 21)
    right = np.where(left == 20, 21, 20)
    outcome = (left == 20).astype(float)
    outcome[rater < 3] = rng.integers(0, 2, 36)
    both = Comparisons(
        np.arange(22),
        np.append(played.left, left),
        np.append(played.right, right),
        np.append(played.outcome, outcome),
        rater=np.append(played.rater, rater),
        raters=np.arange(20),
    )
    checks = Comparisons.from_columns([20, 98], [21, 99], ["left", "right"])
    found = find_spammers(both, checks=checks)
    assert set(found.spammers) == {0, 1, 2}
    for r in found.raters:
        rows = rater == r.rater
        assert (r.checks, r.checks_right) == (12, int((outcome == (left == 20))[rows].sum()))


def test_checks_that_are_none_and_checks_that_contradict_themselves():
    played = crowd([1.0] * 5)
    none = find_spammers(played, checks=Comparisons.from_columns("a", "b", [1]))
    assert any("no checks" in note for note in none.notes)
    twice = Comparisons.from_columns([1, 2], [2, 1], ["left", "left"])
    with pytest.raises(DataError, match="two right answers"):
        find_spammers(played, checks=twice)


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
