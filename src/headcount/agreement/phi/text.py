"""Phi in sentences and a table."""

from __future__ import annotations

from typing import Literal

from headcount.agreement.phi.records import TITLE, PhiRecord
from headcount.errors import count, percent, probability
from headcount.results.text import Page, Table

__all__ = ["Verdict", "page", "summary", "verdict", "words"]

Verdict = Literal["agreement", "disagreement", "cannot tell", "withheld", "undefined"]


def verdict(phi: PhiRecord) -> Verdict:
    """Say what the interval says: agreement if it lies above 0, disagreement if below.

    It is no disagreement where ratings of an item are closer together than random ones.
    """
    if phi.withheld is not None:
        return "withheld"
    if phi.estimate.undefined is not None:
        return "undefined"
    low, high = phi.estimate.low, phi.estimate.high
    if low is None or high is None:
        return "agreement" if phi.unanimous else "cannot tell"
    if low > 0:
        return "agreement"
    return "disagreement" if high < 0 and not phi.closer else "cannot tell"


def words(phi: PhiRecord) -> str:
    """Write the verdict as a sentence."""
    if phi.withheld is not None:
        return f"{TITLE} is withheld, since its model does not fit: {phi.withheld}"
    if phi.estimate.undefined is not None:
        return f"{TITLE} is undefined: {phi.estimate.undefined}"
    interval = f"the {percent(phi.estimate.level or 0)} interval of Phi"
    answer = verdict(phi)
    if phi.unanimous:
        few = f", but on so few ratings that {interval} contains 0"
        in_full = "the raters of every item agree in full"
        return f"{answer}: {in_full}{few if answer == 'cannot tell' else ''}"
    if answer == "agreement":
        return f"{answer}: {interval} lies above 0, what ratings at random would give"
    if answer == "disagreement":
        return (
            f"{answer}: {interval} lies below 0; ratings of an item are further apart than at "
            "random"
        )
    if phi.agreed_by_these:
        return (
            f"for these raters agreement: their {interval.removeprefix('the ')} lies above 0, what "
            "ratings at random would give; for others like them so few raters cannot tell"
        )
    if phi.estimate.high is not None and phi.estimate.high < 0:
        return (
            f"{answer}: {interval} lies below 0, yet ratings of an item are closer together than "
            "random ones"
        )
    return (
        f"{answer}: {interval} contains 0; either there are too few ratings, or items differ in "
        "how much they are agreed on"
    )


def summary(phi: PhiRecord) -> str:
    """Write the verdict with where Phi most likely is, and how sure it is that it is above 0."""
    if phi.withheld is not None or phi.map is None or phi.p_positive is None:
        return f"{words(phi)}."
    sure = probability(phi.p_positive)
    return f"{TITLE}: {words(phi)}. Most likely {phi.map:.2f}; P({TITLE} > 0) {sure}."


def page(phi: PhiRecord) -> Page:
    """Say how much raters agree, by Phi."""
    if phi.estimate.undefined is not None:
        fitted = phi.fitted
        told = [f"what it gave all the same: {fitted!r}"] if fitted is not None else []
        return Page([words(phi)], told, [_made(phi)])
    e = phi.estimate
    interval = f", {percent(e.level or 0)} interval {e.interval()}" if e.low is not None else ""
    return Page([f"{TITLE} is {e.show(e.value)}{interval}", words(phi)], _tables(phi), [_made(phi)])


def _tables(phi: PhiRecord) -> list[Table | str]:
    rows = [
        ["posterior mode", phi.map],
        ["probability that Phi > 0", phi.p_positive],
        ["spread of central values (0 to 1)", phi.spread],
    ]
    body = [[str(name), f"{value:.3f}"] for name, value in rows if isinstance(value, float)]
    return [Table(["of the posterior", ""], body)] if body else []


def _made(phi: PhiRecord) -> str:
    p = phi.provenance
    scale = "continuous ratings" if phi.points is None else f"{phi.points:,} points"
    size = f"{count(p.n_ratings or 0, 'rating')} of {count(p.items_used, 'item')}"
    ends = "" if phi.limits is None else f" from {phi.limits[0]:g} to {phi.limits[1]:g}"
    return f"method '{phi.method}'; {scale}{ends}; {size}"
