from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from headcount import DataError, Labels, Predictions, read_predictions, running_example, survey
from headcount.io.write import write_predictions, write_ratings

SOFT = "item,lm:no,lm:yes\na,0.25,0.75\nb,1,0\n"


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_wide_hard_soft_and_missing(tmp_path):
    text = "item,judge,lm:no,lm:yes,gpt:4\na,yes,0.25,0.75,no\nb,,1,0,\nc,no,,,yes\n"
    predictions = read_predictions(write(tmp_path / "p.csv", text))
    assert [(c.name, c.kind) for c in predictions.classifiers] == [
        ("judge", "hard"),
        ("lm", "soft"),
        ("gpt:4", "hard"),
    ]
    assert predictions.labels == ("no", "yes")
    judge, lm, gpt = (c.probability for c in predictions.classifiers)
    nan = [np.nan, np.nan]
    np.testing.assert_array_equal(judge, [[0, 1], nan, [1, 0]])
    np.testing.assert_array_equal(lm, [[0.25, 0.75], [1, 0], nan])
    np.testing.assert_array_equal(gpt, [[1, 0], nan, [0, 1]])


def test_long_hard_and_soft(tmp_path):
    text = (
        "item,classifier,label,probability\n"
        "a,lm,no,0.25\na,lm,yes,0.75\nb,lm,no,1\na,judge,yes,\nb,judge,no,\n"
    )
    predictions = read_predictions(write(tmp_path / "p.csv", text))
    judge, lm = predictions.classifiers
    assert (lm.name, lm.kind, judge.name, judge.kind) == ("lm", "soft", "judge", "hard")
    np.testing.assert_array_equal(lm.probability, [[0.25, 0.75], [1, 0]])
    np.testing.assert_array_equal(judge.probability, [[0, 1], [1, 0]])


def test_frames_and_files_agree(tmp_path):
    path = write(tmp_path / "p.csv", SOFT)
    expected = read_predictions(path).classifiers[0].probability
    for frame in (pd.read_csv(path), pl.read_csv(path)):
        np.testing.assert_array_equal(read_predictions(frame).classifiers[0].probability, expected)


def test_text_that_holds_numbers_in_a_frame():
    frame = pl.DataFrame({"item": ["a"], "lm:no": ["0.25"], "lm:yes": ["0.75"]})
    np.testing.assert_array_equal(
        read_predictions(frame).classifiers[0].probability, [[0.25, 0.75]]
    )


def test_numeric_labels_meet_however_they_are_written():
    labels = Labels.from_triples([1, 1, 2, 2], [1, 2, 1, 2], [1, 0, 1, 1])
    predictions = Predictions.from_labels([1, 2], {"h": ["1.0", "0.0"]})
    result = survey(labels, predictions, combiner="plurality", scorer="agreement", bootstrap=0)
    assert result["h"].score.value == 0.25


def test_written_files_come_back(tmp_path):
    labels, predictions = running_example(30, 4, rng=2)
    write_ratings(labels, tmp_path / "ratings.csv")
    write_predictions(predictions, tmp_path / "predictions.csv")
    from headcount import read_ratings

    again = read_ratings(tmp_path / "ratings.csv")
    np.testing.assert_array_equal(again.label, labels.label)
    np.testing.assert_array_equal(again.item, labels.item)
    back = read_predictions(tmp_path / "predictions.csv")
    for ours, theirs in zip(predictions.classifiers, back.classifiers, strict=True):
        assert (ours.name, ours.kind) == (theirs.name, theirs.kind)
        np.testing.assert_array_equal(ours.probability, theirs.probability)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,lm:no,lm:yes\na,0.5,0.5\nb,-0.1,1.1\n", r"row 3: .*'lm' .*'b'.*-0.1 .*'no'"),
        ("item,lm:no,lm:yes\na,0.5,0.4\n", r"row 2: .*sum to 0.9, not to 1"),
        ("item,lm:no,lm:yes\na,0.5,\n", "no probability for label 'yes'"),
        ("item,lm:no,lm:yes\na,0.5,0.5\nb,high,0.5\n", "row 3, column 'lm:no': .*found 'high'"),
        ("item,h\n,yes\n", "row 2, column 'item': no item"),
        ("item,h\na,yes\nb,no\na,no\n", "row 4: item 'a' has predictions already"),
        ("item\na\n", "no classifier"),
        ("item,model,label\na,m,x\na,m,x\n", "row 3: 'm' predicts label 'x' for item 'a' a second"),
        ("item,model,label\na,m,x\na,m,y\n", "'m' predicts several labels for item 'a'"),
        ("item,model,label\na,m,\n", "row 2, column 'label': blank. Fill it in"),
        ("item,model,label,prob\na,m,x,0.5\na,m,y,0.6\n", "sum to 1.1"),
    ],
)
def test_bad_predictions_are_explained(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read_predictions(write(tmp_path / "p.csv", text))


def test_sums_within_a_millionth_pass(tmp_path):
    text = "item,lm:no,lm:yes\na,0.5,0.5000009\n"
    assert len(read_predictions(write(tmp_path / "p.csv", text)).items) == 1


def test_hard_labels_that_are_numbers_in_columns_with_colons(tmp_path):
    text = "item,llama3:8b,llama3:70b\na,1,1\nb,0,1\n"
    predictions = read_predictions(write(tmp_path / "p.csv", text))
    assert [(c.name, c.kind) for c in predictions.classifiers] == [
        ("llama3:8b", "hard"),
        ("llama3:70b", "hard"),
    ]


def test_item_column_of_long_predictions(tmp_path):
    text = "model,sample,label,prob\nm,a,x,0.5\nm,a,y,0.5\n"
    assert read_predictions(write(tmp_path / "p.csv", text)).items.tolist() == ["a"]
    text = "model,thing,label\nm,a,x\nm,b,y\n"
    assert read_predictions(write(tmp_path / "p.csv", text)).items.tolist() == ["a", "b"]
    text = "model,thing,other,label\nm,a,1,x\n"
    with pytest.raises(DataError, match="no column found for the item"):
        read_predictions(write(tmp_path / "p.csv", text))


def test_a_confidence_is_not_a_distribution(tmp_path):
    text = "item,model,label,confidence\na,m,x,0.93\n"
    assert read_predictions(write(tmp_path / "p.csv", text)).classifiers[0].kind == "hard"


def test_classifiers_of_the_same_name(tmp_path):
    with pytest.raises(DataError, match="row 1: several columns are called 'h'"):
        read_predictions(write(tmp_path / "p.csv", "item,h,h\na,x,y\n"))
    predictions = Predictions.from_labels([1], {"h": ["x"]})
    with pytest.raises(DataError, match="same name: 'h'"):
        predictions + predictions
