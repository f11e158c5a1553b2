"""Raters who do not write labels as the others do: other words, or another scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headcount.data.vocabulary import label_text, number_of
from headcount.errors import DataError, option, some
from headcount.io.tables.table import Coded
from headcount.io.values.merges import FORMS, any_form, merges_of
from headcount.io.values.option_list import Several
from headcount.results.notes import Notes
from headcount.typing import Codes, Flags

__all__ = ["MOST_RATERS", "check_counts_apart", "check_raters_apart"]

LEAST_RATINGS = 5
"""Ratings that show which labels a rater uses."""
MOST_LABELS, MOST_RATERS = 20, 200
LARGER = 1.6
"""How many times as large the highest number of a rater must be as that of all others."""
LEAST_SHARE = 0.2
"""Share of a rater's numbers that lie above those of all others."""


def check_raters_apart(labels: Coded, raters: Coded, source: str, notes: Notes) -> None:
    """Refuse raters who use labels that nobody else uses; warn of one whose numbers go further.

    TRUE and FALSE of one rater are not yes and no of another one: each pair would disagree.
    """
    codes, texts = labels
    given = (codes >= 0) & (raters[0] >= 0)
    if not given.any() or not 1 < len(raters[1]) <= MOST_RATERS:
        return
    used = np.zeros((len(raters[1]), len(texts)), dtype=np.int64)
    np.add.at(used, (raters[0][given], codes[given]), 1)
    check_counts_apart(used, texts, raters[1], source, notes)


def check_counts_apart(
    used: Codes, texts: Sequence[str], names: Sequence[str], source: str, notes: Notes
) -> None:
    """Check as :func:`check_raters_apart` does, by how often each rater gave each label."""
    numbers = [number_of(text) for text in texts]
    many = used.sum(axis=1) >= LEAST_RATINGS
    if many.sum() < 2:
        return
    if all(n is not None for n, times in zip(numbers, used.sum(axis=0), strict=True) if times):
        _note_larger(used, numbers, names, source, notes)
    elif (used.sum(axis=0) > 0).sum() <= MOST_LABELS:
        _check_words(used, texts, names, many, source)


def _check_words(
    used: Codes, texts: Sequence[str], names: Sequence[str], many: Flags, source: str
) -> None:
    """Refuse raters each of whose labels no other rater uses, however it is written."""
    said_by = [[texts[int(n)] for n in np.flatnonzero(own)] for own in used]
    forms = [{any_form(text) for text in own} for own in said_by]
    apart = [
        n
        for n, own in enumerate(forms)
        if many[n]
        and len(own) > 1
        and not any(own & other for m, other in enumerate(forms) if m != n)
    ]
    if not apart or len([one for one in forms if one]) < 2:
        return
    others = [n for n in range(len(names)) if n not in apart and forms[n]] or apart[1:]
    said = "; ".join(
        f"'{names[n]}' says {some([label_text(text) for text in said_by[n]])}"
        for n in dict.fromkeys([*apart[:2], *others[:1]])
    )
    words = [way.name for way in merges_of(texts) if way not in FORMS]
    alike = f", or say {option('merge', Several(words))}" if words else ""
    raise DataError(
        f"{source}: labels of {some([names[n] for n in apart])} that no other rater uses, so that "
        f"nobody could agree with them: {said}. Write what means the same alike{alike}; if these "
        f"are different answers, name all labels with {option('labels', '...')}."
    )


def _note_larger(
    used: Codes,
    numbers: Sequence[float | None],
    names: Sequence[str],
    source: str,
    notes: Notes,
) -> None:
    """Warn of a rater many of whose numbers lie far above those of all others."""
    value = np.array([np.nan if n is None else n for n in numbers])
    highest = np.array([np.max(value[own > 0], initial=-np.inf) for own in used])
    top = int(highest.argmax())
    rest = float(np.max(np.delete(highest, top)))
    total = int(used[top].sum())
    above = int(used[top][value > rest].sum())
    if rest < 3 or highest[top] < LARGER * rest or total < 2 * LEAST_RATINGS:
        return
    if above >= LEAST_SHARE * total:
        notes.warning(
            f"{source}: {above:,} of {total:,} ratings of '{names[top]}' are above {rest:g}, the "
            f"highest of all others, up to {highest[top]:g}: another scale? Write the ratings of "
            "all on one."
        )
