"""The methods that the card is made of, each run once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature

import numpy as np

from headcount.agreement.agree import agree
from headcount.agreement.recommendation.recommendation import BENCHMARKS
from headcount.agreement.result import AgreementResult
from headcount.blind_evaluation.blind import blind
from headcount.blind_evaluation.methods.em import EM
from headcount.blind_evaluation.rate.rate import corrected_rate
from headcount.blind_evaluation.rate.result import RateResult
from headcount.blind_evaluation.result import BlindResult
from headcount.data.classifiers import Classifier, hard
from headcount.data.predictions import Predictions
from headcount.data.vocabulary import match_ids
from headcount.equivalence.alt_test.alt_test import alt_test
from headcount.equivalence.alt_test.result import AltTest
from headcount.equivalence.calibration.catalogue import OF_VERDICTS
from headcount.equivalence.calibration.outputs import subjects_of
from headcount.equivalence.panels.panels import panel_worth
from headcount.equivalence.panels.result import PanelResult
from headcount.equivalence.result import SurveyResult
from headcount.equivalence.survey import survey
from headcount.errors import DataError, HeadcountError, named_in, of_verb, option, some
from headcount.judging.prepare import Judged, Prepared
from headcount.judging.score_labels import Learning
from headcount.results.notes import Note, Notes
from headcount.stats.estimate import Estimate
from headcount.typing import Progress, Seed

__all__ = ["Found", "alt_test_of", "pointed", "rate_of", "run_methods"]

OWN = {"positive", "scale", "alt_test", "bootstrap", "level", "rng"}
"""Options of methods that the card has too."""
CLIP = 0.001
"""Least probability of a label that people give, where a judge gives none."""
MOST_IN_PANELS = 6
"""Judges of whom every panel is scored: of more it would take longer than all the rest."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Found:
    """What the methods found.

    Parameters
    ----------
    agreement : AgreementResult
    survey : SurveyResult
    calibrated : mapping of judge to Estimate
        Worth of judges that give probabilities, calibrated besides.
    alt_test : AltTest or None
        None where no two people have enough items.
    rate : RateResult or None
    no_rate : str
        Why there is no rate; "" where there is.
    together : BlindResult or None
        Judges beside each other; None for one.
    panels : PanelResult or None
        What panels of judges are worth in raters, of many those of the best; None for one judge.
    """

    agreement: AgreementResult
    survey: SurveyResult
    calibrated: dict[str, Estimate]
    alt_test: AltTest | None
    rate: RateResult | None
    no_rate: str
    together: BlindResult | None
    panels: PanelResult | None

    @property
    def agree(self) -> bool:
        """Whether these people agree with each other more than by chance."""
        report = self.agreement.report
        if report is None or report.too_small is not None:
            return False
        least = self.agreement.these_raters[report.name].low
        return least is not None and least > 0

    @property
    def may_agree(self) -> bool:
        """Whether they may agree well all the same, if more of their answers were there to see."""
        report = self.agreement.report
        if report is None or self.agree:
            return False
        most = self.agreement.these_raters[report.name].high
        return report.too_small is not None or most is None or most >= BENCHMARKS[0]


def run_methods(
    prepared: Prepared,
    *,
    epsilon: float,
    scale: str | None,
    bootstrap: int,
    level: float,
    rng: Seed,
    progress: Progress | None,
    notes: Notes,
) -> Found:
    """Run every method as its own command would."""
    rated = _of_rated(prepared)
    people, judges = prepared.people, rated.predictions
    clip = _clip(prepared, notes)
    run = partial(
        survey,
        people,
        scale=scale,
        bootstrap=bootstrap,
        level=level,
        rng=rng,
        clip=clip,
        together=False,  # no answer of the card tells of it
    )
    agreement = agree(
        people,
        scale=scale,
        bootstrap=bootstrap,
        level=level,
        rng=rng,
        by_rater=True,
        by_item=True,
    )
    surveyed = run(judges, progress=progress)
    notes.extend(pointed(agreement.notes, agree))
    notes.extend(pointed(surveyed.notes, survey))
    soft = tuple(one for one in judges.classifiers if one.kind == "soft" and not one.confident)
    calibrated: dict[str, Estimate] = {}
    if soft:
        only = replace(judges, classifiers=soft, scores=())
        how = OF_VERDICTS.name
        again = run(only, calibrate=how)
        calibrated = {one.name: again[f"{one.name} ({how})"].equivalence for one in soft}
    rate, no_rate = rate_of(prepared, level)
    return Found(
        agreement=agreement,
        survey=surveyed,
        calibrated=calibrated,
        alt_test=alt_test_of(prepared, epsilon, scale),
        rate=rate,
        no_rate=no_rate,
        together=_together(prepared, level, rng, notes),
        panels=_panels(_best(rated, surveyed), scale, bootstrap, level, rng, notes),
    )


def pointed(notes: Iterable[Note], method: Callable[..., object]) -> Iterator[Note]:
    """Take what speaks for or against the card; say whose the options are that it does not have."""
    name, options = method.__name__, set(signature(method).parameters) - OWN
    for note in notes:
        named = {one.name for one in named_in(note.marked)}
        if note.severity == "info" and (method is agree or named & options):
            continue  # how a method can be made to answer otherwise
        yield Note(of_verb(note.marked, name, options), note.severity)


def _clip(prepared: Prepared, notes: Notes) -> float | None:
    """Bound probabilities where a judge excludes what somebody said: that is never forgiven."""
    people = prepared.people
    said = prepared.predictions.among(people.scale.labels)
    place = match_ids(people.items, said.items)
    given = people.matrix() > 0
    never: list[str] = []
    for one in said.classifiers:
        if one.kind == "soft" and not one.confident:
            table = one.at(place).probability[:, : len(people.scale)]
            if ((table == 0) & given).any():
                never.append(one.name)
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
        said = _as_labels(prepared) if prepared.learned else prepared.predictions
        return alt_test(prepared.people, said, epsilon=epsilon, scale=scale)
    except DataError:  # too few items a person: the sentence of the card says so
        return None


def _as_labels(prepared: Prepared) -> Predictions:
    """Take scores and strange names for the labels that they stand for; the others as they are."""
    learned = {one.name: one for one in prepared.judges if one.learned}
    people = prepared.people
    plain = _plain(prepared)
    place = match_ids(people.items, plain.items)
    made = {one.name: one.at(place) for one in plain.classifiers}
    for name, one in learned.items():
        made[name] = hard(name, one.label, len(plain.labels))
    return _joined(prepared, replace(plain, items=people.items), made)


def _as_probabilities(prepared: Prepared) -> Predictions:
    """Take scores and strange names for probabilities of people's labels, on all judged items."""
    learned = {one.name for one in prepared.judges if one.learned}
    people = prepared.people
    plain = _plain(prepared)
    place = match_ids(people.items, plain.items)
    learning = Learning(people, ordered=prepared.ordered)
    never = np.zeros((len(plain.items), len(plain.labels) - len(people.scale)))
    made = {one.name: one for one in plain.classifiers}
    said = prepared.predictions.among(people.scale.labels)
    for subject in subjects_of(said, people.scale.labels, Notes()):
        if subject.name in learned:
            table = np.hstack([learning.of_all(subject, place), never])
            made[subject.name] = Classifier(subject.name, "soft", table)
    return _joined(prepared, plain, made)


def _plain(prepared: Prepared) -> Predictions:
    """Judges whose labels are people's, or names beside them."""
    plain = {one.name for one in prepared.judges if not one.learned}
    said = prepared.predictions.among(prepared.people.scale.labels)
    return replace(
        said, classifiers=tuple(one for one in said.classifiers if one.name in plain), scores=()
    )


def _joined(prepared: Prepared, like: Predictions, made: Mapping[str, Classifier]) -> Predictions:
    """Put judges together in their order, with people's labels and others that some still give."""
    judges = [made[one.name] for one in prepared.judges]
    given = np.any([np.nansum(one.probability, axis=0) > 0 for one in judges], axis=0)
    given[: len(prepared.people.scale)] = True
    return replace(
        like,
        labels=tuple(like.labels[k] for k in np.flatnonzero(given)),
        classifiers=tuple(replace(one, probability=one.probability[:, given]) for one in judges),
    )


def rate_of(prepared: Prepared, level: float) -> tuple[RateResult | None, str]:
    """Find the rate that people would find, or say why there is none."""
    if prepared.positive is None and not prepared.ordered:
        return None, f"there are several labels: name the one to count ({option('positive', ...)})"
    try:
        said = _as_probabilities(prepared) if prepared.learned else _plain(prepared)
        return corrected_rate(said, prepared.people, positive=prepared.positive, level=level), ""
    except HeadcountError as error:
        return None, error.marked.rstrip(".")


def _together(prepared: Prepared, level: float, rng: Seed, notes: Notes) -> BlindResult | None:
    if len(prepared.judges) < 2:
        return None
    said = _as_labels(prepared) if prepared.learned else _plain(prepared)
    try:
        # Only how judges err together is wanted, which takes no bootstrap samples.
        return blind(said, bootstrap=0, methods=[EM.name], level=level, rng=rng)
    except HeadcountError as error:
        notes.info(f"judges beside each other: {error.marked}")
        return None


def _of_rated(prepared: Prepared) -> Prepared:
    """Keep what judges say of rated items: of the others, only the rate tells."""
    said = prepared.predictions
    place = match_ids(prepared.people.items, said.items)
    there = np.sort(place[place >= 0])
    if len(there) == len(said.items):
        return prepared
    only = replace(
        said,
        items=said.items[there],
        classifiers=tuple(one.at(there) for one in said.classifiers),
        scores=tuple(one.at(there) for one in said.scores),
    )
    return replace(prepared, predictions=only)


def _best(prepared: Prepared, surveyed: SurveyResult) -> Prepared:
    """Keep the judges that are worth most, of more than panels are made of."""
    if len(prepared.judges) <= MOST_IN_PANELS:
        return prepared

    def worth(one: Judged) -> float:
        found = surveyed[one.name].equivalence
        return found.value if found.undefined is None else -np.inf

    ranked = sorted(prepared.judges, key=worth, reverse=True)
    best = {one.name for one in ranked[:MOST_IN_PANELS]}
    said = prepared.predictions
    return replace(
        prepared,
        judges=tuple(one for one in prepared.judges if one.name in best),
        predictions=replace(
            said,
            classifiers=tuple(one for one in said.classifiers if one.name in best),
            scores=tuple(one for one in said.scores if one.name in best),
        ),
    )


def _panels(
    prepared: Prepared, scale: str | None, bootstrap: int, level: float, rng: Seed, notes: Notes
) -> PanelResult | None:
    """Find what judges are worth together."""
    if len(prepared.judges) < 2:
        return None
    people, judges = prepared.people, prepared.predictions
    try:
        return panel_worth(people, judges, scale=scale, bootstrap=bootstrap, level=level, rng=rng)
    except HeadcountError as error:
        notes.info(f"judges as a panel: {error.marked}")
        return None
