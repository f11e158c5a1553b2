"""Draw the pictures of the README and the tutorials, and write down what their commands answer.

Run as: python docs/scripts/pictures.py. A test compares `pictures.json` with the pages and with what
the commands answer and draw now.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import headcount
from headcount.cli.output import write_plot
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


def main() -> None:
    """Draw all pictures."""
    made: dict[str, Any] = {}
    for name, picture in pictures().items():
        write_plot(picture.result.plot().figure, IMAGES / name)
        made[name] = record(picture)
    RECORD.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
