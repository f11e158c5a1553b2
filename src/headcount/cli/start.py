"""The start of a command: signals and streams first, so that nothing ends in a traceback.

Everything else is imported inside :func:`main`: an interrupt while modules are loaded ends the
command as soon as they are.
"""

from __future__ import annotations

import codecs
import errno
import gc
import os
import signal
import sys
from functools import partial
from io import TextIOWrapper
from types import FrameType
from typing import NoReturn

from headcount.cli.stopped import stopped

__all__ = ["main"]

PLAIN = {"∞": "inf", "–": "-", "−": "-", "…": "...", "≥": ">=", "≤": "<=", "×": "x"}
"""What to write where an encoding lacks our few special characters."""
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
"""Why standard output may take no more."""
NO_READER, NO_OUTPUT = 141, 74
"""Exit codes: 128 + SIGPIPE, and that of an input or output error; a signal's are 128 + it."""
WINDOWS = os.name == "nt"
SELDOM = (200_000, 100, 100)
"""New objects after which Python looks for garbage, and how often for older one."""
AGAIN = 0.1
"""Seconds after which an interrupt that was swallowed, or had to wait, is tried again."""
IMPORTS = "<frozen importlib._bootstrap>"
"""Where Python runs while a module is loaded."""


def main() -> None:
    """Run the command line; bad input ends with one message and exit code 2."""
    _prepare()
    try:
        from headcount.cli.app import run

        run(sys.argv[1:])
    except Exception as error:
        if stopped.code is not None:  # a library has made a failure of it
            sys.exit(stopped.code)
        if _is_unread(error):
            _discard()
            sys.exit(NO_READER)
        if not isinstance(error, OSError) or error.errno not in FULL:
            raise
        _no_output(error)
    finally:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
        _flush()
        if "duckdb" not in sys.modules:  # which counts what it cannot clear away as leaks
            gc.freeze()  # nor is there garbage to look for at the end: it was an eighth of the time


def _prepare() -> None:
    # Our matrices are small: threads of the linear algebra library cost more than they bring, and
    # much more on a busy machine. Set before numpy is imported; what a user sets stays.
    for library in ("OPENBLAS", "MKL"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    # What a command loads and makes it needs until it ends soon: looking for garbage was a tenth of
    # its time.
    gc.set_threshold(*SELDOM)
    names = ("SIGINT", "SIGTERM", "SIGHUP")  # the last, of a closed terminal, Windows lacks
    for number in (getattr(signal, name) for name in names if hasattr(signal, name)):
        # A signal that our caller ignores, as under nohup, stays ignored.
        if signal.getsignal(number) not in (signal.SIG_IGN, None):
            signal.signal(number, _stop)
    if hasattr(signal, "SIGPIPE"):  # which Python ignores, and Windows lacks
        signal.signal(signal.SIGPIPE, _stop_writing)
    if sys.stdout is None or sys.stderr is None:  # a caller may close them
        nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
    codecs.register_error("headcount", _plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="headcount")


def _stop(number: int, frame: FrameType | None) -> None:
    """End at once, but by way of every ``finally``: nothing is left half written."""
    signal.signal(number, signal.SIG_IGN)
    stopped.code = 128 + number
    if number == signal.SIGINT:
        sys.stderr.write("headcount: interrupted.\n")
    if hasattr(signal, "setitimer"):  # which Windows lacks
        # A library may swallow an exit that meets it at a bad moment: try again until we are out.
        signal.signal(signal.SIGALRM, partial(_stop_again, 128 + number))
        signal.setitimer(signal.ITIMER_REAL, AGAIN, AGAIN)
        if _is_importing(frame):
            return
    sys.exit(128 + number)


def _stop_again(code: int, number: int, frame: FrameType | None) -> None:
    """End, unless we are on the way out: what a ``finally`` still does is not cut short."""
    del number
    if _is_importing(frame):
        return
    error = sys.exc_info()[1]
    while error is not None:
        if isinstance(error, SystemExit):
            return
        error = error.__context__
    sys.exit(code)


def _is_importing(frame: FrameType | None) -> bool:
    """Whether a module is being loaded, some of which abort when an exit meets them half way."""
    while frame is not None:
        if frame.f_code.co_filename == IMPORTS:
            return True
        frame = frame.f_back
    return False


def _stop_writing(number: int, frame: FrameType | None) -> None:
    """End without a word: the reader of a pipe, such as head, has seen enough."""
    del frame
    signal.signal(number, signal.SIG_IGN)
    _discard()
    sys.exit(NO_READER)


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Write what an encoding lacks in plain characters, or by its number."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    plain = (PLAIN.get(sign) or sign.encode("ascii", "backslashreplace").decode() for sign in text)
    return "".join(plain), error.end


def _flush() -> None:
    """Write out what is left; say so where it cannot be written, once."""
    try:
        sys.stdout.flush()
    except OSError as error:
        if not _is_unread(error):
            _no_output(error)
        _discard()


def _is_unread(error: Exception) -> bool:
    """Whether a pipe has no reader any more; Windows sends no signal, and blames an argument."""
    if WINDOWS and isinstance(error, OSError) and error.errno == errno.EINVAL:
        return error.filename is None
    return isinstance(error, BrokenPipeError)


def _no_output(error: OSError) -> NoReturn:
    _discard()
    sys.stderr.write(f"headcount: cannot write the answer: {error.strerror}.\n")
    sys.exit(NO_OUTPUT)


def _discard() -> None:
    """Send what Python still wants to write at its end to nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
