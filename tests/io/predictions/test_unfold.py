"""Answers of judges within records."""

from __future__ import annotations

import json

import pytest

from headcount import DataError, read_predictions

SCORES = [4, 2, 5, 4, 1, 3]
IDS = [f"c{n}" for n in range(6)]


def hard(predictions):
    """Classifiers with the labels that they give, in the order of items."""
    labels = predictions.labels
    return {
        one.name: [labels[row.argmax()] for row in one.probability]
        for one in predictions.classifiers
    }


@pytest.mark.parametrize(
    ("record", "name"),
    [
        (lambda s: {"output": {"score": s, "reasoning": f"since {s}"}}, "score"),
        (lambda s: {"output": {"usage": {"tokens": 12}, "verdict": {"rating": s}}}, "rating"),
        (lambda s: {"model": "gpt", "output": {"score": s, "reasoning": "x"}}, "gpt"),
        (lambda s: {"model": "gpt", "score": s, "reasoning": "x", "latency_ms": 300 + s}, "gpt"),
        (lambda s: {"score": "high", "output": {"score": s}}, "output.score"),
    ],
)
def test_answers_within_records(tmp_path, record, name):
    path = tmp_path / "judge.jsonl"
    rows = [{"conversation_id": i, **record(s)} for i, s in zip(IDS, SCORES, strict=True)]
    path.write_text("\n".join(map(json.dumps, rows)))
    read = hard(read_predictions(path, labels=list("12345")))
    assert read[name] == [str(score) for score in SCORES]


def test_an_answer_that_lacks_is_missing():
    cells = [{"score": 4}, {"error": "timeout"}, None, {"score": 2}, {"score": 5}, {"score": 1}]
    made = read_predictions({"item": IDS, "judge": cells})
    table = made.classifiers[0].probability
    assert [bool(row.sum() == 1) for row in table] == [True, False, False, True, True, True]


def test_probabilities_stay():
    cells = [{"no": 1 - s / 10, "yes": s / 10} for s in SCORES]
    made = read_predictions({"item": IDS, "judge": cells})
    assert made.classifiers[0].kind == "soft"
    assert made.classifiers[0].probability[:, 1].tolist() == [s / 10 for s in SCORES]


def test_what_only_says_how_rows_came_to_be_is_no_judge():
    data = {"item": IDS, "latency_ms": [445, 770, 710, 300, 512, 601]}
    with pytest.raises(DataError, match="'latency_ms' says how rows came to be"):
        read_predictions(data, labels=list("12345"))
    assert read_predictions({"item": IDS, "status": ["ok", "bad"] * 3}, labels=["bad", "ok"])
