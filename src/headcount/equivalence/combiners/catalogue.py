"""Combiners: what a survey of k raters predicts for the next rater.

A combiner sees only how many raters gave each label. You can write your own: a function that
takes a dict of counts and returns a label, or a dict of probabilities; or an object with the
attributes of :class:`~headcount.equivalence.combiners.user_defined.Predictor`::

    def optimist(counts):
        return "yes" if counts["yes"] else "no"

    survey(labels, combiner=optimist, scorer="agreement")

To add one to the house, write its class in a file of its own and put it into :data:`COMBINERS`.
"""

from __future__ import annotations

from typing import Any, cast

from headcount.data.scale import Scale
from headcount.equivalence.combiners.abc import ABC
from headcount.equivalence.combiners.base import Combiner
from headcount.equivalence.combiners.frequency import Frequency
from headcount.equivalence.combiners.mean import Mean
from headcount.equivalence.combiners.plurality import Plurality
from headcount.equivalence.combiners.states import States
from headcount.equivalence.combiners.user_defined import (
    FromFunction,
    FromObject,
    Predictor,
    Written,
)
from headcount.equivalence.scorers.base import ANY, Kind, Scorer
from headcount.equivalence.scorers.catalogue import SCORERS
from headcount.equivalence.scorers.values import has_values
from headcount.errors import OptionError, option, unknown_name
from headcount.results.notes import Notes

__all__ = ["COMBINERS", "as_combiner", "check_pair", "note_pair"]

COMBINERS: dict[str, Combiner] = {
    c.name: c for c in (States(), ABC(), Frequency(), Plurality(), Mean())
}
"""Combiners by name; the first is the default."""

_PREDICTS: dict[Kind, str] = {"hard": "labels", "soft": "probabilities", "mean": "means"}


def as_combiner(combiner: Any, labels: tuple[str, ...]) -> Combiner:
    """Find a combiner by name, or wrap a function or an object that a user wrote."""
    if isinstance(combiner, str):
        if combiner not in COMBINERS:
            raise unknown_name("combiner", combiner, list(COMBINERS), option_name="combiner")
        return COMBINERS[combiner]
    if isinstance(combiner, Combiner):
        return combiner
    if isinstance(combiner, Predictor):
        return FromObject(combiner)
    if callable(combiner):
        return FromFunction(cast(Written, combiner), labels)
    raise OptionError(
        f"{option('combiner')} must be the name of a combiner, a function of a dict of counts, or "
        f"an object with name, kind and predict, not {type(combiner).__name__}."
    )


def check_pair(combiner: Combiner, scorer: Scorer, scale: Scale) -> None:
    """Raise OptionError where the scorer cannot score what the combiner predicts."""
    if combiner.kind in scorer.kinds:
        return
    numeric = has_values(scale)
    fitting = [s for s in SCORERS.values() if combiner.kind in s.kinds]
    scorers = [s.name for s in fitting if numeric or not s.needs_numbers]
    scorers = scorers or [f"{s.name}, on labels that are numbers" for s in fitting]
    combiners = [c.name for c in COMBINERS.values() if c.kind in scorer.kinds]
    why = "" if combiner.kind in ANY else str(getattr(scorer, "unfair", ""))
    raise OptionError(
        f"combiner '{combiner.name}' predicts {_PREDICTS[combiner.kind]}, which scorer "
        f"'{scorer.name}' does not score. With {scorer.name} use combiner "
        f"{' or '.join(combiners)}; with {combiner.name} use scorer {' or '.join(scorers)}."
        f"{why and f' {why}'}"
    )


def note_pair(combiner: Combiner, scorer: Scorer, notes: Notes) -> None:
    """Say where surveys are no fair opponents under a scorer."""
    best: Kind | None = getattr(scorer, "fairest", None)
    if best is not None and combiner.kind != best:
        names = [c.name for c in COMBINERS.values() if c.kind == best]
        notes.caution(
            f"{scorer.name} rewards predictions that vary as much as labels do, so that labels "
            f"chosen by '{combiner.name}' score a little low and a classifier looks worth somewhat "
            f"more; {option('combiner', names[0])} is the fairer opponent."
        )
    if getattr(scorer, "calibrates", False) and not combiner.bayesian:
        names = [c.name for c in COMBINERS.values() if c.bayesian]
        notes.caution(
            f"'{combiner.name}' does not learn what best to say after a survey, so that under "
            f"{scorer.name} a classifier looks worth more raters than it is; "
            f"{option('combiner', names[0])} does."
        )
