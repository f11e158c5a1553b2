"""Signs of dependence in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from headcount.blind_evaluation.dependence.families import Family
from headcount.blind_evaluation.dependence.overlap import with_others
from headcount.blind_evaluation.dependence.records import Diagnostics
from headcount.blind_evaluation.dependence.residuals import ENOUGH_SHARED
from headcount.errors import count, option, some
from headcount.results.notes import Note, Severity
from headcount.results.text import Table

__all__ = ["overlap_table", "summary", "warnings_of"]

FEW = 3
"""Classifiers among which dependence cannot be seen."""

SHARED_WITH_GOLD = 0.2
"""Mean residual correlation on gold that is worth a warning. Some items are harder than others,
so about .1 is usual."""

PRIOR_DRIFT = 0.05
"""Difference between EM's and gold's shares of a label that is worth a warning."""

MOST = 5
"""Families and classifiers that one sentence names."""


def overlap_table(d: Diagnostics, names: Sequence[str], positive: str | None) -> Table:
    """Write the Jaccard coefficient of every two of some classifiers, columns by number."""
    place = {name: k for k, name in enumerate(d.classifiers)}
    rows = [place[name] for name in names]
    few = d.overlap.shared < ENOUGH_SHARED  # on one item in common it would be 0 or 1
    found = np.where(few, np.nan, d.overlap.jaccard)[np.ix_(rows, rows)]
    gives = "to which both give a label, of those to which either does; mean over labels"
    if positive is not None:
        gives = f"that both call '{positive}', of those that either does"
    body = [
        [f"{n} {name}", *("" if np.isnan(x) else f"{x:.2f}" for x in own[: n - 1])]
        for n, (name, own) in enumerate(zip(names, found.tolist(), strict=True), start=1)
    ]
    width = len(names)
    return Table(
        ["classifier", *(str(n) for n in range(1, width))],
        [row + [""] * (width - len(row)) for row in body],
        title=f"Overlap (Jaccard) of every two classifiers: items {gives}",
        more=f"blank: fewer than {ENOUGH_SHARED} items in common" if few.any() else "",
    )


def summary(d: Diagnostics) -> Table:
    """Write the diagnostics as a table of numbers, without matrices and warnings."""
    rows = [*_correlations(d), *_priors(d)]
    if not np.isnan(d.rank_tau):
        rows.append((f"Kendall's tau of scores by {d.two_orders}", f"{d.rank_tau:.2f}"))
    pairs = d.overlap.jaccard[np.triu_indices(len(d.classifiers), 1)]
    known = pairs[~np.isnan(pairs)]
    if len(known):
        rows += [
            ("overlap (Jaccard) of two classifiers, mean", f"{known.mean():.2f}"),
            ("  lowest", f"{known.min():.2f}"),
            ("  highest", f"{known.max():.2f}"),
        ]
    rows += _fleiss(d)
    return Table(
        ["diagnostic", "value"], rows, title="Do classifiers err independently?", words=True
    )


def warnings_of(d: Diagnostics) -> Iterator[Note]:
    """Write what to be careful about, the gravest first."""
    total = len(d.classifiers)
    if d.never_differ:
        yield Note(
            "No two classifiers differ on an item that both labelled: scores of 1 say only that "
            "they agree, not that they are right. Give gold labels of some items "
            f"({option('gold', ...)}).",
            "warning",
        )
    yield from d.explained
    yield from _together(d)
    if total <= FEW:
        yield Note(
            f"With {count(total, 'classifier')}, errors that they share, on hard items too, look "
            "like the truth: believe EM only if they have nothing in common.",
            "caution",
        )
    if d.mean_residual_gold >= SHARED_WITH_GOLD:
        yield Note(
            f"On {count(d.gold_items, 'item')} with {d.people} the errors of two classifiers have "
            f"a mean correlation of {d.mean_residual_gold:.2f}: what most get wrong looks true to "
            "every blind method, so that blind scores and their intervals are off. Go by "
            f"{d.people}.",
            "warning",
        )
    yield from _prior_against_gold(d)
    if d.disagree:
        yield Note(
            f"{d.two_orders[0].upper()}{d.two_orders[1:]} disagree on the order of classifiers "
            f"(Kendall's tau {d.rank_tau:.2f}): at least one of them is wrong.",
            "warning",
        )
    if d.outliers:
        yield Note(_apart(d), "caution")


def _together(d: Diagnostics) -> Iterator[Note]:
    """Say who errs together, and what to do."""
    groups = [group for group in d.groups if group.together]
    families = d.families_across
    # Where the votes allow several explanations, none of these may be guilty.
    families = [] if d.explained else families
    end = (
        "treat the EM column as unreliable"
        if d.dependent
        else "EM gives their votes too much weight"
    )
    severity: Severity = "warning" if d.dependent else "caution"
    if groups:
        # Hard items, which a note before this may speak of, make all err together to some extent.
        more = f", and those of different groups less ({d.between:.2f})" if d.explained else ""
        yield Note(
            f"{_err(groups, d.classifiers, 'group')}{more}: {end}; leave-group-out and grouped EM "
            "allow for it.",
            severity,
        )
    if families and d.groups:
        yield Note(
            f"{_err(families, d.classifiers, 'classifiers of several groups')}: if these share a "
            "model, put them in one group.",
            severity,
        )
    elif families:
        yield Note(
            f"{_err(families, d.classifiers, 'family')}: {end}; give groups "
            f"({option('groups', ...)} or {option('group_pattern', ...)}) for methods that allow "
            "for it.",
            severity,
        )


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


def _prior_against_gold(d: Diagnostics) -> Iterator[Note]:
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
        yield Note(
            f"EM takes {em:.0%} of the {count(d.gold_items, 'item')} with {d.people} to be "
            f"'{d.labels[label]}', and {gold:.0%} are.",
            "warning",
        )


def _apart(d: Diagnostics) -> str:
    names = [d.classifiers[k] for k in d.outliers]
    if len(names) > 1:
        return (
            f"{some(names, MOST)} agree far less with the others than is usual. Each is either far "
            "better or far worse than the rest; blind evaluation cannot tell which."
        )
    k = d.outliers[0]
    agreement, jaccard = with_others(d.overlap.agreement), with_others(d.overlap.jaccard)
    return (
        f"'{names[0]}' agrees far less with the others than is usual: on {agreement[k]:.0%} of "
        f"items (median of all: {np.nanmedian(agreement):.0%}), with an overlap (Jaccard) of "
        f"{jaccard[k]:.2f} (median {np.nanmedian(jaccard):.2f}). It is either far better or far "
        "worse than the rest; blind evaluation cannot tell which."
    )


def _correlations(d: Diagnostics) -> Iterator[tuple[str, str]]:
    if not np.isnan(d.mean_residual):
        how = "by EM, one vote per family" if d.families else "by EM"
        yield f"residual correlation of errors, given the truth {how}", f"{d.mean_residual:.2f}"
        for name, value in (("within", d.within), ("between", d.between)):
            if not np.isnan(value):
                yield f"  {name} groups", f"{value:.2f}"
        who = count(len(d.classifiers), "classifier")
        if d.residual.is_panel:
            yield f"effective number of independent votes ({who})", f"{d.effective_votes:.1f}"
    if not np.isnan(d.mean_residual_gold):
        known = f"{d.people} ({count(d.gold_items, 'item')})"
        yield f"residual correlation, given {known}", f"{d.mean_residual_gold:.2f}"
        if d.residual_gold is not None and d.residual_gold.is_panel:
            yield f"effective number of votes, given {d.people}", f"{d.effective_votes_gold:.1f}"


def _priors(d: Diagnostics) -> Iterator[tuple[str, str]]:
    """How common the positive label is, or of several that on which the sources differ most."""
    known = {"EM": d.prior_em, "votes": d.prior_votes}
    known |= {} if d.prior_gold is None else {d.people: d.prior_gold}
    label = int(np.argmax(np.ptp(np.stack(list(known.values())), axis=0)))
    if len(d.labels) == 2:
        label = 1
    for name, share in known.items():
        yield f"share of items with label '{d.labels[label]}', by {name}", f"{share[label]:.1%}"


def _fleiss(d: Diagnostics) -> Iterator[tuple[str, str]]:
    if np.isnan(d.fleiss):
        return
    yield "Fleiss' kappa", f"{d.fleiss:.2f}"
    change = np.abs(d.fleiss_without - d.fleiss)
    if not np.isnan(change).all():
        most = int(np.nanargmax(change))
        yield f"  without '{d.classifiers[most]}'", f"{d.fleiss_without[most]:.2f}"
