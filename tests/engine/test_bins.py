"""Predictions that are put into bins: as if each were the mean of its bin."""

from __future__ import annotations

import numpy as np
import pytest

from headcount import DataError, OptionError, scan_ratings, survey
from headcount.engine.reductions import cells
from headcount.engine.reductions.items import Items
from tests.engine.same import differences
from tests.engine.test_taking import numbers

BINS = 12


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Ratings, scores that all differ, and the same scores as means of their bins."""
    folder = tmp_path_factory.mktemp("bins")
    rng = np.random.default_rng(8)
    true = rng.beta(1, 1.5, 150)
    rows = [f"t{i},r{j},{'yes' if rng.random() < p else 'no'}"
            for i, p in enumerate(true) for j in range(5)]  # fmt: skip
    (folder / "ratings.csv").write_text("\n".join(["item,rater,label", *rows]) + "\n")
    score = np.round(10 * np.clip(true + rng.normal(0, 0.2, 150), 0.01, 0.99), 6)
    kept = np.arange(150) % 17 > 0  # the others are not predicted
    low, high = score[kept].min(), score[kept].max()
    place = np.clip(np.floor((score - low) / ((high - low) / BINS)), 0, BINS - 1).astype(int)
    mean = (np.bincount(place[kept], score[kept]) / np.bincount(place[kept]))[place]
    for name, values in (("scores", score), ("means", mean)):
        said = [f"t{i},{values[i].item()!r}" for i in np.flatnonzero(kept)]
        (folder / f"{name}.csv").write_text("\n".join(["item,judge", *said, "t17,"]) + "\n")
    return folder


def parquet(path):
    import duckdb

    made = path.with_suffix(".parquet")
    duckdb.sql(f"COPY (SELECT item, CAST(judge AS DOUBLE) AS judge FROM '{path}') TO '{made}'")
    return made


@pytest.mark.parametrize("asked", [{}, {"calibrate": "isotonic"}])
def test_numbers_count_as_the_mean_of_their_bin(files, asked):
    asked = {"bootstrap": 10, "rng": 3, "ceiling": False, "together": False, **asked}
    binned = survey(
        scan_ratings(files / "ratings.csv", bins=BINS), parquet(files / "scores.csv"), **asked
    )
    means = survey(files / "ratings.csv", files / "means.csv", **asked)
    assert not differences(numbers(means), numbers(binned))
    (said,) = [note for note in binned.notes if "bins" in note]
    assert "judge: predictions were put into 12 bins" in said


def test_bins_are_offered_where_cells_are_too_many(files, monkeypatch):
    monkeypatch.setattr(Items, "most", lambda *_: 50)
    predictions = parquet(files / "scores.csv")
    with pytest.raises(DataError, match=r"more than 50 cells .*memory=.1GB.*bins=1000"):
        survey(scan_ratings(files / "ratings.csv"), predictions, bootstrap=0)
    assert survey(scan_ratings(files / "ratings.csv", bins=5), predictions, bootstrap=0)


def test_bins_need_an_engine(files):
    scan = scan_ratings(files / "ratings.csv", bins=9, engine="memory")
    with pytest.raises(OptionError, match="bins is for data that are reduced"):
        survey(scan, parquet(files / "scores.csv"))
    with pytest.raises(OptionError, match="bins must be"):
        scan_ratings(files / "ratings.csv", bins=1)


def test_the_most_that_a_prediction_is_moved():
    spread = cells.Spread.of(
        np.array([0, 0, 1]),
        np.array([1, 3, 2]),
        (np.array([0.2, 1.2, 1.8]), np.array([0.2, 0.3, 0.9]), np.array([0.2, 0.5, 0.9])),
        2,
    )
    assert spread.mean.tolist() == pytest.approx([0.35, 0.9])
    assert "none is moved by more than 0.15" in spread.note("judge", 2)
