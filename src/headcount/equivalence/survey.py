"""Survey equivalence end to end: labels and predictions in, a result out."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from headcount import options
from headcount.data.labels import Labels
from headcount.equivalence.alt_test.alignments import Alignment
from headcount.equivalence.analysis import analyse
from headcount.equivalence.calibration.base import Calibration
from headcount.equivalence.combiners.base import Combiner
from headcount.equivalence.combiners.states import States
from headcount.equivalence.combiners.user_defined import Predictor, Written
from headcount.equivalence.inputs.choices import Choices, Kinds, Reference, Settings, check_epsilon
from headcount.equivalence.inputs.load import both_taken
from headcount.equivalence.inputs.noise import with_noise
from headcount.equivalence.inputs.scale import check_scorer, on_scale
from headcount.equivalence.raters.populations import FIXED, RATERS, SAMPLE
from headcount.equivalence.result import SurveyResult
from headcount.equivalence.scorers.base import Scorer
from headcount.equivalence.scorers.catalogue import sums_rows
from headcount.equivalence.scorers.cross_entropy import CrossEntropy
from headcount.equivalence.surveys.choice import AUTO, check_method
from headcount.typing import Progress, Seed

__all__ = ["survey"]


def survey(
    labels: Any,
    predictions: Any = None,
    *,
    combiner: str | Combiner | Predictor | Written = States.name,
    scorer: str | Scorer = CrossEntropy.name,
    scale: str | None = None,
    positive: str | None = None,
    max_k: int | None = None,
    reference_raters: int = 1,
    states: Any = None,
    experts: Collection[object] | str | Path | None = None,
    method: str = AUTO,
    samples: int = 200,
    bootstrap: int = 500,
    level: float = 0.95,
    clip: float | None = None,
    calibrate: str | Calibration | None = None,
    add_noise: float | None = None,
    ceiling: bool = True,
    alt_test: float | None = None,
    alt_test_scorer: str | Alignment | None = None,
    raters: str = FIXED.name,
    together: bool = True,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> SurveyResult:
    """Find how many raters predict the next rater as well as each classifier does.

    Simulated surveys of k = 0, 1, 2 ... raters predict one more rater of the same item; their
    scores are the power curve. A classifier predicts the same raters; the k at which the curve
    reaches its score is its survey equivalence. Every survey that the data hold is counted, with
    its probability: nothing is sampled but the items of the bootstrap. O(draws x surveys x labels)
    of label patterns, and O(items) a draw for classifiers that give each item a probability. Of
    more than 262,144 items O(items) once: what is drawn of those with the same labels is normal.

    Parameters
    ----------
    labels, predictions : Labels and Predictions, paths or frames
        What :func:`headcount.read_ratings` and :func:`headcount.read_predictions` read; or what is
        reduced where it is, see :func:`headcount.scan_ratings`. Without predictions the result is
        the power curve alone. Each item weighs the same.
    combiner : str, combiner or function
        How k labels become a prediction: states, abc, frequency, plurality or mean; or a function
        of a dict of counts to a label or a dict of probabilities.
    scorer : str or Scorer
        How a prediction is scored: cross-entropy, agreement, brier, precision, recall, f1, auc,
        correlation or dmi; for labels that are numbers or in order squared-error, absolute-error,
        rps, spearman, kappa or kappa-linear.
    scale : {"nominal", "ordinal", "interval"}, optional
        What labels are: names, names in order, or numbers. Default: as they were read.
    positive : str, optional
        The label that precision, recall, f1 and auc look at. Default: the mean over labels.
    max_k : int, optional
        Largest survey, of items with a reference besides. Default: the largest that keeps 90%.
    reference_raters : int
        Score against the most common label of so many raters (the paper's HSCORE^r).
    states : Predictions, path or frame, optional
        The true state of each item, as one soft classifier, to score against (HSCORE*).
    experts : collection of raters, or str, optional
        Who is an expert: raters, a file (:func:`headcount.read_experts`) or a column. Experts are
        the reference; amateurs get a curve of their own.
    method, samples : {"auto", "exact", "sampled"}, int
        Count all surveys, or draw so many sets of raters of each size; auto counts if it can.
    bootstrap, level : int, float
        Number of bootstrap samples of items, and coverage of the intervals; 0 for none.
    clip : float, optional
        Keep the probabilities of soft classifiers in [clip, 1 - clip] and normalise them.
    calibrate : str or Calibration, optional
        Score classifiers raw and calibrated: isotonic, empirical, platt, ordered-logit, logit or
        temperature. Default: only what is no distribution over raters' labels becomes one.
    add_noise : float, optional
        Share of the ratings to replace by labels drawn at random, to see what a harder task does.
    ceiling : bool
        Whether to estimate the score of infinitely many raters, and what follows from it.
    alt_test, alt_test_scorer : float, {"agreement", "rmse"} or Alignment, optional
        Epsilon of :func:`headcount.alt_test`, to be run besides, and how it measures closeness.
    raters : {"fixed", "sample"}
        For whom intervals of the worth hold: raters drawn as these were, or, wider, other raters
        like these, of whom these are a sample. Below six raters both are told.
    together : bool
        Whether to tell, besides, what each classifier and raters are worth together, and how the
        answer moves with `max_k`. It takes a quarter of the time or so.
    rng, progress : int or Generator, callable
        Seed or generator; what is called with the number of bootstrap samples done and to do,
        then with those that are fitted anew for the ceiling added to both.

    References
    ----------
    Resnick, Kong, Schoenebeck and Weninger, "Survey Equivalence".

    Examples
    --------
    >>> from headcount import running_example, survey
    >>> labels, predictions = running_example(1000, 10, rng=1)
    >>> result = survey(labels, predictions, bootstrap=200, rng=1)
    >>> result["calibrated"].equivalence
    1.943 (1.706 to 2.398)
    """
    settings = Settings(
        method=check_method(method),
        samples=options.whole(samples, "samples", least=1),
        draws=options.draws(bootstrap),
        level=options.level(level),
        rng=options.seed(rng),
        seed=options.seed_number(rng),
        ceiling=options.switch(ceiling, "ceiling"),
        epsilon=check_epsilon(alt_test, predictions),
        closeness=alt_test_scorer,
        raters=RATERS[options.one_of(raters, "raters", list(RATERS))],
        progress=options.callback(progress),
        together=options.switch(together, "together"),
    )
    choices = Choices.checked(
        max_k=max_k,
        reference=Reference.checked(reference_raters, states),
        experts=(experts, labels),
        clip=clip,
        calibrate=calibrate,
        scale=scale,
    )
    ratings = {"states": states, "experts": experts, "add_noise": add_noise, "alt_test": alt_test}
    whole = settings.raters is SAMPLE or calibrate is not None or not sums_rows(scorer)
    with both_taken(labels, predictions, whole=whole, needs=ratings) as (taken, predicted):
        rated = on_scale(taken, scale)
        if add_noise is not None and isinstance(rated, Labels):
            rated = with_noise(rated, add_noise, int(settings.rng.integers(2**32)))
        kinds = Kinds.checked(combiner, scorer, rated.scale, positive)
        check_scorer(kinds.scorer, scale)
        return analyse(rated, predicted, kinds, choices, settings)
