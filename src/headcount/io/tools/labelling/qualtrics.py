"""Qualtrics: survey responses with three header rows, one respondent a row."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any, NamedTuple

from headcount.data.vocabulary import number_of
from headcount.errors import count, option, some
from headcount.io.reading import Reading
from headcount.io.roles.names import ABOUT_THEM
from headcount.io.tools.base import Export, Tool
from headcount.io.tools.document import Document
from headcount.io.tools.values import as_dict
from headcount.io.values.option_list import Several
from headcount.io.values.points import on_one_scale

__all__ = ["Qualtrics"]

_NO_RATING = re.compile(r".*(_TEXT|_DO(_.*)?|_FIRST_CLICK|_LAST_CLICK|_PAGE_SUBMIT|_CLICK_COUNT)")
_UNSEEN = "-99"
ORIGINS = {
    "_recordId": "ResponseId", "status": "Status", "finished": "Finished",
    "distributionChannel": "DistributionChannel",
}  # fmt: skip
"""Columns that say who answered, and whether that counts: their origins and their names."""
MOST_LABELS = 20
MANY = 8
"""Answers of which two different ones are few, where the scale has five."""
_YES_NO = (frozenset({"1", "2"}), frozenset({"0", "1"}))
"""How answers to other questions, such as yes and no, are coded."""


class _Column(NamedTuple):
    place: int
    name: str
    base: str
    asked_by: str
    values: frozenset[str]
    answers: int
    stem: str | None
    """What is asked of all items of a table; None for a question that is none."""
    personal: bool = False

    def alike(self, other: _Column) -> bool:
        """Whether two columns are of one question, or of questions that are answered alike.

        Questions of one loop, and parts of one side-by-side question, are asked of the same things.
        """
        if self.asked_by == other.asked_by:
            return self.base == other.base
        if None not in (self.stem, other.stem) and self.stem != other.stem:
            return False  # two tables of items, about which other things are asked
        return bool(self.values & other.values) or on_one_scale(self.values, other.values)


class _Header(NamedTuple):
    """The three header rows: names of columns, what was asked, and where columns come from."""

    names: list[str]
    texts: list[str]
    sources: list[dict[str, Any]]

    def text(self, place: int) -> str:
        """Return what was asked."""
        return self.texts[place] if place < len(self.texts) else ""

    def stem(self, place: int) -> str:
        """Return what is asked of all items of a table: `How good is it? - item 3`, but its end."""
        return self.text(place).rpartition(" - ")[0].strip()


class Qualtrics(Tool):
    """Respondents are the raters, columns of questions the items."""

    name = "qualtrics"
    title = "Qualtrics"

    def recognises(self, document: Document) -> bool:
        """Whether the third row says where each column comes from."""
        rows = document.head_rows
        cells = [cell for cell in rows[2] if cell.strip()] if len(rows) > 2 else []
        return bool(cells) and all(re.match(r'\s*\{\s*"ImportId"', cell) for cell in cells)

    def read(self, document: Document, reading: Reading) -> Export:
        """Read the columns of questions, turned round; previews and the like are dropped."""
        export, rows = Export(), document.rows()
        header = _Header(rows[0], rows[1], [_source(cell) for cell in rows[2]])
        names, sources, rows = header.names, header.sources, rows[3:]
        export.records = len(rows)
        place = {str(source.get("ImportId")): i for i, source in enumerate(sources)}
        for source, name in ORIGINS.items():
            if name in names:  # some programs write other origins
                place.setdefault(source, names.index(name))
        if "_recordId" not in place:
            raise self.refused(document, "no column of response ids; export it with them.")
        columns, left_out = _columns(header, rows, reading)
        if left_out:
            export.notes.info(
                f"{document.name}: texts, orders, times and choices of several are no ratings; "
                f"left out: {some(left_out, 6)}."
            )
        unseen = 0
        for question, own in _questions(columns):
            self._check(document, export, question, own, reading)
            for row in rows:
                answers = {c.name: row[c.place].strip() for c in own if c.place < len(row)}
                unseen += sum(answer == _UNSEEN for answer in answers.values())
                given = {i: a for i, a in answers.items() if a and a != _UNSEEN}
                reason = _dropped(row, place)
                if reason:
                    export.drop("ratings", reason, question, len(given))
                    continue
                for item, answer in given.items():
                    export.rate(question, item, row[place["_recordId"]], answer)
        if unseen:
            export.notes.caution(
                f"{document.name}: {count(unseen, 'answer')} of {_UNSEEN}, which Qualtrics writes "
                "for a question seen but not answered, are missing."
            )
        return export

    def _check(
        self,
        document: Document,
        export: Export,
        question: str,
        own: list[_Column],
        reading: Reading,
    ) -> None:
        """Refuse a question that seems to be another one; say where several are read as one."""
        bases = Counter(column.base for column in own)
        if len(bases) == 1:
            return
        scale = frozenset[str]().union(*(column.values for column in own))
        alone = [one for one in own if one.stem is None]
        alone = alone if len(alone) < len(own) else [one for one in own if one.personal]
        if 0 < len(alone) < len(own) and question != reading.question:
            raise self.refused(
                document,
                f"{some([one.name for one in alone], 12)} "
                f"{'seems a question of its own' if len(alone) == 1 else 'seem questions apart'} "
                f"from the other {count(len(own) - len(alone), 'column')}, with answers in common. "
                "Leave out what is no item with "
                f"{option('ignore', Several([one.name for one in alone]))}; or read all with "
                f"{option('question', question)}.",
            )
        odd = [one for one in own if bases[one.base] == 1 and one.values in _YES_NO]
        odd = [one for one in odd if one.answers >= MANY and len(scale) > 4]
        if 0 < len(odd) < len(own) and question != reading.question:
            has = "has" if len(odd) == 1 else "have"
            raise self.refused(
                document,
                f"{some([one.name for one in odd], 12)} {has} the answers "
                f"{some(sorted(odd[0].values))} only, where others of the {len(own)} columns have "
                "more: if that is another question, leave it out with "
                f"{option('ignore', Several([one.name for one in odd]))}; if not, read all with "
                f"{option('question', question)}.",
            )
        export.notes.caution(
            f"{document.name}: {len(bases)} questions with answers in common are read as one, "
            f"'{question}', with the {len(own)} columns as items: "
            f"{some([column.name for column in own], 6)}. Leave out what is none with "
            f"{option('ignore', ...)}."
        )


def _source(cell: str) -> dict[str, Any]:
    try:
        return as_dict(json.loads(cell)) if cell.strip() else {}
    except ValueError:
        return {}


def _columns(
    header: _Header, rows: list[list[str]], reading: Reading
) -> tuple[list[_Column], list[str]]:
    """Columns that are items, and names of those of questions that are not."""
    columns: list[_Column] = []
    left_out: list[str] = []
    for i, (name, source) in enumerate(zip(header.names, header.sources, strict=False)):
        origin = str(source.get("ImportId", ""))
        found = re.search(r"(\d+_)?(QID\d+)(#\d+)?", origin)
        if not found or name in reading.ignore:
            continue
        cells = [row[i].strip() for row in rows if i < len(row)]
        given = [cell for cell in cells if cell and cell != _UNSEEN]
        values = frozenset(given)
        worded = any(number_of(value) is None for value in values)
        free = worded and len(values) > MOST_LABELS and 2 * len(values) > len(given)
        if _NO_RATING.fullmatch(origin) or "choiceId" in source or free:
            left_out.append(name)
        elif values:
            loop, question, part = found.groups()
            base = f"{question}{part or ''}"
            asked_by = "loop" if loop else question
            personal = bool(ABOUT_THEM.search(f"{name.replace('_', ' ')} {header.text(i)}"))
            columns.append(_Column(i, name, base, asked_by, values, len(given), None, personal))
    times = Counter(column.base for column in columns)
    tables = [
        one._replace(stem=header.stem(one.place)) if times[one.base] > 1 else one for one in columns
    ]
    return tables, left_out


def _questions(columns: list[_Column]) -> list[tuple[str, list[_Column]]]:
    """Group columns that are answered alike: of one question, or with answers in common."""
    groups: list[list[_Column]] = []
    for column in columns:
        alike = [group for group in groups if any(column.alike(one) for one in group)]
        merged = [one for group in alike for one in group] + [column]
        groups = [group for group in groups if group not in alike] + [merged]
    named = [(_name([one.name for one in group]), sorted(group)) for group in groups]
    return sorted(named, key=lambda pair: pair[1][0].place)


def _name(names: list[str]) -> str:
    """Name a group of columns: what their names begin or end with, or the first."""
    if len(names) == 1:
        return names[0]
    start = _start(names).rstrip("_. -#")
    end = _start([name[::-1] for name in names])[::-1].lstrip("_. -#")
    looped = all(re.match(r"\d+_", name) for name in names)
    return (end if looped else start) or names[0]


def _start(names: list[str]) -> str:
    first, last = min(names), max(names)
    length = next((i for i in range(len(first)) if first[i] != last[i : i + 1]), len(first))
    return first[:length]


def _dropped(row: list[str], place: dict[str, int]) -> str | None:
    """Why a response does not count; None if it does."""

    def cell(source: str) -> str:
        i = place.get(source)
        return "" if i is None or i >= len(row) else row[i].strip().lower()

    status = cell("status")
    if status in ("survey preview", "1") or cell("distributionChannel") == "preview":
        return "preview"
    if status in ("spam", "8"):
        return "spam"
    if cell("finished") in ("false", "0"):
        return "unfinished"
    return None
