"""Survey equivalence end to end: labels and predictions in, a result out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import headcount
from headcount.equivalence.combiners import Combiner, Written, as_combiner, check_pair
from headcount.equivalence.crossing import survey_equivalence
from headcount.equivalence.result import ClassifierResult, CurvePoint, Provenance, SurveyResult
from headcount.equivalence.scorers import Scorer, as_scorer
from headcount.equivalence.scoring import Scoring
from headcount.equivalence.selection import (
    check_ratings,
    clipped,
    common_items,
    fitting,
    survey_size,
)
from headcount.equivalence.surveys import count_surveys
from headcount.errors import DataError, OptionError, count, some
from headcount.labels.labels import Labels
from headcount.labels.predictions import Classifier, Predictions
from headcount.stats.bootstrap import as_generator
from headcount.stats.estimate import Estimate

__all__ = ["survey"]

Floats = NDArray[np.float64]

MOST_NUMBERS = 20_000_000
"""Survey outcomes times labels that fit in memory; more are refused before any work is done."""


def survey(
    labels: Labels,
    predictions: Predictions | None = None,
    *,
    combiner: str | Combiner | Written = "abc",
    scorer: str | Scorer = "cross-entropy",
    max_k: int | None = None,
    bootstrap: int = 500,
    level: float = 0.95,
    clip: float | None = None,
    rng: int | np.random.Generator = 0,
    progress: Callable[[int, int], None] | None = None,
) -> SurveyResult:
    """Find how many raters predict the next rater as well as each classifier does.

    Simulated surveys of k = 0, 1, 2 ... raters predict one more rater of the same item; their
    scores are the power curve. A classifier predicts the same raters; the k at which the curve
    reaches its score is its survey equivalence. Every survey that the data hold is counted, with
    its probability: nothing is sampled but the items of the bootstrap.

    Parameters
    ----------
    labels : Labels
        The ratings. Each item weighs the same, however many ratings it has.
    predictions : Predictions, optional
        The classifiers. Without them the result is the power curve alone.
    combiner : {"abc", "frequency", "plurality"}, combiner or function
        How k labels become a prediction. A function takes a dict of counts and returns a label
        or a dict of probabilities.
    scorer : {"cross-entropy", "agreement", "brier"} or Scorer
        How a prediction is scored against one rater.
    max_k : int, optional
        Largest survey. Items need max_k + 1 ratings to be used. Default: the largest that keeps
        at least 90% of the items.
    bootstrap : int
        Number of bootstrap draws of items, the same for curve and classifiers; 0 for none.
    level : float
        Coverage of the intervals.
    clip : float, optional
        Keep the probabilities of soft classifiers in [clip, 1 - clip] and normalise them.
    rng : int or Generator
        Seed or generator of the bootstrap.
    progress : callable, optional
        Called with the number of draws done and to do.

    Returns
    -------
    SurveyResult

    Notes
    -----
    Cost depends on label patterns, not on items: O(draws x surveys x labels), and O(items) a
    draw for classifiers that give every item another probability.

    References
    ----------
    Resnick, Kong, Schoenebeck and Weninger, "Survey Equivalence: A Procedure for Measuring
    Classifier Accuracy Against Human Labels".

    Examples
    --------
    >>> from headcount import running_example, survey
    >>> labels, predictions = running_example(1000, 10, rng=1)
    >>> result = survey(labels, predictions, bootstrap=200, rng=1)
    >>> result["calibrated"].equivalence
    1.947 (1.658 to 2.374)
    """
    notes = list(labels.notes)
    rule = as_scorer(scorer)
    combine = as_combiner(combiner, labels.scale.labels)
    check_pair(combine, rule)
    _check_options(max_k, bootstrap, level, clip)

    counts = labels.counts()
    check_ratings(labels, counts)
    classifiers: list[Classifier] = []
    kept = np.ones(len(labels.items), dtype=bool)
    if predictions is not None:
        aligned = predictions.align(labels.scale.labels, rated_in=labels.source)
        classifiers, left_out = fitting(aligned, rule)
        classifiers, kept, unmatched = common_items(labels, aligned, classifiers)
        notes += [*predictions.notes, *left_out, *unmatched]
    max_k, kept, short = survey_size(counts, kept, max_k, labels.source)
    notes += short
    used = counts.take(kept)
    classifiers = [Classifier(c.name, c.kind, c.probability[kept]) for c in classifiers]
    if clip is not None:
        for place, classifier in enumerate(classifiers):
            classifiers[place], changed = clipped(classifier, clip)
            notes += changed

    outcomes = count_surveys(used.patterns, max_k).sum()
    if outcomes * len(labels.scale) > MOST_NUMBERS:
        raise OptionError(
            f"surveys of up to {max_k} raters over {len(labels.scale)} labels have {outcomes:,.0f} "
            f"different outcomes, more than the {MOST_NUMBERS // len(labels.scale):,} that can be "
            "counted. Ask for smaller surveys (--max-k)."
        )
    scoring = Scoring(used, classifiers, combine, rule, max_k)
    for classifier, statistics in zip(classifiers, scoring.statistics, strict=True):
        possible = np.all(np.isfinite(statistics), axis=1)[scoring.cell]
        if predictions is not None and not possible.all():
            items = labels.items[kept][np.flatnonzero(~possible)]
            raise DataError(
                f"{predictions.source}: classifier '{classifier.name}' gives probability 0 to a "
                f"label that a rater gave, on {count(len(items), 'item')}: {some(items.tolist())}. "
                f"Its {rule.name} score is minus infinity. Bound its probabilities, for example "
                "with clip=.001 (--clip .001)."
            )
    curve, scores, helped = scoring.score(scoring.multiplicity[None, :].astype(np.float64))
    if not np.isfinite(curve).all():
        raise OptionError(
            f"combiner '{combine.name}' gives probability 0 to a label that the next rater gave, "
            f"so its {rule.name} score is minus infinity. Keep its probabilities above 0."
        )
    if helped.any():
        shares = ", ".join(f"{helped[0, k]:.2g} at k={k}" for k in np.flatnonzero(helped[0]))
        notes.append(
            "share of surveys after which some label was never seen on another item, so that abc "
            f"leans on the survey with one rater fewer: {shares}."
        )
    curves, drawn = scoring.bootstrap(bootstrap, as_generator(rng), progress)

    def estimate(
        value: Floats, draws: Floats, bounds: tuple[float, float] | None = None
    ) -> Estimate:
        return Estimate.from_draws(float(value[0]), draws, level=level, bounds=bounds)

    points = [
        CurvePoint(
            k,
            score=estimate(curve[:, k], curves[:, k]),
            gain=estimate(curve[:, k] - curve[:, 0], curves[:, k] - curves[:, 0]),
        )
        for k in range(max_k + 1)
    ]
    worth = [
        ClassifierResult(
            classifier.name,
            score=estimate(h, h_drawn),
            gain=estimate(h - curve[:, 0], h_drawn - curves[:, 0]),
            equivalence=estimate(
                survey_equivalence(curve, h), survey_equivalence(curves, h_drawn), (0, max_k)
            ),
        )
        for classifier, h, h_drawn in zip(classifiers, scores.T, drawn.T, strict=True)
    ]
    ratings = used.ratings_per_item
    provenance = Provenance(
        version=headcount.__version__,
        ratings=labels.source,
        predictions=None if predictions is None else predictions.source,
        items_used=int(kept.sum()),
        items_dropped=int((~kept).sum()),
        ratings_per_item=(int(ratings.min()), float(np.median(ratings)), int(ratings.max())),
        labels=labels.scale.labels,
        combiner=combine.name,
        scorer=rule.name,
        unit=rule.unit,
        max_k=max_k,
        bootstrap=bootstrap,
        level=level,
        seed=rng if isinstance(rng, int) else None,
        backend=labels.backend,
    )
    return SurveyResult(tuple(points), tuple(worth), provenance, tuple(notes))


def _check_options(max_k: int | None, bootstrap: int, level: float, clip: float | None) -> None:
    if max_k is not None and max_k < 1:
        raise OptionError(f"max_k (--max-k) must be at least 1 rater, not {max_k}.")
    if bootstrap < 0:
        raise OptionError(f"bootstrap (--bootstrap) must be 0 or more draws, not {bootstrap}.")
    if not 0 < level < 1:
        raise OptionError(f"level (--level) must lie between 0 and 1, such as .95, not {level:g}.")
    if clip is not None and not 0 < clip < 0.5:
        raise OptionError(f"clip (--clip) must lie between 0 and 0.5, such as .001, not {clip:g}.")
