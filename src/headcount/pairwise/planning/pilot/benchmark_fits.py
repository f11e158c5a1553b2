"""Curves and laws by each benchmark, and how they came about."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from headcount.pairwise.planning.cautions import check_curves
from headcount.pairwise.planning.laws import Law
from headcount.pairwise.planning.pilot.accuracy_curve import Sampler
from headcount.pairwise.planning.pilot.benchmarks import BENCHMARKS
from headcount.pairwise.planning.pilot.scaling_laws import fit_laws
from headcount.pairwise.planning.prepare import Question, pilot_sizes
from headcount.pairwise.planning.records import BenchmarkFit, PlanProvenance
from headcount.results.notes import Notes
from headcount.typing import Progress

__all__ = ["fit_benchmarks", "provenance"]


def fit_benchmarks(
    sampler: Sampler,
    question: Question,
    laws: Sequence[Law],
    rngs: tuple[np.random.Generator, np.random.Generator],
    notes: Notes,
    progress: Progress | None,
) -> list[BenchmarkFit]:
    """Find the curves of random sets by each benchmark, and fit the laws to them.

    Parameters
    ----------
    sampler : Sampler
    question : Question
    laws : sequence of Law
    rngs : pair of Generator
        Of the random sets, and of the bootstrap samples of them.
    notes : Notes
        Takes what a reader should know.
    progress : callable or None
    """
    pilot = sampler.pilot
    sizes = pilot_sizes(len(pilot.items))
    step = _counter(progress, len(BENCHMARKS) * len(sizes) * sampler.repeats)
    streams = (rng.spawn(len(BENCHMARKS)) for rng in rngs)
    fits: list[BenchmarkFit] = []
    for benchmark, of_sets, of_samples in zip(BENCHMARKS, *streams, strict=True):
        curves = sampler.curves(benchmark, sizes, of_sets, step)
        check_curves(pilot, benchmark, sizes, curves, notes)
        fits.append(fit_laws(benchmark, curves, question, laws, of_samples))
    return fits


def provenance(sampler: Sampler, question: Question, seed: int | None) -> PlanProvenance:
    """Say how a plan came about."""
    pilot = sampler.pilot
    return PlanProvenance(
        source=pilot.source,
        sources=pilot.sources,
        dropped=pilot.dropped,
        items_used=len(pilot.items),
        n_ratings=len(pilot),
        n_raters=None if pilot.raters is None else len(pilot.raters),
        level=question.level,
        seed=seed,
        backend=pilot.backend,
        pairs=len(sampler.asked.answers),
        pairs_asked_again=int(np.sum(sampler.asked.answers > 1)),
        rating=sampler.rating,
        repeats=sampler.repeats,
    )


def _counter(progress: Progress | None, total: int) -> Callable[[], None]:
    """Make what is called after each of `total` steps."""
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)

    return step
