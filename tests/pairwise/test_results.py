"""The doors of every result: text, notes, frame, document, plot and HTML."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import headcount
from headcount import Comparisons, Elo, bradley_terry, find_spammers, pairs
from headcount.errors import DataError, HeadcountError
from headcount.pairwise.spammers import ByRater
from headcount.results.result import Result
from headcount.simulation.labelling import LabellingModel, simulate_comparisons
from tests.pairwise.data import random_comparisons

CROWD = simulate_comparisons(
    LabellingModel(items=30, raters=15, spammers=0.2, comparisons=300), seed=2
)[0]
FRAME = pl.DataFrame(
    {
        "left": CROWD.items[CROWD.left],
        "right": CROWD.items[CROWD.right],
        "outcome": CROWD.outcome,
        "rater": CROWD.raters[CROWD.rater],
    }
)
VERBS = {
    "pairs": pairs,
    "pairs by rater": lambda data, **options: pairs(data, by_rater=True, **options),
    "bradley_terry": bradley_terry,
    "bradley_terry with all": lambda data, **options: bradley_terry(
        data, ties="davidson", position=True, **options
    ),
    "find_spammers": find_spammers,
    "elo": lambda data, **options: Elo().fit(data, **options),
}


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS.keys())
def test_doors(verb):
    result = verb(CROWD)
    assert isinstance(result, Result)
    document = result.to_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert document["version"] == headcount.__version__
    assert document["data"]["source"] == CROWD.source
    assert document["data"]["items"]["used"] == 30
    assert document["data"]["ratings"] == 300
    assert document["warnings"] == []
    frame = result.to_frame("polars")
    assert len(frame) in (30, 15)
    assert all(len(line) <= 80 for line in str(result).splitlines())
    assert str(result) == repr(result)
    assert "<table>" in result._repr_html_()
    axes = result.plot()
    assert axes.figure is not None
    assert result.plot(axes) is axes
    assert type(result).__module__.startswith("headcount.pairwise")


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS.keys())
def test_data_as_a_file_or_a_frame(verb, tmp_path):
    FRAME.write_parquet(tmp_path / "crowd.parquet")
    by_frame, by_file = verb(FRAME).to_dict(), verb(tmp_path / "crowd.parquet").to_dict()
    assert by_frame["data"]["ratings"] == 300
    for document in (by_frame, by_file):
        for key in ("data", "notes"):
            document.pop(key)
    assert by_frame == by_file


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS.keys())
@pytest.mark.parametrize("data", [123, None, 2.5, FRAME[:0], [], "nowhere.csv"], ids=str)
def test_what_is_no_data_is_refused(verb, data):
    with pytest.raises(DataError):
        verb(data)


@pytest.mark.parametrize(
    ("verb", "options"),
    [
        (bradley_terry, {}),
        (find_spammers, {}),
        (pairs, {"method": "elo"}),
        (pairs, {"bootstrap": 2, "cluster": "rater"}),
    ],
)
def test_no_comparisons_are_refused(verb, options):
    with pytest.raises(DataError, match="no comparisons"):
        verb(CROWD.select(np.zeros(len(CROWD), dtype=bool)), **options)


@pytest.mark.parametrize(
    ("verb", "options"),
    [
        (find_spammers, {"level": 2}),
        (find_spammers, {"level": None}),
        (find_spammers, {"seed": 1.5}),
        (find_spammers, {"prior": 0}),
        (find_spammers, {"checks": 123}),
        (bradley_terry, {"level": 2}),
        (bradley_terry, {"position": "left"}),
        (bradley_terry, {"tolerance": "small"}),
        (bradley_terry, {"max_iter": 2.5}),
        (bradley_terry, {"start": "here"}),
        (pairs, {"label": 123}),
        (pairs, {"by_rater": ByRater(checks=123)}),
    ],
)
def test_options_of_the_wrong_kind(verb, options):
    with pytest.raises(HeadcountError):
        verb(CROWD, **options)


def test_facts_of_items_as_files_and_frames(tmp_path):
    names = [str(item) for item in CROWD.items]
    anchors = pl.DataFrame({"item": names[:2], "label": ["positive", "negative"]})
    checks = pl.DataFrame({"left": names[:1], "right": names[1:2], "outcome": ["left"]})
    for name, frame in (("anchors", anchors), ("checks", checks)):
        frame.write_csv(tmp_path / f"{name}.csv")
    known = pairs(
        CROWD,
        label={names[0]: "positive", names[1]: "negative"},
        by_rater=ByRater(checks=Comparisons.from_columns(names[:1], names[1:2], ["left"])),
    )
    given = (
        (anchors, checks),
        tuple(tmp_path / f"{name}.csv" for name in ("anchors", "checks")),
        (
            f"anchors:{tmp_path / 'anchors.csv'}",
            str(tmp_path / "checks.csv"),
        ),
    )
    for sides, answers in given:
        result = pairs(
            CROWD,
            label=sides,
            by_rater=ByRater(checks=answers),
        )
        assert result.items == known.items
        assert result.raters == known.raters


def test_a_fit_in_frame_and_document():
    played = random_comparisons(6, 100, ties=0.3, raters=3, seed=1)
    fit = bradley_terry(played, ties="davidson", position=True, level=0.9, cluster="none")
    frame, document = fit.to_frame("polars"), fit.to_dict()
    assert frame.columns == ["item", "rating", "standard_error", "component"]
    assert frame["rating"].to_list() == sorted(fit.rating, reverse=True)
    assert [i["item"] for i in document["items"]] == frame["item"].to_list()
    first = document["items"][0]["rating"]
    half = 1.6448536269514722 * frame["standard_error"][0]
    assert first["high"] - first["value"] == pytest.approx(half)
    assert document["tie"]["value"] == fit.tie.value
    assert document["position"]["standard_error"] == fit.position.standard_error
    assert (document["ties"], document["level"]) == ("davidson", 0.9)
    assert fit.ties == "davidson"
    assert fit.probability(0, 1).level == 0.9
    text = " ".join(str(fit).split())
    for said in ("Davidson's nu", "being on the left adds"):
        assert said in text


def test_a_fit_without_finite_ratings_says_so_everywhere():
    fit = bradley_terry(Comparisons.from_columns("ab", "bc", [1, 1]))
    assert [i["rating"]["undefined"] for i in fit.to_dict()["items"]] == [
        "no upper bound", "not determined", "no lower bound",
    ]  # fmt: skip
    assert fit.to_frame("polars")["rating"].null_count() == 3
    assert {note.severity for note in fit.notes} == {"caution"}
    assert fit.plot().get_yticklabels()[0].get_text() == "a"


def test_a_fit_that_has_not_converged_is_not_given_as_an_answer():
    played = random_comparisons(20, 300)
    fit = bradley_terry(played, max_iter=1)
    assert fit.to_dict()["warnings"] == [str(n) for n in fit.notes if n.severity == "warning"] != []
    assert "NOT CONVERGED" in str(fit).splitlines()[0]
    assert "highest" not in fit.page().headline[0]
    assert "max_iter=10" in fit.notes[-1]


def test_spammers_in_frame_and_document():
    found = find_spammers(CROWD)
    frame, document = found.to_frame("polars"), found.to_dict()
    assert frame["rater"].to_list() == [r.rater for r in found.raters]
    assert frame.filter(pl.col("spammer"))["rater"].to_list() == document["spammers"]
    assert document["spammers"] == found.spammers != []
    assert frame["slope_low"].to_list() == [r.slope.low for r in found.raters]
    assert found[found.spammers[0]].verdict == "spammer"
    assert f"{len(found.spammers)} spammers among 15 raters" in str(found)
    with pytest.raises(HeadcountError, match="unknown rater"):
        found["nobody"]


def test_nothing_to_judge_by_is_said_so():
    few = Comparisons.from_columns("abc", "bca", [1, 1, 1], rater=["x", "y", "z"])
    assert str(find_spammers(few)).startswith("Too few answers to tell whether any of 3 raters")
