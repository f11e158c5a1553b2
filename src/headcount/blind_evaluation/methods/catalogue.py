"""The ways to estimate how good classifiers are, in one list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headcount import options
from headcount.blind_evaluation.methods.base import Method
from headcount.blind_evaluation.methods.calibrated_majority import CalibratedMajority
from headcount.blind_evaluation.methods.consensus import Consensus
from headcount.blind_evaluation.methods.direct import Direct
from headcount.blind_evaluation.methods.easy_hard import EasyHard
from headcount.blind_evaluation.methods.em import EM, GroupedEM
from headcount.blind_evaluation.methods.learned import GLM, SVM, AdaBoost
from headcount.blind_evaluation.methods.naive_bayes import NaiveBayes
from headcount.blind_evaluation.methods.one_coin import OneCoin
from headcount.blind_evaluation.methods.ppi import PPI
from headcount.blind_evaluation.methods.round_robin import RoundRobin
from headcount.blind_evaluation.methods.sampling import Sampling
from headcount.blind_evaluation.methods.user_defined import own_method
from headcount.blind_evaluation.methods.vote_truth import LeaveGroupOut, LeaveOneOut, Majority
from headcount.errors import OptionError, option, unknown_name

__all__ = [
    "CHECKING",
    "DIAGNOSING",
    "DIRECT",
    "GROUPED_PAIR",
    "LABELLING",
    "METHODS",
    "choose_labelling",
    "choose_methods",
]

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        RoundRobin(),
        Sampling(),
        Majority(),
        LeaveOneOut(),
        LeaveGroupOut(),
        EM(),
        GroupedEM(),
        OneCoin(),
        EasyHard(),
        Consensus(),
        CalibratedMajority(),
        NaiveBayes(),
        GLM(),
        SVM(),
        AdaBoost(),
        Direct(),
        PPI(),
    )
}
"""By name, blind methods first. Their scores are right only if what their words say is."""

DIAGNOSING = next(method for method in METHODS.values() if method.diagnoses)
"""In whose fit signs of dependence are looked for."""
CHECKING = next(method for method in METHODS.values() if method.checks)
"""With whose order of classifiers that of the fit is compared."""
GROUPED_PAIR = (
    next(method for method in METHODS.values() if method.grouped and method.refitted),
    next(method for method in METHODS.values() if method.grouped and not method.refitted),
)
"""The two whose orders are compared in their place where classifiers have groups."""
DIRECT = next(method for method in METHODS.values() if method.direct)
"""The evaluation on gold with which others are compared."""
LABELLING = next(method for method in METHODS.values() if method.labels_items)
"""Whose truth the labels of items are."""


def choose_methods(wanted: Any, *, groups: bool, gold: bool, learn: bool) -> dict[str, Method]:
    """Find methods by name, and take users' own; by default all that the data allow.

    Parameters
    ----------
    wanted : sequence of str, function or object, or None
    groups, gold, learn : bool
        Whether there are groups, labels of people, and scikit-learn.
    """
    if wanted is None:
        return {
            name: method
            for name, method in METHODS.items()
            if not method.on_request
            and (groups or not method.grouped)
            and (gold or not method.informed)
            and (learn or not method.learn)
        }
    chosen: dict[str, Method] = {}
    for one in _several(wanted):
        method = _named(one) if isinstance(one, str) else own_method(one)
        other = chosen.get(method.name, METHODS.get(method.name, method))
        if other is not method:
            raise OptionError(
                f"{option('methods')}: two methods are called '{method.name}'. Give yours another "
                "name."
            )
        if method.grouped and not groups:
            raise OptionError(
                f"method '{method.name}' needs groups of classifiers: give them by name "
                f"({option('groups', ...)}), or by a pattern of names "
                f"({option('group_pattern', '^[^-]+')})."
            )
        if method.informed and not gold:
            raise OptionError(
                f"method '{method.name}' needs labels of some items: give gold "
                f"({option('gold', ...)}) or crowd labels ({option('crowd', ...)})."
            )
        chosen[method.name] = method
    if not chosen:
        raise OptionError(
            f"{option('methods')} must name one method or more: {', '.join(METHODS)}."
        )
    return chosen


def choose_labelling(
    wanted: Any, chosen: Mapping[str, Method], *, groups: bool, gold: bool
) -> Method:
    """Find the method whose truth the labels of items are: by name, or as chosen already."""
    if wanted is None:
        return LABELLING
    possible = {
        name: method
        for name, method in METHODS.items()
        if (groups or not method.grouped) and (gold or not method.informed)
    }
    known = {**possible, **chosen}
    return known[options.one_of(wanted, "labels_by", list(known), "method")]


def _several(wanted: Any) -> list[Any]:
    """One method, or several."""
    if isinstance(wanted, str) or callable(wanted):
        return [wanted]
    try:
        return list(wanted)
    except TypeError:
        return [wanted]


def _named(name: str) -> Method:
    if name not in METHODS:
        raise unknown_name("method", name, list(METHODS), option_name="methods")
    return METHODS[name]
