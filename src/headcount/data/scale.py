"""What labels there are, and what may be done with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from headcount.errors import OptionError, some

__all__ = ["Kind", "Scale"]

Kind = Literal["nominal", "ordinal", "interval"]


@dataclass(frozen=True)
class Scale:
    """The labels a rater can choose from, in order, and how they relate.

    Parameters
    ----------
    labels : tuple of str
        Every label, used or not. The order matters on ordinal and interval scales.
    kind : {"nominal", "ordinal", "interval"}
        Names only; names in order; numbers.

    Examples
    --------
    >>> Scale(("no", "unsure", "yes"), kind="ordinal")
    Scale(labels=('no', 'unsure', 'yes'), kind='ordinal')
    """

    labels: tuple[str, ...]
    kind: Kind = "nominal"

    def __post_init__(self) -> None:
        if len(set(self.labels)) < len(self.labels):
            repeated = {label for label in self.labels if self.labels.count(label) > 1}
            raise OptionError(f"a scale names each label once; repeated: {some(sorted(repeated))}.")
        if not self.labels:
            raise OptionError("a scale needs at least one label.")

    def __len__(self) -> int:
        return len(self.labels)
