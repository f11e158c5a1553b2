"""Exports of form tools whose columns do not say who rates what: REDCap, KoboToolbox, ODK."""

from __future__ import annotations

from headcount.errors import DataError, option
from headcount.io.ratings.shapes.base import Asked
from headcount.io.ratings.shapes.transposed import is_survey
from headcount.io.roles.roles import find_role
from headcount.io.values.option_list import Several

__all__ = ["check_form_tools"]

_KOBO = frozenset({"_uuid", "_submission_time", "meta/instanceID", "instanceID"})
_OF_FORM = frozenset(
    {"start", "end", "today", "deviceid", "subscriberid", "simserial", "phonenumber", "username",
     "audit", "KEY", "SubmissionDate"}
)  # fmt: skip
"""Columns that these tools write of each submission."""


def check_form_tools(asked: Asked) -> None:
    """Refuse an export of a form tool with what to say, unless it was said."""
    if any(asked.given.values()) or asked.transpose is not None or asked.table.form != "named":
        return
    names = asked.table.names
    redcap = [name for name in names if name.startswith("redcap_")]
    if redcap:
        raise _redcap(asked, redcap)
    kobo = len({*names} & _KOBO) > 1 and find_role(names, "item") is None
    if kobo and not is_survey(asked):
        raise _kobo(asked)


def _redcap(asked: Asked, columns: list[str]) -> DataError:
    names = asked.table.names
    own = [name for name in names[1:] if name not in columns and not name.endswith("_complete")]
    rater = find_role(own, "rater")
    event = next(
        (c for c in columns if c in ("redcap_event_name", "redcap_repeat_instance")), "..."
    )
    who = own[rater] if rater is not None else event
    label = next((name for name in own if name != who), "...")
    return DataError(
        f"{asked.table.source}: an export of REDCap, in which a row is a record at an event or a "
        "repeat. Name the columns: the rated record, who rated it (where each event or repeat is "
        f"another rater, that column) and the answer, such as {option('item', names[0])}, "
        f"{option('rater', who)} and {option('label', label)}."
    )


def _kobo(asked: Asked) -> DataError:
    names = asked.table.names
    form = [n for n in names if n in _OF_FORM or n.startswith(("_", "meta/")) or n in _KOBO]
    return DataError(
        f"{asked.table.source}: an export of KoboToolbox or ODK, in which a row is a submission "
        "and a column a question. If each question rates an item, say "
        f"{option('transpose', True)}, name who submitted with {option('rater', '...')}, and leave "
        "out what is no rating "
        f"({option('ignore', Several(form))}); if each submission rates one item, name the columns "
        f"with {option('item', '...')}, {option('rater', '...')} and {option('label', '...')}."
    )
