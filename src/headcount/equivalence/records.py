"""What a survey equivalence analysis found, as plain records."""

from __future__ import annotations

from dataclasses import dataclass, field

from headcount.equivalence.alt_test.result import AltTest
from headcount.equivalence.calibration.reliability import Reliability
from headcount.equivalence.ceiling.records import Available
from headcount.equivalence.combiners.base import Learned
from headcount.equivalence.raters.populations import RaterKind
from headcount.equivalence.worth.differences import Comparison
from headcount.results.base import Result
from headcount.results.provenance import Provenance
from headcount.stats.estimate import Estimate

__all__ = ["ClassifierResult", "CurvePoint", "SurveyProvenance", "SurveyRecord"]


@dataclass(frozen=True)
class CurvePoint:
    """The score of surveys of k raters, and its gain over no rater; for amateurs, their worth."""

    k: int
    score: Estimate
    gain: Estimate
    equivalence: Estimate | None = None


@dataclass(frozen=True, kw_only=True)
class ClassifierResult:
    """The score of a classifier, its gain over no rater, and the raters it is worth.

    `p_beats` is the share of bootstrap samples in which it beats k = 0, 1, 2 ... raters;
    `calibration` says how its probabilities were learned from what it says, None if they are its
    own; `with_raters` what it scores and is worth together with 1, 2 ... raters of the same item;
    `like_these` is its worth with an interval for other raters like these, where that was asked for
    or raters are few.
    """

    name: str
    score: Estimate
    gain: Estimate
    equivalence: Estimate
    p_beats: tuple[float, ...] | None = None
    calibration: str | None = None
    with_raters: tuple[CurvePoint, ...] = ()
    like_these: Estimate | None = None

    @property
    def integer_equivalence(self) -> Estimate:
        """Smallest whole number of raters that do at least as well."""
        return self.equivalence.ceil()


@dataclass(frozen=True, kw_only=True)
class SurveyProvenance(Provenance):
    """How a survey equivalence result came about.

    Parameters
    ----------
    predictions : str or None
        What the predictions are called.
    ratings_per_item : (int, float, int)
        Smallest, median and largest number of ratings of an item.
    combiner, scorer, unit : str
        How surveys were combined and scored, and the unit of scores.
    in_bits : bool
        Whether scores are logarithms of probabilities.
    information : bool
        Whether gains are information about the reference.
    positive : str or None
        The label looked at.
    reference : str
        What predictions were scored against, in words.
    against_states : bool
        Whether that is the known state of each item, and no rater.
    reference_raters, max_k : int
    method : str
        How surveys were scored.
    all_surveys : bool
        Whether all surveys were counted.
    raters : RaterKind
        For whom intervals of a worth hold.
    """

    level: float = 0.95
    bootstrap: int = 0
    predictions: str | None
    ratings_per_item: tuple[int, float, int]
    combiner: str
    scorer: str
    unit: str
    in_bits: bool
    information: bool
    positive: str | None
    reference: str
    against_states: bool
    reference_raters: int
    max_k: int
    method: str
    all_surveys: bool
    raters: RaterKind

    @property
    def ratings(self) -> str:
        """What the ratings are called."""
        return self.source


@dataclass(frozen=True, repr=False, kw_only=True)
class SurveyRecord(Result):
    """A power curve, and what classifiers are worth on it; see :class:`headcount.SurveyResult`."""

    provenance: SurveyProvenance
    curve: tuple[CurvePoint, ...]
    classifiers: tuple[ClassifierResult, ...]
    comparisons: tuple[Comparison, ...]
    amateurs: tuple[CurvePoint, ...]
    reliability: tuple[Reliability, ...]
    too_few: str | None = None
    doubted: bool = False
    ceiling: Available | None = None
    alt_test: AltTest | None = None
    learned: Learned | None = field(default=None, compare=False, repr=False)
