"""The data that come with headcount."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

import headcount
from headcount import DataError, agree, examples, read_comparisons, read_predictions, read_ratings

from . import make_examples


def test_the_files_are_those_of_the_script():
    made = make_examples.files()
    assert sorted(made) == sorted(examples.names())
    for name, content in made.items():
        file = examples.path(name)
        if isinstance(content, str):
            assert file.read_text(encoding="utf-8") == content, name
        else:  # a workbook: compressed bytes may differ from one zlib to another
            assert unpacked(file.read_bytes()) == unpacked(content), name


def unpacked(raw):
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_answers_are_the_same_in_every_file():
    stars, judge = agree("example:stars", bootstrap=0), read_predictions("example:judge")
    for name in ("export", "coding"):
        found = agree(f"example:{name}", bootstrap=0)
        assert found["alpha"].value == pytest.approx(stars["alpha"].value, abs=1e-15)
    by_tool = read_predictions("example:export")
    assert [one.name for one in by_tool.classifiers] == [one.name for one in judge.classifiers]


def test_a_name_stands_for_a_file():
    assert len(read_ratings("example:ratings")) == 1000
    assert len(read_ratings(examples.path("ratings"))) == 1000
    assert [c.name for c in read_predictions("example:predictions").classifiers] == [
        "keywords",
        "model",
    ]
    assert len(read_comparisons(Path("example:comparisons"))) == 300
    assert agree("example:stars", bootstrap=0).provenance.n_raters == 3


def test_a_wrong_name_is_told():
    with pytest.raises(DataError, match=r"no example 'rating'\. Did you mean 'ratings'\?"):
        read_ratings("example:rating")


def test_examples_are_found_from_the_package():
    assert headcount.examples is examples
    assert "examples" in dir(headcount)
    assert all(examples.about(name) for name in examples.names())
