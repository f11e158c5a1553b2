"""From scores by many methods to a rank for each classifier, and to how far to believe it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress

import numpy as np

from headcount.blind_evaluation.blocks import Blocks
from headcount.blind_evaluation.checks import why_undefined
from headcount.blind_evaluation.consensus.confusion import confusion_intervals
from headcount.blind_evaluation.dependence.records import Diagnostics
from headcount.blind_evaluation.evidence import Evidence
from headcount.blind_evaluation.explanations.records import Explanations
from headcount.blind_evaluation.grades import grade_errors
from headcount.blind_evaluation.methods.base import Method, Scored, Situation
from headcount.blind_evaluation.methods.catalogue import DIRECT
from headcount.blind_evaluation.methods.direct import weighted_gold
from headcount.blind_evaluation.metrics import METRICS
from headcount.blind_evaluation.ranking import Ranking
from headcount.blind_evaluation.records import ENOUGH_CLASSIFIERS, JudgedClassifier
from headcount.blind_evaluation.scoring.sizes import ENOUGH_ITEMS
from headcount.blind_evaluation.votes import Votes
from headcount.errors import count, option
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.beta import BY_CROWD
from headcount.stats.intervals.from_error import FIRST_ORDER
from headcount.typing import Flags, Floats

__all__ = ["ENOUGH_GOLD", "ENOUGH_ITEMS", "Judging", "choose_judge", "find_contradiction"]

ENOUGH_GOLD = 50
"""Items with gold or crowd labels from which on these rank the classifiers."""
MOST_CELLS = 2 * 10**5
"""Cells of all classifiers' confusion matrices that are written down."""
CROWD, FEW_LABELS = 10, 50
"""Classifiers that make a crowd, and labels of one of them that tell too little without it."""
TOO_MANY_REVERSED = 0.1
"""Share of pairs that gold tells apart and that a blind ranking may turn round."""


def choose_judge(
    methods: Iterable[Method], votes: Votes, diagnostics: Diagnostics
) -> tuple[Method, str]:
    """Pick the method that ranks, among those asked for, and say why."""
    methods = list(methods)
    known = DIRECT.items(votes)
    size = len(votes.classifiers)
    situations: dict[Situation, str] = {}
    if known >= ENOUGH_GOLD:
        situations[Situation.GOLD] = f"{count(known, 'item')} have gold or crowd labels"
    if size > 2 and votes.copied:
        # With one vote for all copies, EM is what it would be without them.
        alone = not diagnostics.families_across
        situations[Situation.COPIED if alone else Situation.GROUPED] = (
            "copies of a classifier count as one"
        )
    elif size > 2 and votes.groups and len(votes.groups) < size:
        situations[Situation.GROUPED] = "you gave groups of classifiers that may err together"
    if size == 2:
        situations[Situation.TWO] = "two classifiers only tell how often they agree"
    elif diagnostics.dependent:
        situations[Situation.DEPENDENT] = (
            "classifiers seem to err together, which misleads EM more than votes"
        )
    else:
        least = int(votes.labelled.min())
        few = FEW_LABELS if size >= CROWD else min(ENOUGH_ITEMS, votes.items)
        if least < few:
            situations[Situation.SPARSE] = (
                f"some classifiers labelled few items (the fewest: {least:,}), and are judged by "
                "what the crowd is like as well"
            )
        situations[Situation.INDEPENDENT] = _why_independent(diagnostics, size)
    for situation, why in situations.items():
        ready = [method for method in methods if situation in method.ranks_when]
        if ready:
            judge = min(ready, key=lambda method: method.ranks_when[situation])
            return judge, why if judge.informed else f"{why}{_too_few_gold(known)}"
    return methods[0], "it comes first of those asked for"


def _too_few_gold(known: int) -> str:
    """Say why gold does not rank, where there is some."""
    if not known:
        return ""
    label = count(known, "gold or crowd label")
    are = "is" if known == 1 else "are"
    return f", and {label} {are} too few to rank by ({ENOUGH_GOLD} are enough)"


def _why_independent(diagnostics: Diagnostics, size: int) -> str:
    """Say why errors are taken to be independent, and nothing that a note speaks against."""
    if diagnostics.families or any(group.together for group in diagnostics.groups):
        return "too few classifiers were found to err together to mislead it much"
    if any(note.severity == "warning" for note in diagnostics.warnings):
        return "no classifiers were found to err together more than the rest"
    few = ", which among three classifiers nothing could" if size == 3 else ""
    return f"nothing speaks against independent errors{few}"


def _knows_groups(found: Explanations, votes: Votes) -> bool:
    """Whether the likeliest explanation has every group within a family; without groups it has."""
    families = [set(family) for family in found.found[0].families]
    groups = [set(compress(votes.classifiers, votes.group == g)) for g in range(len(votes.groups))]
    return all(any(group <= family for family in families) for group in groups if len(group) > 1)


def find_contradiction(
    method: Method, blind: Floats, gold: Ranking, actual: Floats, n: int
) -> str | None:
    """Say how gold contradicts a blind order of classifiers, if it does.

    Counted are the pairs that gold tells apart (after Holm's correction): by chance alone hardly
    any should be in the wrong order.
    """
    apart = np.triu(gold.adjusted < 1 - gold.level, 1)
    one, other = np.nonzero(apart)
    is_reversed = (blind[one] - blind[other]) * (actual[one] - actual[other]) < 0
    if not len(one) or is_reversed.mean() <= TOO_MANY_REVERSED:
        return None
    return (
        f"Gold contradicts the blind ranking: of {count(len(one), 'pair')} of classifiers that "
        f"{count(n, 'gold label')} tell apart, {method.short} has "
        f"{int(is_reversed.sum()):,} in the wrong order ({is_reversed.mean():.0%}). Go by gold."
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Judging:
    """What all methods say, to be put together classifier by classifier.

    Parameters
    ----------
    evidence : Evidence
    judge : Method
        The one that ranks.
    actual : Scored or None
        On gold.
    labelling : Method
        Whose truth the labels of items are.
    notes : Notes
        What speaks against the answer, once all is told.
    """

    evidence: Evidence
    judge: Method
    actual: Scored | None
    labelling: Method
    notes: Notes

    @cached_property
    def classifiers(self) -> tuple[JudgedClassifier, ...]:
        """Describe each classifier, best first; of those that tie, last whom few labels judge."""
        votes, scored = self.evidence.votes, self.evidence.scored
        confusion, grades = self._confusions(), self._grades()
        found = [
            JudgedClassifier(
                name=name,
                group=votes.groups[int(votes.group[k])] if votes.groups else None,
                labelled=int(votes.labelled[k]),
                estimates={
                    own: self._estimates(self.evidence.methods[own], scored[own], k)
                    for own in self.evidence.shown
                },
                ranks={own: self._ranks(own, k) for own in self.evidence.shown},
                actual={} if self.actual is None else self._estimates(DIRECT, self.actual, k),
                score=self._main_score(name, k),
                rank=self._main_rank(name, k),
                confusion=self._confusion(confusion, k),
                grades=grades[k] if grades else {},
            )
            for k, name in enumerate(votes.classifiers)
        ]
        score = np.nan_to_num(np.array([c.score.value for c in found]), nan=-np.inf)
        few = self.judged_by_few
        order = sorted(
            range(len(found)), key=lambda k: (found[k].rank or np.inf, bool(few[k]), -score[k])
        )
        return tuple(found[k] for k in order)

    @cached_property
    def explained(self) -> Explanations | None:
        """The explanations that accuracies and ranks go by, where errors are not independent.

        Scores and intervals of the method that ranks would be off there. None where people were
        asked; for other metrics, which explanations do not have; where groups were given that the
        likeliest explanation does not know of; and where no explanation accounts for the votes.
        """
        found = self.evidence.explanations
        if found is None or found.is_independent or found.unexplained or self.judge.informed:
            return None
        return found if self._is_accuracy and _knows_groups(found, self.evidence.votes) else None

    @cached_property
    def judged_by_few(self) -> Flags:
        """Whether so few items with gold judge a classifier that its score tells little."""
        sizes = self.evidence.scored[self.judge.name].sizes
        if sizes is None or not self.judge.informed:
            return np.zeros(len(self.evidence.votes.classifiers), dtype=bool)
        return sizes.labelled < ENOUGH_ITEMS

    def tell_few(self) -> None:
        """Say that scores of some tell little, where others have enough labels."""
        few, total = int(self.judged_by_few.sum()), len(self.evidence.votes.classifiers)
        if 0 < few < total:
            self.notes.caution(
                f"{few:,} of {count(total, 'classifier')} have fewer than {ENOUGH_ITEMS} labels of "
                "items with gold or crowd labels: their scores tell little, and they stand last "
                f"of their rank. Leave them out with {option('min_labels', ENOUGH_ITEMS)}."
            )

    def leaders(self) -> tuple[str, ...]:
        """Name the classifiers that no test tells from the best, best first; none without ranks."""
        return tuple(c.name for c in self.classifiers if c.rank == 1)

    def _confusions(self) -> Floats | None:
        """Find how everybody confuses labels, on enough items and in cells that can be read."""
        votes, truth = self.evidence.votes, self.evidence.scored[self.labelling.name].truth
        cells = len(votes.classifiers) * len(votes.labels) ** 2
        if truth is None or cells > MOST_CELLS or votes.items < ENOUGH_ITEMS:
            return None
        blocks = Blocks.of(votes, votes.multiplicity.astype(np.float64))
        return confusion_intervals(blocks, lambda _: truth, self.evidence.level)

    def _grades(self) -> list[dict[str, Estimate]]:
        """Find how far grades are off: on gold, if there is enough, or given labels of items.

        These may be off by a grade themselves, which an interval would not know of: there is none.
        """
        votes, truth = self.evidence.votes, self.evidence.scored[self.labelling.name].truth
        if DIRECT.items(votes) >= ENOUGH_GOLD:
            return grade_errors(votes, weighted_gold(votes), self.evidence.level)
        return [] if truth is None else grade_errors(votes, truth)

    def _confusion(self, found: Floats | None, k: int) -> dict[str, dict[str, Estimate]]:
        if found is None:
            return {}
        labels = self.evidence.votes.labels
        return {
            true: {given: self._cell(found[:, k, i, j]) for j, given in enumerate(labels)}
            for i, true in enumerate(labels)
        }

    def _cell(self, found: Floats) -> Estimate:
        """Take value and ends; no ends where the labels of items are in doubt."""
        value, low, high = map(float, found)
        if self._labels_doubted:
            return Estimate(value)
        return Estimate(value, low=low, high=high, level=self.evidence.level, method=BY_CROWD.name)

    def _ranks(self, name: str, k: int) -> dict[str, int | None]:
        return {
            metric: self._rank(name, m, k) for m, metric in enumerate(self.evidence.metrics.names)
        }

    def _main_score(self, name: str, k: int) -> Estimate:
        """Find the first metric with an interval that holds all that the votes allow, or none."""
        if self.explained is not None:
            return self.explained.overall[name]
        own = self._estimate(self.judge, self.evidence.scored[self.judge.name], 0, k)
        # Of 3 judges .75 to .94 of the intervals by consensus held (docs/studies/blind_judges.md).
        few = len(self.evidence.votes.classifiers) < ENOUGH_CLASSIFIERS
        takes_labels = self.judge.by_number and not self.judge.informed
        if not self.judge.covers or self.is_doubted or (few and takes_labels):
            return replace(own, low=None, high=None)
        found = self.evidence.explanations
        if found is None or self.judge.informed or not self._is_accuracy:
            return own
        return found.widened(own, name)

    @property
    def _is_accuracy(self) -> bool:
        """Whether the first metric is the one that explanations have."""
        return self.evidence.metrics.names[0] == METRICS[0]

    @cached_property
    def _labels_doubted(self) -> bool:
        """Whether labels of items rest on independent errors, which something speaks against."""
        found = self.evidence.explanations
        dependent = found is not None and not found.is_independent
        return not self.labelling.informed and (self._is_warned or dependent)

    @property
    def _is_warned(self) -> bool:
        return any(note.severity == "warning" for note in self.notes)

    @cached_property
    def is_doubted(self) -> bool:
        """Whether a warning speaks against an order that rests on votes alone."""
        return self._is_warned and not self.judge.informed

    def _main_rank(self, name: str, k: int) -> int | None:
        """By the method that ranks; none where two orders contradict each other."""
        by_method = self._rank(self.judge.name, 0, k)
        if not self.judge.informed and self.evidence.diagnostics.disagree:
            return None
        if by_method is None or self.explained is None:
            return by_method
        return self.explained.ranks[name]

    def _rank(self, name: str, m: int, k: int) -> int | None:
        ranks = self.evidence.ranks[name]
        if ranks is None or np.isnan(ranks[m].rank[k]):
            return None
        return int(ranks[m].rank[k])

    def _estimates(self, method: Method, scored: Scored, k: int) -> dict[str, Estimate]:
        return {
            metric: self._estimate(method, scored, m, k)
            for m, metric in enumerate(self.evidence.metrics.names)
        }

    def _estimate(self, method: Method, scored: Scored, m: int, k: int) -> Estimate:
        value = float(scored.scores[m, k])
        if np.isnan(value):
            name, own = self.evidence.votes.classifiers[k], scored.scores[:, k]
            why = why_undefined(method, self.evidence.metrics, m, name, own)
            return Estimate(value, undefined=scored.undefined or why)
        if self.evidence.votes.items < ENOUGH_ITEMS:
            return Estimate(value)
        variance = None if scored.covariance is None else float(scored.covariance[m, k, k])
        if variance is not None and np.isnan(variance):
            return Estimate(value)  # one item does not tell how much scores vary
        if scored.sizes is not None:
            size = float(scored.sizes.effective[m, k])
            low, high = self.evidence.metrics.interval(m, value, size, self.evidence.level)
            return Estimate(
                min(max(value, 0.0), 1.0),
                low=float(low),
                high=float(high),
                level=self.evidence.level,
                method=scored.sizes.interval.name + self._condition(method),
            )
        few = self.evidence.votes.labelled[k] < ENOUGH_ITEMS
        if few or self.evidence.diagnostics.never_differ:
            return Estimate(value)  # drawn again and again, few labels are always as right
        draws = scored.draws[:, m, k]
        draws = draws[~np.isnan(draws)]
        level = self.evidence.level
        if len(draws) or variance is None:
            found = Estimate.from_draws(value, draws, level=level)
        else:
            error = float(np.sqrt(max(0.0, variance)))
            found = Estimate.from_error(
                value, error, level=level, method=FIRST_ORDER, limits=(0.0, 1.0)
            )
        if found.low is None or found.low == found.high:
            return Estimate(value)  # where no sample differs, they do not tell how sure it is
        return replace(found, method=found.method + self._condition(method))

    def _condition(self, method: Method) -> str:
        """Under which an interval holds."""
        if method.informed:
            return ""
        return f", if {'groups' if method.grouped else 'classifiers'} err independently"
