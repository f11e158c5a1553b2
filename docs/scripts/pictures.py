"""Draw the picture of the README, and write down beside it what the command answers.

Run as: python docs/scripts/pictures.py. A test compares `pictures.json` with the README and with what
the command answers and draws now.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import headcount
from headcount.cli.output import write_plot
from headcount.results.result import Result

IMAGES = Path(__file__).parents[1] / "images"
RECORD = IMAGES / "pictures.json"


def results() -> dict[str, tuple[str, Result]]:
    """Return the command and the result of each picture."""
    return {
        "judge.png": (
            "headcount judge example:stars example:judge",
            headcount.judge("example:stars", "example:judge"),
        ),
    }


def record(command: str, result: Result) -> dict[str, Any]:
    """Write down the answer, and the numbers that are drawn."""
    answer = str(result).split("\n\n")[0]
    drawn = {
        name: [round(x, 6) if isinstance(x, float) else x for x in values]
        for name, values in result.drawn().items()
    }
    return {"command": command, "answer": answer, "drawn": drawn}


def main() -> None:
    """Draw all pictures."""
    made: dict[str, Any] = {}
    for name, (command, result) in results().items():
        write_plot(result.plot().figure, IMAGES / name)
        made[name] = record(command, result)
    RECORD.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
