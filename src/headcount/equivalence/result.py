"""What a survey equivalence analysis found, and the forms in which to have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headcount.equivalence.alt_test.result import AltTest
from headcount.equivalence.calibration import Reliability
from headcount.equivalence.ceiling.available import Available
from headcount.equivalence.differences import Comparison
from headcount.equivalence.text import sentences, table
from headcount.errors import unknown_name
from headcount.results.frames import to_frame
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ClassifierResult", "CurvePoint", "Provenance", "SurveyResult"]


@dataclass(frozen=True)
class CurvePoint:
    """The score of surveys of k raters, and its gain over no rater; for amateurs, their worth."""

    k: int
    score: Estimate
    gain: Estimate
    equivalence: Estimate | None = None


@dataclass(frozen=True)
class ClassifierResult:
    """The score of a classifier, its gain over no rater, and the raters it is worth.

    `p_beats` is the share of bootstrap draws in which it beats k = 0, 1, 2 ... raters.
    """

    name: str
    score: Estimate
    gain: Estimate
    equivalence: Estimate
    p_beats: tuple[float, ...] | None = None

    @property
    def integer_equivalence(self) -> Estimate:
        """Smallest whole number of raters that do at least as well."""
        return self.equivalence.ceil()


@dataclass(frozen=True)
class Provenance:
    """How a result came about."""

    version: str
    ratings: str
    predictions: str | None
    items_used: int
    items_dropped: int
    ratings_per_item: tuple[int, float, int]
    labels: tuple[str, ...]
    combiner: str
    scorer: str
    unit: str
    positive: str | None
    reference: str
    reference_raters: int
    max_k: int
    method: str
    bootstrap: int
    level: float
    seed: int | None
    backend: str | None


@dataclass(frozen=True, repr=False)
class SurveyResult:
    """A power curve, and what classifiers are worth on it.

    Parameters
    ----------
    curve : tuple of CurvePoint
        Surveys of 0, 1, 2 ... raters.
    classifiers : tuple of ClassifierResult
        In the order of the predictions; ``result["name"]`` finds one.
    comparisons : tuple of Comparison
        Every two classifiers.
    amateurs : tuple of CurvePoint
        Surveys of 0, 1, 2 ... amateurs, each with its worth in experts; empty without experts.
    reliability : tuple of Reliability
        For each soft classifier, what raters say where it predicts what.
    provenance : Provenance
        Data, options and version.
    notes : tuple of str
        What was left out or done to the data, in sentences.
    ceiling : Available or None
        The score of infinitely many raters, and what follows from it. None where it cannot be
        told: for many labels, sampled surveys, or a reference other than one rater.
    alt_test : AltTest or None
        The alternative annotator test, if it was asked for.
    """

    curve: tuple[CurvePoint, ...]
    classifiers: tuple[ClassifierResult, ...]
    comparisons: tuple[Comparison, ...]
    amateurs: tuple[CurvePoint, ...]
    reliability: tuple[Reliability, ...]
    provenance: Provenance
    notes: tuple[str, ...]
    ceiling: Available | None = None
    alt_test: AltTest | None = None

    def __getitem__(self, name: str) -> ClassifierResult:
        for classifier in self.classifiers:
            if classifier.name == name:
                return classifier
        raise unknown_name("classifier", name, [c.name for c in self.classifiers])

    def to_dict(self) -> dict[str, Any]:
        """Return the document that ``headcount survey --json`` prints (see docs/json.md)."""
        p = self.provenance
        low, median, high = p.ratings_per_item
        return {
            "curve": [_point(point) for point in self.curve],
            "classifiers": [
                {
                    "name": c.name,
                    "score": c.score.to_dict(),
                    "gain": c.gain.to_dict(),
                    "equivalence": c.equivalence.to_dict(),
                    "integer_equivalence": c.integer_equivalence.to_dict(),
                    "p_beats": None if c.p_beats is None else list(c.p_beats),
                    "performance_ratio": None
                    if self.ceiling is None
                    else self.ceiling.performance_ratio[c.name].to_dict(),
                }
                for c in self.classifiers
            ],
            "ceiling": None if self.ceiling is None else self.ceiling.to_dict(),
            "comparisons": [
                {"a": c.a, "b": c.b, "raters": c.raters.to_dict(), "p_a_better": c.p_a_better}
                for c in self.comparisons
            ],
            "alt_test": None if self.alt_test is None else self.alt_test.to_dict(),
            "reliability": [r.to_dict() for r in self.reliability],
            "experts": {"amateurs": [_point(point) for point in self.amateurs]}
            if self.amateurs
            else None,
            "items": {"used": p.items_used, "dropped": p.items_dropped},
            "ratings": {"min": low, "median": median, "max": high},
            "labels": list(p.labels),
            "combiner": p.combiner,
            "scorer": p.scorer,
            "unit": p.unit,
            "positive": p.positive,
            "reference": p.reference,
            "reference_raters": p.reference_raters,
            "max_k": p.max_k,
            "method": p.method,
            "bootstrap": p.bootstrap,
            "level": p.level,
            "seed": p.seed,
            "version": p.version,
            "notes": list(self.notes),
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one row a survey size and one a classifier, as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Kind of frame. Default: that of the labels, or the first of these that is installed.

        Returns
        -------
        frame
            Columns `kind` ("survey" or "classifier"), `name`, `raters` (the survey's size or the
            classifier's equivalence; plus or minus infinity where censored), `score` and `gain`,
            each with its `_low` and `_high` (null where there is no interval).
        """
        rows: list[tuple[str, str, Estimate, Estimate, Estimate]] = [
            ("survey", f"{point.k} raters", Estimate(point.k), point.score, point.gain)
            for point in self.curve
        ]
        rows += [("classifier", c.name, c.equivalence, c.score, c.gain) for c in self.classifiers]
        columns: dict[str, list[Any]] = {
            "kind": [row[0] for row in rows],
            "name": [row[1] for row in rows],
        }
        for place, name in enumerate(("raters", "score", "gain"), start=2):
            estimates: list[Estimate] = [row[place] for row in rows]  # type: ignore[misc]
            columns[name] = [float(e.value) for e in estimates]
            columns[f"{name}_low"] = [e.low for e in estimates]
            columns[f"{name}_high"] = [e.high for e in estimates]
        return to_frame(columns, backend or self.provenance.backend)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the power curve with its classifiers (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        Axes
        """
        from headcount.equivalence.plot import plot

        return plot(self, ax)

    def __repr__(self) -> str:
        return "\n".join([*sentences(self), "", *table(self)])


def _point(point: CurvePoint) -> dict[str, Any]:
    out: dict[str, Any] = {
        "k": point.k,
        "score": point.score.to_dict(),
        "gain": point.gain.to_dict(),
    }
    if point.equivalence is not None:
        out["equivalence"] = point.equivalence.to_dict()
    return out
