"""The command line: one file a command, each importing its work only when it is called."""

import os

# Our matrices are small: threads of the linear algebra library cost more than they bring, and
# much more on a busy machine. Set before numpy is imported; what a user sets stays.
for _library in ("OPENBLAS", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

from headcount.cli.main import main  # noqa: E402

__all__ = ["main"]
