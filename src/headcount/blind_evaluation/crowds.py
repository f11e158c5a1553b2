"""Blind evaluation of a crowd that is too large to look at every two classifiers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from headcount.blind_evaluation.dependence import LOW_TAU
from headcount.blind_evaluation.evidence import (
    MOST_CELLS,
    are_grades,
    check_min_labels,
    errors_by_tables,
    tell_few_items,
    why_undefined,
)
from headcount.blind_evaluation.labelling import ItemLabels, choose_model, label_items
from headcount.blind_evaluation.methods import (
    CHECKING,
    DIAGNOSING,
    DIRECT,
    LABELLING,
    choose_methods,
    em_summary,
)
from headcount.blind_evaluation.metrics import Metrics, choose_metrics, rank
from headcount.blind_evaluation.result import BlindProvenance, BlindResult, JudgedClassifier
from headcount.blind_evaluation.scoring import (
    ENOUGH_ITEMS,
    CrowdScored,
    CrowdTask,
    Method,
    NotPossible,
    Settings,
    Situation,
    crowd_tables,
)
from headcount.blind_evaluation.truth_models import confusion_intervals, mixture
from headcount.blind_evaluation.votes import Crowd, vote_shares, winners
from headcount.errors import OptionError, count, option
from headcount.results.notes import Note, Notes
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import BY_CROWD
from headcount.typing import Flags, Floats

__all__ = [
    "analyse_crowd",
]


MOST_RANKED = 2000
"""Classifiers up to which the differences of every two are tested."""
MOST_LISTED = 20_000
"""Classifiers up to which all methods score by default; more are scored by one."""
CONDITION = ", if classifiers err independently"


def analyse_crowd(crowd: Crowd, settings: Settings, notes: Notes) -> BlindResult:
    """Score all classifiers by the methods that go over votes a block at a time.

    Parameters
    ----------
    crowd : Crowd
    settings : Settings
    notes : Notes

    Notes
    -----
    A pass is O(votes x labels). EM takes some tens of passes, consensus that and as many again.
    Memory beside a block is that of the confusion matrices.
    """
    task = CrowdTask(
        blocks=crowd.blocks,
        metrics=choose_metrics(crowd.labels, names=settings.metrics, positive=settings.positive),
        settings=settings,
        notes=Notes(),
    )
    chosen = _methods(crowd, settings.methods)
    labelling = LABELLING
    check_min_labels(crowd.votes.labelled, settings.min_labels)
    wanted = {**chosen, labelling.name: labelling}
    scored = {name: _scored(method, task) for name, method in wanted.items()}
    judge, why = _judge(crowd, chosen, scored)
    notes.caution(
        f"{crowd.why}: classifiers that err together, copies of a classifier and items "
        "that are hard for all were not looked for, and scores by votes assume that there are "
        f"none. {crowd.instead}"
    )
    tell_few_items(crowd.votes.items, notes)
    if crowd.votes.items >= ENOUGH_ITEMS:
        notes.extend(signs_of(task, scored, crowd.labels))
        notes.extend(against_gold(crowd, labelling, scored))
    notes.extend(task.notes)
    scores = _Classifiers(
        crowd=crowd,
        metrics=task.metrics,
        chosen=chosen,
        scored=scored,
        judge=judge,
        labelling=labelling,
        level=settings.level,
        min_labels=settings.min_labels,
        notes=notes,
    )
    scores.tell_few()
    classifiers = scores.in_order()
    about = crowd.about
    positive = task.metrics.positive
    return BlindResult(
        classifiers=classifiers,
        leaders=tuple(c.name for c in classifiers if c.rank == 1),
        labels=_labels(crowd, settings),
        method=judge.name,
        why=why,
        contradiction=None,
        diagnostics=None,
        explanations=None,
        by_explanations=False,
        panel=None,
        em={
            name: em_summary(fit, crowd.labels)
            for name in chosen
            if (fit := scored[name].fit) is not None
        },
        methods=chosen,
        notes=tuple(notes),
        provenance=BlindProvenance(
            source=about.source,
            sources=about.sources,
            dropped=about.dropped,
            items_used=crowd.votes.items,
            items_dropped=about.n_items - crowd.votes.items,
            n_ratings=int(crowd.votes.labelled.sum()),
            n_raters=len(crowd.classifiers),
            labels=crowd.labels,
            level=settings.level,
            bootstrap=0,
            seed=settings.named_seed,
            backend=about.backend,
            distinct_rows=len(crowd.votes.multiplicity),
            positive=None if positive is None else crowd.labels[positive],
            metrics=task.metrics.names,
            methods=tuple(chosen),
            gold_items=crowd.known_items if crowd.people == "gold" else 0,
            crowd_items=0 if crowd.people == "gold" else crowd.known_items,
            min_labels=settings.min_labels,
        ),
    )


def _methods(crowd: Crowd, wanted: Any) -> dict[str, Method]:
    """Choose methods that go over votes in blocks; refuse others that were asked for."""
    gold = crowd.known_items > 0
    chosen = choose_methods(wanted, groups=False, gold=gold, learn=False)
    able = {name: method for name, method in chosen.items() if method.by_blocks}
    if wanted is not None and len(able) < len(chosen):
        unable = next(name for name in chosen if name not in able)
        raise OptionError(
            f"{option('methods')}: '{unable}' needs all votes and every two classifiers at once, "
            f"and {crowd.why}. Leave it out."
        )
    if wanted is None and len(crowd.classifiers) > MOST_LISTED:
        return {name: m for name, m in able.items() if m.informed or m.labels_items}
    return able


def _labels(crowd: Crowd, settings: Settings) -> ItemLabels:
    """Label items, as :func:`headcount.consensus` does."""
    fitted = mixture(crowd.blocks, LABELLING.name, settings.climbing)
    words = LABELLING.short, LABELLING.words
    choice = choose_model(fitted, crowd.blocks, crowd.votes, *words)
    name, words = choice.name, choice.words
    return label_items(crowd.about, crowd.votes, crowd.blocks, choice.model, name, words)


def _scored(method: Method, task: CrowdTask) -> CrowdScored:
    try:
        return method.score_crowd(task)
    except NotPossible as reason:
        nothing = np.full((len(task.metrics.kinds), task.blocks.n_classifiers), np.nan)
        return CrowdScored(scores=nothing, truth=None, undefined=str(reason))


def _judge(
    crowd: Crowd, chosen: Mapping[str, Method], scored: Mapping[str, CrowdScored]
) -> tuple[Method, str]:
    """Pick the method that ranks, and say why: gold only if it tells enough of most classifiers."""
    situations = {Situation.CROWD: crowd.why}
    on_gold = scored[DIRECT.name].sizes if DIRECT.name in chosen else None
    if on_gold is not None and np.median(on_gold.labelled) >= ENOUGH_ITEMS:
        why_gold = f"{count(crowd.known_items, 'item')} have {crowd.people}"
        situations = {Situation.GOLD: why_gold, **situations}
    for situation, why in situations.items():
        ready = [method for method in chosen.values() if situation in method.ranks_when]
        if ready:
            return min(ready, key=lambda method: method.ranks_when[situation]), why
    return next(iter(chosen.values())), "it comes first of those asked for"


@dataclass(frozen=True, eq=False, kw_only=True)
class _Classifiers:
    """What methods say, to be put together classifier by classifier."""

    crowd: Crowd
    metrics: Metrics
    chosen: Mapping[str, Method]
    scored: Mapping[str, CrowdScored]
    judge: Method
    labelling: Method
    level: float
    min_labels: int
    notes: Notes

    def tell_few(self) -> None:
        """Say that scores on gold tell little of some, where others have enough labels."""
        few, total = int(self._few.sum()), len(self.crowd.classifiers)
        if 0 < few < total:
            self.notes.caution(
                f"{few:,} of {count(total, 'classifier')} have fewer than {ENOUGH_ITEMS} labels of "
                f"items with {self.crowd.people}: their scores tell little or are none, and they "
                f"stand last. Rank all by votes ({option('methods', LABELLING.name)})."
            )

    def in_order(self) -> tuple[JudgedClassifier, ...]:
        """Describe each classifier, best first."""
        crowd, own, metrics = self.crowd, self.judge.name, self.metrics.names
        estimates = {name: self._estimates(name) for name in self.chosen}
        ranks, confusion, grades = self._ranks, self._confusion(), self._grades()
        score = np.nan_to_num(self.scored[own].scores[0], nan=-np.inf)
        first = np.zeros(len(score)) if ranks is None else np.nan_to_num(ranks[0], nan=np.inf)
        unranked = crowd.votes.labelled < self.min_labels
        order: list[int] = np.lexsort((-score, self._few, first, unranked)).tolist()
        on_gold = estimates.get(DIRECT.name) if crowd.people == "gold" else None

        def ranked(k: int) -> dict[str, int | None]:
            if ranks is None:
                return {}
            return {
                metric: None if np.isnan(by_metric[k]) else int(by_metric[k])
                for metric, by_metric in zip(metrics, ranks, strict=True)
            }

        return tuple(
            JudgedClassifier(
                name=crowd.classifiers[k],
                group=None,
                labelled=int(crowd.votes.labelled[k]),
                estimates={
                    name: {metric: by_metric[m][k] for m, metric in enumerate(metrics)}
                    for name, by_metric in estimates.items()
                },
                ranks={own: ranked(k)} if ranks is not None else {},
                actual={}
                if on_gold is None
                else {metric: on_gold[m][k] for m, metric in enumerate(metrics)},
                score=self._main(estimates[own][0][k]),
                rank=ranked(k).get(metrics[0]),
                confusion=self._cells(confusion, k),
                grades=grades[k] if grades else {},
            )
            for k in order
        )

    @cached_property
    def _few(self) -> Flags:
        """Whether so few items with gold judge a classifier that its score tells little."""
        sizes = self.scored[self.judge.name].sizes
        if sizes is None or not self.judge.informed:
            return np.zeros(len(self.crowd.classifiers), dtype=bool)
        return sizes.labelled < ENOUGH_ITEMS

    def _main(self, estimate: Estimate) -> Estimate:
        """Take the first metric, without an interval where a warning speaks against it."""
        doubted = self._is_warned and not self.judge.informed
        if doubted or not self.judge.covers:
            return Estimate(estimate.value, undefined=estimate.undefined)
        return estimate

    @cached_property
    def _is_warned(self) -> bool:
        return any(note.severity == "warning" for note in self.notes)

    def _estimates(self, name: str) -> list[list[Estimate]]:
        """Make estimates by a method: one list a metric."""
        return [self._by_metric(name, m) for m in range(len(self.metrics.kinds))]

    def _by_metric(self, name: str, m: int) -> list[Estimate]:
        scored, method = self.scored[name], self.chosen[name]
        values: list[float] = scored.scores[m].tolist()
        out = [Estimate(value) for value in values]
        if scored.sizes is not None and self.crowd.votes.items >= ENOUGH_ITEMS:
            share = np.clip(np.nan_to_num(scored.scores[m]), 0, 1)
            ends = self.metrics.interval(m, share, scored.sizes.effective[m], self.level)
            how = scored.sizes.interval.name + ("" if method.informed else CONDITION)
            out = [
                Estimate(value, low=low, high=high, level=self.level, method=how)
                for value, low, high in zip(*(x.tolist() for x in (share, *ends)), strict=True)
            ]
        for k in np.flatnonzero(np.isnan(scored.scores[m])).tolist():
            who, own = self.crowd.classifiers[k], scored.scores[:, k]
            why = scored.undefined or why_undefined(method, self.metrics, m, who, own)
            out[k] = Estimate(float("nan"), undefined=why)
        return out

    @cached_property
    def _ranks(self) -> list[Floats] | None:
        """Rank by every metric; None where too many are to be tested, or nothing tells how."""
        scored, size = self.scored[self.judge.name], len(self.crowd.classifiers)
        if scored.variance is None or scored.sizes is None or size > MOST_RANKED:
            return None
        few = self.crowd.votes.labelled < self.min_labels
        return [
            rank(
                np.where(few, np.nan, scores),
                np.diag(variance),
                scored.sizes.labelled,
                added=scored.sizes.added[m],
                level=self.level,
            ).rank
            for m, (scores, variance) in enumerate(zip(scored.scores, scored.variance, strict=True))
        ]

    def _confusion(self) -> Floats | None:
        crowd, truth = self.crowd, self.scored[self.labelling.name].truth
        cells = len(crowd.classifiers) * len(crowd.labels) ** 2
        if truth is None or cells > MOST_CELLS or crowd.votes.items < ENOUGH_ITEMS:
            return None
        return confusion_intervals(crowd.blocks, truth, self.level)

    def _cells(self, confusion: Floats | None, k: int) -> dict[str, dict[str, Estimate]]:
        if confusion is None:
            return {}
        labels = self.crowd.labels
        value, low, high = confusion[:, k].tolist()

        def cell(i: int, j: int) -> Estimate:
            if self._is_warned:
                return Estimate(value[i][j])
            return Estimate(
                value[i][j], low=low[i][j], high=high[i][j], level=self.level, method=BY_CROWD.name
            )

        return {
            true: {label: cell(i, j) for j, label in enumerate(labels)}
            for i, true in enumerate(labels)
        }

    def _grades(self) -> list[dict[str, Estimate]]:
        """Find how far grades are off, given labels of items, if they are not very many."""
        crowd, truth = self.crowd, self.scored[self.labelling.name].truth
        too_many = len(crowd.classifiers) > MOST_LISTED
        if truth is None or too_many or not are_grades(crowd.labels):
            return []
        counted = crowd_tables(crowd.blocks, truth)
        return errors_by_tables(crowd.labels, counted, counted)


# Signs that speak against scores of a crowd, as far as passes over its votes show them.

LEAN = 0.06
"""Difference between the shares of a label by EM and by votes from which on crowds lean to a label.
Of simulated crowds of 3,000 whose workers all lean, it warns of all, and of 1 of 15 with a tenth of
spammers (docs/studies/crowds.md)."""

FAR_FROM_GOLD = 0.05
"""Share of the items with gold by which labels may be wrong more often than they say."""


def signs_of(
    task: CrowdTask, scored: Mapping[str, CrowdScored], labels: tuple[str, ...]
) -> Iterator[Note]:
    """Say where EM and the votes contradict each other. One pass."""
    fit = task.fitted
    by_votes, several = _shares(task)
    if several < ENOUGH_ITEMS:
        yield Note(
            f"{count(several, 'item')} only have labels of two classifiers or more: nothing tells "
            "how good they are.",
            "warning",
        )
    if fit is not None:
        by_em = fit.prior
        most = int(np.argmax(np.abs(by_em - by_votes)))
        if abs(by_em[most] - by_votes[most]) > LEAN:
            yield Note(
                f"EM takes {by_em[most]:.0%} of items for '{labels[most]}', and of the votes "
                f"{by_votes[most]:.0%} say so: classifiers lean to a label, which EM allows for "
                "and other scores do not, or they err together, which misleads EM. Compare both "
                "with some items that you label yourself.",
                "warning",
            )
    if DIAGNOSING.name in scored and CHECKING.name in scored:
        tau = _tau(scored[DIAGNOSING.name].scores[0], scored[CHECKING.name].scores[0])
        if tau < LOW_TAU:
            yield Note(
                "EM and the votes of the others disagree on the order of classifiers (Kendall's "
                f"tau {tau:.2f}): at least one of them is wrong.",
                "warning",
            )


def against_gold(
    crowd: Crowd, labelling: Method, scored: Mapping[str, CrowdScored]
) -> Iterator[Note]:
    r"""Say where gold contradicts the labels that votes make, and why it does not rank.

    The labels of n items with probabilities p are right in the mean of p of them, up to three
    standard errors, :math:`\sqrt{\sum p (1 - p)} / n`, if what the method assumes is so.
    """
    truth_of, on_gold = scored[labelling.name].truth, scored.get(DIRECT.name)
    if not crowd.known_items or truth_of is None:
        return
    n = sure = right = variance = 0.0
    for votes, weight in crowd.blocks:
        rows = np.flatnonzero(votes.gold >= 0)
        truth = truth_of(votes)[rows]
        best = truth.max(axis=1)
        often = weight[rows]
        n += float(often.sum())
        sure += float(often @ best)
        right += float(often @ winners(truth)[np.arange(len(rows)), votes.gold[rows]])
        variance += float(often @ (best * (1 - best)))
    if sure - right > max(3 * np.sqrt(variance), FAR_FROM_GOLD * n):
        yield Note(
            f"On {count(crowd.known_items, 'item')} with {crowd.people}, labels by "
            f"{labelling.short} are right in {right / n:.0%}, and should be in {sure / n:.0%} if "
            "classifiers erred independently: scores by votes are off.",
            "warning",
        )
    if on_gold is not None and on_gold.sizes is not None:
        middle = float(np.median(on_gold.sizes.labelled))
        if middle < ENOUGH_ITEMS:
            yield Note(
                f"Items with {crowd.people} are too few to rank by: half of the classifiers "
                f"labelled {middle:,.0f} of them or fewer, and {ENOUGH_ITEMS} are enough.",
                "caution",
            )


def _shares(task: CrowdTask) -> tuple[Floats, int]:
    """Share of the votes that each label has, mean over items; and items with several votes."""
    total, items, several = np.zeros(task.blocks.n_labels), 0.0, 0.0
    for votes, weight in task.blocks:
        total += weight @ vote_shares(votes)
        items += float(weight.sum())
        several += float(weight[np.diff(votes.start) > 1].sum())
    return total / items, round(several)


def _tau(x: Floats, y: Floats) -> float:
    """Kendall's tau-b of those with both scores, in O(K log K)."""
    from scipy import stats  # pyright: ignore[reportMissingTypeStubs]

    both = ~np.isnan(x + y)
    if both.sum() < 2 or np.ptp(x[both]) == 0 or np.ptp(y[both]) == 0:
        return float("nan")
    test: Any = stats.kendalltau(x[both], y[both])  # pyright: ignore[reportUnknownMemberType]
    return float(test.statistic)
