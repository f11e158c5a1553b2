"""Very many items that are all predicted differently: the same answers as in memory."""

from __future__ import annotations

import numpy as np
import pytest

from headcount import DataError, scan_ratings, survey
from headcount.engine.items import Items
from headcount.equivalence import methods as many_items
from headcount.equivalence import worth
from tests.engine.same import differences
from tests.engine.test_same_answers import numbers

ITEMS = 400
RUNS = {
    "probabilities": {"columns": ["lm:good", "lm:bad", "other:good", "other:bad"]},
    "probabilities and a label": {"columns": ["lm:good", "lm:bad", "judge"], "scorer": "brier"},
    "a probability": {"columns": ["lm:good", "lm:bad"]},
    "a score": {"columns": ["score"]},
    "a score and names": {"columns": ["points", "tone"], "max_k": 2},
    "a verdict with confidence": {"columns": ["judge", "confidence"]},
    "agreement": {"columns": ["lm:good", "lm:bad", "score"], "scorer": "agreement"},
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Ratings of items that are all predicted differently, and some that are not predicted."""
    import duckdb

    folder = tmp_path_factory.mktemp("many")
    rng = np.random.default_rng(11)
    true = rng.beta(1, 1.5, ITEMS)
    rows = ["item,rater,label"]
    for item, p in enumerate(true):
        said = rng.random(6) < p
        number = rng.integers(3, 7)
        rows += [f"t{item},r{j},{'bad' if said[j] else 'good'}" for j in range(number)]
    (folder / "ratings.csv").write_text("\n".join(rows) + "\n")

    def moved(noise):
        return np.clip(true + rng.normal(0, noise, ITEMS), 0.01, 0.99)

    lm, other, sure = moved(0.1), moved(0.3), moved(0.2)
    columns = {
        "lm:good": 1 - lm, "lm:bad": lm, "other:good": 1 - other, "other:bad": other,
        "score": 40 * moved(0.2) - 3, "judge": np.where(sure > 0.5, "bad", "good"),
        "confidence": np.maximum(sure, 1 - sure), "points": 40 * moved(0.2) - 3,
        "tone": np.array(["good", "rude", "foul"])[rng.integers(0, 3, ITEMS)],
    }  # fmt: skip
    for name, run in RUNS.items():
        lines = [",".join(["item", *run["columns"]])]
        for item in np.flatnonzero(np.arange(ITEMS) % 17).tolist():
            cells = [str(columns[column][item]) for column in run["columns"]]
            lines.append(",".join([f"t{item}", *cells]))
        lines += [f"t17{',' * len(run['columns'])}"]
        path = folder / f"{name}.csv"
        path.write_text("\n".join(lines) + "\n")
        duckdb.sql(f"COPY (FROM read_csv('{path}')) TO '{path.with_suffix('.parquet')}'")
    made = folder / "ratings.parquet"
    duckdb.sql(f"COPY (FROM read_csv('{folder / 'ratings.csv'}')) TO '{made}'")
    return folder


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Let few items be very many."""
    for module, name in ((many_items, "MANY"), (worth, "MOST_ITEMS")):
        monkeypatch.setattr(module, name, 100)


WHOLE = ("probabilities", "a score")
"""Runs with all that is told besides worths, which takes most of the time."""


def asked(run):
    given = {key: value for key, value in RUNS[run].items() if key != "columns"}
    more = {} if run in WHOLE else {"ceiling": False}
    return {"bootstrap": 20, "seed": 3, **more, **given}


@pytest.mark.parametrize(
    ("run", "kind"), [*((run, "parquet") for run in RUNS), ("probabilities and a label", "csv")]
)
def test_the_same_as_in_memory(files, run, kind):
    memory = survey(files / "ratings.csv", files / f"{run}.csv", **asked(run))
    scan = scan_ratings(files / f"ratings.{kind}", engine="duckdb")
    found = survey(scan, files / f"{run}.{kind}", **asked(run))
    assert not differences(numbers(memory), numbers(found))


def test_a_relation_and_spark(files, served):
    import duckdb

    run = "a score and names"
    memory = numbers(survey(files / "ratings.csv", files / f"{run}.csv", **asked(run)))
    paths = [files / "ratings.parquet", files / f"{run}.parquet"]
    connection = duckdb.connect()
    ratings, predictions = (connection.read_parquet(str(path)) for path in paths)
    scan = scan_ratings(ratings, engine="duckdb")
    assert not differences(memory, numbers(survey(scan, predictions, **asked(run))))
    remote = served.connect()
    for session in (served.classic, remote):
        frames = [session.read.parquet(str(path)) for path in paths]
        assert not differences(memory, numbers(survey(*frames, **asked(run))))
    remote.stop()


@pytest.mark.parametrize(
    "option", [{"scorer": "auc"}, {"intervals": "sample"}, {"calibrate": "isotonic"}]
)
def test_what_learns_or_ranks_is_the_same(files, option):
    run = "probabilities"
    asks = {**asked(run), "ceiling": False, **option}
    memory = survey(files / "ratings.csv", files / f"{run}.csv", **asks)
    found = survey(scan_ratings(files / "ratings.csv"), files / f"{run}.csv", **asks)
    assert not differences(numbers(memory), numbers(found))


def test_few_items_that_can_be_used(files, monkeypatch):
    monkeypatch.setattr(many_items, "MANY", 300)  # of 375 that are predicted, few have six ratings
    asks = {**asked("probabilities"), "max_k": 5}
    memory = survey(files / "ratings.csv", files / "probabilities.csv", **asks)
    found = survey(scan_ratings(files / "ratings.csv"), files / "probabilities.csv", **asks)
    assert memory.provenance.items_used < 300
    assert not differences(numbers(memory), numbers(found))


def lines_of(path):
    return path.read_text().splitlines()


def test_a_word_among_scores_is_refused_without_counting_examples(files, tmp_path):
    first, *rest = lines_of(files / "a score.csv")
    rest[70] = f"{rest[70].split(',')[0]},unsure"
    (tmp_path / "said.csv").write_text("\n".join([first, *rest]) + "\n")
    with pytest.raises(DataError, match=r"said.csv.*: some predictions are .*'unsure'"):
        survey(scan_ratings(files / "ratings.csv"), tmp_path / "said.csv", bootstrap=0)


def test_labels_that_are_called_impossible(files, tmp_path):
    first, *rest = lines_of(files / "a probability.csv")
    rest[70:72] = [f"{line.split(',')[0]},{said}" for line, said in
                   zip(rest[70:72], ("1,0", "0,1"), strict=True)]  # fmt: skip
    (tmp_path / "said.csv").write_text("\n".join([first, *rest]) + "\n")
    found = survey(scan_ratings(files / "ratings.csv"), tmp_path / "said.csv", bootstrap=0)
    assert any(
        "lm: probability 0 of labels that raters gave, of 2 items." in note for note in found.notes
    )
    memory = survey(files / "ratings.csv", tmp_path / "said.csv", bootstrap=0)
    assert found["lm"].score.value == pytest.approx(memory["lm"].score.value, abs=1e-13)


def test_an_item_that_is_predicted_twice(files, tmp_path):
    lines = lines_of(files / "a score.csv")
    (tmp_path / "said.csv").write_text("\n".join([*lines, lines[9]]) + "\n")
    name = lines[9].split(",")[0]
    with pytest.raises(DataError, match=f"1 item with more than one row of predictions.*'{name}'"):
        survey(scan_ratings(files / "ratings.csv"), tmp_path / "said.csv", bootstrap=0)


def test_floats_of_32_bits_are_read_as_they_are_written(files, tmp_path):
    import duckdb

    path = tmp_path / "said.parquet"
    narrow = ", ".join(f'"lm:{one}"::FLOAT AS "lm:{one}"' for one in ("good", "bad"))
    duckdb.sql(f"COPY (SELECT item, {narrow} FROM '{files / 'a probability.parquet'}') TO '{path}'")
    memory = survey(files / "ratings.csv", path, bootstrap=0)
    found = survey(scan_ratings(files / "ratings.csv"), path, bootstrap=0)
    assert found["lm"].score.value == pytest.approx(memory["lm"].score.value, abs=1e-13)


def test_the_memory_that_is_enough_is_said(files, monkeypatch):
    monkeypatch.setattr(Items, "most", lambda *_: 50)
    with pytest.raises(DataError, match=r"more than 50 cells .*memory=.1GB.*round predictions"):
        survey(scan_ratings(files / "ratings.csv"), files / "a score.csv", bootstrap=0)
