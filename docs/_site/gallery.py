"""Run the code of the gallery, and put each plot below its code.

``python docs/_site/gallery.py FOLDER`` draws all of them into a folder, to look at.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
from contextlib import chdir
from pathlib import Path
from typing import Any

import headcount

PAGE = Path(__file__).parents[1] / "guide" / "gallery.md"
BLOCK = re.compile(r"^```python\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def names(text: str) -> list[str]:
    """Name the plots of a page by their headings; the second below a heading is numbered."""
    out: list[str] = []
    for block in BLOCK.finditer(text):
        heading = [*HEADING.finditer(text, 0, block.start())][-1].group(1)
        name = re.sub(r"\W+", "-", heading.lower()).strip("-")
        taken = sum(re.fullmatch(rf"{re.escape(name)}(-\d+)?", one) is not None for one in out)
        out.append(f"{name}-{taken + 1}" if taken else name)
    return out


def figure(code: str) -> Any:
    """Run code in an empty folder, and return the figure that it calls plot."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        exec(code, found)
    plot = found["plot"]
    return plot.figure if hasattr(plot, "transAxes") else plot


def draw(text: str, folder: Path) -> list[str]:
    """Draw what has changed, the code or the package, and name all plots."""
    folder.mkdir(parents=True, exist_ok=True)
    package = hashlib.sha256()
    for file in sorted(Path(headcount.__file__).parent.rglob("*.py")):
        package.update(file.read_bytes())
    made = names(text)
    for name, block in zip(made, BLOCK.finditer(text), strict=True):
        state = hashlib.sha256(package.digest() + block.group(1).encode()).hexdigest()
        kept, picture = folder / f"{name}.sha256", folder / f"{name}.png"
        if picture.exists() and kept.exists() and kept.read_text() == state:
            continue
        figure(block.group(1)).savefig(picture, dpi=150)
        kept.write_text(state)
    return made


def with_plots(text: str, folder: Path) -> str:
    """Return the page with each plot below its code."""
    pictures = iter(draw(text, folder))
    where = os.path.relpath(folder, PAGE.parent)

    def block(found: re.Match[str]) -> str:
        name = next(pictures)
        return f"{found.group(0)}\n![{name.replace('-', ' ')}]({where}/{name}.png)\n"

    return BLOCK.sub(block, text)


if __name__ == "__main__":
    draw(PAGE.read_text(encoding="utf-8"), Path(sys.argv[1]))
