"""What once broke: a test for each finding of fuzzing, faults and absurd sizes.

Findings about the bytes of files are in io/test_reliability_bytes.py, those about environments in
test_environments.py, and those about the order of rows in test_metamorphic.py.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import headcount
from headcount import OptionError, read_ratings
from headcount.errors import HeadcountError

RATINGS = "item,rater,label\n" + "".join(
    f"i{i},r{r},{'yes' if (i * 7 + r * i) % 3 else 'no'}\n" for i in range(30) for r in range(4)
)


@pytest.fixture
def ratings(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(RATINGS, encoding="utf-8")
    return path


def said(done) -> str:
    """What a refusal says, unfolded."""
    assert done.code == 2
    assert done.out == ""
    assert "Traceback" not in done.err
    return " ".join(done.err.split())


def shuffled(seed: int) -> str:
    head, *rows = RATINGS.splitlines()
    return "\n".join([head, *np.random.default_rng(seed).permutation(rows)]) + "\n"


def test_8_row_order_changes_nothing(tmp_path, run):
    commands = [("agree", "--by-rater"), ("survey", "--samples", 200, "--bootstrap", 20)]
    path = tmp_path / "ratings.csv"  # one path: the next command names it
    for command, *options in [*commands, *((*command, "--details") for command in commands)]:
        answers = set()
        for seed in range(2):
            path.write_text(shuffled(seed), encoding="utf-8")
            answers.add(run(command, path, *options).out)
        assert len(answers) == 1


TOO_FEW = "the method still gives a headline and an interval from three items"


def test_9_blind_says_nothing_of_three_items(tmp_path, run):
    path = tmp_path / "three.csv"
    path.write_text("item,a,b,c\n1,x,x,x\n2,y,y,y\n3,x,x,x\n", encoding="utf-8")
    done = run("blind", path)
    assert done.out.split("\n\n")[0] == "3 items are too few to tell which of 3 judges is best."
    assert "1.000" not in done.out
    for classifier in run("blind", path, "--json").json["classifiers"]:
        for scores in classifier["estimates"].values():
            assert all(score["low"] is None for score in scores.values())


def test_9_survey_says_nothing_of_three_items(ratings, tmp_path, run):
    path = tmp_path / "predictions.csv"
    rows = [f"{'i' if i < 3 else 'z'}{i},0.6,0.4\n" for i in range(30)]
    path.write_text("item,m:no,m:yes\n" + "".join(rows), encoding="utf-8")
    assert "too few" in run("survey", ratings, "-p", path).out.split("\n\n")[0]


@pytest.mark.parametrize("command", ["survey", "agree", "blind", "pairs"])
def test_10_a_billion_bootstrap_samples_are_refused(command, ratings, tmp_path, run):
    path = tmp_path / "pairs.csv"
    path.write_text("left,right,outcome\na,b,left\nb,c,right\nc,a,tie\n", encoding="utf-8")
    path = path if command == "pairs" else ratings
    done = run(command, path, "--bootstrap", 1_000_000_000)
    assert "--bootstrap must be a whole number from 0 to 1,000,000" in said(done)


@pytest.mark.parametrize("what", ["running-example", "ratings", "pairs"])
@pytest.mark.parametrize("size", ["items", "raters"])
def test_10_a_billion_items_or_raters_are_refused(what, size, tmp_path, run):
    done = run("simulate", what, f"--{size}", 10_000_000_000, "-o", tmp_path / "out")
    assert f"--{size} must be a whole number from" in said(done)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (["--max-k", 10**9], "--max-k"),
        (["--reference", 10**9], "reference rater"),
        (["--seed", -1], "--seed"),
        (["--bootstrap", 10**30], "--bootstrap"),
        (["--level", "1e400"], "--level"),
        (["--level", "nan"], "--level"),
    ],
)
def test_10_absurd_numbers_are_refused(options, name, ratings, run):
    assert name in said(run("survey", ratings, *options))


def test_10_many_labels_over_many_items_are_refused_and_not_begun(run, tmp_path):
    rng = np.random.default_rng(1)
    path = tmp_path / "wide.csv"
    rows = rng.integers(0, 2000, (1377, 11)).tolist()
    lines = [",".join(["item", *(f"r{r}" for r in range(11))])]
    lines += [f"i{i},{','.join(f'c{label}' for label in row)}" for i, row in enumerate(rows)]
    path.write_text("\n".join(lines), encoding="utf-8")
    words = said(run("survey", path))
    assert "labels are too many for surveys of up to 10 raters of 1,377 items" in words
    assert "(--label COLUMN)" in words


def test_10_what_can_be_sampled_still_is(tmp_path):
    rng = np.random.default_rng(1)
    rated = read_ratings(rng.integers(0, 30, (40, 12)).astype(str))
    result = headcount.survey(rated, samples=5, bootstrap=0)
    assert result.provenance.method == "sampled"


def needed(verb: Callable[..., Any]) -> list[inspect.Parameter]:
    """Arguments of a function that have no default; `**options` need not be given."""
    return [
        argument
        for argument in inspect.signature(verb).parameters.values()
        if argument.default is argument.empty and argument.kind is not argument.VAR_KEYWORD
    ]


PUBLIC = {name: getattr(headcount, name) for name in headcount.__all__}
VERBS = [name for name, verb in PUBLIC.items() if inspect.isfunction(verb) and needed(verb)]


@pytest.mark.parametrize("name", VERBS)
def test_11_what_is_no_data_is_refused_by_name(name):
    by_name = inspect.Parameter.KEYWORD_ONLY
    arguments = needed(PUBLIC[name])
    with pytest.raises(HeadcountError):
        PUBLIC[name](
            *[123 for one in arguments if one.kind is not by_name],
            **{one.name: 5 for one in arguments if one.kind is by_name},
        )


@pytest.mark.parametrize("verb", [headcount.survey, headcount.agree, headcount.blind])
def test_11_half_a_bootstrap_sample_is_refused(verb):
    with pytest.raises(OptionError, match=r"bootstrap must be a whole number .*, not 2\.5"):
        verb({"item": [1, 1, 2, 2], "rater": list("abab"), "label": list("xyxx")}, bootstrap=2.5)


def test_12_written_cells_are_no_formulas(tmp_path, run):
    path = tmp_path / "ratings.csv"
    path.write_text(RATINGS.replace("r0", "=cmd|x").replace("r1", "@r1"), encoding="utf-8")
    rows = tmp_path / "rows.csv"
    assert run("agree", path, "--by-rater", "-o", rows).code == 0
    cells = [
        cell for line in rows.read_text(encoding="utf-8").splitlines() for cell in line.split(",")
    ]
    assert not [cell for cell in cells if cell.startswith(("=", "@"))]


def test_12_names_with_escapes_are_shown_by_number(tmp_path, run):
    path = tmp_path / "ratings.csv"
    path.write_text(RATINGS.replace("r0", "\x1b[31mr0").replace("yes", "y\x9b1m"), encoding="utf-8")
    done = run("agree", path, "--by-rater")
    assert done.code == 0
    assert r"\x1b[31mr0" in done.out
    assert "\x1b" not in done.out + done.err
    assert "\x9b" not in done.out + done.err
    rude = run("agree", tmp_path / "\x1b[31m.csv")
    assert r"\x1b[31m.csv" in said(rude)
    assert "\x1b" not in rude.err
