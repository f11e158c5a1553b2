"""What all tests share: real data where there are some, and the command line in process."""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import settings

settings.register_profile("headcount", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("headcount")


def pytest_collection_finish() -> None:
    """Spare the collector of garbage what stays: all modules, and thousands of tests.

    What is imported later stays as well, and is looked through seldom.
    """
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)


def pytest_unconfigure() -> None:
    """Let what was spared be cleared away: DuckDB counts what is left as leaks."""
    gc.unfreeze()


GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def golden() -> Callable[[str], Any]:
    """Read a file of published or derived numbers."""
    return lambda name: json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))


@pytest.fixture
def data_folder() -> Path:
    """The folder of real data, or a skip that says why."""
    folder = os.environ.get("HEADCOUNT_DATA")
    if not folder:
        pytest.skip("HEADCOUNT_DATA is not set: no real data (see docs/guide/data.md)")
    return Path(folder)


class Run(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    """Run the command line as a user does, but in this process."""
    from headcount.cli.app import run

    def call(*args: object) -> Run:
        code: Any = 0
        try:
            run([str(arg) for arg in args])
        except SystemExit as exit_:
            code = exit_.code or 0
        captured = capsys.readouterr()
        return Run(code, captured.out, captured.err)

    return call
