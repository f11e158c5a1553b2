"""Noise added to ratings, to see what a harder task does to a classifier's worth."""

from __future__ import annotations

from dataclasses import replace
from hashlib import md5
from typing import Any

import numpy as np

from headcount import options
from headcount.data.labels import Labels
from headcount.errors import count
from headcount.results.notes import Notes
from headcount.typing import Floats

__all__ = ["with_noise"]


def with_noise(labels: Labels, share: Any, seed: int) -> Labels:
    """Replace a share of the ratings by labels drawn at random, all with the same chance.

    Whether and by what a rating is replaced depends on its item, its rater and the seed alone. A
    label may be replaced by itself. Classifiers do not change, and so have a harder task: scores
    fall, and fewer raters would do better (the paper's introduction).

    Parameters
    ----------
    labels : Labels
    share : float
        From 0 to 1.
    seed : int

    Examples
    --------
    >>> labels = Labels.from_triples([1, 1, 2], ["ann", "bob", "ann"], ["a", "b", "a"])
    >>> noisy = with_noise(labels, 1.0, seed=0)
    >>> len(noisy), len(noisy.scale)
    (3, 2)
    """
    chance = options.number(share, "add_noise", least=0, most=1, such_as="0.2")
    first, second = _uniforms(labels, seed)
    replaced = first < chance
    drawn = np.minimum((second * len(labels.scale)).astype(np.int64), len(labels.scale) - 1)
    notes = Notes(labels.notes)
    notes.caution(
        f"noise was added: {count(int(replaced.sum()), 'rating')} of {len(labels.label):,} "
        "replaced by labels drawn at random."
    )
    return replace(labels, label=np.where(replaced, drawn, labels.label), notes=tuple(notes))


def _uniforms(labels: Labels, seed: int) -> tuple[Floats, Floats]:
    """Two numbers from 0 to 1 for each rating, by its item and rater."""
    out = np.empty((2, len(labels.item)))
    for row, (item, rater) in enumerate(zip(labels.item, labels.rater, strict=True)):
        text = f"{seed}|{labels.items[item]}|{labels.raters[rater]}"
        bits = md5(text.encode(), usedforsecurity=False).digest()
        for half in (0, 1):
            whole = int.from_bytes(bits[8 * half : 8 * half + 4], "big")
            out[half, row] = whole / 2**32
    return out[0], out[1]
