"""Methods that need gold labels of some items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from headcount.blind_evaluation.metrics import Metrics, Quality
from headcount.blind_evaluation.scoring import (
    FixedTruth,
    Method,
    NotPossible,
    Scored,
    Scoring,
    Task,
    against,
    by_draw,
    covariance,
    gold_sizes,
    influence,
    tables,
)
from headcount.blind_evaluation.votes import Votes, shares_of_others, vote_shares, winners
from headcount.errors import ExtraError
from headcount.stats.arrays import Matrix, sparse
from headcount.typing import Codes, Flags, Floats

__all__ = [
    "Direct",
    "weighted_gold",
    "gold_truth",
    "rows_of",
    "features_of",
    "one_hot",
    "CalibratedMajority",
    "calibrated_majority",
    "NaiveBayes",
    "naive_bayes",
    "learner",
    "GLM",
    "SVM",
    "AdaBoost",
    "PPI",
    "Powered",
    "proxies",
    "narrowest",
    "powered_scores",
    "ppi",
]


# Direct evaluation: the gold labels of some items are the truth, and other items say nothing.


class Direct(FixedTruth):
    """Gold is true, and items without gold say nothing."""

    name = "direct"
    short = "direct"
    words = "items with gold are a random sample of all, or drawn with known probabilities"
    informed = True
    covers = True
    by_number = True

    def truth(self, votes: Votes) -> Floats:
        """Take the gold labels, each by the inverse of the probability that it was drawn with."""
        return weighted_gold(votes)

    def score(self, task: Task) -> Scoring:
        """Score on gold; how many labels there are tells how sure a score is."""
        votes, truth = task.votes, self.truth(task.votes)
        scoring = super().score(task)
        parts = influence(votes, truth, task.weight, task.metrics)
        sizes = gold_sizes(votes, truth, task.weight, task.metrics, parts, parts)
        return Scoring(replace(scoring.scored, sizes=sizes), None)

    def items(self, votes: Votes) -> int:
        """Count items with gold."""
        return int(votes.multiplicity[votes.gold >= 0].sum())


def rows_of(votes: Votes, rows: Flags) -> Votes:
    """Take some rows."""
    theirs = rows[votes.row]
    return replace(
        votes,
        start=np.concatenate([[0], np.cumsum(np.diff(votes.start)[rows])]),
        classifier=votes.classifier[theirs],
        label=votes.label[theirs],
        multiplicity=votes.multiplicity[rows],
        gold=votes.gold[rows],
        fold=votes.fold[rows],
        row_of=np.arange(int(rows.sum())),
        drawn=None if votes.drawn is None else votes.drawn[rows],
        soft=None if votes.soft is None else votes.soft[theirs],
    )


def weighted_gold(votes: Votes) -> Floats:
    """Gold label of each row, times how much it counts: (rows, labels). Zeros without gold.

    Scores against it are ratios of sums weighted by inverse probabilities (Hájek), which are right
    on average however items were drawn, if each could be.
    """
    return gold_truth(votes) * votes.gold_weight[:, None]


def gold_truth(votes: Votes) -> Floats:
    """Gold label of each row, as probabilities: (rows, labels). Zeros without gold.

    Scores against it are those of the whole population only if the items with gold are a random
    sample of it. O(rows x labels).

    Examples
    --------
    >>> from headcount import Labels
    >>> from headcount.blind_evaluation.votes import collect
    >>> labels = Labels.from_triples([1, 2, 3], ["a", "a", "a"], ["no", "yes", "no"])
    >>> votes = collect(labels, gold={1: "no", 2: "no"})
    >>> gold_truth(votes)[votes.row_of]
    array([[1., 0.],
           [1., 0.],
           [0., 0.]])

    References
    ----------
    Jung and Lease (2012), Section 3.3.
    """
    return np.equal.outer(votes.gold, np.arange(len(votes.labels))).astype(np.float64)


# A truth learned from items with gold, of which none sees its own.

Learn = Callable[[Any, Codes, Floats, Any], Floats]
"""Learns from features, gold and weights of some rows; gives the truth of rows by features."""


def cross_fitted(votes: Votes, weight: Floats, features: Any, learn: Learn) -> Floats:
    """Truth of every row; of rows with gold, as learned from the gold of other folds."""
    has_gold = (votes.gold >= 0) & (weight > 0)
    truth = np.zeros((len(weight), len(votes.labels)))

    def fill(train: Codes, rows: Codes, where: str) -> None:
        _check_enough(votes, train, where)
        if len(rows):
            learned = features[train], votes.gold[train], (weight * votes.gold_weight)[train]
            truth[rows] = learn(*learned, features[rows])

    fill(np.flatnonzero(has_gold), np.flatnonzero(votes.gold < 0), "")
    for part in np.unique(votes.fold[has_gold]):
        mine = votes.fold == part
        where = "the gold labels from which one fold is predicted"
        fill(np.flatnonzero(has_gold & ~mine), np.flatnonzero(mine), where)
    return truth


def cross_predicted(votes: Votes, weight: Floats, features: Any, learn: Learn) -> Floats:
    """Truth of every row by what folds teach: of rows with gold, all folds but their own.

    Rows without gold get the mean over the folds that are left out in turn, so that both kinds of
    rows are predicted by the same mixture of what was learned: the difference of their means is 0
    on average, whatever was learned (Zrnic and Candes, 2024).
    """
    has_gold = (votes.gold >= 0) & (weight > 0)
    counts = weight * votes.gold_weight
    parts = np.unique(votes.fold[has_gold])
    truth = np.zeros((len(weight), len(votes.labels)))
    others = np.flatnonzero(votes.gold < 0)
    for part in parts:
        mine = votes.fold == part
        train = np.flatnonzero(has_gold & ~mine)
        _check_enough(votes, train, "the gold labels from which one fold is predicted")
        learned = features[train], votes.gold[train], counts[train]
        rows = np.flatnonzero(mine)
        truth[rows] = learn(*learned, features[rows])
        if len(others):
            # A fold counts as its items do: folds are dealt by names, and not quite equal.
            share = counts[has_gold & mine].sum() / counts[has_gold].sum()
            truth[others] += share * learn(*learned, features[others])
    return truth


def _check_enough(votes: Votes, train: Codes, where: str) -> None:
    labels = np.unique(votes.gold[train])
    if len(labels) < 2:
        what = f"all are '{votes.labels[labels[0]]}'" if len(labels) else "there are none"
        of = f" in {where}" if where else ""
        raise NotPossible(f"too few gold labels: {what}{of}")


def features_of(votes: Votes) -> Matrix:
    """Whether each classifier gave each label: a sparse (rows, classifiers * labels) matrix.

    Probabilities of labels, where classifiers gave these.
    """
    size = len(votes.labels)
    shape = (len(votes.multiplicity), len(votes.classifiers) * size)
    # scikit-learn's machines and trees take 32-bit indices only.
    row = votes.row.astype(np.int32)
    if votes.soft is not None:
        first = votes.classifier.astype(np.int32) * size
        cells = (first[:, None] + np.arange(size, dtype=np.int32)).ravel()
        return sparse(votes.soft.ravel(), np.repeat(row, size), cells, shape)
    column = (votes.classifier * size + votes.label).astype(np.int32)
    return sparse(np.ones(len(row)), row, column, shape)


def one_hot(codes: Codes, size: int) -> Floats:
    """Write codes as rows of 0 and 1: (codes, size)."""
    return np.equal.outer(codes, np.arange(size)).astype(np.float64)


# Calibrated majority: a share of votes above a threshold that gold has taught.


class CalibratedMajority(Method):
    """A label whose share of votes is above a threshold is true; one threshold a metric."""

    name = "calibrated-majority"
    short = "calib. majority"
    words = "a label is right if its share of votes is above a threshold learned from gold"
    informed = True
    on_request = True
    refitted = True

    def score(self, task: Task) -> Scoring:
        """Score each metric against the truth that was tuned for it."""
        votes, metrics = task.votes, task.metrics
        truths = calibrated_majority(votes, task.weight, metrics)
        scores = self._scores(task, truths, task.weight)
        spread = [
            covariance(influence(votes, truth, task.weight, metrics), task.weight)[m]
            for m, truth in enumerate(truths)
        ]

        def again(weights: Floats) -> Floats:
            out = np.full((len(weights), *task.shape), np.nan)
            for draw, weight in zip(out, weights, strict=True):
                with suppress(NotPossible):
                    tuned = calibrated_majority(votes, weight, metrics)
                    draw[:] = self._scores(task, tuned, weight)
            return out

        scored = Scored(
            scores=scores, draws=scores[None][:0], covariance=np.stack(spread), truth=truths[0]
        )
        return Scoring(scored, again)

    def _scores(self, task: Task, truths: list[Floats], weight: Floats) -> Floats:
        return np.stack(
            [
                task.metrics.scores(tables(task.votes, truth, weight))[:, m]
                for m, truth in enumerate(truths)
            ]
        )


def calibrated_majority(votes: Votes, weight: Floats, metrics: Metrics) -> list[Floats]:
    r"""Threshold on the share of votes, tuned to gold: (rows, labels) for each metric.

    With two labels an item is positive if the share of votes for the positive label is above t
    (half positive if it is t). With more, label c has a threshold against all others, and the
    label with the largest share :math:`q_{mc} / t_c` is true; with all t = 1/2 that is the
    majority. Ties are shared equally.

    Parameters
    ----------
    votes : Votes
    weight : (rows,) array
        How often each row counts: its multiplicity, or a bootstrap sample.
    metrics : Metrics

    Returns
    -------
    list of (rows, labels) arrays
        One a metric.

    Raises
    ------
    NotPossible
        If the gold labels are too few.

    Notes
    -----
    The paper tunes t to make the metric of the truth itself, against gold, as good as can be.
    Alone, recall is best if all items are positive, specificity if none is, and precision if very
    few are; a truth like that tells nothing about a classifier. So what is tuned leans towards
    the metric, but has its best value in between: accuracy for accuracy; F1 for recall and F1;
    F1 of the negative label for specificity; for precision
    :math:`F_{1/2} = 5 TP / (4 TP + 4 FP + P)`, which weighs it above recall. Thresholds tried are
    1/2 and those half way between shares that occur; of equally good ones, that nearest to 1/2.

    Cross-fitted: an item with gold gets the thresholds learned from the other folds.
    O(folds x rows log rows).

    References
    ----------
    Jung and Lease (2012), Section 3.4.1.
    """
    share = vote_shares(votes)
    by_quality: dict[Quality, Floats] = {}
    for quality in dict.fromkeys(kind.quality for kind in metrics.kinds):

        def learn(
            train: Floats, gold: Codes, counts: Floats, rows: Floats, quality: Quality = quality
        ) -> Floats:
            return _thresholded(quality, metrics.positive, train, gold, counts, rows)

        by_quality[quality] = cross_fitted(votes, weight, share, learn)
    return [by_quality[kind.quality] for kind in metrics.kinds]


def _thresholded(
    quality: Quality,
    positive: int | None,
    share: Floats,
    gold: Codes,
    weight: Floats,
    rows: Floats,
) -> Floats:
    """Learn thresholds from some shares, and label others by them."""
    size = share.shape[1]
    if size == 2:
        label = 1 if positive is None else positive
        # Equally good thresholds on both sides of 1/2 count half each.
        best = _best_thresholds(quality, share[:, label], weight * (gold == label), weight)
        scale = np.stack([best if label == c else 1 - best for c in range(2)], axis=1)
        return np.mean([winners(rows / t) for t in scale], axis=0)
    scale = [
        _best_thresholds(quality, share[:, c], weight * (gold == c), weight)[0] for c in range(size)
    ]
    return winners(rows / np.array(scale))


def _best_thresholds(quality: Quality, share: Floats, is_true: Floats, weight: Floats) -> Floats:
    """Find the best threshold, or two if they are as near to 1/2, on either side."""
    positive = float(is_true.sum())
    negative = float(weight.sum()) - positive
    half = np.array([0.5])
    if not positive or not negative:
        return half
    value = np.unique(share)
    tried = np.concatenate([half, (value[1:] + value[:-1]) / 2])
    hit = _above(share, is_true, tried)
    false = _above(share, weight - is_true, tried)
    score = quality(hit, false, positive, negative)
    # Sums in another order may differ by rounding.
    best = np.unique(tried[score >= score.max() - 1e-12])
    away = np.abs(best - 0.5)
    return best[away <= away.min() + 1e-12]


def _above(share: Floats, weight: Floats, threshold: Floats) -> Floats:
    """Weight of the shares above each threshold, and half the weight of those that are equal."""
    order = np.argsort(share)
    total = np.concatenate([np.cumsum(weight[order][::-1])[::-1], [0.0]])
    first = np.searchsorted(share, threshold, side="left", sorter=order)
    last = np.searchsorted(share, threshold, side="right", sorter=order)
    return (total[first] + total[last]) / 2


# Naive Bayes: classifiers err independently, at rates that gold has taught.


class NaiveBayes(Method):
    """The posterior of labels if classifiers err independently, as often as on gold."""

    name = "naive-bayes"
    short = "naive Bayes"
    words = "classifiers err independently, at rates learned from gold"
    informed = True
    on_request = True
    refitted = True

    def score(self, task: Task) -> Scoring:
        """Score against what is learned, which is learned anew in every bootstrap sample."""
        scoring = against(task, naive_bayes(task.votes, task.weight))
        return replace(scoring, again=by_draw(task, lambda weight: naive_bayes(task.votes, weight)))


def naive_bayes(votes: Votes, weight: Floats) -> Floats:
    r"""Probability of each label if classifiers err independently: (rows, labels).

    .. math:: p_{mc} \propto \frac{n_c}{n} \prod_k \frac{n_{kc l_{mk}} + 1}{n_{kc} + L}

    Of the n items with gold, :math:`n_c` have label c; classifier k gave a label to
    :math:`n_{kc}` of them, and label l to :math:`n_{kcl}`. Missing votes have no factor. A label
    without gold has probability 0.

    Parameters
    ----------
    votes : Votes
    weight : (rows,) array
        How often each row counts: its multiplicity, or a bootstrap sample.

    Raises
    ------
    NotPossible
        If the gold labels are too few.

    Notes
    -----
    Cross-fitted: an item with gold gets what the other folds teach. O(folds x votes x labels).

    References
    ----------
    Jung and Lease (2012), Equation 6 (which takes the likeliest label), after Snow et al. (2008).

    Examples
    --------
    >>> from headcount import Labels
    >>> from headcount.blind_evaluation.votes import collect
    >>> items, said = list(range(8)) * 2, list("nnnnyyyy" "nnnyyyyy")
    >>> labels = Labels.from_triples(items, ["a"] * 8 + ["b"] * 8, said)
    >>> votes = collect(labels, gold={i: "ny"[i > 3] for i in range(6)}, folds=2)
    >>> truth = naive_bayes(votes, votes.multiplicity.astype(float))
    >>> truth[votes.row_of[7]].round(3)  # both say yes: odds (2 / 4)(3 / 4)(3 / 4) / (1 / 6)(2 / 6)
    array([0.165, 0.835])
    """
    return cross_fitted(votes, weight, features_of(votes), learner(votes))


def learner(votes: Votes, vote_weight: Floats | None = None) -> Learn:
    """Make what learns error rates from some rows, and tells the truth of others by them.

    `vote_weight` is that of each classifier's vote; 1 by default.
    """
    size = len(votes.labels)
    counted = 1.0 if vote_weight is None else vote_weight[:, None, None]

    def learn(train: Matrix, gold: Codes, times: Floats, rows: Matrix) -> Floats:
        is_true = one_hot(gold, size) * times[:, None]
        counts = np.asarray(train.T @ is_true).reshape(-1, size, size)
        rate = np.log((counts + 1) / (counts.sum(axis=1, keepdims=True) + size))
        number = is_true.sum(axis=0)
        with np.errstate(divide="ignore"):
            prior = np.log(number / number.sum())
        log = np.asarray(rows @ (rate * counted).reshape(-1, size)) + prior
        odds = np.exp(log - log.max(axis=1, keepdims=True))
        return odds / odds.sum(axis=1, keepdims=True)

    return learn


# What scikit-learn's rules make of the votes: logistic regression, a linear SVM, AdaBoost.


class Learned(Method):
    """A rule of scikit-learn with its default penalty, taught by gold.

    A feature is whether a classifier gave a label; a missing vote is zeros. Cross-fitted: an item
    with gold gets what the other folds teach. One fit a fold, and one on all gold. A label without
    gold has probability 0. Labels count as 0 or 1 unless `probable`.

    References
    ----------
    Jung and Lease (2012), Sections 3.4.3 to 3.4.5.
    """

    informed = True
    on_request = True
    learn = True
    rule: str
    options: ClassVar[Mapping[str, Any]]
    probable = False

    def score(self, task: Task) -> Scoring:
        """Score against what is learned, once."""
        return against(task, self.truth(task.votes, task.weight))

    def truth(self, votes: Votes, weight: Floats) -> Floats:
        """Learn the probability of each label: (rows, labels); NotPossible from too little gold."""
        module, rule = self.rule.split(".")
        try:
            make = getattr(import_module(f"sklearn.{module}"), rule)
        except ImportError:
            raise ExtraError("this method", "scikit-learn", "learn") from None

        def learn(train: Matrix, gold: Codes, times: Floats, rows: Matrix) -> Floats:
            try:
                fitted = make(**self.options).fit(train, gold, sample_weight=times)
            except ValueError as error:
                # So AdaBoost ends if the first stump is no better than a guess.
                if "worse than random" not in str(error):
                    raise
                raise NotPossible("no vote tells the gold labels apart") from None
            if not self.probable:
                return one_hot(fitted.predict(rows), len(votes.labels))
            truth = np.zeros((rows.shape[0], len(votes.labels)))
            truth[:, fitted.classes_] = fitted.predict_proba(rows)
            return truth

        return cross_fitted(votes, weight, features_of(votes), learn)


class GLM(Learned):
    """Logistic regression of gold on the votes; multinomial with more than two labels."""

    name = "glm"
    short = "GLM"
    words = "logistic regression of gold on the votes is right"
    rule = "linear_model.LogisticRegression"
    options = MappingProxyType({"max_iter": 10_000, "tol": 1e-6})
    probable = True


class SVM(Learned):
    """A linear support vector machine; with more than two labels one against the rest.

    The primal problem has one optimum and needs no random numbers.
    """

    name = "svm"
    short = "SVM"
    words = "a linear support vector machine on the votes is right"
    rule = "svm.LinearSVC"
    options = MappingProxyType({"dual": False, "max_iter": 10_000})


class AdaBoost(Learned):
    """Up to 50 stumps, each on one vote. Its probabilities are far too sure: the label counts."""

    name = "adaboost"
    short = "AdaBoost"
    words = "AdaBoost on the votes is right"
    rule = "ensemble.AdaBoostClassifier"
    options = MappingProxyType({"n_estimators": 50, "random_state": 0})


# Prediction-powered estimates: gold labels of some items, votes on all.

UNSEEN = 1.25
"""Errors that tests allow for beside those that were seen. What votes do not explain is in few
items, so that its variance is known badly: with 1, four equal judges were told apart in .08 of
data sets with hard items and 50 gold labels (docs/studies/blind.md)."""


class PPI(Method):
    """Gold is true, and votes make scores more precise (prediction-powered inference)."""

    name = "ppi"
    short = "PPI"
    words = "items with gold are a random sample of all, or drawn with known probabilities"
    informed = True
    covers = True
    by_number = True

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
        :func:`headcount.blind_evaluation.scoring.influence`.
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


def narrowest(ways: Sequence[Powered], weight: Floats) -> Powered:
    r"""Take for each metric and classifier the scores of the least variance; the first of equals.

    The variance is :math:`V = \sum_m w_m z_m^2`, with z the influence of an item on the score. So
    no interval is wider than with the first alone. The least of two estimates is a little too
    small; the study of gold intervals has it in.
    """
    variance = np.stack([[(z * z) @ weight for z in way.parts] for way in ways])
    # Votes that tell nothing leave the same score by all, up to rounding.
    better = variance[1:] < variance[0] * (1 - 1e-9)
    best = np.where(better.any(axis=0), variance.argmin(axis=0), 0)

    def best_of(each: Sequence[Floats]) -> Floats:
        return np.take_along_axis(np.stack(each), best[None], axis=0)[0]

    parts: list[Matrix] = []
    for m in range(len(best)):
        mine = [way.parts[m] * (best[m] == n)[:, None] for n, way in enumerate(ways)]
        parts.append(sum(mine[1:], start=mine[0]))
    return Powered(
        best_of([way.scores for way in ways]), best_of([way.power for way in ways]), parts
    )


def powered_scores(votes: Votes, weight: Floats, metrics: Metrics) -> Scored:
    r"""Score by the proxy of the truth that makes each interval narrowest.

    Most of the variance is from the n items with gold, from which a mean and a slope were found:
    the covariance is :math:`\frac{n}{n - 2} \sum_m w_m z_{km} z_{lm}`, nan where n is 2 or less.
    """
    powered = narrowest(
        [ppi(votes, weight, metrics, proxy) for proxy in proxies(votes, weight)], weight
    )
    truth, n = weighted_gold(votes), float(weight[votes.gold >= 0].sum())
    by_gold = influence(votes, truth, weight, metrics)
    sizes = gold_sizes(votes, truth, weight, metrics, by_gold, powered.parts)
    return Scored(
        scores=powered.scores,
        draws=powered.scores[None][:0],
        covariance=covariance(powered.parts, weight, n / 2),  # scaled by (n / 2) / (n / 2 - 1)
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
        :func:`headcount.blind_evaluation.votes.shares_of_others`; zeros where there
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
    :func:`headcount.blind_evaluation.scoring.covariance` of the parts gives standard
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
    >>> from headcount.blind_evaluation.votes import shares_of_others
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
    proxy_parts = influence(votes, proxy[0], weight, metrics)
    share, rest = np.ones(1), np.zeros(1)
    if votes.drawn is not None:
        # Of items without gold, those that have some stand for as many as they count, less one.
        with_gold = weight * (votes.gold >= 0)
        every = influence(votes, proxy[1], weight, metrics)
        rest = np.array([(u * u) @ (with_gold * (votes.gold_weight - 1)) for u in every])
        proxy_parts = [k - u for k, u in zip(proxy_parts, every, strict=True)]
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
    together = np.array([(g * k) @ weight for g, k in zip(gold, proxy_parts, strict=True)])
    spread = np.array([(k * k) @ weight for k in proxy_parts]) + rest
    slope = np.divide(together, spread, out=np.zeros_like(spread), where=spread > 1e-30)
    return np.clip(slope * share, 0, 1)


def _split(votes: Votes, by_vote: Floats) -> tuple[Floats, Floats]:
    """Proxy on items with gold, and on the others; zeros elsewhere.

    Where items with gold were drawn by probabilities that differ, the others are not like them:
    then gold is weighted, and compared with all items.
    """
    has_gold = (votes.gold >= 0)[votes.row, None]
    if votes.drawn is not None:
        return by_vote * has_gold * votes.gold_weight[votes.row, None], by_vote
    return by_vote * has_gold, by_vote * ~has_gold


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
