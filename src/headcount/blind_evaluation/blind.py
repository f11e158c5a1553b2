"""Blind evaluation end to end: labels of classifiers in, ranked estimates out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headcount.blind_evaluation.analysis import analyse
from headcount.blind_evaluation.dawid_skene.fit import SMOOTHING
from headcount.blind_evaluation.metrics import METRICS
from headcount.blind_evaluation.result import BlindResult
from headcount.typing import Progress, Seed

__all__ = ["blind"]


def blind(
    labels: Any,
    *,
    gold: Any = None,
    crowd: Any = None,
    groups: Any = None,
    group_pattern: str | None = None,
    positive: str | None = None,
    at_least: float | None = None,
    abstain: str | None = None,
    confusion: Any = None,
    metrics: Sequence[str] = METRICS,
    methods: Sequence[Any] | None = None,
    bootstrap: int = 200,
    level: float = 0.95,
    rng: Seed = 0,
    sampling_draws: int = 0,
    smoothing: float = SMOOTHING,
    restarts: int = 0,
    compare: bool = False,
    labels_by: str | None = None,
    min_labels: int = 0,
    progress: Progress | None = None,
) -> BlindResult:
    """Estimate how good classifiers are from the labels that they give, and rank them.

    Parameters
    ----------
    labels : Labels, Predictions, path or frame
        What each classifier (judge, crowd worker) said of each item, or what
        :func:`headcount.read_votes` takes; some may be missing. Of probabilities the likeliest
        label is scored; shares of votes, and what is learned from gold, use them as they are.
    gold : mapping of item to label, path or frame, optional
        True labels of some items, or what :func:`headcount.read_truth` takes. They show what
        classifiers are worth there (direct), make estimates for all items (ppi), teach methods,
        and test the blind ranking. Items that were drawn with probabilities that differ
        (:func:`headcount.next_items`) count by their inverse.
    crowd : mapping of item to label, path or frame, optional
        Labels of some items that people gave, to use instead of gold everywhere but in the test
        and the comparison.
    groups : mapping of classifier to group, path or frame, optional
        Which classifiers may err together: those of one team, or built on one model.
    group_pattern : str, optional
        A regular expression that finds the group of a classifier in its name, in place of
        `groups`; such as ``"^[^-]+"``, what comes before a hyphen.
    positive : str, optional
        The label that precision, recall, specificity and F1 look at. Default: the second of two
        labels; the mean over all labels where there are more.
    at_least : float, optional
        Make two labels of numbers: below this, or not, which is positive.
    abstain : str, optional
        A label by which a classifier abstains: it counts as no label.
    confusion : mapping, path or frame, optional
        What is known of classifiers: how often each gave which label where which was true, as
        ``{classifier: {true: {given: count}}}`` or columns classifier, true, given and count (or
        probability, which counts for ten labels a row). EM, one coin, easy/hard and consensus
        begin with these labels (Dirichlet priors).
    metrics : sequence of str
        accuracy, precision, recall, specificity, f1. The first ranks the classifiers.
    methods : sequence of str, function or object, optional
        Names in :data:`headcount.blind_evaluation.methods.catalogue.METHODS`, and methods of your
        own: functions of the votes that give the probability of each label, (rows, labels), or
        objects as in :mod:`headcount.blind_evaluation.methods.user_defined`. Default: all that
        the data allow, without those that need scikit-learn unless it is installed.
    bootstrap : int
        Number of bootstrap samples of items; 0 for normal intervals to first order.
    level : float
        Coverage of intervals, and confidence of the tests that rank.
    rng : int or Generator
        Seed or generator of bootstrap, folds and restarts. None depends on the order of rows.
    sampling_draws : int
        Draw so many label sets for the sampling method, as the paper does, instead of using
        their limit.
    smoothing, restarts
        Of Dawid-Skene: see :func:`headcount.dawid_skene`.
    compare : bool
        Compare the estimates of every method with the scores on gold.
    labels_by : str, optional
        The method that finds the label of each item (``result.labels``). Default: consensus.
    min_labels : int
        Rank only classifiers that gave so many labels; the others vote all the same.
    progress : callable, optional
        Called with the number of bootstrap samples done and the number in all; where votes do not
        fit into memory, with the votes that came, and then with the blocks of each pass.

    Returns
    -------
    BlindResult

    Notes
    -----
    Estimates depend on items through their rows of votes alone, so items with the same votes are
    put together: ten classifiers and two labels make at most 1,024 rows. All methods share the
    same bootstrap samples. Blind estimates hold only if classifiers err independently; diagnostics
    tell whether they seem to. They rank by EM where nothing speaks against it, else by the
    majority of the other classifiers (or groups), and by gold where there is enough of it.

    Of crowds in which classifiers times labels exceed 3,000, and of votes that do not fit into
    memory, no two classifiers are compared (``result.diagnostics`` is None): models are fitted in
    passes over blocks of votes, O(votes x labels) each, and consensus ranks.

    References
    ----------
    Jung and Lease (2012), Evaluating classifiers without expert labels. Dawid and Skene (1979).
    Angelopoulos, Duchi and Zrnic (2023), PPI++.

    Examples
    --------
    >>> import numpy as np
    >>> from headcount import Labels, blind
    >>> random = np.random.default_rng(1)
    >>> truth = random.integers(0, 2, size=(500, 1))
    >>> said = np.where(random.random((500, 4)) < [0.95, 0.85, 0.75, 0.65], truth, 1 - truth)
    >>> items, judges = np.indices(said.shape).reshape(2, -1)
    >>> result = blind(Labels.from_triples(items, judges, said.ravel()), bootstrap=100)
    >>> [c.name for c in result.classifiers]
    ['0', '1', '2', '3']
    >>> result["0"].estimates["em"]["accuracy"]
    0.9171 (0.8879 to 0.9619)

    A method of one's own: what the first classifier says is true.

    >>> def first(votes):
    ...     "The first classifier is right."
    ...     return np.eye(len(votes.labels))[votes.label[votes.start[:-1]]]
    >>> mine = blind(Labels.from_triples(items, judges, said.ravel()), methods=["em", first])
    >>> round(mine["1"].estimates["first"]["accuracy"].value, 3), np.mean(said[:, 0] == said[:, 1])
    (0.792, np.float64(0.792))
    """
    options: dict[str, Any] = {
        "gold": gold, "crowd": crowd, "groups": groups, "group_pattern": group_pattern,
        "positive": positive, "at_least": at_least, "abstain": abstain, "confusion": confusion,
        "metrics": metrics, "methods": methods, "bootstrap": bootstrap, "level": level, "rng": rng,
        "sampling_draws": sampling_draws, "smoothing": smoothing, "restarts": restarts,
        "compare": compare, "labels_by": labels_by, "min_labels": min_labels,
        "progress": progress,
    }  # fmt: skip
    return analyse(labels, options)
