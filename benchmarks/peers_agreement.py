"""Time peers of `agree` and `phi` once; runs in its own environment, which has no headcount.

Usage: python peers_agreement.py krippendorff|evalica|nuts ratings.npy result.json
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

KRIPPENDORFF_RESAMPLES = 10
EVALICA_RESAMPLES = (5, 25)
CHAINS, TUNE, DRAWS = 2, 400, 1000  # nutpie has 6 chains of these by default


def main(peer: str, data: str, result: str) -> None:
    peers = {"krippendorff": with_krippendorff, "evalica": with_evalica, "nuts": with_nuts}
    Path(result).write_text(json.dumps(peers[peer](np.load(data))))


def with_krippendorff(ratings: np.ndarray) -> dict[str, Any]:
    """Resample items and call it again, with ratings and with counts, which it takes as well."""
    import krippendorff

    domain = np.unique(ratings)
    counts = np.stack([(ratings == value).sum(axis=1) for value in domain], axis=1)
    rng = np.random.default_rng(1)
    drawn = [rng.integers(len(ratings), size=len(ratings)) for _ in range(KRIPPENDORFF_RESAMPLES)]
    found: dict[str, Any] = {"versions": versions("krippendorff", "numpy")}
    for level in ("nominal", "interval"):

        def by_ratings(rows: np.ndarray, level: str = level) -> float:
            return krippendorff.alpha(
                reliability_data=ratings[rows].T, value_domain=domain, level_of_measurement=level
            )

        def by_counts(rows: np.ndarray, level: str = level) -> float:
            return krippendorff.alpha(
                value_counts=counts[rows], value_domain=domain, level_of_measurement=level
            )

        everything = np.arange(len(ratings))
        values, slow = timed(by_ratings, drawn)
        _, fast = timed(by_counts, drawn)
        found[level] = {
            "value": float(by_counts(everything)),
            "by_ratings": slow,
            "by_counts": fast,
            "sd": float(np.std(values, ddof=1)),
        }
    return found


def timed(
    alpha: Callable[[np.ndarray], float], drawn: list[np.ndarray]
) -> tuple[list[float], float]:
    """Values on resamples, and CPU seconds of one."""
    start = time.process_time()
    values = [float(alpha(rows)) for rows in drawn]
    return values, (time.process_time() - start) / len(drawn)


def with_evalica(ratings: np.ndarray) -> dict[str, Any]:
    """Call its own bootstrap with few resamples and with more."""
    import evalica
    import pandas as pd

    frame = pd.DataFrame(ratings.T)  # observers by units
    found: dict[str, Any] = {"versions": versions("evalica", "numpy"), "solver": evalica.SOLVER}
    for level in ("nominal", "interval"):
        seconds: list[float] = []
        for resamples in EVALICA_RESAMPLES:
            start = time.process_time()
            result = evalica.alpha_bootstrap(
                frame, distance=level, n_resamples=resamples, random_state=1
            )
            seconds.append(time.process_time() - start)
        few, more = EVALICA_RESAMPLES
        by_draw = max(0.0, seconds[1] - seconds[0]) / (more - few)
        found[level] = {
            "value": result.alpha,
            "each": by_draw,
            "fixed": max(0.0, seconds[0] - few * by_draw),
            "sd": float(result.distribution.std()),
        }
    return found


def with_nuts(ratings: np.ndarray) -> dict[str, Any]:
    """Sample Phi's model, with flat priors on the central values and on the precision."""
    import arviz
    import nutpie
    import pymc as pm

    with pm.Model() as model:
        p = pm.HalfFlat("p")
        mu = pm.Uniform("mu", 0, 1, shape=(len(ratings), 1))
        pm.Beta("x", alpha=mu * p, beta=(1 - mu) * p, observed=ratings)
    start = time.process_time(), time.perf_counter()
    compiled = nutpie.compile_pymc_model(model)
    middle = time.process_time(), time.perf_counter()
    trace = nutpie.sample(
        compiled,
        draws=DRAWS,
        tune=TUNE,
        chains=CHAINS,
        cores=CHAINS,
        seed=1,
        progress_bar=False,
    )
    end = time.process_time(), time.perf_counter()
    draws = trace.posterior["p"].to_numpy()
    quantities = {"p": draws, "phi": 1 - 2 ** (1 - draws / 2)}
    data = arviz.from_dict(posterior=quantities)
    error, size = arviz.mcse(data), arviz.ess(data)
    low, high = np.asarray(arviz.hdi(data, hdi_prob=0.95)["p"])
    return {
        "versions": versions("pymc", "nutpie", "numba"),
        "compile_cpu": middle[0] - start[0],
        "compile_wall": middle[1] - start[1],
        "cpu": end[0] - middle[0],
        "wall": end[1] - middle[1],
        "divergences": int(trace.sample_stats["diverging"].sum()),
        "rhat": float(arviz.rhat(data)["p"]),
        "hdi": [float(1 - 2 ** (1 - end / 2)) for end in (low, high)],
        **{
            name: {
                "mean": float(values.mean()),
                "error": float(error[name]),
                "ess": float(size[name]),
            }
            for name, values in quantities.items()
        },
    }


def versions(*names: str) -> dict[str, str]:
    return {name: version(name) for name in names}


if __name__ == "__main__":
    main(*sys.argv[1:])
