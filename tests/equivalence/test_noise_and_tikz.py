"""What the paper's program had besides: noise added to labels, and pictures for LaTeX."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from headcount import Labels, OptionError, running_example
from headcount.equivalence.drawing.tikz import escaped
from headcount.equivalence.inputs.noise import with_noise
from tests.equivalence import survey


def test_noise_makes_scores_fall_and_worth_rise():
    """The paper's introduction: a harder task for people, and the same classifier."""
    labels, predictions = running_example(2000, 8, rng=3)
    plain, noisy = (
        survey(labels, predictions, scorer="brier", add_noise=share, bootstrap=0, rng=1)
        for share in (None, 0.4)
    )
    # Calibrated anew: the noise changes how often labels are given.
    assert noisy["hard"].score.value < plain["hard"].score.value
    assert noisy["hard"].equivalence.value > plain["hard"].equivalence.value + 0.5
    assert any("noise was added" in n and n.severity == "caution" for n in noisy.notes)


def test_noise_replaces_the_share_that_was_asked_for():
    labels, _ = running_example(1000, 5, rng=3)
    noisy = with_noise(labels, 0.3, seed=7)
    # Of two labels, half of what is replaced changes: 750 of 5,000, standard deviation 25.
    assert (noisy.label != labels.label).sum() == pytest.approx(750, abs=100)
    assert (with_noise(labels, 0, seed=7).label == labels.label).all()
    assert (with_noise(labels, 1, seed=7).label != with_noise(labels, 1, seed=8).label).any()
    with pytest.raises(OptionError, match=r"add_noise must be a number at least 0 and at most 1"):
        with_noise(labels, 1.5, seed=0)


def test_noise_goes_with_the_rating_not_with_its_row():
    labels, _ = running_example(60, 4, rng=3)
    order = np.random.default_rng(0).permutation(len(labels.item))
    columns = labels.items[labels.item], labels.raters[labels.rater], labels.label
    mixed = Labels.from_triples(*(column[order] for column in columns))
    straight = Labels.from_triples(*columns)
    one, other = (with_noise(each, 0.5, seed=1).label for each in (straight, mixed))
    assert (one == other).all()
    fewer = replace(straight, item=straight.item[:40], rater=straight.rater[:40],
                    label=straight.label[:40])  # fmt: skip
    assert (with_noise(fewer, 0.5, seed=1).label == one[:40]).all()


def test_a_picture_for_latex():
    labels, predictions = running_example(200, 4, rng=1)
    named = replace(predictions.classifiers[1], name="gpt_4 & co")
    result = survey(labels, replace(predictions, classifiers=(named,)), bootstrap=30)
    text = result.to_tikz()
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
    worth = result["gpt_4 & co"].equivalence.value
    assert f"({worth:.6g}," in text
    assert survey(labels, bootstrap=0).to_tikz().count(r"\addplot") == 1


def test_escaping():
    assert escaped(r"a\b^~|{}") == (
        r"a\textbackslash{}b\textasciicircum{}\textasciitilde{}\textbar{}\{\}"
    )


def test_on_the_command_line(run, tmp_path):
    run("simulate", "running-example", "--items", 80, "--raters", 4, "-o", tmp_path)
    files = tmp_path / "ratings.csv", "-p", tmp_path / "predictions.csv"
    short = ("--bootstrap", 0, "--no-ceiling")
    done = run("survey", *files, *short, "--tikz", tmp_path / "curve.tex", "--add-noise", 0.2)
    assert done.code == 0
    assert "curve.tex" in done.out
    assert (tmp_path / "curve.tex").read_text().startswith("% Needs")
    assert "noise was added" in " ".join(done.out.split())
    wrong = run("survey", *files, *short, "--tikz", tmp_path / "curve.txt")
    assert wrong.code == 2
    assert "the name must end in .tex, .tikz" in " ".join(wrong.err.split())
    options = ("--scale", "ordinal", "--labels", "dog,cat", "--scorer", "rps")
    ranked = run("survey", *files, *short, *options, "--alt-test", 0.2, "--json").json
    assert ranked["unit"] == "minus ranked probability score of ranks"
    assert ranked["alt_test"]["scorer"] == "agreement"  # two labels are as far apart by either


def test_the_curve_goes_on_as_far_as_a_worth_is_extrapolated():
    options = {"combiner": "states", "bootstrap": 0, "ceiling": True}
    results = (survey(*running_example(300, 3, rng=seed), **options) for seed in range(20))
    result = next(r for r in results if r["calibrated"].equivalence.extrapolated)
    text, worth = result.to_tikz(), result["calibrated"].equivalence.value
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
