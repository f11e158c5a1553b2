"""What is known of classifiers beforehand: how often each gave which label where which was true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from headcount.data.vocabulary import label_text
from headcount.errors import DataError, OptionError, count, option, some
from headcount.results.notes import Notes
from headcount.typing import Floats

__all__ = ["STRENGTH", "known_confusion"]

STRENGTH = 10.0
"""Labels for which a row of probabilities counts."""
Cells = Mapping[str, Mapping[tuple[str, str], float]]


def known_confusion(
    given: Any, classifiers: Sequence[str], labels: Sequence[str], notes: Notes
) -> Floats | None:
    """Put confusion matrices into one array: (classifiers, given labels, true labels) of counts.

    Parameters
    ----------
    given : mapping of classifier to mapping of true label to mapping of label, path or frame
        Counts, or probabilities, which sum to 1 in each row and count for ten labels. Or None.
    classifiers, labels : sequence of str
    notes : Notes
        Takes who is unknown.
    """
    if given is None:
        return None
    from headcount.io.facts.confusions import read_confusion

    cells = _nested(cast("Mapping[Any, Any]", given)) if _is_nested(given) else None
    cells = read_confusion(given) if cells is None else cells
    out = np.zeros((len(classifiers), len(labels), len(labels)))
    place = {name: k for k, name in enumerate(classifiers)}
    code = {label: c for c, label in enumerate(labels)}
    unknown = [name for name in cells if name not in place]
    if len(unknown) == len(cells):
        raise DataError(
            f"{option('confusion')}: none of {some(unknown)} is a classifier. Classifiers are "
            f"{some(classifiers)}."
        )
    if unknown:
        notes.caution(
            f"Confusion matrices of {count(len(unknown), 'classifier')} without labels left out: "
            f"{some(unknown)}."
        )
    for name, own in cells.items():
        if name not in place:
            continue
        table = np.zeros((len(labels), len(labels)))  # true, given
        for (true, said), value in own.items():
            if true not in code or said not in code:
                other = true if true not in code else said
                raise DataError(
                    f"{option('confusion')}, classifier '{name}': nobody gives label '{other}'. "
                    f"Labels are {some(labels, 10)}."
                )
            table[code[true], code[said]] = value
        out[place[name]] = _counts(table, name).T
    notes.info(
        f"Known beforehand of {count(len(cells) - len(unknown), 'classifier')}: what each gave "
        f"where a label was true ({out.sum():,.0f} labels), which models add to the votes."
    )
    return out


def _counts(table: Floats, name: str) -> Floats:
    """Take counts as they are, and a table of probabilities for ten labels a row."""
    if not (np.isfinite(table).all() and (table >= 0).all()):
        raise OptionError(
            f"{option('confusion')}, classifier '{name}': counts and probabilities must be 0 or "
            "more."
        )
    rows = table.sum(axis=1)
    filled = rows > 0
    if filled.any() and (np.abs(rows[filled] - 1) < 0.02).all():
        return STRENGTH * table
    return table


def _is_nested(given: object) -> bool:
    if not isinstance(given, Mapping):
        return False
    values = cast("Mapping[Any, Any]", given).values()
    return all(isinstance(one, Mapping) for one in values)


def _nested(given: Mapping[Any, Any]) -> Cells:
    """Take matrices as dicts; what results hold of confusion is such a dict of estimates."""
    return {
        str(name): {
            (label_text(str(true)), label_text(str(said))): float(getattr(value, "value", value))
            for true, row in matrix.items()
            for said, value in row.items()
        }
        for name, matrix in given.items()
    }
