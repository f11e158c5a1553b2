"""Agreement end to end: labels in, coefficients with intervals out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import cast

import numpy as np

from headcount import options
from headcount._version import __version__
from headcount.agreement.coefficients.catalogue import COEFFICIENTS
from headcount.agreement.coefficients.engine import BY_PAIR, BY_RATER, Engine
from headcount.agreement.coefficients.intervals import analytic
from headcount.agreement.coefficients.reasons import fallback, undefined
from headcount.agreement.phi.phi import phi
from headcount.agreement.phi.result import Method
from headcount.agreement.prepare import Setting, set_up
from headcount.agreement.result import AgreementResult, Provenance
from headcount.agreement.views import item_view, pair_view, rater_view, with_phi
from headcount.data.labels import Labels
from headcount.errors import OptionError, count, some, unknown_name
from headcount.results.notes import few_draws
from headcount.stats.estimate import Estimate
from headcount.typing import Floats

__all__ = ["agree"]

MOST_WORK = 10**9
"""Work, in multiplications, up to which coefficients of raters are resampled."""

FEW_SHARED = 20
"""Items that pairs of raters should share for a mean of their kappas to say much: with fewer, it
comes out low by .02 and more."""

LESS_BIAS = "percentile bootstrap less its bias"


def agree(
    labels: Labels,
    *,
    scale: str | None = None,
    coefficients: Collection[str] | None = None,
    bootstrap: int = 500,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    by_rater: bool = False,
    by_item: bool = False,
    limits: tuple[float, float] | None = None,
    method: str = "unbiased",
    gold: Mapping[object, float] | None = None,
    gold_sd: float | None = None,
) -> AgreementResult:
    """Find how much raters agree, and whether it is more than chance.

    Ratings may be missing anywhere, and items may have any number of raters. A coefficient that
    has no value on the data says why.

    Parameters
    ----------
    labels : Labels
        The ratings.
    scale : {"nominal", "ordinal", "interval", "ratio"}, optional
        What the labels are: names, names in order, numbers, numbers from 0 on of which ratios
        matter. Default: what the labels declare; else interval if they are more than two numbers
        (a note says so), else nominal.
    coefficients : collection of str, optional
        Names of those wanted; all by default. Those of pairs of raters (scott, cohen, ...) take
        the longest.
    bootstrap : int
        Number of bootstrap draws of items, the same for all coefficients. With 0, intervals are
        analytic where there are standard ones.
    level : float
        Coverage of the intervals.
    rng : int or Generator
        Seed or generator of the bootstrap.
    by_rater : bool
        Compare each rater with the others, and every two raters.
    by_item : bool
        List items, most contested first.
    limits, method, gold, gold_sd
        Of :func:`headcount.phi`, which is measured as well unless the scale is nominal.

    Returns
    -------
    AgreementResult

    Notes
    -----
    Each item with its counts is a label pattern; a resample of items is one multinomial draw over
    patterns, and a coefficient a small matrix product: O(draws x patterns). Scott's pi, Cohen's
    kappas and ICC(2,k) depend on who rated, and cost O(draws x pairs of ratings); where that is
    about 10^9 or more, their intervals are analytic, and a note says so. Draws in which a
    coefficient is undefined (every item drawn has the same label) are left out, and counted in a
    note.

    References
    ----------
    Krippendorff (2011), Fleiss (1971), Gwet (2008, 2014), Scott (1955), Cohen (1960, 1968), Shrout
    and Fleiss (1979): see docs/agreement.md.

    Examples
    --------
    >>> from headcount.agreement import agree
    >>> from headcount.agreement.paradoxes import paradox
    >>> result = agree(paradox("8a"), rng=1)
    >>> result["percent"], result["alpha"]
    (0.75 (0.625 to 0.875), 0.4733 (0.1988 to 0.724))
    >>> agree(paradox("2"))["alpha"]
    undefined: every rating is '1'
    """
    wanted = _check_options(coefficients, bootstrap, level)
    setting = set_up(labels, scale)
    generator = options.seed(rng)
    reasons = {name: undefined(setting, name) for name in wanted}
    engine = Engine(setting, [name for name, reason in reasons.items() if reason is None])
    values = engine.observed()
    for name, value in values.items():
        if np.isnan(value):
            reasons[name] = fallback(engine, name)
    values = {name: value for name, value in values.items() if reasons[name] is None}

    by_formula = analytic(engine, values, level)
    used = int(setting.patterns.multiplicity[setting.patterns.usable].sum())
    skipped = _too_much(engine, values, bootstrap)
    # Resampling one item gives that item again: an interval would be a point.
    draws = bootstrap if used > 1 else 0
    drawn = engine.bootstrap(draws, generator, leave_out=skipped)
    estimates: dict[str, Estimate] = {}
    for name, reason in reasons.items():
        if reason is not None:
            estimates[name] = Estimate(float("nan"), undefined=reason)
        else:
            plain = by_formula.get(name, Estimate(values[name]))
            # Means over pairs are low where pairs share few items, and in draws of them again.
            biased = name in BY_PAIR and len(engine.table) > 1
            estimates[name] = _estimate(plain, drawn.get(name, np.zeros(0)), level, biased=biased)

    provenance = _provenance(labels, setting, used, bootstrap, level, rng)
    notes = [
        *labels.notes,
        *(_mixed(setting) if scale is None else []),
        *_notes(setting, engine, provenance, values, skipped),
        *_lost_draws({name: draws for name, draws in drawn.items() if name in values}),
    ]
    shown_pairs = by_rater and any(reasons[name] is None for name in BY_PAIR if name in reasons)
    concentration = None
    if setting.scale != "nominal" and coefficients is None:
        concentration = phi(
            setting.ordered,
            limits=limits,
            method=cast(Method, method),
            gold=gold,
            gold_sd=gold_sd,
            level=level,
        )
        notes += [note for note in concentration.notes if note not in notes]
    elif method != "unbiased" or any(x is not None for x in (limits, gold, gold_sd)):
        raise OptionError(
            "limits, method and gold (--limits, --method, --gold, --gold-sd) are of Phi, which "
            + (
                "needs a scale with an order: say scale='interval' (--scale interval), or leave "
                "them out."
                if setting.scale == "nominal"
                else "is not measured where coefficients are chosen: see headcount.phi."
            )
        )
    contested = item_view(setting) if by_item else ()
    if concentration is not None:
        contested = with_phi(contested, concentration)
    return AgreementResult(
        coefficients=estimates,
        analytic=by_formula,
        assumptions={name: COEFFICIENTS[name].assumes for name in wanted},
        raters=rater_view(setting.labels, level) if by_rater else (),
        pairs=pair_view(engine, level) if shown_pairs else (),
        items=contested,
        provenance=provenance,
        notes=tuple(notes),
        phi=concentration,
    )


def _too_much(engine: Engine, values: dict[str, float], bootstrap: int) -> list[str]:
    """Coefficients that would take too long to resample."""
    work = {"icc2k": len(engine.setting.labels)}
    if engine.by_pair:
        # A pair of ratings costs a multiplication, a cell of the tables about forty.
        pairs = engine.setting.pairs_of_ratings + 40 * len(engine.table.key)
        work |= dict.fromkeys(BY_PAIR, pairs)
    return [n for n in values if n in BY_RATER and work[n] * bootstrap > MOST_WORK]


def _estimate(plain: Estimate, draws: Floats, level: float, *, biased: bool) -> Estimate:
    """Take the interval of the draws; where they are too few, the analytic one, if any.

    The bias of a biased coefficient shows in the draws, which are as far from the value as the
    value is from the truth: they are moved back by twice that.
    """
    known = draws[~np.isnan(draws)]
    if not len(known) or _too_few(len(known), len(draws)):
        return plain
    if not biased:
        return Estimate.from_draws(plain.value, known, level=level)
    moved = np.clip(known - 2 * (known.mean() - plain.value), -1, 1)
    return replace(Estimate.from_draws(plain.value, moved, level=level), method=LESS_BIAS)


def _too_few(known: int, draws: int) -> bool:
    """Whether a coefficient is undefined in too many of the draws for an interval from them."""
    return 2 * known < draws


def _lost_draws(drawn: Mapping[str, Floats]) -> list[str]:
    """Say in how many draws coefficients are undefined; those that share a number share a note."""
    alike: dict[tuple[int, int], list[str]] = {}
    for name, draws in drawn.items():
        if lost := int(np.isnan(draws).sum()):
            alike.setdefault((lost, len(draws)), []).append(COEFFICIENTS[name].title)
    notes: list[str] = []
    for (lost, total), titles in alike.items():
        left = f"undefined in {lost:,} of {total:,} bootstrap draws"
        if _too_few(total - lost, total):
            notes.append(f"{left}, too many for an interval from them: {'; '.join(titles)}.")
        else:
            notes.append(f"{left}, which intervals leave out: {'; '.join(titles)}.")
    return notes


def _notes(
    setting: Setting,
    engine: Engine,
    provenance: Provenance,
    values: dict[str, float],
    skipped: list[str],
) -> list[str]:
    notes: list[str] = []
    if setting.guessed:
        notes.append(
            f"the labels are {len(setting.labels.scale):,} numbers, so the scale is taken to be "
            "interval; say scale='nominal', 'ordinal' or 'ratio' (--scale) if it is another."
        )
    if ends := setting.stray_ends:
        notes.append(
            f"hardly any rating is {some(ends)}, but they make the scale twice as wide or more; "
            "distances are relative to its width, so that with them agreement looks higher. If "
            "they are mistakes, leave those ratings out."
        )
    names = setting.labels.scale.labels
    if setting.scale == "ordinal" and setting.sorted_words:
        notes.append(
            f"the labels are taken to be in the order of the alphabet: {some(names, 10)}; give "
            "theirs with labels=[...] (--labels) if it is another."
        )
    if provenance.items_unrated:
        notes.append(f"{count(provenance.items_unrated, 'item')} without a rating left out.")
    if provenance.items_single and provenance.items_used:
        notes.append(
            f"{count(provenance.items_single, 'item')} with one rating: no use for agreement, but "
            "used for how common labels are in fleiss, ac1 and ac2, and for variance in icc1 and "
            "icc2k."
        )
    if provenance.items_used == 1:
        notes.append("one item has two ratings or more: nothing can be said of other items.")
    p = setting.patterns
    alone = np.diff(p.start, append=len(p.label)) == 1
    if provenance.items_used > 1 and alone[p.usable].all():
        notes.append(
            "every item is unanimous: the intervals cannot show how likely disagreement is on "
            "other items."
        )
    notes += few_draws(provenance.bootstrap, provenance.level)
    if skipped:
        titles = "; ".join(COEFFICIENTS[name].title for name in skipped)
        notes.append(
            f"not resampled, for the number of ratings: {titles}. Their intervals are analytic "
            "where there are any."
        )
    return [*notes, *_pair_notes(engine, values)]


def _mixed(setting: Setting) -> list[str]:
    """Say which labels keep a scale of numbers from being one."""
    words = setting.stray_words if setting.scale == "nominal" else []
    if not words:
        return []
    return [
        f"the labels are numbers but for {some(words)}, so the scale is taken to be nominal; leave "
        "blank what is no answer, and it is interval."
    ]


def _pair_notes(engine: Engine, values: dict[str, float]) -> list[str]:
    names = [name for name in BY_PAIR if name in values]
    if not names or len(engine.table) < 2:
        return []
    notes: list[str] = []
    n = engine.table.shared
    if (shared := float(np.median(n))) < FEW_SHARED:
        notes.append(
            f"pairs of raters share few items (median {shared:g}), so means over pairs (scott, "
            "cohen) come out low; their intervals allow for that, and may lie above them. alpha "
            "and fleiss use all ratings together."
        )
    alone = int((n < 2).sum())
    if alone:
        notes.append(
            f"{alone:,} of {count(len(n), 'pair')} of raters share a single item; means over pairs "
            "leave them out."
        )
    kernel = engine.by_pair[names[0]]
    unknown = int(np.isnan(kernel(engine.table.count[None, :])).sum()) - alone
    if unknown:
        notes.append(
            f"{unknown:,} of {count(len(n), 'pair')} of raters gave one label only to the items "
            "that both rated; means over pairs leave them out."
        )
    return notes


def _provenance(
    labels: Labels,
    setting: Setting,
    used: int,
    bootstrap: int,
    level: float,
    rng: int | np.random.Generator,
) -> Provenance:
    per_item = setting.patterns.ratings[setting.patterns.pattern]
    rated = len(per_item)
    return Provenance(
        version=__version__,
        ratings=labels.source,
        items_used=used,
        items_single=rated - used,
        items_unrated=len(labels.items) - rated,
        n_ratings=len(labels),
        n_raters=int(np.count_nonzero(np.bincount(labels.rater))),
        ratings_per_item=(int(per_item.min()), float(np.median(per_item)), int(per_item.max())),
        labels=setting.labels.scale.labels,
        scale=setting.scale,
        scale_guessed=setting.guessed,
        bootstrap=bootstrap,
        level=level,
        seed=None if isinstance(rng, np.random.Generator) else int(rng),
        backend=labels.backend,
    )


def _check_options(
    coefficients: Collection[str] | None, bootstrap: object, level: float
) -> list[str]:
    """Check what was asked for, and return the names of coefficients in their usual order."""
    if not isinstance(bootstrap, int) or bootstrap < 0:
        raise OptionError(f"bootstrap (--bootstrap) must be 0 or more draws, not {bootstrap}.")
    if not 0 < level < 1:
        raise OptionError(f"level (--level) must lie between 0 and 1, such as .95, not {level:g}.")
    if coefficients is None:
        return list(COEFFICIENTS)
    if isinstance(coefficients, str):
        coefficients = [coefficients]
    for name in coefficients:
        if name not in COEFFICIENTS:
            raise unknown_name("coefficient", name, list(COEFFICIENTS))
    return [name for name in COEFFICIENTS if name in coefficients]
