"""The forms of a result, and the views by rater and by item."""

from __future__ import annotations

import json
import pickle
from functools import cache
from typing import get_args

import numpy as np
import pytest

from headcount import Labels, OptionError, agree_by_share, phi
from headcount.agreement import agree, paradox
from headcount.agreement.coefficients.catalogue import COEFFICIENTS
from headcount.agreement.phi.text import Verdict
from headcount.agreement.scales.kinds import SCALES

from .data import random_labels, table


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
    text = repr(result)
    assert all(len(line) <= 80 for line in text.splitlines())
    assert text.startswith("Krippendorff's alpha (interval) 0.")
    assert "interval for raters like these 0." in " ".join(text.split("P(alpha")[0].split())
    assert "\nAgreement is more than chance.\n" in text
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
    row = next(line for line in lines if f"{first.disagreement:.3f}" in line and "…" in line)
    assert f"{first.central.value:.4g}" in row.split()
    assert row.endswith(" ".join(f"{label}:{n}" for label, n in first.counts.items()))


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("6a", "Agreement is less than chance"),
        ("6b", "Agreement cannot be distinguished from chance"),
        ("8b", "Agreement is more than chance"),
    ],
)
def test_verdicts(name, answer):
    assert answer in " ".join(repr(agree(paradox(name), rng=1)).split())


def test_words_of_one_coefficient():
    one = repr(agree(paradox("8b"), coefficients="fleiss"))
    assert one.startswith("Fleiss' kappa 0.")
    assert "Agreement is more than chance" in one
    one = repr(agree(paradox("8b"), coefficients="icc2k"))
    assert one.startswith("ICC(2,k) 0.")


@cache
def all_results():
    labels = random_labels(30, 3, 4, missing=0.2, seed=1)
    return {
        "agree": agree(labels, bootstrap=20),
        "phi": phi(labels),
        "share": agree_by_share(
            labels, shares=[0.5, 1.0], repeats=3, coefficients=["alpha", "phi"]
        ),
    }


@pytest.mark.parametrize("name", ["agree", "phi", "share"])
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
    assert len(frame) == found.items_used == len(found.items())
    nothing = phi(table([[0, 1], [1, 1], [0, 0]]))
    assert len(nothing.to_frame("pandas")) == 0
    assert str(nothing).startswith("Phi is undefined: not identified on a scale of two points")


def test_old_names_of_the_provenance():
    p = all_results()["agree"].provenance
    assert p.ratings == p.source == "ratings"
    share = all_results()["share"]
    assert (share.level, share.backend, share.phi_repeats) == (0.95, None, 3)


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
    text = str(one)
    assert text.index("warning: one item") < text.index("coefficient") < text.index("note: the")


def test_a_headline_does_not_contradict_what_is_said_below():
    text = str(
        agree(table([["a", "a"], ["b", "b"], ["a", "a"]]), coefficients=["fleiss", "percent"])
    )
    assert "every item is unanimous" in text
    assert "more than chance" in str(agree(paradox("8b")))
    same = str(agree(table([["a", "a"], ["b", "b"]] * 40), coefficients=["percent", "ac1"]))
    assert "Gwet's AC1 1.000; the same in every bootstrap sample" in " ".join(same.split())
    assert "more than chance" not in same


def torn(items: int, raters: int, seed: int = 0) -> Labels:
    """Items from 1 to 9 whose raters are drawn to both ends, to one of them more."""
    rng = np.random.default_rng(seed)
    mu = np.where(rng.random((items, 1)) < 0.5, 0.25, 0.75)
    x = rng.beta(np.full((items, raters), 0.5) * mu, 0.5 * (1 - mu))
    return table(np.minimum(1 + 9 * x, 9).astype(int).tolist())


def test_phi_does_not_contradict_the_headline_silently():
    fixed = {"bootstrap": 100, "raters": "fixed"}
    result = agree(torn(80, 6), scale="interval", limits=(1, 9), **fixed)
    assert result.phi is not None
    assert result.phi.verdict == "disagreement"
    text = " ".join(str(result).split())
    assert "Agreement is more than chance" in text
    (note,) = [note for note in result.notes if "does not bear out" in note]
    assert note.severity == "warning"
    assert result.phi.words in note
    assert str(note) in result.to_dict()["warnings"]
    # Above the table, and nowhere else.
    assert text.count("lies below 0") == 1
    assert text.index("lies below 0") < text.index("why alpha")


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
    text = " ".join(str(result).split())
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


@pytest.mark.parametrize(
    "given", [{"limits": (1, 5)}, {"method": "zzz"}, {"gold": object()}, {"gold_sd": 1}]
)
def test_options_of_phi_are_refused_where_it_is_not_measured(given):
    with pytest.raises(OptionError, match="are of Phi, which needs coefficients="):
        agree_by_share(random_labels(20, 3, 4), repeats=2, **given)
