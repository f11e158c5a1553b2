"""Dawid and Skene's model end to end: votes in, true labels and errors of raters out."""

from __future__ import annotations

from typing import Any

from headcount import options
from headcount.blind_evaluation.dawid_skene.fit import (
    MAX_ITER,
    SMOOTHING,
    TOLERANCE,
    Climbing,
    DawidSkene,
    fit,
)
from headcount.blind_evaluation.dawid_skene.prepare import prepare
from headcount.blind_evaluation.dawid_skene.records import DawidSkeneProvenance
from headcount.blind_evaluation.dawid_skene.result import DawidSkeneResult
from headcount.errors import option
from headcount.results.notes import Notes
from headcount.typing import Seed

__all__ = ["dawid_skene"]


def dawid_skene(
    labels: Any,
    *,
    groups: Any = None,
    smoothing: float = SMOOTHING,
    restarts: int = 0,
    tolerance: float = TOLERANCE,
    max_iter: int = MAX_ITER,
    rng: Seed = 0,
) -> DawidSkeneResult:
    """Estimate the true label of each item, and the errors of each rater, by Dawid and Skene's EM.

    Parameters
    ----------
    labels : Labels, Predictions, path or frame
        Who gave which label to what, or what :func:`headcount.read_votes` takes. Read with
        ``duplicates="all"`` to count repeated votes.
    groups : mapping of rater to group, path or frame, optional
        Raters who err together; each group then weighs as one rater.
    smoothing, restarts, tolerance, max_iter, rng
        See :func:`headcount.blind_evaluation.dawid_skene.fit.fit`, which gives the formula, what
        happens to the names of classes, and why the defaults are what they are. Restarts depend on
        the seed alone.

    Returns
    -------
    DawidSkeneResult

    Notes
    -----
    O(votes log votes) to put items with the same votes together, then O(rows x votes x labels) for
    each of some 10 to 30 passes.

    The model takes raters to err independently where the true label is the same. If they do not,
    it may fail without a sign in the fit: :func:`headcount.blind` looks for that.

    References
    ----------
    Dawid and Skene (1979), "Maximum likelihood estimation of observer error-rates using the EM
    algorithm", Applied Statistics 28.

    Examples
    --------
    >>> from headcount import Labels
    >>> labels = Labels.from_triples(
    ...     [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4], list("abc") * 4, list("nnyyyynnnyyn")
    ... )
    >>> result = dawid_skene(labels)
    >>> result
    Dawid-Skene: 12 votes on 4 items by 3 raters, converged after 9 passes
    log-likelihood -7.17; prior n .50, y .50
    <BLANKLINE>
    How often each rater is right: in all, and by true label
    rater  accuracy    n    y
    -------------------------
    a           .79  .79  .79
    b           .79  .79  .79
    c           .50  .50  .50
    <BLANKLINE>
    right only if raters err independently of each other where the true label is the
    same
    >>> result.label
    array(['n', 'y', 'n', 'y'], dtype=object)
    >>> result.confusion["c"].round(2)
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    notes = Notes()
    generator = options.seed(rng)
    given = prepare(labels, groups, notes)
    found = fit(
        given.votes,
        vote_weight=given.vote_weight,
        how=Climbing(
            smoothing=smoothing,
            restarts=restarts,
            tolerance=tolerance,
            max_iter=max_iter,
            rng=generator,
        ),
    )
    _tell(found, restarts, notes)
    votes, source = given.votes, given.labels
    return DawidSkeneResult(
        labels=votes.labels,
        raters=votes.classifiers,
        items=source.items[given.voted],
        prior=dict(zip(votes.labels, found.prior.tolist(), strict=True)),
        confusion=dict(zip(votes.classifiers, found.confusion, strict=True)),
        truth=found.truth[votes.row_of[given.voted]],
        log_likelihood=found.log_likelihood,
        weighted=given.vote_weight is not None,
        converged=found.converged,
        n_iter=found.n_iter,
        votes=len(source),
        notes=tuple(notes),
        provenance=DawidSkeneProvenance(
            source=source.source,
            sources=source.sources,
            dropped=source.dropped,
            items_used=len(given.voted),
            items_dropped=len(source.items) - len(given.voted),
            n_ratings=len(source),
            n_raters=len(votes.classifiers),
            labels=votes.labels,
            seed=options.seed_number(rng),
            backend=source.backend,
            smoothing=found.smoothing,
            restarts=restarts,
        ),
    )


def _tell(found: DawidSkene, restarts: int, notes: Notes) -> None:
    """Say what a reader of the fit should know."""
    if not found.converged:
        notes.warning(
            f"EM did not converge in {found.n_iter:,} passes over the votes; raise "
            f"{option('max_iter')}."
        )
    if found.switched:
        notes.warning(
            "Votes would agree better with the true labels under other names: what the fit calls "
            "a label may be another. Look at the confusion matrices."
        )
    if found.origin.startswith("restart"):
        notes.info(f"{found.origin} of {restarts} has the highest likelihood, and was kept.")
