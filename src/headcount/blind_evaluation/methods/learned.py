"""What scikit-learn's rules make of the votes: logistic regression, a linear SVM, AdaBoost."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from headcount.blind_evaluation.methods.base import Method, NotPossible, Scoring, against
from headcount.blind_evaluation.methods.cross_fitting import cross_fitted, features_of, one_hot
from headcount.blind_evaluation.methods.tasks import Task
from headcount.blind_evaluation.votes import Votes
from headcount.errors import ExtraError
from headcount.stats.sparse import Matrix
from headcount.typing import Codes, Floats

__all__ = ["GLM", "SVM", "AdaBoost", "adaboost", "glm", "svm"]


class Learned(Method):
    """A rule of scikit-learn, taught by gold."""

    informed = True
    learn = True

    @abstractmethod
    def truth(self, votes: Votes, weight: Floats) -> Floats:
        """Learn the probability of each label: (rows, labels)."""

    def score(self, task: Task) -> Scoring:
        """Score against what is learned, once."""
        return against(task, self.truth(task.votes, task.weight))


class GLM(Learned):
    """Logistic regression of gold on the votes."""

    name = "glm"
    short = "GLM"
    words = "logistic regression of gold on the votes is right"

    def truth(self, votes: Votes, weight: Floats) -> Floats:
        """Learn probabilities."""
        return glm(votes, weight)


class SVM(Learned):
    """A linear support vector machine on the votes."""

    name = "svm"
    short = "SVM"
    words = "a linear support vector machine on the votes is right"

    def truth(self, votes: Votes, weight: Floats) -> Floats:
        """Learn labels."""
        return svm(votes, weight)


class AdaBoost(Learned):
    """Boosted stumps on the votes."""

    name = "adaboost"
    short = "AdaBoost"
    words = "AdaBoost on the votes is right"

    def truth(self, votes: Votes, weight: Floats) -> Floats:
        """Learn labels."""
        return adaboost(votes, weight)


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

    return cross_fitted(votes, weight, features_of(votes), learn)


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
        return one_hot(fitted.predict(rows), len(votes.labels))

    return cross_fitted(votes, weight, features_of(votes), learn)


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
        return one_hot(fitted.predict(rows), len(votes.labels))

    return cross_fitted(votes, weight, features_of(votes), learn)


def _sklearn(module: str) -> Any:
    from importlib import import_module

    try:
        return import_module(f"sklearn.{module}")
    except ImportError:
        raise ExtraError("this method", "scikit-learn", "learn") from None
