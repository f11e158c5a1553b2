"""Cross-fitting: calibrate each item by what the others teach."""

from __future__ import annotations

import numpy as np

from headcount.data.classifiers import Classifier
from headcount.equivalence.calibration.base import Calibration
from headcount.equivalence.calibration.catalogue import softening
from headcount.stats.draws import folds
from headcount.typing import Floats, Ids

__all__ = ["FOLDS", "calibrated", "cross_fit"]

FOLDS = 10


def cross_fit(
    prediction: Floats,
    items: Ids,
    reference: Floats,
    calibration: Calibration,
    seed: int,
    *,
    two_sided: bool = False,
) -> Floats:
    r"""Turn predictions into probabilities of raters' labels, cross-fitted by item.

    Items are split into ten parts; predictions for the items of a part are calibrated by what the
    others teach, so that no prediction has seen the labels of its own item. The part of an item
    depends on its id and the seed alone.

    Parameters
    ----------
    prediction : (items, columns) array
        Probabilities, chances of labels, or one column of numbers.
    items : (items,) array
        Ids of the items.
    reference : (items, labels) array
        Share of each label among the reference raters of each item; each item weighs the same.
    calibration : Calibration
    seed : int
    two_sided : bool
        Whether to take the mean of these predictions and of those of the fit to all items. With d
        parameters and n items the score of the first errs by :math:`-d/2n` and that of the second
        by :math:`d/2n` (in nats, to first order), so that the mean has the score of what
        infinitely many items would teach.

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
    number = min(FOLDS, len(reference))
    part = folds(items, number, seed)
    out = np.empty(reference.shape)
    for fold in range(number):
        test, train = part == fold, part != fold
        if not train.any():
            out[test] = 1 / reference.shape[1]
            continue
        out[test] = calibration.fit(prediction[train], reference[train], prediction[test])
    if two_sided and number > 1:
        out = (out + calibration.fit(prediction, reference, prediction)) / 2
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
