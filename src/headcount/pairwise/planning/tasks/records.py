"""What tasks hold: pairs to have compared, and why."""

from __future__ import annotations

from dataclasses import dataclass

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
    file: str | None = None

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def raters(self) -> int | None:
        """Raters that the tasks are for; None if raters are not capped."""
        return None if self.slot is None else int(self.slot.max())
