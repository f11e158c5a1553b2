"""Exports of each tool, read as their expectations say and known by their content."""

from __future__ import annotations

import contextlib
import gzip
import json
import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from headcount.errors import DataError, OptionError
from headcount.io.opening import TOOLS, read_export, recognise
from headcount.io.ratings import read_ratings
from headcount.io.reading import Reading
from headcount.io.tables import Table
from headcount.io.tools.contents import Document, joined
from headcount.io.tools.exports import KINDS

# Exports of each tool, written after its schema, are read as their expectations say.

FIXTURES = Path(__file__).parent / "fixtures"
EVERY = sorted(FIXTURES.glob("*/*/expected*.json"))
LISTS = [p for p in EVERY if p.parent.parent.name == "huggingface" and "lewidi" not in str(p)]
"""Lists in cells, which are no tool's."""
EXPECTED = [place for place in EVERY if place not in LISTS]


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


@pytest.mark.parametrize("place", LISTS, ids=[p.parent.name for p in LISTS])
def test_lists_of_the_hub(place: Path) -> None:
    read = read_ratings(data_of(place.parent))
    columns = read.columns()
    who = [None] * len(read) if read.anonymous else map(str, columns["rater"])
    rows = Counter(zip(map(str, columns["item"]), who, columns["label"], strict=True))
    assert rows == Counter(wanted_rows(json.loads(place.read_text())))


def test_ratings_can_be_used() -> None:
    path = data_of(FIXTURES / "label_studio" / "json_choices")
    table = read_export(path, "ratings", Reading())
    assert table is not None
    rows = cells_of(table)
    labels = read_ratings({name: [row[name] for row in rows] for name in table.names})
    assert str(labels) == "Labels: 13 ratings of 5 items by 3 raters; labels ok, toxic"


# A tool is known by content: its own files are, ordinary files and other tools' are not.

CASES = sorted(place.parent for place in EXPECTED if place.name == "expected.json")
FILES = [case for case in CASES if data_of(case).is_file()]
JSON = [case for case in FILES if data_of(case).suffix in (".json", ".jsonl")]
NAMES = {
    "anthropic_batch": {"anthropic-batch"},
    "chaosnli": {"chaosnli"},
    "ground_truth": {"ground-truth"},
    "huggingface": {"lewidi"},
    "label_studio": {"label-studio", "label-studio-min"},
    "lm_eval": {"lm-eval"},
    "mlflow": {"mlflow", "mlflow-table"},
    "openai_batch": {"openai-batch"},
    "promptfoo": {"promptfoo", "promptfoo-table"},
}

PLAIN = {
    "long.csv": "item,rater,label\na,ann,yes\na,bob,no\n",
    "wide.csv": "item,ann,bob\na,yes,no\nb,no,no\n",
    "semicolon.csv": "id;annotator;created_at;label\n1;ann;2026;yes\n",
    "scores.csv": "name,Status,Score\na,PASS,1\nb,FAIL,0\n",
    "answers.csv": "instance_id,user_id,label\n1,ann,yes\n2,bob,no\n",
    "battles.csv": "model_a,model_b,winner\nx,y,model_a\n",
    "predictions.csv": "item,lm:no,lm:yes\na,.1,.9\n",
    "one.csv": "label\nyes\n",
    "long.jsonl": '{"item": 1, "rater": "a", "label": "x"}\n{"item": 2, "rater": "a"}\n',
    "one.jsonl": '{"item": 1, "rater": "a", "label": "x"}\n',
    "tags.jsonl": '{"id": 1, "text": "t", "label": ["x"]}\n{"id": 2, "text": "t", "label": []}\n',
    "multi.jsonl": '{"id": 1, "labels": ["x", "y"]}\n{"id": 2, "labels": ["x"]}\n',
    "answer.jsonl": '{"id": 1, "answer": "accept", "user": "a"}\n{"id": 2, "answer": "reject"}\n',
    "rows.json": '[{"item": 1, "rater": "a", "label": "x"}]',
    "data.json": '[{"id": 1, "data": {"text": "t"}, "label": "x"}]',
    "columns.json": '{"item": [1, 2], "rater": ["a", "b"], "label": ["x", "y"]}',
    "results.json": '{"results": [{"item": 1, "score": 0.5}], "version": 2, "status": "ok"}',
    "nested.json": '{"data": [{"item": 1, "name": "x", "source": "web"}]}',
    "page.json": '{"data": [{"user_id": 1, "value": 2, "status": "done"}]}',
    "nested_results.json": '{"results": [{"item": 1, "results": "yes"}]}',
    "answers.jsonl": '{"custom_id": "a", "response": "yes", "error": null}\n' * 2,
    "votes.jsonl": '{"id": 1, "annotation": {"label": "x", "annotator": "a"}}\n' * 2,
    "matrix.json": "[[1, 2], [3, 4]]",
    "broken.json": '[{"item": 1, "rater"',
    "words.txt": "no table at all",
    "empty.csv": "",
    "blank.csv": "\n\n  \n",
}


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("packed", [False, True], ids=["", "gz"])
def test_ordinary_files_are_nobodys(tmp_path: Path, name: str, packed: bool) -> None:
    data = PLAIN[name].encode()
    path = tmp_path / (f"{name}.gz" if packed else name)
    path.write_bytes(gzip.compress(data) if packed else data)
    for kind in KINDS:
        assert read_export(path, kind, Reading()) is None


def test_bytes_and_folders_are_nobodys(tmp_path: Path) -> None:
    (tmp_path / "noise").write_bytes(random.Random(1).randbytes(5000))
    (tmp_path / "almost.zip").write_bytes(b"PK\x03\x04" + b"x" * 100)
    (tmp_path / "almost.parquet").write_bytes(b"PAR1" + b"x" * 100)
    (tmp_path / "almost.gz").write_bytes(b"\x1f\x8b" + b"x" * 100)
    for path in [*tmp_path.iterdir(), tmp_path, tmp_path / "nothing"]:
        assert recognise(path, Reading()) is None


@pytest.mark.parametrize("case", CASES, ids=[f"{c.parent.name}/{c.name}" for c in CASES])
def test_each_export_is_its_own_tools_only(case: Path) -> None:
    document = Document(data_of(case))
    found = [t.name for t in TOOLS if document.has(t.marks) and t.recognises(document)]
    assert found
    assert set(found) <= NAMES.get(case.parent.name, {case.parent.name})


def test_names_are_unique() -> None:
    names = [tool.name for tool in TOOLS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("case", FILES, ids=[f"{c.parent.name}/{c.name}" for c in FILES])
def test_damaged_exports_end_in_words(tmp_path: Path, case: Path) -> None:
    """Whatever bytes are lost or changed, a file is read, refused or nobody's."""
    original = data_of(case)
    data, generator = original.read_bytes(), random.Random(case.name)
    folder = tmp_path / original.parent.name
    folder.mkdir()
    path = folder / original.name
    for _ in range(5):
        changed = bytearray(data)
        for _ in range(generator.randint(1, 8)):
            place = generator.randrange(len(changed))
            what = generator.randrange(4)
            if what == 0:
                changed[place] = generator.randrange(256)
            elif what == 1:
                del changed[place : place + generator.randint(1, 30)]
            elif what == 2:
                changed[place:place] = changed[place : place + generator.randint(1, 60)]
            else:
                del changed[place:]
            changed = changed or bytearray(b"x")
        path.write_bytes(changed)
        for kind in KINDS:
            with contextlib.suppress(DataError, OptionError):
                read_export(path, kind, Reading())


@pytest.mark.parametrize("case", JSON, ids=[f"{c.parent.name}/{c.name}" for c in JSON])
def test_other_types_of_values_end_in_words(tmp_path: Path, case: Path) -> None:
    """JSON in which any value may be of another type is read, refused or nobody's."""
    original = data_of(case)
    path, generator = tmp_path / original.name, random.Random(case.name)
    others = [None, 0, 1.5, True, "x", [], {}, [None], [[]], {"x": None}, ["a", "b"]]

    def changed(value: object) -> object:
        if generator.random() < 0.02:
            return generator.choice(others)
        if isinstance(value, dict):
            return {key: changed(inside) for key, inside in value.items()}
        return [changed(inside) for inside in value] if isinstance(value, list) else value

    text = original.read_text()
    lines = text.splitlines() if original.suffix == ".jsonl" else [text]
    for _ in range(8):
        path.write_text("\n".join(json.dumps(changed(json.loads(line))) for line in lines))
        for kind in KINDS:
            with contextlib.suppress(DataError, OptionError):
                read_export(path, kind, Reading())


def test_insisting_on_a_tool(tmp_path: Path) -> None:
    path = data_of(FIXTURES / "prodigy" / "choice")
    assert read_export(path, "ratings", Reading(format="prodigy")) is not None
    assert read_export(path, "ratings", Reading(format="jsonl")) is None
    with pytest.raises(DataError, match="does not look like an export of Toloka"):
        read_export(path, "ratings", Reading(format="toloka"))


def test_unknown_question_lists_those_there_are() -> None:
    path = data_of(FIXTURES / "label_studio" / "json_several_questions")
    with pytest.raises(DataError, match="'stars'") as error:
        read_export(path, "ratings", Reading(question="star"))
    assert error.value.option == "question"


def test_names_are_no_patterns(tmp_path: Path) -> None:
    source = data_of(FIXTURES / "huggingface" / "parallel_lists")
    path = tmp_path / "data[1]*.parquet"
    shutil.copy(source, path)
    shutil.copy(data_of(FIXTURES / "argilla" / "datasets_parquet"), tmp_path / "data1x.parquet")
    assert len(read_ratings(path)) == 12


def test_gzipped_export(tmp_path: Path) -> None:
    source = data_of(FIXTURES / "label_studio" / "json_choices")
    path = tmp_path / "export.json.gz"
    path.write_bytes(gzip.compress(source.read_bytes()))
    table = read_export(path, "ratings", Reading())
    assert table is not None
    assert table.rows == 13


def test_what_is_absent_is_explained() -> None:
    path = data_of(FIXTURES / "label_studio" / "json_choices")
    with pytest.raises(DataError, match="only_id = false"):
        read_export(path, "predictions", Reading())
    with pytest.raises(DataError, match="holds ratings, but no comparisons"):
        read_export(path, "comparisons", Reading())


def test_conversations_are_no_ratings(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    turns = [{"user": "hi", "response": "hello"}]
    path.write_text("\n".join(json.dumps({"id": i, "turns": turns}) for i in range(3)))
    assert read_export(path, "ratings", Reading()) is None


def test_names_of_annotators_may_have_dots(tmp_path: Path) -> None:
    for name in ["a.one", "a.two"]:
        record = {"id": 1, "text": "t", "label": [name], "Comments": []}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(record) + "\n" + json.dumps(record))
    table = read_export(tmp_path, "ratings", Reading())
    assert table is not None
    assert table.codes(1)[1] == ["a.one", "a.two"]


# The page on files says what is read of the exports among the tests.
#
# After a change, write the table anew: python -m tests.io.tools.test_fixtures

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "files.md"
MARK = "<!-- exports: written by tests/io/tools/test_fixtures.py -->\n"


def table() -> str:
    lines = [
        "| export | kind | question | rows | dropped |",
        "|---|---|---|---|---|",
    ]
    for place in EXPECTED:
        expected = json.loads(place.read_text())
        if "rows" not in expected:
            continue
        case = f"{place.parent.parent.name}/{place.parent.name}"
        reading = reading_of(expected)
        read = read_export(data_of(place.parent), expected["kind"], reading)
        rows = 0 if read is None else read.rows
        dropped = {} if read is None else read.dropped
        why = ", ".join(f"{times} {reason}" for reason, times in dropped.items())
        question = reading.question or ""
        lines.append(f"| {case} | {expected['kind']} | {question} | {rows} | {why} |")
    return "\n".join(lines) + "\n"


def test_table_of_exports() -> None:
    assert PAGE.read_text().partition(MARK)[2] == "\n" + table()


def test_every_tool_is_on_the_page() -> None:
    page = PAGE.read_text()
    assert [tool.name for tool in TOOLS if f"| `{tool.name}` |" not in page] == []


if __name__ == "__main__":
    before = PAGE.read_text().partition(MARK)[0]
    PAGE.write_text(f"{before}{MARK}\n{table()}")
