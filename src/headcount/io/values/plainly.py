"""Labels by what they say: out of JSON, between marks, or numbers without their words and signs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headcount.data.vocabulary import number_of
from headcount.io.values.answers import marked_answers
from headcount.io.values.json_answers import in_json
from headcount.io.values.units import without_units

__all__ = ["Plain", "plainly"]


@dataclass(frozen=True)
class Plain:
    """What texts say, and how they are read, for a note."""

    texts: list[str]
    how: str


def plainly(texts: Sequence[str]) -> Plain | None:
    """Read texts by what they say; None if they say it plainly.

    Examples
    --------
    >>> plainly(['{"score": "4/5"}', '{"score": "2/5"}']).texts
    ['4', '2']
    >>> plainly(["4", "2"])
    """
    made, how = list(texts), ""
    if (said := in_json(made)) is not None:
        made, how = said.texts, f"cells are JSON, of which '{said.key}' is read"
    elif without_units(made) is None and (answers := marked_answers(made)) is not None:
        odd = next(n for n, text in enumerate(made) if text != answers[n])
        how = f"of cells such as '{_short(made[odd])}', '{answers[odd]}' is read"
        made = answers
    if (numbers := without_units(made)) is not None:
        example = next(text for text in made if number_of(text) is None)
        how = how or f"numbers with words or signs, such as '{example}', are read as numbers"
        made = numbers
    return Plain(made, how) if how else None


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else f"{line[:37]}..."
