"""The action for GitHub: its script, run as the runner would."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from headcount import examples

ACTION = Path(__file__).parents[2] / "action.yml"
BASH = shutil.which("bash")


def script() -> str:
    """The last step of the action."""
    text = ACTION.read_text(encoding="utf-8")
    return textwrap.dedent(text[text.rindex("run: |\n") + len("run: |\n") :])


@pytest.mark.skipif(BASH is None, reason="no bash")
@pytest.mark.parametrize(
    ("inputs", "code", "status"),
    [
        ({"AGREE_LIKE_A_PERSON": "0.2"}, 0, "pass"),
        ({"AGREE_LIKE_A_PERSON": "0"}, 3, "cannot tell"),
        ({"AGREE_LIKE_A_PERSON": "0", "ALLOW_UNDECIDED": "true"}, 0, "cannot tell"),
        ({"WORTH_AT_LEAST": "$(touch hacked)"}, 2, None),
    ],
)
def test_the_script(tmp_path, inputs, code, status):
    shim = tmp_path / "headcount"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m headcount "$@" --bootstrap 20\n')
    shim.chmod(0o755)
    names = re.findall(r"^        ([A-Z_]+): \$", ACTION.read_text(encoding="utf-8"), re.MULTILINE)
    environment = {
        **os.environ,
        **dict.fromkeys(names, ""),
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "PEOPLE": str(examples.path("stars")),
        "JUDGES": str(examples.path("judge")),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        **inputs,
    }
    done = subprocess.run(
        [str(BASH), "-eo", "pipefail", "-c", script()],
        env=environment, cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert not (tmp_path / "hacked").exists()
    if status is not None:
        assert (tmp_path / "output").read_text() == f"status={status}\n"
        assert "Do the people agree?" in (tmp_path / "summary").read_text()
