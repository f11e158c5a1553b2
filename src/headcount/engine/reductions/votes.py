"""Votes of classifiers, for blind evaluation."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.engine.ratings.prepare import rated_of
from headcount.engine.ratings.rated import Rated
from headcount.engine.reductions.codes import pull_ratings
from headcount.engine.reductions.vote_parts import VoteParts
from headcount.engine.reductions.vote_rows import (
    FEWEST,
    TooManyRowsError,
    count_votes,
    memory_option,
)
from headcount.engine.scans.ratings import RatingsScan, take_ratings_scan
from headcount.engine.sources.opening import Given, open_relations
from headcount.errors import DataError, NotReducedError, option
from headcount.io.roles.roles import find_role

__all__ = ["BYTES_A_VOTE", "pull_votes"]

ROLES = ("classifier", "label", "probability")
"""Columns that votes may have beside items."""
BYTES_A_VOTE = 250
"""Memory that a vote takes while methods run, about."""


def pull_votes(
    data: Any, *, apart: Collection[str] = (), named: str = "", one_by_one: str = ""
) -> Labels | Predictions | VoteParts | None:
    """Bring votes from where they are, as codes; None if they are to be read.

    Where they do not fit, items with the same votes are counted together; where these are too many
    as well, or names of items are needed, they are left where they are, to be brought in parts.

    Parameters
    ----------
    data : object
        What holds votes.
    apart : collection of str
        Items that stay rows of their own, by name, where others are counted.
    named : str
        What needs every item by its name, to begin a sentence with, if something does.
    one_by_one : str
        What needs votes one by one, to begin a sentence with, if something does.

    Raises
    ------
    DataError
        If they do not fit, and are needed one by one, or some are to be kept apart and they cannot
        be counted.
    """
    if isinstance(data, VoteParts):
        return data
    scan = take_ratings_scan(data, "votes")
    if scan is None:
        return data.read_votes() if isinstance(data, RatingsScan) else None
    try:
        rated = _opened(scan)
    except NotReducedError:
        if not scan.note:  # an engine was asked for
            raise
        return scan.read_votes()
    found: Labels | VoteParts | None = None
    try:
        found = _fitting(rated, scan, apart, named=named, one_by_one=one_by_one)
    finally:
        if not isinstance(found, VoteParts):
            rated.engine.close()
    return found


def _fitting(
    rated: Rated, scan: RatingsScan, apart: Collection[str], *, named: str, one_by_one: str
) -> Labels | VoteParts:
    """Take votes one by one, counted, or in parts: the first of these that fits into memory."""
    memory, enough = scan.choice.memory, rated.n_ratings * BYTES_A_VOTE
    if enough <= memory:
        return pull_ratings(rated, duplicates=scan.duplicates)
    is_crowd = not apart and (rated.n_raters or 0) >= FEWEST
    needs = DataError(
        f"{one_by_one or named} needs votes one by one: {rated.source} has {rated.n_ratings:,}, "
        f"and {memory // BYTES_A_VOTE:,} fit. Allow more memory ({memory_option(enough)})."
    )
    if one_by_one or (named and not is_crowd):
        raise needs
    repeated = scan.duplicates == "all"
    try:
        found = count_votes(rated, apart=apart, memory=memory, enough=enough, repeated=repeated)
    except TooManyRowsError as error:
        if is_crowd:
            return VoteParts(rated, memory, enough)
        if apart and (rated.n_raters or 0) >= FEWEST:
            raise DataError(
                f"{error.marked} Votes alone, without gold, can be evaluated."
            ) from None
        raise
    if named:  # counted items have no names, and in parts less would be found of classifiers
        raise needs
    return found


def _opened(scan: RatingsScan) -> Rated:
    """Open ratings whose raters are called classifiers, perhaps."""
    (relation,) = open_relations([Given(scan.data, scan.name)], scan.choice)
    names = [name for name in relation.names if name not in scan.reading.ignore]
    classifier, label, sure = (find_role(names, role) for role in ROLES)
    given = dict(scan.given)
    if given["rater"] is None and classifier is not None and label is not None:
        given["rater"] = names[classifier]
    if sure is not None and scan.given["label"] is None and given["rater"] is not None:
        relation.engine.close()
        raise NotReducedError(
            f"{relation.source}: column '{names[sure]}' says how sure classifiers are, which is "
            f"read into memory only ({option('engine', 'memory')}). For their labels alone, leave "
            f"it out ({option('ignore', names[sure])})."
        )
    return rated_of(relation, replace(scan, given=given), people=False)
