"""Several values of an option, in a message."""

from __future__ import annotations

__all__ = ["Several"]


class Several(list[str]):
    """Values to give to an option: a list in Python, with commas in a command."""

    def __str__(self) -> str:
        return ",".join(self)
