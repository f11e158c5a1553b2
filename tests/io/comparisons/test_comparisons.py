from __future__ import annotations

import gzip
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headcount import bradley_terry, pairs
from headcount.data.comparisons import Comparisons
from headcount.errors import DataError
from headcount.io.comparisons.comparisons import read_comparisons
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
    with pytest.raises(DataError, match="row 0, column 'label': '1' may be a share of"):
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
        "outcome is left, right or tie.",
        "arena.csv: 2 answers 'both bad' read as a tie.",
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
    assert read.notes == ()


def test_weights(tmp_path):
    text = "left,right,outcome,weight\na,b,1,2\nb,c,0,0.5\nc,a,1,\n"
    read = read_comparisons(write(tmp_path / "c.csv", text))
    assert read.weight.tolist() == [2, 0.5]
    assert read.notes[-1] == "c.csv: 1 comparison left out (no weight: 1)."
    text = text.replace("weight", "times")
    assert read_comparisons(write(tmp_path / "c.csv", text)).weight is None
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
    assert "comparisons: 1 answer 'both bad' read as a tie." in read.notes


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
        "generator_1": ["base"] * 6,
        "generator_2": ["mine"] * 6,
        "annotator": ["gpt"] * 6,
        "preference": [1.0, 2.0, 1.5, 1.25, None, 0.0],
    }
    read = read_comparisons(columns)
    assert [s for *_, s in rows(read)] == [1.0, 0.0, 0.5, 0.75, 0.5]
    assert read.dropped == {"no outcome": 1}
    assert "numbers between them shares" in read.notes[0]
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


@pytest.mark.parametrize("word", ["NA", "", "N/A", "null", "nan", ".", "skip"])
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


def test_a_winner_that_was_not_compared_is_left_out_with_a_warning(tmp_path):
    text = "left,right,label,worker\np,q,p,1\nq,r,r,1\np,r,p,2\nq,p,z,2\n"
    read = read_comparisons(write(tmp_path / "c.csv", text))
    assert rows(read) == [("p", "q", 1.0), ("q", "r", 0.0), ("p", "r", 1.0)]
    assert read.dropped == {"winner not in pair": 1}
    (note,) = [note for note in read.notes if note.severity == "warning"]
    assert note.startswith("c.csv, row 5, column 'label': winner 'z' is neither 'q' nor 'p'")
    again = text + "r,p,z,1\nq,r,q,1\n"
    with pytest.raises(DataError, match=r"row 5, column 'label': winner 'z' is neither"):
        read_comparisons(write(tmp_path / "d.csv", again))


def test_blank_raters_are_kept_where_raters_play_no_part(tmp_path):
    text = "left,right,winner,rater\n" + "p,q,p,ann\nq,p,p,\np,q,q,bob\nq,p,q,\n" * 5
    read = read_comparisons(write(tmp_path / "c.csv", text))
    assert (len(read), read.raters.tolist()) == (20, ["ann", "bob"])
    assert sorted(set(read.rater.tolist())) == [-1, 0, 1]
    assert pairs(read).provenance.n_ratings == 20
    assert bradley_terry(read).provenance.n_raters == 2
    drawn = pairs(read, bootstrap=20, by="rater")
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
        "right item, the left item's share of the point.",
    )


def test_raters_without_a_header(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("a,b,1,ann\nb,c,0.5,bob\nc,a,0,ann\n")
    read = read_comparisons(path)
    assert (len(read), read.raters.tolist()) == (3, ["ann", "bob"])
    assert read.notes[0].endswith("the left item's share of the point, rater.")
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
    with pytest.raises(DataError, match=r"c\.csv, row 2, column 'column 3': outcome '7'"):
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
        ("left,right,outcome\na,b,1\nb,c,3\n", r"row 3, column 'outcome': outcome '3'. Expected"),
        ("left,right,outcome\na,b,1\nb,c,2\nc,a,0\n", r"0, 1 and 2 may mean several things"),
        ("left,right,outcome\na,b,-1\nb,c,0\n", r"row 2, column 'outcome': outcome '-1'"),
        ("left,right,label\na,b,a\nb,c,a\n", r"row 3, column 'label': winner 'a' is neither 'b'"),
        ("left,right,label\na,b,a\nb,c,d\n", r"winner 'd' is neither 'b' nor 'c'. Correct it"),
        ("left,right,outcome\na,a,1\n", r"every row was left out \(self-comparison: 1\)"),
        ("winner,loser\na,a\n,b\n", r"left out \(no item: 1, self-comparison: 1\)"),
        ("model_a,model_b,winner_a,winner_b\na,b,1,1\n", r"row 2: 'winner_a', 'winner_b' are all"),
        ("model_a,model_b,winner_a,winner_b\na,b,2,0\n", r"column 'winner_a': expected 0 or 1"),
        ("left,right,outcome,weight\na,b,1,x\n", r"row 2, column 'weight': expected a number"),
        ("left,right,outcome,weight\na,b,1,-2\n", r"row 2: weight -2"),
        ("left,right,outcome\na,b,\n", r"no comparisons; every row was left out \(no outcome: 1\)"),
        ("left,outcome\na,1\n", r"no column found for the right"),
        ("left,right,text\na,b,1\n", r"no column found for the outcome.*outcome='\.\.\.'"),
        ("item,rater,label\na,ann,1\n", r"no column found for the left"),
        ("lfet,right,outcome\na,b,1\n", r"for the left. Did you mean 'lfet'\?"),
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
    for name in ("preference", "winner", "label", "choice"):
        with pytest.raises(DataError, match="0 and 1 may be the number of a side"):
            read_comparisons(rows | {name: [0, 1, 1]})
    assert len(read_comparisons(rows | {"score_a": [0, 1, 1]}, outcome="score_a")) == 3
    assert len(read_comparisons(rows | {"preference": [0, 0.5, 1]})) == 3
