"""Tasks as the tools in which people answer take them.

A format is a class here, and an entry of :data:`FORMATS`.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from headcount import options
from headcount.errors import OptionError, option
from headcount.io.write import ROWS, replacing, write_columns, write_rows

__all__ = ["FORMATS", "ROWS_OF_TASKS", "TaskFormat", "choose_format"]


class TaskFormat(ABC):
    """A form of task files.

    Attributes
    ----------
    name : str
    endings : tuple of str
        Of the names of files.
    """

    name: ClassVar[str]
    endings: ClassVar[tuple[str, ...]]

    def check(self, path: Path) -> None:
        """Refuse a name that does not say what the file is."""
        if path.suffix.lower() not in self.endings:
            raise OptionError(
                f"{option('output')} '{path}': a file of tasks for '{self.name}' must end in "
                f"{' or '.join(self.endings)}."
            )

    @abstractmethod
    def write(self, columns: Mapping[str, Sequence[Any]], path: Path) -> None:
        """Write tasks, given as columns."""


class Rows(TaskFormat):
    """One row a task: left, right, what is known of both, and why it is asked."""

    name = "rows"
    endings = ROWS

    def write(self, columns: Mapping[str, Sequence[Any]], path: Path) -> None:
        """Write CSV, Parquet or JSON lines, by the ending."""
        write_rows(columns, path)


class LabelStudio(TaskFormat):
    """A list of tasks to import into Label Studio, each with its `data`."""

    name = "label-studio"
    endings = (".json",)

    def write(self, columns: Mapping[str, Sequence[Any]], path: Path) -> None:
        """Write one JSON list."""
        rows = zip(*columns.values(), strict=True)
        tasks = [{"data": dict(zip(columns, row, strict=True))} for row in rows]
        with replacing(path) as temporary:
            text = json.dumps(tasks, ensure_ascii=False, indent=1, default=str)
            temporary.write_text(text + "\n", encoding="utf-8")


class MTurk(TaskFormat):
    """A batch for Mechanical Turk: CSV whose columns are the variables of the layout.

    Names of variables hold letters, digits and underscores; a cell has one line.
    """

    name = "mturk"
    endings = (".csv",)

    def write(self, columns: Mapping[str, Sequence[Any]], path: Path) -> None:
        """Write CSV with one line a task."""
        plain = {
            "".join(c if c.isalnum() and c.isascii() else "_" for c in name): [
                " ".join(value.split()) if isinstance(value, str) else value for value in values
            ]
            for name, values in columns.items()
        }
        write_columns(plain, path)


ROWS_OF_TASKS = Rows()
FORMATS: dict[str, TaskFormat] = {
    each.name: each for each in (ROWS_OF_TASKS, LabelStudio(), MTurk())
}


def choose_format(name: Any) -> TaskFormat:
    """Find a format by its name."""
    return FORMATS[options.one_of(name, "tasks_for", list(FORMATS), "form of tasks")]
