"""What a caller of survey asks for, checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from headcount import options
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.data.scale import Scale
from headcount.equivalence.alt_test.alignments import Alignment
from headcount.equivalence.alt_test.prepare import EPSILONS
from headcount.equivalence.calibration.base import Calibration
from headcount.equivalence.calibration.catalogue import as_calibration
from headcount.equivalence.combiners.base import Combiner
from headcount.equivalence.combiners.catalogue import as_combiner, check_pair
from headcount.equivalence.raters.populations import RaterKind
from headcount.equivalence.scorers.base import Scorer
from headcount.equivalence.scorers.catalogue import as_scorer
from headcount.errors import OptionError, option
from headcount.io.load import take_predictions
from headcount.typing import Progress

__all__ = ["Choices", "Kinds", "Reference", "Settings", "check_epsilon"]


@dataclass(frozen=True)
class Reference:
    """What predictions are scored against: so many raters, or known states.

    Parameters
    ----------
    raters : int
        Their most common label is the reference.
    states : Predictions or None
    """

    raters: int = 1
    states: Predictions | None = None

    @classmethod
    def checked(cls, reference_raters: Any, states: Any) -> Reference:
        """Check what a caller asks for."""
        several = options.whole(reference_raters, "reference_raters", least=1)
        if states is not None and several > 1:
            raise OptionError(
                f"score against {option('states')} or against several raters "
                f"({option('reference_raters')}), not both."
            )
        return cls(several, None if states is None else take_predictions(states, "states"))

    @property
    def next_rater(self) -> bool:
        """Whether it is one rater of the item."""
        return self.states is None and self.raters == 1


@dataclass(frozen=True, kw_only=True)
class Choices:
    """Which surveys are asked for, what they are scored against, and what is done to classifiers.

    See :func:`headcount.survey` for each.

    Parameters
    ----------
    max_k : int or None
    reference : Reference
    experts : list or None
        Ids of raters.
    clip : float or None
    calibration : Calibration or None
    scale : str or None
    """

    max_k: int | None
    reference: Reference
    experts: list[object] | None
    clip: float | None
    calibration: Calibration | None
    scale: str | None

    @classmethod
    def checked(
        cls,
        *,
        max_k: Any,
        reference: Reference,
        experts: tuple[Any, Any],
        clip: Any,
        calibrate: Any,
        scale: str | None,
    ) -> Choices:
        """Check what a caller asks for; of experts, with the ratings that may name them."""
        return cls(
            max_k=None if max_k is None else options.whole(max_k, "max_k", least=1),
            reference=reference,
            experts=_take_experts(*experts),
            clip=None
            if clip is None
            else options.number(clip, "clip", above=0, below=0.5, such_as="0.001"),
            calibration=None if calibrate is None else as_calibration(calibrate),
            scale=scale,
        )


class Kinds(NamedTuple):
    """How surveys are combined and scored, and the label that is looked at."""

    combiner: Combiner
    scorer: Scorer
    positive: str | None

    @classmethod
    def checked(cls, combiner: Any, scorer: Any, scale: Scale, positive: str | None) -> Kinds:
        """Find them by name for a scale, and check that they go together."""
        combine, rule = as_combiner(combiner, scale.labels), as_scorer(scorer, scale, positive)
        check_pair(combine, rule, scale)
        return cls(combine, rule, positive)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How surveys are drawn and what is made of them; see :func:`headcount.survey` for each.

    Parameters
    ----------
    method : str
    samples, draws : int
    level : float
    rng : Generator
    seed : int or None
        The seed from which the generator was made.
    ceiling : bool
    epsilon : float or None
        Of the alt-test.
    closeness : str, Alignment or None
        How the alt-test measures it.
    raters : RaterKind
        What the raters are taken for.
    together : bool
    progress : callable or None
    """

    method: str
    samples: int
    draws: int
    level: float
    rng: np.random.Generator
    seed: int | None
    ceiling: bool
    epsilon: float | None
    closeness: str | Alignment | None
    raters: RaterKind
    progress: Progress | None
    together: bool = True


def _take_experts(experts: Any, ratings: Any) -> list[object] | None:
    """Take the raters who are experts, or read them from a file or a column of the ratings."""
    if experts is None:
        return None
    if isinstance(experts, str | Path):
        from headcount.io.facts.experts import read_experts

        if isinstance(ratings, Labels) and not Path(experts).is_file():
            raise OptionError(
                f"{option('experts')}: there is no file '{experts}', and Labels have no columns. "
                "Give a list of raters."
            )
        return list(read_experts(str(experts), ratings))
    if not isinstance(experts, Iterable):
        raise OptionError(
            f"{option('experts')} must be a list of raters, a file that lists them, or a column of "
            f"the ratings, not {type(experts).__name__}."
        )
    return list(cast(Iterable[object], experts))


def check_epsilon(alt_test: Any, predictions: object) -> float | None:
    """Check what the alt-test is asked for with."""
    if alt_test is None:
        return None
    if predictions is None:
        raise OptionError(
            f"{option('alt_test')} needs classifiers to test: give {option('predictions')}."
        )
    return options.number(alt_test, "alt_test", least=0, below=1, such_as=EPSILONS)
