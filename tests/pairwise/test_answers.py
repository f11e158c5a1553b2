"""Answers before any model: who met whom, how often, in which order, and how far they agree."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from headcount import Comparisons, DataError, OptionError, pairs
from headcount.pairwise import answers as graph_module
from headcount.pairwise import spammers as left_out_module
from headcount.pairwise.answers import (
    components,
    graph_sentences,
    has_exact_sums,
    repeated_answers,
    sort_rows,
    win_graph,
)
from headcount.pairwise.bradley_terry import bradley_terry
from headcount.pairwise.methods import EloMethod, refit
from headcount.pairwise.result import PairsResult
from headcount.pairwise.spammers import find_spammers
from headcount.simulation.labelling import LabellingModel, simulate_comparisons
from tests.pairwise.data import counted, random_comparisons


def played(*rows: tuple[str, str, object]) -> Comparisons:
    left, right, outcome = zip(*rows, strict=True)
    return Comparisons.from_columns(left, right, outcome)


def of(graph, comparisons, field):
    """What a field says of each item, by name."""
    return dict(zip(comparisons.items.tolist(), getattr(graph, field).tolist(), strict=True))


def names(comparisons, positions):
    return [comparisons.items[i] for i in positions]


# --- by hand --------------------------------------------------------------------------------------


def test_a_cycle_is_finite():
    data = played(("a", "b", 1), ("b", "c", 1), ("c", "a", 1))
    graph = components(data)
    assert graph.n_components == 1
    assert graph.all_finite
    assert not graph.direction.any()
    assert graph_sentences(graph, data.items) == []


def test_a_tie_joins_both_ways():
    graph = components(played(("a", "b", "tie")))
    assert graph.all_finite
    assert (graph.undefeated, graph.winless) == ((), ())


def test_undefeated_and_winless_around_a_core():
    data = played(("a", "b", 1), ("b", "c", 1), ("c", "b", 1), ("c", "d", 1))
    graph = components(data)
    assert names(data, graph.undefeated) == ["a"]
    assert names(data, graph.winless) == ["d"]
    assert of(graph, data, "finite") == {"a": False, "b": True, "c": True, "d": False}
    assert of(graph, data, "direction") == {"a": 1, "b": 0, "c": 0, "d": -1}


def test_a_set_that_only_wins_is_above_though_no_item_of_it_is_undefeated():
    data = played(
        ("a", "b", 0.5), ("a", "x", 1), ("b", "y", 1),
        ("x", "y", 1), ("y", "z", 1), ("z", "x", 1),
    )  # fmt: skip
    graph = components(data)
    assert graph.undefeated == ()
    assert of(graph, data, "direction") == {"a": 1, "b": 1, "x": 0, "y": 0, "z": 0}
    (sentence,) = graph_sentences(graph, data.items)
    assert sentence == (
        "'a', 'b' only won against the main group of items, directly or through others, so their "
        "ratings have no upper bound; a prior (prior=1) gives them one."
    )


def test_a_chain_of_wins_has_no_core():
    data = played(("a", "b", 1), ("b", "c", 1))
    graph = components(data)
    assert not graph.finite.any()
    assert of(graph, data, "direction") == {"a": 1, "b": 0, "c": -1}
    assert graph_sentences(graph, data.items) == [
        "'a' won every comparison, so its rating has no upper bound; a prior (prior=1) gives it "
        "one.",
        "'c' lost every comparison, so its rating has no lower bound; a prior (prior=1) gives it "
        "one.",
        "'b': no wins and ties lead round to the other items and back, so its rating is not "
        "determined. Ask for more comparisons, or use a prior (prior=1).",
    ]


def test_items_that_lost_to_the_same_winner_are_not_determined():
    """The top is above both the core and x; how x compares with the core, nothing says."""
    data = played(("top", "x", 1), ("top", "b", 1), ("b", "c", 1), ("c", "b", 1))
    graph = components(data)
    assert of(graph, data, "direction") == {"top": 1, "x": 0, "b": 0, "c": 0}
    assert of(graph, data, "finite") == {"top": False, "x": False, "b": True, "c": True}


def test_components_are_numbered_by_size_and_cores_are_their_own():
    data = played(
        ("x", "y", 0.5), ("a", "b", 1), ("b", "c", 1), ("c", "a", 1), ("a", "d", 1)
    )  # fmt: skip
    graph = components(data)
    assert graph.n_components == 2
    assert of(graph, data, "component") == {"x": 1, "y": 1, "a": 0, "b": 0, "c": 0, "d": 0}
    assert of(graph, data, "finite") == dict.fromkeys("xyabc", True) | {"d": False}
    sentences = graph_sentences(graph, data.items)
    assert "2 groups (4, 2 items)" in sentences[0]
    assert len(sentences) == 2


def test_an_item_without_comparisons_is_a_component():
    data = played(("a", "b", 0.5), ("a", "c", 1)).select(np.array([True, False]))
    graph = components(data)
    assert graph.n_components == 2
    assert of(graph, data, "compared") == {"a": True, "b": True, "c": False}
    assert graph.all_finite
    assert graph_sentences(graph, data.items) == ["1 item never compared, so not rated: 'c'."]


def test_a_comparison_of_weight_zero_is_none():
    data = Comparisons.from_columns(["a", "b"], ["b", "a"], [1, 1], weight=[1, 0])
    graph = components(data)
    assert names(data, graph.undefeated) == ["a"]
    assert not graph.finite.any()


def test_no_items():
    none = np.zeros(0)
    graph = win_graph(0, none.astype(int), none.astype(int), none, none)
    assert graph.n_components == 0
    assert graph_sentences(graph, np.zeros(0, dtype=object)) == []


def test_the_larger_of_two_sets_is_the_core_and_then_the_busier():
    two, three = [("a", "b", 0.5)], [("x", "y", 1), ("y", "z", 1), ("z", "x", 1)]
    data = played(*two, ("a", "x", 1), *three)
    assert of(components(data), data, "finite")["x"]
    data = played(*two, ("x", "y", 0.5), ("a", "x", 1))
    assert of(components(data), data, "finite") == {"a": True, "b": True, "x": False, "y": False}
    data = played(*two, ("x", "y", 0.5), ("a", "x", 1), ("x", "y", 0.5), ("x", "y", 0.5))
    assert of(components(data), data, "finite") == {"a": False, "b": False, "x": True, "y": True}


# --- against linear programming -------------------------------------------------------------------

OUTCOMES = st.sampled_from([0.0, 1.0, 1.0, 0.5])


@st.composite
def tournaments(draw: st.DrawFn):
    """Few comparisons of few items, so that all kinds of trouble come up."""
    n = draw(st.integers(2, 6))
    pair = st.permutations(range(n)).map(lambda p: (p[0], p[1]))
    rows = draw(st.lists(st.tuples(pair, OUTCOMES), min_size=1, max_size=9))
    left, right = np.array([pair for pair, _ in rows]).T
    return n, left, right, np.array([outcome for _, outcome in rows])


def slides(n, left, right, outcome, item, other):
    """How far an item can move from another while no answer becomes less likely: least and most.

    The likelihood of Bradley and Terry has a finite maximum only if ratings cannot slide apart
    for ever without loss: for a win the difference must not fall, for a tie it must not change.
    """
    move = np.zeros((len(left), n))
    rows = np.arange(len(left))
    move[rows, left], move[rows, right] = 1, -1
    up = move[outcome > 0]
    down = -move[outcome < 1]
    gain = np.zeros(n)
    gain[item] += 1
    gain[other] -= 1
    limits = {"A_ub": -np.concatenate([up, down]), "b_ub": np.zeros(len(up) + len(down))}
    ends = [linprog(sign * gain, **limits, bounds=(-1, 1)).fun * sign for sign in (1, -1)]
    return tuple(np.round(ends, 6))


@settings(max_examples=60)
@given(tournaments())
def test_finite_and_direction_are_what_the_likelihood_allows(drawn):
    n, left, right, outcome = drawn
    graph = win_graph(n, left, right, outcome, 1 - outcome)
    for item in range(n):
        mates = np.flatnonzero(graph.component == graph.component[item])
        core = mates[graph.finite[mates]]
        if not len(core):
            # No two items of the component can be held together.
            assert len(mates) > 1
            for other in mates[mates != item]:
                assert slides(*drawn, item, other) != (0, 0)
            continue
        low, high = slides(*drawn, item, core[0])
        assert graph.finite[item] == (low == high == 0)
        expected = 0 if low < 0 < high else int(high > 0) - int(low < 0)
        assert graph.direction[item] == expected


@given(tournaments())
def test_components_are_the_closure_of_being_compared(drawn):
    n, left, right, outcome = drawn
    graph = win_graph(n, left, right, outcome, 1 - outcome)
    joined = np.eye(n, dtype=bool)
    joined[left, right] = joined[right, left] = True
    for _ in range(n):
        joined = joined @ joined
    same = graph.component[:, None] == graph.component[None, :]
    assert (same == joined).all()
    assert graph.n_components == len(np.unique(graph.component)) == graph.component.max() + 1
    assert (np.diff(np.bincount(graph.component)) <= 0).all()


@given(tournaments())
def test_undefeated_and_winless_are_counted(drawn):
    n, left, right, outcome = drawn
    graph = win_graph(n, left, right, outcome, 1 - outcome)
    for item in range(n):
        took = np.concatenate([outcome[left == item], 1 - outcome[right == item]])
        assert (item in graph.undefeated) == (len(took) > 0 and bool((took == 1).all()))
        assert (item in graph.winless) == (len(took) > 0 and bool((took == 0).all()))
        assert graph.compared[item] == (len(took) > 0)


@given(tournaments())
def test_turning_every_answer_round_swaps_above_and_below(drawn):
    n, left, right, outcome = drawn
    graph = win_graph(n, left, right, outcome, 1 - outcome)
    turned = win_graph(n, left, right, 1 - outcome, outcome)
    assert (graph.undefeated, graph.winless) == (turned.winless, turned.undefeated)
    assert (graph.component == turned.component).all()
    if graph.all_finite or turned.all_finite:
        assert graph.all_finite
        assert turned.all_finite
    mirrored = win_graph(n, right, left, 1 - outcome, outcome)
    for field in ("finite", "direction", "component"):
        assert (getattr(mirrored, field) == getattr(graph, field)).all()


@pytest.mark.parametrize("repeats", [300, 70_000])
def test_many_comparisons_of_a_pair_are_still_an_arrow(repeats):
    ones, none = np.ones(repeats), np.zeros(repeats, dtype=int)
    graph = win_graph(2, none, none + 1, ones, 0 * ones)
    assert (graph.undefeated, graph.winless) == ((0,), (1,))


def test_the_pilot_is_connected_and_finite(data_folder):
    from headcount.io.comparisons import read_comparisons

    data = read_comparisons(data_folder / "pairs/climate_pilot/comparisons.csv")
    graph = components(data)
    assert graph.n_components == 1
    assert graph.all_finite


@given(st.integers(0, 10**6))
def test_looking_at_some_pairs_first_changes_nothing(seed: int):
    """With many pairs a part of them is looked at first; here from 2 an item on."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    first = rng.integers(0, n, size=40)
    second = (first + rng.integers(1, n, size=40)) % n
    # Later items seldom win, so that some are winless.
    won = (rng.random(40) < 0.1 + 0.8 * (first < second)).astype(float)
    pairs = (first, second, won, 1 - won)
    whole = graph_module.win_graph(n, *pairs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graph_module, "ENOUGH", 2)
        part = graph_module.win_graph(n, *pairs)
    for name in ("component", "finite", "direction", "compared"):
        np.testing.assert_array_equal(getattr(part, name), getattr(whole, name))
    assert (part.undefeated, part.winless) == (whole.undefeated, whole.winless)


# Raters who count more or less.


def crowd(seed=0, raters=8, answers=20):
    rng = np.random.default_rng(seed)
    n = raters * answers
    left = rng.integers(5, size=n)
    right = (left + rng.integers(1, 5, size=n)) % 5
    rater = np.repeat(np.arange(raters), answers)
    return Comparisons.from_columns(left, right, rng.integers(2, size=n), rater=rater)


def weighted(played, by_rater):
    return replace(played, weight=np.array(by_rater, dtype=float)[played.rater])


def test_a_rater_of_weight_two_counts_twice():
    played = crowd()
    result = pairs(weighted(played, [2 if r == 3 else 1 for r in range(8)]), cluster="rater")
    again = played.select(np.concatenate([np.arange(160), np.flatnonzero(played.rater == 3)]))
    repeated = pairs(again, cluster="rater")
    for a, b in zip(result.items, repeated.items, strict=True):
        assert a.item == b.item
        assert a.rating.value == pytest.approx(b.rating.value, abs=1e-7)
        # Clusters know that it is the same rater.
        assert a.rating.low == pytest.approx(b.rating.low, abs=1e-6)


def test_only_the_sizes_of_weights_to_each_other_matter():
    played = crowd(1)
    weights = np.arange(8) + 1
    one = pairs(weighted(played, weights), cluster="none")
    ten = pairs(weighted(played, 10 * weights), cluster="none")
    assert [i.rating.low for i in one.items] == pytest.approx([i.rating.low for i in ten.items])


def test_weight_0_leaves_a_rater_out():
    played = crowd(2)
    without = pairs(played.select(played.rater != 5))
    result = pairs(weighted(played, [int(r != 5) for r in range(8)]))
    assert [i.rating.value for i in result.items] == pytest.approx(
        [i.rating.value for i in without.items], abs=1e-7
    )


# Agreement of answers to the same pair.


def slow(played):
    """All twos of answers to each pair, one after the other."""
    answers = {}
    for i in range(len(played)):
        a, b, share = int(played.left[i]), int(played.right[i]), float(played.outcome[i])
        a, b, share = (a, b, share) if a < b else (b, a, 1 - share)
        who = i if played.rater is None else int(played.rater[i])
        answers.setdefault((a, b), []).append((who, np.sign(share - 0.5)))
    total = weight = 0.0
    ties = []
    for outcomes in answers.values():
        twos = [x[1] == y[1] for x, y in combinations(outcomes, 2) if x[0] != y[0]]
        if twos:
            total += len(outcomes) * np.mean(twos)
            weight += len(outcomes)
            ties += [said == 0 for _, said in outcomes]
    t = np.mean(ties)
    return total / weight, t**2 + (1 - t) ** 2 / 2


@pytest.mark.parametrize("raters", [0, 7])
def test_agreement_is_that_of_a_slow_twin(raters):
    played = random_comparisons(8, 300, ties=0.2, seed=3)
    if raters:
        rng = np.random.default_rng(1)
        names = [played.items[side].tolist() for side in (played.left, played.right)]
        played = Comparisons.from_columns(
            *names, played.outcome, rater=rng.integers(raters, size=len(played))
        )
    found, (agreement, chance) = repeated_answers(played, level=0.95), slow(played)
    assert found.agreement.value == pytest.approx(agreement)
    assert found.chance == pytest.approx(chance)
    assert found.kappa.value == pytest.approx((agreement - chance) / (1 - chance))
    assert found.agreement.low < agreement < found.agreement.high
    assert found.by_raters == bool(raters)


def test_all_the_same_and_all_different():
    same = Comparisons.from_columns("abab", "baba", [1, 0, 1, 0], rater="wxyz")
    assert repeated_answers(same, level=0.95).kappa.value == 1
    assert repeated_answers(same, level=0.95).agreement.low is None  # one pair
    once = Comparisons.from_columns("abc", "bca", [1, 1, 1])
    assert repeated_answers(once, level=0.95) is None
    own = Comparisons.from_columns("abab", "baba", [1, 0, 1, 0], rater="xxxx")
    assert repeated_answers(own, level=0.95) is None


def test_it_stands_with_the_answer():
    played = random_comparisons(6, 200, ties=0.1, seed=1)
    result = pairs(played)
    assert "two answers to the same pair agree in" in " ".join(result.to_text(details=True).split())
    assert result.to_dict()["agreement"]["pairs"] == 15


def test_few_pairs_are_words_and_no_number():
    played = Comparisons.from_columns("abab", "baba", [1, 0, 1, 1])
    said = repeated_answers(played, level=0.95).sentence
    assert "1 pair of items compared more than once, too few to tell" in said
    assert "%" not in said


def test_one_comparison_is_too_few():
    result = pairs(Comparisons.from_columns("a", "b", [1]))
    assert result.to_text(details=True).startswith(
        "1 comparison is too few to tell which of 2 items is best."
    )


# The order of rows changes no digit: of ratings, ranks, intervals, Elo and verdicts.

PLAIN = random_comparisons(8, 160, ties=0.2, shift=0.3, raters=6, seed=3)
WEIGHTED = random_comparisons(8, 160, ties=0.2, shift=0.3, raters=6, weights=True, seed=3)
CROWD = simulate_comparisons(
    LabellingModel(items=30, raters=15, spammers=0.2, comparisons=300), seed=2
)[0]


def shuffled(comparisons, seed=0):
    return comparisons.select(np.random.default_rng(seed).permutation(len(comparisons)))


@pytest.mark.parametrize("data", [PLAIN, WEIGHTED], ids=["plain", "weighted"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"ties": "davidson", "position": True},
        {"bootstrap": 12},
        {"bootstrap": 12, "cluster": "rater", "ties": "rao-kupper"},
        {"method": EloMethod(epochs=7)},
        {"method": "elo", "bootstrap": 3},
        {"method": EloMethod(epochs=5), "bootstrap": 3, "cluster": "rater"},
        {"label": "quantile:0.7", "prior": 1.0, "bootstrap": 5},
    ],
    ids=str,
)
def test_pairs(data, options):
    assert pairs(shuffled(data), **options).to_dict() == pairs(data, **options).to_dict()


@pytest.mark.parametrize("options", [{"by_rater": True}, {"by_rater": "drop", "bootstrap": 5}])
def test_raters(options):
    one, two = pairs(CROWD, **options).to_dict(), pairs(shuffled(CROWD), **options).to_dict()
    assert one == two
    assert any(r["spammer"] for r in one["raters"])


def test_raters_in_groups_and_winners_first(monkeypatch):
    """Groups go by the names of raters, and sides are drawn by the content of comparisons."""
    monkeypatch.setattr(left_out_module, "MOST_FITS", 4)
    monkeypatch.setattr(left_out_module, "GROUPS", 4)
    turn = CROWD.outcome == 0
    first = replace(
        CROWD,
        left=np.where(turn, CROWD.right, CROWD.left),
        right=np.where(turn, CROWD.left, CROWD.right),
        outcome=np.where(turn, 1.0, CROWD.outcome),
    )
    for data in (CROWD, first):
        assert find_spammers(data) == find_spammers(shuffled(data))


def test_the_order_given_is_kept_where_it_is_asked_for():
    method = EloMethod(order="given", k=1.0)
    one, two = pairs(PLAIN, method=method), pairs(shuffled(PLAIN), method=method)
    assert [i.rating for i in one.items] != [i.rating for i in two.items]


def test_other_seeds_draw_other_samples():
    fit = bradley_terry(PLAIN)
    one, two = refit(PLAIN, fit, draws=2, seed=1), refit(shuffled(PLAIN), fit, draws=2, seed=2)
    assert not np.array_equal(one.ratings, two.ratings)


@given(st.integers(0, 1000))
@settings(max_examples=25)
def test_sorted_rows_are_the_same_rows_in_an_order_of_their_own(seed):
    data = random_comparisons(3, 30, ties=0.3, raters=2, weights=seed % 2 == 0, seed=seed)
    again = shuffled(data, seed)

    def rows(c):
        return list(zip(c.left, c.right, c.outcome, c.rater, c.weights, strict=True))

    assert rows(sort_rows(data)) == rows(sort_rows(again))
    assert sorted(rows(sort_rows(data))) == sorted(rows(data))


def test_sums_of_halves_are_exact_and_others_are_not():
    assert has_exact_sums(PLAIN)
    assert not has_exact_sums(WEIGHTED)
    assert has_exact_sums(replace(PLAIN, weight=np.full(len(PLAIN), 3.0)))
    assert not has_exact_sums(replace(PLAIN, outcome=np.full(len(PLAIN), 0.1)))


# Counts of equal answers give what the answers give one by one.


def answers(
    seed: int, n: int = 400, *, items: int = 6, raters: int | None = None, ties: bool = True
) -> Comparisons:
    rng = np.random.default_rng(seed)
    worth = rng.normal(size=items)
    left = rng.integers(0, items, n)
    right = (left + rng.integers(1, items, n)) % items
    odds = rng.logistic(size=n) + worth[left] - worth[right] + 0.3
    outcome = np.where(odds > 0, 1.0, 0.0)
    if ties:
        outcome[np.abs(odds) < 0.4] = 0.5
    who = None if raters is None else [f"r{one}" for one in rng.integers(0, raters, n)]
    return Comparisons.from_columns(left, right, outcome, rater=who)


def check(a: PairsResult, b: PairsResult, names: tuple[str, ...] = ("items", "fit")) -> None:
    one, two = a.to_dict(), b.to_dict()
    for name in (*names, "agreement", "data", "notes", "cautions", "warnings"):
        close(one[name], two[name], name)


def close(x: Any, y: Any, where: str) -> None:
    if isinstance(x, dict):
        assert x.keys() == y.keys(), where
        for key in x:
            close(x[key], y[key], f"{where}.{key}")
    elif isinstance(x, list):
        assert len(x) == len(y), where
        for number, (p, q) in enumerate(zip(x, y, strict=True)):
            close(p, q, f"{where}[{number}]")
    elif isinstance(x, float) and isinstance(y, float):
        assert x == pytest.approx(y, abs=1e-9, rel=1e-9, nan_ok=True), where
    else:
        assert x == y, where


@settings(max_examples=12, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(["half", "davidson", "rao-kupper"]),
    st.booleans(),
    st.sampled_from(["robust", "hessian"]),
)
def test_same_as_single_answers(seed: int, ties: str, position: bool, errors: str) -> None:
    played = answers(seed)
    asked: dict[str, Any] = {"ties": ties, "position": position}
    check(pairs(played, **asked), pairs(counted(played), **asked))
    one, two = (bradley_terry(each, **asked, errors=errors) for each in (played, counted(played)))
    assert one.items.tolist() == two.items.tolist()
    close(one.rating.tolist(), two.rating.tolist(), "ratings")
    close(one.standard_error.tolist(), two.standard_error.tolist(), "standard errors")


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["auto", "rater", "none", "prompt", "rater,prompt"]))
def test_clusters(seed: int, cluster: str) -> None:
    played = answers(seed, raters=8)
    prompt = np.random.default_rng(seed).integers(0, 10, len(played))
    played = replace(played, clusters={"prompt": prompt})
    check(pairs(played, cluster=cluster), pairs(counted(played), cluster=cluster))


def test_more_items_than_are_written_down(monkeypatch: pytest.MonkeyPatch) -> None:
    from headcount.pairwise import standard_errors as robust

    monkeypatch.setattr(robust, "EXACT", 3)
    for raters, cluster in ((None, "auto"), (8, "rater")):
        played = answers(5, raters=raters)
        check(pairs(played, cluster=cluster), pairs(counted(played), cluster=cluster))


def test_weights_are_not_counts() -> None:
    played = answers(3)
    played = replace(played, weight=np.random.default_rng(1).integers(1, 3, len(played)) / 2)
    check(pairs(played), pairs(counted(played)))
    heavy = replace(counted(played), weight=counted(played).weights, times=None)
    assert pairs(heavy).items[0].rating.low != pairs(played).items[0].rating.low


def test_same_draws() -> None:
    played = answers(7, raters=9)
    asked: dict[str, Any] = {"bootstrap": 40, "seed": 3, "cluster": "none"}
    one, two, three = (
        pairs(each, **asked) for each in (played, counted(played), counted(played, raters=False))
    )
    check(one, two)
    close(one.to_dict()["items"], three.to_dict()["items"], "items")


def test_what_needs_single_answers() -> None:
    played = counted(answers(1, raters=8))
    for options in ({"by_rater": True}, {"method": "elo"}):
        with pytest.raises((OptionError, DataError), match="one by one"):
            pairs(played, **options)
    with pytest.raises(DataError, match="added up"):
        find_spammers(played)
    assert repr(played) == repr(answers(1, raters=8))
