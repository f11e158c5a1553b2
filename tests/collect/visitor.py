"""A rater who speaks plain HTTP: opens a link, reads the form, and answers it."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from html import unescape
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlencode, urlsplit

PATIENCE = 60.0
_INPUT = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')
_TEXT = re.compile(r'<p class="text" dir="auto">(.*?)</p>', re.DOTALL)


class Visitor:
    """Whoever opens a link; cookies are kept as a browser keeps them."""

    here: ClassVar[list[Visitor]] = []
    """All of them, to be sent home after a test."""

    def __init__(self, link: str) -> None:
        self.here.append(self)
        url = urlsplit(link)
        self.host, self.path = url.netloc, ""
        self.connection = HTTPConnection(url.hostname or "", url.port, timeout=PATIENCE)
        self.cookie, self.page, self.status = "", "", 0
        self.times: list[float] = []
        self.open(link.partition(url.netloc)[2])

    def ask(self, method: str, path: str, body: str | None = None, **headers: str) -> HTTPResponse:
        """Send one request; the answer's body is then in `page`."""
        sent = {"Host": self.host, **({"Cookie": self.cookie} if self.cookie else {}), **headers}
        if body is not None:
            sent.setdefault("Content-Type", "application/x-www-form-urlencoded")
        start = time.perf_counter()
        self.connection.request(method, path, body, sent)
        response = self.connection.getresponse()
        self.page = response.read().decode()
        self.times.append(time.perf_counter() - start)
        self.status = response.status
        for name, value in response.getheaders():
            if name.lower() == "set-cookie":
                self.cookie = value.partition(";")[0]
        return response

    def open(self, path: str, body: str | None = None) -> str:
        """Open a page, or send a form, and go where it leads."""
        response = self.ask("GET" if body is None else "POST", path, body)
        while response.status == 303:
            path = response.headers["Location"]
            response = self.ask("GET", path)
        self.path = path.partition("?")[0]
        return self.page

    @property
    def texts(self) -> list[str]:
        """What is to be read."""
        return [unescape(text) for text in _TEXT.findall(self.page)]

    def fields(self, action: str = "answer") -> dict[str, str]:
        """Hidden fields of a form of the page."""
        form = re.search(rf'<form method="post" action="[^"]*/{action}".*?</form>', self.page, re.S)
        return dict(_INPUT.findall(form.group())) if form else {}

    @property
    def asked(self) -> bool:
        """Whether there is something to answer."""
        return "key" in self.fields()

    def answer(self, label: str | None = None, **more: str) -> str:
        """Press the button of a label; of none, skip."""
        fields = {**self.fields(), **more}
        if label is not None:
            fields["label"] = label
        elif not more:
            fields["skip"] = "1"
        return self.open(f"{self.path}/answer", urlencode(fields))

    def undo(self) -> str:
        """Take the last answer back."""
        return self.open(f"{self.path}/undo", urlencode(self.fields("undo")))

    def hang_up(self) -> None:
        """Ask for the page a few times, and go away before any of them comes."""
        host, _, port = self.host.partition(":")
        head = f"GET {self.path} HTTP/1.1\r\nHost: {self.host}\r\nCookie: {self.cookie}\r\n\r\n"
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(3 * head.encode())

    def close(self) -> None:
        self.connection.close()


class Server:
    """`headcount collect` in a process of its own, with the links that it printed."""

    here: ClassVar[list[Server]] = []

    def __init__(self, folder: Path, *words: str) -> None:
        self.here.append(self)
        self._errors = (folder / "errors.txt").open("w+")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "headcount", "collect", *words, "--port", "0"],
            cwd=folder, stdout=subprocess.PIPE, stderr=self._errors, text=True,
        )  # fmt: skip
        self.links: dict[str, str] = {}
        self.said: list[str] = []
        assert self.process.stdout is not None
        while not self.links.get("owner") and "Earlier links" not in " ".join(self.said):
            line = self.process.stdout.readline()
            assert line, self.errors()
            self.said.append(line.rstrip())
            if "  http://" in line:
                name, _, link = line.strip().rpartition("  ")
                self.links[name.strip()] = link

    def errors(self) -> str:
        self._errors.seek(0)
        return self._errors.read()

    def end(self, signal: int = 2) -> str:
        """Send a signal, and return what it says at its end."""
        if self.process.poll() is None:
            self.process.send_signal(signal)
        said, _ = self.process.communicate(timeout=PATIENCE)
        return said

    def close(self) -> None:
        """End it, whatever it is doing."""
        if self.process.poll() is None:
            self.process.kill()
        if self.process.stdout is not None and not self.process.stdout.closed:
            self.process.communicate(timeout=PATIENCE)
        self._errors.close()


def all_go_home() -> None:
    """End everything that a test has started."""
    for ones in (Visitor.here, Server.here):
        while ones:
            ones.pop().close()
