"""List what the package offers: its public names with their signatures, methods and fields."""

from __future__ import annotations

import inspect
import re
import sys
from importlib import import_module
from pathlib import Path

MODULES = ("headcount", "headcount.examples", "headcount.testing")


def signatures() -> str:
    """Return a line a public name, method and field, sorted."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "src"))
    lines: list[str] = []
    for name in MODULES:
        parent, _, last = name.rpartition(".")
        module = getattr(import_module(parent), last) if last == "examples" else import_module(name)
        for public in module.__all__:
            lines += _lines(f"{name}.{public}", getattr(module, public))
    return "".join(f"{line}\n" for line in sorted(lines))


def _lines(name: str, value: object) -> list[str]:
    if not inspect.isclass(value):
        return [name + _signature(value)]
    bases = ", ".join(base.__name__ for base in value.__bases__)
    lines = [f"{name}({bases}){_signature(value)}"]
    for member in sorted({each for base in value.__mro__ for each in _own(base)}):
        found = inspect.getattr_static(value, member, None)
        kind = type(found).__name__
        function = getattr(found, "__func__", found)
        called = _signature(function) if inspect.isfunction(function) else f": {kind}"
        lines.append(f"{name}.{member}{called}{f' [{kind}]' if function is not found else ''}")
    return lines


def _own(base: type) -> list[str]:
    """Public methods and fields that a class of ours has itself."""
    if not base.__module__.startswith("headcount"):
        return []
    named = [*vars(base), *vars(base).get("__annotations__", {})]
    return [name for name in named if not name.startswith("_")]


def _signature(value: object) -> str:
    try:
        text = str(inspect.signature(value)) if callable(value) else f" = {value!r}"
    except ValueError:
        return "(...)"
    # Where a name lives and where it is in memory are no part of what is offered.
    return re.sub(r" at 0x[0-9a-f]+", "", re.sub(r"\bheadcount\.[\w.]+\.(?=\w)", "", text))


if __name__ == "__main__":
    sys.stdout.write(signatures())
