"""The list of shapes in which ratings come."""

from __future__ import annotations

from headcount.io.shapes.base import Asked, Shape
from headcount.io.shapes.count_columns import CountColumns
from headcount.io.shapes.long import Long
from headcount.io.shapes.matrix import Matrix
from headcount.io.shapes.nested_by_rater import NestedByRater
from headcount.io.shapes.nested_counts import NestedCounts
from headcount.io.shapes.nested_ratings import NestedRatings
from headcount.io.shapes.numbered_pairs import NumberedPairs
from headcount.io.shapes.records import Records
from headcount.io.shapes.transposed import Transposed
from headcount.io.shapes.wide import Wide

__all__ = ["SHAPES", "shape_of"]

SHAPES: tuple[Shape, ...] = (
    Matrix(),
    Records(),
    Transposed(),
    NestedCounts(),
    NestedRatings(),
    NestedByRater(),
    NumberedPairs(),
    CountColumns(),
    Long(),
    Wide(),
)
"""Shapes, in the order in which they are tried."""


def shape_of(asked: Asked) -> Shape:
    """Choose the shape of a table: the first in the list that fits."""
    return next(shape for shape in SHAPES if shape.fits(asked))
