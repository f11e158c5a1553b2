"""Plots at the width of a column of a paper and of a slide."""

from __future__ import annotations

import pytest

import headcount

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure
from matplotlib.text import Text

RESULTS = {
    "agree": lambda: headcount.agree("example:stars", bootstrap=0),
    "alt-test": lambda: headcount.alt_test("example:stars", "example:judge", epsilon=0.2),
    "blind": lambda: headcount.blind("example:votes", bootstrap=0),
    "pairs": lambda: headcount.pairs("example:comparisons"),
    "rate": lambda: headcount.corrected_rate("example:votes", "example:gold"),
    "survey": lambda: headcount.survey("example:ratings", "example:predictions", bootstrap=20),
}


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("width", [3.3, 10])
def test_nothing_is_cut_by_an_edge(name, width):
    figure = Figure(figsize=(width, 4), dpi=100, layout="constrained")
    axes = RESULTS[name]().plot(figure.subplots())
    figure.draw_without_rendering()
    edge, ticks = figure.bbox, axes.get_xticklabels() + axes.get_yticklabels()
    cut = [
        text.get_text()
        for text in axes.figure.findobj(Text)
        if text.get_text() and text.get_visible() and text not in ticks  # some are beyond the axes
        for box in [text.get_window_extent()]
        if box.x0 < -1 or box.y0 < -1 or box.x1 > edge.x1 + 1 or box.y1 > edge.y1 + 1
    ]
    assert not cut
    assert axes.get_window_extent().width > width * 100 / 4
