"""What is said of text that the database could not parse."""

from __future__ import annotations

from types import SimpleNamespace

import duckdb
import pytest

from headcount.io.formats.parser_errors import explained


def test_a_database_that_was_interrupted_is_no_bad_file():
    """A user who presses Ctrl-C while a file is parsed did not give a bad one."""
    stopped = explained(duckdb.InterruptException("INTERRUPT Error: Interrupted!"), file=None)
    assert isinstance(stopped, KeyboardInterrupt)


@pytest.mark.parametrize("text", ["Error on Line: 3 quote", "maximum line size"])
def test_other_errors_name_the_file(text):
    told = explained(duckdb.InvalidInputException(text), SimpleNamespace(name="a.csv"))
    assert str(told).startswith("a.csv")
