"""What an analysis of agreement finds, as plain records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.estimates import Sampling
from headcount.agreement.phi.records import NAME
from headcount.agreement.phi.result import PhiResult
from headcount.agreement.prepare import Prepared
from headcount.agreement.rater_pairs.bland_altman import LimitsOfAgreement
from headcount.agreement.raters.populations import FIXED, Scope
from headcount.agreement.recommendation.recommendation import Report
from headcount.agreement.retest.records import Retest
from headcount.data.labels import Labels
from headcount.results.base import Result
from headcount.results.provenance import Provenance
from headcount.stats.estimate import Estimate
from headcount.typing import Floats

__all__ = [
    "Agreement",
    "AgreementProvenance",
    "CategoryAgreement",
    "ItemDisagreement",
    "PairAgreement",
    "RaterAgreement",
    "TAKEN",
    "as_json",
]

TAKEN = (
    NAME, "analytic", "these_raters", "holds_for", "report", "assumptions", "raters", "pairs",
    "categories", "items", "scale", "scale_guessed", "distance", "members", "labels",
    "retest", "n_items", "n_ratings", "n_raters", "ratings_per_item", "data", "bootstrap", "level",
    "seed", "version", "warnings", "cautions", "notes", "bland_altman",
)  # fmt: skip
"""Keys of the JSON document, besides the coefficients: no coefficient may be called so."""


@dataclass(frozen=True, kw_only=True)
class AgreementProvenance(Provenance):
    """How a result came about.

    Parameters
    ----------
    items_used, items_single, items_unrated : int
        Items with two ratings or more, with one, and with none.
    ratings_per_item : (int, float, int)
        Least, median and most, of the rated items.
    scale : str
        What the labels are taken for.
    scale_guessed : bool
    distance : str or None
        By which labels differ, where that is not by their scale: a distance of sets, or a caller's.
    members : tuple of str
        The labels that sets are made of; empty unless labels are sets.
    """

    items_single: int
    items_unrated: int
    ratings_per_item: tuple[int, float, int]
    scale: str
    scale_guessed: bool
    distance: str | None = None
    members: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, labels: Labels, data: Prepared, sampling: Sampling, *, seed: int | None
    ) -> AgreementProvenance:
        """Tell it of the labels as they came, and of what was made of them."""
        per_item, times = data.ratings.per_item, data.ratings.item_times
        rated, used = data.labels.n_items, data.items_used
        return cls(
            source=labels.source,
            sources=labels.sources,
            dropped=labels.dropped,
            items_used=used,
            items_dropped=labels.n_items - used,
            items_single=rated - used,
            items_unrated=labels.n_items - rated,
            n_ratings=len(labels),
            n_raters=labels.n_raters,
            ratings_per_item=(
                int(per_item.min()),
                _median(per_item, times),
                int(per_item.max()),
            ),
            labels=data.labels.scale.labels,
            scale=data.scale.name,
            scale_guessed=data.guessed,
            distance=data.scale.title or None,
            members=tuple(data.categories) if data.scale.members else (),
            bootstrap=sampling.draws,
            level=sampling.level,
            seed=seed,
            backend=labels.backend,
        )

    @property
    def ratings(self) -> str:
        """What the data are called."""
        return self.source


def _median(values: Floats, times: Floats) -> float:
    """Give the median of numbers that each stand for several."""
    order = np.argsort(values, kind="stable")
    up_to = np.cumsum(times[order])
    middle = np.searchsorted(up_to, [(up_to[-1] - 1) // 2, up_to[-1] // 2], side="right")
    return float(values[order][middle].mean())


@dataclass(frozen=True)
class RaterAgreement:
    """How far a rater agrees with the others on the same items.

    Parameters
    ----------
    rater : str or int
    ratings : int
        Ratings given.
    compared : int
        Of these, on items that somebody else rated too.
    agreement : Estimate
        Mean over those items of the share of the other raters who gave the same label.
    severity : float or None
        On a scale with an order, how much higher the rater's numbers (or places, on an ordinal
        scale) are than the mean of the others' on the same items, in the mean.
    consistency : float or None
        On such a scale, the correlation of the two: high for a rater who is always two higher.
    """

    rater: str | int
    ratings: int
    compared: int
    agreement: Estimate
    severity: float | None = None
    consistency: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**vars(self), "agreement": as_json(self.agreement)}


@dataclass(frozen=True)
class PairAgreement:
    """How far two raters agree on the items that both rated.

    Percent agreement and the means over pairs that were asked for, by name in `coefficients`.
    """

    a: str | int
    b: str | int
    items: int
    coefficients: dict[str, Estimate]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        found = {name: as_json(estimate) for name, estimate in self.coefficients.items()}
        return {"a": self.a, "b": self.b, "items": self.items, **found}


@dataclass(frozen=True, kw_only=True)
class CategoryAgreement:
    """How far raters agree on one label against all others.

    Parameters
    ----------
    label : str
    share : float
        Of all ratings.
    agreement : Estimate
        Krippendorff's alpha of this label against the others; or why there is none.
    """

    label: str
    share: float
    agreement: Estimate

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**vars(self), "agreement": as_json(self.agreement)}


@dataclass(frozen=True, kw_only=True)
class ItemDisagreement:
    """How contested an item is.

    Parameters
    ----------
    item : str or int
    ratings : int
    disagreement : float
        Mean distance of two of its ratings, as AC2 measures it on the scale, from 0 to 1: on a
        nominal scale the share of pairs that differ.
    entropy : float
        Of the labels given, in bits.
    counts : dict
        How often each label was given.
    said : dict
        What each rater said; empty where nobody knows who they are.
    central : Estimate or None
        The value that its ratings centre on, by Phi.
    residual : float or None
        Its spread as a multiple of what Phi leads to expect; see
        :class:`~headcount.agreement.phi.inference.mu.PhiItems`.
    """

    item: str | int
    ratings: int
    disagreement: float
    entropy: float
    counts: dict[str, int]
    said: dict[str, str] = field(default_factory=dict[str, str])
    central: Estimate | None = None
    residual: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        central = None if self.central is None else self.central.to_dict()
        return {**vars(self), "central": central}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Agreement(Result):
    """Coefficients of agreement with intervals, and who and what disagrees.

    Parameters
    ----------
    kinds : mapping of str to Coefficient
        The coefficients that were asked for, by name.
    coefficients : mapping of str to Estimate
        Their values, by name; ``result["alpha"]`` finds one. Where one is undefined it says why.
        Intervals hold for raters like these where `scope` says so.
    these_raters : mapping of str to Estimate
        The same values with intervals for these raters: from the bootstrap of items, or analytic
        where their `method` says so.
    scope : Scope
        For whom the intervals of `coefficients` hold, and why.
    report : Report or None
        Which coefficient to report, with its interval and the sentence for a paper; None where
        none is defined.
    analytic : mapping of str to Estimate
        The same values with analytic intervals, where there are standard ones.
    raters : tuple of RaterAgreement
        Each rater against the others, lowest agreement first; empty unless asked for.
    pairs : tuple of PairAgreement
        Every two raters who share an item; empty unless raters were asked for.
    categories : tuple of CategoryAgreement
        Each label against the others, lowest agreement first; empty unless asked for.
    items : tuple of ItemDisagreement
        Most contested first; empty unless asked for.
    phi : PhiResult or None
        Phi with its posterior; None on a nominal scale, or where coefficients were chosen.
    retest : Retest or None
        How far raters agree with themselves; None unless they rated items twice and that was asked
        for.
    bland_altman : LimitsOfAgreement or None
        How two raters differ on a scale of numbers; None for others.
    full : bool
        Whether the text shows all coefficients.
    provenance : AgreementProvenance
        Data, options and version.
    notes : tuple of Note
        What was guessed or left out, and what to beware of, in sentences.
    """

    provenance: AgreementProvenance
    kinds: Mapping[str, Coefficient]
    coefficients: Mapping[str, Estimate]
    these_raters: Mapping[str, Estimate]
    scope: Scope
    report: Report | None
    analytic: Mapping[str, Estimate]
    raters: tuple[RaterAgreement, ...] = ()
    pairs: tuple[PairAgreement, ...] = ()
    categories: tuple[CategoryAgreement, ...] = ()
    items: tuple[ItemDisagreement, ...] = ()
    phi: PhiResult | None = None
    retest: Retest | None = None
    bland_altman: LimitsOfAgreement | None = None
    full: bool = False

    def holds_for(self, name: str) -> str:
        """For whom the interval of a coefficient holds, in words."""
        alone = self.scope.crossed and self.coefficients[name] is self.these_raters[name]
        return FIXED.words if alone else self.scope.words


def as_json(estimate: Estimate) -> dict[str, float | int | str | None]:
    """Return the JSON form, with `undefined` also where it is null, and the method."""
    return {**estimate.to_dict(), "undefined": estimate.undefined, "method": estimate.method}
