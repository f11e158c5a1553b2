"""Survey equivalence end to end: labels and predictions in, a result out."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from headcount import options
from headcount.equivalence.alt_test.alignments import Alignment
from headcount.equivalence.analysis import analyse
from headcount.equivalence.calibration.base import Calibration
from headcount.equivalence.choices import Choices, Kinds, Settings, check_epsilon, take_experts
from headcount.equivalence.combiners.base import Combiner
from headcount.equivalence.combiners.catalogue import as_combiner, check_pair
from headcount.equivalence.combiners.states import States
from headcount.equivalence.combiners.written import Predictor, Written
from headcount.equivalence.noise import with_noise
from headcount.equivalence.raters.kinds import FIXED, RATERS
from headcount.equivalence.result import SurveyResult
from headcount.equivalence.scale import on_scale
from headcount.equivalence.scorers.base import Scorer
from headcount.equivalence.scorers.catalogue import as_scorer
from headcount.equivalence.scorers.cross_entropy import CrossEntropy
from headcount.equivalence.surveys.choice import AUTO, check_method
from headcount.io.take import take_labels, take_predictions
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
    rng: Seed = 0,
    progress: Progress | None = None,
) -> SurveyResult:
    """Find how many raters predict the next rater as well as each classifier does.

    Simulated surveys of k = 0, 1, 2 ... raters predict one more rater of the same item; their
    scores are the power curve. A classifier predicts the same raters; the k at which the curve
    reaches its score is its survey equivalence. Every survey that the data hold is counted, with
    its probability: nothing is sampled but the items of the bootstrap.

    Parameters
    ----------
    labels : Labels, path or frame
        The ratings, or anything that :func:`headcount.read_ratings` reads. Each item weighs the
        same, however many ratings it has.
    predictions : Predictions, path or frame, optional
        The classifiers, or anything that :func:`headcount.read_predictions` reads. Without them
        the result is the power curve alone.
    combiner : {"states", "abc", "frequency", "plurality", "mean"}, combiner or function
        How k labels become a prediction. A function takes a dict of counts and returns a label
        or a dict of probabilities.
    scorer : str or Scorer
        How a prediction is scored against the reference: cross-entropy, agreement, brier,
        precision, recall, f1, auc, correlation or dmi; for labels that are numbers or in order
        squared-error, absolute-error, rps, spearman, kappa or kappa-linear.
    scale : {"nominal", "ordinal", "interval"}, optional
        What labels are: names, names in order, or numbers. Default: as they were read; labels that
        are numbers are taken for numbers where that matters.
    positive : str, optional
        The label that precision, recall, f1 and auc look at. Default: the mean over labels.
    max_k : int, optional
        Largest survey. Items need max_k + reference_raters ratings to be used. Default: the
        largest that keeps at least 90% of the items.
    reference_raters : int
        Score against the most common label of so many raters (the paper's HSCORE^r).
    states : Predictions, path or frame, optional
        One soft classifier that holds the true state of each item, where it is known; scores are
        then against the state (the paper's HSCORE*).
    experts : collection of raters, or str, optional
        Raters who are experts; or a file that lists them, or a column of the ratings that says so
        (see :func:`headcount.read_experts`). The curve is then that of experts, who are also the
        reference; the others are amateurs, with a curve of their own.
    method : {"auto", "exact", "sampled"}
        Count all surveys; or draw `samples` sets of raters of each size, as the paper does. The
        default counts if the surveys can be counted, and says so if they cannot.
    samples : int
        Sets of raters drawn of each size, if sampled.
    bootstrap, level : int, float
        Number of bootstrap samples of items, and coverage of the intervals; 0 for none.
    clip : float, optional
        Keep the probabilities of soft classifiers in [clip, 1 - clip] and normalise them.
    calibrate : str or Calibration, optional
        Score each classifier raw and calibrated, cross-fitted by item; hard ones become soft:
        isotonic, empirical, platt, ordered-logit, logit or temperature. Default: only what is no
        distribution over raters' labels is calibrated: labels where the scorer needs
        probabilities, scores, labels that no rater uses, and verdicts with a confidence.
    add_noise : float, optional
        Share of the ratings to replace by labels drawn at random, to see what a harder task does:
        scores fall, and the same classifier is worth more raters.
    ceiling : bool
        Whether to estimate the score of infinitely many raters, and what follows from it.
    alt_test : float, optional
        Epsilon of the alternative annotator test, to be run besides; see
        :func:`headcount.alt_test`.
    alt_test_scorer : {"agreement", "rmse"} or Alignment, optional
        How the alternative annotator test measures closeness. Default: by what fits the scale.
    raters : {"fixed", "sample"}
        For whom intervals of the worth hold: for raters drawn as these were, or, wider, for other
        raters like these, of whom these are a sample. Below six raters both are told.
    rng : int or Generator
        Seed or generator of the bootstrap, of sampled surveys and of calibration.
    progress : callable, optional
        Called with the number of bootstrap samples done and to do.

    Returns
    -------
    SurveyResult

    Notes
    -----
    Cost depends on label patterns, not on items: O(draws x surveys x labels), and O(items) a
    draw for classifiers that give every item another probability.

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
    )
    choices = Choices.checked(
        max_k=max_k,
        reference_raters=reference_raters,
        states=states,
        experts=take_experts(experts, labels),
        clip=clip,
        calibrate=calibrate,
        scale=scale,
    )
    labels = on_scale(take_labels(labels), scale)
    if add_noise is not None:
        labels = with_noise(labels, add_noise, int(settings.rng.integers(2**32)))
    predictions = None if predictions is None else take_predictions(predictions, "predictions")
    rule = as_scorer(scorer, labels.scale, positive)
    combine = as_combiner(combiner, labels.scale.labels)
    check_pair(combine, rule, labels.scale)
    return analyse(labels, predictions, Kinds(combine, rule, positive), choices, settings)
