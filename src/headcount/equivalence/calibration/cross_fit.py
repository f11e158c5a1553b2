"""Cross-fitting: calibrate each item by what the others teach."""

from __future__ import annotations

import numpy as np

from headcount.data.classifiers import Classifier
from headcount.equivalence.calibration.base import Calibration, fitted
from headcount.equivalence.calibration.catalogue import softening
from headcount.equivalence.calibration.folding import FOLDS, Folded
from headcount.stats.grouping import group_rows
from headcount.typing import Codes, Floats, Ids

__all__ = ["FOLDS", "calibrated", "cross_fit"]


def cross_fit(
    prediction: Floats,
    items: Ids | Folded,
    reference: Floats,
    calibration: Calibration,
    seed: int,
    *,
    two_sided: bool = False,
    held_out: Floats | None = None,
) -> Floats:
    r"""Turn predictions into probabilities of raters' labels, cross-fitted by item.

    Items are split into ten parts; predictions for the items of a part are calibrated by what the
    others teach, so that no prediction has seen the labels of its own item. The part of an item
    depends on its id and the seed alone.

    Parameters
    ----------
    prediction : (items, columns) array
        Probabilities, chances of labels, or one column of numbers.
    items : (items,) array, or Folded
        Ids of the items; or, where rows stand for several items each, the folds of these.
    reference : (items, labels) array
        Share of each label among the reference raters of each item; each item weighs the same.
    calibration : Calibration
    seed : int
    two_sided : bool
        Whether to take the mean of these predictions and of those of the fit to all items. With d
        parameters and n items the score of the first errs by :math:`-d/2n` and that of the second
        by :math:`d/2n` (in nats, to first order), so that the mean has the score of what
        infinitely many items would teach.
    held_out : (items, labels) array, optional
        What it makes without `two_sided`, where that is known already.

    Returns
    -------
    (items, labels) array

    Notes
    -----
    One imaginary item that answers as all the others do is added to what each value, bin or
    level was learned from, so that no probability is 0; of names, fewer or more than one where
    held-out items are clearly more probable so. O(items log items).

    The mean of two predictions p and q scores more than the mean of their scores, by some
    :math:`\frac18 \sum (p - q)^2 / p`: a fortieth of what is corrected.
    """
    parts = items if isinstance(items, Folded) else Folded.of_items(items, seed)
    # Items that are alike are one cell, in sorted order: no digit depends on that of the rows.
    first, cell = group_rows([*prediction.T, *reference.T, parts.fold])
    weight = np.bincount(cell, parts.weight).astype(np.float64)
    said, shares = prediction[first], reference[first]
    out = held_out
    if out is None:
        out = _by_fold(said, parts.fold[first], shares, weight, calibration)[cell]
    if two_sided and min(FOLDS, parts.items) > 1:
        out = (out + fitted(calibration, said, shares, said, weight)[cell]) / 2
    return out


def _by_fold(
    said: Floats, part: Codes, shares: Floats, weight: Floats, calibration: Calibration
) -> Floats:
    """Calibrate the items of each fold by what the others teach."""
    out = np.empty(shares.shape)
    for fold in np.unique(part).tolist():
        test, train = part == fold, part != fold
        if not train.any():
            out[test] = 1 / shares.shape[1]
            continue
        out[test] = fitted(calibration, said[train], shares[train], said[test], weight[train])
    return out


def calibrated(
    classifier: Classifier, items: Ids, reference: Floats, calibration: Calibration, seed: int
) -> Classifier:
    """Calibrate a classifier that predicts raters' labels; see :func:`cross_fit`.

    A hard classifier becomes soft, by the empirical method where the one asked for does not make
    probabilities of labels. Its name becomes ``name (calibration)``.
    """
    if classifier.kind == "hard":
        calibration = softening(calibration)
    table = cross_fit(classifier.probability, items, reference, calibration, seed)
    return Classifier(f"{classifier.name} ({calibration.name})", "soft", table)
