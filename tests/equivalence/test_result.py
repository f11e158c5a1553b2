"""What goes in and what comes out: files, options, rows, documents, plots, pictures for LaTeX."""

from __future__ import annotations

import json
import math
import re
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
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
    read_ratings,
    running_example,
    survey,
    survey_equivalence,
)
from headcount.equivalence.ceiling import RatersFor
from headcount.equivalence.result import Comparison
from headcount.results.result import Result, page_text
from headcount.stats.estimate import Estimate
from tests.equivalence import full, script
from tests.equivalence import survey as abc_survey

TIKZ = script("survey_tikz")
"""The picture for LaTeX, which is no part of the package."""


@pytest.fixture(scope="module")
def result():
    labels, predictions = running_example(300, 6, seed=5)
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
    worth = result["calibrated"].worth
    assert (row["raters"], row["raters_low"], row["raters_high"]) == (
        worth.value,
        worth.low,
        worth.high,
    )
    with pytest.raises(OptionError, match="did you mean 'polars'"):
        result.to_frame("polar")


def test_frame_tells_what_lies_off_the_curve():
    labels, _ = running_example(300, 3, seed=5)
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
    assert lines[0].startswith("omniscient is worth more than 7 raters")
    assert all(len(line) <= 80 for line in lines)
    assert len(lines) <= 20
    assert len(repr(result).split()) <= 150
    assert len(page_text(result.page()).splitlines()) < 40  # its notes aside


def test_plot_shows_curve_classifiers_and_equivalence(result):
    axes = result.plot()
    assert axes.get_xlabel() == "number of raters, k"
    assert "information gain" in axes.get_ylabel()
    assert "bits" in axes.get_ylabel()
    texts = [text.get_text() for text in axes.texts]
    assert any(text.startswith("calibrated\n1.42 raters") for text in texts)
    assert "ceiling: ∞ raters" in texts
    curve = axes.get_lines()[0]
    np.testing.assert_allclose(curve.get_ydata(), [p.gain.value for p in result.curve])
    assert not axes.child_axes  # one axis, one question


def test_plot_into_given_axes(result):
    from matplotlib.figure import Figure

    labels, predictions = running_example(50, 4, seed=1)
    agreement = survey(labels, predictions, combiner="plurality", scorer="agreement", bootstrap=0)
    axes = Figure().subplots()
    assert agreement.plot(axes) is axes
    assert axes.get_ylabel() == "gain over no rater (accuracy)"


def test_plot_keeps_the_curve_readable_beside_an_awful_classifier():
    labels, predictions = running_example(100, 4, seed=1)
    awful = Predictions.from_probabilities(
        predictions.items, predictions.labels, {"awful": np.tile([1e-9, 1 - 1e-9], (100, 1))}
    )
    result = survey(labels, predictions + awful, bootstrap=20)
    axes = result.plot()
    assert axes.get_ylim()[0] > -2
    assert any("(gain -" in text.get_text() for text in axes.texts)
    assert result["awful"].worth.value == -math.inf


def test_plot_of_classifiers_that_are_all_worse_than_no_rater():
    labels, predictions = running_example(100, 4, seed=1)
    wrong = 1 - predictions.classifiers[1].probability
    worst = Predictions.from_probabilities(predictions.items, predictions.labels, {"worst": wrong})
    result = survey(labels, worst, bootstrap=20)
    assert result["worst"].worth.high == -math.inf
    assert "worst is worth less than no rater (and so is the whole interval)." in " ".join(
        full(result).split()
    )
    assert result.plot().get_xlim()[1] > 3


def test_plot_shows_worths_below_the_curve():
    labels, predictions = running_example(100, 5, seed=1)
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
    labels, predictions = running_example(10, 4, seed=1)
    result = survey(labels, predictions, bootstrap=20, calibrate="empirical")
    assert "  interval" not in full(result)
    axes = result.plot()
    assert axes.get_title(loc="left") == "10 items"


def test_a_worth_that_is_not_told_is_not_drawn_as_a_number(result):
    first = result.classifiers[0]
    worth = replace(first.worth, value=1.0, low=-math.inf, high=math.inf)
    changed = replace(result, classifiers=(replace(first, worth=worth),))
    texts = [text.get_text() for text in changed.plot().texts]
    assert f"{first.name}\nunknown" in texts
    assert "undefined" in TIKZ.tikz(changed)


def test_a_headline_does_not_contradict_the_warning_of_abc():
    rng = np.random.default_rng(2)
    states = rng.dirichlet(np.ones(5), size=60)
    rows = [(i, r, rng.choice(5, p=p)) for i, p in enumerate(states) for r in range(5)]
    labels = Labels.from_triples(*zip(*rows, strict=True))
    judge = {"item": list(range(60)), "judge": [int(rng.choice(5, p=p)) for p in states]}
    result = survey(labels, judge, combiner="abc", bootstrap=20)
    assert any(note.severity == "warning" for note in result.notes)
    assert "; but see the warning." in " ".join(full(result).split())
    assert "see the warning" not in full(survey(labels, judge, bootstrap=20))


def test_plot_takes_any_name():
    labels, predictions = running_example(60, 4, seed=1)
    names = ["_hidden", r"a $\bad$ name", "名前"]
    columns = dict.fromkeys(names, predictions.classifiers[1].probability)
    named = Predictions.from_probabilities(predictions.items, predictions.labels, columns)
    axes = survey(labels, named, bootstrap=10).plot()
    assert len(axes.texts) == 4
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # the font of the test machine
        axes.figure.draw_without_rendering()


def test_plot_of_experts_and_amateurs():
    labels, _ = running_example(60, 6, seed=1)
    result = survey(labels, experts=["rater_1", "rater_2", "rater_3"], bootstrap=10)
    axes = result.plot()
    assert {text.get_text() for text in axes.texts} >= {"experts", "amateurs"}


def told(result, **changes):
    """The words of a result whose first classifier is changed, in one line."""
    first, *others = result.classifiers
    return " ".join(full(replace(result, classifiers=(replace(first, **changes), *others))).split())


def test_an_interval_of_everything_tells_nothing(result):
    worth = replace(result["calibrated"].worth, value=1.0, low=-math.inf, high=math.inf)
    text = told(result, worth=worth)
    assert "worth an unknown number of raters: the interval contains every number" in text
    half = told(result, worth=replace(worth, low=0.5))
    assert "cannot show" not in half
    assert "raters beyond 5 are extrapolated" in half  # '> 7' is more than data hold
    long = told(result, worth=replace(worth, low=0.5, high=6.5))
    assert "raters beyond 5 are extrapolated by the fitted item states" in long


def test_numbers_far_beyond_the_data_have_two_digits(result):
    raters = Estimate(168.8, 9.96, 1234.5, level=0.95)
    far = replace(result.ceiling, raters_for=(RatersFor("95% of the ceiling", raters),))
    text = " ".join(full(replace(result, ceiling=far)).split())
    assert (
        "It takes about 10.0 to 1,200 raters to reach 95% of the gain of infinitely many." in text
    )


def test_intervals_that_leave_nothing_out_are_words(result):
    known = RatersFor("90% of the ceiling", Estimate(9.0, 3.6, 16.0, level=0.95))
    vague = RatersFor("99% of the ceiling", Estimate(31.0, 0.01, 130.0, level=0.95))
    share = {c.name: Estimate(0.4, 0.0, 1.0, level=0.95) for c in result.classifiers}
    text = full(
        replace(
            result,
            ceiling=replace(result.ceiling, raters_for=(known, vague), performance_ratio=share),
        )
    )
    words = " ".join(text.split())
    assert "It takes about 3.6 to 16 raters to reach 90% of the gain of infinitely many." in words
    assert "These data cannot show how many raters would reach 99% of it." in words
    assert "0.40 (0.00 to 1.00)" not in text
    assert "not shown by these data" in text
    pair = Comparison("a", "b", Estimate(1.0, -math.inf, math.inf, bounds=(-5.0, 5.0)), 0.5)
    assert "∞ to" not in full(replace(result, comparisons=(pair,)))


def test_an_open_difference_is_drawn_open(result):
    raters = Estimate(-1.81, -math.inf, -0.97, level=0.95, bounds=(-5.0, 5.0))
    pair = Comparison("a", "b", raters, 0.0)
    assert "-1.81 (-∞ to -0.97)" in full(replace(result, comparisons=(pair,)))
    far = Comparison("a", "b", replace(raters, value=-math.inf, bounds=(-1.5, 5.0)), 0.0)
    assert "< -1.50 (-∞ to -0.97)" in full(replace(result, comparisons=(far,)))


# What goes in and what comes out: files and frames, options, rows, documents and plots.


@pytest.fixture(scope="module")
def example():
    return running_example(80, 5, seed=4)


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
        assert found.worth.high == pytest.approx(expected.worth.high, abs=1e-9)
        tested = alt_test(*given, epsilon=0.1)["lm"]
        assert tested.winning_rate == alt_test(*example, epsilon=0.1)["calibrated"].winning_rate
    assert isinstance(survey(ratings.to_pandas(), **QUICK).to_frame(), pd.DataFrame)


def test_states_and_experts_are_read(frames, tmp_path):
    ratings, predictions = frames
    plain = ratings.drop("expert")
    states = predictions.rename({f"lm:{name}": f"state:{name}" for name in ("cat", "dog")})
    states.write_csv(tmp_path / "states.csv")
    against = [
        survey(plain, predictions, reference=given, **QUICK)["lm"].score.value
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


@pytest.mark.parametrize("calibrate", ["isotonic", "empirical"])
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
        ("reference", 1.5),
        ("samples", 0),
        ("bootstrap", True),
        ("bootstrap", 2_000_000),
        ("level", "95%"),
        ("ceiling", "no"),
        ("seed", -1),
        ("seed", None),
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
        (None, 0.5, "curve and score must be numbers"),
        ([0.1, 0.2], "a", "curve and score must be numbers"),
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
    worth = [point.worth.value for point in experts.amateurs]
    assert amateurs["raters"].to_list() == worth


def test_notes_have_severities(example):
    labels, predictions = example
    for calibrate in (None, "empirical"):
        result = survey(labels, predictions, calibrate=calibrate, bootstrap=0)
        severity = {note.severity for note in result.notes if "'hard'" in note}
        assert severity == {"info"}
    odd = Predictions.from_labels(
        predictions.items, {"h": ["cow", "cat"] * (len(predictions.items) // 2)}
    )
    result = survey(labels, odd, bootstrap=0)
    assert {note.severity for note in result.notes if "'cow'" in note} == {"caution"}
    few = alt_test(labels, predictions, epsilon=0.1, min_items=10)
    assert not [note for note in few.notes if note.severity == "warning"]
    short = labels.item < 20
    cut = Labels.from_triples(labels.item[short], labels.rater[short], labels.label[short])
    numbered = Predictions.from_labels(range(20), {"h": [0, 1] * 10})
    warned = alt_test(cut, numbered, epsilon=0.1, min_items=10)
    assert any("t-test can be far off" in n for n in warned.notes if n.severity == "warning")
    assert str(warned).index("warning: ") < str(warned).index("rho_f")


def test_alt_test_has_all_doors(example):
    result = alt_test(*example, epsilon=0.1)
    judge = result["hard"]
    assert isinstance(result, Result)
    assert len(result.to_frame("polars")) == 15
    assert isinstance(result.plot(), Axes)
    assert 'class="answer"' in result._repr_html_()
    json.dumps(result.to_dict(), allow_nan=False)
    assert result.to_frame("pandas")["rho_f"].tolist()[:5] == [r.rho_f for r in judge.raters]
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


def test_many_raters_are_cut_in_print_and_whole_in_rows():
    rng = np.random.default_rng(3)
    rows = [(i, f"r{j}", "yn"[rng.integers(2)]) for i in range(40) for j in range(35)]
    labels = Labels.from_triples(*zip(*rows, strict=True))
    result = alt_test(labels, Predictions.from_labels(range(40), {"h": ["y"] * 40}), epsilon=0.1)
    assert "and 5 more raters; to_frame() has all" in str(result)
    assert len(result.to_frame("polars")) == 35


def test_empty_frames_are_refused():
    with pytest.raises(DataError):
        survey(pl.DataFrame())


# What the paper's program had besides: pictures for LaTeX.


def test_a_picture_for_latex():
    labels, predictions = running_example(200, 4, seed=1)
    named = replace(predictions.classifiers[1], name="gpt_4 & co")
    result = abc_survey(labels, replace(predictions, classifiers=(named,)), bootstrap=30)
    text = TIKZ.tikz(result)
    for what in ("tikzpicture", "axis"):
        assert text.count(rf"\begin{{{what}}}") == text.count(rf"\end{{{what}}}") == 1
    assert r"gpt\_4 \& co" in text
    # Braces close, and the curve is there with its numbers.
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")
    rows = re.findall(r"^  (\d) (-?[\d.]+) ([\d.e-]+) ([\d.e-]+)$", text, re.MULTILINE)
    assert [int(row[0]) for row in rows] == [0, 1, 2, 3]
    for row, point in zip(rows, result.curve, strict=True):
        assert float(row[1]) == pytest.approx(point.score.value, rel=1e-5)
        assert float(row[1]) + float(row[2]) == pytest.approx(point.score.high, rel=1e-4)
    worth = result["gpt_4 & co"].worth.value
    assert f"({worth:.6g}," in text
    assert TIKZ.tikz(abc_survey(labels, bootstrap=0)).count(r"\addplot") == 1


def test_escaping():
    assert TIKZ.escaped(r"a\b^~|{}") == (
        r"a\textbackslash{}b\textasciicircum{}\textasciitilde{}\textbar{}\{\}"
    )


def test_on_the_command_line(run, tmp_path):
    run("simulate", "running-example", "--items", 80, "--raters", 4, "-o", tmp_path)
    files = tmp_path / "ratings.csv", "-p", tmp_path / "predictions.csv"
    short = ("--bootstrap", 0, "--no-ceiling")
    options = ("--scale", "ordinal", "--labels", "dog,cat", "--scorer", "rps")
    ranked = run("survey", *files, *short, *options, "--json").json
    assert ranked["unit"] == "minus ranked probability score of ranks"


def test_the_curve_goes_on_as_far_as_a_worth_is_extrapolated():
    options = {"combiner": "states", "bootstrap": 0, "ceiling": True}
    results = (abc_survey(*running_example(300, 3, seed=seed), **options) for seed in range(20))
    result = next(r for r in results if r["calibrated"].worth.extrapolated)
    text, worth = TIKZ.tikz(result), result["calibrated"].worth.value
    frame = result.to_frame("polars")
    marked = dict(zip(frame["name"].to_list(), frame["raters_extrapolated"].to_list(), strict=True))
    assert marked["calibrated"] is True
    assert marked["2 raters"] is None
    assert f"calibrated: about {worth:.1f}" in text
    assert f"({worth:.6g}," in text
    dashed = re.search(
        r"densely dashed\] coordinates \{\((\d),.*\((\d),[^)]*\)\};\n\\addlegendentry\{extra",
        text,
    )
    assert dashed is not None
    assert [int(k) for k in dashed.groups()] == [2, int(np.ceil(worth))]
