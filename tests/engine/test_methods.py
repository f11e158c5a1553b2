"""agree, blind and pairs give the same document from memory and from DuckDB."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from headcount import DataError, OptionError, agree, blind, pairs
from headcount.agreement import load as agreement_load
from headcount.engine.engines import memory
from headcount.engine.reductions import agreement as cells
from headcount.engine.reductions import comparisons as counts
from headcount.engine.reductions import votes
from headcount.engine.scans.comparisons import scan_comparisons
from headcount.engine.scans.ratings import scan_ratings
from tests.engine.same import differences

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
    monkeypatch.setattr(agreement_load, "fits", lambda *_: False)
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
    asked: dict[str, Any] = {"scale": scale, "raters": raters, "coefficients": FROM_PATTERNS}
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
    one = agree(str(path), raters="fixed", bootstrap=0).phi
    assert one is not None
    assert (one.withheld is None) is fits
    reduced(monkeypatch)
    for raters in ("sample", "fixed"):
        two = agree(scan_ratings(str(path)), raters=raters, bootstrap=0).phi
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
    asked: dict[str, Any] = {"coefficients": ["alpha"], "rng": 3}
    whole = agree(str(ratings), **asked)["alpha"]
    files = agree(scan_ratings(str(tmp_path / "part*.csv"), glob=True), **asked)["alpha"]
    relation = agree(scan_ratings(base), **asked)["alpha"]
    for other in (files, relation):
        assert other.value == pytest.approx(whole.value, abs=1e-9)
        assert other.low == pytest.approx(whole.low, abs=1e-9)


def test_too_many_cells_name_the_option(ratings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reduced(monkeypatch)
    monkeypatch.setattr(cells, "MOST_CELLS", 20)
    with pytest.raises(DataError, match=r"more than 20 cells .*raters='fixed'"):
        agree(scan_ratings(str(ratings)))
    assert agree(scan_ratings(str(ratings)), raters="fixed")["alpha"].low is not None


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
        {"ties": "davidson", "position": True, "errors": "hessian"},
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
    one = pairs(str(answers), by_rater=True, rng=1).to_dict()
    assert not differences(
        one, pairs(scan_comparisons(str(answers)), by_rater=True, rng=1).to_dict()
    )


def test_answers_that_are_counted_cannot(answers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reduced(monkeypatch)
    with pytest.raises(OptionError, match="by_rater needs answers one by one"):
        pairs(scan_comparisons(str(answers)), by_rater=True)


def test_too_many_raters(answers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reduced(monkeypatch)
    monkeypatch.setattr(counts, "MOST_CELLS", 500)
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


def test_large_data_are_counted_without_asking(
    answers: Path, ratings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from headcount.engine.scans import memory_or_engine

    monkeypatch.setattr(memory_or_engine, "DEFAULT_MEMORY", 1000)
    reduced(monkeypatch)
    assert any("where they are" in note for note in pairs(str(answers)).notes)
    assert any("where they are" in note for note in agree(str(ratings)).notes)
    assert memory.DEFAULT_MEMORY == 10**9


def numbers(result: Any) -> dict[str, Any]:
    """The document of a result, but for words on where the data came from."""
    document = result.to_dict()
    for key in ("notes", "cautions", "warnings"):
        document.pop(key)
    document["data"].pop("source", None)
    return document


def test_spark(ratings: Path, answers: Path, served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    reduced(monkeypatch)
    read = served.classic.read.option("header", "true").csv
    asked: dict[str, Any] = {"coefficients": FROM_PATTERNS, "bootstrap": 50}
    one, two = agree(str(ratings), **asked), agree(read(str(ratings)), **asked)
    assert not differences(numbers(one), numbers(two))
    one, two = pairs(str(answers), bootstrap=5), pairs(read(str(answers)), bootstrap=5)
    assert not differences(numbers(one), numbers(two))
    for asked in VOTED:
        one, two = blind(str(ratings), **asked), blind(read(str(ratings)), **asked)
        assert not differences(numbers(one), numbers(two))


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
        assert not differences(numbers(one), numbers(blind(other, **asked)))


def test_spark_connect(
    ratings: Path, answers: Path, served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = served.connect()
    read = session.read.option("header", "true").csv
    assert not differences(numbers(agree(str(ratings))), numbers(agree(read(str(ratings)))))
    one = blind(str(ratings), bootstrap=5)
    assert not differences(numbers(one), numbers(blind(read(str(ratings)), bootstrap=5)))
    reduced(monkeypatch)
    assert not differences(numbers(pairs(str(answers))), numbers(pairs(read(str(answers)))))
    for asked in VOTED:
        one, two = blind(str(ratings), **asked), blind(read(str(ratings)), **asked)
        assert not differences(numbers(one), numbers(two))
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

    from headcount.cli.app import app

    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == 0, done.output
    return done.stdout
