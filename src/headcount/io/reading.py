"""How a file is read: options that all readers share, its bytes and text, what a format is."""

from __future__ import annotations

import codecs
import errno
import gzip
import hashlib
import io
import re
import secrets
import shutil
import tempfile
import weakref
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from io import BufferedIOBase
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self, TypedDict, Unpack, cast

import numpy as np

from headcount import options
from headcount.data.vocabulary import label_text
from headcount.errors import DataError, OptionError, meant, option, some
from headcount.io.cells import MISSING_WORDS
from headcount.io.tables import Table
from headcount.io.values import MERGES
from headcount.results.notes import Note, Source

__all__ = [
    "LookOptions",
    "ReadOptions",
    "Reading",
    "LONGEST_LINE",
    "LETTERS_OF_UTF8",
    "Text",
    "recognised",
    "Scratch",
    "MOST_UNPACKED",
    "File",
    "Format",
]


# How to read a table: the options that all readers share.


class ReadOptions(TypedDict, total=False):
    """Keywords that all readers share; :func:`headcount.read_ratings` tells what they are for."""

    ignore: Sequence[str]
    where: Any
    missing: Sequence[str]
    missing_words: bool
    merge: Sequence[str]
    format: str | None
    encoding: str | None
    sheet: str | None
    question: str | None


class LookOptions(ReadOptions, total=False):
    """Those, and what :func:`headcount.read_comparisons` takes besides."""

    left: str | None
    right: str | None
    outcome: str | None
    first_wins: object


@dataclass(frozen=True, kw_only=True)
class Reading:
    """:class:`ReadOptions` as readers take them: checked, and `where` as columns and values."""

    ignore: tuple[str, ...] = ()
    where: tuple[tuple[str, str], ...] = ()
    missing: tuple[str, ...] = ()
    missing_words: bool = True
    merge: tuple[str, ...] = ()
    format: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    question: str | None = None
    again: bool = False
    """Whether to read what the same raters said of the same items the second time."""

    @classmethod
    def of(cls, **given: Unpack[ReadOptions]) -> Self:
        """Check the options as a caller gives them; a text is a list of one."""
        if unknown := set(given) - set(ReadOptions.__annotations__):
            raise TypeError(f"unexpected keyword argument {min(unknown)!r}")
        ways = [way.name for way in MERGES]
        question = given.get("question")
        return cls(
            ignore=_texts(given.get("ignore", ()), "ignore", "names of columns"),
            where=_conditions(given.get("where", ())),
            missing=_texts(given.get("missing", ()), "missing", "values"),
            missing_words=options.switch(given.get("missing_words", True), "missing_words"),
            merge=options.several_of(given.get("merge", ()), "merge", ways, "way to merge"),
            format=_text(given.get("format"), "format", "a name, such as 'csv'"),
            encoding=_encoding(given.get("encoding")),
            sheet=_text(given.get("sheet"), "sheet", "the name of a sheet, such as 'Sheet1'"),
            question=None if question is None else str(question),
        )

    @property
    def words(self) -> frozenset[str]:
        """Words that mean that there is no label."""
        return MISSING_WORDS if self.missing_words else frozenset()

    def check_labels(self, labels: Collection[str] | None) -> None:
        """Refuse a value that is declared to be a label and to be missing."""
        declared = {label_text(label) for label in labels or ()}
        both = [value for value in self.missing if label_text(value) in declared]
        if both:
            raise OptionError(
                f"{some(both)} cannot be a label ({option('labels')}) and missing "
                f"({option('missing')}). Choose one."
            )


def _text(value: Any, name: str, such_as: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise OptionError(f"{option(name)} must be {such_as}, not {value!r}.")


def _encoding(value: Any) -> str | None:
    """Check the encoding here: not every file that is given is text."""
    name = _text(value, "encoding", "a name, such as 'cp1252'")
    if name is not None:
        known_encoding(name)
    return name


def _texts(value: Any, name: str, what: str) -> tuple[str, ...]:
    if name == "missing" and isinstance(value, int | float) and not isinstance(value, bool):
        return (label_text(str(value)),)
    return tuple(map(str, options.listed(value, name, what)))


def _conditions(where: Any) -> tuple[tuple[str, str], ...]:
    """Read conditions on rows."""
    if isinstance(where, Mapping):
        pairs = cast("Mapping[Any, Any]", where).items()
        return tuple(
            (str(name), str(value))
            for name, values in pairs
            for value in options.listed(
                [values] if np.isscalar(values) else values, "where", "values"
            )
        )
    found: list[tuple[str, str]] = []
    for text in _texts(where, "where", "conditions"):
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise OptionError(
                f"{option('where')} must be a column and a value, such as 'status=approved', not "
                f"'{text}'."
            )
        found.append((name.strip(), value.strip()))
    return tuple(found)


# Encodings of text: which one a file is in, and its text.

LONGEST_LINE = 1 << 24
"""Characters after which a line is given in parts."""
_TEXT_BLOCK = 1 << 20
_BYTE_ORDER_MARKS = [
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
        _check_text(name, encoding, _flaw(path, encoding))
        return Text(path, encoding)
    with path.open("rb") as file:
        start = file.read(16)
    _check_binary(path, name, start)
    marked = next(
        (encoding for mark, encoding in _BYTE_ORDER_MARKS if start.startswith(mark)), None
    )
    if marked is not None:
        _check_text(name, marked, _flaw(path, marked))
        return Text(path, marked)
    flaw = _flaw(path, "utf-8")
    if flaw is None or flaw.is_zero:
        _check_text(name, "utf-8", flaw)
        return Text(path, "utf-8")
    row, other = flaw.row, _flaw(path, _OTHERWISE)
    if not _is_western(path) or (other is not None and not other.is_zero):
        others = ", ".join(f"{other} ({where})" for other, where in _ELSEWHERE.items())
        raise DataError(
            f"{name}, row {row}: bytes that are not UTF-8, and the text does not look like "
            f"{_OTHERWISE}. Correct the row, save the file as UTF-8, or name its encoding with "
            f"{option('encoding', ...)}: {others}, or another."
        )
    _check_text(name, _OTHERWISE, other)
    note = Note(
        f"{name}: row {row} is not UTF-8, so the text was read as {_OTHERWISE} (Windows, western). "
        f"If letters look wrong, name the encoding with {option('encoding', ...)}.",
        "caution",
    )
    return Text(path, _OTHERWISE, (note,))


_BINARY = (
    b"%PDF-", b"SQLite format 3", b"$FL2", b"$FL3", b"<stata_dta>", b"RDX", b"\x89PNG",
    b"\x89HDF", b"ARROW1", b"{\\rtf",
)  # fmt: skip
"""What files begin with that are no text."""
_ZIP = b"PK\x03\x04"


def _check_binary(path: Path, name: str, start: bytes) -> None:
    """Refuse files that are no text, by how they begin."""
    if start.startswith(_ZIP):
        whole = zipfile.is_zipfile(path)
        what = "no workbook, and no export that is known" if whole else "damaged: it has no end"
        fix = "Unpack it, and give the file in it." if whole else "Download or export it again."
        raise DataError(f"{name}: a zip archive that is {what}. {fix}")
    if start.startswith(_BINARY):
        raise DataError(
            f"{name}: not read, as no PDF, image, database or file of SPSS, Stata, R or Arrow is. "
            "Write the table as CSV there, with the labels of values."
        )


def known_encoding(wanted: str) -> str:
    """Check the name of an encoding of text, and write it as Python does."""
    try:
        encoding = codecs.lookup(wanted).name
        b"".decode(encoding)
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    except (LookupError, ValueError, TypeError, UnicodeError):
        raise OptionError(
            f"{option('encoding')} '{wanted}' is not known.{meant(wanted, ENCODINGS)} Use one of "
            f"{', '.join(ENCODINGS)}, or another that Python knows."
        ) from None
    return "utf-8-sig" if encoding == "utf-8" else encoding


class _Flaw(NamedTuple):
    """The first row with bytes that are no text, or with a zero, which is none in any encoding."""

    row: int
    is_zero: bool


def _flaw(path: Path, encoding: str) -> _Flaw | None:
    """Find what is no text in an encoding."""
    decoder, before = codecs.getincrementaldecoder(encoding)(), 0
    with path.open("rb") as file:
        while True:
            block = file.read(_TEXT_BLOCK)
            try:
                text = decoder.decode(block, final=not block)
            except UnicodeError as error:
                start = error.start if isinstance(error, UnicodeDecodeError) else 0
                return _Flaw(_row_of(path, before + start), is_zero=False)
            if "\0" in text:
                above = text[: text.index("\0")]
                ends = above.count("\n") or above.count("\r")
                return _Flaw(_row_of(path, before) + ends, is_zero=True)
            if not block:
                return None
            before += len(block)


def _check_text(name: str, encoding: str, flaw: _Flaw | None) -> None:
    """Refuse bytes that are no text."""
    if flaw is None:
        return
    raise DataError(
        f"{name}, row {flaw.row}: a zero byte; the file is not text, or is damaged. Give a CSV, "
        "TSV, JSON, Parquet or Excel file; or name the encoding, as with "
        f"{option('encoding', 'utf-16-le')}."
        if flaw.is_zero
        else f"{name}, row {flaw.row}: bytes that are not {encoding}. Correct them, or name "
        f"another encoding with {option('encoding', ...)}."
    )


def _row_of(path: Path, place: int) -> int:
    """Row in which a byte stands, by the ends of lines before it; only an error needs it."""
    unix = mac = 0
    with path.open("rb") as file:
        while place > 0 and (block := file.read(min(_TEXT_BLOCK, place))):
            unix, mac = unix + block.count(b"\n"), mac + block.count(b"\r")
            place -= len(block)
    return 1 + (unix or mac)


def _is_western(path: Path) -> bool:
    """Whether letters beyond ASCII stand alone, or in words with others, and not as whole words.

    UTF-8 in which a row is spoilt is not.
    """
    with path.open("rb") as file:
        start = file.read(_TEXT_BLOCK)
    beyond = len(start) - len(start.translate(None, _BEYOND))
    if 2 * sum(map(len, LETTERS_OF_UTF8.findall(start))) > beyond:
        return False
    letters = _LETTERS.findall(LETTERS_OF_UTF8.sub(b"a", start))
    words = sum(len(run) > 1 and not before and not after for before, run, after in letters)
    return 2 * words <= len(letters)


# Room for a file that only this run needs.

_NO_ROOM_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
"""Why nothing more may be written."""


class Scratch:
    """A private folder, which goes when nothing needs it any more, at the latest at the end."""

    def __init__(self) -> None:
        self.path = Path(tempfile.gettempdir(), f"headcount-{secrets.token_hex(8)}")
        # Before there is a folder: an interrupt right after it was made would leave it.
        self._finalizer = weakref.finalize(self, _remove, self.path)
        try:
            self.path.mkdir(mode=0o700)
        except OSError as error:
            raise _no_room(error) from None

    @contextmanager
    def filling(self) -> Generator[None]:
        """Write into the folder; where there is no room for it, say so."""
        try:
            yield
        except OSError as error:
            if error.errno not in _NO_ROOM_ERRORS:
                raise
            raise _no_room(error) from None

    def remove(self) -> None:
        """Remove the folder now."""
        self._finalizer()


def _remove(folder: Path) -> None:
    try:
        shutil.rmtree(folder, ignore_errors=True)
    finally:  # an interrupt may have met us half way
        shutil.rmtree(folder, ignore_errors=True)


def _no_room(error: OSError) -> DataError:
    return DataError(
        f"a temporary copy of the data cannot be written: {error.strerror or error}. Make room, or "
        "name another folder for temporary files in the environment, as TMPDIR."
    )


# What a format of files is: how to know it, and how to open a file of it as a table.

MOST_UNPACKED, MOST_TIMES = 2_000_000_000, 200
"""Bytes that a gzipped file may unpack to, and how many times its own size."""
_ALWAYS_UNPACKED = 50_000_000
"""Bytes to which any file may unpack, however well it is packed."""
_GZIP = b"\x1f\x8b"
_UNPACKED_BLOCK = 1 << 20


@dataclass(frozen=True)
class File:
    """A file that is there, gzipped or not; its bytes have been gone through once.

    Parameters
    ----------
    path : Path
        Where the bytes are, unpacked.
    magic : bytes
        The first four of them.
    name : str
        What messages call the file.
    packed : bool
        Whether it was gzipped.
    size : int
        Bytes of the file itself.
    sha256 : str
        Checksum of these bytes.
    wanted : str or None
        The encoding that the user says the text is in.
    sheet : str or None
        The sheet of a workbook that the user names.
    folder : Scratch or None
        What holds the bytes, if that is no file of the user; it goes with this object.
    """

    path: Path
    magic: bytes
    name: str
    packed: bool
    size: int
    sha256: str
    wanted: str | None = None
    sheet: str | None = None
    folder: Scratch | None = field(default=None, compare=False, repr=False)

    @classmethod
    def at(
        cls,
        path: Path,
        *,
        name: str | None = None,
        encoding: str | None = None,
        sheet: str | None = None,
        folder: Scratch | None = None,
    ) -> File:
        """Go through the bytes of a file: sum them up, and unpack them if they are gzipped."""
        name = path.name if name is None else name
        with path.open("rb") as file:
            checksum = hashlib.file_digest(file, "sha256").hexdigest()
            size = file.tell()
            file.seek(0)
            packed = file.read(len(_GZIP)) == _GZIP
        if packed:
            folder = Scratch()
            with folder.filling():
                path = _unpacked(path, name, size, folder.path)
        with path.open("rb") as file:
            magic = file.read(4)
        return cls(path, magic, name, packed, size, checksum, encoding, sheet, folder)

    @property
    def suffix(self) -> str:
        """The ending of the name in small letters, without that of gzip; "" if there is none."""
        endings = [ending.lower() for ending in Path(self.name).suffixes]
        suffixes = [ending for ending in endings if ending not in (".gz", ".gzip")]
        return suffixes[-1] if suffixes else ""

    @cached_property
    def text(self) -> Text:
        """How the bytes are text; an error if they are none."""
        return recognised(self.path, self.name, self.wanted)

    def open(self) -> BufferedIOBase:
        """Open the bytes of the file, unpacked."""
        return self.path.open("rb")

    def lines(self, errors: str = "strict") -> Iterator[str]:
        """Lines of text, ended as by Unix, Windows or an old Macintosh."""
        return self.text.lines(errors)

    def utf8(self) -> tuple[Path, Scratch | None]:
        """Path of the text in UTF-8 without a mark, and what holds it if it is a copy."""
        if self.text.is_plain:
            return self.path, None
        folder = Scratch()
        copy = folder.path / "text"
        with folder.filling(), copy.open("w", encoding="utf-8", newline="") as file:
            file.writelines(self.lines())
        return copy, folder

    def source(
        self,
        format_: str,
        rows: int,
        encoding: str | None = None,
        delimiter: str | None = None,
    ) -> Source:
        """Say what was read, for the result."""
        return Source(
            name=self.name,
            format=format_,
            rows=rows,
            size=self.size,
            sha256=self.sha256,
            encoding=encoding,
            delimiter=delimiter,
        )


def _unpacked(path: Path, name: str, size: int, folder: Path) -> Path:
    """Unpack a gzipped file, and check length and checksum; within the limits."""
    limit = min(MOST_UNPACKED, max(_ALWAYS_UNPACKED, MOST_TIMES * size))
    copy, written = folder / "unpacked", 0
    try:
        with gzip.open(path) as packed, copy.open("wb") as file:
            while block := packed.read(_UNPACKED_BLOCK):
                written += len(block)
                if written > limit:
                    break
                file.write(block)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise DataError(
            f"{name}: the gzip archive is damaged. Pack it again, or fetch it again."
        ) from None
    if written > limit:
        with suppress(OSError):
            copy.unlink()
        raise DataError(
            f"{name} has {size:,} bytes and unpacks to more than {limit:,}; the limit is "
            f"{MOST_TIMES} times the size and {MOST_UNPACKED:,} bytes. If it is what it should be, "
            "unpack it (gunzip) and give the file that comes out."
        )
    if not written:
        raise DataError(f"{name} is empty; its first row must name the columns.")
    return copy


class Format(ABC):
    """A kind of file. To read another, write one such class and put it into the list of formats.

    Attributes
    ----------
    name : str
        What users call it.
    title : str
        Its name in sentences; "" if it is the same.
    suffixes : tuple of str
        Endings of names by which files of the format are known.
    starts : tuple of bytes
        First bytes of files that may be of the format, whatever they are called.
    has_sheets : bool
        Whether a file may hold several tables by name.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    suffixes: ClassVar[tuple[str, ...]] = ()
    starts: ClassVar[tuple[bytes, ...]] = ()
    has_sheets: ClassVar[bool] = False

    def knows(self, file: File) -> bool:
        """Whether a file is of this format, by its name or its first bytes."""
        return file.suffix in self.suffixes

    @abstractmethod
    def open(self, file: File, *, ignore: Collection[str]) -> Table:
        """Open a file as a table.

        Parameters
        ----------
        file : File
        ignore : collection of str
            Columns that are not read.
        """
