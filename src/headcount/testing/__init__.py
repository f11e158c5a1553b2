"""Tests of others: conformance, and a gate for judges.

Conformance: the same data in another order, file or frame give the same answer.

What headcount promises of its own functions and commands, for those who add some: a plugin's
function, coefficient or reader is run over a table in many forms, and every form must give the same
document to the last digit.

>>> from headcount import agree, read_ratings
>>> def alpha(ratings):
...     return agree(read_ratings(ratings), coefficients=["alpha"], bootstrap=10)
>>> check_metamorphic(alpha, {"ratings": sample_ratings()})

The gate: :func:`assert_judge` fails where a judge is not, or no longer, as good as people.
"""

from headcount.testing.conformance import (
    Case,
    Difference,
    InMemory,
    Permuted,
    Wide,
    Written,
    check_metamorphic,
    command,
    differences,
    metamorphic_cases,
    sample_comparisons,
    sample_predictions,
    sample_ratings,
)
from headcount.testing.judges import assert_judge

__all__ = [
    "Case",
    "Difference",
    "InMemory",
    "Permuted",
    "Wide",
    "Written",
    "assert_judge",
    "check_metamorphic",
    "command",
    "differences",
    "metamorphic_cases",
    "sample_comparisons",
    "sample_predictions",
    "sample_ratings",
]
