"""What all plots share: figures without pyplot's state, and colours that stay apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any, cast

from headcount.errors import ExtraError
from headcount.results.tables import cut_names, visible
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "COLOURS",
    "MARKERS",
    "STYLES",
    "new_figure",
    "narrow",
    "bare",
    "rows_of",
    "legend_above",
    "draw_interval",
    "written",
    "columns_beside",
    "cut",
    "plain",
]


# Okabe and Ito's palette, which stays apart for colour-blind readers; marks and line styles keep
# things apart in print without colour.
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = "osD^vP"
STYLES = ("-", "--", "-.", ":")
LONGEST = 30
"""Letters of a name beside a plot."""
WIDEST = 34
"""Letters of a line of a legend where axes are narrow."""


def new_figure(width: float = 6.4, height: float = 4.0) -> Figure:
    """Make a figure, fit for print; its size is in inches."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ExtraError("a plot", "matplotlib", "report") from None
    figure = Figure(figsize=(width, height), dpi=200, layout="constrained")
    # In inches: names beside an axis are not to touch the edge, nor the plot before it.
    cast("Any", figure).get_layout_engine().set(w_pad=0.1, h_pad=0.08)
    return figure


NARROW = 3.2
"""Inches of axes below which there is no room for columns beside them."""


def narrow(axes: Any) -> bool:
    """Whether axes are those of a narrow figure, such as one column of a paper."""
    return axes.get_window_extent().width / axes.figure.dpi < NARROW


def bare(axes: Any) -> None:
    """Take away the frame above and to the right, and fold what is written along the axes."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for text in (axes.xaxis.label, axes.yaxis.label):
        text.set_wrap(True)


def rows_of(axes: Any, names: Sequence[str], fontsize: str = "small") -> None:
    """Make axes of rows, one below the other, the first on top: a forest plot."""
    axes.set_yticks(range(len(names)), cut_names(names, LONGEST), fontsize=fontsize)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    bare(axes)


def legend_above(axes: Any, columns: int = 2, marks: Mapping[str, Any] | None = None) -> None:
    """Write the legend, if any, above the axes, where its marks cannot be taken for data.

    Parameters
    ----------
    marks : mapping of text to mark, optional
        What it shows. Default: what was drawn with a label.
    """
    if marks is None:
        handles, texts = axes.get_legend_handles_labels()
        marks = dict(zip(texts, handles, strict=True))
    if marks:
        columns, letters = (1, WIDEST) if narrow(axes) else (columns, MOST_LETTERS)
        texts = [fill(text, letters) for text in marks]
        axes.legend(
            marks.values(), texts, frameon=False, fontsize="small", loc="lower left",
            bbox_to_anchor=(0, 1), ncols=columns, columnspacing=1.2, handletextpad=0.4,
        )  # fmt: skip


def draw_interval(
    axes: Any,
    at: float,
    e: Estimate,
    colour: str,
    *,
    width: float = 2.0,
    alpha: float = 1.0,
    upright: bool = False,
) -> None:
    """Draw an interval at a row, with an arrow where it has no end within what data can tell.

    Parameters
    ----------
    at : float
        Its row; its column if `upright`.
    """
    if e.undefined is not None or e.low is None or e.high is None:
        return
    least, most = e.bounds or (e.low, e.high)
    ends = [min(max(end, least), most) for end in (e.low, e.high)]
    if ends[0] < ends[1]:
        draw = axes.vlines if upright else axes.hlines
        draw(at, *ends, colors=colour, linewidth=width, alpha=alpha, zorder=3)
    for end, cut in zip((e.low, e.high), ends, strict=True):
        if end != cut:
            mark = ("^" if end > cut else "v") if upright else (">" if end > cut else "<")
            point = (at, cut) if upright else (cut, at)
            axes.plot(*point, mark, markersize=5, color=colour, clip_on=False, zorder=4)


def written(e: Estimate, form: str = ".2f") -> tuple[str, str]:
    """Write a value and its interval for the columns beside a plot, each with a true minus.

    Examples
    --------
    >>> written(Estimate(-0.123, -0.5, 0.25))
    ('−0.12', '−0.50 to 0.25')
    >>> written(Estimate(-0.001, -0.5, 0.25))[0]
    '0.00'
    """
    if e.undefined is not None:
        return "none", ""
    if e.bounds is not None:
        value, interval = e.show(e.value, 2), e.interval(2)
    else:
        value = f"{e.value:z{form}}"  # z: zero has no minus
        has_interval = e.low is not None and e.high is not None
        interval = f"{e.low:z{form}} to {e.high:z{form}}" if has_interval else ""
    return value.replace("-", "−"), interval.replace("-", "−")


def columns_beside(
    axes: Any,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    widths: Sequence[float] = (34, 84, 38),
    fontsize: str = "small",
) -> None:
    """Write numbers in columns to the right of the rows of a plot, the points below each other.

    Narrow axes have no room for them.

    Parameters
    ----------
    heads : sequence of str
        Of the columns.
    rows : sequence of sequences of str
        From the first row of the plot on.
    widths : sequence of float
        Of the columns, in points, so that they do not move with the width of the axes.
    """
    if narrow(axes):
        return
    right = 0.0
    for column, (head, width) in enumerate(zip(heads, widths, strict=False)):
        right += width
        cells = [(-0.75, head, "bold"), *((k, row[column], "normal") for k, row in enumerate(rows))]
        for at, text, weight in cells:
            axes.annotate(
                text, (1.0, at), (right, 0), xycoords=("axes fraction", "data"),
                textcoords="offset points", ha="right", va="center", fontsize=fontsize,
                fontweight=weight, annotation_clip=False,
            )  # fmt: skip


MOST_LETTERS = 200
"""Letters of a name that are drawn."""


def cut(name: str) -> str:
    """Leave out the middle of a long name, so that there is room to draw.

    Examples
    --------
    >>> cut("example-organisation/judge-70B-instruct")
    'example-organis…e-70B-instruct'
    """
    half = LONGEST // 2
    return name if len(name) <= LONGEST else f"{name[:half]}…{name[1 - half :]}"


def plain(text: str) -> str:
    """Keep matplotlib from reading a name as mathematics, or as one to leave out; cut a text."""
    text = visible(text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 1]}…")
    return (" " if text.startswith("_") else "") + text.replace("$", r"\$")
