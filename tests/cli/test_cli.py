"""The command line: what all commands share."""

from __future__ import annotations

import errno
import json
import os
import pty
import re
import shlex
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from headcount import __version__
from headcount.blind_evaluation.methods import METHODS as BLIND_METHODS
from headcount.blind_evaluation.metrics import METRICS
from headcount.cli import flags, start
from headcount.cli.flags import grouped
from headcount.io.write import write_rows
from headcount.pairwise.labels import RULES
from headcount.pairwise.methods import METHODS as RATING_METHODS
from headcount.pairwise.methods import SCALES
from headcount.pairwise.ties import TIES
from tests.cli.json_page import undocumented


@pytest.fixture
def example(tmp_path, run):
    folder = tmp_path / "data"
    done = run("simulate", "running-example", "--items", 200, "--raters", 5, "-o", folder)
    assert done.code == 0
    return folder


def test_simulate_writes_what_it_says(tmp_path, run):
    for name in ("one", "two"):
        run(
            "simulate",
            "running-example",
            "--items",
            40,
            "--raters",
            3,
            "--seed",
            7,
            "-o",
            tmp_path / name,
        )
    files = sorted(p.name for p in (tmp_path / "one").iterdir())
    assert files == ["predictions.csv", "ratings.csv"]
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    header = (tmp_path / "one" / "predictions.csv").read_text().splitlines()[0]
    assert header == "item,hard,calibrated:cat,calibrated:dog,omniscient:cat,omniscient:dog"
    assert len((tmp_path / "one" / "ratings.csv").read_text().splitlines()) == 1 + 40 * 3


def test_survey_answers_in_a_sentence_and_a_table(example, run):
    files = (example / "ratings.csv", "--predictions", example / "predictions.csv")
    first = run("survey", *files)
    assert first.code == 0
    assert re.match(r"omniscient is worth more than 6 raters", first.out)
    assert "200 items, 5 ratings each" in first.out
    done = run("survey", *files, "--details")
    assert done.code == 0
    assert "5 ratings each" in done.out
    assert re.search(r"^hard +-0\.\d+ .* \d\.\d\d \(", done.out, re.MULTILINE)
    assert "'hard' (empirical)" in " ".join(done.out.split())
    assert "read as long" in done.out.split("\n\n")[-1]
    assert all(len(line) <= 80 for line in done.out.splitlines())
    assert done.err == ""


def test_json_is_one_document_and_is_documented(example, run):
    done = run(
        "survey", example / "ratings.csv", "--predictions", example / "predictions.csv", "--json",
        "--seed", 3, "--bootstrap", 50, "--level", 0.9,
    )  # fmt: skip
    document = json.loads(done.out)
    assert document["seed"] == 3
    assert document["bootstrap"] == 50
    assert document["items"] == {"used": 200, "dropped": 0}
    assert document["ratings"] == {"min": 5, "median": 5, "max": 5}
    assert document["labels"] == ["cat", "dog"]
    assert [point["k"] for point in document["curve"]] == [0, 1, 2, 3, 4]
    first = document["classifiers"][0]
    assert set(first) == {
        "name",
        "calibration",
        "score",
        "gain",
        "worth",
        "integer_worth",
        "like_these",
        "p_beats",
        "with_rater",
        "performance_ratio",
    }
    assert first["worth"]["low"] <= first["worth"]["value"]
    assert first["worth"]["censored"] is None
    assert [c["calibration"] for c in document["classifiers"]] == ["empirical", None, None]
    assert done.err == ""
    assert document["data"]["items"] == document["items"]
    assert document["data"]["ratings"] == 1000
    assert not undocumented(document, "survey")


def test_rows_quiet_and_short_options(example, run):
    ratings, predictions = example / "ratings.csv", example / "predictions.csv"
    long = run("survey", ratings, "--predictions", predictions, "--bootstrap", 20)
    short = run(
        "survey", ratings, "-p", predictions, "--bootstrap", 20, "-o", example / "rows.csv"
    )  # fmt: skip
    assert short.out == f"{long.out}rows: {example / 'rows.csv'}\n"
    rows = (example / "rows.csv").read_text().splitlines()
    assert rows[0].startswith("kind,name,raters,raters_low,raters_high,score")
    assert [row.split(",")[0] for row in rows[1:]] == [
        *["survey"] * 5,
        "ceiling",
        *["classifier"] * 3,
    ]
    quiet = run("survey", ratings, "-p", predictions, "--bootstrap", 20, "-q").out
    answer, cautions = quiet.rstrip().rsplit(" (", 1)
    assert long.out.startswith(answer)
    assert cautions.endswith(" cautions)")
    assert "predictor" not in quiet
    refused = run("survey", ratings, "-o", example / "rows.txt")
    assert (refused.code, refused.out) == (2, "")
    assert "must end in" in refused.err


def test_messages_name_flags(example, run):
    done = run("survey", example / "ratings.csv", "--panels")
    assert done.code == 2
    assert "--panels needs what classifiers say" in " ".join(done.err.split())
    assert "--predictions" in done.err
    done = run("survey", example / "ratings.csv", "--max-k", 0)
    assert "--max-k must be a whole number of at least 1" in " ".join(done.err.split())
    sampled = run(
        "survey", example / "ratings.csv", "--samples", 200, "--no-ceiling", "-p",
        example / "predictions.csv", "--calibrate", "isotonic", "--bootstrap", 5, "--json",
    ).json  # fmt: skip
    assert (sampled["method"], sampled["ceiling"]) == ("sampled", None)
    assert "calibrated (isotonic)" in [c["name"] for c in sampled["classifiers"]]


def test_curve_alone(example, run):
    done = run("survey", example / "ratings.csv", "--bootstrap", 0, "--json")
    assert done.json["classifiers"] == []
    assert done.json["curve"][1]["score"]["low"] is None
    text = run(
        "survey", example / "ratings.csv", "--combiner", "plurality", "--scorer", "agreement"
    )
    said = "4 raters predict the next rater better than a guess without raters: accuracy is\n0."
    assert text.out.startswith(said)


@pytest.mark.parametrize(
    ("suffix", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_plot_formats(example, run, suffix, magic):
    path = example / f"plot.{suffix}"
    done = run(
        "survey", example / "ratings.csv", "--predictions", example / "predictions.csv",
        "--plot", path, "--bootstrap", 20,
    )  # fmt: skip
    assert done.code == 0
    assert path.read_bytes().startswith(magic)
    assert f"plot: {path}" in done.out
    assert sorted(p.suffix for p in example.iterdir()) == sorted([".csv", ".csv", f".{suffix}"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--scorer", "crossentropy"], "did you mean 'cross-entropy'? Known: "),
        (
            ["--combiner", "bayes"],
            "unknown combiner 'bayes'. Known: states, abc, frequency, plurality, mean.",
        ),
        (["--max-k", "0"], "--max-k"),
        (["--seed", "-1"], "--seed"),
        (["--max-k", "5"], "Ask for at most 4."),
        (["--plot", "plot.gif"], "must end in .png, .svg or .pdf"),
        (["--plot", "no/such/folder/plot.png"], "no such folder"),
        (["--label", "lab"], "no column 'lab' for the label. Did you mean 'label'?"),
        (["--duplicates", "last"], "Known: error, first."),
        (["--labels", "cat,cow"], "label 'dog' is not among the declared labels"),
        (["--bootstrap", "many"], "invalid value for '--bootstrap'"),
    ],
)
def test_bad_options_exit_2_with_one_message(example, run, options, message):
    before = sorted(example.iterdir())
    done = run("survey", example / "ratings.csv", *options)
    assert done.code == 2
    assert done.out == ""
    assert message in " ".join(done.err.split())
    assert "Traceback" not in done.err
    assert sorted(example.iterdir()) == before


@pytest.mark.parametrize(
    "words",
    [
        "agree people.csv -o people.csv",
        "agree people.csv -o sub/../people.csv",
        "agree people.csv -o soft.csv",
        "agree people.csv -o hard.csv",
        "agree soft.csv -o people.csv",
        "agree people.csv --engine duckdb -o people.csv",
        "agree 'sub/*.csv' --glob -o sub/more.csv",
        "agree people.csv --plot people.csv",
        "agree people.csv --plot new.svg -o new.svg",
        "blind people.csv -o people.csv",
        "consensus people.csv -o labels.csv --workers-out labels.csv",
        "consensus people.csv -o people.csv",
        "judge people.csv predictions.csv -o predictions.csv",
        "look people.csv -o people.csv",
        "pairs comparisons.csv -o comparisons.csv",
        "plan pairs comparisons.csv --items 9 --number 3 -o comparisons.csv",
        "report people.csv predictions.csv -o predictions.csv",
        "survey people.csv -p predictions.csv --plot predictions.csv",
    ],
)
def test_no_output_overwrites_an_input(tmp_path, run, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    names = ("people.csv", "predictions.csv", "comparisons.csv", "sub/more.csv")
    for name in names:
        Path(name).write_text("item,rater,label\n1,a,x\n1,b,x\n2,a,y\n2,b,x\n")
    Path("soft.csv").symlink_to("people.csv")
    Path("hard.csv").hardlink_to("people.csv")
    before = {name: Path(name).read_bytes() for name in names}
    done = run(*shlex.split(words))
    assert done.code == 2
    assert "nothing was written" in " ".join(done.err.split())
    assert {name: Path(name).read_bytes() for name in names} == before
    assert not Path("new.svg").exists()
    assert not Path("labels.csv").exists()


def test_unreadable_output_folder(tmp_path, run):
    (tmp_path / "file").write_text("")
    done = run("simulate", "running-example", "-o", tmp_path / "file")
    assert done.code == 2
    assert "cannot make the folder" in done.err


def test_version_and_help(run):
    assert run("--version").out == f"headcount {__version__}\n"
    done = run("survey", "--help")
    assert done.code == 0
    for option in ("--predictions", "--combiner", "--max-k", "--json", "--plot", "--help-all"):
        assert option in done.out
    assert "--duplicates" not in done.out
    whole = run("survey", "--help-all")
    assert whole.code == 0
    assert "--duplicates" in whole.out


@pytest.mark.parametrize("command", ["look", "judge", "survey", "agree", "blind", "pairs"])
def test_help_shows_what_most_people_need(command, run):
    flags = [
        len(re.findall(r"^  (?:-\w, )?--[a-z]", run(command, page).out, re.MULTILINE))
        for page in ("--help", "--help-all")
    ]
    assert flags[0] <= 30
    assert flags[0] < flags[1]


COMMANDS = [
    "survey", "agree", "blind", "consensus", "rate", "pairs", "plan agreement", "plan comparisons",
    "plan pairs", "plan items", "simulate pairs", "simulate ratings",
]  # fmt: skip


def test_help_lists_the_options_that_it_names(run):
    """Of its own command, and of others that it writes out: headcount agree --duplicates."""
    hidden: list[str] = []
    for command in [*COMMANDS, "look", "judge", "collect", "report"]:
        text = run(*command.split(), "--help").out
        own = re.findall(r"--[a-z][\w-]+", re.sub(r"`headcount .*?`", "", text, flags=re.DOTALL))
        named = {(command, flag) for flag in own} | {
            (other, flag) for other, flag in re.findall(r"`headcount (\w+)\s+(--[\w-]+)", text)
        }
        for other, flag in sorted(named):
            shown = run(*other.split(), "--help").out if other != command else text
            every = run(*other.split(), "--help-all").out
            listed = rf"^  (?:-\w, )?(?:--[\w-]+ / )?{flag}\b"
            if re.search(listed, every, re.M) and not re.search(listed, shown, re.M):
                hidden.append(f"headcount {command} --help: {other} {flag}")
    assert not hidden


@pytest.mark.parametrize("command", [*COMMANDS, "simulate answers", "look", "judge", "collect"])
def test_examples_of_the_help_run_when_pasted(run, command):
    """A line that goes on says so; otherwise the shell runs half of the command."""
    shown = run(*command.split(), "--help").out.partition("\nOptions:")[0]
    cut = re.findall(r"^ +(headcount .*[^\\\n])\n +-", shown, re.MULTILINE)
    assert not cut


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_and_names_values_in_ordinary_words(run, command):
    shown = run(*command.split(), "-h").out
    assert max(map(len, shown.splitlines())) <= 80
    assert not re.search(r"<\w+>", shown)
    if not command.startswith("simulate"):
        assert shown.index("\nOptions:") < shown.index("\nReading the file:")
        assert shown.index("\nReading the file:") < shown.index("\nOutput:")


@pytest.mark.parametrize(
    ("command", "kinds"),
    [
        ("blind", [*BLIND_METHODS, *METRICS]),
        ("pairs", [each.name for kinds in (RATING_METHODS, TIES, SCALES) for each in kinds]),
        ("pairs", [each.name for each in RULES]),
    ],
)
def test_help_names_all_kinds(run, command, kinds):
    """Help does not import the lists of kinds, which would take long; so it is compared."""
    shown = re.sub(r"-\s+", "-", run(command, "--help").out)
    assert not [name for name in kinds if not re.search(rf"(?<![\w-]){name}(?![\w-])", shown)]


@pytest.mark.parametrize("command", [[], ["plan"], ["simulate"]])
def test_lists_of_commands_are_not_cut_off(run, command):
    assert "..." not in run(*command, "--help").out.split("Commands:")[1]


def test_installed_command_and_progress_on_a_terminal(example):
    """The console script works, and a terminal sees progress but stdout stays clean."""
    leader, follower = pty.openpty()
    command = Path(sys.executable).parent / "headcount"
    arguments = ["survey", example / "ratings.csv", "--predictions", example / "predictions.csv"]
    shown: list[bytes] = []

    def watch() -> None:
        # A terminal holds little: what is not read would stop the command.
        while True:
            try:
                shown.append(os.read(leader, 4096))
            except OSError:
                return

    watcher = threading.Thread(target=watch)
    watcher.start()
    done = subprocess.run(
        [command, *arguments, "--json"], stdout=subprocess.PIPE, stderr=follower, check=True
    )
    os.close(follower)
    watcher.join(timeout=60)
    os.close(leader)
    assert json.loads(done.stdout)["combiner"] == "states"
    assert b"bootstrap" in b"".join(shown)


@pytest.mark.parametrize("stream", ["1", "2"])
def test_a_closed_stream_is_no_traceback(tmp_path, stream):
    (tmp_path / "r.csv").write_text("item,ann,bob\na,x,y\nb,y,y\nc,x,x\n")
    (tmp_path / "bad.csv").write_text("item\n")
    for name, code in (("r.csv", 0), ("bad.csv", 2)):
        command = f"{shlex.quote(sys.executable)} -m headcount agree {name} {stream}>&-"
        done = subprocess.run(command, shell=True, capture_output=True, cwd=tmp_path, check=False)
        assert (done.returncode, b"Traceback" in done.stderr + done.stdout) == (code, False)


def test_every_option_of_survey_from_the_outside(tmp_path, run):
    """Experts, several reference raters, known states, calibration, sampling, plots."""
    folder = tmp_path / "data"
    made = run(
        "simulate", "ratings", "--items", 60, "--raters", 9, "--experts", 4,
        "--amateur-noise", 0.3, "--labels", "yes,no", "-o", folder,
    )  # fmt: skip
    assert made.code == 0, made.err
    ratings, predictions = folder / "ratings.csv", ("--predictions", folder / "predictions.csv")
    quick = ("--bootstrap", 20, "--json")
    experts = run("survey", ratings, "--experts", folder / "raters.csv", *predictions, *quick)
    assert experts.code == 0, experts.err
    assert len(experts.json["experts"]["amateurs"]) == 6
    several = run("survey", ratings, "--reference", 3, *predictions, *quick).json
    assert (several["reference_raters"], several["max_k"]) == (3, 6)
    against = run(
        "survey", ratings, "--reference", folder / "states.csv", *predictions, *quick
    ).json
    assert against["reference"] == "the known state"
    calibrated = ("survey", ratings, *predictions, "--calibrate", "empirical", "--bootstrap", 20)
    names = [c["name"] for c in run(*calibrated, "--json").json["classifiers"]]
    assert "hard (empirical)" in names
    text = run(*calibrated, "--details").out
    assert "more pairs, in 'comparisons' of the result" in text
    assert all(len(line) <= 80 for line in text.split("\n\n", 1)[1].splitlines())
    f1 = run(
        "survey", ratings, *predictions, "--combiner", "plurality", "--scorer", "f1",
        "--positive", "yes", "--samples", 200, *quick,
    ).json  # fmt: skip
    assert (f1["positive"], f1["method"], f1["unit"]) == ("yes", "sampled", "of 'yes'")


def test_a_pattern_without_quotes(run, tmp_path):
    paths = [tmp_path / f"{name}.csv" for name in "abc"]
    for path in paths:
        path.write_text("item,rater,label\n1,x,a\n")
    err = run("survey", *paths, "--glob").err
    assert "--glob takes one pattern, and there are 3 files" in " ".join(err.split())
    err = run("blind", *paths, "--glob").err
    assert "3 files, and the command takes one" in err
    assert "*.csv' --glob" in " ".join(err.split())
    assert "extra argument" in run("blind", *paths[:2]).err


@dataclass(frozen=True, kw_only=True)
class Reading:
    where: Annotated[list[str] | None, typer.Option(help="Rows.")] = None
    format: Annotated[str | None, typer.Option("--format", help="Format.")] = None


def command(
    context: typer.Context,
    *,
    file: Annotated[str, typer.Argument()],
    level: float = 0.95,
    reading: Reading,
    quiet: Annotated[bool, typer.Option("-q")] = False,
) -> None:
    """Show what was given."""
    typer.echo(f"{context.info_name} {file} {level} {reading} {quiet}")


@pytest.fixture
def app() -> typer.Typer:
    app = typer.Typer(rich_markup_mode=None)
    app.command("it")(grouped(command))
    return app


def test_the_command_is_given_its_groups(app):
    done = CliRunner().invoke(app, ["a.csv", "--where", "x=1", "--where", "y=2", "-q"])
    assert done.output == f"it a.csv 0.95 {Reading(where=['x=1', 'y=2'])} True\n"


def test_options_stand_in_the_help_where_the_group_stands(app):
    text = CliRunner().invoke(app, ["--help"]).output
    assert "Show what was given." in text
    places = [text.index(flag) for flag in ("--level", "--where", "--format", "-q")]
    assert places == sorted(places)


# The options of commands that say how a file of ratings is read.

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
    assert "--missing 99,-1 for no answer" in said
    assert "--labels -1,99,Yes,no,yes to count them as labels" in said


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
    command = said.partition("or say ")[2].partition(" for no answer")[0]
    assert shlex.split(command) == ["--missing", word]


def test_a_file_that_is_given_already_is_not_suggested_for_another(run, tmp_path):
    people = tmp_path / "judges.csv"
    people.write_text("item,ann,bob\n1,x,y\n2,x,x\n")
    wrong = tmp_path / "judgs.csv"
    assert "Did you mean" not in run("judge", people, wrong).err
    assert "Did you mean" not in run("judge", wrong, people).err
    assert "Did you mean" not in run("agree", wrong, people).err
    assert f"Did you mean '{people}'?" in " ".join(run("agree", wrong).err.split())


def test_commands_of_next_steps_stand_whole_on_their_lines(run, tmp_path):
    folder = tmp_path / "a folder with a name that does not fit on a line of a terminal"
    folder.mkdir()
    for name in ("stars", "judge"):
        text = run("look", f"example:{name}", "-o", folder / f"{name}.csv")
        assert text.code == 0, text.err
    lines = run("look", folder / "stars.csv", "example:judge").out.splitlines()
    start = lines.index("Next:")
    assert lines[start + 1].startswith("  headcount judge ")
    assert all(line.endswith("\\") for line in lines[start + 1 : start + 2])
    rows = run("plan", "items", "example:votes", "--number", 9, "-o", tmp_path / "next.csv")
    assert f"--gold {tmp_path / 'next.csv'}" in rows.out.replace("\\\n      ", "")


def test_commands_for_windows_are_quoted_for_its_shells(monkeypatch):
    monkeypatch.setattr(flags, "WINDOWS", True)
    step = {"verb": "agree", "data": "my file.csv", "files": {}, "options": {"missing": ["99"] * 9}}
    said = flags.broken(flags.shell({**step, "more": [f"other ratings {n}.csv" for n in range(9)]}))
    assert said.startswith('headcount agree "my file.csv" "other ratings 0.csv" ')
    assert not {"'", "\\", "\n"} & set(said)


def test_an_end_of_the_reader_is_told_from_a_failure_on_windows(monkeypatch):
    ended = OSError(errno.EINVAL, "Invalid argument")
    assert not start._is_unread(ended)
    monkeypatch.setattr(start, "WINDOWS", True)
    assert start._is_unread(ended)
    assert start._is_unread(BrokenPipeError())
    assert not start._is_unread(OSError(errno.EINVAL, "Invalid argument", "a?.csv"))
    assert not start._is_unread(OSError(errno.ENOSPC, "No space left on device"))


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
def test_the_end_of_a_command_is_silent(name, tmp_path):
    """With the database, which counts at the end what is left of it, and without."""
    path = tmp_path / name
    write_rows({"item": ["a", "b"] * 3, "rater": [*"xxyyzz"], "label": [*"nynyyn"]}, path)
    words = [sys.executable, "-m", "headcount", "look", str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
