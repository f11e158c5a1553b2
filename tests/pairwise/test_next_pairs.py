"""Which pairs to ask next, and what answers tell of ratings before."""

from __future__ import annotations

import json
import math
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import next_pairs
from headcount.data.comparisons import Comparisons
from headcount.errors import HeadcountError, OptionError
from headcount.pairwise.answers import components
from headcount.pairwise.bradley_terry import bradley_terry
from headcount.pairwise.forecast import Posterior, fit_posterior, variances
from headcount.pairwise.goals import GOALS, Labels, Top, Until, choose_goal, how_far, play_on
from headcount.pairwise.tasks import arrange, balanced
from tests.pairwise.data import random_comparisons

# Which pairs to ask next, and the tasks made of them.


def pairs_of(tasks, *, checks=False):
    return [
        frozenset((left, right))
        for left, right, kind in zip(tasks.left, tasks.right, tasks.kind, strict=True)
        if checks or kind != "check"
    ]


@given(
    st.integers(0, 10_000),
    st.integers(1, 60),
    st.integers(0, 3),
    st.sampled_from([0.0, 0.05, 0.3, 0.5]),
    st.sampled_from([None, 1, 3, 4, 50]),
)
@settings(max_examples=40)
def test_tasks_keep_their_promises(seed, number, new, checks, per_rater):
    asked = random_comparisons(12, 15, seed=seed, circle=False)
    names = [f"new{k}" for k in range(new)]
    tasks = next_pairs(
        asked, number=number, items=[*asked.items, *names], checks=checks,
        per_rater=per_rater, seed=seed,
    )  # fmt: skip
    assert len(tasks) == number
    known = {str(item) for item in asked.items} | set(names)
    assert {str(item) for item in [*tasks.left, *tasks.right]} <= known
    assert all(left != right for left, right in zip(tasks.left, tasks.right, strict=True))
    # No pair twice, but as a check (66 pairs or more are there to choose from).
    plain = pairs_of(tasks)
    assert len(plain) == len(set(plain))
    # A check is one of the other tasks with sides swapped, and comes after it.
    shown = list(zip(tasks.left, tasks.right, tasks.kind, strict=True))
    for place, (left, right, kind) in enumerate(shown):
        if kind == "check":
            other = [k for k, each in enumerate(shown) if each[:2] == (right, left)]
            assert len(other) == 1
            if per_rater is None:
                assert other[0] < place
            elif per_rater > 1:
                assert tasks.slot[other[0]] == tasks.slot[place]
                assert other[0] < place
    if per_rater is not None:
        had = Counter(tasks.slot.tolist())
        assert max(had.values()) <= per_rater
        # As few raters as can be; a rater with 3 tasks has one check at most.
        twos = math.ceil(tasks.kind.count("check") / (per_rater // 2)) if per_rater > 1 else 0
        assert sorted(had) == list(range(1, max(math.ceil(number / per_rater), twos) + 1))
    # A join is a pair that ties two groups together; what is left apart is said.
    left, right = [*asked.items[asked.left], *tasks.left], [*asked.items[asked.right], *tasks.right]
    after = components(Comparisons.from_columns(left, right, [0.5] * len(left)))
    before = components(asked)
    apart = 12 + new - len(after.component) + after.n_components
    assert tasks.kind.count("join") <= before.n_components + new - apart
    assert any("still fall into" in note for note in tasks.notes) == (apart > 1)
    swapped = "With one task per rater, checks go to others than the tasks that they repeat."
    assert (swapped in tasks.notes) == (per_rater == 1 and "check" in tasks.kind)
    assert len(tasks.notes) == (apart > 1) + (swapped in tasks.notes)


@given(st.integers(2, 60), st.integers(0, 1000))
@settings(max_examples=30)
def test_from_nothing_every_item_comes_as_often(n, seed):
    """The first tasks are a random matching, and no star: each item once, then each twice."""
    for rounds in (1, 2):
        tasks = next_pairs(items=n, number=rounds * (n // 2), checks=0, seed=seed)
        had = Counter([*tasks.left.tolist(), *tasks.right.tolist()])
        assert sum(had.values()) == 2 * rounds * (n // 2)
        assert max(had.values()) <= rounds + 1 + (n < 8)


def test_items_may_be_a_number_a_list_and_in_any_order():
    names = [f"text {k}" for k in range(30)]
    one = next_pairs(items=names, number=40, seed=3)
    assert next_pairs(items=names[::-1], number=40, seed=3).columns() == one.columns()
    assert set(next_pairs(items=7, number=20).left) <= set(range(1, 8))
    with pytest.raises(HeadcountError, match="no items to compare"):
        next_pairs(number=5)
    with pytest.raises(OptionError, match="items must be a whole number from 2"):
        next_pairs(items=1, number=5)


def test_answers_of_several_files_are_those_of_one():
    asked = random_comparisons(20, 100, seed=1, ties=0.2)
    halves = asked.select(np.arange(len(asked)) < 50), asked.select(np.arange(len(asked)) >= 50)
    one, two = (
        next_pairs(given, items=25, number=30, until="labels 0.9", seed=1).to_dict()
        for given in (asked, halves[::-1])
    )
    assert one["tasks"] == two["tasks"]
    assert one["until"] == two["until"]
    twice = next_pairs((halves[0], halves[0]), number=5)
    assert [note.severity for note in twice.notes if "the same 50 answers" in note] == ["warning"]
    other = next_pairs(asked, items=["0", "elsewhere"], number=5)
    assert any("the list of items lacks" in note for note in other.notes)


def test_positions_are_balanced_also_after_a_lopsided_start():
    ring = np.arange(10)
    asked = Comparisons(ring, np.zeros(9, dtype=np.int64), ring[1:], np.tile([0.0, 1, 0.5], 3))
    tasks = next_pairs(asked, number=200, checks=0, seed=1)
    lead = Counter([*asked.items[asked.left], *tasks.left])
    lead.subtract([*asked.items[asked.right], *tasks.right])
    # 40 tasks an item: the item that was always on the left is on the right until that is even.
    assert all(abs(each) <= 2 for each in lead.values())


@given(st.integers(0, 1000))
@settings(max_examples=20)
def test_sides_never_drift_apart(seed):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 6, 300)
    second = (first + rng.integers(1, 6, 300)) % 6
    more_left = np.zeros(6, dtype=np.int64)
    left, right = balanced(first, second, more_left, rng)
    assert all({a, b} == {c, d} for a, b, c, d in zip(first, second, left, right, strict=True))
    np.testing.assert_array_equal(more_left, np.bincount(left) - np.bincount(right))
    assert np.abs(more_left).max() <= 6


def test_raters_get_about_as_many_tasks_each():
    order, slot = arrange(95, np.arange(5), 20, np.random.default_rng(0))
    assert sorted(order) == list(range(100))
    assert Counter(slot.tolist()) == dict.fromkeys(range(1, 6), 20)
    order, slot = arrange(41, np.array([], dtype=np.int64), 20, np.random.default_rng(0))
    assert sorted(Counter(slot.tolist()).values()) == [13, 14, 14]


def test_all_pairs_are_asked_before_one_comes_again():
    asked = Comparisons.from_columns("abc", "bcd", [1, 0, 1])
    tasks = next_pairs(asked, number=12, checks=0)
    assert set(Counter(pairs_of(tasks)).values()) == {2}


def test_uncertain_items_are_asked_for_more_often():
    asked = random_comparisons(20, 2000, seed=0)
    tasks = next_pairs(asked, number=60, items=[*asked.items, "new"], checks=0)
    # The new item has no information but the prior's; all others have about 40 units of it.
    assert sum("new" in pair for pair in pairs_of(tasks)) >= 12
    assert max(Counter(pairs_of(tasks)).values()) == 1


def test_near_pairs_are_chosen_where_ratings_are_spread():
    asked = random_comparisons(60, 4000, seed=1, spread=4.0)
    rating = dict(zip(asked.items, bradley_terry(asked, prior=4.0).rating, strict=True))
    tasks = next_pairs(asked, number=100, checks=0, seed=0)
    gap = np.mean([abs(rating[a] - rating[b]) for a, b in pairs_of(tasks)])
    rng = np.random.default_rng(0)
    left = rng.integers(0, 60, 100)
    right = (left + rng.integers(1, 60, 100)) % 60
    assert gap < np.mean([abs(rating[a] - rating[b]) for a, b in zip(left, right, strict=True)]) / 2


def test_chosen_pairs_beat_random_ones_where_ratings_are_spread():
    """Ratings from 60 random and 240 chosen comparisons of 40 items, sd 3 logits."""

    def answers(rng, theta, left, right):
        return (rng.random(len(left)) < 1 / (1 + np.exp(theta[right] - theta[left]))).astype(float)

    def error(seed, chosen):
        rng = np.random.default_rng(seed)
        theta = 3 * rng.normal(size=40)
        left = rng.integers(0, 40, 60)
        right = (left + rng.integers(1, 40, 60)) % 40
        asked = Comparisons(np.arange(40), left, right, answers(rng, theta, left, right))
        for _ in range(4):
            left = rng.integers(0, 40, 60)
            right = (left + rng.integers(1, 40, 60)) % 40
            if chosen:
                tasks = next_pairs(asked, number=60, checks=0, seed=rng)
                left, right = tasks.left, tasks.right
            asked = Comparisons(
                asked.items,
                np.concatenate([asked.left, left]),
                np.concatenate([asked.right, right]),
                np.concatenate([asked.outcome, answers(rng, theta, left, right)]),
            )
        rating = bradley_terry(asked, prior=3.0).rating
        return np.sqrt(np.mean((rating - theta + theta.mean()) ** 2))

    chosen, random = (np.mean([error(seed, how) for seed in range(8)]) for how in (True, False))
    assert chosen < 0.95 * random


def test_items_known_already_are_not_added():
    asked = random_comparisons(5, 20, seed=0)
    tasks = next_pairs(asked, number=10, items=[0, 1, 7, 7], checks=0)
    assert tasks.left.dtype == np.int64
    assert 7 in {*tasks.left, *tasks.right}
    assert tasks.kind.count("join") == 1
    assert tasks.provenance.items_used == 6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"number": 0}, "number must be a whole number from 1 to 1,000,000, not 0"),
        ({"number": 2.5}, "number must be a whole number"),
        ({"number": 10**9}, "from 1 to 1,000,000, not 1,000,000,000"),
        ({"checks": -1}, "checks must be a number"),
        ({"checks": 0.6}, "from 0 to 0.5, not 0.6"),
        ({"per_rater": 0}, "per_rater must be a whole number of at least 1"),
        ({"number": None}, r"how many tasks are wanted \(number=200\), or when to stop"),
        ({"goal": "label"}, "unknown goal 'label': did you mean 'labels'"),
        ({"goal": "top"}, "say how many of the best items are wanted, as in top:10"),
        ({"goal": "top:5"}, "there are 5 items. Ask for fewer"),
        ({"goal": "labels:3"}, "write labels alone"),
        ({"until": "labels"}, "give a goal and the share of it that is enough"),
        ({"until": "labels 90"}, "must be a number between 0 and 1, as in 'labels 0.9'"),
        ({"until": "labels x"}, "must be a number between 0 and 1"),
        ({"until": 7}, "until must be a list of a goal and a number, not 7"),
        ({"until": "labels 0.9", "goal": "ratings"}, "name different goals"),
        ({"cost": -1}, "cost must be a number"),
        ({"seed": 1.5}, "seed must be a whole number"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        next_pairs(random_comparisons(5, 20), **{"number": 5, **options})


def test_order_of_rows_changes_no_task():
    asked = random_comparisons(15, 60, seed=4, ties=0.2, circle=False)
    columns = [asked.items[asked.left] + 7, asked.items[asked.right] + 7, asked.outcome]
    wanted = None
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(len(asked))
        made = Comparisons.from_columns(*(column[order] for column in columns))
        found = next_pairs(made, number=40, items=["30", "31"], per_rater=7, seed=2).columns()
        assert wanted is None or found == wanted
        wanted = found


def test_all_doors_of_tasks():
    tasks = next_pairs(random_comparisons(10, 60), number=40, per_rater=10)
    assert tasks.to_text(details=True).startswith("40 comparisons to ask for, from 4 raters.\n")
    said = " ".join(tasks.to_text(details=True).split())
    assert "informative: its items are close, so that the answer tells much 38" in said
    assert tasks.to_frame("polars").columns == ["left", "right", "kind", "rater"]
    told = json.loads(json.dumps(tasks.to_dict()))
    assert told["tasks"]["kinds"] == {"join": 0, "informative": 38, "check": 2}
    assert told["tasks"]["raters"] == 4
    assert told["tasks"]["file"] is None
    assert [row["left"] for row in told["tasks"]["pairs"]] == tasks.columns()["left"]
    assert told["data"]["items"]["used"] == 10
    assert told["data"]["ratings"] == 80
    assert told["seed"] == 0
    axes = tasks.plot()
    assert sum(bar.get_height() for bar in axes.patches) == 80  # two items a task
    assert tasks.plot(ax=axes) is axes
    assert "40 comparisons to ask for" in tasks._repr_html_()


def test_what_readers_take_is_read():
    asked = random_comparisons(10, 60)
    frame = pl.DataFrame({"left": asked.left, "right": asked.right, "outcome": asked.outcome})
    one, two = next_pairs(frame, number=20), next_pairs(asked, number=20)
    assert one.columns() == two.columns()
    assert isinstance(one.to_frame(), pl.DataFrame)
    with pytest.raises(HeadcountError):
        next_pairs(123, number=20)


def truthful(tasks, theta, rng):
    """Bradley-Terry answers to tasks."""
    gap = np.array(
        [theta[str(a)] - theta[str(b)] for a, b in zip(tasks.left, tasks.right, strict=True)]
    )
    won = (rng.random(len(gap)) < 1 / (1 + np.exp(-gap))).astype(float)
    return Comparisons.from_columns(tasks.left, tasks.right, won)


def test_a_number_of_items_is_refused_if_answers_name_them_otherwise():
    answers = Comparisons.from_columns(["a", "b"], ["b", "c"], [1, 0])
    with pytest.raises(
        OptionError, match=r"no item of the answers is called 1 to 3\. They are 'a', 'b', 'c'"
    ):
        next_pairs(answers, items=3, number=2)
    best = next_pairs(answers, until="top:1 0.9").to_text().replace("\n", " ")
    assert "probability that the best item is found" in best


@pytest.mark.parametrize("raters", [None, ["ann", "ben"]])
def test_the_page_says_what_is_assumed_of_answers(raters):
    answers = Comparisons.from_columns(["a", "b"], ["b", "c"], [1, 0], rater=raters)
    said = " ".join(next_pairs(answers, until="labels 0.9").to_text(details=True).split())
    assert ("independent of each other" in said) is (raters is None)
    assert ("Answers of one rater are not" in said) is (raters is not None)


@pytest.mark.parametrize("goal", ["labels", "ratings", "top:6"])
def test_a_loop_stops_itself_when_the_goal_is_reached(goal):
    rng = np.random.default_rng(5)
    theta = {str(k + 1): 3 * z for k, z in enumerate(rng.normal(size=40))}
    tasks = next_pairs(items=40, until=f"{goal} 0.8", cost=0.5)
    assert tasks.standing.more is None
    assert tasks.to_text(details=True).startswith("No answers yet.")
    assert len(tasks) == 80
    answers = []
    for batch in range(30):
        answers.append(truthful(tasks, theta, rng))
        tasks = next_pairs(tuple(answers), items=40, until=f"{goal} 0.8", cost=0.5, seed=batch)
        told = tasks.to_dict()["until"]
        assert told["total_cost"]["value"] == 0.5 * told["more"]["value"]
        if tasks.standing.done:
            break
        assert 0 < len(tasks) <= max(told["more"]["value"], 20)
        assert tasks.to_text(details=True).startswith(
            ("Not done: an estimated ", "Probably done, but not ")
        )
    assert tasks.standing.done
    assert tasks.standing.sure >= 0.9
    assert len(tasks) == 0
    assert tasks.to_text(details=True).startswith("Done: an estimated ")
    assert tasks.columns() == {"left": [], "right": [], "kind": []}
    assert len(tasks.to_frame("polars")) == 0
    assert told["more"]["value"] == 0
    tasks.plot()


@pytest.mark.parametrize(("taste", "raters", "told"), [(1.5, 8, True), (0.0, 8, False)])
def test_raters_of_strong_tastes_are_too_few(taste, raters, told):
    rng = np.random.default_rng(1)
    theta, own = 1.5 * rng.normal(size=60), taste * rng.normal(size=(raters, 60))
    left, who = rng.integers(0, 60, 1200), rng.integers(0, raters, 1200)
    right = (left + rng.integers(1, 60, 1200)) % 60
    gap = theta[left] - theta[right] + own[who, left] - own[who, right]
    won = (rng.random(1200) < 1 / (1 + np.exp(-gap))).astype(float)
    tasks = next_pairs(Comparisons.from_columns(left, right, won, rater=who), until="labels 0.9")
    assert not tasks.standing.done
    assert ("ask more raters, about" in " ".join(str(tasks).split())) == told
    assert (tasks.standing.raters is not None) == told
    assert told is (tasks.to_dict()["until"]["raters"] is not None)


def test_few_answers_are_told():
    asked = random_comparisons(30, 20, seed=2, circle=False)
    found = next_pairs(asked, items=30, until="labels 0.9", number=5)
    assert any("it is hardly known how far they lie apart" in note for note in found.notes)


def test_the_best_few_are_asked_about_a_few_at_once():
    gain = np.zeros(400)
    gain[:10] = 0.3
    assert (Top(3).at_once(gain), Labels().at_once(gain)) == (10, 100)
    assert Top(3).at_once(np.ones(400)) == 100  # at the start, all are alike
    assert Top(3).at_once(np.zeros(400)) == 4  # none is open any more


def test_tasks_for_the_best_few_stay_with_items_that_may_be_among_them():
    rng = np.random.default_rng(1)
    theta = 2 * rng.normal(size=200)
    left = rng.integers(0, 200, 1200)
    right = (left + rng.integers(1, 200, 1200)) % 200
    won = (rng.random(1200) < 1 / (1 + np.exp(theta[right] - theta[left]))).astype(float)
    asked = Comparisons(np.arange(200), left, right, won)
    tasks = next_pairs(asked, number=100, goal="top:3", checks=0)
    rank = np.argsort(np.argsort(-theta))
    shown = rank[[int(item) for item in (*tasks.left, *tasks.right)]]
    # .66 if a quarter of all items are taken at once, as for labels.
    assert np.mean(shown < 40) > 0.85


# What answers tell of ratings before new tasks are chosen, and how far goals are reached.


def exact_variances(n, first, second, weight, prior):
    matrix = prior * np.eye(n)
    for i, j, w in zip(first, second, weight, strict=True):
        matrix[i, i] += w
        matrix[j, j] += w
        matrix[i, j] -= w
        matrix[j, i] -= w
    return np.diag(np.linalg.inv(matrix))


@given(st.integers(0, 10_000))
@settings(max_examples=25)
def test_variances_are_exact_where_the_graph_is_a_tree(seed):
    rng = np.random.default_rng(seed)
    second = np.arange(1, 12)
    first = (rng.random(11) * second).astype(np.int64)
    weight = rng.uniform(0.05, 0.5, 11)
    found = variances(13, first, second, weight, 0.7)
    # One item was never compared; messages of a tree settle, up to rounding.
    np.testing.assert_allclose(found, exact_variances(13, first, second, weight, 0.7), rtol=1e-7)


def test_variances_are_close_among_many_items():
    asked = random_comparisons(300, 1500, seed=1)
    weight = np.full(len(asked), 0.2)
    found = variances(300, asked.left, asked.right, weight, 1.0)
    exact = exact_variances(300, asked.left, asked.right, weight, 1.0)
    np.testing.assert_allclose(found, exact, rtol=0.02)


def answers(n, number, sd, seed, ties=0.0):
    rng = np.random.default_rng(seed)
    theta = sd * rng.normal(size=n)
    left = rng.integers(0, n, number)
    right = (left + rng.integers(1, n, number)) % n
    won = (rng.random(number) < 1 / (1 + np.exp(theta[right] - theta[left]))).astype(float)
    won[rng.random(number) < ties] = 0.5
    return theta - theta.mean(), Comparisons(np.arange(n), left, right, won)


@pytest.mark.parametrize("sd", [0.5, 1.0, 2.0])
def test_spread_and_labels_are_found_with_the_right_confidence(sd):
    theta, asked = answers(400, 4000, sd, seed=2)
    known = fit_posterior(asked, 400)
    # 20 answers an item: the logarithm of the spread has a standard error of .1.
    assert abs(math.log(known.spread / sd)) < 0.3
    assert known.noise == 1
    z = (known.rating - theta) / known.sd
    # 400 squares with variance 2 have a mean with standard error .07.
    assert np.mean(z**2) == pytest.approx(1, abs=0.25)
    goal = choose_goal("labels")
    right = float(goal.share(known.rating, theta[None, :])[0])
    expected = goal.expected(known.rating, known.sd)
    # A share of 400 labels has a standard error of .02.
    assert expected == pytest.approx(right, abs=0.05)


def test_ties_count_as_answers_that_vary_less():
    _, asked = answers(200, 3000, 1.0, seed=1, ties=0.5)
    assert fit_posterior(asked, 200).noise == pytest.approx(0.5, abs=0.06)


def test_without_answers_nothing_is_known():
    none = Comparisons(np.arange(5), *(np.zeros(0, dtype=np.int64),) * 2, np.zeros(0))
    known = fit_posterior(none, 5)
    assert (known.rating == 0).all()
    assert math.isinf(known.spread_error)


@pytest.mark.parametrize("name", ["ratings", "labels", "top:7"])
def test_what_is_expected_now_is_what_draws_give(name):
    rng = np.random.default_rng(3)
    goal, rating, sd = choose_goal(name), rng.normal(size=300), rng.uniform(0.2, 0.6, 300)
    rating -= rating.mean()
    drawn = rating + sd * rng.normal(size=(4000, 300))
    # Means of thousands of shares, each of them with a standard deviation below .1; what is
    # expected of the best holds up to the rounding of the cut, which draws move.
    tolerance = 0.06 if name.startswith("top") else 0.015
    assert goal.expected(rating - goal.cut(rating, sd), sd) == pytest.approx(
        float(goal.share(rating, drawn).mean()), abs=tolerance
    )
    # Knowing all, all is reached; and what it takes to get there grows with what is wanted.
    sure = np.full(300, 1e-9)
    assert goal.expected(rating - goal.cut(rating, sure), sure) == pytest.approx(1, abs=0.05)
    gain = goal.gain(rating - goal.cut(rating, sd), sd)
    assert gain.shape == (300,)
    assert (gain >= 0).all()


def test_more_is_needed_the_more_is_wanted_and_the_less_is_known():
    _, asked = answers(150, 900, 1.0, seed=4)
    known = fit_posterior(asked, 150)

    def more(target):
        rng = np.random.default_rng(0)
        until = Until(choose_goal("labels"), target)
        return how_far(asked, known, until, cost=None, level=0.95, rng=rng)

    needs = [more(target).more for target in (0.8, 0.85, 0.9)]
    values = [each.value for each in needs]
    assert values == sorted(values)
    assert all(each.low <= each.value <= each.high for each in needs)
    assert more(0.5).done
    assert more(0.999).more.censored == "above"


def test_goals_know_their_names():
    assert [choose_goal(name).written for name in ("ratings", "labels", "top:3")] == [
        "ratings", "labels", "top:3",
    ]  # fmt: skip
    assert list(GOALS) == ["ratings", "labels", "top"]
    assert isinstance(Posterior.prior(3), Posterior)


@pytest.mark.parametrize("seed", range(3))
def test_few_answers_do_not_make_items_lie_further_apart(seed):
    """Of four answers an item, a normal posterior finds a spread of 4 or more in place of 2."""
    theta, asked = answers(200, 400, 2.0, seed=seed)
    # The logarithm of the spread has a standard error of .2.
    assert abs(math.log(fit_posterior(asked, 200).spread / theta.std())) < 0.5


def test_a_loop_that_is_played_on_stops_at_once_where_nothing_is_wanted():
    _, asked = answers(100, 600, 1.0, seed=1)
    known = fit_posterior(asked, 100)
    goal, rng = choose_goal("labels"), np.random.default_rng(0)
    told = {"answered": 600, "luck": 1.28, "spare": 0.0, "draws": 20, "rng": rng}
    assert (play_on(known, goal, 0.3, **told) == 50).all()
    assert np.isinf(play_on(known, goal, 0.9999, **told)).all()
    at_85, at_90 = (np.median(play_on(known, goal, target, **told)) for target in (0.85, 0.9))
    assert 50 <= at_85 < at_90


def test_what_a_loop_still_takes_is_foreseen():
    """A loop of 100 items: steps are many, of one draw of items, so that most are asked to hold."""
    rng = np.random.default_rng(7)
    theta, parts, ahead = 1.5 * rng.normal(size=100), [], []
    tasks = next_pairs(items=range(100), until="labels 0.85", checks=0)
    while not tasks.standing.done:
        left, right = (np.array([int(x) for x in side]) for side in (tasks.left, tasks.right))
        won = (rng.random(len(left)) < 1 / (1 + np.exp(theta[right] - theta[left]))).astype(float)
        parts.append(Comparisons(np.arange(100), left, right, won))
        tasks = next_pairs(tuple(parts), items=range(100), until="labels 0.85", checks=0)
        ahead.append((sum(map(len, parts)), tasks.standing.more))
    end = ahead.pop()[0]
    held = [more.low <= end - asked <= more.high for asked, more in ahead]
    assert len(held) > 3
    assert np.mean(held) > 0.6
