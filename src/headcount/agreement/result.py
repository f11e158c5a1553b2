"""What :func:`headcount.agree` returns."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Any

from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.coefficients.catalogue import recommended
from headcount.agreement.json_document import document
from headcount.agreement.phi.records import CHANCE, NAME, TITLE
from headcount.agreement.plot import plot_forest
from headcount.agreement.records import Agreement, AgreementProvenance
from headcount.agreement.text import page
from headcount.errors import unknown_name
from headcount.results.text import Page
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["AgreementProvenance", "AgreementResult"]

NAMES = (
    "kind", "name", "title", "value", "low", "high", "method", "undefined", "chance", "assumes",
)  # fmt: skip
"""Columns of the frame."""


@dataclass(frozen=True)
class _Row:
    """A row of the frame: an estimate, and of what it is."""

    kind: str
    name: str
    estimate: Estimate
    of: Coefficient | None = None
    title: str | None = None
    chance: str | None = None

    def cells(self) -> dict[str, Any]:
        """Return what is in each column."""
        e, of = self.estimate, self.of
        return {
            "kind": self.kind,
            "name": self.name,
            "title": self.title if of is None else of.title,
            "value": None if e.undefined else float(e.value),
            "low": e.low,
            "high": e.high,
            "method": e.method,
            "undefined": e.undefined,
            "chance": self.chance if of is None else of.chance,
            "assumes": None if of is None else of.assumes,
        }


class AgreementResult(Agreement):
    """Coefficients of agreement with intervals, and who and what disagrees.

    ``result["alpha"]`` is a coefficient; the fields are those of
    :class:`~headcount.agreement.records.Agreement`.
    """

    def __getitem__(self, name: str) -> Estimate:
        if name not in self.coefficients:
            raise unknown_name("coefficient", name, list(self.coefficients))
        return self.coefficients[name]

    @property
    def assumptions(self) -> dict[str, str]:
        """What each coefficient assumes, by name."""
        return {name: one.assumes for name, one in self.kinds.items()}

    def page(self) -> Page:
        """Say how much raters agree, and whether it is more than chance."""
        return page(self)

    def drawn(self) -> dict[str, list[Any]]:
        """Return the rows that the plot shows: coefficients, and Phi."""
        columns = self.columns()
        shown = [kind in ("coefficient", "phi") for kind in columns["kind"]]
        return {name: list(compress(values, shown)) for name, values in columns.items()}

    def columns(self) -> dict[str, list[Any]]:
        """Return one row per coefficient, then Phi, raters, pairs of raters and items.

        Columns `kind` ("coefficient", "phi", "rater", "difference", "pair", "category" or "item"),
        `name` (of a coefficient,
        a rater, two raters or an item), `title` (what is measured), `value`, `low`, `high` (None
        where there is none), `method`, `undefined`, `chance` and `assumes`. A pair has a row for
        each of its coefficients. Raters, pairs and items are there if they were asked for.
        """
        rows = [_Row("coefficient", n, e, self.kinds[n]) for n, e in self.coefficients.items()]
        if self.phi is not None:
            rows.append(_Row("phi", NAME, self.phi.estimate, title=TITLE, chance=CHANCE))
        rows += [
            _Row("rater", str(one.rater), one.agreement, title="agreement with the others")
            for one in self.raters
        ]
        if (two := self.bland_altman) is not None:
            rows += [
                _Row("difference", f"{two.a} – {two.b}", e, title=title)
                for title, e in two.rows.items()
            ]
        kinds = {one.name: one for one in recommended()} | dict(self.kinds)
        rows += [
            _Row("pair", f"{pair.a} – {pair.b}", e, kinds[name])
            for pair in self.pairs
            for name, e in pair.coefficients.items()
        ]
        rows += [
            _Row("category", one.label, one.agreement, title="agreement on this label")
            for one in self.categories
        ]
        rows += [
            _Row("item", str(one.item), Estimate(one.disagreement), title="disagreement")
            for one in self.items
        ]
        cells = [row.cells() for row in rows]
        return {name: [row[name] for row in cells] for name in NAMES}

    def document(self) -> dict[str, Any]:
        """Return what is particular to agreement in JSON; each coefficient is a key."""
        return document(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw all coefficients with their intervals side by side (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        return plot_forest(self, ax)
