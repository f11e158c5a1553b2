"""Raters who answer at random, found by what the ratings of the others expect of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.pairwise.bradley_terry.priors import check_prior, given_prior
from headcount.pairwise.spammers.left_out import MOST_FITS, left_out
from headcount.pairwise.spammers.prepare import prepare
from headcount.pairwise.spammers.records import RatersProvenance
from headcount.pairwise.spammers.result import RatersResult
from headcount.pairwise.spammers.verdict import Judge, tell_of_doubts
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

    The items are rated without each rater in turn. Only answers that decide for an item count: how
    often raters say tie is their own affair. Four steps lead to a verdict.

    1. The slope b of a rater's answers on the probabilities that the ratings by others give them,
       with an intercept of the rater's own: 1 for one who sees what the others see, 0 for one who
       answers at random. Less than five answers are not judged.
    2. Slopes of raters who look are normal, with a mean without those who lie far below, and the
       spread of the upper half. Who lies too far below is worse than most: by Student's
       distribution of :math:`(b - \mu) / \sqrt{\omega^2 + s^2}` with n - 2 degrees of freedom,
       after Benjamini and Hochberg's correction.
    3. Who beats chance is spared: `weak`, not a spammer. The test is one of permutations of the
       rater's own answers, not corrected for the number of raters, so that innocence is not harder
       to show in a large crowd. Habits (always left) are no excuse and no offence.
    4. Items are rated by those who go least with the crowd, without each of them in turn; then
       again, by those of them who go with these ratings. Who beats chance by that has `another
       opinion`. Who does not is a `spammer`.

    Who neither beats chance nor is worse than most gave too few answers to tell, and is kept.

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
        Confidence of the tests: a share of 1 - `level` of those called worse than most are not.
    rng : int or Generator

    Returns
    -------
    RatersResult

    Notes
    -----
    A fit for each rater, or, of more than 200, for each of 50 groups; all else is O(answers).
    Nobody can be told from a spammer who always says tie: such a rater decides nothing, and so
    harms little.

    References
    ----------
    Benjamini and Hochberg (1995), Controlling the false discovery rate, JRSS B 57(1). Pitman
    (1937), Significance tests which may be applied to samples from any populations, II.

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
    level, prior = options.level(level), given_prior(check_prior(prior))
    generator, notes = options.seed(rng), Notes()
    answers = prepare(comparisons, checks, generator, notes)
    played = answers.comparisons
    many = len(answers.names) > MOST_FITS
    seed = int(generator.integers(2**32)) if many else 0
    without = left_out(played, prior=prior, seed=seed)
    raters = Judge(
        answers=answers, without=without, prior=prior, alpha=1 - level, seed=seed
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
