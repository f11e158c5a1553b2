"""The alternative annotator test against hand-worked values, plain loops and what must hold."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from headcount import DataError, Labels, OptionError, Predictions, Scale, alt_test, running_example
from headcount.data.predictions import Score
from headcount.equivalence.alt_test import adjust


def t_tail_3(t: float) -> float:
    """Left tail of Student's t with 3 degrees of freedom, from its closed form."""
    x = t / math.sqrt(3)
    return 0.5 + (x / (1 + x * x) + math.atan(x)) / math.pi


def ratings(matrix, **options) -> Labels:
    """Labels from one row an item and one column a rater; None is missing."""
    rows = [(i, f"r{j}", y) for i, row in enumerate(matrix) for j, y in enumerate(row) if y]
    return Labels.from_triples(*zip(*rows, strict=True), **options)


def judge(answers, name="judge") -> Predictions:
    return Predictions.from_labels(range(len(answers)), {name: answers})


TINY = [["y", "y", "n"], ["y", "n", "n"], ["y", "y", "y"], ["n", "n", "y"]]


def test_hand_worked_example():
    """Three raters, four items; W^h - W^f is (0, -1, 1, 0), (0, 0, 1, 0) and (-1, 0, 1, -1)."""
    result = alt_test(ratings(TINY), judge(["y", "n", "n", "n"]), epsilon=0.2, min_items=4)
    (c,) = result.classifiers
    assert [(r.rater, r.items, r.rho_f, r.rho_h) for r in c.raters] == [
        ("r0", 4, 0.75, 0.75),
        ("r1", 4, 0.75, 1.0),
        ("r2", 4, 0.75, 0.5),
    ]
    # Means 0, 1/4, -1/4 and sums of squares 2, 3/4, 11/4 about them; 4 items, 3 degrees of freedom.
    p = [
        t_tail_3((mean - 0.2) / math.sqrt(square / 3 / 4))
        for mean, square in [(0, 2), (0.25, 0.75), (-0.25, 2.75)]
    ]
    assert [r.p_value for r in c.raters] == pytest.approx(p, abs=1e-12)
    # 1 + 1/2 + 1/3 = 11/6, so times 3 * 11/6 = 5.5 and divided by the rank: p = .208, .329, .573
    # become 1.14, .90 and 1.05; the first may not exceed the second, and none exceeds 1.
    assert [r.adjusted_p_value for r in c.raters] == pytest.approx([2.75 * p[0], 1, 2.75 * p[0]])
    assert (c.winning_rate, c.advantage_probability, c.passes) == (0, 0.75, False)
    assert (c.won, c.needed) == (0, 2)
    assert "2 more raters must be won" in c.change


def test_hand_worked_adjustment():
    # Six p-values; 1 + 1/2 + ... + 1/6 = 2.45, so the k-th smallest is multiplied by 14.7 / k.
    p = np.array([0.3, 0.002, 0.01, 0.9, 0.011, 0.04])
    expected = [0.882, 0.0294, 0.0539, 1, 0.0539, 0.147]
    assert adjust(p) == pytest.approx(expected, abs=1e-12)
    assert adjust(np.array([0.02])) == pytest.approx([0.02])


def naive(matrix, choices, labels, scorer, epsilon, q, min_items):
    """Follow the paper with loops over items, raters and pairs, in fractions where it can."""
    from scipy.stats import ttest_1samp

    def score(answer, others):
        if scorer == "agreement":
            return Fraction(sum(answer == other for other in others), len(others))
        # Minus the mean squared error orders answers as minus its root does.
        squares = [(Fraction(answer) - Fraction(other)) ** 2 for other in others]
        return -sum(squares, Fraction(0)) / len(others)

    rows = {}
    for j in range(len(matrix[0])):
        f_wins, h_wins = [], []
        for row, options in zip(matrix, choices, strict=True):
            others = [y for k, y in enumerate(row) if k != j and y]
            if row[j] is None or not others:
                continue
            mine = score(row[j], others)
            scores = [score(labels[option], others) for option in options]
            f_wins.append(Fraction(sum(s >= mine for s in scores), len(scores)))
            h_wins.append(Fraction(sum(s <= mine for s in scores), len(scores)))
        if len(f_wins) < min_items:
            continue
        d = [h - f for h, f in zip(h_wins, f_wins, strict=True)]
        if len(set(d)) == 1:
            p = float(d[0] >= epsilon)
        else:
            p = ttest_1samp([float(x) for x in d], epsilon, alternative="less").pvalue
        n = len(d)
        rows[f"r{j}"] = (n, float(sum(f_wins) / n), float(sum(h_wins) / n), p)
    ordered = sorted(p for *_, p in rows.values())
    m = len(ordered)
    harmonic = sum(1 / i for i in range(1, m + 1))
    last = max((i for i in range(1, m + 1) if ordered[i - 1] <= i * q / m / harmonic), default=0)
    return rows, last / m if m else math.nan


@st.composite
def studies(draw):
    labels = draw(st.sampled_from([("1", "2", "3"), ("0.1", "0.2", "0.4"), ("-1", "5")]))
    raters = draw(st.integers(2, 5))
    items = draw(st.integers(4, 12))
    answer = st.one_of(st.none(), st.sampled_from(labels), st.sampled_from(labels))
    row = st.lists(answer, min_size=raters, max_size=raters)
    option = st.sets(st.integers(0, len(labels) - 1), min_size=1, max_size=len(labels))
    matrix = draw(st.lists(row, min_size=items, max_size=items))
    choices = draw(st.lists(option.map(sorted), min_size=items, max_size=items))
    return labels, matrix, choices


@given(
    study=studies(),
    scorer=st.sampled_from(["agreement", "rmse"]),
    epsilon=st.sampled_from([0.0, 0.1, 0.3]),
    q=st.sampled_from([0.05, 0.4]),
    min_items=st.integers(2, 4),
)
@settings(max_examples=150)
def test_same_as_loops_over_raters_and_pairs(study, scorer, epsilon, q, min_items):
    labels, matrix, choices = study
    rows, omega = naive(matrix, choices, labels, scorer, epsilon, q, min_items)
    assume(len(rows) >= 2)
    assume(len({y for row in matrix for y in row if y}) > 1)
    table = np.array([[(k in c) / len(c) for k in range(len(labels))] for c in choices])
    result = alt_test(
        ratings(matrix, scale=Scale(labels)),
        Predictions.from_probabilities(range(len(matrix)), labels, {"judge": table}),
        epsilon=epsilon,
        q=q,
        scorer=scorer,
        min_items=min_items,
    )
    (c,) = result.classifiers
    assert {r.rater for r in c.raters} == set(rows)
    for r in c.raters:
        n, rho_f, rho_h, p = rows[r.rater]
        assert r.items == n
        # Sums of at most 12 shares, and a t distribution from another function of scipy.
        assert (r.rho_f, r.rho_h) == pytest.approx((rho_f, rho_h), abs=1e-12)
        assert r.p_value == pytest.approx(p, abs=1e-9)
    assert c.winning_rate == pytest.approx(omega)
    assert c.passes == (omega >= 0.5)


@pytest.fixture(scope="module")
def example():
    return running_example(150, 5, seed=3)


def numbers(result):
    return [
        (c.name, c.passes_from, sorted((r.rater, r.rho_f, r.rho_h, r.p_value) for r in c.raters))
        for c in result.classifiers
    ]


def test_order_of_items_and_names_of_raters_and_labels_do_not_matter(example):
    labels, predictions = example
    expected = alt_test(labels, predictions, epsilon=0.1)
    order = np.random.default_rng(0).permutation(len(labels))
    new_names = np.array([f"x{j}" for j in (3, 1, 4, 0, 2)])
    text = np.array(["zebra", "ant"])  # sorted the other way round than cat and dog
    again = Labels.from_triples(
        labels.items[labels.item][order], new_names[labels.rater][order], text[labels.label][order]
    )
    turned = np.random.default_rng(1).permutation(len(predictions.items))
    moved = Predictions.from_probabilities(
        predictions.items[turned],
        text.tolist(),
        {c.name: c.probability[turned] for c in predictions.classifiers},
    )
    result = alt_test(again, moved, epsilon=0.1)
    back = dict(zip(new_names.tolist(), labels.raters.tolist(), strict=True))
    for old, new in zip(expected.classifiers, result.classifiers, strict=True):
        assert new.passes_from == pytest.approx(old.passes_from, abs=1e-9)
        rows = {back[r.rater]: r for r in new.raters}
        for r in old.raters:
            assert rows[r.rater].rho_f == pytest.approx(r.rho_f)
            assert rows[r.rater].adjusted_p_value == pytest.approx(r.adjusted_p_value)


@pytest.mark.parametrize("missing", [0, 0.3])
def test_the_plurality_of_all_raters_is_never_beaten(missing):
    """Whoever disagrees with the plurality has fewer others on their side than it has."""
    rng = np.random.default_rng(4)
    matrix = rng.choice(np.array(["a", "b", "c"], dtype=object), (100, 5))
    matrix[rng.random(matrix.shape) < missing] = None
    matrix[:, :2] = rng.choice(["a", "b", "c"], (100, 2))
    answers = []
    for row in matrix:
        given = [y for y in row if y]
        answers.append(max(given, key=given.count))
    result = alt_test(ratings(matrix.tolist()), judge(answers), epsilon=0)
    (c,) = result.classifiers
    assert c.advantage_probability == 1
    assert (c.winning_rate, c.passes) == (1, True)
    assert c.passes_from < 0
    assert c.change == "passes even at epsilon 0"


def test_a_judge_that_is_one_of_the_raters_ties_with_that_rater(example):
    labels, _ = example
    own = labels.label[labels.rater == 2]
    copy = judge(np.array(labels.scale.labels)[own].tolist())
    result = alt_test(labels, copy, epsilon=0.1)
    row = result["judge"].raters[2]
    assert (row.rater, row.rho_f, row.rho_h) == ("rater_3", 1, 1)
    assert (row.p_value, row.won) == (0, True)
    # At epsilon 0 'as good' is not 'better', and without spread there is no doubt about it.
    row = alt_test(labels, copy, epsilon=0)["judge"].raters[2]
    assert (row.p_value, row.won) == (1, False)


def test_the_verdict_changes_where_it_says(example):
    labels, predictions = example
    rng = np.random.default_rng(7)
    worse = np.where(rng.random(150) < 0.25, "dog", "cat").tolist()
    found = alt_test(labels, predictions + judge(worse), epsilon=0.1).classifiers
    inside = [c for c in found if 0 < c.passes_from < 1]
    assert {c.name for c in inside} >= {"hard", "judge"}
    for c in inside:
        below, above = (
            alt_test(labels, predictions + judge(worse), epsilon=c.passes_from + step)[c.name]
            for step in (-1e-9, 1e-9)
        )
        assert (below.passes, above.passes) == (False, True)
        assert below.passes_from == above.passes_from == c.passes_from
        assert c.passes == (c.epsilon >= c.passes_from)


def test_the_words_never_contradict_the_verdict(example):
    labels, predictions = example
    limit = alt_test(labels, predictions, epsilon=0.1)["hard"].passes_from
    for epsilon in (limit - 1e-5, limit + 1e-5):
        c = alt_test(labels, predictions, epsilon=epsilon)["hard"]
        shown = float(c.change.split("epsilon ")[1].split()[0])
        assert c.passes == (epsilon >= shown)
        assert shown >= limit


def test_p_values_fall_as_epsilon_grows(example):
    steps = [alt_test(*example, epsilon=e)["hard"].raters for e in np.arange(0, 1, 0.05)]
    p = np.array([[r.p_value for r in raters] for raters in steps])
    assert (np.diff(p, axis=0) <= 0).all()


def test_a_judge_like_another_rater_passes_and_a_random_one_fails():
    """With 1,000 items the standard error of a difference is near .02, far below epsilon .1."""
    drawn, _ = running_example(1000, 7, seed=11)
    names = np.array(drawn.scale.labels)
    is_judge = drawn.rater == 6
    five = drawn.rater < 5
    labels = replace(
        drawn,
        item=drawn.item[five],
        rater=drawn.rater[five],
        label=drawn.label[five],
        raters=drawn.raters[:5],
    )
    coin = np.random.default_rng(2).integers(0, 2, 1000)
    predictions = judge(names[drawn.label[is_judge]], "peer") + judge(names[coin], "coin")
    result = alt_test(labels, predictions, epsilon=0.1)
    assert result["peer"].winning_rate == 1
    assert result["coin"].winning_rate == 0
    peer = result["peer"]
    # Drawn alike, judge and rater are exchangeable.
    for r in peer.raters:
        assert r.rho_f == pytest.approx(r.rho_h, abs=0.08)


def test_false_wins_are_rare_at_the_margin():
    """A judge that is worse by exactly epsilon seldom wins."""
    rng = np.random.default_rng(5)
    wins = 0
    for _ in range(200):
        # Both raters always say a; the judge says b with probability .2 and then loses to both.
        says = np.where(rng.random(60) < 0.2, "b", "a")
        matrix = [["a", "a"] for _ in range(60)]
        labels = ratings([*matrix, ["b", None]])
        (c,) = alt_test(labels, judge([*says, "a"]), epsilon=0.2).classifiers
        wins += c.won > 0
    # The two tests are the same here, so the level is q / 1.5 = 3.3% but for the skewness of d.
    assert wins / 200 <= 0.1


def test_raters_with_few_items_are_not_tested_but_still_count(example):
    labels, predictions = example
    few = (labels.rater < 4) | (labels.item < 20)
    cut = replace(labels, item=labels.item[few], rater=labels.rater[few], label=labels.label[few])
    result = alt_test(cut, predictions, epsilon=0.1)
    assert [r.rater for r in result["hard"].raters] == [f"rater_{j}" for j in (1, 2, 3, 4)]
    assert result.left_out == ("rater_5",)
    assert any("1 rater with fewer than 30 items not tested: 'rater_5'" in n for n in result.notes)
    assert "1 more with fewer than 30 items" in repr(result)
    without = labels.rater < 4
    other = replace(
        labels, item=labels.item[without], rater=labels.rater[without], label=labels.label[without]
    )
    assert numbers(alt_test(other, predictions, epsilon=0.1)) != numbers(result)
    with_all = alt_test(cut, predictions, epsilon=0.1, min_items=20)
    assert len(with_all["hard"].raters) == 5
    assert any("1 rater tested on fewer than 30 items" in note for note in with_all.notes)


def test_items_rated_once_or_not_predicted_are_left_out_and_counted(example):
    labels, predictions = example
    once = (labels.item >= 10) | (labels.rater == 0)
    cut = replace(
        labels, item=labels.item[once], rater=labels.rater[once], label=labels.label[once]
    )
    result = alt_test(cut, predictions, epsilon=0.1)
    assert (result.provenance.items_used, result.provenance.items_dropped) == (140, 10)
    assert any("10 items with a single rating left out" in note for note in result.notes)
    assert {r.items for r in result["hard"].raters} == {140}
    partly = predictions + judge([None] * 30 + ["cat"] * 120)
    result = alt_test(labels, partly, epsilon=0.1)
    assert (result.provenance.items_used, result.provenance.items_dropped) == (120, 30)
    assert any("30 rated items not predicted by every classifier" in n for n in result.notes)
    assert {r.items for c in result.classifiers for r in c.raters} == {120}


def test_two_raters_are_enough_but_noted():
    labels, predictions = running_example(50, 2, seed=1)
    result = alt_test(labels, predictions, epsilon=0.1)
    assert any("only 2 raters tested" in note for note in result.notes)
    assert result["hard"].needed == 1


def test_forms(example):
    result = alt_test(*example, epsilon=0.1)
    document = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert document == result.to_dict()
    assert {
        "epsilon",
        "q",
        "scorer",
        "min_items",
        "classifiers",
        "items",
        "raters_left_out",
        "notes",
    } <= document.keys()
    assert document["data"]["items"] == document["items"] == {"used": 150, "dropped": 0}
    assert (document["data"]["ratings"], document["data"]["raters"]) == (750, 5)
    first = document["classifiers"][0]
    assert (first["name"], first["passes"]) == ("hard", result["hard"].passes)
    assert first["raters"][0]["rater"] == "rater_1"
    assert max(map(len, repr(result).splitlines())) <= 80
    with pytest.raises(OptionError, match="did you mean 'hard'"):
        result["hrad"]


def test_whole_number_rater_names_stay_numbers():
    rows = [(i, j, "yn"[(i * j) % 2]) for i in range(40) for j in range(3)]
    labels = Labels.from_triples(*zip(*rows, strict=True))
    result = alt_test(labels, judge(["y"] * 40), epsilon=0.1)
    assert [r.rater for r in result["judge"].raters] == [0, 1, 2]
    json.dumps(result.to_dict())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": -0.1}, r"epsilon .* from 0 to below 1, such as .* not -0\.1"),
        ({"epsilon": 1}, "below 1, .* crowd workers, not 1"),
        ({"epsilon": math.nan}, "not nan"),
        ({"epsilon": 0.1, "q": 0}, "q must be a number above 0 and below 0.5"),
        ({"epsilon": 0.1, "min_items": 1}, "min_items must be a whole number of at least 2"),
        ({"epsilon": 0.1, "scorer": "agreemnt"}, "did you mean 'agreement'"),
        ({"epsilon": 0.1, "scorer": "rmse"}, "needs labels that are numbers.*'cat', 'dog'"),
    ],
)
def test_options_that_cannot_be_served(example, options, message):
    with pytest.raises(OptionError, match=message):
        alt_test(*example, **options)


def test_data_that_cannot_be_used(example):
    labels, predictions = example
    anonymous = Labels.from_triples(labels.item, range(len(labels)), labels.label)
    numbered = judge((np.arange(150) % 2).tolist())
    with pytest.raises(
        DataError, match=r"no rater has, of 750 raters \(the most is 1 item\).*rater=\.\.\."
    ):
        alt_test(anonymous, numbered, epsilon=0.1)
    one = (labels.rater == 0) | (labels.item % 4 == labels.rater - 1)
    single = replace(
        labels, item=labels.item[one], rater=labels.rater[one], label=labels.label[one]
    )
    with pytest.raises(DataError, match=r"only 1 rater has.*150 items.*collect more ratings"):
        alt_test(single, predictions, epsilon=0.1, min_items=40)
    with pytest.raises(DataError, match="every rating is 'cat', so nobody can be better"):
        alt_test(replace(labels, label=0 * labels.label), predictions, epsilon=0.1)
    with pytest.raises(DataError, match="no rated item is predicted by every classifier"):
        alt_test(
            labels, judge([None] * 149 + ["cat"]) + judge(["cat"] + [None] * 149, "b"), epsilon=0
        )
    with pytest.raises(DataError, match="no item is in both"):
        alt_test(labels, Predictions.from_labels(["x"], {"judge": ["cat"]}), epsilon=0.1)
    with pytest.raises(DataError, match="no classifier to test"):
        alt_test(labels, Predictions.from_labels(range(150), {}), epsilon=0.1)


# --- the scorer that fits the scale, scores, and labels that no rater uses ------------------------


@pytest.mark.parametrize("name", ["cebab_stars", "10k_prompts", "lgbteen"])
def test_published_winning_rates_by_the_default_scorer(data_folder, golden, name):
    """What the authors' own program gives, to the four digits that it was written down with."""
    expected = golden("alt_test")[name]
    folder = data_folder / "survey" / "judges"
    files = folder / f"{name}_ratings.csv", folder / f"{name}_judges.csv"
    result = alt_test(*files, epsilon=expected["epsilon"])
    assert result.scorer == expected["scorer"]
    for classifier, (omega, rho) in expected["classifiers"].items():
        assert result[classifier].winning_rate == pytest.approx(omega, abs=5e-5)
        assert result[classifier].advantage_probability == pytest.approx(rho, abs=5e-5)


STARS = [["1", "2", "3"], ["5", "5", "3"], ["2", "3", "4"], ["4", "4", "5"]]


def test_numbers_are_compared_as_numbers_unless_they_are_names():
    judged = judge(["2", "4", "3", "4"])
    default = alt_test(ratings(STARS), judged, epsilon=0.2, min_items=4)
    assert default.scorer == default.to_dict()["scorer"] == "rmse"
    assert "closeness is measured by rmse" in str(default)
    names = alt_test(ratings(STARS), judged, epsilon=0.2, min_items=4, scale="nominal")
    assert names.scorer == "agreement"
    two = ratings([["0", "1", "0"]] * 4)
    assert alt_test(two, judge(["0"] * 4), epsilon=0.2, min_items=4).scorer == "agreement"
    words = [["low", "mid", "high"]] * 4
    scale = Scale(("low", "mid", "high"), kind="ordinal")
    ranked = alt_test(ratings(words, scale=scale), judge(["mid"] * 4), epsilon=0.2, min_items=4)
    assert ranked.scorer == "rmse"
    with pytest.raises(OptionError, match="needs labels that are numbers"):
        alt_test(ratings(words), judge(["mid"] * 4), epsilon=0.2, scale="interval")


def test_scores_are_compared_as_the_numbers_they_are():
    """2.5 is nearer to (1, 2) than 3 is, and 3.5 to (5, 3) than 5 is."""
    said = Predictions(
        items=np.arange(4),
        labels=(),
        classifiers=(),
        scores=(Score("j", np.array([2.5, 4, 3, 4.5])),),
    )
    result = alt_test(ratings(STARS), said, epsilon=0.2, min_items=4)
    (c,) = result.classifiers
    errors = []
    for j in range(3):
        wins = []
        for row, own in zip(STARS, [2.5, 4, 3, 4.5], strict=True):
            others = [float(y) for k, y in enumerate(row) if k != j]
            mine = sum((float(row[j]) - y) ** 2 for y in others)
            its = sum((own - y) ** 2 for y in others)
            wins.append(its <= mine)
        errors.append(np.mean(wins))
    assert [r.rho_f for r in c.raters] == pytest.approx(errors)
    with pytest.raises(DataError, match=r"'j' never gives a label .* scorer 'agreement' cannot"):
        alt_test(ratings(TINY), said, epsilon=0.2, min_items=4)


def test_a_label_that_no_rater_uses_agrees_with_nobody():
    answers = ["y", "can't tell", "n", "n"]
    odd = alt_test(ratings(TINY), judge(answers), epsilon=0.2, min_items=4)
    assert any("no rater says 'can't tell'" in note for note in odd.notes)
    # On the second item (y, n, n) the first rater agrees with nobody either: a tie.
    assert [r.rho_f for r in odd["judge"].raters] == [0.75, 0.5, 0.5]
    spelt = alt_test(ratings(TINY), judge(["Y", "y", "n", "n"]), epsilon=0.2, min_items=4)
    assert any("'Y' ('y'?)" in note and note.severity == "warning" for note in spelt.notes)
    foreign = judge(["good", "bad", "bad", "good"], "other") + judge(answers)
    with pytest.raises(DataError, match="'other' uses none of the raters' labels"):
        alt_test(ratings(TINY), foreign, epsilon=0.2, min_items=4)
    numbers = alt_test(ratings(STARS), judge(["2", "N A", "3", "4"]), epsilon=0.2, min_items=4)
    assert all(r.rho_f <= 0.75 for r in numbers["judge"].raters)  # never as close as a number
