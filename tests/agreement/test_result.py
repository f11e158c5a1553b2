"""The forms of a result: what to report, views by rater and by item, and figures."""

from __future__ import annotations

import json
import pickle
import re
import shlex
import sys
from functools import cache
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from headcount import ExtraError, Labels, OptionError, agree, examples, phi
from headcount.agreement.coefficients import COEFFICIENTS
from headcount.agreement.phi import Verdict
from headcount.agreement.plot import plot_forest, plot_raters, plot_two_raters
from headcount.agreement.recommendation import in_brackets
from headcount.agreement.scales import SCALES
from headcount.stats.estimate import Estimate
from tests.agreement.data import agree_by_share, paradox, plot_share, random_labels, table

# The forms of a result, and the views by rater and by item.


def full(result):
    """All that a result says."""
    return result.to_text(details=True)


def test_raters_are_compared_with_the_others():
    rows = [["a", "a", "a", "b"], ["b", "b", "b", "a"], ["a", "a", None, "a"], ["b"] + [None] * 3]
    result = agree(table(rows), by_rater=True, bootstrap=0)
    by_rater = {rater.rater: rater for rater in result.raters}
    assert result.raters[0].rater == 3
    assert by_rater[3].agreement.value == pytest.approx((0 + 0 + 1) / 3)
    assert by_rater[0].agreement.value == pytest.approx((2 / 3 + 2 / 3 + 1) / 3)
    assert (by_rater[0].ratings, by_rater[0].compared) == (4, 3)
    assert by_rater[0].agreement.low < by_rater[0].agreement.value < by_rater[0].agreement.high


def test_items_are_most_contested_first():
    rows = [["a", "a", "a"], ["a", "a", "b"], ["a", "b", "c"], ["a", "b", None]]
    items = agree(table(rows), by_item=True, bootstrap=0).items
    assert [item.item for item in items] == [2, 3, 1, 0]
    assert [item.disagreement for item in items] == pytest.approx([1, 1, 2 / 3, 0])
    assert [item.entropy for item in items] == pytest.approx([1.584963, 1, 0.918296, 0])
    assert items[1].counts == {"a": 1, "b": 1}


def test_contested_items_go_by_the_scale():
    """One step apart is not as contested as the two ends; on a nominal scale it is."""
    rows = [[1, 2, 1], [1, 5, 1], [3, 3, 3]]
    found = {s: agree(table(rows), scale=s, by_item=True, bootstrap=0).items for s in SCALES}
    assert [item.disagreement for item in found["nominal"]] == pytest.approx([2 / 3, 2 / 3, 0])
    for scale in ("ordinal", "interval", "ratio"):
        assert [item.item for item in found[scale]] == [1, 0, 2]
    assert [item.disagreement for item in found["interval"]] == pytest.approx([2 / 3, 1 / 24, 0])


def test_views_are_only_made_when_asked_for():
    result = agree(paradox("8a"), bootstrap=0)
    assert result.raters == result.items == result.pairs == ()


def test_json():
    result = agree(random_labels(30, 3, 4), bootstrap=20, by_rater=True, by_item=True)
    document = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    for name in ("percent", "fleiss", "alpha", "ac1", "ac2", "scott", "cohen", "icc1", "icc2k"):
        assert {"value", "low", "high", "undefined", "method"} <= set(document[name])
    assert document["alpha"]["undefined"] is None
    assert document["phi"]["verdict"] in get_args(Verdict)
    assert len(document["raters"]) == 3
    assert len(document["pairs"]) == 3
    assert document["pairs"][0]["cohen"]["low"] is not None
    assert len(document["items"]) == 30
    assert document["seed"] == 0


def test_json_of_undefined_values():
    document = json.loads(json.dumps(agree(paradox("2")).to_dict(), allow_nan=False))
    assert document["alpha"]["value"] is None
    assert document["alpha"]["undefined"] == "every rating is '1'"


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frame(backend):
    pytest.importorskip(backend)
    frame = agree(paradox("2"), bootstrap=0).to_frame(backend)
    assert type(frame).__module__.startswith(backend)
    assert len(frame) == len(COEFFICIENTS)


def test_words():
    result = agree(
        random_labels(200, 12, 4, missing=0.5), bootstrap=50, by_rater=True, by_item=True
    )
    text = full(result)
    assert all(len(line) <= 80 for line in text.splitlines())
    assert text.startswith("Krippendorff's alpha (interval) = .")
    assert "for raters like these: more than chance" in " ".join(text.split("P(alpha")[0].split())
    assert "and 2 more raters; to_dict() has all" in text
    assert "and 56 more pairs; to_dict() has all" in text


def test_items_with_long_names_fit_the_page():
    rng = np.random.default_rng(0)
    items = [f"a-rather-long-comment-id-{i}" for i in range(12) for _ in range(8)]
    values = rng.integers(1, 6, len(items))
    labels = Labels.from_triples(items, [f"an-annotator-{j}" for j in range(8)] * 12, values)
    result = agree(labels, bootstrap=0, by_item=True, by_rater=True)
    lines = repr(result).splitlines()
    assert max(map(len, lines)) <= 80
    first = result.items[0]
    row = next(line for line in lines if f"{first.disagreement:.3f}" in line)
    assert " ".join(row.split()).endswith(
        ", ".join(f"{label} ({n} x)" for label, n in first.counts.items())
    )


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("6a", "for these raters: less than chance"),
        ("6b", "for these raters: not shown to be more than chance"),
        ("8b", "for these raters: more than chance"),
    ],
)
def test_verdicts(name, answer):
    assert answer in " ".join(full(agree(paradox(name), seed=1)).split())


def test_words_of_one_coefficient():
    one = full(agree(paradox("8b"), coefficients="fleiss"))
    assert one.startswith("Fleiss' kappa = .")
    assert "agreement is more than chance" in " ".join(one.split())
    one = full(agree(paradox("8b"), coefficients="icc2k"))
    assert one.startswith("ICC(2,k) = .")


@cache
def all_results():
    labels = random_labels(30, 3, 4, missing=0.2, seed=1)
    return {
        "agree": agree(labels, bootstrap=20),
        "phi": phi(labels),
    }


@pytest.mark.parametrize("name", ["agree", "phi"])
def test_doors(name):
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    result = all_results()[name]
    assert isinstance(result.plot(), Axes)
    axes = Figure().subplots()
    assert result.plot(axes) is axes
    document = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert document["data"]["items"]["used"] == result.provenance.items_used > 0
    assert document["notes"] == list(result.notes)
    assert 'class="answer"' in result._repr_html_()
    assert pickle.loads(pickle.dumps(result)).to_dict() == result.to_dict()
    assert len(result.to_frame("pandas")) == len(next(iter(result.columns().values()))) > 0
    assert max(map(len, str(result).splitlines())) <= 80


def test_frame_of_phi_has_one_row_an_item():
    found = all_results()["phi"]
    frame = found.to_frame("pandas")
    assert list(frame.columns) == ["item", "ratings", "mu", "low", "high", "residual"]
    assert len(frame) == found.provenance.items_used == len(found.items())
    nothing = phi(table([[0, 1], [1, 1], [0, 0]]))
    assert len(nothing.to_frame("pandas")) == 0
    assert str(nothing).startswith("Phi is undefined: not identified on a scale of two points")


def test_severity_of_notes():
    def severity(notes, words):
        (found,) = [note.severity for note in notes if words in note]
        return found

    one = agree(table([[1, 2, 2, 4]]))
    assert severity(one.notes, "one item has two ratings") == "warning"
    assert severity(one.notes, "taken to be interval") == "info"
    assert one.to_dict()["warnings"] == [n for n in one.notes if n.severity == "warning"]
    paper = phi(table([[1, 2, 2], [2, 4, 4]]), method="paper")
    assert severity(paper.notes, "which is far off") == "warning"
    # Warnings stand above the table, notes below it.
    text = full(one)
    assert text.index("warning: one item") < text.index("coefficient") < text.index("note: the")


def test_a_headline_does_not_contradict_what_is_said_below():
    text = full(
        agree(table([["a", "a"], ["b", "b"], ["a", "a"]]), coefficients=["fleiss", "percent"])
    )
    assert "every item is unanimous" in text
    assert "more than chance" in " ".join(full(agree(paradox("8b"))).split())
    same = full(agree(table([["a", "a"], ["b", "b"]] * 40), coefficients=["percent", "ac1"]))
    assert "Gwet's AC1 = 1.00, without an interval" in " ".join(same.split())
    assert "more than chance" not in same


def test_a_coefficient_without_an_interval_is_not_listed_as_equal_to_one_that_has_it():
    """Two raters who agree on few items: percent agreement has an interval, alpha none."""
    text = full(agree(table([["a", "a"], ["b", "b"], ["a", "a"], ["b", "b"], ["a", None]])))
    rows = [line.split() for line in text.splitlines()]
    assert ["percent", "agreement", "1.000", "0.306", "to", "1.000"] in rows
    assert ["Krippendorff's", "alpha", "1.000"] in rows
    joined = " ".join(text.split())
    assert "The same value here: percent agreement, Fleiss' kappa, Gwet's AC1, " in joined
    assert "no interval of Krippendorff's alpha" in joined
    assert "no intervals" not in joined


def torn(items: int, raters: int, seed: int = 0) -> Labels:
    """Items from 1 to 9 whose raters are drawn to both ends, to one of them more."""
    rng = np.random.default_rng(seed)
    mu = np.where(rng.random((items, 1)) < 0.5, 0.25, 0.75)
    x = rng.beta(np.full((items, raters), 0.5) * mu, 0.5 * (1 - mu))
    return table(np.minimum(1 + 9 * x, 9).astype(int).tolist())


def test_phi_does_not_contradict_the_headline_silently():
    fixed = {"bootstrap": 100, "intervals": "fixed"}
    result = agree(torn(80, 6), scale="interval", limits=(1, 9), **fixed)
    assert result.phi is not None
    assert result.phi.verdict == "disagreement"
    text = " ".join(full(result).split())
    assert "for these raters: more than chance" in text
    (note,) = [note for note in result.notes if "does not bear out" in note]
    assert note.severity == "warning"
    assert result.phi.words in note
    assert str(note) in result.to_dict()["warnings"]
    # Above the table, and nowhere else.
    assert text.count("lies below 0") == 1
    assert text.index("lies below 0") < text.index("P(alpha")


def test_phi_that_agrees_is_a_sentence():
    agreed = agree(random_labels(60, 5, 5, skill=0.9), scale="interval", bootstrap=100)
    assert agreed.phi is not None
    assert not any("bear out" in note for note in agreed.notes)


def test_phi_is_withheld_where_its_model_does_not_fit():
    """Half of the items are agreed on, half tear the raters apart: no one precision fits both."""
    rng = np.random.default_rng(1)
    split = 1 + 8 * rng.integers(0, 2, (60, 6))
    alike = 5 + rng.integers(0, 2, (60, 6))
    rows = np.where(np.arange(60)[:, None] % 2, split, alike)
    result = agree(table(rows.tolist()), limits=(1, 9), bootstrap=50)
    assert result.phi is not None
    assert result.phi.verdict == "withheld"
    assert np.isnan(result.phi.value)
    assert result.phi.fitted.low < result.phi.fitted.high
    text = " ".join(full(result).split())
    assert "Phi is withheld, since its model does not fit: " in text
    assert "look at items" in text
    document = result.to_dict()["phi"]
    assert document["value"] is None
    assert document["withheld"] in document["undefined"]


def test_ratings_closer_than_random_are_no_disagreement():
    """On zero-heavy sliders Phi may be below 0 though ratings lie close together."""
    rng = np.random.default_rng(3)
    x = np.clip(rng.normal(size=(200, 1)) * 30 - 20 + 25 * rng.normal(size=(200, 8)), 0, 100)
    result = agree(table(x.round().tolist()), limits=(0, 100), bootstrap=0)
    assert result.phi is not None
    assert result.phi.verdict != "disagreement"


def test_the_frame_has_all_that_was_asked_for():
    labels = random_labels(20, 3, 4, missing=0.2)
    result = agree(labels, scale="interval", bootstrap=20, by_rater=True, by_item=True)
    columns = result.columns()
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def of(kind: str) -> list[dict]:
        return [row for row in rows if row["kind"] == kind]

    assert [row["name"] for row in of("coefficient")] == list(result.coefficients)
    assert result.phi is not None
    (phi_row,) = of("phi")
    assert phi_row["value"] == result.phi.estimate.value
    assert (phi_row["low"], phi_row["high"]) == (
        result.phi.estimate.low,
        result.phi.estimate.high,
    )
    assert [row["name"] for row in of("rater")] == [str(one.rater) for one in result.raters]
    assert [row["value"] for row in of("item")] == [one.disagreement for one in result.items]
    assert len(of("pair")) == sum(len(pair.coefficients) for pair in result.pairs)
    assert len(rows) == len(result.to_frame())
    plain = agree(labels, scale="nominal", bootstrap=0).columns()
    assert set(plain["kind"]) == {"coefficient"}


# What to report: the first line, and the sentence for a paper.


def test_three_raters_have_both_kinds_of_interval():
    """Without bootstrap samples too; the first is the same."""
    stars = examples.path("stars")
    both, one = agree(stars), agree(stars, bootstrap=0)
    for found in (both, one):
        assert found.report.these_raters is not None
        assert "for these 3 alone, 95% CI [" in " ".join(str(found).split())
    assert one.report.estimate == both.report.estimate


def test_an_interval_is_seen_to_end_below_a_benchmark():
    below, above = Estimate(0.5, 0.36, 0.6651, level=0.95), Estimate(0.5, 0.36, 0.6671, level=0.95)
    assert in_brackets(below) == "95% CI [.36, .665]"
    assert in_brackets(above) == "95% CI [.36, .67]"


def test_phi_does_not_speak_against_alpha_where_only_raters_are_too_few():
    """Of these five raters it can tell; of others like them nothing could with so few."""
    rng = np.random.default_rng(3)
    x = rng.normal(3, 1, (120, 1)) + np.array([0, 0.3, -0.5, 0.9, 0])
    x = np.clip(np.rint(x + np.array([0.6, 0.6, 0.7, 0.6, 2]) * rng.normal(size=(120, 5))), 1, 5)
    item, rater = np.indices(x.shape)
    labels = Labels.from_triples(
        item.ravel().tolist(), [f"r{j}" for j in rater.ravel()], x.astype(int).ravel().tolist()
    )
    result = agree(labels, bootstrap=50, limits=(1, 5))
    assert result.phi.verdict == "cannot tell"
    assert result.phi.these_raters.low > 0
    assert not any("bear out" in str(note) for note in result.notes)
    assert "Phi shows agreement of these raters" in " ".join(full(result).split())


def panel(rows) -> Labels:
    item, rater = np.indices(np.shape(rows))
    labels = np.array(rows).ravel().tolist()
    return Labels.from_triples(item.ravel().tolist(), rater.ravel().tolist(), labels)


def test_too_few_items_have_words_in_place_of_an_interval():
    few = agree(panel([[1, 2, 1], [3, 3, 4], [2, 2, 2]]))
    assert few.report.estimate.low is None
    assert not few.report.at_least
    assert few.report.verdict == ""
    text = " ".join(full(few).split())
    assert ", without an interval, since 3 items are too few." in text
    assert few.report.sentence.endswith(" = .76, 3 items, 3 raters; too few for an interval.")
    assert "95%" not in text


def test_a_rare_label_makes_items_few():
    """What counts is how many items hold the other labels, not how many there are."""
    rng = np.random.default_rng(1)
    truth = np.arange(100)[:, None]

    def rated(positive: int) -> str:
        yes = (truth < positive) ^ (rng.random((100, 7)) < 0.01)
        return " ".join(full(agree(panel(np.where(yes, "yes", "no")))).split())

    assert "without an interval, since 'no' is 96% of the ratings of 100 items" in rated(3)
    assert "of the ratings of 100 items: intervals are approximate" in rated(12)
    many = rated(40)
    assert "approximate, and rather" not in many
    assert "without an interval" not in many


def test_unanimous_items_have_no_words_on_few_raters():
    text = full(agree(panel([["x"] * 3, ["y"] * 3] * 20)))
    assert "every item is unanimous" in text
    assert "tell little" not in text
    assert "for raters like these" not in text
    alone = str(agree(panel([["x"] * 3] * 20)))
    assert "Krippendorff's alpha is undefined: every rating is 'x'." in alone


def test_around_zero_these_raters_and_others_have_one_verdict():
    rng = np.random.default_rng(0)
    result = agree(panel(rng.integers(0, 2, (100, 4)).astype(str)))
    assert result.report.verdict == "agreement cannot be distinguished from chance"
    assert "ratings are too few" not in full(result)


# Pictures: what is drawn is what was computed.

ROWS = [[1, 2, 1, 1, 5], [5, 5, 4, 5, 5], [3, 3, 2, 3, 4], [4, 4, 4, 5, 4], [2, 2, 2, 1, 2]]


def rated(rows, scale=None) -> Labels:
    table = np.asarray(rows)
    items, raters = table.shape
    return Labels.from_triples(
        np.repeat(np.arange(1, items + 1), raters),
        np.tile(np.arange(raters), items),
        table.ravel(),
        scale=scale,
    )


def test_nothing_to_draw():
    labels = rated([[1], [2], [3]])
    with pytest.raises(OptionError, match="nothing to draw: there is only one rater"):
        agree(labels).plot()


def test_a_narrow_posterior_fills_the_picture():
    """Phi near 1 of many ratings: the posterior is about .0002 wide."""
    rows = np.tile([[5, 3, 6, 5, 7, 6], [4, 2, 4, 5, 4, 6]], (300, 1))
    found = phi(rated(rows), limits=(0, 10))
    low, high = found.plot().get_xlim()
    fitted = found.fitted  # two patterns, 300 times each: it is withheld
    assert fitted.high - fitted.low > 0.25 * (high - low)


def test_share():
    curve = agree_by_share(paradox("8b"), shares=[1.0, 0.2, 0.5], repeats=20)
    axes = plot_share(curve)
    first, second = axes.get_lines()[:2]
    assert [first.get_label(), second.get_label()] == ["percent agreement", "Krippendorff's alpha"]
    assert list(first.get_xdata()) == [20, 50, 100]
    assert second.get_ydata()[-1] == curve.points[0].coefficients["alpha"].value
    assert len(axes.collections) == 2
    assert "20 random subsets; bands hold 95%" in axes.get_title("left")
    both = agree_by_share(paradox("8b"), shares=[1.0], repeats=1, coefficients=["alpha", "phi"],
                          scale="interval", method="paper")  # fmt: skip
    axes = plot_share(both)
    assert axes.get_lines()[1].get_label() == "Phi"
    assert axes.get_title("left").endswith("(Phi: the band is the mean of its 95% intervals)")


def test_share_into_given_axes_names_what_is_undefined():
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    assert plot_share(agree_by_share(paradox("2"), repeats=2), axes) is axes
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts == ["percent agreement", "Krippendorff's alpha: undefined"]


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ExtraError, match=r"pip install 'headcount\[report\]'"):
        plot_share(agree_by_share(paradox("8c"), repeats=2))


def table_of(*columns: list[int]) -> Labels:
    rows = [(i, f"r{j}", x) for j, column in enumerate(columns) for i, x in enumerate(column)]
    return Labels.from_triples(*zip(*rows, strict=True))


GRADES = table_of([1, 2, 3, 4, 5, 2, 4, 1], [1, 3, 3, 5, 5, 2, 4, 2], [3, 4, 5, 5, 5, 4, 5, 3])


def test_a_forest_has_values_in_columns_and_zeros_below_each_other():
    result = agree(GRADES, bootstrap=50, by_rater=True, limits=(1, 5))
    forest, raters = plot_forest(result), result.plot()
    texts = [text.get_text() for text in forest.texts]
    assert {"value", "95% interval"} <= set(texts)
    assert result["alpha"].show(result["alpha"].value, 2) in texts
    assert "8 items by 3 raters, interval scale" in forest.get_xlabel()
    assert "bias" in raters.get_xlabel()
    assert "consistency" in raters.get_ylabel()
    assert {text.get_text() for text in raters.texts} == {"r0", "r1", "r2"}


def test_raters_of_names_are_listed():
    rows = [(i, r, "xy"[(i + (r == "c" and i % 3 == 0)) % 2]) for i in range(12) for r in "abc"]
    labels = Labels.from_triples(*zip(*rows, strict=True))
    axes = plot_raters(agree(labels, bootstrap=20, by_rater=True))
    assert next(tick.get_text() for tick in axes.get_yticklabels()) == "c"
    with pytest.raises(OptionError, match="by_rater=True"):
        plot_raters(agree(labels, bootstrap=20))


def test_differences_of_two_raters_are_drawn():
    two = table_of([1, 2, 3, 4, 5, 2], [2, 2, 4, 4, 6, 3])
    found = agree(two, bootstrap=20).bland_altman
    axes = plot_two_raters(found)
    assert axes.get_ylabel() == "r0 minus r1"
    assert {text.get_text() for text in axes.texts} == {
        e.show(e.value, 2).replace("-", "−") for e in found.rows.values()
    }


# What docs/methods/agreement.md shows is what the command prints.

PAGE = Path(__file__).parents[2] / "docs" / "methods" / "agreement.md"
SHOWN = re.findall(
    r"^```console\n\$ headcount (.*?)\n```\n\n```(?:text)?\n(.*?)^```",
    PAGE.read_text("utf-8"),
    re.DOTALL | re.MULTILINE,
)


def shown(start: str) -> tuple[list[str], str]:
    """The command that starts so, and its output."""
    ((command, text),) = [(c, t) for c, t in SHOWN if c.startswith(start)]
    return shlex.split(command), text


def test_essays(tmp_path, monkeypatch, run):
    (rows,) = re.findall(r"^```csv\n(item,ann.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.M)
    (tmp_path / "essays.csv").write_text(rows)
    monkeypatch.chdir(tmp_path)
    command, text = shown("agree essays.csv")
    assert run(*command).out == text


def test_sliders_with_heavy_ends(data_folder, monkeypatch, run):
    monkeypatch.chdir(data_folder / "agreement")
    command, text = shown("agree affect/")
    assert run(*command).out == text


def test_a_plan_of_the_running_example(tmp_path, monkeypatch, run):
    run("simulate", "running-example", "--items", 1000, "--raters", 10, "--seed", 1, "-o", tmp_path)
    monkeypatch.chdir(tmp_path)
    command, text = shown("plan agreement ratings.csv")
    assert run(*command).out == text


@pytest.mark.parametrize(
    "start", ["agree essays.csv", "agree affect/", "plan agreement ratings.csv"]
)
def test_the_page_fits_a_terminal(start):
    assert max(map(len, shown(start)[1].splitlines())) <= 80
