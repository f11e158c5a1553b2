"""What :func:`headcount.find_spammers` returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headcount.errors import unknown_name
from headcount.pairwise.ids import plain_id
from headcount.pairwise.spammers.plot import draw_raters
from headcount.pairwise.spammers.records import ComparingRater, RatersRecord
from headcount.pairwise.spammers.text import raters_page
from headcount.results.arrays import to_json
from headcount.results.text import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RatersResult", "raters_documents"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RatersResult(RatersRecord):
    """All raters who compared, the worst first.

    Parameters
    ----------
    raters : tuple of ComparingRater
        Spammers first, then by p-value, smallest first.
    """

    def __getitem__(self, name: object) -> ComparingRater:
        for rater in self.raters:
            if str(rater.rater) == str(name):
                return rater
        raise unknown_name("rater", str(name), [str(r.rater) for r in self.raters])

    def page(self) -> Page:
        """Write who answers at random, and how all answer."""
        return raters_page(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row a rater, spammers first."""
        rows = raters_documents(self.raters)
        columns: dict[str, list[Any]] = {"rater": [r.rater for r in self.raters]}
        for key in ("comparisons", "agreement", "correlation", "median_probability"):
            columns[key] = [row[key] for row in rows]
        columns["slope"] = [row["slope"]["value"] for row in rows]
        columns |= {f"slope_{end}": [row["slope"][end] for row in rows] for end in ("low", "high")}
        for key in (
            "checks", "checks_right", "score", "p_value", "p_random", "verdict", "spammer",
        ):  # fmt: skip
            columns[key] = [row[key] for row in rows]
        return columns

    def document(self) -> dict[str, Any]:
        """Return all raters, and the names of the spammers."""
        return {
            "raters": raters_documents(self.raters),
            "spammers": [plain_id(name) for name in self.spammers],
            "prior": self.provenance.prior,
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw raters by agreement and slope; spammers are crosses (needs matplotlib)."""
        return draw_raters(self.raters, ax)


def raters_documents(raters: Sequence[ComparingRater]) -> list[dict[str, Any]]:
    """Write raters for JSON."""
    return [_document(r) for r in raters]


def _document(r: ComparingRater) -> dict[str, Any]:
    """Write a rater for JSON."""
    return {
        "rater": plain_id(r.rater),
        "comparisons": r.comparisons,
        "agreement": to_json(r.agreement),
        "correlation": to_json(r.correlation),
        "median_probability": to_json(r.median_probability),
        "slope": r.slope.to_dict(),
        "checks": r.checks,
        "checks_right": r.checks_right,
        "score": r.score,
        "p_value": r.p_value,
        "p_random": r.p_random,
        "verdict": r.verdict,
        "spammer": r.spammer,
    }
