"""Panels of classifiers: what several classifiers are worth together, in raters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount import options
from headcount.data.labels import Labels
from headcount.data.predictions import Classifier, Predictions
from headcount.engine.taking import take_labels, take_predictions
from headcount.equivalence import prepare as survey_prepare
from headcount.equivalence.classifiers import Subject
from headcount.equivalence.combiners import States
from headcount.equivalence.methods import FEW_ITEMS, choose_method
from headcount.equivalence.plot import plot_panels
from headcount.equivalence.power_curve import crossings
from headcount.equivalence.prepare import check_scorer, on_scale
from headcount.equivalence.result import CurvePoint, in_raters, with_interval
from headcount.equivalence.scorers import CrossEntropy, Scorer
from headcount.equivalence.survey import Choices, Kinds, Settings, analyse, estimate
from headcount.equivalence.together import Pools, gather
from headcount.equivalence.worth import Estimates
from headcount.errors import DataError, count, percent, some
from headcount.results.fields import Record, json_value
from headcount.results.notes import Notes, Provenance, few_draws
from headcount.results.result import Page, Result, Screen
from headcount.results.tables import Table
from headcount.stats.estimate import Estimate
from headcount.typing import Floats, Progress, Seed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "panel_worth",
    "prepare",
    "LARGEST",
    "Search",
    "PanelResult",
]


# Panels of classifiers end to end: ratings and predictions in, what panels are worth out.


def panel_worth(
    labels: Any,
    predictions: Any,
    *,
    scorer: str | Scorer | None = None,
    scale: str | None = None,
    positive: str | None = None,
    max_k: int | None = None,
    bootstrap: int = 500,
    level: float = 0.95,
    seed: Seed = 0,
    progress: Progress | None = None,
) -> PanelResult:
    """Find how many raters panels of classifiers are worth: small panels, and all classifiers.

    A panel predicts the next rater of an item from the predictions of its members. Its worth is the
    number of raters who predict equally well, on the power curve of :func:`headcount.survey`.

    Parameters
    ----------
    labels : Labels, path or frame
        Ratings by people, or what :func:`headcount.read_ratings` takes.
    predictions : Predictions, path or frame
        Predictions of two or more classifiers for the same items. Probabilities are used as they
        are.
    scorer, scale, positive, max_k
        See :func:`headcount.survey`.
    bootstrap, level : int, float
        Number of bootstrap samples of items, and coverage of the intervals; 0 for none.
    seed : int or Generator
        Seed or generator of the bootstrap and of the folds.
    progress : callable, optional
        Called with the number of bootstrap samples done and to do.

    Returns
    -------
    PanelResult

    Notes
    -----
    Members' log odds are added up, with weights that are learned from the ratings
    (:func:`headcount.equivalence.together.fit_pool`), cross-fitted by item. Every panel of up to
    five classifiers is scored; if there are many classifiers, only panels of those that are worth
    most alone. The best panel of a size is chosen on nine tenths of the items and scored on the
    others, so that its worth has no selection bias. Time: O(panels x folds x rows x labels), with
    one row for all items with the same predictions.

    Examples
    --------
    Five judges, the last of whom copies the first:

    >>> import numpy as np
    >>> from headcount import Labels, Predictions, panel_worth
    >>> random = np.random.default_rng(1)
    >>> state = random.beta(0.5, 0.5, size=400)
    >>> said = random.random((400, 5)) < state[:, None]
    >>> who = np.tile(np.arange(5), 400)
    >>> people = Labels.from_triples(np.repeat(np.arange(400), 5), who, said.ravel().astype(int))
    >>> judges = {f"j{k}": (random.random(400) < state).astype(int) for k in range(4)}
    >>> judges["j4"] = judges["j0"]
    >>> found = panel_worth(people, Predictions.from_labels(range(400), judges), bootstrap=0)
    >>> round(found.everyone.value, 1)
    3.8
    """
    settings = Settings(
        draws=options.draws(bootstrap),
        level=options.level(level),
        rng=options.seed(seed),
        seed=options.seed_number(seed),
        progress=options.callback(progress),
    )
    most = None if max_k is None else options.whole(max_k, "max_k", least=1)
    choices = Choices(max_k=most, scale=scale)
    notes = Notes()
    rated = on_scale(take_labels(labels, "labels"), scale)
    kinds = Kinds.checked(States.name, scorer or CrossEntropy.name, rated.scale, positive)
    check_scorer(kinds.scorer, scale)
    search = prepare(rated, predictions, kinds, choices, settings, notes)
    notes.extend(few_draws(settings.draws, settings.level))
    as_survey = replace(settings, rng=options.seed(seed), progress=None, together=False)
    surveyed = analyse(rated, search.predictions, kinds, choices, as_survey)
    return search.result({name: surveyed[name].worth for name in search.names}, notes)


# What panels are given: people's ratings, and what several classifiers say of the same items.

LEAST_ITEMS = 2
"""Items below which none is left outside a fold."""


def prepare(
    labels: Labels,
    classifiers: Any,
    kinds: Kinds,
    choices: Choices,
    settings: Settings,
    notes: Notes,
) -> Search:
    """Read what has to be read, choose the items, and learn what raters say after classifiers."""
    seed = settings.seed or 0
    predictions = take_predictions(classifiers, "predictions", labels=labels.scale.labels)
    if len(predictions.classifiers) + len(predictions.scores) < 2:
        raise DataError(
            f"{predictions.source}: one classifier is not a panel. Give two or more; a survey "
            "without panels says what one is worth."
        )
    notes.extend(labels.notes)
    ours, subjects = survey_prepare.choose_items(labels, predictions, kinds, choices, notes=notes)
    if (n := len(ours.items)) < LEAST_ITEMS:
        raise DataError(
            f"{predictions.source}: {count(n, 'item')} with ratings and predictions, too few to "
            "choose a panel on some and score it on others."
        )
    calibrating = survey_prepare.calibration_of(ours, labels, kinds, choices, seed=seed)
    if any(subject.kind != "soft" for subject in subjects):
        calibrating.note_few(notes)

    def table(subject: Subject) -> Any:
        # Weights of the pool make probabilities flatter or steeper as need be.
        return (None, subject.table) if subject.kind == "soft" else calibrating.way(subject)

    return Search(
        labels=labels,
        predictions=predictions,
        survey=ours,
        names=tuple(subject.name for subject in subjects),
        pools=gather([table(each) for each in subjects], ours.items, ours.reference, seed),
        kinds=kinds,
        choices=choices,
        settings=settings,
    )


# Every panel of a few classifiers scored, the best of each size chosen, and all compared.

LARGEST = 5
"""Members of a panel, up to which every panel is scored."""
MOST_WORK = 1e10
"""Floating-point operations for all panels: some 20 seconds."""
FITS = 30.0
"""Newton steps for one panel, over all folds."""
Panel = tuple[int, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Search:
    """Scores panels, and picks the best of each size on other items than it is scored on.

    Parameters
    ----------
    labels : Labels
    predictions : Predictions
    survey : Prepared
        The items that are scored, and their ratings.
    names : tuple of str
        The classifiers.
    pools : Pools
    kinds : Kinds
    choices : Choices
    settings : Settings
    """

    labels: Labels
    predictions: Predictions
    survey: survey_prepare.Prepared
    names: tuple[str, ...]
    pools: Pools
    kinds: Kinds
    choices: Choices
    settings: Settings
    _scores: dict[Panel, Floats] = field(default_factory=dict[Panel, Floats])

    def result(self, alone_worth: Mapping[str, Estimate], notes: Notes) -> PanelResult:
        """Score every panel, the best of each size with an interval, and what each adds."""
        everyone = tuple(range(len(self.names)))
        best = [self._best(size) for size in range(1, min(LARGEST, len(self.names)) + 1)]
        without = [tuple(j for j in everyone if j != k) for k in everyone]
        tables = [
            *(self._held_out(panels) for _, panels in best),
            self.pools.predict(everyone),
            *(self.pools.predict(panel) for panel in without),
        ]
        estimates = self._estimates(tables, notes)
        every, rest = len(best), len(best) + 1
        worth = estimates.classifiers([str(n) for n in range(len(tables))])
        members = [
            Member(
                name=name,
                alone=alone_worth[name],
                adds=self._apart(estimates, every, rest + k),
            )
            for k, name in enumerate(self.names)
        ]
        if len(self.considered) < len(self.names):
            notes.caution(
                f"Of {count(len(self.names), 'classifier')} there are too many panels to score: "
                f"every panel was made of the {len(self.considered)} that are worth most alone "
                f"({some(self._names(self.considered), 12)})."
            )
        p, names = self.survey, self.names
        return PanelResult(
            best=tuple(
                BestPanel(
                    members=self._names(panel),
                    worth=worth[n].worth if n else alone_worth[self.names[panel[0]]],
                    more=self._apart(estimates, n, n - 1) if n else None,
                    chosen=float(np.mean([each == panel for each in panels])),
                )
                for n, (panel, panels) in enumerate(best)
            ),
            everyone=worth[every].worth,
            members=tuple(members[k] for k in self._order),
            panels=self._panels(estimates, alone_worth),
            curve=estimates.curve(0),
            provenance=PanelProvenance(
                source=self.labels.source,
                sources=(*self.labels.sources, *self.predictions.sources),
                dropped=self.labels.dropped,
                items_used=p.items_used,
                items_dropped=p.items_dropped,
                n_ratings=p.n_ratings,
                n_raters=None if self.labels.anonymous else p.n_raters,
                labels=self.labels.scale.labels,
                level=self.settings.level,
                bootstrap=self.settings.draws,
                seed=self.settings.seed,
                backend=self.labels.backend,
                scorer=self.kinds.scorer.name,
                unit=self.kinds.scorer.unit,
                max_k=p.max_k,
                considered=tuple(names[k] for k in self.considered),
                largest=min(LARGEST, len(self.names)),
            ),
            notes=tuple(notes),
        )

    @cached_property
    def considered(self) -> Panel:
        """The classifiers of which every panel is scored: all, or those worth most alone."""
        rows, labels = self.pools.every.shares.shape
        each = FITS * rows * labels * (LARGEST + labels) ** 2

        def work(n: int) -> float:
            return each * sum(comb(n, size) for size in range(1, LARGEST + 1))

        most = max((n for n in range(1, len(self.names) + 1) if work(n) <= MOST_WORK), default=1)
        return tuple(sorted(self._order[: max(most, LARGEST)]))

    @cached_property
    def _order(self) -> list[int]:
        """Order classifiers by how they score alone, best first."""
        return sorted(range(len(self.names)), key=lambda k: -float(self._score((k,))[-1]))

    def _score(self, panel: Panel) -> Floats:
        """Score a panel on the items outside each fold, and on all: (folds + 1,)."""
        if panel not in self._scores:
            fold = self.pools.fold
            number = len(self.pools.without)
            weight = np.vstack([np.not_equal.outer(np.arange(number), fold), np.ones(len(fold))])
            prediction = self.pools.predict(panel)
            bound = self.kinds.scorer.bind(prediction, self.survey.reference, "soft")
            self._scores[panel] = bound(weight.astype(np.float64))
        return self._scores[panel]

    def _best(self, size: int) -> tuple[Panel, list[Panel]]:
        """Find the best panel of a size on all items, and on those outside each fold."""
        panels = list(combinations(self.considered, size))
        scores = np.array([self._score(panel) for panel in panels])
        # Of panels that score the same but for rounding, the first.
        top = (scores >= scores.max(axis=0) - 1e-12).argmax(axis=0)
        return panels[int(top[-1])], [panels[n] for n in top[:-1].tolist()]

    def _held_out(self, panels: Sequence[Panel]) -> Floats:
        """Predict the items of each fold by the panel that was chosen on the others."""
        predicted = {panel: self.pools.predict(panel) for panel in set(panels)}
        out = np.empty_like(self.survey.reference)
        for part, panel in enumerate(panels):
            mine = self.pools.fold == part
            out[mine] = predicted[panel][mine]
        return out

    def _estimates(self, tables: Sequence[Floats], notes: Notes) -> Estimates:
        classifiers = tuple(Classifier(str(n), "soft", table) for n, table in enumerate(tables))
        ours = replace(self.survey, classifiers=classifiers)
        design = ours.design(self.kinds.combiner, self.kinds.scorer, self.settings.seed or 0)
        scoring = choose_method(design, self.settings, notes)
        return estimate(design, scoring, self.choices, self.settings, notes)[0]

    def _apart(self, estimates: Estimates, a: int, b: int) -> Estimate:
        """Find how much more one prediction scores than another, on the same items."""
        scores, drawn = estimates.observed.classifiers, estimates.drawn.classifiers
        kept = drawn[:, a] - drawn[:, b] if estimates.items >= FEW_ITEMS else drawn[:0, 0]
        value = float(scores[0, a] - scores[0, b])
        return Estimate.from_draws(value, kept, level=estimates.level)

    def _panels(
        self, estimates: Estimates, alone_worth: Mapping[str, Estimate]
    ) -> tuple[SubPanel, ...]:
        """List every panel with what it is worth, best first."""
        scored = sorted(self._scores.items(), key=lambda pair: (-float(pair[1][-1]), pair[0]))
        score = np.array([float(own[-1]) for _, own in scored])
        few = estimates.items < FEW_ITEMS
        own_worth: dict[Panel, float] = {
            (k,): alone_worth[name].value for k, name in enumerate(self.names)
        }
        worth = crossings(estimates.continued[0], score)
        measured = None if estimates.beyond is None else float(estimates.max_k)
        why = f"{count(estimates.items, 'item')} are too few to tell" if few else None
        return tuple(
            SubPanel(
                members=self._names(panel),
                score=float(own),
                worth=Estimate(
                    np.nan if few else own_worth.get(panel, float(raters)),
                    bounds=estimates.bounds,
                    undefined=why,
                    known=measured,
                ),
            )
            for (panel, _), own, raters in zip(scored, score, worth, strict=True)
        )

    def _names(self, panel: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.names[k] for k in panel)


# What panels of classifiers are worth, as plain records.


@dataclass(frozen=True, kw_only=True)
class PanelProvenance(Provenance):
    """How the worth of panels came about: how they were scored, and on which surveys.

    `considered` are the classifiers of which every panel up to `largest` was scored; they are
    those that are worth most alone where there are too many for all.
    """

    level: float = 0.95
    bootstrap: int = 0
    scorer: str
    unit: str
    max_k: int
    considered: tuple[str, ...]
    largest: int


@dataclass(frozen=True, kw_only=True)
class SubPanel(Record):
    """A panel of some of the classifiers.

    Parameters
    ----------
    members : tuple of str
    score : float
        Of its prediction of the next rater, cross-fitted.
    worth : Estimate
        The raters who predict as well, without an interval.
    """

    members: tuple[str, ...]
    score: float
    worth: Estimate


@dataclass(frozen=True, kw_only=True)
class BestPanel(Record):
    """The best panel of its size.

    Parameters
    ----------
    members : tuple of str
    worth : Estimate
        The raters that a panel of this size is worth, if it is chosen on other items than those
        on which it is scored.
    more : Estimate or None
        How much more it scores than the best panel of one fewer; None for one classifier.
    chosen : float
        Share of the folds of items on which these members were chosen.
    """

    members: tuple[str, ...]
    worth: Estimate
    more: Estimate | None
    chosen: float

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"size": len(self.members), **super().to_dict()}


@dataclass(frozen=True, kw_only=True)
class Member(Record):
    """What one classifier is worth in the panel of all.

    Parameters
    ----------
    name : str
    alone : Estimate
        Raters that it is worth alone, as a survey says.
    adds : Estimate
        How much more all score than all without it.
    """

    name: str
    alone: Estimate
    adds: Estimate


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PanelResult(Result):
    """What panels of classifiers are worth in raters.

    Parameters
    ----------
    best : tuple of BestPanel
        The best panel of one, of two ... up to five classifiers.
    everyone : Estimate
        Raters that all classifiers together are worth.
    members : tuple of Member
        The classifiers, best alone first.
    panels : tuple of SubPanel
        Every panel that was scored, best first.
    curve : tuple of CurvePoint
        Surveys of 0, 1, 2 ... raters.

    Examples
    --------
    >>> from headcount import panel_worth
    >>> result = panel_worth("example:ratings", "example:predictions", bootstrap=0)
    >>> result.everyone.value > 1
    True
    """

    provenance: PanelProvenance
    best: tuple[BestPanel, ...]
    everyone: Estimate
    members: tuple[Member, ...]
    panels: tuple[SubPanel, ...]
    curve: tuple[CurvePoint, ...]

    def page(self) -> Page:
        """Say what all are worth, then the best panel of each size and what each adds."""
        return Page(_headline(self), [_by_member(self), _by_size(self)], _foot(self))

    def screen(self) -> Screen:
        """Say what all are worth, what the best is worth alone, and who may be dropped."""
        lines = _headline(self)
        return Screen(
            [*lines[:2], " ".join(lines[2:])] if lines[2:] else lines,
            None if self.everyone.undefined else _by_size(self, brief=True),
            data=count(self.provenance.items_used, "item"),
        )

    def columns(self) -> dict[str, list[Any]]:
        """Return one row per panel, best first: size, members, score, raters that it is worth.

        `raters` is plus or minus infinity where it is censored, which files write as null;
        `raters_censored` then says "above" or "below" what surveys can tell.
        """
        return {
            "size": [len(panel.members) for panel in self.panels],
            "members": [" + ".join(panel.members) for panel in self.panels],
            "score": [panel.score for panel in self.panels],
            "raters": [panel.worth.value for panel in self.panels],
            "raters_censored": [panel.worth.censored for panel in self.panels],
        }

    def document(self) -> dict[str, Any]:
        """Return what ``to_dict()`` has beside data, options and notes (docs/reference/json.md)."""
        p = self.provenance
        return json_value(
            {
                "everyone": self.everyone,
                "best": self.best,
                "classifiers": self.members,
                "panels": self.panels,
                "curve": self.curve,
                "considered": p.considered,
                "largest": p.largest,
                "labels": p.labels,
                "scorer": p.scorer,
                "unit": p.unit,
                "max_k": p.max_k,
            }
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what panels are worth by their size (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        return plot_panels(self, ax)


# Panels of classifiers in words and tables.


def _headline(result: PanelResult) -> list[str]:
    size = len(result.members)
    if result.everyone.undefined is not None:
        return [f"{result.everyone.undefined} how many raters a panel is worth."]
    who = "Both" if size == 2 else f"All {size}"
    lines = [f"{who} classifiers together are worth {in_raters(result.everyone)}."]
    top, alone = _enough(result), result.best[0]
    if len(top.members) > 1:
        *others, last = top.members
        lines.append(f"{', '.join(others)} and {last} are worth {in_raters(top.worth)}.")
    else:
        first = alone.members[0]
        other = "another classifier"
        if size == 2:
            other = next(m.name for m in result.members if m.name != first)
        lines.append(
            f"{first} alone is worth {in_raters(alone.worth)}; adding {other} does not raise it "
            "significantly."
        )
    drop = [m.name for m in result.members if _adds_nothing(m.adds)]
    if drop:
        any_one = "Any one of " if len(drop) > 1 else ""
        lines.append(f"{any_one}{some(drop, 6)} can be dropped with no measurable loss.")
    return lines


def _enough(result: PanelResult) -> BestPanel:
    """Find the largest panel of which each size was known to be worth more than the one before."""
    top = result.best[0]
    for panel in result.best[1:]:
        more = panel.more
        if more is None or _adds_nothing(more):
            break
        top = panel
    return top


def _adds_nothing(more: Estimate) -> bool:
    """Whether a difference may be none, or is not above 0 where there is no interval."""
    least = more.value if more.low is None else more.low
    return not least > 0


def _by_member(result: PanelResult) -> Table:
    head = ["classifier", "alone worth in raters", f"adds to the others ({result.provenance.unit})"]
    body = [[m.name, with_interval(m.alone), with_interval(m.adds, 3)] for m in result.members]
    return Table(head, body)


def _by_size(result: PanelResult, *, brief: bool = False) -> Table:
    """List the best panel of each size; briefly, up to one that adds nothing measurable."""
    unit = result.provenance.unit
    head = ["best panel", "worth in raters", f"more than one fewer ({unit})", "chosen"]
    body = [
        [
            " + ".join(sorted(panel.members)),
            with_interval(panel.worth),
            "" if panel.more is None else with_interval(panel.more, 3),
            percent(panel.chosen),
        ]
        for panel in (result.best[: len(_enough(result).members) + 1] if brief else result.best)
    ]
    if len(result.members) > len(body):
        body.append(["all", with_interval(result.everyone), "", ""])
    columns = 2 if brief else 4
    return Table(head[:columns], [row[:columns] for row in body])


def _foot(result: PanelResult) -> list[str]:
    p = result.provenance
    drawn = (
        f"{percent(p.level)} percentile intervals from {p.bootstrap:,} bootstrap samples of items"
        if p.bootstrap
        else "no intervals (bootstrap 0)"
    )
    return [
        f"{count(p.items_used, 'item')}, {count(len(result.panels), 'panel')} of up to "
        f"{p.largest} and all classifiers; surveys of up to {p.max_k}, scorer {p.scorer}",
        "a panel's prediction: its members' log odds, added with weights learned from ratings of "
        "other items, which recalibrates them; one alone is taken as it is. The best panel "
        "of a size is chosen on nine tenths of the items and scored on the rest ('chosen': how "
        f"often it was this one); {drawn}",
    ]
