"""Blind evaluation end to end: labels of classifiers in, ranked estimates out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from headcount import options
from headcount._version import __version__
from headcount.blind_evaluation.comparison.comparison import compare_methods, labelling_quality
from headcount.blind_evaluation.dawid_skene.dawid_skene import SMOOTHING, DawidSkene
from headcount.blind_evaluation.dependence.dependence import diagnose
from headcount.blind_evaluation.dependence.groups import check_groups
from headcount.blind_evaluation.judging import (
    choose_judge,
    find_contradiction,
    judged,
    rankings,
)
from headcount.blind_evaluation.methods.catalogue import METHODS, choose_methods
from headcount.blind_evaluation.methods.engine import Settings, score_all
from headcount.blind_evaluation.metrics import METRICS, choose_metrics
from headcount.blind_evaluation.prepare import prepare
from headcount.blind_evaluation.ranking import Ranking
from headcount.blind_evaluation.result import BlindProvenance, BlindResult
from headcount.blind_evaluation.votes import Votes, collect
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.errors import DataError, OptionError
from headcount.results.notes import few_draws
from headcount.typing import Floats

__all__ = ["blind"]


def blind(
    labels: Labels | Predictions,
    *,
    gold: Mapping[Any, str] | None = None,
    crowd: Mapping[Any, str] | None = None,
    groups: Mapping[str, str] | None = None,
    positive: str | None = None,
    at_least: float | None = None,
    metrics: Sequence[str] = METRICS,
    methods: Sequence[str] | None = None,
    bootstrap: int = 200,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    sampling_draws: int = 0,
    smoothing: float = SMOOTHING,
    restarts: int = 0,
    compare: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> BlindResult:
    """Estimate how good classifiers are from the labels that they give, and rank them.

    Parameters
    ----------
    labels : Labels or Predictions
        What each classifier (judge, crowd worker) said of each item; some may be missing.
        Probabilities count as the likeliest label.
    gold : mapping of item to label, optional
        True labels of some items. They show what classifiers are worth there (direct), make
        estimates for all items (ppi), teach methods, and test the blind ranking.
    crowd : mapping of item to label, optional
        Labels of some items that people gave, to use instead of gold everywhere but in the test
        and the comparison.
    groups : mapping of classifier to group, optional
        Which classifiers may err together: those of one team, or built on one model.
    positive : str, optional
        The label that precision, recall, specificity and F1 look at. Default: the second of two
        labels; the mean over all labels where there are more.
    at_least : float, optional
        Make two labels of numbers: below this, or not, which is positive.
    metrics : sequence of str
        accuracy, precision, recall, specificity, f1. The first ranks the classifiers.
    methods : sequence of str, optional
        Names in :data:`headcount.blind_evaluation.methods.catalogue.METHODS`. Default: all that the
        data allow, without those that need scikit-learn unless it is installed.
    bootstrap : int
        Number of bootstrap draws of items; 0 for normal intervals to first order.
    level : float
        Coverage of intervals, and confidence of the tests that rank.
    rng : int or Generator
        Seed or generator of bootstrap, folds and restarts.
    sampling_draws : int
        Draw so many label sets for the sampling method, as the paper does, instead of using
        their limit.
    smoothing, restarts
        Of Dawid-Skene: see :func:`headcount.dawid_skene`.
    compare : bool
        Compare the estimates of every method with the scores on gold.
    progress : callable, optional
        Called with the number of draws done and the number in all.

    Returns
    -------
    BlindResult

    Notes
    -----
    Estimates depend on items through their rows of votes alone, so items with the same votes are
    put together: ten classifiers and two labels make at most 1,024 rows. All methods share the
    same bootstrap draws. Blind estimates hold only if classifiers err independently; diagnostics
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
    0.9171 (0.8698 to 0.9568)
    """
    if compare and gold is None:
        raise OptionError("a comparison needs gold labels: give them with gold=... (--gold FILE).")
    if not 0 < level < 1:
        raise OptionError(f"level must lie between 0 and 1, not {level:g}.")
    if bootstrap < 0 or sampling_draws < 0:
        raise OptionError("the number of draws must not be negative.")
    generator = options.seed(rng)
    labels, (gold, crowd) = prepare(labels, [gold, crowd], at_least)
    if len(labels.raters) < 2:
        raise DataError(
            f"{labels.source}: one classifier only. Blind evaluation compares classifiers with "
            "each other, and needs two or more."
        )
    if len(labels.scale) < 2:
        raise DataError(
            f"{labels.source}: every label is '{labels.scale.labels[0]}', which tells classifiers "
            "apart in nothing."
        )
    if len(np.unique(labels.item)) < 2:
        raise DataError(
            f"{labels.source}: labels of one item only, which tell nothing of how good classifiers "
            "are. Give two items or more."
        )
    group_notes = [] if groups is None else check_groups([str(n) for n in labels.raters], groups)
    known = gold if crowd is None else crowd
    votes = collect(labels, gold=known, groups=groups, rng=generator)
    chosen = choose_metrics(votes.labels, names=metrics, positive=positive)
    names = choose_methods(
        methods,
        groups=groups is not None,
        gold=known is not None,
        learn=find_spec("sklearn") is not None,
    )
    settings = Settings(bootstrap, sampling_draws, smoothing, restarts)
    found = score_all(votes, chosen, names, settings, generator, progress)
    # Diagnostics need EM and the votes of others, whether they are to be shown or not.
    needed = [name for name in ("em", "leave-one-out") if name not in names]
    hidden = score_all(votes, chosen, needed, replace(settings, bootstrap=0), generator)
    scored = {**hidden.scored, **found.scored}
    em = {**hidden.fits, **found.fits}["em"]
    diagnostics = diagnose(
        votes,
        em_truth=em.truth,
        em_prior=em.prior,
        scores={name: one.scores[0] for name, one in scored.items()},
        positive=chosen.positive,
        people="gold" if crowd is None else "crowd labels",
    )
    ranks = {
        name: rankings(one, _items(votes, name), level, refitted=METHODS[name].refitted)
        for name, one in scored.items()
    }
    method, why = choose_judge(names, votes, diagnostics)
    actual = comparison = contradiction = None
    n = 0
    if gold is not None:
        seen = votes if crowd is None else collect(labels, gold=gold, groups=groups, rng=generator)
        actual = found.scored.get("direct") if crowd is None else None
        if actual is None:
            actual = score_all(seen, chosen, ["direct"], settings, generator).scored["direct"]
        n = _items(seen, "direct")
        places = rankings(actual, n, level)
        unaided = [name for name in scored if not METHODS[name].informed]
        judge, _ = choose_judge(unaided, votes, diagnostics)
        if places is not None:
            contradiction = find_contradiction(
                judge, scored[judge].scores[0], places[0], actual.scores[0], n
            )
        if compare:
            # Direct evaluation is what all are compared with, unless it is on crowd labels.
            compared = [name for name in names if name != "direct" or crowd is not None]
            comparison = compare_methods(
                votes.classifiers,
                chosen.names,
                (actual.scores, _places(places)),
                {name: (scored[name].scores, _places(ranks[name])) for name in compared},
                quality={
                    name: labelling_quality(seen, _carried(truth, votes, seen), chosen)
                    for name in compared
                    if (truth := scored[name].truth) is not None and name != "direct"
                },
                level=level,
            )
    return BlindResult(
        judged(
            votes,
            chosen,
            {name: scored[name] for name in names},
            ranks,
            actual,
            method,
            level,
        ),
        method,
        why,
        contradiction,
        diagnostics,
        comparison,
        {name: _summary(fit, votes.labels) for name, fit in found.fits.items()},
        BlindProvenance(
            __version__,
            labels.source,
            votes.items,
            len(labels.items) - votes.items,
            len(votes.multiplicity),
            len(labels),
            votes.labels,
            None if chosen.positive is None else votes.labels[chosen.positive],
            chosen.names,
            names,
            n,
            0 if crowd is None else _items(votes, "direct"),
            bootstrap,
            level,
            rng if isinstance(rng, int) else None,
            labels.backend,
        ),
        (
            *labels.notes,
            *group_notes,
            *([] if contradiction is None else [contradiction]),
            *diagnostics.warnings,
            *found.notes,
            *few_draws(bootstrap, level),
        ),
    )


def _items(votes: Votes, method: str) -> int:
    """Items that a method's scores rest on."""
    known = votes.gold >= 0
    return int(votes.multiplicity[known].sum()) if method == "direct" else votes.items


def _places(ranks: list[Ranking] | None) -> Floats | None:
    return None if ranks is None else np.stack([one.rank for one in ranks])


def _carried(truth: Floats, votes: Votes, seen: Votes) -> Floats:
    """Truth of rows of votes, for rows that are divided otherwise: means over items."""
    if seen is votes:
        return truth
    voted = votes.row_of >= 0
    total = np.zeros((len(seen.multiplicity), len(seen.labels)))
    np.add.at(total, seen.row_of[voted], truth[votes.row_of[voted]])
    return total / seen.multiplicity[:, None]


def _summary(fit: DawidSkene, labels: Sequence[str]) -> dict[str, Any]:
    return {
        "prior": dict(zip(labels, fit.prior.tolist(), strict=True)),
        "log_likelihood": fit.log_likelihood,
        "converged": fit.converged,
        "iterations": fit.n_iter,
        "smoothing": fit.smoothing,
    }
