from __future__ import annotations

import math
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from headcount import Labels, OptionError, Predictions, read_ratings, running_example, survey
from headcount.equivalence.ceiling.records import RatersFor
from headcount.equivalence.worth.differences import Comparison
from headcount.results.text import page_text
from headcount.stats.estimate import Estimate


@pytest.fixture(scope="module")
def result():
    labels, predictions = running_example(300, 6, rng=5)
    soft = replace(predictions, classifiers=predictions.classifiers[1:])
    return survey(labels, soft, bootstrap=50)


@pytest.mark.parametrize(
    ("make", "kind"),
    [(pd.DataFrame, pd.DataFrame), (pl.DataFrame, pl.DataFrame), (pa.table, pa.Table)],
)
def test_frame_is_of_the_callers_kind(make, kind):
    columns = {
        "item": [1, 1, 2, 2, 3, 3],
        "rater": [1, 2] * 3,
        "label": ["a", "b", "a", "a", "b", "b"],
    }
    assert isinstance(survey(read_ratings(make(columns)), bootstrap=0).to_frame(), kind)


def test_frame_holds_curve_and_classifiers(result):
    frame = result.to_frame("polars")
    assert frame.filter(pl.col("kind") == "survey")["raters"].to_list() == [0, 1, 2, 3, 4, 5]
    row = frame.filter(pl.col("name") == "calibrated").to_dicts()[0]
    worth = result["calibrated"].equivalence
    assert (row["raters"], row["raters_low"], row["raters_high"]) == (
        worth.value,
        worth.low,
        worth.high,
    )
    with pytest.raises(OptionError, match="did you mean 'polars'"):
        result.to_frame("polar")


def test_frame_tells_what_lies_off_the_curve():
    labels, _ = running_example(300, 3, rng=5)
    counts = np.zeros((len(labels.items), len(labels.scale)))
    np.add.at(counts, (labels.item, labels.label), 1)
    share = (counts + 0.2) / (counts + 0.2).sum(axis=1, keepdims=True)
    sure = Predictions.from_probabilities(
        labels.items, labels.scale.labels, {"best": share, "worst": 1 - share}
    )
    frame = survey(labels, sure, bootstrap=50, ceiling=False).to_frame("polars")
    rows = {row["name"]: row for row in frame.to_dicts()}
    marks = ("raters_censored", "raters_low_censored", "raters_high_censored")
    assert [rows["best"][mark] for mark in marks] == ["above"] * 3
    assert [rows["worst"][mark] for mark in marks] == ["below"] * 3
    assert [rows["1 rater"][mark] for mark in marks] == [None] * 3
    assert "2 raters" in rows


def test_unknown_classifier(result):
    with pytest.raises(OptionError, match="did you mean 'calibrated'"):
        result["calibrate"]


def test_repr_is_short_and_readable(result):
    lines = repr(result).splitlines()
    assert lines[0].startswith("calibrated predicts the next rater as well as")
    assert all(len(line) <= 80 for line in lines)
    assert len(page_text(result.page()).splitlines()) < 40  # its notes aside


def test_plot_shows_curve_classifiers_and_equivalence(result):
    axes = result.plot()
    assert axes.get_xlabel() == "survey size k (number of raters)"
    assert "bits" in axes.get_ylabel()
    texts = [text.get_text() for text in axes.figure.legends[0].get_texts()]
    assert texts[0] == "k raters"
    assert any(text.startswith("calibrated: worth ") for text in texts)
    curve = axes.get_lines()[0]
    np.testing.assert_allclose(curve.get_ydata(), [p.gain.value for p in result.curve])
    second = axes.child_axes[0]
    axes.figure.draw_without_rendering()
    base = result.curve[0].score.value
    assert np.subtract(second.get_ylim(), axes.get_ylim()) == pytest.approx(base)
    assert "information gain" in axes.get_ylabel()
    assert "cross-entropy score against one rater" in second.get_ylabel()


def test_plot_into_given_axes(result):
    from matplotlib.figure import Figure

    labels, predictions = running_example(50, 4, rng=1)
    agreement = survey(labels, predictions, combiner="plurality", scorer="agreement", bootstrap=0)
    axes = Figure().subplots()
    assert agreement.plot(axes) is axes
    assert axes.get_ylabel() == "gain over no rater (share of labels)"


def test_plot_keeps_the_curve_readable_beside_an_awful_classifier():
    labels, predictions = running_example(100, 4, rng=1)
    awful = Predictions.from_probabilities(
        predictions.items, predictions.labels, {"awful": np.tile([1e-9, 1 - 1e-9], (100, 1))}
    )
    result = survey(labels, predictions + awful, bootstrap=20)
    axes = result.plot()
    assert axes.get_ylim()[0] > -2
    assert any("outside the plot" in t.get_text() for t in axes.figure.legends[0].get_texts())
    assert result["awful"].equivalence.value == -math.inf


def test_plot_of_classifiers_that_are_all_worse_than_no_rater():
    labels, predictions = running_example(100, 4, rng=1)
    wrong = 1 - predictions.classifiers[1].probability
    worst = Predictions.from_probabilities(predictions.items, predictions.labels, {"worst": wrong})
    result = survey(labels, worst, bootstrap=20)
    assert result["worst"].equivalence.high == -math.inf
    assert "; the whole 95% interval is below 0." in " ".join(str(result).split())
    assert result.plot().get_xlim()[1] > 3


def test_plot_shows_worths_below_the_curve():
    labels, predictions = running_example(100, 5, rng=1)
    names = [f"judge {i}" for i in range(6)]
    columns = dict.fromkeys(names, predictions.classifiers[1].probability)
    named = Predictions.from_probabilities(predictions.items, predictions.labels, columns)
    result = survey(labels, named, bootstrap=20)
    axes = result.plot()
    lowest = min(point.gain.low for point in result.curve)
    points = [
        line for line in axes.get_lines() if line.get_marker() == "o" and line.get_zorder() == 6
    ]
    heights = [float(line.get_ydata()[0]) for line in points]
    assert len(heights) == 6
    assert axes.get_ylim()[0] < min(heights) < max(heights) < lowest


def test_few_items_have_no_intervals_in_table_and_plot():
    labels, predictions = running_example(10, 4, rng=1)
    result = survey(labels, predictions, bootstrap=20, calibrate="empirical")
    assert "  interval" not in str(result)
    axes = result.plot()
    assert axes.get_title(loc="left") == "states combiner, 10 items"


def test_a_worth_that_is_not_told_is_not_drawn_as_a_number(result):
    first = result.classifiers[0]
    worth = replace(first.equivalence, value=1.0, low=-math.inf, high=math.inf)
    changed = replace(result, classifiers=(replace(first, equivalence=worth),))
    texts = [text.get_text() for text in changed.plot().figure.legends[0].get_texts()]
    assert f"{first.name}: worth cannot be told" in texts
    assert "cannot be told" in changed.to_tikz()


def test_a_headline_does_not_contradict_the_warning_of_abc():
    rng = np.random.default_rng(2)
    states = rng.dirichlet(np.ones(5), size=60)
    rows = [(i, r, rng.choice(5, p=p)) for i, p in enumerate(states) for r in range(5)]
    labels = Labels.from_triples(*zip(*rows, strict=True))
    judge = {"item": list(range(60)), "judge": [int(rng.choice(5, p=p)) for p in states]}
    result = survey(labels, judge, combiner="abc", bootstrap=20)
    assert any(note.severity == "warning" for note in result.notes)
    assert "; but see the warning." in " ".join(str(result).split())
    assert "see the warning" not in str(survey(labels, judge, bootstrap=20))


def test_plot_takes_any_name():
    labels, predictions = running_example(60, 4, rng=1)
    names = ["_hidden", r"a $\bad$ name", "名前"]
    columns = dict.fromkeys(names, predictions.classifiers[1].probability)
    named = Predictions.from_probabilities(predictions.items, predictions.labels, columns)
    axes = survey(labels, named, bootstrap=10).plot()
    assert len(axes.figure.legends[0].get_texts()) == 7
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # the font of the test machine
        axes.figure.draw_without_rendering()


def test_plot_of_experts_and_amateurs():
    labels, _ = running_example(60, 6, rng=1)
    result = survey(labels, experts=["rater_1", "rater_2", "rater_3"], bootstrap=10)
    axes = result.plot()
    assert [line.get_label() for line in axes.get_lines()][:2] == [
        "k experts",
        "k amateurs, predicting experts",
    ]


def told(result, **changes):
    """The words of a result whose first classifier is changed, in one line."""
    first, *others = result.classifiers
    return " ".join(str(replace(result, classifiers=(replace(first, **changes), *others))).split())


def test_an_interval_of_everything_tells_nothing(result):
    worth = replace(result["calibrated"].equivalence, value=1.0, low=-math.inf, high=math.inf)
    text = told(result, equivalence=worth)
    assert (
        "calibrated: these data do not tell how many raters it is worth; the estimate is 1.00"
        in text
    )
    half = told(result, equivalence=replace(worth, low=0.5))
    assert "do not tell" not in half
    assert "raters beyond 5 are extrapolated" in half  # '> 7' is more than data hold
    long = told(result, equivalence=replace(worth, low=0.5, high=6.5))
    assert "raters beyond 5 are extrapolated by the fitted item states" in long


def test_numbers_far_beyond_the_data_have_two_digits(result):
    raters = Estimate(168.8, 9.96, 1234.5, level=0.95)
    far = replace(result.ceiling, raters_for=(RatersFor("99% of the ceiling", raters),))
    text = " ".join(str(replace(result, ceiling=far)).split())
    assert "about: 170 (10.0 to 1,200) for 99% of the gain of infinitely many raters." in text


def test_intervals_that_leave_nothing_out_are_words(result):
    known = RatersFor("90% of the ceiling", Estimate(9.0, 3.6, 16.0, level=0.95))
    vague = RatersFor("99% of the ceiling", Estimate(31.0, 0.01, 130.0, level=0.95))
    share = {c.name: Estimate(0.4, 0.0, 1.0, level=0.95) for c in result.classifiers}
    text = str(
        replace(
            result,
            ceiling=replace(result.ceiling, raters_for=(known, vague), performance_ratio=share),
        )
    )
    words = " ".join(text.split())
    assert "Raters it takes, about: 9.0 (3.6 to 16) for 90% of the gain of infinitely" in words
    assert "do not tell how many raters it takes for 99%." in words
    assert "0.40 (0.00 to 1.00)" not in text
    assert "not told by these data" in text
    pair = Comparison("a", "b", Estimate(1.0, -math.inf, math.inf, bounds=(-5.0, 5.0)), 0.5)
    assert "∞ to" not in str(replace(result, comparisons=(pair,)))


def test_an_open_difference_is_drawn_open(result):
    raters = Estimate(-1.81, -math.inf, -0.97, level=0.95, bounds=(-5.0, 5.0))
    pair = Comparison("a", "b", raters, 0.0)
    assert "-1.81 (-∞ to -0.97)" in str(replace(result, comparisons=(pair,)))
    far = Comparison("a", "b", replace(raters, value=-math.inf, bounds=(-1.5, 5.0)), 0.0)
    assert "< -1.50 (-∞ to -0.97)" in str(replace(result, comparisons=(far,)))


def test_how_the_answer_moves_says_whose_it_is():
    rng = np.random.default_rng(3)
    n = np.where(np.arange(120) < 60, 3, 5)
    item = np.repeat(np.arange(120), n)
    chance = rng.random(120)
    said = np.where(rng.random(len(item)) < chance[item], "yes", "no")
    labels = Labels.from_triples(item.tolist(), [f"r{i}" for i in range(len(item))], said.tolist())
    probability = np.column_stack([1 - chance, chance]) * 0.9 + 0.05
    for names, words in ((["a", "b", "c"], " (the first 2 of 3 classifiers): "), (["a"], ": ")):
        columns = dict.fromkeys(names, probability)
        predictions = Predictions.from_probabilities(range(120), ["no", "yes"], columns)
        notes = survey(labels, predictions, bootstrap=20).notes
        assert any(f"how the answer moves with max_k{words}" in str(note) for note in notes)
