"""`headcount look` and `headcount report`, from outside."""

from __future__ import annotations

import re
import shlex
from html import unescape
from pathlib import Path

import pytest

from headcount import examples
from tests.cli.json_page import undocumented

# `headcount look`, from outside.

FIXTURES = Path(__file__).parents[1] / "io" / "tools" / "fixtures"
EXPORTS = sorted(
    {
        path
        for path in FIXTURES.glob("*/*/*")
        if not path.name.startswith("expected") and path.is_file()
    }
    | {FIXTURES / "doccano/folder/export", FIXTURES / "potato/v1_user_folders"}
)
QUICK = {
    "judge": ("--bootstrap", "3"),
    "survey": ("--bootstrap", "3", "--no-ceiling"),
    "agree": ("--bootstrap", "3"),
    "blind": ("--bootstrap", "3"),
    "pairs": (),
}
"""What makes a command quick; the rest is as it is suggested."""


def commands(run, *files) -> list[str]:
    done = run("look", *files, "--json")
    assert done.code == 0, done.err
    return [step["command"] for step in done.json["next"]]


def check(run, *files) -> list[str]:
    """Run what is suggested, as the shell would."""
    suggested = commands(run, *files)
    for command in suggested:
        words = shlex.split(command)
        assert words[0] == "headcount"
        if words[1] == "report":  # which does all of these again, and more slowly: only read
            done = run("look", *words[2:])
        else:
            done = run(*words[1:], *QUICK[words[1]])
        assert done.code == 0, f"{command}: {done.err}"
    return suggested


ONE_EACH = {path.relative_to(FIXTURES).parts[0]: path for path in reversed(EXPORTS)}


@pytest.mark.parametrize("tool", ONE_EACH)
def test_every_command_that_is_suggested_runs_on_exports(run, tool):
    check(run, ONE_EACH[tool])


def test_every_export_is_described_or_explained(run):
    for path in EXPORTS:
        done = run("look", path, "--json")
        assert done.code == 0, path
        for file in done.json["files"]:
            assert file["tool"] or "huggingface" in path.parts, path  # lists are no tool's
            assert file["kind"] or file["refused"], path


@pytest.mark.parametrize(
    ("names", "verbs"),
    [
        (["ratings"], ["agree", "survey", "blind", "report"]),
        (["ratings", "predictions"], ["judge", "survey", "agree", "blind", "report"]),
        (["ratings", "gold"], ["blind", "agree", "survey", "report"]),
        (["votes", "gold"], ["blind", "report"]),
        (["stars", "judge"], ["judge", "survey", "agree", "report"]),
        (["comparisons"], ["pairs", "pairs", "report"]),
    ],
)
def test_every_command_that_is_suggested_runs_on_examples(run, names, verbs):
    suggested = check(run, *[f"example:{name}" for name in names])
    assert [command.split()[1] for command in suggested] == verbs
    assert all("example:gold" in c for c in suggested if "blind" in c and "gold" in names)


RATINGS = "item,rater,label\n" + "".join(
    f"q{i},{r},{'ok' if (i * (k + 2)) % 3 else 'toxic'}\n"
    for i in range(12)
    for k, r in enumerate(("ann", "bob", "eve"))
)
PREDICTIONS = "item,gpt,llama\n" + "".join(
    f"q{i},{'ok' if i % 3 else 'toxic'},{'ok' if i % 2 else 'toxic'}\n" for i in range(12)
)
SCORES = "item,judge_score\n" + "".join(f"q{i},{(i * 7) % 12 / 12:.2f}\n" for i in range(12))
COMPARISONS = "left,right,winner,judge\n" + "".join(
    f"m{i % 4},m{(i + 1 + i % 3) % 4},{('left', 'right', 'tie')[i % 3]},u{i % 5}\n"
    for i in range(24)
)


@pytest.mark.parametrize(
    ("files", "verbs"),
    [
        ({"r.csv": RATINGS, "p.csv": PREDICTIONS}, ["judge", "survey", "agree", "blind", "report"]),
        ({"r.csv": RATINGS, "s.csv": SCORES}, ["judge", "survey", "agree", "report"]),
        (
            {"r.csv": RATINGS, "c.csv": COMPARISONS},
            ["agree", "survey", "blind", "pairs", "pairs", "report"],
        ),
        ({"p.csv": PREDICTIONS, "c.csv": COMPARISONS}, ["blind", "pairs", "pairs", "report"]),
    ],
)
def test_every_command_that_is_suggested_runs_on_two_files(
    run, tmp_path, monkeypatch, files, verbs
):
    monkeypatch.chdir(tmp_path)
    for name, text in files.items():
        Path(name).write_text(text)
    suggested = check(run, *files)
    assert [command.split()[1] for command in suggested] == verbs


def test_scores_beside_verdicts_are_written_and_read_again(run, tmp_path):
    path, tidy = next(p for p in EXPORTS if p.parent.name == "test_run"), tmp_path / "x.csv"
    check(run, path)
    assert run("look", path, "-o", tidy).code == 0
    first, again = (run("look", one, "--json").json["files"][0] for one in (path, tidy))
    assert first["counts"] == again["counts"]


def test_names_with_blanks_and_codes(run, tmp_path):
    path = tmp_path / "my $file's.csv"
    path.write_text("item,ann,bob\n1,1,99\n2,2,2\n3,3,99\n4,1,2\n")
    suggested = check(run, path)
    assert all("--missing 99" in command for command in suggested)


def test_examples(run):
    done = run("look")
    assert done.code == 0
    assert all(f"example:{name}" in done.out for name in examples.names())
    assert max(map(len, done.out.splitlines())) <= 80
    assert "headcount judge example:ratings example:predictions" in done.out
    details = run("look", "example:ratings", "example:predictions", "--details").out
    assert "headcount survey example:ratings -p example:predictions" in details
    assert run("look", "example:stars").out.startswith("stars.csv: 120 items x 3 raters")
    assert "Did you mean 'stars'?" in run("look", "example:star").err
    assert run("look", "--json").code == 2


def test_json_is_documented(run):
    done = run("look", "example:ratings", "example:predictions", "example:comparisons", "--json")
    assert not undocumented(done.json, "look")
    assert done.json["files"][0]["kind"] == "ratings"
    assert done.json["next"][0]["command"].startswith("headcount judge example:ratings")


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_tidy(run, tmp_path, suffix):
    tidy = tmp_path / f"tidy.{suffix}"
    done = run("look", "example:stars", "-o", tidy)
    assert done.code == 0
    assert f"rows: {tidy}" in done.out
    before, after = (
        run("agree", file, "--bootstrap", 5, "--json").json for file in ("example:stars", tidy)
    )
    assert before["alpha"] == after["alpha"]


def test_tidy_of_several_files_is_the_ratings(run, tmp_path):
    tidy = tmp_path / "tidy.csv"
    assert run("look", "example:stars", "example:judge", "-o", tidy).code == 0
    assert tidy.read_text().splitlines()[:2] == ["item,rater,label", "a001,nora,4"]
    two = ("example:stars", "example:ratings")
    assert "several files" in run("look", *two, "-o", tidy).err


def test_what_cannot_be_read_is_explained_with_exit_code_0(run, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("one\n1\n2\n")
    done = run("look", path)
    assert done.code == 0
    assert "a single column" in done.out
    done = run("look", path, "--json")
    assert done.json["files"][0]["refused"]
    path.write_bytes(b"\x00\x01\x02")
    assert run("look", path).code == 2


def test_several_labels_in_a_cell_are_said(run, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("item,ann,bob\n1,joy;fear,joy\n2,fear,fear;joy\n3,joy,fear\n")
    said = " ".join(run("look", path, "--details").out.split())
    assert "cells hold labels separated by ';', such as 'fear;joy'" in said
    assert "takes a cell for one label" in said
    path.write_text("item,ann,bob\n1,joy,joy\n2,fear,fear\n3,joy,fear\n")
    assert "cells hold" not in run("look", path).out


def test_real_data(run, data_folder):
    judges = data_folder / "survey" / "judges"
    files = [judges / "lgbteen_ratings.csv", judges / "lgbteen_judges.csv"]
    done = run("look", *files, "--details")
    assert "'Ignore'" in done.out  # which no rater says
    assert "headcount survey" in done.out
    found = commands(run, data_folder / "blind/rte/label.csv", data_folder / "blind/rte/truth.csv")
    assert "--gold" in found[0]


def test_report_writes_one_page_and_prints_the_answers(run, tmp_path):
    page = tmp_path / "out.html"
    done = run("report", "example:comparisons", "-o", page)
    assert done.code == 0
    assert "text_03 ranks first, rated" in done.out
    assert f"page: {page}" in re.sub(r"\n\s*", "", done.out) or "page:" in done.out
    html = unescape(page.read_text("utf-8"))
    assert "headcount pairs example:comparisons --by-rater" in html
    assert f"headcount report example:comparisons -o {page}" in html
    assert html.startswith("<!doctype html>")


def test_report_as_json_has_the_documents_of_its_parts(run, tmp_path):
    done = run("report", "example:comparisons", "-o", tmp_path / "out.html", "--json")
    assert [part["title"] for part in done.json["parts"]] == [
        "Rating of every item, and who answers at random"
    ]
    alone = run("pairs", "example:comparisons", "--by-rater", "--json").json
    assert done.json["parts"][0]["result"]["items"] == alone["items"]
    document = done.json
    for part in document["parts"]:
        part["result"] = {}  # as that command documents it
    document["files"] = {}
    assert not undocumented(document, "report")


def test_options_reach_the_methods_and_the_commands_that_are_shown(run, tmp_path):
    page = tmp_path / "out.html"
    run("report", "example:comparisons", "-o", page, "--level", 0.9)
    assert "headcount pairs example:comparisons --by-rater --level 0.9" in unescape(
        page.read_text("utf-8")
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "page.txt"], "must end in .html"),
        (["-o", "no/such/page.html"], "no such folder"),
        (["--level", 2], "--level must be"),
    ],
)
def test_what_cannot_be_written_is_refused(run, words, message):
    done = run("report", "example:comparisons", *words)
    assert done.code == 2
    assert message in done.err.replace("\n", " ")


def test_a_card_is_a_page_with_the_card_first(run, tmp_path):
    page = tmp_path / "card.html"
    words = ["example:stars", "example:judge", "--bootstrap", 20, "--alt-test", 0.1]
    done = run("judge", *words, "-o", page)
    assert done.code in (0, 1, 3)
    html = unescape(page.read_text("utf-8"))
    assert "<h1>May this judge stand in for a person here?</h1>" in html
    assert "headcount judge example:stars example:judge --bootstrap 20 --alt-test 0.1" in html
    card = run("judge", *words, "--json").json
    assert card["judges"][0]["verdict"] in html


def test_commands_on_the_page_give_its_numbers(run, tmp_path):
    page = tmp_path / "report.html"
    run("report", "example:ratings", "example:votes", "-q", "-o", page)
    html = unescape(page.read_text("utf-8"))
    shown = [
        one.replace("\\\n", "") for one in re.findall(r"<pre>headcount (.*?)</pre>", html, re.S)
    ]
    assert len(shown) == 3  # the card, blind, the page itself
    for command in shown[:-1]:
        again = run(*shlex.split(command))
        assert again.code == 0
        # The sentences of the answer, as the page folds none.
        first = " ".join(again.out.split("\n\n")[0].split())
        assert first[:60] in " ".join(re.sub("<[^>]*>", " ", html).split())
