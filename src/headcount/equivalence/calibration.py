"""Calibration: make probabilities mean what they say, without seeing the labels they predict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.data.predictions import Classifier
from headcount.equivalence.scorers.base import most_probable
from headcount.errors import ExtraError, unknown_name
from headcount.stats.grouping import group_rows
from headcount.typing import Floats

__all__ = ["CALIBRATIONS", "Reliability", "calibrated", "reliability"]

Fit = Callable[[Floats, Floats, Floats], Floats]
"""Learns from predictions and label shares of some items; calibrates predictions of others."""

FOLDS = 10
BINS = 10
FEW = 20
"""Predictions with at most so many different values are calibrated value by value."""


def calibrated(
    classifier: Classifier, reference: Floats, method: str, rng: np.random.Generator
) -> Classifier:
    r"""Calibrate a classifier, cross-fitted by item.

    Items are split at random into ten parts; predictions for the items of a part are calibrated
    by what the others teach, so that no prediction has seen the labels of its own item.

    Parameters
    ----------
    classifier : Classifier
        A hard classifier becomes soft, by the empirical method whatever the method asked for.
    reference : (items, labels) array
        Share of each label among the reference raters of each item; each item weighs the same.
    method : {"isotonic", "empirical", "platt"}
        A monotone function of each label's probability (then normalised); the share of each
        label among items with the same prediction, or in the same tenth of predictions if they
        have many values; or a logistic regression on the logarithms of the probabilities.
    rng : Generator

    Returns
    -------
    Classifier
        Soft, called ``name (method)``.

    Notes
    -----
    One imaginary item that answers as all the others do is added to what each value, bin or
    level was learned from, so that no probability is 0. Isotonic and platt need scikit-learn.
    O(items log items).
    """
    if method not in CALIBRATIONS:
        raise unknown_name("calibration", method, list(CALIBRATIONS))
    if classifier.kind == "hard":
        method = "empirical"
    fit = CALIBRATIONS[method]
    n = len(reference)
    part = rng.permutation(n) % min(FOLDS, n)
    out = np.empty_like(classifier.probability)
    for fold in range(min(FOLDS, n)):
        test, train = part == fold, part != fold
        if not train.any():
            out[test] = 1 / reference.shape[1]
            continue
        learned, shares = classifier.probability[train], reference[train]
        out[test] = fit(learned, shares, classifier.probability[test])
    return Classifier(f"{classifier.name} ({method})", "soft", out)


def _empirical(learned: Floats, shares: Floats, prediction: Floats) -> Floats:
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


def _binned(learned: Floats, both: Floats) -> NDArray[np.intp]:
    """Most probable label, and tenth of its probability among the items learned from."""
    label = np.argmax(most_probable(both), axis=1)
    top = both.max(axis=1)
    edges: Floats = np.asarray(
        np.quantile(learned.max(axis=1), np.linspace(0, 1, BINS + 1)[1:-1]), dtype=np.float64
    )
    tenth = np.searchsorted(edges, np.asarray(top, dtype=np.float64), side="right")
    return np.asarray(label * BINS + tenth, dtype=np.intp)


def _isotonic(learned: Floats, shares: Floats, prediction: Floats) -> Floats:
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


def _platt(learned: Floats, shares: Floats, prediction: Floats) -> Floats:
    regression = _sklearn("linear_model").LogisticRegression
    base = _base(shares)
    if np.count_nonzero(shares.sum(axis=0)) < 2:
        return np.tile(base, (len(prediction), 1))

    def features(p: Floats) -> Floats:
        logs = np.log(np.maximum(p, 1e-12))
        return logs[:, 1:] - logs[:, :1]

    # A row an item and label, weighted by how many of its raters gave the label.
    item, label = np.nonzero(shares)
    rule = regression(C=1e6, max_iter=1000)
    rule.fit(features(learned)[item], label, sample_weight=shares[item, label])
    fitted = np.zeros_like(prediction)
    fitted[:, rule.classes_] = rule.predict_proba(features(prediction))
    return _with_imaginary_item(fitted, base, len(learned))


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


CALIBRATIONS: dict[str, Fit] = {
    "isotonic": _isotonic,
    "empirical": _empirical,
    "platt": _platt,
}


@dataclass(frozen=True)
class Reliability:
    """How often raters give a label, among items where a classifier gives it some probability.

    Parameters
    ----------
    name : str
        The classifier.
    label : str
        The label looked at; "any label" where there are more than two.
    predicted, observed : tuple of float
        Mean probability, and share of raters, in each bin.
    error : tuple of float
        Standard error of the share, over items.
    items : tuple of int
        Items in each bin.
    """

    name: str
    label: str
    predicted: tuple[float, ...]
    observed: tuple[float, ...]
    error: tuple[float, ...]
    items: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "name": self.name,
            "label": self.label,
            "bins": [
                {"predicted": p, "observed": o, "error": e, "items": n}
                for p, o, e, n in zip(
                    self.predicted, self.observed, self.error, self.items, strict=True
                )
            ],
        }


def reliability(
    classifier: Classifier, reference: Floats, labels: tuple[str, ...], positive: str | None
) -> Reliability:
    """Bin a classifier's probabilities into tenths, and compare with the shares of raters.

    With two labels, or a positive one, that label; else all labels together, each against the
    rest. O(items log items).
    """
    if positive is not None or len(labels) == 2:
        name = positive if positive is not None else labels[1]
        column = labels.index(name)
        p, share = classifier.probability[:, column], reference[:, column]
    else:
        name, p, share = "any label", classifier.probability.ravel(), reference.ravel()
    # Calibrated in parts, one value becomes ten that hardly differ: they are one bin.
    values, group = np.unique(np.round(p, 2), return_inverse=True)
    if len(values) > FEW:
        edges = np.asarray(np.quantile(p, np.linspace(0, 1, BINS + 1)[1:-1]), dtype=np.float64)
        _, group = np.unique(np.searchsorted(edges, p, side="right"), return_inverse=True)
    n = np.bincount(group)
    predicted, observed = np.bincount(group, p) / n, np.bincount(group, share) / n
    spread = np.maximum(np.bincount(group, share**2) / n - observed**2, 0)
    return Reliability(
        classifier.name,
        name,
        tuple(predicted.tolist()),
        tuple(observed.tolist()),
        tuple(np.sqrt(spread / np.maximum(n - 1, 1)).tolist()),
        tuple(n.tolist()),
    )
