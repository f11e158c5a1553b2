"""Raters who answer at random, found by what the ratings of the others expect of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.errors import DataError
from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
from headcount.pairwise.bradley_terry.prepare import check_prior
from headcount.pairwise.bradley_terry.uncertainty.parameter import Parameter
from headcount.pairwise.spammers.answers import fit_kinds
from headcount.pairwise.spammers.judge import Judge, tell_of_doubts
from headcount.pairwise.spammers.left_out import MOST_FITS, left_out
from headcount.pairwise.spammers.prepare import prepare
from headcount.pairwise.spammers.records import RatersProvenance
from headcount.pairwise.spammers.result import RatersResult
from headcount.results.notes import Notes
from headcount.typing import Seed

__all__ = ["find_spammers"]


def find_spammers(
    comparisons: Comparisons | Any,
    *,
    prior: float | None = None,
    checks: Comparisons | Any | None = None,
    level: float = 0.95,
    rng: Seed = 0,
) -> RatersResult:
    r"""Judge raters by whether their answers go with the ratings that the others make.

    The items are rated without each rater in turn. A mixture of two kinds of raters then tells how
    those answer who look at the items, given the gap in ratings, and how those who do not. The
    score of a rater is the log-likelihood ratio of the two,

    .. math:: S = \sum_c \log \frac{P_\text{look}(a_c \mid x_c)}{P_\text{random}(a_c)}

    and two tests look at it from either side. The first asks whether a rater who looks would score
    that low; it has the exact distribution of S, for slopes that differ from rater to rater as much
    as they seem to in the crowd, the rater being taken for one of those who look. It keeps good
    raters from being accused: with Holm's correction, the chance that any is, is 1 - `level` at
    most, as far as slopes are lognormal. The second asks whether one who does not look would do
    that well; it is a permutation test of the correlation of the answers with what is expected of
    them, so that habits (always left, many ties) are no excuse and no offence. It keeps raters who
    look, but less well than others, from being called spammers. A spammer fails the first and does
    not pass the second. Few answers can do neither, and less than five are not judged.

    Parameters
    ----------
    comparisons : Comparisons, or path or frame
        With raters; or anything that :func:`headcount.read_comparisons` takes.
    prior : float, optional
        Of the ratings; see :func:`headcount.pairwise.bradley_terry.bradley_terry.bradley_terry`.
    checks : Comparisons, or path or frame, optional
        Pairs with a known answer. Comparisons of the same two items are judged by it instead of by
        the ratings.
    level : float
        Confidence of both tests.
    rng : int or Generator

    Returns
    -------
    RatersResult

    Notes
    -----
    The permutation test uses Pitman's approximation: t, with n - 2 degrees of freedom. A fit for
    each rater, or for each of 200 groups, and some thousand steps an answer for the first test.

    References
    ----------
    Holm (1979), A simple sequentially rejective multiple test procedure. Pitman (1937),
    Significance tests which may be applied to samples from any populations, II.

    Examples
    --------
    >>> from headcount.simulation.labelling import LabellingModel, simulate_comparisons
    >>> model = LabellingModel(items=60, raters=40, spammers=0.1, comparisons=1200)
    >>> played, truth = simulate_comparisons(model, rng=1)
    >>> found = find_spammers(played)
    >>> sorted(found.spammers)
    ['rater_11', 'rater_30', 'rater_39', 'rater_8']
    >>> truth.spammer.nonzero()[0] + 1
    array([ 8, 11, 30, 39])
    """
    level, prior = options.level(level), check_prior(prior)
    generator, notes = options.seed(rng), Notes()
    answers = prepare(comparisons, checks, generator, notes)
    played = answers.comparisons
    slopes = _slopes(played, prior, notes)
    many = len(answers.names) > MOST_FITS
    seed = int(generator.integers(2**32)) if many else 0
    without = left_out(played, prior=prior, seed=seed)
    kinds = fit_kinds(
        without.evidence, answers.answer, answers.rater, len(answers.names), answers.right
    )
    raters = Judge(
        answers=answers, gap=without.gap, kinds=kinds, slopes=slopes, alpha=1 - level
    ).verdicts()
    tell_of_doubts(raters, notes)
    return RatersResult(
        raters=tuple(raters),
        notes=tuple(notes),
        provenance=RatersProvenance(
            source=played.source,
            sources=played.sources,
            dropped=played.dropped,
            items_used=len(np.unique([played.left, played.right])),
            n_ratings=len(played),
            n_raters=len(raters),
            level=level,
            seed=options.seed_number(rng),
            backend=played.backend,
            prior=prior,
            n_checks=answers.n_checks,
        ),
    )


def _slopes(played: Comparisons, prior: float | None, notes: Notes) -> list[Parameter]:
    """Fit a slope of each rater."""
    fit = bradley_terry(played, reliability=True, prior=prior, tolerance=1e-4)
    if fit.slope is None or fit.slope_error is None:
        raise DataError(f"{played.source}: to judge raters there must be a rater column.")
    if not fit.converged:
        notes.warning(
            "The fit of the raters' slopes has not converged; do not read anything from slopes."
        )
    pairs = zip(fit.slope.tolist(), fit.slope_error.tolist(), strict=True)
    return [Parameter(*pair) for pair in pairs]
