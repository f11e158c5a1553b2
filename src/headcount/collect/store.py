"""The study on disk: items, raters, who gets what next, and answers, which are only ever added."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple

from headcount.collect.plan import Plan
from headcount.errors import DataError, OptionError, option
from headcount.io.tools.study import (
    APPLICATION_ID,
    MIGRATIONS,
    VERSION,
    check_version,
    damage_refused,
)

__all__ = [
    "NewTask",
    "Outcome",
    "Shown",
    "Store",
    "digest",
]

State = Literal["open", "paused", "done", "closed"]
LeaseEnd = Literal["expired", "released", "done", "undone"]
Outcome = Literal["saved", "repeated", "changed", "unknown"]
"""What became of an answer; 'changed' is another answer to what was answered already."""
REPEAT_AFTER = 20
"""Answers after which an item may be asked again."""
SYNCHRONOUS = "FULL"
"""A commit returns once the disk has it; anything less may lose what was acknowledged."""
GATHER = 0.001
"""Seconds for which writes are gathered."""
CHECK_EVERY = 10
"""One task in so many is a check, while there are some."""


class NewTask(NamedTuple):
    """What is to be asked: an item or a pair, by name; a check has an expected answer."""

    first: str
    second: str | None = None
    expected: str | None = None


class Shown(NamedTuple):
    """What a rater has before them."""

    lease: int
    key: str
    task: int
    first: Mapping[str, str]
    second: Mapping[str, str] | None
    again: bool


def digest(token: str) -> bytes:
    """Return what is kept of a secret."""
    return sha256(token.encode()).digest()


def keyed(*parts: object) -> float:
    """Draw a number from 0 to 1 that depends on nothing but its parts."""
    return int.from_bytes(digest("\0".join(map(str, parts)))[:8], "big") / 2**64


class Store:
    """One study: everything that is written goes through here, in one transaction a request.

    Leases run by a clock that never jumps, and start afresh when the study is opened; the time of
    day is only written down.

    Parameters
    ----------
    path : Path
    clock : callable
        Seconds of a clock that does not jump.

    Attributes
    ----------
    gathers : bool
        Whether writes wait for :meth:`committed`; else each is written at once.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.path, self._clock, self.gathers = path, clock, False
        self._broken: BaseException | None = None
        self._pending: asyncio.Future[None] | None = None
        self._live: dict[int, tuple[float, float | None]] = {}
        self._lock = Lock(path)
        # Requests are served by one thread; a test may drive the store from another.
        self._connection = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False, timeout=5
        )
        try:
            with damage_refused(path):
                self._open()
        except BaseException:
            self._connection.close()
            self._lock.close()
            raise

    def _open(self) -> None:
        self._connection.row_factory = sqlite3.Row
        version = check_version(self._connection, self.path)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
        self._connection.execute("PRAGMA trusted_schema = OFF")
        if version < VERSION:
            self._connection.execute("BEGIN IMMEDIATE")
            _migrate(self._connection, version)
            self._connection.execute("COMMIT")
        self.plan = Plan.from_dict(json.loads(self.get("plan")))
        self._read_leases()
        self._recount()

    @classmethod
    def create(
        cls,
        path: Path,
        plan: Plan,
        items: Mapping[str, Mapping[str, str]],
        tasks: Iterable[NewTask],
    ) -> Store:
        """Make a study, whole or not at all: the file appears when everything is in it."""
        # What a killed server left beside a study would be read into the new one.
        if there := next(filter(Path.exists, (path, path.with_name(f"{path.name}-wal"))), None):
            raise OptionError(
                f"{option('output')} '{path}': '{there}' already exists. Choose another name."
            )
        draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        try:
            with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute("BEGIN")
                _migrate(connection, 0)
                values = {
                    "plan": json.dumps(plan.to_dict(), ensure_ascii=False),
                    "state": "open",
                    "name": secrets.token_hex(4),
                    "code": secrets.token_hex(4).upper(),
                }
                connection.executemany("INSERT INTO study VALUES (?, ?)", values.items())
                rows = [(name, json.dumps(dict(fields))) for name, fields in items.items()]
                connection.executemany("INSERT INTO items (name, fields) VALUES (?, ?)", rows)
                _add_tasks(connection, tasks, plan.seed, 1)
                connection.execute("COMMIT")
            draft.rename(path)
        except (sqlite3.Error, OSError) as error:
            raise DataError(f"cannot write '{path}': {error}.") from None
        finally:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
        return cls(path)

    def close(self) -> None:
        """Write everything into the one file, and let others open it."""
        with suppress(sqlite3.Error):
            self.commit()
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()
        self._lock.close()

    # Transactions. A server gathers the writes of a few milliseconds, for the disk takes as long
    # for ten as for one; no request is answered before its writes are there.

    @contextmanager
    def _transaction(self) -> Generator[None]:
        begins = not self._connection.in_transaction
        if begins:
            self._connection.execute("BEGIN IMMEDIATE")
        try:
            self._connection.execute("SAVEPOINT one")
            yield
            self._connection.execute("RELEASE one")
        except BaseException as error:
            if not begins and not self._connection.in_transaction:
                self._broken = error  # a full disk has undone what others wrote as well
            self._roll_back("ROLLBACK" if begins else "ROLLBACK TO one")
            raise
        if not self.gathers:
            self.commit()

    def commit(self) -> None:
        """Write what was gathered; returns once the disk has it, and raises if it has it not."""
        broken, self._broken = self._broken, None
        try:
            if broken is not None:
                raise broken
            if self._connection.in_transaction:
                self._connection.execute("COMMIT")
        except BaseException:
            self._roll_back("ROLLBACK")
            raise

    def _roll_back(self, sql: str) -> None:
        """Undo what was written, unless that is undone already, and read the leases again."""
        if self._connection.in_transaction:
            self._connection.execute(sql)
        self._read_leases()

    def _read_leases(self) -> None:
        """Read which leases are live; one whose time is not known begins afresh."""
        fresh = (self._clock() + self.plan.lease, None)
        rows = self._rows("SELECT id FROM leases WHERE state = 'live'")
        self._live = {row["id"]: self._live.get(row["id"], fresh) for row in rows}

    async def committed(self) -> None:
        """Wait until everything that was written so far is on the disk."""
        if self._pending is None:
            if not self._connection.in_transaction and self._broken is None:
                return
            loop = asyncio.get_running_loop()
            self._pending = loop.create_future()
            loop.call_later(GATHER, self._commit_pending, self._pending)
        await asyncio.shield(self._pending)

    def _commit_pending(self, pending: asyncio.Future[None]) -> None:
        self._pending = None
        try:
            self.commit()
        except Exception as error:
            pending.set_exception(error)
            pending.exception()  # whoever waited may have gone away
        else:
            pending.set_result(None)

    def _rows(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        return self._connection.execute(sql, values).fetchall()

    def _one(self, sql: str, *values: Any) -> Any:
        """Return the first value of the first row; None if there is none."""
        row = self._connection.execute(sql, values).fetchone()
        return None if row is None else row[0]

    def _recount(self) -> None:
        """Count what each task has, as answers and leases tell."""
        self._connection.execute(
            """
            UPDATE tasks SET answered = n, load = n + live FROM (
                SELECT t.id AS task,
                    (SELECT count(*) FROM answers a WHERE a.task = t.id AND a.kind = 'answer'
                        AND NOT a.again AND NOT a.surplus
                        AND NOT EXISTS (SELECT 1 FROM answers u WHERE u.undoes = a.id)) AS n,
                    (SELECT count(*) FROM leases l WHERE l.task = t.id AND l.state = 'live'
                        AND NOT l.again) AS live
                FROM tasks t) AS counted
            WHERE counted.task = tasks.id AND (answered != n OR load != n + live)
            """
        )

    # What is kept by name

    def get(self, key: str) -> str:
        """Return a value that is kept by name; "" if there is none."""
        return self._one("SELECT value FROM study WHERE key = ?", key) or ""

    def put(self, **values: str) -> None:
        """Keep values by name."""
        with self._transaction():
            self._connection.executemany(
                "INSERT INTO study VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = "
                "excluded.value",
                values.items(),
            )

    @property
    def state(self) -> str:
        """Open, paused, done (the question is answered) or closed (by the owner)."""
        return self.get("state")

    def set_state(self, state: State, why: str = "") -> None:
        """Change the state, and write down when and why."""
        self.put(state=state, reason=why)
        self.note(f"{state}{why and f': {why}'}")

    def change(self, plan: Plan, *, joining: Sequence[str] = ()) -> None:
        """Go on with another plan, and with raters who join."""
        if self.plan.whole_items and plan.per_item != self.plan.per_item and self.looks():
            raise OptionError(
                f"{option('per_item')} stays {self.plan.per_item}: looks have used answers."
            )
        if plan.per_item > self.plan.per_item:
            plan.check_raters(len({*self.raters(), *joining}))
        self.put(plan=json.dumps(plan.to_dict(), ensure_ascii=False))
        self.plan = plan

    def note(self, what: str) -> None:
        """Write down what happened; no answers."""
        with self._transaction():
            self._connection.execute(
                "INSERT INTO events (time, what) VALUES (?, ?)", (_now(), what)
            )

    def events(self, most: int = 12) -> list[tuple[str, str]]:
        """Return the latest events, the last one first."""
        rows = self._rows("SELECT time, what FROM events ORDER BY id DESC LIMIT ?", most)
        return [(row["time"], row["what"]) for row in rows]

    # Raters, their links and sessions

    def raters(self) -> dict[str, int]:
        """Return raters by name, with the numbers in their addresses."""
        return {
            row["name"]: row["id"] for row in self._rows("SELECT name, id FROM raters ORDER BY id")
        }

    def add_rater(self, name: str) -> str:
        """Add a rater, or give one a new link; return the secret of the link."""
        token = secrets.token_urlsafe(32)
        with self._transaction():
            self._connection.execute(
                "INSERT INTO raters (name, token, added) VALUES (?, ?, ?) "
                "ON CONFLICT (name) DO UPDATE SET token = excluded.token",
                (name, digest(token), _now()),
            )
        return token

    def new_secret(self, key: Literal["owner", "join"]) -> str:
        """Make a new link for the owner, or for all participants of a panel."""
        token = secrets.token_urlsafe(32)
        self.put(**{key: digest(token).hex()})
        return token

    def forget_sessions(self) -> None:
        """End what old links opened."""
        with self._transaction():
            self._connection.execute("DELETE FROM sessions")

    def holder(self, token: str) -> int | Literal["owner", "join"] | None:
        """Find whose link this is: a rater's number, or the owner's, or that of a panel."""
        hashed = digest(token)
        for key in ("owner", "join"):
            kept = self.get(key)
            if kept and secrets.compare_digest(kept, hashed.hex()):
                return key
        return self._one("SELECT id FROM raters WHERE token = ?", hashed)

    def participant(self, name: str) -> int:
        """Find a participant of a panel, who may be new."""
        find = "SELECT id FROM raters WHERE name = ?"
        if self._one(find, name) is None:
            with self._transaction():
                self._connection.execute(
                    "INSERT INTO raters (name, added) VALUES (?, ?)", (name, _now())
                )
        return int(self._one(find, name))

    def new_session(self, rater: int | None) -> str:
        """Open a session of a rater, or of the owner (None); return its secret."""
        token = secrets.token_urlsafe(32)
        with self._transaction():
            self._connection.execute(
                "INSERT INTO sessions VALUES (?, ?, ?)", (digest(token), rater, _now())
            )
        return token

    def is_session(self, token: str) -> bool:
        """Whether a session is anybody's."""
        return bool(self._rows("SELECT 1 FROM sessions WHERE token = ?", digest(token)))

    def has_session(self, token: str, rater: int | None) -> bool:
        """Whether a session is that of a rater, or of the owner."""
        rows = self._rows("SELECT rater FROM sessions WHERE token = ?", digest(token))
        return bool(rows) and rows[0]["rater"] == rater

    # What to ask next

    def give(self, rater: int) -> Shown | None:
        """Return what a rater has before them, or hand out the next; None if there is nothing."""
        if self.state != "open":
            return None
        self._expire()
        lease = self._lease_of(rater)
        if lease is None:
            with self._transaction():
                self._assign(rater)
            lease = self._lease_of(rater)
        if lease is None:
            return None
        number = int(lease["id"])
        _, shown = self._live[number]
        now = self._clock()
        self._live[number] = (now + self.plan.lease, now if shown is None else shown)
        task = self._rows("SELECT first, second FROM tasks WHERE id = ?", lease["task"])[0]
        first, second = self._item(task["first"]), self._item(task["second"])
        if second is not None and lease["swapped"]:
            first, second = second, first
        again = bool(lease["again"])
        return Shown(number, lease["key"], lease["task"], first or {}, second, again)

    def _item(self, number: int | None) -> dict[str, str] | None:
        fields = self._one("SELECT fields FROM items WHERE id = ?", number)
        return None if fields is None else json.loads(fields)

    def _lease_of(self, rater: int) -> sqlite3.Row | None:
        rows = self._rows("SELECT * FROM leases WHERE rater = ? AND state = 'live'", rater)
        return rows[0] if rows else None

    def _expire(self) -> None:
        """Take back what was handed out long ago."""
        now = self._clock()
        due = [lease for lease, (until, _) in self._live.items() if until <= now]
        if due:
            with self._transaction():
                for lease in due:
                    self._end_lease(lease, "expired")

    def _end_lease(self, lease: int, state: LeaseEnd) -> None:
        """End a lease; if it was live and is not done, its task is free for somebody else."""
        self._live.pop(lease, None)
        self._connection.execute("UPDATE leases SET state = ? WHERE id = ?", (state, lease))
        if state in ("expired", "released"):
            self._connection.execute(
                "UPDATE tasks SET load = load - 1 WHERE id = "
                "(SELECT task FROM leases WHERE id = ? AND NOT again)",
                (lease,),
            )

    def _assign(self, rater: int) -> None:
        """Hand out the next task, if there is one for this rater."""
        if self._lease_of(rater) is not None:
            return
        given = self.answered_by(rater)
        if self.plan.per_rater is not None and given >= self.plan.per_rater:
            return
        # Whoever comes back to what was taken away gets it, if nobody else has it now.
        rows = self._rows(
            "SELECT l.id, l.again FROM leases l JOIN tasks t ON t.id = l.task WHERE l.rater = ? "
            "AND l.state = 'expired' AND (l.again OR t.kind = 'check' OR t.load < ?) "
            "ORDER BY l.id DESC LIMIT 1",
            rater,
            self.plan.per_item,
        )
        if rows:
            self._revive(rows[0]["id"])
            return
        asked = given + int(
            self._one("SELECT count(*) FROM answers WHERE rater = ? AND kind = 'skip'", rater)
        )
        is_check = asked % CHECK_EVERY == CHECK_EVERY // 2
        if not (is_check and self._next_check(rater)):
            # At the end come the items to repeat that had to wait, and checks that are left.
            _ = (
                self._next_repeat(rater)
                or self._next_task(rater)
                or self._next_repeat(rater, wait=False)
                or self._next_check(rater)
            )

    def _revive(self, lease: int) -> None:
        self._live[lease] = (self._clock() + self.plan.lease, None)
        self._connection.execute("UPDATE leases SET state = 'live' WHERE id = ?", (lease,))
        self._connection.execute(
            "UPDATE tasks SET load = load + 1 WHERE id = "
            "(SELECT task FROM leases WHERE id = ? AND NOT again)",
            (lease,),
        )

    def _new_lease(self, task: int, rater: int, *, swapped: bool, again: bool = False) -> bool:
        cursor = self._connection.execute(
            "INSERT INTO leases (key, task, rater, swapped, again, state) "
            "VALUES (?, ?, ?, ?, ?, 'expired')",
            (secrets.token_hex(16), task, rater, swapped, again),
        )
        self._revive(int(cursor.lastrowid or 0))
        return True

    def _next_task(self, rater: int) -> bool:
        order = "position" if self.plan.whole_items else "load, position"
        rows = self._rows(
            "SELECT id, load FROM tasks WHERE kind = 'task' AND load < ? AND NOT EXISTS (SELECT 1 "
            "FROM leases l WHERE l.task = tasks.id AND l.rater = ? "
            "AND l.state NOT IN ('released', 'undone')) "
            f"ORDER BY {order} LIMIT 1",
            self.plan.per_item,
            rater,
        )
        # Of a pair, every other rater sees the sides swapped.
        return bool(rows) and self._new_lease(
            rows[0]["id"], rater, swapped=self.plan.pairs and rows[0]["load"] % 2 == 1
        )

    def _next_check(self, rater: int) -> bool:
        rows = self._rows(
            "SELECT id FROM tasks WHERE kind = 'check' AND NOT EXISTS (SELECT 1 FROM leases l "
            "WHERE l.task = tasks.id AND l.rater = ? AND l.state NOT IN ('released', 'undone')) "
            "ORDER BY position LIMIT 1",
            rater,
        )
        if not rows:
            return False
        swapped = self.plan.pairs and keyed(self.plan.seed, "side", rater, rows[0]["id"]) < 0.5
        return self._new_lease(rows[0]["id"], rater, swapped=swapped)

    def _next_repeat(self, rater: int, *, wait: bool = True) -> bool:
        """Ask again, some answers later, what the seed says is to be asked again."""
        if not self.plan.repeat:
            return False
        rows = self._rows(
            "SELECT a.task, a.swapped FROM answers a JOIN tasks t ON t.id = a.task "
            "WHERE a.rater = ? AND a.kind = 'answer' AND NOT a.again AND NOT a.surplus "
            "AND t.kind = 'task' AND NOT EXISTS (SELECT 1 FROM answers u WHERE u.undoes = a.id) "
            "AND NOT EXISTS (SELECT 1 FROM leases l WHERE l.rater = a.rater AND l.task = a.task "
            "AND l.again AND l.state NOT IN ('released', 'undone')) ORDER BY a.id",
            rater,
        )
        waited = rows[: max(len(rows) - REPEAT_AFTER, 0)] if wait else rows
        for row in waited:
            if keyed(self.plan.seed, "again", rater, row["task"]) < self.plan.repeat:
                swapped = self.plan.pairs and not row["swapped"]
                return self._new_lease(row["task"], rater, swapped=swapped, again=True)
        return False

    # Answers

    def answer(self, rater: int, key: str, labels: Sequence[str] | None, note: str = "") -> Outcome:
        """Keep an answer, or a skip (None), to what was shown; the same once more counts once."""
        self._expire()
        rows = self._rows("SELECT * FROM leases WHERE key = ? AND rater = ?", key, rater)
        if not rows or rows[0]["state"] in ("released", "undone"):
            return "unknown"
        lease = rows[0]
        text = None if labels is None else json.dumps(list(labels), ensure_ascii=False)
        if lease["state"] == "done":
            before = self._one("SELECT labels FROM answers WHERE lease = ?", lease["id"])
            return "repeated" if before == text else "changed"
        with self._transaction():
            self._keep(lease, text, note)
            if self.state == "open":
                self._assign(rater)  # so that the next page writes nothing
        return "saved"

    def _keep(self, lease: sqlite3.Row, text: str | None, note: str) -> None:
        task, number = int(lease["task"]), int(lease["id"])
        kind, load = self._connection.execute(
            "SELECT kind, load FROM tasks WHERE id = ?", (task,)
        ).fetchone()
        late = lease["state"] == "expired" and not lease["again"]
        surplus = late and kind == "task" and text is not None and load >= self.plan.per_item
        shown = self._live.get(number, (0.0, None))[1]
        seconds = None if shown is None else round(self._clock() - shown, 2)
        self._connection.execute(
            "INSERT INTO answers (lease, task, rater, swapped, again, kind, surplus, labels, note, "
            "seconds, time) SELECT id, task, rater, swapped, again, ?, ?, ?, ?, ?, ? FROM leases "
            "WHERE id = ?",
            ("skip" if text is None else "answer", surplus, text, note or None, seconds, _now(),
             number),
        )  # fmt: skip
        if text is None:
            if lease["state"] == "live":
                self._end_lease(number, "released")
            self._end_lease(number, "done")
            return
        self._end_lease(number, "done")
        if not lease["again"] and not surplus:
            self._connection.execute(
                "UPDATE tasks SET answered = answered + 1, load = load + ? WHERE id = ?",
                (int(late), task),
            )

    def last_answer(self, rater: int) -> int | None:
        """Find the answer that an undo takes back; None if there is none any more."""
        rows = self._rows(
            "SELECT a.id, t.looked FROM answers a JOIN tasks t ON t.id = a.task WHERE a.rater = ? "
            "AND a.kind != 'undo' AND NOT EXISTS (SELECT 1 FROM answers u WHERE u.undoes = a.id) "
            "ORDER BY a.id DESC LIMIT 1",
            rater,
        )
        return rows[0]["id"] if rows and not rows[0]["looked"] else None

    def undo(self, rater: int, answer: int) -> bool:
        """Take back the last answer, and show what it was to; once, however often it is asked."""
        if answer != self.last_answer(rater) or self.state not in ("open", "paused"):
            return False
        row = self._rows("SELECT * FROM answers WHERE id = ?", answer)[0]
        with self._transaction():
            self._connection.execute(
                "INSERT INTO answers (kind, task, rater, swapped, again, time, undoes) "
                "VALUES ('undo', ?, ?, ?, ?, ?, ?)",
                (row["task"], rater, row["swapped"], row["again"], _now(), answer),
            )
            counted = row["kind"] == "answer" and not row["again"] and not row["surplus"]
            if counted:
                self._connection.execute(
                    "UPDATE tasks SET answered = answered - 1, load = load - 1 WHERE id = ?",
                    (row["task"],),
                )
            # The form that was answered is worth nothing any more.
            self._end_lease(row["lease"], "undone")
            lease = self._lease_of(rater)
            if lease is not None:
                self._end_lease(lease["id"], "released")
            # What was surplus, or was skipped and taken by somebody else, stays beyond the number.
            self._new_lease(row["task"], rater, swapped=row["swapped"], again=row["again"])
            lease, most = self._lease_of(rater), self.plan.per_item
            beyond = "SELECT 1 FROM tasks WHERE id = ? AND kind = 'task' AND load > ?"
            if not row["again"] and lease is not None and self._one(beyond, row["task"], most):
                self._end_lease(lease["id"], "expired")
        return True

    # How far it is

    def answered_by(self, rater: int) -> int:
        """Count the answers of a rater, with repeats and checks."""
        return int(
            self._one(
                "SELECT count(*) FROM answers a WHERE rater = ? AND kind = 'answer' AND NOT EXISTS "
                "(SELECT 1 FROM answers u WHERE u.undoes = a.id)",
                rater,
            )
        )

    def left_for(self, rater: int) -> int:
        """Count the tasks that a rater may still get."""
        left = int(
            self._one(
                "SELECT count(*) FROM tasks WHERE (kind = 'check' OR answered < ?) AND NOT EXISTS "
                "(SELECT 1 FROM leases l WHERE l.task = tasks.id AND l.rater = ? "
                "AND l.state = 'done')",
                self.plan.per_item,
                rater,
            )
        )
        if self.plan.per_rater is None:
            return left
        return min(left, max(self.plan.per_rater - self.answered_by(rater), 0))

    def progress(self) -> tuple[int, int, int]:
        """Count the answers that count, those wanted, and the tasks that have all."""
        row = self._connection.execute(
            "SELECT sum(min(answered, :n)), count(*) * :n, sum(answered >= :n) FROM tasks "
            "WHERE kind = 'task'",
            {"n": self.plan.per_item},
        ).fetchone()
        return int(row[0] or 0), int(row[1]), int(row[2] or 0)

    def whole_tasks(self) -> list[int]:
        """Return the tasks that have all their answers, in the order in which they got them."""
        rows = self._rows(
            "SELECT a.task, max(a.id) AS last FROM answers a JOIN tasks t ON t.id = a.task WHERE "
            "t.kind = 'task' AND t.answered >= ? AND a.kind = 'answer' AND NOT a.again "
            "AND NOT a.surplus AND NOT EXISTS (SELECT 1 FROM answers u WHERE u.undoes = a.id) "
            "GROUP BY a.task ORDER BY last",
            self.plan.per_item,
        )
        return [int(row["task"]) for row in rows]

    def can_go_on(self) -> bool:
        """Whether somebody who has a link can still answer something that is wanted."""
        if self.plan.link_per is not None:
            done, wanted, _ = self.progress()
            return done < wanted
        raters = self.raters().values()
        return not raters or any(map(self._may_answer, raters))

    def _may_answer(self, rater: int) -> bool:
        if self.plan.per_rater is not None and self.answered_by(rater) >= self.plan.per_rater:
            return False
        return (
            self._one(
                "SELECT 1 FROM tasks WHERE kind = 'task' AND answered < ? AND NOT EXISTS (SELECT 1 "
                "FROM leases l WHERE l.task = tasks.id AND l.rater = ? AND l.state = 'done') "
                "LIMIT 1",
                self.plan.per_item,
                rater,
            )
            is not None
        )

    # Looks, and what comes after them

    def mark_looked(self, tasks: Sequence[int]) -> None:
        """Keep answers as they are from now on: a look uses them."""
        with self._transaction():
            self._connection.executemany(
                "UPDATE tasks SET looked = 1 WHERE id = ?", [(task,) for task in tasks]
            )

    def add_look(self, found: Mapping[str, Any]) -> None:
        """Write a look down."""
        with self._transaction():
            self._connection.execute(
                "INSERT INTO looks (time, found) VALUES (?, ?)",
                (_now(), json.dumps(dict(found), ensure_ascii=False)),
            )

    def looks(self) -> list[dict[str, Any]]:
        """Return the looks so far, each with its time."""
        rows = self._rows("SELECT time, found FROM looks ORDER BY id")
        return [{"time": row["time"], **json.loads(row["found"])} for row in rows]

    def add_tasks(self, tasks: Iterable[NewTask]) -> None:
        """Add another batch of tasks."""
        with self._transaction():
            batch = int(self._one("SELECT max(batch) FROM tasks") or 0) + 1
            _add_tasks(self._connection, tasks, None, batch)

    def batch(self) -> int:
        """Return the number of the latest batch."""
        return int(self._one("SELECT max(batch) FROM tasks") or 0)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _migrate(connection: sqlite3.Connection, version: int) -> None:
    for statements in MIGRATIONS[version:]:
        for statement in statements.split(";"):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _add_tasks(
    connection: sqlite3.Connection, tasks: Iterable[NewTask], seed: int | None, batch: int
) -> None:
    """Add tasks in random order by the seed; without one, in the order in which they come."""
    listed = list(tasks)
    if seed is not None:
        listed.sort(key=lambda task: keyed(seed, task.first, task.second))
    (start,) = connection.execute("SELECT coalesce(max(position), 0) FROM tasks").fetchone()
    numbers = dict(connection.execute("SELECT name, id FROM items").fetchall())
    numbers[None] = None  # of a task that is no pair
    connection.executemany(
        "INSERT INTO tasks (kind, batch, position, first, second, expected) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        [
            ("task" if expected is None else "check", batch, k, numbers[first], numbers[second],
             expected)
            for k, (first, second, expected) in enumerate(listed, start + 1)
        ],
    )  # fmt: skip


class Lock:
    """Keeps another process from serving the same study.

    An exclusive transaction on an empty database beside it, which ends with the process, however
    that ends, on every system.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(f"{path.name}-lock")
        for _ in range(10):
            try:
                self._path.touch()
                before = os.stat(self._path).st_ino
                self._connection = sqlite3.connect(
                    self._path, timeout=0, isolation_level=None, check_same_thread=False
                )
                self._connection.execute("BEGIN EXCLUSIVE")
                if os.stat(self._path).st_ino == before:
                    return
                self._connection.close()
            except FileNotFoundError:
                pass  # another process has just ended, and removed it
            except (OSError, sqlite3.Error) as error:
                if "locked" not in str(error):
                    raise DataError(f"cannot write beside '{path}': {error}.") from None
                raise OptionError(
                    f"'{path}' is being collected by another process. End that one first, or "
                    "use its links."
                ) from None
        raise DataError(f"'{self._path}' cannot be locked. Try again.")

    def close(self) -> None:
        """Let others have it."""
        with suppress(OSError):
            self._path.unlink()
        self._connection.close()
        if os.name == "nt":  # where what is open cannot be removed
            with suppress(OSError):
                self._path.unlink()
