"""What readers refuse or warn of, data that are reduced where they are do as well."""

from __future__ import annotations

import json

import numpy as np
import pytest

from headcount import DataError, agree, blind, read_ratings, scan_ratings
from headcount.io.values.zeros import check_zero_counts, check_zeros
from headcount.results.notes import Notes
from tests.io.test_more_files import ITEMS, RATERS, STARS, YES, text, zeros

LONG = ["item", "rater", "label"]
WIDE = ["item", *RATERS]


def long(rows, raters=RATERS, items=ITEMS):
    pairs = [(i, r, v) for i, row in zip(items, rows, strict=True) for r, v in zip(raters, row)]  # noqa: B905
    return text(LONG, pairs)


def wide(rows, **more):
    columns = zip(*more.values(), strict=True) if more else [()] * len(rows)
    lines = [(i, *row, *own) for i, row, own in zip(ITEMS, rows, columns, strict=True)]
    return text([*WIDE, *more], lines)


def said(write):
    return [[write(value, n) for value in row] for n, row in enumerate(YES)]


def most(row):
    return max(set(row.tolist()), key=row.tolist().count)


REFUSED = {
    "zeros": long(zeros()[0]),
    "apart": long([[a, b, "Y" if c == "yes" else "N"] for a, b, c in YES]),
    "ends": long([[f"{a}/5", f"{b}/5", f"{2 * c}/10"] for a, b, c in STARS]),
    "skip": long(said(lambda v, n: "skip" if n % 9 == 0 else v)),
    "topic": wide(YES, topic=[f"t{n % 3}" for n in range(40)]),
    "length": wide(STARS, chars=range(100, 140)),
    "ticks": wide([["x" if v == "yes" else "" for v in row] for row in YES]),
    "times": text(["item", "pre", "post"], zip(ITEMS, STARS[:, 0], STARS[:, 1], strict=True)),
    "asked": text(["item", "tone", "clarity"], zip(ITEMS, STARS[:, 0], STARS[:, 1], strict=True)),
    "merged": text(LONG, [(i if r == "ann" else "", r, v) for i, row in zip(ITEMS, YES, strict=True)
                          for r, v in zip(RATERS, row, strict=True)]),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_readers_refuse_is_refused(tmp_path, name):
    path = tmp_path / "r.csv"
    path.write_text(REFUSED[name])
    with pytest.raises(DataError) as read:
        read_ratings(path)
    with pytest.raises(DataError) as reduced:
        agree(scan_ratings(path), bootstrap=0)
    assert str(reduced.value)[-60:] == str(read.value)[-60:]  # what to do


IN_MEMORY = {
    "json": long(said(lambda v, n: json.dumps({"label": v, "reason": "x"}))),
    "marked": long(said(lambda v, n: f"**{v}**")),
    "percent": wide([[f"{20 * v}%" for v in row] for row in STARS]),
    "header": long(YES[:20], items=ITEMS[:20]) + long(YES[20:], items=ITEMS[20:]),
    "totals": wide((YES == "yes") * 1) + "Total,17,18,19\n",
    "markdown": long(YES).replace("item,rater,label\n", "item,rater,label\n---,---,---\n"),
}


@pytest.mark.parametrize("name", IN_MEMORY)
def test_what_only_readers_tidy_is_refused(tmp_path, name):
    path = tmp_path / "r.csv"
    path.write_text(IN_MEMORY[name])
    assert len(read_ratings(path)) == 120
    with pytest.raises(DataError, match="engine='memory'"):
        agree(scan_ratings(path), bootstrap=0)


STATUS = ["draft" if n % 10 == 0 else "done" for n in range(120)]
TOLD = {
    "larger": long([[a, b, 2 * c] for a, b, c in STARS]),
    "remark": long(said(lambda v, n: f"{v} (unsure)" if n % 9 == 0 else v)),
    "misspelt": long([*YES[:39], ["yse", "yes", "yes"]]),
    "model": long(YES, raters=["ann", "bob", "gpt-4o"]),
    "texts": long([[f"I think {r} {n}" for r in RATERS] for n in range(40)]),
    "twins": long(YES, raters=["ann", "Ann", "cy"]),
    "status": text([*LONG, "status"], [
        (*row.split(","), one)
        for row, one in zip(long(YES).splitlines()[1:], STATUS, strict=True)]),
    "majority": wide(YES, x=[most(row) for row in YES]),
}  # fmt: skip


@pytest.mark.parametrize("name", TOLD)
def test_what_readers_tell_is_told(tmp_path, name):
    path = tmp_path / "r.csv"
    path.write_text(TOLD[name])
    memory = agree(read_ratings(path), bootstrap=0)
    reduced = agree(scan_ratings(path), bootstrap=0)
    severe = [
        {note for note in result.notes if note.severity != "info" and "r.csv" in note}
        for result in (memory, reduced)
    ]
    assert severe[0]
    assert severe[0] == severe[1]
    assert memory["alpha"].value == pytest.approx(reduced["alpha"].value)


def test_failures_among_votes(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text(long(said(lambda v, n: "ERROR" if n % 9 == 0 else v), raters=["a", "b", "c"]))
    with pytest.raises(DataError, match="labels are no answer: 'ERROR'"):
        blind(scan_ratings(path), bootstrap=0)


def test_zeros_of_counts_are_those_of_ratings():
    """The rule is the same where items are counted together."""
    rng, texts = np.random.default_rng(5), [str(n) for n in range(6)]
    for share in (0.0, 0.02, 0.1, 0.3):
        codes = np.where(rng.random(STARS.shape) < share, 0, STARS).ravel()
        items = np.repeat(np.arange(40), 3)
        counts = np.zeros((40, 6), dtype=np.int64)
        np.add.at(counts, (items, codes), 1)
        patterns, times = np.unique(counts, axis=0, return_counts=True)
        one = outcome(check_zeros, (codes, texts), items)
        assert one == outcome(check_zero_counts, patterns, times, texts)


def outcome(check, *given):
    """Return what a check says, or why it refuses."""
    notes = Notes()
    try:
        check(*given, "r.csv", notes)
    except DataError as error:
        return [str(error)]
    return [str(note) for note in notes]
