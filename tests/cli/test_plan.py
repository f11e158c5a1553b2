"""`headcount plan`: what it prints, draws and writes."""

from __future__ import annotations

import csv
import json

import polars as pl
import polars.testing
import pytest

from headcount.io.comparisons import read_comparisons
from headcount.io.write import write_comparisons
from headcount.pairwise.next_pairs import next_pairs
from headcount.pairwise.plan import plan
from headcount.simulation.labelling import LabellingModel, simulate_comparisons

from .json_page import undocumented

OPTIONS = ["--items", 500, "--target-f1", 0.8, "--repeats", 20, "--seed", 3, "--laws"]


CROWD = [
    "--items", 40, "--target-f1", 0.8, "--repeats", 3, "--json", "--laws",
]  # fmt: skip


@pytest.fixture(scope="module")
def made():
    return simulate_comparisons(LabellingModel(items=24, comparisons=276), seed=1)[0]


@pytest.fixture
def pilot(tmp_path, made):
    path = tmp_path / "pilot.csv"
    write_comparisons(made, path)
    return path


def test_prints_what_python_says_in_80_columns(pilot, run, monkeypatch):
    monkeypatch.chdir(pilot.parent)  # its whole path is longer than a line
    pilot = pilot.name
    done = run("plan", "comparisons", pilot, *OPTIONS)
    assert done.code == 0
    wanted = plan(read_comparisons(pilot), items=500, target_f1=0.8, repeats=20, seed=3, laws=True)
    assert done.out.startswith(str(wanted).partition("\nNext:")[0])
    shown = " ".join(done.out.replace("\\\n", "").split())
    assert "--items ITEMS.csv -o tasks.csv --until 'labels 0.8'" in shown
    assert [line for line in done.out.splitlines() if len(line) > 80] == []
    assert done.err == ""
    detailed = " ".join(run("plan", "comparisons", pilot, *OPTIONS, "--details").out.split())
    assert "caution: 500 items are 20.8 times the 24 of the largest set" in detailed


def test_quiet_prints_the_answer_and_what_speaks_against_it(pilot, tmp_path, run):
    options = ["--items", 500, "--budget", 900, "--repeats", 3, "-q", "--laws"]
    done = run("plan", "comparisons", pilot, *options)
    said = " ".join(done.out.split())
    assert said.startswith("With 900 comparisons, 500 items get an f1 of 0.")
    assert "(1 caution)" in said
    assert "Pilot:" not in said


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_rows_are_the_curves_or_the_tasks(pilot, tmp_path, run, ending):
    path = tmp_path / f"rows.{ending}"
    options = ["--items", 500, "--budget", 900, "--repeats", 2, "--laws"]
    done = run("plan", "comparisons", pilot, *options, "-o", path)
    assert done.out.endswith(f"rows: {path}\n")
    readers = {"csv": pl.read_csv, "jsonl": pl.read_ndjson, "parquet": pl.read_parquet}
    wanted = plan(pilot, items=500, budget=900, repeats=2).to_frame("polars")
    polars.testing.assert_frame_equal(readers[ending](path), wanted)
    run("plan", "pairs", pilot, "--number", 9, "-o", path)
    assert readers[ending](path).columns == ["left", "right", "kind"]


def test_one_task_a_rater_is_told_of(pilot, tmp_path, run):
    tasks = tmp_path / "t.csv"
    options = ["--number", 9, "-o", tasks, "--per-rater", 1, "--checks", 0.2]
    said = " ".join(run("plan", "pairs", pilot, *options, "--details").out.split())
    assert f"9 comparisons to ask for, from 9 raters; written to {tasks}." in said
    assert "caution: With one task per rater, checks go to others" in said
    assert run("plan", "pairs", pilot, *options, "--json").json["tasks"]["number"] == 9


def test_laws_are_told_only_if_asked_for(pilot, run):
    told = run("plan", "comparisons", pilot, "--items", 500, "--budget", 900, "--json").json
    assert told["items"] == 500
    assert told["growth"] is None


def test_a_pilot_in_pieces_is_told_with_the_command_that_joins_it(tmp_path, run):
    path = tmp_path / "pieces.csv"
    rows = [f"{a}{i},{a}{j},left" for a in "xy" for i in range(6) for j in range(6) if i != j]
    path.write_text("\n".join(["left,right,outcome", *rows]), encoding="utf-8")
    done = run("plan", "comparisons", path, "--items", 50, "--budget", 90, "--repeats", 2)
    said = " ".join(done.out.split())
    assert "warning: The pilot falls into 2 groups" in said
    assert "headcount plan pairs --number 200" in said


def test_json_is_the_whole_of_stdout_and_has_the_documented_keys(pilot, run):
    done = run("plan", "comparisons", pilot, *CROWD, "--budget", 90)
    told = done.json
    assert set(told) == {
        "items", "target_f1", "budget", "needed", "f1", "cost", "total_cost", "voting", "spread",
        "noise", "clumps", "growth", "pilot", "repeats",
        "level", "seed", "version", "notes", "data", "bootstrap", "warnings", "cautions",
    }  # fmt: skip
    assert (told["items"], told["target_f1"], told["budget"]) == (40, 0.8, 90)
    assert set(told["growth"]) == {"sizes", "laws", "fits", "curves"}
    assert [law["name"] for law in told["growth"]["laws"]] == ["N", "N log N"]
    for law in told["growth"]["laws"]:
        assert set(law) == {"name", "factor", "spread", "comparisons", "f1"}
        assert {"value", "low", "high", "censored"} <= set(law["comparisons"])
    for size in told["growth"]["sizes"]:
        assert set(size) == {"items", "comparisons", "most", "f1"}
    assert not undocumented(told, "plan comparisons")


def test_writes_tasks_that_python_would_choose(pilot, tmp_path, run):
    items = tmp_path / "new.csv"
    items.write_text("item\nx\ny\n", encoding="utf-8")
    tasks = tmp_path / "tasks.csv"
    done = run(
        "plan", "pairs", pilot, "--number", 40, "-o", tasks, "--items", items, "--per-rater", 10,
        "--seed", 5, "--details",
    )  # fmt: skip
    assert done.code == 0
    said = " ".join(done.out.split())
    assert said.startswith(f"40 comparisons to ask for, from 4 raters; written to {tasks}.")
    assert "join: ties a group of items to the others 2 informative:" in said
    assert all(len(line) <= 80 for line in done.out.splitlines() if str(tasks) not in line)
    assert "note: new.csv: 2 items in the column 'item'." in said
    assert done.err == ""
    wanted = next_pairs(read_comparisons(pilot), number=40, items=["x", "y"], per_rater=10, seed=5)
    with tasks.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for name, column in wanted.columns().items():
        assert [row[name] for row in rows] == [str(value) for value in column]
    told = run("plan", "pairs", pilot, "--number", 40, "-o", tasks, "--json").json
    assert told["tasks"]["number"] == 40
    assert told["tasks"]["kinds"] == {"join": 0, "informative": 38, "check": 2}
    assert told["tasks"]["raters"] is None
    assert told["tasks"]["file"] == str(tasks)
    assert len(told["tasks"]["pairs"]) == 40
    assert told["until"] is None
    assert not undocumented(told, "plan pairs")


def test_answers_to_tasks_can_be_read_back(pilot, tmp_path, run):
    tasks = tmp_path / "tasks.csv"
    run("plan", "pairs", pilot, "--number", 10, "-o", tasks, "--per-rater", 5)
    lines = tasks.read_text(encoding="utf-8").splitlines()
    answered = [lines[0] + ",outcome", *(f"{line},left" for line in lines[1:])]
    tasks.write_text("\n".join(answered), encoding="utf-8")
    read = read_comparisons(tasks)
    assert len(read) == 10
    assert read.raters is not None


def test_draws_the_curves(pilot, tmp_path, run):
    path = tmp_path / "plan.png"
    done = run("plan", "comparisons", pilot, *OPTIONS, "--plot", path)
    assert done.out.endswith(f"plot: {path}\n")
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--items", 9], "nothing to plan"),
        (["--target-f1", 0.8], "missing option '--items'"),
        (["--items", "no.csv", "--budget", 9], "no such file: 'no.csv'"),
        (["--items", 9, "--budget", 9, "--checks", 0.05], "no such option: --checks"),
        (["--items", 9, "--budget", 9, "--plot", "p.gif"], "must end in .png"),
        (
            ["--items", 9, "--target-f1", 2],
            "--target-f1 must be a number above 0.5 and below 1, such as 0.8, not 2",
        ),
        (["--items", 10**15, "--budget", 9], "--items must be a whole number from 2 to"),
        (["--items", 9, "--budget", 9, "-o", "rows.txt"], "must end in .csv, .parquet or .jsonl"),
    ],
)
def test_bad_options_end_with_one_message(pilot, tmp_path, monkeypatch, run, options, message):
    refuses("comparisons", pilot, tmp_path, monkeypatch, run, options, message)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "say how many comparisons to choose: --number 200"),
        (["--number", 5], "say where to write the tasks (-o tasks.csv)"),
        (["--number", 5, "-o", "t.csv", "--tasks-for", "label-studio"], "must end in .json"),
        (
            ["--number", 5, "-o", "t.csv", "--tasks-for", "toloka"],
            "Known: rows, label-studio",
        ),
        (["--number", 5, "-o", "t.csv", "--items", "no.csv"], "no such file: 'no.csv'"),
        (["--number", 5, "-o", "t.csv", "--goal", "best"], "unknown goal 'best'"),
        (["--until", "labels 9", "-o", "t.csv"], "--until 'labels 9': the share that is enough"),
        (["--number", 5, "-o", "none/t.csv"], "no such folder"),
        (["--number", 5, "-o", "t.csv", "--target-f1", 0.8], "no such option"),
        (["--number", 0, "-o", "t.csv"], "--number must be a whole number from 1 to 1,000,000"),
    ],
)
def test_bad_options_of_tasks(pilot, tmp_path, monkeypatch, run, options, message):
    refuses("pairs", pilot, tmp_path, monkeypatch, run, options, message)


def refuses(command, pilot, tmp_path, monkeypatch, run, options, message):
    """Nothing is printed or written, and one message says why."""
    monkeypatch.chdir(tmp_path)
    done = run("plan", command, pilot, *options)
    assert done.code == 2
    assert done.out == ""
    assert message in " ".join(done.err.split())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pilot.csv"]


def test_options_of_reading(pilot, tmp_path, run):
    """What is declared missing, or not chosen, is left out of the pilot."""
    lines = pilot.read_text().splitlines()
    marked = [f"{lines[0]},wave", *(f"{line},{1 + i % 2}" for i, line in enumerate(lines[1:]))]
    path = tmp_path / "waves.csv"
    path.write_text("\n".join(marked) + "\n")
    tasks = ("--number", 4, "-o", tmp_path / "tasks.csv", "--json")
    done = run("plan", "pairs", path, *tasks, "--where", "wave=1")
    assert done.code == 0, done.err
    assert f'"not chosen by where": {(len(lines) - 1) // 2}' in done.out


def test_plans_of_ratings(tmp_path, run):
    run("simulate", "running-example", "--items", 60, "--raters", 6, "--seed", 1, "-o", tmp_path)
    ratings, plot = tmp_path / "ratings.csv", tmp_path / "plan.png"
    options = ("--half-width", 0.1, "--cost", 0.1)
    done = run("plan", "agreement", ratings, *options, "--plot", plot, "-o", tmp_path / "rows.csv")
    assert done.out.startswith("To know Krippendorff's alpha (nominal) to within 0.1, have ")
    assert plot.stat().st_size > 1000
    told = run("plan", "agreement", ratings, *options, "--json").json
    assert undocumented(told, "plan agreement") == set()
    best = told["best"]
    assert best["total_cost"] == pytest.approx(0.1 * best["items"] * best["raters"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "give either --half-width 0.1 or --at-least 0.667."),
        (["--half-width", 0.1, "--at-least", 0.6], "or --at-least 0.667, not both."),
        (["--half-width", 0.1, "--budget", 5], "no such option: --budget"),
    ],
)
def test_bad_options_of_a_plan_of_ratings(tmp_path, run, options, message):
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("item,rater,label\n1,a,x\n1,b,y\n2,a,x\n2,b,x\n")
    done = run("plan", "agreement", ratings, *options)
    assert done.code == 2
    assert message in " ".join(done.err.split())


@pytest.mark.parametrize(
    ("options", "lacking"),
    [
        (["--alpha", 0.7, "--n-labels", 2], "such as --n-raters 3."),
        ([], "such as --alpha 0.7, --n-labels 2, --n-raters 3."),
        (["--sets", ","], "--sets needs the ratings of a pilot."),
    ],
)
def test_a_plan_without_a_pilot_asks_only_for_what_is_lacking(run, options, lacking):
    done = run("plan", "agreement", "--half-width", 0.1, *options)
    assert done.code == 2
    assert " ".join(done.err.split()).endswith(lacking)


def test_a_limit_close_to_the_pilots_alpha_is_said_with_the_same_digits(run):
    done = run("plan", "agreement", "example:stars", "--at-least", 0.667)
    assert done.out.count("0.676") == 2
    assert "0.68" not in done.out
    assert "It would take 9,401 items by 3 raters (28,203 ratings)" in done.out


def test_items_to_label_are_told_of_where_they_are(tmp_path, run):
    words = ("plan", "items", "example:votes", "--number", 20)
    screen = " ".join(run(*words).out.split())
    assert "-o FILE.csv writes them" in screen
    assert "items.csv" not in screen
    assert "groups" not in run(*words, "--details").out  # no votes are counted here
    path = tmp_path / "twenty.csv"
    assert f"headcount blind example:votes --gold {path}" in run(*words, "-o", path).out.replace(
        " \\\n     ", ""
    )


def test_one_plan_is_one_number_with_its_cost(pilot, tmp_path, run):
    options = ["--items", 500, "--target-f1", 0.8, "--cost", 0.2, "--seed", 3]
    files = ["--plot", tmp_path / "plan.png", "-o", tmp_path / "c.csv"]
    done = run("plan", "comparisons", pilot, *options, *files)
    said = " ".join(done.out.split())
    assert said.startswith("For an f1 of 0.8, 500 items need about ")
    assert said.count(" items need ") == 1
    detailed = run("plan", "comparisons", pilot, *options, "--details").out
    assert "no separate clumps of items show in the pilot" in " ".join(detailed.split())
    assert "Yes-or-no votes on each item instead would take" in said
    assert "law" not in said
    told = run("plan", "comparisons", pilot, *options, "--json").json
    assert told["needed"]["low"] < told["needed"]["value"] < told["needed"]["high"]
    assert told["total_cost"]["value"] == pytest.approx(0.2 * told["needed"]["value"])
    assert told["voting"]["total_cost"] == pytest.approx(0.2 * told["voting"]["votes"] * 500)
    assert not undocumented(told, "plan comparisons")
    rows = pl.read_csv(tmp_path / "c.csv")
    assert rows.columns == ["comparisons", "f1", "f1_low", "f1_high"]
    assert rows["f1"].is_sorted()


def test_from_a_list_of_items_to_tasks_and_on(tmp_path, run):
    items, tasks = tmp_path / "items.csv", tmp_path / "tasks.csv"
    items.write_text("id,text\n" + "".join(f"t{k},Text {k}\n" for k in range(12)))
    done = run("plan", "pairs", "--items", items, "--number", 24, "-o", tasks, "--cost", 0.5)
    assert done.out.startswith("24 comparisons to ask for, which cost 12; written to")
    first = pl.read_csv(tasks)
    assert first.columns == ["left", "right", "left_text", "right_text", "kind"]
    shuffled = items.read_text().splitlines()
    items.write_text("\n".join([shuffled[0], *shuffled[:0:-1]]) + "\n")
    run("plan", "pairs", "--items", items, "--number", 24, "-o", tasks, "--cost", 0.5)
    assert pl.read_csv(tasks).equals(first)  # the order of rows changes nothing
    files = []
    for k, half in enumerate((first[:12], first[12:])):
        files.append(tmp_path / f"answers-{k}.csv")
        half.with_columns(outcome=pl.lit("left")).write_csv(files[-1])
    until = [*files, "--items", items, "--until", "labels 0.9", "--cost", 0.5, "-o", tasks]
    done = run("plan", "pairs", *until)
    said = " ".join(done.out.split())
    assert said.startswith("Not done: an estimated ")
    assert "further comparisons are needed" in said
    told = run("plan", "pairs", *until, "--json").json
    assert not undocumented(told, "plan pairs", data={"left_text": "", "right_text": ""})
    assert told["until"]["done"] is False
    assert 6 <= told["tasks"]["number"] <= 24  # each item once to four times
    assert len(pl.read_csv(tasks)) == told["tasks"]["number"]


def test_tasks_for_label_studio(tmp_path, run):
    items, tasks = tmp_path / "items.csv", tmp_path / "tasks.json"
    items.write_text('item,text\na,"one\ntwo"\nb,three\nc,four\n')
    run(
        "plan", "pairs", "--items", items, "--number", 2, "-o", tasks, "--tasks-for", "label-studio"
    )
    (one, _) = json.loads(tasks.read_text())
    assert list(one) == ["data"]
    assert list(one["data"]) == ["left", "right", "left_text", "right_text", "kind"]


def test_a_simulated_crowd_answers_tasks(tmp_path, run):
    run("simulate", "pairs", "--items", 30, "-o", tmp_path / "world")
    tasks, answers = tmp_path / "tasks.csv", tmp_path / "answers.csv"
    run("plan", "pairs", "--items", tmp_path / "world" / "truth.csv", "--number", 40, "-o", tasks)
    options = ["--truth", tmp_path / "world" / "truth.csv", "-o", answers, "--raters", 5]
    assert run("simulate", "answers", tasks, *options).code == 0
    once = answers.read_text()
    read = read_comparisons(answers)
    assert len(read) == 40
    assert len(read.raters) <= 5
    run("simulate", "answers", tasks, *options)
    assert answers.read_text() == once
    tasks.write_text("left,right\nx,y\n")
    done = run("simulate", "answers", tasks, *options)
    assert "no true value of 'x', 'y'" in done.err


def test_items_are_placed_step_by_step(tmp_path, run):
    rows = [
        "left,right,outcome",
        *(f"{a},{b},left" for k, a in enumerate("abcde") for b in "abcde"[k + 1 :]),
    ]
    (tmp_path / "other.csv").write_text("\n".join([*rows, "e,a,left", "d,b,left"]))
    one = "\n".join([*rows, "e,a,left"])
    for old, new in zip("abcde", "vwxyz", strict=True):
        one = one.replace(f"{old},", f"{new},")
    (tmp_path / "one.csv").write_text(one.replace("left,right", "left,right", 1))
    tasks = tmp_path / "tasks.csv"
    search = ["--average-of", tmp_path / "one.csv", "--anchors", tmp_path / "other.csv"]
    search += ["--place", 2, "-o", tasks]
    first = run("plan", "pairs", *search)
    assert first.out.startswith(
        "0 of 2 items placed among 5 anchors: 2 comparisons to ask for next"
    )
    answers = tmp_path / "answers.csv"
    pl.read_csv(tasks).with_columns(outcome=pl.lit("left")).write_csv(answers)
    labels = tmp_path / "labels.csv"
    told = run("plan", "pairs", answers, *search, "--labels-out", labels, "--json").json
    assert not undocumented(told, "plan pairs")
    assert [each["answers"] for each in told["items"]] == [1, 1]
    assert told["average"]["low"] < told["average"]["value"]
    assert pl.read_csv(labels).columns == ["item", "rating", "label", "probability"]


def test_answers_from_mechanical_turk_are_read_as_comparisons(tmp_path):
    path = tmp_path / "batch.csv"
    path.write_text(
        "HITId,AssignmentId,WorkerId,AssignmentStatus,Input.left,Input.right,Answer.outcome.label\n"
        "h1,1,w1,Approved,a,b,left\nh2,2,w2,Approved,b,c,tie\nh3,3,w2,Rejected,a,c,right\n"
    )
    read = read_comparisons(path)
    assert read.columns() == {
        "left": ["a", "b"], "right": ["b", "c"], "outcome": ["left", "tie"], "rater": ["w1", "w2"],
    }  # fmt: skip
