"""Ratings for an analysis of agreement: taken, read, or counted where they lie."""

from __future__ import annotations

from typing import Any

from headcount.data.labels import Labels
from headcount.engine.reductions.agreement import count_ratings
from headcount.engine.reductions.codes import fits, pull_ratings
from headcount.engine.scans.memory_or_engine import unscanned
from headcount.engine.scans.ratings import take_ratings_scan
from headcount.errors import NotReducedError
from headcount.io.load import take_labels

__all__ = ["take"]


def take(labels: Any, *, raters: bool) -> Labels:
    """Take ratings, read them, or count them where they lie if they do not fit into memory.

    `raters` says whether it matters who rated.
    """
    scan = take_ratings_scan(labels)
    if scan is None:
        return take_labels(unscanned(labels), reduced=True)
    try:
        rated, _ = scan.open()
    except NotReducedError:
        if not scan.note:  # an engine was asked for
            raise
        return scan.read()
    try:
        if fits(rated, scan.choice.memory):
            return pull_ratings(rated)
        return count_ratings(rated, raters=raters)
    finally:
        rated.engine.close()
