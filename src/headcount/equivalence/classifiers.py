"""Which classifiers are scored: as they are, calibrated, or both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from re import compile as pattern
from typing import Literal, NamedTuple

import numpy as np

from headcount.data.labels import Scale
from headcount.data.predictions import Classifier, Predictions, taken
from headcount.data.vocabulary import number_of
from headcount.equivalence.calibration import (
    MANY_LABELS,
    OF_NAMES,
    OF_VERDICTS,
    Calibration,
    Folded,
    base_shares,
    cross_fit,
    of_numbers,
    rounded,
    softening,
)
from headcount.equivalence.methods import FEW_ITEMS, is_many
from headcount.equivalence.scorers import Scorer, most_probable, values_of
from headcount.errors import DataError, closest, count, option, some
from headcount.io.values import FORMS, MERGES, Several, spelt_as
from headcount.results.notes import Notes
from headcount.stats.draws import FOLDS
from headcount.typing import Flags, Floats, Ids, Ints

__all__ = [
    "FEW_TO_LEARN_FROM",
    "Subject",
    "subjects_of",
    "check_labels",
    "Calibrating",
    "Chosen",
    "cost_of_learning",
    "error_of_learning",
    "few_items",
]


# What each classifier gives to be judged by: raters' labels, other names, or numbers.

MOST_CODES = 2
"""Different numbers that may mean that there is no answer; more are steps of a longer scale."""
_LIST = pattern(r"[\[({]\s*-?[\d.]+(e-?\d+)?\s*,\s*-?[\d.]+")
"""Two numbers or more in brackets."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Subject:
    """What one classifier says, in its own terms.

    Parameters
    ----------
    name : str
    kind : {"hard", "soft", "names", "numbers"}
        Raters' labels, their probabilities, names that raters do not use, or numbers.
    table : (items, columns) array
        Chances of each label or name, or one column of numbers; NaN: no prediction.
    confident : bool
        Whether probabilities were made of a verdict and its confidence.
    """

    name: str
    kind: Literal["hard", "soft", "names", "numbers"]
    table: Floats
    confident: bool = False

    @property
    def predicted(self) -> Flags:
        """Whether each item has a prediction."""
        return ~np.isnan(self.table[:, 0])

    def at(self, index: Ints) -> Subject:
        """Take what is said at places of items; nothing where the place is -1."""
        return replace(self, table=taken(self.table, index))

    def bounded(self, least: float) -> Subject:
        """Keep probabilities in [least, 1 - least], and normalise those that are not."""
        bounded = np.clip(self.table, least, 1 - least)
        changed = (bounded != self.table).any(axis=1) & self.predicted
        table = self.table.copy()
        table[changed] = bounded[changed] / bounded[changed].sum(axis=1, keepdims=True)
        return replace(self, table=table)


def subjects_of(predictions: Predictions, labels: Sequence[str], notes: Notes) -> list[Subject]:
    """Sort out what classifiers say, of predictions whose first labels are those of raters."""
    check_labels(predictions, labels)
    more = predictions.labels[len(labels) :]
    subjects = [_subject(c, predictions.labels, len(labels)) for c in predictions.classifiers]
    numbers = [
        Subject(name=score.name, kind="numbers", table=score.values[:, None])
        for score in predictions.scores
    ]
    names = [subject.name for subject in subjects if subject.kind == "names"]
    if more and names:
        _note_names(predictions, len(labels), names, notes)
    _note_numbers([s for s in (*subjects, *numbers) if s.kind == "numbers"], labels, notes)
    return [*subjects, *numbers]


def check_labels(said: Predictions, labels: Sequence[str]) -> None:
    """Refuse a classifier of words none of which a rater uses, or that spells one otherwise.

    The first is a wrong column, or gives labels other names; the second would lose a label.

    Parameters
    ----------
    said : Predictions
        Its first labels are those of raters.
    labels : sequence of str
        Labels of raters.
    """
    for classifier in said.classifiers:
        used = np.flatnonzero(np.nansum(classifier.probability, axis=0) > 0).tolist()
        names = [said.labels[code] for code in used]
        if not used or all(number_of(name) is not None for name in names):
            continue
        if used[0] < len(labels):
            _check_spelling(classifier.name, names, labels, said.source)
            continue
        _check_names(classifier.name, names)
        # Words for yes and no only where other ways of writing do not tell.
        forms = [way.name for way in FORMS if spelt_as(names, labels, [way.name])]
        ways = forms or [way.name for way in MERGES if spelt_as(names, labels, [way.name])]
        advice = "Rename its labels, or give the column or file that holds them."
        if len(said.classifiers) + len(said.scores) > 1:
            advice += (
                f" If it is not a classifier, leave it out ({option('ignore', classifier.name)})."
            )
        if spelt_as(names, labels, ways):
            advice = f"If they differ only in spelling, add {option('merge', Several(ways))}."
        raise DataError(
            f"{said.source}: '{classifier.name}' uses none of the raters' labels. It gives "
            f"{some(names)}; raters give {some(labels, 10)}. {advice}"
        )


def _check_spelling(name: str, used: Sequence[str], labels: Sequence[str], source: str) -> None:
    """Refuse a label of raters that a classifier gives in another spelling, and only in that."""
    lacking = [label for label in labels if label not in used]
    forms = [way.name for way in FORMS if spelt_as(used, lacking, [way.name])]
    twins = spelt_as([text for text in used if text not in labels], lacking, forms)
    if twins:
        alike = " and ".join(
            f"'{text}' where raters say '{label}'" for text, label in twins.items()
        )
        raise DataError(
            f"{source}: '{name}' says {alike}. If they are the same, add "
            f"{option('merge', Several(forms))}; if they are not, rename one."
        )


def _subject(classifier: Classifier, labels: Sequence[str], n_rated: int) -> Subject:
    table = classifier.probability
    if not np.nansum(table[:, n_rated:]) > 0:
        return Subject(
            name=classifier.name,
            kind=classifier.kind,
            table=table[:, :n_rated],
            confident=classifier.confident,
        )
    used = np.flatnonzero(np.nansum(table, axis=0) > 0)
    numbers = [number_of(labels[code]) for code in used.tolist()]
    if None not in numbers:
        value = np.array(numbers, dtype=np.float64)
        return Subject(name=classifier.name, kind="numbers", table=table[:, used] @ value[:, None])
    _check_names(classifier.name, [labels[code] for code in used.tolist() if code >= n_rated])
    # Probabilities of names count as the most probable name.
    chosen = np.full((len(table), len(used)), np.nan)
    predicted = classifier.predicted
    chosen[predicted] = most_probable(table[predicted][:, used])
    return Subject(name=classifier.name, kind="names", table=chosen)


def _check_names(classifier: str, names: list[str]) -> None:
    """Refuse what is a list of numbers written as text: each would count as a name of its own."""
    lists = [name for name in names if _LIST.search(name)]
    if lists:
        raise DataError(
            f"classifier '{classifier}' says {some(lists, 2)}: lists of numbers, which are "
            "not labels. If they are probabilities, give each label a column of its own, named "
            f"'{classifier}:label'."
        )


def _note_names(predictions: Predictions, n_labels: int, names: list[str], notes: Notes) -> None:
    labels, more = predictions.labels[:n_labels], predictions.labels[n_labels:]
    ways = [way.name for way in MERGES if spelt_as(more, labels, [way.name])]
    twins = spelt_as(more, labels, ways)
    close = [(name, closest(name, labels, cutoff=0.8)) for name in more if name not in twins]
    near = [f"'{name}' ('{matches[0]}'?)" for name, matches in close if matches]
    spelt = f" Correct what is only spelt otherwise: {', '.join(near)}." if near else ""
    if twins:
        alike = ", ".join(f"'{name}' and '{label}'" for name, label in list(twins.items())[:3])
        spelt = f" If {alike} are the same, add {option('merge', Several(ways))}.{spelt}"
    (notes.warning if twins else notes.caution)(
        f"{predictions.source}: {count(len(more), 'label')} predicted by {some(names)} that no "
        f"rater uses: {some(more)}. Each is mapped to what raters say of the same "
        f"items.{spelt}"
    )


def _as_labels(subjects: list[Subject], labels: Sequence[str]) -> str:
    """Say how 0 and 1 may be read as what raters call no and yes."""
    predicted = {value for s in subjects for value in np.unique(s.table[s.predicted]).tolist()}
    ways = [way.name for way in MERGES if spelt_as(["0", "1"], labels, [way.name])]
    if not predicted <= {0, 1} or not ways:
        return ""
    names = spelt_as(["0", "1"], labels, ways)
    are = " and ".join(f"{number} is '{label}'" for number, label in names.items())
    return f" If {are}, add {option('merge', Several(ways))}."


def _note_numbers(subjects: list[Subject], labels: Sequence[str], notes: Notes) -> None:
    if subjects:
        spans = [
            f"'{s.name}' ({np.nanmin(s.table):g} to {np.nanmax(s.table):g})" for s in subjects[:6]
        ]
        more = f" and {len(subjects) - 6} more" if len(subjects) > 6 else ""
        notes.info(
            f"scores, from which probabilities of {some(labels, 6)} are learned: "
            f"{', '.join(spans)}{more}.{_as_labels(subjects, labels)}"
        )
    numbers = [number for label in labels if (number := number_of(label)) is not None]
    for subject in subjects if len(numbers) == len(labels) else ():
        predicted = subject.table[subject.predicted, 0]
        off = predicted[~np.isin(predicted, numbers)]
        values = [f"{value:g}" for value in np.unique(off)]
        few = 0 < len(values) <= MOST_CODES and 2 * len(off) < len(predicted)
        if few and not (predicted % 1).any():
            notes.caution(
                f"'{subject.name}': some predictions are {some(values)}, which no rater says, "
                "where the others are labels of raters. If that means that there is no answer, say "
                f"{option('missing', Several(values))}."
            )


# Which classifiers are scored: as they are, calibrated, or both.

FEW_TO_LEARN_FROM = 150
"""Items below which intervals of calibrated classifiers are approximate; docs/studies/survey.md."""
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
        return [classifier for classifier in (self.raw, self.calibrated) if classifier is not None]


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
        See :func:`~headcount.equivalence.calibration.cross_fit`.
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
        return any(self._is_calibrated(subject) for subject in subjects)

    def _is_calibrated(self, subject: Subject) -> bool:
        asked = self.calibration is not None
        return asked or self._softened_too(subject) or self._raw(subject) is None

    def classifiers(self, subjects: Sequence[Subject], notes: Notes) -> tuple[Classifier, ...]:
        """Put each classifier beside itself, calibrated, where each makes sense."""
        made = [self.made_of(subject) for subject in subjects]
        self.note(made, notes)
        return tuple(classifier for each in made for classifier in each.classifiers)

    def made_of(self, subject: Subject) -> Made:
        """Take a classifier as it is, calibrated, or both."""
        raw = self._raw(subject)
        if not self._is_calibrated(subject):
            return Made(subject=subject, raw=raw)
        chosen = self._chosen(subject)
        made = self._calibrated(subject, chosen, alone=raw is None and self.calibration is None)
        instead = chosen.which > 0 and not (subject.confident and chosen.which == BY_ITSELF)
        return Made(subject=subject, raw=raw, calibrated=made, instead=instead)

    def note(self, made: Sequence[Made], notes: Notes) -> None:
        """Say what was calibrated, and how, and what is scored."""
        by: dict[str, list[str]] = {}
        for each in made:
            if each.calibrated is not None:
                by.setdefault(str(each.calibrated.calibration), []).append(each.subject.name)
        if by:
            listed = "; ".join(f"{some(names, 10)} ({how})" for how, names in by.items())
            held_out = (
                "each item by the items of the other folds"
                if not self.two_sided
                else "averaging the fits to the other folds and to all items"
            )
            notes.info(f"calibrated with {FOLDS}-fold cross-fitting, {held_out}: {listed}.")
            self.note_few(notes)
        out = [classifier for each in made for classifier in each.classifiers]
        if few := [c.name for c in out if c.learned_from_few]:
            notes.warning(
                f"{count(self.folded.items, 'item')} are too few to learn what raters say after "
                f"each of {len(self.scale):,} labels ({LEARNED_A_LABEL} per label are needed), "
                f"and the score of {some(few, 3)} may be off by more than its interval. Put "
                "labels into fewer groups, or have the classifier give probabilities."
            )
        for confident, what in ((False, "the order of labels"), (True, "its confidence")):
            instead = [
                m.subject.name for m in made if m.instead and m.subject.confident is confident
            ]
            if instead:
                notes.info(
                    f"{some(instead, 3)}: held-out items are clearly more probable when {what} is "
                    "not used, and so it was not."
                )

    def _raw(self, subject: Subject) -> Classifier | None:
        """Take the classifier as it is, if the scorer scores it so."""
        kind = subject.kind
        if kind == "names" or kind == "numbers" or kind not in self.scorer.kinds:
            return None
        raw = Classifier(subject.name, kind, subject.table)
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
        # Of very many items, numbers are learned from to one part in 4,096.
        wanted = self.calibration
        table = rounded(subject.table) if self._rounds(subject) else subject.table
        numeric = wanted is not None and bool(getattr(wanted, "of_numbers", False))
        if subject.kind == "names":
            return [(OF_NAMES if wanted is None or numeric else softening(wanted), table)]
        if subject.kind == "numbers":
            if wanted is not None and numeric:
                return [(wanted, table)]
            first = (of_numbers(ordered=self.ordered or len(self.scale) == 2), table)
            # Labels in order may turn out not to be.
            several = self.ordered and len(self.scale) > 2
            return [first, (of_numbers(ordered=False), table)] if several else [first]
        if wanted is None and subject.confident:
            return [(OF_VERDICTS, table), (OF_NAMES, most_probable(table)), (OF_NAMES, table)]
        if (wanted is None and self.ordered and len(self.scale) > 2) or numeric:
            named = (OF_NAMES if subject.kind == "hard" else OF_VERDICTS, table)
            if not self.ordered and len(self.scale) > 2:
                return [named]
            value = np.arange(len(self.scale), dtype=np.float64)  # two labels need no order
            if self.ordered:
                value = values_of(self.scale, self.scorer.name)[0]
            number = table @ value[:, None]
            if wanted is not None:
                return [(wanted, number)]
            return [(of_numbers(ordered=True), number), named]
        if wanted is None:
            return [(OF_NAMES, table)]
        return [(softening(wanted) if subject.kind == "hard" else wanted, table)]

    def _rounds(self, subject: Subject) -> bool:
        return is_many(self.folded.items) and (subject.kind == "numbers" or subject.confident)

    def note_few(self, notes: Notes) -> None:
        """Say where there is little to learn from."""
        if FEW_ITEMS <= self.folded.items < FEW_TO_LEARN_FROM:  # below, there are no intervals
            notes.caution(
                few_items(self.folded.items),
                short=f"With fewer than {FEW_TO_LEARN_FROM} items, intervals may be slightly too "
                "narrow.",
            )


def few_items(items: int) -> str:
    """Say what little there is to learn from does to intervals."""
    return (
        f"with {count(items, 'item')} the intervals of calibrated classifiers are approximate "
        "(with 100 items, 95% intervals covered the truth in 91% of simulations)."
    )


# Which of several calibrations is believed: the first, unless held-out items speak against it.

Way = tuple[Calibration, Floats]
"""How predictions are calibrated, and by which columns: (items, columns)."""


class Chosen(NamedTuple):
    """The way that is believed.

    Parameters
    ----------
    way : (Calibration, array)
    held_out : (items, labels) array or None
        What :func:`cross_fit` makes of it, where choosing took that.
    which : int
        Its place among the ways; 0 is the one that fits the scale.
    """

    way: Way
    held_out: Floats | None = None
    which: int = 0


def by_held_out(ways: Sequence[Way], items: Ids | Folded, reference: Floats, seed: int) -> Chosen:
    """Choose the first way, unless ratings of held-out items are clearly more probable by another.

    Clearly: by more than a standard error of the mean difference over items. Where two ways are
    about as good, the first says what the scale is known for.

    Parameters
    ----------
    ways : sequence of (Calibration, array)
        The first is the one that fits the scale.
    items : (items,) array, or Folded
        Ids, which decide the folds; or the folds.
    reference : (items, labels) array
        Share of each label among the reference raters.
    seed : int

    Returns
    -------
    Chosen

    Examples
    --------
    Where a judge says s, raters say s and s + 2 (modulo 4) as often: no order is in that.

    >>> from headcount.equivalence.calibration import CALIBRATIONS
    >>> said = np.arange(400) % 4
    >>> reference = (np.eye(4)[said] + np.eye(4)[(said + 2) % 4]) / 2
    >>> named, number = np.eye(4)[said], said[:, None].astype(float)
    >>> ways = [(CALIBRATIONS["ordered-logit"], number), (CALIBRATIONS["empirical"], named)]
    >>> by_held_out(ways, np.arange(400).astype(str), reference, seed=0).way[0].name
    'empirical'
    """
    if len(ways) == 1:
        return Chosen(ways[0])
    parts = items if isinstance(items, Folded) else Folded.of_items(items, seed)
    if parts.items < 2:
        return Chosen(ways[0])
    some, decide = parts.decides()
    shares = reference[some]
    made = [cross_fit(table[some], decide, shares, how, seed) for how, table in ways]
    fits = [(shares * np.log(np.maximum(prediction, 1e-300))).sum(axis=1) for prediction in made]
    chosen = 0
    for index in range(1, len(ways)):
        better, n = fits[index] - fits[chosen], decide.items
        mean = decide.weight @ better / n
        variance = decide.weight @ (better - mean) ** 2 / (n - 1)
        if mean > np.sqrt(variance / n):
            chosen = index
    return Chosen(ways[chosen], made[chosen] if some.all() else None, chosen)


# Whether items are enough to learn what raters say after each of many labels.

WRONG = 0.4
"""Part of what is corrected by which the correction may be wrong; ``docs/studies/survey.md``."""


def cost_of_learning(
    held_out: Floats, two_sided: Floats, reference: Floats, weight: Floats
) -> float:
    """Find how much better items are predicted with themselves in than out, in standard errors.

    Of the mean gain in log score over the share of each label among all items. Half of the
    difference is what is corrected, and the correction errs by a tenth of that or so: of ten
    errors, by half an error.

    Parameters
    ----------
    held_out : (items, labels) array
        Predictions by what the other folds teach.
    two_sided : (items, labels) array
        The mean of these and of predictions by what all items teach.
    reference : (items, labels) array
        Share of each label among the reference raters.
    weight : (items,) array
        Items that each row stands for.
    """

    def score(prediction: Floats) -> Floats:
        return (reference * np.log(np.maximum(prediction, 1e-300))).sum(axis=1)

    n = float(weight.sum())
    gained = score(two_sided) - score(
        np.broadcast_to(base_shares(reference, weight), held_out.shape)
    )
    mean = float(weight @ gained) / n
    error = np.sqrt(float(weight @ (gained - mean) ** 2) / n / n)
    more = float(weight @ (score(2 * two_sided - held_out) - score(held_out))) / n
    return more / max(float(error), 1e-12)


def error_of_learning(
    held_out: Floats, two_sided: Floats, reference: Floats, weight: Floats, scorer: Scorer
) -> float:
    """Find the standard error of a score that what was learned wrongly adds to that of the items.

    What is lost on items left out and won by having them in need not be the same: half of the
    difference is corrected, and :data:`WRONG` of that is the error. Parameters are those of
    :func:`cost_of_learning`, and the scorer.
    """
    inside, outside = (
        float(scorer.score(prediction, reference, weight, "soft"))
        for prediction in (2 * two_sided - held_out, held_out)
    )
    return WRONG * abs(inside - outside) / 2
