"""The judge card end to end: people and judges in, one verdict and what it rests on out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from inspect import signature
from pathlib import Path
from re import Pattern
from typing import Any

import numpy as np

from headcount import options
from headcount.agreement.agree import agree
from headcount.agreement.recommendation import few_raters
from headcount.data.facts import Clusters
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions, hard
from headcount.data.vocabulary import match_ids
from headcount.engine.taking import take_predictions
from headcount.equivalence.alt_test import AltTest, alt_test
from headcount.equivalence.calibration import OF_VERDICTS, Calibration
from headcount.equivalence.classifiers import FEW_TO_LEARN_FROM, few_items
from headcount.equivalence.combiners import States
from headcount.equivalence.prepare import on_scale
from headcount.equivalence.result import SurveyResult
from headcount.equivalence.scorers import CrossEntropy
from headcount.equivalence.survey import Choices, Kinds, Settings, analyse, survey
from headcount.errors import DataError, HeadcountError, marked, named_in, of_verb
from headcount.io.facts import read_strata, take_clusters, texts_of
from headcount.judging.beside_people import CROSSED, MOST_PEOPLE, find_disagreement, standing_of
from headcount.judging.gate import (
    DEFAULT_EPSILON,
    OF_READINESS,
    Evidence,
    Gate,
    GateResult,
    Kind,
    LikeAPerson,
    Readiness,
    Status,
    Verdict,
    all_of,
    gate_of,
    readiness_of,
)
from headcount.judging.maps import labels_recalibrated, learn_maps, map_labels, take_maps
from headcount.judging.over_time import Change, Ledger, changes_of
from headcount.judging.prepare import Judged, Prepared, prepare, read_people, take_both
from headcount.judging.readiness import followed_person
from headcount.judging.result import Card, JudgeProvenance, JudgeResult, MethodResults
from headcount.judging.runs import Contradiction, read_runs
from headcount.judging.sentences import (
    answers_of,
    costs_of,
    next_step_of,
    prices_of,
    verdict_of,
)
from headcount.results.notes import Note, Notes
from headcount.stats.estimate import Estimate
from headcount.typing import Progress, Seed

__all__ = ["alt_test_of", "decide", "judge", "notes_for_card", "readiness_at"]


def judge(
    people: Any,
    judges: Any = None,
    *,
    judge_names: Collection[str] | None = None,
    by: Mapping[Any, Any] | str | None = None,
    cluster: str | Mapping[Any, Any] | Pattern[str] | Clusters | None = None,
    baseline: Any = None,
    label_map: Any = None,
    run: str | bool = False,
    text: Mapping[Any, Any] | str | None = None,
    cost: Mapping[str, float] | str | None = None,
    positive: str | None = None,
    scale: str | None = None,
    gate: bool | Gate = False,
    looks: str | Path | bool = False,
    bootstrap: int = 500,
    level: float = 0.95,
    seed: Seed = 0,
    progress: Progress | None = None,
) -> JudgeResult:
    """Decide whether LLM judges may stand in for a person, and what to do next.

    The card combines :func:`headcount.agree`, :func:`headcount.survey` and
    :func:`headcount.alt_test`, with the same numbers; in addition, it compares the judge with each
    person on the items that this person rated.

    Parameters
    ----------
    people : Labels, path or frame
        The labels by people, or what :func:`headcount.read_ratings` reads.
    judges : Predictions, path or frame, optional
        Labels, scores or probabilities by judges, of these items and perhaps of more, as
        :func:`headcount.read_predictions` reads them. Without them, both are read from `people`: an
        export that contains predictions, or the columns in `judge_names`.
    judge_names : collection of str, optional
        The judges to evaluate. Without `judges`, these columns of `people`, or these raters, are
        the judges.
    by : mapping of item to group, or str, optional
        Groups of items in which to measure agreement; or the column of `people` that names them.
    cluster : str, mapping or re.Pattern, optional
        Documents, conversations or prompts whose items are not independent: a column of `people`,
        the cluster of each item, or a pattern that finds it in the item's id.
    baseline : Predictions, path or frame, optional
        Labels that an earlier judge gave to these items; the card shows what has changed.
    label_map : path or LabelMap, optional
        Maps from judges' answers to people's labels, learned by an earlier card, to apply first.
    run : str or bool
        Several runs of a judge: the column of `judges` that numbers them, or True if rows that
        repeat an item are runs. A single run (drawn at random for each item) and the majority of
        all runs are evaluated.
    text : mapping of item to text, or str, optional
        The texts of items, or the column of `people` with the texts, shown with the items to read
        again. Default: a column of `people` called text or similar.
    cost : mapping or str, optional
        The cost of a label, such as ``"judge=0.002,person=0.15"``.
    positive : str, optional
        The label whose frequency defines the bias. Default: the second of two labels.
    scale : {"nominal", "ordinal", "interval"}, optional
        What labels are. Default: as they were read; numbers are treated as numbers.
    gate : bool or Gate
        Require that every judge is ready, for a test or a nightly job; :class:`headcount.Gate` sets
        further conditions.
    looks : path or bool
        For repeated checks as items are added: a file that records each check, created at the first
        one. Intervals of the verdict are then valid for any number of checks, and wider. Earlier
        items must be unchanged. True: the same without a file.
    bootstrap, level, seed
        Bootstrap samples, coverage of intervals and seed, as in the methods.
    progress : callable, optional
        Called with the number of bootstrap samples done and to do.

    Returns
    -------
    JudgeResult

    Notes
    -----
    A judge is *ready* if, in the place of each person, its kappa with the others is at most the
    margin below a person's and more than half of it
    (:func:`~headcount.judging.beside_people.compare`, quadratic-weighted on ordered scales), its
    mean label is within .4 standard deviations of people's, and its recall of no class is
    significantly below people's. It is *ready once recalibrated* if it meets these conditions after
    a monotone map of its labels or scores, learned by cross-fitting. It is *not ready* if it
    significantly fails a condition. Each condition is decided by the end of an interval, with error
    rates of 2.5%. Time: that of the methods.

    Examples
    --------
    >>> from headcount import examples, judge
    >>> card = judge(examples.path("stars"), examples.path("judge"), gate=True)
    >>> card.gate.status, card["judge"].readiness
    ('pass', 'ready')
    >>> card["judge"].standing.difference
    0.008993 (-0.07962 to 0.08476)
    """
    level, draws = options.level(level), options.draws(bootstrap)
    progress, notes = options.callback(progress), Notes()
    options.seed(seed)  # the methods make their own generators of it
    number = options.seed_number(seed) or 0
    asked = gate if isinstance(gate, Gate) else Gate()
    criterion, besides = asked.of_readiness, asked.besides
    column = by if isinstance(by, str) else None
    others = [name for name in (by, cluster) if isinstance(name, str)]
    runs: tuple[Contradiction, ...] = ()
    if run is not False:
        rated = read_people(people, others)
        judges, runs = read_runs(judges, run, number, rated.scale.labels)
    rated, predictions = take_both(people, judges, judge_names, besides=others)
    if label_map is not None:
        predictions = map_labels(predictions, take_maps(label_map))
    if isinstance(by, str):
        by = read_strata(Path(people) if isinstance(people, str) else people, by)
    clusters = take_clusters(cluster, people, rated)
    as_given = partial(prepare, rated, scale=scale, positive=positive, cluster=clusters)
    prepared = as_given(predictions, by=by, notes=notes)
    prepared = replace(prepared, texts=texts_of(people, text))
    prices = prices_of(cost)
    ledger = None if isinstance(looks, bool) else Ledger.read(Path(looks))
    if ledger is not None:
        ledger.check(prepared)
    again = ledger is not None or bool(looks)
    survey_of = partial(_surveyed, clusters=clusters, scale=scale, draws=draws, seed=seed)
    results = _run_methods(
        prepared,
        survey_of,
        clusters=clusters,
        epsilon=DEFAULT_EPSILON if asked.alt_test is None else asked.alt_test,
        scale=scale,
        level=level,
        seed=seed,
        progress=progress,
        notes=notes,
    )
    _caution(prepared, results.survey.provenance.items_used, notes)
    cards = tuple(
        _card(judged, prepared, results, criterion, besides, level=level, seed=number, looks=again)
        for judged in prepared.judges
    )
    if prepared.groups is not None:
        cards = _with_worth_by_group(cards, prepared, survey_of, level)
        _note_group_alone(cards, prepared, survey_of, level, notes)
    changes: tuple[Change, ...] = ()
    if baseline is not None:
        earlier = take_predictions(baseline, "baseline", labels=rated.scale.labels)
        before = as_given(earlier, by=None, notes=Notes())
        changes = changes_of(prepared, before, partial(survey_of, rated), level=level)
    if ledger is not None:
        last, ledger = ledger, ledger.after(prepared, {c.name: c.readiness for c in cards})
        if ledger is last:
            same = f"The same data as at check {len(ledger.looks)}."
            notes.info(same, short=same)
        ledger.write()
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
            looks=None if not again else 0 if ledger is None else len(ledger.looks),
        ),
        notes=tuple(notes),
        judges=cards,
        answers=answers_of(results, cards),
        costs=costs_of(cards, prices),
        gate=_gate(cards, changes, asked=bool(gate)),
        changes=changes,
        runs=runs,
        maps=learn_maps(prepared, number),
        prepared=prepared,
        agreement=results.agreement,
        survey=results.survey,
        alt_test=results.alt_test,
    )


FEWEST_IN_GROUP, MOST_GROUPS = 30, 12
"""Items of a group, and groups, whose worth is found."""


def _with_worth_by_group(
    cards: tuple[Card, ...],
    prepared: Prepared,
    survey_of: Callable[..., SurveyResult],
    level: float,
) -> tuple[Card, ...]:
    """Add what each judge is worth in each group, on the items of the group alone."""
    people = prepared.people
    named = np.array([group or "" for group in prepared.groups or []], dtype=object)
    names, sizes = np.unique(named[named != ""].astype(str), return_counts=True)
    largest = names[np.argsort(-sizes, kind="stable")][:MOST_GROUPS].tolist()
    worth: dict[tuple[str, str], Estimate] = {}
    for name in largest:
        ratings = (named == name)[people.item]
        if len(np.unique(people.item[ratings])) < FEWEST_IN_GROUP:
            continue
        try:
            surveyed = survey_of(people.only(ratings), prepared.predictions, level)
        except HeadcountError:  # nobody else rated these items: agreement alone tells
            continue
        worth |= {(c.name, name): c.worth for c in surveyed.classifiers}
    out: list[Card] = []
    for card in cards:
        old = card.disagreement.groups
        groups = tuple(replace(g, worth=worth.get((card.name, g.group))) for g in old)
        out.append(replace(card, disagreement=replace(card.disagreement, groups=groups)))
    return tuple(out)


def _note_group_alone(
    cards: tuple[Card, ...],
    prepared: Prepared,
    survey_of: Callable[..., SurveyResult],
    level: float,
    notes: Notes,
) -> None:
    """Warn where a predictor that knows the group alone is worth half of the best judge or more."""
    people, name = prepared.people, "the group alone"
    counts = people.matrix()
    _, group = np.unique([each or "" for each in prepared.groups or []], return_inverse=True)
    # What people say of the other items of the group; half a rating of each label besides.
    sums = np.zeros((int(group.max()) + 1, counts.shape[1]))
    np.add.at(sums, group, counts)
    others = sums[group] - counts + 0.5
    table = others / others.sum(axis=1, keepdims=True)
    labels = people.scale.labels
    alone = Predictions.from_probabilities(people.items.tolist(), labels, {name: table})
    try:
        worth = survey_of(people, alone, level)[name].worth
    except HeadcountError:
        return
    best = max((c.worth.value for c in cards if c.worth.undefined is None), default=0.0)
    if worth.undefined is None and worth.value > best / 2:
        notes.caution(
            "a predictor that knows only the group of an item is worth "
            f"{worth.show(worth.value, 2)} raters, the best judge {worth.show(best, 2)}: judge "
            "each group by itself.",
            short=f"The group alone is worth {worth.show(worth.value, 2)} annotators, "
            f"the best judge {worth.show(best, 2)}.",
            rank=CLUSTER,
        )


# The methods that the card is made of, each run once.

OWN = {"positive", "scale", "alt_test", "bootstrap", "level", "seed"}
"""Options of methods that the card has too."""


def _run_methods(
    prepared: Prepared,
    survey_of: Callable[..., SurveyResult],
    *,
    clusters: Clusters | None,
    epsilon: float,
    scale: str | None,
    level: float,
    seed: Seed,
    progress: Progress | None,
    notes: Notes,
) -> MethodResults:
    """Run every method as its own command would."""
    people, judges = prepared.people, prepared.predictions
    index = match_ids(people.items, judges.items)
    judges = judges.at(np.sort(index[index >= 0]))  # of the others nothing is told
    agreement = agree(
        people, scale=scale, level=level, seed=seed, cluster=clusters, by_rater=True, by_item=True
    )
    surveyed = survey_of(people, judges, level, progress=progress)
    said = {few_items(surveyed.provenance.items_used)}  # by the cautions of the card itself
    if people.n_raters is not None and people.n_raters < CROSSED:
        said.add(few_raters(people.n_raters))
    for noted, method in ((agreement.notes, agree), (surveyed.notes, survey)):
        shown = {note.short for note in notes if note.short}
        own = notes_for_card((note for note in noted if note.marked not in said), method)
        notes.extend(note for note in own if note.short not in shown)
    names = {judged.name for judged in prepared.judges if judged.kind == "probabilities"}
    soft = tuple(c for c in judges.classifiers if c.name in names and not c.confident)
    calibrated: dict[str, Estimate] = {}
    if soft:
        only = replace(judges, classifiers=soft, scores=())
        again = survey_of(people, only, level, calibration=OF_VERDICTS)
        learned = [each for each in again.classifiers if each.calibration is not None]
        calibrated = {
            c.name: next(each.worth for each in learned if each.name.startswith(f"{c.name} ("))
            for c in soft
        }
    return MethodResults(
        agreement=agreement,
        survey=surveyed,
        calibrated=calibrated,
        alt_test=alt_test_of(prepared, epsilon, scale),
    )


def _surveyed(
    people: Labels,
    judges: Predictions,
    level: float,
    *,
    calibration: Calibration | None = None,
    clusters: Clusters | None,
    scale: str | None,
    draws: int,
    seed: Seed,
    progress: Progress | None = None,
) -> SurveyResult:
    """Survey as the command would, without what no answer of the card tells of."""
    settings = Settings(
        draws=draws,
        level=level,
        rng=options.seed(seed),
        seed=options.seed_number(seed),
        progress=progress,
        together=False,
    )
    choices = Choices(calibration=calibration, scale=scale, cluster=clusters)
    labels = on_scale(people, scale)
    kinds = Kinds.checked(States.name, CrossEntropy.name, labels.scale, None)
    return analyse(labels, judges, kinds, choices, settings)


def _gate(cards: Sequence[Card], changes: Sequence[Change], *, asked: bool) -> GateResult | None:
    """Make the gate; a baseline alone asks only that nothing is significantly worse."""
    sentences = [change.sentence().removesuffix(".") for change in changes]
    worse = [text for text, change in zip(sentences, changes, strict=True) if change.worse]
    if asked:
        return gate_of(cards, worse)
    if not changes:
        return None
    status: Status = "fail" if worse else "pass"
    return GateResult(status=status, line=f"{status}: {'; '.join(worse or sentences)}")


CLUSTER, SIZE, RATERS = 2, 3, 4
"""Ranks of cautions on the first screen; leaks and scales are in the verdict itself."""


def _caution(prepared: Prepared, items: int, notes: Notes) -> None:
    """Say what a reader of the verdict should keep in mind."""
    raters = prepared.people.n_raters
    if items < FEW_TO_LEARN_FROM:
        few = f"With fewer than {FEW_TO_LEARN_FROM} items"
        short = f"{few}, intervals may be slightly too narrow."
        covered = "with 100 items, 95% intervals covered the truth in 91% of simulations"
        text = f"{items:,} items are few. {short[:-1]} ({covered})."
        notes.caution(text, short=short, rank=SIZE)
    if raters is not None and raters < CROSSED:
        short = f"With {raters} annotators, results may not generalise to others."
        text = (
            f"{short} Intervals that allow for other annotators get narrower with more of them, "
            "and hardly with more items. The verdict compares this judge with these people only."
        )
        notes.caution(text, short=short, rank=RATERS)


def notes_for_card(notes: Iterable[Note], method: Callable[..., object]) -> Iterator[Note]:
    """Take what speaks for or against the card; say whose the options are that it does not have."""
    name, others = method.__name__, set(signature(method).parameters) - OWN
    for note in notes:
        names = {option_.name for option_ in named_in(note.marked)}
        if note.severity == "info" and (method is agree or names & others):
            continue  # how a method can be made to answer otherwise
        # The first screen of the card has its own cautions, and that items are not independent.
        nested = [each for each in named_in(note.marked) if each.name.startswith("cluster")]
        short = ""
        if nested and note.severity == "caution":
            short = f"If items are parts of documents, add {marked(nested[0])}."
        yield Note(of_verb(note.marked, name, others), note.severity, short=short, rank=CLUSTER)


def alt_test_of(prepared: Prepared, epsilon: float, scale: str | None) -> AltTest | None:
    """Run the alternative annotator test; scores count as the labels that they stand for."""
    try:
        learned = any(judged.learned for judged in prepared.judges)
        predictions = _as_labels(prepared) if learned else prepared.predictions
        return alt_test(prepared.people, predictions, epsilon=epsilon, scale=scale)
    except DataError:  # too few items a person: the sentence of the card says so
        return None


def _as_labels(prepared: Prepared) -> Predictions:
    """Take scores and strange names for the labels that they stand for; the others as they are."""
    people = prepared.people
    predictions = prepared.predictions.among(people.scale.labels)
    index = match_ids(people.items, predictions.items)
    plain = {c.name: c.at(index) for c in predictions.classifiers}
    judges = [
        hard(each.name, each.label, len(predictions.labels)) if each.learned else plain[each.name]
        for each in prepared.judges
    ]
    used = np.any([np.nansum(c.probability, axis=0) > 0 for c in judges], axis=0)
    used[: len(people.scale)] = True
    return replace(
        predictions,
        items=people.items,
        labels=tuple(predictions.labels[k] for k in np.flatnonzero(used)),
        classifiers=tuple(replace(c, probability=c.probability[:, used]) for c in judges),
        scores=(),
    )


# One card a judge: its worth, its standing, where it disagrees with people, and the verdict.


def _card(
    judged: Judged,
    prepared: Prepared,
    results: MethodResults,
    criterion: tuple[Kind, ...],
    besides: tuple[Kind, ...],
    *,
    level: float,
    seed: int,
    looks: bool,
) -> Card:
    surveyed = results.survey[judged.name]
    # Of scores that no alignment of names takes there is none.
    tests = () if results.alt_test is None else results.alt_test.classifiers
    evidence = Evidence(
        worth=surveyed.worth,
        items=results.survey.provenance.items_used,
        standing=standing_of(judged, prepared, level, looks=looks),
        alt_test=next((each for each in tests if each.name == judged.name), None),
        level=level,
        agree=results.agree,
        beats=surveyed.p_beats,
    )
    verdict = decide(judged, prepared, evidence, criterion, seed=seed, looks=looks)
    standing, mapped = evidence.standing, verdict.standing
    if judged.learned and mapped is not None:
        standing, mapped = mapped, None
    asked = tuple(kind.decide(evidence) for kind in besides)
    twice = np.bincount(prepared.people.item, minlength=len(judged.label)) > 1
    ceiling, own = results.survey.ceiling, surveyed.calibration is None
    return Card(
        name=judged.name,
        kind=judged.kind,
        scale=judged.scale,
        calibration=surveyed.calibration,
        worth=surveyed.worth,
        raw_worth=surveyed.worth if own else None,
        calibrated_worth=results.calibrated.get(judged.name) if own else surveyed.worth,
        share=None if ceiling is None else ceiling.performance_ratio.get(surveyed.name),
        standing=standing,
        disagreement=find_disagreement(judged, prepared, level),
        readiness=verdict.readiness,
        follows=verdict.follows,
        conditions=(*verdict.conditions, *asked),
        recalibrated=verdict.recalibrated,
        recalibrated_standing=mapped,
        status=all_of(
            [OF_READINESS.get(verdict.readiness, "cannot tell"), *(c.status for c in asked)]
        ),
        verdict=verdict_of(judged, verdict, standing, prepared),
        next_step=next_step_of(
            verdict,
            (*verdict.conditions, *asked),
            results,
            unanswered=int((twice & (judged.label < 0)).sum()),
            looks=looks,
        ),
    )


def decide(
    judged: Judged,
    prepared: Prepared,
    evidence: Evidence,
    criterion: tuple[Kind, ...],
    *,
    seed: int,
    looks: bool = False,
) -> Verdict:
    """Decide whether a judge is ready, as it is or once recalibrated."""
    conditions = tuple(kind.decide(evidence) for kind in criterion)
    mapped = labels_recalibrated(judged, prepared, seed)
    then, standing = None, None
    if mapped is not None and (judged.learned or all_of(c.status for c in conditions) != "pass"):
        standing = standing_of(mapped, prepared, evidence.level, looks=looks)
        then = tuple(kind.decide(replace(evidence, standing=standing)) for kind in criterion)
        if judged.learned:  # scores are no labels: only the map gives some
            conditions = then
    follows = _followed(judged, prepared)
    readiness = None
    if follows is None and evidence.agree:
        readiness = readiness_of(conditions, then, as_it_is=not judged.learned)
    return Verdict(
        readiness=readiness,
        follows=follows,
        conditions=conditions,
        recalibrated=then,
        standing=standing,
    )


def readiness_at(result: JudgeResult, card: Card, level: float) -> Readiness | None:
    """Decide a card anew at another level: for statements among many."""
    prepared, p = result.prepared, result.provenance
    if prepared is None or card.readiness is None:
        return card.readiness
    looks = p.looks is not None
    judged = next(each for each in prepared.judges if each.name == card.name)
    margin = next(c.mark for c in card.conditions if c.name == LikeAPerson.name)
    criterion = Gate(agree_like_a_person=margin).of_readiness
    evidence = Evidence(
        worth=card.worth,
        items=p.items_used,
        standing=standing_of(judged, prepared, level, looks=looks),
        alt_test=None,
        level=level,
        agree=True,
    )
    return decide(judged, prepared, evidence, criterion, seed=p.seed or 0, looks=looks).readiness


def _followed(judged: Judged, prepared: Prepared) -> str | None:
    """Find the person whom the judge follows against the others, by name."""
    people = prepared.people
    ratings = np.bincount(people.rater, minlength=len(people.raters))
    most = np.sort(np.argsort(-ratings, kind="stable")[:MOST_PEOPLE]).tolist()
    followed = followed_person(
        people.item, people.rater, people.label, judged.label, most, len(prepared.labels)
    )
    return None if followed is None else str(people.raters[followed])
