"""The first sentences of blind evaluation: who is best, by what, and what speaks against it."""

from __future__ import annotations

from collections.abc import Sequence

from headcount.blind_evaluation.explanations.records import Explained
from headcount.blind_evaluation.explanations.text import MATERIAL, condition
from headcount.blind_evaluation.judging import ENOUGH_ITEMS
from headcount.blind_evaluation.metrics import METRICS
from headcount.blind_evaluation.records import BlindRecord, JudgedClassifier
from headcount.errors import count, option

__all__ = ["capital", "headline"]

MOST_NAMED = 3
"""Classifiers that the headline names."""


def headline(result: BlindRecord) -> list[str]:
    """Say who is best, by what, and under which assumption; unless something speaks against it."""
    against = [] if result.contradiction is None else ["Gold contradicts the blind ranking."]
    unknown = _cannot_tell(result)
    if unknown:
        return [*against, unknown]
    method = result.methods[result.method]
    chosen = f"{capital(method.short)} was chosen because {result.why}. It assumes: {method.words}."
    by_name = {c.name: c for c in result.classifiers}
    first = [by_name[name] for name in result.leaders]
    if not first:
        size = count(len(result.classifiers), "classifier")
        return [*against, f"{size} without ranks, by {method.short}.", chosen]
    name, score = first[0].name, _score(result, first[0])
    if against and not method.informed:
        said = f"Do not go by this order, in which {name} is first: {score}."
    elif len(first) > 1:
        but = ", but see the warning" if _doubted(result) else ""
        said = f"{_alike(result, first)}{but}"
        said += "." if _unexplained(result) else f": {_range(result, first)}."
    elif _doubted(result):
        said = f"{name} comes first, but see the warning"
        said += "." if _unexplained(result) else f": {score}."
    else:
        said = f"{name} is best: {score}."
    panel = [] if result.panel is None else [result.panel.sentence()]
    return [*against, said, chosen, *panel]


def _cannot_tell(result: BlindRecord) -> str:
    """Say why nothing tells who is best; nothing where something does."""
    p, names = result.provenance, [c.name for c in result.classifiers]
    if p.items < ENOUGH_ITEMS:
        return (
            f"{count(p.items, 'item')} are too few to tell which of "
            f"{count(len(names), 'classifier')} is best."
        )
    if result.methods[result.method].informed:
        return ""
    if result.diagnostics.never_differ:
        return (
            f"Nothing tells which of {count(len(names), 'classifier')} is best: no two differ on "
            "an item that both labelled."
        )
    apart = _one_each(result)
    if len(apart) == 2:
        noun = "classifiers" if len(names) == 2 else "groups of classifiers"
        one, two = (result.diagnostics.classifiers.index(name) for name in apart)
        return (
            f"Without gold labels nothing tells which of two {noun} is better: '{apart[0]}' "
            f"and '{apart[1]}' agree on {result.diagnostics.overlap.agreement[one, two]:.0%} of "
            "the items that both labelled."
        )
    if result.diagnostics.disagree:
        return (
            f"Nothing tells which of {count(len(names), 'classifier')} is best: "
            f"{result.diagnostics.two_orders} put them in different orders, so that at least one "
            f"is wrong. Give gold labels of some items ({option('gold', ...)})."
        )
    return _by_explanation(result)


def _one_each(result: BlindRecord) -> list[str]:
    """List classifiers, of each group the first."""
    return list({c.group or c.name: c.name for c in reversed(result.classifiers)}.values())[::-1]


def _by_explanation(result: BlindRecord) -> str:
    """Say who is best by which explanation, where these differ in that, or from the ranks."""
    found, likeliest = result.explanations, _explained(result)
    if found is None or likeliest is None:
        return ""
    several = len(found.winners) > 1 and found.differ > MATERIAL
    parts = [f"if {condition(one)}, it is {name}" for name, one in found.winners.items()]
    if not several and not set(found.winners) & set(result.leaders):
        method = result.methods[result.method].short
        parts = [
            parts[0],
            f"{method}, which does not allow for that, has {result.leaders[0]} first",
        ]
    elif not several:
        return ""
    size = count(len(result.classifiers), "classifier")
    return f"Nothing tells which of {size} is best: {'; '.join(parts[:3])}."


def _explained(result: BlindRecord) -> Explained | None:
    """Find the explanation that scores go by, where errors are not independent and no one is asked.

    Scores of the method that ranks are off there, as a warning says; these allow for it.
    """
    found = result.explanations
    if found is None or found.has_independent or not _grouped_alike(result):
        return None
    is_level = result.provenance.metrics[0] == METRICS[0]
    informed = result.methods[result.method].informed
    return None if informed or not is_level or not result.leaders else found.found[0]


def _grouped_alike(result: BlindRecord) -> bool:
    """Whether the likeliest explanation has every group within a family; without groups it has."""
    groups: dict[str, set[str]] = {}
    for c in result.classifiers:
        if c.group is not None:
            groups.setdefault(c.group, set()).add(c.name)
    families = () if result.explanations is None else result.explanations.found[0].families
    several = [group for group in groups.values() if len(group) > 1]
    return all(any(group <= set(family) for family in families) for group in several)


def _unexplained(result: BlindRecord) -> bool:
    """Whether votes agree more than anything that was tried allows, so that no score holds."""
    if result.methods[result.method].informed or any(c.group for c in result.classifiers):
        return False
    return result.explanations is not None and bool(result.explanations.unexplained)


def _alike(result: BlindRecord, first: Sequence[JudgedClassifier]) -> str:
    """Say which classifiers no test tells from the best."""
    ranked = sum(c.rank is not None for c in result.classifiers)
    total = count(ranked, "classifier")
    if ranked < len(result.classifiers):
        total = f"{total} with ranks (of {len(result.classifiers):,})"
    names = [c.name for c in first]
    if len(first) == ranked:
        return f"No test tells which of {total} is best"
    rest = len(names) - MOST_NAMED
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    if rest > 0:
        listed = f"{', '.join(names[:MOST_NAMED])} and {count(rest, 'other')}"
    return f"{len(first):,} of {total} cannot be told from the best ({listed})"


def _score(result: BlindRecord, c: JudgedClassifier) -> str:
    """Write the first metric, with an interval only if there is no doubt that it holds."""
    method, metric = result.methods[result.method], result.provenance.metrics[0]
    best = c.estimates[result.method][metric]
    explained = _explained(result)
    if explained is not None and _explanations_differ(result, [c.name]):
        return _range(result, [c])
    if explained is not None:
        found = explained.estimates[c.name]
        interval = "" if found.low is None else f" ({found.interval()})"
        return f"{metric} {found.value:.3f}{interval} if {condition(explained)}"
    if c.labelled < ENOUGH_ITEMS:
        return (
            f"by {method.short}, though {count(c.labelled, 'label')} of it are too few for a score"
        )
    holds = method.covers and (method.informed or not _doubted(result))
    # Where all bootstrap samples say the same, they do not tell how sure a score is.
    is_interval = best.low is not None and best.low != best.high
    interval = f" ({best.interval()})" if holds and is_interval else ""
    return f"{metric} {best.show(best.value)}{interval} by {method.short}"


def _range(result: BlindRecord, first: Sequence[JudgedClassifier]) -> str:
    """Write the scores that share a rank."""
    method, metric = result.methods[result.method], result.provenance.metrics[0]
    explained = _explained(result)
    if explained is not None and result.explanations is not None:
        names, every = [c.name for c in first], result.explanations.found
        differ = _explanations_differ(result, names)
        if differ:
            values = [one.accuracy[name] for one in every for name in names]
            which = f"which of {count(len(every), 'explanation')} holds"
            return f"{metric} {min(values):.3f} to {max(values):.3f}, depending on {which}"
        values = [explained.accuracy[name] for name in names]
        return f"{metric} {min(values):.3f} to {max(values):.3f} if {condition(explained)}"
    # Of few labels any score may come: these would stretch the range to 0 and 1.
    least = ENOUGH_ITEMS if method.informed else 0
    enough = [c for c in first if c.labelled >= least] or first
    scores = [c.estimates[result.method][metric] for c in enough]
    low, high = (found(scores, key=lambda e: e.value) for found in (min, max))
    ends = dict.fromkeys([low.show(low.value), high.show(high.value)])
    among = f", of those with {ENOUGH_ITEMS} labels or more" if len(enough) < len(first) else ""
    return f"{metric} {' to '.join(ends)} by {method.short}{among}"


def _explanations_differ(result: BlindRecord, names: Sequence[str]) -> bool:
    """Whether explanations of the votes give any of these classifiers a materially other score."""
    found = result.explanations
    if found is None:
        return False
    values = [[one.accuracy[name] for one in found.found] for name in names]
    return any(max(own) - min(own) > MATERIAL for own in values)


def _doubted(result: BlindRecord) -> bool:
    """Whether a warning speaks against the order."""
    if result.methods[result.method].informed:
        return False
    return any(note.severity == "warning" for note in result.notes)


def capital(words: str) -> str:
    """Begin with a capital letter."""
    return words[:1].upper() + words[1:]
