"""How many raters gave each label to each item; all raters, or experts and the others."""

from __future__ import annotations

import numpy as np

from headcount.data.labels import Labels
from headcount.data.vocabulary import as_ids, encode, match_ids
from headcount.engine.reductions.cells import RatedCells
from headcount.errors import DataError, count, option, some
from headcount.typing import Codes

__all__ = ["check_ratings", "counted_labels"]


def counted_labels(
    labels: Labels | RatedCells, experts: list[object] | None
) -> tuple[Codes, Codes | None]:
    """Label counts of each item: of all raters, or of experts and of the others."""
    if isinstance(labels, RatedCells):
        return labels.counts, None
    if experts is None:
        return labels.matrix(), None
    _, texts = encode(experts)
    rater = match_ids(as_ids(texts), labels.raters)
    unknown = [text for text, code in zip(texts, rater.tolist(), strict=True) if code < 0]
    if unknown:
        raise DataError(
            f"{labels.source} has no ratings by {count(len(unknown), 'expert')}: {some(unknown)}. "
            f"Raters: {some(labels.raters.tolist())}."
        )
    expert = np.isin(labels.rater, rater)
    if expert.all() or not expert.any():
        raise DataError(
            f"{labels.source}: {'all' if expert.all() else 'none'} of the ratings are by experts; "
            "experts and amateurs are both needed."
        )
    return labels.matrix(expert), labels.matrix(~expert)


def check_ratings(labels: Labels | RatedCells, counts: Codes) -> None:
    """Raise DataError where no survey can predict anything."""
    used = np.flatnonzero(counts.sum(axis=0))
    if len(used) < 2:
        raise DataError(
            f"{labels.source}: every rating is '{labels.scale.labels[used[0]]}', so there is "
            "nothing to predict. Check that the label column is the right one "
            f"({option('label', ...)})."
        )
    if counts.sum(axis=1).max() < 2:
        raise DataError(
            f"{labels.source}: no item has two ratings, so no rater can be predicted from another. "
            f"Check that the item column is the right one ({option('item', ...)}), or collect more "
            "ratings."
        )
