"""Comparisons as people write them down: counted wins, tables of wins, words, other names."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from headcount import look, read_comparisons
from headcount.data.comparisons import Comparisons
from headcount.errors import DataError

ROWS = [("ann", "bea", 1.0), ("bea", "cem", 0.0), ("ann", "cem", 0.5), ("cem", "ann", 1.0),
        ("bea", "ann", 0.0), ("ann", "bea", 0.0)]  # fmt: skip
LEFT, RIGHT = [a for a, _, _ in ROWS], [b for _, b, _ in ROWS]
DECIDED = [row for row in ROWS if row[2] != 0.5]


def said(left: Any, right: Any, tie: Any) -> list[Any]:
    return [{1.0: left, 0.0: right, 0.5: tie}[share] for _, _, share in ROWS]


def rows(read: Comparisons) -> list[tuple[str, str, float]]:
    return [
        (str(read.items[i]), str(read.items[j]), float(share))
        for i, j, share in zip(read.left, read.right, read.outcome, strict=True)
    ]


def points(given: list[tuple[str, str, float]]) -> Counter[tuple[str, str]]:
    """Points of the first over the second, both ways, whoever stands on the left."""
    out: Counter[tuple[str, str]] = Counter()
    for a, b, share in given:
        out[a, b] += share
        out[b, a] += 1 - share
    return +out


@pytest.mark.parametrize(
    "words",
    [("model_a", "model_b", "tie (inconsistent)"), (">", "<", "="), (">>", "<<", "=="),
     ("1-0", "0-1", "1/2-1/2"), ("Slightly prefer A", "Strongly prefer B", "No preference"),
     ("Response 1 is better", "Response 2 is much better", "About the same"),
     ("A wins", "B wins", "draw"), ("I prefer the left", "right", "tie")],
)  # fmt: skip
def test_words(words):
    data = {"model_a": LEFT, "model_b": RIGHT, "verdict": said(*words)}
    if words[0] == "I prefer the left":  # not one of the sentences that are known
        with pytest.raises(DataError, match="Expected left, right or tie"):
            read_comparisons(data)
    else:
        assert rows(read_comparisons(data)) == ROWS


@pytest.mark.parametrize(
    ("left", "right", "outcome", "words"),
    [("HomeTeam", "AwayTeam", "FTR", ("H", "A", "D")), ("home", "away", "result", "had"),
     ("White", "Black", "Result", ("white", "black", "draw")),
     ("White", "Black", "Result", ("W", "B", "D")),
     ("model", "baseline", "win", (1, 0, 0.5)), ("model", "opponent", "result", "WLD"),
     ("player", "opponent", "result", ("won", "lost", "draw")),
     ("candidate_a", "candidate_b", "winner", ("candidate_a", "candidate_b", "tie")),
     ("system1", "system2", "better", ("1", "2", "tie")),
     ("left_video", "right_video", "selected", ("Left", "Right", "neither")),
     ("Home", "Away", "choice", ("home", "away", "draw"))],
)  # fmt: skip
def test_names_of_sides(left, right, outcome, words, tmp_path):
    data = {left: LEFT, right: RIGHT, outcome: said(*words)}
    assert rows(read_comparisons(data)) == ROWS
    path = tmp_path / "c.json"
    path.write_text(
        json.dumps([dict(zip(data, row, strict=True)) for row in zip(*data.values(), strict=True)])
    )
    assert rows(read_comparisons(path)) == ROWS


def test_letters_are_not_taken_for_other_sides():
    # Away is A here, but where B stands beside it, A is the first.
    data = {"home": LEFT, "away": RIGHT, "result": said("A", "B", "tie")}
    assert rows(read_comparisons(data)) == ROWS
    for words in ("WLD", ("win", "lose", "draw")):  # whose win it is, is not said
        with pytest.raises(DataError, match="Expected left, right or tie"):
            read_comparisons({"left": LEFT, "right": RIGHT, "result": said(*words)})


def test_a_third_item_is_not_left_out_in_silence():
    data = {"model_a": ["x", "y"], "model_b": ["y", "z"], "model_c": ["z", "x"]}
    data["winner"] = ["x", "z"]
    with pytest.raises(DataError, match=r"column 'model_c' holds a third item.*item1, item2"):
        read_comparisons(data)
    named = read_comparisons(data, left="model_a", right="model_b")
    assert rows(named) == [("x", "y", 1.0), ("y", "z", 0.0)]
    three = {f"item{i}": names for i, names in enumerate(list(data.values())[:3], 1)}
    best = read_comparisons(three | {"best": data["winner"]})
    assert points(rows(best)) == {("x", "y"): 1, ("x", "z"): 1, ("z", "x"): 1, ("z", "y"): 1}


def test_numbers_of_both_sides_are_no_items():
    data = {"prompt": list("uvwxyz"), "len_a": [3, 4, 5, 6, 7, 8], "len_b": [9, 8, 7, 6, 5, 4]}
    with pytest.raises(DataError, match="no column found for the left"):
        read_comparisons(data | {"winner": said("a", "b", "tie")})
    talks = {f"conversation_{side}": [[{"role": "user"}]] * len(ROWS) for side in "ab"}
    with pytest.raises(DataError, match="no column found for the left"):
        read_comparisons(talks | {"winner": said("a", "b", "tie")})


@pytest.mark.parametrize(
    "names",
    [("left_wins", "right_wins", "ties"), ("wins_a", "wins_b", "draws"), ("win1", "win2", "tie")],
)
def test_counted_wins(names):
    data = {"item_a": ["p", "q", "p"], "item_b": ["q", "r", "r"], "n": [5, 1, 3]}
    counts = dict(zip(names, ([2, 0, 3], [2, 1, 0], [1, 0, None]), strict=True))
    read = read_comparisons(data | counts)  # n is all of them, and no count of answers more
    assert points(rows(read)) == {("p", "q"): 2.5, ("q", "p"): 2.5, ("r", "q"): 1, ("p", "r"): 3}
    assert len(read) == 9
    assert look(data | counts).seen[0].kind == "comparisons"


def test_one_column_a_result_that_is_called_a_win():
    data = {"a": LEFT, "b": RIGHT, "a_wins": said(True, False, False)}
    data |= {"b_wins": said(False, True, False), "tie": said(False, False, True)}
    assert points(rows(read_comparisons(data))) == points(ROWS)


def test_rates_of_wins_are_refused():
    data = {"left": ["p"], "right": ["q"], "left_wins": [0.6], "right_wins": [0.4]}
    with pytest.raises(DataError, match=r"column 'left_wins': expected how often.*Rates"):
        read_comparisons(data)
    with pytest.raises(DataError, match="all numbers of wins are 0"):
        read_comparisons(data | {"left_wins": [0], "right_wins": [0]})
    with pytest.raises(DataError, match="up to 20,000,000 are read"):
        read_comparisons(data | {"left_wins": [10**8], "right_wins": [0]})


def test_a_table_of_wins_says_who_won_by_its_corner(tmp_path):
    table = "{},x,y,z\nx,,3,0\ny,1,0,2\nz,4,0,\n"
    path = tmp_path / "wins.csv"
    path.write_text(table.format("winner"))
    wins = {("x", "y"): 3, ("y", "x"): 1, ("y", "z"): 2, ("z", "x"): 4}
    assert points(rows(read_comparisons(path))) == wins
    assert look(path).seen[0].kind == "comparisons"
    path.write_text(table.format("loser"))
    assert points(rows(read_comparisons(path))) == {(b, a): n for (a, b), n in wins.items()}
    path.write_text(table.format(""))
    with pytest.raises(DataError, match="Call its first column 'winner' if"):
        read_comparisons(path)


def test_lists_of_judges_are_not_read():
    data = {"model_a": LEFT, "model_b": RIGHT, "winner": said("model_a", "model_b", "tie")}
    read = read_comparisons(data | {"judge": [["gpt-4", "pair-v2"]] * len(ROWS)})
    assert (rows(read), read.raters) == (ROWS, None)
    assert any("who gave an answer is not read" in note for note in read.notes)


@pytest.mark.parametrize("cell", [str, lambda text: [{"role": "assistant", "content": text}]])
def test_answers_are_no_items(cell, tmp_path):
    path = tmp_path / "hh.jsonl"
    pairs = [{"chosen": cell(f"good {i}"), "rejected": cell(f"bad {i}")} for i in range(5)]
    path.write_text("\n".join(map(json.dumps, pairs)))
    with pytest.raises(DataError, match="chosen_model and rejected_model"):
        read_comparisons(path)
    named = [pair | {"chosen_model": "x", "rejected_model": "yz"[i % 2]}
             for i, pair in enumerate(pairs)]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, named)))
    assert points(rows(read_comparisons(path))) == {("x", "y"): 3, ("x", "z"): 2}


def test_winners_that_are_spelt_otherwise_are_asked_about():
    data = {"left": LEFT, "right": RIGHT}
    data["winner"] = [a.upper() if s == 1 else b.upper() if s == 0 else "tie" for a, b, s in ROWS]
    with pytest.raises(DataError, match=r"winner 'ANN' is spelt otherwise.*merge=\['case'\]"):
        read_comparisons(data)
    assert rows(read_comparisons(data, merge=["case"])) == ROWS


def test_numbers_of_items_that_a_gap_made_fractions(tmp_path):
    path = tmp_path / "c.csv"
    path.write_text("left,right,winner\n10,11.0,10\n11,12.0,12\n12,,\n10,12.0,tie\n")
    read = read_comparisons(path)
    assert rows(read) == [("10", "11", 1.0), ("11", "12", 0.0), ("10", "12", 0.5)]


@pytest.mark.parametrize(
    ("codes", "message"),
    [((1, -1, 0), "numbers from -1 to 1"), ((1, -1, None), "numbers from -1 to 1"),
     ((1, 2, 3), "1, 2 and 3 may mean several"), ((1, 2, 0), "0, 1 and 2 may mean several")],
)  # fmt: skip
def test_codes_that_may_mean_several_things(codes, message):
    with pytest.raises(DataError, match=message):
        read_comparisons({"left": LEFT, "right": RIGHT, "outcome": said(*codes)})


def test_names_of_winners_without_a_header(tmp_path):
    path = tmp_path / "c.csv"
    lines = [f"{a},{b},{ {1.0: a, 0.0: b, 0.5: 'tie'}[s] }" for a, b, s in ROWS]
    path.write_text("\n".join(lines))
    assert rows(read_comparisons(path)) == ROWS


def test_ranks_of_models_for_each_question_and_judge():
    data = {"question_id": [1, 1, 1, 1], "judge": ["j", "j", "k", "k"],
            "model": ["x", "y", "x", "y"], "rank": [1, 2, 2, 1]}  # fmt: skip
    read = read_comparisons(data)
    assert points(rows(read)) == {("x", "y"): 1, ("y", "x"): 1}
    assert read.raters is not None
    assert sorted(map(str, read.raters)) == ["j", "k"]
