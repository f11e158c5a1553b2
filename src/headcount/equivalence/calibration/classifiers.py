"""Which classifiers are scored: as they are, calibrated, or both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from headcount.data.classifiers import Classifier
from headcount.data.scale import Scale
from headcount.equivalence.calibration.base import Calibration
from headcount.equivalence.calibration.catalogue import (
    OF_NAMES,
    OF_VERDICTS,
    of_numbers,
    softening,
)
from headcount.equivalence.calibration.choice import Chosen, Way, by_held_out
from headcount.equivalence.calibration.cross_fit import FOLDS, cross_fit
from headcount.equivalence.calibration.folding import Folded
from headcount.equivalence.calibration.learning import (
    MANY_LABELS,
    cost_of_learning,
    error_of_learning,
)
from headcount.equivalence.calibration.numbers import LEVELS, rounded
from headcount.equivalence.calibration.outputs import Subject
from headcount.equivalence.scorers.base import Scorer, most_probable
from headcount.equivalence.scorers.values import values_of
from headcount.equivalence.surveys.many_items import is_many
from headcount.equivalence.worth.sizes import FEW_ITEMS
from headcount.errors import count, some
from headcount.results.notes import Notes
from headcount.typing import Floats, Ids

__all__ = ["Calibrating", "Made"]

FEW = 200
"""Items below which intervals of calibrated classifiers are approximate; docs/studies/scores.md."""
MOST_LEARNING = 8
"""Standard errors of a score that learning may cost at most; docs/studies/survey.md."""
BY_ITSELF = 2
"""Place of the way in which each verdict and level of confidence is calibrated by itself."""
LEARNED_A_LABEL = 16
"""Items a label below which what raters say after each of many labels is not learned well enough
for an interval; docs/studies/survey.md."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Made:
    """What was made of a subject.

    Parameters
    ----------
    subject : Subject
    raw, calibrated : Classifier or None
        As it is, and calibrated.
    instead : bool
        Whether it was calibrated in another way than its scale or confidence says.
    """

    subject: Subject
    raw: Classifier | None = None
    calibrated: Classifier | None = None
    instead: bool = False

    @property
    def classifiers(self) -> list[Classifier]:
        """Those that are there."""
        return [one for one in (self.raw, self.calibrated) if one is not None]


@dataclass(frozen=True, eq=False, kw_only=True)
class Calibrating:
    """Makes classifiers of what subjects say.

    Parameters
    ----------
    items : (items,) array, or Folded
        Their ids; or, where rows stand for several items each, the folds of these.
    reference : (items, labels) array
        Share of each label among the reference raters.
    scale : Scale
    ordered : bool
        Whether labels are numbers, or in order.
    scorer : Scorer
    calibration : Calibration or None
        The one that is asked for, of all classifiers; without it only what is no distribution over
        raters' labels is calibrated, by what fits it.
    two_sided : bool
        See :func:`~headcount.equivalence.calibration.cross_fit.cross_fit`.
    seed : int
    """

    items: Ids | Folded
    reference: Floats
    scale: Scale
    ordered: bool
    scorer: Scorer
    calibration: Calibration | None
    two_sided: bool
    seed: int

    @cached_property
    def folded(self) -> Folded:
        """The folds of the items."""
        if isinstance(self.items, Folded):
            return self.items
        return Folded.of_items(self.items, self.seed)

    def learns(self, subjects: Sequence[Subject]) -> bool:
        """Whether one of the classifiers will be calibrated, so that folds of items are needed."""
        return any(
            self.calibration is not None
            or self._softened_too(subject)
            or self._raw(subject) is None
            for subject in subjects
        )

    def classifiers(self, subjects: Sequence[Subject], notes: Notes) -> tuple[Classifier, ...]:
        """Put each classifier beside itself, calibrated, where each makes sense."""
        made = [self.made_of(subject) for subject in subjects]
        self.note(made, notes)
        return tuple(classifier for each in made for classifier in each.classifiers)

    def made_of(self, subject: Subject) -> Made:
        """Take a classifier as it is, calibrated, or both."""
        raw = self._raw(subject)
        if not (self.calibration is not None or raw is None or self._softened_too(subject)):
            return Made(subject=subject, raw=raw)
        chosen = self._chosen(subject)
        made = self._calibrated(subject, chosen, alone=raw is None and self.calibration is None)
        instead = chosen.place > 0 and not (subject.confident and chosen.place == BY_ITSELF)
        return Made(subject=subject, raw=raw, calibrated=made, instead=instead)

    def note(self, made: Sequence[Made], notes: Notes) -> None:
        """Say what was calibrated, and how, and what is scored."""
        by: dict[str, list[str]] = {}
        for each in made:
            if each.calibrated is not None:
                by.setdefault(str(each.calibrated.calibration), []).append(each.subject.name)
        self._note(by, notes)
        learned = [each.subject for each in made if each.calibrated is not None]
        if coarse := [subject.name for subject in learned if self._rounds(subject)]:
            notes.info(
                f"{some(coarse)}: rounded to one part in {LEVELS:,} before probabilities were "
                "learned, since items are many."
            )
        out = [classifier for each in made for classifier in each.classifiers]
        self._note_few_for_labels([c.name for c in out if c.learned_from_few], notes)
        self._note_instead([each.subject for each in made if each.instead], notes)
        soft = [c.name for c in out if c.kind == "soft"]
        if soft and self.scorer.by_choice:
            notes.info(
                f"{some(soft)}: scored by the most probable label; labels that tie share the "
                "choice."
            )

    def _raw(self, subject: Subject) -> Classifier | None:
        """Take the classifier as it is, if the scorer scores it so."""
        raw = subject.raw
        if raw is None or raw.kind not in self.scorer.kinds:
            return None
        certain = raw.kind == "hard" and getattr(self.scorer, "of_distributions", False)
        if certain and self.calibration is None:
            return None
        # Certainty of a verdict is a manner of speaking; of probabilities it is an error.
        if subject.confident and self.scorer.unbounded:
            never = (raw.probability == 0) & (self.reference > 0)
            return None if never.any() else raw
        return raw

    def _softened_too(self, subject: Subject) -> bool:
        """Whether a classifier that can be scored as it is is shown calibrated besides."""
        if subject.kind == "hard":
            return bool(getattr(self.scorer, "calibrates", False))
        return subject.confident and not self.scorer.by_choice

    def _calibrated(self, subject: Subject, chosen: Chosen, *, alone: bool) -> Classifier:
        """Calibrate a subject; it keeps its name where nobody asked and nothing else bears it."""
        (how, table), held_out, _ = chosen
        many = self.two_sided and len(self.scale) > MANY_LABELS
        if many and held_out is None:
            held_out = cross_fit(table, self.folded, self.reference, how, self.seed)
        made = cross_fit(
            table,
            self.folded,
            self.reference,
            how,
            self.seed,
            two_sided=self.two_sided,
            held_out=held_out,
        )
        few, error = False, 0.0
        if many and held_out is not None:
            weight = self.folded.weight
            few = self.folded.items < LEARNED_A_LABEL * len(self.scale) or (
                cost_of_learning(held_out, made, self.reference, weight) > MOST_LEARNING
            )
            error = error_of_learning(held_out, made, self.reference, weight, self.scorer)
        return Classifier(
            subject.name if alone else f"{subject.name} ({how.name})",
            "soft",
            made,
            calibration=how.name,
            learned_from_few=few,
            learning_error=error,
        )

    def way(self, subject: Subject) -> Way:
        """Choose how a subject is calibrated, and by which columns."""
        return self._chosen(subject).way

    def _chosen(self, subject: Subject) -> Chosen:
        return by_held_out(self._ways(subject), self.folded, self.reference, self.seed)

    def _ways(self, subject: Subject) -> list[Way]:
        """List how a subject may be calibrated: first as its scale says, then as if unordered.

        Of verdicts: with the rest of the confidence shared out evenly, then without any
        confidence, then each verdict and level of confidence by itself.
        """
        asked, table = self.calibration, self.learned_from(subject)
        numeric = asked is not None and bool(getattr(asked, "of_numbers", False))
        if subject.kind == "names":
            return [(OF_NAMES if asked is None or numeric else softening(asked), table)]
        if subject.kind == "numbers":
            return [(how, table) for how in self._of_numbers(asked if numeric else None)]
        if asked is None and subject.confident:
            return [(OF_VERDICTS, table), (OF_NAMES, most_probable(table)), (OF_NAMES, table)]
        if (asked is None and self.ordered and len(self.scale) > 2) or numeric:
            named = (OF_NAMES if subject.kind == "hard" else OF_VERDICTS, table)
            if not self.ordered and len(self.scale) > 2:
                return [named]
            number = table @ self._values()[:, None]
            if asked is not None:
                return [(asked, number)]
            return [(of_numbers(ordered=True), number), named]
        if asked is None:
            return [(OF_NAMES, table)]
        return [(softening(asked) if subject.kind == "hard" else asked, table)]

    def learned_from(self, subject: Subject) -> Floats:
        """Take what is learned from: of very many items, numbers to one part in 4,096."""
        return rounded(subject.table) if self._rounds(subject) else subject.table

    def _rounds(self, subject: Subject) -> bool:
        return is_many(self.folded.items) and (subject.kind == "numbers" or subject.confident)

    def _of_numbers(self, asked: Calibration | None) -> list[Calibration]:
        """List what makes probabilities of numbers; labels in order may turn out not to be."""
        if asked is not None:
            return [asked]
        if len(self.scale) == 2 or not self.ordered:
            return [of_numbers(ordered=len(self.scale) == 2)]
        return [of_numbers(ordered=True), of_numbers(ordered=False)]

    def _values(self) -> Floats:
        """Give labels their numbers; two of them need no order."""
        if self.ordered:
            return values_of(self.scale, self.scorer.name)[0]
        return np.arange(len(self.scale), dtype=np.float64)

    def _note(self, by: dict[str, list[str]], notes: Notes) -> None:
        """Say what was calibrated, and how."""
        if not by:
            return
        each = "; ".join(f"{some(names, 10)} by {how}" for how, names in by.items())
        held_out = (
            "each item by the items of the other folds"
            if not self.two_sided
            else "the mean of predictions from the other folds and from all items"
        )
        notes.info(f"calibrated with {FOLDS}-fold cross-fitting, {held_out}: {each}.")
        self.note_few(notes)

    def note_few(self, notes: Notes) -> None:
        """Say where there is little to learn from."""
        if FEW_ITEMS <= self.folded.items < FEW:  # below, there are no intervals
            notes.caution(
                f"{count(self.folded.items, 'item')} are few to learn probabilities from: the "
                "intervals of calibrated classifiers are approximate (with 100 items, 95% "
                "intervals covered the truth in 91% of simulations)."
            )

    def _note_few_for_labels(self, names: list[str], notes: Notes) -> None:
        """Say where what raters say after each label was not learned but remembered."""
        if names:
            notes.warning(
                f"{count(self.folded.items, 'item')} are too few to learn what raters say after "
                f"each of {len(self.scale):,} labels (it takes {LEARNED_A_LABEL} a label or more), "
                f"and the score of {some(names, 3)} may be off by more than its interval. Put "
                "labels into fewer groups, or have the classifier give probabilities."
            )

    def _note_instead(self, subjects: Sequence[Subject], notes: Notes) -> None:
        """Say where labels in order did not act as such, or where confidence told nothing."""
        unordered = [subject.name for subject in subjects if not subject.confident]
        confident = [subject.name for subject in subjects if subject.confident]
        if unordered:
            notes.info(
                f"{some(unordered, 3)}: labels have an order, but held-out items are clearly more "
                "probable when it is not used, and so it was not."
            )
        if confident:
            notes.info(
                f"{some(confident, 3)}: held-out items are clearly more probable when its "
                "confidence is not used, and so its verdict alone was."
            )
