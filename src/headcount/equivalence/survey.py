"""Survey equivalence, from labels and predictions to a result, step by step."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from re import Pattern
from typing import Any, NamedTuple, cast

import numpy as np

from headcount import options
from headcount.data.facts import Clusters, note_nesting
from headcount.data.labels import Labels, Scale
from headcount.data.predictions import Predictions
from headcount.engine.items import (
    AnyRatings,
)
from headcount.engine.taking import bring_items, take_predictions
from headcount.equivalence.calibration import Calibration, as_calibration
from headcount.equivalence.ceiling import available
from headcount.equivalence.combiners import (
    Combiner,
    Mean,
    States,
    Written,
    as_combiner,
    check_pair,
)
from headcount.equivalence.methods import (
    Exact,
    choose_method,
    few_for_labels,
    largest_counted,
    largest_supported,
    note_agreed,
    note_learning,
    smooths,
)
from headcount.equivalence.numbers import SCORED, answer_numbers
from headcount.equivalence.power_curve import (
    Continued,
    Design,
    Method,
    Scores,
    continue_curve,
    why_not,
)
from headcount.equivalence.prepare import (
    Prepared,
    are_many_numbers,
    check_kind,
    check_scorer,
    on_scale,
    prepare,
)
from headcount.equivalence.result import (
    FIXED,
    RATERS,
    RaterKind,
    SurveyProvenance,
    SurveyResult,
)
from headcount.equivalence.scorers import CrossEntropy, Scorer, as_scorer
from headcount.equivalence.together import score_together
from headcount.equivalence.worth import Estimates, Without, check_finite, widen_for_raters
from headcount.errors import OptionError, count, option
from headcount.io.facts import take_clusters
from headcount.results.notes import Notes, few_draws
from headcount.typing import Progress, Seed

__all__ = [
    "survey",
    "estimate",
    "Choices",
    "Kinds",
    "Settings",
]


def survey(
    labels: Any,
    predictions: Any = None,
    *,
    combiner: str | Combiner | Written | None = None,
    scorer: str | Scorer | None = None,
    scale: str | None = None,
    positive: str | None = None,
    max_k: int | None = None,
    reference: Any = None,
    experts: Collection[object] | str | Path | None = None,
    cluster: str | Mapping[Any, Any] | Pattern[str] | Clusters | None = None,
    samples: int | None = None,
    bootstrap: int = 500,
    level: float = 0.95,
    calibrate: str | Calibration | None = None,
    ceiling: bool = True,
    intervals: str = FIXED.name,
    seed: Seed = 0,
    progress: Progress | None = None,
) -> SurveyResult:
    """Find how many raters predict the next rater as well as each classifier does.

    Simulated surveys of k = 0, 1, 2 ... raters predict one more rater of the same item; their
    scores are the power curve. A classifier predicts the same raters; the k at which the curve
    reaches its score is its survey equivalence. All surveys that the data contain are counted with
    their probabilities, and only the bootstrap samples items. Time: O(draws x surveys x labels) for
    label patterns, and O(items) per draw for classifiers that give each item a probability. With
    more than 262,144 items it is O(items) once: the sum over the drawn items with the same labels
    is then normal.

    Parameters
    ----------
    labels, predictions : Labels and Predictions, paths or frames
        What :func:`headcount.read_ratings` and :func:`headcount.read_predictions` read, or a scan
        of large data (:func:`headcount.scan_ratings`). Without predictions the result is the power
        curve alone. Each item has the same weight.
    combiner : str, combiner or function
        How k labels become a prediction: states, abc, frequency, plurality or mean; or a function
        from a dict of counts to a label or a dict of probabilities. Default: states; mean for
        numbers with more than ten values.
    scorer : str or Scorer
        How a prediction is scored: cross-entropy, agreement, brier, precision, recall, f1, auc,
        correlation or dmi; for labels that are numbers or in order squared-error, absolute-error,
        rps, spearman, kappa or kappa-linear. Default: cross-entropy; correlation for numbers with
        more than ten values.
    scale : {"nominal", "ordinal", "interval"}, optional
        What labels are: names, names in order, or numbers. Default: as they were read.
    positive : str, optional
        The label for precision, recall, f1 and auc. Default: the mean over labels.
    max_k : int, optional
        Largest survey; items need one more rater, as the reference. Default: the largest that keeps
        90% of the items, at most 50, and small enough to count within seconds.
    reference : int, Predictions, path or frame, optional
        What to score against: the most common label of this number of raters (the paper's
        HSCORE^r), or the true state of each item, as one soft classifier (HSCORE*). Default: one
        rater.
    experts : collection of raters, or str, optional
        The raters who are experts: a collection, a file, or a column. Experts are the reference;
        amateurs have their own curve.
    cluster : str, mapping or re.Pattern, optional
        Groups of items that are not independent, such as documents: a column of the ratings, the
        cluster of each item, or a pattern that finds it in the id of an item (its first group, if
        it has one). Whole clusters are resampled.
    samples : int, optional
        Draw this number of sets of raters of each size. Default: count all surveys; if there are
        too many to count, draw 200 sets.
    bootstrap, level : int, float
        Number of bootstrap samples of items, and coverage of the intervals; 0 for none.
    calibrate : str or Calibration, optional
        Score classifiers both raw and calibrated: isotonic, empirical, ordered-logit, logit or
        temperature. Default: calibrate only answers that are not probabilities of raters' labels.
    ceiling : bool
        Whether to estimate the score of infinitely many raters, and shares of it.
    intervals : {"fixed", "sample"}
        Whether intervals of the worth hold for raters drawn as these were, or (wider) for other
        raters like these, of whom these are a sample. With fewer than six raters both are given.
    seed, progress : int or Generator, callable
        Seed or generator; a function called with the number of bootstrap samples done and to do,
        and then with those refitted for the ceiling added to both.

    References
    ----------
    Resnick, Kong, Schoenebeck and Weninger, "Survey Equivalence".

    Examples
    --------
    >>> from headcount import running_example, survey
    >>> labels, predictions = running_example(1000, 10, seed=1)
    >>> result = survey(labels, predictions, bootstrap=200, seed=1)
    >>> result["calibrated"].worth
    1.943 (1.665 to 2.398)
    """
    settings = Settings(
        samples=None if samples is None else options.whole(samples, "samples", least=1),
        draws=options.draws(bootstrap),
        level=options.level(level),
        rng=options.seed(seed),
        seed=options.seed_number(seed),
        ceiling=options.switch(ceiling, "ceiling"),
        raters=RATERS[options.one_of(intervals, "intervals", list(RATERS))],
        progress=options.callback(progress),
    )
    reference_raters, states = _take_reference(reference)
    choices = Choices(
        max_k=None if max_k is None else options.whole(max_k, "max_k", least=1),
        reference_raters=reference_raters,
        states=states,
        experts=_take_experts(experts, labels),
        calibration=None if calibrate is None else as_calibration(calibrate),
        scale=scale,
    )
    needs = {"reference": states, "experts": experts, "cluster": cluster}
    with bring_items(labels, predictions, needs) as (ratings_given, predicted):
        rated = on_scale(ratings_given, scale)
        if isinstance(rated, Labels) and cluster is not None:
            choices = replace(choices, cluster=take_clusters(cluster, labels, rated))
        combiner, scorer, numbers = _defaults(combiner, scorer, rated, choices, settings.samples)
        kinds = Kinds.checked(combiner, scorer, rated.scale, positive, numbers=numbers)
        check_scorer(kinds.scorer, scale)
        return analyse(rated, predicted, kinds, choices, settings)


def _defaults(
    combiner: Any, scorer: Any, labels: AnyRatings, choices: Choices, samples: int | None
) -> tuple[Any, Any, bool]:
    """Choose what nobody asked for; and whether components of variance tell all of it."""
    own = (
        choices.experts, choices.calibration, samples,
        choices.states, choices.reference_raters - 1,
    )  # fmt: skip
    numbers = (
        combiner in (None, Mean.name)
        and scorer in (None, *SCORED)
        and not any(own)
        and are_many_numbers(labels, choices.scale)
    )
    instead = (Mean.name, SCORED[0]) if numbers else (States.name, CrossEntropy.name)
    return combiner or instead[0], scorer or instead[1], numbers


def analyse(
    labels: AnyRatings,
    predictions: Predictions | None,
    kinds: Kinds,
    choices: Choices,
    settings: Settings,
) -> SurveyResult:
    """Prepare the data, score surveys and classifiers, and make estimates of the scores."""
    answer = _of_numbers if kinds.numbers else _of_surveys
    result = answer(labels, predictions, kinds, choices, settings)
    notes = Notes(result.notes)
    notes.extend(few_draws(settings.draws, settings.level))
    return replace(result, notes=tuple(notes))


def _of_surveys(
    labels: AnyRatings,
    predictions: Predictions | None,
    kinds: Kinds,
    choices: Choices,
    settings: Settings,
) -> SurveyResult:
    """Answer from the surveys that the data hold."""
    prepared, design, scoring, notes = _scored(labels, predictions, kinds, choices, settings)
    if choices.cluster is not None:
        choices.cluster.note(prepared.items, notes)
        if choices.cluster.few(prepared.items):
            settings = replace(settings, draws=0)
    elif isinstance(labels, Labels):
        note_nesting(prepared.items, labels.nested_in, notes)
    if settings.together:
        score_together(design, scoring)
    estimates, continued = estimate(design, scoring, choices, settings, notes)
    names = [classifier.name for classifier in prepared.classifiers]
    made = estimates.classifiers(names, [c.calibration for c in prepared.classifiers])
    without = Without(prepared, design, scoring.learned)
    classifiers, kind = widen_for_raters(
        made,
        estimates,
        lambda: without.variance(labels, settings.seed or 0),
        prepared,
        labels,
        settings,
        notes,
    )
    top = None
    if continued is not None:
        observed, drawn = estimates.observed, estimates.drawn
        top = available(design, continued, observed, drawn, level=settings.level, notes=notes)
    note_agreed(design.pools[0], notes)
    return SurveyResult(
        curve=estimates.curve(0),
        classifiers=classifiers,
        comparisons=estimates.comparisons(names),
        amateurs=estimates.curve(1) if prepared.amateurs is not None else (),
        too_few=estimates.too_few,
        doubted=note_learning(scoring, design.combiner, estimates.observed, notes),
        ceiling=top,
        learned=scoring.learned,
        provenance=_provenance(labels, predictions, kinds, settings, prepared, scoring, kind),
        notes=tuple(notes),
    )


def _of_numbers(
    labels: AnyRatings,
    predictions: Predictions | None,
    kinds: Kinds,
    choices: Choices,
    settings: Settings,
) -> SurveyResult:
    """Answer for numbers with many values, from components of variance."""
    notes = Notes(labels.notes)
    prepared, estimates, names, calibrations, ceiling, variance = answer_numbers(
        labels, predictions, kinds.scorer.name, choices, settings, notes
    )
    made = estimates.classifiers(names, calibrations)
    classifiers, kind = widen_for_raters(
        made, estimates, variance, prepared, labels, settings, notes
    )
    return SurveyResult(
        curve=estimates.curve(0),
        classifiers=classifiers,
        comparisons=estimates.comparisons(names),
        too_few=estimates.too_few,
        ceiling=ceiling,
        provenance=_provenance(labels, predictions, kinds, settings, prepared, Exact, kind),
        notes=tuple(notes),
    )


def _scored(
    labels: AnyRatings,
    predictions: Predictions | None,
    kinds: Kinds,
    choices: Choices,
    settings: Settings,
    wanted: int | None = None,
) -> tuple[Prepared, Design, Method, Notes]:
    """Prepare the data and the scoring of surveys, of a size that the data can teach.

    `wanted` is the size that would have been, where it has been made smaller already.
    """
    notes = Notes(labels.notes)
    prepared = prepare(labels, predictions, kinds, choices, rng=settings.rng, notes=notes)
    if predictions is not None:
        check_kind(prepared, kinds)
    design = prepared.design(kinds.combiner, kinds.scorer, settings.seed or 0)
    most = largest_counted(design, settings, asked=choices.max_k is not None)
    if most == prepared.max_k:
        scoring = choose_method(design, settings, notes)
        most = largest_supported(scoring, design)
        if not 1 <= most < prepared.max_k:
            return prepared, design, scoring, notes
    smaller = replace(choices, max_k=most)
    done = _scored(labels, predictions, kinds, smaller, settings, wanted or prepared.max_k)
    if wanted is None:
        many = "larger ones have too many outcomes to count"
        few = "these ratings are too few to learn what follows larger ones"
        done[-1].caution(
            f"surveys are of up to {count(done[0].max_k, 'rater')}, not {prepared.max_k}: with "
            f"{len(labels.scale)} labels {few if smooths(design) else many}."
        )
    return done


def estimate(
    design: Design, scoring: Method, choices: Choices, settings: Settings, notes: Notes
) -> tuple[Estimates, Continued | None]:
    """Score the data and bootstrap samples, and continue the curve beyond the largest survey."""
    scores = _rising(scoring.observed(), design)
    check_finite(scores, design.combiner.name, design.scorer.name)
    drawn = scoring.bootstrap(settings.draws, settings.rng, settings.progress)
    # Samples vary by what classifiers' probabilities were learned wrongly, too.
    error = np.array([c.learning_error for c in design.classifiers])
    normal = np.random.default_rng(settings.seed or 0).standard_normal(drawn.classifiers.shape)
    drawn = _rising(replace(drawn, classifiers=drawn.classifiers + error * normal), design)
    continued = None
    next_rater = choices.states is None and choices.reference_raters == 1
    if settings.ceiling and scoring.counts_all and next_rater:
        if why := why_not(design):
            notes.caution(f"no ceiling, and no worth beyond the largest survey: {why}.")
        else:
            continued = continue_curve(design, scores, drawn, settings.progress)
    beyond = None
    if continued is not None and not design.combiner.leaves_out:
        beyond = continued.near(settings.draws)
    few = few_for_labels(design, notes)
    estimates = Estimates(
        scores,
        drawn,
        settings.level,
        beyond,
        few_for_labels=few,
        learned_from_few=frozenset(
            index for index, c in enumerate(design.classifiers) if c.learned_from_few
        ),
        influence=scoring.influence() if settings.draws > 1 else None,
    )
    return estimates, continued


def _rising(scores: Scores, design: Design) -> Scores:
    """Let more raters never be worse, where a combiner uses all that they tell."""
    if not (design.combiner.bayesian and not design.combiner.leaves_out):
        return scores
    index = {c.name: i for i, c in enumerate(design.classifiers)}
    curves = scores.curves
    if design.scorer.name == CrossEntropy.name:
        # Who knows nothing says that all labels are as probable, which takes no learning.
        curves = [np.maximum(c, -np.log2(design.reference.shape[1])) for c in curves]
    return replace(
        scores,
        curves=[np.maximum.accumulate(c, axis=1) for c in curves],
        together={
            name: np.maximum(scores.classifiers[:, index[name]], both)
            for name, both in scores.together.items()
        },
    )


def _provenance(
    labels: AnyRatings,
    predictions: Predictions | None,
    kinds: Kinds,
    settings: Settings,
    prepared: Prepared,
    scoring: Method | type[Exact],
    kind: RaterKind,
) -> SurveyProvenance:
    combiner, scorer, positive, _ = kinds
    return SurveyProvenance(
        source=labels.source,
        sources=(*labels.sources, *(predictions.sources if predictions else ())),
        dropped=labels.dropped,
        predictions=None if predictions is None else predictions.source,
        items_used=prepared.items_used,
        items_dropped=prepared.items_dropped,
        n_ratings=prepared.n_ratings,
        n_raters=None if labels.anonymous else prepared.n_raters,
        ratings_per_item=prepared.ratings_per_item,
        labels=labels.scale.labels,
        combiner=combiner.name,
        scorer=scorer.name,
        unit=scorer.unit,
        in_bits=scorer.in_bits,
        information=scorer.in_bits and combiner.bayesian,
        positive=positive,
        reference=prepared.reference_name,
        against_states=prepared.states is not None,
        reference_raters=prepared.reference_raters,
        max_k=prepared.max_k,
        method=scoring.name,
        all_surveys=scoring.counts_all,
        raters=kind,
        bootstrap=settings.draws,
        level=settings.level,
        seed=settings.seed,
        backend=labels.backend,
    )


# What a caller of survey asks for, checked.


def _take_reference(reference: Any) -> tuple[int, Predictions | None]:
    """Take what predictions are scored against: so many raters, or known states."""
    if reference is None:
        return 1, None
    if isinstance(reference, Real):
        return options.whole(reference, "reference", least=1), None
    return 1, take_predictions(reference, "reference")


@dataclass(frozen=True, kw_only=True)
class Choices:
    """Which surveys are asked for, what they are scored against, and what is done to classifiers.

    See :func:`headcount.survey` for each.

    Parameters
    ----------
    max_k : int or None
    reference_raters : int
        Their most common label is the reference.
    states : Predictions or None
        Known states that are the reference instead.
    experts : list or None
        Ids of raters.
    calibration : Calibration or None
    scale : str or None
    cluster : Clusters or None
        Which items are not independent.
    """

    max_k: int | None = None
    reference_raters: int = 1
    states: Predictions | None = None
    experts: list[object] | None = None
    calibration: Calibration | None = None
    scale: str | None = None
    cluster: Clusters | None = None


class Kinds(NamedTuple):
    """How surveys are combined and scored, and the label that is looked at.

    `numbers` says that components of variance tell all of it.
    """

    combiner: Combiner
    scorer: Scorer
    positive: str | None
    numbers: bool = False

    @classmethod
    def checked(
        cls,
        combiner: Any,
        scorer: Any,
        scale: Scale,
        positive: str | None,
        *,
        numbers: bool = False,
    ) -> Kinds:
        """Find them by name for a scale, and check that they go together."""
        combine, rule = as_combiner(combiner, scale.labels), as_scorer(scorer, scale, positive)
        if not numbers:
            check_pair(combine, rule, scale)
        return cls(combine, rule, positive, numbers)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How surveys are drawn and what is made of them; see :func:`headcount.survey` for each.

    Parameters
    ----------
    draws : int
    level : float
    rng : Generator
    seed : int or None
        The seed from which the generator was made.
    samples : int or None
    ceiling : bool
    raters : RaterKind
        What the raters are taken for.
    progress : callable or None
    together : bool
        Whether to tell, besides, what each classifier and a rater are worth together. It takes a
        quarter of the time or so.
    """

    draws: int
    level: float
    rng: np.random.Generator
    seed: int | None
    samples: int | None = None
    ceiling: bool = True
    raters: RaterKind = FIXED
    progress: Progress | None = None
    together: bool = True


def _take_experts(experts: Any, ratings: Any) -> list[object] | None:
    """Take the raters who are experts, or read them from a file or a column of the ratings."""
    if experts is None:
        return None
    if isinstance(experts, str | Path):
        from headcount.io.facts import read_experts

        if isinstance(ratings, Labels) and not Path(experts).is_file():
            raise OptionError(
                f"{option('experts')}: there is no file '{experts}', and Labels have no columns. "
                "Give a list of raters."
            )
        return list(read_experts(str(experts), ratings))
    if not isinstance(experts, Iterable):
        raise OptionError(
            f"{option('experts')} must be a list of raters, a file that lists them, or a column of "
            f"the ratings, not {type(experts).__name__}."
        )
    return list(cast(Iterable[object], experts))
