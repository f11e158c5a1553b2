"""What blind evaluation finds, in records, words, tables and JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any

from headcount.blind_evaluation.dependence import Diagnostics, summary
from headcount.blind_evaluation.explanations import (
    DIFFICULTY,
    INDEPENDENT,
    Explanations,
    condition,
    conditions,
    who_allows,
)
from headcount.blind_evaluation.families import Panel
from headcount.blind_evaluation.labelling import ItemLabels
from headcount.blind_evaluation.methods import DIAGNOSING, DIRECT, LABELLING
from headcount.blind_evaluation.metrics import METRICS, head_of
from headcount.blind_evaluation.scoring import ENOUGH_ITEMS, Method
from headcount.errors import count, option, percent, unknown_name
from headcount.io.roles import roles_of
from headcount.results.fields import Record, json_value
from headcount.results.notes import Note, Provenance
from headcount.results.result import ALL, Page, Result, Screen, command
from headcount.results.tables import Table
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "ENOUGH_GOLD",
    "ENOUGH_CLASSIFIERS",
    "FEW_FOR_LABELS",
    "MOST_JUDGES",
    "are_people",
    "TO_LABEL",
    "BlindProvenance",
    "JudgedClassifier",
    "BlindResult",
    "headline",
]


ENOUGH_GOLD = 30
"""Items with gold or crowd labels from which on these rank the classifiers."""


ENOUGH_CLASSIFIERS = 5
"""From which on scores have intervals that take the labels of items for granted."""
FEW_CLASSIFIERS, FEW_FOR_LABELS = 4, 10
"""Below which intervals by votes hold less often than they say; those given the labels of items."""


@dataclass(frozen=True, kw_only=True)
class BlindProvenance(Provenance):
    """How a result came about.

    Beside what every result tells: distinct rows of votes, the positive label, names of metrics
    and methods, and items with gold and with crowd labels.
    """

    distinct_rows: int
    positive: str | None
    metrics: tuple[str, ...]
    methods: tuple[str, ...]
    gold_items: int
    crowd_items: int


@dataclass(frozen=True, kw_only=True)
class JudgedClassifier(Record):
    """How good a classifier is, by every method and metric.

    Parameters
    ----------
    name : str
    group : str or None
    labelled : int
        Items that it labelled.
    estimates : mapping of method to mapping of metric to Estimate
    ranks : mapping of method to mapping of metric to int
        1 and the number of others that are significantly better: all that are not
        significantly worse than the best have 1. Without those that have no tests.
    actual : mapping of metric to Estimate
        Scores on the gold labels; empty without gold.
    score : Estimate
        The first metric, by the result's method or, if the result is `by_explanations`, by the
        likeliest of these. Its interval holds those of all explanations that the votes allow;
        there is none where studies found that it would not hold, or a warning speaks against it.
    rank : int or None
        By that score. By explanations, the best that any of them gives it; None where two orders
        contradict each other.
    confusion : mapping of str to mapping of str to Estimate
        Probability of what it gives, by true label, if the labels of items are right; empty where
        there are very many cells.
    grades : mapping of str to Estimate
        Where labels are three numbers or more: mean absolute error, bias and weighted kappa, on
        gold if there is enough, or given the labels of items; empty elsewhere.
    """

    name: str
    group: str | None
    labelled: int
    rank: int | None
    score: Estimate
    estimates: Mapping[str, Mapping[str, Estimate]]
    ranks: Mapping[str, Mapping[str, int | None]]
    actual: Mapping[str, Estimate]
    grades: Mapping[str, Estimate]
    confusion: Mapping[str, Mapping[str, Estimate]]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BlindResult(Result):
    """Classifiers, best first, with signs that the scores may be wrong.

    Parameters
    ----------
    classifiers : tuple of JudgedClassifier
        Best first, by `method` and the first metric; ``result["name"]`` finds one.
    method : str
        The method that ranks them.
    why : str
        Why this method.
    contradiction : str or None
        How gold contradicts the blind ranking, if it does.
    worse_by_votes : tuple of str
        Classifiers that are significantly worse by the votes, worst first, if gold ranks but each
        labelled few items with gold. Empty otherwise, and if errors seem to be correlated.
    gold_each : float or None
        Items with gold that the median classifier labelled, if gold ranks.
    diagnostics : Diagnostics
        Signs of dependence between classifiers.
    em : mapping of str to object
        The fits of Dawid-Skene, by method: prior, log-likelihood, converged, iterations.
    methods : mapping of str to Method
        The methods that were used, by name: what they are called and what they assume.
    leaders : tuple of str
        Classifiers not significantly worse than the best (rank 1), best first; empty without ranks.
    explanations : Explanations or None
        Possible reasons for correlated errors that are compatible with the votes. None for fewer
        than 4 classifiers or more than 40.
    by_explanations : bool
        Whether scores and ranks combine the explanations, since classifiers do not err
        independently.
    panel : Panel or None
        How many independent votes all classifiers are worth together; None for two.
    label_items : callable
        Computes `labels`, the label of each item as by :func:`headcount.consensus`, when first
        used.
    most_rows : int or None
        How many classifiers to print; None for all.

    Examples
    --------
    >>> from headcount import blind
    >>> result = blind("example:votes", bootstrap=0)
    >>> [classifier.name for classifier in result.classifiers][:2]
    ['gpt-a', 'gpt-b']
    """

    provenance: BlindProvenance
    classifiers: tuple[JudgedClassifier, ...]
    method: str
    why: str
    contradiction: str | None
    worse_by_votes: tuple[str, ...]
    gold_each: float | None
    diagnostics: Diagnostics
    em: Mapping[str, Mapping[str, Any]]
    methods: Mapping[str, Method]
    leaders: tuple[str, ...]
    explanations: Explanations | None
    by_explanations: bool
    panel: Panel | None
    label_items: Callable[[], ItemLabels]
    most_rows: int | None = 40

    @cached_property
    def labels(self) -> ItemLabels:
        """The label of each item."""
        return self.label_items()

    @property
    def is_approximate(self) -> bool:
        """Whether so few classifiers vote that intervals of scores hold less often than they say.

        Those of 3 by EM; and those by consensus, which takes the labels of items for granted
        (docs/studies/blind.md).
        """
        method = self.methods[self.method]
        few = FEW_FOR_LABELS if method.by_number else FEW_CLASSIFIERS
        return not method.informed and len(self.classifiers) < few

    @property
    def confusion_is_approximate(self) -> bool:
        """Whether the same is so of confusions, which take the labels of items for granted."""
        return len(self.classifiers) < FEW_FOR_LABELS

    @property
    def allows_for_hard_items(self) -> bool:
        """Whether intervals of the main scores reach as far as other explanations than one go.

        So those of accuracy do, where errors are taken for independent and may not be.
        """
        allowed = self.explanations
        if allowed is None or self.by_explanations or self.methods[self.method].informed:
            return False
        others = any(explanation.kind != INDEPENDENT for explanation in allowed.explanations)
        is_accuracy = self.provenance.metrics[0] == METRICS[0]
        return others and is_accuracy and any(c.score.low is not None for c in self.classifiers)

    def __getitem__(self, name: str) -> JudgedClassifier:
        for classifier in self.classifiers:
            if classifier.name == name:
                return classifier
        raise unknown_name("classifier", name, [c.name for c in self.classifiers])

    @property
    def noun(self) -> str:
        """What classifiers are called: as their column is, or workers where they rarely meet."""
        if are_people(self.notes):
            return "worker"
        labels = sum(c.labelled for c in self.classifiers)
        dense = 2 * labels >= self.provenance.items_used * len(self.classifiers)
        return "judge" if dense and len(self.classifiers) <= MOST_JUDGES else "worker"

    def screen(self) -> Screen | None:
        """Say who is best, by what, and what to do next."""
        return screen_of(self)

    def page(self) -> Page:
        """Say who is best, and show scores by all methods and signs of dependence."""
        return page_of(self)

    def drawn(self) -> dict[str, list[Any]]:
        """Return the rows that the plot shows: the first metric, by the method that ranks."""
        columns, metric = self.columns(), self.provenance.metrics[0]
        shown = [
            (method, of_metric) == (self.method, metric)
            for method, of_metric in zip(columns["method"], columns["metric"], strict=True)
        ]
        return {name: list(compress(values, shown)) for name, values in columns.items()}

    def columns(self) -> dict[str, list[Any]]:
        """Return one row per classifier, method and metric."""
        rows = [
            (c, method, metric, estimate)
            for c in self.classifiers
            for method, scores in c.estimates.items()
            for metric, estimate in scores.items()
        ]
        return {
            "classifier": [c.name for c, *_ in rows],
            "group": [c.group for c, *_ in rows],
            "method": [method for _, method, *_ in rows],
            "metric": [metric for _, _, metric, _ in rows],
            **{
                part: [estimate.to_dict()[part] for *_, estimate in rows]
                for part in ("value", "low", "high")
            },
            "rank": [c.ranks.get(method, {}).get(metric) for c, method, metric, _ in rows],
        }

    def document(self) -> dict[str, Any]:
        """Return what is particular to blind evaluation in the JSON document."""
        p = self.provenance
        nothing = {"explanations": (), "gold_needed": None, "unexplained": ()}
        return json_value(
            {
                "contradiction": self.contradiction,
                "worse_by_votes": self.worse_by_votes,
                "gold_each": self.gold_each,
                "method": self.method,
                "why": self.why,
                "by_explanations": self.by_explanations,
                "approximate": self.is_approximate,
                "confusion_approximate": self.confusion_is_approximate,
                "classifiers": self.classifiers,
                DIAGNOSING.name: self.em,
                "leaders": self.leaders,
                LABELLING.name: self.labels,
                "panel": self.panel,
                "diagnostics": self.diagnostics,
                **(self.explanations.to_dict() if self.explanations is not None else nothing),
                "items": p.items_used,
                "items_unlabelled": p.items_dropped,
                "votes": p.n_ratings,
                "labels": p.labels,
                "positive": p.positive,
                "metrics": p.metrics,
                "methods": p.methods,
                "assumptions": {name: self.methods[name].words for name in p.methods},
                "gold_items": p.gold_items,
                "crowd_items": p.crowd_items,
            }
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the scores with their intervals, best first (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from headcount.blind_evaluation.plot import plot_scores

        return plot_scores(self, ax)


PEOPLE = ("annotator", "coder", "rater", "worker")
"""Words in the name of a column of people."""


def are_people(notes: Iterable[Note]) -> bool:
    """Whether the column of those who gave the votes is called as people are."""
    column = roles_of(notes).get("rater", "").lower()
    return any(word in column for word in PEOPLE)


# The first sentences of blind evaluation: who is best, by what, and what speaks against it.


MOST_JUDGES = 40
"""Classifiers up to which those who label most items are a panel of judges."""
TO_LABEL = 60
"""Items that a panel without gold is advised to have labelled."""
BROKEN = (
    "LLM judges often share errors: in most public data sets with several LLM judges, such scores "
    "were too high, and the order often wrong."
)
"""What eight public data sets with gold showed."""


def headline(result: BlindResult) -> list[str]:
    """Say who is best, by what, and under which assumption; unless something speaks against it."""
    lines = answer(result)
    if result.provenance.items_used < ENOUGH_ITEMS:
        return lines
    panel = [] if result.panel is None else [result.panel.sentence(result.noun)]
    return [*lines, _chosen(result), *panel]


def answer(result: BlindResult) -> list[str]:
    """Say who is best in a sentence or two."""
    method, noun = result.methods[result.method], result.noun
    if result.contradiction is not None and not method.informed:
        return [result.contradiction]
    unknown = _cannot_tell(result)
    if unknown:
        return [unknown]
    by_name = {c.name: c for c in result.classifiers}
    first = [by_name[name] for name in result.leaders]
    total = count(len(result.classifiers), noun)
    gold = result.provenance.gold_items or result.provenance.crowd_items
    people = "gold" if result.provenance.gold_items else "crowd"
    by = (
        f"by {count(gold, f'{people} label')}"
        if method.informed
        else f"estimated from the votes alone ({method.title or method.short})"
    )
    if result.by_explanations:
        by = _by(result)
    if not first:
        return [f"{total} without ranks, {by}.", *_assumes(result)]
    ranked = [c for c in result.classifiers if c.rank is not None]
    if len(first) == 1:
        leads = "is best" if method.informed else "comes first"
        message = f"{first[0].name} {leads}: {_score(result, first[0])}, {by}."
    elif len(first) == len(ranked):
        message = (
            f"No clear winner among {count(len(ranked), noun)}: {_range(result, first)}, {by}."
        )
    elif len(first) > MOST_LEADING:
        worse = len(ranked) - len(first)
        message = (
            f"{worse:,} of {count(len(ranked), noun)} {'is' if worse == 1 else 'are'} "
            f"significantly worse than others; the other {len(first):,} cannot be ordered: "
            f"{_range(result, first)}, {by}."
        )
    else:
        names = [c.name for c in first]
        message = (
            f"{len(first)} of {count(len(ranked), noun)} could be best ({', '.join(names)}): "
            f"{_range(result, first)}, {by}."
        )
    return [message, *_worse_by_votes(result), *_assumes(result)]


def _worse_by_votes(result: BlindResult) -> list[str]:
    """Say who is significantly worse by votes, where gold shows fewer for want of labels."""
    names = result.worse_by_votes
    by_gold = sum(c.rank is not None and c.rank > 1 for c in result.classifiers)
    if len(names) <= by_gold or result.gold_each is None:
        return []
    rest = f" and {len(names) - MOST_WORSE:,} more" if len(names) > MOST_WORSE else ""
    verb = "is" if len(names) == 1 else "are"
    return [
        f"The median {result.noun} has {result.gold_each:,.0f} labels of these items, too few to "
        f"show all differences. By the votes, {len(names):,} {verb} significantly worse: "
        f"{', '.join(names[:MOST_WORSE])}{rest}, if {result.noun}s err independently."
    ]


def _assumes(result: BlindResult) -> list[str]:
    """Say what an order by votes alone assumes, and how that fared; nothing with gold."""
    allowed = result.explanations
    if result.methods[result.method].informed:
        return []
    supposed = f"{result.noun}s err independently"
    several = result.by_explanations and allowed is not None and len(allowed.explanations) > 1
    if result.by_explanations and allowed is not None:
        hard = not several and any(each.kind == DIFFICULTY for each in allowed.explanations)
        supposed = f"{supposed}, apart from hard items" if hard else conditions(allowed)
    elif any(c.group for c in result.classifiers):
        supposed = f"groups of {result.noun}s err independently"
    models = "The models assume" if several else "This assumes that"
    if result.noun == "worker":
        limit = "Errors that most workers share cannot be detected."
        alone = result.by_explanations and allowed is not None and len(allowed.explanations) == 1
        return [limit if alone else f"{models} {supposed}. {limit}"]
    return [f"{models} {supposed}. {BROKEN}"]


MOST_LEADING, MOST_WORSE, MOST_SHOWN, FIRST_SHOWN = 6, 8, 10, 6
"""Best and worse classifiers that a sentence names; rows of the first table, and of a long one."""


def screen_of(result: BlindResult) -> Screen | None:
    """Write the answer, a table of the best, and the next step."""
    p, method = result.provenance, result.methods[result.method]
    if p.items_used < ENOUGH_ITEMS:
        return None
    scored = [c for c in result.classifiers if not c.score.undefined] or result.classifiers
    shown = sorted(scored, key=lambda c: -c.score.value)
    shown = shown if len(scored) <= MOST_SHOWN else shown[:FIRST_SHOWN]
    rest = len(result.classifiers) - len(shown)
    gold = bool(p.gold_items) and method is not DIRECT and any(c.actual for c in shown)
    best = 0 < len(result.leaders) < len(result.classifiers)
    intervals = _any_interval(result)
    level = "" if p.level is None else percent(p.level)
    head = [result.noun, p.metrics[0], *([f"{level} interval"] if intervals else [])]
    head += [*(["could be best"] if best else []), *(["on gold"] if gold else [])]
    body = [
        [
            c.name,
            _value(c.score),
            *([c.score.interval()] if intervals else []),
            *(["yes" if c.name in result.leaders else "no"] if best else []),
            *([_value(c.actual.get(p.metrics[0]))] if gold else []),
        ]
        for c in shown
    ]
    more = [f"and {count(rest, f'more {result.noun}')}{ALL}"] if rest else []
    approximate = result.is_approximate | result.by_explanations
    if _any_interval(result) and approximate:
        more.append("intervals are approximate")
    if _cannot_tell(result) and not result.by_explanations and body:
        more.append(f"{p.metrics[0]} by {method.title or method.short}")
    known = p.gold_items or p.crowd_items
    steps: list[str] = []
    if not known:
        steps = [
            f"have {min(TO_LABEL, p.items_used)} items labelled, and give them back as gold: "
            + command("next_items", p.source, number=min(TO_LABEL, p.items_used))
        ]
    elif known < ENOUGH_GOLD:
        steps = [f"label {ENOUGH_GOLD - known} more items: from {ENOUGH_GOLD} on gold ranks."]
    elif len(result.leaders) > 1 and known < p.items_used:
        steps = [f"label more items, to separate the best {result.noun}s."]
    people = f", {p.gold_items:,} with gold" if p.gold_items else ""
    judges = count(len(result.classifiers), result.noun)
    # Where nothing says which of two is better, numbers side by side would.
    told = len(result.classifiers) > 2 or not _cannot_tell(result)
    return Screen(
        headline=answer(result),
        table=Table(head, body, more="; ".join(more)) if told else None,
        data=f"{count(p.items_used, 'item')}{people}, {judges}",
        next=steps,
    )


def _chosen(result: BlindResult) -> str:
    """Say what scores and ranks go by, and what that assumes."""
    method, allowed = result.methods[result.method], result.explanations
    if result.by_explanations and allowed is not None:
        return f"Scores assume: {conditions(allowed)}."
    return f"{capital(method.short)} was chosen because {result.why}. It assumes: {method.words}."


def _cannot_tell(result: BlindResult) -> str:
    """Say why nothing tells who is best; nothing where something does."""
    p, names = result.provenance, [c.name for c in result.classifiers]
    if p.items_used < ENOUGH_ITEMS:
        return (
            f"{count(p.items_used, 'item')} are too few to tell which of "
            f"{count(len(names), result.noun)} is best."
        )
    diagnostics = result.diagnostics
    if result.methods[result.method].informed:
        return ""
    if diagnostics.never_differ:
        return (
            f"No clear winner among {count(len(names), result.noun)}: no two differ on an item "
            "that both labelled."
        )
    apart = _one_each(result)
    if len(apart) == 2:
        noun = "classifiers" if len(names) == 2 else "groups of classifiers"
        first, second = (diagnostics.classifiers.index(name) for name in apart)
        return (
            f"With two {noun} and no gold labels, the data cannot show which is better. "
            f"'{apart[0]}' and '{apart[1]}' agree on "
            f"{diagnostics.overlap.agreement[first, second]:.0%} of the items that both labelled."
        )
    if diagnostics.disagree:
        return (
            f"No clear winner among {count(len(names), result.noun)}: {diagnostics.two_orders} "
            "rank them differently, so at least one ranking is wrong."
        )
    return _by_explanation(result)


def _one_each(result: BlindResult) -> list[str]:
    """List classifiers, of each group the first."""
    return list({c.group or c.name: c.name for c in reversed(result.classifiers)}.values())[::-1]


def _by_explanation(result: BlindResult) -> str:
    """Say who is best by which explanation, where no classifier is by all of them."""
    allowed = result.explanations
    if allowed is None or not result.by_explanations or allowed.share_a_best:
        return ""
    parts = [
        f"if {condition(explanation)}, it is {name}"
        for name, explanation in allowed.winners.items()
    ]
    size = count(len(result.classifiers), result.noun)
    return f"Nothing tells which of {size} is best: {'; '.join(parts[:3])}."


def _score(result: BlindResult, c: JudgedClassifier) -> str:
    """Write the first metric, with an interval only if there is no doubt that it holds."""
    metric = result.provenance.metrics[0]
    if not result.by_explanations and c.labelled < ENOUGH_ITEMS:
        return (
            f"though {count(c.labelled, 'label')} of it "
            f"{'is' if c.labelled == 1 else 'are'} too few for a score"
        )
    interval = "" if c.score.low is None else f" ({c.score.interval()})"
    return f"{metric} {c.score.show(c.score.value)}{interval}"


def _range(result: BlindResult, first: Sequence[JudgedClassifier]) -> str:
    """Write the scores that share a rank."""
    method, metric = result.methods[result.method], result.provenance.metrics[0]
    # Of few labels any score may come: these would stretch the range to 0 and 1.
    least = ENOUGH_ITEMS if method.informed else 0
    enough = [c for c in first if c.labelled >= least] or first
    scores = [c.score for c in enough]
    if result.by_explanations and result.explanations is not None:
        every = result.explanations.explanations
        values = [explanation.accuracy[c.name] for explanation in every for c in enough]
        scores = [replace(scores[0], value=value) for value in values]
    low, high = (end(scores, key=lambda e: e.value) for end in (min, max))
    ends = list(dict.fromkeys([low.show(low.value), high.show(high.value)]))
    span = " to ".join(ends)
    if len(ends) > 1 and len(first) > MOST_LEADING:  # it would look like the interval of one
        span = f"from {ends[0]} to {ends[1]}"
    among = f", of those with {ENOUGH_ITEMS} labels or more" if len(enough) < len(first) else ""
    return f"{metric} {span}{among}"


def _by(result: BlindResult) -> str:
    """Say what a score goes by."""
    allowed = result.explanations
    if not result.by_explanations or allowed is None:
        return f"by {result.methods[result.method].short}"
    if len(allowed.explanations) == 1:
        only = allowed.explanations[0]
        hard = only.kind == DIFFICULTY
        return "allowing for hard items" if hard else f"if {condition(only)}"
    return f"by {count(len(allowed.explanations), 'model')} that fit {who_allows(allowed)}"


def capital(words: str) -> str:
    """Begin with a capital letter."""
    return words[:1].upper() + words[1:]


# Blind evaluation in tables, below the headline.

RANK = "rank: 1 plus the number significantly better"
MOST_METHODS = 6
"""Methods that stand beside each other in a table."""


def page_of(result: BlindResult) -> Page:
    """Write the result; first of all, that gold contradicts it, if it does."""
    if result.provenance.items_used < ENOUGH_ITEMS:
        return Page(headline(result), [], _foot(result))
    blocks = [ranking(result), *_grades(result)]
    names = result.provenance.methods
    informed = [name for name in names if result.methods[name].informed]
    blind = [name for name in names if not result.methods[name].informed]
    for title, some in (("by the votes alone", blind), ("with gold or crowd labels", informed)):
        parts = -(-len(some) // MOST_METHODS)
        for part in range(parts):
            size = -(-len(some) // parts)
            blocks.append(by_method(result, some[part * size : (part + 1) * size], title))
    blocks.append(summary(result.diagnostics, result.noun))
    return Page(headline(result), blocks, _foot(result))


def ranking(result: BlindResult) -> Table:
    """Write the method that ranks: the first metric with interval and rank, then the others."""
    if result.by_explanations and result.explanations is not None:
        return _by_explanations(result, result.explanations)
    first, *others = result.provenance.metrics
    head = [result.noun, head_of(first), *_sure_head(result), *map(head_of, others)]
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
        more = f"{count(none, result.noun)} without a score by {method} not listed"
    title = f"Scores by {method} ({'; '.join(_remarks(result))})"
    return Table(head, body, title=title, more=more, together=3)


def _by_explanations(result: BlindResult, allowed: Explanations) -> Table:
    """Write accuracies by every explanation, and an interval that holds those of all."""
    several = len(allowed.explanations) > 1
    columns = [str(k + 1) for k in range(len(allowed.explanations))] if several else ["ACC"]
    body = [
        [
            c.name,
            *(f"{explanation.accuracy[c.name]:.3f}" for explanation in allowed.explanations),
            *_sure(result, c),
        ]
        for c in _shown(result)
    ]
    title = f"Accuracy by every model that fits {who_allows(allowed)} ({conditions(allowed)})"
    if not several:
        only = f"the only model that fits {who_allows(allowed)}"
        title = f"Accuracy if {conditions(allowed)} ({only})"
    how = "intervals cover those of all models and are" if several else "intervals are"
    by = " by the model that favours it" if several else ""
    # See docs/studies/blind.md.
    more = f"{how} approximate"
    more += f"; {RANK}{by}; * shared" if _any_rank(result) else ""
    more += f"; {_more(result)}" if _more(result) else ""
    head = [result.noun, *columns, *_sure_head(result)]
    return Table(head, body, title=title, more=more)


def _sure_head(result: BlindResult) -> list[str]:
    """Name the columns of intervals and ranks, those that there are."""
    level = "" if result.provenance.level is None else percent(result.provenance.level)
    head = [f"{level} interval"] if _any_interval(result) else []
    return [*head, "rank"] if _any_rank(result) else head


def _sure(result: BlindResult, c: JudgedClassifier) -> list[str]:
    """Write interval and rank of the main score, where anybody has them."""
    ranks = [other.rank for other in result.classifiers]
    tie = "*" if c.rank is not None and ranks.count(c.rank) > 1 else ""
    cells = [c.score.interval()] if _any_interval(result) else []
    return [*cells, "" if c.rank is None else f"{c.rank}{tie}"] if _any_rank(result) else cells


def _any_interval(result: BlindResult) -> bool:
    return any(c.score.low is not None for c in result.classifiers)


def _any_rank(result: BlindResult) -> bool:
    return any(c.rank is not None for c in result.classifiers)


def _remarks(result: BlindResult) -> list[str]:
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


def _grades(result: BlindResult) -> list[Table]:
    """Write how far grades are off, where labels are numbers."""
    shown = [c for c in _shown(result) if c.grades]
    if not shown:
        return []
    level = "" if result.provenance.level is None else percent(result.provenance.level)
    is_interval = any(c.grades["mean_absolute_error"].low is not None for c in shown)
    head = [result.noun, "mean error", *([f"{level} interval"] if is_interval else [])]
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
    gold = result.provenance.gold_items or result.provenance.crowd_items
    reference = (
        "gold or crowd labels" if gold >= ENOUGH_GOLD else f"labels by {result.labels.model}"
    )
    title = f"Grades: mean absolute error, and bias (+: too high), given {reference}"
    return [Table(head, body, title=title)]


def _shown(result: BlindResult) -> Sequence[JudgedClassifier]:
    """Classifiers that are printed."""
    return result.classifiers[: result.most_rows]


def by_method(result: BlindResult, names: Sequence[str], title: str) -> Table:
    """Write the first metric by several methods, and on gold where there is some."""
    p = result.provenance
    metric = p.metrics[0]
    methods = [result.methods[name] for name in names]
    # Direct evaluation is on gold itself, unless a crowd's labels stand in for it.
    is_there = DIRECT in methods and not p.crowd_items
    gold = bool(p.gold_items) and not is_there
    title += ", and on gold for comparison" if gold else ""
    # It has the name that another table gives it.
    name = DIRECT.short if DIRECT.name in result.methods and not p.crowd_items else "gold"
    head = [result.noun, *(method.short for method in methods), *([name] if gold else [])]
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


def _more(result: BlindResult) -> str:
    rest = len(result.classifiers) - len(_shown(result))
    return f"and {count(rest, f'more {result.noun}')}{ALL}" if rest else ""


def _foot(result: BlindResult) -> list[str]:
    p = result.provenance
    left = f" ({p.items_dropped:,} more without any)" if p.items_dropped else ""
    positive = "macro averages" if p.positive is None else f"positive: '{p.positive}'"
    sizes = (
        f"{count(p.items_used, 'item')}{left}, {p.n_ratings or 0:,} labels by "
        f"{count(len(result.classifiers), result.noun)}; {positive}"
    )
    gold = f"; gold for {count(p.gold_items, 'item')}" if p.gold_items else ""
    gold += f"; crowd labels for {count(p.crowd_items, 'item')}" if p.crowd_items else ""
    level = "" if p.level is None else percent(p.level)
    how = f"from {count(p.bootstrap, 'bootstrap sample')}" if p.bootstrap else "to first order"
    intervals = f"{level} intervals {how} ({option('all_entries')})"
    assume = f"without gold, they are valid only if {result.noun}s err independently"
    if result.allows_for_hard_items:
        assume += "; those of the first table also if some items are harder than others"
    if result.by_explanations:
        assume = "those of the first table are valid only if one of its models is right"
    if p.items_used < ENOUGH_ITEMS:
        return [f"{sizes}{gold}."]
    return [f"{sizes}{gold}. {intervals}; {assume}."]
