"""Groups of classifiers that may err together."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from headcount.errors import DataError, OptionError, count, option, some
from headcount.results.notes import Note

__all__ = ["check_groups", "groups_by_pattern"]


LONGEST = 100
"""Characters of a name that are searched for a pattern."""
MOST_REPETITIONS = 4
"""Repetitions that a pattern may have: n of them may take a time of length^n."""
_ESCAPED = re.compile(r"\\.", re.DOTALL)
_CLASS = re.compile(r"\[\^?\]?[^\]]*\]")
_BOUNDED = re.compile(r"\{\d*,\d*\}")
_REPEATED = re.compile(r"[*+]|\{\d*,\d*\}")
_GROUP = re.compile(r"\(([^()]*)\)([*+]|\{\d*,?\d*\})?")


def groups_by_pattern(names: Sequence[str], pattern: str) -> dict[str, str]:
    """Group classifiers by a part of their names.

    Parameters
    ----------
    names : sequence of str
    pattern : str
        A regular expression, without a repetition of what itself repeats, as in (a+)+, which can
        take for ever. What its first group matches (or all of it, if it has none) is the group's
        name. A name in which it is not found is a group of its own. Of long names the first 100
        characters are searched.

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
    if _runs_away(pattern):
        raise OptionError(
            f"group pattern '{pattern}' repeats what itself repeats or has alternatives, or "
            f"repeats more than {MOST_REPETITIONS} times, which can take for ever. Write it more "
            f"simply: (a+)+ finds what a+ finds; {option('group_pattern', '^[^-]+')} is the part "
            "before a hyphen."
        )
    groups: dict[str, str] = {}
    for name in names:
        if match := found.search(name[:LONGEST]):
            groups[name] = next((part for part in match.groups() if part), match.group())
    if not any(groups.values()):
        raise OptionError(
            f"group pattern '{pattern}' is found in no name of a classifier: {some(names, 5)}."
        )
    return {name: group for name, group in groups.items() if group}


def _runs_away(pattern: str) -> bool:
    """Whether a pattern may take a time that grows without bound, or nearly, with a name's length.

    That is so where a group that holds a repetition or alternatives is itself repeated, and where
    there are many repetitions.

    >>> [_runs_away(pattern) for pattern in ("^(a+)+$", "(a|aa)*b", "((ab)*c){2,}", "a*b*c*d*e*f")]
    [True, True, True, True]
    >>> [_runs_away(pattern) for pattern in ("^[^-]+", "^([a-z]+)-(x|y)", "(a+)?", "[(+]*(ab)+")]
    [False, False, False, False]
    """
    bare = _CLASS.sub("c", _ESCAPED.sub("c", pattern))
    if len(_REPEATED.findall(bare)) > MOST_REPETITIONS:
        return True
    while group := _GROUP.search(bare):
        inside, repeated = group.groups()
        many = bool(re.search(r"[*+|\x00]", inside) or _BOUNDED.search(inside))
        if many and repeated:
            return True
        # What is left of a group is a mark that says whether it repeats anything.
        bare = bare[: group.start()] + ("\x00" if many or repeated else "c") + bare[group.end() :]
    return False


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
