from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from headcount import pairs, read_comparisons
from headcount.pairwise.methods import EloMethod

from .json_page import undocumented

ARENA = """model_a,model_b,winner,judge
gpt,claude,model_a,u1
claude,llama,model_a,u1
llama,gpt,model_b,u2
claude,gpt,model_a,u2
llama,claude,tie,u3
vicuna,llama,model_b,u3
vicuna,gpt,tie (bothbad),u3
"""


@pytest.fixture
def arena(tmp_path):
    path = tmp_path / "arena.csv"
    path.write_text(ARENA)
    return path


@pytest.fixture
def crowd(tmp_path, run):
    """What 40 raters said, six of them at random."""
    shape = ("--items", 30, "--raters", 40, "--comparisons", 420, "--spammers", 0.15)
    run("simulate", "pairs", "-o", tmp_path, *shape, "--seed", 2)
    return tmp_path / "comparisons.csv"


def test_table_and_notes(arena, run):
    done = run("pairs", arena, "--details")
    assert done.code == 0, done.err
    assert done.out.startswith("7 comparisons hardly separate 4 models: any of them could be")
    assert all(len(line) <= 80 for line in done.out.splitlines())
    assert "4 models, 7 comparisons by 3 raters (2 ties)" in done.out
    # Notes stand with the answer, and nothing is on stderr.
    assert "left = 'model_a'" in done.out
    assert "left, right or tie; 'both bad' is a tie" in " ".join(done.out.split())
    assert done.err == ""


def test_quiet_is_the_answer_and_what_speaks_against_it(tmp_path, run):
    path = tmp_path / "games.csv"
    path.write_text("left,right,outcome\na,b,left\na,c,left\n" + "b,c,left\nc,b,left\n" * 2)
    done = run("pairs", path, "-q", "--prior", "none")
    assert "(2 cautions)" in done.out
    assert len(done.out.splitlines()) <= 2
    done = run("pairs", path, "--details", "--prior", "none")
    assert done.out.startswith("a ranks first by Bradley-Terry: undefeated in only 2 comparisons")
    assert "caution: 'a' won every comparison" in done.out
    assert "a prior (--prior 1) gives it one" in " ".join(done.out.split())


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet", "rows.jsonl"])
def test_rows_are_those_of_the_json(arena, tmp_path, run, name):
    path = tmp_path / name
    done = run("pairs", arena, "-o", path)
    assert f"rows: {path}" in done.out
    read = {".csv": pl.read_csv, ".parquet": pl.read_parquet, ".jsonl": pl.read_ndjson}
    frame = read[path.suffix](path)
    items = run("pairs", arena, "--json").json["items"]
    assert frame["item"].to_list() == [i["item"] for i in items]
    assert frame["rating"].to_list() == pytest.approx([i["rating"]["value"] for i in items])
    assert frame["rank_high"].to_list() == [i["rank"]["high"] for i in items]


def test_rows_that_cannot_be_written(arena, tmp_path, run):
    done = run("pairs", arena, "-o", tmp_path / "rows.txt")
    assert done.code == 2
    assert "must end in" in done.err


def test_json_is_documented(crowd, run):
    done = run(
        "pairs",
        crowd,
        "--drop-spammers",
        "--position",
        "--ties",
        "davidson",
        "--prior",
        3,
        "--json",
    )
    document = json.loads(done.out)
    assert set(document["items"][0]) >= {"item", "rating", "rank", "label", "comparisons"}
    assert set(document["items"][0]["rating"]) >= {"value", "low", "high"}
    assert set(document["raters"][0]) >= {
        "rater", "comparisons", "agreement", "slope", "p_value", "spammer",
    }  # fmt: skip
    assert set(document["fit"]) >= {"converged", "components", "undefeated"}
    assert document["raters"][0]["spammer"] is True
    assert document["dropped"]["raters"] == [r["rater"] for r in document["raters"] if r["spammer"]]
    elo = json.loads(run("pairs", crowd, "--method", "elo", "--json").out)
    assert document["notes"]
    assert document["data"]["raters"] == document["n_raters"]
    assert not undocumented([document, elo], "pairs")


def test_same_seed_same_answer(crowd, run):
    call = ("pairs", crowd, "--bootstrap", 20, "--cluster", "rater", "--prior", 2, "--json")
    one, two, other = (run(*call, "--seed", seed).json for seed in (1, 1, 2))
    assert one == two
    assert one["items"] != other["items"]


def test_plots_are_written(crowd, tmp_path, run):
    files = [tmp_path / name for name in ("r.png", "g.svg", "m.pdf")]
    done = run(
        "pairs", crowd, "--by-rater",
        "--plot", files[0], "--plot-graph", files[1], "--plot-raters", files[2],
    )  # fmt: skip
    assert done.code == 0, done.err
    assert all(f"plot: {path}" in done.out for path in files)
    assert files[0].read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in files[1].read_bytes()
    assert files[2].read_bytes().startswith(b"%PDF")


def test_anchors(arena, tmp_path, run):
    anchors = tmp_path / "anchors.csv"
    anchors.write_text("item,label\nclaude,positive\nvicuna,negative\n")
    document = run("pairs", arena, "--label", f"anchors:{anchors}", "--prior", 1, "--json").json
    assert document["label"] == "anchors"
    alone = tmp_path / "alone.csv"
    alone.write_text("item\ngpt\n")
    labels = {
        i["item"]: i["label"]
        for i in run("pairs", arena, "--label", f"anchors:{alone}", "--json").json["items"]
    }
    assert labels["gpt"] is None
    assert labels["vicuna"] == "below"


def test_columns_by_name_and_elo_in_the_order_given(tmp_path, run):
    path = tmp_path / "games.csv"
    path.write_text("home,away,res,n\na,b,1,2\nb,a,1,1\n")
    names = {"left": "home", "right": "away", "outcome": "res", "weight": "n", "first_wins": "1"}
    flags = [w for name, value in names.items() for w in (f"--{name.replace('_', '-')}", value)]
    document = run("pairs", path, *flags, "--method", "elo", "--units", "elo", "--json").json
    rating = {i["item"]: i["rating"]["value"] for i in document["items"]}
    # Two wins of three: stable to within .0001 of a point.
    assert rating["a"] - rating["b"] == pytest.approx(400 * math.log10(2), abs=1)
    given = pairs(
        read_comparisons(path, **names), method=EloMethod(order="given", k=10), units="elo"
    )
    assert given.fit["epochs"] == 1
    rating = {i.item: i.rating.value for i in given.items}
    # 2 x 10/2 up, then 10 times the expected share of the better one down.
    expected = 10 - 10 / (1 + 10 ** (-20 / 400))
    assert rating == pytest.approx({"a": expected, "b": -expected})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--method", "trueskill"), "unknown method"),
        (("--label", "anchors:{arena}"), "Expected the columns item and label"),
        (("--label", "best"), "unknown label"),
        (("--plot-raters", "m.png"), "add --by-rater"),
        (("--plot", "m.gif"), "must end in"),
        (("--left", "modela"), "Did you mean 'model_a'?"),
        (
            ("--method", "elo", "--cluster", "rater"),
            "as in --bootstrap 200",
        ),
        (("--method", "elo", "--prior", 1), "Elo knows no --prior; leave it out"),
        (("--method", "elo", "--prior", 1), "or use --method bradley-terry"),
        (("--by-rater", "--prior", 0), "--prior must be a number from"),
        (("--label", "anchors:nowhere.csv"), "no such file"),
    ],
)
def test_bad_input_is_one_message_and_code_2(arena, run, options, said):
    done = run("pairs", arena, *(str(o).format(arena=arena) for o in options))
    assert done.code == 2
    assert done.out == ""
    last = [line for line in done.err.splitlines() if line.startswith("headcount: ")]
    assert len(last) == 1
    assert said in " ".join(done.err.split())


def test_facts_of_items_that_cannot_be_read(arena, tmp_path, run):
    path = tmp_path / "facts.csv"
    for text, option, said in (
        ("item,label\ngpt,positive\ngpt,negative\n", "--label", "row 3"),
        ("item,a,b\ngpt,1,2\n", "--label", "Expected the columns item and label"),
        ("item,label\ngpt,\n", "--label", "every row is blank"),
    ):
        path.write_text(text)
        done = run("pairs", arena, option, f"anchors:{path}", "--prior", 1)
        assert done.code == 2, text
        assert said in " ".join(done.err.split()), text


def test_options_of_reading(tmp_path, run):
    """Rows that are chosen, words for no answer, and raters that are merged, with their counts."""
    path = tmp_path / "games.csv"
    rows = ["p,q,p,ann,x,", "q,p,p,Ann,x,", "p,q,q,ann,x,", "q,p,unsure,bob,x,", "p,p,p,bob,x,"]
    rows += ["p,q,unsure,bob,x,", "p,q,p,bob,y,", "q,p,p,,x,"]
    path.write_text("\n".join(["left,right,winner,rater,split,note", *rows]) + "\n")
    how = ("--where", "split=x", "--missing", "unsure", "--merge", "case", "--ignore", "note")
    done = run("pairs", path, *how, "--json")
    assert done.code == 0, done.err
    data = json.loads(done.out)["data"]
    assert (data["ratings"], data["raters"]) == (4, 1)
    assert data["dropped"] == {"not chosen by where": 1, "no outcome": 2, "self-comparison": 1}
    refused = run("pairs", path)
    assert refused.code == 2
    assert "--missing unsure" in " ".join(refused.err.split())


def test_winners_and_losers(tmp_path, run):
    path = tmp_path / "games.csv"
    path.write_text("winner,loser\np,q\nq,p\np,q\nq,p\np,q\nq,q\n")
    done = run("pairs", path, "--details")
    assert done.code == 0, done.err
    assert "p is rated" in done.out
    assert "1 comparison left out (self-comparison: 1)" in " ".join(done.out.split())


def test_control_and_cluster_and_seldom_compared_items(tmp_path, run):
    rng = np.random.default_rng(0)
    rows = ["left,right,outcome,len_a,len_b,prompt"]
    for k in range(200):
        a, b = rng.choice(4, 2, replace=False)
        x, y = rng.integers(1, 100, 2)
        won = rng.random() < 1 / (1 + np.exp(-(b - a + 0.05 * (x - y))))
        rows.append(f"m{a},m{b},{'left' if won else 'right'},{x},{y},{k % 25}")
    rows.append("rare,m1,left,5,5,3")
    path = tmp_path / "arena.csv"
    path.write_text("\n".join(rows) + "\n")
    options = ("--control", "len_a:len_b", "--cluster", "prompt")
    done = run("pairs", path, *options, "--details")
    assert done.code == 0, done.err
    text = " ".join(done.out.split())
    assert "Control len_a:len_b:" in text
    assert "clustered by prompt (CR3)" in text
    document = json.loads(run("pairs", path, *options, "--json").out)
    assert not undocumented([document], "pairs")
    (control,) = document["fit"]["controls"]
    assert control["low"] / control["unit"] < 0.05 < control["high"] / control["unit"]
    path.write_text("\n".join([*rows, "m0,m1,left,long,3,1"]) + "\n")
    refused = run("pairs", path, *options)
    assert refused.code != 0
    assert "row 203, column 'len_a': expected a number, found 'long'" in " ".join(
        refused.err.split()
    )


def test_a_few_comparisons_are_too_few_to_tell(tmp_path, run):
    path = tmp_path / "games.csv"
    path.write_text("left,right,outcome\na,b,left\nb,c,left\nc,a,tie\n")
    assert run("pairs", path).out.startswith("3 comparisons are too few to tell")
    path.write_text("left,right,outcome\n" + "a,b,tie\nb,c,tie\nc,a,tie\n" * 3)
    done = run("pairs", path, "--details")
    assert "intervals are those of the model" in " ".join(done.out.split())
    assert "0.000 to 0.000" not in done.out


def test_first_screens_are_short_whatever_items_are_called(tmp_path, monkeypatch, run):
    """Long numbers for names, a position bias, labels asked for, and a long command."""
    rng = np.random.default_rng(1)
    monkeypatch.chdir(tmp_path)
    folder = Path("a_folder_with_a_long_name")
    folder.mkdir()
    names, sides = [f"{10**18 + 37 * k}" for k in range(40)], ("right", "left")
    rows = [
        f"{names[a]},{names[b]},{sides[int(rng.random() < 0.35 + (b - a) / 100)]},r{k % 9}"
        for k in range(1500)
        for a, b in [rng.choice(40, 2, replace=False)]
    ]
    path = folder / "comparisons.csv"
    path.write_text("left,right,outcome,rater\n" + "\n".join(rows) + "\n")
    for options in ((), ("--label", "quantile:0.75"), ("--by-rater",)):
        out = run("pairs", path, *options).out
        assert out.startswith("Item 1000000000000000"), out
        assert "Next: to adjust for the position bias:" in out
        assert len(out.splitlines()) <= 20, out
        assert len(out.split()) <= 150, out
        assert max(map(len, out.splitlines())) <= 80


def test_raters_are_shown_with_what_a_reader_can_use_and_what_next(run):
    out = run("pairs", "example:comparisons", "--by-rater").out
    assert "\nrater  comparisons  agrees  verdict\n" in out
    assert "Next: to rate without spammers:\n  headcount pairs example:comparisons" in out
    assert "p random" in run("pairs", "example:comparisons", "--by-rater", "--details").out


def test_boards_that_do_not_fit_are_counted_by_the_name_of_their_column(run):
    assert "115 more prompts" in run("pairs", "example:battles", "--by", "prompt").out


def test_names_of_winners_and_sides_in_one_column_are_refused(tmp_path, run):
    path = tmp_path / "games.csv"
    path.write_text("left,right,winner\na,b,a\nb,c,d\nc,a,left\n")
    said = " ".join(run("pairs", path).err.split())
    assert "row 4, column 'winner': 'left' is a side, and other cells name the winner" in said
    path.write_text("left,right,winner\na,b,a\nb,c,d\nc,a,c\n")
    assert "winner 'd' is neither 'b' nor 'c'" in " ".join(run("pairs", path).err.split())


def test_what_a_leaderboard_needs(tmp_path, run):
    """A board a category, a rating that is set, new models among old ones, and several files."""
    one, two, board = tmp_path / "one.csv", tmp_path / "two.csv", tmp_path / "board.csv"
    head = "model_a,model_b,winner,topic,prompt\n"
    pairs_ = [("x", "y"), ("y", "z"), ("z", "x"), ("y", "x"), ("z", "y"), ("x", "z")] * 8
    rows = [
        f"{a},{b},{'model_a' if (k % 3 or a == 'x') else 'model_b'},{'ab'[k % 2]},p{k % 7}"
        for k, (a, b) in enumerate(pairs_)
    ]
    one.write_text(head + "\n".join(rows) + "\n")
    two.write_text(head + "\n".join(rows) + "\n")
    done = run("pairs", one, two, "--by", "topic", "--fix", "x=1000", "--units", "elo", "--json")
    document = done.json
    assert document["n_comparisons"] == 2 * len(rows)
    assert {i["item"]: i["rating"]["value"] for i in document["items"]}["x"] == pytest.approx(1000)
    assert set(document["boards"]) == {"a", "b"}
    assert {row["comparisons"] for row in document["win_rates"]} == {32}
    screen = run("pairs", one).out
    assert len(screen.splitlines()) <= 20
    assert len(screen.split()) <= 150
    assert "--cluster prompt" in screen
    run("pairs", one, "-o", board)
    new = tmp_path / "new.csv"
    new.write_text("left,right,outcome\nnew,x,left\ny,new,right\nnew,z,right\n")
    placed = run("pairs", new, "--fix", board, "--json").json
    before = pl.read_csv(board)
    old = dict(zip(before["item"], before["rating"], strict=True))
    found = {i["item"]: i["rating"]["value"] for i in placed["items"]}
    assert {name: found[name] for name in old} == pytest.approx(old)
    assert placed["fit"]["fixed"] == 3
    refused = run("pairs", new, "--fix", "nobody=3")
    assert refused.code == 2
    assert "unknown item 'nobody'" in refused.err
