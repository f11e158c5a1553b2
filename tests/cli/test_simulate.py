"""`headcount simulate`: files that read back, whole or not at all, and what it prints."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from headcount import DataError, read_predictions, read_ratings
from headcount.cli.simulate import _states
from headcount.io.comparisons import read_comparisons
from headcount.io.write import write_all
from headcount.pairwise.experiment import labelling_experiment
from headcount.simulation.labelling import LabellingModel, simulate_comparisons, simulate_votes
from headcount.simulation.ratings import simulate_ratings
from headcount.simulation.states import DirichletStates, DiscreteStates
from tests.cli.json_page import undocumented

# `headcount simulate ratings`: files that read back, whole or not at all.


def test_files_read_back_as_they_were_made(tmp_path, run):
    done = run(
        *("simulate", "ratings", "-o", tmp_path / "new" / "data"),
        *("--items", 60, "--raters", 7, "--ratings", "2:5", "--missing", 0.1, "--noise", 0.1),
        *("--state", "dirichlet:1,1,0.5", "--labels", "yes,no,unsure", "--seed", 3),
        *("--experts", 2, "--amateur-noise", 0.3, "--classifiers", "hard:1, soft,calibrated:5"),
    )
    assert (done.code, done.err) == (0, "")
    made = simulate_ratings(
        60,
        7,
        states=DirichletStates([1, 1, 0.5]),
        labels=["yes", "no", "unsure"],
        noise=0.1,
        ratings=(2, 5),
        missing=0.1,
        experts=2,
        amateur_noise=0.3,
        classifiers=["hard:1", "soft", "calibrated:5"],
        seed=3,
    )
    folder = tmp_path / "new" / "data"
    names = ["ratings.csv", "predictions.csv", "states.csv", "raters.csv"]
    said = [line.split(": ")[0] for line in done.out.splitlines()]
    assert said == [str(folder / name) for name in names]
    assert "2 experts, 5 amateurs" in done.out
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)

    rated = read_ratings(folder / "ratings.csv", labels=["yes", "no", "unsure"])
    one, two = (
        sorted(zip(each.items[each.item], each.raters[each.rater], each.label, strict=True))
        for each in (rated, made.labels)
    )
    assert one == two
    predicted = read_predictions(folder / "predictions.csv")
    assert [(c.name, c.kind) for c in predicted.classifiers] == [
        ("hard_1", "hard"),
        ("soft", "soft"),
        ("calibrated_5", "soft"),
    ]
    states = read_predictions(folder / "states.csv")
    assert [c.name for c in states.classifiers] == ["state"]
    aligned = predicted.align(("yes", "no", "unsure"), rated_in="ratings").classifiers
    for found, wanted in zip(aligned, made.predictions.classifiers, strict=True):
        np.testing.assert_array_equal(found.probability, wanted.probability)
    (state,) = states.align(("yes", "no", "unsure"), rated_in="ratings").classifiers
    np.testing.assert_array_equal(state.probability, made.states)
    with (folder / "raters.csv").open() as file:
        pools = {row["rater"]: row["pool"] for row in csv.DictReader(file)}
    assert pools == {
        rater: "expert" if rater in made.experts else "amateur" for rater in made.labels.raters
    }


def test_defaults_are_the_running_example_without_pools(tmp_path, run):
    for name in ("one", "two"):
        assert run("simulate", "ratings", "--items", 50, "-o", tmp_path / name).code == 0
    assert not (tmp_path / "one" / "raters.csv").exists()
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
    (state,) = read_predictions(tmp_path / "one" / "states.csv").classifiers
    assert set(state.probability[:, 0]) == {0.8, 0.1, 0.5}
    header = (tmp_path / "one" / "predictions.csv").read_text().splitlines()[0]
    assert header == "item,hard,soft:a,soft:b,calibrated:a,calibrated:b,omniscient:a,omniscient:b"


@pytest.mark.parametrize(
    ("texts", "states"),
    [
        (["0.8,0.2"], DiscreteStates([[0.8, 0.2]])),
        (["0.8,0.2:7", "0,1:3"], DiscreteStates([[0.8, 0.2], [0, 1]], [7, 3])),
        (["beta:2,5"], DirichletStates([2, 5])),
        (["dirichlet:1,1,0.5"], DirichletStates([1, 1, 0.5])),
        ([" 0.9, 0.1 : 0.8 ", "0.5,0.5:0.2"], DiscreteStates([[0.9, 0.1], [0.5, 0.5]], [0.8, 0.2])),
    ],
)
def test_how_states_are_written(texts, states):
    assert _states(texts) == states


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--state", "0.8;0.2"], "--state '0.8;0.2': write probabilities with commas"),
        (["--state", "0.8,0.2:x"], "colon and the share of the items"),
        (["--state", "beta:9,1", "--state", "0.5,0.5"], "--state: a distribution stands alone"),
        (["--state", "0.8,0.2:1:2"], "--state '0.8,0.2:1:2'"),
        (["--state", "0.8,0.2:1,2"], "--state '0.8,0.2:1,2'"),
        (["--state", "beta"], "--state 'beta': write"),
        (["--state", ""], "--state '': write"),
        (["--state", "0.8"], "state 0.8: a state is a probability for each of at least two"),
        (["--state", "beta:1,2,3"], "a Beta distribution has two numbers"),
        (["--state", "betta:1,2"], "did you mean 'beta'? Known: beta, dirichlet"),
        (["--state", "0.8,0.2:0.7", "--state", "0.5,0.5"], "1 of 2 states have a share"),
        (["--ratings", "few"], "--ratings 'few': give a number of ratings"),
        (["--ratings", "3:"], "as in 3:12"),
        (["--ratings", "3:12"], "of the 10 raters"),
        (["--labels", "x:y,z"], "--labels 'x:y,z': 'x:y' would not be read back"),
        (["--labels", "nan,z"], "'nan' would not be read back"),
        (["--labels", "1,1.0"], "a label named twice would not be read back"),
        (["--labels", "a,b,c"], "names 3 labels, but a state has 2"),
        (["--classifiers", "soft,guess"], "unknown classifier 'guess'"),
        (["--classifiers", ","], "unknown classifier ''"),
        (["--seed", "-1"], "of at least 0"),
        (["--items", "1000000000"], "--items must be a whole number from 1 to 10,000,000"),
        (["--missing", "1"], "--missing must be a number from 0 to below 1"),
        (["--amateur-noise", "0.2"], "say with --experts how many of the 10 raters are experts"),
    ],
)
def test_bad_options_write_nothing(tmp_path, run, options, message):
    done = run("simulate", "ratings", "-o", tmp_path / "data", *options)
    assert done.code == 2
    assert message in " ".join(done.err.split())
    assert done.out == ""
    assert not (tmp_path / "data").exists()


def test_help_shows_how_to_write_states(run):
    done = run("simulate", "ratings", "--help")
    assert done.code == 0
    for text in ("beta:2,5", "dirichlet:1,1,0.5", "0.8,0.2:0.7", "calibrated:5", "3:12"):
        assert text in done.out
    assert "\n      headcount simulate ratings" not in done.out
    assert all(len(line) <= 80 for line in done.out.splitlines())


def test_all_files_or_none(tmp_path, run):
    (tmp_path / "states.csv").mkdir()
    done = run("simulate", "ratings", "--items", 5, "-o", tmp_path)
    assert done.code == 2
    assert "states.csv': it is a folder" in " ".join(done.err.split())
    assert [path.name for path in tmp_path.iterdir()] == ["states.csv"]


def test_a_full_disk_leaves_what_was_there(tmp_path):
    (tmp_path / "a.csv").write_text("old")

    def full(path):
        path.write_text("half of")
        raise OSError(28, "No space left on device")

    with pytest.raises(DataError, match=r"cannot write '.*b\.csv': No space left on device"):
        write_all(tmp_path, {"a.csv": lambda path: path.write_text("new"), "b.csv": full})
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.csv", "old")]


def test_a_folder_that_cannot_be_made(tmp_path, run):
    (tmp_path / "file").write_text("")
    done = run("simulate", "ratings", "--items", 5, "-o", tmp_path / "file")
    assert done.code == 2
    assert "cannot make the folder" in " ".join(done.err.split())


# `headcount simulate pairs`: what it writes and what it prints.

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
    made, truth = simulate_comparisons(model, seed=5)
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

    votes, _ = simulate_votes(model, seed=5)
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
    wanted = labelling_experiment(LabellingModel(**OPTIONS), runs=6, seed=2)
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
        (["--rater-bias", "2", "-o", "DATA"], "two positive numbers, as in 2,16"),
        (["--rater-bias", "2,-1", "-o", "DATA"], "two positive numbers"),
        (["--votes", "101", "-o", "DATA"], "of the 100 raters"),
        (["--spammers", "15", "-o", "DATA"], "--spammers must be a number from 0 to"),
        (["--items", "1000000000", "-o", "DATA"], "--items must be a whole number from 2 to 10,0"),
        (["--runs", "0", "-o", "DATA"], "--runs must be a whole number from 1 to 1,000,000"),
        (["--runs", "2", "--k", "-1", "-o", "DATA"], "--k must be a number above 0"),
        (["--seed", "-1", "-o", "DATA"], "of at least 0"),
    ],
)
def test_bad_options_of_pairs_write_nothing(tmp_path, run, options, message):
    folder = tmp_path / "data"
    done = run("simulate", "pairs", *(folder if text == "DATA" else text for text in options))
    assert done.code == 2
    assert message in " ".join(done.err.split())
    assert done.out == ""
    assert not folder.exists()


def test_help_names_every_parameter_and_keeps_its_examples(run):
    done = run("simulate", "pairs", "--help-all")
    assert done.code == 0
    assert all(len(line) <= 80 for line in done.out.splitlines())
    for name in (*OPTIONS, "rater_bias", "runs", "jobs"):
        assert f"--{name.replace('_', '-')}" in done.out
    assert "\n    headcount simulate pairs -o data --spammers 0.2\n" in done.out


def test_an_interrupted_experiment_writes_nothing(tmp_path, run, monkeypatch):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("headcount.pairwise.experiment.labelling_experiment", interrupted)
    done = run("simulate", "pairs", "--runs", 5, "-o", tmp_path / "data")
    assert (done.code, done.out) == (130, "")
    assert not (tmp_path / "data").exists()
