"""What the alternative annotator test returns, and the forms in which to have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headcount.equivalence.alt_test.plot import plot_raters, plot_verdicts
from headcount.equivalence.alt_test.records import VerdictRecord, VerdictsRecord
from headcount.equivalence.alt_test.text import change, verdict_page, verdicts_page
from headcount.errors import unknown_name
from headcount.results.text import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["AltTest", "AltTestClassifier"]


@dataclass(frozen=True, repr=False, kw_only=True)
class AltTestClassifier(VerdictRecord):
    """The verdict on one classifier, rater by rater.

    Parameters
    ----------
    name : str
    epsilon : float
        The margin the verdict was reached at.
    passes_from : float
        Smallest epsilon at which the classifier passes: it passes at all larger ones and fails at
        all smaller ones. Below 0 it passes even at epsilon 0; from 1 on it always fails.
    raters : tuple of AltTestRater
    provenance : Provenance
    notes : tuple of Note
        Warnings and cautions of the test.
    """

    @property
    def change(self) -> str:
        """What would change the verdict, in words."""
        return change(self)

    def page(self) -> Page:
        """Say whether it passes, and how it fares against each rater."""
        return verdict_page(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row a rater."""
        names = [
            "rater", "items", "rho_f", "rho_h", "p_value", "adjusted_p_value", "won",
        ]  # fmt: skip
        return {name: [getattr(rater, name) for rater in self.raters] for name in names}

    def document(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "name": self.name,
            "passes": self.passes,
            "winning_rate": self.winning_rate,
            "advantage_probability": self.advantage_probability,
            "raters_won": self.won,
            "raters_needed": self.needed,
            "passes_from": self.passes_from,
            "change": self.change,
            "raters": [rater.to_dict() for rater in self.raters],
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw, rater by rater, how close classifier and rater are to the others."""
        return plot_raters(self, ax)


@dataclass(frozen=True, repr=False, kw_only=True)
class AltTest(VerdictsRecord):
    """Which classifiers may stand in for a rater.

    Parameters
    ----------
    classifiers : tuple of AltTestClassifier
        In the order of the predictions; ``result["name"]`` finds one.
    epsilon, q : float
        The margin granted to classifiers; the false discovery rate.
    scorer : str
        How alignment with the other raters is measured.
    min_items : int
        Items a rater needs to be tested.
    left_out : tuple of str or int
        Raters with too few items to be tested.
    provenance : Provenance
    notes : tuple of Note
        What was left out, and what to be careful about, in sentences.
    """

    classifiers: tuple[AltTestClassifier, ...]

    def __getitem__(self, name: str) -> AltTestClassifier:
        for classifier in self.classifiers:
            if classifier.name == name:
                return classifier
        raise unknown_name("classifier", name, [c.name for c in self.classifiers])

    def page(self) -> Page:
        """Say which classifiers pass."""
        return verdicts_page(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row a classifier and rater."""
        tables = [classifier.columns() for classifier in self.classifiers]
        names = [c.name for c in self.classifiers for _ in c.raters]
        return {
            "classifier": names,
            **{key: [x for table in tables for x in table[key]] for key in tables[0]},
        }

    def document(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "epsilon": self.epsilon,
            "q": self.q,
            "scorer": self.scorer,
            "min_items": self.min_items,
            "classifiers": [classifier.document() for classifier in self.classifiers],
            "items": {"used": self.items_used, "dropped": self.items_dropped},
            "raters_left_out": list(self.left_out),
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw each classifier's lead over each rater, and its verdict (needs matplotlib)."""
        return plot_verdicts(self, ax)
