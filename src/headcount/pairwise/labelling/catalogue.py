"""The rules of labels, by name."""

from __future__ import annotations

from typing import Any

from headcount.errors import unknown_name
from headcount.pairwise.labelling.anchors import Anchors
from headcount.pairwise.labelling.base import LabelRule
from headcount.pairwise.labelling.quantile import Quantile
from headcount.pairwise.labelling.sign import Sign
from headcount.typing import Ids

__all__ = ["RULES", "choose_rule"]

RULES: tuple[type[LabelRule], ...] = (Sign, Quantile, Anchors)
"""All rules; another one is a class of :class:`LabelRule` in its own file, listed here."""


def choose_rule(label: Any, anchors: Any, items: Ids) -> LabelRule:
    """Read how items are to be labelled.

    Parameters
    ----------
    label : str or LabelRule
        "sign", "quantile:Q" with Q between 0 and 1, or "anchors".
    anchors : mapping of item to side, items, path or frame; optional
        Items known to be "positive" or "negative", or to lie at the "boundary", as all do if no
        side is given. They imply label="anchors".
    items : array
        All items.

    Examples
    --------
    >>> import numpy as np
    >>> items = np.array(["a", "b", "c"], dtype=object)
    >>> choose_rule("quantile:0.9", None, items).words
    'the 0.9 quantile of the ratings'
    >>> rule = choose_rule("sign", {"a": "positive", "c": "negative"}, items)
    >>> rule.at(np.array([2.0, 1.5, 0.0]), np.zeros(3, dtype=int))
    array([1., 1., 1.])
    """
    if anchors is not None:
        return Anchors.of(anchors, items)
    if isinstance(label, LabelRule):
        return label
    name, _, argument = label.partition(":") if isinstance(label, str) else ("", "", "")
    for rule in RULES:
        if rule.name == name and (rule.takes_argument or not argument):
            return rule.read(argument)
    raise unknown_name("label", label, [rule.example for rule in RULES], option_name="label")
