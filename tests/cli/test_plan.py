"""`headcount plan`: what it prints, draws and writes."""

from __future__ import annotations

import csv

import pytest
from headcount.pairwise.planning.next_pairs import next_pairs

from headcount.io.comparisons import read_comparisons
from headcount.io.write import write_comparisons
from headcount.pairwise.planning.plan import plan
from headcount.simulation.labelling import LabellingModel, simulate_comparisons

from .json_page import undocumented

OPTIONS = ["--items", 500, "--target-f1", 0.8, "--repeats", 20, "--seed", 3]


@pytest.fixture
def pilot(tmp_path):
    made, _ = simulate_comparisons(LabellingModel(items=24, comparisons=276), rng=1)
    path = tmp_path / "pilot.csv"
    write_comparisons(made, path)
    return path


def test_prints_what_python_says_in_80_columns(pilot, run):
    done = run("plan", pilot, *OPTIONS)
    assert done.code == 0
    wanted = plan(read_comparisons(pilot), items=500, target_f1=0.8, repeats=20, rng=3)
    assert done.out == f"{wanted}\n"
    assert all(len(line) <= 80 for line in (done.out + done.err).splitlines())
    assert "note: 500 items are 20.8 times the 24 of the largest set" in done.err


def test_json_is_the_whole_of_stdout_and_has_the_documented_keys(pilot, run):
    done = run("plan", pilot, *OPTIONS, "--budget", 900, "--raters-per-item", 3, "--json")
    told = done.json
    assert set(told) == {
        "items", "target_f1", "budget", "benchmarks", "votes", "pilot", "rating", "repeats",
        "level", "seed", "version", "notes", "tasks",
    }  # fmt: skip
    assert (told["items"], told["target_f1"], told["budget"]) == (500, 0.8, 900)
    for benchmark in told["benchmarks"]:
        assert set(benchmark) == {"name", "sizes", "laws", "fits", "curves"}
        assert [law["name"] for law in benchmark["laws"]] == ["N", "N log N"]
        for law in benchmark["laws"]:
            assert set(law) == {"name", "factor", "spread", "comparisons", "f1"}
            assert {"value", "low", "high", "censored"} <= set(law["comparisons"])
        for size in benchmark["sizes"]:
            assert set(size) == {"items", "comparisons", "most", "f1"}
    assert set(told["votes"]) == {
        "votes", "tasks", "f1", "comparisons", "for_target", "model", "matched", "runs",
    }  # fmt: skip
    assert set(told["votes"]["comparisons"]) == {"elo", "bradley-terry"}
    assert told["votes"]["matched"] is True
    assert told["tasks"] is None
    assert not undocumented(told, "plan", data=told["votes"]["model"])


def test_crowd_can_be_given(pilot, run):
    done = run(
        "plan", pilot, *OPTIONS, "--raters-per-item", 3, "--perception-ambiguity", 1.25,
        "--threshold-diversity", 0.75, "--json",
    )  # fmt: skip
    votes = done.json["votes"]
    assert votes["matched"] is False
    assert votes["model"]["perception_ambiguity"] == 1.25
    assert votes["model"]["threshold_diversity"] == 0.75


def test_what_of_a_given_crowd_the_pilot_cannot_say_is_told(pilot, run):
    done = run(
        "plan", pilot, *OPTIONS, "--raters-per-item", 3, "--threshold-diversity", 0.75, "--json"
    )
    told = "No pair was asked twice, so that the pilot does not say how far raters agree"
    assert any(note.startswith(told) for note in done.json["notes"])
    assert told in " ".join(done.err.split())


def test_writes_tasks_that_python_would_choose(pilot, tmp_path, run):
    items = tmp_path / "new.csv"
    items.write_text("item\nx\ny\n", encoding="utf-8")
    tasks = tmp_path / "tasks.csv"
    done = run(
        "plan", pilot, "--next", 40, "--tasks", tasks, "--new-items", items, "--per-rater", 10,
        "--seed", 5,
    )  # fmt: skip
    assert done.code == 0
    assert " ".join(done.out.split()) == (
        f"{tasks}: Tasks: 40 comparisons for 4 raters (2 join, 29 informative, 7 random, 2 check)"
    )
    assert all(len(line) <= 80 for line in done.out.splitlines() if str(tasks) not in line)
    assert "note: new.csv: 2 items in the column 'item'." in done.err
    wanted = next_pairs(
        read_comparisons(pilot), number=40, new_items=["x", "y"], per_rater=10, rng=5
    )
    with tasks.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for name, column in wanted.columns().items():
        assert [row[name] for row in rows] == [str(value) for value in column]
    told = run("plan", pilot, "--next", 40, "--tasks", tasks, "--json").json
    assert told["tasks"]["number"] == 40
    assert told["tasks"]["kinds"] == {"join": 0, "informative": 30, "random": 8, "check": 2}
    assert told["tasks"]["raters"] is None


def test_answers_to_tasks_can_be_read_back(pilot, tmp_path, run):
    tasks = tmp_path / "tasks.csv"
    run("plan", pilot, "--next", 10, "--tasks", tasks, "--per-rater", 5)
    lines = tasks.read_text(encoding="utf-8").splitlines()
    answered = [lines[0] + ",outcome", *(f"{line},left" for line in lines[1:])]
    tasks.write_text("\n".join(answered), encoding="utf-8")
    read = read_comparisons(tasks)
    assert len(read) == 10
    assert read.raters is not None


def test_draws_the_curves(pilot, tmp_path, run):
    path = tmp_path / "plan.png"
    done = run("plan", pilot, *OPTIONS, "--plot", path)
    assert done.out.endswith(f"plot: {path}\n")
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "nothing to plan"),
        (["--target-f1", 0.8], "need the number of items to label (--items)"),
        (["--next", 5], "--next and --tasks go together"),
        (["--items", 9, "--budget", 9, "--tasks", "t.csv"], "--next and --tasks go together"),
        (["--next", 5, "--tasks", "none/t.csv"], "no such folder"),
        (["--next", 5, "--tasks", "t.csv", "--plot", "p.png"], "belong to a plan"),
        (
            ["--items", 9, "--budget", 9, "--new-items", "i.csv", "--checks", 0.05],
            "--new-items, --checks: of no use without --next",
        ),
        (
            ["--items", 9, "--budget", 9, "--threshold-diversity", 0.5],
            "--threshold-diversity: of no use without --raters-per-item",
        ),
        (["--items", 9, "--budget", 9, "--plot", "p.gif"], "must end in .png"),
        (["--items", 9, "--target-f1", 2], "between .5, which is chance, and 1, not 2"),
        (["--items", 9, "--budget", 9, "--rating", "elo"], "Known: points, bradley-terry"),
    ],
)
def test_bad_options_end_with_one_message(pilot, tmp_path, monkeypatch, run, options, message):
    monkeypatch.chdir(tmp_path)
    done = run("plan", pilot, *options)
    assert done.code == 2
    assert done.out == ""
    assert message in " ".join(done.err.split())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pilot.csv"]
