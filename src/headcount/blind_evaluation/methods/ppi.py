"""Prediction-powered estimates: gold labels of some items, votes on all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from headcount.blind_evaluation.methods.base import Method, NotPossible, Scored, Scoring, Situation
from headcount.blind_evaluation.methods.cross_fitting import cross_predicted, features_of
from headcount.blind_evaluation.methods.direct import weighted_gold
from headcount.blind_evaluation.methods.naive_bayes import learner
from headcount.blind_evaluation.methods.tasks import Task
from headcount.blind_evaluation.methods.vote_truth import shares_of_others
from headcount.blind_evaluation.metrics import Metrics
from headcount.blind_evaluation.scoring.gold_sizes import gold_sizes
from headcount.blind_evaluation.scoring.tables import covariance, influence, tables
from headcount.blind_evaluation.votes import Votes
from headcount.stats.sparse import Matrix
from headcount.typing import Floats

__all__ = [
    "PPI",
    "Powered",
    "narrowest",
    "powered_scores",
    "ppi",
    "ppi_scores",
    "proxies",
]

UNSEEN = 1.25
"""Errors that tests allow for beside those that were seen. What votes do not explain is in few
items, so that its variance is known badly: with 1, four equal judges were told apart in .08 of
data sets with hard items and 50 gold labels (docs/studies/blind_gold.md)."""


class PPI(Method):
    """Gold is true, and votes make scores more precise (prediction-powered inference)."""

    name = "ppi"
    short = "PPI"
    words = "items with gold are a random sample of all, or drawn with known probabilities"
    informed = True
    covers = True
    by_number = True
    ranks_when = MappingProxyType({Situation.GOLD: 1})
    look = 5

    def score(self, task: Task) -> Scoring:
        """Score with the proxy of the truth that makes each interval narrowest."""
        return Scoring(powered_scores(task.votes, task.weight, task.metrics), None)


@dataclass(frozen=True, eq=False)
class Powered:
    """Scores by prediction-powered inference.

    Parameters
    ----------
    scores : (metrics, classifiers) array
        Nan where gold leaves a score undefined.
    power : (metrics, classifiers) array
        How much the votes count, from 0 (only gold does) to 1.
    parts : list of sparse (classifiers, rows) arrays
        What one item of each row adds to the error of each score, one a metric, as of
        :func:`headcount.blind_evaluation.scoring.tables.influence`.
    """

    scores: Floats
    power: Floats
    parts: list[Matrix]


def proxies(votes: Votes, weight: Floats) -> Iterator[Floats]:
    """Make what can stand in for the truth: shares of votes, and what gold taught of the voters.

    The second is naive Bayes, cross-predicted, in which every group has one vote. It is left out
    where a fold of the gold labels has one label only.
    """
    yield shares_of_others(votes)
    learn = learner(votes, votes.group_weight)
    with suppress(NotPossible):
        yield cross_predicted(votes, weight, features_of(votes), learn)


def narrowest(found: Sequence[Powered], weight: Floats) -> Powered:
    r"""Take for each metric and classifier the scores of the least variance; the first of equals.

    The variance is :math:`V = \sum_m w_m z_m^2`, with z the influence of an item on the score. So
    no interval is wider than with the first alone. The least of two estimates is a little too
    small; the study of gold intervals has it in.
    """
    variance = np.stack([[(z * z) @ weight for z in one.parts] for one in found])
    # Votes that tell nothing leave the same score by all, up to rounding.
    better = variance[1:] < variance[0] * (1 - 1e-9)
    best = np.where(better.any(axis=0), variance.argmin(axis=0), 0)

    def taken(each: Sequence[Floats]) -> Floats:
        return np.take_along_axis(np.stack(each), best[None], axis=0)[0]

    parts: list[Matrix] = []
    for m in range(len(best)):
        mine = [one.parts[m] * (best[m] == n)[:, None] for n, one in enumerate(found)]
        parts.append(sum(mine[1:], start=mine[0]))
    return Powered(taken([one.scores for one in found]), taken([one.power for one in found]), parts)


def powered_scores(votes: Votes, weight: Floats, metrics: Metrics) -> Scored:
    r"""Score by the proxy of the truth that makes each interval narrowest.

    Most of the variance is from the n items with gold, from which a mean and a slope were found:
    the covariance is :math:`\frac{n}{n - 2} \sum_m w_m z_{km} z_{lm}`, nan where n is 2 or less.
    """
    found = narrowest(
        [ppi(votes, weight, metrics, proxy) for proxy in proxies(votes, weight)], weight
    )
    truth, n = weighted_gold(votes), float(weight[votes.gold >= 0].sum())
    by_gold = influence(votes, truth, weight, metrics)
    sizes = gold_sizes(votes, truth, weight, metrics, by_gold, found.parts)
    return Scored(
        scores=found.scores,
        draws=found.scores[None][:0],
        covariance=covariance(found.parts, weight, n / 2),  # scaled by (n / 2) / (n / 2 - 1)
        sizes=replace(sizes, added=UNSEEN * sizes.added),
    )


def ppi(
    votes: Votes, weight: Floats, metrics: Metrics, proxy: Floats, power: Floats | None = None
) -> Powered:
    r"""Score classifiers by gold, and let the votes on other items make the scores more precise.

    With the n items that have gold (L) and the N others (U), and a proxy of the truth on all,

    .. math:: \hat\theta = \theta_L(\text{gold})
        + \lambda (\theta_U(\text{proxy}) - \theta_L(\text{proxy})).

    The bracket has mean 0 whatever the proxy is worth, if the items with gold are a random
    sample of all items. The better the proxy, the more of the error of the first term it takes
    away. The variance is least for

    .. math:: \lambda = \frac{\mathrm{Cov}_L(z(\text{gold}), z(\text{proxy}))}
        {(1 + n / N) \mathrm{Var}_L(z(\text{proxy}))},

    with z the influence of an item on the score; clipped to [0, 1], one for each metric and
    classifier. For accuracy, a mean, this is PPI++ but for the variance, which there is that of
    all items. Then :math:`\lambda` grows with the number of errors among the items with gold, and
    pulls scores up more than down: a judge of .98 with gold for 200 of 500 items came out .4
    standard errors too high, and 95% intervals held .91. A slope on the same items does not (.13,
    and .96). The same works for ratios, to first order in 1 / n.

    Parameters
    ----------
    votes : Votes
    weight : (rows,) array
        How often each row counts: its multiplicity, or a bootstrap sample.
    metrics : Metrics
    proxy : (rows, labels) or (votes, labels) array
        Probabilities of the labels, such as
        :func:`headcount.blind_evaluation.methods.vote_truth.shares_of_others`; zeros where there
        are none. Of an item with gold they must not have been learned from its own label.
    power : (metrics, classifiers) array, optional
        :math:`\lambda`, if it is not to be found.

    Notes
    -----
    Where all items have gold, or the proxy is undefined, the scores are those of gold alone.
    Items that a classifier left out are no items for it. Where items with gold were drawn with
    probabilities :math:`\pi_i` (`votes.drawn`), they count :math:`1 / \pi_i`, U is all items, and
    :math:`\lambda` the regression of the influences by gold on those of the bracket, on items with
    gold.
    :func:`headcount.blind_evaluation.scoring.tables.covariance` of the parts gives standard
    errors, and tests between classifiers. O(votes x labels x metrics).

    References
    ----------
    Angelopoulos, Duchi and Zrnic (2023), PPI++: efficient prediction-powered inference,
    Section 6; Angelopoulos et al. (2023), Prediction-powered inference, Science 382; Zrnic and
    Candes (2024), Cross-prediction-powered inference, PNAS 121.

    Examples
    --------
    >>> from headcount import Labels
    >>> from headcount.blind_evaluation.metrics import choose_metrics
    >>> from headcount.blind_evaluation.methods.vote_truth import shares_of_others
    >>> from headcount.blind_evaluation.votes import collect
    >>> items, said = list(range(6)) * 3, list("nnyyny" "nnyyyy" "nyyyny")
    >>> labels = Labels.from_triples(items, [k for k in "abc" for _ in range(6)], said)
    >>> votes = collect(labels, gold={0: "n", 1: "y", 2: "y"})
    >>> metrics = choose_metrics(votes.labels, names=["accuracy"])
    >>> found = ppi(votes, votes.multiplicity.astype(float), metrics, shares_of_others(votes))
    >>> found.scores.round(3), found.power.round(3)
    (array([[0.667, 0.5  , 1.   ]]), array([[1., 1., 0.]]))
    """
    by_vote = proxy[votes.row] if len(proxy) != len(votes.label) else proxy
    on_gold, elsewhere = _split(votes, by_vote)
    gold = influence(votes, weighted_gold(votes), weight, metrics)
    if power is None:
        power = _power(votes, weight, metrics, (on_gold, elsewhere), gold)
    scores, used = _combined(votes, weight, metrics, power, (on_gold, elsewhere))
    parts = [
        g + (u - k) * lam[:, None]
        for g, k, u, lam in zip(
            gold,
            influence(votes, on_gold, weight, metrics),
            influence(votes, elsewhere, weight, metrics),
            used,
            strict=True,
        )
    ]
    return Powered(scores, used, parts)


def _power(
    votes: Votes,
    weight: Floats,
    metrics: Metrics,
    proxy: tuple[Floats, Floats],
    gold: list[Matrix],
) -> Floats:
    """Find how much the proxy is to count, from 0 to 1, for the least variance."""
    known = influence(votes, proxy[0], weight, metrics)
    share, rest = np.ones(1), np.zeros(1)
    if votes.drawn is not None:
        # Of items without gold, those that have some stand for as many as they count, less one.
        with_gold = weight * (votes.gold >= 0)
        every = influence(votes, proxy[1], weight, metrics)
        rest = np.array([(u * u) @ (with_gold * (votes.gold_weight - 1)) for u in every])
        known = [k - u for k, u in zip(known, every, strict=True)]
        weight = with_gold
    else:
        # Without gold are N of n + N items that have a proxy, which is 1 / (1 + n / N).
        here, elsewhere = (
            np.bincount(
                votes.classifier,
                weight[votes.row] * (part.sum(axis=1) > 0),
                minlength=len(votes.classifiers),
            )
            for part in proxy
        )
        total = here + elsewhere
        share = np.divide(elsewhere, total, out=np.zeros(len(total)), where=total > 0)
    together = np.array([(g * k) @ weight for g, k in zip(gold, known, strict=True)])
    spread = np.array([(k * k) @ weight for k in known]) + rest
    slope = np.divide(together, spread, out=np.zeros_like(spread), where=spread > 1e-30)
    return np.clip(slope * share, 0, 1)


def ppi_scores(
    votes: Votes, weight: Floats, metrics: Metrics, proxy: Floats, power: Floats
) -> Floats:
    r"""Prediction-powered scores with given weights of the votes: (..., metrics, classifiers).

    For bootstrap samples of all items, those with gold and others together. The error of
    :math:`\lambda` is of second order in that of the score, so one found on the data serves all
    draws.

    Parameters
    ----------
    weight : (..., rows) array
    power : (metrics, classifiers) array
        As :func:`ppi` found it.

    Notes
    -----
    O(votes x labels) a draw.
    """
    by_vote = proxy[votes.row] if len(proxy) != len(votes.label) else proxy
    return _combined(votes, weight, metrics, power, _split(votes, by_vote))[0]


def _split(votes: Votes, by_vote: Floats) -> tuple[Floats, Floats]:
    """Proxy on items with gold, and on the others; zeros elsewhere.

    Where items with gold were drawn by probabilities that differ, the others are not like them:
    then gold is weighted, and compared with all items.
    """
    known = (votes.gold >= 0)[votes.row, None]
    if votes.drawn is not None:
        return by_vote * known * votes.gold_weight[votes.row, None], by_vote
    return by_vote * known, by_vote * ~known


def _combined(
    votes: Votes, weight: Floats, metrics: Metrics, power: Floats, proxy: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """Scores, and the weights of the votes: 0 where the proxy gives no score."""
    gold, on_gold, elsewhere = (
        np.swapaxes(metrics.scores(tables(votes, truth, weight)), -1, -2)
        for truth in (weighted_gold(votes), *proxy)
    )
    change = elsewhere - on_gold
    used = np.where(np.isnan(change), 0.0, power)
    return gold + used * np.nan_to_num(change), used
