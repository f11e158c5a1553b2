"""Plackett-Luce as a way to rate items."""

from __future__ import annotations

from headcount.pairwise.bradley_terry.method import BradleyTerryMethod

__all__ = ["PLACKETT_LUCE", "PlackettLuceMethod"]


class PlackettLuceMethod(BradleyTerryMethod):
    """Bradley-Terry for rankings: of two items it is the same."""

    name = "plackett-luce"
    title = "Plackett-Luce"
    takes = frozenset({"prior", "errors", "cluster"})
    takes_rankings = True

    @property
    def refuses(self) -> str:
        """Begin a sentence on an option that the method does not take."""
        return "Rankings have no"


PLACKETT_LUCE = PlackettLuceMethod()
