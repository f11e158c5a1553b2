"""What a pilot cannot tell, in sentences."""

from __future__ import annotations

from headcount.agreement.prepare import Prepared
from headcount.agreement.raters.populations import FIXED, Scope
from headcount.results.notes import Notes

__all__ = ["note_pilot"]


def note_pilot(notes: Notes, data: Prepared, scope: Scope) -> None:
    """Say what the pilot cannot tell."""
    if scope.kind is FIXED:
        anonymous = data.labels.anonymous
        pilot = "that says who rated what" if anonymous else "with three raters or more"
        notes.caution(
            f"the plan is {FIXED.words} only: {scope.why}. A pilot {pilot} shows how much raters "
            "differ."
        )
    if float(data.ratings.per_item.max()) < 3 and scope.kind is not FIXED:
        notes.info(
            "no item of the pilot has three ratings, so that what more ratings of an item bring is "
            "not known; the plan takes it to be nothing."
        )
