"""The methods that the card is made of, each run once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from headcount.agreement.agree import agree
from headcount.agreement.result import AgreementResult
from headcount.blind_evaluation.blind import blind
from headcount.blind_evaluation.methods.em import EM
from headcount.blind_evaluation.rate.rate import corrected_rate
from headcount.blind_evaluation.rate.result import RateResult
from headcount.blind_evaluation.result import BlindResult
from headcount.data.classifiers import hard
from headcount.data.predictions import Predictions
from headcount.data.vocabulary import match_ids
from headcount.equivalence.alt_test.alt_test import alt_test
from headcount.equivalence.alt_test.result import AltTest
from headcount.equivalence.calibration.catalogue import OF_VERDICTS
from headcount.equivalence.result import SurveyResult
from headcount.equivalence.survey import survey
from headcount.errors import DataError, HeadcountError, named_in, option, some
from headcount.judging.prepare import Prepared
from headcount.results.notes import Note, Notes
from headcount.stats.estimate import Estimate
from headcount.typing import Progress, Seed

__all__ = ["Found", "run_methods"]

ONLY_OF_SURVEYS = {"scorer", "max_k"}
"""Options that notes of a survey name, and that the card does not have."""
CLIP = 0.001
"""Least probability of a label that people give, where a judge gives none."""


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
    """

    agreement: AgreementResult
    survey: SurveyResult
    calibrated: dict[str, Estimate]
    alt_test: AltTest | None
    rate: RateResult | None
    no_rate: str
    together: BlindResult | None

    @property
    def agree(self) -> bool:
        """Whether these people agree with each other more than by chance."""
        report = self.agreement.report
        if report is None:
            return False
        least = self.agreement.these_raters[report.name].low
        return least is not None and least > 0


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
    people, judges = prepared.people, prepared.predictions
    clip = _clip(prepared, notes)
    run = partial(survey, people, scale=scale, bootstrap=bootstrap, level=level, rng=rng, clip=clip)
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
    notes.extend(note for note in agreement.notes if note.severity != "info")
    notes.extend(note for note in surveyed.notes if not _elsewhere(note))
    soft = tuple(one for one in judges.classifiers if one.kind == "soft" and not one.confident)
    calibrated: dict[str, Estimate] = {}
    if soft:
        only = replace(judges, classifiers=soft, scores=())
        how = OF_VERDICTS.name
        again = run(only, calibrate=how)
        calibrated = {one.name: again[f"{one.name} ({how})"].equivalence for one in soft}
    rate, no_rate = _rate(prepared, level)
    return Found(
        agreement=agreement,
        survey=surveyed,
        calibrated=calibrated,
        alt_test=_alt_test(prepared, epsilon, scale),
        rate=rate,
        no_rate=no_rate,
        together=_together(prepared, level, rng, notes),
    )


def _elsewhere(note: Note) -> bool:
    """Whether a note only tells of an option that the card does not have."""
    named = {one.name for one in named_in(note.marked)}
    return note.severity == "info" and bool(named & ONLY_OF_SURVEYS)


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
        f"({option('clip', CLIP)} of a survey), for a probability of 0 is never forgiven."
    )
    return CLIP


def _alt_test(prepared: Prepared, epsilon: float, scale: str | None) -> AltTest | None:
    try:
        return alt_test(prepared.people, _as_labels(prepared), epsilon=epsilon, scale=scale)
    except DataError:  # too few items a person: the sentence of the card says so
        return None


def _as_labels(prepared: Prepared) -> Predictions:
    """Take scores and strange names for the labels that they stand for; the others as they are."""
    learned = [one for one in prepared.judges if one.learned]
    if not learned:
        return prepared.predictions
    people = prepared.people
    plain = _plain(prepared)
    place = match_ids(people.items, plain.items)
    made = {one.name: one.at(place) for one in plain.classifiers}
    for one in learned:
        made[one.name] = hard(one.name, one.label, len(plain.labels))
    return replace(
        plain,
        items=people.items,
        classifiers=tuple(made[one.name] for one in prepared.judges),
    )


def _plain(prepared: Prepared) -> Predictions:
    """Judges whose labels are people's, or names beside them."""
    plain = {one.name for one in prepared.judges if not one.learned}
    said = prepared.predictions.among(prepared.people.scale.labels)
    return replace(
        said, classifiers=tuple(one for one in said.classifiers if one.name in plain), scores=()
    )


def _rate(prepared: Prepared, level: float) -> tuple[RateResult | None, str]:
    said = _plain(prepared)
    if not said.classifiers:
        return None, "judges give scores, and no labels of which there is a share"
    if prepared.positive is None and not prepared.ordered:
        return None, f"there are several labels: name the one to count ({option('positive', ...)})"
    try:
        return corrected_rate(said, prepared.people, positive=prepared.positive, level=level), ""
    except HeadcountError as error:
        return None, error.marked.rstrip(".")


def _together(prepared: Prepared, level: float, rng: Seed, notes: Notes) -> BlindResult | None:
    said = _plain(prepared)
    if len(said.classifiers) < 2:
        return None
    try:
        # Only how judges err together is wanted, which takes no bootstrap samples.
        return blind(said, bootstrap=0, methods=[EM.name], level=level, rng=rng)
    except HeadcountError as error:
        notes.info(f"judges beside each other: {error.marked}")
        return None
