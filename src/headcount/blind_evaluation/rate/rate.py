"""The corrected rate end to end: judges on all items and people on some in, the rate out."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount import options
from headcount.blind_evaluation.rate.estimate import Corrected, Said, correct
from headcount.blind_evaluation.rate.prepare import Prepared, prepare
from headcount.blind_evaluation.rate.records import JudgedRate, RateProvenance
from headcount.blind_evaluation.rate.result import RateResult
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.beta import BY_RATINGS

__all__ = ["corrected_rate"]

FEW_RATERS = 5
"""People from which on their spread is known well enough to say nothing of it."""


def corrected_rate(
    labels: Any,
    people: Any,
    *,
    positive: str | None = None,
    at_least: float | None = None,
    level: float = 0.95,
) -> RateResult:
    """Estimate what share of all items people would call positive, from judges and some ratings.

    Parameters
    ----------
    labels : Labels, Predictions, path or frame
        What one or several judges said of all items, or what :func:`headcount.read_votes` takes.
        Probabilities count as they are. Several judges count as their mean.
    people : Labels, path or frame
        What people said of some items, one or several of them an item, or what
        :func:`headcount.read_ratings` takes. These items must be a random sample of all, or a
        column `probability` says with which probability each was drawn.
    positive : str, optional
        The label whose share is asked for. Default: the second of two labels; the mean grade
        where labels are more than two numbers.
    at_least : float, optional
        Labels are numbers: those from this one on are positive.
    level : float
        Coverage of the interval.

    Returns
    -------
    RateResult

    Notes
    -----
    The rate is the mean over all items of what a random rater says: raters are a sample of the
    people who might rate, so that few raters make a wide interval. How wrong the judges are does
    not bias it. For the formula see :func:`headcount.blind_evaluation.rate.estimate.correct`.
    O(labels + ratings).

    Examples
    --------
    >>> from headcount import Labels, corrected_rate
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.random(1000) < 0.3
    >>> judge = np.where(rng.random(1000) < 0.8, truth, True)
    >>> judges = Labels.from_triples(range(1000), ["judge"] * 1000, np.where(judge, "yes", "no"))
    >>> who = rng.integers(0, 8, size=150)
    >>> people = Labels.from_triples(range(150), who, np.where(truth[:150], "yes", "no"))
    >>> result = corrected_rate(judges, people)
    >>> result.rate, round(result.naive, 3)
    (0.297 (0.2252 to 0.3771), 0.432)
    """
    level, notes = options.level(level), Notes()
    given = prepare(labels, people, positive=positive, at_least=at_least, notes=notes)
    found = correct(given.mean, given.said, level=level)
    _tell(found, given, notes)
    size = given.highest - given.lowest
    return RateResult(
        rate=_estimate(found, given, level),
        naive=given.lowest + size * found.naive,
        people=given.lowest + size * found.people,
        power=found.power,
        variance={
            "items": found.from_items * size**2,
            "raters": found.from_raters * size**2,
            "judges": found.from_judge * size**2,
        },
        judges=_alone(given, level),
        notes=tuple(notes),
        provenance=RateProvenance(
            source=given.source.source,
            sources=(*given.source.sources, *given.people.sources),
            dropped=given.source.dropped,
            items_used=given.items,
            items_dropped=len(given.source.items) - given.items,
            n_ratings=given.ratings,
            n_raters=len(given.judges),
            labels=given.people.scale.labels,
            level=level,
            backend=getattr(given.source, "backend", None),
            positive=given.positive,
            lowest=given.lowest,
            highest=given.highest,
            rated=found.rated,
            people_ratings=len(given.said.item),
            people=None if given.people.anonymous or given.unnamed else found.raters,
        ),
    )


def _estimate(found: Corrected, given: Prepared, level: float) -> Estimate:
    size = given.highest - given.lowest
    return Estimate(
        given.lowest + size * found.value,
        low=given.lowest + size * found.low,
        high=given.lowest + size * found.high,
        level=level,
        method=BY_RATINGS.name,
    )


def _alone(given: Prepared, level: float) -> tuple[JudgedRate, ...]:
    """Find the rate by each judge alone, on the items that it labelled."""
    out: list[JudgedRate] = []
    for name, (where, value) in zip(given.judges, given.alone, strict=False):
        place = np.full(given.items, -1)
        place[where] = np.arange(len(where))
        mine = place[given.said.item]
        there = mine >= 0
        if len(np.unique(mine[there])) < 2:
            continue
        part = given.said.drawn
        said = Said(
            item=mine[there],
            rater=given.said.rater[there],
            value=given.said.value[there],
            drawn=None if part is None else part[there],
        )
        found = correct(value, said, level=level)
        naive = given.lowest + (given.highest - given.lowest) * found.naive
        out.append(
            JudgedRate(
                name=name,
                naive=naive,
                corrected=_estimate(found, given, level),
                power=found.power,
            )
        )
    return tuple(out)


def _tell(found: Corrected, given: Prepared, notes: Notes) -> None:
    """Say for whom the interval holds."""
    if given.people.anonymous:
        notes.caution(
            "Nobody knows who gave which rating, so that each counts as another person's. If few "
            "people rated, the interval is too narrow."
        )
    elif given.unnamed:
        notes.caution(
            "The labels come without raters, so that they count as one person's, or as the truth. "
            "If people gave them, a column of raters lets the interval allow for who these are."
        )
    elif found.raters == 1:
        notes.warning(
            "One person rated: the interval is for what this person would say of all items. What "
            "others would say cannot be known without their ratings."
        )
    elif found.raters < FEW_RATERS:
        notes.caution(
            f"{found.raters} people rated, which tells little of how people differ: the interval "
            "is approximate."
        )
