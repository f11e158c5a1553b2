"""Time peers of `Elo` and `bradley_terry`; runs in its own environment, which has no headcount.

Usage: python peers_pairs.py elo-rating|evalica|arena-rank comparisons.npz result.json
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

ELO_REPEATS = 3
EVALICA_LIMIT = 1000
"""Iterations at most; its default of 100 would do here as well."""


def main(peer: str, data: str, result: str) -> None:
    peers = {
        "elo-rating": with_elo_rating,
        "evalica": with_evalica,
        "arena-rank": with_arena_rank,
    }
    Path(result).write_text(json.dumps(peers[peer](**np.load(data))))


def with_elo_rating(
    left: np.ndarray, right: np.ndarray, outcome: np.ndarray, items: np.ndarray
) -> dict[str, Any]:
    from elo_rating import Elo

    matches = list(zip(left.tolist(), right.tolist(), outcome.tolist(), strict=True))
    ratings: dict[int, float] = {}

    def run() -> None:
        elo = Elo()
        elo.add_matches(matches)
        ratings.update(elo.ratings())

    found = timed(run, ELO_REPEATS)
    return {
        "version": version("elo-rating"),
        "elo": found,
        "elo_ratings": [ratings[item] for item in range(int(items))],
    }


def with_evalica(
    left: np.ndarray, right: np.ndarray, outcome: np.ndarray, items: np.ndarray
) -> dict[str, Any]:
    """Give it integers, with an index of them and without: it is faster with one."""
    import evalica
    import pandas as pd
    from evalica import Winner

    index = pd.RangeIndex(int(items))
    kinds = {1.0: Winner.X, 0.0: Winner.Y, 0.5: Winner.Draw}
    winners = [kinds[share] for share in outcome.tolist()]
    results: dict[str, Any] = {}

    def elo() -> None:
        results["elo"] = evalica.elo(
            left, right, winners, index, initial=0.0, base=float(np.e), scale=1.0, k=0.1
        )

    lefts, rights = left.tolist(), right.tolist()

    def plain_elo() -> None:
        evalica.elo(lefts, rights, winners, initial=0.0, base=float(np.e), scale=1.0, k=0.1)

    def bradley_terry() -> None:
        results["bt"] = evalica.bradley_terry(left, right, winners, index, limit=EVALICA_LIMIT)

    found = {
        "version": version("evalica"),
        "solver": evalica.SOLVER,
        "elo": timed(elo, ELO_REPEATS),
        "plain_elo": timed(plain_elo, ELO_REPEATS),
        "bt": timed(bradley_terry, 1),
    }
    scores = results["bt"].scores.reindex(index).to_numpy()
    return {
        **found,
        "elo_ratings": results["elo"].scores.reindex(index).tolist(),
        "bt_ratings": np.log(scores).tolist(),
        "iterations": results["bt"].iterations,
    }


def with_arena_rank(
    left: np.ndarray, right: np.ndarray, outcome: np.ndarray, items: np.ndarray
) -> dict[str, Any]:
    """Its defaults; making its data set is shown apart, and its compiling by a fit before."""
    import pandas as pd
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    kinds = np.array(["model_b", "tie", "model_a"])
    frame = pd.DataFrame(
        {"model_a": left, "model_b": right, "winner": kinds[(2 * outcome).astype(int)]}
    )
    made: dict[str, Any] = {}

    def load() -> None:
        made["data"] = PairDataset.from_pandas(frame)

    def fit() -> None:
        made["model"] = BradleyTerry(n_competitors=int(items))
        made["model"].fit(made["data"])

    loading = timed(load, 1)
    first = timed(fit, 1)
    again = timed(fit, 1)
    return {
        "version": version("arena-rank"),
        "jax": version("jax"),
        "loading": loading,
        "first": first,
        "bt": again,
        "bt_ratings": np.asarray(made["model"].params["ratings"]).tolist(),
    }


def timed(run: Callable[[], None], repeats: int) -> float:
    """Seconds of one run: of the processor or by the clock, whichever are fewer."""
    seconds: list[float] = []
    for _ in range(repeats):
        start = time.process_time(), time.perf_counter()
        run()
        seconds.append(min(time.process_time() - start[0], time.perf_counter() - start[1]))
    return median(seconds)


if __name__ == "__main__":
    main(*sys.argv[1:])
