"""Pictures: what is drawn is what was computed."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.text import Text

from headcount import DataError, ExtraError, Labels, OptionError
from headcount.agreement import agree, agree_by_share, paradox
from headcount.agreement.by_share.plot import plot_share
from headcount.agreement.drawing.names import draw_names
from headcount.agreement.drawing.raters import plot_raters, plot_two_raters
from headcount.agreement.phi.figures import plot_items
from headcount.agreement.phi.phi import phi
from headcount.agreement.plot import draw
from headcount.data.scale import Scale
from headcount.results.drawing import new_figure

ROWS = [[1, 2, 1, 1, 5], [5, 5, 4, 5, 5], [3, 3, 2, 3, 4], [4, 4, 4, 5, 4], [2, 2, 2, 1, 2]]


def rated(rows, scale=None) -> Labels:
    table = np.asarray(rows)
    items, raters = table.shape
    return Labels.from_triples(
        np.repeat(np.arange(1, items + 1), raters),
        np.tile(np.arange(raters), items),
        table.ravel(),
        scale=scale,
    )


def line(axes, place=1):
    """A fitted curve; the first line is the dashed one."""
    return axes.get_lines()[place].get_data()


@pytest.mark.parametrize("method", ["unbiased", "paper"])
def test_bars_are_the_ratings_and_lines_the_fit(method):
    labels = rated(ROWS)
    found = phi(labels, limits=(1, 5), method=method)
    figure = plot_items(labels, found, [1, 3])
    assert f"Phi {found.value:.3f}" in figure.get_suptitle()
    assert (figure.get_supxlabel(), figure.get_supylabel()) == ("rating", "share of ratings")
    mu = found.items().mu
    for axes, item in zip(figure.axes, (0, 2), strict=True):
        assert axes.get_title() == f"item {item + 1}: mu {mu[item]:.2f}"
        assert axes.get_lines()[0].get_xdata()[0] == pytest.approx(mu[item])
        heights = [bar.get_height() for bar in axes.patches if 0 < bar.get_width() < 0.95]
        assert heights[:5] == pytest.approx(np.bincount(ROWS[item], minlength=6)[1:] / 5)
        # Bars are one point wide, so that bars and lines hold an area of 1 both; the sum over 500
        # strips misses some of a line that rises without end at the edge.
        for place in (1, 2, 3):
            x, y = line(axes, place)
            assert y.sum() * (x[1] - x[0]) == pytest.approx(1, abs=0.02)
    # The mean of the line is mu: they are the same distribution (on the labels' scale).
    x, y = line(figure.axes[1])
    assert (x * y).sum() / y.sum() == pytest.approx(mu[2], abs=0.01)


def test_central_values_beyond_the_last_label_are_drawn_where_they_are():
    """Labels end at 5, the interval of the point 5 at 5.5: the line keeps its own mean."""
    labels = rated([[5] * 12, [1] * 12, *np.repeat(ROWS, 3, axis=1)[:, :12].tolist()])
    x, y = line(plot_items(labels, phi(labels, limits=(1, 5)), [1]).axes[0])
    assert (x[0], x[-1]) == pytest.approx((0.5, 5.5), abs=0.01)
    assert y.argmax() == len(y) - 1


def test_scales():
    names = np.array(["poor", "fair", "go$d"])
    labels = rated(names[[[0, 1, 0], [2, 2, 1], [1, 1, 1]]], Scale(tuple(names), kind="ordinal"))
    axes = plot_items(labels, phi(labels), "1").axes[0]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["poor", "fair", r"go\$d"]
    labels = rated(np.random.default_rng(1).random((6, 4)))
    figure = plot_items(labels, phi(labels, limits=(0, 1)), range(1, 7), columns=4, bins=10)
    assert [axes.get_visible() for axes in figure.axes] == [True] * 6 + [False] * 2
    figure.canvas.draw()


def test_extremes_stay_in_sight():
    for rows in ([[3, 3, 3], [5, 5, 5]], [[1, 1, 5, 5], [5, 5, 1, 1]] * 5):
        labels = rated(rows)
        figure = plot_items(labels, phi(labels, limits=(1, 5)), [1, 2])
        assert np.isfinite(line(figure.axes[0])[1]).all()
        assert 0.5 < figure.axes[0].get_ylim()[1] < 1.1


def test_what_cannot_be_drawn():
    labels = rated(ROWS)
    found = phi(labels, limits=(1, 5))
    with pytest.raises(OptionError, match="was not fitted to '9': no such item"):
        plot_items(labels, found, [1, 9])
    with pytest.raises(OptionError, match="1 to 60 items to draw, not 0"):
        plot_items(labels, found, [])
    with pytest.raises(OptionError, match="columns must be a whole number from 1 on, not 0"):
        plot_items(labels, found, [1], columns=0)
    with pytest.raises(DataError, match="item '2' are not those that Phi was fitted to"):
        plot_items(rated([*ROWS[:1], *ROWS[:4]]), found, [1, 2])
    two = paradox("8a")
    with pytest.raises(OptionError, match="no fit of Phi to draw: Phi is undefined: not ident"):
        plot_items(two, phi(two, limits=(0, 1)), [1])
    with pytest.raises(OptionError, match="nothing to draw"):
        plot_share(agree_by_share(paradox("2"), coefficients=["alpha"], repeats=2))


def test_words_in_an_order_that_agree_was_told():
    labels = Labels.from_triples([1, 1, 2, 2], ["a", "b"] * 2, ["bad", "good", "ok", "good"])
    labels = replace(labels, scale=Scale(("bad", "ok", "good")), label=np.array([0, 2, 1, 2]))
    found = agree(labels, scale="ordinal", bootstrap=0).phi
    axes = plot_items(labels, found, [1]).axes[0]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["bad", "ok", "good"]


def test_nothing_to_draw():
    labels = rated([[1], [2], [3]])
    with pytest.raises(OptionError, match="nothing to draw: there is one rater"):
        agree(labels).plot()


def test_a_narrow_posterior_fills_the_picture():
    """Phi near 1 of many ratings: the posterior is about .0002 wide."""
    rows = np.tile([[5, 3, 6, 5, 7, 6], [4, 2, 4, 5, 4, 6]], (300, 1))
    found = phi(rated(rows), limits=(0, 10))
    low, high = found.plot().get_xlim()
    fitted = found.fitted  # two patterns, 300 times each: it is withheld
    assert fitted.high - fitted.low > 0.25 * (high - low)


def test_share():
    curve = agree_by_share(paradox("8b"), shares=[1.0, 0.2, 0.5], repeats=20)
    axes = plot_share(curve)
    first, second = axes.get_lines()[:2]
    assert [first.get_label(), second.get_label()] == ["percent agreement", "Krippendorff's alpha"]
    assert list(first.get_xdata()) == [20, 50, 100]
    assert second.get_ydata()[-1] == curve.points[0].coefficients["alpha"].value
    assert len(axes.collections) == 2
    assert "20 random subsets; bands hold 95%" in axes.get_title("left")
    both = agree_by_share(paradox("8b"), shares=[1.0], repeats=1, coefficients=["alpha", "phi"],
                          scale="interval", method="paper")  # fmt: skip
    axes = plot_share(both)
    assert axes.get_lines()[1].get_label() == "Phi"
    assert axes.get_title("left").endswith("(Phi: the band is the mean of its 95% intervals)")


def test_share_into_given_axes_names_what_is_undefined():
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    assert plot_share(agree_by_share(paradox("2"), repeats=2), axes) is axes
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts == ["percent agreement", "Krippendorff's alpha: undefined"]


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ExtraError, match=r"pip install 'headcount\[report\]'"):
        plot_share(agree_by_share(paradox("8c"), repeats=2))


def table_of(*columns: list[int]) -> Labels:
    rows = [(i, f"r{j}", x) for j, column in enumerate(columns) for i, x in enumerate(column)]
    return Labels.from_triples(*zip(*rows, strict=True))


GRADES = table_of([1, 2, 3, 4, 5, 2, 4, 1], [1, 3, 3, 5, 5, 2, 4, 2], [3, 4, 5, 5, 5, 4, 5, 3])


def test_a_forest_has_values_in_columns_and_zeros_below_each_other():
    result = agree(GRADES, bootstrap=50, by_rater=True, limits=(1, 5))
    figure = draw(result)
    forest, posterior, raters = figure.axes
    texts = [text.get_text() for text in forest.texts]
    assert {"value", "95% interval"} <= set(texts)
    assert result["alpha"].show(result["alpha"].value, 2) in texts
    assert "8 items by 3 raters, interval scale" in forest.get_xlabel()
    assert posterior.get_xlim() == forest.get_xlim()
    assert "severity" in raters.get_xlabel()
    assert "consistency" in raters.get_ylabel()
    assert {text.get_text() for text in raters.texts} == {"r0", "r1", "r2"}


def test_raters_of_names_are_listed():
    rows = [(i, r, "xy"[(i + (r == "c" and i % 3 == 0)) % 2]) for i in range(12) for r in "abc"]
    labels = Labels.from_triples(*zip(*rows, strict=True))
    axes = plot_raters(agree(labels, bootstrap=20, by_rater=True))
    assert next(tick.get_text() for tick in axes.get_yticklabels()) == "c"
    with pytest.raises(OptionError, match="by_rater=True"):
        plot_raters(agree(labels, bootstrap=20))


def test_differences_of_two_raters_are_drawn():
    two = table_of([1, 2, 3, 4, 5, 2], [2, 2, 4, 4, 6, 3])
    found = agree(two, bootstrap=20).bland_altman
    axes = plot_two_raters(found)
    assert axes.get_ylabel() == "r0 less r1"
    assert {text.get_text() for text in axes.texts} == {
        e.show(e.value, 2).replace("-", "−") for e in found.rows.values()
    }


def test_names_do_not_lie_on_each_other_nor_on_points():
    rng = np.random.default_rng(1)
    x, y = (0.1 * rng.normal(size=(2, 25))).tolist()
    axes = new_figure(5.6, 3.8).subplots()
    axes.scatter(x, y)
    axes.set_xlim(-1, 1)
    axes.set_ylim(-1, 1)
    draw_names(axes, [f"worker {i}" for i in range(20)], x, y)
    axes.figure.draw_without_rendering()
    boxes = [Text.get_window_extent(one) for one in axes.texts]  # without its line
    assert 5 <= len(boxes) <= 20
    points = axes.transData.transform(np.column_stack([x, y]))
    for i, box in enumerate(boxes):
        assert not any(box.shrunk(0.98, 0.98).overlaps(other) for other in boxes[i + 1 :])
        assert not any(box.contains(*point) for point in points)
        inside = axes.get_window_extent()
        assert inside.x0 <= box.x0 < box.x1 <= inside.x1
