"""A few hundred mutated files, through every command: an answer or a refusal, nothing else."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from fuzz import COMMANDS, Case, Finding, Fuzzer

SECONDS = 6
"""Time of the processor after which a part ends: a slow machine tests less."""


@pytest.mark.parametrize("part", range(3))
def test_a_mutated_file_gives_an_answer_or_a_refusal(part: int, tmp_path: Path) -> None:
    fuzzer = Fuzzer(tmp_path, seed=12)
    start = time.process_time()
    cases = fuzzer.findings(range(part * 140, (part + 1) * 140))
    for done, each in enumerate(cases, 1):
        assert not isinstance(each, Finding), str(each)
        if done >= 3 * len(COMMANDS) and time.process_time() - start > SECONDS:
            break


def test_a_case_is_its_number(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    assert Fuzzer(one).case(17).data == Fuzzer(two).case(17).data
    assert Fuzzer(one).case(17).data != Fuzzer(one).case(18).data


def test_what_breaks_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fuzzer = Fuzzer(tmp_path, limit=0.2)

    def broken(words: list[str]) -> None:
        raise ZeroDivisionError("on purpose")

    def endless(words: list[str]) -> None:
        while True:
            pass

    monkeypatch.setattr("fuzz.run", broken)
    assert "ZeroDivisionError: on purpose" in str(fuzzer.try_(fuzzer.case(1)))
    monkeypatch.setattr("fuzz.run", endless)
    assert "takes more than" in str(fuzzer.try_(fuzzer.case(1)))
    monkeypatch.setattr("fuzz.run", lambda words: None)
    assert fuzzer.try_(fuzzer.case(1)) == "no answer"


def test_what_ends_the_process_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fuzzer = Fuzzer(tmp_path)
    tried = fuzzer.case(1)

    def ends(case: Case) -> str | None:
        if case.number == tried.number:
            os.abort()
        return None

    monkeypatch.setattr(fuzzer, "try_", ends)
    ended = [one.what for one in fuzzer.apart(range(4)) if isinstance(one, Finding)]
    assert ended == ["ends the process (-6)"]
