"""The ways to estimate how good classifiers are, by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headcount.errors import OptionError, unknown_name

__all__ = ["METHODS", "Method", "choose_methods"]


@dataclass(frozen=True)
class Method:
    """What a method needs, and what it assumes in words.

    `short` heads its column in a table. `grouped` methods use groups of classifiers; `informed`
    ones use gold or crowd labels of some items. `refitted` ones fit a truth, and do so anew in
    every bootstrap draw; `learn` ones need scikit-learn.
    """

    short: str
    words: str
    grouped: bool = False
    informed: bool = False
    refitted: bool = False
    learn: bool = False


METHODS: dict[str, Method] = {
    "round-robin": Method("round robin", "each classifier is the truth for all others in turn"),
    "sampling": Method("sampling", "each item takes the label of a random classifier"),
    "majority": Method("majority", "the majority is right; a classifier's own vote counts"),
    "leave-one-out": Method("leave one out", "the majority of the others is right"),
    "leave-group-out": Method(
        "leave group out",
        "the majority of the other groups is right, each group with the same weight",
        grouped=True,
    ),
    "em": Method("EM", "classifiers err independently of each other (Dawid-Skene)", refitted=True),
    "grouped-em": Method(
        "grouped EM",
        "groups err independently of each other (Dawid-Skene, a vote weighs 1 / group size)",
        grouped=True,
        refitted=True,
    ),
    "calibrated-majority": Method(
        "calib. majority",
        "a share of votes above a threshold learned from gold",
        informed=True,
        refitted=True,
    ),
    "naive-bayes": Method(
        "naive Bayes",
        "classifiers err independently, at rates learned from gold",
        informed=True,
        refitted=True,
    ),
    "glm": Method(
        "GLM", "logistic regression of gold on the votes is right", informed=True, learn=True
    ),
    "svm": Method(
        "SVM", "a linear support vector machine on the votes is right", informed=True, learn=True
    ),
    "adaboost": Method("AdaBoost", "AdaBoost on the votes is right", informed=True, learn=True),
    "direct": Method("direct", "items with gold are a random sample of all", informed=True),
    "ppi": Method(
        "PPI",
        "items with gold are a random sample of all; votes only narrow the interval",
        informed=True,
    ),
}
"""Blind methods first. Their scores are right only if what the words say is."""


def choose_methods(
    names: Sequence[str] | None, *, groups: bool, gold: bool, learn: bool
) -> tuple[str, ...]:
    """Check names of methods; by default all that the data allow."""
    if names is None:
        return tuple(
            name
            for name, method in METHODS.items()
            if (groups or not method.grouped)
            and (gold or not method.informed)
            and (learn or not method.learn)
        )
    for name in names:
        if name not in METHODS:
            raise unknown_name("method", name, list(METHODS))
        if METHODS[name].grouped and not groups:
            raise OptionError(
                f"method '{name}' needs groups of classifiers: give a file (--groups), or a "
                "pattern of their names (--group-pattern)."
            )
        if METHODS[name].informed and not gold:
            raise OptionError(
                f"method '{name}' needs labels of some items: give gold (--gold) or crowd labels "
                "(--crowd)."
            )
    return tuple(dict.fromkeys(names))
