"""Blind evaluation in tables, below the headline."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headcount.blind_evaluation.comparison.text import tables_of
from headcount.blind_evaluation.consensus.labels import UNSURE
from headcount.blind_evaluation.dependence.text import overlap_table, summary
from headcount.blind_evaluation.explanations.records import Explanations
from headcount.blind_evaluation.explanations.text import conditions, table_of, who_allows
from headcount.blind_evaluation.final_ranking import ENOUGH_GOLD, ENOUGH_ITEMS
from headcount.blind_evaluation.headline import capital, headline
from headcount.blind_evaluation.metrics import head_of
from headcount.blind_evaluation.records import BlindRecord, JudgedClassifier
from headcount.errors import count, option, percent
from headcount.results.text import ALL, Page, Table
from headcount.stats.estimate import Estimate

__all__ = ["page_of"]

MOST_CONFUSED, MOST_LABELS = 6, 6
"""Classifiers whose confusion matrices are printed, and labels up to which they are."""
RANK = "rank: 1 + number significantly better"
MOST_METHODS = 6
"""Methods that stand beside each other in a table."""


def page_of(result: BlindRecord) -> Page:
    """Write the result; first of all, that gold contradicts it, if it does."""
    if result.provenance.items < ENOUGH_ITEMS:
        return Page(headline(result), _few(result), _foot(result))
    blocks: list[Table | str] = [ranking(result), *_grades(result), _labels(result)]
    blocks += _confusions(result)
    names = result.provenance.methods
    informed = [name for name in names if result.methods[name].informed]
    blind = [name for name in names if not result.methods[name].informed]
    for title, some in (("by the votes alone", blind), ("with gold or crowd labels", informed)):
        parts = -(-len(some) // MOST_METHODS)
        for part in range(parts):
            size = -(-len(some) // parts)
            blocks.append(by_method(result, some[part * size : (part + 1) * size], title))
    if result.diagnostics is not None:
        blocks.append(summary(result.diagnostics))
        if result.overlap_shown:
            names = [c.name for c in _shown(result)]
            blocks.append(overlap_table(result.diagnostics, names, result.provenance.positive))
    if result.explanations is not None and not result.by_explanations:
        explained = table_of(result.explanations, [c.name for c in _shown(result)])
        blocks += [] if explained is None else [explained]
    if result.comparison is not None:
        blocks += tables_of(result.comparison)
    return Page(headline(result), blocks, _foot(result))


def ranking(result: BlindRecord) -> Table:
    """Write the method that ranks: the first metric with interval and rank, then the others."""
    if result.by_explanations and result.explanations is not None:
        return _by_explanations(result, result.explanations)
    first, *others = result.provenance.metrics
    head = ["classifier", head_of(first), *_sure_head(result), *map(head_of, others)]
    shown = _shown(result)
    scored = [c for c in shown if not c.score.undefined] or shown
    body = [
        [
            c.name,
            _value(c.score),
            *_sure(result, c),
            *(_value(c.estimates[result.method][metric]) for metric in others),
        ]
        for c in scored
    ]
    method = result.methods[result.method].short
    more = _more(result)
    if len(scored) < len(shown):
        none = sum(bool(c.score.undefined) for c in result.classifiers)
        more = f"{count(none, 'classifier')} without a score by {method} not listed"
    title = f"Scores by {method} ({'; '.join(_remarks(result))})"
    return Table(head, body, title=title, more=more, together=3)


def _by_explanations(result: BlindRecord, found: Explanations) -> Table:
    """Write accuracies by every explanation, and an interval that holds those of all."""
    several = len(found.found) > 1
    columns = [str(k + 1) for k in range(len(found.found))] if several else ["ACC"]
    body = [
        [c.name, *(f"{one.accuracy[c.name]:.3f}" for one in found.found), *_sure(result, c)]
        for c in _shown(result)
    ]
    which = "every explanation" if several else "the explanation"
    title = f"Accuracy by {which} that {who_allows(found)} allow ({conditions(found)})"
    how = "intervals hold those of all explanations and are" if several else "intervals are"
    by = " by the explanation that favours it" if several else ""
    # See docs/studies/blind_explanations.md.
    more = f"{how} approximate"
    more += f"; {RANK}{by}; * shared" if _any_rank(result) else ""
    more += f"; {_more(result)}" if _more(result) else ""
    head = ["classifier", *columns, *_sure_head(result)]
    return Table(head, body, title=title, more=more)


def _sure_head(result: BlindRecord) -> list[str]:
    """Name the columns of intervals and ranks, those that there are."""
    level = "" if result.provenance.level is None else percent(result.provenance.level)
    head = [f"{level} interval"] if _any_interval(result) else []
    return [*head, "rank"] if _any_rank(result) else head


def _sure(result: BlindRecord, c: JudgedClassifier) -> list[str]:
    """Write interval and rank of the main score, where anybody has them."""
    ranks = [other.rank for other in result.classifiers]
    tie = "*" if c.rank is not None and ranks.count(c.rank) > 1 else ""
    cells = [c.score.interval()] if _any_interval(result) else []
    return [*cells, "" if c.rank is None else f"{c.rank}{tie}"] if _any_rank(result) else cells


def _any_interval(result: BlindRecord) -> bool:
    return any(c.score.low is not None for c in result.classifiers)


def _any_rank(result: BlindRecord) -> bool:
    return any(c.rank is not None for c in result.classifiers)


def _remarks(result: BlindRecord) -> list[str]:
    """Say what ranks are and what intervals allow for, or why there are none."""
    method = result.methods[result.method]
    out = [f"{RANK}; * shared"] if _any_rank(result) else ["no ranks"]
    if not _any_interval(result):
        why = "" if method.covers else f", since {method.short} is biased"
        out.append(f"no intervals{why}")
    elif result.allows_for_hard_items:
        out.append("intervals allow for hard items")
    if _any_interval(result) and result.is_approximate:
        out.append("intervals are approximate")
    return out


def _few(result: BlindRecord) -> list[Table | str]:
    """Write how often classifiers agree, in counts: a score of 1.000 on three items says more."""
    d = result.diagnostics
    if d is None:
        return []
    shared = np.where(np.eye(len(d.classifiers), dtype=bool), 0.0, d.overlap.shared)
    same = np.nansum(d.overlap.agreement * shared, axis=1)
    counts = {
        name: f"{one:.0f} of {both:.0f}"
        for name, one, both in zip(d.classifiers, same, shared.sum(axis=1), strict=True)
    }
    body = [[c.name, f"{c.labelled:,}", counts[c.name]] for c in _shown(result)]
    title = "How often labels of classifiers are those of others, item by item"
    return [Table(["classifier", "labels", "agrees"], body, title=title, more=_more(result))]


def _grades(result: BlindRecord) -> list[Table]:
    """Write how far grades are off, where labels are numbers."""
    shown = [c for c in _shown(result) if c.grades]
    if not shown:
        return []
    level = "" if result.provenance.level is None else percent(result.provenance.level)
    is_interval = any(c.grades["mean_absolute_error"].low is not None for c in shown)
    head = ["classifier", "mean error", *([f"{level} interval"] if is_interval else [])]
    head += ["bias", "weighted kappa"]
    body = [
        [
            c.name,
            _value(c.grades["mean_absolute_error"]),
            *([c.grades["mean_absolute_error"].interval()] if is_interval else []),
            f"{c.grades['bias'].value:+.3f}",
            _value(c.grades["weighted_kappa"]),
        ]
        for c in shown
    ]
    known = result.provenance.gold_items or result.provenance.crowd_items
    given = "gold or crowd labels" if known >= ENOUGH_GOLD else f"labels by {result.labels.model}"
    title = f"Grades: mean absolute error, and bias (+: too high), given {given}"
    return [Table(head, body, title=title)]


def _labels(result: BlindRecord) -> str:
    """Say what labels of items came out, and by which model."""
    found = result.labels.to_dict()
    shares = sorted(found["shares"].items(), key=lambda pair: -pair[1])
    most = ", ".join(f"'{label}' {share:.1%}" for label, share in shares[:MOST_LABELS])
    rest = len(shares) - MOST_LABELS
    others = f" and {count(rest, 'more label')}" if rest > 0 else ""
    where = f" ({option('item_labels')})" if result.labels.times is None else ""
    return (
        f"Labels of items by {_title(result, found['model'])}: {most}{others}; "
        f"{count(found['unsure'], 'item')} with a probability below {UNSURE:g}{where}."
    )


def _confusions(result: BlindRecord) -> list[Table]:
    """Write what the best classifiers give where a label is true, if labels are few."""
    labels = result.provenance.labels
    if len(labels) > MOST_LABELS:
        return []
    shown = [c for c in _shown(result) if c.confusion]
    is_interval = any(c.confusion[label][label].low is not None for c in shown for label in labels)
    head = ["classifier", "true label", *(f"'{label}'" for label in labels)]
    head += ["right: interval"] if is_interval else []
    shown = shown if result.most_rows is None else shown[:MOST_CONFUSED]
    body = [
        [
            c.name,
            true,
            *(row[given].show(row[given].value) for given in labels),
            *([row[true].interval()] if is_interval else []),
        ]
        for c in shown
        for true, row in c.confusion.items()
    ]
    given = _title(result, result.labels.model)
    if is_interval and result.confusion_is_approximate:
        given += "; intervals are approximate"
    title = f"What classifiers give, by true label ({given})"
    rest = len(result.classifiers) - len(shown)
    more = f"and {count(rest, 'more classifier')}{ALL}" if rest else ""
    return [Table(head, body, title=title, more=more)] if body else []


def _title(result: BlindRecord, name: str) -> str:
    method = result.methods.get(name)
    return name if method is None else method.short


def _shown(result: BlindRecord) -> Sequence[JudgedClassifier]:
    """Classifiers that are printed: those that are ranked, if a number of labels was asked for."""
    least = result.provenance.min_labels
    ranked = [c for c in result.classifiers if c.labelled >= least]
    return ranked if result.most_rows is None else ranked[: result.most_rows]


def by_method(result: BlindRecord, names: Sequence[str], title: str) -> Table:
    """Write the first metric by several methods, and on gold where there is some."""
    p = result.provenance
    metric = p.metrics[0]
    methods = [result.methods[name] for name in names]
    # Direct evaluation is on gold itself, unless a crowd's labels stand in for it.
    is_there = any(method.direct for method in methods) and not p.crowd_items
    gold = bool(p.gold_items) and not is_there
    head = ["classifier", *(method.short for method in methods), *(["gold"] if gold else [])]
    body = [
        [
            c.name,
            *(_value(c.estimates[name][metric]) for name in names),
            *([_value(c.actual.get(metric))] if gold else []),
        ]
        for c in _shown(result)
    ]
    first = result.classifiers[0]
    # A method that fails does so for all, and for one reason.
    failed = [
        f"{method.short}: {first.estimates[method.name][metric].undefined}"
        for method in methods
        if all(c.estimates[method.name][metric].undefined for c in result.classifiers)
    ]
    more = "; ".join([*([_more(result)] if _more(result) else []), *failed])
    return Table(head, body, title=f"{capital(metric)} {title}", more=more)


def _value(estimate: Estimate | None) -> str:
    if estimate is None or estimate.undefined:
        return ""
    return estimate.show(estimate.value)


def _more(result: BlindRecord) -> str:
    least = result.provenance.min_labels
    few = sum(c.labelled < least for c in result.classifiers)
    rest = len(result.classifiers) - few - len(_shown(result))
    parts = [f"and {count(rest, 'more classifier')}{ALL}"] if rest else []
    if few:
        parts.append(f"{count(few, 'classifier')} with fewer than {least:,} labels not ranked")
    return "; ".join(parts)


def _how(result: BlindRecord) -> str:
    """Say how intervals were found."""
    p = result.provenance
    by_number = [method.short for name in p.methods if (method := result.methods[name]).by_number]
    if result.diagnostics is None:
        return f"of {', '.join(by_number)} by numbers of labels"
    how = (
        f"from {count(p.bootstrap, 'bootstrap sample')}"
        if p.bootstrap
        else "are normal, to first order"
    )
    return f"{how}, of {', '.join(by_number)} by numbers of labels" if by_number else how


def _foot(result: BlindRecord) -> list[str]:
    p = result.provenance
    left = f" ({p.items_unlabelled:,} more without any)" if p.items_unlabelled else ""
    positive = "macro averages" if p.positive is None else f"positive: '{p.positive}'"
    sizes = (
        f"{count(p.items, 'item')}{left}, {p.n_votes:,} labels by "
        f"{count(len(result.classifiers), 'classifier')}; {positive}"
    )
    known = f"; gold for {count(p.gold_items, 'item')}" if p.gold_items else ""
    known += f"; crowd labels for {count(p.crowd_items, 'item')}" if p.crowd_items else ""
    level = "" if p.level is None else percent(p.level)
    intervals = f"{level} intervals {_how(result)} ({option('all_entries')})"
    assume = "those of blind scores hold only if classifiers err independently"
    if result.allows_for_hard_items:
        assume += ", those of the first table also if some items are harder for all"
    if result.by_explanations:
        assume = "those of the first table hold only if one of its explanations is right"
    no_intervals = result.diagnostics is None and not _any_interval(result)
    if p.items < ENOUGH_ITEMS or no_intervals:
        return [f"{sizes}{known}."]
    return [f"{sizes}{known}. {intervals}; {assume}."]
