from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount import OptionError
from headcount.judging.beside_people.records import Standing
from headcount.judging.gate.conditions import (
    CONDITIONS,
    AltTestPassed,
    Evidence,
    LikeAPerson,
    WorthAtLeast,
)
from headcount.judging.gate.decide import all_of, chosen
from headcount.judging.gate.items_needed import MOST_ITEMS, MOST_TIMES, items_needed, more_items
from headcount.stats.estimate import Estimate


def worth(value, low, high, top=4.0, known=2.0):
    bounds = (0.0, top)
    return Estimate(value, low=low, high=high, level=0.95, bounds=bounds, known=known)


def evidence(found=None, *, items=150, standing=None, agree=True, beats=None):
    found = found or worth(1.5, 1.2, 1.9)
    return Evidence(
        worth=found, items=items, standing=standing, alt_test=None, level=0.95, agree=agree,
        beats=beats,
    )  # fmt: skip


def standing(value, low, high, *, error=0.06, items=150, half=Estimate(0.5)):  # noqa: B008
    return Standing(
        kappa=Estimate(0.5), people_kappa=Estimate(0.5), over_half=half,
        difference=Estimate(value, low=low, high=high), error=error,
        holds_for="", agreement=0.5, people_agreement=0.5, bias=None, people=(),
        better_than=0, place=1, items=items, weights="nominal",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("found", "mark", "status"),
    [
        (worth(2.5, 2.1, 3.0), 2, "pass"),
        (worth(1.5, 1.2, 1.9), 2, "fail"),
        (worth(2.5, 1.9, 3.0), 2, "cannot tell"),
        (worth(2.5, 2.0, 3.0), 2, "cannot tell"),  # the mark itself is not above it
        (worth(math.inf, 2.5, math.inf), 2, "pass"),
        (worth(-math.inf, -math.inf, 0.5), 1, "fail"),
    ],
)
def test_worth_is_decided_on_the_interval(found, mark, status):
    assert WorthAtLeast(mark).decide(evidence(found)).status == status


@pytest.mark.parametrize(
    ("ends", "status"),
    [((-0.15, 0.1), "pass"), ((-0.4, -0.21), "fail"), ((-0.25, 0.1), "cannot tell")],
)
def test_like_a_person_is_decided_on_the_interval(ends, status):
    one = standing(sum(ends) / 2, *ends)
    assert LikeAPerson(0.2).decide(evidence(standing=one)).status == status


def test_nothing_is_decided_with_few_items_or_people_who_do_not_agree():
    few = WorthAtLeast(1).decide(evidence(items=20))
    assert (few.status, few.why) == ("cannot tell", "20 items are too few to tell")
    assert few.more_items >= 80  # what 20 items show of a worth may be luck
    lost = WorthAtLeast(1).decide(evidence(agree=False))
    assert lost.status == "cannot tell"
    assert "people are not seen to agree" in lost.why
    assert LikeAPerson(0.2).decide(evidence()).status == "cannot tell"
    assert AltTestPassed(0.2).decide(evidence()).status == "cannot tell"


def test_items_for_a_worth_go_by_the_lead_over_so_many_raters():
    """An end beyond what data show is no end: the lead in standard errors is, from beats."""
    open_end = worth(1.6, -math.inf, math.inf, top=2.0)
    lead = 0.8413447  # one standard error
    found = WorthAtLeast(2).decide(evidence(open_end, beats=(0.9, 0.5, 1 - lead)))
    assert found.more_items == more_items(items_needed(1, 1, 150, 0.95), 150, least=30)
    half = WorthAtLeast(1.5).decide(evidence(open_end, beats=(0.9, 0.5, 1 - lead)))
    assert half.more_items is None or half.more_items > found.more_items
    unknown = WorthAtLeast(2).decide(evidence(open_end))
    assert (unknown.more_items, unknown.why[:9]) == (None, "too close")
    beyond = worth(2.5, 1.9, math.inf)  # .5 by .306: the other end does not matter
    closed = WorthAtLeast(2).decide(evidence(beyond, beats=(0.9, 0.5, 0.5)))
    assert closed.more_items == more_items(items_needed(0.5, 0.6 / 1.96, 150, 0.95), 150, least=30)


def test_the_margin_forgives_no_more_than_half_of_peoples_kappa():
    """Labels at random lack little where people agree little: .3 of .3 is not within .2 of it."""
    below, above = Estimate(-0.15, low=-0.28, high=-0.02), Estimate(-0.1, low=-0.23, high=0.03)
    found = LikeAPerson(0.2).decide(evidence(standing=standing(-0.3, -0.45, -0.15, half=below)))
    assert found.status == "fail"
    assert "less than half of people's kappa" in found.shown
    open_still = LikeAPerson(0.2).decide(
        evidence(standing=standing(-0.3, -0.45, -0.15, half=above))
    )
    assert open_still.status == "cannot tell"
    # The two gaps are .1 each, the errors .06 and .13 / 1.96: the first mark takes fewer items.
    assert open_still.more_items == more_items(items_needed(0.1, 0.06, 150, 0.95), 150, least=30)
    # Above the mark is above the mark: the margin is the user's.
    passes = LikeAPerson(0.2).decide(evidence(standing=standing(-0.1, -0.19, -0.01, half=below)))
    assert passes.status == "pass"


def test_more_raters_than_data_show():
    found = WorthAtLeast(9).decide(evidence(worth(math.inf, 2.0, math.inf)))
    assert found.status == "cannot tell"
    assert "get more ratings of each item" in found.why


def test_items_needed_by_hand():
    """z = 1.95996 + .84162; a gap of one standard error takes z^2 = 7.849 times the items."""
    assert items_needed(0.1, 0.1, 100, 0.95) == pytest.approx(784.9, abs=0.1)
    assert items_needed(0.0, 0.1, 100, 0.95) == math.inf
    assert more_items(784.9, 100, least=30) == 690
    assert more_items(100 * MOST_TIMES + 1, 100, least=30) is None


@given(st.floats(1, 1e5), st.integers(1, 5000))
def test_more_items_are_some_or_too_many(needed, items):
    more = more_items(needed, items, least=30)
    if more is None:
        assert needed > min(MOST_TIMES * items, MOST_ITEMS)
    else:
        assert more >= 1
        assert items + more >= min(needed, 30)


def test_too_close_to_tell():
    one = standing(-0.2, -0.32, -0.08)
    found = LikeAPerson(0.2).decide(evidence(standing=one))
    assert found.more_items is None
    assert "too close to tell" in found.why


def test_all_must_pass():
    assert all_of(["pass", "pass"]) == "pass"
    assert all_of(["pass", "cannot tell"]) == "cannot tell"
    assert all_of(["cannot tell", "fail", "pass"]) == "fail"


def test_marks_are_checked():
    nothing = dict.fromkeys((kind.name for kind in CONDITIONS), None)
    assert [kind.mark for kind in chosen(nothing).kinds] == [1, 0.2]
    for name, bad in (("worth_at_least", 0), ("like_a_person", -1), ("alt_test", 1)):
        with pytest.raises(OptionError, match=name):
            chosen({**nothing, name: bad})
