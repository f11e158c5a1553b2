"""The judge card end to end: people and judges in, one verdict and what it rests on out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from headcount import options
from headcount.agreement.agree import agree
from headcount.blind_evaluation.blind import blind
from headcount.blind_evaluation.methods import EM
from headcount.blind_evaluation.rate import RateResult, corrected_rate
from headcount.blind_evaluation.result import BlindResult
from headcount.data.predictions import Classifier, Predictions, hard
from headcount.data.vocabulary import match_ids
from headcount.equivalence.alt_test import AltTest, alt_test
from headcount.equivalence.calibration import OF_VERDICTS, Calibration
from headcount.equivalence.classifiers import subjects_of
from headcount.equivalence.combiners import States
from headcount.equivalence.panels import PanelResult, panel_worth
from headcount.equivalence.prepare import on_scale
from headcount.equivalence.result import SurveyResult
from headcount.equivalence.scorers import CrossEntropy
from headcount.equivalence.survey import Choices, Kinds, Settings, analyse, survey
from headcount.errors import DataError, HeadcountError, named_in, of_verb, option, some
from headcount.judging.beside_people import find_parting, standing_of
from headcount.judging.gate import (
    DEFAULT_EPSILON,
    OF_THE_VERDICT,
    TOO_FEW,
    WORDS,
    Condition,
    Evidence,
    Kind,
    Status,
    WorthAtLeast,
    all_of,
    conditions_of,
    gate_of,
    shown_worth,
)
from headcount.judging.prepare import Judged, Learning, Prepared, keep_judges, prepare, take_both
from headcount.judging.result import Card, JudgeProvenance, JudgeResult, MethodResults
from headcount.judging.sentences import TO_KNOW, answers_of
from headcount.results.notes import Note, Notes
from headcount.stats.estimate import Estimate
from headcount.typing import Progress, Seed

__all__ = [
    "judge",
    "run_methods",
    "notes_for_card",
    "alt_test_of",
    "rate_of",
]


def judge(
    people: Any,
    judges: Any = None,
    *,
    judge_names: Collection[str] | None = None,
    by: Mapping[Any, Any] | str | None = None,
    positive: str | None = None,
    scale: str | None = None,
    worth_at_least: float | None = None,
    agree_like_a_person: float | None = None,
    alt_test: float | None = None,
    bootstrap: int = 500,
    level: float = 0.95,
    seed: Seed = 0,
    progress: Progress | None = None,
) -> JudgeResult:
    """Tell whether LLM judges may stand in for a person, and what to do next.

    The card is made of :func:`headcount.agree`, :func:`headcount.survey`,
    :func:`headcount.alt_test`, :func:`headcount.corrected_rate`, :func:`headcount.blind` and
    :func:`headcount.panel_worth`, and every number is theirs; what it adds is each person beside
    the judge in that person's place.

    Parameters
    ----------
    people : Labels, path or frame
        What people said, or what :func:`headcount.read_ratings` reads.
    judges : Predictions, path or frame, optional
        What judges said, of these items and perhaps of more: labels, scores or probabilities, as
        :func:`headcount.read_predictions` reads them. Without them, both are read from `people`:
        an export that holds predictions, or see `judge_names`.
    judge_names : collection of str, optional
        The judges to look at. Without `judges`, these columns of `people`, or these raters, are the
        judges.
    by : mapping of item to group, or str, optional
        Groups of items in which to look at agreement; or the column of `people` that names them.
    positive : str, optional
        The label that counts for the rate, and for a bias. Default: the second of two labels.
    scale : {"nominal", "ordinal", "interval"}, optional
        What labels are. Default: as they were read; numbers are taken for numbers.
    worth_at_least : float, optional
        Gate: raters that each judge must be worth.
    agree_like_a_person : float, optional
        Gate: what the judge's kappa with people may lack of a person's, such as .2.
    alt_test : float, optional
        Gate: epsilon of the alternative annotator test, such as .2.
    bootstrap, level, rng
        Bootstrap samples, coverage of intervals and seed, as in the methods.
    progress : callable, optional
        Called with the number of bootstrap samples done and to do.

    Returns
    -------
    JudgeResult

    Notes
    -----
    A condition is passed if its interval lies above the mark, failed if below, and cannot be told
    otherwise. Person h and the judge are compared by kappa with the same others on the same items
    (:func:`~headcount.judging.beside_people.compare`), quadratic-weighted on ordered scales;
    'like a person' is the mean over people of the difference. Cost: that of the methods.

    Examples
    --------
    >>> from headcount import examples, judge
    >>> card = judge(examples.path("stars"), examples.path("judge"), agree_like_a_person=0.2)
    >>> card.gate.status
    'pass'
    >>> card["judge"].standing.difference
    0.008993 (-0.06677 to 0.08476)
    """
    level, draws, notes = options.level(level), options.draws(bootstrap), Notes()
    options.seed(seed)  # the methods make their own generators of it
    progress = options.callback(progress)
    gate = conditions_of(worth_at_least, agree_like_a_person, alt_test)
    column = by if isinstance(by, str) else None
    rated, predictions = take_both(people, judges, judge_names, by=column)
    groups = _groups(people, by) if isinstance(by, str) else by
    prepared = prepare(rated, predictions, scale=scale, positive=positive, by=groups, notes=notes)
    results = run_methods(
        prepared,
        epsilon=DEFAULT_EPSILON if alt_test is None else alt_test,
        scale=scale,
        bootstrap=draws,
        level=level,
        seed=seed,
        progress=progress,
        notes=notes,
    )
    cards = tuple(
        _card(judged, prepared, results, gate or OF_THE_VERDICT, level)
        for judged in prepared.judges
    )
    return JudgeResult(
        provenance=JudgeProvenance(
            source=rated.source,
            sources=(*rated.sources, *predictions.sources),
            dropped=rated.dropped,
            items_used=results.survey.provenance.items_used,
            items_dropped=results.survey.provenance.items_dropped,
            n_ratings=len(rated),
            n_raters=rated.n_raters,
            labels=rated.scale.labels,
            level=level,
            bootstrap=bootstrap,
            seed=options.seed_number(seed),
            backend=rated.backend,
            judges=predictions.source,
            by=column,
            positive=prepared.positive,
        ),
        notes=tuple(notes),
        judges=cards,
        answers=answers_of(prepared, results, cards, level),
        gate=gate_of(cards) if gate else None,
        agreement=results.agreement,
        survey=results.survey,
        alt_test=results.alt_test,
        rate=results.rate,
        together=results.together,
        panels=results.panels,
    )


def _groups(people: Any, column: str) -> Mapping[Any, Any]:
    """Read the group of each item from a column."""
    from headcount.io.facts import read_strata

    return read_strata(Path(people) if isinstance(people, str) else people, column)


# The methods that the card is made of, each run once.

OWN = {"positive", "scale", "alt_test", "bootstrap", "level", "seed"}
"""Options of methods that the card has too."""
CLIP = 0.001
"""Least probability of a label that people give, where a judge gives none."""
MOST_IN_PANELS = 6
"""Judges of whom every panel is scored: of more it would take longer than all the rest."""


def run_methods(
    prepared: Prepared,
    *,
    epsilon: float,
    scale: str | None,
    bootstrap: int,
    level: float,
    seed: Seed,
    progress: Progress | None,
    notes: Notes,
) -> MethodResults:
    """Run every method as its own command would."""
    rated = _of_rated(prepared)
    people, judges = prepared.people, rated.predictions
    clip = _clip(prepared, notes)

    def run(
        judges: Predictions,
        calibration: Calibration | None = None,
        progress: Progress | None = None,
    ) -> SurveyResult:
        """Survey as the command would, without what no answer of the card tells of."""
        settings = Settings(
            draws=bootstrap,
            level=level,
            rng=options.seed(seed),
            seed=options.seed_number(seed),
            progress=progress,
            together=False,
        )
        choices = Choices(clip=clip, calibration=calibration, scale=scale)
        labels = on_scale(people, scale)
        kinds = Kinds.checked(States.name, CrossEntropy.name, labels.scale, None)
        return analyse(labels, judges, kinds, choices, settings)

    agreement = agree(
        people,
        scale=scale,
        bootstrap=bootstrap,
        level=level,
        seed=seed,
        by_rater=True,
        by_item=True,
    )
    surveyed = run(judges, progress=progress)
    notes.extend(notes_for_card(agreement.notes, agree))
    notes.extend(notes_for_card(surveyed.notes, survey))
    soft = tuple(c for c in judges.classifiers if c.kind == "soft" and not c.confident)
    calibrated: dict[str, Estimate] = {}
    if soft:
        only = replace(judges, classifiers=soft, scores=())
        again = run(only, OF_VERDICTS)
        calibrated = {c.name: again[f"{c.name} ({OF_VERDICTS.name})"].worth for c in soft}
    rate, no_rate = rate_of(prepared, level)
    return MethodResults(
        agreement=agreement,
        survey=surveyed,
        calibrated=calibrated,
        alt_test=alt_test_of(prepared, epsilon, scale),
        rate=rate,
        no_rate=no_rate,
        together=_together(prepared, level, seed, notes),
        panels=_panels(_best(rated, surveyed), scale, bootstrap, level, seed, notes),
    )


def notes_for_card(notes: Iterable[Note], method: Callable[..., object]) -> Iterator[Note]:
    """Take what speaks for or against the card; say whose the options are that it does not have."""
    name, others = method.__name__, set(signature(method).parameters) - OWN
    for note in notes:
        names = {option_.name for option_ in named_in(note.marked)}
        if note.severity == "info" and (method is agree or names & others):
            continue  # how a method can be made to answer otherwise
        yield Note(of_verb(note.marked, name, others), note.severity)


def _clip(prepared: Prepared, notes: Notes) -> float | None:
    """Bound probabilities where a judge excludes what somebody said: that is never forgiven."""
    people = prepared.people
    predictions = prepared.predictions.among(people.scale.labels)
    index = match_ids(people.items, predictions.items)
    was_given = people.matrix() > 0
    never: list[str] = []
    for classifier in predictions.classifiers:
        if classifier.kind == "soft" and not classifier.confident:
            table = classifier.at(index).probability[:, : len(people.scale)]
            if ((table == 0) & was_given).any():
                never.append(classifier.name)
    if not never:
        return None
    notes.caution(
        f"{some(never)}: probability 0 of labels that people gave. It counts as {CLIP:g} "
        f"({of_verb(option('clip', CLIP), survey.__name__, ['clip'])}), for a probability of 0 is "
        "never forgiven."
    )
    return CLIP


def alt_test_of(prepared: Prepared, epsilon: float, scale: str | None) -> AltTest | None:
    """Run the alternative annotator test; scores count as the labels that they stand for."""
    try:
        predictions = _as_labels(prepared) if prepared.learned else prepared.predictions
        return alt_test(prepared.people, predictions, epsilon=epsilon, scale=scale)
    except DataError:  # too few items a person: the sentence of the card says so
        return None


def _as_labels(prepared: Prepared) -> Predictions:
    """Take scores and strange names for the labels that they stand for; the others as they are."""
    people = prepared.people
    plain = _plain(prepared)
    index = match_ids(people.items, plain.items)
    made = {classifier.name: classifier.at(index) for classifier in plain.classifiers}
    for judged in prepared.judges:
        if judged.learned:
            made[judged.name] = hard(judged.name, judged.label, len(plain.labels))
    return _joined(prepared, replace(plain, items=people.items), made)


def _as_probabilities(prepared: Prepared) -> Predictions:
    """Take scores and strange names for probabilities of people's labels, on all judged items."""
    learned = {c.name for c in prepared.judges if c.learned}
    people = prepared.people
    plain = _plain(prepared)
    index = match_ids(people.items, plain.items)
    learning = Learning(people, ordered=prepared.ordered)
    never = np.zeros((len(plain.items), len(plain.labels) - len(people.scale)))
    made = {c.name: c for c in plain.classifiers}
    predictions = prepared.predictions.among(people.scale.labels)
    for subject in subjects_of(predictions, people.scale.labels, Notes()):
        if subject.name in learned:
            table = np.hstack([learning.of_all(subject, index), never])
            made[subject.name] = Classifier(subject.name, "soft", table)
    return _joined(prepared, plain, made)


def _plain(prepared: Prepared) -> Predictions:
    """Judges whose labels are people's, or names beside them."""
    plain = {c.name for c in prepared.judges if not c.learned}
    predictions = prepared.predictions.among(prepared.people.scale.labels)
    return replace(
        predictions,
        classifiers=tuple(c for c in predictions.classifiers if c.name in plain),
        scores=(),
    )


def _joined(prepared: Prepared, like: Predictions, made: Mapping[str, Classifier]) -> Predictions:
    """Put judges together in their order, with people's labels and others that some still give."""
    judges = [made[c.name] for c in prepared.judges]
    used = np.any([np.nansum(c.probability, axis=0) > 0 for c in judges], axis=0)
    used[: len(prepared.people.scale)] = True
    return replace(
        like,
        labels=tuple(like.labels[k] for k in np.flatnonzero(used)),
        classifiers=tuple(replace(c, probability=c.probability[:, used]) for c in judges),
    )


def rate_of(prepared: Prepared, level: float) -> tuple[RateResult | None, str]:
    """Find the rate that people would find, or say why there is none."""
    if prepared.positive is None and not prepared.ordered:
        return None, f"there are several labels: name the one to count ({option('positive', ...)})"
    try:
        predictions = _as_probabilities(prepared) if prepared.learned else _plain(prepared)
        return corrected_rate(
            predictions, prepared.people, positive=prepared.positive, level=level
        ), ""
    except HeadcountError as error:
        return None, error.marked.rstrip(".")


def _together(prepared: Prepared, level: float, seed: Seed, notes: Notes) -> BlindResult | None:
    if len(prepared.judges) < 2:
        return None
    predictions = _as_labels(prepared) if prepared.learned else _plain(prepared)
    try:
        # Only how judges err together is wanted, which takes no bootstrap samples.
        return blind(predictions, bootstrap=0, methods=[EM.name], level=level, seed=seed)
    except HeadcountError as error:
        notes.info(f"judges beside each other: {error.marked}")
        return None


def _of_rated(prepared: Prepared) -> Prepared:
    """Keep what judges say of rated items: of the others, only the rate tells."""
    predictions = prepared.predictions
    index = match_ids(prepared.people.items, predictions.items)
    rated = np.sort(index[index >= 0])
    if len(rated) == len(predictions.items):
        return prepared
    only = replace(
        predictions,
        items=predictions.items[rated],
        classifiers=tuple(c.at(rated) for c in predictions.classifiers),
        scores=tuple(c.at(rated) for c in predictions.scores),
    )
    return replace(prepared, predictions=only)


def _best(prepared: Prepared, surveyed: SurveyResult) -> Prepared:
    """Keep the judges that are worth most, of more than panels are made of."""
    if len(prepared.judges) <= MOST_IN_PANELS:
        return prepared

    def worth(judged: Judged) -> float:
        estimate = surveyed[judged.name].worth
        return estimate.value if estimate.undefined is None else -np.inf

    ranked = sorted(prepared.judges, key=worth, reverse=True)
    best = {judged.name for judged in ranked[:MOST_IN_PANELS]}
    return replace(
        prepared,
        judges=tuple(judged for judged in prepared.judges if judged.name in best),
        predictions=keep_judges(prepared.predictions, best),
    )


def _panels(
    prepared: Prepared, scale: str | None, bootstrap: int, level: float, seed: Seed, notes: Notes
) -> PanelResult | None:
    """Find what judges are worth together."""
    if len(prepared.judges) < 2:
        return None
    people, judges = prepared.people, prepared.predictions
    try:
        return panel_worth(people, judges, scale=scale, bootstrap=bootstrap, level=level, seed=seed)
    except HeadcountError as error:
        notes.info(f"judges as a panel: {error.marked}")
        return None


# One card a judge: its worth, its standing, where it parts from people, and the verdict.


def _card(
    judged: Judged,
    prepared: Prepared,
    results: MethodResults,
    kinds: tuple[Kind, ...],
    level: float,
) -> Card:
    surveyed = results.survey[judged.name]
    standing = standing_of(judged, prepared, level)
    # Of scores that no alignment of names takes there is none.
    verdicts_of = () if results.alt_test is None else results.alt_test.classifiers
    tested = next((each for each in verdicts_of if each.name == judged.name), None)
    evidence = Evidence(
        worth=surveyed.worth,
        items=results.survey.provenance.items_used,
        standing=standing,
        alt_test=tested,
        level=level,
        agree=results.agree,
        beats=surveyed.p_beats,
    )
    decided = tuple(kind.decide(evidence) for kind in kinds)
    ceiling = results.survey.ceiling
    calibrated = results.calibrated.get(judged.name)
    status = all_of(c.status for c in decided)
    verdicts = [f"It {c.words}: {WORDS[c.status]} ({c.shown})." for c in decided]
    return Card(
        name=judged.name,
        kind=judged.kind,
        calibration=surveyed.calibration,
        worth=surveyed.worth,
        raw_worth=surveyed.worth if surveyed.calibration is None else None,
        calibrated_worth=calibrated if surveyed.calibration is None else surveyed.worth,
        share=None if ceiling is None else ceiling.performance_ratio.get(surveyed.name),
        standing=standing,
        parting=find_parting(judged, prepared, level),
        conditions=decided,
        status=status,
        verdict=f"{judged.name}: {WORDS[status]}. {' '.join(verdicts)}",
        next_step=_if_calibrated(
            _next_step(status, decided, results), decided, surveyed.worth, calibrated
        ),
    )


def _next_step(status: Status, conditions: tuple[Condition, ...], results: MethodResults) -> str:
    """Say what to do, to follow the name of the judge."""
    if not results.agree:
        if results.may_agree:
            return "have people label more items, to see whether they agree; then judge it again."
        return "first make people agree, then judge it again."
    if status == "pass":
        return "use it, and have people check a sample of its labels from time to time."
    if status == "fail":
        return (
            "do not let it stand in for a person. Read the items on which it parts from "
            "people, change its instructions, and judge it again on other items."
        )
    undecided = [c for c in conditions if c.status == "cannot tell"]
    steps = [f"whether it {c.words}: {c.why}" for c in undecided if c.more_items is None]
    more = {c.words: c.more_items for c in undecided if c.more_items is not None}
    if more:
        questions, items = " and ".join(more), f"{max(more.values()):,} more items"
        too_few = next((c.why for c in undecided if c.why.endswith(TOO_FEW)), None)
        step = f"label {items} {TO_KNOW} {questions}"
        if too_few is not None:
            step = f"{too_few} whether it {questions}: label at least {items}, then judge it again"
        steps.insert(0, step)
    return f"{'; '.join(steps)}."


def _if_calibrated(
    step: str, conditions: tuple[Condition, ...], worth: Estimate, calibrated: Estimate | None
) -> str:
    """Say what calibration would bring, where probabilities as they are do not suffice."""
    marks = [c.mark for c in conditions if c.name == WorthAtLeast.name and c.status != "pass"]
    if not marks or calibrated is None or not calibrated.value > worth.value:
        return step
    value, _, interval = shown_worth(calibrated).partition(", ")
    would = f"worth {value} raters ({interval})"
    if calibrated.low is not None and calibrated.low > max(marks):
        return f"calibrate its probabilities, which are then {would}. As they are: {step}"
    return f"{step} Calibrated, its probabilities would be {would}."
