"""What comes in kinds is a class in one file: its name is spelt there, and nowhere else."""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import headcount

SOURCE = Path(headcount.__file__).parent
LISTS = (
    "stats.intervals.catalogue.INTERVALS",
    "agreement.coefficients.catalogue.COEFFICIENTS",
    "agreement.scales.kinds.SCALES",
    "agreement.scales.sets.SET_DISTANCES",
    "agreement.raters.populations.RATERS",
    "agreement.phi.methods.METHODS",
    "equivalence.combiners.catalogue.COMBINERS",
    "equivalence.scorers.catalogue.SCORERS",
    "equivalence.calibration.catalogue.CALIBRATIONS",
    "equivalence.alt_test.alignments.ALIGNMENTS",
    "equivalence.surveys.choice.METHODS",
    "equivalence.raters.populations.RATERS",
    "blind_evaluation.methods.catalogue.METHODS",
    "blind_evaluation.metrics.KINDS",
    "pairwise.rating.catalogue.METHODS",
    "pairwise.labelling.catalogue.RULES",
    "pairwise.answers.units.UNITS",
    "pairwise.bradley_terry.ties.catalogue.TIES",
    "pairwise.scales.SCALES",
    "pairwise.planning.laws.LAWS",
    "pairwise.planning.pilot.ratings.RATINGS",
    "pairwise.planning.pilot.benchmarks.BENCHMARKS",
    "pairwise.planning.tasks.kinds.KINDS",
    "pairwise.planning.tasks.goals.GOALS",
    "pairwise.planning.tasks.formats.FORMATS",
    "io.formats.catalogue.FORMATS",
    "io.tools.catalogue.TOOLS",
)
"""The one list of each kind of thing."""
OTHER_MEANINGS = {
    # Names that are also ordinary words, columns or options, and what they mean there.
    "ordinal": "what a Scale of the data may be",
    "interval": "what a Scale of the data may be",
    "mean": "what a combiner may predict",
    "agreement": "a scorer of surveys, and an alignment of the alt-test",
    "accuracy": "a column of Dawid-Skene's table",
    "bradley-terry": "a way to rate, in pairs, in plans and in experiments",
    "elo": "a way to rate, and the scale of its points",
    "quantile": "a function's name",
    "anchors": "an option",
    "comparison": "a noun in sentences",
    "rater": "a noun in sentences, and a column",
    "points": "a noun in sentences",
    "csv": "a noun in sentences",
    "exact": "a value without an interval, and a way to score surveys",
    "posterior": "an interval, and a column of Phi's table",
    "ratings": "a goal of comparisons, and a key of Elo's document",
    "rows": "a form of tasks, and a noun in sentences",
    "states": "an option: the known states of items",
}


@cache
def spelt_in(room: str) -> dict[str, set[str]]:
    """Files of a room by the string constants that they hold, docstrings apart."""
    found: dict[str, set[str]] = {}
    for path in (SOURCE / room).rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        blocks = (ast.Module, ast.ClassDef, ast.FunctionDef)
        first = [node.body[0] for node in ast.walk(tree) if isinstance(node, blocks) and node.body]
        docstrings = {id(node.value) for node in first if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            text = node.value if isinstance(node, ast.Constant) else None
            if isinstance(text, str) and id(node) not in docstrings:
                found.setdefault(text, set()).add(str(path.relative_to(SOURCE)))
    return found


def room_of(dotted: str) -> str:
    """Return the room that uses the kinds of a list: that of the list, or all above `stats`."""
    room = dotted.split(".")[0]
    return "" if room == "stats" else room


def kinds_of(dotted: str) -> list[Any]:
    module, name = dotted.rsplit(".", 1)
    listed = getattr(import_module(f"headcount.{module}"), name)
    return list(listed.values() if isinstance(listed, dict) else listed)


@pytest.mark.parametrize("dotted", LISTS)
def test_a_name_is_spelt_in_one_file(dotted: str):
    kinds = kinds_of(dotted)
    assert len({kind.name for kind in kinds}) == len(kinds) > 1
    for kind in kinds:
        files = spelt_in(room_of(dotted))[kind.name]
        if kind.name not in OTHER_MEANINGS:
            assert len(files) == 1, f"'{kind.name}' is spelt in {sorted(files)}"


def test_other_meanings_are_of_kinds():
    assert {kind.name for dotted in LISTS for kind in kinds_of(dotted)} >= OTHER_MEANINGS.keys()
