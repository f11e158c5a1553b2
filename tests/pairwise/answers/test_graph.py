from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from headcount.data.comparisons import Comparisons
from headcount.pairwise.answers import graph as graph_module
from headcount.pairwise.answers.graph import components, graph_sentences, win_graph


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
    from headcount.io.comparisons.comparisons import read_comparisons

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
