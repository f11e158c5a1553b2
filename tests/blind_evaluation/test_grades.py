"""Grades and abstentions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from headcount import OptionError, blind
from headcount.blind_evaluation.grades import grade_errors
from headcount.blind_evaluation.methods.direct import gold_truth, weighted_gold
from tests.blind_evaluation.cases import as_labels, as_votes


def table() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 5, 200)
    noise = rng.integers(-1, 2, (200, 4)) * (rng.random((200, 4)) < 0.5)
    noise[:, 3] = rng.random(200) < 0.6  # always too high
    return np.clip(truth[:, None] + noise, 0, 4), truth


def test_errors_of_grades_by_plain_means():
    said, truth = table()
    gold = {i: str(x) for i, x in enumerate(truth)}
    votes = as_votes(said, 5, gold=gold)
    for k, found in enumerate(grade_errors(votes, gold_truth(votes), 0.95)):
        apart = said[:, k] - truth
        assert found["mean_absolute_error"].value == pytest.approx(np.abs(apart).mean())
        assert found["bias"].value == pytest.approx(apart.mean())
        kappa = cohen_kappa_score(truth, said[:, k], weights="quadratic")
        assert found["weighted_kappa"].value == pytest.approx(kappa)
        low, high = found["bias"].low, found["bias"].high
        assert low is not None
        assert high is not None
        unit = np.abs(apart).max()
        half = 1.971957 * np.sqrt(apart.var(ddof=1) / 200 + (2 * unit / 200) ** 2)
        assert (low, high) == pytest.approx((apart.mean() - half, apart.mean() + half), abs=1e-5)


def test_grades_without_an_error_may_have_some():
    _, truth = table()
    gold = {i: str(x) for i, x in enumerate(truth[:50])}
    votes = as_votes(np.stack([truth, np.minimum(truth + 1, 4)], axis=1), 5, gold=gold)
    found = grade_errors(votes, gold_truth(votes), 0.95)[0]
    size, bias = found["mean_absolute_error"], found["bias"]
    assert (size.value, size.low) == (0, 0)
    # Much as for a share of 50 items that is 0, which goes to .061.
    assert size.high == pytest.approx(0.0674, abs=1e-4)
    assert bias.low == pytest.approx(-2 / 50 * 2.0096, abs=1e-4)
    assert bias.high == pytest.approx(2 / 50 * 2.0096, abs=1e-4)


def test_grades_of_items_that_were_drawn_with_probabilities_are_less_sure():
    """Nine in ten items count a tenth of the others: Kish's number of items is far below n."""
    said, truth = table()
    gold = {i: str(x) for i, x in enumerate(truth)}
    drawn = {i: 1.0 if i % 10 else 0.05 for i in range(200)}
    equal, unequal = (
        grade_errors(votes, weighted_gold(votes), 0.95)[0]["bias"]
        for votes in (as_votes(said, 5, gold=gold), as_votes(said, 5, gold=gold, drawn=drawn))
    )
    assert unequal.high - unequal.low > 1.8 * (equal.high - equal.low)


def test_a_judge_that_grades_too_high_is_seen():
    said, _ = table()
    result = blind(as_labels(said, 5), bootstrap=20, methods=["consensus"])
    assert result["c3"].grades["bias"].value > 0.3
    assert "Grades: mean absolute error" in str(result)
    assert result.to_dict()["classifiers"][0]["grades"].keys() == {
        "mean_absolute_error", "bias", "weighted_kappa",
    }  # fmt: skip


def test_two_labels_are_no_grades():
    said, _ = table()
    result = blind(as_labels(np.minimum(said, 1), 2), bootstrap=20, methods=["consensus"])
    assert all(not c.grades for c in result.classifiers)


def test_who_abstains_gives_no_label():
    said, _ = table()
    said = np.minimum(said, 1)
    unsure = said.copy()
    unsure[:50, 0] = 2
    missing = said.copy()
    missing[:50, 0] = -1
    found = blind(as_labels(unsure, 3), abstain="2", bootstrap=20, methods=["em"])
    expected = blind(as_labels(missing, 2), bootstrap=20, methods=["em"])
    assert found["c0"].labelled == 150
    assert found["c0"].estimates == expected["c0"].estimates
    assert any("counts as no label" in note for note in found.notes)
    with pytest.raises(OptionError, match="unknown label 'no idea'"):
        blind(as_labels(said, 2), abstain="no idea")


def test_who_abstains_beside_grades_in_a_file(tmp_path):
    """The reader would ask whether the word beside numbers is a label."""
    said, _ = table()
    cells = said.astype(int).astype(str)
    cells[:40, 0] = "skip"
    rows = [f"i{i}," + ",".join(row) for i, row in enumerate(cells.tolist())]
    head = "item," + ",".join(f"c{k}" for k in range(said.shape[1]))
    path = tmp_path / "grades.csv"
    path.write_text("\n".join([head, *rows]) + "\n")
    found = blind(path, abstain="skip", bootstrap=0, methods=["majority"])
    assert found["c0"].labelled == len(said) - 40
    assert "skip" not in found.provenance.labels
