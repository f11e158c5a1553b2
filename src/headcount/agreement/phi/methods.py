"""The ways in which Phi is measured."""

from __future__ import annotations

from dataclasses import dataclass

from headcount.errors import option

__all__ = ["METHODS", "PAPER", "UNBIASED", "Method"]


@dataclass(frozen=True, kw_only=True)
class Method:
    """A way to measure Phi.

    Parameters
    ----------
    name : str
    intervals : bool
        Whether a rating on a scale of points is an interval; else ratings are moved off the ends
        of the scale, by half of it over the number of raters.
    learned : bool
        Whether the prior of the central values is learned from all items; else it is uniform.
    flat_in_p : bool
        Whether the prior is flat on the precision p, and Phi is reported at the mean, mode and
        interval of p; else it is flat on Phi.
    warning : str
        What speaks against it.
    """

    name: str
    intervals: bool
    learned: bool
    flat_in_p: bool
    warning: str = ""


UNBIASED = Method(name="unbiased", intervals=True, learned=True, flat_in_p=False)
PAPER = Method(
    name="paper",
    intervals=False,
    learned=False,
    flat_in_p=True,
    warning=(
        "Phi: this is the published model, which is far off: upwards where raters are few, "
        f"downwards on few points with many raters. {option('method', UNBIASED.name)} is not."
    ),
)
METHODS = {method.name: method for method in (UNBIASED, PAPER)}
"""By name; the first is the default."""
