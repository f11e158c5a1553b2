"""`headcount simulate ratings`: files that read back, whole or not at all."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from headcount import DataError, read_predictions, read_ratings
from headcount.cli.simulate import _states
from headcount.io.write import write_all
from headcount.simulation.ratings import (
    DirichletStates,
    DiscreteStates,
    MixtureStates,
    simulate_ratings,
)


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
        rng=3,
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
        (
            [" beta:9, 1 : 0.8 ", "0.5,0.5:0.2"],
            MixtureStates([DirichletStates([9, 1]), DiscreteStates([[0.5, 0.5]])], [0.8, 0.2]),
        ),
        (["beta:9,1", "beta:1,9"], MixtureStates([DirichletStates(a) for a in ([9, 1], [1, 9])])),
    ],
)
def test_how_states_are_written(texts, states):
    assert _states(texts) == states


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--state", "0.8;0.2"], "--state '0.8;0.2': write probabilities with commas"),
        (["--state", "0.8,0.2:x"], "a colon and the share of the items"),
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
        (["--classifiers", ","], "none is named"),
        (["--seed", "-1"], "from 0 on"),
        (["--items", "1000000000"], "--items must be a whole number from 1 to 10,000,000"),
        (["--missing", "1"], "--missing must be a number at least 0 and below 1"),
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
