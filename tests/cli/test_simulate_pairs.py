"""`headcount simulate pairs`: what it writes and what it prints."""

from __future__ import annotations

import csv

import pytest

from headcount.io.comparisons.comparisons import read_comparisons
from headcount.io.ratings.ratings import read_ratings
from headcount.pairwise.experiments.experiment import labelling_experiment
from headcount.simulation.labelling import LabellingModel, simulate_comparisons, simulate_votes

from .json_page import undocumented

OPTIONS = {
    "items": 30,
    "raters": 12,
    "perception_ambiguity": 0.7,
    "comparison_ambiguity": 0.2,
    "threshold_diversity": 0.9,
    "spammers": 0.25,
    "votes": 4,
    "comparisons": 200,
}
ARGUMENTS = [
    text for name, value in OPTIONS.items() for text in (f"--{name.replace('_', '-')}", value)
]


def rows(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_files_hold_what_was_simulated(tmp_path, run):
    folder = tmp_path / "new" / "data"
    done = run("simulate", "pairs", "-o", folder, *ARGUMENTS, "--rater-bias", "2,16", "--seed", 5)
    assert (done.code, done.err) == (0, "")
    names = ["comparisons.csv", "votes.csv", "truth.csv", "raters.csv"]
    said = [line.split(": ")[0] for line in done.out.splitlines()]
    assert said == [str(folder / name) for name in names]
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)

    model = LabellingModel(**OPTIONS, rater_bias=(2, 16))
    made, truth = simulate_comparisons(model, rng=5)
    table = rows(folder / "comparisons.csv")
    assert list(table[0]) == ["left", "right", "outcome", "rater"]
    assert {row["outcome"] for row in table} == {"left", "right", "tie"}
    read = read_comparisons(folder / "comparisons.csv")

    def answers(compared):
        """What was said, in any order."""
        columns = compared.items[compared.left], compared.items[compared.right]
        rows = *columns, compared.outcome, compared.raters[compared.rater]
        return sorted(zip(*rows, strict=True))

    assert answers(read) == answers(made)

    votes, _ = simulate_votes(model, rng=5)
    voted = read_ratings(folder / "votes.csv")
    assert voted.scale.labels == ("negative", "positive")
    for one, two in zip(*(
        sorted(zip(each.items[each.item], each.raters[each.rater], each.label, strict=True))
        for each in (voted, votes)
    ), strict=True):  # fmt: skip
        assert one == two

    items, people = rows(folder / "truth.csv"), rows(folder / "raters.csv")
    assert list(items[0]) == ["item", "theta", "label", "feature"]
    assert list(people[0]) == ["rater", "threshold", "weight", "spammer"]
    assert [float(row["theta"]) for row in items] == truth.theta.tolist()
    assert [row["label"] == "positive" for row in items] == truth.label.tolist()
    assert [row["feature"] == "1" for row in items] == truth.feature.tolist()
    assert [float(row["threshold"]) for row in people] == truth.threshold.tolist()
    assert [float(row["weight"]) for row in people] == truth.weight.tolist()
    assert [row["spammer"] == "1" for row in people] == truth.spammer.tolist()
    assert sum(truth.spammer) == 3


def test_runs_are_printed_in_80_columns(run):
    done = run("simulate", "pairs", "--runs", 6, *ARGUMENTS, "--seed", 2)
    assert (done.code, done.err) == (0, "")
    assert all(len(line) <= 80 for line in done.out.splitlines())
    wanted = labelling_experiment(LabellingModel(**OPTIONS), runs=6, rng=2)
    assert done.out == f"{wanted}\n"
    for method in ("majority", "elo", "bradley-terry"):
        assert method in done.out


def test_quiet_prints_who_is_better(run):
    done = run("simulate", "pairs", "--runs", 3, *ARGUMENTS, "-q")
    assert " ".join(done.out.split()).startswith("elo, 200 comparisons: f1 is higher than that of")
    assert "Intervals" not in done.out


def test_json_is_one_document(tmp_path, run):
    arguments = ("--items", 40, "--comparisons", "60, 120", "--runs", 5, "--k", 32, "--epochs", 3)
    done = run("simulate", "pairs", *arguments, "--level", 0.8, "--json", "-o", tmp_path / "data")
    assert done.code == 0
    assert "comparisons.csv" in done.err
    told = done.json
    assert set(told) == {
        *("methods", "differences", "model", "k", "epochs", "runs", "level", "version", "notes"),
        *("seed", "data", "bootstrap", "warnings", "cautions"),
    }
    assert (told["k"], told["epochs"], told["runs"], told["level"], told["seed"]) == (
        32,
        3,
        5,
        0.8,
        1,
    )
    assert told["model"]["items"] == 40
    assert not undocumented(told, "simulate pairs", data=told["model"])
    assert [(row["method"], row["tasks"]) for row in told["differences"]] == [
        ("elo", 60),
        ("elo", 120),
        ("bradley-terry", 60),
        ("bradley-terry", 120),
    ]
    assert set(told["methods"][0]) == {"method", "tasks", "f1", "f1_negative", "accuracy", "bias"}
    assert set(told["methods"][0]["f1"]) == {"value", "low", "high", "standard_error"}
    assert len(rows(tmp_path / "data" / "comparisons.csv")) == 120
    again = run("simulate", "pairs", *arguments, "--level", 0.8, "--json", "--jobs", 1)
    assert again.json == told


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "nothing to do: give a folder"),
        (["--json", "-o", "DATA"], "say in how many runs (--runs)"),
        (["--comparisons", "10,20", "-o", "DATA"], "several numbers are for --runs"),
        (["--comparisons", "few", "-o", "DATA"], "--comparisons 'few': give a number"),
        (["--comparisons", "10,", "-o", "DATA"], "--comparisons '10,'"),
        (["--comparisons", "200000", "-o", "DATA"], "512 items make 130,816 pairs"),
        (["--rater-bias", "2", "-o", "DATA"], "--rater-bias '2': give the two numbers"),
        (["--rater-bias", "2,-1", "-o", "DATA"], "two positive numbers"),
        (["--votes", "101", "-o", "DATA"], "of the 100 raters"),
        (["--spammers", "15", "-o", "DATA"], "--spammers must be a number at least 0 and at most"),
        (["--items", "1000000000", "-o", "DATA"], "--items must be a whole number from 2 to 10,0"),
        (["--runs", "0", "-o", "DATA"], "--runs must be a whole number from 1 to 1,000,000"),
        (["--runs", "2", "--k", "-1", "-o", "DATA"], "--k must be a number above 0"),
        (["--seed", "-1", "-o", "DATA"], "from 0 on"),
    ],
)
def test_bad_options_write_nothing(tmp_path, run, options, message):
    folder = tmp_path / "data"
    done = run("simulate", "pairs", *(folder if text == "DATA" else text for text in options))
    assert done.code == 2
    assert message in " ".join(done.err.split())
    assert done.out == ""
    assert not folder.exists()


def test_help_names_every_parameter_and_keeps_its_examples(run):
    done = run("simulate", "pairs", "--help")
    assert done.code == 0
    assert all(len(line) <= 80 for line in done.out.splitlines())
    for name in (*OPTIONS, "rater_bias", "runs", "jobs"):
        assert f"--{name.replace('_', '-')}" in done.out
    assert "\n    headcount simulate pairs -o data --spammers 0.2\n" in done.out


def test_an_interrupted_experiment_writes_nothing(tmp_path, run, monkeypatch):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(
        "headcount.pairwise.experiments.experiment.labelling_experiment", interrupted
    )
    done = run("simulate", "pairs", "--runs", 5, "-o", tmp_path / "data")
    assert (done.code, done.out) == (130, "")
    assert not (tmp_path / "data").exists()
