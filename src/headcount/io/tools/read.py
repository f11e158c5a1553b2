"""Read an export as a table of ratings, predictions or comparisons."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from headcount.errors import DataError, OptionError, closest, option, some
from headcount.io.formats.base import File
from headcount.io.formats.catalogue import FORMATS
from headcount.io.reading import Reading
from headcount.io.tables.columns import ColumnTable
from headcount.io.tables.table import Table
from headcount.io.tools.base import KINDS, Export, Kind, Tool
from headcount.io.tools.catalogue import TOOLS
from headcount.io.tools.document import Document, Form
from headcount.io.tools.unread import UNREAD
from headcount.io.tools.values import BETWEEN
from headcount.results.notes import Note, Notes
from headcount.results.provenance import Source

__all__ = ["kinds_in", "read_export", "recognise"]

OFFICE = frozenset({"[Content_Types].xml", "mimetype"})
"""Files in an archive that is a workbook, which is read as a table."""


def read_export(path: Path, kind: Kind, reading: Reading) -> Table | None:
    """Read one kind of data of an export; None if no tool recognises the file.

    Parameters
    ----------
    path : Path
        A file, or a folder of files.
    kind : {"ratings", "predictions", "comparisons"}
    reading : Reading
        `question` chooses among several, `ignore` names questions that are not read, `format` a
        tool to insist on.

    Returns
    -------
    Table or None
        Columns item, rater and label; item, classifier and label; or left, right, outcome and
        rater. Without a rater where nobody knows who gave an answer.
    """
    found = recognise(path, reading)
    if found is None:
        return None
    tool, document = found
    if kind not in tool.kinds:
        return None
    export = _read(tool, document, reading)
    _check_ignored(document, export, reading)
    question = _question(tool, document, export, kind, reading)
    return _table(tool, document, export, kind, question)


def kinds_in(path: Path, reading: Reading) -> list[Kind] | None:
    """Find what an export holds; None if no tool recognises the file."""
    found = recognise(path, reading)
    if found is None:
        return None
    tool, document = found
    export = _read(tool, document, reading)
    return [kind for kind in KINDS if kind in tool.kinds and export.answers[kind]]


def _read(tool: Tool, document: Document, reading: Reading) -> Export:
    """Read an export; a record without a field that the tool always writes is damaged."""
    try:
        return tool.read(document, reading)
    except KeyError as missing:
        raise DataError(
            f"{document.name} ({tool.title}): a record has no '{missing.args[0]}', which "
            f"{tool.title} writes into every one. Export the file again."
        ) from None


def recognise(path: Path, reading: Reading) -> tuple[Tool, Document] | None:
    """Find the tool that wrote a file, by what the file holds; None if it is no tool's."""
    insisted = [tool for tool in TOOLS if tool.name == reading.format]
    if reading.format is not None and not insisted:
        return None
    if not path.exists() or not (path.is_file() or path.is_dir()):
        return None
    document = Document(path, reading.encoding)
    for tool in insisted or TOOLS:
        if tool.recognises(document):
            return tool, document
    if insisted:
        raise DataError(
            f"{document.name} does not look like an export of {insisted[0].title}. Leave "
            f"{option('format')} out, or see the page on files for what is read."
        )
    for known in UNREAD:
        if path.is_file() and known.is_its(document):
            raise known.refused(document)
    if path.is_file() and document.members and not _is_table(path, document):
        raise DataError(
            f"{document.name}: a zip archive that is no export of a tool that is read; it holds "
            f"{some(document.members)}. Unpack it, and give a file."
        )
    return None


def _is_table(path: Path, document: Document) -> bool:
    """Whether an archive is a table of a format that is read, such as a workbook."""
    if OFFICE & set(document.members):
        return True
    file = File.at(path)
    return any(one.knows(file) for one in FORMATS)


def _check_ignored(document: Document, export: Export, reading: Reading) -> None:
    """Refuse to ignore what is not there, which is likely misspelt."""
    fields = [name for record in document.head for name in record]
    known = [*document.columns, *(name for kind in KINDS for name in export.questions(kind))]
    for name in reading.ignore:
        if name not in known and name not in fields:
            near = closest(name, known)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise DataError(f"{document.name} has no '{name}' to ignore.{hint}")


def _question(tool: Tool, document: Document, export: Export, kind: Kind, reading: Reading) -> str:
    """Which question to read: the only one, or the one that the user names."""
    questions = [one for one in export.questions(kind) if one not in reading.ignore]
    where = f"{document.name} ({tool.title})"
    if not questions:
        raise _nothing(where, export, kind)
    if reading.question is None:
        if len(questions) > 1:
            rated = [one for one in questions if one in export.questions("ratings")]
            if kind == "predictions" and len(rated) == 1:
                return rated[0]  # the one that people answered too
            raise DataError(
                f"{where}: {len(questions)} questions have answers: {some(questions, 20)}. Choose "
                f"one with {option('question', questions[0])}."
            )
        return questions[0]
    if reading.question not in questions:
        near = closest(reading.question, questions)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        raise OptionError(
            f"{where}: {option('question')} '{reading.question}' has no {kind}.{hint} Questions: "
            f"{some(questions, 20)}."
        )
    return reading.question


def _nothing(where: str, export: Export, kind: Kind) -> DataError:
    """Error for a file that holds nothing of a kind."""
    if kind in export.absent:
        return DataError(f"{where}: no {kind} can be read: {export.absent[kind]}.")
    others = [other for other in KINDS if export.answers[other]]
    if others:
        return DataError(
            f"{where}: it holds {' and '.join(others)}, but no {kind}. Give another file."
        )
    reasons = {reason: times for one in KINDS for reason, times in export.dropped(one).items()}
    dropped = f" ({_reasons(reasons)})" if reasons else ""
    said = [note.partition(": ")[2] or note for note in export.notes]
    why = "".join(f" {text[:1].upper()}{text[1:]}" for text in said)
    return DataError(f"{where}: nothing is left to read{dropped}.{why}")


def _table(tool: Tool, document: Document, export: Export, kind: Kind, question: str) -> Table:
    chosen = [row for row in export.answers[kind] if row.question == question]
    rows = [row.cells for row in chosen]
    columns: dict[str, list[Any]] = dict(
        zip(KINDS[kind], map(list, zip(*rows, strict=True)), strict=True)
    )
    notes = Notes()
    notes.info(f"{document.name}: an export of {tool.title}; question '{question}'.")
    if document.encoding == "cp1252":
        notes.caution(
            f"{document.name}: not UTF-8; read as Windows' cp1252. Name another with "
            f"{option('encoding', ...)}."
        )
    notes.extend(export.notes)
    others = [other for other in export.questions(kind) if other != question]
    if kind == "predictions" and others:
        notes.info(f"{document.name}: questions that are not read: {some(others, 6)}.")
    confidence = [row.confidence for row in chosen]
    if any(one is not None for one in confidence):
        if _are_confidences(confidence):
            columns["confidence"] = confidence
        else:
            notes.caution(
                f"{document.name}: scores of predictions are not read: they are no confidence, "
                "which is from 0 to 1 and not always the same."
            )
    dropped = export.dropped(kind, question)
    if dropped:
        notes.extend([Note(f"{document.name}: answers left out: {_reasons(dropped)}.", "caution")])
    several = next((text for cells in rows if BETWEEN in (text := cells[2] or "")), None)
    if several is not None and export.has_sets:
        notes.caution(
            f"{document.name}: some answers have several labels, which are written as one, such "
            f"as '{several}'."
        )
    if "rater" in columns and not any(columns["rater"]):
        del columns["rater"]
        notes.info(f"{document.name}: nothing says who gave an answer, so raters are anonymous.")
    table = ColumnTable(list(columns.values()), list(columns), document.name)
    table.notes, table.dropped, table.exported = tuple(notes), dropped, True
    encoding = document.encoding if document.form not in (Form.ARCHIVE, Form.PARQUET) else None
    table.sources = (
        Source(
            name=document.name,
            format=tool.name,
            rows=export.records,
            size=document.size,
            sha256=document.sha256,
            encoding=encoding,
        ),
    )
    return table


def _are_confidences(scores: list[float | None]) -> bool:
    """Whether scores of predictions can say how sure a classifier is."""
    given = {score for score in scores if score is not None}
    return len(given) > 1 and min(given) >= 0 and max(given) <= 1


def _reasons(dropped: dict[str, int]) -> str:
    return ", ".join(f"{times:,} {reason}" for reason, times in dropped.items())
