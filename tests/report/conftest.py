from __future__ import annotations

from pathlib import Path

import pytest

HOSTILE = "<script>window.hacked = 1</script>"
WORSE = '"><img src=x onerror="window.hacked = 2">'


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Ratings and a judge whose names and labels are HTML."""
    folder = tmp_path_factory.mktemp("hostile")
    rated, judged = folder / "people.csv", folder / "judge.csv"
    labels = [HOSTILE, "a & b"]

    def quoted(text: str) -> str:
        return '"' + text.replace('"', '""') + '"'

    # A judge of the same name as a person would be refused.
    rows, said = ["item,rater,label"], [f"item,{quoted(f'{WORSE} judge')}"]
    for i in range(40):
        item = quoted(f"<b>{i}</b>")
        for k, who in enumerate(("ann", WORSE, "bob")):
            rows.append(f"{item},{quoted(who)},{quoted(labels[(i + i * k // 7) % 2])}")
        said.append(f"{item},{quoted(labels[(i + i // 9) % 2])}")
    rated.write_text("\n".join(rows) + "\n", encoding="utf-8")
    judged.write_text("\n".join(said) + "\n", encoding="utf-8")
    return rated, judged
