"""Survey equivalence end to end: labels and predictions in, a result out."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from headcount import options
from headcount._version import __version__
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.equivalence.alt_test.result import AltTest
from headcount.equivalence.calibration import reliability
from headcount.equivalence.ceiling.available import available
from headcount.equivalence.combiners.combiners import Combiner, Written, as_combiner, check_pair
from headcount.equivalence.differences import compare, p_beats
from headcount.equivalence.prepare import Selection, select
from headcount.equivalence.result import (
    ClassifierResult,
    CurvePoint,
    Provenance,
    SurveyResult,
)
from headcount.equivalence.scorers.base import Scorer
from headcount.equivalence.scorers.scorers import as_scorer
from headcount.equivalence.surveys.choice import choose_method
from headcount.equivalence.surveys.crossing import survey_equivalence
from headcount.equivalence.surveys.exact import Scores
from headcount.errors import DataError, OptionError, count, some
from headcount.results.notes import few_draws
from headcount.stats.estimate import Estimate
from headcount.typing import Floats, Progress

__all__ = ["survey"]


def survey(
    labels: Labels,
    predictions: Predictions | None = None,
    *,
    combiner: str | Combiner | Written = "abc",
    scorer: str | Scorer = "cross-entropy",
    positive: str | None = None,
    max_k: int | None = None,
    reference_raters: int = 1,
    states: Predictions | None = None,
    experts: Collection[object] | None = None,
    method: str = "auto",
    samples: int = 200,
    bootstrap: int = 500,
    level: float = 0.95,
    clip: float | None = None,
    calibrate: str | None = None,
    ceiling: bool = True,
    alt_test: float | None = None,
    rng: int | np.random.Generator = 0,
    progress: Progress | None = None,
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
    combiner : {"abc", "frequency", "plurality", "mean"}, combiner or function
        How k labels become a prediction. A function takes a dict of counts and returns a label
        or a dict of probabilities.
    scorer : str or Scorer
        How a prediction is scored against the reference: cross-entropy, agreement, brier,
        precision, recall, f1, auc, correlation or dmi.
    positive : str, optional
        The label that precision, recall, f1 and auc look at. Default: the mean over labels.
    max_k : int, optional
        Largest survey. Items need max_k + reference_raters ratings to be used. Default: the
        largest that keeps at least 90% of the items.
    reference_raters : int
        Score against the most common label of so many raters (the paper's HSCORE^r).
    states : Predictions, optional
        One soft classifier that holds the true state of each item, where it is known; scores are
        then against the state (the paper's HSCORE*).
    experts : collection of raters, optional
        Raters who are experts. The curve is then that of experts, who are also the reference; the
        others are amateurs, with a curve of their own.
    method : {"auto", "exact", "sampled"}
        Count all surveys; or draw `samples` sets of raters of each size, as the paper does. The
        default counts if the surveys can be counted, and says so if they cannot.
    samples : int
        Sets of raters drawn of each size, if sampled.
    bootstrap : int
        Number of bootstrap draws of items, the same for curve and classifiers; 0 for none.
    level : float
        Coverage of the intervals.
    clip : float, optional
        Keep the probabilities of soft classifiers in [clip, 1 - clip] and normalise them.
    calibrate : {"isotonic", "empirical", "platt"}, optional
        Score each classifier raw and calibrated, cross-fitted by item; hard ones become soft.
    ceiling : bool
        Whether to estimate the score of infinitely many raters, and what follows from it.
    alt_test : float, optional
        Epsilon of the alternative annotator test, to be run besides; see
        :func:`headcount.alt_test`.
    rng : int or Generator
        Seed or generator of the bootstrap, of sampled surveys and of calibration.
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
    1.947 (1.665 to 2.451)
    """
    _check_inputs(labels, predictions)
    rule = as_scorer(scorer, labels.scale, positive)
    combine = as_combiner(combiner, labels.scale.labels)
    check_pair(combine, rule, labels.scale)
    _check_options(bootstrap, level, clip)
    generator = options.seed(rng)
    selected = select(
        labels,
        predictions,
        rule,
        max_k=max_k,
        reference_raters=reference_raters,
        states=states,
        experts=experts,
        clip=clip,
        calibrate=calibrate,
        rng=generator,
    )
    if rule.unbounded:
        _check_positive(selected, predictions, rule)
    scoring, used_method, notes = choose_method(
        selected, combine, rule, method=method, samples=samples, rng=generator
    )
    found = scoring.observed()
    if not all(np.isfinite(curve).all() for curve in found.curves):
        raise OptionError(
            f"combiner '{combine.name}' gives probability 0 to a label that the next rater gave, "
            f"so its {rule.name} score is minus infinity. Keep its probabilities above 0."
        )
    drawn = scoring.bootstrap(bootstrap, generator, progress)

    provenance = Provenance(
        version=__version__,
        ratings=labels.source,
        predictions=None if predictions is None else predictions.source,
        items_used=int(selected.kept.sum()),
        items_dropped=int((~selected.kept).sum()),
        ratings_per_item=selected.ratings_per_item(),
        labels=labels.scale.labels,
        combiner=combine.name,
        scorer=rule.name,
        unit=rule.unit,
        positive=positive,
        reference=selected.reference_name,
        reference_raters=reference_raters,
        max_k=selected.max_k,
        method=used_method,
        bootstrap=bootstrap,
        level=level,
        seed=None if isinstance(rng, np.random.Generator) else int(rng),
        backend=labels.backend,
    )
    result = _assemble(selected, provenance, found, drawn)
    if ceiling and used_method == "exact" and states is None and reference_raters == 1:
        names = [c.name for c in selected.classifiers]
        patterns = selected.pools()[0].pool.patterns
        known, told = available(patterns, found, drawn, names, combine, rule, level=level)
        result = replace(result, ceiling=known)
        notes += told
    notes = [*labels.notes, *selected.notes, *notes, *_support(scoring.helped)]
    notes += few_draws(bootstrap, level)
    if alt_test is not None:
        tested = _alt_test(labels, predictions, alt_test)
        result = replace(result, alt_test=tested)
        notes = list(dict.fromkeys([*notes, *tested.notes]))
    return replace(result, notes=tuple(notes))


def _alt_test(labels: Labels, predictions: Predictions | None, epsilon: float) -> AltTest:
    if predictions is None:
        raise OptionError("alt_test (--alt-test) needs predictions (--predictions FILE).")
    from headcount.equivalence.alt_test.alt_test import alt_test

    return alt_test(labels, predictions, epsilon=epsilon)


def _assemble(
    selected: Selection, provenance: Provenance, found: Scores, drawn: Scores
) -> SurveyResult:
    """Turn scores of the data and of their resamples into estimates."""
    level, max_k = provenance.level, provenance.max_k
    curve, curves = found.curves[0], drawn.curves[0]

    def estimate(
        value: Floats, draws: Floats, bounds: tuple[float, float] | None = None
    ) -> Estimate:
        return Estimate.from_draws(float(value[0]), draws, level=level, bounds=bounds)

    def worth(h: Floats, h_drawn: Floats) -> Estimate:
        return estimate(
            survey_equivalence(curve, h), survey_equivalence(curves, h_drawn), (0, max_k)
        )

    def points(place: int) -> list[CurvePoint]:
        own, own_drawn = found.curves[place], drawn.curves[place]
        return [
            CurvePoint(
                k,
                score=estimate(own[:, k], own_drawn[:, k]),
                gain=estimate(own[:, k] - curve[:, 0], own_drawn[:, k] - curves[:, 0]),
                # What k amateurs are worth in experts; a curve is worth itself.
                equivalence=worth(own[:, k], own_drawn[:, k]) if place else None,
            )
            for k in range(own.shape[1])
        ]

    classifiers = [
        ClassifierResult(
            classifier.name,
            score=estimate(h, h_drawn),
            gain=estimate(h - curve[:, 0], h_drawn - curves[:, 0]),
            equivalence=worth(h, h_drawn),
            p_beats=p_beats(h_drawn, curves),
        )
        for classifier, h, h_drawn in zip(
            selected.classifiers, found.classifiers.T, drawn.classifiers.T, strict=True
        )
    ]
    comparisons = compare(
        [c.name for c in classifiers],
        survey_equivalence(curve[0], found.classifiers[0]),
        survey_equivalence(curves[:, None, :], drawn.classifiers),
        drawn.classifiers,
        max_k=max_k,
        level=level,
    )
    return SurveyResult(
        curve=tuple(points(0)),
        classifiers=tuple(classifiers),
        comparisons=tuple(comparisons),
        amateurs=tuple(points(1)) if len(found.curves) > 1 else (),
        reliability=tuple(
            reliability(c, selected.reference, provenance.labels, provenance.positive)
            for c in selected.classifiers
            if c.kind == "soft"
        ),
        provenance=provenance,
        notes=(),
    )


def _support(helped: Floats) -> list[str]:
    """Say how often abc lacked support in the data themselves."""
    where = np.flatnonzero(helped)
    if not len(where):
        return []
    shares = ", ".join(f"{helped[k]:.2g} at k={k}" for k in where)
    return [
        "share of surveys after which some label was never seen on another item, so that abc "
        f"leans on the survey with one rater fewer: {shares}."
    ]


def _check_positive(selected: Selection, predictions: Predictions | None, rule: Scorer) -> None:
    """Refuse probability 0 on a label that was given, where it scores minus infinity."""
    for classifier in selected.classifiers:
        never = np.any((classifier.probability == 0) & (selected.reference > 0), axis=1)
        if predictions is not None and never.any():
            items = selected.items[np.flatnonzero(never)]
            raise DataError(
                f"{predictions.source}: classifier '{classifier.name}' gives probability 0 to a "
                f"label that a rater gave, on {count(len(items), 'item')}: {some(items.tolist())}. "
                f"Its {rule.name} score is minus infinity. Bound its probabilities, for example "
                "with clip=.001 (--clip .001)."
            )


def _check_inputs(labels: object, predictions: object) -> None:
    if not isinstance(labels, Labels):
        raise OptionError(
            f"survey needs Labels, not {type(labels).__name__}: read a file or a frame with "
            "headcount.read_ratings."
        )
    if predictions is not None and not isinstance(predictions, Predictions):
        raise OptionError(
            f"survey needs Predictions, not {type(predictions).__name__}: read a file or a frame "
            "with headcount.read_predictions."
        )


def _check_options(bootstrap: object, level: float, clip: float | None) -> None:
    if not isinstance(bootstrap, int) or bootstrap < 0:
        raise OptionError(f"bootstrap (--bootstrap) must be 0 or more draws, not {bootstrap}.")
    if not 0 < level < 1:
        raise OptionError(f"level (--level) must lie between 0 and 1, such as .95, not {level:g}.")
    if clip is not None and not 0 < clip < 0.5:
        raise OptionError(f"clip (--clip) must lie between 0 and 0.5, such as .001, not {clip:g}.")
