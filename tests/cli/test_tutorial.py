"""The project of docs/guide/plan.md, from a list of texts to labels: the page shows real output."""

from __future__ import annotations

import csv
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "plan.md"


def test_the_page_shows_the_real_output(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    page = PAGE.read_text(encoding="utf-8")
    shown = "\n".join(line.removeprefix("    ") for line in page.splitlines())
    run("simulate", "pairs", "--items", 500, "--raters", 40, "--seed", 7, "-o", "world")
    truth = csv.DictReader(Path("world/truth.csv").read_text(encoding="utf-8").splitlines())
    Path("items.csv").write_text("item\n" + "".join(f"{row['item']}\n" for row in truth))
    answers: list[str] = []
    for batch in range(1, 7):
        tasks = f"tasks-{batch}.csv"
        done = run(
            "plan", "--items", "items.csv", *answers, "--until", "labels 0.9", "--price", 0.1,
            "-o", tasks,
        )  # fmt: skip
        headline = done.out.split("\n\n")[0]
        if batch in (1, 2, 6):
            assert headline in shown
        if headline.startswith("Done"):
            break
        file = f"answers-{batch}.csv"
        said = run(
            "simulate", "answers", tasks, "--truth", "world/truth.csv", "--raters", 40, "-o", file
        )
        assert batch > 1 or said.out.strip() in shown
        answers += ["--answers", file]
    assert batch == 6
    assert Path(tasks).read_text() == "left,right,kind\n"
