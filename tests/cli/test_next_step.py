"""The next step of an answer: a command that can be pasted, and reads what the call read."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import typer

from headcount.cli import app
from headcount.cli.flags import speller
from headcount.errors import spelt
from headcount.results.page import again


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
