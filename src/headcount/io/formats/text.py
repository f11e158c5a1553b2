"""Encodings of text: which one a file is in, and its text."""

from __future__ import annotations

import codecs
import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from headcount.errors import DataError, OptionError, closest, option
from headcount.results.notes import Note

__all__ = ["LETTERS_OF_UTF8", "LONGEST_LINE", "Text", "decoded", "recognised"]

LONGEST_LINE = 1 << 24
"""Characters after which a line is given in parts."""
_BLOCK = 1 << 20
_MARKS = [
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
]
"""Marks at the start of a file; the longer one of two that start alike comes first."""
ENCODINGS = (
    "utf-8", "utf-16", "cp1252", "latin-1", "cp1250", "cp1251", "mac-roman", "shift_jis",
    "gb18030", "big5", "euc-kr",
)  # fmt: skip
"""Encodings that people have most; Python knows others too."""
_OTHERWISE = "cp1252"
"""The encoding of text that is not Unicode: that of Windows in western Europe and America."""
_ELSEWHERE = {
    "gb18030": "Chinese", "cp932": "Japanese", "cp949": "Korean", "cp1251": "Cyrillic",
    "cp1253": "Greek", "big5": "Chinese, Taiwan",
}  # fmt: skip
"""Encodings in which whole words have no letter of ASCII."""
_BEYOND = bytes(range(128, 256))
_LETTERS = re.compile(rb"([A-Za-z]?)([\x80-\xff]+)([A-Za-z]?)")
LETTERS_OF_UTF8 = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)


@dataclass(frozen=True)
class Text:
    """How the bytes of a file are text.

    Parameters
    ----------
    path : Path
    encoding : str
        Its name in Python.
    notes : tuple of Note
        What to tell of it.
    """

    path: Path
    encoding: str
    notes: tuple[Note, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether it is UTF-8 without a mark."""
        return self.encoding == "utf-8"

    @property
    def said(self) -> str:
        """What users call the encoding."""
        return "utf-8" if self.encoding == "utf-8-sig" else self.encoding

    def lines(self, errors: str = "strict") -> Iterator[str]:
        """Lines of text, ended as by Unix, Windows or an old Macintosh."""
        with self.path.open(encoding=self.encoding, errors=errors, newline="") as file:
            while line := file.readline(LONGEST_LINE):
                yield line


def recognised(path: Path, name: str, wanted: str | None) -> Text:
    """Find the encoding of a file, or check the one that is wanted; every byte is gone through.

    A mark at the start says UTF-8, UTF-16 or UTF-32. Without one, text is UTF-8 if it can be; else
    it is cp1252, which is told, unless other letters are those of UTF-8.
    """
    if wanted is not None:
        encoding = known_encoding(wanted)
        _check(path, name, encoding)
        return Text(path, encoding)
    with path.open("rb") as file:
        start = file.read(16)
    _check_binary(path, name, start)
    marked = next((encoding for mark, encoding in _MARKS if start.startswith(mark)), None)
    if marked is not None:
        _check(path, name, marked)
        return Text(path, marked)
    start = start[:4]
    if start[:4:2] == b"\0\0" or start[1:4:2] == b"\0\0":
        order = "be" if start.startswith(b"\0") else "le"
        raise DataError(
            f"{name}, row 1: zero bytes between the letters; the text seems to be UTF-16 without a "
            f"mark. Say so with {option('encoding', f'utf-16-{order}')}."
        )
    row = _bad_row(path, "utf-8")
    if row is None:
        _check(path, name, "utf-8", decoded_already=True)
        return Text(path, "utf-8")
    if not _is_western(path):
        raise _of_elsewhere(name, row)
    if _has_utf8(path):
        raise DataError(
            f"{name}, row {row}: bytes that are not UTF-8, in a file that has letters in UTF-8. "
            "Correct the row and save the file as UTF-8, or name the encoding with "
            f"{option('encoding', 'cp1252')} or another."
        )
    if _bad_row(path, _OTHERWISE) is not None:
        raise _of_elsewhere(name, row)
    _check(path, name, _OTHERWISE, decoded_already=True)
    note = Note(
        f"{name}: row {row} is not UTF-8, so the text was read as {_OTHERWISE} (Windows, western). "
        f"If letters look wrong, name the encoding with {option('encoding', ...)}.",
        "caution",
    )
    return Text(path, _OTHERWISE, (note,))


def _of_elsewhere(name: str, row: int) -> DataError:
    """Error for text that is neither in Unicode nor western."""
    others = ", ".join(f"{one} ({where})" for one, where in _ELSEWHERE.items())
    return DataError(
        f"{name}, row {row}: the text is neither UTF-8 nor {_OTHERWISE}. Save the file as UTF-8, "
        f"or name its encoding with {option('encoding', ...)}: {others}, or another."
    )


_BINARY = {
    b"%PDF-": ("a PDF", "Copy the table into a CSV file."),
    b"SQLite format 3": ("a database of SQLite", "Write the table as CSV."),
    b"$FL2": ("a file of SPSS (.sav)", "Save it as CSV there, with the labels of values."),
    b"$FL3": ("a file of SPSS (.zsav)", "Save it as CSV there, with the labels of values."),
    b"<stata_dta>": ("a file of Stata (.dta)", "Write it as CSV there (export delimited)."),
    b"RDX": ("a file of R", "Write the table as CSV there (write.csv)."),
    b"\x89PNG": ("an image", "Give the numbers, as CSV."),
    b"\x89HDF": ("a file of HDF5", "Write the table as CSV or Parquet."),
    b"ARROW1": ("a file of Arrow", "Write the table as Parquet."),
    b"{\\rtf": ("a document", "Save the table as CSV."),
}
"""What files that are no text begin with, what they are, and what to do."""
_ZIP = b"PK\x03\x04"


def _check_binary(path: Path, name: str, start: bytes) -> None:
    """Refuse files that are no text, by how they begin."""
    if start.startswith(_ZIP):
        whole = zipfile.is_zipfile(path)
        what = "no workbook, and no export that is known" if whole else "damaged: it has no end"
        fix = "Unpack it, and give the file in it." if whole else "Download or export it again."
        raise DataError(f"{name}: a zip archive that is {what}. {fix}")
    for begin, (what, fix) in _BINARY.items():
        if start.startswith(begin):
            raise DataError(f"{name}: {what}, which is not read. {fix}")


def decoded(path: Path, name: str, encoding: str) -> Iterator[str]:
    """Text in blocks, line ends as they are; an error names the row of bytes that are no text."""
    try:
        with path.open(encoding=encoding, newline="") as file:
            while block := file.read(_BLOCK):
                yield block
    except UnicodeError:
        row = _bad_row(path, encoding) or 1
        raise DataError(
            f"{name}, row {row}: bytes that are not {encoding}. Correct them, or name another "
            f"encoding with {option('encoding', ...)}."
        ) from None


def known_encoding(wanted: str) -> str:
    """Check the name of an encoding of text, and write it as Python does."""
    try:
        encoding = codecs.lookup(wanted).name
        b"".decode(encoding)
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    except (LookupError, ValueError, TypeError, UnicodeError):
        near = closest(wanted.lower(), ENCODINGS)
        hint = f"Did you mean '{near[0]}'? " if near else ""
        raise OptionError(
            f"{option('encoding')} '{wanted}' is not known. {hint}Use one of "
            f"{', '.join(ENCODINGS)}, or another that Python knows."
        ) from None
    return "utf-8-sig" if encoding == "utf-8" else encoding


def _check(path: Path, name: str, encoding: str, *, decoded_already: bool = False) -> None:
    """Refuse bytes that are no text in an encoding, and zeros, which are none in any."""
    if decoded_already:
        row = _zero_row(path)
    else:
        row, before = None, 1
        for block in decoded(path, name, encoding):
            if "\0" in block:
                row = before + _ends(block[: block.index("\0")])
                break
            before += _ends(block)
    if row is not None:
        raise DataError(
            f"{name}, row {row}: a zero byte; the file is no text, or is damaged. Give a CSV, TSV, "
            "JSON, Parquet or Excel file."
        )


def _ends(text: str) -> int:
    """Count the ends of lines."""
    return text.count("\n") or text.count("\r")


def _zero_row(path: Path) -> int | None:
    before = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            place = block.find(b"\0")
            if place >= 0:
                return _row_of(path, before + place)
            before += len(block)
    return None


def _row_of(path: Path, place: int) -> int:
    """Row in which a byte stands, by the ends of lines before it; only an error needs it."""
    unix = mac = 0
    with path.open("rb") as file:
        while place > 0 and (block := file.read(min(_BLOCK, place))):
            unix, mac = unix + block.count(b"\n"), mac + block.count(b"\r")
            place -= len(block)
    return 1 + (unix or mac)


def _bad_row(path: Path, encoding: str) -> int | None:
    """Row of the first bytes that are not text in an encoding; None if all are."""
    decoder, before = codecs.getincrementaldecoder(encoding)(), 0
    with path.open("rb") as file:
        while True:
            block = file.read(_BLOCK)
            if not (block.isascii() and encoding == "utf-8" and not decoder.getstate()[0]):
                try:
                    decoder.decode(block, final=not block)
                except UnicodeError as error:
                    start = error.start if isinstance(error, UnicodeDecodeError) else 0
                    return _row_of(path, before + start)
            if not block:
                return None
            before += len(block)


def _is_western(path: Path) -> bool:
    """Whether letters beyond ASCII stand alone, or in words with others, and not as whole words.

    UTF-8 in which a row is spoilt is for another message.
    """
    with path.open("rb") as file:
        found = _LETTERS.findall(LETTERS_OF_UTF8.sub(b"a", file.read(_BLOCK)))
    words = sum(len(run) > 1 and not before and not after for before, run, after in found)
    return 2 * words <= len(found)


def _has_utf8(path: Path) -> bool:
    """Whether most letters beyond ASCII are written as UTF-8 writes them."""
    as_utf8 = beyond = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            beyond += len(block) - len(block.translate(None, _BEYOND))
            as_utf8 += sum(map(len, LETTERS_OF_UTF8.findall(block)))
    return 2 * as_utf8 > beyond
