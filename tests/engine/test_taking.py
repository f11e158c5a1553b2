"""What verbs and commands take: wide files, relations, and files that are large enough."""

from __future__ import annotations

import json
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
    scan_comparisons,
    scan_ratings,
    survey,
)
from headcount.agreement import load as agreement_load
from headcount.engine import look as looking
from headcount.engine.engines import memory
from headcount.engine.reductions import votes
from headcount.engine.scans import memory_or_engine
from headcount.errors import NotReducedError
from tests.engine.same import differences
from tests.engine.test_methods import run_command

QUICK = {"bootstrap": 10, "ceiling": False, "together": False}


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
    for module in (memory, memory_or_engine, looking):
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
    monkeypatch.setattr(agreement_load, "fits", lambda *_: False)
    rng = np.random.default_rng(3)
    path = tmp_path / "two.csv"
    rows = [(item, rater) for item in range(80) for rater in "ab" if rng.random() < 0.9]
    lines = [f"{item},{rater},{rng.integers(1, 6) + item % 3}" for item, rater in rows]
    path.write_text("\n".join(["item,rater,label", *lines]) + "\n")
    one, two = agree(path).bland_altman, agree(scan_ratings(path)).bland_altman
    assert one is not None
    assert two is not None
    assert not differences(one.to_dict(), two.to_dict())
    added = agree(scan_ratings(path), raters="fixed")
    assert added.bland_altman is None
    assert any("limits of agreement" in note for note in added.notes)


def test_predictions_with_a_row_a_classifier(wide, tmp_path):
    rng = np.random.default_rng(9)
    labels = ["no", "maybe", "yes", "NA"]
    said = {(f"text {i}", m): str(rng.choice(labels)) for i in range(58) for m in ("svm", "gpt-4")}
    rows = [f"{item},{model},{label}" for (item, model), label in said.items()]
    long = tmp_path / "long.csv"
    long.write_text("\n".join(["item,model,prediction", *rows]) + "\n")
    one, two = (survey(data, long, **QUICK) for data in (wide, scan_ratings(wide)))
    assert not differences(numbers(one), numbers(two))
    assert [found.name for found in two.classifiers] == ["gpt-4", "svm"]
    long.write_text("\n".join(["item,model,prediction", *rows, "text 3,svm,no"]) + "\n")
    with pytest.raises(DataError, match="'svm' has several rows for an item"):
        survey(scan_ratings(wide), long)
    long.write_text("\n".join(["item,model,prediction", *rows, "text 59,lm:yes,no"]) + "\n")
    with pytest.raises(DataError, match=r"a classifier called 'lm:yes' .*engine='memory'"):
        survey(scan_ratings(wide), long)


def test_a_report_reads_what_it_is_given():
    with pytest.raises(DataError, match=r"ratings\.csv was counted where it is"):
        make_report(look("example:ratings", engine="duckdb"))
    assert "birch is rated highest" in str(make_report(scan_comparisons("example:battles")))


def test_what_memory_reads_otherwise_is_refused(tmp_path):
    """The truth among raters is left out in memory, and a number of rows is no item there."""
    path = tmp_path / "rows.csv"
    rows = [(i, who, i % 3 % 2) for i in range(30) for who in ("ann", "bob", "Gold Standard")]
    path.write_text("item,rater,label\n" + "".join(f"{i},{r},{x}\n" for i, r, x in rows))
    with pytest.raises(NotReducedError, match="'Gold Standard' is among the raters"):
        agree(scan_ratings(path))
    assert agree(path, bootstrap=0).provenance.n_raters == 2
    lines = [f"{row},{r},{x},t{i}\n" for row, (i, r, x) in enumerate(rows) if r != rows[2][1]]
    path.write_text("id,rater,label,text\n" + "".join(lines))
    with pytest.raises(NotReducedError, match="Say item='text', or item='id'"):
        agree(scan_ratings(path))
    scan = scan_ratings(path, item="text")
    assert agree(scan, bootstrap=0)["alpha"].value == pytest.approx(
        agree(path, bootstrap=0)["alpha"].value, abs=1e-12
    )
