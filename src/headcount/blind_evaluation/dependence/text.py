"""Signs of dependence in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from headcount.blind_evaluation.dependence.families import Family
from headcount.blind_evaluation.dependence.overlap import with_others
from headcount.errors import count, some
from headcount.results.text import wrap

if TYPE_CHECKING:
    from headcount.blind_evaluation.dependence.dependence import Diagnostics

__all__ = ["summary", "warnings_of"]

FEW = 3
"""Classifiers among which dependence cannot be seen."""

SHARED_WITH_GOLD = 0.2
"""Mean residual correlation on gold that is worth a warning. Some items are harder than others,
so about .1 is usual."""

PRIOR_DRIFT = 0.05
"""Difference between EM's and gold's shares of a label that is worth a warning."""

LOW_TAU = 0.5
"""Kendall's tau of EM with the votes of others below which they disagree on the order."""

MOST = 5
"""Families and classifiers that one sentence names."""


def summary(d: Diagnostics) -> list[str]:
    """Write the diagnostics in lines of at most 80 columns, without matrices and warnings."""
    lines = [*_correlations(d), _prior(d)]
    if not np.isnan(d.rank_tau):
        lines.append(
            "Kendall's tau of the scores by EM with those by the votes of the others: "
            f"{d.rank_tau:.2f}"
        )
    pairs = d.overlap.jaccard[np.triu_indices(len(d.classifiers), 1)]
    known = pairs[~np.isnan(pairs)]
    if len(known):
        lines.append(
            f"overlap (Jaccard) of two classifiers: mean {known.mean():.2f}, from "
            f"{known.min():.2f} to {known.max():.2f}"
        )
    if not np.isnan(d.fleiss):
        lines.append(f"Fleiss' kappa: {d.fleiss:.2f}{_without(d)}")
    return ["do classifiers err independently?", *(wrap(line, "  ") for line in lines)]


def warnings_of(d: Diagnostics) -> Iterator[str]:
    """Write what to be careful about, the gravest first."""
    total = len(d.classifiers)
    together = [group for group in d.groups if group.together]
    families = _families_across(d) if d.groups else list(d.families)
    end = "treat the EM column as unreliable" if d.dependent else "EM makes too much of their votes"
    pairs = d.overlap.agreement[np.triu_indices(total, 1)]
    if (pairs[~np.isnan(pairs)] == 1).all():
        yield (
            "No two classifiers differ on an item that both labelled: blind evaluation cannot "
            "tell them apart, nor whether they are right."
        )
    if together:
        yield (
            f"{_err(together, d.classifiers, 'group')}: {end}; leave-group-out and grouped EM "
            "allow for it."
        )
    if families and d.groups:
        yield (
            f"{_err(families, d.classifiers, 'classifiers of several groups')}: if these share a "
            "model, put them in one group."
        )
    elif families:
        yield (
            f"{_err(families, d.classifiers, 'family')}: {end}; give groups (--groups or "
            "--group-pattern) for methods that allow for it."
        )
    if total <= FEW:
        yield (
            f"Among {count(total, 'classifier')} errors that go together cannot be told from the "
            "truth: believe EM only if they have nothing in common."
        )
    if d.mean_residual_gold >= SHARED_WITH_GOLD:
        yield (
            f"On {count(d.gold_items, 'item')} with {d.people} the errors of two classifiers have "
            f"a mean correlation of {d.mean_residual_gold:.2f}: what most get wrong looks true to "
            "every blind method, so that blind scores and their intervals are off."
        )
    yield from _prior_against_gold(d)
    if d.rank_tau < LOW_TAU:
        yield (
            "EM and the votes of the others disagree on the order of classifiers (Kendall's tau "
            f"{d.rank_tau:.2f}): at least one of them is wrong."
        )
    if d.outliers:
        yield _apart(d)


def _err(families: Sequence[Family], names: Sequence[str], kind: str) -> str:
    """Say who errs together."""
    if len(families) == 1:
        who = _who(families[0], names, kind)
        return f"{who[0].upper()}{who[1:]} err together ({_mean(families[0], 'mean ')})"
    listed = [f"{_who(f, names, kind)} ({_mean(f)})" for f in families[:MOST]]
    rest = len(families) - MOST
    listed += [f"{rest:,} more"] if rest > 0 else []
    return f"Classifiers err together: {'; '.join(listed)}"


def _mean(family: Family, word: str = "") -> str:
    return f"{word}residual correlation {family.correlation:.2f}"


def _who(family: Family, names: Sequence[str], kind: str) -> str:
    size = len(family.members)
    if kind == "group":
        return f"the {size:,} classifiers of group '{family.name}'"
    if family.name is not None:
        return f"the {size:,} '{family.name}' classifiers"
    return f"{some([names[k] for k in family.members], 3)}"


def _families_across(d: Diagnostics) -> list[Family]:
    """Families that no single group holds."""
    groups = [set(group.members) for group in d.groups]
    return [f for f in d.families if not any(set(f.members) <= group for group in groups)]


def _prior_against_gold(d: Diagnostics) -> Iterator[str]:
    if d.prior_gold is None or d.prior_em_gold is None:
        return
    label = int(np.argmax(np.abs(d.prior_em_gold - d.prior_gold)))
    if len(d.labels) == 2:
        label = 1
    gold, em = float(d.prior_gold[label]), float(d.prior_em_gold[label])
    # Of few items none or all may be so; a share in between is what noise is about.
    share = (gold * d.gold_items + 1) / (d.gold_items + 2)
    noise = 2 * np.sqrt(share * (1 - share) / max(d.gold_items, 1))
    if abs(em - gold) > max(PRIOR_DRIFT, noise):
        yield (
            f"EM takes {em:.0%} of the {count(d.gold_items, 'item')} with {d.people} to be "
            f"'{d.labels[label]}', and {gold:.0%} are."
        )


def _apart(d: Diagnostics) -> str:
    names = [d.classifiers[k] for k in d.outliers]
    if len(names) > 1:
        return (
            f"{some(names, MOST)} stand apart: they agree far less with the others than is usual. "
            "Each is either far better or far worse than the rest; blind evaluation cannot tell "
            "which."
        )
    k = d.outliers[0]
    agreement, jaccard = with_others(d.overlap.agreement), with_others(d.overlap.jaccard)
    return (
        f"'{names[0]}' stands apart: it agrees with another classifier on {agreement[k]:.0%} of "
        f"items ({np.nanmedian(agreement):.0%} is usual), with an overlap (Jaccard) of "
        f"{jaccard[k]:.2f} ({np.nanmedian(jaccard):.2f} is usual). It is either far better or far "
        "worse than the rest; blind evaluation cannot tell which."
    )


def _correlations(d: Diagnostics) -> Iterator[str]:
    if not np.isnan(d.mean_residual):
        parts = f", {d.within:.2f} within groups" if not np.isnan(d.within) else ""
        parts += f", {d.between:.2f} between" if not np.isnan(d.between) else ""
        how = "by EM with one vote a family" if d.families else "by EM"
        yield (
            f"residual correlation of errors, given the truth {how}: mean "
            f"{d.mean_residual:.2f}{parts}; {count(len(d.classifiers), 'classifier')} are worth "
            f"{d.effective_votes:.1f} independent votes"
        )
    if not np.isnan(d.mean_residual_gold):
        yield (
            f"the same, given {d.people} ({count(d.gold_items, 'item')}): mean "
            f"{d.mean_residual_gold:.2f}; worth {d.effective_votes_gold:.1f} independent votes"
        )


def _prior(d: Diagnostics) -> str:
    """How common the positive label is, or of several that on which the sources differ most."""
    known = {"EM": d.prior_em, "votes": d.prior_votes}
    known |= {} if d.prior_gold is None else {d.people: d.prior_gold}
    label = int(np.argmax(np.ptp(np.stack(list(known.values())), axis=0)))
    if len(d.labels) == 2:
        label = 1
    parts = ", ".join(f"{share[label]:.1%} by {name}" for name, share in known.items())
    drift = f"EM and votes differ by {100 * d.prior_drift:.1f} points"
    return f"items that are '{d.labels[label]}': {parts} ({drift})"


def _without(d: Diagnostics) -> str:
    change = np.abs(d.fleiss_without - d.fleiss)
    if np.isnan(change).all():
        return ""
    most = int(np.nanargmax(change))
    return f" ({d.fleiss_without[most]:.2f} without '{d.classifiers[most]}')"
