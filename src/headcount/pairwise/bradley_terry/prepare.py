"""What a Bradley-Terry fit is given: options that are checked, and comparisons added up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError, count, option, some
from headcount.io.load import take_comparisons
from headcount.pairwise.answers.graph import Graph, graph_sentences, win_graph
from headcount.pairwise.answers.row_order import has_exact_sums, is_plain, sort_rows
from headcount.pairwise.bradley_terry.controls import Controls, choose_controls, control_columns
from headcount.pairwise.bradley_terry.fitted_prior import fit_prior
from headcount.pairwise.bradley_terry.likelihood.covariates import Covariates, standardised
from headcount.pairwise.bradley_terry.likelihood.existence import refuse_runaway
from headcount.pairwise.bradley_terry.likelihood.model import Model
from headcount.pairwise.bradley_terry.likelihood.pair_wins import PairWins
from headcount.pairwise.bradley_terry.priors import (
    AUTO,
    NONE,
    check_prior,
    given_prior,
    needs_prior,
)
from headcount.pairwise.bradley_terry.standard_errors.clusters import (
    Clusters,
    choose_clusters,
    cluster_columns,
)
from headcount.pairwise.bradley_terry.standard_errors.kinds import ERRORS, ROBUST
from headcount.pairwise.bradley_terry.ties.base import TieModel
from headcount.pairwise.bradley_terry.ties.catalogue import check_outcomes, tie_model
from headcount.pairwise.bradley_terry.ties.half import HALF
from headcount.results.notes import Notes
from headcount.typing import Flags, Floats

__all__ = [
    "FitOptions",
    "Prepared",
    "check_control",
    "check_covariates",
    "prepare",
    "start_of",
    "take",
    "tell_of_prior",
    "that_count",
]


FEW_EACH = 1.5
"""Answers an item, on average, below which the spread of the ratings is not told."""
SLOPES_PRIOR = 5.0
"""Prior of ratings, in logits, where raters have slopes and no prior was given."""


def check_covariates(covariates: object, prior: object) -> None:
    """Refuse covariates without a prior, before a file of them is read."""
    if covariates is not None and not isinstance(prior, int | float):
        raise OptionError(
            f"{option('covariates')} need a prior ({option('prior', 1)}): by how many logits the "
            "rating of an item may differ from what its covariates say of it. Without, ratings are "
            "free and leave nothing to explain."
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class FitOptions:
    """Options of a fit, checked; see :func:`headcount.bradley_terry`."""

    ties: TieModel
    position: bool
    prior: float | str | None
    covariates: Any
    reliability: bool
    errors: str
    cluster: Any
    control: Any
    start: Any
    tolerance: float
    max_iter: int
    level: float

    @classmethod
    def checked(
        cls,
        *,
        ties: Any,
        position: Any,
        prior: Any,
        covariates: Any,
        reliability: Any,
        errors: Any,
        cluster: Any,
        control: Any,
        start: Any,
        tolerance: Any,
        max_iter: Any,
        level: Any,
    ) -> FitOptions:
        """Check what the caller gave."""
        prior = check_prior(prior)
        check_covariates(covariates, prior)
        check_control(control, prior=prior, reliability=reliability)
        return cls(
            ties=tie_model(ties),
            position=options.switch(position, "position"),
            prior=prior,
            covariates=covariates,
            reliability=options.switch(reliability, "reliability"),
            errors=options.one_of(errors, "errors", ERRORS),
            cluster=cluster,
            control=control,
            start=start,
            tolerance=options.number(tolerance, "tolerance", above=0),
            max_iter=options.whole(max_iter, "max_iter", least=1),
            level=options.level(level),
        )


def check_control(control: Any, *, prior: object, reliability: object) -> None:
    """Refuse controls beside what they are not fitted with."""
    if not control_columns(control):
        return
    has_prior = prior not in (None, NONE, AUTO)
    for name, value in (("prior", has_prior), ("reliability", bool(reliability))):
        if value:
            raise OptionError(
                f"{option('control')} and {option(name)} are not fitted together; leave one out."
            )


@dataclass(frozen=True, eq=False, kw_only=True)
class Prepared:
    """What is fitted, and to what.

    Parameters
    ----------
    comparisons, played : Comparisons
        All, and those that count.
    options : FitOptions
    model : Model
    graph : Graph
    kept : (items,) array of bool
        Items that have a finite rating.
    covariates : Covariates
    start : (items,) array or None
        Ratings to start from.
    clusters : Clusters
        Comparisons that hang together.
    controls : Controls
        What else answers go by.
    prior_fitted : bool
        Whether the spread of the prior was fitted.
    noise : float
        Variance of answers as a share of what the model says, beside a prior that was fitted.
    """

    comparisons: Comparisons
    played: Comparisons
    options: FitOptions
    model: Model
    graph: Graph
    kept: Flags
    covariates: Covariates
    start: Floats | None
    clusters: Clusters
    controls: Controls
    prior_fitted: bool
    noise: float


def take(given: Any, asked: FitOptions) -> tuple[Comparisons, Notes]:
    """Take comparisons, or read them, with notes on that."""
    comparisons = take_comparisons(
        given,
        clusters=cluster_columns(asked.cluster),
        controls=control_columns(asked.control),
        reduced=not asked.reliability and not control_columns(asked.control),
    )
    if asked.reliability:
        comparisons = comparisons.with_raters()
    return comparisons, Notes(comparisons.notes)


def prepare(comparisons: Comparisons, asked: FitOptions, notes: Notes) -> Prepared:
    """Add comparisons up, and see which ratings can be finite."""
    played = that_count(comparisons, asked)
    prior = given_prior(asked.prior)
    if asked.reliability and prior is None:
        prior = SLOPES_PRIOR
        notes.info(
            f"Raters' slopes need a prior of the ratings; theirs is normal with a standard "
            f"deviation of {prior:g} logits."
        )
    wins = PairWins.of(
        played,
        split=not asked.ties.has_cut,
        sided=asked.position,
        by_rater=asked.reliability,
    )
    tie = wins.tie if len(wins.tie) else 0.0
    graph = win_graph(wins.n_items, wins.first, wins.second, wins.win + tie, wins.loss + tie)
    kept = graph.finite & graph.compared
    fitted = prior is None and not control_columns(asked.control)
    fitted = fitted and needs_prior(asked.prior, graph)
    noise = 1.0
    if fitted:
        found = fit_prior(wins, played, asked.ties, sided=asked.position, max_iter=asked.max_iter)
        prior, noise = found.penalty, found.noise
    if prior is None:
        notes.extend(graph_sentences(graph, comparisons.items))
        wins = wins.within(kept)
    else:
        tell_of_prior(graph, comparisons, prior * noise**0.5, notes, fitted=fitted)
        kept[:] = True
    ties = asked.ties
    if ties.has_cut and not wins.tie.any():
        ties, wins = HALF, replace(wins, tie=wins.tie[:0])
        among = "" if kept.all() else " among items with a finite rating"
        notes.info(
            f"There are no ties{among}, so {option('ties', asked.ties.name)} makes no difference."
        )
    if prior is None and len(wins.first):
        refuse_runaway(wins, ties, sided=asked.position, source=comparisons.source)
    covariates = standardised(asked.covariates, comparisons)
    sided = asked.position and bool(len(wins.first))
    return Prepared(
        comparisons=comparisons,
        played=played,
        options=asked,
        model=Model(wins, ties=ties, sided=sided, prior=prior, covariates=covariates.x),
        graph=graph,
        kept=kept,
        covariates=covariates,
        start=start_of(asked.start, comparisons),
        clusters=choose_clusters(asked.cluster, played),
        controls=choose_controls(asked.control, played, len(comparisons.items)),
        prior_fitted=fitted,
        noise=noise,
    )


def that_count(comparisons: Comparisons, asked: FitOptions) -> Comparisons:
    """Comparisons with a weight, after a look at their outcomes."""
    played = comparisons
    if asked.reliability and comparisons.rater is None:
        raise DataError(
            f"{comparisons.source}: {option('reliability')} needs to know who answered, and there "
            "is no rater column."
        )
    if comparisons.weight is not None and not comparisons.weight.all():
        played = comparisons.select(comparisons.weight > 0)
    if not len(comparisons):
        raise DataError(f"{comparisons.source}: no comparisons.")
    if not len(played):
        raise DataError(f"{comparisons.source}: every comparison has weight 0, so none counts.")
    check_outcomes(asked.ties, played)
    # Where cells are single comparisons, or sums are rounded, the order of rows would tell.
    rounded = asked.reliability or not has_exact_sums(played)
    # Robust errors add up pairs where that is all there is to a comparison, and rows elsewhere.
    by_row = asked.errors == ROBUST and (asked.ties.has_cut or not is_plain(played))
    return sort_rows(played) if rounded or by_row else played


def start_of(start: Any, comparisons: Comparisons) -> Floats | None:
    """Check ratings to start from."""
    if start is None:
        return None
    try:
        rating = np.asarray(start, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"{option('start')} must be ratings: numbers, one per item.") from None
    if rating.shape != comparisons.items.shape:
        raise OptionError(
            f"{option('start')} has {count(rating.size, 'rating')}, but there are "
            f"{count(len(comparisons.items), 'item')} in {comparisons.source}. Give one for each "
            "of comparisons.items."
        )
    return rating


def tell_of_prior(
    graph: Graph, comparisons: Comparisons, prior: float, notes: Notes, *, fitted: bool = False
) -> None:
    """Say what rests on the prior alone."""
    never = comparisons.items[~graph.compared].tolist()
    groups = graph.n_components - len(never)
    held = int((graph.compared & ~graph.finite).sum())
    if fitted and held:
        notes.caution(
            f"{held:,} of {count(int(graph.compared.sum()), 'item')} would have no finite rating: "
            "their comparisons are too few, or all went one way. All ratings are therefore drawn "
            f"towards the average, by a normal prior whose standard deviation, {prior:.3g} logits, "
            f"was fitted; {option('prior', NONE)} rates without it."
        )
        _name_unbeaten(graph, comparisons, notes)
    if fitted and 2 * len(comparisons) < FEW_EACH * int(graph.compared.sum()):
        notes.warning(
            "Most items were compared once, which does not tell how far items lie apart: ratings "
            "say who won, and intervals are as wide as the prior. Compare the items again, with "
            "other partners."
        )
    if groups > 1:
        notes.caution(
            f"The items fall into {groups:,} groups with no comparison between them; across "
            "groups ratings compare only as far as the prior is right that all groups have the "
            "same mean."
        )
    if never:
        notes.caution(
            f"{count(len(never), 'item')} never compared; the rating is that of the prior: "
            f"{some(never)}."
        )
    if held and not fitted:
        notes.caution(
            f"{count(held, 'rating')} would have no bound, or not be determined, but for the prior "
            f"(its standard deviation in logits: {prior:g})."
        )


def _name_unbeaten(graph: Graph, comparisons: Comparisons, notes: Notes) -> None:
    """Name items that won everything, or nothing."""
    for which, word in ((graph.undefeated, "undefeated"), (graph.winless, "winless")):
        names = [comparisons.items[i] for i in which]
        if names:
            met = comparisons.appearances[list(which)]
            least, most = int(met.min()), int(met.max())
            often = f"{least:,}" if least == most else f"{least:,} to {most:,}"
            notes.info(
                f"{count(len(names), 'item')} {word}, in {often} "
                f"{'comparison' if most == 1 else 'comparisons'} each: {some(names)}."
            )
