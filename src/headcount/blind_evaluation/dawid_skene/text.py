"""Dawid and Skene's fit in words."""

from __future__ import annotations

import numpy as np

from headcount.blind_evaluation.dawid_skene.records import DawidSkeneRecord
from headcount.errors import count
from headcount.results.text import ALL, Page, Table

__all__ = ["page_of"]

MOST_RATERS = 20
"""Raters that are printed, best first."""
MOST_LABELS = 6
"""Labels up to which raters' accuracy is printed by true label."""


def page_of(result: DawidSkeneRecord) -> Page:
    """Say how the fit went, how common labels are, and how good raters seem."""
    size = (
        f"{count(result.votes, 'vote')} on {count(len(result.items), 'item')} by "
        f"{count(len(result.raters), 'rater')}"
    )
    state = "converged after" if result.converged else "NOT converged after"
    passes = "1 pass" if result.n_iter == 1 else f"{result.n_iter:,} passes"
    kind = "weighted log-likelihood" if result.weighted else "log-likelihood"
    prior = ", ".join(f"{name} {_short(p)}" for name, p in result.prior.items())
    return Page(
        [
            f"Dawid-Skene: {size}, {state} {passes}",
            f"{kind} {result.log_likelihood:,.2f}; prior {prior}",
        ],
        [_raters(result)],
        ["right only if raters err independently of each other where the true label is the same"],
    )


def _raters(result: DawidSkeneRecord) -> Table:
    """How often raters are right, in all and where each label is true."""
    accuracy = result.accuracy
    best = sorted(result.raters, key=lambda name: -accuracy[name])
    labels = result.labels if len(result.labels) <= MOST_LABELS else ()
    body = [
        [
            name,
            _short(accuracy[name]),
            *(_short(p) for p in np.diag(result.confusion[name])[: len(labels)]),
        ]
        for name in best[:MOST_RATERS]
    ]
    rest = len(best) - MOST_RATERS
    return Table(
        ["rater", "accuracy", *labels],
        body,
        title="How often each rater is right: in all, and by true label",
        more=f"and {count(rest, 'more rater')}{ALL}" if rest > 0 else "",
    )


def _short(share: float) -> str:
    return f"{share:.2f}".removeprefix("0")
