"""Room for a file that only this run needs."""

from __future__ import annotations

import shutil
import weakref
from pathlib import Path
from tempfile import mkdtemp

__all__ = ["Scratch"]


class Scratch:
    """A private folder, which goes when nothing needs it any more, at the latest at the end."""

    def __init__(self) -> None:
        self.path = Path(mkdtemp(prefix="headcount-"))
        self._finalizer = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def remove(self) -> None:
        """Remove the folder now."""
        self._finalizer()
