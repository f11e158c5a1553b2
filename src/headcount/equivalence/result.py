"""What a survey equivalence analysis returns, and the forms in which to have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount import options
from headcount.equivalence.drawing.tikz import tikz
from headcount.equivalence.json_document import document
from headcount.equivalence.plot import plot
from headcount.equivalence.records import ClassifierResult, SurveyRecord
from headcount.equivalence.text import page
from headcount.errors import OptionError, count, unknown_name
from headcount.results.text import Page
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SurveyResult"]


@dataclass(frozen=True, repr=False, kw_only=True)
class SurveyResult(SurveyRecord):
    """A power curve, and what classifiers are worth on it.

    Parameters
    ----------
    curve : tuple of CurvePoint
        Surveys of 0, 1, 2 ... raters.
    classifiers : tuple of ClassifierResult
        In the order of the predictions; ``result["name"]`` finds one.
    comparisons : tuple of Comparison
        Every two classifiers.
    amateurs : tuple of CurvePoint
        Surveys of 0, 1, 2 ... amateurs, each with its worth in experts; empty without experts.
    reliability : tuple of Reliability
        For each soft classifier, what raters say where it predicts what.
    ceiling : Available or None
        The score of infinitely many raters, and what follows from it. None where it cannot be
        told: for many labels, sampled surveys, or a reference other than one rater.
    learned : Learned or None
        The combiner with what it learned; see :meth:`predict`.
    alt_test : AltTest or None
        The alternative annotator test, if it was asked for.
    provenance : SurveyProvenance
        Data, options and version.
    notes : tuple of Note
        What was left out or done to the data, in sentences.
    """

    def __getitem__(self, name: str) -> ClassifierResult:
        # One that is shown calibrated alone is found by its own name too.
        for begins in (False, True):
            for classifier in self.classifiers:
                if classifier.name == name or (begins and classifier.name.startswith(f"{name} (")):
                    return classifier
        raise unknown_name("classifier", name, [c.name for c in self.classifiers])

    def predict(self, counts: Mapping[str, int]) -> dict[str, float]:
        """Predict what the next rater says of a new item, after what others said.

        Parameters
        ----------
        counts : dict of str to int
            How many raters gave each label; labels left out were given by nobody.

        Returns
        -------
        dict of str to float
            The probability of each label; of a combiner that chooses, the chance of each.

        Examples
        --------
        >>> from headcount import running_example, survey
        >>> result = survey(running_example(1000, 10, rng=1)[0], bootstrap=0)
        >>> {label: round(p, 2) for label, p in result.predict({"cat": 2, "dog": 1}).items()}
        {'cat': 0.75, 'dog': 0.25}
        """
        labels = self.provenance.labels
        if self.learned is None:
            raise OptionError("this result was made without a combiner, which would predict.")
        for label in counts:
            if str(label) not in labels:
                raise unknown_name("label", str(label), labels, option_name="counts")
        given = {str(label): options.whole(n, "counts", least=0) for label, n in counts.items()}
        observed = np.array([[given.get(label, 0) for label in labels]])
        predicted = self.learned.predict(observed)[0]
        return dict(zip(labels, predicted.tolist(), strict=True))

    def page(self) -> Page:
        """Answer the question, one sentence a classifier; then the curve and what follows."""
        return page(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row a survey size and one a classifier, by column.

        Columns `kind` ("survey", "amateurs", "ceiling" or "classifier"), `name`, `raters` (the
        survey's size or the classifier's equivalence; plus or minus infinity where censored, which
        files write as null), `score` and `gain`, each with its `_low` and `_high` (null where there
        is no interval); then `raters_censored`, `raters_low_censored` and `raters_high_censored`:
        "above" or "below" the power curve, null on it; and `raters_extrapolated`, whether `raters`
        lies beyond the largest survey. Amateurs' `raters` are the experts that they are worth.
        """
        rows: list[tuple[str, str, Estimate, Estimate, Estimate]] = [
            ("survey", count(point.k, "rater"), Estimate(point.k), point.score, point.gain)
            for point in self.curve
        ]
        rows += [
            ("amateurs", count(p.k, "amateur"), p.equivalence or Estimate(p.k), p.score, p.gain)
            for p in self.amateurs
        ]
        if (top := self.ceiling) is not None:
            rows.append(("ceiling", "∞ raters", Estimate(float("inf")), top.score, top.gain))
        rows += [("classifier", c.name, c.equivalence, c.score, c.gain) for c in self.classifiers]
        columns: dict[str, list[Any]] = {
            "kind": [row[0] for row in rows],
            "name": [row[1] for row in rows],
        }
        for place, name in enumerate(("raters", "score", "gain"), start=2):
            estimates: list[Estimate] = [row[place] for row in rows]  # type: ignore[misc]
            columns[name] = [float(e.value) for e in estimates]
            columns[f"{name}_low"] = [e.low for e in estimates]
            columns[f"{name}_high"] = [e.high for e in estimates]
        marks = [row[2].to_dict() for row in rows]
        for name in ("censored", "low_censored", "high_censored", "extrapolated"):
            columns[f"raters_{name}"] = [mark.get(name) for mark in marks]
        return columns

    def document(self) -> dict[str, Any]:
        """Return what is particular to survey equivalence in the JSON document."""
        return document(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the power curve with its classifiers (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        Axes
        """
        return plot(self, ax)

    def to_tikz(self) -> str:
        r"""Write the power curve with its classifiers for LaTeX, to be ``\input`` (pgfplots)."""
        return tikz(self)
