"""Whether a signal has told the command to stop, which libraries may take for a failure."""

from __future__ import annotations

__all__ = ["Stopped", "stopped"]


class Stopped:
    """What became of the command: `code` is its exit code once a signal has stopped it."""

    code: int | None = None


stopped = Stopped()
