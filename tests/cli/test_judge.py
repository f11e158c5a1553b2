from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from headcount.cli.judge import with_usual

from .json_page import undocumented

FEW = ("--bootstrap", 20)


def write(path: Path, *, items: int, coin: bool, seed: int = 1) -> tuple[Path, Path]:
    """People, and a judge who is one of them or flips coins."""
    rng = np.random.default_rng(seed)
    state = rng.beta(0.4, 0.4, items)
    people = np.where(rng.random((3, items)) < state, "yes", "no")
    judge = np.where(rng.random(items) < (0.5 if coin else state), "yes", "no")
    rated, judged = path / "people.csv", path / "judge.csv"
    rows = [f"{i},{','.join(people[:, i])}" for i in range(items)]
    rated.write_text("\n".join(["item,ann,bob,eve", *rows]) + "\n")
    judged.write_text("\n".join(["item,gpt", *(f"{i},{x}" for i, x in enumerate(judge))]) + "\n")
    return rated, judged


def call(*words: object) -> subprocess.CompletedProcess[str]:
    """Run the command as a shell does."""
    line = [sys.executable, "-m", "headcount", "judge", *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, check=False, timeout=300)


LIKE, FIVE = ("--agree-like-a-person",), ("--worth-at-least", 5)


@pytest.mark.parametrize(
    ("items", "coin", "gate", "code", "begins"),
    [
        (200, False, LIKE, 0, "headcount judge: pass: gpt is ready: it agrees with people"),
        (200, True, LIKE, 1, "headcount judge: fail: gpt is NOT ready: it agrees less"),
        (20, False, LIKE, 3, "headcount judge: cannot tell: Too few items for a verdict on gpt"),
        (200, True, (), 0, "People agree weakly"),
        (200, False, ("--worth-at-least", "x"), 2, ""),
    ],
    ids=["pass", "fail", "cannot tell", "no gate", "bad input"],
)
def test_exit_codes(tmp_path, items, coin, gate, code, begins):
    done = call(*write(tmp_path, items=items, coin=coin), *gate, *FEW, "-q")
    assert done.returncode == code, done.stderr
    assert done.stdout.startswith(begins)
    if code == 2:
        assert "Traceback" not in done.stderr
        assert "--worth-at-least" in done.stderr
    if gate and code != 2:
        assert len(done.stdout.splitlines()) == 1, "one line for a log"


def test_json_is_documented_and_exits_alike(tmp_path, run):
    files = write(tmp_path, items=60, coin=True)
    done = run("judge", *files, "--worth-at-least", 9, "--json", *FEW)
    assert done.code in (1, 3)
    assert json.loads(done.out)["gate"]["status"] == {1: "fail", 3: "cannot tell"}[done.code]
    data = {"gpt", "ann", "bob", "eve", "yes", "no", "alpha", "rate"}
    assert not undocumented(done.json, "judge", data=data)


def test_card_names_flags_and_fits_the_page(run):
    done = run("judge", "example:ratings", "example:votes", "--details", *FEW)
    assert done.code == 0, done.err
    assert all(len(line) <= 80 for line in done.out.splitlines())
    assert "--json has all" in done.out
    for question in ("Do the people agree?", "Where do they disagree?", "What next?"):
        assert question in done.out


def test_one_file_with_both(tmp_path, run):
    rated, judged = write(tmp_path, items=60, coin=False)
    lines = zip(rated.read_text().splitlines(), judged.read_text().splitlines(), strict=True)
    both = tmp_path / "both.csv"
    topics = ["topic", *["math", "code"] * 30]
    both.write_text(
        "\n".join(f"{a},{b.split(',')[1]},{t}" for (a, b), t in zip(lines, topics, strict=True))
    )
    one = run("judge", both, "--judge", "gpt", "--by", "topic", "--json", *FEW).json
    two = run("judge", rated, judged, "--json", *FEW).json
    assert one["judges"][0]["standing"] == two["judges"][0]["standing"]
    assert {group["group"] for group in one["judges"][0]["disagreement"]["groups"]} == {
        "math",
        "code",
    }
    assert one["by"] == "topic"
    assert "(--judge NAMES)" in " ".join(run("judge", both).err.split())


FIXTURES = Path(__file__).parents[1] / "io" / "tools" / "fixtures"


@pytest.mark.parametrize(
    ("export", "judges"),
    [
        ("label_studio/json_expanded/snapshot.json", {"judge-llm", "tox-bert-v2"}),
        ("argilla/flat_jsonl/records.jsonl", None),
    ],
)
def test_exports_that_hold_predictions(run, export, judges):
    done = run("judge", FIXTURES / export, "--worth-at-least", 1, "--json", *FEW)
    assert done.code == 3, done.err
    found = {one["name"] for one in done.json["judges"]}
    assert found == judges or (judges is None and found)
    assert all(one["conditions"][0]["more_items"] > 0 for one in done.json["judges"])


def test_rows_and_plot(tmp_path, run):
    files = write(tmp_path, items=150, coin=False)
    rows, plot = tmp_path / "rows.csv", tmp_path / "plot.png"
    done = run("judge", *files, "--agree-like-a-person", 1, "-q", "-o", rows, "--plot", plot, *FEW)
    assert done.code == 0, done.err
    assert rows.read_text().startswith("judge,kind,readiness,status,worth")
    assert plot.stat().st_size > 1000


def test_values_that_may_be_left_out():
    words = ["--agree-like-a-person", "--alt-test", "0.1", "a.csv"]
    assert with_usual(words) == ["--agree-like-a-person", "0.2", "--alt-test", "0.1", "a.csv"]
    assert with_usual(["--alt-test=.3", "--alt-test"]) == ["--alt-test=.3", "--alt-test", "0.2"]


def test_merge_reads_what_the_judge_says_as_people_write_it(tmp_path):
    people, judged = write(tmp_path, items=40, coin=False)
    plain = json.loads(call(people, judged, "--json", *FEW).stdout)
    judged.write_text(judged.read_text().replace("yes", "YES").replace("no", "No"))
    merged = json.loads(call(people, judged, "--merge", "case", "--json", *FEW).stdout)
    assert merged["judges"] == plain["judges"]
    assert any("'No' as 'no', 'YES' as 'yes'" in note for note in merged["notes"])


def test_one_file_given_twice_is_one_file(tmp_path):
    people, judged = write(tmp_path, items=30, coin=False)
    rows = zip(people.read_text().split(), judged.read_text().split(), strict=True)
    people.write_text("\n".join(f"{a},{b.split(',')[1]}" for a, b in rows) + "\n")
    once = call(people, "--judge", "gpt", "-q", *FEW)
    assert call(people, people, "--judge", "gpt", "-q", *FEW).stdout == once.stdout
    refused = call(people, people)
    assert refused.returncode == 2
    assert "name the judges (--judge NAMES)" in " ".join(refused.stderr.split())


def test_an_open_gate_names_the_condition_and_the_items(run):
    done = run("judge", "example:ratings", "example:predictions", "--worth-at-least", 1)
    told = " ".join(done.out.split())
    assert done.code == 3
    decide = "it takes 2,200 more items to decide whether keywords is worth at least 1 rater"
    assert told.startswith(f"gate: cannot tell: {decide} (")
    assert "Next: use model" in told  # which meets all
    card = " ".join(run("judge", "example:stars", "example:judge", *FEW).out.split())
    assert "recall of each label not significantly lower not lower" in card


def test_the_detailed_card_says_what_the_short_one_does(run):
    gate = ("--worth-at-least", 1, "--gate")
    told = " ".join(run("judge", "example:stars", "example:judge", *gate, "--details").out.split())
    assert "more items to decide whether judge is worth at least 1 rater" in told
    assert re.search(r"What next\? judge: label about [\d,]+ more items, or lower", told)


def test_true_labels_are_for_another_command(run):
    told = " ".join(run("survey", "example:ratings", "-p", "example:gold").err.split())
    assert "To evaluate with true labels: headcount blind --gold gold.csv. Rename it" in told


def test_the_judge_of_an_export_is_called_by_its_name(run):
    done = run("judge", "example:export", "--judge", "judge", "-q")
    assert "judge is ready" in done.out


def test_a_page_names_flags_in_all_its_parts(run, tmp_path):
    page = tmp_path / "card.html"
    assert run("judge", "example:stars", "example:judge", "-q", "-o", page).code == 0
    text = re.sub("<[^>]+>", "", page.read_text(encoding="utf-8"))
    assert "say --scale NAME" in text  # a note on agreement, which is another command
    assert "scale=..." not in text


def wide(path: Path, name: str, **columns: object) -> Path:
    """Write columns of items, the first of which is their ids."""
    rows = zip(*columns.values(), strict=True)  # type: ignore[arg-type]
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    (path / name).write_text("\n".join(lines) + "\n")
    return path / name


def starred(path: Path, *, items: int = 120, answered: int | None = None) -> tuple[Path, Path]:
    """Three people who give stars, and a judge who gives one more."""
    rng = np.random.default_rng(5)
    state, ids = rng.integers(1, 5, items), [f"i{k}" for k in range(items)]
    people = {who: np.clip(state + rng.integers(-1, 2, items), 1, 5) for who in "abc"}
    judge = np.clip(state + 1 + rng.integers(-1, 2, items), 1, 5)[:answered]
    group = np.where(np.arange(items) % 2, "odd", "even")
    rated = wide(path, "people.csv", item=ids, **people, topic=group)
    return rated, wide(path, "judge.csv", item=ids[:answered], gpt=judge)


def test_people_who_agree_by_chance_leave_no_verdict_and_no_worth(tmp_path, run):
    rng, ids = np.random.default_rng(1), [f"i{k}" for k in range(150)]
    said = rng.choice(list("abc"), (3, 150), p=[0.4, 0.3, 0.3])
    people = wide(tmp_path, "people.csv", item=ids, x=said[0], y=said[1], z=said[2])
    judge = wide(tmp_path, "judge.csv", item=ids, bot=rng.integers(1, 6, 150))
    done = run("judge", people, judge, "--gate", *FEW)
    assert done.code == 3
    assert "No verdict on bot" in " ".join(done.out.split())
    assert "worth" not in done.out.replace("the worth may", "")
    assert "must be" not in done.out
    (card,) = json.loads(run("judge", people, judge, "--json", *FEW).out)["judges"]
    assert card["readiness"] is None
    assert card["status"] == "cannot tell"


def test_the_next_step_after_recalibrating_names_the_file(tmp_path, run):
    fixed = tmp_path / "fixed.csv"
    done = run("judge", *starred(tmp_path), "--ignore", "topic", "--recalibrate", fixed, *FEW)
    said = " ".join(done.out.split())
    assert "fixed.csv on the same items: each label was mapped without its own item." in said
    assert "Once recalibrated it is worth" not in said


def test_missing_answers_come_before_new_labels(tmp_path, run):
    files = starred(tmp_path, answered=50)
    said = " ".join(run("judge", *files, "--ignore", "topic", *FEW).out.split())
    assert "have it answer the 70 other items that people rated" in said


def test_groups_are_on_the_first_screen(tmp_path, run):
    said = " ".join(run("judge", *starred(tmp_path), "--by", "topic", *FEW).out.split())
    assert "By topic, it gives a person's label in" in said


def test_probabilities_of_labels_in_other_letters_are_judged_once_merged(tmp_path, run):
    rng, ids = np.random.default_rng(2), [f"i{k}" for k in range(100)]
    state = rng.random(100)
    said = np.where(rng.random((3, 100)) < state, "toxic", "fine")
    people = wide(tmp_path, "people.csv", item=ids, x=said[0], y=said[1], z=said[2])
    given = {"m:TOXIC": state.round(3), "m:fine": (1 - state.round(3)).round(3)}
    judge = wide(tmp_path, "judge.csv", item=ids, **given)
    refused = run("judge", people, judge, *FEW)
    assert refused.code == 2
    assert "--merge case" in refused.err
    done = run("judge", people, judge, "--merge", "case", *FEW)
    assert done.code == 0, done.err


def test_a_refusal_says_what_is_wrong_with_the_criterion_that_was_chosen(tmp_path, run):
    ids = [f"i{k}" for k in range(40)] * 2
    rater, stars = ["a"] * 40 + ["b"] * 40, [1, 2, 3, 4] * 20
    tone = [*stars[:40], *([2, 1, 3, 3] * 10)]
    people = wide(tmp_path, "people.csv", item=ids, rater=rater, style=stars, tone=tone)
    judge = wide(tmp_path, "judge.csv", item=ids[:40], gpt=stars[:40])
    done = run("judge", people, judge, "--question", "style", "--run", *FEW)
    assert "no item has several rows" in " ".join(done.err.split())
    done = run("judge", people, judge, *FEW)
    assert "--question style" in done.err
    assert ".html" in run("judge", people, judge, "-o", "card.txt").err
    page = tmp_path / "report.html"
    done = run("report", people, judge, "--question", "style", "-o", page)
    assert done.code == 0, done.err
    assert "May this judge stand in for a person here?" in page.read_text(encoding="utf-8")
