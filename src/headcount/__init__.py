"""How many people is your classifier worth? Statistics for labels on which people disagree."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from headcount._version import __version__ as __version__

__all__ = [
    "ABC",
    "Comparisons",
    "Counts",
    "DataError",
    "DirichletStates",
    "DiscreteStates",
    "Elo",
    "Estimate",
    "ExtraError",
    "Gate",
    "HeadcountError",
    "LabellingModel",
    "Labels",
    "OptionError",
    "Predictions",
    "Scale",
    "agree",
    "alt_test",
    "anchor_items",
    "blind",
    "compare_agreement",
    "consensus",
    "corrected_rate",
    "dawid_skene",
    "judge",
    "labelling_experiment",
    "look",
    "make_report",
    "next_items",
    "next_pairs",
    "pairs",
    "panel_worth",
    "phi",
    "plan",
    "plan_agreement",
    "read_comparisons",
    "read_gold",
    "read_predictions",
    "read_ratings",
    "read_truth",
    "read_votes",
    "running_example",
    "scan_comparisons",
    "scan_ratings",
    "simulate_comparisons",
    "simulate_ratings",
    "simulate_votes",
    "survey",
    "survey_equivalence",
]

# Where each public name lives. Modules are imported when a name is first used, so that
# `import headcount` is quick.
_HOMES = {
    "ABC": "headcount.equivalence.combiners",
    "Comparisons": "headcount.data.comparisons",
    "Counts": "headcount.data.labels",
    "DataError": "headcount.errors",
    "DirichletStates": "headcount.simulation.states",
    "DiscreteStates": "headcount.simulation.states",
    "Elo": "headcount.pairwise.elo",
    "Estimate": "headcount.stats.estimate",
    "ExtraError": "headcount.errors",
    "Gate": "headcount.judging.gate",
    "HeadcountError": "headcount.errors",
    "LabellingModel": "headcount.simulation.labelling",
    "Labels": "headcount.data.labels",
    "OptionError": "headcount.errors",
    "Predictions": "headcount.data.predictions",
    "Scale": "headcount.data.labels",
    "agree": "headcount.agreement.agree",
    "alt_test": "headcount.equivalence.alt_test",
    "anchor_items": "headcount.pairwise.anchors",
    "blind": "headcount.blind_evaluation.blind",
    "compare_agreement": "headcount.agreement.comparison",
    "consensus": "headcount.blind_evaluation.consensus",
    "corrected_rate": "headcount.blind_evaluation.rate",
    "dawid_skene": "headcount.blind_evaluation.dawid_skene",
    "judge": "headcount.judging.judge",
    "labelling_experiment": "headcount.pairwise.experiment",
    "look": "headcount.engine.look",
    "make_report": "headcount.report.make_report",
    "next_items": "headcount.blind_evaluation.blind",
    "next_pairs": "headcount.pairwise.next_pairs",
    "pairs": "headcount.pairwise.pairs",
    "panel_worth": "headcount.equivalence.panels",
    "phi": "headcount.agreement.phi",
    "plan": "headcount.pairwise.plan",
    "plan_agreement": "headcount.agreement.planning",
    "read_comparisons": "headcount.io.comparisons",
    "read_gold": "headcount.io.facts",
    "read_predictions": "headcount.io.predictions",
    "read_ratings": "headcount.io.ratings",
    "read_truth": "headcount.io.facts",
    "read_votes": "headcount.io.predictions",
    "running_example": "headcount.simulation.ratings",
    "scan_comparisons": "headcount.engine.counts",
    "scan_ratings": "headcount.engine.ratings",
    "simulate_comparisons": "headcount.simulation.labelling",
    "simulate_ratings": "headcount.simulation.ratings",
    "simulate_votes": "headcount.simulation.labelling",
    "survey": "headcount.equivalence.survey",
    "survey_equivalence": "headcount.equivalence.power_curve",
}

if TYPE_CHECKING:
    from headcount.agreement.agree import agree
    from headcount.agreement.comparison import compare_agreement
    from headcount.agreement.phi import phi
    from headcount.agreement.planning import plan_agreement
    from headcount.blind_evaluation.blind import blind, next_items
    from headcount.blind_evaluation.consensus import consensus
    from headcount.blind_evaluation.dawid_skene import dawid_skene
    from headcount.blind_evaluation.rate import corrected_rate
    from headcount.data import examples as examples
    from headcount.data.comparisons import Comparisons
    from headcount.data.labels import Counts, Labels, Scale
    from headcount.data.predictions import Predictions
    from headcount.engine.counts import scan_comparisons
    from headcount.engine.look import look
    from headcount.engine.ratings import scan_ratings
    from headcount.equivalence.alt_test import alt_test
    from headcount.equivalence.combiners import ABC
    from headcount.equivalence.panels import panel_worth
    from headcount.equivalence.power_curve import survey_equivalence
    from headcount.equivalence.survey import survey
    from headcount.errors import DataError, ExtraError, HeadcountError, OptionError
    from headcount.io.comparisons import read_comparisons
    from headcount.io.facts import read_gold, read_truth
    from headcount.io.predictions import read_predictions, read_votes
    from headcount.io.ratings import read_ratings
    from headcount.judging.gate import Gate
    from headcount.judging.judge import judge
    from headcount.pairwise.anchors import anchor_items
    from headcount.pairwise.elo import Elo
    from headcount.pairwise.experiment import labelling_experiment
    from headcount.pairwise.next_pairs import next_pairs
    from headcount.pairwise.pairs import pairs
    from headcount.pairwise.plan import plan
    from headcount.report.make_report import make_report
    from headcount.simulation.labelling import LabellingModel, simulate_comparisons, simulate_votes
    from headcount.simulation.ratings import running_example, simulate_ratings
    from headcount.simulation.states import DirichletStates, DiscreteStates
    from headcount.stats.estimate import Estimate


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name == "examples":  # a module: the data that come with the package
        return import_module("headcount.data.examples")
    raise AttributeError(f"module 'headcount' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__", "examples"])
