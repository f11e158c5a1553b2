"""Labels of crowds by crowd-kit's aggregations, scored on gold; runs in its own environment.

Usage: python peers_labels.py folder name [name ...]
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pandas as pd
from crowdkit.aggregation import (
    GLAD,
    MACE,
    DawidSkene,
    MajorityVote,
    OneCoinDawidSkene,
)

MODELS = {
    "majority": MajorityVote,
    "one coin": lambda: OneCoinDawidSkene(n_iter=100),
    "Dawid-Skene": lambda: DawidSkene(n_iter=100),
    "MACE": lambda: MACE(n_iter=20),
    "GLAD": lambda: GLAD(n_iter=20),
}


def main(folder: Path, names: list[str]) -> None:
    found: dict[str, object] = {"version": version("crowd-kit")}
    for name in names:
        votes = pd.read_csv(folder / name / "label.csv", dtype=str)
        votes.columns = ["task", "worker", "label"]
        gold = pd.read_csv(folder / name / "truth.csv", dtype=str)
        gold = gold.set_axis(["task", "label"], axis=1).set_index("task")["label"]
        scores: dict[str, list[float]] = {}
        for model, make in MODELS.items():
            start = time.process_time()
            labels = make().fit_predict(votes)
            both = gold.index.intersection(labels.index)
            right = float((labels[both] == gold[both]).mean())
            scores[model] = [right, time.process_time() - start]
        found[name] = scores
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
