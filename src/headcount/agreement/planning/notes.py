"""What a pilot cannot tell, in sentences."""

from __future__ import annotations

from headcount.agreement.planning.components import Components
from headcount.agreement.prepare import Prepared
from headcount.agreement.raters.interval import freedom_of
from headcount.agreement.raters.scope import FIXED, Scope
from headcount.errors import count
from headcount.results.notes import Notes

__all__ = ["note_pilot"]

FEW_RATERS = 10
"""Raters below which a pilot says little about how much raters differ."""
UNLUCKY = 0.1
"""Probability with which the part of raters may be larger than a caution says."""


def note_pilot(notes: Notes, data: Prepared, scope: Scope, parts: Components) -> None:
    """Say what the pilot cannot tell."""
    if scope.kind is FIXED:
        anonymous = data.labels.anonymous
        pilot = "that says who rated what" if anonymous else "with three raters or more"
        notes.caution(
            f"the plan is {FIXED.words} only: {scope.why}. A pilot {pilot} shows how much raters "
            "differ."
        )
    raters = data.panel.raters
    if parts.crossed and parts.rater > 0 and raters < FEW_RATERS:
        from scipy.special import chdtri  # pyright: ignore[reportMissingTypeStubs]

        freedom = freedom_of(data.panel.effective)
        times = freedom / float(chdtri(freedom, 1 - UNLUCKY))
        much = f"{times:.2g}" if times < 20 else "many"
        notes.caution(
            f"how much raters differ rests on {count(raters, 'rater')}: it may be {much} times as "
            "much (one in ten), and then takes as many times the raters. Plan again when more have "
            "rated."
        )
    if float(data.ratings.per_item.max()) < 3 and scope.kind is not FIXED:
        notes.info(
            "no item of the pilot has three ratings, so that what more ratings of an item bring is "
            "not known; the plan takes it to be nothing."
        )
