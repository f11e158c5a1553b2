"""Answers of a simulated crowd to given comparisons of items whose true values are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import md5

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.data.vocabulary import encode
from headcount.errors import DataError, some
from headcount.simulation.labelling import Streams, draw_truth, rater_names
from headcount.simulation.labelling_model import LabellingModel

__all__ = ["simulate_answers"]


def simulate_answers(
    left: Sequence[object],
    right: Sequence[object],
    truth: Mapping[str, float],
    model: LabellingModel,
    *,
    seed: int = 0,
) -> Comparisons:
    """Have a simulated crowd compare pairs of items.

    Raters, and what each perceives in each item, depend on the seed alone, so that the same crowd
    answers one batch after another. Who answers a pair depends on the batch as well.

    Parameters
    ----------
    left, right : sequence
        Items of each pair.
    truth : mapping of str to float
        True values of all items.
    model : LabellingModel
        The crowd; its items, comparisons and votes do not matter.
    seed : int

    Examples
    --------
    >>> truth = {"a": 2.0, "b": 0.0, "c": -2.0}
    >>> crowd = LabellingModel(raters=3, perception_ambiguity=0.1)
    >>> simulate_answers("abc", "bca", truth, crowd).outcome
    array([1., 1., 0.])
    """
    from headcount.simulation._labelling_kernel import compare

    seed = options.whole(seed, "seed", least=0)
    names = sorted(truth)
    place = {name: k for k, name in enumerate(names)}
    unknown = [str(item) for item in dict.fromkeys([*left, *right]) if str(item) not in place]
    if unknown:
        raise DataError(f"no true value of {some(unknown)}. Check the names in both files.")
    model = replace(model, items=max(len(names), 2), comparisons=None, votes=1)
    crowd = draw_truth(model, Streams.of(np.random.default_rng(seed)).truth)
    batch = md5(repr([(str(a), str(b)) for a, b in zip(left, right, strict=True)]).encode())
    outcome, rater = compare(
        np.random.default_rng([seed, int(batch.hexdigest()[:8], 16)]),
        np.array([place[str(item)] for item in left], dtype=np.int64),
        np.array([place[str(item)] for item in right], dtype=np.int64),
        crowd.key,
        float(model.perception_ambiguity),
        float(model.comparison_ambiguity),
        np.array([truth[name] for name in names]),
        crowd.feature[: len(names)],
        crowd.weight,
        crowd.spammer,
    )
    codes, texts = encode([*left, *right])
    return Comparisons.from_codes(
        (codes[: len(left)], codes[len(left) :], texts),
        outcome,
        raters=(rater, [str(name) for name in rater_names(model.raters)]),
        source="simulation",
    )
