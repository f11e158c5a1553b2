"""Why a pair is asked.

A kind is a class here, and an entry of :data:`KINDS`.
"""

from __future__ import annotations

from typing import ClassVar

__all__ = ["CHECK", "INFORMATIVE", "JOIN", "KINDS", "RANDOM", "TaskKind"]


class TaskKind:
    """A reason to ask a pair.

    Attributes
    ----------
    name : str
    why : str
        The reason, in words.
    """

    name: ClassVar[str]
    why: ClassVar[str]


class Join(TaskKind):
    """Two items that stand close as far as is known, of groups that no comparison joins yet."""

    name = "join"
    why = "ties a group of items to the others"


class Informative(TaskKind):
    """Two items that stand close, as far as is known: the answer is open."""

    name = "informative"
    why = "its items are close, so that the answer tells much"


class Random(TaskKind):
    """Two items drawn at random."""

    name = "random"
    why = "is drawn at random"


class Check(TaskKind):
    """Repeats another task with sides swapped: a rater who looks says the same again."""

    name = "check"
    why = "repeats another task, sides swapped"


JOIN, INFORMATIVE, RANDOM, CHECK = KINDS = (Join(), Informative(), Random(), Check())
