"""What a search must remember from one step to the next, as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.data.vocabulary import as_ids
from headcount.errors import DataError, count, some
from headcount.pairwise.anchoring.anchors import AnchorSearch
from headcount.results.notes import Notes

__all__ = ["AnchoringState"]

KIND = "headcount anchoring"
Answer = tuple[str, str, float]


@dataclass(frozen=True, kw_only=True)
class AnchoringState:
    """A search for the places of items among anchors, and the answers so far.

    Parameters
    ----------
    anchors : tuple of str
    rating, standard_error : tuple of float
        Of the anchors, in logits.
    items : tuple of str
        To be placed.
    average_of : str or None
        What the items are the average ones of; None if they were named.
    width, most, level
        As for :class:`headcount.AnchorSearch`.
    answers : tuple of (str, str, float)
        Item, anchor, and the item's share of the point.
    """

    anchors: tuple[str, ...]
    rating: tuple[float, ...]
    standard_error: tuple[float, ...]
    items: tuple[str, ...]
    average_of: str | None
    width: float
    most: int
    level: float
    answers: tuple[Answer, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """Return the state as JSON has it."""
        return {"kind": KIND, **json.loads(json.dumps(asdict(self)))}

    @classmethod
    def read(cls, given: Any) -> AnchoringState:
        """Take a state, a mapping of its fields, or a file that holds them."""
        if isinstance(given, cls):
            return given
        source, found = "the state", given
        if isinstance(given, str | Path):
            source = str(given)
            try:
                found = json.loads(Path(given).read_text(encoding="utf-8"))
            except FileNotFoundError:
                raise DataError(
                    f"no such file: '{source}'. Start with anchors and items."
                ) from None
            except (OSError, ValueError):
                found = None
        known = dict(cast("Mapping[str, Any]", found)) if isinstance(found, Mapping) else {}
        if known.pop("kind", None) != KIND:
            raise DataError(
                f"{source} is no state of a search among anchors. Give the file that the first "
                "step wrote."
            )
        try:
            return cls(
                anchors=tuple(map(str, known["anchors"])),
                rating=tuple(map(float, known["rating"])),
                standard_error=tuple(map(float, known["standard_error"])),
                items=tuple(map(str, known["items"])),
                average_of=known["average_of"],
                width=float(known["width"]),
                most=int(known["most"]),
                level=float(known["level"]),
                answers=tuple((str(i), str(a), float(share)) for i, a, share in known["answers"]),
            )
        except (KeyError, TypeError, ValueError):
            raise DataError(f"{source}: parts of the state are missing. Start again.") from None

    def with_answers(self, answers: Comparisons, notes: Notes) -> AnchoringState:
        """Add answers; those that are here already are not counted again."""
        sought, anchors = set(self.items), set(self.anchors)
        names: list[str] = [str(name) for name in answers.items.tolist()]
        rows = zip(
            answers.left.tolist(), answers.right.tolist(), answers.outcome.tolist(), strict=True
        )
        found: dict[tuple[str, str], list[float]] = {}
        others = 0
        for left, right, share in rows:
            one, two = names[int(left)], names[int(right)]
            if one in sought and two in anchors:
                found.setdefault((one, two), []).append(share)
            elif two in sought and one in anchors:
                found.setdefault((two, one), []).append(1 - share)
            else:
                others += 1
        if not found:
            raise DataError(
                f"{answers.source}: no answer compares an item that is sought, such as "
                f"{some(self.items)}, with an anchor. Check the names."
            )
        if others:
            notes.caution(f"{count(others, 'answer')} of other pairs, not used.")
        held: dict[tuple[str, str], Counter[float]] = {}
        for item, anchor, share in self.answers:
            held.setdefault((item, anchor), Counter())[share] += 1
        added: list[Answer] = []
        for (item, anchor), shares in sorted(found.items()):
            before, now = held.get((item, anchor), Counter[float]()), Counter(shares)
            # A file of all answers so far holds those of before; one of new answers does not.
            new = now - before if not before - now else now
            added += [(item, anchor, share) for share in sorted(new.elements())]
        known = sum(map(len, found.values())) - len(added)
        if known:
            notes.info(f"{count(known, 'answer')} counted before, and not again.")
        return replace(self, answers=(*self.answers, *added))

    def search(self, item: str) -> tuple[AnchorSearch, int]:
        """Go through the answers on one item; the search, and how many there are."""
        made = AnchorSearch.among(
            as_ids(list(self.anchors)), np.array(self.rating), np.array(self.standard_error),
            width=self.width, most=self.most, level=self.level,
        )  # fmt: skip
        mine = [answer for answer in self.answers if answer[0] == item]
        for _, anchor, share in mine:
            made.answer(anchor, share)
        return made, len(mine)
