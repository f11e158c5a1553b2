"""A Bradley-Terry fit in words and tables."""

from __future__ import annotations

import math

from headcount.errors import count, percent
from headcount.pairwise.bradley_terry.records import BradleyTerryRecord
from headcount.pairwise.bradley_terry.standard_errors.parameter import Parameter
from headcount.pairwise.drawing import ends
from headcount.results.text import ALL, Page, Table

__all__ = ["fit_page"]

MOST_ITEMS = 20
"""Items that are printed: the first ten and the last ten."""


def fit_page(fit: BradleyTerryRecord) -> Page:
    """Write the ratings, what else was fitted, and how."""
    blocks: list[Table | str] = [_table(fit), *_effects(fit)]
    return Page([_sentence(fit)], blocks, [_foot(fit)])


def _sentence(fit: BradleyTerryRecord) -> str:
    parts = [f"{fit.title} ratings of {count(len(fit.items), 'item')}"]
    unrated = int((~fit.finite).sum())
    if unrated:
        parts.append(f"{unrated:,} of them not finite")
    groups = int(fit.component.max(initial=0)) + 1
    if groups > 1:
        parts.append(count(groups, "component"))
    if not fit.converged:
        parts.append(f"NOT CONVERGED (gradient {fit.gradient:.2g})")
        return ", ".join(parts)
    best = fit.best_first[0]
    rating = fit.estimate(best)
    highest = (
        f"rated highest, {rating!r} logits" if rating.undefined is None else "above all others"
    )
    return ", ".join(parts) + (
        f": {fit.items[best]} is {highest}" if rating.value > -math.inf else ""
    )


def _table(fit: BradleyTerryRecord) -> Table:
    order = fit.best_first
    shown, rest = ends(order, MOST_ITEMS)
    groups = int(fit.component.max(initial=0)) > 0
    head = ["item", "rating", "standard error", f"{percent(fit.level)} interval"]
    head += ["group"] if groups else []
    body: list[list[str]] = []
    for i in shown:
        rating = fit.estimate(i)
        row = [str(fit.items[i]), rating.undefined or rating.show(rating.value)]
        error = float(fit.standard_error[i])
        row += ["" if math.isnan(error) else f"{error:.3f}", rating.interval()]
        body.append([*row, *([f"{fit.component[i] + 1}"] if groups else [])])
    more = f"and {count(rest, 'more item')} in between{ALL}" if rest else ""
    return Table(head, body, rules=[MOST_ITEMS // 2] if rest else [], more=more)


def _effects(fit: BradleyTerryRecord) -> list[str]:
    """Say what else was fitted."""

    def shown(parameter: Parameter) -> str:
        return repr(parameter.estimate(fit.level))

    lines: list[str] = []
    if fit.position is not None:
        lines.append(f"Position: being on the left adds {shown(fit.position)} logits")
    if fit.tie is not None:
        lines.append(f"Ties: {fit.tie_model.parameter} {shown(fit.tie)}")
    for name, parameter in zip(fit.covariates, fit.coefficients, strict=True):
        lines.append(f"{name}: a unit adds {shown(parameter)} logits")
    for name, parameter in zip(fit.controls, fit.control_effects, strict=True):
        lines.append(f"{name}: a standard deviation more adds {shown(parameter)} logits")
    if fit.slope is not None:
        lines.append(f"Each of {count(len(fit.slope), 'rater')} has a slope, 1 on average")
    return lines


def _foot(fit: BradleyTerryRecord) -> str:
    p = fit.provenance
    by = "" if p.n_raters is None else f" by {count(p.n_raters, 'rater')}"
    prior = "" if fit.prior is None else f" Prior of ratings: {fit.prior:g} logits."
    told = count(p.n_comparisons, "comparison")
    if p.n_rankings:
        told = count(p.n_rankings, "ranking")
    return (
        f"{told}{by}. Ratings are in logits, with mean 0; ties: "
        f"{fit.tie_model.title}.{prior} {count(fit.n_iter, 'Newton step')}; standard errors: "
        f"{fit.method}."
    )
