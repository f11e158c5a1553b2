"""What pairwise comparisons tell: rated items, and how far to trust them, in words and JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import count, option, percent, some, unknown_name
from headcount.io.roles import roles_of
from headcount.pairwise.answers import Repeats, together
from headcount.pairwise.methods import Rated
from headcount.pairwise.spammers import (
    EXPLANATION,
    ComparingRater,
    rater_sentence,
    rater_table,
)
from headcount.results.fields import Record, json_value, rows
from headcount.results.notes import Provenance, noted
from headcount.results.result import ALL, ALL_ENTRIES, Page, Result, Screen, again
from headcount.results.tables import Table
from headcount.stats.estimate import Estimate
from headcount.typing import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from headcount.pairwise.board import LeftSide

__all__ = [
    "ends",
    "PairsProvenance",
    "RatedItem",
    "Dropped",
    "PairsResult",
    "sentence",
]


# The ends of a long table.

Row = TypeVar("Row")


def ends(rows: Sequence[Row], most: int) -> tuple[list[Row], int]:
    """Take the first and the last rows, and say how many are between.

    Examples
    --------
    >>> ends([1, 2, 3, 4, 5], 4)
    ([1, 2, 4, 5], 1)
    """
    if len(rows) <= most:
        return list(rows), 0
    half = most // 2
    return [*rows[:half], *rows[-half:]], len(rows) - 2 * half


# What pairwise comparisons tell, as fields.


@dataclass(frozen=True, kw_only=True)
class PairsProvenance(Provenance):
    """How a result came about.

    Parameters
    ----------
    n_items, n_comparisons, n_ties : int
        All items; comparisons and ties that were used.
    method, ties, units, label : str
        As asked for, by name.
    cut : str
        The rule of the labels, in words.
    cluster : str
        Within what comparisons are taken as correlated, as asked for.
    by : str
        Column of which each value has a board.
    fixed : int
        Items whose ratings were given.
    n_rankings : int
        Rankings that the comparisons are of; 0 where each is an answer of its own.
    """

    n_items: int
    n_comparisons: int
    n_ties: int
    method: str
    ties: str
    units: str
    label: str
    cut: str
    cluster: str
    by: str = ""
    fixed: int = 0
    n_rankings: int = 0


@dataclass(frozen=True, kw_only=True)
class RatedItem(Record):
    """One item.

    Parameters
    ----------
    item : object
    rating : Estimate
        In units of the result's scale, with mean 0 over its component. Where no finite rating
        exists it is infinite or nan, and `undefined` says why.
    rank : Estimate
        1 is best; among the items of the component.
    may_be_first : bool
        Whether the answers leave open that it is the best of its component.
    label : {"above", "below"} or None
        None at the cut, or where nothing can be said.
    probability : float or None
        That the item lies above the cut.
    comparisons : int
        Comparisons that it was in.
    component : int
        Group of items that compare with each other; the largest is 0.
    """

    item: object
    rating: Estimate
    rank: Estimate
    may_be_first: bool
    label: str | None
    probability: float | None
    comparisons: int
    component: int


@dataclass(frozen=True)
class Dropped(Record):
    """Who was left out for answering at random, or the wrong way round.

    Parameters
    ----------
    raters : tuple
    comparisons : int
        How many they had made.
    """

    raters: tuple[object, ...]
    comparisons: int


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class PairsResult(Result):
    """Rated items, best first, with intervals, ranks and labels.

    Parameters
    ----------
    items : tuple of RatedItem
        Best first, the largest component first; ``result["name"]`` finds one.
    raters : tuple of ComparingRater or None
        Spammers first, then by score, lowest first; None without `by_rater`.
    dropped : Dropped or None
        Spammers that were left out; None if none was.
    agreement : Repeats or None
        How often answers to the same pair agree; None if no pair was compared twice.
    left : LeftSide or None
        How often the left of two equal items wins; None if the data cannot show it.
    by : mapping of str to PairsResult
        A leaderboard for each value of the column `by`.
    fit : mapping of str to object
        Details of the fit: converged, components, undefeated and more.
    provenance : PairsProvenance
        Data, options and version.
    notes : tuple of Note
        What a reader should know, in sentences.
    rated : Rated
        The ratings as arrays, with the fit and the draws behind intervals.
    compared : Comparisons
        Those that were used.

    Examples
    --------
    >>> from headcount import pairs
    >>> pairs("example:battles").columns()["item"][:2]
    ['birch', 'aster']
    """

    provenance: PairsProvenance
    items: tuple[RatedItem, ...]
    raters: tuple[ComparingRater, ...] | None
    dropped: Dropped | None
    agreement: Repeats | None
    left: LeftSide | None = None
    by: Mapping[str, PairsResult] = field(default_factory=dict[str, "PairsResult"])
    fit: Mapping[str, Any]
    rated: Rated = field(repr=False)
    compared: Comparisons = field(repr=False)

    def __getitem__(self, name: object) -> RatedItem:
        for item in self.items:
            if str(item.item) == str(name):
                return item
        raise unknown_name("item", str(name), [str(i.item) for i in self.items])

    def probability(self, a: object, b: object) -> Estimate:
        """Estimate the probability that item `a` beats item `b` in one comparison.

        By Bradley-Terry as its fit says (`BradleyTerry.probability`); by Elo the share of the point
        that it expects. With a bootstrap, the interval is that of its draws.
        """
        i, j = (self._index(name) for name in (a, b))
        return self.rated.method.probability(self.rated, (a, b), i, j)

    def page(self) -> Page:
        """Write who is best, the table of items, and the raters if they were judged."""
        blocks = self._tables()
        blocks += [*_effects(self), *_win_rates(self)]
        blocks += [] if self.agreement is None else [self.agreement.sentence]
        for name, board in self.by.items():
            blocks += [f"{name}: {sentence(board)}", *board._tables()]
        return Page(sentences(self), [*blocks, *_raters(self)], [_foot(self)])

    def screen(self) -> Screen:
        """Say who is best and who could be, with one table, and the option that matters next."""
        p = self.provenance
        by = "" if p.n_raters is None else f", {count(p.n_raters, 'rater')}"
        ties = f", {percent(round(p.n_ties / p.n_comparisons, 2))} ties" if p.n_ties else ""
        nouns = count(p.n_items, noun(self))
        said = sentences(self)
        most = MOST_ROWS - len(said)
        table = _screen_table(self, most) if len(self.items) > 1 else None
        if self.raters is not None and self.dropped is None:  # who was asked about
            table = rater_table(self.raters, most=most)
        return Screen(
            said,
            table,
            f"{nouns}, {_asked(p)}{by}{'' if p.n_rankings else ties}",
            _next(self),
        )

    def _tables(self) -> list[Table | str]:
        blocks: list[Table | str] = []
        groups = sorted({i.component for i in self.items})
        for group in groups[:MOST_GROUPS]:
            members = [i for i in self.items if i.component == group]
            title = (
                f"Group {group + 1}: {count(len(members), noun(self))}" if len(groups) > 1 else ""
            )
            blocks.append(_table(self, members, title))
        if len(groups) > MOST_GROUPS:
            blocks.append(f"and {count(len(groups) - MOST_GROUPS, 'more group')}{ALL}")
        return blocks

    def win_rates(self) -> tuple[Floats, Floats]:
        """Return the share of points that each item took from each other one, best first.

        Returns
        -------
        share, comparisons : (items, items) arrays
            Share is nan for two that never met.
        """
        from headcount.pairwise.board import win_rates

        return win_rates(self.compared, [i.item for i in self.items])

    def columns(self) -> dict[str, list[Any]]:
        """Return one row per item, best first; with a board of each value of a column below."""
        made = rows(self.items)
        if not self.by:
            return made
        made = {self.provenance.by: ["all"] * len(self.items), **made}
        for name, board in self.by.items():
            for column, values in rows(board.items).items():
                made[column] += values
            made[self.provenance.by] += [name] * len(board.items)
        return made

    def document(self) -> dict[str, Any]:
        """Return items, raters, what dropping spammers changed, and how the fit went."""
        p = self.provenance
        boards = {
            name: {"items": json_value(board.items), "warnings": noted(board.notes)["warnings"]}
            for name, board in self.by.items()
        }
        return {
            **{name: json_value(getattr(self, name)) for name in FOUND},
            **{name: getattr(p, name) for name in ASKED},
            "win_rates": _met(self),
            "boards": boards or None,
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the ratings with their intervals, best first (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from headcount.pairwise.plot import plot_ratings

        return plot_ratings(self, ax)

    def _index(self, item: object) -> int:
        index = int(match_ids(as_ids([str(item)]), self.compared.items)[0])
        if index < 0:
            raise unknown_name("item", str(item), [str(i) for i in self.compared.items])
        return index


# Ratings from pairwise comparisons in words and in tables.

MOST_ITEMS = 20
"""Items of a group that are printed: the first ten and the last ten."""
MOST_GROUPS = 3
MOST_ROWS, MOST_BOARDS = 9, 5
"""Rows and sentences of the first screen, and categories beside each other."""
MOST_MET, MOST_COLUMNS = 60, 12
"""Items up to which win rates are in the document, and in a table."""
MANY, MANY_FIRST = 100, 1 / 3
"""Items, and share of them that could be first, from which their labels are what counts."""
MANY_RATERS = 5
FEW_OTHERS = 3
"""Items that are named beside the leader, at most."""
FEWEST = 5
"""Comparisons below which nothing is said of the best."""
FEW_WINS = 6
"""Comparisons in which an item like the others may be undefeated by luck, once in 32 times."""
SHORT = {
    "above all others: undefeated": "undefeated",
    "above the main group": "above group",
    "below all others: winless": "winless",
    "below the main group": "below group",
}
"""What the table says of an item without a finite rating."""
FOUND = ("items", "raters", "dropped", "agreement", "left", "fit")
ASKED = (
    "method", "ties", "cluster", "units", "label", "cut", "n_items", "n_comparisons", "n_ties",
    "n_rankings", "n_raters",
)  # fmt: skip
"""Fields of the result and of its provenance that its JSON document holds."""


def noun(result: PairsResult) -> str:
    """Tell what the file calls what was compared: models, or items."""
    return "model" if "model" in roles_of(result.compared.notes).get("left", "") else "item"


def sentences(result: PairsResult) -> list[str]:
    """Say who is best, how labels stand where nobody is, and whether sides matter."""
    said, p = [sentence(result)], result.provenance
    labels = [i for i in result.items if i.label and i.probability is not None]
    could = sum(i.may_be_first for i in result.items)
    if labels and (p.label != "sign" or (len(labels) >= MANY and could > MANY_FIRST * len(labels))):
        above = sum(i.label == "above" for i in labels)
        right = sum(max(i.probability or 0.0, 1 - (i.probability or 0.0)) for i in labels)
        said.append(
            f"{above:,} above {p.cut}, {len(labels) - above:,} below; about "
            f"{percent(round(right / len(labels), 2))} of these labels are right."
        )
    if result.left is not None and result.left.significant:
        share, verb = result.left.share, "wins" if result.left.share.value > 0.5 else "wins only"
        said.append(
            f"The left side {verb} {share.value:.1%} ({share.low or 0:.1%} to "
            f"{share.high or 1:.1%}) against equals, a position bias."
        )
    if result.dropped is not None:
        gone, verb = result.dropped, "answers" if len(result.dropped.raters) == 1 else "answer"
        were = "was" if len(gone.raters) == 1 else "were"
        said.append(
            f"{some(gone.raters, 6)} {verb} at random or the wrong way round, and {were} left out "
            f"({count(gone.comparisons, 'comparison')})."
        )
    elif result.raters is not None:
        said.append(f"Raters: {rater_sentence(result.raters)}.")
    return said


def sentence(result: PairsResult) -> str:
    """Say which item is best, and how sure that is."""
    by, what = f"by {result.rated.method.title}", noun(result)
    if result.rated.converged is False:
        return (
            f"{count(len(result.items), what)}, rated {by}, but the fit has NOT CONVERGED: do "
            "not rely on the ratings."
        )
    group = [i for i in result.items if i.component == 0 and not math.isnan(i.rank.value)]
    first = [i for i in group if i.rank.value == 1]
    if not first:
        return f"{count(len(result.items), what)}, none of them rated {by}."
    data = _asked(result.provenance)
    if max(result.provenance.n_rankings, result.provenance.n_comparisons) < FEWEST:
        verb = "is" if data.startswith("1 ") else "are"
        return f"{data} {verb} too few to tell which of {count(len(result.items), what)} is best."
    groups = len({i.component for i in result.items})
    where = f"In group 1 of {groups:,}, " if groups > 1 else ""
    best = first[0]
    name = _name(result, best, begins=not where)
    if len(first) > 1:
        if len(first) == len(group):
            everyone = f"{where}all {len(first):,} {what}s share the first rank, {by}."
            return everyone[0].upper() + everyone[1:]
        others = count(len(first) - 1, "other")
        return f"{where}{name} shares the first rank with {others}, {by}."
    if best.rating.undefined is not None:
        why = SHORT.get(best.rating.undefined, best.rating.undefined)
        data = count(best.comparisons, "ranking" if result.provenance.n_rankings else "comparison")
        only = "only " if best.comparisons < FEW_WINS else ""
        return f"{where}{name} ranks first {by}: {why} in {only}{data}, without a finite rating."
    return where + _leader(result, best, group, name)


def _name(result: PairsResult, i: RatedItem, *, begins: bool) -> str:
    """Name an item in a sentence: one that is called by a number with its noun."""
    if any(letter.isalpha() for letter in str(i.item)):
        return str(i.item)
    what = noun(result)
    return f"{what.capitalize() if begins else what} {i.item}"


def _leader(result: PairsResult, best: RatedItem, group: list[RatedItem], name: str) -> str:
    """Say who leads, how far, and who else could be first."""
    what, rank, many = noun(result), best.rank, len(group)
    how = f"rated {_rating_text(result, best)}"
    if rank.high is None:
        return f"{name} is {how}, the highest, with no interval to say how sure that is."
    others = [i.item for i in group if i.may_be_first and i is not best]
    if not others:
        return f"{name} is the clear leader of {many:,} {what}s: {how}."
    if len(others) == many - 1:
        answers = _asked(result.provenance)
        return (
            f"{answers} hardly separate {many:,} {what}s: any of them could be first. "
            f"{_name(result, best, begins=True)} is {how}, the highest."
        )
    if len(others) > FEW_OTHERS:
        leads = f"{name} ranks first, {how}"
        return f"{leads}, but {len(others) + 1:,} of {many:,} {what}s could be first."
    names = " and ".join(str(item) for item in others)
    return f"{name} leads, {how}; {names} could also be first."


def _rating_text(result: PairsResult, i: RatedItem) -> str:
    units = result.rated.settings.units
    inside = f" ({i.rating.interval(units.digits)})" if i.rating.low is not None else ""
    return f"{i.rating.show(i.rating.value, units.digits)}{inside} {units.unit}"


def _screen_table(result: PairsResult, most: int) -> Table:
    """Write the best items: rating, interval, ranks; or the rating in each category."""
    units, what = result.rated.settings.units, noun(result)
    shown = result.items[:most]
    rest = len(result.items) - len(shown)
    unit = "logits (log odds)" if units.per_logit == 1 else units.unit
    more = f"and {count(rest, f'more {what}')}{ALL}; " if rest else ""
    more += f"ratings in {unit}"
    if result.by:
        boards = dict(list(result.by.items())[:MOST_BOARDS])
        places = [{str(i.item): i for i in board.items} for board in boards.values()]
        body = [
            [
                str(i.item),
                *(
                    "" if at is None else at.rating.show(at.rating.value, units.digits)
                    for at in (i, *(place.get(str(i.item)) for place in places))
                ),
            ]
            for i in shown
        ]
        left_out = len(result.by) - len(boards)
        more += f"; {count(left_out, f'more {result.provenance.by}')}" if left_out else ""
        return Table([what, "all", *boards], body, more=more)
    sure = any(i.rating.low is not None for i in shown)
    even = units.per_logit == 1 and not result.rated.settings.ties.has_cut
    level = percent(result.rated.settings.level)
    head = [what, "rating", *([f"{level} interval", "ranks"] if sure else ["rank"])]
    body: list[list[str]] = []
    for i in shown:
        value = "" if i.rating.undefined else i.rating.show(i.rating.value, units.digits)
        row = [str(i.item), value]
        if sure:
            row.append(i.rating.interval(units.digits) or SHORT.get(i.rating.undefined or "", ""))
            row.append(_ranks(i))
        else:
            row.append("" if math.isnan(i.rank.value) else f"{i.rank.value:.0f}")
        if even:
            wins = i.rating.value if math.isfinite(i.rating.value) else math.nan
            row.append(
                "" if math.isnan(wins) else percent(round(0.5 * (1 + math.tanh(wins / 2)), 2))
            )
        body.append(row)
    head += [f"beats an average {what}"] if even else []
    return Table(head, body, more=more)


def _ranks(i: RatedItem) -> str:
    if i.rank.low is None or i.rank.high is None:
        return "" if math.isnan(i.rank.value) else f"{i.rank.value:.0f}"
    low, high = round(i.rank.low), round(i.rank.high)
    return f"{low}" if low == high else f"{low}-{high}"


def _next(result: PairsResult) -> list[str]:
    """Suggest the option that matters most, and say what for."""
    unread, p = result.compared.unread, result.provenance
    intervals = any(item.rating.low is not None for item in result.items)
    if intervals and unread and unread[0] not in p.cluster.split(",") and p.cluster != "none":
        clusters = together(result.compared, p.cluster)
        return [f"to allow for dependence: {again(cluster=clusters)}"]
    if (
        result.raters is not None
        and result.dropped is None
        and any(rater.spammer for rater in result.raters)
    ):
        return [f"to rate without spammers: {again(drop_spammers=True)}"]
    if result.left is not None and result.left.significant:
        return [f"to adjust for the position bias: {again(position=True)}"]
    if result.raters is None and (p.n_raters or 0) >= MANY_RATERS:
        return [f"to find who answers at random: {again(by_rater=True)}"]
    if not (intervals or result.rated.method.has_normal_draws or result.rated.settings.bootstrap):
        return [f"to get intervals: {again(bootstrap=200)}"]
    return []


def _met(result: PairsResult) -> list[dict[str, Any]] | None:
    """Win rates as rows, for as many items as can be looked at."""
    if len(result.items) > MOST_MET:
        return None
    names = [i.item for i in result.items]
    share, number = result.win_rates()
    return [
        {
            "item": json_value(names[i]),
            "opponent": json_value(names[j]),
            "share": float(share[i, j]),
            "comparisons": float(number[i, j]),
        }
        for i, j in zip(*np.nonzero(number > 0), strict=True)
    ]


def _win_rates(result: PairsResult) -> list[Table | str]:
    """Table of the share of points that each item took from each other one."""
    names = [str(i.item) for i in result.items]
    if MOST_COLUMNS < len(names) <= MOST_MET:
        what = f"Who won against whom: not shown for more than {MOST_COLUMNS} {noun(result)}s"
        return [f"{what}{ALL_ENTRIES}"]
    if not 2 < len(names) <= MOST_COLUMNS:
        return []
    share, _ = result.win_rates()
    body = [
        [name, *("" if math.isnan(x) else f"{x:.0%}" for x in row)]
        for name, row in zip(names, share.tolist(), strict=True)
    ]
    return [Table(["won against", *names], body, title="Share of points won by the row's item")]


def _table(result: PairsResult, members: Sequence[RatedItem], title: str) -> Table:
    digits = result.rated.settings.units.digits
    sure = any(i.rating.low is not None for i in members)
    likely = any(i.probability is not None for i in members)
    head = [noun(result), "rating"]
    head += [f"{percent(result.rated.settings.level)} interval"] if sure else []
    head += ["rank", *(["ranks"] if sure else []), "label", *(["P(above)"] if likely else [])]
    head.append("comparisons")
    shown, rest = ends(members, MOST_ITEMS)
    body: list[list[str]] = []
    for i in shown:
        row = [str(i.item), *_rating(i, sure, digits)]
        row.append("" if math.isnan(i.rank.value) else f"{i.rank.value:.0f}")
        if sure:
            row.append("" if i.rank.low is None else _ranks(i))
        row.append(i.label or "")
        if likely:
            row.append("" if i.probability is None else f"{i.probability:.3f}")
        body.append([*row, f"{i.comparisons:,}"])
    return Table(
        head,
        body,
        title=title,
        rules=[MOST_ITEMS // 2] if rest else [],
        more=f"and {count(rest, f'more {noun(result)}')} in between{ALL}" if rest else "",
    )


def _rating(i: RatedItem, sure: bool, digits: int) -> list[str]:
    if i.rating.undefined is not None:
        why = SHORT.get(i.rating.undefined, i.rating.undefined)
        return ["", why] if sure else [why]
    value = i.rating.show(i.rating.value, digits)
    return [value, i.rating.interval(digits)] if sure else [value]


def _effects(result: PairsResult) -> list[str]:
    """Say what else was fitted."""
    settings, lines = result.rated.settings, list[str]()
    unit, digits = settings.units.unit, settings.units.digits
    position, tie = result.fit.get("position"), result.fit.get("tie")
    if position is not None:
        lines.append(f"Position: being on the left adds {_shown(position, digits)} {unit}")
    if tie is not None:
        lines.append(f"Ties: {settings.ties.parameter} {_shown(tie, 3)}")
    controls: list[dict[str, Any]] = result.fit.get("controls", [])
    for e in controls:
        left, right, *relative = e["control"].split(":")
        share = " as a share of both" if relative else ""
        lines.append(
            f"Control {e['control']}: {e['unit']:.3g} more of {left} than of {right}{share} (a "
            f"standard deviation) adds {_shown(e, digits)} {unit}"
        )
    return lines


def _shown(e: dict[str, Any], digits: int | None) -> str:
    """Write a value and its interval: with as many digits, or with three that count."""

    def number(x: float) -> str:
        return f"{x:.3g}" if digits is None else f"{round(x, digits) + 0.0:.{digits}f}"

    if e["low"] is None:
        return "none" if e["value"] is None else number(e["value"])
    return f"{number(e['value'])} ({number(e['low'])} to {number(e['high'])})"


def _raters(result: PairsResult) -> list[Table | str]:
    if result.raters is None:
        return []
    return [rater_table(result.raters, f"Raters: {rater_sentence(result.raters)}"), EXPLANATION]


def _asked(p: PairsProvenance) -> str:
    if p.n_rankings:
        return count(p.n_rankings, "ranking")
    return count(p.n_comparisons, "comparison")


def _foot(result: PairsResult) -> str:
    p, settings, method = result.provenance, result.rated.settings, result.rated.method
    by = "" if p.n_raters is None else f" by {count(p.n_raters, 'rater')}"
    ties = "" if p.n_rankings else f" ({count(p.n_ties, 'tie')})"
    sizes = f"{count(p.n_items, noun(result))}, {_asked(p)}{by}{ties}."
    apart = len({i.component for i in result.items}) > 1
    zero = "each group" if apart else "all items"
    what = f" Ratings are in {settings.units.unit}, 0 on average over {zero}"
    if result.provenance.fixed:
        what = f" Ratings are in {settings.units.unit}, as {option('fix')} sets them"
    elif result.rated.mean:
        what = f" Ratings are in {settings.units.unit}; 0 is the average item without the prior"
    what += f"; {settings.units.meaning}" if settings.units.meaning else ""
    what += f". Labels: above or below {p.cut}."
    level = percent(settings.level)
    if not any(math.isfinite(i.rating.value) for i in result.items):
        what += " No item has a finite rating."
    elif settings.bootstrap:
        drawn = (
            f"The {level} intervals are from {count(settings.bootstrap, 'bootstrap sample')} of "
        )
        what += f" {drawn}{settings.unit}s"
        what += "."
    elif not method.has_normal_draws:
        what += (
            f" There are no intervals: for {method.title} they need a bootstrap "
            f"({option('bootstrap', 200)})."
        )
    else:
        how = result.fit.get("standard_errors")
        spread = result.rated.spread
        student = spread is not None and spread.df is not None
        kind = "from Student's t distribution" if student else "normal approximations"
        what += f" The {level} intervals are {kind}"
        what += f"; standard errors: {how}." if how else "."
    return sizes + what
