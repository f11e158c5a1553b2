"""Survey equivalence: how many raters predict the next rater as well as a classifier does."""

from headcount.equivalence.combiners.combiners import ABC, Combiner, Frequency, Mean, Plurality
from headcount.equivalence.result import ClassifierResult, CurvePoint, SurveyResult
from headcount.equivalence.scorers.base import Scorer
from headcount.equivalence.survey import survey
from headcount.equivalence.surveys.crossing import survey_equivalence

__all__ = [
    "ABC",
    "ClassifierResult",
    "Combiner",
    "CurvePoint",
    "Frequency",
    "Mean",
    "Plurality",
    "Scorer",
    "SurveyResult",
    "survey",
    "survey_equivalence",
]
