"""What is drawn of an evaluation, and what is printed on request."""

from __future__ import annotations

import numpy as np

from headcount import blind, consensus
from headcount.blind_evaluation.plot import plot_residuals


def test_long_names_stay_apart_beside_every_plot():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, (60, 1))
    said = np.where(rng.random((60, 4)) < 0.8, truth, 1 - truth)
    votes = {"item": list(range(60))} | {
        f"organisation/model-70B-prompt-{k}-at-temperature-0.7": said[:, k].tolist()
        for k in range(4)
    }
    result = blind(votes, bootstrap=0)
    for axes in (result.plot(), plot_residuals(result), consensus(votes).plot()):
        names = [text.get_text() for text in axes.get_yticklabels()]
        assert len(set(names)) == len(names)


def test_too_few_items_are_words_in_a_plot_too():
    votes = {"item": [1, 2], "a": ["x", "y"], "b": ["x", "y"], "c": ["x", "y"]}
    result = blind(votes, bootstrap=0)
    axes = result.plot()
    assert "2 items are too few" in axes.texts[0].get_text()
    assert not axes.lines


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
    assert len(result.explanations.explanations) > 1
    texts = [text.get_text() for text in result.plot().get_legend().get_texts()]
    assert len(texts) == len(result.explanations.explanations)
    assert "if c0, c1 and c2 err together" in texts
