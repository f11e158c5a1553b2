"""The options of commands that say how a file of ratings is read."""

from __future__ import annotations

import json
import shlex

import pytest

RATINGS = """item,ann,bob,lang
a,Yes,yes,en
b,no,no,en
c,99,no,de
d,yes,yes,en
e,yes,99,en
f,-1,no,en
g,no,no,en
"""
OPTIONS = ("--missing", "99,-1", "--merge", "case", "--where", "lang=en", "--bootstrap", "0")


@pytest.fixture
def ratings(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(RATINGS)
    return path


def test_codes_are_refused_with_flags(ratings, run):
    done = run("agree", ratings, "--ignore", "lang")
    assert done.code == 2
    said = " ".join(done.err.split())
    assert "--missing 99,-1 if it means that" in said
    assert "--labels -1,99,Yes,no,yes if it is one" in said


def test_agree_reads_as_told(ratings, run):
    done = run("agree", ratings, *OPTIONS, "--json")
    assert done.code == 0, done.err
    data = json.loads(done.out)["data"]
    assert data["labels"] == ["no", "yes"]
    assert data["dropped"] == {"not chosen by where": 1, "label is 99": 1, "label is -1": 1}


def test_survey_reads_as_told(tmp_path, run):
    lines = ["item,rater,aspect,score"]
    lines += [f"i{i},r{r},tox,{(i + r // 2) % 2}" for i in range(12) for r in range(4)]
    lines += [f"i{i},r{r},flu,{i % 5}" for i in range(12) for r in range(4)]
    path = tmp_path / "r.csv"
    path.write_text("\n".join(lines))
    done = run("survey", path, "--bootstrap", "0", "--no-ceiling")
    assert done.code == 2
    assert "--question tox" in " ".join(done.err.split())
    done = run("survey", path, "--bootstrap", "0", "--no-ceiling", "--question", "tox", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["data"]["labels"] == ["0", "1"]


def test_raters_as_rows(tmp_path, run):
    path = tmp_path / "r.csv"
    path.write_text("id,q1,q2,q3\nann,1,2,1\nbob,1,2,2\n")
    done = run("agree", path, "--bootstrap", "0", "--transpose", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["data"]["raters"] == 2
    done = run("agree", path, "--bootstrap", "0")
    assert done.code == 2
    assert "--transpose" in done.err


@pytest.mark.parametrize("word", ["don't know", "?", "no answer"])
def test_the_choice_of_a_code_can_be_pasted_into_a_shell(run, tmp_path, word):
    path = tmp_path / "r.csv"
    rows = [f"x{i},{i % 4 + 1},{i % 3 + 1}\n" for i in range(9)]
    path.write_text("item,ann,bob\n" + "".join(rows) + f"x9,{word},{word}\n")
    said = " ".join(run("agree", path).err.split())
    command = said.partition("Say ")[2].partition(" if it means")[0]
    assert shlex.split(command) == ["--missing", word]
