"""Exports of each tool, written after its schema, are read as their expectations say."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from headcount.errors import DataError
from headcount.io.ratings.ratings import read_ratings
from headcount.io.reading import Reading
from headcount.io.tables.table import Table
from headcount.io.tools.read import read_export
from headcount.io.tools.values import joined

FIXTURES = Path(__file__).parent / "fixtures"
EXPECTED = sorted(FIXTURES.glob("*/*/expected*.json"))


def data_of(case: Path) -> Path:
    """Return the export of a case: a file, or the folder of several."""
    found = [p for p in case.rglob("*") if p.is_file() and not p.name.startswith("expected")]
    if len(found) == 1:
        return found[0]
    return case / "export" if (case / "export").is_dir() else case


def cells_of(table: Table) -> list[dict[str, str | None]]:
    columns: dict[str, list[str | None]] = {}
    for place, name in enumerate(table.names):
        codes, texts = table.codes(place)
        columns[name] = [None if code < 0 else texts[code] for code in codes]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def rows_of(table: Table, kind: str) -> list[tuple[str | None, ...]]:
    who = "classifier" if kind == "predictions" else "rater"
    return [(row["item"], row.get(who), row["label"]) for row in cells_of(table)]


def wanted_rows(expected: dict[str, Any]) -> list[tuple[str | None, ...]]:
    rows: list[tuple[str | None, ...]] = []
    for item, who, label in expected["rows"]:
        rows.append((item, who, joined(label) if isinstance(label, list) else label))
    return rows


def reading_of(expected: dict[str, Any]) -> Reading:
    return Reading(question=expected.get("question", expected.get("filter")))


@pytest.mark.parametrize(
    "place", EXPECTED, ids=[f"{p.parent.parent.name}/{p.parent.name}/{p.stem}" for p in EXPECTED]
)
def test_export(place: Path) -> None:
    expected = json.loads(place.read_text())
    path = data_of(place.parent)
    if "refused" in expected:
        with pytest.raises(DataError):
            read_export(path, "ratings", Reading())
        return
    kind = expected["kind"]
    if "needs" in expected:
        with pytest.raises(DataError) as error:
            read_export(path, kind, Reading())
        for question in expected.get("questions", expected.get("filters")):
            assert f"'{question}'" in str(error.value)
        assert error.value.option == "question"
        return
    table = read_export(path, kind, reading_of(expected))
    assert table is not None
    assert dict(table.dropped) == expected["dropped"]
    if kind == "comparisons":
        pairs = expected["pairs"]
        wanted = Counter((*pairs[item], side, who) for item, who, side in expected["rows"])
        assert Counter(tuple(row.values()) for row in cells_of(table)) == wanted
    else:
        assert Counter(rows_of(table, kind)) == Counter(wanted_rows(expected))
        assert ("rater" in table.names) == any(row[1] for row in wanted_rows(expected)) or (
            kind == "predictions"
        )
    (source,) = table.sources
    assert source.rows > 0
    assert source.name == path.name
    if path.is_file():
        assert source.size == path.stat().st_size
        assert len(source.sha256 or "") == 64


def test_ratings_can_be_used() -> None:
    path = data_of(FIXTURES / "label_studio" / "json_choices")
    table = read_export(path, "ratings", Reading())
    assert table is not None
    rows = cells_of(table)
    labels = read_ratings({name: [row[name] for row in rows] for name in table.names})
    assert str(labels) == "Labels: 13 ratings of 5 items by 3 raters; labels ok, toxic"
