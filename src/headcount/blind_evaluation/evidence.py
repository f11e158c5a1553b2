"""What speaks for an order of classifiers, and the final ranking that is made of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np

from headcount.blind_evaluation.dependence import Diagnostics, diagnose
from headcount.blind_evaluation.explanations import Explanations, explain, notes_of
from headcount.blind_evaluation.families import Panel, panel_of
from headcount.blind_evaluation.gold_methods import weighted_gold
from headcount.blind_evaluation.methods import (
    CHECKING,
    DIAGNOSING,
    DIRECT,
    GROUPED_PAIR,
    LABELLING,
    RANKING,
)
from headcount.blind_evaluation.metrics import METRICS, Metrics, Ranking, rank
from headcount.blind_evaluation.result import ENOUGH_CLASSIFIERS, ENOUGH_GOLD, JudgedClassifier
from headcount.blind_evaluation.scoring import (
    ENOUGH_ITEMS,
    Method,
    Scored,
    Task,
    score_all,
    tables,
)
from headcount.blind_evaluation.truth_models import confusion_intervals
from headcount.blind_evaluation.votes import Blocks, Votes
from headcount.data.vocabulary import number_of
from headcount.errors import count
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import BY_CROWD, BY_GOLD, FIRST_ORDER, STUDENT, share_interval
from headcount.typing import Flags, Floats, Progress

__all__ = [
    "Evidence",
    "gather",
    "rankings",
    "choose_judge",
    "find_contradiction",
    "Judging",
    "find_against",
    "GRADES",
    "grade_errors",
    "are_grades",
    "errors_by_tables",
    "tell_few_items",
    "why_undefined",
]


# What speaks for an order of classifiers: scores by all methods, tests, signs of dependence.

ENOUGH_FOR_PANEL = 50
"""Gold labels from which on errors that go together are known by these."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Evidence:
    """Scores, tests and diagnostics.

    Parameters
    ----------
    votes : Votes
    metrics : Metrics
    methods : mapping of str to Method
        Those asked for, and those that diagnostics need.
    shown : tuple of str
        Those asked for.
    scored : mapping of method to Scored
    ranks : mapping of method to list of Ranking, one a metric, or None
    diagnostics : Diagnostics
    explanations : Explanations or None
        Why errors may go together.
    level : float
        Confidence of tests, and coverage of intervals.
    """

    votes: Votes
    metrics: Metrics
    methods: Mapping[str, Method]
    shown: tuple[str, ...]
    scored: Mapping[str, Scored]
    ranks: Mapping[str, list[Ranking] | None]
    diagnostics: Diagnostics
    explanations: Explanations | None
    level: float

    @property
    def panel(self) -> Panel | None:
        """What all classifiers are worth together: by gold, if there is enough, or by EM."""
        d = self.diagnostics
        by_gold = d.residual_gold if d.gold_items >= ENOUGH_FOR_PANEL else None
        residual = d.residual if by_gold is None else by_gold
        reference = "the truth by EM" if by_gold is None else d.people
        return panel_of(residual, d.classifiers, given=reference)


def gather(
    task: Task,
    chosen: Mapping[str, Method],
    *,
    people: str = "gold",
    progress: Progress | None = None,
) -> Evidence:
    """Score by the chosen methods, look for signs of dependence, and test all differences.

    Parameters
    ----------
    task : Task
    chosen : mapping of str to Method
        Those asked for.
    people : str
        What their labels are called in sentences: gold, or crowd labels.
    progress : callable, optional
    """
    level = task.settings.level
    shown = score_all(task, chosen.values(), progress)
    # Diagnostics need a fit and the votes of the others, whether they are to be shown or not.
    pair = GROUPED_PAIR if task.votes.groups else (DIAGNOSING, CHECKING)
    wanted = {method.name: method for method in (DIAGNOSING, CHECKING, *pair, LABELLING)}
    needed = [method for name, method in wanted.items() if name not in chosen]
    unseen = replace(task, settings=replace(task.settings, bootstrap=0), notes=Notes())
    scored = {**score_all(unseen, needed), **shown}
    methods = {**{method.name: method for method in needed}, **chosen}
    fit = scored[DIAGNOSING.name].fit
    explained = explain(task.votes, level)
    diagnostics = diagnose(
        task.votes,
        em_truth=None if fit is None else fit.truth,
        em_prior=None if fit is None else fit.prior,
        orders=(scored[pair[0].name].scores[0], scored[pair[1].name].scores[0]),
        positive=task.metrics.positive,
        people=people,
        name_families=explained is None or _has_family(explained, task.votes),
        explained=()
        if explained is None
        else tuple(notes_of(explained, grouped=bool(task.votes.groups))),
    )
    return Evidence(
        votes=task.votes,
        metrics=task.metrics,
        methods=methods,
        shown=tuple(chosen),
        scored=scored,
        ranks={
            name: rankings(method, scored[name], task.votes, level)
            for name, method in methods.items()
        },
        diagnostics=diagnostics,
        explanations=explained,
        level=level,
    )


def _has_family(explained: Explanations, votes: Votes) -> bool:
    """Whether some may err together; who are copies of each other is known."""
    if not votes.copied:
        return explained.has_families
    group = dict(zip(votes.classifiers, votes.group.tolist(), strict=True))
    families = [family for explanation in explained.explanations for family in explanation.families]
    return any(len({group[name] for name in family}) > 1 for family in families)


def rankings(method: Method, scored: Scored, votes: Votes, level: float) -> list[Ranking] | None:
    """Rank by every metric; None where there are no tests.

    Classifiers with few labels have no rank by methods that do not know how little these tell: of
    three labels, all right, every bootstrap sample makes the same.

    To first order, the covariance of scores takes the truth as given. Where that is fitted to the
    same votes, tests find differences that are none: of 100 sets of 5 equal classifiers, EM told
    some apart in 47. So those that are refitted in bootstrap samples use the covariance of these.
    """
    covariance = scored.covariance
    if method.refitted and len(scored.draws) > 1:
        covariance = np.stack([_spread(draws) for draws in np.swapaxes(scored.draws, 0, 1)])
    sizes = scored.sizes
    n = method.items(votes) if sizes is None else int(sizes.labelled.max())
    if covariance is None or n < 2:
        return None
    least = min(ENOUGH_ITEMS, votes.items) if sizes is None else 0
    few = votes.labelled < least
    return [
        rank(
            np.where(few, np.nan, scores),
            spread,
            n if sizes is None else sizes.labelled,
            added=None if sizes is None else sizes.added[m],
            level=level,
        )
        for m, (scores, spread) in enumerate(zip(scored.scores, covariance, strict=True))
    ]


def _spread(draws: Floats) -> Floats:
    """Covariance over draws, each two classifiers on the draws in which both have a score."""
    defined = ~np.isnan(draws)
    mean = np.where(defined, draws, 0.0).sum(axis=0) / np.maximum(defined.sum(axis=0), 1)
    apart = np.where(defined, draws - mean, 0.0)
    both = defined.T.astype(np.float64) @ defined
    return apart.T @ apart / np.maximum(both - 1, 1)


# From scores by many methods to a rank for each classifier, and to how far to believe it.

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
    gold_items = DIRECT.items(votes)
    size = len(votes.classifiers)
    situations: dict[str, str] = {}
    if gold_items >= ENOUGH_GOLD:
        situations["gold"] = f"{count(gold_items, 'item')} have gold or crowd labels"
    if size > 2 and votes.copied:
        # With one vote for all copies, EM is what it would be without them.
        alone = not diagnostics.families_across
        situations["copied" if alone else "grouped"] = "copies of a classifier count as one"
    elif size > 2 and votes.groups and len(votes.groups) < size:
        situations["grouped"] = "you gave groups of classifiers that may err together"
    if size == 2:
        situations["two"] = "two classifiers only tell how often they agree"
    elif diagnostics.dependent:
        situations["dependent"] = (
            "classifiers seem to err together, which misleads EM more than votes"
        )
    else:
        least = int(votes.labelled.min())
        few = FEW_LABELS if size >= CROWD else min(ENOUGH_ITEMS, votes.items)
        if least < few:
            situations["sparse"] = (
                f"some classifiers labelled few items (the fewest: {least:,}), and are judged by "
                "what the crowd is like as well"
            )
        situations["independent"] = _why_independent(diagnostics, size)
    for situation, why in situations.items():
        judge = next((m for kind in RANKING[situation] for m in methods if type(m) is kind), None)
        if judge is not None:
            return judge, why if judge.informed else f"{why}{_too_few_gold(gold_items)}"
    return methods[0], "it comes first of those asked for"


def _too_few_gold(gold_items: int) -> str:
    """Say why gold does not rank, where there is some."""
    if not gold_items:
        return ""
    label = count(gold_items, "gold or crowd label")
    are = "is" if gold_items == 1 else "are"
    return f", and {label} {are} too few to rank by ({ENOUGH_GOLD} are enough)"


def _why_independent(diagnostics: Diagnostics, size: int) -> str:
    """Say why errors are taken to be independent, and nothing that a note speaks against."""
    if diagnostics.families or any(group.together for group in diagnostics.groups):
        return "too few classifiers were found to err together to mislead it much"
    if any(note.severity == "warning" for note in diagnostics.warnings):
        return "no classifiers were found to err together more than the rest"
    few = ", which among three classifiers nothing could show" if size == 3 else ""
    return (
        f"there is no strong sign of shared errors{few}; errors that most classifiers share "
        "cannot be detected"
    )


def _knows_groups(allowed: Explanations, votes: Votes) -> bool:
    """Whether the likeliest explanation has every group within a family; without groups it has."""
    families = [set(family) for family in allowed.explanations[0].families]
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
    first, second = np.nonzero(apart)
    is_reversed = (blind[first] - blind[second]) * (actual[first] - actual[second]) < 0
    if not len(first) or is_reversed.mean() <= TOO_MANY_REVERSED:
        return None
    return (
        f"Gold contradicts the blind ranking: of {count(len(first), 'pair')} of classifiers that "
        f"{count(n, 'gold label')} tell apart, {method.short} has "
        f"{int(is_reversed.sum()):,} in the wrong order ({is_reversed.mean():.0%}). "
        "Trust the gold scores."
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
    notes : Notes
        What speaks against the answer, once all is told.
    contradicted : bool
        Whether gold, which is too little to rank, speaks against the order by votes.
    """

    evidence: Evidence
    judge: Method
    actual: Scored | None
    notes: Notes
    contradicted: bool = False

    @cached_property
    def classifiers(self) -> tuple[JudgedClassifier, ...]:
        """Describe each classifier, best first; of those that tie, last whom few labels judge."""
        votes, scored = self.evidence.votes, self.evidence.scored
        confusion, grades = self._confusions(), self._grades()
        judged = [
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
        score = np.nan_to_num(np.array([c.score.value for c in judged]), nan=-np.inf)
        few = self.judged_by_few
        order = sorted(
            range(len(judged)), key=lambda k: (judged[k].rank or np.inf, bool(few[k]), -score[k])
        )
        return tuple(judged[k] for k in order)

    @cached_property
    def explained(self) -> Explanations | None:
        """The explanations that accuracies and ranks go by, where errors are not independent.

        Scores and intervals of the method that ranks would be off there. None where people were
        asked; for other metrics, which explanations do not have; where groups were given that the
        likeliest explanation does not know of; and where no explanation accounts for the votes.
        """
        allowed = self.evidence.explanations
        if allowed is None or allowed.is_independent or allowed.unexplained or self.judge.informed:
            return None
        fits = self._is_accuracy and _knows_groups(allowed, self.evidence.votes)
        return allowed if fits else None

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
                "of their rank."
            )

    def leaders(self) -> tuple[str, ...]:
        """Name those not significantly worse than the best, best first; none without ranks."""
        return tuple(c.name for c in self.classifiers if c.rank == 1)

    def _confusions(self) -> Floats | None:
        """Find how everybody confuses labels, on enough items and in cells that can be read."""
        votes, truth = self.evidence.votes, self.evidence.scored[LABELLING.name].truth
        cells = len(votes.classifiers) * len(votes.labels) ** 2
        if truth is None or cells > MOST_CELLS or votes.items < ENOUGH_ITEMS:
            return None
        blocks = Blocks.of(votes, votes.multiplicity.astype(np.float64))
        return confusion_intervals(blocks, lambda _: truth, self.evidence.level)

    def _grades(self) -> list[dict[str, Estimate]]:
        """Find how far grades are off: on gold, if there is enough, or given labels of items.

        These may be off by a grade themselves, which an interval would not know of: there is none.
        """
        votes, truth = self.evidence.votes, self.evidence.scored[LABELLING.name].truth
        if DIRECT.items(votes) >= ENOUGH_GOLD:
            return grade_errors(votes, weighted_gold(votes), self.evidence.level)
        return [] if truth is None else grade_errors(votes, truth)

    def _confusion(self, cells: Floats | None, k: int) -> dict[str, dict[str, Estimate]]:
        if cells is None:
            return {}
        labels = self.evidence.votes.labels
        return {
            true: {label: self._cell(cells[:, k, i, j]) for j, label in enumerate(labels)}
            for i, true in enumerate(labels)
        }

    def _cell(self, ends: Floats) -> Estimate:
        """Take value and ends; no ends where the labels of items are in doubt."""
        value, low, high = map(float, ends)
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
        # Of few judges intervals by consensus hold less often (docs/studies/blind.md).
        few = len(self.evidence.votes.classifiers) < ENOUGH_CLASSIFIERS
        takes_labels = self.judge.by_number and not self.judge.informed
        if not self.judge.covers or self.is_doubted or (few and takes_labels):
            return replace(own, low=None, high=None)
        allowed = self.evidence.explanations
        if allowed is None or self.judge.informed or not self._is_accuracy:
            return own
        return allowed.widened(own, name)

    @property
    def _is_accuracy(self) -> bool:
        """Whether the first metric is the one that explanations have."""
        return self.evidence.metrics.names[0] == METRICS[0]

    @cached_property
    def _labels_doubted(self) -> bool:
        """Whether labels of items rest on independent errors, which something speaks against."""
        allowed = self.evidence.explanations
        dependent = allowed is not None and not allowed.is_independent
        return self._is_warned or dependent

    @property
    def _is_warned(self) -> bool:
        return any(note.severity == "warning" for note in self.notes)

    @cached_property
    def is_doubted(self) -> bool:
        """Whether a warning speaks against an order that rests on votes alone."""
        return self._is_warned and not self.judge.informed

    def _main_rank(self, name: str, k: int) -> int | None:
        """By the method that ranks; by votes alone the best that the weakest assumption allows.

        None where two orders contradict each other, or gold the votes.
        """
        by_method = self._rank(self.judge.name, 0, k)
        if self.judge.informed or by_method is None:
            return by_method
        if self.contradicted or self.evidence.diagnostics.disagree:
            return None
        if self.explained is not None:
            return self.explained.ranks[name]
        ranks = [by_method, self._rank(self._weakest.name, 0, k)]
        allowed = self.evidence.explanations
        if allowed is not None and self._is_accuracy and not self.evidence.votes.groups:
            ranks.append(allowed.ranks[name])
        return min(rank for rank in ranks if rank is not None)

    @property
    def _weakest(self) -> Method:
        """The order by votes that assumes least: the votes of the others, or of other groups."""
        return GROUPED_PAIR[1] if self.evidence.votes.groups else CHECKING

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
            estimate = Estimate.from_draws(value, draws, level=level)
        else:
            error = float(np.sqrt(max(0.0, variance)))
            estimate = Estimate.from_error(
                value, error, level=level, method=FIRST_ORDER, limits=(0.0, 1.0)
            )
        if estimate.low is None or estimate.low == estimate.high:
            return Estimate(value)  # where no sample differs, they do not tell how sure it is
        return replace(estimate, method=estimate.method + self._condition(method))

    def _condition(self, method: Method) -> str:
        """Under which an interval holds."""
        if method.informed:
            return ""
        return f", if {'groups' if method.grouped else 'classifiers'} err independently"


# Too little gold to rank by may yet say that a score by votes is too high.

ENOUGH_AGAINST = 5
"""Gold labels of a classifier from which on they may speak against its score by votes."""


def find_against(judging: Judging) -> str | None:
    """Say if gold contradicts the score of the classifier that votes put first.

    Its score is above its interval on gold, or it is significantly below another one there.
    """
    evidence, actual = judging.evidence, judging.actual
    first, size = judging.classifiers[0], None if actual is None else actual.sizes
    if actual is None or size is None:
        return None
    k = evidence.votes.classifiers.index(first.name)
    n, on_gold = int(size.labelled[k]), float(actual.scores[0, k])
    if n < ENOUGH_AGAINST or np.isnan(on_gold):
        return None
    low, high = share_interval(on_gold, float(size.effective[0, k]), evidence.level)
    ranks = rankings(DIRECT, actual, evidence.votes, evidence.level)
    is_below = ranks is not None and bool(ranks[0].rank[k] > 1)
    if not (first.score.value > high or is_below):
        return None
    return (
        f"Gold contradicts the votes: they put {first.name} first with {first.score.value:.3f}, "
        f"and on {count(n, 'gold label')} it has {on_gold:.3f} ({float(low):.3f} to "
        f"{float(high):.3f}). No best is named: {ENOUGH_GOLD} gold labels are enough to rank by."
    )


# Grades: how far classifiers are off, where labels are numbers in order.

GRADES = ("mean_absolute_error", "bias", "weighted_kappa")
UNSEEN = 2
"""Errors that an interval of bias allows for beside those that were seen."""


def grade_errors(
    votes: Votes, truth: Floats, level: float | None = None
) -> list[dict[str, Estimate]]:
    r"""How far each classifier is from the true grade: one entry per classifier.

    The mean of :math:`|y - t|`, the mean of :math:`y - t` (above 0 for one that grades too high),
    and Cohen's kappa with quadratic weights, of given grades y and true grades t. Empty where
    labels are not three numbers or more.

    A judge that makes no error on n items may still make one: with V the variance of a mean, n
    the items (of different weight: Kish's number), and u the largest error that the classifier
    made, or one grade, the mean absolute error is u times a share of

    .. math:: n_e = p_0 (1 - p_0) / (V / u^2 + n^{-2}) (z / t)^2, \quad
        p_0 = (n \theta + 1) / (n + 2)

    items; t is Student's quantile. Bias has his interval, of the variance
    :math:`V + (2 u / n)^2`. How often they hold is in docs/studies/blind.md.

    Parameters
    ----------
    votes : Votes
    truth : (rows, labels) array
        Probabilities of the true label, or gold times how much an item counts; zeros where it is
        unknown.
    level : float, optional
        Of intervals, for gold: there are none if it is None.

    References
    ----------
    Cohen (1968), "Weighted kappa", Psychological Bulletin 70.
    """
    if not are_grades(votes.labels):
        return []
    weight = votes.multiplicity.astype(np.float64)
    squared = tables(votes, truth * votes.gold_weight[:, None], weight)
    return errors_by_tables(votes.labels, tables(votes, truth, weight), squared, level)


def are_grades(labels: Sequence[str]) -> bool:
    """Whether labels are three numbers or more."""
    return len(labels) > 2 and all(number_of(label) is not None for label in labels)


def errors_by_tables(
    labels: Sequence[str], counted: Floats, squared: Floats, level: float | None = None
) -> list[dict[str, Estimate]]:
    """Find the same from tables of truth and label, and of squared weights: one a classifier."""
    value = np.array([number_of(label) for label in labels], dtype=np.float64)
    apart = value - value[:, None]  # given less true: (true, given)
    return [
        {} if table.sum() < 2 else _errors(table, squares, apart, level)
        for table, squares in zip(counted, squared, strict=True)
    ]


def _errors(
    table: Floats, squares: Floats, apart: Floats, level: float | None
) -> dict[str, Estimate]:
    """Describe one classifier, by sums of weights and of their squares: (true, given)."""
    total = float(table.sum())
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    by_chance = float((expected * apart**2).sum())
    kappa = (
        Estimate(1 - float((table * apart**2).sum()) / by_chance)
        if by_chance > 0
        else Estimate(float("nan"), undefined="one grade only")
    )
    size, bias = (float((table * x).sum()) / total for x in (np.abs(apart), apart))
    estimates = (Estimate(size), Estimate(bias), kappa)
    n = total**2 / float(squares.sum())
    if level is not None and n >= 2:
        largest = float(np.abs(apart)[table > 0].max())
        unit = max(largest, float(np.abs(apart)[apart != 0].min()))

        def variance(x: Floats, mean: float) -> float:
            return float((squares * (x - mean) ** 2).sum()) / total**2 * n / (n - 1)

        estimates = (
            _size(size, variance(np.abs(apart), size), n, unit, level),
            _bias(bias, variance(apart, bias) + (UNSEEN * unit / n) ** 2, n, apart, level),
            kappa,
        )
    return dict(zip(GRADES, estimates, strict=True))


def _size(value: float, variance: float, n: float, unit: float, level: float) -> Estimate:
    """Add the interval of a mean absolute error, as of a share of the largest error."""
    from scipy import special  # pyright: ignore[reportMissingTypeStubs]

    normal: Any = special.ndtri  # pyright: ignore[reportUnknownMemberType]
    share = value / unit
    middle = (n * share + 1) / (n + 2)
    narrowed = (float(normal((1 + level) / 2)) / STUDENT.quantile(level, n)) ** 2
    size = middle * (1 - middle) / (variance / unit**2 + n**-2.0) * narrowed
    low, high = share_interval(share, size, level)
    return Estimate(
        value, low=float(low) * unit, high=float(high) * unit, level=level, method=BY_GOLD.name
    )


def _bias(value: float, variance: float, n: float, apart: Floats, level: float) -> Estimate:
    span = float(apart.max())
    error = float(np.sqrt(variance))
    return Estimate.from_error(value, error, level=level, method=STUDENT, n=n, limits=(-span, span))


# What is said of every evaluation, whether votes are looked at together or in blocks.


def tell_few_items(items: int, notes: Notes) -> None:
    """Say that items are too few for scores, where they are."""
    if items < ENOUGH_ITEMS:
        notes.warning(
            f"{count(items, 'item')} {'is' if items == 1 else 'are'} too few for scores, which are "
            f"not printed. Label {ENOUGH_ITEMS} or more."
        )


def why_undefined(method: Method, metrics: Metrics, m: int, name: str, scores: Floats) -> str:
    """Say why a classifier has no score by a metric; `scores` are its by all metrics."""
    positive = metrics.positive
    label = "" if positive is None else f" '{metrics.labels[positive]}'"
    if metrics.kinds[m].of_calls and not np.isnan(scores).all():
        return f"'{name}' never gives{label or ' a label that others give'}"
    if method.informed:
        which = f" that is{label}" if label else ""
        return f"'{name}' labelled no item with gold{which}"
    return f"nobody else labelled the items of '{name}'"
