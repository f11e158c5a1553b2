"""Coefficients against the share of items used, in sentences and a table."""

from __future__ import annotations

from headcount.agreement.by_share.records import SharePoint, ShareRecord
from headcount.agreement.phi.records import NAME, TITLE
from headcount.errors import count, percent
from headcount.results.text import Page, Table
from headcount.stats.estimate import Estimate

__all__ = ["page"]


def page(curve: ShareRecord) -> Page:
    """Say how far coefficients move with the share of items used."""
    points = sorted(curve.points, key=lambda point: point.share)
    body = [
        [
            f"{point.share:.0%}",
            f"{point.items:,}",
            *("undefined" if e.undefined else e.show(e.value) for e in point.coefficients.values()),
        ]
        for point in curve.points
    ]
    table = Table(["share", "items", *curve.titles.values()], body)
    made = [
        f"means of {count(curve.repeats, 'random subset')} per size; intervals in the frame "
        f"and the plot cover {percent(curve.provenance.level or 0)} of the subsets, and are not "
        "confidence intervals"
    ]
    if NAME in curve.titles:
        made.append(f"{TITLE}: mean of {curve.phi_repeats:,}, with the mean of its intervals")
    return Page([_headline(curve, points[0], points[-1])], [table], made)


def _headline(curve: ShareRecord, first: SharePoint, last: SharePoint) -> str:
    parts: list[str] = []
    for name, title in curve.titles.items():
        few, all_of_them = first.coefficients[name], last.coefficients[name]
        if few is all_of_them or all_of_them.undefined is not None:
            parts.append(f"{title} {_value(all_of_them)}")
        else:
            parts.append(f"{title} from {_value(few)} to {_value(all_of_them)}")
    if first is last:
        return f"on {last.share:.0%} of the items ({last.items:,}): {'; '.join(parts)}"
    return (
        f"from {first.share:.0%} of the items ({first.items:,}) to {last.share:.0%} "
        f"({last.items:,}): {'; '.join(parts)}"
    )


def _value(estimate: Estimate) -> str:
    if estimate.undefined is not None:
        return f"undefined ({estimate.undefined})"
    return estimate.show(estimate.value)
