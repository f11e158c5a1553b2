"""Ratings one by one, as whole numbers: for what needs them, while they fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount.data.labels import Labels
from headcount.engine.engines.memory import BYTES_A_RATING
from headcount.engine.ratings.rated import Rated

__all__ = ["fits", "known_names", "pull_ratings"]


def fits(rated: Rated, memory: int) -> bool:
    """Whether ratings, one by one, take no more memory than that."""
    return rated.n_ratings * BYTES_A_RATING <= memory


def pull_ratings(rated: Rated, *, duplicates: str = "error") -> Labels:
    """Bring ratings as codes of items, raters and labels, and the names of both.

    Codes follow the order of names, so that nothing depends on the order of rows.

    Parameters
    ----------
    rated : Rated
    duplicates : {"error", "first", "all"}
        As they were treated; those of which the first was kept are gone.
    """
    items, item_names = known_names(rated, "item", rated.every)
    joined, who = f"JOIN {items} ON ratings.item = known_item.item", "0"
    rater_names: list[str] | None = None
    if not rated.anonymous:
        raters, rater_names = known_names(rated, "rater", rated.ratings)
        joined += f" JOIN {raters} ON ratings.rater = known_rater.rater"
        who = "known_rater.place"
    # One number a rating, which says all of it: eight bytes, and sorted where it is.
    n_raters, n_labels = len(rater_names or "?"), len(rated.scale)
    found = rated.engine.rows(
        f"SELECT (CAST(known_item.place AS BIGINT) * {n_raters} + {who}) * {n_labels} + "
        f"ratings.label AS rating FROM ({rated.ratings}) AS ratings {joined}",
        what=f"ratings in {rated.source}",
        most=rated.n_ratings,
    )
    rating = found.pop("rating")
    rating.sort()
    item, rater = np.divmod(rating, n_raters * n_labels)
    del rating
    rater, label = np.divmod(rater, n_labels)
    return Labels.from_codes(
        (item, item_names),
        None if rater_names is None else (rater, rater_names),
        (label, rated.scale.labels),
        scale=rated.scale,
        duplicates=duplicates,
        source=rated.source,
        notes=rated.notes,
        sources=rated.sources,
        dropped=rated.dropped,
        backend=rated.backend,
    )


def known_names(
    rated: Rated, role: str, rows: str, *, often: bool = False
) -> tuple[str, list[str]]:
    """List the different items or raters in order: where SQL finds them, and their names.

    `often` says that many queries will use them.
    """
    name, engine = f"known_{role}", rated.engine
    different = (
        f"SELECT {role}, row_number() OVER (ORDER BY {role}) - 1 AS place FROM "
        f"(SELECT DISTINCT {role} FROM ({rows}) AS rows) AS different"
    )
    if often:
        known = f"(SELECT * FROM {engine.hold(name, different)}) AS {name}"
    else:
        known = engine.keep(name, different)
    found = rated.engine.rows(
        f"SELECT {role}, place FROM {known}",
        what=f"{role}s in {rated.source}",
        most=max(rated.n_items, rated.n_ratings),
    )
    names: list[Any] = found[role][np.argsort(found["place"])].tolist()
    return known, [str(one) for one in names]
