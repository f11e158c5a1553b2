"""The conditions: worth so many raters, agrees like a person, passes the alt-test."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from headcount.equivalence.alt_test.result import AltTestClassifier
from headcount.equivalence.alt_test.t_test import adjust
from headcount.errors import count
from headcount.judging.beside_people.beside_people import FEWEST_ITEMS
from headcount.judging.beside_people.records import Standing
from headcount.judging.gate.items_needed import items_needed, more_items
from headcount.judging.gate.records import Condition, Status
from headcount.stats.estimate import Estimate

__all__ = [
    "CONDITIONS",
    "DEFAULT_EPSILON",
    "DEFAULT_MARGIN",
    "DEFAULT_RATERS",
    "AltTestPassed",
    "Evidence",
    "TOO_FEW",
    "WHOLE",
    "Kind",
    "LikeAPerson",
    "WorthAtLeast",
    "shown_worth",
    "signed",
]

DEFAULT_RATERS = 1.0
"""Raters that a judge is asked to be worth, where nobody says."""
DEFAULT_MARGIN = 0.2
"""What its kappa may lack of a person's; see docs/studies/judge.md."""
DEFAULT_EPSILON = 0.2
"""What the alt-test forgives a judge for being cheaper."""
WHOLE = ", the whole interval"
"""What stands for an interval of which both ends are beyond what can be told."""
ENOUGH_ITEMS = 100
"""Items to begin with, where the few that there are do not even tell how many it takes."""
RAREST = 0.001
"""Share of bootstrap samples below which none is told from another."""
TINY = 1e-12
"""Standard error of what never varied, so that it can be divided by."""
TOO_FEW = "are too few to tell"
"""What ends the reason, where nothing is decided for lack of items."""
TOO_CLOSE = "too close to tell with a reasonable number of items"


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
    at_first : int
        Items to ask for where there are too few to go by the gap seen, which may be luck.
    """

    name: str
    at_first: int = FEWEST_ITEMS

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

    def undecided(
        self,
        evidence: Evidence,
        *,
        items: int,
        gap: float,
        error: float,
        shown: str,
        estimate: Estimate | None = None,
    ) -> Condition:
        """Say that it cannot be told, and how many more items it takes."""
        if not evidence.agree:
            why = "people are not seen to agree with each other more than by chance"
            return self.condition(
                "cannot tell", shown=shown, items=items, estimate=estimate, why=why
            )
        needed = items_needed(gap, error, items, evidence.level)
        more = more_items(needed, items, least=FEWEST_ITEMS)
        why = TOO_CLOSE if more is None else ""
        if items < FEWEST_ITEMS:
            why = f"{count(items, 'item')} {TOO_FEW}"
            more = max(more or ENOUGH_ITEMS - items, self.at_first - items)
        return self.condition(
            "cannot tell", shown=shown, items=items, estimate=estimate, more=more, why=why
        )


class WorthAtLeast(Kind):
    """Worth at least so many raters."""

    name = "worth_at_least"
    at_first = ENOUGH_ITEMS

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
        status = _side(worth, self.mark) if items >= FEWEST_ITEMS else "cannot tell"
        most = None if worth.bounds is None else worth.bounds[1]
        if status == "cannot tell" and most is not None and self.mark > most and evidence.agree:
            raters = "1 rater is" if most == 1 else f"{most:g} raters are"
            why = f"{raters} the most that these ratings can show: get more ratings of each item"
            return self.condition("cannot tell", shown=shown, items=items, estimate=worth, why=why)
        if status == "cannot tell" or not evidence.agree:
            gap, error = _gap(evidence, self.mark)
            return self.undecided(
                evidence, items=items, gap=gap, error=error, shown=shown, estimate=worth
            )
        return self.condition(status, shown=shown, items=items, estimate=worth)


class LikeAPerson(Kind):
    """Agrees with people nearly as much as they do with each other.

    The margin forgives no more than half of people's own kappa: where it does not decide, a judge
    fails whose kappa is surely less than half of theirs. Else labels at random would be forgiven
    where people agree little.
    """

    name = "like_a_person"

    @property
    def words(self) -> str:
        """Such as 'agrees like a person (kappa within 0.2)'."""
        return f"agrees like a person (kappa within {self.mark:g})"

    def decide(self, evidence: Evidence) -> Condition:
        """Compare the interval of the difference with minus the margin."""
        standing = evidence.standing
        if standing is None:
            why = "fewer than two people share enough items with each other and the judge"
            more = more_items(0, evidence.items, least=FEWEST_ITEMS)
            return self.condition("cannot tell", shown=why, items=0, why=why, more=more)
        found, items = standing.difference, standing.items
        shown = f"{signed(found.value)}"
        if found.low is not None and found.high is not None:
            shown += f", {signed(found.low)} to {signed(found.high)}"
        status = _side(found, -self.mark) if found.low is not None else "cannot tell"
        half = standing.over_half
        if status == "cannot tell" and _side(half, 0.0) == "fail" and evidence.agree:
            status, shown = "fail", f"{shown}, and less than half of people's kappa"
        if status == "cannot tell" or not evidence.agree:
            gap, error = abs(found.value + self.mark), standing.error
            if half.value < 0 and half.high is not None:
                # Whichever of its two marks it is further from, in standard errors.
                below = (-half.value, _error(half.value, half.high, evidence.level))
                gap, error = max((gap, error), below, key=lambda one: one[0] / max(one[1], TINY))
            if items < FEWEST_ITEMS and self.mark > 0:
                # So few may show a large gap by luck: at most that of a judge just like people.
                gap = min(gap, self.mark)
            return self.undecided(
                evidence, items=items, gap=gap, error=error, shown=shown, estimate=found
            )
        return self.condition(status, shown=shown, items=items, estimate=found)


class AltTestPassed(Kind):
    """Passes the alternative annotator test.

    It fails if the reverse is shown: that it is worse by epsilon or more than more raters than it
    may lose, by the same tests and adjustment. Else it cannot be told.
    """

    name = "alt_test"

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
        if tested.passes and evidence.agree:
            return self.condition("pass", shown=shown, items=items)
        reverse = 1 - np.array([rater.p_value for rater in tested.raters])
        lost = int((adjust(reverse) <= ALT_TEST_Q).sum())
        if lost > people - tested.needed and evidence.agree:
            return self.condition("fail", shown=shown, items=items)
        gap, error = _alt_gap(tested)
        return self.undecided(evidence, items=items, gap=gap, error=error, shown=shown)


ALT_TEST_Q = 0.05
"""False discovery rate of the reverse tests, as of the tests."""
CONDITIONS: tuple[type[Kind], ...] = (WorthAtLeast, LikeAPerson, AltTestPassed)
"""All kinds."""


def shown_worth(worth: Estimate) -> str:
    """Write a worth with its interval, with one digit where it is extrapolated.

    Examples
    --------
    >>> shown_worth(Estimate(1.234, 0.8, np.inf, bounds=(0, 4)))
    '1.23, 0.80 to > 4'
    >>> shown_worth(Estimate(np.inf, np.inf, np.inf, bounds=(0, 4)))
    '> 4, the whole interval'
    """
    digits = 1 if worth.extrapolated else 2
    about = "about " if worth.extrapolated else ""
    interval = worth.interval(digits)
    text = f"{about}{worth.show(worth.value, digits)}"
    if worth.censored is not None and worth.low == worth.value == worth.high:
        return f"{text}{WHOLE}"
    return f"{text}, {interval}" if interval else text


def _side(found: Estimate, mark: float) -> Status:
    """On which side of a mark an interval lies."""
    if found.low is None or found.high is None:
        return "cannot tell"
    return "pass" if found.low > mark else "fail" if found.high < mark else "cannot tell"


def _gap(evidence: Evidence, mark: float) -> tuple[float, float]:
    """Distance from the mark, and its standard error on that side.

    Where the worth or the end of its interval is beyond what data show, the lead over so many
    raters in standard errors stands for them, as bootstrap samples have it.
    """
    from statistics import NormalDist

    normal, found, beats = NormalDist(), evidence.worth, evidence.beats
    if found.low is None or found.high is None:
        return 0.0, np.inf
    end = found.low if found.value >= mark else found.high
    if np.isfinite(found.value) and np.isfinite(end):
        return abs(found.value - mark), _error(found.value, end, evidence.level)
    if beats is None or mark > len(beats) - 1:
        return 0.0, np.inf
    leads = [normal.inv_cdf(min(max(p, RAREST), 1 - RAREST)) for p in beats]
    return abs(float(np.interp(mark, range(len(leads)), leads))), 1.0


def _error(value: float, end: float, level: float) -> float:
    """Find the standard error by one end of an interval."""
    from statistics import NormalDist

    return abs(value - end) / NormalDist().inv_cdf((1 + level) / 2)


def _alt_gap(tested: AltTestClassifier) -> tuple[float, float]:
    """Distance of epsilon from where it passes, and a standard error of one rater's lead."""
    gap = abs(tested.epsilon - tested.passes_from)
    items = np.array([rater.items for rater in tested.raters], dtype=np.float64)
    ties = [rater.rho_f + rater.rho_h - 1 for rater in tested.raters]
    spread = np.sqrt(np.clip(1 - np.array(ties), 0, 1) / items)
    return gap, float(np.median(spread))


def signed(x: float) -> str:
    """Write a difference with its sign, and never as minus nothing.

    Examples
    --------
    >>> signed(-0.001), signed(-0.126)
    ('+0.00', '-0.13')
    """
    return f"{round(x, 2) + 0.0:+.2f}"
