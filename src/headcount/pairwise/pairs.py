"""Pairwise comparisons end to end: answers in, rated and labelled items out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.pairwise.answers.repeats import repeated_answers
from headcount.pairwise.answers.units import COMPARISON, Unit
from headcount.pairwise.bradley_terry.likelihood.covariates import ItemNumbers
from headcount.pairwise.bradley_terry.method import BRADLEY_TERRY
from headcount.pairwise.bradley_terry.priors import AUTO as AUTO_PRIOR
from headcount.pairwise.bradley_terry.standard_errors.clusters import AUTO
from headcount.pairwise.bradley_terry.standard_errors.kinds import ROBUST
from headcount.pairwise.bradley_terry.ties.base import TieModel
from headcount.pairwise.bradley_terry.ties.half import HALF
from headcount.pairwise.elo.orders import SHUFFLED
from headcount.pairwise.labelling.base import LabelRule
from headcount.pairwise.labelling.sign import SIGN
from headcount.pairwise.prepare import prepare
from headcount.pairwise.rating.provenance import fit_details, provenance
from headcount.pairwise.rating.rate import notes_on, rate
from headcount.pairwise.rating.rated_items import rated_items
from headcount.pairwise.rating.rating_method import AVERAGE, RatingMethod
from headcount.pairwise.result import PairsResult
from headcount.pairwise.scales import LOGIT, RatingScale
from headcount.typing import Progress, Seed

__all__ = ["pairs"]


def pairs(
    comparisons: Comparisons | Any,
    *,
    method: str | RatingMethod = BRADLEY_TERRY,
    ties: str | TieModel = HALF,
    position: bool = False,
    prior: float | str | None = AUTO_PRIOR,
    covariates: ItemNumbers | None = None,
    reliability: bool = False,
    errors: str = ROBUST,
    cluster: str | Sequence[str] = AUTO,
    control: str | Sequence[str] | None = None,
    ranks: str = AVERAGE,
    k: float | None = None,
    epochs: int | None = None,
    order: str = SHUFFLED,
    label: str | LabelRule = SIGN,
    anchors: Mapping[Any, str] | Iterable[Any] | Any | None = None,
    min_comparisons: int = 0,
    rater_weights: Mapping[Any, float] | Any | None = None,
    by_rater: bool = False,
    drop_spammers: bool = False,
    checks: Comparisons | Any | None = None,
    bootstrap: int = 0,
    by: str | Unit = COMPARISON,
    scale: str | RatingScale = LOGIT,
    level: float = 0.95,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> PairsResult:
    """Rate items from 'A or B?' answers, rank and label them, and judge the raters.

    Parameters
    ----------
    comparisons : Comparisons, or path or frame
        Or anything that :func:`headcount.read_comparisons` takes.
    method : {"bradley-terry", "plackett-luce", "elo"} or RatingMethod
        Maximum likelihood, or Elo: epochs in random order until ratings are stable. Plackett-Luce
        is Bradley-Terry for rankings, which are rated by it whichever of the two is named.
    ties, position, covariates, reliability
        Of Bradley-Terry: see :func:`headcount.bradley_terry`.
    prior : float, {"auto", "fitted", "none"} or None
        As there. "auto" fits a prior where so many ratings would have no bound that they cannot be
        set apart: of five items or more. It is in logits whatever the scale.
    errors : {"robust", "hessian"}
    cluster : str or sequence of str
    control : str or sequence of str, optional
        Of Bradley-Terry: see :func:`headcount.bradley_terry`. Columns are read from the file.
    ranks : {"average", "each"}
        Intervals of ranks that hold on average over items, with a set of items that may be first;
        or wider ones, that hold for each item (see :func:`headcount.stats.ranks.rank_intervals`).
    k : float, optional
        Elo's step, in units of the scale. Default: 0.1 logits.
    epochs : int, optional
        Elo's passes over the comparisons. Default: until ratings are stable.
    order : {"shuffled", "given"}
        Elo's order in a pass; "given" makes one pass unless `epochs` says otherwise.
    label : str or LabelRule
        "sign": above or below the average item of the component. "quantile:Q": above or below the
        Q quantile of the ratings. "anchors": above or below a cut that `anchors` make.
    anchors : mapping of item to side, items, path or frame; optional
        Items known to be "positive" or "negative", which are cut half way between their means; or
        items that lie at the "boundary", which is cut at their mean.
    min_comparisons : int
        Leave out items that are in fewer comparisons than this among those that are left; a note
        says how many.
    rater_weights : mapping of rater to weight, path or frame; optional
        How much each rater counts, for a crowd that should look like a population.
    by_rater : bool
        Judge the raters (see :func:`headcount.find_spammers`).
    drop_spammers : bool
        Judge the raters, rate again without those who answer at random, and tell what changed.
    checks : Comparisons, or path or frame, optional
        Pairs with a known answer, to judge raters by.
    bootstrap : int
        Bootstrap samples for intervals. 0: from standard errors (Elo: none).
    by : {"comparison", "rater"} or Unit
        What the bootstrap draws. The order of the rows changes no draw.
    scale : {"logit", "elo"} or RatingScale
        Ratings as natural log odds, or in points of which 400 make the odds 10 times larger.
    level : float
        Coverage of intervals, and confidence of the tests of raters.
    rng : int or Generator
    progress : callable, optional
        Called with the number of bootstrap samples done and the number in all.

    Returns
    -------
    PairsResult

    Notes
    -----
    Without a bootstrap, intervals of ratings are normal (Wald), or Student's with clusters. Those
    of ranks come from tests of all pairs of items.

    Examples
    --------
    >>> from headcount import Comparisons, pairs
    >>> left, right = "aababcab" * 5, "bcccaaba" * 5
    >>> outcome = ["left", "left", "left", "right", "left", "right", "left", "tie"] * 5
    >>> result = pairs(Comparisons.from_columns(left, right, outcome))
    >>> [(i.item, i.rating, i.label) for i in result.items][0]
    ('a', 0.4583 (-0.05252 to 0.9691), 'above')
    >>> result.probability("a", "c")
    0.7605 (0.5052 to 0.9081)
    """
    progress = options.callback(progress)
    task = prepare(
        comparisons,
        {
            "method": method,
            "ties": ties,
            "position": position,
            "prior": prior,
            "covariates": covariates,
            "reliability": reliability,
            "errors": errors,
            "cluster": cluster,
            "control": control,
            "ranks": ranks,
            "k": k,
            "epochs": epochs,
            "order": order,
            "label": label,
            "anchors": anchors,
            "min_comparisons": min_comparisons,
            "rater_weights": rater_weights,
            "by_rater": by_rater,
            "drop_spammers": drop_spammers,
            "checks": checks,
            "bootstrap": bootstrap,
            "by": by,
            "scale": scale,
            "level": level,
            "rng": rng,
        },
    )
    run = rate(task, progress)
    items = rated_items(run.used, run.rated, task.rule)
    return PairsResult(
        items=items,
        raters=None if run.judged is None else run.judged.raters,
        dropped=run.dropped,
        agreement=repeated_answers(run.used, level=task.settings.level),
        fit=fit_details(run.rated, run.used),
        provenance=provenance(task, run.rated, run.used, options.seed_number(rng)),
        notes=notes_on(task, run, items),
        rated=run.rated,
        compared=run.used,
    )
