"""How a missing value is written, and a column without such values."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from headcount.data.vocabulary import MISSING, label_text
from headcount.typing import Codes

__all__ = ["MAYBE_LABELS", "PROGRAMS_MISSING", "WRITTEN_MISSING", "without_missing"]

PROGRAMS_MISSING = frozenset({"None", "NaN", "nan", "Nan", "NAN", "null", "NULL", "<NA>", "#N/A"})
"""How programs write a missing value into text; no id is called so."""

WRITTEN_MISSING = PROGRAMS_MISSING | {
    "NA", "N/A", "n/a", "na", "Null", "none", "NONE", ".", "-", "#NA", "n.a.", "N.A.",
}  # fmt: skip
"""How programs and people write a missing label, unless it is declared to be a label."""

MAYBE_LABELS = frozenset({"none", "None", "NONE", "-"})
"""Words for a missing value that are labels to some."""


def without_missing(
    codes: Codes,
    texts: Sequence[str],
    *,
    missing: Collection[str] = (),
    labels: Collection[str] = (),
    words: Collection[str] = WRITTEN_MISSING,
) -> tuple[Codes, list[str], list[str]]:
    """Take out what only says that a value is missing.

    Parameters
    ----------
    codes, texts : array of int and sequence of str
        A column.
    missing : collection of str
        Values that are missing too, however their numbers are written.
    labels : collection of str
        What is declared to be a value, whatever it looks like.
    words : collection of str
        The usual words. A '-' beside a '+' is none.

    Returns
    -------
    codes : array of int
        -1 where such a word stood.
    texts : list of str
        What is left of the vocabulary.
    written : list of str
        The words that were taken out.

    Examples
    --------
    >>> without_missing(np.array([0, 1, 2]), ["nan", "yes", "no"])
    (array([-1,  0,  1]), ['yes', 'no'], ['nan'])
    >>> without_missing(np.array([0, 1, 2]), ["99", "1", "2"], missing=["99.0"])
    (array([-1,  0,  1]), ['1', '2'], ['99'])
    """
    declared = {label_text(label) for label in labels}
    asked = {label_text(word) for word in missing}
    usual = set(words) - declared - ({"-"} if "+" in texts else set())
    if asked:
        written = [text for text in texts if text in usual or label_text(text) in asked]
    else:
        written = [text for text in texts if text in usual]
    if not written:
        return codes, texts if isinstance(texts, list) else list(texts), []
    out = set(written)
    kept = [text for text in texts if text not in out]
    place = {text: code for code, text in enumerate(kept)}
    # The last entry is that of a blank, code -1.
    recode = np.array([*(place.get(text, MISSING) for text in texts), MISSING])
    return recode[codes], kept, written
