"""Runs of an experiment, each on its own simulated crowd."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, as_completed

import numpy as np

from headcount.pairwise.experiments.methods import LabellingMethod, Study
from headcount.pairwise.experiments.prepare import Setup
from headcount.pairwise.experiments.scores import score_labels
from headcount.simulation.labelling import Streams, draw_comparisons, draw_truth, draw_votes
from headcount.typing import Floats, Progress

__all__ = ["run_all"]


def run_all(
    setup: Setup, rng: np.random.Generator, progress: Progress | None
) -> list[dict[str, Floats]]:
    """Do the runs, in their order. Kernels run without Python's lock: threads are enough."""
    generators = rng.spawn(setup.runs)
    found: list[dict[str, Floats]] = [{}] * len(generators)
    with ThreadPoolExecutor(setup.jobs) as pool:
        try:
            index = {pool.submit(_run, setup, each): at for at, each in enumerate(generators)}
            for done, future in enumerate(as_completed(index), 1):
                found[index[future]] = future.result()
                if progress is not None:
                    progress(done, len(generators))
        except BaseException:
            # An interrupted user should not wait for the runs that have not begun.
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return found


def _run(setup: Setup, generator: np.random.Generator) -> dict[str, Floats]:
    """Scores of each method in one run; (tasks, scores) arrays."""
    streams = Streams.of(generator)
    truth = draw_truth(setup.model, streams.truth)
    left, right, outcome, _ = draw_comparisons(
        setup.model, truth, max(setup.comparisons), streams.comparisons
    )
    votes = np.zeros((setup.model.items, 0), dtype=bool)
    if setup.has_votes:
        votes, _ = draw_votes(setup.model, truth, streams.votes)
    of_votes, *of_comparisons = streams.seeds(1 + len(setup.comparisons))

    def scored(method: LabellingMethod, n: int, seed: np.random.SeedSequence) -> Floats:
        study = Study(
            items=setup.model.items,
            votes=votes,
            left=left[:n],
            right=right[:n],
            outcome=outcome[:n],
            rng=streams.again(seed),
        )
        return score_labels(method.label(study), truth.label, truth.feature)

    found: dict[str, Floats] = {}
    for method in setup.methods:
        if method.by_votes:
            found[method.name] = scored(method, 0, of_votes)[None]
            continue
        found[method.name] = np.stack(
            [scored(method, n, seed)
             for n, seed in zip(setup.comparisons, of_comparisons, strict=True)]
        )  # fmt: skip
    return found
