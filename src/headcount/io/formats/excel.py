"""Excel workbooks (.xlsx), by python-calamine."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from headcount.errors import DataError, ExtraError, closest, count, option, some
from headcount.io.formats.csv import check_header
from headcount.io.reading import MOST_UNPACKED, File, Format
from headcount.io.roles import find_role
from headcount.io.tables import ColumnTable, Table, check_columns
from headcount.results.notes import Notes

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

__all__ = [
    "Excel",
]


MOST_CELLS = 5_000_000
"""Rows x columns that sheets may span: the library that reads them makes room for all of them, and
a cell, blank or not, takes up to a hundred bytes."""
_ZIP, _OLD = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_DAMAGED = (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError, OSError, ValueError)
"""What reading a damaged archive raises: a place before its start is an error of the system, a
compression that is not known one of running, a name that is no text one of a value."""
_BLOCK = 1 << 20
_GRID = (1_048_576, 16_384)
"""Rows and columns that Excel has."""
_PLACE = re.compile(rb"""\sr\s*=\s*["']\s*([A-Za-z]{0,12})([0-9]{0,12})""")
"""Where a cell or a row is, however it is quoted; more letters or digits are outside all sheets."""
_ERROR = re.compile(rb'<c[^>]*? t="e"')
_NOT_CALCULATED = re.compile(rb"(?:</f>|<f[^<>]*/>)\s*(?:<v>\s*</v>|<v\s*/>)?\s*</c>")
_OVERLAP = 4096
_ROLES = ("item", "rater", "label", "classifier", "left", "right", "outcome", "winner", "loser")
"""What columns may be, by which a sheet of data is known."""


class Excel(Format):
    """A sheet of a workbook that is not hidden: the one that holds a table with known columns."""

    name = "excel"
    title = "Excel"
    suffixes = (".xlsx", ".xlsm")
    starts = (_OLD, _ZIP)
    has_sheets = True

    def knows(self, file: File) -> bool:
        """Whether the first bytes are those of a workbook, or the name says so."""
        if file.magic == _OLD or super().knows(file):
            return True
        return file.magic == _ZIP and _is_workbook(file)

    def open(self, file: File, *, ignore: Collection[str]) -> Table:
        """Open a sheet as a table; dates and numbers are the text that a CSV would have."""
        if file.magic == _OLD:
            raise DataError(
                f"{file.name}: an old workbook (.xls), or one with a password. Save it as .xlsx "
                "without one, or as CSV."
            )
        try:
            import python_calamine as calamine
        except ImportError:
            raise ExtraError("reading Excel files", "python-calamine", "excel") from None
        notes = Notes()
        blank = _checked(file)
        if blank:
            notes.caution(
                f"{file.name}: {count(blank, 'cell')} with an error or a formula that was not "
                "calculated read as blank."
            )
        try:
            with cast("Any", calamine).load_workbook(str(file.path)) as workbook:
                hidden = [
                    sheet.name
                    for sheet in workbook.sheets_metadata
                    if not str(sheet.visible).endswith(".Visible")
                    or not str(sheet.typ).endswith(".WorkSheet")
                ]
                shown = [name for name in workbook.sheet_names if name not in hidden]
                named = workbook.sheet_names
                sheets = {name: workbook.get_sheet_by_name(name) for name in shown}
                full = [name for name, sheet in sheets.items() if sheet.end is not None]
                if not full:
                    raise DataError(f"{file.name} is empty: no sheet holds anything.")
                name, cells = _chosen({name: _Cells.of(sheets[name]) for name in full}, file)
        except calamine.CalamineError as error:
            raise DataError(f"{file.name} cannot be read as a workbook: {error}.") from None
        others = [other for other in full if other != name]
        if others and file.sheet is None:
            notes.caution(
                f"{file.name}: sheet '{name}' was read, and not {some(others)}. Another one is "
                f"read with {option('sheet', others[0])}."
            )
        elif len(named) > 1:
            notes.info(f"{file.name}: sheet '{name}' was read.")
        table = _SheetTable(cells, file, ignore=ignore)
        if cells.header:
            notes.info(f"{file.name}: the header is row {cells.first + cells.header + 1}.")
        if table.doubt:
            notes.warning(f"{file.name}: {table.doubt[0].lower()}{table.doubt[1:]}")
        table.notes = tuple(notes)
        table.sources = (file.source(self.name, table.rows),)
        return table


@dataclass(frozen=True)
class _Cells:
    """Cells of a sheet; those that are merged all hold what the first of them does.

    Parameters
    ----------
    rows : list of lists
    first : int
        Row of the sheet that the first is, from 0 on.
    header : int
        Rows above the header: titles, which have one cell.
    """

    rows: list[list[Any]]
    first: int
    header: int

    @classmethod
    def of(cls, sheet: CalamineSheet) -> _Cells:
        """Take the cells of a sheet."""
        rows = sheet.to_python(skip_empty_area=True)
        row0, column0 = sheet.start or (0, 0)
        widths = [sum(cell != "" for cell in row) for row in rows]
        header = next((i for i, width in enumerate(widths) if width > 1), 0)
        for (top, left), (bottom, right) in sheet.merged_cell_ranges or []:
            value = _cell(rows, top - row0, left - column0)
            for i in range(max(top - row0, header), min(bottom - row0 + 1, len(rows))):
                for j in range(max(left - column0, 0), min(right - column0 + 1, len(rows[i]))):
                    rows[i][j] = value
        return cls(rows, row0, header)

    @property
    def titles(self) -> list[str]:
        """Names of the columns."""
        return [_name(title) for title in self.rows[self.header] if title != ""]

    @property
    def fit(self) -> tuple[bool, int]:
        """How much it looks like a table: rows below several columns, and how many are known."""
        table = len(self.titles) > 1 and len(self.rows) > self.header + 1
        roles = sum(find_role(self.titles, role) is not None for role in _ROLES)
        return table, roles if table else 0


def _chosen(sheets: dict[str, _Cells], file: File) -> tuple[str, _Cells]:
    """Choose the sheet that is asked for, or the first of those that look most like a table."""
    if file.sheet is not None:
        if file.sheet in sheets:
            return file.sheet, sheets[file.sheet]
        near = closest(file.sheet, list(sheets))
        hint = f" Did you mean '{near[0]}'?" if near else ""
        raise DataError(
            f"{file.name} has no sheet '{file.sheet}' that holds something.{hint} Sheets: "
            f"{some(sheets, 12)}."
        )
    name = max(sheets, key=lambda sheet: sheets[sheet].fit)
    cells = sheets[name]
    alike = [key for key, own in sheets.items() if own.titles == cells.titles and own.fit[0]]
    if len(alike) > 1:
        raise DataError(
            f"{file.name}: sheets {some(alike)} have the same columns, and only one would be read. "
            f"Say which with {option('sheet', name)}; or, to read all, put their rows into one "
            "sheet, with a column for what the sheets are (a rater, say)."
        )
    return name, cells


def _cell(rows: list[list[Any]], row: int, column: int) -> Any:
    inside = 0 <= row < len(rows) and 0 <= column < len(rows[row])
    return rows[row][column] if inside else ""


class _SheetTable(ColumnTable):
    """A sheet as a table."""

    def __init__(self, cells: _Cells, file: File, *, ignore: Collection[str]) -> None:
        header, rows = cells.header, cells.rows
        full = [i for i in range(header + 1, len(rows)) if any(cell != "" for cell in rows[i])]
        if not full:
            raise DataError(f"{file.name} is empty: it has a header but no rows below it.")
        titles, second = (list(map(_name, rows[header + i])) for i in (0, 1))
        check_header(titles, second, f"{file.name}, row {cells.first + header + 2}")
        used = [i for i, title in enumerate(titles) if title or any(rows[n][i] != "" for n in full)]
        check_columns(len(used), file.name)
        columns = [[rows[i][column] for i in full] for column in used]
        names = [titles[column] for column in used]
        super().__init__(columns, names, file.name, ignore=ignore)
        self.first_row = cells.first + full[0] + 1
        self.numbered = np.array(full, dtype=np.int64) + cells.first + 1
        long = [name for name, cells_ in zip(names, columns, strict=True) if _some_long(cells_)]
        if long:
            self.doubt = (
                f"Of the numbers in {some(long)} Excel keeps the first 15 digits only, so that "
                "longer ids become the same: import the column as text, or give a CSV file."
            )


def _some_long(cells: Sequence[Any]) -> bool:
    """Whether some cells are whole numbers of more digits than Excel keeps."""
    return any(isinstance(cell, float | int) and abs(cell) >= 10**15 for cell in cells)


def _name(title: Any) -> str:
    """Write the title of a column, which may be a number."""
    if isinstance(title, float) and title.is_integer():
        return str(int(title))
    return str(title).strip()


def _is_workbook(file: File) -> bool:
    try:
        with zipfile.ZipFile(file.path) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except _DAMAGED:
        return False


def _checked(file: File) -> int:
    """Refuse a workbook that needs too much room; count cells without a value that have a formula.

    A sheet of two cells, the first and the last of all, would end the whole process.
    """
    blank = cells = 0
    try:
        with zipfile.ZipFile(file.path) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
            if size > MOST_UNPACKED:
                raise DataError(
                    f"{file.name} unpacks to {size:,} bytes; the limit is {MOST_UNPACKED:,}. Save "
                    "the sheet as CSV."
                )
            # By entry and not by name, which two may share.
            for entry in archive.infolist():
                no_value, rows, columns = _check_sheet(archive, entry, file)
                blank, cells = blank + no_value, cells + rows * columns
                # What is outside the grid would be counted modulo a power of two by the library.
                if cells > MOST_CELLS or rows > _GRID[0] or columns > _GRID[1]:
                    raise DataError(
                        f"{file.name}: its sheets span {cells:,} cells; one has {rows:,} rows x "
                        f"{columns:,} columns; at most {MOST_CELLS:,} cells are read, and Excel "
                        f"has {_GRID[0]:,} rows x {_GRID[1]:,} columns. Delete what stands far "
                        "from the table, or save the sheet that holds it as CSV."
                    )
    except DataError:
        raise
    except _DAMAGED:
        raise DataError(
            f"{file.name}: the workbook is damaged, or is not a workbook. Save it again as .xlsx."
        ) from None
    return blank


def _check_sheet(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, file: File
) -> tuple[int, int, int]:
    """Count the cells of a sheet with a formula and no value, and the rows and columns it spans.

    Any entry may be a sheet, whatever its name; what others have at ``r`` is of no concern.
    """
    rows, columns, blank, held, read, is_sheet = 0, 0, 0, b"", 0, False
    with archive.open(entry) as sheet:
        while block := sheet.read(_BLOCK):
            read += len(block)
            if read > MOST_UNPACKED:
                raise DataError(f"{file.name} unpacks to more than {MOST_UNPACKED:,} bytes.")
            text = held + block
            is_sheet = is_sheet or b"sheetData" in text
            for column, row in set(_PLACE.findall(text)):
                rows, columns = max(rows, int(row or 0)), max(columns, _number(column))
            whole, end, rest = text.rpartition(b"</c>")  # cells that end here
            held = (rest if end else text)[-_OVERLAP:]
            blank += sum(len(pattern.findall(whole + end)) for pattern in (_ERROR, _NOT_CALCULATED))
    return (blank, rows, columns) if is_sheet else (0, 0, 0)


def _number(column: bytes) -> int:
    """Count columns: A is 1, Z 26, AA 27.

    Examples
    --------
    >>> _number(b"A"), _number(b"AA"), _number(b"XFD")
    (1, 27, 16384)
    """
    number = 0
    for letter in column.upper():
        number = 26 * number + letter - 64
    return number
