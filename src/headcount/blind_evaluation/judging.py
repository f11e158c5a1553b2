"""From scores by many methods to a rank for each classifier, and to how far to believe it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from headcount.blind_evaluation.dependence.dependence import Diagnostics
from headcount.blind_evaluation.methods.catalogue import METHODS
from headcount.blind_evaluation.methods.engine import Scored
from headcount.blind_evaluation.metrics import Metrics
from headcount.blind_evaluation.ranking import Ranking, rank
from headcount.blind_evaluation.result import JudgedClassifier
from headcount.blind_evaluation.votes import Votes
from headcount.errors import count
from headcount.stats.estimate import Estimate
from headcount.typing import Floats

__all__ = ["choose_judge", "find_contradiction", "judged", "rankings"]

ENOUGH_GOLD = 50
"""Items with gold or crowd labels from which on these rank the classifiers."""
TOO_MANY_REVERSED = 0.1
"""Share of pairs that gold tells apart and that a blind ranking may turn round."""


def rankings(
    scored: Scored, n: int, level: float, *, refitted: bool = False
) -> list[Ranking] | None:
    """Rank by every metric; None where there are no tests.

    To first order, the covariance of scores takes the truth as given. Where that is fitted to the
    same votes, tests find differences that are none: of 100 sets of 5 equal classifiers, EM told
    some apart in 47. So those that are `refitted` in bootstrap draws use the covariance of these.
    """
    if scored.covariance is None or n < 2:
        return None
    covariance = scored.covariance
    if refitted and len(scored.draws) > 1:
        covariance = np.stack([_spread(scored.draws[:, m]) for m in range(len(covariance))])
    return [
        rank(scores, spread, n, level=level)
        for scores, spread in zip(scored.scores, covariance, strict=True)
    ]


def _spread(draws: Floats) -> Floats:
    """Covariance over draws, each two classifiers on the draws in which both have a score."""
    known = ~np.isnan(draws)
    mean = np.where(known, draws, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    apart = np.where(known, draws - mean, 0.0)
    both = known.T.astype(np.float64) @ known
    return apart.T @ apart / np.maximum(both - 1, 1)


def choose_judge(names: Sequence[str], votes: Votes, diagnostics: Diagnostics) -> tuple[str, str]:
    """Pick the method that ranks, among those asked for, and say why."""
    known = int(votes.multiplicity[votes.gold >= 0].sum())
    if known >= ENOUGH_GOLD and "ppi" in names:
        return "ppi", f"{count(known, 'item')} have labels to go by"
    if known >= ENOUGH_GOLD and "direct" in names:
        return "direct", f"{count(known, 'item')} have labels to go by"
    size = len(votes.classifiers)
    if size == 2:
        order = ["leave-one-out", "leave-group-out", "majority", "round-robin", "sampling"]
        why = "two classifiers only tell how often they agree"
    elif diagnostics.dependent:
        order = ["leave-group-out", "leave-one-out", "majority", "round-robin", "sampling"]
        why = "classifiers seem to err together, which misleads EM more than votes"
    else:
        order = ["em", "grouped-em", "leave-group-out", "leave-one-out"]
        why = "nothing speaks against independent errors"
        why += ", which among three classifiers nothing could" if size == 3 else ""
    best = next((name for name in order if name in names), None)
    return (best, why) if best is not None else (names[0], "it comes first of those asked for")


def find_contradiction(
    method: str, blind: Sequence[float], gold: Ranking, actual: Sequence[float], n: int
) -> str | None:
    """Say how gold contradicts a blind order of classifiers, if it does.

    Counted are the pairs that gold tells apart (after Holm's correction): by chance alone hardly
    any should be in the wrong order.
    """
    apart = np.triu(gold.adjusted < 1 - gold.level, 1)
    one, other = np.nonzero(apart)
    estimate, truth = np.asarray(blind), np.asarray(actual)
    reversed_ = (estimate[one] - estimate[other]) * (truth[one] - truth[other]) < 0
    if not len(one) or reversed_.mean() <= TOO_MANY_REVERSED:
        return None
    return (
        f"Gold contradicts the blind ranking: of {count(len(one), 'pair')} of classifiers that "
        f"{count(n, 'gold label')} tell apart, {METHODS[method].short} has "
        f"{int(reversed_.sum()):,} in the wrong order ({reversed_.mean():.0%}). Go by gold."
    )


def judged(
    votes: Votes,
    metrics: Metrics,
    scored: Mapping[str, Scored],
    ranks: Mapping[str, list[Ranking] | None],
    actual: Scored | None,
    method: str,
    level: float,
) -> tuple[JudgedClassifier, ...]:
    """Put together what all methods say of each classifier, best first."""
    labelled = np.bincount(
        votes.classifier,
        weights=votes.multiplicity[votes.row].astype(np.float64),
        minlength=len(votes.classifiers),
    )

    def estimates(name: str, one: Scored, k: int) -> dict[str, Estimate]:
        return {
            metric: _estimate(votes, metrics, name, one, m, k, level)
            for m, metric in enumerate(metrics.names)
        }

    def place(name: str, m: int, k: int) -> int | None:
        by_metric = ranks[name]
        if by_metric is None or np.isnan(by_metric[m].rank[k]):
            return None
        return int(by_metric[m].rank[k])

    out = [
        JudgedClassifier(
            name,
            votes.groups[int(votes.group[k])] if votes.groups else None,
            int(labelled[k]),
            {own: estimates(own, one, k) for own, one in scored.items()},
            {
                own: {metric: place(own, m, k) for m, metric in enumerate(metrics.names)}
                for own in scored
            },
            {} if actual is None else estimates("direct", actual, k),
            place(method, 0, k),
        )
        for k, name in enumerate(votes.classifiers)
    ]
    by_score = scored[method].scores[0]
    order = sorted(
        range(len(out)),
        key=lambda k: (out[k].rank or np.inf, -np.nan_to_num(by_score[k], nan=-np.inf)),
    )
    return tuple(out[k] for k in order)


def _estimate(
    votes: Votes, metrics: Metrics, method: str, scored: Scored, m: int, k: int, level: float
) -> Estimate:
    value = float(scored.scores[m, k])
    if np.isnan(value):
        return Estimate(value, undefined=_why(votes, metrics, method, scored, m, k))
    draws = scored.draws[:, m, k]
    draws = draws[~np.isnan(draws)]
    variance = None if scored.covariance is None else float(scored.covariance[m, k, k])
    if variance is not None and np.isnan(variance):
        return Estimate(value)  # one item does not tell how much scores vary
    if len(draws):
        found = Estimate.from_draws(value, draws, level=level)
        how, low, high = found.method, found.low, found.high
    elif variance is not None:
        from scipy.special import ndtri  # pyright: ignore[reportMissingTypeStubs]

        reach = float(ndtri((1 + level) / 2) * np.sqrt(max(0.0, variance)))
        how, low, high = "normal, to first order", value - reach, value + reach
        low, high = max(0.0, low), min(1.0, high)
    else:
        return Estimate(value, method="exact")
    if not METHODS[method].informed:
        who = "groups" if METHODS[method].grouped else "classifiers"
        how += f", if {who} err independently"
    return Estimate(value, low, high, level, how)


def _why(votes: Votes, metrics: Metrics, method: str, scored: Scored, m: int, k: int) -> str:
    """Say why a score is undefined."""
    if scored.undefined is not None:
        return scored.undefined
    name, metric = votes.classifiers[k], metrics.names[m]
    label = "" if metrics.positive is None else f" '{votes.labels[metrics.positive]}'"
    if metric == "precision" and not np.isnan(scored.scores[:, k]).all():
        return f"'{name}' never gives{label or ' a label that others give'}"
    if METHODS[method].informed:
        return (
            f"'{name}' labelled no item with gold that is{label}"
            if label
            else (f"'{name}' labelled no item with gold")
        )
    return f"nobody else labelled the items of '{name}'"
