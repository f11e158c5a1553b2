"""What a change calls for: its files to lint and type, and the tests that look at it.

``python tests/changed.py lint|types|tests [BASE]`` prints paths, one a line. What counts as changed
is all that differs from BASE (HEAD by default), files that git does not track yet included.

The tests of a module are the file that is called like it, every test file that imports it by its
dotted name, those of its room that speak of it, and those in the folder of its sub-room, if it has
one; those of a test file are itself. Its doctests run apart: named beside tests, a module would be
imported twice.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = Path("src/headcount")


def changed(base: str) -> list[Path]:
    """Python files that differ from `base` and are still there."""
    commands = (
        ["git", "diff", "--name-only", base, "--", "*.py"],
        ["git", "ls-files", "--others", "--exclude-standard", "--", "*.py"],
    )
    names: set[str] = set()
    for command in commands:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        names |= set(done.stdout.split())
    return sorted(Path(name) for name in names if (ROOT / name).is_file())


def tests_of(path: Path) -> set[Path]:
    """Test files that look at one changed file."""
    if path.parts[0] == "tests":
        helpers = not path.name.startswith("test_")
        return set(_tests(path.parent)) if helpers and len(path.parts) > 2 else {path}
    if SOURCE not in path.parents:
        return set()
    word = re.compile(rf"\b{path.stem.strip('_')}\b")
    rooms = path.relative_to(SOURCE).parts[:-1]
    room, inner = Path("tests", *rooms[:1]), Path("tests", *rooms)
    dotted = ".".join(path.relative_to("src").with_suffix("").parts).removesuffix(".__init__")
    return {
        Path("tests/test_house.py"),
        *(
            test
            for test in _tests(Path("tests"))
            if test.name == f"test_{path.stem.strip('_')}.py"
            or dotted in (text := (ROOT / test).read_text(encoding="utf-8"))
            or (room in test.parents and word.search(text))
            or (len(rooms) > 1 and test.parent == inner)
        ),
    }


def _tests(folder: Path) -> list[Path]:
    return [file.relative_to(ROOT) for file in sorted((ROOT / folder).rglob("test_*.py"))]


def main() -> None:
    """Print what the command line asks for."""
    kind, base = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "HEAD"
    files = changed(base)
    if kind == "types":
        files = [path for path in files if SOURCE in path.parents]
    elif kind == "tests":
        files = sorted(
            {test for path in files for test in tests_of(path) if test.name != "changed.py"}
        )
    sys.stdout.write("".join(f"{path}\n" for path in files))


if __name__ == "__main__":
    main()
