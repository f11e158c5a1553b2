"""Draw the pictures of the README and the tutorials, and write down what their commands answer.

Run as: python docs/scripts/pictures.py. A test compares `pictures.json` with the pages and with what
the commands answer and draw now.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import headcount
from headcount.cli.output import write_plot
from headcount.results.plotting import COLOURS, bare, legend_above, new_figure
from headcount.results.result import Result

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
RECORD = IMAGES / "pictures.json"
LONGEST_NAME = 40
"""Characters of what is written down; longer texts are remarks on a row."""


class Picture(NamedTuple):
    """A picture: the page that shows it, and the command, whose answer is on that page."""

    page: str
    command: str
    result: Result


def pictures() -> dict[str, Picture]:
    """Run the command of each picture."""
    return {
        "judge.png": Picture(
            "README.md",
            "headcount judge example:stars example:judge",
            headcount.judge("example:stars", "example:judge"),
        ),
        "coders.png": Picture(
            "docs/guide/coders.md",
            "headcount agree example:coding",
            headcount.agree("example:coding"),
        ),
        "crowd.png": Picture(
            "docs/guide/crowd.md",
            "headcount blind example:ratings",
            headcount.blind("example:ratings"),
        ),
        "judges.png": Picture(
            "docs/guide/judges.md",
            "headcount blind example:votes --gold example:gold",
            headcount.blind("example:votes", gold="example:gold"),
        ),
        "leaderboard.png": Picture(
            "docs/guide/leaderboard.md",
            "headcount pairs example:battles --cluster prompt --control words_a:words_b",
            headcount.pairs("example:battles", cluster="prompt", control="words_a:words_b"),
        ),
    }


def record(picture: Picture) -> dict[str, Any]:
    """Write down the answer, and the numbers that are drawn."""
    drawn = {
        name: [round(x, 6) if isinstance(x, float) else x for x in values]
        for name, values in picture.result.drawn().items()
        if max((len(x) for x in values if isinstance(x, str)), default=0) <= LONGEST_NAME
    }
    answer = str(picture.result).split("\n\n")[0]
    return {"command": picture.command, "answer": answer, "drawn": drawn}


def sizes() -> dict[str, list[tuple[int, float]]]:
    """Read how long `survey` took from the table of the page on sizes: (ratings, seconds)."""
    page = (ROOT / "docs" / "guide" / "sizing.md").read_text(encoding="utf-8")
    found: dict[str, list[tuple[int, float]]] = {}
    rows = re.findall(r"^\| ([^|]*?) \|[^|]*\| ([\d.]+) s \|", page, re.MULTILINE)
    of = None
    for what, seconds in rows:
        if what.startswith("`"):
            (of,) = re.findall(r"^`survey`, [\d,]+ ratings,? (in order|shuffled)$", what) or [None]
        if of:
            (number,) = re.findall(r"\d[\d,]+", what)
            found.setdefault(of, []).append((int(number.replace(",", "")), float(seconds)))
    return found


def draw_sizes() -> None:
    """Draw the processor time of `survey` against the number of ratings."""
    figure = new_figure(6.4, 3.2)
    axes = figure.subplots()
    for colour, offset, (name, points) in zip(COLOURS, (-14, 7), sizes().items(), strict=False):
        axes.loglog(*zip(*points, strict=True), "o-", color=colour, label=name, markersize=5)
        for number, seconds in points:
            axes.annotate(
                f"{seconds:g} s", (number, seconds), xytext=(0, offset), textcoords="offset points",
                ha="center", fontsize="small", color=colour,
            )  # fmt: skip
    axes.set_xlabel("ratings")
    axes.set_ylabel("processor time of survey (s)")
    axes.margins(y=0.2)
    bare(axes)
    legend_above(axes, 2)
    write_plot(figure, IMAGES / "sizing.png")


def main() -> None:
    """Draw all pictures."""
    made: dict[str, Any] = {}
    draw_sizes()
    for name, picture in pictures().items():
        write_plot(picture.result.plot().figure, IMAGES / name)
        made[name] = record(picture)
    made["sizing.png"] = sizes()
    RECORD.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
