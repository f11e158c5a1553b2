"""What verbs and commands take where data live, and what goes wrong there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np
import pytest

from headcount import (
    DataError,
    OptionError,
    agree,
    blind,
    look,
    make_report,
    read_ratings,
    scan_comparisons,
    scan_ratings,
    survey,
)
from headcount.engine import counts as votes
from headcount.engine import look as looking
from headcount.engine import sources as memory_or_engine
from headcount.engine import taking
from headcount.engine.engines import DuckDB
from headcount.engine.sources import memory_of
from headcount.engine.tables import patterns_of
from tests.engine.same import differences
from tests.engine.test_same_answers import run_command

# What verbs and commands take: wide files, relations, and files that are large enough.

QUICK = {"bootstrap": 10, "ceiling": False}


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A row an item and a column a rater; blanks, words for missing, and labels with blanks."""
    rng = np.random.default_rng(4)
    path = tmp_path_factory.mktemp("wide") / "wide.csv"
    lines = ["item,ann,bob,cat,dan"]
    for item in range(60):
        likely = rng.dirichlet([0.5, 0.5, 0.5])
        said = [str(rng.choice(["no", "maybe", "yes"], p=likely)) for _ in range(4)]
        said[rng.integers(4)] = ("", "NA", " yes", "no")[item % 4]
        lines.append(",".join([f"text {item}", *said]))
    path.write_text("\n".join(lines) + "\n")
    return path


def numbers(result) -> dict:
    """The document, but for words and for where it came from."""
    document = result if isinstance(result, dict) else result.to_dict()
    left = ("notes", "cautions", "warnings", "source", "files", "next", "predictions")
    document = {key: value for key, value in document.items() if key not in left}
    document["data"] = {k: v for k, v in document["data"].items() if k not in left}
    return document


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_wide_files(wide, kind, tmp_path):
    path = wide
    if kind == "parquet":
        path = tmp_path / "wide.parquet"
        duckdb.sql(f"COPY (FROM read_csv('{wide}', all_varchar=true)) TO '{path}'")
    scan = scan_ratings(path)
    for verb, asked in ((survey, QUICK), (agree, {"bootstrap": 10}), (blind, {"bootstrap": 0})):
        assert not differences(numbers(verb(wide, **asked)), numbers(verb(scan, **asked))), verb


def test_relations_go_into_verbs(wide, monkeypatch):
    base = duckdb.connect().read_csv(str(wide), all_varchar=True)
    one = numbers(survey(wide, **QUICK))
    assert not differences(one, numbers(survey(base, **QUICK)))
    monkeypatch.setattr(memory_or_engine, "BYTES_A_RATING", 10**7)
    found = survey(base, **QUICK)
    assert not differences(one, numbers(found))
    assert any("too many for 1 GB of memory: DuckDB counted them" in note for note in found.notes)


@pytest.mark.parametrize("command", ["survey", "agree", "blind", "look", "pairs"])
def test_the_bare_command_goes_by_size(command, large):
    file = "example:battles" if command == "pairs" else "example:ratings"
    draws = ["--bootstrap", "5"] if command in ("survey", "blind") else []
    one = json.loads(run_command(command, file, "--json", *draws))
    two = json.loads(run_command(command, file, "--json", "--engine", "memory", *draws))
    assert any("too many for 1 GB of memory: DuckDB counted" in note for note in one["notes"])
    assert not any("DuckDB counted" in note for note in two["notes"])
    assert not differences(numbers(two), numbers(one))


@pytest.fixture
def large(monkeypatch):
    """Let every file be large: a rating takes 10 MB."""
    for module in (memory_or_engine, looking):
        monkeypatch.setattr(module, "BYTES_A_RATING", 10**7)
    monkeypatch.setattr(votes, "BYTES_A_VOTE", 1)


def test_ratings_of_a_wide_file_are_counted(wide, tmp_path, large):
    path = tmp_path / "wide.parquet"
    duckdb.sql(f"COPY (FROM read_csv('{wide}', all_varchar=true)) TO '{path}'")
    base = duckdb.connect().read_csv(str(wide), all_varchar=True)
    assert [memory_or_engine.about_ratings(one) for one in (wide, path, base)] == [244, 240, 240]


def test_looking_at_scans_relations_and_files(wide, large):
    base = duckdb.connect().read_csv(str(wide), all_varchar=True)
    asked = (scan_ratings(wide), scan_ratings(base), base, str(wide))
    one, *others = (look(data).seen[0] for data in asked)
    assert (one.kind, one.counts["ratings"], one.shape) == ("ratings", 210, "wide")
    for other in others:
        assert (other.kind, other.counts) == (one.kind, one.counts)
    assert one.counts == look(scan_ratings(wide, engine="memory")).seen[0].counts
    assert look(str(wide)).steps[0].python == f"agree({str(wide)!r})"


def test_looking_at_comparisons():
    whole = look("example:battles").seen[0]
    for data in (
        scan_comparisons("example:battles"),
        scan_comparisons("example:battles", memory="512MB"),
    ):
        seen = look(data)
        assert (seen.seen[0].counts, seen.seen[0].kind) == (whole.counts, "comparisons")
    assert seen.steps[0].python == "pairs(scan_comparisons('example:battles', engine='duckdb'))"
    assert look("example:battles", engine="duckdb").seen[0].counts == whole.counts


def test_what_cannot_be_looked_at_where_it_is():
    with pytest.raises(DataError, match=r"looks like predictions.*engine='memory'"):
        look("example:predictions", engine="duckdb")
    with pytest.raises(OptionError, match="one at a time"):
        look(scan_ratings("example:ratings"), "example:predictions")
    with pytest.raises(OptionError, match="merge is for data that are read into memory"):
        look("example:ratings", merge=["case"], engine="duckdb")
    with pytest.raises(DataError, match="expected what scan_ratings returns"):
        survey(scan_comparisons("example:battles"))


def test_two_raters_of_added_up_ratings(tmp_path, monkeypatch):
    monkeypatch.setattr(taking, "BYTES_A_RATING", 10**12)
    rng = np.random.default_rng(3)
    path = tmp_path / "two.csv"
    rows = [(item, rater) for item in range(80) for rater in "ab" if rng.random() < 0.9]
    lines = [f"{item},{rater},{rng.integers(1, 6) + item % 3}" for item, rater in rows]
    path.write_text("\n".join(["item,rater,label", *lines]) + "\n")
    assert agree(path).bland_altman is not None
    added = agree(scan_ratings(path), intervals="fixed")
    assert added.bland_altman is None
    assert any("limits of agreement" in note for note in added.notes)


def test_predictions_with_a_row_a_classifier(wide, tmp_path):
    rng = np.random.default_rng(9)
    labels = ["no", "maybe", "yes", "NA"]
    said = {(f"text {i}", m): str(rng.choice(labels)) for i in range(58) for m in ("svm", "gpt-4")}
    rows = [f"{item},{model},{label}" for (item, model), label in said.items()]
    long = tmp_path / "long.csv"
    long.write_text("\n".join(["item,model,prediction", *rows]) + "\n")
    with pytest.raises(DataError, match=r"for each item and classifier .*engine='memory'"):
        survey(scan_ratings(wide), long)


def test_a_report_reads_what_it_is_given():
    with pytest.raises(DataError, match=r"ratings\.csv was counted where it is"):
        make_report(look("example:ratings", engine="duckdb"))
    assert "birch is the clear leader" in str(make_report(scan_comparisons("example:battles")))


def test_odd_raters_and_items_are_told_as_in_memory(tmp_path):
    path = tmp_path / "rows.csv"
    rows = [(i, who, i % 3 % 2) for i in range(30) for who in ("ann", "bob", "Gold Standard")]
    path.write_text("item,rater,label\n" + "".join(f"{i},{r},{x}\n" for i, r, x in rows))
    for made in (agree(path, bootstrap=0), agree(scan_ratings(path), bootstrap=0)):
        assert made.provenance.n_raters == 3
        assert any("'Gold Standard' counts as a rater" in note for note in made.notes)


def write(path, rows):
    path.write_text("item,rater,label\n" + "".join(f"{','.join(row)}\n" for row in rows))
    return path


ROWS = [
    ("a", "ann", "yes"),
    ("a ", "bob", "no"),
    ("b", "ann", "yes"),
    ("b", "bob", ""),
    ("c", "ann", "NA"),
    ("", "ann", "no"),
    ("d", " bob", "yes "),
    ("d", "", "no"),
    ("d", "cat", "no"),
]


def test_patterns_are_those_of_the_reader(tmp_path):
    path = write(tmp_path / "r.csv", ROWS)
    rated, _ = scan_ratings(path).open()
    read = read_ratings(path)
    patterns, multiplicity = patterns_of(rated)
    counts = read.counts()
    assert patterns.tolist() == counts.patterns.tolist()
    assert multiplicity.tolist() == counts.multiplicity.tolist()
    assert (rated.n_ratings, rated.n_raters) == (len(read), read.n_raters)
    assert dict(rated.dropped) == dict(read.dropped)
    assert rated.scale == read.scale


def test_repeated_ratings_are_found_exactly(tmp_path):
    rng = np.random.default_rng(0)
    rows = [(f"i{i}", f"w{r}", "xy"[rng.integers(2)]) for i in range(50)
            for r in rng.permutation(100)[:12]]  # fmt: skip
    scan_ratings(write(tmp_path / "r.csv", rows)).open()
    path = write(tmp_path / "s.csv", [*rows, rows[17]])
    with pytest.raises(DataError, match=r"1 rating repeats .* labels item 'i1' 2 times"):
        scan_ratings(path).open()


# What goes wrong where data live: one message, nothing written, no temporary files left.


def parts(folder, number=4, *, rows=200):
    """Write ratings as several Parquet files."""
    import duckdb

    for part in range(number):
        duckdb.sql(
            f"COPY (SELECT {part} * {rows} + i // 4 AS item, 'w' || i % 4 AS rater, "
            f"CASE WHEN hash(i) % 3 = 0 THEN 'a' ELSE 'b' END AS label FROM range({rows}) t(i)) TO "
            f"'{folder / f'part{part}.parquet'}'"
        )
    return str(folder / "*.parquet")


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """A folder of its own for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    return tmp_path / "temporary"


def test_several_files_are_one_table(tmp_path, scratch):
    found = survey(scan_ratings(parts(tmp_path), glob=True), bootstrap=0)
    assert found.provenance.n_ratings == 800
    assert not list(scratch.iterdir())


def test_names_are_patterns_only_if_asked(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        survey(scan_ratings(parts(tmp_path)), bootstrap=0)
    with pytest.raises(DataError, match=r"no file fits glob '.*none\*'"):
        survey(scan_ratings(tmp_path / "none*", glob=True), bootstrap=0)
    with pytest.raises(DataError, match=r"is a folder\. A pattern of the files .*\*\.parquet"):
        survey(scan_ratings(tmp_path, glob=True), bootstrap=0)


def test_one_corrupt_file_is_named(tmp_path, scratch):
    pattern = parts(tmp_path)
    bad = tmp_path / "part2.parquet"
    bad.write_bytes(bad.read_bytes()[:-40])
    with pytest.raises(DataError, match=r"part2\.parquet"):
        survey(scan_ratings(pattern, glob=True), bootstrap=0)
    bad.write_bytes(b"\0" * 400)
    with pytest.raises(DataError, match=r"part2\.parquet"):
        survey(scan_ratings(pattern, glob=True), bootstrap=0)
    assert not list(scratch.iterdir())


def test_other_columns_in_one_file_are_named(tmp_path):
    import duckdb

    pattern = parts(tmp_path)
    duckdb.sql(
        f"COPY (SELECT 1 AS item, 'w1' AS coder, 'a' AS label) TO '{tmp_path / 'part3.parquet'}'"
    )
    with pytest.raises(
        DataError, match=r"part3\.parquet: it has .* where part0.* has .*'rater VARCHAR'"
    ):
        survey(scan_ratings(pattern, glob=True), bootstrap=0)


def test_other_columns_in_one_csv_are_named(tmp_path):
    (tmp_path / "a.csv").write_text("item,rater,label\n1,x,a\n1,y,b\n")
    (tmp_path / "b.csv").write_text("item,label,rater\n2,a,x\n2,a,y\n")
    with pytest.raises(DataError, match=r"b\.csv: it has 'item', 'label', 'rater'"):
        survey(scan_ratings(tmp_path / "*.csv", glob=True), bootstrap=0)


def test_a_full_disk_is_one_message(scratch):
    engine = DuckDB(memory=memory_of("128MB"), most_temporary="1MB")
    with pytest.raises(DataError, match=r"disk is full.*temporary"):
        engine.fetch("SELECT i, count(*) AS n FROM range(20000000) t(i) GROUP BY i ORDER BY n, i")
    engine.close()
    assert not list(scratch.iterdir())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"duplicates": "retest"}, "duplicates='retest' compares ratings one by one"),
        ({"duplicates": "last"}, "duplicates"),
        ({"memory": "1 elephant"}, "memory must be an amount of memory, such as '1GB'"),
        ({"memory": "1MB"}, "memory must be at least 128MB"),
        ({"memory": "99999999TB"}, "memory must be an amount that a machine has"),
        ({"engine": "oracle"}, "engine"),
        ({"engine": "localhost:15002"}, r"unknown engine .*sc://HOST:PORT"),
        ({"glob": True, "engine": "memory"}, "glob reads several files"),
    ],
)
def test_options_are_checked(options, words):
    with pytest.raises(OptionError, match=words):
        scan_ratings("example:ratings", **options)


@pytest.mark.parametrize("options", [{"experts": ["ann"]}, {"reference": "example:predictions"}])
def test_what_needs_ratings_one_by_one_is_refused(options):
    scan = scan_ratings("example:ratings")
    with pytest.raises(OptionError, match=r"one by one.*engine='memory'"):
        survey(scan, "example:predictions", bootstrap=0, **options)


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name == "nt", reason="signals of Unix")
def test_an_interrupt_leaves_nothing(tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    pattern = parts(tmp_path, 1, rows=2_000_000)
    command = [sys.executable, "-m", "headcount", "survey", pattern, "--glob", "--json"]
    run = subprocess.Popen(
        command,
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 60
    while not list(temporary.iterdir()) and run.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    if run.returncode == 0:
        pytest.skip("it was done before it could be interrupted")
    assert (run.returncode, out) == (130, "")
    assert err.strip() == "headcount: interrupted."
    assert not [path for path in Path(temporary).iterdir() if path.name.startswith("headcount")]


def test_words_for_missing_values_that_are_labels_are_labels_wherever_data_are_read(tmp_path):
    path = tmp_path / "ratings.csv"
    rows = [
        f"{item},{rater},{'none' if item % 2 else 'yes'}" for item in range(8) for rater in "ab"
    ]
    path.write_text("\n".join(["item,rater,label", *rows]), encoding="utf-8")
    read = scan_ratings(path, missing_words=False, engine="memory")
    assert survey(read, bootstrap=0).provenance.labels == ("none", "yes")
    (seen,) = look(path, missing_words=False, engine="duckdb").seen
    assert seen.counts["ratings"] == 16
    assert seen.options["missing_words"] is False
