"""How surveys are scored: all of them, or a sample."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount import options
from headcount.equivalence.surveys.base import Design, Method
from headcount.equivalence.surveys.exact import Exact
from headcount.equivalence.surveys.sampled import Sampled
from headcount.equivalence.surveys.surveys import count_surveys
from headcount.errors import OptionError, option
from headcount.results.notes import Notes

__all__ = ["AUTO", "METHODS", "check_method", "choose_method", "note_support"]

METHODS: dict[str, type[Exact] | type[Sampled]] = {m.name: m for m in (Exact, Sampled)}
"""Ways to score surveys, by name."""
AUTO = "auto"
"""Count all surveys if they can be counted, else sample them."""
MOST_NUMBERS = 20_000_000
"""Survey outcomes times labels that are counted at most."""


def check_method(method: Any) -> str:
    """Check the name of a method."""
    return options.one_of(method, "method", [AUTO, *METHODS])


def choose_method(
    design: Design, *, method: str, samples: int, rng: np.random.Generator, notes: Notes
) -> Method:
    """Count all surveys if that is possible or asked for, else sample them."""
    pools = design.pools
    outcomes = sum(count_surveys(p.pool.patterns, p.max_k).sum() for p in pools)
    n_labels = pools[0].pool.patterns.shape[1]
    too_many = outcomes * n_labels > MOST_NUMBERS
    estimate = (
        f"surveys of up to {max(p.max_k for p in pools)} raters over {n_labels} labels have "
        f"{outcomes:,.0f} different outcomes, more than the {MOST_NUMBERS // n_labels:,} that are "
        "counted"
    )
    automatic = Sampled if too_many else Exact
    chosen = METHODS.get(method, automatic)
    if chosen.counts_all and too_many:
        raise OptionError(
            f"{estimate}. Ask for smaller surveys ({option('max_k', ...)}), or sample them "
            f"({option('method', Sampled.name)})."
        )
    if not chosen.counts_all:
        why, instead = (f"{estimate}; ", " instead") if too_many else ("", "")
        notes.caution(
            f"{why}up to {samples:,} sets of raters of each size were drawn{instead} (method "
            f"'{chosen.name}'), so that scores carry sampling error, which the intervals leave out."
        )
    return chosen(design, samples=samples, rng=rng)


def note_support(scoring: Method, combiner: str, notes: Notes) -> None:
    """Say how often a combiner that learns lacked support in the data themselves."""
    sizes = np.flatnonzero(scoring.helped)
    if len(sizes):
        shares = ", ".join(f"{scoring.helped[k]:.2g} at k={k}" for k in sizes)
        notes.info(
            "share of surveys after which some label was never seen on another item, so that "
            f"{combiner} leans on the survey with one rater fewer: {shares}."
        )
