"""Simulated classifiers: what they have seen of an item, and what they make of it.

A kind is a class here, and an entry of :data:`CLASSIFIERS`. To add one, derive from
:class:`SimulatedClassifier`; :func:`headcount.simulate_ratings` also takes an object of a user's
own class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from headcount import options
from headcount.data.classifiers import Classifier, hard
from headcount.data.counts import Counts
from headcount.errors import OptionError, option, some, unknown_name
from headcount.simulation.states import States, draw_labels
from headcount.typing import Floats

__all__ = [
    "CLASSIFIERS",
    "Calibrated",
    "Hard",
    "Omniscient",
    "Sight",
    "SimulatedClassifier",
    "Soft",
    "read_classifiers",
    "simulate_classifiers",
]

VIEW = 3
"""Labels of an item that a classifier has seen, unless it says how many."""
MOST_SEEN = 1000


@dataclass(frozen=True, eq=False)
class Sight:
    """What a simulated classifier may use.

    Parameters
    ----------
    expected : (items, labels) array
        Distribution of the next label, given the labels that it has seen.
    state : (items, labels) array
        Distribution of the next label, given the state of the item.
    sharpness : float
        Power of classifiers that exaggerate.
    """

    expected: Floats
    state: Floats
    sharpness: float


@dataclass(frozen=True)
class SimulatedClassifier(ABC):
    """A classifier that has seen `seen` labels of each item, or as many as usual (None).

    Attributes
    ----------
    kind : str
        How it is asked for.
    has_view : bool
        Whether it makes anything of labels that it has seen.
    """

    kind: ClassVar[str]
    has_view: ClassVar[bool] = True

    seen: int | None = None

    @property
    def name(self) -> str:
        """Name among the predictions: the kind, and how many labels it has seen if not usual."""
        return self.kind if self.seen is None else f"{self.kind}_{self.seen}"

    @property
    def view(self) -> int:
        """Labels of each item that it has seen."""
        return (VIEW if self.seen is None else self.seen) if self.has_view else 0

    @abstractmethod
    def predict(self, sight: Sight) -> Classifier:
        """Predict the next label of each item."""


class Hard(SimulatedClassifier):
    """Says the likeliest label, the first of equals."""

    kind = "hard"

    def predict(self, sight: Sight) -> Classifier:
        """Predict the next label of each item."""
        return hard(self.name, sight.expected.argmax(axis=1), sight.expected.shape[1])


class Soft(SimulatedClassifier):
    """Miscalibrated: raises probabilities to a power, and makes them sum to 1 again."""

    kind = "soft"

    def predict(self, sight: Sight) -> Classifier:
        """Predict the next label of each item."""
        # Relative to the largest, so that a large power leaves one label at least.
        q = (sight.expected / sight.expected.max(axis=1, keepdims=True)) ** sight.sharpness
        return Classifier(self.name, "soft", q / q.sum(axis=1, keepdims=True))


class Calibrated(SimulatedClassifier):
    """Gives the distribution of the next label, given what it has seen."""

    kind = "calibrated"

    def predict(self, sight: Sight) -> Classifier:
        """Predict the next label of each item."""
        return Classifier(self.name, "soft", sight.expected)


class Omniscient(SimulatedClassifier):
    """Has seen the state itself."""

    kind = "omniscient"
    has_view = False

    def predict(self, sight: Sight) -> Classifier:
        """Predict the next label of each item."""
        return Classifier(self.name, "soft", sight.state)


CLASSIFIERS: dict[str, type[SimulatedClassifier]] = {
    each.kind: each for each in (Hard, Soft, Calibrated, Omniscient)
}


def read_classifiers(wanted: Any) -> list[SimulatedClassifier]:
    """Read classifiers as they are written, and refuse what cannot be served.

    Parameters
    ----------
    wanted : iterable of str or SimulatedClassifier
        'kind', or 'kind:labels seen'.

    Examples
    --------
    >>> read_classifiers(["hard", "calibrated:5"])
    [Hard(seen=None), Calibrated(seen=5)]
    """
    each = options.listed(wanted, "classifiers", f"names among {', '.join(CLASSIFIERS)}")
    asked = [one if isinstance(one, SimulatedClassifier) else _read(one) for one in each]
    names = [one.name for one in asked]
    repeated = {name for name in names if names.count(name) > 1}
    if repeated or not asked:
        raise OptionError(
            f"{option('classifiers')} names each of at least one classifier once; "
            f"{f'repeated: {some(sorted(repeated))}' if repeated else 'none is named'}. "
            f"Known: {', '.join(CLASSIFIERS)}."
        )
    return asked


def _read(text: Any) -> SimulatedClassifier:
    """Read 'kind' or 'kind:labels seen'."""
    kind, colon, view = str(text).partition(":")
    if kind not in CLASSIFIERS:
        raise unknown_name("classifier", text, list(CLASSIFIERS), option_name="classifiers")
    made = CLASSIFIERS[kind]
    if not colon:
        return made()
    if not made.has_view or not view.isdecimal() or int(view) > MOST_SEEN:
        raise OptionError(
            f"classifier '{text}': the number after the colon says how many labels of an item it "
            f"has seen, {MOST_SEEN:,} at most, as in {Calibrated.kind}:5; the {Omniscient.kind} "
            "classifier has none."
        )
    return made(int(view))


def simulate_classifiers(
    wanted: Sequence[SimulatedClassifier],
    states: States,
    state: Floats,
    *,
    noise: float,
    sharpness: float,
    rng: np.random.Generator,
) -> tuple[Classifier, ...]:
    """Let classifiers look at items and predict the next label.

    Parameters
    ----------
    wanted : sequence of SimulatedClassifier
    states : States
        The distribution of states, which classifiers know.
    state : (items, labels) array
        The state of each item, of which they see labels.
    noise : float
        Noise of a rater chosen at random.
    sharpness : float
        Power of the soft classifiers.
    rng : Generator

    Notes
    -----
    O(items x labels) for each label seen.
    """

    def next_label(p: Floats) -> Floats:
        return (1 - noise) * p + noise / states.size

    views = {one.view for one in wanted}
    expected: dict[int, Floats] = {}
    every = np.arange(len(state))
    seen = np.zeros(state.shape, dtype=np.int64)
    for view in range(max(views) + 1):
        if view:
            seen[every, draw_labels(state, every, rng)] += 1
        if view in views:
            # Many items look the same: what to expect is worked out once a pattern.
            patterns = Counts.from_matrix(seen)
            means = states.posterior_mean(patterns.patterns)
            expected[view] = next_label(means)[patterns.pattern]
    known = next_label(state)
    return tuple(one.predict(Sight(expected[one.view], known, sharpness)) for one in wanted)
