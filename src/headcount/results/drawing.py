"""What all plots share: figures without pyplot's state, and colours that stay apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headcount.errors import ExtraError
from headcount.results.text import visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "MARKERS", "STYLES", "bare", "new_figure", "plain"]

# Okabe and Ito's palette, which stays apart for colour-blind readers; marks and line styles keep
# things apart in print without colour.
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = "osD^vP"
STYLES = ("-", "--", "-.", ":")


def new_figure(width: float = 6.4, height: float = 4.0) -> Figure:
    """Make a figure, fit for print; its size is in inches."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ExtraError("a plot", "matplotlib", "report") from None
    return Figure(figsize=(width, height), dpi=200, layout="constrained")


def bare(axes: Any) -> None:
    """Take away the frame above and to the right."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def plain(text: str) -> str:
    """Keep matplotlib from reading a name as mathematics, or as one to leave out."""
    text = visible(text)
    return (" " if text.startswith("_") else "") + text.replace("$", r"\$")
