"""The gate: conditions on a judge, what decides them, and how many items would decide."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

import numpy as np

from headcount import options
from headcount.data.facts import FEW_CLUSTERS
from headcount.equivalence.alt_test import AltTestClassifier, adjust
from headcount.errors import count
from headcount.judging.beside_people import FEWEST_ITEMS, Standing
from headcount.judging.readiness import FEWEST_FOR_A_VERDICT, RECALL_MARGIN
from headcount.results.fields import Record
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from headcount.judging.result import Card

__all__ = [
    "Status",
    "MEETS",
    "Condition",
    "Gate",
    "MOST_TIMES",
    "POWER",
    "MOST_ITEMS",
    "items_needed",
    "more_items",
    "WHOLE",
    "MORE_RATINGS",
    "TOO_CLOSE",
    "TOO_FEW",
    "Evidence",
    "Kind",
    "WorthAtLeast",
    "LikeAPerson",
    "AltTestPassed",
    "BiasWithin",
    "RecallLikePeople",
    "Readiness",
    "Verdict",
    "readiness_of",
    "shown_worth",
    "worth_words",
    "DEFAULT_EPSILON",
    "all_of",
    "OF_READINESS",
    "besides_of",
    "gate_of",
    "GateResult",
]


# Conditions and what they come to, as plain records.

Status = Literal["pass", "fail", "cannot tell"]
"""Whether an interval lies above a threshold, lies below it, or contains it."""
MEETS: dict[Status, str] = {"pass": "meets", "fail": "fails"}
"""Statuses as answers."""
REVERSED: dict[Status, Status] = {"pass": "fail", "fail": "pass", "cannot tell": "cannot tell"}
"""Statuses of the contrary."""


@dataclass(frozen=True, kw_only=True)
class Condition(Record):
    """Whether a judge meets one condition, decided on an interval.

    Parameters
    ----------
    name : str
        Of the kind of condition.
    words : str
        What is asked, such as "worth at least 2 raters".
    mark : float
    estimate : Estimate or None
        What is compared with the threshold, `mark`; None where there is none.
    shown : str
        The number and its interval, in words.
    status : {"pass", "fail", "cannot tell"}
    items : int
        Items that it rests on.
    more_items : int or None
        Items to label besides, to know with a power of 80% if the gap is as large as it seems; None
        if it is known, or would take too many.
    why : str
        Why it is undecided; "" where it is not.
    """

    name: str
    words: str
    mark: float
    estimate: Estimate | None
    shown: str
    status: Status
    items: int
    more_items: int | None = None
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class GateResult(Record):
    """What all conditions come to, of all judges: passed if all are, failed if one is.

    Parameters
    ----------
    status : {"pass", "fail", "cannot tell"}
    line : str
        One line for a log.
    """

    status: Status
    line: str


# Items that it would take to know on which side of a mark a value lies.

POWER = 0.8
"""Probability with which so many items would decide, if the gap is as large as it seems."""
MOST_TIMES, MOST_ITEMS = 20, 10_000
"""Times the items at hand, and items, from which on a value is too close to its mark to tell."""


def items_needed(gap: float, error: float, items: int, level: float) -> float:
    r"""Items with which an interval clears its mark with a power of 80%, if the gap is as it seems.

    .. math:: n' = n \left( \frac{(z_{(1 + level)/2} + z_{.8}) \, s}{gap} \right)^2

    since a standard error s falls with the square root of the number of items n.

    Parameters
    ----------
    gap : float
        Distance of the value from its mark.
    error : float
        Standard error, on the side of the mark.
    items : int
        Items that it was found with.
    level : float
        Coverage of the interval.

    Examples
    --------
    >>> round(items_needed(0.2, 0.1, 100, 0.95))
    196
    """
    normal = NormalDist()
    reach = normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(POWER)
    return math.inf if gap == 0 else items * (reach * error / gap) ** 2


def more_items(needed: float, items: int, *, least: int) -> int | None:
    """Items to label besides, to two digits; None where they would be too many.

    Parameters
    ----------
    needed : float
        As :func:`items_needed` finds them.
    items : int
        Items at hand.
    least : int
        Items below which nothing is decided.

    Examples
    --------
    >>> more_items(196.2, 100, least=30), more_items(4000, 100, least=30)
    (97, None)
    """
    most = min(MOST_TIMES * max(items, least), max(MOST_ITEMS, 2 * items))
    if needed > most:
        return None
    more = max(needed, least) - items
    # Where the interval has a shape of its own, it may take a few items even so.
    more = max(more, 0.1 * items, 1.0)
    step = 10 ** max(math.floor(math.log10(more)) - 1, 0)
    return math.ceil(more / step) * step


# The conditions: worth so many raters, agrees with people, passes the alt-test.

DEFAULT_MARGIN = 0.2
"""What its kappa may lack of a person's; see docs/studies/judge.md."""
BIAS_MARGIN = 0.4
"""How far its labels may lie from people's on average, in standard deviations of theirs."""
DEFAULT_EPSILON = 0.2
"""What the alt-test forgives a judge for being cheaper."""
WHOLE = ", entire interval"
"""What stands for an interval of which both ends are beyond what the data can show."""
ENOUGH_ITEMS = 100
"""Items to begin with, where the few that there are do not even tell how many it takes."""
RAREST = 0.001
"""Share of bootstrap samples below which none is told from another."""
TINY = 1e-12
"""Standard error of what never varied, so that it can be divided by."""
TOO_FEW = "are too few to tell"
"""What ends the reason, where nothing is decided for lack of items."""
MORE_RATINGS = "with so few ratings of each item"
"""What begins the reason, where more ratings of the same items are needed."""
TOO_CLOSE = "too close to tell with a reasonable number of items"
NO_AGREEMENT = "the data do not show that people agree more than by chance"


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What conditions are decided on, of one judge.

    Parameters
    ----------
    worth : Estimate
        In raters.
    items : int
        Items that the worth was found with.
    standing : Standing or None
    alt_test : AltTestClassifier or None
    level : float
    agree : bool
        Whether people agree more than chance: nothing is decided where they do not.
    beats : tuple of float or None
        Share of bootstrap samples in which it scores higher than 0, 1, 2 ... raters.
    """

    worth: Estimate
    items: int
    standing: Standing | None
    alt_test: AltTestClassifier | None
    level: float
    agree: bool
    beats: tuple[float, ...] | None = None


class Kind(ABC):
    """A kind of condition, with its mark.

    Attributes
    ----------
    name : str
        Of its option.
    fewest : int
        Items below which it is not decided.
    at_first : int
        Items to ask for where there are too few to go by the gap seen, which may be luck.
    """

    name: str
    at_first: int = FEWEST_FOR_A_VERDICT
    fewest: int = FEWEST_FOR_A_VERDICT

    def __init__(self, mark: float) -> None:
        self.mark = mark

    @property
    @abstractmethod
    def words(self) -> str:
        """What is asked, to follow the name of a judge."""

    @abstractmethod
    def decide(self, evidence: Evidence) -> Condition:
        """Decide it."""

    def condition(
        self,
        status: Status,
        *,
        shown: str,
        items: int,
        estimate: Estimate | None = None,
        more: int | None = None,
        why: str = "",
    ) -> Condition:
        """Make the record."""
        return Condition(
            name=self.name,
            words=self.words,
            mark=self.mark,
            estimate=estimate,
            shown=shown,
            status=status,
            items=items,
            more_items=more,
            why=why,
        )

    def nobody(self, evidence: Evidence) -> Condition:
        """Say that there are no two people to compare the judge with."""
        why = "fewer than two people share enough items with each other and the judge"
        more = more_items(0, evidence.items, least=self.fewest)
        return self.condition("cannot tell", shown=why, items=0, why=why, more=more)

    def few_clusters(self, standing: Standing, shown: str) -> Condition | None:
        """Say that nothing is decided on so few documents; None where there are enough."""
        if standing.clusters is None or standing.clusters >= FEW_CLUSTERS:
            return None
        why = (
            f"items are in {count(standing.clusters, 'cluster')}; with fewer than {FEW_CLUSTERS}, "
            "intervals are approximate and there is no verdict: label items from at least "
            f"{FEW_CLUSTERS - standing.clusters} more"
        )
        return self.condition("cannot tell", shown=shown, items=standing.items, why=why)

    def settle(
        self,
        evidence: Evidence,
        status: Status,
        *,
        items: int,
        gap: float,
        error: float,
        shown: str,
        estimate: Estimate | None = None,
    ) -> Condition:
        """Say what it comes to; where that is open, how many more items it takes.

        Nothing is decided of people who do not agree, nor on too few items.
        """
        more, why = None, ""
        if not evidence.agree:
            status, why = "cannot tell", NO_AGREEMENT
        elif status == "cannot tell" or items < self.fewest:
            status = "cannot tell"
            needed = items_needed(gap, error, items, evidence.level)
            more = more_items(needed, items, least=self.fewest)
            why = TOO_CLOSE if more is None else ""
            if items < self.fewest:
                why = f"{count(items, 'item')} {TOO_FEW}"
                more = max(more or ENOUGH_ITEMS - items, self.at_first - items)
        return self.condition(
            status, shown=shown, items=items, estimate=estimate, more=more, why=why
        )


class WorthAtLeast(Kind):
    """Worth at least so many raters."""

    name = "worth_at_least"
    at_first, fewest = ENOUGH_ITEMS, FEWEST_ITEMS

    @property
    def words(self) -> str:
        """Such as 'is worth at least 2 raters'."""
        raters = "rater" if self.mark == 1 else "raters"
        return f"is worth at least {self.mark:g} {raters}"

    def decide(self, evidence: Evidence) -> Condition:
        """Compare the interval of its worth with the mark."""
        worth, items = evidence.worth, evidence.items
        if worth.undefined is not None:
            shown, more = worth.undefined, more_items(0, items, least=FEWEST_ITEMS)
            return self.condition("cannot tell", shown=shown, items=items, why=shown, more=more)
        shown = shown_worth(worth)
        status = _side(worth, self.mark) if items >= self.fewest else "cannot tell"
        most = None if worth.bounds is None else worth.bounds[1]
        gap, error = _gap(evidence, self.mark)
        beyond = self.mark > (most or np.inf) or (np.isinf(worth.high or 0.0) and np.isinf(error))
        if status == "cannot tell" and most is not None and beyond and evidence.agree:
            raters = "1 rater" if most == 1 else f"{most:g} raters"
            why = f"{MORE_RATINGS}, a worth above {raters} cannot be measured"
            return self.condition("cannot tell", shown=shown, items=items, estimate=worth, why=why)
        return self.settle(
            evidence, status, items=items, gap=gap, error=error, shown=shown, estimate=worth
        )


class LikeAPerson(Kind):
    """Agrees with people nearly as much as they do with each other.

    The margin forgives no more than half of people's own kappa: else labels at random would pass
    where people agree little.
    """

    name = "agree_like_a_person"

    @property
    def words(self) -> str:
        """Such as 'agrees with people about as well as they do with each other (kappa ...)'."""
        people = "agrees with people about as well as they do with each other"
        return f"{people} (kappa within {self.mark:g})"

    def decide(self, evidence: Evidence) -> Condition:
        """Compare the interval of the difference with minus the margin, and with half."""
        standing = evidence.standing
        if standing is None:
            return self.nobody(evidence)
        difference, half, items = standing.difference, standing.over_half, standing.items
        shown = standing.shown_difference
        sides = (_side(difference, -self.mark), _side(half, 0.0))
        if few := self.few_clusters(standing, shown):
            return few
        if sides[1] == "fail":
            shown = f"{shown}, and less than half of people's kappa"
        # The mark that is further from being decided, in standard errors.
        gaps = [
            (abs(difference.value + self.mark), standing.error),
            (abs(half.value), _error(half.value, _end(half), evidence.level)),
        ]
        open_ = [gap for gap, side in zip(gaps, sides, strict=True) if side == "cannot tell"]
        gap, error = min(open_ or gaps, key=lambda pair: pair[0] / max(pair[1], TINY))
        if items < self.fewest and self.mark > 0:
            # So few may show a large gap by luck: at most that of a judge just like people.
            gap = min(gap, self.mark)
        return self.settle(
            evidence, all_of(sides), items=items, gap=gap, error=error, shown=shown,
            estimate=difference,
        )  # fmt: skip


class BiasWithin(Kind):
    """Gives labels as high as people's, or as often: within a part of their standard deviation."""

    name = "bias"

    @property
    def words(self) -> str:
        """What is asked."""
        return f"rates as high as people (within {self.mark:g} standard deviations)"

    def decide(self, evidence: Evidence) -> Condition:
        """Compare both ends of the interval of the bias with the margin."""
        standing = evidence.standing
        if standing is None:
            return self.nobody(evidence)
        bias, spread, items = standing.bias, standing.spread, standing.items
        if bias is None or spread is None:
            return self.condition("pass", shown="labels have no order", items=items)
        mark, shown = self.mark * spread, standing.shown_bias
        if few := self.few_clusters(standing, shown):
            return few
        # Above the lower end of the margin, and below the upper one.
        sides = (_side(bias, -mark), REVERSED[_side(bias, mark)])
        error = np.inf if bias.high is None else _error(bias.value, bias.high, evidence.level)
        return self.settle(
            evidence, all_of(sides), items=items, gap=abs(mark - abs(bias.value)), error=error,
            shown=shown, estimate=bias,
        )  # fmt: skip


class RecallLikePeople(Kind):
    """Fails on no class on which people do not: it passes unless one is significantly below."""

    name = "recall"

    @property
    def words(self) -> str:
        """What is asked."""
        return "has a recall of every class like people's"

    def decide(self, evidence: Evidence) -> Condition:
        """Fail where a class is significantly below people's recall."""
        standing = evidence.standing
        if standing is None:
            return self.nobody(evidence)
        below, items = standing.class_below, standing.items
        if not evidence.agree:
            why = NO_AGREEMENT
            return self.condition("cannot tell", shown=why, items=items, why=why)
        if below is not None and (few := self.few_clusters(standing, below.label)):
            return few
        if below is None or items < self.fewest:
            shown = "recall of each class not significantly below people's"
            return self.condition("pass", shown=shown, items=items)
        shown = f"'{below.label}': {below.recall:.0%}, people {below.people:.0%}"
        return self.condition("fail", shown=shown, items=items)


class AltTestPassed(Kind):
    """Passes the alternative annotator test.

    It fails if the reverse is shown: that it is worse by epsilon or more than more raters than it
    may lose, by the same tests and adjustment. Otherwise it is undecided.
    """

    name = "alt_test"
    at_first = fewest = FEWEST_ITEMS

    @property
    def words(self) -> str:
        """Such as 'passes the alt-test at epsilon 0.2'."""
        return f"passes the alt-test at epsilon {self.mark:g}"

    def decide(self, evidence: Evidence) -> Condition:
        """Take its verdict; a failure to pass is no proof of the contrary."""
        tested = evidence.alt_test
        if tested is None:
            items = evidence.items
            why = f"it needs two people with {FEWEST_ITEMS} items each"
            more = max(FEWEST_ITEMS - items, 1)
            return self.condition("cannot tell", shown=why, items=items, why=why, more=more)
        people = len(tested.raters)
        shown = f"it wins {tested.won} of {count(people, 'person')}, {tested.needed} needed"
        shown = shown.replace("persons", "people")
        items = max(rater.items for rater in tested.raters)
        reverse = 1 - np.array([rater.p_value for rater in tested.raters])
        lost = int((adjust(reverse) <= ALT_TEST_Q).sum())
        fails: Status = "fail" if lost > people - tested.needed else "cannot tell"
        # Distance of epsilon from where it passes, and a standard error of one rater's lead.
        gap = abs(tested.epsilon - tested.passes_from)
        ties = np.array([rater.rho_f + rater.rho_h - 1 for rater in tested.raters])
        each = np.array([rater.items for rater in tested.raters], dtype=np.float64)
        error = float(np.median(np.sqrt(np.clip(1 - ties, 0, 1) / each)))
        status = "pass" if tested.passes else fails
        return self.settle(evidence, status, items=items, gap=gap, error=error, shown=shown)


ALT_TEST_Q = 0.05
"""False discovery rate of the reverse tests, as of the tests."""
Readiness = Literal["ready", "ready once recalibrated", "not ready", "cannot tell yet"]
"""What a verdict says."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The verdict on one judge, with what it rests on; `standing` is the recalibrated judge's."""

    readiness: Readiness | None
    follows: str | None
    conditions: tuple[Condition, ...]
    recalibrated: tuple[Condition, ...] | None
    standing: Standing | None = None


def readiness_of(
    conditions: Iterable[Condition],
    recalibrated: Iterable[Condition] | None,
    *,
    as_it_is: bool = True,
) -> Readiness:
    """Return the verdict by the conditions on the judge as it is, and once recalibrated.

    `recalibrated` is None where no map of its labels can be learned; `as_it_is` is False of a judge
    that gives no labels of its own.
    """
    status = all_of(c.status for c in conditions)
    if status == "pass" and as_it_is:
        return "ready"
    if recalibrated is not None and all_of(c.status for c in recalibrated) == "pass":
        return "ready once recalibrated"
    return "not ready" if status == "fail" else "cannot tell yet"


def shown_worth(worth: Estimate) -> str:
    """Write a worth with its interval, with one digit where it is extrapolated.

    Examples
    --------
    >>> shown_worth(Estimate(1.234, 0.8, np.inf, bounds=(0, 4)))
    '1.23, 0.80 to > 4'
    >>> shown_worth(Estimate(np.inf, np.inf, np.inf, bounds=(0, 4)))
    '> 4, entire interval'
    """
    digits = 1 if worth.extrapolated else 2
    about = "about " if worth.extrapolated else ""
    interval = worth.interval(digits)
    text = f"{about}{worth.show(worth.value, digits)}"
    if worth.censored is not None and worth.low == worth.value == worth.high:
        return f"{text}{WHOLE}"
    return f"{text}, {interval}" if interval else text


def _end(e: Estimate) -> float:
    """Return the end of an interval on the side of 0; the value where there is none."""
    end = e.low if e.value > 0 else e.high
    return e.value if end is None else end


def _side(estimate: Estimate, mark: float) -> Status:
    """On which side of a mark an interval lies."""
    if estimate.low is None or estimate.high is None:
        return "cannot tell"
    return "pass" if estimate.low > mark else "fail" if estimate.high < mark else "cannot tell"


def _gap(evidence: Evidence, mark: float) -> tuple[float, float]:
    """Distance from the mark, and its standard error on that side.

    Where the worth or the end of its interval is beyond what data show, the lead over so many
    raters in standard errors stands for them, as bootstrap samples have it.
    """
    normal, worth, beats = NormalDist(), evidence.worth, evidence.beats
    if worth.low is None or worth.high is None:
        return 0.0, np.inf
    end = worth.low if worth.value >= mark else worth.high
    if np.isfinite(worth.value) and np.isfinite(end):
        return abs(worth.value - mark), _error(worth.value, end, evidence.level)
    if beats is None or mark > len(beats) - 1:
        return 0.0, np.inf
    leads = [normal.inv_cdf(min(max(p, RAREST), 1 - RAREST)) for p in beats]
    return abs(float(np.interp(mark, range(len(leads)), leads))), 1.0


def _error(value: float, end: float, level: float) -> float:
    """Find the standard error by one end of an interval."""
    return abs(value - end) / NormalDist().inv_cdf((1 + level) / 2)


# What is asked, and what conditions come to.


@dataclass(frozen=True, kw_only=True)
class Gate:
    """Conditions that every judge must meet, besides being ready: ``judge(..., gate=Gate())``.

    Parameters
    ----------
    worth_at_least : float, optional
        The whole interval of its worth must be above this number of raters.
    agree_like_a_person : float
        How far its kappa with people may be below a person's; this is part of being ready.
    alt_test : float, optional
        The epsilon at which it must pass the alternative annotator test, such as .2.

    Examples
    --------
    >>> from headcount import Gate, judge
    >>> judge("example:stars", "example:judge", gate=Gate(alt_test=0.2)).gate.status
    'pass'
    """

    worth_at_least: float | None = None
    agree_like_a_person: float = DEFAULT_MARGIN
    alt_test: float | None = None

    @property
    def of_readiness(self) -> tuple[Kind, ...]:
        """What a judge must meet to be ready."""
        margin = options.number(self.agree_like_a_person, LikeAPerson.name, least=0, below=2)
        return LikeAPerson(margin), BiasWithin(BIAS_MARGIN), RecallLikePeople(RECALL_MARGIN)

    @property
    def besides(self) -> tuple[Kind, ...]:
        """The other conditions."""
        kinds: list[Kind] = []
        if (raters := self.worth_at_least) is not None:
            kinds.append(WorthAtLeast(options.number(raters, WorthAtLeast.name, above=0)))
        if (epsilon := self.alt_test) is not None:
            mark = options.number(epsilon, AltTestPassed.name, least=0, below=1)
            kinds.append(AltTestPassed(mark))
        return tuple(kinds)


def all_of(statuses: Iterable[Status]) -> Status:
    """Fail if one fails, pass if all pass.

    Examples
    --------
    >>> all_of(["pass", "cannot tell"]), all_of(["cannot tell", "fail"]), all_of(["pass"])
    ('cannot tell', 'fail', 'pass')
    """
    different = set(statuses)
    if "fail" in different:
        return "fail"
    return "pass" if different == {"pass"} else "cannot tell"


BESIDES = (WorthAtLeast.name, AltTestPassed.name)
"""Conditions of the gate that are no part of the verdict."""


def gate_of(cards: Sequence[Card], worse: Sequence[str] = ()) -> GateResult:
    """Say in one line what all conditions of all judges come to.

    `worse` are sentences on judges that are significantly worse than their baseline, which fails.
    """
    status = all_of(["fail" if worse else "pass", *(card.status for card in cards)])
    # What decides it: the failures, else what is open, else everything.
    deciding = list(worse)
    for card in cards:
        if card.status != status:
            continue
        if OF_READINESS.get(card.readiness, "cannot tell") == status:
            own = [c for c in card.conditions if c.name not in BESIDES and c.status == status]
            more = max(
                (c for c in own if c.more_items), key=lambda c: c.more_items or 0, default=None
            )
            needs = (
                ""
                if more is None or card.readiness is None
                else f": a verdict needs {_needs(more)}"
            )
            deciding.append(f"{card.verdict.removesuffix('.')}{needs}")
        deciding += besides_of(card, status)
    return GateResult(status=status, line=f"{status}: {'; '.join(deciding)}")


OF_READINESS: dict[Readiness | None, Status] = {
    "ready": "pass", "ready once recalibrated": "fail", "not ready": "fail",
}  # fmt: skip
"""What a verdict is to a gate; 'cannot tell' if it is another."""


def besides_of(card: Card, status: Status) -> list[str]:
    """Say which conditions besides readiness have a status; none of a judge without a verdict."""
    own = [c for c in card.conditions if c.name in BESIDES and c.status == status]
    return [_answer(card.name, c) for c in own] if card.readiness is not None else []


def _needs(condition: Condition) -> str:
    about = "about " if condition.why.endswith(TOO_FEW) else ""
    return f"{about}{condition.more_items:,} more items"


def _answer(name: str, condition: Condition) -> str:
    if condition.status != "cannot tell":
        return f"{name} {MEETS[condition.status]} '{condition.words}' ({condition.shown})"
    whether = f"whether {name} {condition.words}"
    if condition.more_items is not None:
        return f"it takes {_needs(condition)} to decide {whether} ({condition.shown})"
    why = f": {condition.why}" if condition.why and condition.why != condition.shown else ""
    return f"{whether} is open ({condition.shown}){why}"


def worth_words(worth: Estimate) -> str:
    """Write a worth, such as 'about 1.3 annotators (0.8 to more than 3)'."""
    value, _, interval = shown_worth(worth).partition(", ")
    text = f"{value} annotators"
    if worth.censored == "below":
        text = "worse than guessing"
    elif value in ("1.00", "> 1"):
        text = f"{value} annotator"
    ends = "" if not interval else f" ({interval})"
    return f"{text}{ends}".replace("> ", "more than ").replace("< 0", "below 0")
