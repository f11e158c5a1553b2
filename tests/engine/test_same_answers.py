"""The same answers, refusals and warnings from memory and from every engine."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from headcount import (
    DataError,
    OptionError,
    agree,
    blind,
    look,
    pairs,
    read_ratings,
    read_votes,
    scan_ratings,
    survey,
)
from headcount.engine import counts, taking
from headcount.engine import counts as cells
from headcount.engine import counts as votes
from headcount.engine.counts import count_comparisons, scan_comparisons
from headcount.engine.engines import retry_briefly
from headcount.results.notes import Notes
from tests.engine.same import differences
from tests.io.test_more_files import ITEMS, RATERS, STARS, YES, text

# The same answer from data in memory, DuckDB, little memory, Spark and Spark Connect.

RUNS = {
    "labels become probabilities": {},
    "agreement": {"scorer": "agreement"},
    "one size, raters as a sample": {"max_k": 2, "intervals": "sample", "calibrate": "empirical"},
}


def document_differences(one, other, path=""):
    """What differs between two documents, beyond 1e-9."""
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return [f"{path}: {one.keys() ^ other.keys()}"]
        return [d for k in one for d in document_differences(one[k], other[k], f"{path}/{k}")]
    if isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            return [f"{path}: {one} {other}"]
        pairs = enumerate(zip(one, other, strict=True))
        return [d for i, (a, b) in pairs for d in document_differences(a, b, f"{path}/{i}")]
    if isinstance(one, float) and isinstance(other, float):
        same = math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
        return [] if same else [f"{path}: {one} {other}"]
    return [] if one == other else [f"{path}: {one} {other}"]


def numbers(result):
    """The document of a result, but for the words on files and engines."""
    document = json.loads(json.dumps(result if isinstance(result, dict) else result.to_dict()))
    for key in ("notes", "cautions", "warnings"):
        document.pop(key, None)
    for key in ("source", "sources", "backend", "predictions"):
        document["data"].pop(key, None)
        document.pop(key, None)
    return document


@pytest.fixture(scope="module")
def in_memory(files):
    both = files / "ratings.csv", files / "predictions.csv"
    return {name: numbers(survey(*both, bootstrap=30, seed=2, **run)) for name, run in RUNS.items()}


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize(("kind", "memory"), [("csv", "1GB"), ("parquet", "512MB")])
def test_duckdb(files, in_memory, run, kind, memory):
    scan = scan_ratings(files / f"ratings.{kind}", memory=memory)
    found = survey(scan, files / f"predictions.{kind}", bootstrap=30, seed=2, **RUNS[run])
    assert not document_differences(in_memory[run], numbers(found))
    assert any("DuckDB counted" in note for note in found.notes)


def test_a_relation_of_duckdb(files, in_memory):
    import duckdb

    connection = duckdb.connect()
    ratings = connection.sql(f"FROM read_csv('{files / 'ratings.csv'}')")
    predictions = connection.sql(f"FROM read_csv('{files / 'predictions.csv'}')")
    run = next(iter(RUNS))
    scan = scan_ratings(ratings, engine="duckdb")
    found = survey(scan, predictions, bootstrap=30, seed=2, **RUNS[run])
    assert not document_differences(in_memory[run], numbers(found))


def test_spark(files, in_memory, spark):
    frames = [
        spark.classic.read.parquet(str(files / f"{name}.parquet"))
        for name in ("ratings", "predictions")
    ]
    run = "labels become probabilities"
    found = survey(*frames, bootstrap=30, seed=2, **RUNS[run])
    assert not document_differences(in_memory[run], numbers(found))
    assert found.provenance.backend == "pyspark"


def test_a_table_of_spark_by_its_name(files, in_memory, spark):
    for name in ("ratings", "predictions"):
        frame = spark.classic.read.parquet(str(files / f"{name}.parquet"))
        frame.createOrReplaceTempView(f"{name}_by_name")
    scan = scan_ratings("ratings_by_name", engine="spark")
    found = survey(scan, "predictions_by_name", bootstrap=30, seed=2, **RUNS["agreement"])
    assert not document_differences(in_memory["agreement"], numbers(found))
    seen = look("ratings_by_name", engine="spark").seen[0]
    assert (seen.kind, seen.counts) == ("ratings", look(files / "ratings.csv").seen[0].counts)
    with pytest.raises(DataError, match=r"no table 'ratings_by_nam'.*Did you mean 'ratings_by_na"):
        look("ratings_by_nam", engine="spark")


def test_spark_connect(files, in_memory, spark):
    session = spark.connect()
    frames = [
        session.read.parquet(str(files / f"{name}.parquet")) for name in ("ratings", "predictions")
    ]
    found = survey(*frames, bootstrap=30, seed=2, **RUNS["agreement"])
    assert not document_differences(in_memory["agreement"], numbers(found))
    session.stop()


def test_spark_from_the_command_line(files, in_memory, spark):
    command = [
        sys.executable, "-m", "headcount", "survey", str(files / "ratings.parquet"),
        "-p", str(files / "predictions.parquet"), "--engine", spark.address,
        "--scorer", "agreement", "--bootstrap", "30", "--seed", "2", "--json",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not document_differences(in_memory["agreement"], numbers(json.loads(done.stdout)))


def look_until_it_dies(ratings):
    for _ in range(100):
        look(scan_ratings(ratings))


def test_a_server_that_dies_is_one_message(files, spark):
    session = spark.connect()
    retry_briefly(session)
    ratings = session.read.parquet(str(files / "ratings.parquet"))
    timer = threading.Timer(0.5, spark.kill)
    timer.start()
    with pytest.raises(DataError, match="Spark: the connection to the server was lost"):
        look_until_it_dies(ratings)
    timer.join()
    command = [sys.executable, "-m", "headcount", "survey", str(files / "ratings.parquet")]
    done = subprocess.run(
        [*command, "--engine", spark.address], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "no Spark Connect server answers" in done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout


# agree, blind and pairs give the same document from memory and from DuckDB.

WORDS = ("notes", "cautions", "warnings")
FROM_PATTERNS = ("percent", "alpha", "fleiss", "ac1", "ac2", "icc1", "icc1k")
VOTED: tuple[dict[str, Any], ...] = (
    {"bootstrap": 5},
    {"bootstrap": 5, "gold": {"3": "4", "30": "3", "31": "4", "77": "1"}, "methods": ["em", "ppi"]},
)
"""What is asked of blind on Spark."""


@pytest.fixture(scope="module")
def ratings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ratings of 120 items by some of 8 raters, not in order; some blank."""
    rng = np.random.default_rng(1)
    rows = [(item, rater) for item in range(120) for rater in range(8) if rng.random() < 0.5]
    rng.shuffle(rows)
    path = tmp_path_factory.mktemp("ratings") / "ratings.csv"
    with path.open("w") as file:
        file.write("item,rater,label\n")
        for item, rater in rows:
            label = item % 4 + 1 if rng.random() < 0.6 else rng.integers(1, 5)
            file.write(f"{item},r{rater},{label if rng.random() < 0.95 else ''}\n")
    return path


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Answers on 12 items by 9 judges, with ties, blanks and items against themselves."""
    rng = np.random.default_rng(2)
    path = tmp_path_factory.mktemp("answers") / "answers.csv"
    with path.open("w") as file:
        file.write("model_a,model_b,winner,judge,prompt\n")
        for row in range(1500):
            a, b = rng.integers(0, 12, 2)
            odds = rng.logistic() + (a - b) / 4
            won = "tie" if abs(odds) < 0.3 else "model_a" if odds > 0 else "model_b"
            won = "" if rng.random() < 0.02 else won
            file.write(f"m{a},m{b},{won},j{rng.integers(0, 9)},p{row % 30}\n")
    return path


def reduced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing be read one by one."""
    monkeypatch.setattr(taking, "BYTES_A_RATING", 10**12)
    monkeypatch.setattr(counts, "BYTES_A_RATING", 10**9)
    monkeypatch.setattr(votes, "BYTES_A_VOTE", 10**9)


def test_ratings_that_fit_give_the_whole_document(ratings: Path) -> None:
    asked: dict[str, Any] = {"bootstrap": 50, "by_item": True, "by_rater": True}
    one = agree(str(ratings), **asked).to_dict()
    for size in ("1GB", "512MB"):
        two = agree(scan_ratings(str(ratings), memory=size), **asked).to_dict()
        assert not differences(one, two)


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("raters", ["sample", "fixed"])
def test_ratings_that_are_added_up(
    ratings: Path, scale: str, raters: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reduced(monkeypatch)
    asked: dict[str, Any] = {"scale": scale, "intervals": raters, "coefficients": FROM_PATTERNS}
    asked |= {"by_category": True, "by_rater": scale == "ordinal"}
    one = agree(str(ratings), **asked).to_dict()
    two = agree(scan_ratings(str(ratings), memory="512MB"), **asked).to_dict()
    left_out = [text for text in differences(one, two) if not text.startswith(".pairs")]
    assert not left_out


@pytest.mark.parametrize("fits", [True, False])
def test_phi_of_ratings_that_are_added_up(
    ratings: Path, tmp_path: Path, fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _like_its_model(tmp_path) if fits else ratings
    one = agree(str(path), intervals="fixed", bootstrap=0).phi
    assert one is not None
    assert (one.withheld is None) is fits
    reduced(monkeypatch)
    for raters in ("sample", "fixed"):
        two = agree(scan_ratings(str(path)), intervals=raters, bootstrap=0).phi
        assert two is not None
        documents = (
            {key: value for key, value in phi.to_dict().items() if key not in WORDS}
            for phi in (one, two)
        )
        assert not differences(*documents)
        for_these = [note for note in two.notes if "for these raters only" in note]
        assert bool(for_these) is (raters == "sample")
        with pytest.raises(DataError, match="ratings were added up"):
            two.items()


def _like_its_model(folder: Path) -> Path:
    """Write ratings as Phi's model makes them, of more items than are checked."""
    rng = np.random.default_rng(6)
    path = folder / "model.csv"
    rows = list[str]()
    for item, mu in enumerate(rng.uniform(0.1, 0.9, 450)):
        who = rng.permutation(8)[: rng.integers(2, 6)]
        said = np.floor(5 * rng.beta(8 * mu, 8 * (1 - mu), len(who))).astype(int) + 1
        rows += [f"{item},r{rater},{label}" for rater, label in zip(who, said, strict=True)]
    path.write_text("\n".join(["item,rater,label", *rows]) + "\n")
    return path


def test_phi_of_fine_ratings_that_are_added_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reduced(monkeypatch)
    rng = np.random.default_rng(5)
    path = tmp_path / "slider.csv"
    rows = [f"{item},r{rater},{min(100, 2 * item + int(rng.integers(0, 30)))}"
            for item in range(40) for rater in range(4)]  # fmt: skip
    path.write_text("\n".join(["item,rater,label", *rows]) + "\n")
    found = agree(scan_ratings(str(path))).phi
    assert found is not None
    assert "up to 21 points only" in (found.estimate.undefined or "")


def test_a_relation_and_a_pattern_of_files(
    ratings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reduced(monkeypatch)
    connection = duckdb.connect()
    base = connection.read_csv(str(ratings), all_varchar=True)
    rows = base.fetchall()
    for part in range(3):
        lines = ["item,rater,label", *(",".join(x or "" for x in row) for row in rows[part::3])]
        (tmp_path / f"part{part}.csv").write_text("\n".join(lines) + "\n")
    asked: dict[str, Any] = {"coefficients": ["alpha"], "seed": 3}
    whole = agree(str(ratings), **asked)["alpha"]
    files = agree(scan_ratings(str(tmp_path / "part*.csv"), glob=True), **asked)["alpha"]
    relation = agree(scan_ratings(base), **asked)["alpha"]
    for other in (files, relation):
        assert other.value == pytest.approx(whole.value, abs=1e-9)
        assert other.low == pytest.approx(whole.low, abs=1e-9)


def test_too_many_cells_name_the_option(ratings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reduced(monkeypatch)
    monkeypatch.setattr(cells, "MOST_RATING_CELLS", 20)
    with pytest.raises(DataError, match=r"more than 20 cells .*intervals='fixed'"):
        agree(scan_ratings(str(ratings)))
    assert agree(scan_ratings(str(ratings)), intervals="fixed")["alpha"].low is not None


def test_votes(ratings: Path) -> None:
    one = blind(str(ratings), bootstrap=20).to_dict()
    two = blind(scan_ratings(str(ratings), memory="512MB"), bootstrap=20).to_dict()
    assert not differences(one, two)


def test_votes_of_classifiers(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    rows = [f"{i},{m},{'yes' if (i * 7 + k) % 3 else 'no'}" for i in range(40)
            for k, m in enumerate(("gpt", "bert", "svm"))]  # fmt: skip
    path.write_text("\n".join(["item,model,prediction", *rows]) + "\n")
    one = blind(str(path), bootstrap=0).to_dict()
    assert not differences(one, blind(scan_ratings(str(path)), bootstrap=0).to_dict())
    sure = path.read_text().replace("prediction\n", "prediction,probability\n")
    path.write_text(sure.replace("yes\n", "yes,0.9\n").replace("no\n", "no,0.8\n"))
    with pytest.raises(DataError, match="'probability' says how sure"):
        blind(scan_ratings(str(path)))


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"cluster": "prompt"},
        {"cluster": "judge,prompt"},
        {"cluster": "none", "bootstrap": 15},
        {"ties": "davidson", "position": True},
    ],
)
@pytest.mark.parametrize("counted", [False, True])
def test_answers(
    answers: Path, asked: dict[str, Any], counted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if counted:
        reduced(monkeypatch)
    one = pairs(str(answers), **asked).to_dict()
    two = pairs(scan_comparisons(str(answers), memory="512MB"), **asked).to_dict()
    assert not differences(one, two)


def test_answers_that_fit_can_be_judged(answers: Path) -> None:
    one = pairs(str(answers), by_rater=True, seed=1).to_dict()
    assert not differences(
        one, pairs(scan_comparisons(str(answers)), by_rater=True, seed=1).to_dict()
    )


def test_answers_that_are_counted_cannot(answers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reduced(monkeypatch)
    with pytest.raises(OptionError, match="by_rater needs answers one by one"):
        pairs(scan_comparisons(str(answers)), by_rater=True)


def test_too_many_raters(answers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reduced(monkeypatch)
    monkeypatch.setattr(counts, "MOST_ANSWERS", 500)
    with pytest.raises(DataError, match=r"different answers .*cluster='none'"):
        pairs(scan_comparisons(str(answers)))
    result = pairs(scan_comparisons(str(answers)), cluster="none")
    whole = pairs(str(answers), cluster="none")
    assert not differences(whole.to_dict()["items"], result.to_dict()["items"])
    assert any("too many to tell" in note for note in result.notes)


def test_winners_and_some_rows(answers: Path, tmp_path: Path) -> None:
    path = tmp_path / "winners.csv"
    rows = [f"{w},{lost},{'x' if k % 3 else 'y'}" for k in range(200)
            for w, lost in (("a", "b"), ("b", "c"), ("c", "a"), ("a", "c"))]  # fmt: skip
    path.write_text("\n".join(["winner,loser,kind", *rows]) + "\n")
    from headcount import read_comparisons

    one = pairs(read_comparisons(str(path), where=["kind=x"])).to_dict()
    two = pairs(scan_comparisons(str(path), where=["kind=x"])).to_dict()
    assert not differences(one, two)
    with pytest.raises(DataError, match="no column found"):
        pairs(scan_comparisons(str(answers), ignore=["winner"]))


def test_copies_of_rows(answers: Path, tmp_path: Path) -> None:
    header, *lines = answers.read_text().splitlines()
    path = tmp_path / "copies.csv"
    numbered = [f"{line},{row}" for row, line in enumerate(lines)]
    path.write_text("\n".join([f"{header},id", *numbered, *numbered[:400]]) + "\n")
    said = [note for note in pairs(str(path)).notes if "exact copies" in note]
    assert said
    assert said == [note for note in pairs(scan_comparisons(str(path))).notes if "exact" in note]


SHARED = {
    "again": lambda row: f"p{row // 2}",
    "again but for blanks": lambda row: f"p{row // 3}\t" if row % 2 else f" p{row // 3}",
    "nearly each its own": lambda row: f"p{min(row, 90)}",
    "blank else": lambda row: "" if row % 2 else f"p{row}",
    "one": lambda row: "p",
}


@pytest.mark.parametrize("name", SHARED)
@pytest.mark.parametrize("where", [[], ["kind=k"]])
def test_columns_by_which_comparisons_hang_together(
    tmp_path: Path, name: str, where: list[str]
) -> None:
    path = tmp_path / "prompts.csv"
    rows = [f"{'abc'[row % 3]},{'de'[row % 2]},left,{SHARED[name](row)},{'km'[row % 2]}"
            for row in range(100)]  # fmt: skip
    path.write_text("\n".join(["left,right,outcome,prompt,kind", *rows]) + "\n")
    scan = scan_comparisons(str(path), where=where)
    assert count_comparisons(scan).unread == scan.read().unread


def test_large_data_are_counted_without_asking(
    answers: Path, ratings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from headcount.engine import sources as memory_or_engine

    monkeypatch.setattr(memory_or_engine, "BYTES_A_RATING", 10**7)
    reduced(monkeypatch)
    assert any("where they are" in note for note in pairs(str(answers)).notes)
    assert any("where they are" in note for note in agree(str(ratings)).notes)


def method_numbers(result: Any) -> dict[str, Any]:
    """The document of a result, but for words on where the data came from."""
    document = result.to_dict()
    for key in ("notes", "cautions", "warnings"):
        document.pop(key)
    document["data"].pop("source", None)
    return document


def test_methods_on_spark(
    ratings: Path, answers: Path, served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    reduced(monkeypatch)
    read = served.classic.read.option("header", "true").csv
    asked: dict[str, Any] = {"coefficients": FROM_PATTERNS, "bootstrap": 50}
    one, two = agree(str(ratings), **asked), agree(read(str(ratings)), **asked)
    assert not differences(method_numbers(one), method_numbers(two))
    one, two = pairs(str(answers), bootstrap=5), pairs(read(str(answers)), bootstrap=5)
    assert not differences(method_numbers(one), method_numbers(two))
    for asked in VOTED:
        one, two = blind(str(ratings), **asked), blind(read(str(ratings)), **asked)
        assert not differences(method_numbers(one), method_numbers(two))


def test_names_with_signs_that_databases_read_as_more(
    served: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(8)
    rows = [
        f"i\\n{item},{who},{label if rng.random() < 0.8 else 'no'}"
        for item in range(60)
        for who in ("m\\t'1", "m2", "m3")
        for label in (["no", "y\\es"][item % 2],)
    ]
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(["item,model,label", *rows]) + "\n")
    monkeypatch.setattr(votes, "BYTES_A_VOTE", 10**9)
    asked: dict[str, Any] = {"bootstrap": 5, "gold": {"i\\n3": "y\\es", "i\\n4": "no"}}
    asked["methods"] = ["em", "direct"]
    one = blind(str(path), **asked)
    assert one.provenance.gold_items == 2
    read = served.classic.read.option("header", "true").csv
    for other in (scan_ratings(str(path)), read(str(path))):
        assert not differences(method_numbers(one), method_numbers(blind(other, **asked)))


def test_methods_on_spark_connect(
    ratings: Path, answers: Path, served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = served.connect()
    read = session.read.option("header", "true").csv
    assert not differences(
        method_numbers(agree(str(ratings))), method_numbers(agree(read(str(ratings))))
    )
    one = blind(str(ratings), bootstrap=5)
    assert not differences(
        method_numbers(one), method_numbers(blind(read(str(ratings)), bootstrap=5))
    )
    reduced(monkeypatch)
    assert not differences(
        method_numbers(pairs(str(answers))), method_numbers(pairs(read(str(answers))))
    )
    for asked in VOTED:
        one, two = blind(str(ratings), **asked), blind(read(str(ratings)), **asked)
        assert not differences(method_numbers(one), method_numbers(two))
    session.stop()


def test_the_command_line(ratings: Path, answers: Path) -> None:
    runs = (("agree", ratings), ("blind", ratings), ("pairs", answers))
    for command, path in runs:
        said = [
            json.loads(run_command(command, str(path), "--json", "--quiet", *more))
            for more in ((), ("--engine", "duckdb", "--memory", "512MB"))
        ]
        assert not differences(*said), command


def run_command(*arguments: str) -> str:
    """Run a command in this process, and return what it prints."""
    from typer.testing import CliRunner

    from headcount.cli.app import commands

    done = CliRunner().invoke(commands(), list(arguments))
    assert done.exit_code == 0, done.output
    return done.stdout


# What readers refuse or warn of, data that are reduced where they are do as well.

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
    "apart": long([[a, b, "Y" if c == "yes" else "N"] for a, b, c in YES]),
    "ends": long([[f"{a}/5", f"{b}/5", f"{2 * c}/10"] for a, b, c in STARS]),
    "skip": long(said(lambda v, n: "skip" if n % 9 == 0 else v)),
    "topic": wide(YES, venue=[f"t{n % 3}" for n in range(40)]),
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


TIDIED = {
    "json": long(said(lambda v, n: json.dumps({"label": v, "reason": "x"}))),
    "marked": long(said(lambda v, n: f"**{v}**")),
    "percent": wide([[f"{20 * v}%" for v in row] for row in STARS]),
}


@pytest.mark.parametrize("name", TIDIED)
def test_cells_that_readers_tidy_are_read_alike(tmp_path, name):
    path = tmp_path / "r.csv"
    path.write_text(TIDIED[name])
    memory, reduced = (agree(read(path), bootstrap=0) for read in (read_ratings, scan_ratings))
    assert memory.provenance.n_ratings == 120
    assert not differences(document(memory), document(reduced))


IN_MEMORY = {
    "totals": wide((YES == "yes") * 1) + "Total,17,18,19\n",
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
    "model": long(YES, raters=["ann", "bob", "gpt-4o"]),
    "twins": long(YES, raters=["ann", "Ann", "cy"]),
    "status": text([*LONG, "status"], [
        (*row.split(","), one)
        for row, one in zip(long(YES).splitlines()[1:], STATUS, strict=True)]),
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


def outcome(check, *given):
    """Return what a check says, or why it refuses."""
    notes = Notes()
    try:
        check(*given, "r.csv", notes)
    except DataError as error:
        return [str(error)]
    return [str(note) for note in notes]


# Ratings of an item by the same rater, where data are: the first is kept, as in memory.


@pytest.fixture(scope="module")
def rows():
    """Ratings in no order, of which some come again; of two the first has no label."""
    rng = np.random.default_rng(3)
    rows = [
        (f"t{i}", f"r{j}", "abc"[min(2, rng.binomial(2, 0.3 + i / 100))])
        for i in range(40)
        for j in range(5)
    ]
    rows += [(i, r, "abc"[rng.integers(3)]) for i, r, _ in rows[::9]] * 2
    rows = [rows[k] for k in rng.permutation(len(rows))]
    return [("t1", "r2", "NA"), ("t7", "r3", ""), *rows]


@pytest.fixture(scope="module", params=["csv", "parquet", "several files"])
def repeated(request, rows, tmp_path_factory):
    """The ratings as one CSV file, and what is scanned."""
    folder = tmp_path_factory.mktemp("repeated")
    lines = [",".join(row) for row in rows]
    whole = folder / "whole.csv"
    whole.write_text("\n".join(["item,rater,label", *lines]) + "\n")
    if request.param == "csv":
        return whole, {"data": whole}
    parts = [lines] if request.param == "parquet" else [lines[:90], lines[90:]]
    for number, part in enumerate(parts):
        path = folder / f"part{number}.csv"
        path.write_text("\n".join(["item,rater,label", *part]) + "\n")
        read = f"read_csv('{path}', all_varchar=true, header=true)"
        duckdb.sql(f"COPY (FROM {read}) TO '{path.with_suffix('.parquet')}'")
    if len(parts) == 1:
        return whole, {"data": folder / "part0.parquet"}
    return whole, {"data": str(folder / "part*.parquet"), "glob": True}


def scanned(how, **options):
    how = dict(how)
    return scan_ratings(how.pop("data"), engine="duckdb", **how, **options)


def document(result):
    """The document of a result, in which data are called alike."""
    found = json.loads(json.dumps(result.to_dict()).replace(result.provenance.source, "ratings"))
    found["notes"] = [note for note in found.get("notes", []) if "read as" not in note]
    return found


def test_rows_have_no_order(repeated):
    with pytest.raises(DataError, match="duplicates='first': rows have no order"):
        survey(scanned(repeated[1], duplicates="first"))


def test_all_are_votes(repeated):
    whole, how = repeated
    if "glob" in how:
        return
    options = {"bootstrap": 5, "methods": ["round-robin"]}
    wanted = blind(read_votes(whole, duplicates="all"), **options)
    found = blind(scanned(how, duplicates="all"), **options)
    assert not differences(document(wanted), document(found))
    with pytest.raises(OptionError, match="duplicates='all' is for votes"):
        survey(scanned(how, duplicates="all"))


def test_a_refusal_says_how_to_keep_the_first(repeated):
    with pytest.raises(DataError, match=r"46 ratings repeat .* with duplicates='first'"):
        survey(scanned(repeated[1]))
