"""One grammar of cells: the same cells say the same in every format, and in memory as in DuckDB."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pandas as pd
import polars as pl
import pytest

from headcount import (
    DataError,
    HeadcountError,
    agree,
    read_predictions,
    read_ratings,
    scan_ratings,
)
from headcount.io.cells import MISSING_WORDS, written_numbers
from tests.workbooks import workbook

FORMATS = ("csv", "tsv", "xlsx", "json", "jsonl", "parquet", "pandas", "polars", "rows", "dict")
FIXTURES = Path(__file__).parent / "tools" / "fixtures"


def table(cells: list[str | None], format_: str, folder: Path, name: str = "label") -> Any:
    """Write cells as labels of three raters, in some format."""
    columns: dict[str, list[Any]] = {
        "item": [f"i{n // 3}" for n in range(len(cells))],
        "rater": ["abc"[n % 3] for n in range(len(cells))],
        name: cells,
    }
    return written(columns, format_, folder)


def written(columns: dict[str, list[Any]], format_: str, folder: Path) -> Any:
    """Write columns in some format."""
    path = folder / f"r.{format_}"
    frame = pd.DataFrame(columns)
    if format_ in ("csv", "tsv"):
        frame.to_csv(path, index=False, sep="\t" if format_ == "tsv" else ",")
    elif format_ == "xlsx":
        lines = [[*columns], *zip(*columns.values(), strict=True)]
        sheet = {
            f"{chr(65 + column)}{row}": escape(value)
            for row, line in enumerate(lines, 1)
            for column, value in enumerate(line)
            if value is not None
        }
        return workbook(path, {"Sheet1": sheet})
    elif format_ in ("json", "jsonl"):
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        lines = [json.dumps(row) for row in rows]
        path.write_text("\n".join(lines) if format_ == "jsonl" else f"[{','.join(lines)}]")
    elif format_ == "parquet":
        pl.DataFrame(columns).write_parquet(path)
    elif format_ == "rows":
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    else:
        return {"pandas": frame, "polars": pl.DataFrame(columns), "dict": columns}[format_]
    return path


CELLS = {
    "decimal comma": (["1,5", "2,0", "1.234,25", "7", None, "NA"], ("1.5", "2", "7", "1234.25")),
    "thousands": (["1,250", "800", "2,500.5", "—", "1,250", "9"], ("9", "800", "1250", "2500.5")),
    "percentages": (["50%", "7,5 %", "100%", "0%", "50%", "n/a"], ("0", "0.075", "0.5", "1")),
    "points": (["1.0", "2", "3.50", "1", "2.0", "3.5"], ("1", "2", "3.5")),
    "words": (["Paris, TX", "Rome", "Rome", "Paris, TX", "Rome", "x"], ("Paris, TX", "Rome", "x")),
}


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("kind", CELLS)
def test_cells_say_the_same_in_every_format(tmp_path, format_, kind):
    cells, labels = CELLS[kind]
    data = table(cells, format_, tmp_path)
    read = read_ratings(data)
    assert read.scale.labels == labels
    if format_ in ("csv", "parquet"):
        alpha = agree(data, bootstrap=0)["alpha"].value
        counted = agree(scan_ratings(data), bootstrap=0)
        assert counted["alpha"].value == pytest.approx(alpha)
        assert counted.to_dict()["labels"] == list(labels)


@pytest.mark.parametrize("format_", ["csv", "json", "parquet", "pandas"])
def test_scores_say_the_same_in_every_format(tmp_path, format_):
    scores = {"item": [f"i{n}" for n in range(40)], "gpt": [f"{n},{n}5" for n in range(40)]}
    frame = pd.DataFrame(scores)
    path = tmp_path / f"p.{format_}"
    if format_ == "csv":
        frame.to_csv(path, index=False)
    elif format_ == "json":
        frame.to_json(path, orient="records")
    elif format_ == "parquet":
        frame.to_parquet(path)
    (score,) = read_predictions(frame if format_ == "pandas" else path).scores
    assert sorted(score.values.tolist()) == sorted(float(f"{n}.{n}5") for n in range(40))


@pytest.mark.parametrize("format_", ["csv", "json", "xlsx", "parquet", "dict"])
@pytest.mark.parametrize(
    "cells",
    [
        ["1,5", "2,5", "ok", "3,5", "2,5", "1,5"],
        ["50%", "20%", "ok", "30%", "50%", "20%"],
        ["50%", "20%", "60", "30%", "50%", "20%"],
        ["1,5", "2.5", "1,5", "3,5", "2,5", "1,5"],
    ],
)
def test_one_other_cell_is_refused_with_its_row(tmp_path, format_, cells):
    with pytest.raises(DataError, match="missing=") as refusal:
        read_ratings(table(cells, format_, tmp_path))
    assert "row" in str(refusal.value)
    if cells[2] == "ok":
        read = read_ratings(table(cells, format_, tmp_path), missing=["ok"])
        assert all(float(label) >= 0 for label in read.scale.labels)
    if format_ in ("csv", "parquet"):
        with pytest.raises(DataError, match="missing="):
            agree(scan_ratings(table(cells, format_, tmp_path)), bootstrap=0)


@pytest.mark.parametrize("format_", ["csv", "parquet", "dict"])
def test_a_word_among_answers_in_json_is_refused(tmp_path, format_):
    cells = ['{"score": 4}', '{"score": 3}', "ok", '{"score": 4}', '{"score": 4}', '{"score": 4}']
    data = table(cells, format_, tmp_path)
    with pytest.raises(DataError, match="missing='ok'"):
        read_ratings(data)
    assert read_ratings(data, missing=["ok"]).scale.labels == ("3", "4")


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("form", ["{}/5", "{} stars", "$1,00{}", "[[{}]]", "Score: {}"])
def test_numbers_with_words_or_signs_are_refused(tmp_path, format_, form):
    cells = [form.format(n) for n in (4, 2, 5, 3, 4, 2)]
    data = table(cells, format_, tmp_path)
    with pytest.raises(DataError, match="hold more than a number or a label"):
        read_ratings(data)
    assert set(read_ratings(data, labels=[*set(cells)]).scale.labels) == {*cells}
    if format_ in ("csv", "parquet"):
        with pytest.raises(DataError, match="hold more than a number or a label"):
            agree(scan_ratings(data), bootstrap=0)


def test_a_comma_means_the_same_in_all_columns_of_raters():
    data = {"item": [1, 2, 3], "ann": ["1,234", "2,500", "1,234"], "bob": ["1,5", "2,5", "1,2"]}
    assert read_ratings(data).scale.labels == ("1.2", "1.234", "1.5", "2.5")


@pytest.mark.parametrize("word", sorted(MISSING_WORDS - {"<NA>"}))  # which is pandas'
def test_words_for_missing_values_are_the_same_in_an_engine(tmp_path, word):
    cells = ["yes", "no", word, "no", "yes", "yes"]
    alphas = set()
    for format_ in ("csv", "json", "parquet", "dict"):
        data = table(cells, format_, tmp_path)
        assert len(read_ratings(data)) == 5
        assert len(read_ratings(data, missing_words=False)) == 6
        if format_ in ("csv", "parquet"):
            alphas.add(agree(scan_ratings(data), bootstrap=0)["alpha"].value)
            alphas.add(agree(data, bootstrap=0)["alpha"].value)
    assert len(alphas) == 1


NAMES = ["gold", "majority", "NA", "null", "none", "mean", "-", "total"]
ITEMS = ["null", "nan", "NA", "-", "total", "mean", "x1", "001"]
SAID = ["NA", "none", "-", "yes"]


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("words", [{"missing_words": False}, {"labels": SAID}], ids=str)
@pytest.mark.parametrize("wide", [False, True])
def test_what_the_caller_names_is_kept_whatever_it_is_called(tmp_path, format_, words, wide):
    cells = {
        (item, rater): SAID[(3 * i + r * i + r) % 4]
        for i, item in enumerate(ITEMS)
        for r, rater in enumerate(NAMES)
    }
    if wide:
        columns = {"unit": ITEMS}
        columns |= {rater: [cells[item, rater] for item in ITEMS] for rater in NAMES}
        options: dict[str, Any] = {"item": "unit", "columns": NAMES, **words}
    else:
        items, raters = zip(*cells, strict=True)
        columns = {"unit": [*items], "who": [*raters], "said": [*cells.values()]}
        options = {"item": "unit", "rater": "who", "label": "said", **words}
    data = written(columns, format_, tmp_path)
    read = read_ratings(data, **options)
    rows = zip(*read.columns().values(), strict=True)
    assert {(item, rater): label for item, rater, label in rows} == cells
    if format_ in ("csv", "tsv", "parquet"):
        scanned = scan_ratings(data, engine="duckdb", **options)
        counted = agree(scanned, bootstrap=0, coefficients=["alpha"]).to_dict()
        assert counted["n_ratings"] == len(cells)
        alpha = agree(read, bootstrap=0, coefficients=["alpha"])["alpha"].value
        assert counted["alpha"]["value"] == pytest.approx(alpha)


def _fixtures() -> list[Path]:
    kinds = {".csv", ".tsv", ".parquet"}
    return sorted(path for path in FIXTURES.rglob("*") if path.suffix in kinds)


@pytest.mark.parametrize(
    "path", _fixtures(), ids=lambda path: f"{path.parent.parent.name}-{path.parent.name}"
)
def test_every_fixture_is_read_alike_in_memory_and_by_duckdb(path):
    """Where both read a file, the numbers are the same; DuckDB refuses what it does not read."""
    warnings.simplefilter("ignore")
    try:
        counted = agree(scan_ratings(path), bootstrap=0, coefficients=["alpha"]).to_dict()
    except HeadcountError:
        return
    read = agree(path, bootstrap=0, coefficients=["alpha"]).to_dict()
    assert counted["n_ratings"] == read["n_ratings"]
    assert counted["alpha"]["value"] == pytest.approx(read["alpha"]["value"])


def test_numbers_with_commas():
    assert written_numbers(["1,5", "1,234,567"]) is None
    assert written_numbers(["1,2", "1,2,3"]) is None
    made = written_numbers(["12,345.5", "7", "unknown"])
    assert made is not None
    assert made.texts == ["12345.5", "7", "unknown"]
