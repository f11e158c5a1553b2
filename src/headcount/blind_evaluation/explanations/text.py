"""Explanations of the votes in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from headcount.blind_evaluation.explanations.records import (
    BOTH,
    DIFFICULTY,
    INDEPENDENT,
    MATERIAL,
    Explained,
    Explanations,
)
from headcount.errors import count, option, percent, some
from headcount.results.notes import Note
from headcount.results.text import Table

__all__ = ["condition", "conditions", "notes_of", "table_of", "who_allows"]

MOST_SAID = 3
"""Explanations that a sentence gives; the table has all."""
MOST_NAMED = 5
"""Members of a family that a sentence names."""


def condition(one: Explained) -> str:
    """Say what an explanation supposes, to follow 'if'."""
    if one.kind == INDEPENDENT:
        return "all err independently"
    if one.kind == DIFFICULTY:
        return "some items are harder for all"
    together = " and ".join(f"{_listed(family)} err together" for family in one.families)
    return f"some items are harder for all, and {together}" if one.kind == BOTH else together


def notes_of(found: Explanations, *, grouped: bool = False) -> Iterator[Note]:
    """Say that errors do not seem independent, and what would tell the explanations apart.

    `grouped` where the user gave groups, so that there is no need to ask for them.
    """
    if found.unexplained:
        do = "Go by gold."
        if not found.gold_items:
            do = f"Give gold labels of some items ({option('gold', ...)})"
            do += "." if grouped else f", or {_give_groups()}, of those that share a model."
        yield Note(
            f"No explanation that was tried accounts for how often {some(found.unexplained, 5)} "
            f"agree with each other. The nearest is that {condition(found.found[0])}: accuracies "
            f"by the table of explanations may be off, and have no intervals. {do}",
            "warning",
        )
        return
    if found.is_independent:
        return
    first = found.found[0]
    if len(found.found) == 1:
        if first.kind in (DIFFICULTY, BOTH):
            hard = "Errors go together because some items are harder for all"
            if first.kind == BOTH:
                hard = f"Errors go together because {condition(first)} beyond that"
            elif grouped:  # of which some may err together as well
                hard = "Some items are harder for all, so that errors of all go together"
            yield Note(
                f"{hard}: scores and intervals of methods that take errors for independent are "
                "off. Accuracies by the explanation allow for it.",
                "warning",
            )
        return
    said = "; or ".join(condition(one) for one in found.found[:MOST_SAID])
    rest = len(found.found) - MOST_SAID
    said += f"; or {count(rest, 'other')} in the table" if rest > 0 else ""
    label = "more gold label" if found.gold_items else "gold label"
    tell = (
        f" About {count(found.gold_needed, label)} of random items would tell the first two apart."
        if found.gold_needed is not None
        else ""
    )
    groups = ""
    if found.has_families and not grouped and not found.gold_items:
        groups = f"{' Until then, treat' if tell else ' Treat'} the EM column as unreliable, or "
        groups += f"{_give_groups()}."
    yield Note(
        f"{who_allows(found).capitalize()} allow {count(len(found.found), 'explanation')}, with "
        f"accuracies of their own: {said}.{tell}{groups}",
        "warning" if found.differ > MATERIAL else "caution",
    )


def _give_groups() -> str:
    return f"give groups ({option('groups', ...)} or {option('group_pattern', ...)})"


def table_of(found: Explanations, names: Sequence[str]) -> Table | None:
    """Write accuracies by every explanation; nothing where errors may be independent alone."""
    if found.found[0].kind == INDEPENDENT and not found.has_families:
        return None
    if len(found.found) == 1:
        one = found.found[0]
        head = ["classifier", "ACC", f"{percent(one.level)} interval"]
        body = [
            [name, f"{one.accuracy[name]:.3f}", one.estimates[name].interval()] for name in names
        ]
        # See docs/studies/blind_explanations.md.
        title = f"Accuracy by the explanation that {who_allows(found)} allow: {condition(one)} "
        title += "(intervals are approximate)"
        if found.unexplained:
            head, body = head[:2], [row[:2] for row in body]
            title = f"Accuracy by the nearest explanation: {condition(one)}"
        return Table(head, body, title=title)
    head = ["classifier", *(str(k + 1) for k in range(len(found.found)))]
    body = [[name, *(f"{one.accuracy[name]:.3f}" for one in found.found)] for name in names]
    rules = conditions(found)
    allowed = f"every explanation that {who_allows(found)} allow, likeliest first"
    which = "the nearest explanations" if found.unexplained else allowed
    title = f"Accuracy by {which} ({rules})"
    return Table(head, body, title=title)


def conditions(found: Explanations) -> str:
    """Say what every explanation supposes, by number; without one where there is one only."""
    if len(found.found) == 1:
        return condition(found.found[0])
    return "; ".join(f"{k + 1}: {condition(one)}" for k, one in enumerate(found.found))


def who_allows(found: Explanations) -> str:
    """Say whose labels speak for explanations."""
    return "votes and gold labels" if found.gold_items else "the votes"


def _listed(names: Sequence[str]) -> str:
    if len(names) > MOST_NAMED + 1:  # one more is as short as 'and 1 other'
        return f"{', '.join(names[:MOST_NAMED])} and {count(len(names) - MOST_NAMED, 'other')}"
    return f"{', '.join(names[:-1])} and {names[-1]}"
