"""Every panel of a few classifiers scored, the best of each size chosen, and all compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from math import comb

import numpy as np

from headcount.data.classifiers import Classifier
from headcount.equivalence.analysis import estimate
from headcount.equivalence.inputs.choices import Choices, Kinds, Settings
from headcount.equivalence.panels.prepare import Prepared
from headcount.equivalence.panels.records import BestPanel, Member, PanelProvenance, SubPanel
from headcount.equivalence.panels.result import PanelResult
from headcount.equivalence.surveys.choice import choose_method
from headcount.equivalence.surveys.crossing import crossings
from headcount.equivalence.worth.estimates import FEW, Estimates
from headcount.errors import count, some
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate
from headcount.typing import Floats

__all__ = ["LARGEST", "Search"]

LARGEST = 5
"""Members of a panel, up to which every panel is scored."""
MOST_WORK = 1e10
"""Floating-point operations for all panels: some 20 seconds."""
FITS = 30.0
"""Newton steps for one panel, over all folds."""
LITTLE = 0.1
"""Part of its own gain that one of two has to add to the other, or the two are as good as one."""

Panel = tuple[int, ...]


class Search:
    """Scores panels, and picks the best of each size on other items than it is scored on.

    Parameters
    ----------
    given : Prepared
    kinds : Kinds
    choices : Choices
    settings : Settings
    """

    def __init__(self, given: Prepared, kinds: Kinds, choices: Choices, settings: Settings) -> None:
        self.given, self.kinds, self.choices, self.settings = given, kinds, choices, settings
        self.size = len(given.names)
        self.reference = given.survey.reference
        self._scores: dict[Panel, Floats] = {}

    def result(self, notes: Notes) -> PanelResult:
        """Score every panel, the best of each size with an interval, and what each adds."""
        alone: list[Panel] = [(k,) for k in range(self.size)]
        everyone = tuple(range(self.size))
        best = [self._best(size) for size in range(1, min(LARGEST, self.size) + 1)]
        without = [tuple(j for j in everyone if j != k) for k in everyone]
        tables = [
            *(self._held_out(panels) for _, panels in best),
            self.given.pools.predict(everyone),
            *(self.given.pools.predict(panel) for panel in (*alone, *without)),
        ]
        estimates = self._estimates(tables, notes)
        every, first, rest = len(best), len(best) + 1, len(best) + 1 + self.size
        worth = estimates.classifiers([str(n) for n in range(len(tables))])
        members = [
            Member(
                name=name,
                alone=worth[first + k].equivalence,
                adds=self._apart(estimates, every, rest + k),
            )
            for k, name in enumerate(self.given.names)
        ]
        self._note(notes)
        p, names = self.given.survey, self.given.names
        return PanelResult(
            best=tuple(
                BestPanel(
                    members=self._names(panel),
                    worth=worth[n].equivalence,
                    more=self._apart(estimates, n, n - 1) if n else None,
                    chosen=float(np.mean([one == panel for one in panels])),
                )
                for n, (panel, panels) in enumerate(best)
            ),
            everyone=worth[every].equivalence,
            members=tuple(members[k] for k in self._order),
            same=self._same(estimates),
            panels=self._panels(estimates),
            curve=estimates.curve(0),
            provenance=PanelProvenance(
                source=self.given.labels.source,
                sources=(*self.given.labels.sources, *self.given.predictions.sources),
                dropped=self.given.labels.dropped,
                items_used=p.items_used,
                items_dropped=p.items_dropped,
                n_ratings=p.n_ratings,
                n_raters=None if self.given.labels.anonymous else p.n_raters,
                labels=self.given.labels.scale.labels,
                level=self.settings.level,
                bootstrap=self.settings.draws,
                seed=self.settings.seed,
                backend=self.given.labels.backend,
                scorer=self.kinds.scorer.name,
                unit=self.kinds.scorer.unit,
                max_k=p.max_k,
                considered=tuple(names[k] for k in self.considered),
                largest=min(LARGEST, self.size),
            ),
            notes=tuple(notes),
        )

    @cached_property
    def considered(self) -> Panel:
        """The classifiers of which every panel is scored: all, or those worth most alone."""
        rows, labels = self.given.pools.every.shares.shape
        each = FITS * rows * labels * (LARGEST + labels) ** 2

        def work(n: int) -> float:
            return each * sum(comb(n, size) for size in range(1, LARGEST + 1))

        most = max((n for n in range(1, self.size + 1) if work(n) <= MOST_WORK), default=1)
        return tuple(sorted(self._order[: max(most, LARGEST)]))

    @cached_property
    def _order(self) -> list[int]:
        """Order classifiers by how they score alone, best first."""
        return sorted(range(self.size), key=lambda k: -float(self._score((k,))[-1]))

    def _note(self, notes: Notes) -> None:
        if len(self.considered) < self.size:
            notes.caution(
                f"Of {count(self.size, 'classifier')} there are too many panels to score: every "
                f"panel was made of the {len(self.considered)} that are worth most alone "
                f"({some(self._names(self.considered), 12)})."
            )

    def _score(self, panel: Panel) -> Floats:
        """Score a panel on the items outside each fold, and on all: (folds + 1,)."""
        if panel not in self._scores:
            fold = self.given.pools.fold
            number = len(self.given.pools.without)
            weight = np.vstack([np.not_equal.outer(np.arange(number), fold), np.ones(len(fold))])
            bound = self.kinds.scorer.bind(self.given.pools.predict(panel), self.reference, "soft")
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
        predicted = {panel: self.given.pools.predict(panel) for panel in set(panels)}
        out = np.empty_like(self.reference)
        for part, panel in enumerate(panels):
            mine = self.given.pools.fold == part
            out[mine] = predicted[panel][mine]
        return out

    def _estimates(self, tables: Sequence[Floats], notes: Notes) -> Estimates:
        classifiers = tuple(Classifier(str(n), "soft", table) for n, table in enumerate(tables))
        ours = replace(self.given.survey, classifiers=classifiers)
        design = ours.design(self.kinds.combiner, self.kinds.scorer, self.settings.seed or 0)
        scoring = choose_method(design, self.settings, notes)
        return estimate(design, scoring, self.choices, self.settings, notes)[0]

    def _apart(self, estimates: Estimates, a: int, b: int) -> Estimate:
        """Find how much more one prediction scores than another, on the same items."""
        found, drawn = estimates.found.classifiers, estimates.drawn.classifiers
        kept = drawn[:, a] - drawn[:, b] if estimates.items >= FEW else drawn[:0, 0]
        value = float(found[0, a] - found[0, b])
        return Estimate.from_draws(value, kept, level=estimates.level)

    def _same(self, estimates: Estimates) -> tuple[tuple[str, str], ...]:
        """Find every two of which neither adds much to the other."""
        base = float(estimates.found.curves[0][0, 0])
        gain = {k: float(self._score((k,))[-1]) - base for k in self.considered}
        found: list[tuple[float, Panel]] = []
        for i, j in combinations(self.considered, 2):
            both = float(self._score((i, j))[-1]) - base
            if both - gain[i] < LITTLE * gain[j] and both - gain[j] < LITTLE * gain[i]:
                found.append((both - max(gain[i], gain[j]), (i, j)))
        names = self.given.names
        return tuple((names[i], names[j]) for _, (i, j) in sorted(found))

    def _panels(self, estimates: Estimates) -> tuple[SubPanel, ...]:
        """List every panel with what it is worth, best first."""
        scored = sorted(self._scores.items(), key=lambda pair: (-float(pair[1][-1]), pair[0]))
        score = np.array([float(own[-1]) for _, own in scored])
        few = estimates.items < FEW
        worth = crossings(estimates.continued[0], score)
        known = None if estimates.beyond is None else float(estimates.max_k)
        why = f"{count(estimates.items, 'item')} are too few to tell" if few else None
        return tuple(
            SubPanel(
                members=self._names(panel),
                score=float(own),
                worth=Estimate(
                    np.nan if few else float(raters),
                    bounds=estimates.bounds,
                    undefined=why,
                    known=known,
                ),
            )
            for (panel, _), own, raters in zip(scored, score, worth, strict=True)
        )

    def _names(self, panel: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.given.names[k] for k in panel)
