"""How many people is your classifier worth? Statistics for labels on which people disagree."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

__all__ = [
    "ABC",
    "AgreementResult",
    "AltTest",
    "AnchorSearch",
    "BlindResult",
    "BradleyTerry",
    "Comparisons",
    "Counts",
    "DataError",
    "DirichletStates",
    "DiscreteStates",
    "Elo",
    "Estimate",
    "ExtraError",
    "Frequency",
    "HeadcountError",
    "LabellingExperiment",
    "LabellingModel",
    "LabellingTruth",
    "Labels",
    "Mean",
    "MixtureStates",
    "OptionError",
    "PairsResult",
    "PhiResult",
    "Plan",
    "Plurality",
    "Predictions",
    "Scale",
    "SurveyResult",
    "Tasks",
    "agree",
    "agree_by_share",
    "alt_test",
    "blind",
    "bradley_terry",
    "dawid_skene",
    "find_spammers",
    "labelling_experiment",
    "next_pairs",
    "pairs",
    "phi",
    "plan",
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
    "AgreementResult": "headcount.agreement.result",
    "AltTest": "headcount.equivalence.alt_test_result",
    "AnchorSearch": "headcount.pairwise.anchors",
    "BlindResult": "headcount.blind_evaluation.result",
    "BradleyTerry": "headcount.pairwise.bt_result",
    "Comparisons": "headcount.pairwise.comparisons",
    "Counts": "headcount.labels.counts",
    "DataError": "headcount.errors",
    "DirichletStates": "headcount.labels.states",
    "DiscreteStates": "headcount.labels.states",
    "Elo": "headcount.pairwise.elo",
    "Estimate": "headcount.stats.estimate",
    "ExtraError": "headcount.errors",
    "Frequency": "headcount.equivalence.combiners",
    "HeadcountError": "headcount.errors",
    "LabellingExperiment": "headcount.pairwise.experiment_result",
    "LabellingModel": "headcount.pairwise.simulate",
    "LabellingTruth": "headcount.pairwise.simulate",
    "Labels": "headcount.labels.labels",
    "Mean": "headcount.equivalence.combiners",
    "MixtureStates": "headcount.labels.states",
    "OptionError": "headcount.errors",
    "PairsResult": "headcount.pairwise.result",
    "PhiResult": "headcount.agreement.phi_result",
    "Plan": "headcount.pairwise.plan_result",
    "Plurality": "headcount.equivalence.combiners",
    "Predictions": "headcount.labels.predictions",
    "Scale": "headcount.labels.scale",
    "SurveyResult": "headcount.equivalence.result",
    "Tasks": "headcount.pairwise.tasks",
    "agree": "headcount.agreement.agree",
    "agree_by_share": "headcount.agreement.share",
    "alt_test": "headcount.equivalence.alt_test",
    "blind": "headcount.blind_evaluation.blind",
    "bradley_terry": "headcount.pairwise.bradley_terry",
    "dawid_skene": "headcount.blind_evaluation.dawid_skene",
    "find_spammers": "headcount.pairwise.spam",
    "labelling_experiment": "headcount.pairwise.experiment",
    "next_pairs": "headcount.pairwise.next_pairs",
    "pairs": "headcount.pairwise.pairs",
    "phi": "headcount.agreement.phi",
    "plan": "headcount.pairwise.plan",
    "read_anchors": "headcount.io.item_facts",
    "read_comparisons": "headcount.io.comparisons",
    "read_covariates": "headcount.io.item_facts",
    "read_experts": "headcount.io.experts",
    "read_gold": "headcount.io.gold",
    "read_groups": "headcount.io.votes",
    "read_predictions": "headcount.io.predictions",
    "read_ratings": "headcount.io.ratings",
    "read_truth": "headcount.io.votes",
    "read_votes": "headcount.io.votes",
    "running_example": "headcount.labels.simulate",
    "simulate_comparisons": "headcount.pairwise.simulate",
    "simulate_ratings": "headcount.labels.simulate",
    "simulate_votes": "headcount.pairwise.simulate",
    "survey": "headcount.equivalence.survey",
    "survey_equivalence": "headcount.equivalence.crossing",
}

if TYPE_CHECKING:
    from headcount.agreement.agree import agree
    from headcount.agreement.phi import phi
    from headcount.agreement.phi_result import PhiResult
    from headcount.agreement.result import AgreementResult
    from headcount.agreement.share import agree_by_share
    from headcount.blind_evaluation.blind import blind
    from headcount.blind_evaluation.dawid_skene import dawid_skene
    from headcount.blind_evaluation.result import BlindResult
    from headcount.equivalence.alt_test import alt_test
    from headcount.equivalence.alt_test_result import AltTest
    from headcount.equivalence.combiners import ABC, Frequency, Mean, Plurality
    from headcount.equivalence.crossing import survey_equivalence
    from headcount.equivalence.result import SurveyResult
    from headcount.equivalence.survey import survey
    from headcount.errors import DataError, ExtraError, HeadcountError, OptionError
    from headcount.io.comparisons import read_comparisons
    from headcount.io.experts import read_experts
    from headcount.io.gold import read_gold
    from headcount.io.item_facts import read_anchors, read_covariates
    from headcount.io.predictions import read_predictions
    from headcount.io.ratings import read_ratings
    from headcount.io.votes import read_groups, read_truth, read_votes
    from headcount.labels.counts import Counts
    from headcount.labels.labels import Labels
    from headcount.labels.predictions import Predictions
    from headcount.labels.scale import Scale
    from headcount.labels.simulate import running_example, simulate_ratings
    from headcount.labels.states import DirichletStates, DiscreteStates, MixtureStates
    from headcount.pairwise.anchors import AnchorSearch
    from headcount.pairwise.bradley_terry import bradley_terry
    from headcount.pairwise.bt_result import BradleyTerry
    from headcount.pairwise.comparisons import Comparisons
    from headcount.pairwise.elo import Elo
    from headcount.pairwise.experiment import labelling_experiment
    from headcount.pairwise.experiment_result import LabellingExperiment
    from headcount.pairwise.next_pairs import next_pairs
    from headcount.pairwise.pairs import pairs
    from headcount.pairwise.plan import plan
    from headcount.pairwise.plan_result import Plan
    from headcount.pairwise.result import PairsResult
    from headcount.pairwise.simulate import (
        LabellingModel,
        LabellingTruth,
        simulate_comparisons,
        simulate_votes,
    )
    from headcount.pairwise.spam import find_spammers
    from headcount.pairwise.tasks import Tasks
    from headcount.stats.estimate import Estimate


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'headcount' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
