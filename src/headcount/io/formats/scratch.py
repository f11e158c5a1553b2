"""Room for a file that only this run needs."""

from __future__ import annotations

import errno
import secrets
import shutil
import tempfile
import weakref
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from headcount.errors import DataError

__all__ = ["Scratch"]

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
"""Why nothing more may be written."""


class Scratch:
    """A private folder, which goes when nothing needs it any more, at the latest at the end."""

    def __init__(self) -> None:
        self.path = Path(tempfile.gettempdir(), f"headcount-{secrets.token_hex(8)}")
        # Before there is a folder: an interrupt right after it was made would leave it.
        self._finalizer = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
        try:
            self.path.mkdir(mode=0o700)
        except OSError as error:
            raise _no_room(error) from None

    @contextmanager
    def filling(self) -> Generator[None]:
        """Write into the folder; where there is no room for it, say so."""
        try:
            yield
        except OSError as error:
            if error.errno not in _FULL:
                raise
            raise _no_room(error) from None

    def remove(self) -> None:
        """Remove the folder now."""
        self._finalizer()


def _no_room(error: OSError) -> DataError:
    return DataError(
        f"a temporary copy of the data cannot be written: {error.strerror or error}. Make room, or "
        "name another folder for temporary files in the environment, as TMPDIR."
    )
