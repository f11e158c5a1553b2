"""What an analysis of agreement found, and the forms in which to have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headcount.agreement.coefficients.catalogue import COEFFICIENTS
from headcount.agreement.phi.result import PhiResult
from headcount.agreement.text import sentence, table
from headcount.agreement.views import ItemDisagreement, PairAgreement, RaterAgreement, as_json
from headcount.errors import unknown_name
from headcount.results.frames import to_frame
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["AgreementResult", "Provenance"]


@dataclass(frozen=True)
class Provenance:
    """How a result came about.

    `items_used` have two ratings or more, `items_single` one, `items_unrated` none.
    """

    version: str
    ratings: str
    items_used: int
    items_single: int
    items_unrated: int
    n_ratings: int
    n_raters: int
    ratings_per_item: tuple[int, float, int]
    labels: tuple[str, ...]
    scale: str
    scale_guessed: bool
    bootstrap: int
    level: float
    seed: int | None
    backend: str | None


@dataclass(frozen=True, repr=False)
class AgreementResult:
    """Coefficients of agreement with intervals, and who and what disagrees.

    Parameters
    ----------
    coefficients : mapping of str to Estimate
        By name: percent, alpha, fleiss, ac1, ac2, scott, cohen, cohen_linear, cohen_quadratic,
        icc1, icc2k; ``result["alpha"]`` finds one. Where one is undefined it says why. Intervals
        are from the bootstrap, or analytic where its `method` says so.
    analytic : mapping of str to Estimate
        The same values with analytic intervals, where there are standard ones.
    assumptions : mapping of str to str
        What each coefficient assumes.
    raters : tuple of RaterAgreement
        Each rater against the others, lowest agreement first; empty unless asked for.
    pairs : tuple of PairAgreement
        Every two raters who share an item; empty unless raters were asked for.
    items : tuple of ItemDisagreement
        Most contested first; empty unless asked for.
    provenance : Provenance
        Data, options and version.
    notes : tuple of str
        What was guessed or left out, and what to beware of, in sentences.
    phi : PhiResult or None
        Phi with its posterior; None on a nominal scale.
    """

    coefficients: Mapping[str, Estimate]
    analytic: Mapping[str, Estimate]
    assumptions: Mapping[str, str]
    raters: tuple[RaterAgreement, ...]
    pairs: tuple[PairAgreement, ...]
    items: tuple[ItemDisagreement, ...]
    provenance: Provenance
    notes: tuple[str, ...]
    phi: PhiResult | None = None

    def __getitem__(self, name: str) -> Estimate:
        if name not in self.coefficients:
            raise unknown_name("coefficient", name, list(self.coefficients))
        return self.coefficients[name]

    def to_dict(self) -> dict[str, Any]:
        """Return the document that ``headcount agree --json`` prints (see docs/json.md)."""
        p = self.provenance
        low, median, high = p.ratings_per_item
        return {
            **{name: as_json(estimate) for name, estimate in self.coefficients.items()},
            "phi": None if self.phi is None else self.phi.to_dict(),
            "analytic": {name: as_json(estimate) for name, estimate in self.analytic.items()},
            "assumptions": dict(self.assumptions),
            "raters": [rater.to_dict() for rater in self.raters],
            "pairs": [pair.to_dict() for pair in self.pairs],
            "items": [item.to_dict() for item in self.items],
            "scale": p.scale,
            "scale_guessed": p.scale_guessed,
            "labels": list(p.labels),
            "n_items": {
                "used": p.items_used,
                "single": p.items_single,
                "unrated": p.items_unrated,
            },
            "n_ratings": p.n_ratings,
            "n_raters": p.n_raters,
            "ratings_per_item": {"min": low, "median": median, "max": high},
            "bootstrap": p.bootstrap,
            "level": p.level,
            "seed": p.seed,
            "version": p.version,
            "notes": list(self.notes),
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one row a coefficient, as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Kind of frame. Default: that of the labels, or the first of these that is installed.

        Returns
        -------
        frame
            Columns `name`, `title`, `value`, `low`, `high` (null where there is none), `method`,
            `undefined` and `assumes`.
        """
        estimates = self.coefficients
        columns: dict[str, list[Any]] = {
            "name": list(estimates),
            "title": [COEFFICIENTS[name].title for name in estimates],
            "value": [None if e.undefined else float(e.value) for e in estimates.values()],
            "low": [e.low for e in estimates.values()],
            "high": [e.high for e in estimates.values()],
            "method": [e.method for e in estimates.values()],
            "undefined": [e.undefined for e in estimates.values()],
            "assumes": [self.assumptions[name] for name in estimates],
        }
        return to_frame(columns, backend or self.provenance.backend)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw all coefficients with their intervals side by side (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from headcount.agreement.plot import plot_forest

        return plot_forest(self, ax)

    def __repr__(self) -> str:
        return "\n".join([sentence(self), "", *table(self)])
