"""What `pairs` is given: data that are read, and options that are checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.data.facts import Facts
from headcount.engine.reductions.comparisons import count_comparisons
from headcount.engine.scans.comparisons import take_comparisons_scan
from headcount.engine.scans.memory_or_engine import unscanned
from headcount.errors import DataError, OptionError, option
from headcount.io.facts.item_facts import read_anchors, read_covariates
from headcount.io.load import sources_of, take_comparisons, take_facts
from headcount.pairwise.answers.min_comparisons import compared_often
from headcount.pairwise.answers.rater_weights import weigh_raters
from headcount.pairwise.answers.units import UNITS, Unit
from headcount.pairwise.bradley_terry.controls import control_columns
from headcount.pairwise.bradley_terry.prepare import check_control, check_covariates
from headcount.pairwise.bradley_terry.priors import check_prior
from headcount.pairwise.bradley_terry.standard_errors.clusters import (
    cluster_columns,
    uses_raters,
)
from headcount.pairwise.bradley_terry.standard_errors.kinds import ERRORS
from headcount.pairwise.bradley_terry.ties.catalogue import tie_model
from headcount.pairwise.choose_by_name import choose
from headcount.pairwise.elo.orders import ORDERS
from headcount.pairwise.labelling.base import LabelRule
from headcount.pairwise.labelling.catalogue import choose_rule
from headcount.pairwise.rating.catalogue import METHODS, method_for
from headcount.pairwise.rating.rating_method import RANKS, RatingMethod, Settings
from headcount.pairwise.scales import SCALES, RatingScale

__all__ = ["Task", "prepare"]

DEFAULTS = Settings()


@dataclass(frozen=True, eq=False, kw_only=True)
class Task:
    """What is asked of `pairs`.

    Parameters
    ----------
    comparisons : Comparisons
    method : RatingMethod
    settings : Settings
        How items are rated.
    rule : LabelRule
        How they are labelled.
    judges : bool
        Whether raters are judged.
    drops : bool
        Whether spammers are left out.
    checks : Comparisons or None
    rng : Generator
    """

    comparisons: Comparisons
    method: RatingMethod
    settings: Settings
    rule: LabelRule
    judges: bool
    drops: bool
    checks: Comparisons | None
    rng: np.random.Generator


def prepare(comparisons: Any, given: Mapping[str, Any]) -> Task:
    """Check the options of :func:`headcount.pairs`, by name, and take the data."""
    method = choose(given["method"], METHODS, RatingMethod, "method")
    settings = _settings(given)
    _check_method_takes(method, settings)
    check_covariates(given["covariates"], settings.prior)
    check_control(given["control"], prior=settings.prior, reliability=settings.reliability)
    if control_columns(settings.control) and settings.bootstrap:
        raise OptionError(
            f"{option('control')} has intervals of its own, and no bootstrap; leave "
            f"{option('bootstrap')} out."
        )
    if settings.by.name != DEFAULTS.by.name and not settings.bootstrap:
        raise OptionError(
            f"{settings.by.plural} are drawn by a bootstrap; say how often, as in "
            f"{option('bootstrap', 200)}."
        )
    drops = options.switch(given["drop_spammers"], "drop_spammers")
    judges = options.switch(given["by_rater"], "by_rater") or drops
    if given["checks"] is not None and not judges:
        raise OptionError(
            f"{option('checks')} judge raters; ask for that with {option('by_rater', True)} or "
            f"{option('drop_spammers', True)}."
        )
    rng = options.seed(given["rng"])
    checks = None if given["checks"] is None else take_comparisons(given["checks"], "checks")
    anchors = _read(given["anchors"], read_anchors, "anchors")
    covariates = _read(given["covariates"], read_covariates, "covariates")
    settings = replace(settings, covariates=covariates)
    data = _take(comparisons, settings, given, judges=judges)
    _check_added_up(data, method, settings, judges=judges)
    beside = (*sources_of(anchors, covariates), *(() if checks is None else checks.sources))
    data = replace(data, sources=(*data.sources, *beside))
    if judges or settings.reliability or settings.by.needs_raters:
        data = data.with_raters()
    if not len(data):
        raise DataError(f"{data.source}: no comparisons.")
    if given["rater_weights"] is not None:
        data = weigh_raters(data, given["rater_weights"])
    if data.ranking is not None:
        method = method_for(method, data)
        _check_method_takes(method, settings)
        _check_rankings(settings)
    data = compared_often(data, options.whole(given["min_comparisons"], "min_comparisons", least=0))
    return Task(
        comparisons=data,
        method=method,
        settings=settings,
        rule=choose_rule(given["label"], anchors, data.items),
        judges=judges,
        drops=drops,
        checks=checks,
        rng=rng,
    )


def _check_rankings(settings: Settings) -> None:
    """Refuse to draw rankings, whose errors are robust by themselves."""
    if settings.bootstrap:
        raise OptionError(
            "Rankings have robust errors, with each ranking for itself, and no bootstrap; leave "
            f"{option('bootstrap')} out."
        )


def _take(
    comparisons: Any, settings: Settings, given: Mapping[str, Any], *, judges: bool
) -> Comparisons:
    """Take comparisons, read them, or count them where they lie if they are large."""
    clusters, controls = cluster_columns(settings.cluster), control_columns(settings.control)
    scan = take_comparisons_scan(comparisons)
    if scan is None:
        comparisons = unscanned(comparisons, clusters=clusters, controls=controls)
        return take_comparisons(comparisons, clusters=clusters, controls=controls, reduced=True)
    raters = judges or settings.reliability or settings.by.needs_raters
    raters = raters or given["rater_weights"] is not None or uses_raters(settings.cluster)
    return count_comparisons(scan, clusters=clusters, controls=controls, raters=raters)


def _check_added_up(
    data: Comparisons, method: RatingMethod, settings: Settings, *, judges: bool
) -> None:
    """Refuse what needs answers one by one, where equal ones were added up."""
    needs = {
        "method": not method.takes_added_up,
        "by_rater": judges,
        "reliability": settings.reliability,
        "control": bool(control_columns(settings.control)),
    }
    for name, needed in needs.items():
        if data.times is not None and needed:
            raise OptionError(
                f"{data.source}: {option(name)} needs answers one by one, and equal ones were "
                "added up where they lie. Leave it out, or read the file into memory."
            )


def _read(given: Any, read: Callable[..., Facts[Any]], name: str) -> Any:
    """Read what is known of items if it is a file, which the result then names."""
    return take_facts(given, read, name) if isinstance(given, str | PathLike) else given


def _settings(given: Mapping[str, Any]) -> Settings:
    scale = choose(given["scale"], SCALES, RatingScale, "scale")
    k, epochs = given["k"], given["epochs"]
    if k is not None:
        k = options.number(k, "k", least=0, such_as=f"{0.1 * scale.per_logit:.3g}")
    return Settings(
        ties=tie_model(given["ties"]),
        position=options.switch(given["position"], "position"),
        prior=check_prior(given["prior"]),
        covariates=given["covariates"],
        reliability=options.switch(given["reliability"], "reliability"),
        errors=options.one_of(given["errors"], "errors", ERRORS),
        cluster=given["cluster"],
        control=given["control"],
        ranks=options.one_of(given["ranks"], "ranks", RANKS, "kind of ranks"),
        k=None if k is None else k / scale.per_logit,
        epochs=None if epochs is None else options.whole(epochs, "epochs", least=1),
        order=options.one_of(given["order"], "order", ORDERS),
        bootstrap=options.draws(given["bootstrap"]),
        by=choose(given["by"], UNITS, Unit, "by", "unit to draw"),
        scale=scale,
        level=options.level(given["level"]),
    )


def _check_method_takes(method: RatingMethod, settings: Settings) -> None:
    """Refuse options that mean nothing to the method."""
    particular = frozenset[str]().union(*(known.takes for known in METHODS)) - method.takes
    for name in sorted(particular):
        value, default = getattr(settings, name), getattr(DEFAULTS, name)
        if value is default or (isinstance(value, str) and value == default):
            continue
        other = next(known for known in METHODS if name in known.takes)
        instead = "" if method.takes_rankings else f", or use {option('method', other.name)}"
        raise OptionError(f"{method.refuses} {option(name)}; leave it out{instead}.")
