"""Ratings for tests: random, ragged, written as a table, or those of a script of the studies."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from headcount import Labels, Scale
from headcount.stats.arrays import group_rows

from .naive import Data

SCRIPTS = Path(__file__).parents[2] / "docs" / "studies" / "scripts"


def script(name: str) -> Any:
    """Import a script of the studies, which is no part of the package."""
    spec = spec_from_file_location(name, SCRIPTS / f"{name}.py")
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ODD = script("paradoxes")
PARADOXES, paradox = ODD.PARADOXES, ODD.paradox
"""Eighteen small data sets on which coefficients behave oddly, and what makes one of them."""
BY_SHARE = script("agreement_by_share")
agree_by_share, plot_share = BY_SHARE.agree_by_share, BY_SHARE.plot_share


def as_labels(data: Data, labels: Sequence[int] | None = None) -> Labels:
    triples = [(i, r, x) for i, item in data.items() for r, x in item.items()]
    items, raters, values = zip(*triples, strict=True)
    scale = None if labels is None else Scale(tuple(map(str, labels)))
    return Labels.from_triples(items, raters, values, scale=scale)


def table(rows: Sequence[Sequence[object]]) -> Labels:
    """A row an item, a column a rater; None is missing."""
    triples = [(i, j, x) for i, row in enumerate(rows) for j, x in enumerate(row)]
    return Labels.from_triples(*zip(*triples, strict=True))


def from_counts(counts: Sequence[Sequence[int]]) -> Labels:
    """A row an item, a column a label: how many raters gave it."""
    return table([[k for k, n in enumerate(row) for _ in range(n)] for row in counts])


def random_labels(
    items: int, raters: int, labels: int, *, missing: float = 0.0, skill: float = 0.6, seed: int = 0
) -> Labels:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, labels, items)
    given = rng.integers(0, labels, (items, raters))
    given = np.where(rng.random((items, raters)) < skill, truth[:, None], given)
    item, rater = np.nonzero(rng.random((items, raters)) >= missing)
    scale = Scale(tuple(map(str, range(1, labels + 1))))
    return Labels(
        np.arange(items), np.arange(raters), scale, item, rater, given[item, rater].astype(np.int64)
    )


@st.composite
def ragged(draw: st.DrawFn, *, complete: bool = False, least: int = 1) -> tuple[Data, list[int]]:
    """Ratings of a few items by up to four raters with two to four labels, some missing."""
    n_labels = draw(st.integers(2, 4))
    # Uneven numbers, so that places and values are not the same.
    labels = [0, 1, 3, 7][:n_labels]
    n_items = draw(st.integers(least, 7))
    n_raters = draw(st.integers(1 if least == 1 else 2, 4))
    rating = st.sampled_from(labels) if complete else st.sampled_from([None, None, *labels])
    data: Data = {}
    for i in range(n_items):
        row = draw(st.lists(rating, min_size=n_raters, max_size=n_raters))
        item = {j: x for j, x in enumerate(row) if x is not None}
        if item:
            data[i] = item
    if not data:
        data[0] = {0: labels[0]}
    return data, labels


def added_up(labels: Labels) -> Labels:
    """Add up ratings by label pattern, rater and label, as a database would."""
    _, pattern = group_rows(labels.matrix().T)
    who = np.zeros(len(labels.item), dtype=np.int64) if labels.anonymous else labels.rater
    first, cell = group_rows([pattern[labels.item], who, labels.label])
    return replace(
        labels,
        items=np.arange(int(pattern.max()) + 1),
        raters=np.zeros(1, dtype=np.int64) if labels.anonymous else labels.raters,
        item=pattern[labels.item][first],
        rater=who[first],
        label=labels.label[first],
        item_times=np.bincount(pattern),
        times=np.bincount(cell),
        again=None,
    )
