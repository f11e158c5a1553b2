"""The house: floors, who may import whom, and kinds in one file each."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import headcount

# The house: floors, and who may import whom.

SOURCE = Path(headcount.__file__).parent
FLOORS = (
    ("errors", "typing", "_version"),
    ("options",),
    ("stats",),
    ("results",),
    ("data",),
    ("io",),
    ("engine",),
    ("simulation",),
    ("equivalence", "agreement", "blind_evaluation", "pairwise"),
    ("judging",),
    ("report",),
    ("collect", "testing"),
    ("cli", "__main__"),
)
"""Rooms by floor, the lowest first, as DESIGN draws them."""
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
METHODS = FLOORS[8]


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in sorted(SOURCE.rglob("*.py"))}


def for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def statements(node: ast.AST, inside: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    """Every node that runs, and whether it is inside a function; what is for types only is not."""
    for child in ast.iter_child_nodes(node):
        if not for_types(child):
            yield child, inside
            yield from statements(child, inside or isinstance(child, ast.FunctionDef | ast.Lambda))


def imports_of(path: Path) -> set[str]:
    """Modules of ours that a file imports at run time, but for plots, which are drawn on demand."""
    imported: set[str] = set()
    for node, inside in statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        ours = {n.removeprefix("headcount.") for n in names if n.startswith("headcount.")}
        # Of 'from a.b import c' the deepest that is a module: a.b.c, or a.b.
        modules = ours & MODULES.keys()
        deepest = {n for n in modules if not any(other.startswith(f"{n}.") for other in modules)}
        imported |= {n for n in deepest if not (inside and n.endswith("plot"))}
    return imported


@pytest.fixture(scope="module")
def graph() -> dict[str, set[str]]:
    """What each module imports at run time."""
    return {name: imports_of(path) - {name} for name, path in MODULES.items() if name}


def room_of(module: str) -> str:
    return module.split(".")[0]


def test_every_room_has_a_floor(graph):
    assert {room_of(module) for module in graph} <= FLOOR.keys()


def test_no_import_goes_upwards(graph):
    upwards = [
        f"{module} imports {other}"
        for module, others in graph.items()
        for other in others
        if FLOOR[room_of(other)] > FLOOR[room_of(module)]
    ]
    assert not upwards


def test_methods_do_not_import_each_other(graph):
    across = [
        f"{module} imports {other}"
        for module, others in graph.items()
        for other in others
        if room_of(module) in METHODS
        and room_of(other) in METHODS
        and room_of(module) != room_of(other)
    ]
    assert not across


def test_rooms_of_one_floor_do_not_import_each_other(graph):
    allowed = {("cli", "__main__"), ("__main__", "cli")}
    across = [
        f"{module} imports {other}"
        for module, others in graph.items()
        for other in others
        if FLOOR[room_of(module)] == FLOOR[room_of(other)] > 0
        and room_of(module) != room_of(other)
        and (room_of(module), room_of(other)) not in allowed
    ]
    assert not across


def test_no_cycle(graph):
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        if module in path:
            pytest.fail(f"cycle: {' -> '.join([*path[path.index(module) :], module])}")
        if module in done:
            return
        for other in sorted(graph[module]):
            visit(other, (*path, module))
        done.add(module)

    for module in graph:
        visit(module, ())


LIBRARIES = ("narwhals", "matplotlib", "duckdb", "typer", "rich", "numba", "sklearn", "scipy.stats")
"""What only readers, plots, commands and kernels need: loaded where it is used."""


def libraries_of(path: Path) -> list[str]:
    """Heavy libraries that a file imports as soon as it is imported itself."""
    names: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return [name for name in names if name.startswith(LIBRARIES)]


def test_nothing_heavy_is_imported_at_module_level():
    # Kernels, and what reads frames, are themselves imported where they are used.
    light = {
        module: path
        for module, path in MODULES.items()
        if room_of(module) != "cli" and "kernel" not in path.name and module != "io.frames"
    }
    heavy = {module: found for module, path in light.items() if (found := libraries_of(path))}
    assert not heavy


FLAG = re.compile(r"(?:^|[^-\w])(--[a-z][a-z-]+)", re.MULTILINE)


def test_the_library_speaks_no_command_line():
    spoken = {
        module: found
        for module, path in MODULES.items()
        # Tests run commands, and the home of options has the help of their flags.
        if room_of(module) not in ("cli", "__main__", "options", "testing")
        and (found := FLAG.findall(path.read_text(encoding="utf-8")))
    }
    assert not spoken


# What comes in kinds is a class in one file: its name is spelt there, and nowhere else.

LISTS = (
    "stats.intervals.INTERVALS",
    "agreement.coefficients.COEFFICIENTS",
    "agreement.scales.SCALES",
    "agreement.scales.SET_DISTANCES",
    "agreement.raters.RATERS",
    "equivalence.combiners.COMBINERS",
    "equivalence.scorers.SCORERS",
    "equivalence.calibration.CALIBRATIONS",
    "equivalence.alt_test.ALIGNMENTS",
    "equivalence.result.RATERS",
    "blind_evaluation.methods.METHODS",
    "blind_evaluation.metrics.KINDS",
    "pairwise.methods.METHODS",
    "pairwise.labels.RULES",
    "pairwise.ties.TIES",
    "pairwise.methods.SCALES",
    "pairwise.pilot.LAWS",
    "pairwise.tasks.KINDS",
    "pairwise.goals.GOALS",
    "io.opening.FORMATS",
    "io.opening.TOOLS",
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
    "majority": "a function's name",
    "consensus": "a function's name",
    "anchors": "an option",
    "csv": "a noun in sentences",
    "exact": "a value without an interval, and a way to score surveys",
    "posterior": "an interval, and a column of Phi's table",
    "ratings": "a goal of comparisons, and a key of Elo's document",
    "sign": "the default of an option",
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


def using_room(dotted: str) -> str:
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
        files = spelt_in(using_room(dotted))[kind.name]
        if kind.name not in OTHER_MEANINGS:
            assert len(files) == 1, f"'{kind.name}' is spelt in {sorted(files)}"


def test_other_meanings_are_of_kinds():
    assert {kind.name for dotted in LISTS for kind in kinds_of(dotted)} >= OTHER_MEANINGS.keys()
