"""The tools whose exports are read, in the order in which they are tried: the surest first."""

from __future__ import annotations

from headcount.io.tools.appen import Appen
from headcount.io.tools.argilla import ArgillaFeedback, ArgillaFlat, ArgillaNested
from headcount.io.tools.base import Tool
from headcount.io.tools.deepeval import DeepEval
from headcount.io.tools.doccano import Doccano
from headcount.io.tools.inspect import Inspect
from headcount.io.tools.label_studio import LabelStudio, LabelStudioMin
from headcount.io.tools.langfuse import Langfuse
from headcount.io.tools.lm_eval import LmEval
from headcount.io.tools.mlflow import MLflow
from headcount.io.tools.mlflow_table import MLflowTable
from headcount.io.tools.mturk import MTurk
from headcount.io.tools.nested import ChaosNli, NestedLists
from headcount.io.tools.phoenix import Phoenix
from headcount.io.tools.potato import Potato
from headcount.io.tools.prodigy import Prodigy
from headcount.io.tools.promptfoo import Promptfoo, PromptfooTable
from headcount.io.tools.qualtrics import Qualtrics
from headcount.io.tools.toloka import Toloka

__all__ = ["TOOLS"]

TOOLS: list[Tool] = [
    Qualtrics(),
    MTurk(),
    Toloka(),
    Appen(),
    LabelStudio(),
    LabelStudioMin(),
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
    Langfuse(),
    Phoenix(),
    Potato(),
    ChaosNli(),
    Doccano(),
    NestedLists(),
]
