"""What pairwise comparisons tell, and the forms in which to have it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headcount.data.comparisons import Comparisons
from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import OptionError, unknown_name
from headcount.pairwise.bradley_terry.result import BradleyTerry
from headcount.pairwise.rating import Rated
from headcount.pairwise.spammers.spammers import ComparingRater
from headcount.pairwise.text import report
from headcount.results.frames import to_frame
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Dropped", "Move", "PairsProvenance", "PairsResult", "RatedItem"]


@dataclass(frozen=True)
class PairsProvenance:
    """How a result came about."""

    version: str
    source: str
    n_items: int
    n_comparisons: int
    n_ties: int
    n_raters: int | None
    method: str
    ties: str
    scale: str
    label: str
    cut: str
    bootstrap: int
    bootstrap_by: str
    level: float
    seed: int | None
    backend: str | None


@dataclass(frozen=True)
class RatedItem:
    """One item.

    Parameters
    ----------
    item : object
    rating : Estimate
        In units of the result's scale, with mean 0 over its component. Where no finite rating
        exists it is infinite or nan, and `undefined` says why.
    rank : Estimate
        1 is best; among the items of the component.
    label : {"above", "below"} or None
        None at the cut, or where nothing can be said.
    probability : float or None
        That the item lies above the cut.
    comparisons : int
        Comparisons that it was in.
    component : int
        Group of items that compare with each other; the largest is 0.
    """

    item: object
    rating: Estimate
    rank: Estimate
    label: str | None
    probability: float | None
    comparisons: int
    component: int


@dataclass(frozen=True)
class Move:
    """Rank of an item with spammers, and without; None where it has none any more."""

    item: object
    before: int
    after: int | None


@dataclass(frozen=True)
class Dropped:
    """Who was left out for answering at random, and what that changed.

    Parameters
    ----------
    raters : tuple
    comparisons : int
        How many they had made.
    rank_correlation : float
        Spearman's, between the ratings with and without them; nan where there is none.
    moves : tuple of Move
        Items whose ranks changed most.
    """

    raters: tuple[object, ...]
    comparisons: int
    rank_correlation: float
    moves: tuple[Move, ...]


@dataclass(frozen=True, repr=False, eq=False)
class PairsResult:
    """Items, best first, and how far to trust it.

    Parameters
    ----------
    items : tuple of RatedItem
        Best first, the largest component first; ``result["name"]`` finds one.
    raters : tuple of ComparingRater or None
        Spammers first, then by score, lowest first; None if they were not to be judged.
    dropped : Dropped or None
        What leaving out spammers changed; None if none was.
    fit : mapping of str to object
        How the fit went: converged, components, undefeated and more.
    provenance : PairsProvenance
        Data, options and version.
    notes : tuple of str
        What a reader should know, in sentences.
    rated : Rated
        The ratings as arrays, with the fit and the draws behind intervals.
    compared : Comparisons
        Those that were used.
    """

    items: tuple[RatedItem, ...]
    raters: tuple[ComparingRater, ...] | None
    dropped: Dropped | None
    fit: Mapping[str, Any]
    provenance: PairsProvenance
    notes: tuple[str, ...]
    rated: Rated = field(repr=False)
    compared: Comparisons = field(repr=False)

    def __getitem__(self, name: object) -> RatedItem:
        for item in self.items:
            if str(item.item) == str(name):
                return item
        raise unknown_name("item", str(name), [str(i.item) for i in self.items])

    def probability(self, a: object, b: object) -> Estimate:
        """Estimate the probability that item `a` beats item `b` in one comparison.

        By Bradley-Terry as its fit says (:meth:`BradleyTerry.probability`); by Elo the share of the
        point that it expects. With a bootstrap, the interval is that of its draws.
        """
        level, model, draws = self.provenance.level, self.rated.model, self.rated.draws
        i, j = (self._place(name) for name in (a, b))
        if isinstance(model, BradleyTerry):
            fitted = model.probability(a, b, level=level)
            if self.rated.normal or draws is None or fitted.low is None:
                return fitted
            drawn = np.array([model.of_gap(gap) for gap in _gaps(draws, i, j).tolist()])
            return Estimate.from_draws(fitted.value, drawn, level=level)
        if i == j:
            raise OptionError(f"'{a}' cannot be compared with itself; name two items.")
        if self.rated.component[i] != self.rated.component[j]:
            return Estimate(
                math.nan, undefined=f"no comparisons join '{a}' and '{b}', even through others"
            )
        gap = float(self.rated.rating[i] - self.rated.rating[j])
        if math.isnan(gap):
            return Estimate(math.nan, undefined=f"the data do not say how '{a}' and '{b}' compare")
        value = 0.5 * (1 + math.tanh(gap / 2))
        if draws is None or math.isinf(gap):
            return Estimate(value)
        return Estimate.from_draws(value, 0.5 * (1 + np.tanh(_gaps(draws, i, j) / 2)), level=level)

    def _place(self, item: object) -> int:
        place = int(match_ids(as_ids([str(item)]), self.compared.items)[0])
        if place < 0:
            raise unknown_name("item", str(item), [str(i) for i in self.compared.items])
        return place

    def to_dict(self) -> dict[str, Any]:
        """Return the document that ``headcount pairs --json`` prints (see docs/json.md)."""
        p = self.provenance
        return {
            "items": [_item(i) for i in self.items],
            "raters": None if self.raters is None else [_rater(r) for r in self.raters],
            "dropped": None if self.dropped is None else _dropped(self.dropped),
            "fit": {
                key: [plain_id(name) for name in value]
                if key in ("undefeated", "winless")
                else value
                for key, value in self.fit.items()
            },
            "method": p.method,
            "ties": p.ties,
            "scale": p.scale,
            "label": p.label,
            "cut": p.cut,
            "n_items": p.n_items,
            "n_comparisons": p.n_comparisons,
            "n_ties": p.n_ties,
            "n_raters": p.n_raters,
            "bootstrap": p.bootstrap,
            "bootstrap_by": p.bootstrap_by if p.bootstrap else None,
            "level": p.level,
            "seed": p.seed,
            "version": p.version,
            "notes": list(self.notes),
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one row an item, best first, as the kind of frame that came in."""
        rows = [_item(i) for i in self.items]
        columns: dict[str, list[Any]] = {"item": [i.item for i in self.items]}
        for key in ("rating", "rank"):
            columns[key] = [row[key]["value"] for row in rows]
            columns |= {f"{key}_{end}": [row[key][end] for row in rows] for end in ("low", "high")}
        for key in ("label", "probability", "comparisons", "component"):
            columns[key] = [row[key] for row in rows]
        return to_frame(columns, backend or self.provenance.backend)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the ratings with their intervals, best first (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from headcount.pairwise.plot import plot_ratings

        return plot_ratings(self, ax)

    def __repr__(self) -> str:
        return report(self)


def _gaps(draws: NDArray[np.float64], i: int, j: int) -> NDArray[np.float64]:
    """Differences in two drawn ratings, but for draws that could not be fitted."""
    gaps = draws[:, i] - draws[:, j]
    return gaps[~np.isnan(gaps)]


def _item(i: RatedItem) -> dict[str, Any]:
    rank = i.rank.to_dict()
    for key in ("value", "low", "high"):
        number = rank[key]
        rank[key] = int(number) if isinstance(number, float) else number
    return {
        "item": plain_id(i.item),
        "rating": i.rating.to_dict(),
        "rank": rank,
        "label": i.label,
        "probability": i.probability,
        "comparisons": i.comparisons,
        "component": i.component,
    }


def _rater(r: ComparingRater) -> dict[str, Any]:
    return {
        "rater": plain_id(r.rater),
        "comparisons": r.comparisons,
        "agreement": _number(r.agreement),
        "correlation": _number(r.correlation),
        "median_probability": _number(r.median_probability),
        "slope": r.slope.to_dict(),
        "checks": r.checks,
        "checks_right": r.checks_right,
        "score": r.score,
        "p_value": r.p_value,
        "p_random": r.p_random,
        "verdict": r.verdict,
        "spammer": r.spammer,
    }


def _dropped(d: Dropped) -> dict[str, Any]:
    return {
        "raters": [plain_id(r) for r in d.raters],
        "comparisons": d.comparisons,
        "rank_correlation": _number(d.rank_correlation),
        "moves": [
            {"item": plain_id(m.item), "before": m.before, "after": m.after} for m in d.moves
        ],
    }


def plain_id(name: object) -> object:
    """Write a whole number as text if it is too large for what reads JSON with floats."""
    return str(name) if isinstance(name, int) and abs(name) > 2**53 else name


def _number(x: float) -> float | None:
    return x if math.isfinite(x) else None
