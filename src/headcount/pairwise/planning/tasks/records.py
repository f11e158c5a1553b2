"""What tasks hold: pairs to have compared, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from headcount.pairwise.planning.tasks.until import Standing
from headcount.results.base import Result
from headcount.typing import Codes, Ids

__all__ = ["TasksRecord"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TasksRecord(Result):
    """Pairs to have compared; see :class:`headcount.Tasks`."""

    left: Ids
    right: Ids
    kind: tuple[str, ...]
    slot: Codes | None = None
    goal: str = ""
    standing: Standing | None = None
    price: float | None = None
    about: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    file: str | None = None

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def cost(self) -> float | None:
        """Price of all tasks; None if there is no price."""
        return None if self.price is None else self.price * len(self)

    @property
    def raters(self) -> int | None:
        """Raters that the tasks are for; None if raters are not capped."""
        return None if self.slot is None else int(self.slot.max(initial=0))
