"""The tools whose exports are read, in the order in which they are tried: the surest first."""

from __future__ import annotations

from headcount.io.tools.base import Tool
from headcount.io.tools.evals.batches import AnthropicBatch, OpenAIBatch
from headcount.io.tools.evals.braintrust import Braintrust
from headcount.io.tools.evals.deepeval import DeepEval
from headcount.io.tools.evals.inspect import Inspect
from headcount.io.tools.evals.langfuse import Langfuse
from headcount.io.tools.evals.lm_eval import LmEval
from headcount.io.tools.evals.metric_table import LangSmith, MLflowTable, Ragas
from headcount.io.tools.evals.mlflow import MLflow
from headcount.io.tools.evals.phoenix import Phoenix
from headcount.io.tools.evals.promptfoo import Promptfoo, PromptfooTable
from headcount.io.tools.labelling.appen import Appen
from headcount.io.tools.labelling.argilla import ArgillaFeedback, ArgillaFlat, ArgillaNested
from headcount.io.tools.labelling.doccano import Doccano
from headcount.io.tools.labelling.ground_truth import GroundTruth
from headcount.io.tools.labelling.label_studio import LabelStudio, LabelStudioMin
from headcount.io.tools.labelling.labelbox import Labelbox
from headcount.io.tools.labelling.mturk import MTurk
from headcount.io.tools.labelling.nested import ChaosNli, NestedLists
from headcount.io.tools.labelling.potato import Potato
from headcount.io.tools.labelling.prodigy import Prodigy
from headcount.io.tools.labelling.qualtrics import Qualtrics
from headcount.io.tools.labelling.toloka import Toloka

__all__ = ["TOOLS"]

TOOLS: list[Tool] = [
    Qualtrics(),
    MTurk(),
    Toloka(),
    Appen(),
    LabelStudio(),
    LabelStudioMin(),
    Labelbox(),
    GroundTruth(),
    Prodigy(),
    ArgillaFlat(),
    ArgillaNested(),
    ArgillaFeedback(),
    Inspect(),
    Promptfoo(),
    PromptfooTable(),
    LmEval(),
    DeepEval(),
    MLflow(),
    MLflowTable(),
    LangSmith(),
    Braintrust(),
    OpenAIBatch(),
    AnthropicBatch(),
    Ragas(),
    Langfuse(),
    Phoenix(),
    Potato(),
    ChaosNli(),
    Doccano(),
    NestedLists(),
]
