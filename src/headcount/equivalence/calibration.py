"""Calibration: make probabilities mean what they say, without seeing the labels they predict.

To add a way to calibrate, write its class here and put it into :data:`CALIBRATIONS`; users can
pass an object of their own with a `name`, a `softens` and a `fit`.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from headcount.data.predictions import Classifier
from headcount.equivalence.scorers.base import most_probable
from headcount.errors import ExtraError, OptionError, option, unknown_name
from headcount.stats.draws import folds
from headcount.stats.grouping import group_rows
from headcount.typing import Floats, Ids, Ints

__all__ = ["CALIBRATIONS", "Calibration", "as_calibration", "calibrated", "softening"]

FOLDS = 10
BINS = 10
FEW = 20
"""Predictions with at most so many different values are calibrated value by value."""


@runtime_checkable
class Calibration(Protocol):
    """A way to calibrate."""

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    @property
    def softens(self) -> bool:
        """Whether it makes probabilities of labels."""
        ...

    def fit(self, learned: Floats, shares: Floats, prediction: Floats) -> Floats:
        """Learn from predictions and label shares of some items; calibrate those of others.

        Parameters
        ----------
        learned, shares : (items, labels) arrays
            Predictions, and the share of each label among the reference raters.
        prediction : (others, labels) array

        Returns
        -------
        (others, labels) array
        """
        ...


class Isotonic:
    """A monotone function of each label's probability, then normalised (needs scikit-learn)."""

    name: str = "isotonic"
    softens: bool = False

    def fit(self, learned: Floats, shares: Floats, prediction: Floats) -> Floats:
        """Fit an isotonic regression a label."""
        regression = _sklearn("isotonic").IsotonicRegression
        base = _base(shares)
        # With two labels one regression says it all.
        columns = range(1, 2) if shares.shape[1] == 2 else range(shares.shape[1])
        fitted = np.empty_like(prediction)
        for column in columns:
            rule = regression(y_min=0, y_max=1, out_of_bounds="clip")
            rule.fit(learned[:, column], shares[:, column])
            fitted[:, column] = rule.predict(prediction[:, column])
        if shares.shape[1] == 2:
            fitted[:, 0] = 1 - fitted[:, 1]
        total = fitted.sum(axis=1, keepdims=True)
        fitted = np.where(total > 0, fitted / np.where(total > 0, total, 1), base)
        return _with_imaginary_item(fitted, base, len(learned))


class Empirical:
    """The share of each label among items with the same prediction.

    Or in the same tenth of predictions, if they have many values.
    """

    name: str = "empirical"
    softens: bool = True

    def fit(self, learned: Floats, shares: Floats, prediction: Floats) -> Floats:
        """Average the shares of each value or bin, one imaginary item included."""
        both = np.concatenate([learned, prediction])
        first, group = group_rows(np.round(both, 12).T)
        if len(first) > FEW:
            group = _binned(learned, both)
        base = _base(shares)
        size = int(group.max()) + 1
        total = np.zeros((size, shares.shape[1]))
        np.add.at(total, group[: len(learned)], shares)
        items = np.bincount(group[: len(learned)], minlength=size)[:, None]
        smoothed: Floats = (total + base) / (items + 1)
        return smoothed[group[len(learned) :]]


class Platt:
    """A logistic regression on the logarithms of the probabilities (needs scikit-learn)."""

    name: str = "platt"
    softens: bool = False

    def fit(self, learned: Floats, shares: Floats, prediction: Floats) -> Floats:
        """Fit a regression to one row an item and label, weighted by the label's share."""
        regression = _sklearn("linear_model").LogisticRegression
        base = _base(shares)
        if np.count_nonzero(shares.sum(axis=0)) < 2:
            return np.tile(base, (len(prediction), 1))

        def features(p: Floats) -> Floats:
            logs = np.log(np.maximum(p, 1e-12))
            return logs[:, 1:] - logs[:, :1]

        item, label = np.nonzero(shares)
        rule = regression(C=1e6, max_iter=1000)
        rule.fit(features(learned)[item], label, sample_weight=shares[item, label])
        fitted = np.zeros_like(prediction)
        fitted[:, rule.classes_] = rule.predict_proba(features(prediction))
        return _with_imaginary_item(fitted, base, len(learned))


CALIBRATIONS: dict[str, Calibration] = {c.name: c for c in (Isotonic(), Empirical(), Platt())}
"""Ways to calibrate, by name."""


def as_calibration(calibration: Any) -> Calibration:
    """Find a way to calibrate by name; an object that calibrates is returned as it is."""
    if isinstance(calibration, str):
        if calibration not in CALIBRATIONS:
            raise unknown_name(
                "calibration", calibration, list(CALIBRATIONS), option_name="calibrate"
            )
        return CALIBRATIONS[calibration]
    if not isinstance(calibration, Calibration):
        raise OptionError(
            f"{option('calibrate')} must be one of {', '.join(CALIBRATIONS)}, or an object with "
            f"name, softens and fit, not {type(calibration).__name__}."
        )
    return calibration


def softening(calibration: Calibration) -> Calibration:
    """Find what makes probabilities of labels: `calibration` itself, or the first that does."""
    if calibration.softens:
        return calibration
    return next(each for each in CALIBRATIONS.values() if each.softens)


def calibrated(
    classifier: Classifier, items: Ids, reference: Floats, calibration: Calibration, seed: int
) -> Classifier:
    r"""Calibrate a classifier, cross-fitted by item.

    Items are split into ten parts; predictions for the items of a part are calibrated by what the
    others teach, so that no prediction has seen the labels of its own item. The part of an item
    depends on its id and the seed alone.

    Parameters
    ----------
    classifier : Classifier
        A hard classifier becomes soft, by the empirical method where the one asked for does not
        make probabilities of labels.
    items : (items,) array
        Ids of the items.
    reference : (items, labels) array
        Share of each label among the reference raters of each item; each item weighs the same.
    calibration : Calibration
    seed : int

    Returns
    -------
    Classifier
        Soft, called ``name (calibration)``.

    Notes
    -----
    One imaginary item that answers as all the others do is added to what each value, bin or
    level was learned from, so that no probability is 0. O(items log items).
    """
    if classifier.kind == "hard":
        calibration = softening(calibration)
    number = min(FOLDS, len(reference))
    part = folds(items, number, seed)
    out = np.empty_like(classifier.probability)
    for fold in range(number):
        test, train = part == fold, part != fold
        if not train.any():
            out[test] = 1 / reference.shape[1]
            continue
        learned, shares = classifier.probability[train], reference[train]
        out[test] = calibration.fit(learned, shares, classifier.probability[test])
    return Classifier(f"{classifier.name} ({calibration.name})", "soft", out)


def _binned(learned: Floats, both: Floats) -> Ints:
    """Most probable label, and tenth of its probability among the items learned from."""
    label = np.argmax(most_probable(both), axis=1)
    top = both.max(axis=1)
    edges: Floats = np.asarray(
        np.quantile(learned.max(axis=1), np.linspace(0, 1, BINS + 1)[1:-1]), dtype=np.float64
    )
    tenth = np.searchsorted(edges, np.asarray(top, dtype=np.float64), side="right")
    return np.asarray(label * BINS + tenth, dtype=np.intp)


def _with_imaginary_item(fitted: Floats, base: Floats, n: int) -> Floats:
    return (n * fitted + base) / (n + 1)


def _base(shares: Floats) -> Floats:
    """Share of each label, with one imaginary item that gives each the same."""
    return (shares.sum(axis=0) + 1 / shares.shape[1]) / (len(shares) + 1)


def _sklearn(module: str) -> Any:
    from importlib import import_module

    try:
        return import_module(f"sklearn.{module}")
    except ImportError:
        raise ExtraError("this calibration", "scikit-learn", "learn") from None
