"""Survey equivalence, step by step: what is checked, prepared, scored and estimated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.engine.reductions.cells import AnyRatings
from headcount.equivalence.alt_test.alt_test import alt_test
from headcount.equivalence.alt_test.result import AltTest
from headcount.equivalence.calibration.reliability import reliabilities
from headcount.equivalence.ceiling.extrapolated_curve import Continued, continue_curve, why_not
from headcount.equivalence.ceiling.records import RatersFor
from headcount.equivalence.ceiling.shares import available
from headcount.equivalence.inputs.choices import Choices, Kinds, Settings
from headcount.equivalence.prepare import Prepared, check_kind, check_positive, prepare
from headcount.equivalence.raters.population_notes import for_whom
from headcount.equivalence.raters.populations import RaterKind
from headcount.equivalence.raters.variance import Without
from headcount.equivalence.records import ClassifierResult, SurveyProvenance
from headcount.equivalence.result import SurveyResult
from headcount.equivalence.surveys.base import Design, Method, Scores
from headcount.equivalence.surveys.choice import (
    choose_method,
    few_for_labels,
    largest_counted,
    largest_supported,
    note_agreed,
    note_learning,
    note_short,
    note_support,
)
from headcount.equivalence.worth.by_max_k import note_moves
from headcount.equivalence.worth.estimates import Estimates, check_finite
from headcount.equivalence.worth.together import score_together
from headcount.errors import count
from headcount.results.notes import Notes, few_draws

__all__ = ["analyse", "estimate"]


def analyse(
    labels: AnyRatings,
    predictions: Predictions | None,
    kinds: Kinds,
    choices: Choices,
    settings: Settings,
) -> SurveyResult:
    """Prepare the data, score surveys and classifiers, and make estimates of the scores."""
    prepared, design, scoring, notes = _scored(labels, predictions, kinds, choices, settings)
    if settings.together:
        score_together(design, scoring)
    estimates, continued = estimate(design, scoring, choices, settings, notes)
    names = [classifier.name for classifier in prepared.classifiers]
    classifiers = tuple(
        replace(one, calibration=classifier.calibration)
        for one, classifier in zip(estimates.classifiers(names), prepared.classifiers, strict=True)
    )
    without = Without(prepared, design, scoring.learned)
    classifiers, whom = for_whom(classifiers, estimates, without, labels, settings, notes)
    top = None
    if continued is not None:
        found, drawn = estimates.found, estimates.drawn
        top = available(design, continued, found, drawn, level=settings.level, notes=notes)
        top = replace(top, raters_for=(*top.raters_for, *map(_as_good_as, classifiers)))
    if settings.together and scoring.counts_all:
        moves = note_moves(labels, predictions, kinds, choices, prepared, settings.seed or 0)
        notes.extend([] if moves is None else [moves])
    note_agreed(design.pools[0], notes)
    note_short(design.pools[0], scoring.learned, notes)
    note_support(scoring, design.combiner.name, notes)
    doubted = note_learning(scoring, design.combiner, estimates.found, notes)
    notes.extend(few_draws(settings.draws, settings.level))
    return SurveyResult(
        curve=estimates.curve(0),
        classifiers=classifiers,
        comparisons=estimates.comparisons(names),
        amateurs=estimates.curve(1) if prepared.amateurs is not None else (),
        reliability=reliabilities(design, labels.scale.labels, kinds.positive),
        too_few=estimates.too_few,
        doubted=doubted,
        ceiling=top,
        alt_test=_alt_test(labels, predictions, choices, settings, notes),
        learned=scoring.learned,
        provenance=_provenance(labels, predictions, kinds, settings, (prepared, scoring, whom)),
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
        check_positive(prepared, kinds.scorer, predictions.source)
        check_kind(prepared, kinds)
    design = prepared.design(kinds.combiner, kinds.scorer, settings.seed or 0)
    most = largest_counted(design, settings)
    if most == prepared.max_k:
        scoring = choose_method(design, settings, notes)
        most = largest_supported(scoring, design)
        if not 1 <= most < prepared.max_k:
            return prepared, design, scoring, notes
    smaller = replace(choices, max_k=most)
    done = _scored(labels, predictions, kinds, smaller, settings, wanted or prepared.max_k)
    if wanted is None:
        done[-1].caution(
            f"surveys are of up to {count(done[0].max_k, 'rater')}, not {prepared.max_k}: with "
            f"{len(labels.scale)} labels these ratings are too few to learn what follows larger "
            "ones."
        )
    return done


def estimate(
    design: Design, scoring: Method, choices: Choices, settings: Settings, notes: Notes
) -> tuple[Estimates, Continued | None]:
    """Score the data and bootstrap samples, and continue the curve beyond the largest survey."""
    found = _rising(scoring.observed(), design)
    check_finite(found, design.combiner.name, design.scorer.name)
    drawn = scoring.bootstrap(settings.draws, settings.rng, settings.progress)
    drawn = _rising(_with_learning(drawn, design, settings.seed or 0), design)
    continued = None
    if settings.ceiling and scoring.counts_all and choices.reference.next_rater:
        continued = _continued(design, found, drawn, settings, notes)
    beyond = None
    if continued is not None and not design.combiner.leaves_out:
        beyond = continued.near(settings.draws)
    few = few_for_labels(design, notes)
    made = Estimates(
        found,
        drawn,
        settings.level,
        beyond,
        few_for_labels=few,
        learned_from_few=frozenset(
            place for place, c in enumerate(design.classifiers) if c.learned_from_few
        ),
    )
    return made, continued


def _with_learning(drawn: Scores, design: Design, seed: int) -> Scores:
    """Let bootstrap samples vary by what classifiers' probabilities were learned wrongly, too."""
    error = np.array([c.learning_error for c in design.classifiers])
    normal = np.random.default_rng(seed).standard_normal(drawn.classifiers.shape)
    return replace(drawn, classifiers=drawn.classifiers + error * normal)


def _rising(scores: Scores, design: Design) -> Scores:
    """Let more raters never be worse, where a combiner uses all that they tell."""
    if not (design.combiner.bayesian and not design.combiner.leaves_out):
        return scores
    place = {c.name: i for i, c in enumerate(design.classifiers)}
    return replace(
        scores,
        curves=[np.maximum.accumulate(c, axis=1) for c in scores.curves],
        together={
            name: np.maximum.accumulate(
                np.column_stack([scores.classifiers[:, place[name]], both]), axis=1
            )[:, 1:]
            for name, both in scores.together.items()
        },
    )


def _continued(
    design: Design, found: Scores, drawn: Scores, settings: Settings, notes: Notes
) -> Continued | None:
    """Continue the curve beyond the data, where they tell how it goes on."""
    if why := why_not(design):
        notes.caution(f"no ceiling, and no worth beyond the largest survey: {why}.")
        return None
    return continue_curve(design, found, drawn, settings.progress)


def _as_good_as(classifier: ClassifierResult) -> RatersFor:
    return RatersFor(classifier.name, classifier.equivalence)


def _alt_test(
    labels: AnyRatings,
    predictions: Predictions | None,
    choices: Choices,
    settings: Settings,
    notes: Notes,
) -> AltTest | None:
    if settings.epsilon is None or not isinstance(labels, Labels):
        return None
    tested = alt_test(
        labels,
        predictions,
        epsilon=settings.epsilon,
        scorer=settings.closeness,
        scale=choices.scale,
    )
    notes.extend(tested.notes)
    return tested


def _provenance(
    labels: AnyRatings,
    predictions: Predictions | None,
    kinds: Kinds,
    settings: Settings,
    done: tuple[Prepared, Method, RaterKind],
) -> SurveyProvenance:
    combiner, scorer, positive = kinds
    prepared, scoring, whom = done
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
        raters=whom,
        bootstrap=settings.draws,
        level=settings.level,
        seed=settings.seed,
        backend=labels.backend,
    )
