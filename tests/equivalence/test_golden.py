"""Exact values on the paper's public data."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from headcount import Predictions, read_ratings
from tests.equivalence import survey

TOLERANCE = 1e-5  # the values are written to six digits, the equivalences to five decimals


def saved_predictions(path: Path, labels: list[str]) -> Predictions:
    """Read predictions as the reference library printed them: Prediction: [p, q]."""
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    columns = {
        name: [[float(x) for x in re.findall(r"[\d.]+(?:e-?\d+)?", row[i])] for row in rows]
        for i, name in enumerate(header[1:], start=1)
    }
    return Predictions.from_probabilities([row[0] for row in rows], labels, columns)


@pytest.mark.parametrize(
    ("data", "labels", "case", "max_k"),
    [
        ("running_example", ["pos", "neg"], "abc_cross_entropy", None),
        ("toxicity", ["a", "n"], "abc_cross_entropy_k7", 7),
        ("toxicity", ["a", "n"], "abc_cross_entropy_k9", 9),
    ],
)
def test_abc_and_cross_entropy(data_folder, golden, data, labels, case, max_k):
    expected = golden("survey")[data][case]
    ratings = read_ratings(data_folder / "survey" / data / "ratings_wide.csv")
    predictions = saved_predictions(data_folder / "survey" / data / "soft_predictions.csv", labels)
    result = survey(ratings, predictions, combiner="abc", max_k=max_k, bootstrap=0)
    curve = [point.score.value for point in result.curve]
    assert curve == pytest.approx(expected["curve"], abs=TOLERANCE)
    for name, values in expected["classifiers"].items():
        assert result[name].score.value == pytest.approx(values["score"], abs=TOLERANCE)
        assert result[name].equivalence.value == pytest.approx(values["equivalence"], abs=TOLERANCE)
    assert result.provenance.items_used == expected.get("items", 1000)


def test_plurality_and_agreement(data_folder, golden):
    expected = golden("survey")["running_example"]["plurality_agreement"]["curve"]
    ratings = read_ratings(data_folder / "survey" / "running_example" / "ratings_wide.csv")
    result = survey(ratings, combiner="plurality", scorer="agreement", bootstrap=0)
    curve = [point.score.value for point in result.curve]
    assert curve == pytest.approx(expected, abs=TOLERANCE)


def test_paper_interval_of_the_running_example(data_folder):
    """The paper's 95% interval, [1.63, 2.54], is from 500 other draws of other subsets."""
    folder = data_folder / "survey" / "running_example"
    ratings = read_ratings(folder / "ratings_wide.csv")
    predictions = saved_predictions(folder / "soft_predictions.csv", ["pos", "neg"])
    worth = survey(ratings, predictions, combiner="abc", rng=1)[
        "calibrated hard classifier"
    ].equivalence
    # The 2.5% and 97.5% points of 500 draws with standard deviation .2 have standard errors of
    # about .03; the reference's own sampling of subsets adds as much.
    assert worth.low == pytest.approx(1.63, abs=0.12)
    assert worth.high == pytest.approx(2.54, abs=0.12)
