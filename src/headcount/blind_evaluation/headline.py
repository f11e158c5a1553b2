"""The first sentences of blind evaluation: who is best, by what, and what speaks against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from headcount.blind_evaluation.explanations.text import condition, who_allows
from headcount.blind_evaluation.final_ranking import ENOUGH_ITEMS
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
    by_name = {c.name: c for c in result.classifiers}
    first = [by_name[name] for name in result.leaders]
    if not first and result.diagnostics is None:
        return [_of_crowd(result), _chosen(result)]
    if not first:
        size = count(len(result.classifiers), "classifier")
        return [*against, f"{size} without ranks, by {method.short}.", _chosen(result)]
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
    # Whom EM believes least, it takes to add least: not where its truth is in doubt.
    sure = method.informed or not (result.by_explanations or _doubted(result))
    panel = [] if result.panel is None else [result.panel.sentence(who_adds=sure)]
    return [*against, said, _chosen(result), *panel]


def _of_crowd(result: BlindRecord) -> str:
    """Say what a crowd is like of which nobody has a rank, and who comes first."""
    best, method = result.classifiers[0], result.methods[result.method]
    size = count(len(result.classifiers), "classifier")
    if np.isnan(best.score.value):
        return f"No score of {size} by {method.short}: {best.score.undefined}."
    if method.informed:  # of few gold labels any score may come
        top = [c for c in result.classifiers if c.score.value == best.score.value]
        also = f" (as {count(len(top) - 1, 'other')} with the same score)" if len(top) > 1 else ""
        return f"Of {size}, {best.name} comes first{also}: {_score(result, best)}."
    least = result.provenance.min_labels
    scores = np.array([c.score.value for c in result.classifiers if c.labelled >= least])
    but = ", but see the warning" if _doubted(result) else ""
    low, middle, high = np.nanquantile(scores, [0.25, 0.5, 0.75]).tolist()
    return (
        f"{count(len(scores), 'classifier')}, half of their scores between {low:.3f} and "
        f"{high:.3f} (median {middle:.3f}); first comes {best.name}{but}: {_score(result, best)}."
    )


def _chosen(result: BlindRecord) -> str:
    """Say what scores and ranks go by, and what that assumes."""
    method, found = result.methods[result.method], result.explanations
    if result.by_explanations and found is not None:
        size = count(len(found.found), "explanation")
        by = f"one of {size} that {who_allows(found)} allow is right"
        if len(found.found) == 1:
            by = condition(found.found[0])
        seem = "may not" if found.has_independent else "do not seem to"
        return f"Classifiers {seem} err independently. Scores assume: {by}."
    return f"{capital(method.short)} was chosen because {result.why}. It assumes: {method.words}."


def _cannot_tell(result: BlindRecord) -> str:
    """Say why nothing tells who is best; nothing where something does."""
    p, names = result.provenance, [c.name for c in result.classifiers]
    if p.items < ENOUGH_ITEMS:
        return (
            f"{count(p.items, 'item')} are too few to tell which of "
            f"{count(len(names), 'classifier')} is best."
        )
    found = result.diagnostics
    if result.methods[result.method].informed or found is None:
        return ""
    if found.never_differ:
        return (
            f"Nothing tells which of {count(len(names), 'classifier')} is best: no two differ on "
            "an item that both labelled."
        )
    apart = _one_each(result)
    if len(apart) == 2:
        noun = "classifiers" if len(names) == 2 else "groups of classifiers"
        one, two = (found.classifiers.index(name) for name in apart)
        return (
            f"Without gold labels nothing tells which of two {noun} is better: '{apart[0]}' "
            f"and '{apart[1]}' agree on {found.overlap.agreement[one, two]:.0%} of "
            "the items that both labelled."
        )
    if found.disagree:
        return (
            f"Nothing tells which of {count(len(names), 'classifier')} is best: "
            f"{found.two_orders} put them in different orders, so that at least one "
            f"is wrong. Give gold labels of some items ({option('gold', ...)})."
        )
    return _by_explanation(result)


def _one_each(result: BlindRecord) -> list[str]:
    """List classifiers, of each group the first."""
    return list({c.group or c.name: c.name for c in reversed(result.classifiers)}.values())[::-1]


def _by_explanation(result: BlindRecord) -> str:
    """Say who is best by which explanation, where no classifier is by all of them."""
    found = result.explanations
    if found is None or not result.by_explanations or found.share_a_best:
        return ""
    parts = [f"if {condition(one)}, it is {name}" for name, one in found.winners.items()]
    size = count(len(result.classifiers), "classifier")
    return f"Nothing tells which of {size} is best: {'; '.join(parts[:3])}."


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
    if rest > 1:  # one more is as short as 'and 1 other'
        listed = f"{', '.join(names[:MOST_NAMED])} and {count(rest, 'other')}"
    return f"{len(first):,} of {total} cannot be told from the best ({listed})"


def _score(result: BlindRecord, c: JudgedClassifier) -> str:
    """Write the first metric, with an interval only if there is no doubt that it holds."""
    method, metric = result.methods[result.method], result.provenance.metrics[0]
    if not result.by_explanations and c.labelled < ENOUGH_ITEMS:
        return (
            f"by {method.short}, though {count(c.labelled, 'label')} of it "
            f"{'is' if c.labelled == 1 else 'are'} too few for a score"
        )
    interval = "" if c.score.low is None else f" ({c.score.interval()})"
    return f"{metric} {c.score.show(c.score.value)}{interval} {_by(result)}"


def _range(result: BlindRecord, first: Sequence[JudgedClassifier]) -> str:
    """Write the scores that share a rank."""
    method, metric = result.methods[result.method], result.provenance.metrics[0]
    # Of few labels any score may come: these would stretch the range to 0 and 1.
    least = ENOUGH_ITEMS if method.informed else 0
    enough = [c for c in first if c.labelled >= least] or first
    scores = [c.score for c in enough]
    if result.by_explanations and result.explanations is not None:
        every = result.explanations.found
        values = [one.accuracy[c.name] for one in every for c in enough]
        scores = [replace(scores[0], value=value) for value in values]
    low, high = (found(scores, key=lambda e: e.value) for found in (min, max))
    ends = dict.fromkeys([low.show(low.value), high.show(high.value)])
    among = f", of those with {ENOUGH_ITEMS} labels or more" if len(enough) < len(first) else ""
    return f"{metric} {' to '.join(ends)} {_by(result)}{among}"


def _by(result: BlindRecord) -> str:
    """Say what a score goes by."""
    found = result.explanations
    if not result.by_explanations or found is None:
        return f"by {result.methods[result.method].short}"
    if len(found.found) == 1:
        return f"if {condition(found.found[0])}"
    return f"by {count(len(found.found), 'explanation')} that {who_allows(found)} allow"


def _doubted(result: BlindRecord) -> bool:
    """Whether a warning speaks against the order, and scores do not allow for it."""
    if result.methods[result.method].informed or result.by_explanations:
        return False
    return any(note.severity == "warning" for note in result.notes)


def capital(words: str) -> str:
    """Begin with a capital letter."""
    return words[:1].upper() + words[1:]
