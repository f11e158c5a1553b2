"""How far a study is: pace, looks in a process of its own, and what the owner changes."""

from __future__ import annotations

import asyncio
import math
import os
import secrets
import signal
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from typing import Any

from headcount.collect.evaluate import evaluate, look
from headcount.collect.plan import stop_of
from headcount.collect.store import NewTask, Store
from headcount.errors import OptionError, count
from headcount.pairwise.tasks import money

__all__ = ["Monitor", "new_worker", "next_look"]

FIRST_LOOK, GROWTH, LEAST_GROWTH = 20, 10, 10
"""Items with all answers at the first look; each further one has a 10th more, and 10 at least."""
PACE = 600.0
"""Seconds over which the pace is measured."""
REFIT_AFTER, REFIT_GROWTH = 20.0, 1.05
"""Seconds between evaluations for the owner's page, and growth of the answers that asks for one."""
TICK = 0.5


def new_worker() -> Executor:
    """Start a process that evaluates."""
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_begin)


def _begin() -> None:
    """Leave interrupts to the command, and end when it ends, even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()

    def end_with(sentinel: int) -> None:
        wait([sentinel])
        os._exit(1)

    if parent is not None:
        threading.Thread(target=end_with, args=(parent.sentinel,), daemon=True).start()


def next_look(items: int) -> int:
    """Return at how many items the look after one at `items` is; the first of 0.

    Examples
    --------
    >>> next_look(0), next_look(20), next_look(200)
    (20, 30, 220)
    """
    return items + max(LEAST_GROWTH, -(-items // GROWTH)) if items else FIRST_LOOK


class Monitor:
    """Watches a study, and decides with it when to stop.

    Parameters
    ----------
    store : Store
    worker : Executor
        Where answers are evaluated: never in a request.
    address : callable
        Makes a link of the secret of a rater.
    """

    def __init__(self, store: Store, worker: Executor, address: Callable[[str], str]) -> None:
        self.store, self._worker, self._address = store, worker, address
        self._answers: deque[float] = deque(maxlen=2000)
        self._last: dict[int, float] = {}
        self._links: dict[str, tuple[str, str]] = {}
        self._fitted: dict[str, Any] = {}
        self._fitted_at, self._waiting = -math.inf, False
        self.ended = asyncio.Event()

    # While it runs

    def heard(self, rater: int) -> None:
        """Note that a rater has just answered."""
        now = time.monotonic()
        self._answers.append(now)
        self._last[rater] = now

    def pace(self) -> float:
        """Return answers a minute, of the last ten."""
        now = time.monotonic()
        recent = [at for at in self._answers if now - at < PACE]
        return 60 * len(recent) / max(now - recent[0], 10.0) if len(recent) > 1 else 0.0

    async def run(self) -> None:
        """Look and evaluate whenever there is enough that is new, until the study ends."""
        while not self.ended.is_set():
            try:
                await self.step()
                await self.store.committed()
            except BrokenProcessPool:
                self._worker = new_worker()
            except sqlite3.Error:
                self._fitted_at = time.monotonic()  # a full disk: raters are told, and it goes on
            await asyncio.sleep(TICK)

    async def step(self) -> None:
        """Do what is due: a look, or an evaluation for the owner's page."""
        store = self.store
        if store.state != "open":
            return
        if store.plan.until is None:
            done, wanted, _ = store.progress()
            if done >= wanted or not store.can_go_on():
                await self._end("everything is answered" if done >= wanted else _EXHAUSTED)
                return
        elif store.plan.pairs:
            await self._look_at_pairs()
        else:
            await self._look_at_items()
        if store.state == "open":
            await self._refit()

    async def _call(self, function: Callable[..., dict[str, Any]], *values: Any) -> dict[str, Any]:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._worker, function, str(self.store.path), *values)

    async def _refit(self) -> None:
        """Evaluate for the owner's page, when enough has changed."""
        now, (done, _, _) = time.monotonic(), self.store.progress()
        if now - self._fitted_at < REFIT_AFTER or not done:
            return
        if done < REFIT_GROWTH * self._fitted.get("answers", 0) and self._fitted:
            return
        self._fitted_at = now
        self._fitted = await self._call(evaluate)

    async def _look_at_items(self) -> None:
        store = self.store
        looks = store.looks()
        seen = int(looks[-1]["items"]) if looks else 0
        whole, stop = store.whole_tasks(), stop_of(store.plan.until)
        goes_on = store.can_go_on()
        due = next_look(seen)
        if stop is not None and stop.kind == "items":
            due = int(stop.number)
        if len(whole) < due and (goes_on or len(whole) <= seen):
            if not goes_on:
                await self._end(f"undecided: {_EXHAUSTED}")
            return
        tasks = whole[:due]
        store.mark_looked(tasks)
        await store.committed()
        found = await self._call(look, tasks)
        store.add_look(found)
        if found["decided"]:
            await self._end(found["sentence"])

    async def _look_at_pairs(self) -> None:
        store = self.store
        done, wanted, _ = store.progress()
        if done < wanted and store.can_go_on():
            return
        store.mark_looked(store.whole_tasks())
        await store.committed()
        found = await self._call(look, None, store.batch())
        tasks = found.pop("tasks", [])
        store.add_look(found)
        if found["decided"]:
            await self._end(found["sentence"])
            return
        store.add_tasks(NewTask(left, right) for left, right in tasks)
        if not store.can_go_on():
            await self._end(f"undecided: {_EXHAUSTED}")

    async def _end(self, why: str) -> None:
        """Stop asking, since the question is answered or nobody can go on; evaluate all of it."""
        self.store.set_state("done", why)
        await self.store.committed()
        try:
            if self.store.progress()[0] > self._fitted.get("answers", 0):
                self._fitted = await self._call(evaluate)
        finally:
            self.ended.set()

    def shut_down(self) -> None:
        """End the process that evaluates, whatever it is doing."""
        running: dict[int, Any] = getattr(self._worker, "_processes", None) or {}
        processes = list(running.values())
        self._worker.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()

    # The owner's page

    def overview(self) -> dict[str, Any]:
        """Return what the owner's page shows."""
        store = self.store
        done, wanted, whole = store.progress()
        now = time.monotonic()
        rows = [
            {
                "name": name,
                "answers": store.answered_by(number),
                "left": store.left_for(number),
                "last": _ago(now - self._last[number]) if number in self._last else "",
                **self._of_rater(name),
            }
            for name, number in store.raters().items()
        ]
        cost = store.plan.cost
        return {
            "source": store.path.name,
            "done": done,
            "wanted": wanted,
            "whole": whole,
            "share": round(100 * done / max(wanted, 1)),
            "pace": self.pace(),
            "needed": self.needed(),
            "reason": store.get("reason"),
            "raters": rows,
            "looks": store.looks()[::-1][:12],
            "answer": self._fitted.get("html", ""),
            "evaluated": self._fitted.get("answers", 0),
            "spent": "" if cost is None else money(cost * done),
        }

    def _of_rater(self, name: str) -> dict[str, Any]:
        row = self._fitted.get("raters", {}).get(name, {})
        agreement = row.get("agreement")
        return {
            "agreement": "" if agreement is None else f"{agreement:.0%}",
            "seconds": "" if row.get("seconds") is None else f"{row['seconds']:.2g} s",
            "checks": f"{row['right']} of {row['checks']}" if row.get("checks") else "",
            "again": f"{row['same']} of {row['again']}" if row.get("again") else "",
            "signs": "; ".join(row.get("signs", [])),
        }

    def needed(self) -> str:
        """Say what is still to be answered, and when that is done at this pace."""
        store = self.store
        done, wanted, _ = store.progress()
        left = max(wanted - done, 0)
        if store.state in ("done", "closed"):
            return store.get("reason").removesuffix(".")
        pace = self.pace()
        until = "" if store.plan.until is None else f" at most, or until '{store.plan.until}'"
        more = f"{count(left, 'answer')} to go{until}"
        if store.plan.pairs and store.plan.until is not None:
            more = f"{count(left, 'answer')} to go in this batch"
        return f"{more}; about {_duration(60 * left / pace)} at this pace" if pace else more

    def take_link(self, key: str) -> tuple[str, str] | None:
        """Return a new link, with the name of its rater: once."""
        return self._links.pop(key, None)

    def change(self, form: Mapping[str, str]) -> str:
        """Do what the owner asks; return the key of a new link, if there is one."""
        store, what = self.store, form.get("do", "")
        if what in ("pause", "resume") and store.state in ("open", "paused"):
            store.set_state("paused" if what == "pause" else "open")
        elif what == "close" and store.state in ("open", "paused"):
            store.set_state("closed", "closed by the owner")
            self.ended.set()
        elif what == "add":
            name = form.get("name", "").strip()
            if not name or len(name) > 100 or not name.isprintable() or name in store.raters():
                raise OptionError("Give a new name, of at most 100 letters.")
            key = secrets.token_hex(8)
            self._links[key] = (name, self._address(store.add_rater(name)))
            return key
        elif what == "per_item":
            number = form.get("per_item", "")
            wanted = int(number) if number.isdecimal() and len(number) < 5 else 0
            if wanted < store.plan.per_item:
                raise OptionError("The number of answers per item can only be raised.")
            store.change(replace(store.plan, per_item=wanted))
            store.note(f"{wanted} answers per item from now on")
        return ""

    def line(self) -> str:
        """Say how far it is, on a line."""
        done, wanted, _ = self.store.progress()
        now = time.monotonic()
        active = sum(now - at < 300 for at in self._last.values())
        state = "" if self.store.state == "open" else f"{self.store.state}; "
        who = f"{count(active, 'rater')} active"
        return f"{state}{done:,} of {wanted:,} answers, {who}; {self.needed()}"

    def final(self) -> list[str]:
        """Say what was decided, with how many answers, and what they cost."""
        store = self.store
        done, wanted, whole = store.progress()
        looks, reason = store.looks(), store.get("reason")
        decided = bool(looks) and bool(looks[-1].get("decided"))
        plan = store.plan
        unit = "pair" if plan.pairs else "item"
        lines = [reason if decided else f"Ended: {reason.rstrip('.')}."] if reason else []
        last = looks[-1] if looks else self._fitted
        if not decided and last.get("sentence"):
            at = "" if last["answers"] == done else f"After {count(last['answers'], 'answer')}: "
            lines.append(f"{at}{last['sentence']}")
        if decided:
            used, items = looks[-1]["answers"], count(looks[-1]["items"], "item")
            lines.append(f"Decided at check {len(looks)}: {count(used, 'answer')}, {items}.")
        whole_ones = f"; {count(whole, unit)} complete ({plan.per_item} answers each)"
        lines.append(f"{done:,} of {count(wanted, 'answer')}")
        lines[-1] += f"{whole_ones if plan.per_item > 1 else ''}."
        if plan.cost is not None:
            lines.append(f"Cost so far: {money(plan.cost * done)}.")
        return lines


_EXHAUSTED = "all raters have answered what they can"


def _ago(seconds: float) -> str:
    return "just now" if seconds < 60 else f"{_duration(seconds)} ago"


def _duration(seconds: float) -> str:
    """Write a duration in words.

    Examples
    --------
    >>> _duration(40), _duration(3000), _duration(40000), _duration(400000)
    ('a minute', '50 minutes', '11 hours', '5 days')
    """
    minutes = seconds / 60
    if minutes < 1.5:
        return "a minute"
    if minutes < 90:
        return f"{minutes:.0f} minutes"
    return f"{minutes / 60:.0f} hours" if minutes < 60 * 48 else f"{minutes / 1440:.0f} days"
