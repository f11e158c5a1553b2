"""A study of `headcount collect`: the layout of its database, and how it is read as data."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from headcount.errors import DataError, HeadcountError, count
from headcount.io.reading import Reading
from headcount.io.tools.contents import Document
from headcount.io.tools.exports import Export, Tool

__all__ = [
    "APPLICATION_ID",
    "VERSION",
    "MIGRATIONS",
    "Answer",
    "answers_in",
    "check_version",
    "damage_refused",
    "opened_study",
    "plan_in",
    "Study",
]


# The layout. An answer is never changed: an undo is a row that names what it undoes.

APPLICATION_ID = 0x48434E54
"""In the header of the database: 'HCNT'."""
MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE items (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, fields TEXT NOT NULL);
    CREATE TABLE tasks (
        id INTEGER PRIMARY KEY, kind TEXT NOT NULL DEFAULT 'task', batch INTEGER NOT NULL DEFAULT 1,
        first INTEGER NOT NULL REFERENCES items, second INTEGER REFERENCES items,
        position INTEGER NOT NULL, expected TEXT, load INTEGER NOT NULL DEFAULT 0,
        answered INTEGER NOT NULL DEFAULT 0, looked INTEGER NOT NULL DEFAULT 0);
    CREATE INDEX open_tasks ON tasks (kind, load, position);
    CREATE TABLE raters (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, token BLOB UNIQUE, added TEXT NOT NULL);
    CREATE TABLE sessions (
        token BLOB PRIMARY KEY, rater INTEGER REFERENCES raters, added TEXT NOT NULL);
    CREATE TABLE leases (
        id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, state TEXT NOT NULL DEFAULT 'live',
        task INTEGER NOT NULL REFERENCES tasks, rater INTEGER NOT NULL REFERENCES raters,
        swapped INTEGER NOT NULL, again INTEGER NOT NULL);
    CREATE INDEX leases_of_raters ON leases (rater, task);
    CREATE INDEX live_leases ON leases (rater) WHERE state = 'live';
    CREATE TABLE answers (
        id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, lease INTEGER UNIQUE,
        task INTEGER NOT NULL REFERENCES tasks, rater INTEGER NOT NULL REFERENCES raters,
        swapped INTEGER NOT NULL, again INTEGER NOT NULL, surplus INTEGER NOT NULL DEFAULT 0,
        labels TEXT, note TEXT, seconds REAL, time TEXT NOT NULL, undoes INTEGER UNIQUE);
    CREATE INDEX answers_of_raters ON answers (rater, id);
    CREATE INDEX answers_of_tasks ON answers (task);
    CREATE TABLE looks (id INTEGER PRIMARY KEY, time TEXT NOT NULL, found TEXT NOT NULL);
    CREATE TABLE events (id INTEGER PRIMARY KEY, time TEXT NOT NULL, what TEXT NOT NULL);
    """,
)
"""What takes an empty database to version 1, that to version 2, and so on."""
VERSION = len(MIGRATIONS)
_ANSWERS = """
    SELECT a.id, r.name AS rater, a.labels, a.seconds, a.time, a.note, t.looked, a.task, t.expected,
        CASE WHEN a.swapped AND two.id THEN two.name ELSE one.name END AS item,
        CASE WHEN a.swapped THEN one.name ELSE two.name END AS other, two.id AS second,
        CASE WHEN u.id IS NOT NULL THEN 'undone' WHEN a.kind = 'skip' THEN 'skipped'
            WHEN t.kind = 'check' THEN 'check' WHEN a.again THEN 'asked again'
            WHEN a.surplus THEN 'surplus' END AS reason
    FROM answers a JOIN tasks t ON t.id = a.task JOIN raters r ON r.id = a.rater
        JOIN items one ON one.id = t.first LEFT JOIN items two ON two.id = t.second
        LEFT JOIN answers u ON u.undoes = a.id
    WHERE a.kind != 'undo' ORDER BY a.id
"""


class Answer(NamedTuple):
    """An answer as it was given.

    Parameters
    ----------
    id : int
    item : str
        The item; of a pair, the one on the left of the page.
    other : str or None
        The item on the right.
    rater : str
    labels : tuple of str
        One a criterion; of a pair: left, right or tie.
    seconds : float or None
        From when the page was sent to when the answer came.
    time : str
    note : str or None
    reason : str or None
        Why it is no data; None if it is.
    looked : bool
        Whether a look has used it.
    task : int
    expected : str or None
        The right answer of a check.
    """

    id: int
    item: str
    other: str | None
    rater: str
    labels: tuple[str, ...]
    seconds: float | None
    time: str
    note: str | None
    reason: str | None
    looked: bool
    task: int
    expected: str | None


@contextmanager
def opened_study(path: Path) -> Generator[sqlite3.Connection]:
    """Open a study to read it, even while it is collected; what is strange in it is not run."""
    uri = path.resolve().as_uri()
    live = path.with_name(f"{path.name}-wal").exists()
    # Beside a finished study nothing has to be written, as on a medium that is read-only.
    uri += f"?mode=ro{'' if live else '&immutable=1'}"
    with damage_refused(path), closing(sqlite3.connect(uri, uri=True)) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
        connection.row_factory = sqlite3.Row
        check_version(connection, path)
        yield connection


@contextmanager
def damage_refused(path: Path) -> Generator[None]:
    """Refuse a study that cannot be read, whatever fails first."""
    try:
        yield
    except HeadcountError:
        raise
    except (sqlite3.Error, ValueError, KeyError, TypeError) as error:
        raise DataError(f"'{path}' cannot be read as a study: {error}.") from None


def check_version(connection: sqlite3.Connection, path: Path) -> int:
    """Return the version of a study; refuse one that is newer, or that is not a study."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION_ID:
        raise DataError(f"'{path}' is not a study of headcount collect. Name another file.")
    if version > VERSION:
        raise DataError(
            f"'{path}' was written by a newer headcount (layout {version}; this one reads up to "
            f"{VERSION}). Update headcount: pip install -U headcount."
        )
    kinds = connection.execute(
        "SELECT type, sql FROM sqlite_schema WHERE name IN ('study', 'items', 'tasks', 'raters', "
        "'answers')"
    ).fetchall()
    if len(kinds) != 5 or any(
        kind != "table" or not str(sql).upper().startswith("CREATE TABLE") for kind, sql in kinds
    ):
        raise DataError(f"'{path}' is a damaged study: some of its tables are missing.")
    return version


def plan_in(connection: sqlite3.Connection) -> dict[str, Any]:
    """Return how the study was set up."""
    row = connection.execute("SELECT value FROM study WHERE key = 'plan'").fetchone()
    if row is None:
        raise KeyError("plan")
    return json.loads(row[0])


def answers_in(connection: sqlite3.Connection) -> Iterator[Answer]:
    """Return all answers in the order in which they came, and why some are no data."""
    for row in connection.execute(_ANSWERS):
        columns: dict[str, Any] = dict(row)
        if columns.pop("second") is None:
            columns["other"] = None
        columns["labels"] = tuple(map(str, json.loads(row["labels"] or "[]")))
        columns["looked"] = bool(row["looked"])
        yield Answer(**columns)


# The study as data.

AGAIN = "asked again"
_IN_WORDS = {
    "undone": "undone",
    "skipped": "skipped",
    "check": "to a check with a known answer",
    AGAIN: "asked again",
    "surplus": "surplus, after the item had enough",
}
"""Why an answer is left out."""


class Study(Tool):
    """A study of `headcount collect`."""

    name = "study"
    title = "headcount collect"
    kinds = ("ratings", "comparisons")
    marks = (("SQLITE",),)

    def recognises(self, document: Document) -> bool:
        """Whether the header has our mark."""
        with suppress(OSError), document.path.open("rb") as file:
            file.seek(68)
            return int.from_bytes(file.read(4), "big") == APPLICATION_ID
        return False

    def read(self, document: Document, reading: Reading) -> Export:
        """Read the answers that count, and count the others; for retest also repeated ones."""
        export = Export()
        with opened_study(document.path) as connection:
            plan = plan_in(connection)
            kind = "comparisons" if plan["pairs"] else "ratings"
            names = [str(criterion["name"]) for criterion in plan["criteria"]]
            for answer in answers_in(connection):
                export.records += 1
                if answer.reason is not None and not (answer.reason == AGAIN and reading.again):
                    export.drop(kind, _IN_WORDS[answer.reason])
                elif plan["pairs"]:
                    pair = (answer.item, answer.other)
                    export.compare(names[0], pair, answer.labels[0], answer.rater)
                else:
                    for name, label in zip(names, answer.labels, strict=True):
                        export.rate(name, answer.item, answer.rater, label)
            if not export.records:
                export.absent = dict.fromkeys(self.kinds, "the study has no answers yet")
            self._say_state(connection, document, export)
        return export

    def _say_state(
        self, connection: sqlite3.Connection, document: Document, export: Export
    ) -> None:
        row = connection.execute("SELECT value FROM study WHERE key = 'state'").fetchone()
        if row is not None and row[0] in ("open", "paused"):
            open_tasks = connection.execute(
                "SELECT count(*) FROM tasks WHERE kind = 'task' AND answered < ?",
                (plan_in(connection)["per_item"],),
            ).fetchone()[0]
            if open_tasks:
                export.notes.info(
                    f"{document.name}: the study goes on; {count(open_tasks, 'task')} "
                    f"{'lacks' if open_tasks == 1 else 'lack'} answers."
                )
