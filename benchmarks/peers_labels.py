"""Labels of crowds by crowd-kit's aggregations, scored on gold; runs in its own environment.

Usage: python peers_labels.py folder seconds name [name ...]

Each model has so many CPU seconds for each crowd; where it needs more, the place stays empty.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from types import FrameType

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
    "MACE": lambda: MACE(n_iter=50),
    "GLAD": lambda: GLAD(n_iter=20, silent=True),
}


class OutOfTimeError(Exception):
    """A model needs more CPU time than it has."""


def stop(_number: int, _frame: FrameType | None) -> None:
    raise OutOfTimeError


def within(seconds: float, work: Callable[[], pd.Series]) -> pd.Series | None:
    """Do work in so many CPU seconds; None if it takes longer."""
    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return work()
    except OutOfTimeError:
        return None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def main(folder: Path, seconds: float, names: list[str]) -> None:
    found: dict[str, object] = {"version": version("crowd-kit")}
    for name in names:
        votes = pd.read_csv(folder / name / "label.csv", dtype=str)
        votes.columns = ["task", "worker", "label"]
        gold = pd.read_csv(folder / name / "truth.csv", dtype=str)
        gold = gold.set_axis(["task", "label"], axis=1).set_index("task")["label"]
        scores: dict[str, list[float] | None] = {}
        for model, make in MODELS.items():
            start = time.process_time()
            labels = within(seconds, lambda make=make, votes=votes: make().fit_predict(votes))
            taken = time.process_time() - start
            scores[model] = None
            if labels is not None:
                both = gold.index.intersection(labels.index)
                scores[model] = [float((labels[both] == gold[both]).mean()), taken]
            print(f"{name}, {model}: {scores[model]}, {taken:.1f} s", file=sys.stderr, flush=True)
        found[name] = scores
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3:])
