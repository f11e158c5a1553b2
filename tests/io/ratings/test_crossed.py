"""Long data whose names say too little: roles by how columns cross."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import DataError, agree, read_ratings
from headcount.io.roles.roles import roles_of

RATERS = ["ann@x.org", "bob@x.org", "cy@x.org"]
ROWS = [
    (f"chat {i}", rater, "unsafe" if (i * i + r) % 5 < 2 else "safe", i, r)
    for i in range(40)
    for r, rater in enumerate(RATERS)
    if (i + r) % 7
]


def table(**columns):
    return {name: [take(*row) for row in ROWS] for name, take in columns.items()}


def chat(item, rater, label, i, r):
    return item


def who(item, rater, label, i, r):
    return rater


def said(item, rater, label, i, r):
    return label


def when(item, rater, label, i, r):
    return f"2026-10-{1 + i % 28:02} 10:{r:02}"


def facts(item, rater, label, i, r):
    return ["short", "long"][i % 2]


def of_raters(item, rater, label, i, r):
    return ["f", "m", "f"][r]


def seconds(item, rater, label, i, r):
    return 10 + (i * 37 + r * 11) % 90 / 10


PLAIN = agree(table(item=chat, rater=who, label=said))["alpha"].value


@pytest.mark.parametrize(
    ("columns", "roles"),
    [
        ({"created_at": when, "annotator_email": who, "conversation": chat, "lead_time": seconds,
          "verdict": said}, ("conversation", "annotator_email", "verdict")),
        ({"text": chat, "labelled_by": who, "is_unsafe": said},
         ("text", "labelled_by", "is_unsafe")),
        ({"is_unsafe": said, "person": who, "chat": chat}, ("chat", "person", "is_unsafe")),
        ({"chat": chat, "length": facts, "gender": of_raters, "reviewer_name": who,
          "finding": said}, ("chat", "reviewer_name", "finding")),
        ({"text": chat, "chat_id": lambda *row: row[3], "rated_by": who, "quality": said},
         ("chat_id", "rated_by", "quality")),
    ],
)  # fmt: skip
def test_read_by_how_columns_cross(columns, roles):
    labels = read_ratings(table(**columns))
    assert agree(labels)["alpha"].value == PLAIN
    assert roles_of(labels.notes) == dict(zip(("item", "rater", "label"), roles, strict=True))
    (note,) = (note for note in labels.notes if "found by their values" in note)
    assert note.severity == "caution"


def test_several_labels_are_listed_and_chosen():
    data = table(chat=chat, annotator_name=who, unsafe=said,
                 polite=lambda *row: (row[3] + 2 * row[4]) % 3)  # fmt: skip
    with pytest.raises(DataError, match=r"several questions of each item: 'unsafe', 'polite'"):
        read_ratings(data)
    assert agree(read_ratings(data, question="unsafe"))["alpha"].value == PLAIN


@pytest.mark.parametrize(
    "columns",
    [
        # A rater who rates an item twice; columns of which each may be the rater; visits.
        {"chat": lambda *row: row[3] // 2, "annotator_name": who, "verdict": said},
        {"chat": chat, "rater_a": who, "rater_b": lambda *row: (row[3] + row[4]) % 3,
         "verdict": said},
        {"chat": chat, "visit": who, "day": when, "verdict": said},
    ],
)  # fmt: skip
def test_refused_where_columns_cross_in_no_way_or_in_several(columns):
    with pytest.raises(DataError, match=r"Name|several questions"):
        read_ratings(table(**columns))


@pytest.mark.parametrize("rater", ["annotator_{}", "Annotator {}", "annotator{}", "rater{}"])
@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), raters=st.integers(2, 6), labels=st.integers(2, 5))
def test_a_column_for_each_rater_is_wide(rater, seed, raters, labels):
    values = np.random.default_rng(seed).integers(0, labels, (12, raters))
    data = {"post": [f"p{n}" for n in range(12)]}
    data |= {rater.format(r): [f"v{v}" for v in values[:, r]] for r in range(raters)}
    made = read_ratings(data)
    assert len(made.items) == 12
    assert len(made.raters) == raters
