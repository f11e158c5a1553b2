"""The doors of every result: text, notes, frame, document, plot and HTML."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import headcount
from headcount import Comparisons, Elo, pairs
from headcount.errors import DataError, HeadcountError
from headcount.pairwise.bradley_terry import bradley_terry
from headcount.pairwise.spammers import find_spammers
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
}
FITS = {
    **VERBS,
    "bradley_terry": bradley_terry,
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


@pytest.mark.parametrize("verb", FITS.values(), ids=FITS.keys())
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
        (bradley_terry, {"level": 2}),
        (bradley_terry, {"position": "left"}),
        (bradley_terry, {"tolerance": "small"}),
        (bradley_terry, {"max_iter": 2.5}),
        (pairs, {"label": 123}),
        (pairs, {"by_rater": 123}),
    ],
)
def test_options_of_the_wrong_kind(verb, options):
    with pytest.raises(HeadcountError):
        verb(CROWD, **options)


def test_anchors_as_files_and_frames(tmp_path):
    names = [str(item) for item in CROWD.items]
    anchors = pl.DataFrame({"item": names[:2], "label": ["positive", "negative"]})
    anchors.write_csv(tmp_path / "anchors.csv")
    known = pairs(CROWD, label={names[0]: "positive", names[1]: "negative"})
    path = tmp_path / "anchors.csv"
    for sides in (anchors, path, f"anchors:{path}"):
        assert pairs(CROWD, label=sides).items == known.items


def test_a_fit_has_what_was_asked():
    played = random_comparisons(6, 100, ties=0.3, raters=3, seed=1)
    fit = bradley_terry(played, ties="davidson", position=True, level=0.9, cluster="none")
    assert (fit.tie_model.name, fit.level) == ("davidson", 0.9)
    assert fit.probability(0, 1).level == 0.9
    result = pairs(played, ties="davidson", position=True, level=0.9, cluster="none")
    document = result.to_dict()
    assert document["fit"]["tie"]["value"] == fit.tie.value
    assert document["fit"]["position"]["value"] == fit.position.value
    text = " ".join(result.to_text(details=True).split())
    for said in ("Davidson's nu", "being on the left adds"):
        assert said in text


def test_a_fit_without_finite_ratings_says_so_everywhere():
    result = pairs(Comparisons.from_columns("ab", "bc", [1, 1]), prior="none")
    assert [i.rating.undefined for i in result.items] == [
        "above all others: undefeated", "not determined", "below all others: winless",
    ]  # fmt: skip
    assert result.to_frame("polars")["rating"].null_count() == 3
    assert {note.severity for note in result.notes} == {"caution"}
    assert result.plot().get_yticklabels()[0].get_text() == "a"


def test_a_fit_that_has_not_converged_says_so():
    fit = bradley_terry(random_comparisons(20, 300), max_iter=1)
    assert not fit.converged
    assert [note.severity for note in fit.notes] == ["warning"]
    assert "max_iter=10" in fit.notes[-1]


def test_spammers_stand_first():
    found, result = find_spammers(CROWD), pairs(CROWD, by_rater=True)
    assert result.raters == found.raters
    assert [r.rater for r in found.raters if r.spammer] == found.spammers != []
    assert found.raters[0].verdict == "spammer"
    assert f"{len(found.spammers)} spammers among 15 raters" in str(result)


def test_nothing_to_judge_by_is_said_so():
    few = Comparisons.from_columns("abc", "bca", [1, 1, 1], rater=["x", "y", "z"])
    said = " ".join(str(pairs(few, by_rater=True)).split())
    assert "too few answers to tell whether any of 3 raters answers at random" in said
