"""What speaks against a plan, and what to keep in mind."""

from __future__ import annotations

from collections.abc import Sequence

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, count, option
from headcount.pairwise.answers.graph import components
from headcount.pairwise.planning.pilot.benchmarks import Benchmark
from headcount.pairwise.planning.prepare import Asked, Question
from headcount.pairwise.planning.records import AccuracyCurve, BenchmarkFit, Needed
from headcount.results.notes import Notes

__all__ = ["check_curves", "tell_apart", "tell_beyond", "tell_missed"]


def tell_apart(pilot: Comparisons, notes: Notes) -> None:
    """Say if nothing tells how items of different groups compare."""
    groups = components(pilot).n_components
    if groups > 1:
        notes.warning(
            f"The pilot falls into {groups:,} groups of items with no comparison between them, so "
            "that labels across groups are guesses, and so is this plan. Join them first by the "
            f"pairs that next_pairs chooses ({option('number', 200)})."
        )


def check_curves(
    pilot: Comparisons,
    benchmark: Benchmark,
    sizes: Sequence[int],
    curves: Sequence[AccuracyCurve],
    notes: Notes,
) -> None:
    """Refuse a pilot without a curve, and say which sizes have none."""
    if not curves:
        raise DataError(
            f"{pilot.source}: {count(len(pilot), 'comparison')} of "
            f"{count(len(pilot.items), 'item')} are too few to plan from: random sets "
            "of half the items should have more comparisons than items. Compare fewer items "
            "more often."
        )
    left_out = [str(size) for size in sizes if size not in {each.items for each in curves}]
    if left_out:
        notes.caution(
            f"Against the benchmark '{benchmark.name}' sets of {', '.join(left_out)} items have "
            "too few comparisons and are left out. Compare more pairs of the same items."
        )


def tell_beyond(
    asked: Asked, fits: Sequence[BenchmarkFit], question: Question, notes: Notes
) -> None:
    """Say how far the answer lies beyond the pilot, and how answers were held out."""
    if not fits:
        return
    largest = max(curve.items for each in fits for curve in each.curves)
    if question.items > largest:
        notes.caution(
            f"{count(question.items, 'item')} are {question.items / largest:.3g} times the "
            f"{largest} of the largest set: the answers extrapolate a law far beyond the pilot."
        )
    if not (asked.answers > 1).any():
        notes.info("No pair was asked twice: answers are held out at random.")


def tell_missed(fits: Sequence[BenchmarkFit], question: Question, notes: Notes) -> None:
    """Say against which benchmarks the target was not reached, or by some sizes only."""
    if question.target_f1 is None:
        return
    missed = {each.name: _missed(each) for each in fits}
    nowhere = bool(fits) and all(len(missed[each.name]) == len(each.needed) for each in fits)
    for fit in fits:
        best = max(fit.needed, key=lambda each: each.f1.value)
        if len(missed[fit.name]) == len(fit.needed):
            (notes.warning if nowhere else notes.caution)(
                f"Against the benchmark '{fit.name}' f1 {question.target_f1:g} was not reached: "
                f"{best.most:,} comparisons of {best.items} items gave {best.f1.value:.3f}. "
                "Numbers after '>' are what was tried, not an answer."
            )
        elif missed[fit.name]:
            sizes = ", ".join(str(each.items) for each in missed[fit.name])
            notes.caution(
                f"Against the benchmark '{fit.name}' sets of {sizes} items did not reach f1 "
                f"{question.target_f1:g}; the laws are fitted to the others."
            )


def _missed(fit: BenchmarkFit) -> list[Needed]:
    return [each for each in fit.needed if each.comparisons and each.comparisons.censored]
