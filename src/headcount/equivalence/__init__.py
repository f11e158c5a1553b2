"""Survey equivalence: how many raters predict the next rater as well as a classifier does."""

from headcount.equivalence.combiners.abc import ABC
from headcount.equivalence.combiners.base import Combiner
from headcount.equivalence.combiners.frequency import Frequency
from headcount.equivalence.combiners.mean import Mean
from headcount.equivalence.combiners.plurality import Plurality
from headcount.equivalence.records import ClassifierResult, CurvePoint
from headcount.equivalence.result import SurveyResult
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
