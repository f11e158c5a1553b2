"""The figures of the paper: thresholds, methods by metric, quality against correlation."""

from __future__ import annotations

import numpy as np
import pytest

from headcount import Labels, OptionError, blind
from headcount.blind_evaluation.comparison.threshold import threshold_curve
from headcount.blind_evaluation.figures import plot_methods, plot_quality, plot_threshold
from headcount.blind_evaluation.metrics import choose_metrics
from headcount.blind_evaluation.plot import draw
from headcount.blind_evaluation.votes import collect

METHODS = ["majority", "em", "consensus", "round-robin"]


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
    return blind(labels, gold=gold, compare=True, bootstrap=0, methods=METHODS).comparison


def test_the_curve_is_the_majority_item_by_item(judged):
    labels, gold, said, truth = judged
    votes = collect(labels, gold={i: str(y) for i, y in gold.items()})
    found = threshold_curve(votes, choose_metrics(votes.labels, names=["accuracy", "recall"]))
    for t, (accuracy, recall) in zip(found.threshold, found.quality.T, strict=True):
        share = said.mean(axis=1)
        positive = (share > t + 1e-9) + 0.5 * (np.abs(share - t) < 1e-9)
        assert accuracy == pytest.approx(np.where(truth, positive, 1 - positive).mean())
        assert recall == pytest.approx(positive[truth].mean())


def test_the_middle_of_the_curve_is_the_quality_of_the_majority(comparison):
    at = list(comparison.threshold.threshold).index(0.5)
    assert comparison.threshold.quality[:, at] == pytest.approx(comparison.quality["majority"])


def test_figures_hold_what_the_comparison_says(comparison):
    axes = plot_threshold(comparison)
    assert [line.get_label() for line in axes.get_lines() if line.get_label()[0] != "_"] == list(
        comparison.metrics
    )
    panels = plot_methods(comparison).axes
    titles = [axes.get_title() for axes in panels]
    assert titles == ["Pearson's r", "Spearman's rho", "Kendall's tau"]
    drawn = panels[0].get_lines()[0].get_xdata()
    assert drawn == pytest.approx(comparison.measured[:, 0, 0], nan_ok=True)
    assert "correlation" in plot_quality(comparison).get_xlabel()


def test_what_cannot_be_drawn_is_said():
    doubled = Labels.from_triples(
        [i for i in range(30) for _ in range(3)], list("xyz") * 30, list("abcabcbca") * 10
    )
    found = blind(
        doubled,
        gold=dict.fromkeys(range(15), "a") | {20: "b", 21: "c"},
        compare=True,
        bootstrap=0,
        methods=["majority", "em"],
    ).comparison
    assert found.threshold is None
    with pytest.raises(OptionError, match="two labels"):
        plot_threshold(found)
    with pytest.raises(OptionError, match="three methods"):
        plot_quality(found)


def test_overlap_is_printed_on_request(judged):
    from dataclasses import replace

    labels, *_ = judged
    found = blind(labels, bootstrap=0, methods=METHODS)
    assert "Overlap (Jaccard)" not in str(found)
    shown = replace(found, overlap_shown=True)
    assert "Overlap (Jaccard)" in str(shown)
    first, second = (c.name for c in found.classifiers[:2])
    place = {name: k for k, name in enumerate(found.diagnostics.classifiers)}
    value = found.diagnostics.overlap.jaccard[place[first], place[second]]
    assert f"2 {second}" in str(shown)
    assert f"{value:.2f}" in str(shown)


def test_long_names_stay_apart_beside_every_plot():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, (60, 1))
    said = np.where(rng.random((60, 4)) < 0.8, truth, 1 - truth)
    votes = {"item": list(range(60))} | {
        f"organisation/model-70B-prompt-{k}-at-temperature-0.7": said[:, k].tolist()
        for k in range(4)
    }
    figure = draw(blind(votes, bootstrap=0))
    for axes in figure.axes:
        names = [text.get_text() for text in axes.get_yticklabels()]
        assert len(set(names)) == len(names)


def test_too_few_items_are_words_in_a_plot_too():
    votes = {"item": [1, 2], "a": ["x", "y"], "b": ["x", "y"], "c": ["x", "y"]}
    result = blind(votes, bootstrap=0)
    (axes,) = draw(result).axes
    assert "2 items are too few" in axes.texts[0].get_text()
    assert not axes.lines
    assert not result.plot().lines


def test_scores_by_every_explanation_are_drawn():
    """Three of five share a base: hard items would explain it as well."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 300)
    said = np.where(rng.random((300, 5)) < 0.82, truth[:, None], 1 - truth[:, None])
    base = np.where(rng.random(300) < 0.72, truth, 1 - truth)
    said[:, :3] = np.where(rng.random((300, 3)) < 0.75, base[:, None], said[:, :3])
    votes = {"item": list(range(300))} | {f"c{k}": said[:, k].tolist() for k in range(5)}
    result = blind(votes, bootstrap=0)
    assert result.by_explanations
    assert result.explanations is not None
    assert len(result.explanations.found) > 1
    texts = [text.get_text() for text in result.plot().get_legend().get_texts()]
    assert len(texts) == len(result.explanations.found)
    assert "if c0, c1 and c2 err together" in texts
