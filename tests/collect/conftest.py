"""A study served in a thread, where requests are evaluated in a thread as well."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from headcount.collect import monitor as monitor_module
from headcount.collect import store as store_module
from headcount.collect.monitor import Monitor
from headcount.collect.plan import Plan, criteria_in, plan_tasks
from headcount.collect.serve import Address, make_links, server_config
from headcount.collect.store import NewTask, Store
from headcount.collect.web import Site, make_app

from .visitor import Visitor


def items_file(folder: Path, number: int = 30) -> Path:
    path = folder / "items.csv"
    rows = "".join(f"i{n},text of item {n}\n" for n in range(number))
    path.write_text(f"id,text\n{rows}", encoding="utf-8")
    return path


def new_study(path: Path, items: Path, *, checks: Path | None = None, **given: Any) -> Store:
    """Make a study of items."""
    plan = Plan(**{"source": items.name, "criteria": criteria_in("ok,toxic"), **given})
    planned = plan_tasks(items, plan, checks)
    return Store.create(path, planned.plan, planned.items, [NewTask(*t) for t in planned.tasks])


class Served:
    """A study behind a socket of this machine."""

    def __init__(self, store: Store, names: list[str]) -> None:
        self.store = store
        self._socket = Address(port=0).listen()
        self.port = self._socket.getsockname()[1]
        address = Address(port=self.port)
        base = address.base(self.port)
        self.links = dict(make_links(store, base, names, renew=False))
        self.monitor = Monitor(store, ThreadPoolExecutor(1), lambda token: f"{base}/in/{token}")
        self.site = Site(store, address.hosts(self.port), self.monitor)
        self._server = uvicorn.Server(server_config(make_app(self.site)))
        store.gathers = True
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)

    def _run(self) -> None:
        async def run() -> None:
            watching = asyncio.create_task(self.monitor.run())
            await self._server.serve(sockets=[self._socket])
            watching.cancel()

        asyncio.run(run())

    def close(self) -> None:
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join(10)
        self._socket.close()
        self.monitor.shut_down()
        self.store.gathers = False
        self.store.close()


Serve = Callable[..., Served]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Serve a study of some items to some raters."""
    running: list[Served] = []

    def start(names: str = "anna,ben", *, items: Path | None = None, number: int = 30,
              **given: Any) -> Served:  # fmt: skip
        own = items or items_file(tmp_path, number)
        store = new_study(tmp_path / f"study{len(running)}.db", own, **given)
        running.append(Served(store, names.split(",") if names else []))
        return running[-1]

    yield start
    while Visitor.here:
        Visitor.here.pop().close()
    for one in running:
        one.close()


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for no disk; a server in a process of its own does."""
    monkeypatch.setattr(store_module, "SYNCHRONOUS", "OFF")
    monkeypatch.setattr(monitor_module, "TICK", 0.02)


@pytest.fixture(autouse=True)
def only_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing leave this machine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        where = address[0] if isinstance(address, tuple) else "127.0.0.1"
        assert where in ("127.0.0.1", "::1", "192.0.2.1"), address
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
