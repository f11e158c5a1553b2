"""Panels of classifiers end to end: ratings and predictions in, what panels are worth out."""

from __future__ import annotations

from typing import Any

from headcount import options
from headcount.equivalence.combiners.states import States
from headcount.equivalence.inputs.choices import Choices, Kinds, Reference, Settings
from headcount.equivalence.inputs.scale import check_scorer, on_scale
from headcount.equivalence.panels.prepare import prepare
from headcount.equivalence.panels.result import PanelResult
from headcount.equivalence.panels.search import Search
from headcount.equivalence.raters.populations import FIXED
from headcount.equivalence.scorers.base import Scorer
from headcount.equivalence.scorers.cross_entropy import CrossEntropy
from headcount.equivalence.surveys.choice import AUTO
from headcount.io.load import take_labels
from headcount.results.notes import Notes, few_draws
from headcount.typing import Progress, Seed

__all__ = ["panel_worth"]


def panel_worth(
    labels: Any,
    predictions: Any,
    *,
    scorer: str | Scorer = CrossEntropy.name,
    scale: str | None = None,
    positive: str | None = None,
    max_k: int | None = None,
    bootstrap: int = 500,
    level: float = 0.95,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> PanelResult:
    """Find how many raters panels of classifiers are worth: all of them, and every few.

    A panel predicts the next rater of an item from what its members say, and is worth the raters
    who predict as well, on the power curve of :func:`headcount.survey`.

    Parameters
    ----------
    labels : Labels, path or frame
        Ratings by people, or what :func:`headcount.read_ratings` takes.
    predictions : Predictions, Labels, path or frame
        What two or more classifiers say of the same items, or what :func:`headcount.read_votes`
        takes. Probabilities are used as they are.
    scorer, scale, positive, max_k
        See :func:`headcount.survey`.
    bootstrap, level : int, float
        Number of bootstrap samples of items, and coverage of the intervals; 0 for none.
    rng : int or Generator
        Seed or generator of the bootstrap and of the folds.
    progress : callable, optional
        Called with the number of bootstrap samples done and to do.

    Returns
    -------
    PanelResult

    Notes
    -----
    Members' log odds are added up, with weights that are learned from the ratings
    (:func:`headcount.equivalence.panels.pool.fit_pool`), cross-fitted by item. Every panel up to
    five is scored; of many classifiers, those of the ones that are worth most alone. The best
    panel of a size is chosen on nine tenths of the items and scored on the others, so that its
    worth does not profit from the choice. Cost: O(panels x folds x rows x labels), with a row for
    items of which all classifiers say the same.

    Examples
    --------
    Five judges, of whom the last repeats what the first says.

    >>> import numpy as np
    >>> from headcount import Labels, Predictions, panel_worth
    >>> random = np.random.default_rng(1)
    >>> state = random.beta(0.5, 0.5, size=400)
    >>> said = random.random((400, 5)) < state[:, None]
    >>> who = np.tile(np.arange(5), 400)
    >>> people = Labels.from_triples(np.repeat(np.arange(400), 5), who, said.ravel().astype(int))
    >>> judges = {f"j{k}": (random.random(400) < state).astype(int) for k in range(4)}
    >>> judges["j4"] = judges["j0"]
    >>> found = panel_worth(people, Predictions.from_labels(range(400), judges), bootstrap=0)
    >>> found.same
    (('j0', 'j4'),)
    >>> round(found.everyone.value, 1)
    3.8
    """
    settings = Settings(
        method=AUTO,
        samples=200,
        draws=options.draws(bootstrap),
        level=options.level(level),
        rng=options.seed(rng),
        seed=options.seed_number(rng),
        ceiling=True,
        epsilon=None,
        closeness=None,
        raters=FIXED,
        progress=options.callback(progress),
    )
    choices = Choices.checked(
        max_k=max_k,
        reference=Reference(),
        experts=(None, labels),
        clip=None,
        calibrate=None,
        scale=scale,
    )
    notes = Notes()
    rated = on_scale(take_labels(labels, "labels"), scale)
    kinds = Kinds.checked(States.name, scorer, rated.scale, positive)
    check_scorer(kinds.scorer, scale)
    given = prepare(rated, predictions, kinds, choices, seed=settings.seed or 0, notes=notes)
    notes.extend(few_draws(settings.draws, settings.level))
    return Search(given, kinds, choices, settings).result(notes)
