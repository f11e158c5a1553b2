"""How surveys are scored: all of them, or a sample."""

from __future__ import annotations

import numpy as np

from headcount.equivalence.combiners.combiners import Combiner
from headcount.equivalence.prepare import Selection
from headcount.equivalence.scorers.base import Scorer
from headcount.equivalence.surveys.exact import Scoring
from headcount.equivalence.surveys.sampled import Sampled
from headcount.equivalence.surveys.surveys import count_surveys
from headcount.errors import OptionError, unknown_name

__all__ = ["choose_method"]

METHODS = ("auto", "exact", "sampled")
MOST_NUMBERS = 20_000_000
"""Survey outcomes times labels that are counted at most."""


def choose_method(
    selected: Selection,
    combiner: Combiner,
    scorer: Scorer,
    *,
    method: str,
    samples: int,
    rng: np.random.Generator,
) -> tuple[Scoring | Sampled, str, list[str]]:
    """Count all surveys if that is possible or asked for, else sample them; add notes."""
    if method not in METHODS:
        raise unknown_name("method", method, METHODS)
    if samples < 1:
        raise OptionError(f"samples must be at least 1 set of raters, not {samples}.")
    pools = selected.pools()
    outcomes = sum(count_surveys(p.pool.patterns, p.max_k).sum() for p in pools)
    n_labels = selected.counts.shape[1]
    too_many = outcomes * n_labels > MOST_NUMBERS
    estimate = (
        f"surveys of up to {max(p.max_k for p in pools)} raters over {n_labels} labels have "
        f"{outcomes:,.0f} different outcomes, more than the {MOST_NUMBERS // n_labels:,} that are "
        "counted"
    )
    if method == "sampled" or (method == "auto" and too_many):
        why = f"{estimate}; " if too_many else ""
        notes = [
            f"{why}up to {samples:,} sets of raters of each size were drawn instead (method "
            "'sampled'), so that scores carry sampling error, which the intervals leave out."
        ]
        return Sampled(selected, combiner, scorer, samples=samples, rng=rng), "sampled", notes
    if too_many:
        raise OptionError(
            f"{estimate}. Ask for smaller surveys (--max-k), or sample them (--method sampled)."
        )
    scoring = Scoring(pools, selected.reference, selected.classifiers, combiner, scorer)
    return scoring, "exact", []
