"""Tests of survey equivalence.

Those that are not about the ceiling do without it, for speed. Those of the engine use abc, whose
numbers can be derived by hand; `test_combiners.py` is about the default.
"""

from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import headcount

SCRIPTS = Path(__file__).parents[2] / "docs" / "studies" / "scripts"


def script(name: str) -> Any:
    """Import a script of the studies, which is no part of the package."""
    spec: Any = spec_from_file_location(name, SCRIPTS / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


survey = partial(headcount.survey, ceiling=False, combiner="abc")


def full(result: Any) -> str:
    """Everything a result says, behind its first screen."""
    return result.to_text(details=True)
