"""How many people is your classifier worth? Statistics for labels on which people disagree."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from headcount._version import __version__ as __version__

__all__ = [
    "ABC",
    "AgreementComparison",
    "AgreementPlan",
    "AgreementResult",
    "AltTest",
    "AltTestClassifier",
    "AnchorSearch",
    "Anchoring",
    "BlindResult",
    "BradleyTerry",
    "Comparisons",
    "Counts",
    "DataError",
    "DawidSkeneResult",
    "DirichletStates",
    "DiscreteStates",
    "Elo",
    "EloFit",
    "Estimate",
    "ExtraError",
    "Facts",
    "Frequency",
    "HeadcountError",
    "ItemsToLabel",
    "Joined",
    "JudgeResult",
    "LabellingExperiment",
    "LabellingModel",
    "LabellingTruth",
    "Labels",
    "LookResult",
    "Mean",
    "MixtureStates",
    "OptionError",
    "PairsResult",
    "PanelResult",
    "PhiResult",
    "Placement",
    "Plan",
    "Plurality",
    "Predictions",
    "RateResult",
    "RatersResult",
    "Report",
    "Scale",
    "ShareCurve",
    "Simulation",
    "SurveyResult",
    "Tasks",
    "agree",
    "agree_by_share",
    "alt_test",
    "anchor_items",
    "blind",
    "bradley_terry",
    "compare_agreement",
    "corrected_rate",
    "dawid_skene",
    "find_spammers",
    "join_populations",
    "judge",
    "labelling_experiment",
    "look",
    "make_report",
    "next_items",
    "next_pairs",
    "pairs",
    "panel_worth",
    "phi",
    "place_items",
    "plan",
    "plan_agreement",
    "read_anchors",
    "read_comparisons",
    "read_covariates",
    "read_experts",
    "read_gold",
    "read_groups",
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
    "ABC": "headcount.equivalence.combiners.abc",
    "AgreementComparison": "headcount.agreement.comparing.result",
    "AgreementPlan": "headcount.agreement.planning.result",
    "AgreementResult": "headcount.agreement.result",
    "AltTest": "headcount.equivalence.alt_test.result",
    "AltTestClassifier": "headcount.equivalence.alt_test.result",
    "AnchorSearch": "headcount.pairwise.anchoring.anchors",
    "Anchoring": "headcount.pairwise.anchoring.search.result",
    "BlindResult": "headcount.blind_evaluation.result",
    "BradleyTerry": "headcount.pairwise.bradley_terry.result",
    "Comparisons": "headcount.data.comparisons",
    "Counts": "headcount.data.counts",
    "DataError": "headcount.errors",
    "DawidSkeneResult": "headcount.blind_evaluation.dawid_skene.result",
    "DirichletStates": "headcount.simulation.states",
    "DiscreteStates": "headcount.simulation.states",
    "Elo": "headcount.pairwise.elo.elo",
    "EloFit": "headcount.pairwise.elo.result",
    "Estimate": "headcount.stats.estimate",
    "ExtraError": "headcount.errors",
    "Facts": "headcount.data.facts",
    "Frequency": "headcount.equivalence.combiners.frequency",
    "HeadcountError": "headcount.errors",
    "ItemsToLabel": "headcount.blind_evaluation.selection.result",
    "Joined": "headcount.pairwise.anchoring.result",
    "JudgeResult": "headcount.judging.result",
    "LabellingExperiment": "headcount.pairwise.experiments.result",
    "LabellingModel": "headcount.simulation.labelling_model",
    "LabellingTruth": "headcount.simulation.labelling",
    "Labels": "headcount.data.labels",
    "LookResult": "headcount.io.look.result",
    "Mean": "headcount.equivalence.combiners.mean",
    "MixtureStates": "headcount.simulation.states",
    "OptionError": "headcount.errors",
    "PairsResult": "headcount.pairwise.result",
    "PanelResult": "headcount.equivalence.panels.result",
    "PhiResult": "headcount.agreement.phi.result",
    "Placement": "headcount.pairwise.anchoring.result",
    "Plan": "headcount.pairwise.planning.result",
    "Plurality": "headcount.equivalence.combiners.plurality",
    "Predictions": "headcount.data.predictions",
    "RateResult": "headcount.blind_evaluation.rate.result",
    "RatersResult": "headcount.pairwise.spammers.result",
    "Report": "headcount.report.result",
    "Scale": "headcount.data.scale",
    "ShareCurve": "headcount.agreement.by_share.result",
    "Simulation": "headcount.simulation.ratings",
    "SurveyResult": "headcount.equivalence.result",
    "Tasks": "headcount.pairwise.planning.tasks.result",
    "agree": "headcount.agreement.agree",
    "agree_by_share": "headcount.agreement.by_share.by_share",
    "alt_test": "headcount.equivalence.alt_test.alt_test",
    "anchor_items": "headcount.pairwise.anchoring.search.anchor_items",
    "blind": "headcount.blind_evaluation.blind",
    "bradley_terry": "headcount.pairwise.bradley_terry.bradley_terry",
    "compare_agreement": "headcount.agreement.comparing.compare",
    "corrected_rate": "headcount.blind_evaluation.rate.rate",
    "dawid_skene": "headcount.blind_evaluation.dawid_skene.dawid_skene",
    "find_spammers": "headcount.pairwise.spammers.spammers",
    "join_populations": "headcount.pairwise.anchoring.join_populations",
    "judge": "headcount.judging.judge",
    "labelling_experiment": "headcount.pairwise.experiments.experiment",
    "look": "headcount.engine.look",
    "make_report": "headcount.report.make_report",
    "next_items": "headcount.blind_evaluation.selection.next_items",
    "next_pairs": "headcount.pairwise.planning.tasks.next_pairs",
    "pairs": "headcount.pairwise.pairs",
    "panel_worth": "headcount.equivalence.panels.panels",
    "phi": "headcount.agreement.phi.phi",
    "place_items": "headcount.pairwise.anchoring.place_items",
    "plan": "headcount.pairwise.planning.plan",
    "plan_agreement": "headcount.agreement.planning.plan_agreement",
    "read_anchors": "headcount.io.facts.item_facts",
    "read_comparisons": "headcount.io.comparisons.comparisons",
    "read_covariates": "headcount.io.facts.item_facts",
    "read_experts": "headcount.io.facts.experts",
    "read_gold": "headcount.io.facts.gold",
    "read_groups": "headcount.io.facts.groups",
    "read_predictions": "headcount.io.predictions.predictions",
    "read_ratings": "headcount.io.ratings.ratings",
    "read_truth": "headcount.io.facts.true_labels",
    "read_votes": "headcount.io.predictions.votes",
    "running_example": "headcount.simulation.running_example",
    "scan_comparisons": "headcount.engine.scans.comparisons",
    "scan_ratings": "headcount.engine.scans.ratings",
    "simulate_comparisons": "headcount.simulation.labelling",
    "simulate_ratings": "headcount.simulation.ratings",
    "simulate_votes": "headcount.simulation.labelling",
    "survey": "headcount.equivalence.survey",
    "survey_equivalence": "headcount.equivalence.surveys.crossing",
}

if TYPE_CHECKING:
    from headcount.agreement.agree import agree
    from headcount.agreement.by_share.by_share import agree_by_share
    from headcount.agreement.by_share.result import ShareCurve
    from headcount.agreement.comparing.compare import compare_agreement
    from headcount.agreement.comparing.result import AgreementComparison
    from headcount.agreement.phi.phi import phi
    from headcount.agreement.phi.result import PhiResult
    from headcount.agreement.planning.plan_agreement import plan_agreement
    from headcount.agreement.planning.result import AgreementPlan
    from headcount.agreement.result import AgreementResult
    from headcount.blind_evaluation.blind import blind
    from headcount.blind_evaluation.dawid_skene.dawid_skene import dawid_skene
    from headcount.blind_evaluation.dawid_skene.result import DawidSkeneResult
    from headcount.blind_evaluation.rate.rate import corrected_rate
    from headcount.blind_evaluation.rate.result import RateResult
    from headcount.blind_evaluation.result import BlindResult
    from headcount.blind_evaluation.selection.next_items import next_items
    from headcount.blind_evaluation.selection.result import ItemsToLabel
    from headcount.data import examples as examples
    from headcount.data.comparisons import Comparisons
    from headcount.data.counts import Counts
    from headcount.data.facts import Facts
    from headcount.data.labels import Labels
    from headcount.data.predictions import Predictions
    from headcount.data.scale import Scale
    from headcount.engine.look import look
    from headcount.engine.scans.comparisons import scan_comparisons
    from headcount.engine.scans.ratings import scan_ratings
    from headcount.equivalence.alt_test.alt_test import alt_test
    from headcount.equivalence.alt_test.result import AltTest, AltTestClassifier
    from headcount.equivalence.combiners.abc import ABC
    from headcount.equivalence.combiners.frequency import Frequency
    from headcount.equivalence.combiners.mean import Mean
    from headcount.equivalence.combiners.plurality import Plurality
    from headcount.equivalence.panels.panels import panel_worth
    from headcount.equivalence.panels.result import PanelResult
    from headcount.equivalence.result import SurveyResult
    from headcount.equivalence.survey import survey
    from headcount.equivalence.surveys.crossing import survey_equivalence
    from headcount.errors import DataError, ExtraError, HeadcountError, OptionError
    from headcount.io.comparisons.comparisons import read_comparisons
    from headcount.io.facts.experts import read_experts
    from headcount.io.facts.gold import read_gold
    from headcount.io.facts.groups import read_groups
    from headcount.io.facts.item_facts import read_anchors, read_covariates
    from headcount.io.facts.true_labels import read_truth
    from headcount.io.look.result import LookResult
    from headcount.io.predictions.predictions import read_predictions
    from headcount.io.predictions.votes import read_votes
    from headcount.io.ratings.ratings import read_ratings
    from headcount.judging.judge import judge
    from headcount.judging.result import JudgeResult
    from headcount.pairwise.anchoring.anchors import AnchorSearch
    from headcount.pairwise.anchoring.join_populations import join_populations
    from headcount.pairwise.anchoring.place_items import place_items
    from headcount.pairwise.anchoring.result import Joined, Placement
    from headcount.pairwise.anchoring.search.anchor_items import anchor_items
    from headcount.pairwise.anchoring.search.result import Anchoring
    from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
    from headcount.pairwise.bradley_terry.result import BradleyTerry
    from headcount.pairwise.elo.elo import Elo
    from headcount.pairwise.elo.result import EloFit
    from headcount.pairwise.experiments.experiment import labelling_experiment
    from headcount.pairwise.experiments.result import LabellingExperiment
    from headcount.pairwise.pairs import pairs
    from headcount.pairwise.planning.plan import plan
    from headcount.pairwise.planning.result import Plan
    from headcount.pairwise.planning.tasks.next_pairs import next_pairs
    from headcount.pairwise.planning.tasks.result import Tasks
    from headcount.pairwise.result import PairsResult
    from headcount.pairwise.spammers.result import RatersResult
    from headcount.pairwise.spammers.spammers import find_spammers
    from headcount.report.make_report import make_report
    from headcount.report.result import Report
    from headcount.simulation.labelling import (
        LabellingTruth,
        simulate_comparisons,
        simulate_votes,
    )
    from headcount.simulation.labelling_model import LabellingModel
    from headcount.simulation.ratings import Simulation, simulate_ratings
    from headcount.simulation.running_example import running_example
    from headcount.simulation.states import DirichletStates, DiscreteStates, MixtureStates
    from headcount.stats.estimate import Estimate


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name == "examples":  # a module: the data that come with the package
        return import_module("headcount.data.examples")
    raise AttributeError(f"module 'headcount' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__", "examples"])
