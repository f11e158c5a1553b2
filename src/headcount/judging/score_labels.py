"""What scores, and labels that people do not use, stand for: learned from the rated items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headcount.data.labels import Labels
from headcount.equivalence.calibration.classifiers import Calibrating
from headcount.equivalence.calibration.cross_fit import cross_fit
from headcount.equivalence.calibration.outputs import Subject
from headcount.equivalence.scorers.catalogue import as_scorer
from headcount.equivalence.scorers.cross_entropy import CrossEntropy
from headcount.errors import DataError
from headcount.results.notes import Notes
from headcount.typing import Codes, Flags, Floats

__all__ = ["Learning"]


@dataclass(frozen=True, eq=False)
class Learning:
    """Learns what scores and strange names stand for, as the survey does.

    Parameters
    ----------
    people : Labels
    ordered : bool
        Whether their labels are in order.
    """

    people: Labels
    ordered: bool

    def of_rated(self, subject: Subject) -> Floats:
        """Probabilities of people's labels on their items, as the survey has them.

        Parameters
        ----------
        subject : Subject
            What the judge says of people's items.
        """
        counts = self.people.matrix()
        used = _rated(counts, subject.predicted, subject.name)
        calibrating = self._calibrating(counts, used)
        made = calibrating.classifiers([subject.at(used)], Notes())[0]
        table = np.full(counts.shape, np.nan)
        table[used] = made.probability
        return np.nan_to_num(table)

    def of_all(self, subject: Subject, place: Codes) -> Floats:
        """Probabilities of people's labels on all items of a judge, none learned from itself.

        Rated items are predicted by what the other rated ones teach, and the others by all rated
        ones, so that people's labels of an item correct what is said of it without bias.

        Parameters
        ----------
        subject : Subject
            What the judge says of all its items, in names or numbers.
        place : (people's items,) array of int
            Where they are among the judge's items; -1 where it says nothing.
        """
        counts = self.people.matrix()
        there = place >= 0
        there[there] = subject.predicted[place[there]]
        used = _rated(counts, there, subject.name)
        calibrating = self._calibrating(counts, used)
        how, rated = calibrating.way(subject.at(place[used]))
        reference, said = calibrating.reference, subject.predicted
        out = np.full((len(said), counts.shape[1]), np.nan)
        out[said] = how.fit(rated, reference, subject.table[said])
        out[place[used]] = cross_fit(rated, calibrating.items, reference, how, 0)
        return out

    def _calibrating(self, counts: Codes, used: Codes) -> Calibrating:
        return Calibrating(
            items=self.people.items[used],
            reference=counts[used] / counts[used].sum(axis=1, keepdims=True),
            scale=self.people.scale,
            ordered=self.ordered,
            scorer=as_scorer(CrossEntropy.name, self.people.scale, None),
            calibration=None,
            two_sided=True,
            seed=0,
        )


def _rated(counts: Codes, said: Flags, name: str) -> Codes:
    """Find the items that people rated and a judge says something of."""
    used = np.flatnonzero(said & (counts.sum(axis=1) > 0))
    if not len(used):
        raise DataError(f"no rated item has a score of '{name}'.")
    return used
