"""What an engine could not do, in a user's words."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager

from headcount.errors import DataError, HeadcountError, option

__all__ = ["NotEnoughMemoryError", "explained", "first_words"]


class NotEnoughMemoryError(DataError):
    """An engine may not take as much memory as a query needs."""


@contextmanager
def explained(title: str) -> Generator[None]:
    """Turn what an engine raises into one message that says what to do."""
    try:
        yield
    except HeadcountError:
        raise
    except Exception as error:
        text = " ".join(str(error).split())
        if "interrupted" in text.lower():  # by the user
            raise KeyboardInterrupt from None
        kind = type(error).__name__
        raise _kind(text, kind)(_words(title, text, kind)) from None


def _kind(text: str, kind: str) -> type[DataError]:
    return NotEnoughMemoryError if _lacks_memory(text.lower(), kind) else DataError


def _lacks_memory(low: str, kind: str) -> bool:
    """Whether memory is what lacks, and not room on the disk, of which the same is said."""
    is_disk = "max_temp_directory_size" in low or "no space left" in low or "enospc" in low
    return not is_disk and ("out of memory" in low or "outofmemory" in kind.lower())


def _words(title: str, text: str, kind: str) -> str:
    low = text.lower()
    if "max_temp_directory_size" in low or "no space left" in low or "enospc" in low:
        return (
            f"{title}: the disk is full, or its temporary folder may not grow. Make room in the "
            "folder for temporary files (TMPDIR names another one), or allow more memory "
            f"({option('memory', '4GB')})."
        )
    if "java_gateway_exited" in low or "java gateway process exited" in low:
        return (
            f"{title} did not start: it needs Java 17 or newer. Install it, and check that 'java "
            "-version' runs or that JAVA_HOME names it; or use a server that has it "
            f"({option('remote', 'sc://localhost:15002')})."
        )
    if _lacks_memory(low, kind):
        return (
            f"{title}: the memory allowed is not enough. Allow more with {option('memory', '4GB')}."
        )
    if any(sign in low for sign in ("unavailable", "connection refused", "failed to connect",
                                    "connection reset", "goaway", "retries_exceeded",
                                    "py4jnetworkerror", "socket closed")):  # fmt: skip
        return (
            f"{title}: the connection to the server was lost. Nothing was written. Check that it "
            f"runs, and try again: {first_words(text)}"
        )
    return f"{title} cannot read or reduce the data: {first_words(text)}"


def first_words(text: str) -> str:
    """Keep the first sentences of a message, without the query that it repeats."""
    text = re.split(r" LINE \d+:|JVM stacktrace|== SQL|Candidate bindings", text)[0].strip()
    return text if len(text) <= 300 else f"{text[:297]}..."
