"""A browser without a window, spoken to by the DevTools protocol over a plain socket."""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PATIENCE = 180.0
"""Seconds to wait for the browser, which a loaded machine starts slowly."""


def find_browser() -> str | None:
    """Path of a browser; HEADCOUNT_BROWSER names one."""
    return os.environ.get("HEADCOUNT_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)


class WebSocket:
    """The little of RFC 6455 that a client of DevTools needs: text frames, and answers to pings."""

    def __init__(self, address: str) -> None:
        url = urlsplit(address)
        self._socket = socket.create_connection((url.hostname, url.port), timeout=PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        self._socket.sendall(
            f"GET {url.path} HTTP/1.1\r\nHost: {url.netloc}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self._read(1)
        assert b" 101 " in head.split(b"\r\n")[0], head

    def _read(self, size: int) -> bytes:
        parts = b""
        while len(parts) < size:
            part = self._socket.recv(size - len(parts))
            if not part:
                raise ConnectionError("the browser closed the connection")
            parts += part
        return parts

    def _frame(self, kind: int, content: bytes) -> None:
        size, mask = len(content), os.urandom(4)
        if size < 126:
            head = struct.pack("!BB", 0x80 | kind, 0x80 | size)
        elif size < 1 << 16:
            head = struct.pack("!BBH", 0x80 | kind, 0x80 | 126, size)
        else:
            head = struct.pack("!BBQ", 0x80 | kind, 0x80 | 127, size)
        masked = bytes(byte ^ mask[k % 4] for k, byte in enumerate(content))
        self._socket.sendall(head + mask + masked)

    def send(self, text: str) -> None:
        self._frame(1, text.encode())

    def receive(self) -> str:
        whole = b""
        while True:
            first, second = self._read(2)
            size = second & 0x7F
            if size == 126:
                (size,) = struct.unpack("!H", self._read(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", self._read(8))
            content = self._read(size)
            if first & 0x0F == 9:
                self._frame(10, content)
            elif first & 0x0F in (0, 1):
                whole += content
                if first & 0x80:
                    return whole.decode()

    def close(self) -> None:
        self._socket.close()


class Browser:
    """A page in a browser: what it logs and asks for is kept in `events`."""

    def __init__(self, program: str, folder: Path) -> None:
        self._process = subprocess.Popen(
            [
                program,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-extensions",
                "--disable-background-networking",
                "--no-first-run",
                "--hide-scrollbars",
                "--remote-debugging-port=0",
                f"--user-data-dir={folder}",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._number = 0
        self.events: list[dict[str, Any]] = []
        try:
            self._socket = WebSocket(self._target(folder / "DevToolsActivePort"))
        except BaseException:
            self.close()
            raise
        for domain in ("Page", "Runtime", "Log", "Network"):
            self(f"{domain}.enable")

    def _target(self, file: Path) -> str:
        """Address of the first page."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if file.exists() and "\n" in (text := file.read_text()):
                port = text.split("\n")[0]
                pages = json.loads(_get("127.0.0.1", int(port), "/json/list"))
                for page in pages:
                    if page["type"] == "page":
                        return page["webSocketDebuggerUrl"]
            if self._process.poll() is not None:
                raise ConnectionError("the browser ended at once")
            time.sleep(0.1)
        raise TimeoutError("the browser did not start")

    def __call__(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol, and wait for its answer."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            said = json.loads(self._socket.receive())
            if said.get("id") == self._number:
                assert "error" not in said, said
                return said["result"]
            self.events.append(said)

    def open(self, path: Path, *, width: int = 1280, dark: bool = False) -> None:
        """Open a file, at a width, by day or by night."""
        self.events.clear()
        self.look(width=width, dark=dark)
        self("Page.navigate", url=path.resolve().as_uri())
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            ready = "document.readyState === 'complete' && location.protocol === 'file:'"
            if self.run(ready):
                return
            time.sleep(0.05)
        raise TimeoutError("the page did not load")

    def visit(self, url: str, *, width: int = 1280) -> None:
        """Open an address, and wait until it is there."""
        self.look(width=width)
        self("Page.navigate", url=url)
        self.wait("location.protocol === 'http:'")

    def wait(self, condition: str = "true") -> None:
        """Wait until the page is loaded, and something is so of it."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            done = self(
                "Runtime.evaluate", returnByValue=True,
                expression=f"document.readyState === 'complete' && Boolean({condition})",
            )  # fmt: skip
            if done["result"].get("value") is True:
                return
            time.sleep(0.02)
        raise TimeoutError(condition)

    def press(self, key: str) -> None:
        """Press a key."""
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        self("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
        self("Input.dispatchKeyEvent", type="keyUp", key=key)

    def look(self, *, width: int = 1280, dark: bool = False) -> None:
        """Change the width, and day or night."""
        self("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
             mobile=width < 600)  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self("Emulation.setEmulatedMedia", features=[scheme])

    def run(self, code: str) -> Any:
        """Run JavaScript on the page, and return what it gives."""
        done = self("Runtime.evaluate", expression=code, returnByValue=True)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def heard(self, *methods: str) -> list[dict[str, Any]]:
        """Events of these names so far."""
        self.run("0")  # what came before has then been read
        return [one["params"] for one in self.events if one.get("method") in methods]

    def picture(self, path: Path, *, height: int = 0) -> None:
        """Write a picture of the page."""
        size = self("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": height or size["height"],
                "scale": 1}  # fmt: skip
        shot = self("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(shot["data"]))

    def print(self) -> bytes:
        """Print to PDF."""
        return base64.b64decode(self("Page.printToPDF", printBackground=False)["data"])

    def close(self) -> None:
        """End the browser, and wait until it has."""
        if hasattr(self, "_socket"):
            self._socket.close()
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _get(host: str, port: int, path: str) -> bytes:
    """Get a small document; the browser wants a Host that is an address."""
    from http.client import HTTPConnection

    connection = HTTPConnection(host, port, timeout=PATIENCE)
    connection.request("GET", path)
    try:
        return connection.getresponse().read()
    finally:
        connection.close()
