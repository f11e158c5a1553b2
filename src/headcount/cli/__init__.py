"""The command line: one file per command, each importing its work only when it is called."""

from headcount.cli.start import main

__all__ = ["main"]
