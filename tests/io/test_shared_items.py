"""One check of ids for all commands: items that two sources share, and how they are numbered."""

from __future__ import annotations

import numpy as np
import pytest

from headcount import (
    DataError,
    blind,
    consensus,
    corrected_rate,
    judge,
    look,
    next_items,
    read_predictions,
    read_ratings,
    scan_ratings,
    survey,
)

N = 60
RNG = np.random.default_rng(7)
TRUTH = RNG.integers(0, 2, N)


def answers(accuracy: float) -> list[str]:
    right = RNG.random(N) < accuracy
    return ["yes" if value else "no" for value in np.where(right, TRUTH, 1 - TRUTH)]


VOTES = {name: answers(0.9) for name in ("a", "b", "c")}
PEOPLE = {name: answers(0.9) for name in ("ann", "bob", "eve")}
GOLD = ["yes" if value else "no" for value in TRUTH]


def wide(columns: dict[str, list[str]], start: int, prefix: str = "") -> dict[str, list[str]]:
    return {"item": [f"{prefix}{i + start}" for i in range(N)], **columns}


def two_columns(start: int, prefix: str = "") -> dict[str, list[str]]:
    return wide({"gold": GOLD}, start, prefix)


COMMANDS = {
    "blind": lambda left, right: blind(wide(VOTES, left), gold=two_columns(right), bootstrap=0),
    "crowd": lambda left, right: blind(wide(VOTES, left), crowd=two_columns(right), bootstrap=0),
    "consensus": lambda left, right: consensus(wide(VOTES, left), gold=two_columns(right)),
    "plan items": lambda left, right: next_items(
        wide(VOTES, left),
        number=5,
        gold={i + right: label for i, label in enumerate(GOLD[:40])} | {N - 1 + right: GOLD[-1]},
    ),
    "rate": lambda left, right: corrected_rate(wide(VOTES, left), wide(PEOPLE, right)),
    "judge": lambda left, right: judge(
        wide(PEOPLE, left), wide({"j": VOTES["a"]}, right), bootstrap=0
    ),
    "survey": lambda left, right: survey(
        wide(PEOPLE, left), wide({"j": VOTES["a"]}, right), bootstrap=0, ceiling=False
    ),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("left", "right"), [(0, 1), (1, 0)])
def test_every_command_refuses_ids_from_0_beside_ids_from_1(command, left, right):
    with pytest.raises(DataError, match="Number both alike"):
        COMMANDS[command](left, right)
    assert COMMANDS[command](left, left).provenance.items_used > 0


def test_the_refusal_names_both_ranges_and_its_way_out_works():
    with pytest.raises(DataError, match=r"votes numbers items from 0 to 59, and gold from 1 to 60"):
        blind(wide(VOTES, 0), gold=two_columns(1), bootstrap=0)
    without_zero = {name: cells[1:] for name, cells in wide(VOTES, 0).items()}
    result = blind(without_zero, gold=two_columns(1), bootstrap=0)
    assert result.provenance.items_used == N - 1


@pytest.mark.parametrize("prefix", ["q", "doc-0", "item 00"])
def test_numbers_behind_a_word_are_numbers(prefix):
    with pytest.raises(DataError, match=f"items from {prefix}0 to {prefix}59"):
        blind(wide(VOTES, 0, prefix), gold=two_columns(1, prefix), bootstrap=0)


def test_gold_of_some_items():
    some = {
        "item": [str(i + 1) for i in (3, 20, 41, 59)],
        "gold": [GOLD[i] for i in (3, 20, 41, 59)],
    }
    with pytest.raises(DataError, match="Number both alike"):
        blind(wide(VOTES, 0), gold=some, bootstrap=0)
    first = {"item": [str(i + 1) for i in range(10)], "gold": GOLD[:10]}
    result = blind(wide(VOTES, 0), gold=first, bootstrap=0)
    (note,) = [note for note in result.notes if "Number both alike" in note]
    assert note.severity == "warning"


@pytest.mark.parametrize("other", [7, 30])
def test_items_without_an_answer_hide_no_numbering(other):
    """Neither list is whole, of the same items or of others."""
    votes = {
        name: [x for n, x in enumerate(cells) if n != 7] for name, cells in wide(VOTES, 0).items()
    }
    gold = {name: [x for n, x in enumerate(c) if n != other] for name, c in two_columns(1).items()}
    with pytest.raises(DataError, match="Number both alike"):
        blind(votes, gold=gold, bootstrap=0)


def test_ids_that_begin_with_1_by_chance_are_left_alone():
    some = {"item": ["1", "7", "20", "33"], "gold": [GOLD[i] for i in (1, 7, 20, 33)]}
    notes = blind(wide(VOTES, 0), gold=some, bootstrap=0).notes
    assert not any("umber both" in note for note in notes)


def test_votes_that_are_counted_where_they_are(tmp_path):
    path = tmp_path / "votes.csv"
    rows = [
        f"{item},{name},{label}\n"
        for name, labels in VOTES.items()
        for item, label in enumerate(labels)
    ]
    path.write_text("item,classifier,label\n" + "".join(rows))
    with pytest.raises(DataError, match="Number both alike"):
        blind(scan_ratings(path, rater="classifier"), gold=two_columns(1), bootstrap=0)


def test_few_shared_items_are_a_warning_of_blind_too():
    few = {"item": [str(i) for i in range(57, 80)], "gold": ["yes", "no"] * 11 + ["yes"]}
    notes = blind(wide(VOTES, 0), gold=few, bootstrap=0).notes
    (note,) = [note for note in notes if "3 items are in both gold (23 items)" in note]
    assert note.severity == "warning"


def test_look_says_what_other_commands_refuse():
    found = look(wide(PEOPLE, 0), wide({"judge": VOTES["a"]}, 1))
    assert any("Number both alike" in note for note in found.notes)


@pytest.mark.parametrize("start", [0, 1])
def test_rows_without_ids_do_not_stand_beside_numbered_predictions_of_others(tmp_path, start):
    """Rows are called by their lines, which begin with 2: the third row is no item 4."""
    people, judge = tmp_path / "people.csv", tmp_path / "judge.csv"
    people.write_text("ann,bob,cat\n" + "a,a,b\nb,b,a\na,a,a\n" * 10)
    rows = "".join(f"{start + k},{'ab'[k % 2]}\n" for k in range(30))
    judge.write_text(f"item,model\n{rows}")
    ratings = read_ratings(people, columns=["ann", "bob", "cat"])
    with pytest.raises(DataError, match="Number both alike, in a column of items"):
        survey(ratings, read_predictions(judge), bootstrap=0)
