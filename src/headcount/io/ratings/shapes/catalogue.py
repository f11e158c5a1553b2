"""The list of shapes in which ratings come."""

from __future__ import annotations

from headcount.io.ratings.shapes.base import Asked, Shape
from headcount.io.ratings.shapes.count_columns import CountColumns
from headcount.io.ratings.shapes.counted_patterns import CountedPatterns
from headcount.io.ratings.shapes.crosstab import Crosstab
from headcount.io.ratings.shapes.long import Long
from headcount.io.ratings.shapes.matrix import Matrix
from headcount.io.ratings.shapes.nested.by_rater import NestedByRater
from headcount.io.ratings.shapes.nested.counts import NestedCounts
from headcount.io.ratings.shapes.nested.ratings import NestedRatings
from headcount.io.ratings.shapes.numbered_pairs import NumberedPairs
from headcount.io.ratings.shapes.records import Records
from headcount.io.ratings.shapes.transposed import Transposed
from headcount.io.ratings.shapes.unnamed import UnnamedLong
from headcount.io.ratings.shapes.wide import Wide

__all__ = ["SHAPES", "shape_of"]

SHAPES: tuple[Shape, ...] = (
    Matrix(),
    Records(),
    Crosstab(),
    CountedPatterns(),
    Transposed(),
    NestedCounts(),
    NestedRatings(),
    NestedByRater(),
    NumberedPairs(),
    CountColumns(),
    Long(),
    UnnamedLong(),
    Wide(),
)
"""Shapes, in the order in which they are tried."""


def shape_of(asked: Asked) -> Shape:
    """Choose the shape of a table: the first in the list that fits."""
    return next(shape for shape in SHAPES if shape.fits(asked))
