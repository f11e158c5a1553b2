"""Real votes with gold: LLM judges, and crowd workers."""

from __future__ import annotations

import csv
from pathlib import Path

from headcount.data.labels import Labels


def llm_judges(folder: Path) -> tuple[Labels, dict[object, str]]:
    """33 judges of 4,423 documents, relevant from grade 2 on, and the assessors' labels."""

    def grades(path: Path) -> dict[str, str]:
        lines = [line.split() for line in path.read_text().splitlines() if line.strip()]
        return {f"{query} {doc}": str(int(int(grade) >= 2)) for query, _, doc, grade in lines}

    home = folder / "blind" / "llmjudge"
    triples = [
        (item, path.stem, label)
        for path in sorted((home / "scores").glob("*.txt"))
        for item, label in grades(path).items()
    ]
    gold: dict[object, str] = dict(grades(home / "gold_nist_qrels.txt"))
    return Labels.from_triples(*zip(*triples, strict=True)), gold


def crowd(folder: Path, name: str) -> tuple[Labels, dict[object, str]]:
    """Bluebirds, rte or sentiment."""
    home = folder / "blind" / name
    with (home / "label.csv").open() as file:
        triples = list(csv.reader(file))[1:]
    with (home / "truth.csv").open() as file:
        gold: dict[object, str] = dict(list(csv.reader(file))[1:])
    return Labels.from_triples(*zip(*triples, strict=True)), gold
