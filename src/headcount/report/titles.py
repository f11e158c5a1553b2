"""What the parts of a report are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from headcount.agreement.result import AgreementResult
from headcount.blind_evaluation.rate.result import RateResult
from headcount.blind_evaluation.result import BlindResult
from headcount.equivalence.alt_test.result import AltTest
from headcount.equivalence.result import SurveyResult
from headcount.pairwise.result import PairsResult
from headcount.report.records import Part
from headcount.results.base import Result

__all__ = ["apart", "title_of"]

TITLES: dict[type[Result], str] = {
    AgreementResult: "How much the raters agree",
    AltTest: "The alternative annotator test",
    BlindResult: "Which classifier is better",
    PairsResult: "Rating of every item",
    RateResult: "What people would say of all items",
    SurveyResult: "How many raters classifiers are worth",
}


def title_of(result: Result) -> str:
    """Say what a result tells.

    A kind that has no title here is shown by its answer alone.
    """
    return TITLES.get(type(result), "Answer")


def apart(parts: Sequence[Part]) -> list[Part]:
    """Tell parts of the same title apart by their data."""
    times = Counter(part.title for part in parts)
    return [
        part
        if times[part.title] == 1
        else replace(part, title=f"{part.title} ({part.about or part.result.provenance.source})")
        for part in parts
    ]
