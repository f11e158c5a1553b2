"""Errors name the input that was wrong: the option by which it was given."""

from __future__ import annotations

from typing import Any

import pytest

import headcount
from headcount import Comparisons, DataError, HeadcountError, Labels, running_example

VOTES = Labels.from_triples("aabbcc", "xyxyxy", "010110")
PLAYED = Comparisons.from_columns("abca", "bcab", [1, 1, 1, 0], rater="xyxy")
TWO = {"comparisons_b": PLAYED, "bridges": PLAYED}


def survey(**given: Any) -> object:
    labels, predictions = running_example(20, 3, rng=1)
    return headcount.survey(labels, **({"predictions": predictions} | given))


CALLS = {
    ("blind", "crowd"): lambda x: headcount.blind(VOTES, crowd=x),
    ("blind", "gold"): lambda x: headcount.blind(VOTES, gold=x),
    ("blind", "groups"): lambda x: headcount.blind(VOTES, groups=x),
    ("survey", "states"): lambda x: survey(states=x),
    ("survey", "experts"): lambda x: survey(experts=x),
    ("survey", "predictions"): lambda x: survey(predictions=x),
    ("find_spammers", "checks"): lambda x: headcount.find_spammers(PLAYED, checks=x),
    ("pairs", "checks"): lambda x: headcount.pairs(PLAYED, by_rater=True, checks=x),
    ("pairs", "anchors"): lambda x: headcount.pairs(PLAYED, label="anchors", anchors=x),
    ("pairs", "covariates"): lambda x: headcount.pairs(PLAYED, prior=1, covariates=x),
    ("phi", "gold"): lambda x: headcount.phi(VOTES, gold=x, gold_sd=1),
    ("join_populations", "bridges"): lambda x: headcount.join_populations(
        PLAYED, **(TWO | {"bridges": x})
    ),
    ("place_items", "answers"): lambda x: headcount.place_items(
        x, headcount.bradley_terry(PLAYED, prior=1)
    ),
}


@pytest.mark.parametrize(("function", "name"), CALLS)
@pytest.mark.parametrize(
    "junk", [object(), 12.5, "no such file.csv"], ids=["object", "12.5", "path"]
)
def test_an_error_carries_the_option(function: str, name: str, junk: object):
    with pytest.raises(HeadcountError) as caught:
        CALLS[function, name](junk)
    assert caught.value.option == name
    if not isinstance(junk, str):
        assert str(caught.value).startswith(name)


def test_votes_are_not_called_ratings():
    with pytest.raises(DataError, match=r"^votes is empty"):
        headcount.blind({})


def test_notes_name_the_option():
    crowd = [{"item": item, "label": label} for item, label in zip("abc", "011", strict=True)]
    notes = headcount.blind(VOTES, crowd=crowd, bootstrap=0).notes
    assert any(note.startswith("crowd: labels of 3 items") for note in notes)
    assert not any(note.startswith("gold:") for note in notes)
    checks = {"left": ["a"], "right": ["c"], "outcome": ["left"]}
    found = headcount.find_spammers(PLAYED, checks=checks).notes
    assert any(note.startswith("checks:") for note in found)


def test_files_of_options_are_among_the_sources(tmp_path):
    truth, groups = tmp_path / "gold.csv", tmp_path / "groups.csv"
    truth.write_text("item,label\na,0\nb,1\nc,1\n")
    groups.write_text("classifier,group\nx,1\ny,2\n")
    anchors, numbers = tmp_path / "anchors.csv", tmp_path / "numbers.csv"
    anchors.write_text("item,label\na,positive\nb,negative\n")
    numbers.write_text("item,words\na,1\nb,2\nc,5\n")
    checks = tmp_path / "checks.csv"
    checks.write_text("left,right,outcome\na,c,left\n")

    def names(result: Any) -> list[str]:
        return [one["name"] for one in result.to_dict()["data"]["sources"]]

    found = headcount.blind(VOTES, gold=truth, crowd=str(truth), groups=groups, bootstrap=0)
    assert names(found) == ["gold.csv", "gold.csv", "groups.csv"]
    rated = headcount.pairs(
        PLAYED, label="anchors", anchors=anchors, covariates=str(numbers), prior=1,
        by_rater=True, checks=checks,
    )  # fmt: skip
    assert names(rated) == ["anchors.csv", "numbers.csv", "checks.csv"]
    truth.write_text("item,value\na,0\nb,1\nc,1\n")
    assert names(headcount.phi(VOTES, gold=truth, gold_sd=1)) == ["gold.csv"]
    facts = headcount.read_truth({"item": ["a"], "label": ["0"]}, name="experts")
    assert facts.source == "experts"
    assert facts.sources == ()
