"""The house: floors, and who may import whom."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import headcount

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
    ("report", "testing"),
    ("cli", "__main__"),
)
"""Rooms by floor, the lowest first, as DESIGN draws them."""
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
METHODS = FLOORS[8]


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in sorted(SOURCE.rglob("*.py"))}


def imports_of(path: Path) -> set[str]:
    """Modules of ours that a file imports anywhere, for types only included."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        ours = {n.removeprefix("headcount.") for n in names if n.startswith("headcount.")}
        # Of 'from a.b import c' the deepest that is a module: a.b.c, or a.b.
        known = ours & MODULES.keys()
        found |= {n for n in known if not any(other.startswith(f"{n}.") for other in known)}
    return found


@pytest.fixture(scope="module")
def graph() -> dict[str, set[str]]:
    """What each module imports."""
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
    """Also none of imports that are for types only, or inside functions."""
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
        if room_of(module) != "cli" and "kernel" not in path.name and module != "io.tables.frames"
    }
    heavy = {module: found for module, path in light.items() if (found := libraries_of(path))}
    assert not heavy


FLAG = re.compile(r"(?:^|[^-\w])(--[a-z][a-z-]+)", re.MULTILINE)


def test_the_library_speaks_no_command_line():
    spoken = {
        module: found
        for module, path in MODULES.items()
        if room_of(module) not in ("cli", "__main__", "testing")  # testing runs commands
        and (found := FLAG.findall(path.read_text(encoding="utf-8")))
    }
    assert not spoken
