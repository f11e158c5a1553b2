"""What stands in place of a verdict where a model or a program gave none: ERROR, I cannot help."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from headcount.errors import DataError, count, option, some
from headcount.io.values.option_list import Several

__all__ = ["check_failures"]

_FAILED = re.compile(
    r"\W*(?:error|exception|timeout|timed out|failed|failure|invalid|pars(?:e|ing)[ _-]?error|"
    r"refused?|refusal|rate[ _-]?limit|unparse?able)\W*\Z|\W*error\b.{3,}|"
    r"(?:i['’]?m |i am )?(?:so )?sorry\b|i (?:can ?not|can['’]t|am unable|won['’]t)\b|as an ai\b|"
    r"\?+\Z",
    re.IGNORECASE | re.DOTALL,
)
_UNSURE = re.compile(
    r"\W*(?:unknown|unclear|unsure|undetermined|cannot (?:determine|tell|judge)|not sure)\W*",
    re.IGNORECASE,
)
"""What does so where people cannot say it; nobody knows without them."""
LONG_TEXT = 4
"""Words of a text that is no label, where the others are labels of raters."""


def check_failures(
    uses: Mapping[str, int], at: str, *, what: str = "prediction", known: Sequence[str] = ()
) -> None:
    """Refuse answers that are none.

    Parameters
    ----------
    uses : mapping of str to int
        Answers, and how often each was given.
    at : str
        Where they stand, for the message.
    what : str
        What an answer is called.
    known : sequence of str
        Labels of raters, which are answers.

    Examples
    --------
    >>> check_failures({"yes": 9, "no": 8, "ERROR": 3}, "p.csv, column 'gpt'")
    Traceback (most recent call last):
    headcount.errors.DataError: p.csv, column 'gpt': 3 of 20 predictions are no answer: 'ERROR'.
    Leave these cells blank, or say missing=['ERROR']; if it is a label, people must be able to
    give it as well.
    """
    failed = [text for text in uses if _is_failure(text.strip(), known)]
    failed += [text for text in _sentences(uses, known) if text not in failed]
    if not failed or len(failed) == len(uses) or {*failed} & {*known}:
        return
    number, total = sum(uses[text] for text in failed), sum(uses.values())
    label = (
        "people must be able to give it as well"
        if known or what == "prediction"
        else f"name all labels with {option('labels', '...')}"
    )
    raise DataError(
        f"{at}: {number:,} of {count(total, what)} are no answer: "
        f"{some([text[:60] for text in failed])}. Leave these cells blank, or say "
        f"{option('missing', Several(failed[:12]))}; if it is a label, {label}."
    )


def _is_failure(text: str, known: Collection[str]) -> bool:
    return bool(_FAILED.match(text) or (known and _UNSURE.fullmatch(text)))


def _sentences(uses: Mapping[str, int], known: Collection[str]) -> list[str]:
    """Sentences among answers most of which are labels of raters, of which none is one."""
    if not known or max(len(label.split()) for label in known) >= LONG_TEXT:
        return []
    plain = sum(n for text, n in uses.items() if text in known)
    if 2 * plain <= sum(uses.values()):
        return []
    return [text for text in uses if len(text.split()) >= LONG_TEXT]
