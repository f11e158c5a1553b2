"""Blind evaluation end to end: labels of classifiers in, ranked estimates out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from headcount import options
from headcount.blind_evaluation.consensus.labels import label_items
from headcount.blind_evaluation.dawid_skene.fit import SMOOTHING, DawidSkene
from headcount.blind_evaluation.evidence import Evidence, gather
from headcount.blind_evaluation.gold import OnGold, judge_by_gold
from headcount.blind_evaluation.judging import ENOUGH_ITEMS, Judging, choose_judge
from headcount.blind_evaluation.methods.base import Settings, Task
from headcount.blind_evaluation.methods.catalogue import DIRECT, choose_labelling, choose_methods
from headcount.blind_evaluation.metrics import METRICS, choose_metrics
from headcount.blind_evaluation.prepare import People, Prepared, prepare
from headcount.blind_evaluation.records import BlindProvenance
from headcount.blind_evaluation.result import BlindResult
from headcount.errors import OptionError, count, option
from headcount.results.notes import Notes, few_draws
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
        :func:`headcount.read_votes` takes; some may be missing. Probabilities count as the
        likeliest label.
    gold : mapping of item to label, path or frame, optional
        True labels of some items, or what :func:`headcount.read_truth` takes. They show what
        classifiers are worth there (direct), make estimates for all items (ppi), teach methods,
        and test the blind ranking.
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
    metrics : sequence of str
        accuracy, precision, recall, specificity, f1. The first ranks the classifiers.
    methods : sequence of str, function or object, optional
        Names in :data:`headcount.blind_evaluation.methods.catalogue.METHODS`, and methods of your
        own: functions of the votes that give the probability of each label, (rows, labels), or
        objects as in :mod:`headcount.blind_evaluation.methods.own`. Default: all that the data
        allow, without those that need scikit-learn unless it is installed.
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
        Called with the number of bootstrap samples done and the number in all.

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
    level, progress = options.level(level), options.callback(progress)
    compare = options.switch(compare, "compare")
    if compare and gold is None:
        raise OptionError(f"a comparison needs gold labels: give them with {option('gold', ...)}.")
    settings = Settings(
        bootstrap=options.draws(bootstrap),
        sampling_draws=options.draws(sampling_draws, "sampling_draws"),
        smoothing=options.number(smoothing, "smoothing", least=0),
        restarts=options.whole(restarts, "restarts", least=0),
        seed=_seed(rng),
    )
    notes, found_notes = Notes(), Notes()
    people = People(
        gold=gold,
        crowd=crowd,
        groups=groups,
        group_pattern=group_pattern,
        at_least=at_least,
        abstain=abstain,
    )
    given = prepare(labels, people, seed=settings.seed, notes=notes)
    task = Task(
        votes=given.votes,
        metrics=choose_metrics(given.votes.labels, names=metrics, positive=positive),
        settings=settings,
        notes=found_notes,
    )
    chosen = choose_methods(
        methods,
        groups=bool(given.votes.groups),
        gold=given.is_informed,
        learn=find_spec("sklearn") is not None,
    )
    labelling = choose_labelling(labels_by, chosen)
    called = "crowd labels" if given.has_crowd else "gold"
    evidence = gather(
        task,
        chosen,
        level=level,
        people=called,
        labelling=labelling,
        min_labels=options.whole(min_labels, "min_labels", least=0),
        progress=progress,
    )
    judge, why = choose_judge(chosen.values(), given.votes, evidence.diagnostics)
    on_gold = judge_by_gold(given, task, evidence, compare=compare)
    if given.votes.items < ENOUGH_ITEMS:
        notes.warning(
            f"{count(given.votes.items, 'item')} are too few: scores and ranks may be far off, and "
            f"have no intervals. Label {ENOUGH_ITEMS} or more."
        )
    if on_gold.contradiction is not None:
        notes.warning(on_gold.contradiction)
    for more in (evidence.diagnostics.warnings, found_notes, few_draws(settings.bootstrap, level)):
        notes.extend(more)
    judging = Judging(evidence=evidence, judge=judge, actual=on_gold.actual, labelling=labelling)
    return BlindResult(
        classifiers=judging.classifiers,
        leaders=judging.leaders(),
        labels=label_items(labelling, evidence.scored[labelling.name], given.labels, given.votes),
        method=judge.name,
        why=why,
        contradiction=on_gold.contradiction,
        diagnostics=evidence.diagnostics,
        explanations=evidence.explanations,
        panel=evidence.panel,
        comparison=on_gold.comparison,
        em={
            name: _summary(fit, given.votes.labels)
            for name in evidence.shown
            if (fit := evidence.scored[name].fit) is not None
        },
        methods=chosen,
        notes=tuple(notes),
        provenance=replace(
            _provenance(given, task, evidence, on_gold, options.seed_number(rng)),
            min_labels=min_labels,
        ),
    )


def _seed(rng: Seed) -> int:
    """Take a seed as it is, and draw one from a generator."""
    generator = options.seed(rng)
    number = options.seed_number(rng)
    return int(generator.integers(2**32)) if number is None else number


def _provenance(
    given: Prepared, task: Task, evidence: Evidence, on_gold: OnGold, seed: int | None
) -> BlindProvenance:
    votes, labels, positive = given.votes, given.labels, task.metrics.positive
    return BlindProvenance(
        source=labels.source,
        sources=labels.sources,
        dropped=labels.dropped,
        items_used=votes.items,
        items_dropped=len(labels.items) - votes.items,
        n_ratings=len(labels),
        n_raters=len(votes.classifiers),
        labels=votes.labels,
        level=evidence.level,
        bootstrap=task.settings.bootstrap,
        seed=seed,
        backend=labels.backend,
        distinct_rows=len(votes.multiplicity),
        positive=None if positive is None else votes.labels[positive],
        metrics=task.metrics.names,
        methods=evidence.shown,
        gold_items=on_gold.items,
        crowd_items=DIRECT.items(votes) if given.has_crowd else 0,
    )


def _summary(fit: DawidSkene, labels: Sequence[str]) -> dict[str, Any]:
    return {
        "prior": dict(zip(labels, fit.prior.tolist(), strict=True)),
        "log_likelihood": fit.log_likelihood,
        "converged": fit.converged,
        "iterations": fit.n_iter,
        "smoothing": fit.smoothing,
    }
