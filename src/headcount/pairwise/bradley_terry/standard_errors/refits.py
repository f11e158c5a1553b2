"""Bootstrap of Bradley-Terry ratings: the same fit with other weights, many times."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, count
from headcount.pairwise.answers.row_order import sort_rows
from headcount.pairwise.answers.units import COMPARISON, UNITS, Unit
from headcount.pairwise.bradley_terry.likelihood.model import Model, centred
from headcount.pairwise.bradley_terry.likelihood.newton import maximise
from headcount.pairwise.bradley_terry.likelihood.pair_wins import PairWins
from headcount.pairwise.bradley_terry.result import BradleyTerry
from headcount.pairwise.bradley_terry.ties.half import HALF
from headcount.pairwise.choose_by_name import choose
from headcount.results.notes import Note, Notes
from headcount.typing import Codes, Flags, Floats, Progress, Seed

__all__ = ["HOLD", "Refits", "refit"]

HOLD = 10.0
"""Prior of ratings in refits, in logits, where the fit itself has none."""
TOLERANCE = 3e-3
"""Gradient at the end of a refit, in wins: far below what a resampled win or loss changes."""


@dataclass(frozen=True, eq=False)
class Refits:
    """Ratings of each bootstrap draw.

    Parameters
    ----------
    ratings : (draws, items) array
        Infinite or nan where the rating of the fit is, in all draws. A draw that cannot be fitted
        at all, without any comparison or with nothing but ties, is nan throughout.
    by : Unit
        What was drawn.
    held : (items,) array of int
        In how many draws an item did not lose anything, or did not win anything, so that a prior
        held its rating.
    position, tie : (draws,) array or None
        Position effect, and Davidson's nu or Rao and Kupper's theta, where they are fitted.
    notes : tuple of Note
    """

    ratings: Floats
    by: Unit
    held: Codes
    position: Floats | None = None
    tie: Floats | None = None
    notes: tuple[Note, ...] = ()


def refit(
    comparisons: Comparisons,
    fit: BradleyTerry,
    *,
    draws: int,
    by: str | Unit = COMPARISON,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> Refits:
    """Fit the same model again to resampled comparisons.

    In each draw every comparison, or every rater with all their comparisons, has a weight drawn
    from the Poisson distribution with mean 1: the bootstrap, but for the total, which is random as
    well. Each draw starts from the fit. Infinite ratings stay as they are. The order of the
    comparisons does not matter: they are sorted before weights are drawn.

    Items that win or lose all that is left of them in a draw would run off to infinity there.
    Unless the fit has a prior, draws therefore have one, with a standard deviation of 10 logits:
    too wide to be felt otherwise. Such items end up 4 to 8 logits off, which makes the end of an
    interval large, not infinite; `held` counts their draws.

    Parameters
    ----------
    comparisons : Comparisons
        Those of the fit.
    fit : BradleyTerry
    draws : int
    by : {"comparison", "rater"}
        Raters differ, and answers of one are alike: with a rater column, "rater" is the honest one.
    rng : int or Generator
    progress : callable, optional
        Called with the number of draws done and the number in all.

    Notes
    -----
    O(comparisons) a draw and Newton step, of which there are three or so.

    Examples
    --------
    >>> from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
    >>> outcome = [1, 1, 1, 0, 1, 0, 1, 0.5]
    >>> played = Comparisons.from_columns("aababcab" * 50, "bcccaaba" * 50, outcome * 50)
    >>> fit = bradley_terry(played)
    >>> refits = refit(played, fit, draws=100)
    >>> refits.ratings.std(axis=0).round(2), fit.standard_error.round(2)
    (array([0.08, 0.07, 0.11]), array([0.08, 0.08, 0.11]))
    """
    draws = options.whole(draws, "draws", least=1, most=options.MOST_DRAWS)
    unit = choose(by, UNITS, Unit, "by", "unit to draw")
    unit.check(comparisons)
    if fit.point is None or len(fit.items) != len(comparisons.items):
        raise DataError(f"{comparisons.source}: these are not the comparisons of the fit.")
    generator = options.seed(rng)
    old, finite = fit.point.model, fit.finite
    # Comparisons with and among infinite ratings say nothing of the finite ones.
    rows = finite[comparisons.left] & finite[comparisons.right]
    played = sort_rows(comparisons if rows.all() else comparisons.select(rows))
    wins = PairWins.of(
        played, split=not old.ties.has_cut, sided=old.sided, by_rater=old.wins.n_raters > 0
    )
    model = replace(old, wins=wins, prior=HOLD if old.prior is None else old.prior)
    ratings = np.tile(fit.rating, (draws, 1))
    held = np.zeros(len(finite), dtype=np.int64)
    block = np.where(finite, 0 if fit.coefficients else fit.component, -1)
    position = np.full(draws, np.nan) if old.sided else None
    tie = np.full(draws, np.nan) if old.ties.has_cut else None
    failed = slow = 0
    for draw in range(draws):
        weight = unit.weights(played, generator)
        drawn = wins.reweighted(played.outcome, played.weights * weight)
        held += _held(drawn) & finite
        z, converged = _fit(replace(model, wins=drawn), fit.point.z)
        slow += not converged
        failed += z is None
        if z is None:
            ratings[draw] = np.nan
        else:
            ratings[draw, finite] = centred(z[: len(finite)], block)[finite] + fit.mean
            if position is not None:
                position[draw] = z[-2]
            if tie is not None:
                tie[draw] = np.exp(z[-1]) if drawn.tie.any() else old.ties.without_ties
        if progress is not None:
            progress(draw + 1, draws)
    notes = _notes(draws, held, failed, slow - failed, old.prior)
    return Refits(
        ratings=ratings, by=unit, held=held, position=position, tie=tie, notes=tuple(notes)
    )


def _fit(model: Model, start: Floats) -> tuple[Floats | None, bool]:
    """Fit one draw; None if there is nothing to fit."""
    wins = model.wins
    decided = float(wins.win.sum() + wins.loss.sum())
    if decided == 0:
        return None, False
    if model.ties.has_cut and not wins.tie.any():
        # A draw without ties has nu = 0 or theta = 1, as a plain model has.
        model = replace(model, wins=replace(wins, tie=wins.tie[:0]), ties=HALF)
    climb = maximise(model, start.copy(), tolerance=TOLERANCE, max_iter=50)
    return climb.point.z, climb.converged


def _held(wins: PairWins) -> Flags:
    """Items without a point, or without one lost, in this draw."""
    tie = 0.5 * wins.tie if len(wins.tie) else 0.0
    forth, back, n = wins.win + tie, wins.loss + tie, wins.n_items
    got = np.bincount(wins.first, forth, n) + np.bincount(wins.second, back, n)
    lost = np.bincount(wins.first, back, n) + np.bincount(wins.second, forth, n)
    return (got == 0) | (lost == 0)


def _notes(draws: int, held: Codes, failed: int, slow: int, prior: float | None) -> Notes:
    notes = Notes()
    if held.any():
        bound = f"a prior of {HOLD:g} logits" if prior is None else "the prior"
        notes.caution(
            f"{count(int(np.count_nonzero(held)), 'item')} lost nothing or won nothing in up to "
            f"{int(held.max()):,} of {draws:,} bootstrap samples, where {bound} kept the rating "
            "finite; take that end of the interval as 'at least'."
        )
    if failed:
        notes.caution(f"{count(failed, 'bootstrap sample')} of {draws:,} could not be fitted.")
    if slow:
        notes.caution(f"{count(slow, 'bootstrap sample')} of {draws:,} did not converge.")
    return notes
