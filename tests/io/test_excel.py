"""Excel workbooks, made here by hand: no library that writes them is needed."""

from __future__ import annotations

import sys
import zipfile

import pytest

from headcount import DataError, OptionError, look, read_ratings
from headcount.errors import ExtraError
from headcount.io.formats.excel import MOST_CELLS
from headcount.io.opening import open_file
from headcount.io.reading import Reading
from tests.workbooks import workbook

pytest.importorskip("python_calamine")


def cells(table, column):
    codes, texts = table.codes(column)
    return [None if code < 0 else texts[code] for code in codes]


GRID = {
    "A1": "item", "B1": "ann", "C1": "bob", "D1": 2024, "A2": "01", "B2": 1, "C2": 1.5,
    "D2": "date 45000", "A3": 2, "B3": True, "C3": " x ", "A5": 12345678901, "B5": 3, "C5": "#N/A",
}  # fmt: skip


def test_values_are_the_text_that_a_csv_would_have(tmp_path):
    table = open_file(workbook(tmp_path / "r.xlsx", {"s": GRID}))
    assert table.names == ["item", "ann", "bob", "2024"]
    assert cells(table, 0) == ["01", "2", "12345678901"]
    assert cells(table, 1) == ["1", "True", "3"]
    assert cells(table, 2) == ["1.5", "x", None]
    assert cells(table, 3) == ["2023-03-15", None, None]
    assert table.row_numbers().tolist() == [2, 3, 5]
    (note,) = table.notes
    assert (note.severity, "1 cell with an error" in note) == ("caution", True)
    (source,) = table.sources
    assert (source.format, source.rows, source.encoding) == ("excel", 3, None)


def test_the_first_sheet_that_holds_something_is_read(tmp_path):
    other = {"A1": "item", "B1": "zoe", "A2": "9", "B2": "no"}
    path = workbook(
        tmp_path / "r.xlsx", {"old": other, "empty": {}, "one": GRID, "two": other}, hidden=["old"]
    )
    table = open_file(path)
    assert table.names[1] == "ann"
    (note,) = [note for note in table.notes if "sheet" in note]
    assert note.severity == "caution"
    assert "sheet 'one' was read, and not 'two'." in note
    with pytest.raises(DataError, match="no sheet holds anything"):
        open_file(workbook(tmp_path / "none.xlsx", {"a": {}, "b": {}}))


def test_the_sheet_of_data_is_found_behind_others(tmp_path):
    about = {"A1": "How to annotate", "A3": "Read each item", "A4": "Then choose", "B4": "one"}
    long = {"A1": "item", "B1": "rater", "C1": "label", "A2": "a", "B2": "ann", "C2": "yes"}
    path = workbook(tmp_path / "r.xlsx", {"about": about, "data": long})
    table = open_file(path)
    assert table.names == ["item", "rater", "label"]
    assert any("sheet 'data' was read, and not 'about'" in note for note in table.notes)


def test_sheets_of_one_kind_are_not_read_in_part(tmp_path):
    path = workbook(tmp_path / "r.xlsx", {"ann": GRID, "bob": GRID})
    with pytest.raises(DataError, match=r"sheets 'ann', 'bob' have the same columns.*one sheet"):
        open_file(path)


def labels_of(labels, items="abcde", names=("item", "label")):
    """Return a sheet of items and labels."""
    cells = {"A1": names[0], "B1": names[1]}
    for n, (item, label) in enumerate(zip(items, labels, strict=True), 2):
        cells |= {f"A{n}": item, f"B{n}": label}
    return cells


@pytest.mark.parametrize(
    "sheets",
    [
        {"Round 1": labels_of("xyxyx"), "Round 2": labels_of("xyxyy")},
        {"fluency": labels_of("xyxyx"), "tone": labels_of("xyxyy")},
        {"ann": labels_of("xyxyx"), "bob": labels_of("xyxyy", "fghij")},
        {"ann": labels_of("xyxyx"), "bob": labels_of("xyxyy", "aacde")},
        {"ann": labels_of("xyxyx", names=("rater", "label")),
         "bob": labels_of("xyxyy", names=("rater", "label"))},
        {"ann": labels_of("xyxyx"), "bob": labels_of("xyxyy") | {"D3": "a remark"}},
    ],
)  # fmt: skip
def test_sheets_with_the_same_columns_are_refused(tmp_path, sheets):
    with pytest.raises(DataError, match="have the same columns, and only one would be read"):
        open_file(workbook(tmp_path / "r.xlsx", sheets))


def test_a_sheet_is_named(tmp_path):
    grid = {"A1": "item", "B1": "ann", "C1": "bob", "A2": "a", "B2": "yes", "C2": "no"}
    grid |= {"A3": "b", "B3": "no", "C3": "no"}
    other = grid | {"B1": "zoe"}
    path = workbook(tmp_path / "r.xlsx", {"first": grid, "second": other, "third": grid})
    with pytest.raises(DataError, match=r"'first', 'third' have the same.*sheet='first'"):
        read_ratings(path)
    assert open_file(path, reading=Reading(sheet="second")).names[1] == "zoe"
    assert "zoe" in read_ratings(path, sheet="second").raters.tolist()
    assert look(path, sheet="second").seen[0].kind == "ratings"
    with pytest.raises(
        DataError, match=r"no sheet 'secnd'.*mean 'second'.*'first', 'second', 'third'"
    ):
        read_ratings(path, sheet="secnd")
    plain = tmp_path / "r.csv"
    plain.write_text("item,ann,bob\n1,x,y\n2,y,y\n")
    with pytest.raises(OptionError, match=r"names a sheet of a workbook, but r.csv is csv"):
        read_ratings(plain, sheet="one")


def test_titles_above_the_table_and_merged_cells(tmp_path):
    grid = {
        "B2": "A title", "B4": "item", "C4": "rater", "D4": "label", "B5": "i1", "C5": "ann",
        "D5": "x", "C6": "bob", "D6": "y", "B7": "i2", "C7": "ann", "D7": "x",
    }  # fmt: skip
    merged = '<mergeCells count="2"><mergeCell ref="B2:D2"/><mergeCell ref="B5:B6"/></mergeCells>'
    path = workbook(tmp_path / "r.xlsx", {"s": grid}, merged=merged)
    table = open_file(path)
    assert table.names == ["item", "rater", "label"]
    assert cells(table, 0) == ["i1", "i1", "i2"]
    assert "r.xlsx: the header is row 4." in table.notes
    assert len(read_ratings(path)) == 3


def test_a_sheet_that_would_need_too_much_room(tmp_path):
    path = workbook(tmp_path / "r.xlsx", {"s": {"A1": "item", "XFD1048576": "far"}})
    with pytest.raises(DataError, match=f"1,048,576 rows x 16,384 columns; at most {MOST_CELLS:,}"):
        open_file(path)


@pytest.mark.parametrize(
    ("reference", "spans"),
    [
        ("A1048577", "1,048,577 rows x 4 columns"),
        ("XFE1", "5 rows x 16,385 columns"),
        ("xfe1", "5 rows x 16,385 columns"),
        ("C" + "4" * 5_000, r"444,444,444,444 rows"),  # longer than what is held of a block
        ("C" + "X" * 5_000 + "5", r"x [0-9,]{20,} columns"),
    ],
)
def test_a_cell_outside_the_grid_is_refused(tmp_path, reference, spans):
    """The library counts in 32 bits, and then asks for room that ends the process."""
    path = workbook(tmp_path / "r.xlsx", {"s": GRID})
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    assert b'r="A2"' in members[sheet]
    members[sheet] = members[sheet].replace(b'r="A2"', f"r = '{reference}'".encode())
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(DataError, match=spans):
        open_file(path)


def test_what_is_no_workbook(tmp_path):
    path = tmp_path / "r.xlsx"
    path.write_text("item,rater\n")
    with pytest.raises(DataError, match=r"r\.xlsx: the workbook is damaged, or is not a workbook"):
        open_file(path)
    path.write_bytes(b"\xd0\xcf\x11\xe0rest")
    with pytest.raises(DataError, match=r"an old workbook \(\.xls\), or one with a password"):
        open_file(path)
    whole = workbook(tmp_path / "whole.xlsx", {"s": GRID}).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="damaged"):
        open_file(path)


def test_a_workbook_is_known_by_its_bytes(tmp_path):
    assert open_file(workbook(tmp_path / "ratings", {"s": GRID})).rows == 3


def test_the_extra_is_named(tmp_path, monkeypatch):
    path = workbook(tmp_path / "r.xlsx", {"s": GRID})
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(ExtraError, match=r"headcount\[excel\]"):
        open_file(path)


def test_formulas_that_were_not_calculated_are_told(tmp_path):
    path = workbook(tmp_path / "r.xlsx", {"s": {"A1": "item", "B1": "ann", "A2": "x", "B2": 77}})
    for empty in ("", "<v/>", "<v />", "<v></v>"):
        changed = tmp_path / f"{len(empty)}.xlsx"
        with zipfile.ZipFile(path) as old, zipfile.ZipFile(changed, "w") as new:
            for name in old.namelist():
                text = old.read(name).decode()
                new.writestr(name, text.replace("<v>77</v>", f"<f>70+7</f>{empty}"))
        notes = open_file(changed).notes
        assert any("1 cell with an error or a formula that was not calculated" in n for n in notes)


def test_a_workbook_that_names_a_place_before_its_start_is_damaged(tmp_path):
    path = workbook(tmp_path / "r.xlsx", {"s": GRID})
    data = path.read_bytes()
    # Cut so much from the front that the sheet would stand before it.
    path.write_bytes(data[:4] + data[data.index(b"<sheetData>") :])
    with pytest.raises(DataError, match="the workbook is damaged"):
        open_file(path)


def test_ids_of_more_digits_than_excel_keeps_are_said_to_be_the_cause(tmp_path):
    cells = {"A1": "item", "B1": "ann", "C1": "bob"}
    for row in range(2, 8):
        cells |= {f"A{row}": 1234567890123456700 + row % 2, f"B{row}": row % 2, f"C{row}": 1}
    path = workbook(tmp_path / "r.xlsx", {"s": cells})
    with pytest.raises(DataError, match="Excel keeps the first 15 digits only"):
        read_ratings(path, item="item")
    cells = {place: value for place, value in cells.items() if place[1:] in "123"}
    cells["A3"] = 2
    read = read_ratings(workbook(path, {"s": cells}))
    assert any(n.severity == "warning" and "15 digits" in n for n in read.notes)


def test_an_archive_of_a_version_that_nobody_writes_is_no_workbook(tmp_path):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("ann.jsonl", "{}")
    data = bytearray(path.read_bytes())
    place = data.index(b"PK\x01\x02") + 6  # the version that is needed, in the central directory
    data[place] = 165
    path.write_bytes(data)
    with pytest.raises(DataError):
        read_ratings(path)


def test_sheets_that_need_too_much_room_together(tmp_path):
    far = {"A1": "item", "B1": "ann", "A2": "a", "B2": 1, "Z100000": 1}
    path = workbook(tmp_path / "r.xlsx", {"first": far, "second": far})
    with pytest.raises(DataError, match=r"its sheets span 5,200,000 cells; .*as CSV"):
        open_file(path)
