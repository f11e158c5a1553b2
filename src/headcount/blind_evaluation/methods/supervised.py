"""The truth as learned from items with gold: a threshold, naive Bayes, and scikit-learn's rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headcount.blind_evaluation.methods.vote_truth import vote_shares, winners
from headcount.blind_evaluation.metrics import Metrics
from headcount.blind_evaluation.votes import Votes
from headcount.errors import ExtraError
from headcount.stats.sparse import Matrix, sparse
from headcount.typing import Codes, Floats

__all__ = ["NotPossible", "adaboost", "calibrated_majority", "glm", "naive_bayes", "svm"]

Learn = Callable[[Any, Codes, Floats, Any], Floats]
"""Learns from features, gold and weights of some rows; gives the truth of rows by features."""

Quality = Callable[[Floats, Floats, float, float], Floats]
"""How good a truth is: by true and false positives, of so many positive and negative items."""


class NotPossible(Exception):
    """The gold labels do not suffice for a method. The message is the reason, for a result."""


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
        How often each row counts: its multiplicity, or a bootstrap draw.
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
    found: dict[Quality, Floats] = {}
    for quality in dict.fromkeys(_QUALITY[name] for name in metrics.names):

        def learn(
            train: Floats, gold: Codes, known: Floats, rows: Floats, quality: Quality = quality
        ) -> Floats:
            return _thresholded(quality, metrics.positive, train, gold, known, rows)

        found[quality] = _cross_fitted(votes, weight, share, learn)
    return [found[_QUALITY[name]] for name in metrics.names]


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
        How often each row counts: its multiplicity, or a bootstrap draw.

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
    size = len(votes.labels)

    def learn(train: Matrix, gold: Codes, known: Floats, rows: Matrix) -> Floats:
        is_true = _one_hot(gold, size) * known[:, None]
        said = np.asarray(train.T @ is_true).reshape(-1, size, size)
        rate = np.log((said + 1) / (said.sum(axis=1, keepdims=True) + size))
        number = is_true.sum(axis=0)
        with np.errstate(divide="ignore"):
            prior = np.log(number / number.sum())
        log = np.asarray(rows @ rate.reshape(-1, size)) + prior
        odds = np.exp(log - log.max(axis=1, keepdims=True))
        return odds / odds.sum(axis=1, keepdims=True)

    return _cross_fitted(votes, weight, _features(votes), learn)


def glm(votes: Votes, weight: Floats) -> Floats:
    """Probability of each label by logistic regression on the votes: (rows, labels).

    With scikit-learn's default ridge penalty (C = 1), without which few gold labels and many
    classifiers have no finite optimum. Multinomial if there are more than two labels. A label
    without gold has probability 0.

    Raises
    ------
    NotPossible
        If the gold labels are too few.

    Notes
    -----
    A feature is whether a classifier gave a label; a missing vote is zeros. Cross-fitted: an item
    with gold gets what the other folds teach. One fit a fold, and one on all gold: some 10 ms
    each with hundreds of gold labels and tens of classifiers.

    References
    ----------
    Jung and Lease (2012), Section 3.4.3.
    """
    rule = _sklearn("linear_model").LogisticRegression

    def learn(train: Matrix, gold: Codes, known: Floats, rows: Matrix) -> Floats:
        fitted = rule(max_iter=10_000, tol=1e-6).fit(train, gold, sample_weight=known)
        truth = np.zeros((rows.shape[0], len(votes.labels)))
        truth[:, fitted.classes_] = fitted.predict_proba(rows)
        return truth

    return _cross_fitted(votes, weight, _features(votes), learn)


def svm(votes: Votes, weight: Floats) -> Floats:
    """Label by a linear support vector machine on the votes, as 0 or 1: (rows, labels).

    Squared hinge loss with scikit-learn's default penalty (C = 1); with more than two labels one
    against the rest. Features, folds and errors are those of :func:`glm`.

    References
    ----------
    Jung and Lease (2012), Section 3.4.4.
    """
    rule = _sklearn("svm").LinearSVC

    def learn(train: Matrix, gold: Codes, known: Floats, rows: Matrix) -> Floats:
        # The primal problem has one optimum and needs no random numbers.
        fitted = rule(dual=False, max_iter=10_000).fit(train, gold, sample_weight=known)
        return _one_hot(fitted.predict(rows), len(votes.labels))

    return _cross_fitted(votes, weight, _features(votes), learn)


def adaboost(votes: Votes, weight: Floats) -> Floats:
    """Label by AdaBoost on the votes, as 0 or 1: (rows, labels).

    Up to 50 stumps, each on one vote. Its probabilities are far too sure, so the label counts.
    Features, folds and errors are those of :func:`glm`; it takes several times as long.

    References
    ----------
    Jung and Lease (2012), Section 3.4.5.
    """
    rule = _sklearn("ensemble").AdaBoostClassifier

    def learn(train: Matrix, gold: Codes, known: Floats, rows: Matrix) -> Floats:
        try:
            fitted = rule(n_estimators=50, random_state=0).fit(train, gold, sample_weight=known)
        except ValueError as error:
            # So it ends if the first stump is no better than a guess.
            if "worse than random" not in str(error):
                raise
            raise NotPossible("no vote tells the gold labels apart") from None
        return _one_hot(fitted.predict(rows), len(votes.labels))

    return _cross_fitted(votes, weight, _features(votes), learn)


def _cross_fitted(votes: Votes, weight: Floats, features: Any, learn: Learn) -> Floats:
    """Truth of every row; of rows with gold, as learned from the gold of other folds."""
    known = (votes.gold >= 0) & (weight > 0)
    truth = np.zeros((len(weight), len(votes.labels)))

    def fill(train: Codes, rows: Codes, where: str) -> None:
        _check_enough(votes, train, where)
        if len(rows):
            learned = features[train], votes.gold[train], weight[train]
            truth[rows] = learn(*learned, features[rows])

    fill(np.flatnonzero(known), np.flatnonzero(votes.gold < 0), "")
    for part in np.unique(votes.fold[known]):
        mine = votes.fold == part
        where = "the gold labels from which one fold is predicted"
        fill(np.flatnonzero(known & ~mine), np.flatnonzero(mine), where)
    return truth


def _check_enough(votes: Votes, train: Codes, where: str) -> None:
    found = np.unique(votes.gold[train])
    if len(found) < 2:
        what = f"all are '{votes.labels[found[0]]}'" if len(found) else "there are none"
        of = f" in {where}" if where else ""
        raise NotPossible(f"too few gold labels: {what}{of}")


def _features(votes: Votes) -> Matrix:
    """Whether each classifier gave each label: a sparse (rows, classifiers * labels) matrix."""
    size = len(votes.labels)
    shape = (len(votes.multiplicity), len(votes.classifiers) * size)
    # scikit-learn's machines and trees take 32-bit indices only.
    row = votes.row.astype(np.int32)
    column = (votes.classifier * size + votes.label).astype(np.int32)
    return sparse(np.ones(len(row)), row, column, shape)


def _one_hot(codes: Codes, size: int) -> Floats:
    return np.equal.outer(codes, np.arange(size)).astype(np.float64)


def _accuracy(hit: Floats, false: Floats, positive: float, negative: float) -> Floats:
    return (hit + negative - false) / (positive + negative)


def _f_half(hit: Floats, false: Floats, positive: float, _: float) -> Floats:
    return 5 * hit / (4 * hit + 4 * false + positive)


def _f1(hit: Floats, false: Floats, positive: float, _: float) -> Floats:
    return 2 * hit / (hit + false + positive)


def _f1_of_negative(hit: Floats, false: Floats, positive: float, negative: float) -> Floats:
    return _f1(negative - false, positive - hit, negative, positive)


_QUALITY: dict[str, Quality] = {
    "accuracy": _accuracy,
    "precision": _f_half,
    "recall": _f1,
    "specificity": _f1_of_negative,
    "f1": _f1,
}
"""What is tuned for a metric."""


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


def _sklearn(module: str) -> Any:
    from importlib import import_module

    try:
        return import_module(f"sklearn.{module}")
    except ImportError:
        raise ExtraError("this method", "scikit-learn", "learn") from None
