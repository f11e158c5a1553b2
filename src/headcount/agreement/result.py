"""What :func:`headcount.agree` returns: its records, its text, its JSON and its frame."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount.agreement.coefficients import PREFERRED, recommended
from headcount.agreement.estimates import Coefficient, Sampling
from headcount.agreement.icc import ICC1
from headcount.agreement.prepare import Prepared, provenance_of
from headcount.agreement.rater_pairs import LimitsOfAgreement
from headcount.agreement.raters import FIXED, Scope
from headcount.agreement.recommendation import (
    BENCHMARKS,
    CHANCE,
    PHI,
    Report,
    as_papers,
    in_brackets,
    phi_against,
)
from headcount.agreement.scales import NOMINAL, SCALES
from headcount.data.labels import Labels
from headcount.data.vocabulary import number_of
from headcount.errors import count, percent, probability, unknown_name
from headcount.results.fields import MOST_ROWS, Record, json_value, listing, shown
from headcount.results.notes import Provenance
from headcount.results.result import ALL_ENTRIES, Page, Result, Screen, again, command
from headcount.results.tables import Table
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import RATERS_LIKE_THESE
from headcount.typing import Floats, Seed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from headcount.agreement.comparison import Retest
    from headcount.agreement.phi import PhiResult

__all__ = [
    "RESERVED",
    "AgreementProvenance",
    "RaterAgreement",
    "PairAgreement",
    "CategoryAgreement",
    "ItemDisagreement",
    "AgreementResult",
]


# What an analysis of agreement finds, as plain records.

RESERVED = (
    "phi", "these_raters", "holds_for", "report", "assumptions", "raters", "pairs",
    "categories", "items", "scale", "scale_guessed", "distance", "members", "labels",
    "retest", "n_items", "n_ratings", "n_raters", "ratings_per_item", "data", "bootstrap", "level",
    "seed", "version", "warnings", "cautions", "notes", "bland_altman",
)  # fmt: skip
"""Keys of the JSON document, besides the coefficients: no coefficient may be called so."""


@dataclass(frozen=True, kw_only=True)
class AgreementProvenance(Provenance):
    """How a result came about.

    Parameters
    ----------
    items_used, items_single, items_unrated : int
        Items with two ratings or more, with one, and with none.
    ratings_per_item : (int, float, int)
        Least, median and most, of the rated items.
    scale : str
        What the labels are taken for.
    scale_guessed : bool
    distance : str or None
        By which labels differ, where that is not by their scale: a distance of sets, or a caller's.
    members : tuple of str
        The labels that sets are made of; empty unless labels are sets.
    """

    items_single: int
    items_unrated: int
    ratings_per_item: tuple[int, float, int]
    scale: str
    scale_guessed: bool
    distance: str | None = None
    members: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, labels: Labels, data: Prepared, sampling: Sampling, *, seed: Seed
    ) -> AgreementProvenance:
        """Tell it of the labels as they came, and of what was made of them."""
        per_item, times = data.ratings.per_item, data.ratings.item_times
        of_all = provenance_of(
            labels,
            items_used=data.items_used,
            names=data.labels.scale.labels,
            level=sampling.level,
            bootstrap=sampling.draws,
            seed=seed,
        )
        return cls(
            **vars(of_all),
            items_single=data.labels.n_items - data.items_used,
            items_unrated=labels.n_items - data.labels.n_items,
            ratings_per_item=(int(per_item.min()), _median(per_item, times), int(per_item.max())),
            scale=data.scale.name,
            scale_guessed=data.guessed,
            distance=data.scale.title or None,
            members=tuple(data.categories) if data.scale.members else (),
        )


def _median(values: Floats, times: Floats) -> float:
    """Give the median of numbers that each stand for several."""
    order = np.argsort(values, kind="stable")
    up_to = np.cumsum(times[order])
    middle = np.searchsorted(up_to, [(up_to[-1] - 1) // 2, up_to[-1] // 2], side="right")
    return float(values[order][middle].mean())


def as_json(estimates: Mapping[str, Estimate]) -> dict[str, dict[str, Any]]:
    """Return the JSON form of each, with `undefined` also where it is null, and the method."""
    return {
        name: {**e.to_dict(), "undefined": e.undefined, "method": e.method}
        for name, e in estimates.items()
    }


class Measured(Record):
    """A record whose `agreement` is written with its method."""

    agreement: Estimate

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**super().to_dict(), **as_json({"agreement": self.agreement})}


@dataclass(frozen=True)
class RaterAgreement(Measured):
    """How far a rater agrees with the others on the same items.

    Parameters
    ----------
    rater : str or int
    ratings : int
        Ratings given.
    compared : int
        Of these, on items that somebody else rated too.
    agreement : Estimate
        Mean over those items of the share of the other raters who gave the same label.
    bias : float or None
        On a scale with an order, how much higher the rater's numbers (or places, on an ordinal
        scale) are than the mean of the others' on the same items, on average.
    consistency : float or None
        On such a scale, the correlation of the two: high for a rater who is always two higher.
    """

    rater: str | int = field(metadata=shown("rater", str))
    ratings: int = field(metadata=shown("ratings"))
    compared: int
    agreement: Estimate = field(metadata=shown("agreement"))
    bias: float | None = field(
        default=None, metadata=shown("bias", lambda x: f"{round(x, 2) + 0.0:+.2f}")
    )
    consistency: float | None = field(default=None, metadata=shown("consistency", ".2f"))


@dataclass(frozen=True)
class PairAgreement:
    """How far two raters agree on the items that both rated.

    Percent agreement and the means over pairs that were asked for, by name in `coefficients`.
    """

    a: str | int
    b: str | int
    items: int
    coefficients: dict[str, Estimate]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"a": self.a, "b": self.b, "items": self.items, **as_json(self.coefficients)}


@dataclass(frozen=True, kw_only=True)
class CategoryAgreement(Measured):
    """How far raters agree on one label against all others.

    Parameters
    ----------
    label : str
    share : float
        Of all ratings.
    agreement : Estimate
        Krippendorff's alpha of this label against the others; or why there is none.
    """

    label: str = field(metadata=shown("label"))
    share: float = field(metadata=shown("share of ratings", ".1%"))
    agreement: Estimate = field(metadata=shown(PREFERRED.title))


@dataclass(frozen=True, kw_only=True)
class ItemDisagreement(Record):
    """How contested an item is.

    Parameters
    ----------
    item : str or int
    ratings : int
    disagreement : float
        Mean distance of two of its ratings, as AC2 measures it on the scale, from 0 to 1: on a
        nominal scale the share of pairs that differ.
    entropy : float
        Of the labels given, in bits.
    counts : dict
        How often each label was given.
    said : dict
        What each rater said; empty where nobody knows who they are.
    """

    item: str | int
    ratings: int
    disagreement: float
    entropy: float
    counts: dict[str, int]
    said: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AgreementResult(Result):
    """Coefficients of agreement with intervals, and who and what disagrees.

    ``result["alpha"]`` is a coefficient.

    Parameters
    ----------
    kinds : mapping of str to Coefficient
        The coefficients that were computed, by name.
    coefficients : mapping of str to Estimate
        Their values, by name. An undefined value says why. `scope` says whether intervals hold for
        raters like these.
    these_raters : mapping of str to Estimate
        The same values with intervals for these raters, by the bootstrap of items or analytic, as
        their `method` says.
    bare : frozenset of str
        Means over pairs of raters that share too few items for an interval.
    scope : Scope
        For which raters the intervals of `coefficients` hold, and why.
    report : Report or None
        Which coefficient to report, with its interval and the sentence for a paper; None if none is
        defined.
    raters : tuple of RaterAgreement
        Each rater against the others, lowest agreement first; empty without `by_rater`.
    pairs : tuple of PairAgreement
        All pairs of raters who share an item; empty without `by_rater`.
    categories : tuple of CategoryAgreement
        Each label against the others, lowest agreement first; empty without `by_category`.
    items : tuple of ItemDisagreement
        Items, most contested first; empty without `by_item`.
    phi : PhiResult or None
        Phi with its posterior; None on a nominal scale, or if you chose coefficients.
    retest : Retest or None
        How far raters agree with themselves; None unless second ratings were read.
    bland_altman : LimitsOfAgreement or None
        How two raters differ on a scale of numbers; None for others.
    chosen : bool
        Whether the caller chose the coefficients.
    details : bool
        Whether the text shows everything.
    provenance : AgreementProvenance
        Data, options and version.
    notes : tuple of Note
        What was guessed or left out, and limits of the result, in sentences.

    Examples
    --------
    >>> from headcount import agree
    >>> result = agree("example:stars", bootstrap=50)
    >>> round(result["alpha"].value, 3)
    0.676
    """

    provenance: AgreementProvenance
    kinds: Mapping[str, Coefficient]
    coefficients: Mapping[str, Estimate]
    these_raters: Mapping[str, Estimate]
    bare: frozenset[str]
    scope: Scope
    report: Report | None
    raters: tuple[RaterAgreement, ...] = ()
    pairs: tuple[PairAgreement, ...] = ()
    categories: tuple[CategoryAgreement, ...] = ()
    items: tuple[ItemDisagreement, ...] = ()
    phi: PhiResult | None = None
    retest: Retest | None = None
    bland_altman: LimitsOfAgreement | None = None
    chosen: bool = False
    details: bool = False

    def holds_for(self, name: str) -> str:
        """For whom the interval of a coefficient holds, in words."""
        alone = self.scope.crossed and self.coefficients[name] is self.these_raters[name]
        return FIXED.words if alone else self.scope.words

    def __getitem__(self, name: str) -> Estimate:
        if name not in self.coefficients:
            raise unknown_name("coefficient", name, list(self.coefficients))
        return self.coefficients[name]

    @property
    def assumptions(self) -> dict[str, str]:
        """What each coefficient assumes, by name."""
        return {name: kind.assumes for name, kind in self.kinds.items()}

    def screen(self) -> Screen | None:
        """Say how much raters agree, for whom that holds, and what to do next."""
        asked = [part for part in (self.raters, self.categories, self.items) if part]
        if self.details or self.retest is not None or len(asked) > 1 or self.report is None:
            return None
        report, answer = self.report, _answer(self, self.report)
        if asked:  # the table is what was asked for
            return Screen(answer[:1], self._asked()[0], data=_data(self))
        return Screen(answer, _beside(self, report), data=_data(self), next=_next(self, report))

    def _asked(self) -> list[Table]:
        """Tables that were asked for: of raters and pairs of them, of labels and of items."""
        level = percent(self.provenance.level or 0)
        tables = [_raters(self)] if self.raters else []
        tables += [_pairs(self)] if self.pairs else []
        if self.categories:
            table = listing(
                self.categories,
                interval=f"{level} interval {self.scope.words}",
                title="each label against all others, lowest agreement first",
                most=len(self.categories),
            )
            in_full = any(each.agreement.value == 1 for each in self.categories)
            tables.append(replace(table, more=IN_FULL if in_full else ""))
        return [*tables, *([_items(self)] if self.items else [])]

    def page(self) -> Page:
        """Say which coefficient to report, what others say, and who and what disagrees."""
        blocks: list[Table | str] = []
        level, report = self.provenance.level or 0, self.report
        undefined = next(iter(self.coefficients.values())).undefined
        answer = [f"Agreement between raters cannot be measured: {undefined}."]
        if self.provenance.n_raters == 1:
            answer.append("Give the files of the other raters as well.")
        if report is not None:
            answer = _answer(self, report)
            if report.at_least:
                marks = [f"{least:g}".lstrip("0") for least in report.at_least]
                chances = zip(marks, report.at_least.values(), strict=True)
                told = [f"P({report.name} >= {mark}) {probability(p)}" for mark, p in chances]
                whose = f"{report.holds_for}, from the same distribution as the interval"
                blocks.append(f"{'; '.join(told)}, {whose}.")
            blocks += _coefficients(self)
            each = [f"{self.kinds[name].title}: {why}" for name, why in report.others.items()]
            blocks += [f"{'. '.join(each)}."] if each else []
        blocks += _undefined(self)
        blocks += _phi(self)
        if self.retest is not None:
            from headcount.agreement.comparison import retest_blocks

            blocks += retest_blocks(self.retest, level)
        if self.bland_altman is not None:
            blocks.append(_limits(self.bland_altman, level))
        return Page(answer, [*blocks, *self._asked()], _foot(self))

    def drawn(self) -> dict[str, list[Any]]:
        """Return the rows that the plot shows: coefficients, and Phi."""
        columns = self.columns()
        shown = [kind in ("coefficient", "phi") for kind in columns["kind"]]
        return {name: list(compress(values, shown)) for name, values in columns.items()}

    def columns(self) -> dict[str, list[Any]]:
        """Return one row per coefficient, then Phi, raters, pairs of raters and items.

        Columns `kind` ("coefficient", "phi", "rater", "difference", "pair", "category" or "item"),
        `name` (of a coefficient,
        a rater, two raters or an item), `title` (what is measured), `value`, `low`, `high` (None
        where there is none), `method`, `undefined`, `chance` and `assumes`. A pair has a row for
        each of its coefficients. Raters, pairs and items are there if they were asked for.
        """
        kinds = {kind.name: kind for kind in recommended()} | dict(self.kinds)
        rows = [_row("coefficient", n, e, kinds[n]) for n, e in self.coefficients.items()]
        if self.phi is not None:
            rows.append(_row("phi", "phi", self.phi.estimate, PHI) | {"chance": CHANCE})
        others = "agreement with the others"
        rows += [_row("rater", r.rater, r.agreement, others) for r in self.raters]
        if (two := self.bland_altman) is not None:
            name = f"{two.a} – {two.b}"
            rows += [_row("difference", name, e, title) for title, e in two.rows.items()]
        for pair in self.pairs:
            name, values = f"{pair.a} – {pair.b}", pair.coefficients
            rows += [_row("pair", name, e, kinds[of]) for of, e in values.items()]
        on_label = "agreement on this label"
        rows += [_row("category", c.label, c.agreement, on_label) for c in self.categories]
        rows += [_row("item", i.item, Estimate(i.disagreement), "disagreement") for i in self.items]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def document(self) -> dict[str, Any]:
        """Return what is particular to agreement in JSON; each coefficient is a key."""
        p = self.provenance
        low, median, high = p.ratings_per_item
        parts = ("bland_altman", "retest", "raters", "pairs", "categories", "items")
        of_labels = (
            "scale", "scale_guessed", "distance", "members", "labels", "n_ratings", "n_raters"
        )  # fmt: skip
        return {
            **{
                name: {**form, "holds_for": self.holds_for(name)}
                for name, form in as_json(self.coefficients).items()
            },
            "phi": None if self.phi is None else self.phi.document(),
            "report": None if self.report is None else _report(self.report),
            "holds_for": self.scope.words,
            "these_raters": as_json(self.these_raters),
            "assumptions": self.assumptions,
            **{name: json_value(getattr(self, name)) for name in parts},
            **{name: json_value(getattr(p, name)) for name in of_labels},
            "n_items": {"used": p.items_used, "single": p.items_single, "unrated": p.items_unrated},
            "ratings_per_item": {"min": low, "median": median, "max": high},
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw coefficients with their intervals, or what was asked for (needs matplotlib).

        Raters are drawn if they were compared; of two raters on a scale of numbers, their
        differences (Bland and Altman). Phi's posterior is drawn by ``result.phi.plot()``.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from headcount.agreement.plot import draw

        return draw(self, ax)


IN_FULL = "1.000: raters agree in full, so that there is no interval"


# The first screen: the answer, a table of what says something else, and the next step.

WIDE = 0.3
"""Width of an interval from which on more items are the next step."""


def _answer(result: AgreementResult, report: Report) -> list[str]:
    """Give the answer with its interval, why it is low, and the sentence for a paper."""
    e = report.estimate
    value = f"{report.title} = {as_papers(e.value)}"
    if report.too_small is not None:
        answer = f"{value}, without an interval, since {report.too_small}"
    elif e.low is None:
        answer = f"{value}, without an interval"
    else:
        about = f"{in_brackets(e)}{' (approximate)' if report.approximate else ''}"
        answer = f"{value}, {about} {report.holds_for}"
        answer += f": {report.grade or report.verdict}" if report.grade or report.verdict else ""
    lines = [f"{answer}.", *([f"{report.why_low}."] if report.why_low else [])]
    preferred = result.coefficients.get(PREFERRED.name)
    if preferred is not None and preferred.undefined is not None:
        lines.append(f"{PREFERRED.title} is undefined: {preferred.undefined}.")
    return [*lines, f'Paper: "{report.sentence}"']


def _beside(result: AgreementResult, report: Report) -> Table | None:
    """List the coefficients that say something else, with what each says."""
    rows = [
        (result.kinds[n].title, result.coefficients[n], why) for n, why in report.others.items()
    ]
    if result.chosen:
        named = (n for n in result.coefficients if n not in (report.name, *report.others))
        rows += [(result.kinds[n].title, result.coefficients[n], "") for n in named]
    if (two := result.bland_altman) is not None:
        limits = {name.removesuffix(" of agreement"): e for name, e in two.rows.items()}
        rows += [(name, e, f"{two.a} minus {two.b}") for name, e in limits.items()]
    if not rows:
        return None
    # Of another kind than that of the headline, an interval is left to the details.
    these = list(result.these_raters.values()) if report.estimate.method == CROSSED else []

    def interval(e: Estimate) -> str:
        apart = report.too_small is not None or any(e is each for each in these)
        return "" if apart or e.low is None else f"[{written(e.low)}, {written(e.high)}]"

    written = as_papers if all(abs(e.value) <= 1 for _, e, _ in rows if not e.undefined) else _plain
    values = ["undefined" if e.undefined else written(e.value) for _, e, _ in rows]
    body = [
        [row[0], value, interval(row[1]), row[2]] for row, value in zip(rows, values, strict=True)
    ]
    head = ["", "value", f"{percent(result.provenance.level or 0)} CI", "note"]
    if not any(row[2] for row in body):
        head, body = [*head[:2], head[3]], [[*row[:2], row[3]] for row in body]
    raters = result.provenance.n_raters
    few = result.scope.few and raters is not None and len(head) == 4
    why = f"with {count(raters or 0, 'rater')} intervals are rough"
    return Table(head, body[:MOST_BESIDE], more=why if few else "")


SAME = 1e-9
"""Difference below which two coefficients are equal by definition, but for rounding."""
CROSSED = RATERS_LIKE_THESE.name
MOST_BESIDE = 12
"""Rows of the first screen's table, at most."""


def _plain(x: float | None) -> str:
    return f"{x or 0.0:.2f}"


ENOUGH_ITEMS = 50
"""Items that more raters should rate, to show how raters differ."""


def _next(result: AgreementResult, report: Report) -> list[str]:
    """Say what to do next: more items where the interval is wide; else look at what disagrees."""
    e = report.estimate
    sources, marks = result.provenance.sources, list(BENCHMARKS)
    if e.low is None or e.high is None or report.name != PREFERRED.name:
        return []
    if e.low < marks[0] < e.high and e.high - e.low > WIDE and len(sources) == 1:
        # Three raters hardly say more of others on more items.
        if report.these_raters is None:
            plan = command("plan_agreement", sources[0].name, half_width=0.1)
            return [f"have more items rated: {plan}"]
        items = min(ENOUGH_ITEMS, result.provenance.items_used)
        more = result.provenance.n_raters or 0
        return [f"have {more} more raters rate at least {items} of these items."]
    if e.low >= marks[1] or result.provenance.n_ratings is None:
        return []
    return [f"see which items are contested: {again(by_item=True)}"]


def _data(result: AgreementResult) -> str:
    """Say what the answer rests on."""
    p = result.provenance
    by = "anonymous raters" if p.n_raters is None else count(p.n_raters, "rater")
    few = f" ({p.items_single:,} with one rating)" if p.items_single else ""
    return f"{count(p.items_used + p.items_single, 'item')}{few}, {by}"


# An analysis of agreement in sentences and tables.

MOST_ITEMS = 8
"""Items that are printed."""
MOST_SAID, FEW_COLUMNS, WIDEST = 44, 4, 20
"""Columns of what everybody said of an item, at most."""


def _phi(result: AgreementResult) -> list[str]:
    """Say what Phi says, unless a warning has, or ratings are too few for either."""
    phi, report = result.phi, result.report
    if phi is None or (report is not None and report.too_small is not None):
        return []
    against = phi_against(result.kinds, result.coefficients, result.these_raters, phi)
    return [] if against else [phi.summary]


def _undefined(result: AgreementResult) -> list[str]:
    """Say which coefficients have no value; those with the same reason share a sentence."""
    # Where there is no report, the headline has said why.
    if result.report is None:
        return []
    alike: dict[str, list[str]] = {}
    for name, e in result.coefficients.items():
        if e.undefined is not None:
            alike.setdefault(e.undefined, []).append(result.kinds[name].title)
    sentences = [f"undefined ({why}): {'; '.join(titles)}." for why, titles in alike.items()]
    few = [result.kinds[n].title for n in result.coefficients if n in result.bare]
    if few:
        sentences.append(
            f"not shown, since pairs of raters share too few items for a mean over pairs to say "
            f"much: {'; '.join(few)}."
        )
    return sentences


def _coefficients(result: AgreementResult) -> list[Table | str]:
    """List all coefficients of use for the scale; those that are equal by definition once."""
    defined = [n for n, e in result.coefficients.items() if e.undefined is None]
    if result.provenance.scale == NOMINAL.name and not result.chosen:
        defined = [n for n in defined if not isinstance(result.kinds[n], ICC1)]
    rows: list[tuple[str, Estimate, Estimate]] = []
    same: dict[str, list[str]] = {}
    for n in (n for n in defined if n not in result.bare):
        title, e, these = result.kinds[n].title, result.coefficients[n], result.these_raters[n]
        # One without an interval does not stand for one that has it.
        near = [(t, x) for t, x, _ in rows if abs(x.value - e.value) < SAME]
        twin = next((t for t, x in near if (x.low is None) == (e.low is None)), None)
        if twin is None or result.chosen:
            rows.append((title, e, these))
        else:
            same.setdefault(twin, []).append(title)
    phi = result.phi
    if phi is not None and phi.estimate.undefined is None:
        rows.append((PHI, phi.estimate, phi.these_raters or phi.estimate))
    report, scope = result.report, result.scope
    level = percent(result.provenance.level or 0)
    too_small = report is not None and report.too_small is not None
    if too_small or not any(e.low is not None for _, e, _ in rows):
        head, body = ["coefficient", "value"], [[title, e.show(e.value)] for title, e, _ in rows]
    elif scope.crossed:
        head = ["coefficient", "value", f"{level} interval {scope.words}", FIXED.words]
        # What has no interval for raters like these has one for these raters alone.
        body = [
            [title, e.show(e.value), "" if e is these else e.interval(), these.interval()]
            for title, e, these in rows
        ]
    else:
        head = ["coefficient", "value", f"{level} interval {scope.words}"]
        body = [[title, e.show(e.value), e.interval()] for title, e, _ in rows]
    equal = "; ".join(", ".join((twin, *twins)) for twin, twins in same.items())
    return [Table(head, body), *([f"The same value here: {equal}."] if equal else [])]


def _limits(two: LimitsOfAgreement, level: float) -> Table:
    """List the limits of agreement of two raters."""
    return Table(
        ["", "value", f"{percent(level)} interval"],
        [[name, e.show(e.value), e.interval()] for name, e in two.rows.items()],
        title=(
            f"{two.a} minus {two.b}, on {count(two.items, 'item')} (Bland and Altman); 95% of "
            "differences lie between the limits"
        ),
    )


def _raters(result: AgreementResult) -> Table:
    first, titles = "lowest agreement first", {}
    if any(rater.bias is not None for rater in result.raters):
        first = "least consistent first; consistency: correlation with the others; "
        first += "bias: how much higher on average"
        titles = {"agreement": "same label"}
    over = " (for these raters)"
    interval = f"{percent(result.provenance.level or 0)} interval"
    measured = all(rater.agreement.undefined is not None for rater in result.raters)
    table = listing(
        result.raters,
        interval=interval,
        title=f"each rater against the others, {first}{'' if measured else over}",
        noun="rater",
        titles=titles,
    )
    if not measured:
        return table
    # Of measurements hardly any two are the same.
    kept = [i for i, name in enumerate(table.head) if name not in (interval, "same label")]
    body = [[row[i] for i in kept] for row in table.body]
    return replace(table, head=[table.head[i] for i in kept], body=body)


def _pairs(result: AgreementResult) -> Table:
    kinds = {kind.name: kind for kind in recommended()} | dict(result.kinds)
    listed = [kinds[name] for name in result.pairs[0].coefficients]
    shown = [kind for kind in listed if kind.brief]
    scale = SCALES.get(result.provenance.scale)
    if scale is not None and scale.ordered:
        shown = [kind for kind in listed if not kind.nominal or not kind.corrected]
    body = [
        [
            f"{pair.a} – {pair.b}",
            f"{pair.items:,}",
            *(
                "" if (e := pair.coefficients[kind.name]).undefined else e.show(e.value)
                for kind in shown
            ),
        ]
        for pair in result.pairs[:MOST_ROWS]
    ]
    return Table(
        ["raters", "items", *(kind.title for kind in shown)],
        body,
        title="every two raters, on the items that both rated, worst first",
        more=_more(len(result.pairs), "pair"),
    )


def _items(result: AgreementResult) -> Table:
    head = ["item", "disagreement", "labels"]
    shown = result.items[:MOST_ITEMS]
    raters = list(dict.fromkeys(rater for i in result.items for rater in i.said))
    if 0 < len(raters) <= FEW_COLUMNS:
        head[2:] = raters
        said = [[_cut(i.said.get(rater, ""), WIDEST) for rater in raters] for i in shown]
    else:
        said = [[_labels(i)] for i in shown]
    body = [[str(i.item), f"{i.disagreement:.3f}", *s] for i, s in zip(shown, said, strict=True)]
    return Table(
        head,
        body,
        title="items, most contested first; disagreement: mean distance of two ratings, 0 to 1",
        more=_more(len(result.items), "item", MOST_ITEMS),
    )


def _labels(item: ItemDisagreement) -> str:
    """Say who gave each label, if that fits; else how often each was given."""
    who: dict[str, list[str]] = {}
    for rater, label in item.said.items():
        who.setdefault(label, []).append(rater)
    answers = "; ".join(f"{label}: {', '.join(raters)}" for label, raters in who.items())
    if item.said and len(answers) <= MOST_SAID:
        return answers
    counts = ", ".join(f"{label} ({n} x)" for label, n in item.counts.items())
    return _cut(counts, MOST_SAID)


def _cut(text: str, most: int) -> str:
    return textwrap.shorten(text, most, placeholder=" …")


def _more(total: int, noun: str, most: int = MOST_ROWS) -> str:
    rest = total - most
    return f"and {count(rest, f'more {noun}')}{ALL_ENTRIES}" if rest > 0 else ""


def _foot(result: AgreementResult) -> list[str]:
    p = result.provenance
    low, median, high = p.ratings_per_item
    each = f"{low} ratings each" if low != 1 else "1 rating each"
    if low < high:
        each = f"{low} to {high} ratings each (median {median:g})"
    items = p.items_used + p.items_single
    few = f" ({p.items_single:,} with one rating)" if p.items_single else ""
    intervals = _methods(result)
    by = "anonymous raters" if p.n_raters is None else count(p.n_raters, "rater")
    names = p.members or p.labels
    listed = ", ".join(names)
    if len(names) > 10:
        listed = " … ".join(map(_short, (names[0], names[-1])))
    of = f"{p.scale} scale of {count(len(names), 'label')}"
    if p.distance is not None:
        of = f"{count(len(names), 'label')} with distances of your own"
    if p.members:
        of = f"{len(p.labels):,} different sets of {count(len(names), 'label')}"
    return [
        f"{count(items, 'item')}, {by}"
        if p.n_raters == 1
        else f"{count(items, 'item')}{few}, {each}, by {by}",
        f"{of}: {listed}; {intervals}",
    ]


def _methods(result: AgreementResult) -> str:
    """Say how the interval of the reported coefficient was made."""
    p, report = result.provenance, result.report
    if report is None or report.estimate.low is None:
        if report is None or report.too_small is not None:
            return "no intervals"
        return f"no interval of {report.title}"
    method = report.estimate.method
    if p.bootstrap and "bootstrap" in method:
        method += f" ({count(p.bootstrap, 'bootstrap sample')} of items)"
    return f"{percent(p.level or 0)} interval: {method}"


def _short(name: str) -> str:
    """Write a number with the digits that one reads, and a word as it is."""
    number = number_of(name)
    return name if number is None else f"{number:.4g}"


# The rows of the frame, and what to report as JSON.


def _row(kind: str, name: object, e: Estimate, of: Coefficient | str) -> dict[str, Any]:
    """Return a row of the frame: an estimate of a coefficient, or of what a title says."""
    own = None if isinstance(of, str) else of
    return {
        "kind": kind,
        "name": str(name),
        "title": of if isinstance(of, str) else of.title,
        "value": None if e.undefined else float(e.value),
        "low": e.low,
        "high": e.high,
        "method": e.method,
        "undefined": e.undefined,
        "chance": own and own.chance,
        "assumes": own and own.assumes,
    }


def _report(report: Report) -> dict[str, Any]:
    """Give what to report, as JSON."""
    return {
        "coefficient": report.name,
        "title": report.title,
        **as_json({"": report.estimate})[""],
        "holds_for": report.holds_for,
        "approximate": report.approximate or None,
        "at_least": [
            {"benchmark": least, "probability": p} for least, p in report.at_least.items()
        ],
        "verdict": report.verdict or None,
        "grade": report.grade or None,
        "sentence": report.sentence,
        "others": [{"coefficient": name, "why": why} for name, why in report.others.items()],
    }
