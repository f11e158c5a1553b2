"""How many people is your classifier worth? Statistics for labels on which people disagree."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from headcount._version import __version__ as __version__

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
    "Facts",
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
    "ABC": "headcount.equivalence.combiners.combiners",
    "AgreementResult": "headcount.agreement.result",
    "AltTest": "headcount.equivalence.alt_test.result",
    "AnchorSearch": "headcount.pairwise.anchoring.anchors",
    "BlindResult": "headcount.blind_evaluation.result",
    "BradleyTerry": "headcount.pairwise.bradley_terry.result",
    "Comparisons": "headcount.data.comparisons",
    "Counts": "headcount.data.counts",
    "DataError": "headcount.errors",
    "DirichletStates": "headcount.simulation.states",
    "DiscreteStates": "headcount.simulation.states",
    "Elo": "headcount.pairwise.elo.elo",
    "Estimate": "headcount.stats.estimate",
    "ExtraError": "headcount.errors",
    "Facts": "headcount.data.facts",
    "Frequency": "headcount.equivalence.combiners.combiners",
    "HeadcountError": "headcount.errors",
    "LabellingExperiment": "headcount.pairwise.experiments.result",
    "LabellingModel": "headcount.simulation.labelling",
    "LabellingTruth": "headcount.simulation.labelling",
    "Labels": "headcount.data.labels",
    "Mean": "headcount.equivalence.combiners.combiners",
    "MixtureStates": "headcount.simulation.states",
    "OptionError": "headcount.errors",
    "PairsResult": "headcount.pairwise.result",
    "PhiResult": "headcount.agreement.phi.result",
    "Plan": "headcount.pairwise.planning.result",
    "Plurality": "headcount.equivalence.combiners.combiners",
    "Predictions": "headcount.data.predictions",
    "Scale": "headcount.data.scale",
    "SurveyResult": "headcount.equivalence.result",
    "Tasks": "headcount.pairwise.planning.tasks",
    "agree": "headcount.agreement.agree",
    "agree_by_share": "headcount.agreement.by_share",
    "alt_test": "headcount.equivalence.alt_test.alt_test",
    "blind": "headcount.blind_evaluation.blind",
    "bradley_terry": "headcount.pairwise.bradley_terry.bradley_terry",
    "dawid_skene": "headcount.blind_evaluation.dawid_skene.dawid_skene",
    "find_spammers": "headcount.pairwise.spammers.spammers",
    "labelling_experiment": "headcount.pairwise.experiments.experiment",
    "next_pairs": "headcount.pairwise.planning.next_pairs",
    "pairs": "headcount.pairwise.pairs",
    "phi": "headcount.agreement.phi.phi",
    "plan": "headcount.pairwise.planning.plan",
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
    "running_example": "headcount.simulation.ratings",
    "simulate_comparisons": "headcount.simulation.labelling",
    "simulate_ratings": "headcount.simulation.ratings",
    "simulate_votes": "headcount.simulation.labelling",
    "survey": "headcount.equivalence.survey",
    "survey_equivalence": "headcount.equivalence.surveys.crossing",
}

if TYPE_CHECKING:
    from headcount.agreement.agree import agree
    from headcount.agreement.by_share import agree_by_share
    from headcount.agreement.phi.phi import phi
    from headcount.agreement.phi.result import PhiResult
    from headcount.agreement.result import AgreementResult
    from headcount.blind_evaluation.blind import blind
    from headcount.blind_evaluation.dawid_skene.dawid_skene import dawid_skene
    from headcount.blind_evaluation.result import BlindResult
    from headcount.data.comparisons import Comparisons
    from headcount.data.counts import Counts
    from headcount.data.facts import Facts
    from headcount.data.labels import Labels
    from headcount.data.predictions import Predictions
    from headcount.data.scale import Scale
    from headcount.equivalence.alt_test.alt_test import alt_test
    from headcount.equivalence.alt_test.result import AltTest
    from headcount.equivalence.combiners.combiners import ABC, Frequency, Mean, Plurality
    from headcount.equivalence.result import SurveyResult
    from headcount.equivalence.survey import survey
    from headcount.equivalence.surveys.crossing import survey_equivalence
    from headcount.errors import DataError, ExtraError, HeadcountError, OptionError
    from headcount.io.comparisons import read_comparisons
    from headcount.io.experts import read_experts
    from headcount.io.gold import read_gold
    from headcount.io.item_facts import read_anchors, read_covariates
    from headcount.io.predictions import read_predictions
    from headcount.io.ratings import read_ratings
    from headcount.io.votes import read_groups, read_truth, read_votes
    from headcount.pairwise.anchoring.anchors import AnchorSearch
    from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
    from headcount.pairwise.bradley_terry.result import BradleyTerry
    from headcount.pairwise.elo.elo import Elo
    from headcount.pairwise.experiments.experiment import labelling_experiment
    from headcount.pairwise.experiments.result import LabellingExperiment
    from headcount.pairwise.pairs import pairs
    from headcount.pairwise.planning.next_pairs import next_pairs
    from headcount.pairwise.planning.plan import plan
    from headcount.pairwise.planning.result import Plan
    from headcount.pairwise.planning.tasks import Tasks
    from headcount.pairwise.result import PairsResult
    from headcount.pairwise.spammers.spammers import find_spammers
    from headcount.simulation.labelling import (
        LabellingModel,
        LabellingTruth,
        simulate_comparisons,
        simulate_votes,
    )
    from headcount.simulation.ratings import running_example, simulate_ratings
    from headcount.simulation.states import DirichletStates, DiscreteStates, MixtureStates
    from headcount.stats.estimate import Estimate


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'headcount' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
