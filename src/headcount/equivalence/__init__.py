"""Survey equivalence: how many raters predict the next rater as well as a classifier does."""

from headcount.equivalence.combiners import ABC, Combiner, Frequency, Mean, Plurality
from headcount.equivalence.power_curve import survey_equivalence
from headcount.equivalence.result import ClassifierResult, CurvePoint, SurveyResult
from headcount.equivalence.scorers import Scorer
from headcount.equivalence.survey import survey

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
