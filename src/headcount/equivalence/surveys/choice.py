"""How surveys are scored: all of them, or a sample."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount import options
from headcount.equivalence.combiners.base import Combiner, Learned
from headcount.equivalence.combiners.frequency import Frequency
from headcount.equivalence.combiners.states import States
from headcount.equivalence.inputs.choices import Settings
from headcount.equivalence.states.fit import FittedStates, can_fit
from headcount.equivalence.surveys.base import Design, Method, Scores
from headcount.equivalence.surveys.exact import Exact
from headcount.equivalence.surveys.many_items import ManyItems, are_many
from headcount.equivalence.surveys.sampled import Sampled
from headcount.equivalence.surveys.surveys import PooledItems, count_surveys
from headcount.errors import OptionError, count, option, some
from headcount.results.notes import Notes

__all__ = [
    "AUTO",
    "METHODS",
    "all_agree",
    "check_method",
    "choose_method",
    "few_for_labels",
    "largest_counted",
    "largest_supported",
    "note_agreed",
    "note_learning",
    "note_short",
    "note_support",
]

METHODS: dict[str, type[Exact] | type[Sampled]] = {m.name: m for m in (Exact, Sampled)}
"""Ways to score surveys, by name."""
AUTO = "auto"
"""Count all surveys if they can be counted, else sample them."""
MOST_NUMBERS = 20_000_000
"""Survey outcomes times labels that are counted at most."""
MOST_COUNTED = 4_000_000_000
"""Outcomes times labels squared, the time that counting takes, at most."""
MOST_HELD = 100_000_000
"""Sampled sets times items times labels, the memory that sampling takes, at most."""
MOST_COMPARED = 100_000_000_000
"""Sampled surveys times patterns times labels that a combiner that learns compares at most."""
AFFORDABLE = 2_000_000_000
"""The same, from which fewer sets of raters are drawn: some ten seconds of work."""
FEWEST_SETS = 10
"""Sets of raters of a size that are drawn at least."""
UNSUPPORTED = 0.2
"""Share of surveys without support from which learning is said to cost too much."""
REMEMBERED = 0.6
"""The same, above which surveys of many labels are left out: what follows them is smoothed too much
where raters agree, and judges look worth more than they are; docs/studies/survey.md."""
ITEMS_A_LABEL = 5
"""Items a label below which, of many labels, there is no worth; docs/studies/survey.md."""
SMOOTHED, MOST_SMOOTHED = 1, 2
"""Raters of a survey up to which what follows it is smoothed well enough: always, and at best."""


def check_method(method: Any) -> str:
    """Check the name of a method."""
    return options.one_of(method, "method", [AUTO, *METHODS])


def largest_counted(design: Design, settings: Settings) -> int:
    """Find the largest survey to score: of many labels, the largest of which all can be counted.

    What follows a survey that was sampled is not smoothed, and of many labels it is remembered.
    """
    pool = design.pools[0]
    if settings.method != AUTO or not _smooths(design):
        return pool.max_k
    outcomes = np.cumsum(count_surveys(pool.pool.patterns, pool.max_k))
    counted = int(np.searchsorted(outcomes, _most_outcomes(design), side="right")) - 1
    return pool.max_k if counted < SMOOTHED else min(pool.max_k, counted)


def _smooths(design: Design) -> bool:
    """Whether labels are so many that what follows surveys is smoothed."""
    combiner = design.combiner
    learns = combiner.bayesian and not combiner.leaves_out
    return learns and not can_fit(design.pools[0].pool.patterns)


def _most_outcomes(design: Design) -> int:
    """Count the outcomes of surveys up to which all are counted."""
    n_labels = design.reference.shape[1]
    return min(MOST_NUMBERS // n_labels, MOST_COUNTED // n_labels**2)


def choose_method(design: Design, settings: Settings, notes: Notes) -> Method:
    """Count all surveys if that is possible or asked for, else sample them."""
    method, samples = settings.method, settings.samples
    pools = design.pools
    outcomes = sum(count_surveys(p.pool.patterns, p.max_k).sum() for p in pools)
    n_labels = pools[0].pool.patterns.shape[1]
    too_many = outcomes > _most_outcomes(design)
    estimate = (
        f"surveys of up to {max(p.max_k for p in pools)} raters over {n_labels} labels have "
        f"{outcomes:,.0f} different outcomes, more than the {_most_outcomes(design):,} that are "
        "counted"
    )
    automatic = Sampled if too_many else Exact
    chosen = METHODS.get(method, automatic)
    if chosen.counts_all and too_many:
        raise OptionError(
            f"{estimate}. Ask for smaller surveys ({option('max_k', ...)}), or sample them "
            f"({option('method', Sampled.name)})."
        )
    if not chosen.counts_all and method == AUTO and _smooths(design):
        raise _refused(design, f", or use {option('combiner', Frequency.name)}")
    if not chosen.counts_all and design.weight is not None:
        raise OptionError(
            f"{estimate if too_many else f'surveys are to be sampled ({Sampled.name})'}, and items "
            "that are reduced where they are cannot be sampled one by one. Ask for smaller surveys "
            f"({option('max_k', ...)}), or read the data into memory "
            f"({option('engine', 'memory')})."
        )
    if not chosen.counts_all:
        samples = _affordable(design, samples)
        _check_sampling(design, samples)
        why, instead = (f"{estimate}; ", " instead") if too_many else ("", "")
        notes.caution(
            f"{why}up to {samples:,} sets of raters of each size were drawn{instead} (method "
            f"'{chosen.name}'), so that scores carry sampling error, which the intervals leave out."
        )
    if chosen is Exact and are_many(design):
        return ManyItems(design)
    return chosen(design, samples=samples, rng=settings.rng)


def _affordable(design: Design, samples: int) -> int:
    """Draw fewer sets of raters where many patterns of many labels make each of them dear."""
    if not design.combiner.bayesian:
        return samples
    return max(min(samples, AFFORDABLE // max(_compared(design), 1)), min(samples, FEWEST_SETS))


def _compared(design: Design) -> int:
    """Items times patterns times labels that one set of each size is compared with."""
    return sum(len(p.pattern) * p.pool.patterns.size * p.max_k for p in design.pools)


def _check_sampling(design: Design, samples: int) -> None:
    """Refuse what would take gigabytes or hours: many items, each with many of very many labels."""
    held = max(samples * len(p.pattern) * p.pool.patterns.shape[1] for p in design.pools)
    learns = design.combiner.bayesian
    if held <= MOST_HELD and not (learns and samples * _compared(design) > MOST_COMPARED):
        return
    instead = (
        ""
        if held > MOST_HELD
        else f", use {option('combiner', Frequency.name)}, or ask for smaller surveys "
        f"({option('max_k', 1)})"
    )
    raise _refused(design, instead)


def _refused(design: Design, instead: str) -> OptionError:
    """Say that labels are too many, and what to do about it."""
    items, labels = len(design.reference), design.reference.shape[1]
    return OptionError(
        f"{labels:,} labels are too many for surveys of up to "
        f"{max(pool.max_k for pool in design.pools)} raters of {items:,} items, counted or "
        f"sampled. Check that the label column is the right one ({option('label', ...)}), put "
        f"numbers into a few ranges first{instead}."
    )


def all_agree(pool: PooledItems) -> bool:
    """Whether the raters of every item give it the same label."""
    return bool(((pool.pool.patterns > 0).sum(axis=1) == 1).all())


def note_agreed(pool: PooledItems, notes: Notes) -> None:
    """Say that a rater tells all that there is to know, where raters never differ."""
    if all_agree(pool):
        notes.caution(
            "the raters of every item agree, so that one rater tells all that there is to know, "
            "and no classifier can be worth more than that."
        )


def note_short(pool: PooledItems, learned: Learned, notes: Notes) -> None:
    """Say where items that are not scored help to tell how item states are distributed."""
    fit: FittedStates | None = getattr(learned, "states", None)
    if fit is None or pool.short is None or len(fit.patterns) == len(pool.pool.patterns):
        return
    notes.info(
        f"{count(pool.n_short, 'item')} with too few ratings to be scored, but 2 or more, "
        "helped to tell how item states are distributed."
    )


def note_support(scoring: Method, combiner: str, notes: Notes) -> None:
    """Say how often a combiner that learns lacked support in the data themselves."""
    sizes = np.flatnonzero(scoring.helped)
    if len(sizes):
        shares = ", ".join(
            f"{share:{'.1%' if share < 0.1 else '.0%'}} of those of {k}"
            for k, share in zip(sizes.tolist(), scoring.helped[sizes].tolist(), strict=True)
        )
        notes.info(
            "surveys after which some label was never seen on another item, so that "
            f"{combiner} leans on the survey with one rater fewer: {shares}."
        )


def largest_supported(scoring: Method, design: Design) -> int:
    """Find the largest survey of which the data teach what follows, or 0.

    Where what followed is counted with the item in and out (many labels), surveys of one rater are
    smoothed well enough; those of two are, unless many of them were not seen on another item.
    """
    last = len(scoring.helped) - 1
    if not _smooths(design):
        return last
    remembered = np.flatnonzero(scoring.helped > REMEMBERED)
    seen = last if not len(remembered) else max(int(remembered[0]) - 1, SMOOTHED)
    return min(last, seen, MOST_SMOOTHED)


def few_for_labels(design: Design, notes: Notes) -> bool:
    """Say what many labels do to a worth; whether items are too few to tell it."""
    pool = design.pools[0]
    if not _smooths(design):
        return False
    labels = int(np.count_nonzero(pool.pool.patterns.any(axis=0)))
    if int(pool.multiplicity.sum()) < ITEMS_A_LABEL * labels:
        notes.warning(
            f"with {labels:,} labels these items are too few to learn what follows each of them: "
            f"it takes {ITEMS_A_LABEL} a label. Put labels into fewer groups."
        )
        return True
    if pool.max_k > SMOOTHED and design.classifiers:
        notes.caution(
            f"with {labels:,} labels what follows surveys of {pool.max_k} raters is learned from "
            f"few items: worths above {SMOOTHED} are approximate, more often too high than too "
            "low (in simulations 95% intervals covered the truth in 83% to 98% of data sets)."
        )
    learned = [c.name for c in design.classifiers if c.learning_error and not c.learned_from_few]
    if learned:
        notes.caution(
            f"with {labels:,} labels what raters say after each label is learned from few items; "
            f"intervals of {some(learned, 3)} allow for that, and are approximate (in simulations "
            "of 500 and more items 95% intervals covered the truth in 93% to 100% of data sets)."
        )
    return False


def note_learning(scoring: Method, combiner: Combiner, found: Scores, notes: Notes) -> bool:
    """Warn where what a combiner has not learned yet is booked as merit of classifiers."""
    if not combiner.leaves_out:
        return False
    curve = found.curves[0][0]
    falls = np.flatnonzero(np.diff(curve) < 0)
    large = np.flatnonzero(scoring.helped > UNSUPPORTED)
    if not len(falls) and not len(large):
        return False
    why = (
        f"{falls[0] + 1} raters score less than {falls[0]}"
        if len(falls)
        else f"after {scoring.helped[large[0]]:.0%} of surveys of {large[0]} some label was never "
        "seen on another item"
    )
    notes.warning(
        f"{combiner.name} had too few items to learn from ({why}), so that its curve is too low "
        "and classifiers seem worth more raters than they are. Use "
        f"{option('combiner', States.name)}."
    )
    return True
