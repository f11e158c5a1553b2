from __future__ import annotations

import csv
from pathlib import Path

import pytest

from headcount import read_ratings
from headcount.io.write import write_columns, write_ratings, write_rows


def rows_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


RUN = ["=1+1", "+a", "-a", "@ann", "\tx", "\rx", "\n=1", "-", "=cmd|' /C calc'!A0", "-1+2"]
KEPT = ["a", "-1", "+1.5", "-.5", "1e-3", "-2E5", "a=b", "'x", ""]


@pytest.mark.parametrize("write", [write_columns, write_rows])
def test_no_cell_is_a_formula(tmp_path, write):
    path = tmp_path / "rows.csv"
    write({"=name": [*RUN, *KEPT], "number": [-1.5] * len([*RUN, *KEPT])}, path)
    head, *rows = rows_of(path)
    assert head == ["'=name", "number"]
    assert [row[0] for row in rows] == [f"'{text}" for text in RUN] + KEPT
    assert {row[1] for row in rows} == {"-1.5"}


def test_ratings_are_safe_too_and_labels_stay_numbers(tmp_path):
    rated = read_ratings([("@i", "=r", "-1"), ("@i", "s", "1"), ("j", "=r", "1"), ("j", "s", "-1")])
    write_ratings(rated, tmp_path / "ratings.csv")
    _, *rows = rows_of(tmp_path / "ratings.csv")
    assert ["'@i", "'=r", "-1"] in rows


def test_other_formats_hold_names_as_they_are(tmp_path):
    for name in ("rows.jsonl", "rows.parquet"):
        write_rows(
            {"item": ["=1", "b"], "rater": ["@r", "@r"], "label": ["x", "y"]}, tmp_path / name
        )
        assert set(read_ratings(tmp_path / name).items.tolist()) == {"=1", "b"}
