"""For whom intervals hold: for raters like these, or for these raters."""

from __future__ import annotations

from dataclasses import dataclass

from headcount.agreement.raters.panel import Panel

__all__ = ["FIXED", "RATERS", "SAMPLE", "RaterKind", "Scope", "find_scope"]


@dataclass(frozen=True)
class RaterKind:
    """What the raters are taken for.

    Parameters
    ----------
    name : str
    words : str
        For whom intervals then hold.
    """

    name: str
    words: str


SAMPLE = RaterKind("sample", "for raters like these")
FIXED = RaterKind("fixed", "for these raters")
RATERS = {kind.name: kind for kind in (SAMPLE, FIXED)}
"""By name; the first is the default."""


@dataclass(frozen=True)
class Scope:
    """For whom the intervals of a result hold.

    Parameters
    ----------
    kind : RaterKind
    crossed : bool
        Whether they are wider than those over items, for raters who differ.
    few : bool
        Whether raters are so few that both kinds are shown.
    why : str
        Why it is this kind, where that is not the default; "" if it is.
    effective : float
        Effective number of raters.
    """

    kind: RaterKind
    crossed: bool = False
    few: bool = False
    why: str = ""
    effective: float = 0.0

    @property
    def words(self) -> str:
        """For whom intervals hold."""
        return self.kind.words


def find_scope(panel: Panel, wanted: RaterKind) -> Scope:
    """Find for whom intervals can hold."""
    if wanted is FIXED:
        return Scope(FIXED)
    if panel.anonymous:
        why = (
            "nobody knows who gave which rating. If the same people rated many items, intervals "
            "for other raters like them would be wider"
        )
        return Scope(FIXED, why=why)
    if not panel.reused:
        return Scope(SAMPLE, why="every item has raters of its own")
    if panel.silent is not None:
        return Scope(FIXED, why=panel.silent)
    return Scope(SAMPLE, crossed=True, few=panel.few, effective=panel.effective)
