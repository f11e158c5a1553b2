"""What an experiment is asked for, checked."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from headcount import options
from headcount.errors import OptionError, option
from headcount.pairwise.experiments.methods import NAMES, LabellingMethod, catalogue
from headcount.simulation.labelling_model import LabellingModel, take_model

__all__ = ["MOST_RUNS", "Setup"]

MOST_RUNS = 1_000_000
MOST_EPOCHS = 100_000
MOST_JOBS = 1_000


@dataclass(frozen=True, kw_only=True)
class Setup:
    """A checked experiment: the crowd, the methods, and when they are scored."""

    model: LabellingModel
    methods: tuple[LabellingMethod, ...]
    comparisons: tuple[int, ...]
    runs: int
    k: float
    epochs: int
    level: float
    jobs: int

    @classmethod
    def check(
        cls,
        model: Any,
        *,
        runs: Any,
        comparisons: Any,
        methods: Any,
        k: Any,
        epochs: Any,
        level: Any,
        jobs: Any,
    ) -> Setup:
        """Check what the caller asked for."""
        model = take_model(model)
        k = options.number(k, "k", above=0, such_as="0.15")
        epochs = options.whole(epochs, "epochs", least=1, most=MOST_EPOCHS)
        if jobs is not None:
            jobs = options.whole(jobs, "jobs", least=1, most=MOST_JOBS)
        return cls(
            model=model,
            methods=_methods(methods, catalogue(k, epochs)),
            comparisons=_numbers(model, comparisons),
            runs=options.whole(runs, "runs", least=1, most=MOST_RUNS),
            k=k,
            epochs=epochs,
            level=options.level(level),
            jobs=jobs or _processors(),
        )

    @property
    def has_votes(self) -> bool:
        """Whether any method looks at votes."""
        return any(method.by_votes for method in self.methods)


def _numbers(model: LabellingModel, comparisons: Any) -> tuple[int, ...]:
    """Numbers of comparisons after which methods are scored."""
    if comparisons is None:
        return (model.comparisons_asked,)
    given = options.listed(comparisons, "comparisons", "numbers")
    wanted = tuple(model.check_comparisons(n) for n in given)
    if not wanted:
        raise OptionError(f"{option('comparisons')}: give at least one number of comparisons.")
    return wanted


def _methods(wanted: Any, known: dict[str, LabellingMethod]) -> tuple[LabellingMethod, ...]:
    """Methods in their usual order, then a user's own."""
    given = options.listed(wanted, "methods", "methods")
    own = [each for each in given if isinstance(each, LabellingMethod)]
    names = options.several_of([each for each in given if each not in own], "methods", NAMES,
                               "method")  # fmt: skip
    chosen = (*(method for name, method in known.items() if name in names), *own)
    if not chosen:
        raise OptionError(f"{option('methods')}: name at least one of {', '.join(NAMES)}.")
    if len({method.name for method in chosen}) < len(chosen):
        raise OptionError(f"{option('methods')}: two methods have the same name; change one.")
    return chosen


def _processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
