"""How the cost of each command grows with items, raters, labels and judges: exponents.

Usage: python growth.py [ITEMS], which prints a Markdown section.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from math import log10
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from harness import cost_of, in_child, say, table

ITEMS = 20_000
SIZE = {"raters": 5, "labels": 3, "judges": 3}
FEW = 100
"""Items of data that show what starting and the smallest answer cost."""
TIMES, REPEATS = 10, 3
ANSWERS_EACH = 10
MOST = 1.1
"""Exponent of time that is allowed in items."""
COMMANDS: dict[str, list[str]] = {
    "look": ["ratings.csv", "judges.csv"],
    "agree": ["ratings.csv"],
    "survey": ["ratings.csv", "-p", "judges.csv"],
    "judge": ["ratings.csv", "judges.csv"],
    "blind": ["judges.csv"],
    "blind --gold": ["judges.csv", "--gold", "gold.csv"],
    "consensus": ["ratings.csv"],
    "rate": ["judges.csv", "gold.csv", "--positive", "label_0"],
    "pairs": ["pairs.csv"],
}
NEEDS = {"look": "raters labels judges", "agree": "raters labels", "survey": "raters labels judges",
         "judge": "raters labels judges", "blind": "labels judges", "consensus": "raters labels",
         "blind --gold": "labels judges", "rate": "labels judges", "pairs": "raters"}  # fmt: skip
"""What a command is measured by, besides items."""


def main(items: int = ITEMS) -> str:
    rows: list[list[object]] = []
    for command in COMMANDS:
        base = {"items": items, **SIZE}
        least, usual = cost(command, {**base, "items": FEW}), cost(command, base)
        row: list[object] = [f"`{command}`", f"{usual[0]:.1f} s", f"{usual[1]:.0f} MB"]
        for name in base:
            if name not in ("items", *NEEDS[command].split()):
                row += ["", ""]
                continue
            more = cost(command, {**base, name: base[name] * TIMES})
            # Of what grows with labels or judges, part does not grow with items.
            start = least if name == "items" else (0.0, 0.0)
            time, memory = (
                exponent(of_more - at_start, of_usual - at_start)
                for of_more, of_usual, at_start in zip(more, usual, start, strict=True)
            )
            shown = f"**{time:.2f}**" if name == "items" and time > MOST else f"{time:.2f}"
            row += [shown, f"{memory:.2f}"]
        rows.append(row)
        say(" | ".join(map(str, row)))
    header = ["command", "CPU", "memory"]
    for name in ("items", *SIZE):
        header += [f"{name}, time", "memory"]
    notes = (
        f"Exponents: what {TIMES} times as many cost, as a power of {TIMES}; in bold, time above "
        f"{MOST} in items. Whole commands on CSV files of {items:,} items, "
        f"{', '.join(f'{number} {name}' for name, number in SIZE.items())} and, for `pairs`, "
        f"{ANSWERS_EACH} comparisons an item; CPU time and peak memory of the process, medians of "
        f"{REPEATS}. Of time and memory in items, what {FEW} items cost is taken off."
    )
    return "\n\n".join(["## Growth", table(header, rows), notes])


def exponent(more: float, usual: float) -> float:
    """Power of the factor by which a cost grew; 0 where it did not."""
    return log10(more / usual) / log10(TIMES) if more > usual > 0 else 0.0


def cost(command: str, size: dict[str, int]) -> tuple[float, float]:
    """CPU seconds and megabytes of a command on data of a size."""
    verb, *options = command.split()
    with TemporaryDirectory() as folder:
        in_child(__file__, "write", folder, json.dumps(size))
        files = COMMANDS[command]
        words = [str(Path(sys.executable).with_name("headcount")), verb]
        words += [word for word in files if word not in options]
        return cost_of(words, repeats=REPEATS, folder=folder)


def write(folder: Path, size: dict[str, int]) -> None:
    """Write ratings, judges, gold labels and comparisons."""
    items, labels = size["items"], size["labels"]
    rng = np.random.default_rng(1)
    truth = rng.integers(0, labels, items)
    names = np.array([f"item_{i}" for i in range(items)])

    def said(right: float, columns: int) -> np.ndarray:
        shape = (items, columns)
        codes = np.where(rng.random(shape) < right, truth[:, None], rng.integers(0, labels, shape))
        return np.char.add("label_", codes.astype(str))

    def lines(header: list[str], rows: np.ndarray) -> str:
        return "\n".join([",".join(header), *map(",".join, rows.tolist())]) + "\n"

    def save(name: str, head: str, cells: np.ndarray, of: Callable[[int], str]) -> None:
        header = [head, *(of(number) for number in range(cells.shape[1]))]
        rows = np.column_stack([names[: len(cells)], cells])
        (folder / name).write_text(lines(header, rows), encoding="utf-8")

    save("ratings.csv", "item", said(0.6, size["raters"]), lambda n: f"rater_{n}")
    save("judges.csv", "item", said(0.7, size["judges"]), lambda n: f"judge_{n}")
    save("gold.csv", "item", said(1.0, 1)[: max(items // 10, 50)], lambda _: "label")
    left = rng.integers(0, items, items * ANSWERS_EACH)
    right = (left + rng.integers(1, items, len(left))) % items
    worth = rng.normal(size=items)
    wins = rng.random(len(left)) < 1 / (1 + np.exp(worth[right] - worth[left]))
    who = rng.integers(0, size["raters"] * 10, len(left))
    winner = np.where(wins, "left", "right")
    columns = [names[left], names[right], winner, np.char.add("rater_", who.astype(str))]
    text = lines(["left", "right", "winner", "rater"], np.column_stack(columns))
    (folder / "pairs.csv").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["write"]:
        write(Path(sys.argv[2]), json.loads(sys.argv[3]))
        print("{}")
    else:
        print(main(int(sys.argv[1])) if len(sys.argv) > 1 else main())
