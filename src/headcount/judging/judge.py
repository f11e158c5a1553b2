"""The judge card end to end: people and judges in, one verdict and what it rests on out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from headcount import options
from headcount.judging.card_sentences import answers_of
from headcount.judging.cards import cards_of
from headcount.judging.gate.conditions import CONDITIONS
from headcount.judging.gate.decide import chosen, gate_of
from headcount.judging.prepare import prepare
from headcount.judging.read_inputs import take_both
from headcount.judging.records import JudgeProvenance
from headcount.judging.result import JudgeResult
from headcount.judging.run_methods import run_methods
from headcount.results.notes import Notes
from headcount.typing import Progress, Seed

__all__ = ["judge"]


def judge(
    people: Any,
    judges: Any = None,
    *,
    names: Collection[str] | None = None,
    by: Mapping[Any, Any] | str | None = None,
    positive: str | None = None,
    scale: str | None = None,
    worth_at_least: float | None = None,
    like_a_person: float | None = None,
    alt_test: float | None = None,
    bootstrap: int = 500,
    level: float = 0.95,
    rng: Seed = 0,
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
        an export that holds predictions, or see `names`.
    names : collection of str, optional
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
    like_a_person : float, optional
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
    (:func:`~headcount.judging.beside_people.kappas.compare`), quadratic-weighted on ordered scales;
    'like a person' is the mean over people of the difference. Cost: that of the methods.

    Examples
    --------
    >>> from headcount import examples, judge
    >>> card = judge(examples.path("stars"), examples.path("judge"), like_a_person=0.2)
    >>> card.gate.status
    'pass'
    >>> card["judge"].standing.difference
    0.008993 (-0.06677 to 0.08476)
    """
    level, draws, notes = options.level(level), options.draws(bootstrap), Notes()
    options.seed(rng)  # the methods make their own generators of it
    progress = options.callback(progress)
    given = {"worth_at_least": worth_at_least, "like_a_person": like_a_person, "alt_test": alt_test}
    conditions = chosen(given)
    column = by if isinstance(by, str) else None
    rated, said = take_both(people, judges, names, by=column)
    groups = _groups(people, by) if isinstance(by, str) else by
    prepared = prepare(rated, said, scale=scale, positive=positive, by=groups, notes=notes)
    found = run_methods(
        prepared,
        epsilon=conditions.epsilon,
        scale=scale,
        bootstrap=draws,
        level=level,
        rng=rng,
        progress=progress,
        notes=notes,
    )
    cards = cards_of(prepared, found, conditions, level)
    return JudgeResult(
        provenance=JudgeProvenance(
            source=rated.source,
            sources=(*rated.sources, *said.sources),
            dropped=rated.dropped,
            items_used=found.survey.provenance.items_used,
            items_dropped=found.survey.provenance.items_dropped,
            n_ratings=len(rated),
            n_raters=rated.n_raters,
            labels=rated.scale.labels,
            level=level,
            bootstrap=bootstrap,
            seed=options.seed_number(rng),
            backend=rated.backend,
            judges=said.source,
            by=column,
            positive=prepared.positive,
        ),
        notes=tuple(notes),
        judges=cards,
        answers=answers_of(prepared, found, cards, level),
        gate=gate_of(cards) if any(given[one.name] is not None for one in CONDITIONS) else None,
        agreement=found.agreement,
        survey=found.survey,
        alt_test=found.alt_test,
        rate=found.rate,
        together=found.together,
        panels=found.panels,
    )


def _groups(people: Any, column: str) -> Mapping[Any, Any]:
    """Read the group of each item from a column."""
    from headcount.io.facts.strata import read_strata

    return read_strata(Path(people) if isinstance(people, str) else people, column)
