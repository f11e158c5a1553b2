"""Elo ratings in words and in a table."""

from __future__ import annotations

from headcount.errors import count
from headcount.pairwise.drawing import ends
from headcount.pairwise.elo.orders import SHUFFLED
from headcount.pairwise.elo.records import EloRecord
from headcount.results.text import ALL, Page, Table

__all__ = ["elo_page"]

MOST_ITEMS = 20
"""Items that are printed: the first ten and the last ten."""


def elo_page(fit: EloRecord) -> Page:
    """Write the ratings, best first, and the passes that made them."""
    stable = {None: "", True: ", stable", False: ", not stable"}[fit.converged]
    how = "random order" if fit.order == SHUFFLED else "the order given"
    said = (
        f"Elo ratings of {count(len(fit.items), 'item')} after "
        f"{count(fit.n_comparisons, 'comparison')}, {count(fit.n_epochs, 'epoch')} in {how}{stable}"
    )
    shown, rest = ends(fit.best_first, MOST_ITEMS)
    body = [[str(fit.items[i]), f"{fit.ratings[i]:.4g}"] for i in shown]
    more = f"and {count(rest, 'more item')} in between{ALL}" if rest else ""
    rules = [MOST_ITEMS // 2] if rest else []
    p = fit.provenance
    foot = f"k = {p.k:g}; {p.denominator:g} points make the odds {p.base:.4g} times larger."
    table = Table(["item", "rating"], body, rules=rules, more=more)
    return Page([said], [table] if body else [], [foot])
