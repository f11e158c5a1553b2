"""Worked examples from the literature, and other libraries where they define the same thing."""

from __future__ import annotations

import numpy as np
import pytest

from headcount.agreement import PARADOXES, agree, paradox

from .data import from_counts, random_labels, table

SCALES = ["nominal", "ordinal", "interval", "ratio"]


def observers(rows):
    """Ratings whose rows are observers; a point is missing."""
    columns = zip(*(row.split() for row in rows), strict=True)
    return table([[None if x == "." else x for x in column] for column in columns])


@pytest.fixture
def reliability(golden):
    """Krippendorff's 12 units."""
    return observers(golden("agreement")["krippendorff"]["rows"])


@pytest.mark.parametrize("scale", SCALES)
def test_krippendorff(golden, reliability, scale):
    expected = golden("agreement")["krippendorff"]["alpha"][scale]
    value = agree(reliability, scale=scale, bootstrap=0)["alpha"].value
    assert value == pytest.approx(expected, abs=5e-4)  # printed to three decimals


@pytest.mark.parametrize("example", range(3))
def test_other_examples_of_alpha(golden, example):
    given = golden("agreement")["alpha"]["examples"][example]
    for scale, expected in given["alpha"].items():
        result = agree(observers(given["rows"]), scale=scale, bootstrap=0)
        assert result["alpha"].value == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize("scale", SCALES)
def test_gwet(golden, reliability, scale):
    expected = golden("agreement")["krippendorff"]
    result = agree(reliability, scale=scale, bootstrap=0, raters="fixed")
    assert result["percent"].value == pytest.approx(expected["percent"], abs=1e-9)
    for name, (value, low) in expected["gwet"][scale].items():
        assert result[name].value == pytest.approx(value, abs=1e-9)
        assert result[name].low == pytest.approx(low, abs=1e-9)
        assert result[name].high == 1
        assert result[name].method == "linearised, t interval"


def test_fleiss(golden):
    example = golden("agreement")["fleiss"]
    result = agree(from_counts(example["counts"]), scale="nominal", bootstrap=0)
    assert result["fleiss"].value == pytest.approx(example["fleiss"], abs=5e-4)


def test_fleiss_1971(golden):
    example = golden("agreement")["fleiss_1971"]
    result = agree(from_counts(example["counts"]), scale="nominal", bootstrap=0)
    assert result["fleiss"].value == pytest.approx(example["fleiss"], abs=5e-4)
    # Printed .555, which .5556 is when cut off.
    assert result["percent"].value == pytest.approx(example["percent"], abs=1e-3)


def test_cohen(golden):
    for example in golden("agreement")["cohen"]["tables"]:
        counts = np.array(example["counts"])
        rows = [[a, b] for (a, b), n in np.ndenumerate(counts) for _ in range(n)]
        result = agree(table(rows), scale="ordinal", bootstrap=0)
        assert result["cohen"].value == pytest.approx(example["cohen"], abs=5e-4)


def test_shrout_and_fleiss(golden):
    example = golden("agreement")["icc"]
    result = agree(table(example["rows"]), bootstrap=0, raters="fixed")
    for name in ("icc1", "icc2k"):
        found = result[name]
        assert [found.value, found.low, found.high] == pytest.approx(example[name], abs=5e-3)
        assert found.method == "F interval"


@pytest.mark.parametrize("name", [name for name in PARADOXES if name != "1"])
def test_paradoxes(golden, name):
    expected = golden("agreement")["paradoxes"]
    result = agree(paradox(name), bootstrap=0)
    assert result["percent"].value == pytest.approx(expected["percent"][name], abs=5e-6)
    alpha = expected["alpha"][name]
    if alpha is None:
        assert result["alpha"].undefined == "every rating is '1'"
    else:
        assert result["alpha"].value == pytest.approx(alpha, abs=5e-4)


def test_random_guessing():
    result = agree(paradox("1"), coefficients=["percent", "alpha"], bootstrap=0)
    # One in 1,001 by chance; 4,950 pairs of each of 1,000 items leave an error of 1.4e-5.
    assert result["percent"].value == pytest.approx(1 / 1001, abs=6e-5)
    # The standard error is about sqrt(2 / items) / raters.
    assert result["alpha"].value == pytest.approx(0, abs=2e-3)


def test_statsmodels():
    rater = pytest.importorskip("statsmodels.stats.inter_rater")
    labels = random_labels(60, 2, 4, seed=3)
    result = agree(labels, scale="interval", bootstrap=0)
    counts = np.zeros((4, 4))
    by_rater = labels.label.reshape(60, 2)
    np.add.at(counts, (by_rater[:, 0], by_rater[:, 1]), 1)
    for name, weights in [("cohen", None), ("cohen_linear", "linear"), ("cohen_quadratic", "fc")]:
        theirs = rater.cohens_kappa(counts, wt=weights)
        assert result[name].value == pytest.approx(theirs.kappa, abs=1e-12)
        half = (result[name].high - result[name].low) / 2
        assert half == pytest.approx(1.959963985 * theirs.std_kappa, abs=1e-8)
    many = random_labels(60, 5, 4, seed=3)
    theirs = rater.fleiss_kappa(many.matrix(), method="fleiss")
    assert agree(many, bootstrap=0)["fleiss"].value == pytest.approx(theirs, abs=1e-12)
