"""The models of ties, by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError, count, option
from headcount.pairwise.bradley_terry.ties.base import TieModel
from headcount.pairwise.bradley_terry.ties.davidson import DAVIDSON
from headcount.pairwise.bradley_terry.ties.half import HALF
from headcount.pairwise.bradley_terry.ties.rao_kupper import RAO_KUPPER
from headcount.pairwise.choose_by_name import choose

__all__ = ["TIES", "check_outcomes", "tie_model"]

TIES: tuple[TieModel, ...] = (HALF, DAVIDSON, RAO_KUPPER)
"""All models; another one is a class of :class:`TieModel` in its own file, listed here."""


def tie_model(value: Any) -> TieModel:
    """Find a model of ties by its name; a model itself is taken as it is.

    Examples
    --------
    >>> tie_model("davidson").parameter
    "Davidson's nu"
    """
    found = choose(value, TIES, TieModel, "ties")
    code = getattr(found, "code", None)
    like = next((model for model in TIES if code is not None and model.code == code), None)
    # The kernel would take any other code for one of its models, and return its numbers.
    if like is None or like.has_cut != found.has_cut:
        known = ", ".join(f"{model.code} ({model.name})" for model in TIES)
        parameter = "" if like is None else ", and has a parameter where that model has one"
        raise OptionError(
            f"{option('ties')}: '{found.name}' must have the code of a likelihood that the fit "
            f"knows{parameter}: {known}; not {code!r}."
        )
    return found


def check_outcomes(model: TieModel, comparisons: Comparisons) -> None:
    """Refuse outcomes that the model has no probability for."""
    if not model.has_cut:
        return
    between = ~np.isin(comparisons.outcome, (0.0, 0.5, 1.0))
    asked, instead = option("ties", model.name), option("ties", HALF.name)
    if between.any():
        raise DataError(
            f"{comparisons.source}: outcome {comparisons.outcome[between][0]:g} is neither a "
            f"win nor a tie ({count(int(between.sum()), 'comparison')} like it), but {asked} "
            f"knows nothing else. Use {instead}."
        )
    if (comparisons.outcome == 0.5).all():
        raise DataError(
            f"{comparisons.source}: every comparison is a tie, which {asked} cannot rate. "
            f"Use {instead}."
        )
