"""The next step of an answer: a command that can be pasted, and reads what the call read."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import typer

from headcount.cli import app
from headcount.cli.flags import speller
from headcount.errors import spelt
from headcount.results.result import again


def commands_in(text: str) -> list[list[str]]:
    """Words of the commands that an answer names, but for 'headcount'."""
    whole = text.replace(" \\\n", " ")
    return [
        shlex.split(line.strip().removeprefix("headcount "))
        for line in whole.splitlines()
        if line.strip().startswith("headcount ")
    ]


@pytest.mark.parametrize(
    "words", [("--duplicates", "first"), ("--duplicates=first", "--missing", "ok,9")]
)
@pytest.mark.parametrize("verb", ["blind", "consensus"])
def test_the_next_step_reads_the_file_as_the_call_did(run, tmp_path, monkeypatch, verb, words):
    monkeypatch.chdir(tmp_path)
    rows = [f"{i},{who},{'no' if (i * who) % 3 else 'yes'}" for i in range(60) for who in (1, 2, 4)]
    Path("votes.csv").write_text("\n".join(["item,worker,label", "0,1,yes", *rows]) + "\n")
    done = run(verb, "votes.csv", *words)
    (step,) = commands_in(done.out)
    assert step[:3] == ["plan", "items", "votes.csv"]
    assert step[-len(words) :] == list(words)
    assert run(*step).code == 0


def test_a_judge_that_is_ready_passes_the_command_that_is_named(run):
    done = run("judge", "example:ratings", "example:votes", "--bootstrap", 20)
    (step,) = commands_in(done.out)
    assert step[-3:] == ["--judge", "gpt-a", "--gate"]
    assert run(*step).code == 0


@pytest.mark.parametrize("of", ["gpt-a,gpt-b", "gpt-a"])
def test_models_among_people_are_added_to_the_judges(run, of):
    done = run("judge", "example:votes", "--judge", of, "--bootstrap", 20)
    told = " ".join(done.out.split())
    rest = "gpt-b,llama-a,llama-b" if of == "gpt-a" else "llama-a,llama-b"
    assert f"use headcount judge example:votes --bootstrap 20 --judge {of},{rest};" in told


def test_a_changed_option_replaces_what_was_typed():
    command = typer.main.get_command(app.commands()).commands["judge"]
    words = ["judge", "p.csv", "j.csv", "--exclude", "ann", "--judge=a,b", "--gate", "--seed", "1"]
    spell = speller(command, words=words)
    start = "headcount judge p.csv j.csv"
    assert spelt(again(exclude=["bob"]), spell).replace(" \\\n   ", "") == (
        f"{start} --judge=a,b --gate --seed 1 --exclude ann,bob"
    )
    assert spelt(again(judge_names=["a"], gate=True), spell) == (
        f"{start} --exclude ann --seed 1 --judge a --gate"
    )
    assert spelt(again(gate=True), spell) == ""  # nothing would change


# --- what a first screen does not say -------------------------------------------------------------


def workers(path: Path) -> Path:
    rows = [f"{i},{who},{'no' if (i * who) % 3 else 'yes'}" for i in range(60) for who in (1, 2, 4)]
    path.write_text("\n".join(["item,worker,label", *rows]) + "\n")
    return path


def test_workers_are_not_called_llm_judges(run, tmp_path):
    votes = workers(tmp_path / "votes.csv")
    blind, consensus = (run(verb, votes).out for verb in ("blind", "consensus"))
    assert "3 workers" in blind
    assert "LLM" not in blind + consensus
    assert "judge" not in blind + consensus
    assert "matches the label" in consensus  # which is not how good a worker is
    assert "accuracy" not in consensus


def test_where_people_do_not_agree_no_judge_has_a_verdict_or_a_worth(run):
    done = run(
        "judge", "example:votes", "--judge", "gpt-a,gpt-b,llama-a,llama-b", "--bootstrap", 20
    )
    assert done.out.startswith(
        "No verdict on any of the 4 judges: the data do not show that people"
    )
    assert done.out.count("the data do not show") == 1
    assert "worth" not in done.out


def test_a_gate_says_once_why_it_fails(run):
    done = run("judge", "example:ratings", "example:votes", "--gate", "--bootstrap", 20)
    assert done.code == 1
    assert done.out.startswith("gate: fail.\n")
    assert done.out.count("recall of 'ok'") == 1


def test_files_of_other_items_are_refused_first(run, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("item,gold\nz1,a\nz2,b\n")
    done = run("rate", "example:votes", other)
    assert done.code == 2
    assert done.err.startswith("headcount: no item is in both other.csv")


def test_the_column_of_items_does_not_group_them(run):
    done = run("judge", "example:coding", "example:judge", "--by", "item")
    assert done.code == 2
    assert "--by item names the column of the items" in done.err


def test_columns_without_a_rating_are_not_raters(run, tmp_path):
    wide = tmp_path / "wide.csv"
    rows = [f"{i},{'yn'[i % 2]},{'yn'[i % 3 // 2]},," for i in range(30)]
    wide.write_text("\n".join(["item,ann,bob,cem,dot", *rows]) + "\n")
    assert "wide (item; 'ann', 'bob')" in " ".join(run("agree", wide).out.split())
