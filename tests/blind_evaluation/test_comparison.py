"""Methods compared with gold, and the figures of the paper, which a script of the studies makes."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, pearsonr, spearmanr

from headcount import DataError, Labels, OptionError
from headcount.blind_evaluation.metrics import METRICS, choose_metrics
from headcount.blind_evaluation.votes import collect, majority
from headcount.results.result import Page, page_text
from headcount.stats.ranks import kendall
from tests.blind_evaluation.cases import as_labels, naive_score, study

COMPARISON = study("blind_comparison")
Estimated, compare, compare_methods = (
    COMPARISON.Estimated,
    COMPARISON.compare,
    COMPARISON.compare_methods,
)
hotelling, pearson, spearman, swaps = (
    COMPARISON.hotelling,
    COMPARISON.pearson,
    COMPARISON.spearman,
    COMPARISON.swaps,
)

# Correlations, Hotelling's test, and methods compared with gold.

lists = st.integers(3, 12).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 5), min_size=n, max_size=n)] * 2)
)


@given(lists)
def test_correlations_are_those_of_scipy(pair):
    x, y = (np.array(values, dtype=float) / 7 for values in pair)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert np.isnan([pearson(x, y), spearman(x, y), kendall(x, y)]).all()
        return
    assert pearson(x, y) == pytest.approx(pearsonr(x, y).statistic, abs=1e-9)
    assert spearman(x, y) == pytest.approx(spearmanr(x, y).statistic, abs=1e-9)
    assert kendall(x, y) == pytest.approx(kendalltau(x, y).statistic, abs=1e-9)


@given(lists)
def test_swaps_by_counting(pair):
    x, y = pair
    wrong = [(x[i] - x[j]) * (y[i] - y[j]) < 0 for i in range(len(x)) for j in range(i + 1, len(x))]
    found = swaps(np.array(x, dtype=float), np.array(y, dtype=float))
    assert found == pytest.approx(100 * sum(wrong) / len(wrong))


def test_what_is_missing_in_one_list_is_left_out():
    x, y = np.array([1, 2, np.nan, 3, 4]), np.array([1, 3, 9, 2, np.nan])
    for measure in COMPARISON.MEASURES.values():
        assert measure(x, y) == pytest.approx(measure(np.array([1.0, 2, 3]), np.array([1.0, 3, 2])))


def test_the_example_of_the_paper():
    """Section 4.4: t = 2.378 and p = .02."""
    t, p = hotelling(0.73, 0.61, 0.66, 120)
    assert t == pytest.approx(2.3784, abs=5e-5)
    assert p == pytest.approx(0.0190, abs=5e-5)
    t, same = hotelling(0.61, 0.73, 0.66, 120)
    assert t == pytest.approx(-2.3784, abs=5e-5)
    assert same == p


def test_hotelling_has_the_right_size():
    """Two equally good estimates: 5% of tests reject; of 1,000, between 3% and 7%."""
    rng = np.random.default_rng(3)
    rejected = 0
    for _ in range(1000):
        x = rng.normal(size=12)
        y, z = x + rng.normal(size=12), x + rng.normal(size=12)
        rejected += hotelling(pearson(x, y), pearson(x, z), pearson(y, z), 12).p_value < 0.05
    assert 30 <= rejected <= 70


@pytest.mark.parametrize(
    ("given_", "why"),
    [
        ((0.5, 0.4, 0.3, 3), "4 cases"),
        ((1.0, 0.4, 0.4, 9), "1 or -1"),
        ((0.5, 0.5, 1.0, 9), "1 or -1"),
        ((float("nan"), 0.4, 0.4, 9), "undefined"),
        # Spearman's and Kendall's coefficients need not fit together as correlations do.
        ((0.9, -0.9, 0.9, 9), "determine each other"),
    ],
)
def test_no_test_says_why(given_, why):
    found = hotelling(*given_)
    assert np.isnan(found.t)
    assert np.isnan(found.p_value)
    assert why in found.undefined


NAMES = [f"c{k}" for k in range(30)]


def estimates(rng: np.random.Generator) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    actual = rng.uniform(0.5, 0.9, (2, 30))
    noisy = {
        name: actual + rng.normal(0, s, actual.shape)
        for name, s in {"near": 0.01, "middle": 0.1, "far": 0.8}.items()
    }
    return actual, noisy


def test_methods_are_ranked_by_the_tests():
    actual, noisy = estimates(np.random.default_rng(0))
    found = compare_methods(
        NAMES,
        ["accuracy", "recall"],
        Estimated(actual),
        {k: Estimated(v) for k, v in noisy.items()},
    )
    assert found.rank[:, :, 0].tolist() == [[1, 1], [2, 2], [3, 3]]
    for i, name in enumerate(noisy):
        for m in range(2):
            assert found.by_score[i, m, 0] == pytest.approx(
                pearsonr(actual[m], noisy[name][m]).statistic
            )
            # Without tests ranks are the order of scores.
            assert found.by_rank[i, m, 2] == pytest.approx(
                kendalltau(actual[m], noisy[name][m]).statistic
            )
            assert found.error[i, m] == pytest.approx(np.abs(actual[m] - noisy[name][m]).mean())
    first = found.tests[0]
    assert (first.metric, first.measure, first.one, first.two) == (
        "accuracy",
        "pearson",
        "near",
        "middle",
    )
    expected = hotelling(
        pearson(actual[0], noisy["near"][0]),
        pearson(actual[0], noisy["middle"][0]),
        pearson(noisy["near"][0], noisy["middle"][0]),
        30,
    )
    assert (first.t, first.p_value) == (expected.t, expected.p_value)
    # Three pairs of methods: Holm multiplies by 1, 2 or 3.
    assert first.p_value <= first.adjusted_p_value <= 3 * first.p_value
    assert len(found.tests) == 3 * 2 * 4


def test_ranks_with_ties_are_used_as_given():
    actual = np.array([[0.9, 0.8, 0.7, 0.6]])
    own = np.array([[0.6, 0.9, 0.8, 0.7]])
    ranks = np.array([[1.0, 1, 3, 3]]), np.array([[4.0, 1, 1, 1]])
    found = compare_methods(
        list("abcd"), ["accuracy"], Estimated(actual, ranks[0]), {"x": Estimated(own, ranks[1])}
    )
    # Pairs: a is wrongly below c and d; b is tied with c and d in the estimate; a-b tied actually.
    assert found.by_rank[0, 0, 3] == pytest.approx(100 * 2 / 6)
    assert found.by_score[0, 0, 3] == pytest.approx(100 * 3 / 6)
    assert found.measured[0, 0].tolist() == [
        found.by_score[0, 0, 0],
        *found.by_rank[0, 0, 1:].tolist(),
    ]
    predicted = {e.classifier: (e.place, e.actual, e.predicted["x"]) for e in found.extremes}
    assert predicted == {"a": (1, 1, 4), "b": (2, 1, 1), "c": (3, 3, 1), "d": (4, 3, 1)}


def test_a_perfect_method_is_not_tested():
    actual = np.array([[0.9, 0.8, 0.7, 0.6, 0.5]])
    other = np.array([[0.8, 0.9, 0.7, 0.5, 0.6]])
    found = compare_methods(
        list("abcde"),
        ["accuracy"],
        Estimated(actual),
        {"same": Estimated(actual), "x": Estimated(other)},
    )
    assert {test.undefined for test in found.tests} == {"a correlation is 1 or -1"}
    assert found.rank[:, 0].tolist() == [[1] * 4, [1] * 4]


def test_quality_of_labels_and_of_estimates():
    """Three methods, with quality in the order of their correlation: r of the two by hand."""
    actual, noisy = estimates(np.random.default_rng(0))
    quality = {"near": np.array([0.9, 0.8]), "middle": np.array([0.8, 0.7]), "far": np.zeros(2)}
    found = compare_methods(
        NAMES,
        ["accuracy", "recall"],
        Estimated(actual),
        {k: Estimated(v, quality=quality.get(k)) for k, v in noisy.items()},
    )
    good = [0.9, 0.8, 0.0]
    for place in range(4):
        expected = pearsonr(good, found.measured[:, 0, place]).statistic
        assert found.quality_correlation[0, place] == pytest.approx(expected)
    assert found.quality_correlation[0, 3] < 0  # swaps are errors
    text = page_text(Page([], COMPARISON.tables_of(found)))
    assert max(map(len, text.split("\n"))) <= 80
    assert "scored as a labelling" in text
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["methods"]["near"]["labelling_quality"] == {"accuracy": 0.9, "recall": 0.8}
    assert document["methods"]["far"]["scores"]["recall"]["kendall"] == found.by_score[2, 1, 2]
    # Two methods determine a line, which says nothing.
    del quality["far"]
    few = compare_methods(
        NAMES,
        ["accuracy", "recall"],
        Estimated(actual),
        {k: Estimated(v, quality=quality.get(k)) for k, v in noisy.items()},
    )
    assert np.isnan(few.quality_correlation).all()
    json.dumps(few.to_dict(), allow_nan=False)


@given(st.integers(0, 10**6))
def test_labelling_quality_by_counting(seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 2, (15, 4))
    gold = {i: str(rng.integers(2)) for i in range(15) if rng.random() < 0.7 or i == 0}
    votes = collect(as_labels(table, 2), gold=gold, folds=1)
    metrics = choose_metrics(votes.labels)
    found = COMPARISON.labelling_quality(votes, majority(votes), metrics)
    pairs = []
    for i, label in gold.items():
        yes = table[i].sum()
        share = 1.0 if yes > 2 else 0.5 if yes == 2 else 0.0
        pairs += [(share, int(label), 1), (1 - share, int(label), 0)]
    expected = [naive_score(pairs, metric, 1) for metric in METRICS]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_scores_of_the_wrong_size():
    with pytest.raises(DataError, match="1 x 3"):
        compare_methods(["a", "b"], ["accuracy"], Estimated(np.zeros((1, 3))), {})


# The figures of the paper: thresholds, methods by metric, quality against correlation.

DRAWN_METHODS = ["majority", "em", "consensus", "round-robin"]


@pytest.fixture(scope="module")
def judged():
    rng = np.random.default_rng(1)
    truth = rng.random(120) < 0.4
    right = rng.random((120, 5)) < [0.9, 0.85, 0.75, 0.7, 0.6]
    said = np.where(right, truth[:, None], ~truth[:, None]).astype(int)
    items, who = np.indices(said.shape).reshape(2, -1)
    labels = Labels.from_triples(items, who, said.ravel())
    return labels, {i: int(y) for i, y in enumerate(truth)}, said, truth


@pytest.fixture(scope="module")
def comparison(judged):
    labels, gold, *_ = judged
    return compare(labels, gold, bootstrap=0, methods=DRAWN_METHODS)


def test_the_curve_is_the_majority_item_by_item(judged):
    labels, gold, said, truth = judged
    votes = collect(labels, gold={i: str(y) for i, y in gold.items()})
    metrics = choose_metrics(votes.labels, names=["accuracy", "recall"])
    found = COMPARISON.threshold_curve(votes, metrics)
    for t, (accuracy, recall) in zip(found.threshold, found.quality.T, strict=True):
        share = said.mean(axis=1)
        positive = (share > t + 1e-9) + 0.5 * (np.abs(share - t) < 1e-9)
        assert accuracy == pytest.approx(np.where(truth, positive, 1 - positive).mean())
        assert recall == pytest.approx(positive[truth].mean())


def test_the_middle_of_the_curve_is_the_quality_of_the_majority(comparison):
    at = list(comparison.threshold.threshold).index(0.5)
    assert comparison.threshold.quality[:, at] == pytest.approx(comparison.quality["majority"])


def test_figures_hold_what_the_comparison_says(comparison):
    axes = COMPARISON.plot_threshold(comparison)
    assert [line.get_label() for line in axes.get_lines() if line.get_label()[0] != "_"] == list(
        comparison.metrics
    )
    panels = COMPARISON.plot_methods(comparison).axes
    titles = [axes.get_title() for axes in panels]
    assert titles == ["Pearson's r", "Spearman's rho", "Kendall's tau"]
    drawn = panels[0].get_lines()[0].get_xdata()
    assert drawn == pytest.approx(comparison.measured[:, 0, 0], nan_ok=True)
    assert "correlation" in COMPARISON.plot_quality(comparison).get_xlabel()


def test_what_cannot_be_drawn_is_said():
    doubled = Labels.from_triples(
        [i for i in range(30) for _ in range(3)], list("xyz") * 30, list("abcabcbca") * 10
    )
    gold = dict.fromkeys(range(15), "a") | {20: "b", 21: "c"}
    found = compare(doubled, gold, bootstrap=0, methods=["majority", "em"])
    assert found.threshold is None
    with pytest.raises(OptionError, match="two labels"):
        COMPARISON.plot_threshold(found)
    with pytest.raises(OptionError, match="three methods"):
        COMPARISON.plot_quality(found)


def test_the_script_prints_tables_and_draws_figures(judged, tmp_path, monkeypatch, capsys):
    _, gold, said, _ = judged
    votes, known = tmp_path / "votes.csv", tmp_path / "gold.csv"
    rows = [",".join(map(str, [i, *row])) for i, row in enumerate(said)]
    votes.write_text("\n".join(["item,a,b,c,d,e", *rows]) + "\n")
    known.write_text("\n".join(["item,label", *(f"{i},{y}" for i, y in gold.items())]) + "\n")
    given = [str(votes), str(known), "--bootstrap", "0", "--figures", str(tmp_path)]
    monkeypatch.setattr("sys.argv", ["blind_comparison.py", *given])
    COMPARISON.main()
    out = capsys.readouterr().out
    words = ("Estimates compared with gold", "Pearson's r", "Kendall's tau", "Swaps", "Mean error")
    assert all(each in out for each in words)
    assert max(map(len, out.split("\n"))) <= 80
    assert len(list(tmp_path.glob("*.png"))) == 3
