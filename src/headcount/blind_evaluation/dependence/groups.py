"""Groups of classifiers that may err together."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from headcount.errors import DataError, OptionError, count, option, some
from headcount.results.notes import Note

__all__ = ["check_groups", "groups_by_pattern"]


def groups_by_pattern(names: Sequence[str], pattern: str) -> dict[str, str]:
    """Group classifiers by a part of their names.

    Parameters
    ----------
    names : sequence of str
    pattern : str
        A regular expression. What its first group matches (or all of it, if it has none) is the
        group's name. A name in which it is not found is a group of its own.

    Examples
    --------
    >>> groups_by_pattern(["gpt-4", "gpt-5", "llama"], "^[a-z]+(?=-)")
    {'gpt-4': 'gpt', 'gpt-5': 'gpt'}
    """
    try:
        found = re.compile(pattern)
    except (re.error, TypeError) as error:
        raise OptionError(
            f"group pattern '{pattern}' is no regular expression ({error}). For names such as "
            f"'gpt-4' use {option('group_pattern', '^[^-]+')}."
        ) from None
    groups: dict[str, str] = {}
    for name in names:
        if match := found.search(name):
            groups[name] = next((part for part in match.groups() if part), match.group())
    if not any(groups.values()):
        raise OptionError(
            f"group pattern '{pattern}' is found in no name of a classifier: {some(names, 5)}."
        )
    return {name: group for name, group in groups.items() if group}


def check_groups(
    names: Sequence[str], groups: Mapping[str, str], noun: str = "classifier"
) -> list[Note]:
    """Tell which names of classifiers and groups do not go together; an error if none do.

    Examples
    --------
    >>> check_groups(["gpt-4", "gpt-5"], {"gpt-4": "gpt", "gpt5": "gpt"})
    ["Groups name 1 that is no classifier: 'gpt5'.", "1 classifier in no group: 'gpt-5'."]
    """
    known = set(names)
    strange = [name for name in groups if name not in known]
    alone = [name for name in names if name not in groups]
    if len(alone) == len(names):
        raise DataError(
            f"groups name no {noun} of the data: {some(groups, 5) or 'they are empty'}. There are "
            f"{some(names, 5)}."
        )
    notes: list[Note] = []
    if strange:
        what = f"that is no {noun}" if len(strange) == 1 else f"that are no {noun}s"
        notes.append(Note(f"Groups name {len(strange):,} {what}: {some(strange, 5)}.", "caution"))
    if not alone and len({groups[name] for name in names}) == 1:
        notes.append(
            Note(
                f"All {noun}s are in one group: no other group is left to judge them by, and where "
                "a group has one vote they count as one.",
                "warning",
            )
        )
    if alone:
        notes.append(Note(f"{count(len(alone), noun)} in no group: {some(alone, 5)}."))
    return notes
