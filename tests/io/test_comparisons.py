"""Comparisons and rankings, however they are laid out."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headcount import look, pairs, read_comparisons, scan_comparisons
from headcount.data.comparisons import Comparisons
from headcount.errors import DataError
from headcount.io.roles import ReadAs
from headcount.io.write import write_comparisons

PLAIN = "left,right,outcome,rater\na,b,left,ann\nb,c,right,bob\nc,a,tie,ann\n"
EXPECTED = [("a", "b", 1.0), ("b", "c", 0.0), ("c", "a", 0.5)]


def rows(data: Comparisons):
    columns = data.items[data.left], data.items[data.right]
    return [(str(a), str(b), s) for a, b, s in zip(*columns, data.outcome.tolist(), strict=True)]


def raters(data: Comparisons):
    return data.raters[data.rater].tolist()


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def records(text=PLAIN):
    header, *lines = (line.split(",") for line in text.splitlines())
    return [dict(zip(header, line, strict=True)) for line in lines]


# --- formats --------------------------------------------------------------------------------------


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("suffix", "delimiter"), [("csv", ","), ("tsv", "\t"), ("txt", "|")])
def test_text(tmp_path, packed, suffix, delimiter):
    path = tmp_path / f"c.{suffix}{'.gz' if packed else ''}"
    data = PLAIN.replace(",", delimiter).encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    read = read_comparisons(path)
    assert rows(read) == EXPECTED
    assert raters(read) == ["ann", "bob", "ann"]
    assert read.backend is None


def test_json_lines_and_parquet(tmp_path):
    lines = "".join(json.dumps(record) + "\n" for record in records())
    assert rows(read_comparisons(write(tmp_path / "c.jsonl", lines))) == EXPECTED
    pq.write_table(pa.Table.from_pylist(records()), tmp_path / "c.parquet")
    assert rows(read_comparisons(tmp_path / "c.parquet")) == EXPECTED


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.Table.from_pylist])
def test_frames(make):
    read = read_comparisons(make(records()))
    assert rows(read) == EXPECTED
    assert read.backend in ("pandas", "polars", "pyarrow")
    assert read.source == "comparisons"


def test_what_is_written_comes_back(tmp_path):
    data = Comparisons.from_columns(
        ["a", "b", "c"], ["b", "c", "a"], [1, 0.25, 0.5], rater=[1, 2, 1], weight=[1, 2, 0.5]
    )
    write_comparisons(data, tmp_path / "c.csv")
    read = read_comparisons(tmp_path / "c.csv")
    assert rows(read) == rows(data)
    assert raters(read) == [1, 2, 1]
    assert read.weight.tolist() == [1, 2, 0.5]


# --- how others write them ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [("left", "right", "tie"), ("Left", "RIGHT", "Tie"), ("1", "0", "0.5"), ("1.0", "0.0", "0.50"),
     ("a", "b", "draw")],
)  # fmt: skip
def test_outcomes(tmp_path, words):
    text = PLAIN
    for word, other in zip(("left,ann", "right,bob", "tie,ann"), words, strict=True):
        text = text.replace(word, f"{other},{word.split(',')[1]}")
    text = text.replace("a,b,", "p,q,").replace("b,c,", "q,r,").replace("c,a,", "r,p,")
    assert [s for *_, s in rows(read_comparisons(write(tmp_path / "c.csv", text)))] == [1, 0, 0.5]


def test_crowd_kit(tmp_path):
    text = "worker,left,right,label\nw1,cat,dog,cat\nw2,cat,dog,dog\nw1,dog,emu,emu\n"
    read = read_comparisons(write(tmp_path / "c.csv", text))
    assert rows(read) == [("cat", "dog", 1.0), ("cat", "dog", 0.0), ("dog", "emu", 0.0)]
    assert raters(read) == ["w1", "w2", "w1"]
    assert read.notes == (
        "c.csv: left = 'left', right = 'right', outcome = 'label', rater = 'worker'; the outcome "
        "is the winner's name.",
    )


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_crowd_kit_with_numbers_as_items(make):
    """The items 0 and 1 look like outcomes, until an item 2 wins."""
    frame = make({"left": [0, 1, 2], "right": [1, 2, 0], "label": [1, 2, 0]})
    assert rows(read_comparisons(frame)) == [("0", "1", 0.0), ("1", "2", 0.0), ("2", "0", 0.0)]


def test_names_of_winners_with_ties_and_gaps():
    frame = pd.DataFrame(
        {"left": [10, 11, 12], "right": [11, 12, 10], "label": [10.0, np.nan, 10.0]}
    )
    read = read_comparisons(frame)
    assert rows(read) == [("10", "11", 1.0), ("12", "10", 0.0)]
    assert read.notes[-1] == "comparisons: 1 comparison left out (no outcome: 1)."
    frame = pl.DataFrame({"left": ["u", "v"], "right": ["v", "w"], "label": ["u", "tie"]})
    assert [s for *_, s in rows(read_comparisons(frame))] == [1.0, 0.5]


def test_an_item_that_is_called_like_an_outcome_is_the_item():
    """Or else the last row, in which a is not compared, would be read as a win of c."""
    frame = pl.DataFrame({"left": ["a", "b"], "right": ["b", "a"], "label": ["a", "a"]})
    assert [s for *_, s in rows(read_comparisons(frame))] == [1.0, 0.0]
    frame = pl.DataFrame({"left": ["a", "c"], "right": ["b", "b"], "label": ["b", "a"]})
    with pytest.raises(DataError, match="row 1, column 'label': winner 'a' is neither 'c' nor 'b'"):
        read_comparisons(frame)


def test_outcomes_that_may_be_names_are_refused():
    frame = pl.DataFrame({"left": [0, 1], "right": [1, 0], "label": [1, 1]})
    with pytest.raises(DataError, match="row 0, column 'label': '1' may be a result"):
        read_comparisons(frame)
    same = pl.DataFrame({"left": ["left", "left"], "right": ["right"] * 2, "label": ["left"] * 2})
    assert [s for *_, s in rows(read_comparisons(same))] == [1.0, 1.0]


def test_chatbot_arena(tmp_path):
    text = (
        "question_id,model_a,model_b,winner,judge,turn\n"
        "q1,gpt,llama,model_a,u1,1\nq2,llama,claude,model_b,u2,1\nq3,gpt,claude,tie,u1,2\n"
        "q4,gpt,llama,tie (bothbad),u3,1\nq5,gpt,llama,both_bad,u3,1\n"
    )
    read = read_comparisons(write(tmp_path / "arena.csv", text))
    assert [s for *_, s in rows(read)] == [1.0, 0.0, 0.5, 0.5, 0.5]
    assert raters(read) == ["u1", "u2", "u1", "u3", "u3"]
    assert read.notes == (
        "arena.csv: left = 'model_a', right = 'model_b', outcome = 'winner', rater = 'judge'; the "
        "outcome is left, right or tie; 'both bad' is a tie.",
    )


def test_evalica(tmp_path):
    text = "left,right,winner\nPizza,Sushi,left\nBurger,Pasta,right\nPizza,Pasta,tie\n"
    read = read_comparisons(write(tmp_path / "c.csv", text))
    assert [s for *_, s in rows(read)] == [1.0, 0.0, 0.5]
    assert read.raters is None


def test_the_name_of_a_column_is_an_outcome(tmp_path):
    text = "headline 1,headline 2,best\np,q,headline 1\nq,r,headline 2\n"
    read = read_comparisons(
        write(tmp_path / "c.csv", text), left="headline 1", right="headline 2", outcome="best"
    )
    assert [s for *_, s in rows(read)] == [1.0, 0.0]
    assert [type(note) for note in read.notes] == [ReadAs]


def test_weights(tmp_path):
    text = "left,right,outcome,weight\na,b,1,2\nb,c,0,0.5\nc,a,1,\n"
    read = read_comparisons(write(tmp_path / "c.csv", text))
    assert read.weight.tolist() == [2, 0.5]
    assert read.notes[-1] == "c.csv: 1 comparison left out (no weight: 1)."
    text = text.replace("weight", "times")
    with pytest.raises(DataError, match=r"row 3, column 'times': expected how often.*ignore="):
        read_comparisons(write(tmp_path / "c.csv", text))
    assert read_comparisons(tmp_path / "c.csv", ignore=["times"]).weight is None
    assert read_comparisons(tmp_path / "c.csv", weight="times").weight.tolist() == [2, 0.5]


def test_missing_is_missing(tmp_path):
    text = (
        "left,right,outcome,rater\na,b,1,r\n,b,1,r\na,,1,r\na,b,,r\na,b,None,r\na,b,nan,r\na,b,0,\n"
    )
    read = read_comparisons(write(tmp_path / "c.csv", text))
    assert rows(read) == [("a", "b", 1.0), ("a", "b", 0.0)]
    assert read.dropped == {"no item": 2, "no outcome": 3}
    assert read.notes[-2] == "c.csv: 5 comparisons left out (no item: 2, no outcome: 3)."
    assert read.notes[-1].startswith("c.csv: 1 comparison without a rater; kept")
    assert {note.severity for note in read.notes[-2:]} == {"caution"}


# --- layouts and codes ----------------------------------------------------------------------------

ARENA = "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie"


def test_one_column_a_result(tmp_path):
    text = f"{ARENA}\n1,p,q,1,0,0\n2,q,r,0,1,0\n3,p,r,0,0,1\n4,q,q,1,0,0\n5,p,r,0,0,0\n"
    read = read_comparisons(write(tmp_path / "c.csv", text))
    assert rows(read) == [("p", "q", 1.0), ("q", "r", 0.0), ("p", "r", 0.5)]
    assert read.dropped == {"no outcome": 1, "self-comparison": 1}
    assert "left out (no outcome: 1, self-comparison: 1)" in read.notes[-1]


def test_one_column_a_result_with_both_bad_and_booleans():
    frame = pl.DataFrame(
        {
            "model_a": ["p", "q", "p"],
            "model_b": ["q", "r", "r"],
            "winner_model_a": [True, False, False],
            "winner_model_b": [False, False, False],
            "winner_tie": [False, True, False],
            "winner_tie_bothbad": [False, False, True],
        }
    )
    read = read_comparisons(frame)
    assert [s for *_, s in rows(read)] == [1.0, 0.5, 0.5]


def test_winner_and_loser(tmp_path):
    text = "winner,loser,judge\np,q,ann\nr,q,bob\nq,q,ann\n"
    read = read_comparisons(write(tmp_path / "c.csv", text))
    assert rows(read) == [("p", "q", 1.0), ("r", "q", 1.0)]
    assert raters(read) == ["ann", "bob"]
    assert read.dropped == {"self-comparison": 1}
    tied = "winner,loser,tie\np,q,\nr,q,yes\n"
    assert [s for *_, s in rows(read_comparisons(write(tmp_path / "t.csv", tied)))] == [1.0, 0.5]


def test_alpaca_eval():
    """1 is the first, 2 the second, and what lies between a strength; 0 was a tie once."""
    columns = {
        "generator_1": ["base"] * 5,
        "generator_2": ["mine"] * 5,
        "annotator": ["gpt"] * 5,
        "preference": [1.0, 2.0, 1.5, 1.25, None],
    }
    read = read_comparisons(columns)
    assert [s for *_, s in rows(read)] == [1.0, 0.0, 0.5, 0.75]
    assert read.dropped == {"no outcome": 1}
    assert "numbers between them shares" in read.notes[0]
    old = {"generator_1": ["p"] * 3, "generator_2": ["q"] * 3, "preference": [1, 2, 0]}
    with pytest.raises(
        DataError, match=r"first_wins='1:2' if 1 and 2 are the sides and 0 is a tie"
    ):
        read_comparisons(old)
    assert [s for *_, s in rows(read_comparisons(old, first_wins="1:2"))] == [1.0, 0.0, 0.5]
    other = {"left": ["p", "q"], "right": ["q", "r"], "preference": [1, 2]}
    assert [s for *_, s in rows(read_comparisons(other))] == [1.0, 0.0]


@pytest.mark.parametrize(
    "words",
    [("A", "B", "tie"), ("response_a", "response_b", "both good"), ("[[A]]", "[[B]]", "neither"),
     ("output_1", "output_2", "draw"), ("A>B", "B>>A", "A=B")],
)  # fmt: skip
def test_more_words_for_outcomes(words):
    columns = {"left": ["p", "q", "p"], "right": ["q", "r", "r"], "choice": list(words)}
    read = read_comparisons(columns)
    assert [s for *_, s in rows(read)] == [1.0, 0.0, 0.5]


@pytest.mark.parametrize("word", ["NA", "", "N/A", "null", "nan", "."])
def test_a_missing_outcome_drops_its_row_alone(tmp_path, word):
    text = f"left,right,winner\np,q,p\nq,r,{word}\np,r,r\n"
    read = read_comparisons(write(tmp_path / "c.csv", text))
    assert rows(read) == [("p", "q", 1.0), ("p", "r", 0.0)]
    assert read.dropped == {"no outcome": 1}
    unsure = text.replace(f"q,r,{word}\n", "q,r,unsure\n") + "p,q,unsure\n"
    with pytest.raises(DataError, match=r"row 3.*winner 'unsure' is neither.*missing='unsure'"):
        read_comparisons(write(tmp_path / "s.csv", unsure))
    again = read_comparisons(tmp_path / "s.csv", missing=["unsure"])
    assert (rows(again), again.dropped) == (rows(read), {"no outcome": 2})


def test_a_winner_that_was_not_compared_is_refused(tmp_path):
    """A slip, or a word for something: the file does not say."""
    text = "left,right,label,worker\np,q,p,1\nq,r,r,1\np,r,p,2\nq,p,z,2\n"
    with pytest.raises(DataError, match=r"row 5, column 'label': winner 'z' is neither 'q' nor"):
        read_comparisons(write(tmp_path / "c.csv", text))
    read = read_comparisons(tmp_path / "c.csv", missing=["z"])
    assert rows(read) == [("p", "q", 1.0), ("q", "r", 0.0), ("p", "r", 1.0)]
    assert read.dropped == {"no outcome": 1}
    # That an item which was not compared means 'no answer' is no way out: it would take its wins.
    with pytest.raises(DataError, match="winner 'r' is neither 'q' nor 'p'") as refused:
        read_comparisons(write(tmp_path / "c.csv", text.replace("z", "r")))
    assert "missing" not in str(refused.value)


def test_blank_raters_are_kept_where_raters_play_no_part(tmp_path):
    text = "left,right,winner,rater\n" + "p,q,p,ann\nq,p,p,\np,q,q,bob\nq,p,q,\n" * 5
    read = read_comparisons(write(tmp_path / "c.csv", text))
    assert (len(read), read.raters.tolist()) == (20, ["ann", "bob"])
    assert sorted(set(read.rater.tolist())) == [-1, 0, 1]
    assert pairs(read).provenance.n_ratings == 20
    assert pairs(read).provenance.n_raters == 2
    drawn = pairs(read, bootstrap=20, cluster="rater")
    assert drawn.provenance.n_ratings == 10
    assert drawn.to_dict()["data"]["dropped"] == {"no rater": 10}
    assert any("10 comparisons without a rater left out" in note for note in drawn.notes)
    assert not any("; kept" in note for note in drawn.notes)
    write_comparisons(read, tmp_path / "again.csv")
    back = read_comparisons(tmp_path / "again.csv")
    assert back.rater.tolist() == read.rater.tolist()


def test_a_column_of_blank_raters_is_no_column_of_raters(tmp_path):
    read = read_comparisons(write(tmp_path / "c.csv", "left,right,winner,rater\np,q,p,\nq,r,r,\n"))
    assert (len(read), read.rater, read.raters) == (2, None, None)


# --- without a header -----------------------------------------------------------------------------

IDS = "1214776587540762624,1401293111188504581,0.0\n1401293111188504581,7,1.0\n7,9,0.5\n"


def check_ids(read):
    assert rows(read) == [
        ("1214776587540762624", "1401293111188504581", 0.0),
        ("1401293111188504581", "7", 1.0),
        ("7", "9", 0.5),
    ]


@pytest.mark.parametrize("packed", [False, True])
def test_three_columns_without_a_header(tmp_path, packed):
    path = tmp_path / ("c.csv.gz" if packed else "c.csv")
    path.write_bytes(gzip.compress(IDS.encode()) if packed else IDS.encode())
    read = read_comparisons(path)
    check_ids(read)
    assert read.notes == (
        f"{path.name}: its first row is a comparison, so it has no header; read as left item, "
        "right item, 1 where the left item won and 0 where the right one did.",
    )


def test_raters_without_a_header(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("a,b,1,ann\nb,c,0.5,bob\nc,a,0,ann\n")
    read = read_comparisons(path)
    assert (len(read), read.raters.tolist()) == (3, ["ann", "bob"])
    assert read.notes[0].endswith("0 where the right one did, rater.")
    assert len(read_comparisons(pl.read_csv(path, has_header=False)).raters) == 2


def test_words_without_a_header(tmp_path):
    read = read_comparisons(write(tmp_path / "c.csv", "p,q,left\nq,r,right\np,r,tie\n"))
    assert rows(read) == [("p", "q", 1.0), ("q", "r", 0.0), ("p", "r", 0.5)]


def test_a_header_is_not_taken_for_data(tmp_path):
    """Names that recur, and a third that is a number, make a comparison; these do not."""
    read = read_comparisons(write(tmp_path / "c.csv", "a,b,winner\np,q,p\nq,r,r\n"))
    assert rows(read) == [("p", "q", 1.0), ("q", "r", 0.0)]
    read = read_comparisons(write(tmp_path / "d.csv", "0,1,2\np,q,1\nq,r,0\n"))
    assert rows(read) == [("p", "q", 1.0), ("q", "r", 0.0)]


def test_rows_without_a_header_count_from_1(tmp_path):
    path = write(tmp_path / "c.csv", "1,2,0\n2,3,1\n\n3,2,z\n")
    with pytest.raises(DataError, match=r"c\.csv, row 4, column 'column 3': outcome 'z'"):
        read_comparisons(path)
    path = write(tmp_path / "c.csv", "1,2,0\n2,3,7\n")
    with pytest.raises(DataError, match=r"c\.csv, row 1, column 'column 3': outcome '0'. Numbers"):
        read_comparisons(path)


def test_frames_without_names(tmp_path):
    path = write(tmp_path / "c.csv", IDS)
    check_ids(read_comparisons(pd.read_csv(path, header=None)))
    check_ids(read_comparisons(pl.read_csv(path, has_header=False)))
    for frame in (pd.read_csv(path), pl.read_csv(path)):
        with pytest.raises(DataError, match=r"are a comparison.*pandas: header=None"):
            read_comparisons(frame)


def test_the_pilot(data_folder):
    """1,640 rows, 41 items, 820 pairs twice, 12.2% ties."""
    read = read_comparisons(data_folder / "pairs/climate_pilot/comparisons.csv")
    assert (len(read), len(read.items)) == (1640, 41)
    assert np.mean(read.outcome == 0.5) == pytest.approx(0.122, abs=0.0005)
    pairs = np.sort(np.stack([read.left, read.right]), axis=0)
    assert np.unique(pairs, axis=1).shape[1] == 820
    assert "1214776587540762624" in [str(item) for item in read.items]
    assert read.rater is None


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("left,right,outcome\na,b,1\nb,c,z\n", r"row 3, column 'outcome': outcome 'z'. Expected"),
        ("left,right,outcome\na,b,1\n\nb,c,z\n", r"row 4, column 'outcome': outcome 'z'"),
        ("left,right,outcome\na,b,1\nb,c,3\n", r"row 3, column 'outcome': outcome '3'. Numbers"),
        ("left,right,outcome\na,b,1\nb,c,2\nc,a,0\n", r"Numbers from 0 to 2 do not say"),
        ("left,right,outcome\na,b,-1\nb,c,0\n", r"row 2, column 'outcome': outcome '-1'"),
        ("left,right,label\na,b,a\nb,c,a\n", r"row 3, column 'label': winner 'a' is neither 'b'"),
        ("left,right,label\na,b,a\nb,c,d\n", r"winner 'd' is neither 'b' nor 'c'. Correct it"),
        ("left,right,outcome\na,a,1\n", r"every row was left out \(self-comparison: 1\)"),
        ("winner,loser\na,a\n,b\n", r"left out \(no item: 1, self-comparison: 1\)"),
        ("model_a,model_b,winner_a,winner_b\na,b,1,1\n", r"row 2: more than one of 'winner_a',"),
        ("model_a,model_b,winner_a,winner_b\na,b,2,0\n", r"row 2: more than one of 'winner_a',"),
        ("model_a,model_b,winner_a,winner_b\na,b,x,0\n", r"'winner_a': expected how often"),
        ("left,right,outcome,weight\na,b,1,x\n", r"row 2, column 'weight': expected a number"),
        ("left,right,outcome,weight\na,b,1,-2\n", r"row 2: weight -2"),
        ("left,right,outcome\na,b,\n", r"no comparisons; every row was left out \(no outcome: 1\)"),
        ("left,outcome\na,1\n", r"no column found for the right"),
        ("left,right,text\na,b,1\n", r"no column found for the outcome.*outcome='\.\.\.'"),
        ("item,rater,label\na,ann,1\n", r"no column found for the left"),
        ("lfet,right,outcome\na,b,1\n", r"for the left item. Did you mean 'lfet'\?"),
    ],
)
def test_what_cannot_be_read(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read_comparisons(write(tmp_path / "c.csv", text))


def test_columns_that_are_not_there_or_play_two_roles(tmp_path):
    path = write(tmp_path / "c.csv", PLAIN)
    with pytest.raises(DataError, match=r"no column 'rght' for the right. Did you mean 'right'"):
        read_comparisons(path, right="rght")
    with pytest.raises(DataError, match="cannot play two roles; left = 'left', right = 'left'"):
        read_comparisons(path, right="left")


def test_no_file(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        read_comparisons(tmp_path / "c.csv")


def test_zero_and_one_that_may_number_the_sides_are_refused():
    rows = {"model_a": ["a", "b", "a"], "model_b": ["b", "c", "c"]}
    for name in ("preference", "winner", "label", "choice", "vote", "better"):
        with pytest.raises(DataError, match="0 and 1 may be the number of a side"):
            read_comparisons(rows | {name: [0, 1, 1]})
    assert len(read_comparisons(rows | {"score_a": [0, 1, 1]}, outcome="score_a")) == 3
    # Neither ties nor blanks nor degrees say which end is the left item.
    for values in ([0, 0.5, 1], [0, "tie", 1], ["tie", 1, 1], [0, None, 1], [0, 0.3, 1]):
        with pytest.raises(DataError, match="0 and 1 may be the number of a side"):
            read_comparisons(rows | {"preference": values})
    assert read_comparisons(rows | {"outcome": [0, 0.3, 1]}).outcome.tolist() == [0, 0.3, 1]


# Rows that stand in a file more than once are noticed and said.


def random_columns(n=60, *, seed=0, **more):
    rng = np.random.default_rng(seed)
    left = rng.integers(0, 6, n)
    return {
        "left": left.tolist(),
        "right": ((left + rng.integers(1, 6, n)) % 6).tolist(),
        "outcome": rng.choice(["left", "right", "tie"], n).tolist(),
        "rater": rng.integers(0, 9, n).tolist(),
    } | more


def notes_on_copies(data):
    return [str(n) for n in read_comparisons(data).notes if "too narrow" in n]


def test_rows_that_come_again():
    once = random_columns(prompt=list(range(60)))
    some = {name: [*values, *values[:10]] for name, values in once.items()}
    (note,) = notes_on_copies(some)
    assert "10 of 70 rows are exact copies" in note
    # Other prompts are other questions.
    assert notes_on_copies(some | {"prompt": list(range(70))}) == []
    # A few may be chance, or a question asked again.
    assert notes_on_copies({name: [*values, *values[:3]] for name, values in once.items()}) == []


def test_equal_answers_are_no_copies_where_nothing_else_is_known():
    assert (
        notes_on_copies({"left": ["a"] * 40, "right": ["b"] * 40, "outcome": ["left"] * 40}) == []
    )
    rng = np.random.default_rng(0)
    many = {"left": ["a"] * 400, "right": ["b"] * 400, "outcome": rng.choice([0, 1], 400).tolist()}
    assert notes_on_copies(many) == []


# Comparisons as people write them down: counted wins, tables of wins, words, other names.

ROWS = [("ann", "bea", 1.0), ("bea", "cem", 0.0), ("ann", "cem", 0.5), ("cem", "ann", 1.0),
        ("bea", "ann", 0.0), ("ann", "bea", 0.0)]  # fmt: skip
LEFT, RIGHT = [a for a, _, _ in ROWS], [b for _, b, _ in ROWS]
DECIDED = [row for row in ROWS if row[2] != 0.5]


def said(left: Any, right: Any, tie: Any) -> list[Any]:
    return [{1.0: left, 0.0: right, 0.5: tie}[share] for _, _, share in ROWS]


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
    [("White", "Black", "Result", ("white", "black", "draw")),
     ("candidate_a", "candidate_b", "winner", ("candidate_a", "candidate_b", "tie")),
     ("system1", "system2", "better", ("1", "2", "tie")),
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
    for words in ("WLD", ("win", "lose", "draw"), "HAD"):  # whose win it is, is not said
        for left, right in (("left", "right"), ("home", "away")):
            with pytest.raises(DataError, match="Expected left, right or tie"):
                read_comparisons({left: LEFT, right: RIGHT, "result": said(*words)})


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
    with pytest.raises(DataError, match="no comparisons; every row was left out"):
        read_comparisons(data | {"left_wins": [0], "right_wins": [0]})
    with pytest.raises(DataError, match="up to 20,000,000 are read"):
        read_comparisons(data | {"left_wins": [10**8], "right_wins": [0]})


def test_a_table_of_items_against_items_is_refused(tmp_path):
    path = tmp_path / "wins.csv"
    for corner in ("winner", "item", ""):
        path.write_text(f"{corner},x,y,z\nx,,3,0\ny,1,0,2\nz,4,0,\n")
        with pytest.raises(DataError):
            read_comparisons(path)


def test_lists_of_judges_are_not_read():
    data = {"model_a": LEFT, "model_b": RIGHT, "winner": said("model_a", "model_b", "tie")}
    read = read_comparisons(data | {"judge": [["gpt-4", "pair-v2"]] * len(ROWS)})
    assert (rows(read), read.raters) == (ROWS, None)
    assert any("raters are not read" in note for note in read.notes)


@pytest.mark.parametrize("cell", [str, lambda text: [{"role": "assistant", "content": text}]])
def test_answers_are_no_items(cell, tmp_path):
    path = tmp_path / "hh.jsonl"
    pairs = [{"chosen": cell(f"good {i}"), "rejected": cell(f"bad {i}")} for i in range(5)]
    path.write_text("\n".join(map(json.dumps, pairs)))
    with pytest.raises(DataError, match="no column found for the left"):
        read_comparisons(path)
    named = [pair | {"chosen_model": "x", "rejected_model": "yz"[i % 2]}
             for i, pair in enumerate(pairs)]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, named)))
    assert points(rows(read_comparisons(path))) == {("x", "y"): 3, ("x", "z"): 2}


def test_results_of_an_item_against_an_opponent():
    data = {"player": LEFT, "opponent": RIGHT, "result": said("won", "lost", "draw")}
    with pytest.raises(DataError, match=r"no column found for the left.*left='...'"):
        read_comparisons(data)
    with pytest.raises(DataError, match="first_wins='won'"):
        read_comparisons(data, left="player", right="opponent")
    sides = {"left": "player", "right": "opponent"}
    assert rows(read_comparisons(data, **sides, first_wins="won")) == ROWS


def test_winners_that_are_spelt_otherwise_are_asked_about():
    data = {"left": LEFT, "right": RIGHT}
    data["winner"] = [a.upper() if s == 1 else b.upper() if s == 0 else "tie" for a, b, s in ROWS]
    with pytest.raises(DataError, match=r"winner 'BEA' is spelt otherwise.*merge=\['case'\]"):
        read_comparisons(data)
    assert rows(read_comparisons(data, merge=["case"])) == ROWS


def test_numbers_of_items_that_a_gap_made_fractions(tmp_path):
    path = tmp_path / "c.csv"
    path.write_text("left,right,winner\n10,11.0,10\n11,12.0,12\n12,,\n10,12.0,tie\n")
    read = read_comparisons(path)
    assert rows(read) == [("10", "11", 1.0), ("11", "12", 0.0), ("10", "12", 0.5)]


# Which outcome is a win of the left item, where the file does not say.


def test_the_refusal_names_both_ways_and_each_works(tmp_path):
    """Truth: with the right one of the two commands ann wins twice, with the other bea and cem."""
    for left, right, tie in ((1, 0, "tie"), (0, 1, 0.5), ("p", "q", "tie"), (-1, 1, 0), (7, 1, 4),
                             ("True", "False", ""), (100, 0, 50), (1, 3, "tie")):  # fmt: skip
        data = {"left": LEFT, "right": RIGHT, "winner": said(left, right, tie)}
        with pytest.raises(DataError) as refused:
            read_comparisons(data)
        text = str(refused.value)
        assert f"first_wins='{left}'" in text
        assert f"first_wins='{right}'" in text
        kept = [row for row in ROWS if tie != "" or row[2] != 0.5]
        assert rows(read_comparisons(data, first_wins=left)) == kept
        assert rows(read_comparisons(data, first_wins=str(right))) == [
            (a, b, 1 - share) for a, b, share in kept
        ]


def test_degrees_count_as_wins():
    data = {"left": list("abcabca"), "right": list("bcabcab"), "choice": [1, 2, 3, 4, 5, 6, 7]}
    assert read_comparisons(data, first_wins=1).outcome.tolist() == [1, 1, 1, 0.5, 0, 0, 0]
    read = read_comparisons(data, first_wins=7)
    assert read.outcome.tolist() == [0, 0, 0, 0.5, 1, 1, 1]
    assert "7 where the left item won and 1 where the right one did; 4 is a tie" in read.notes[0]


def test_a_scale_whose_end_nobody_used_is_not_guessed():
    data = {"left": list("abcabc"), "right": list("bcabca"), "choice": [1, 2, 3, 4, 5, 6]}
    for value in (1, 7):  # of six steps the middle would be between 3 and 4
        with pytest.raises(DataError, match=r"not clear.*first_wins='6:1'.*first_wins='1:6'"):
            read_comparisons(data, first_wins=value)
    assert read_comparisons(data, first_wins="1:7").outcome.tolist() == [1, 1, 1, 0.5, 0, 0]
    assert read_comparisons(data, first_wins="6:1").outcome.tolist() == [0, 0, 0, 1, 1, 1]
    with pytest.raises(DataError, match="row 5, column 'choice': outcome '6' is not a number"):
        read_comparisons(data, first_wins="1:5")
    with pytest.raises(DataError, match=r"first_wins='7:3'.*give other ends if the scale has"):
        read_comparisons(data | {"choice": [3, 4, 5, 7, 7, 3]})  # of 1 to 7
    half = {"left": ["a", "b"], "right": ["b", "a"], "choice": [-1, 0]}
    assert read_comparisons(half, first_wins=-1).outcome.tolist() == [1, 0.5]
    assert read_comparisons(half, first_wins="1:-1").outcome.tolist() == [0, 0.5]


def test_a_slip_beside_a_side_is_no_side():
    data = {"left": ["a", "b"], "right": ["b", "c"], "outcome": ["left", "maybe"]}
    with pytest.raises(DataError, match="missing='maybe'") as refused:
        read_comparisons(data)
    assert "first_wins" not in str(refused.value)


def test_first_wins_that_is_no_outcome_is_refused():
    data = {"left": ["a", "b", "a"], "right": ["b", "c", "c"], "winner": ["x1", "y1", "z1"]}
    with pytest.raises(DataError, match="must be one of two outcomes"):
        read_comparisons(data, first_wins="x1")
    assert read_comparisons(data, first_wins="x1", missing=["z1"]).outcome.tolist() == [1, 0]
    for value in ("q", 7):
        with pytest.raises(DataError, match=f"first_wins='{value}'"):
            read_comparisons(data | {"winner": [0, 1, 1]}, first_wins=value)
    with pytest.raises(DataError, match="row 2, column 'winner': outcome 'w' is not a number"):
        read_comparisons(data | {"winner": [0, 1, "w"]}, first_wins=0)


def test_one_bad_cell_is_named():
    data = {"left": LEFT * 5, "right": RIGHT * 5, "outcome": [1, 0, 1, 0, 1, 1] * 5}
    for slip in (7, "ok"):
        data["outcome"][17] = slip
        with pytest.raises(DataError, match=f"row 17, column 'outcome': outcome '{slip}'"):
            read_comparisons(data)


@pytest.fixture
def reversible(tmp_path):
    """Ann beats bea and cem, and bea beats cem, if 1 is a win of the right item."""
    games = [("ann", "bea", 0), ("bea", "cem", 0), ("cem", "ann", 1), ("bea", "ann", 1),
             ("ann", "cem", 0.5), ("cem", "bea", 1), ("cem", "bea", 0),
             ("ann", "bea", 1)]  # fmt: skip
    lines = [f"{a},{b},{share}" for a, b, share in games * 5]
    return write(tmp_path / "c.csv", "\n".join(["left,right,winner", *lines]))


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_first_wins_on_the_command_line(run, reversible, engine):
    done = run("pairs", reversible, "--engine", engine)
    assert done.code == 2
    wanted = "which one means that the left item won: --first-wins 1 or --first-wins 0."
    assert wanted in " ".join(done.err.split())
    best = {}
    for value in (0, 1):
        done = run("pairs", reversible, "--first-wins", value, "--engine", engine, "--json")
        assert done.code == 0, done.err
        best[value] = max(done.json["items"], key=lambda item: item["rating"]["value"])["item"]
    assert best == {0: "ann", 1: "cem"}


def test_first_wins_of_other_commands(run, reversible, tmp_path):
    done = run("look", reversible, "--first-wins", "0", "--json")
    assert done.code == 0, done.err
    (seen,) = done.json["files"]
    assert (seen["kind"], seen["counts"]["left"], seen["counts"]["right"]) == (
        "comparisons",
        15,
        20,
    )
    assert any("--first-wins 0" in step["command"] for step in done.json["next"])
    plan = ("plan", "comparisons", reversible, "--items", 50, "--budget", 100, "--repeats", 20)
    assert "--first-wins" in run(*plan).err
    assert "pilot of 3 items" in run(*plan, "--first-wins", 0).err  # so that it is read
    plan = ("plan", "pairs", reversible, "--number", 2, "-o", tmp_path / "tasks.csv")
    assert run(*plan).code == 2
    assert run(*plan, "--first-wins", 0).code == 0


def test_negative_ends_on_the_command_line(run, tmp_path):
    lines = [",".join(map(str, row)) for row in zip(LEFT, RIGHT, said(-1, 1, 0), strict=True)]
    path = write(tmp_path / "c.csv", "\n".join(["left,right,winner", *lines]))
    done = run("look", path, "--first-wins", "-1", "--details")
    assert done.code == 0, done.err
    assert "left wins 2 times, right 3, ties 1" in done.out


@pytest.mark.parametrize(
    "words", [(1, 0, 0.5), ("p", "q", "tie"), (-1, 1, 0), (1, 7, 4), (3, 1, 2)]
)
@pytest.mark.parametrize("options", [{}, {"first_wins": None}])
def test_engines_read_outcomes_by_the_same_grammar(words, options, tmp_path):
    lines = [",".join(map(str, row)) for row in zip(LEFT, RIGHT, said(*words), strict=True)]
    path = write(tmp_path / "c.csv", "\n".join(["left,right,winner", *lines * 5]))
    if options:
        options = {"first_wins": words[0]}
    answers = []
    for read in (read_comparisons, scan_comparisons):
        try:
            answers.append(pairs(read(path, **options)).to_dict()["items"])
        except DataError as refusal:
            answers.append(str(refusal).split("first_wins")[1:])
    assert answers[0] == answers[1]
    assert isinstance(answers[0][0], dict if options else str)


# Files of sports and of machine translation.


def test_winners_and_losers_by_other_names(tmp_path):
    """As the files of tennis have them; others are asked about."""
    tennis = {"tourney_id": [1] * 6, "winner_id": range(6), "winner_name": LEFT,
              "winner_rank": range(6), "loser_id": range(6, 12), "loser_name": RIGHT,
              "loser_rank": range(6)}  # fmt: skip
    assert points(rows(read_comparisons(tennis))) == points([(a, b, 1.0) for a, b, _ in ROWS])
    assert look(tennis).seen[0].kind == "comparisons"
    teams = {"winner_team": LEFT, "loser_team": RIGHT}
    assert len(read_comparisons(teams)) == 6
    ages = teams | {"winner_age": range(6), "loser_age": range(6)}
    with pytest.raises(DataError, match="say left='winner_team' with right='loser_team' or"):
        read_comparisons(ages)
    read = read_comparisons(ages, left="winner_team", right="loser_team")
    assert rows(read) == rows(read_comparisons(teams))


def test_ranks_of_systems_as_wmt_writes_them(tmp_path):
    path = write(
        tmp_path / "wmt.csv",
        "judgeId,system1Id,system2Id,system3Id,system1rank,system2rank,system3rank\n"
        "j1,x,y,z,2,1,2\nj2,z,x,y,1,-1,2\n",
    )
    read = read_comparisons(path)
    assert points(rows(read)) == {
        ("y", "x"): 1, ("y", "z"): 1, ("x", "z"): 0.5, ("z", "x"): 0.5, ("z", "y"): 1
    }  # fmt: skip
    assert raters(read)[0] == "j1"
    assert any("1 rank below 1 read as not ranked" in note for note in read.notes)
    assert look(path).seen[0].kind == "comparisons"


def test_names_of_winners_without_a_header(tmp_path):
    path = tmp_path / "c.csv"
    lines = [f"{a},{b},{ {1.0: a, 0.0: b, 0.5: 'tie'}[s] }" for a, b, s in ROWS]
    path.write_text("\n".join(lines))
    assert rows(read_comparisons(path)) == ROWS


def test_a_row_for_each_item_with_its_rank_is_refused():
    data = {"question_id": [1, 1, 1, 1], "judge": ["j", "j", "k", "k"],
            "model": ["x", "y", "x", "y"], "rank": [1, 2, 2, 1]}  # fmt: skip
    with pytest.raises(DataError, match="if each row has one item and its rank, reshape it"):
        read_comparisons(data)
    wide = {"question_id": [1, 1], "judge": ["j", "k"], "x_rank": [1, 2], "y_rank": [2, 1]}
    assert points(rows(read_comparisons(wide))) == {("x", "y"): 1, ("y", "x"): 1}


# Rankings and best-worst sets, however they are laid out.

ORDERS = [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]]
RATERS = ["x", "y", "z"]


def orders(made):
    """Items of each ranking, by points, best first; with ties in one set."""
    out = []
    for r in sorted(set(made.ranking.tolist())):
        mine = made.select(made.ranking == r)
        points = {}
        for a, b, share in zip(mine.left, mine.right, mine.outcome, strict=True):
            points[str(made.items[a])] = points.get(str(made.items[a]), 0) + share
            points[str(made.items[b])] = points.get(str(made.items[b]), 0) + 1 - share
        levels = sorted(set(points.values()), reverse=True)
        out.append([{i for i, p in points.items() if p == level} for level in levels])
    return out


def columns(prefix):
    return {f"{prefix}{place + 1}": [one[place] for one in ORDERS] for place in range(3)}


@pytest.mark.parametrize(
    "data",
    [
        columns("rank"),
        columns("Rank_") | {"rater": RATERS},
        {"ranking": ["a > b > c", "b>c>a", "c > a > b"]},
        {"ranking": ["a,b,c", "b,c,a", "c,a,b"], "annotator": RATERS},
        [{"ranking": one, "rater": who} for one, who in zip(ORDERS, RATERS, strict=True)],
        {f"{item}_rank": [one.index(item) + 1 for one in ORDERS] for item in "abc"},
    ],
)
def test_layouts(data):
    made = read_comparisons(data)
    assert made.n_rankings == 3
    assert orders(made) == [[{i} for i in one] for one in ORDERS]
    if made.raters is not None:
        assert made.raters.tolist() == RATERS
        assert len(set(made.rater[made.ranking == 0].tolist())) == 1


def test_rankings_need_names_of_columns(tmp_path):
    """Nothing but their values would tell them from pairs, ratings or sets."""
    path = write(tmp_path / "even.csv", "a,b,c\nb,c,a\nc,a,b\n")
    for data in (path, [tuple(one) for one in ORDERS], columns("item ")):
        with pytest.raises(DataError):
            read_comparisons(data)
    path.write_text("rank1,rank2,rank3\n" + path.read_text())
    assert orders(read_comparisons(path)) == [[{i} for i in one] for one in ORDERS]
    with pytest.raises(DataError, match="If it holds the rank of an item, make a column"):
        read_comparisons({"rater": RATERS, "item": list("abc"), "ranking": [1, 2, 3]})


@pytest.mark.parametrize(
    "data",
    [
        {"ranking": ["a = b > c", "c > a = b"]},
        [{"ranking": [["a", "b"], "c"]}, {"ranking": ["c", ["b", "a"]]}],
        {"rank1": ["a=b", "c"], "rank2": ["c", "a = b"], "rank3": ["", ""]},
        {"a_rank": [1, 2], "b_rank": [1, 2], "c_rank": [3, 1]},
    ],
)
def test_ties(data):
    assert orders(read_comparisons(data)) == [[{"a", "b"}, {"c"}], [{"c"}, {"a", "b"}]]


def test_best_and_worst_of_a_set():
    shown = {f"Item{i + 1}": [*items] for i, items in enumerate(("ab", "bc", "cd", "de"))}
    made = read_comparisons(shown | {"BestItem": ["a", "e"], "WorstItem": ["c", "b"]})
    assert made.n_rankings == 2
    assert len(made) == 10  # the two in the middle are not compared
    assert orders(made)[0] == [{"a"}, {"b", "d"}, {"c"}]
    best = read_comparisons(shown | {"best": ["a", "e"]})
    assert len(best) == 6


def test_an_answer_that_was_not_shown_is_left_out_and_said():
    shown = {"item1": ["a", "a"], "item2": ["b", "b"], "item3": ["c", "c"]}
    made = read_comparisons(shown | {"best": ["a", "z"], "worst": ["c", "c"]})
    assert any("'z' is not among the items" in note for note in made.notes)


def test_rankings_that_cannot_be_used_are_counted():
    data = {"rank1": ["a", "a", "b"], "rank2": ["b", "a", ""], "rank3": ["c", "b", ""]}
    made = read_comparisons(data)
    assert made.n_rankings == 1
    assert made.dropped == {"item twice in a ranking": 1, "fewer than two items": 1}
    with pytest.raises(DataError, match="no rankings"):
        read_comparisons({name: cells[1:] for name, cells in data.items()})


def test_pairs_stay_pairs():
    numbered = {"item1": ["a", "b"], "item2": ["b", "c"], "winner": ["a", "c"]}
    assert read_comparisons(numbered).ranking is None
    named = [("a", "b", "a"), ("c", "b", "b"), ("b", "a", "b")]
    assert read_comparisons(named).ranking is None


def test_look_recognises_rankings(tmp_path):
    path = tmp_path / "ranked.csv"
    path.write_text("rater,rank1,rank2,rank3\nx,a,b,c\ny,b,c,a\nz,c,a,b\n")
    found = look(path)
    assert "3 rankings of 3 items by 3 raters" in str(found)
    assert "pairs" in str(found)
    lists = tmp_path / "ranked.jsonl"
    lists.write_text("\n".join(json.dumps({"ranking": one}) for one in ORDERS))
    assert "3 rankings of 3 items" in str(look(lists))


def test_look_says_of_a_winner_no_side():
    seen = look({"winner": ["a", "b", "a"], "loser": ["b", "c", "c"]}).to_text(details=True)
    assert "left wins" not in seen
    once = look({"left": ["a"], "right": ["b"], "outcome": ["left"]}).to_text(details=True)
    assert "left wins 1 times, right 0, ties 0." in once


def test_a_column_an_item_is_read_by_its_name_alone(tmp_path):
    """Numbers from 1 to 3 may as well be ratings of columns."""
    path = tmp_path / "ranks.csv"
    text = "rater,apple,pear,plum\nann,1,2,3\nbob,2,1,3\ncem,1,,2\neve,1,2,2\n"
    path.write_text(text)
    with pytest.raises(DataError, match=r"the rank of each item \(apple_rank, pear_rank"):
        read_comparisons(path)
    path.write_text(text.replace("apple,pear,plum", "apple_rank,pear_rank,Plum Rank"))
    made = read_comparisons(path)
    assert made.items.tolist() == ["Plum", "apple", "pear"]
    assert made.raters.tolist() == ["ann", "bob", "cem", "eve"]
    assert orders(made) == [
        [{"apple"}, {"pear"}, {"Plum"}], [{"pear"}, {"apple"}, {"Plum"}],
        [{"apple"}, {"Plum"}], [{"apple"}, {"pear", "Plum"}],
    ]  # fmt: skip
