"""Serve a study until it ends or is interrupted: the socket, links, the status line."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import signal
import socket
import sys
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headcount import options
from headcount.collect.store import Store
from headcount.errors import ExtraError, OptionError, option
from headcount.io.tools.study import answers_in, opened_study, plan_in
from headcount.results.tables import visible

if TYPE_CHECKING:
    from headcount.collect.monitor import Monitor

__all__ = ["LOCAL", "Address", "check_extra", "export_rows", "make_links", "serve"]

LOCAL = "127.0.0.1"
LINGER = 2.0
"""Seconds for which raters can see that a study has ended, before the server does."""


def check_extra() -> None:
    """Tell if what the server needs is missing."""
    for package in ("starlette", "uvicorn", "python_multipart", "jinja2"):
        if find_spec(package) is None:
            raise ExtraError("collecting", package.replace("_", "-"), "collect")


# Where it listens, and what its links begin with.


@dataclass(frozen=True, kw_only=True)
class Address:
    """Where the server listens, and by what address visitors come.

    Parameters
    ----------
    host : str
    port : int
        0 for any that is free.
    url : str or None
        What links begin with, where TLS stands before the server.
    """

    host: str = LOCAL
    port: int = 8765
    url: str | None = None

    def __post_init__(self) -> None:
        options.whole(self.port, "port", least=0, most=65_535)
        if self.url is not None and not self.url.startswith(("http://", "https://")):
            raise OptionError(
                f"{option('url')} '{self.url}' must be the address that raters open, such as "
                "https://labels.example.org."
            )

    @property
    def is_local(self) -> bool:
        """Whether nobody else can reach the server."""
        return self.host in (LOCAL, "localhost", "::1")

    def listen(self) -> socket.socket:
        """Open the socket."""
        made = None
        try:
            family = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)[0][0]
            # Named TCP, so that asyncio sends a page at once, not when its head is acknowledged.
            made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
            if sys.platform != "win32":  # where it lets two servers share a port
                made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind((self.host, self.port))
            made.listen(1024)
            made.setblocking(False)
        except OSError as error:
            if made is not None:
                made.close()
            of_port = error.errno in (errno.EADDRINUSE, errno.EACCES)
            other = option("port", 0) if of_port else option("host", LOCAL)
            raise OptionError(
                f"cannot listen on {self.host}, port {self.port}: {error.strerror}. Choose another "
                f"({other})."
            ) from None
        return made

    def base(self, port: int) -> str:
        """Return what links begin with."""
        if self.url is not None:
            return self.url.rstrip("/")
        host = self.host
        if host in ("0.0.0.0", "::"):
            host = _own_addresses()[-1]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def hosts(self, port: int) -> list[str]:
        """Return the values of the Host header that are answered."""
        names = {self.host, LOCAL, "localhost", "[::1]"}
        if not self.is_local:
            names |= {socket.gethostname(), *_own_addresses()}
        known = [f"{name}:{port}" for name in names]
        known.append(self.base(port).partition("://")[2].partition("/")[0])
        return known

    @property
    def warning(self) -> str | None:
        """Say what it means that others can reach the server."""
        if self.is_local and self.url is None:
            return None
        if self.url is not None and self.url.startswith("https://"):
            return None
        return (
            "Anybody who can reach this machine can open these pages with a link, and without TLS "
            "others on the network can read links and answers. Put a proxy with TLS before it, "
            f"such as Caddy, that passes requests on to {LOCAL}:{self.port}, and say "
            f"{option('url', 'https://labels.example.org')} in place of {option('host')}."
        )


def _own_addresses() -> list[str]:
    """Addresses of this machine, the one that others likely reach last."""
    found = [LOCAL]
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # nothing is sent: it only tells the way out
        found.append(probe.getsockname()[0])
    return found


def make_links(
    store: Store, base: str, names: Sequence[str], *, renew: bool
) -> list[tuple[str, str]]:
    """Make links that there are none of yet, or all anew, and return them by name."""
    made: list[tuple[str, str]] = []
    if renew:
        store.forget_sessions()
    known = store.raters()
    per_link = store.plan.link_per
    wanted = dict.fromkeys([*names, *(known if renew and per_link is None else ())])
    new = [name for name in wanted if renew or name not in known]
    made.extend((name, f"{base}/in/{store.add_rater(name)}") for name in new)
    if per_link is not None and (renew or not store.get("join")):
        made.append((f"every {per_link}", f"{base}/in/{store.new_secret('join')}?{per_link}=..."))
    if renew or not store.get("owner"):
        made.append(("owner", f"{base}/in/{store.new_secret('owner')}"))
    return made


# The server.


def server_config(app: Any) -> Any:
    """Return how the server runs: it says little of itself, and logs no requests."""
    import uvicorn

    return uvicorn.Config(
        app, log_level="error", access_log=False, server_header=False, proxy_headers=False,
        lifespan="off", timeout_keep_alive=30, limit_concurrency=1000,
        timeout_graceful_shutdown=5, h11_max_incomplete_event_size=16_000, http="h11",
        ws="none", loop="asyncio",
    )  # fmt: skip


def serve(store: Store, address: Address, listening: socket.socket) -> Monitor:
    """Serve a study until it ends, is closed or is interrupted; return what is known about it."""
    import uvicorn

    from headcount.collect.monitor import Monitor, new_worker
    from headcount.collect.web import Site, make_app

    port = listening.getsockname()[1]
    base = address.base(port)
    monitor = Monitor(store, new_worker(), lambda token: f"{base}/in/{token}")
    secure = base.startswith("https://")
    site = Site(store, address.hosts(port), monitor, secure=secure)

    class Server(uvicorn.Server):
        """Ends on the first interrupt, which is then over."""

        @contextlib.contextmanager
        def capture_signals(self) -> Generator[None]:
            before: dict[int, Any] = {}
            for number in (signal.SIGINT, signal.SIGTERM):
                with contextlib.suppress(ValueError):  # not in the main thread
                    before[number] = signal.signal(number, self.handle_exit)
            try:
                yield
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)

    server = Server(server_config(make_app(site)))

    async def run() -> None:
        tasks = [asyncio.create_task(monitor.run()), asyncio.create_task(_end(server, monitor))]
        if sys.stderr.isatty():
            tasks.append(asyncio.create_task(_status(monitor)))
        try:
            await server.serve(sockets=[listening])
        finally:
            for task in tasks:
                task.cancel()

    with contextlib.suppress(AttributeError, ValueError):  # on Windows; not in the main thread
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a rater who closes a page ends nothing
    store.gathers = True
    try:
        asyncio.run(run())
    finally:
        store.gathers = False
        store.commit()
        monitor.shut_down()
        if sys.stderr.isatty():
            sys.stderr.write("\r\033[K")
    return monitor


async def _end(server: Any, monitor: Monitor) -> None:
    """End the server once the study has ended, and raters could see that."""
    await monitor.ended.wait()
    await asyncio.sleep(LINGER)
    server.should_exit = True


async def _status(monitor: Monitor) -> None:
    """Keep one line on the terminal up to date."""
    from shutil import get_terminal_size

    while True:
        width = get_terminal_size().columns - 1
        line = visible(f"{monitor.line()}. Ctrl-C stops.")
        sys.stderr.write(f"\r{line[:width]}\033[K")
        sys.stderr.flush()
        await asyncio.sleep(1)


# Answers as a table.


def export_rows(path: Path) -> tuple[dict[str, list[Any]], dict[str, int]]:
    """Return the answers of a study that count, by column, and how many others there are."""
    rows: list[tuple[Any, ...]] = []
    left_out: dict[str, int] = {}
    with opened_study(path) as connection:
        plan = plan_in(connection)
        criteria = [str(criterion["name"]) for criterion in plan["criteria"]]
        for answer in answers_in(connection):
            if answer.reason is not None:
                left_out[answer.reason] = left_out.get(answer.reason, 0) + 1
                continue
            shown = (answer.item, answer.other) if plan["pairs"] else (answer.item,)
            labels = (answer.labels[0], answer.rater) if plan["pairs"] else answer.labels
            who = () if plan["pairs"] else (answer.rater,)
            rows.append((*shown, *who, *labels, answer.seconds, answer.time, answer.note or ""))
    head = ["left", "right", "outcome", "rater"] if plan["pairs"] else ["item", "rater", *criteria]
    columns = dict(zip([*head, "seconds", "time", "note"], zip(*rows, strict=True), strict=False))
    if not rows:
        columns = dict.fromkeys([*head, "seconds", "time", "note"], ())
    if not any(columns["note"]):
        del columns["note"]
    return {name: list(values) for name, values in columns.items()}, left_out
