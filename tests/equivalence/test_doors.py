"""What goes in and what comes out: files and frames, options, rows, documents and plots."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection

from headcount import (
    DataError,
    HeadcountError,
    Labels,
    OptionError,
    Predictions,
    alt_test,
    running_example,
    survey,
    survey_equivalence,
)
from headcount.results.base import Result


@pytest.fixture(scope="module")
def example():
    return running_example(80, 5, rng=4)


@pytest.fixture(scope="module")
def frames(example):
    labels, predictions = example
    ratings = pl.DataFrame(
        {
            "item": labels.items[labels.item].tolist(),
            "rater": labels.raters[labels.rater].tolist(),
            "label": np.array(labels.scale.labels)[labels.label].tolist(),
            "expert": np.where(labels.rater < 2, "yes", "no").tolist(),
        }
    )
    soft = predictions.classifiers[1].probability
    columns = {"item": predictions.items.tolist()}
    columns |= {f"lm:{name}": soft[:, i].tolist() for i, name in enumerate(predictions.labels)}
    return ratings, pl.DataFrame(columns)


QUICK = {"bootstrap": 20, "ceiling": False}


def test_files_and_frames_are_read(example, frames, tmp_path):
    ratings, predictions = frames
    ratings = ratings.drop("expert")
    ratings.write_csv(tmp_path / "ratings.csv")
    predictions.write_csv(tmp_path / "predictions.csv")
    expected = survey(*example, **QUICK)["calibrated"]
    for given in (
        (ratings, predictions),
        (ratings.to_pandas(), predictions.to_arrow()),
        (tmp_path / "ratings.csv", str(tmp_path / "predictions.csv")),
    ):
        found = survey(*given, **QUICK)["lm"]
        assert found.score.value == pytest.approx(expected.score.value, abs=1e-12)
        assert found.equivalence.high == pytest.approx(expected.equivalence.high, abs=1e-9)
        tested = alt_test(*given, epsilon=0.1)["lm"]
        assert tested.winning_rate == alt_test(*example, epsilon=0.1)["calibrated"].winning_rate
    assert isinstance(survey(ratings.to_pandas(), **QUICK).to_frame(), pd.DataFrame)


def test_states_and_experts_are_read(frames, tmp_path):
    ratings, predictions = frames
    plain = ratings.drop("expert")
    states = predictions.rename({f"lm:{name}": f"state:{name}" for name in ("cat", "dog")})
    states.write_csv(tmp_path / "states.csv")
    against = [
        survey(plain, predictions, states=given, **QUICK)["lm"].score.value
        for given in (states, tmp_path / "states.csv")
    ]
    assert against[0] == against[1]
    (tmp_path / "raters.csv").write_text("rater\nrater_1\nrater_2\n")
    ratings.write_csv(tmp_path / "ratings.csv")
    by_name = survey(plain, experts=["rater_1", "rater_2"], **QUICK)
    by_file = survey(plain, experts=tmp_path / "raters.csv", **QUICK)
    assert by_name == by_file
    for given in (ratings, tmp_path / "ratings.csv"):
        assert survey(given, experts="expert", **QUICK).amateurs == by_name.amateurs
    with pytest.raises(HeadcountError, match="expert"):
        survey(plain, experts="nobody", **QUICK)
    with pytest.raises(OptionError, match="experts must be a list of raters"):
        survey(plain, experts=3, **QUICK)


@pytest.mark.parametrize("calibrate", ["isotonic", "empirical", "platt"])
def test_calibration_does_not_depend_on_the_order_of_rows(example, calibrate):
    labels, predictions = example
    order = np.random.default_rng(1).permutation(len(labels))
    names = np.array(labels.scale.labels)
    shuffled = Labels.from_triples(
        labels.items[labels.item][order],
        labels.raters[labels.rater][order],
        names[labels.label][order],
    )
    turned = np.random.default_rng(2).permutation(len(predictions.items))
    moved = Predictions.from_probabilities(
        predictions.items[turned],
        predictions.labels,
        {c.name: c.probability[turned] for c in predictions.classifiers[1:]},
    )
    kept = Predictions.from_probabilities(
        predictions.items,
        predictions.labels,
        {c.name: c.probability for c in predictions.classifiers[1:]},
    )
    one = survey(labels, kept, calibrate=calibrate, bootstrap=0, ceiling=False)
    two = survey(shuffled, moved, calibrate=calibrate, bootstrap=0, ceiling=False)
    assert [c.name for c in one.classifiers] == [c.name for c in two.classifiers]
    for a, b in zip(one.classifiers, two.classifiers, strict=True):
        # Sums of the same numbers in another order.
        assert a.score.value == pytest.approx(b.score.value, abs=1e-9)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("max_k", 2.5),
        ("max_k", "3"),
        ("reference_raters", None),
        ("samples", 0),
        ("method", 3),
        ("bootstrap", True),
        ("bootstrap", 2_000_000),
        ("level", "95%"),
        ("clip", float("nan")),
        ("ceiling", "no"),
        ("alt_test", 1.0),
        ("rng", -1),
        ("rng", None),
    ],
)
def test_bad_options_are_refused_by_name(example, option, value):
    with pytest.raises(OptionError) as error:
        survey(*example, **{option: value})
    assert error.value.option == option


@pytest.mark.parametrize(
    ("curve", "score", "message"),
    [
        (123, 0.5, "must hold the score of no rater"),
        ([], 0.5, "must hold the score of no rater"),
        (None, 0.5, "curve must be numbers, not NoneType"),
        ([0.1, 0.2], "a", "score must be numbers, not str"),
        ([[0.1, 0.2], [0.2, 0.3]], [1.0, 2.0, 3.0], "does not go with score of shape"),
    ],
)
def test_survey_equivalence_refuses_what_is_no_curve(curve, score, message):
    with pytest.raises(OptionError, match=message):
        survey_equivalence(curve, score)


def test_rows_are_the_table(example):
    labels, predictions = example
    result = survey(labels, predictions, bootstrap=20)
    frame = result.to_frame("polars")
    assert frame["kind"].to_list() == ["survey"] * 5 + ["ceiling"] + ["classifier"] * 3
    top = frame.filter(pl.col("kind") == "ceiling")
    assert top["score_high"].item() == result.ceiling.score.high
    experts = survey(labels, experts=["rater_1", "rater_2"], **QUICK)
    amateurs = experts.to_frame("polars").filter(pl.col("kind") == "amateurs")
    worth = [point.equivalence.value for point in experts.amateurs]
    assert amateurs["raters"].to_list() == worth


def test_notes_have_severities(example):
    labels, predictions = example
    for calibrate in (None, "empirical"):
        result = survey(labels, predictions, calibrate=calibrate, bootstrap=0)
        severity = {note.severity for note in result.notes if "'hard'" in note}
        assert severity == {"info"}
    odd = Predictions.from_labels(predictions.items, {"h": ["cow"] * len(predictions.items)})
    result = survey(labels, odd, bootstrap=0)
    assert {note.severity for note in result.notes if "'cow'" in note} == {"caution"}
    few = alt_test(labels, predictions, epsilon=0.1, min_items=10)
    assert not [note for note in few.notes if note.severity == "warning"]
    short = labels.item < 20
    cut = Labels.from_triples(labels.item[short], labels.rater[short], labels.label[short])
    numbered = Predictions.from_labels(range(20), {"h": [0, 1] * 10})
    warned = alt_test(cut, numbered, epsilon=0.1, min_items=10)
    assert any("t-test can be far off" in n for n in warned.notes if n.severity == "warning")
    assert str(warned).index("warning: ") < str(warned).index("classifier ")
    assert "t-test can be far off" in str(warned["h"]).replace("\n  ", " ")


def test_alt_test_has_all_doors(example):
    result = alt_test(*example, epsilon=0.1)
    judge = result["hard"]
    for each, rows in ((result, 15), (judge, 5)):
        assert isinstance(each, Result)
        assert len(each.to_frame("polars")) == rows
        assert isinstance(each.plot(), Axes)
        assert 'class="answer"' in each._repr_html_()
        json.dumps(each.to_dict(), allow_nan=False)
    assert judge.to_frame("pandas")["rho_f"].tolist() == [r.rho_f for r in judge.raters]
    first = result.to_frame("polars").row(0, named=True)
    assert (first["classifier"], first["rater"]) == ("hard", "rater_1")


def test_plot_of_the_alt_test_shows_leads_and_verdicts(example):
    labels, predictions = example
    coin = np.random.default_rng(0).integers(0, 2, 80)
    random = Predictions.from_labels(
        predictions.items, {"coin": np.array(predictions.labels)[coin]}
    )
    result = alt_test(labels, predictions + random, epsilon=0.1)
    axes = result.plot()
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert names[-1] == "coin\nfails, won 0 of 5"
    dots = [c.get_offsets() for c in axes.collections if isinstance(c, PathCollection)]
    leads = np.concatenate([each[:, 0] for each in dots if len(each)])
    expected = [r.rho_f - r.rho_h for c in result.classifiers for r in c.raters]
    assert sorted(np.round(leads, 9)) == pytest.approx(sorted(np.round(expected, 9)))
    given = axes.figure.add_subplot()
    assert result["coin"].plot(given) is given
    assert "rater_1 (not won)" in [text.get_text() for text in given.get_yticklabels()]


def test_many_raters_are_cut_in_print_and_whole_in_rows():
    rng = np.random.default_rng(3)
    rows = [(i, f"r{j}", "yn"[rng.integers(2)]) for i in range(40) for j in range(35)]
    labels = Labels.from_triples(*zip(*rows, strict=True))
    result = alt_test(labels, Predictions.from_labels(range(40), {"h": ["y"] * 40}), epsilon=0.1)
    assert "and 5 more raters; to_frame() has all" in str(result["h"])
    assert len(result["h"].to_frame("polars")) == 35


def test_alt_test_in_a_survey_needs_predictions(example):
    with pytest.raises(OptionError, match="needs classifiers to test") as error:
        survey(example[0], alt_test=0.1)
    assert error.value.option == "alt_test"
    result = survey(*example, alt_test=0.1, **QUICK)
    document = result.to_dict()["alt_test"]
    assert document["notes"] == [str(note) for note in result.alt_test.notes]
    assert set(result.alt_test.notes) <= set(result.notes)


def test_empty_frames_are_refused():
    with pytest.raises(DataError):
        survey(pl.DataFrame())
