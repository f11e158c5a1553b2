"""Run a function or a command on the same tables in every form, and compare the answers."""

from __future__ import annotations

import io
import json
import runpy
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, cast

from headcount.testing.cases import Case, Columns, Written, metamorphic_cases
from headcount.testing.documents import differences

__all__ = ["check_metamorphic", "command"]

Tables = Mapping[str, Columns]
"""Tables by the names of the parameters that take them, such as ratings."""


def check_metamorphic(
    function: Callable[..., Any],
    tables: Tables,
    *,
    cases: Sequence[Case] | None = None,
    ignore: Sequence[str] = (),
) -> None:
    """Check that a function gives the same document for the same tables in every form.

    Parameters
    ----------
    function : callable
        Is given each table by the name of its parameter: a path or something else that a reader
        takes. Returns a result, which has a `to_dict()`, or a document. It should draw with the
        same seed each time.
    tables : mapping of str to columns
    cases : sequence of Case, optional
        Forms. Default: all of :func:`metamorphic_cases`.
    ignore : sequence of str
        Keys of the document that may differ, wherever they are. Names of sources and notes that
        say how a table was read may always.

    Raises
    ------
    AssertionError
        Names the form, and where in the document the first few differences are.

    Notes
    -----
    The first table of reference is a CSV file of the rows as they are.
    """
    with tempfile.TemporaryDirectory() as folder:
        expected = _answer(function, tables, Written(".csv"), Path(folder) / "reference")
        wrong: list[str] = []
        for number, case in enumerate(metamorphic_cases() if cases is None else cases):
            answer = _answer(function, tables, case, Path(folder) / str(number))
            wrong += [
                f"{case.name}: {one.where} is {one.other!r}, not {one.one!r}"
                for one in differences(expected, answer, ignore=ignore)[:3]
            ]
    if wrong:
        raise AssertionError("\n".join(["the answer depends on the form of the data:", *wrong]))


def command(*arguments: str) -> Callable[..., Any]:
    """Make a function of a command, for :func:`check_metamorphic`.

    Parameters
    ----------
    *arguments : str
        The command and its arguments, in which ``{ratings}`` stands for the file of that table;
        with the option that makes it print its JSON document.

    Returns
    -------
    callable
        Runs the command in this process and returns the JSON document that it prints.
    """

    def run(**paths: Any) -> Any:
        given = [argument.format(**paths) for argument in arguments]
        out, err = io.StringIO(), io.StringIO()
        before = sys.argv
        sys.argv = ["headcount", *given]
        code: Any = 0
        try:
            with redirect_stdout(out), redirect_stderr(err):
                runpy.run_module("headcount", run_name="__main__")
        except SystemExit as ended:
            code = ended.code
        finally:
            sys.argv = before
        if code:
            raise AssertionError(f"headcount {' '.join(given)} ended with {code}: {err.getvalue()}")
        return json.loads(out.getvalue())

    return run


def _answer(function: Callable[..., Any], tables: Tables, case: Case, folder: Path) -> Any:
    """Run the function on the tables in some form, and take out what may differ."""
    folder.mkdir()
    made = {name: case.make(columns, folder / name) for name, columns in tables.items()}
    result = function(**made)
    document = result.to_dict() if hasattr(result, "to_dict") else result
    sources = {made[name].name if case.is_file else name for name in tables}
    return _without_sources(document, sources | set(tables))


def _without_sources(value: Any, sources: set[str]) -> Any:
    """Take out names of sources, and the notes that begin with one: how a table was read."""
    if isinstance(value, Mapping):
        fields = cast("Mapping[Any, Any]", value)
        kept = {k: v for k, v in fields.items() if k not in ("source", "sources")}
        return {k: _without_sources(v, sources) for k, v in kept.items()}
    if isinstance(value, list | tuple):
        values = cast("Sequence[Any]", value)
        starts = tuple(f"{source}: " for source in sources)
        return [
            _without_sources(one, sources)
            for one in values
            if not (isinstance(one, str) and one.startswith(starts))
        ]
    if isinstance(value, str):
        for source in sorted(sources, key=len, reverse=True):
            value = value.replace(source, "data")
    return value
