"""Files that people have, through the bare command: the right number, or a refusal with the fix.

All hold the same ratings, so that all must tell the same alpha: that of a plain file.
"""

from __future__ import annotations

import csv
import io
import json
import random
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import headcount
from headcount.io.write import write_rows

RATERS = ("ann", "bob", "eve")
ITEMS = [f"t{i:02}" for i in range(24)]


def _ratings() -> dict[tuple[str, str], int]:
    """Ratings from 1 to 5, a few of them missing."""
    rng = random.Random(3)
    made: dict[tuple[str, str], int] = {}
    for item in ITEMS:
        centre = rng.randint(1, 5)
        for rater in RATERS:
            if rng.random() > 0.08:
                made[item, rater] = min(max(centre + rng.choice((-1, 0, 0, 0, 1)), 1), 5)
    return made


RATINGS = _ratings()
WORD = {1: "no", 2: "no", 3: "unsure", 4: "yes", 5: "yes"}


def wide(missing: str = "", write: Callable[[int], object] = str, comma: str = ",") -> str:
    lines = [comma.join(("item", *RATERS))]
    for item in ITEMS:
        cells = [write(RATINGS[item, r]) if (item, r) in RATINGS else missing for r in RATERS]
        lines.append(comma.join(map(str, (item, *cells))))
    return "\n".join(lines) + "\n"


def long(header: str = "item,rater,label", write: Callable[[int], object] = str) -> str:
    return f"{header}\n" + "".join(f"{i},{r},{write(v)}\n" for (i, r), v in RATINGS.items())


def table(rows: list[list[object]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()


@pytest.fixture
def alpha(run, tmp_path):
    """Alpha of a file, as the bare command tells it; or the refusal."""

    def alpha(path: Path | str, *options: object) -> float | str:
        done = run("agree", path, "--bootstrap", 0, "--json", *options)
        return done.err if done.code else done.json["alpha"]["value"]

    return alpha


@pytest.fixture
def write(tmp_path):
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


KNOWN: dict[str, float] = {}
"""What plain files give, which is found once for all tests."""


@pytest.fixture
def right(write, alpha) -> float:
    """Alpha of the numbers, from a plain file."""
    if "numbers" not in KNOWN:
        KNOWN["numbers"] = alpha(write("plain.csv", long()))
    return KNOWN["numbers"]


@pytest.fixture
def right_words(write, alpha) -> float:
    """Alpha of the words, from a plain file."""
    if "words" not in KNOWN:
        KNOWN["words"] = alpha(write("plain_words.csv", long(write=WORD.get)))
    return KNOWN["words"]


def test_the_plain_file(write, right):
    pairs = pd.DataFrame([(i, r, v) for (i, r), v in RATINGS.items()], columns=["i", "r", "v"])
    interval = headcount.agree(
        {"item": list(pairs.i), "rater": list(pairs.r), "label": list(pairs.v)}, bootstrap=0
    )
    assert interval["alpha"].value == right
    assert 0.5 < right < 0.95


def fixed(alpha, path: Path, refusal: str, flag: str) -> float | str:
    """Take the fix that a refusal names."""
    found = re.search(rf"({flag})[ \n]+([^ \n]+)", refusal)
    assert found, refusal
    return alpha(path, found.group(1), found.group(2))


def test_99_is_missing(write, alpha, right):
    path = write("r.csv", wide("99"))
    refusal = alpha(path)
    assert "99" in refusal
    assert fixed(alpha, path, refusal, "--missing") == right


@pytest.mark.parametrize("word", ["NA", "N/A", "n/a", "nan", "NaN", "null", "none", ".", "-", ""])
def test_words_for_missing(write, alpha, right, word):
    assert alpha(write("r.csv", wide(word))) == right


def test_semicolons_decimal_commas_and_a_mark(write, alpha):
    halves = write("plain.csv", wide(write=lambda v: v + 0.5))
    path = write("r.csv", "\ufeff" + wide(write=lambda v: f"{v},5", comma=";"))
    assert alpha(path) == alpha(halves)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8-sig"])
def test_encodings(write, alpha, right_words, encoding):
    accents = {"no": "né", "unsure": "œuf", "yes": "ça"}
    text = long(write=lambda v: accents[WORD[v]])
    assert alpha(write("r.csv", text.encode(encoding))) == right_words


def test_qualtrics(write, alpha, right):
    rows: list[list[object]] = [
        ["StartDate", "ResponseId", "Finished", *ITEMS],
        ["Start Date", "Response ID", "Finished", *(f"How good is {i}?" for i in ITEMS)],
        ['{"ImportId":"startDate"}', '{"ImportId":"_recordId"}', '{"ImportId":"finished"}']
        + [f'{{"ImportId":"QID{i}"}}' for i in range(len(ITEMS))],
    ]
    for rater in RATERS:
        cells = [RATINGS.get((item, rater), "") for item in ITEMS]
        rows.append(["2026-01-01 10:00:00", f"R_{rater}", "True", *cells])
    assert alpha(write("r.csv", table(rows))) == right


def _mturk(answers: Callable[[int], list[object]], names: list[str]) -> str:
    rows: list[list[object]] = [["HITId", "AssignmentId", "WorkerId", "AssignmentStatus", *names]]
    for number, ((item, rater), value) in enumerate(RATINGS.items()):
        rows.append([item, f"A{number}", rater, "Approved", *answers(value)])
    rows.append([ITEMS[0], "A999", "spammer", "Rejected", *answers(5)])
    return table(rows)


def test_mturk(write, alpha, right_words):
    one = write("Batch_1.csv", _mturk(lambda v: [WORD[v]], ["Answer.category"]))
    words = ("no", "unsure", "yes")
    radio = write(
        "Batch_2.csv",
        _mturk(
            lambda v: [str(WORD[v] == word).lower() for word in words],
            [f"Answer.category.{word}" for word in words],
        ),
    )
    assert alpha(one) == right_words
    assert alpha(radio) == right_words


def test_prodigy(write, alpha, right_words):
    lines = [
        {"_input_hash": ITEMS.index(i), "_task_hash": n, "text": i, "_annotator_id": r,
         "options": [{"id": w, "text": w} for w in ("no", "unsure", "yes")],
         "accept": [WORD[v]], "answer": "accept"}
        for n, ((i, r), v) in enumerate(RATINGS.items())
    ]  # fmt: skip
    ignored = {**lines[0], "_annotator_id": "zoe", "accept": [], "answer": "ignore"}
    text = "".join(json.dumps(line) + "\n" for line in [*lines, ignored])
    assert alpha(write("r.jsonl", text)) == right_words


def _counts() -> dict[str, dict[str, int]]:
    counts = {item: dict.fromkeys(("no", "unsure", "yes"), 0) for item in ITEMS}
    for (item, _), value in RATINGS.items():
        counts[item][WORD[value]] += 1
    return counts


def test_counts_of_labels(write, alpha, right_words):
    counts = _counts()
    columns = "item,n_no,n_unsure,n_yes\n" + "".join(
        f"{item},{','.join(map(str, by.values()))}\n" for item, by in counts.items()
    )
    lines = "".join(
        json.dumps({"uid": item, "label_counter": {k: v for k, v in by.items() if v}}) + "\n"
        for item, by in counts.items()
    )
    assert alpha(write("r.csv", columns)) == pytest.approx(right_words, abs=1e-12)
    assert alpha(write("r.jsonl", lines)) == pytest.approx(right_words, abs=1e-12)


def test_without_raters(write, alpha, right_words):
    text = "item,label\n" + "".join(f"{i},{WORD[v]}\n" for (i, _), v in RATINGS.items())
    assert alpha(write("r.csv", text)) == pytest.approx(right_words, abs=1e-12)


def test_excel(tmp_path, alpha, right):
    pytest.importorskip("python_calamine")
    from .formats.test_excel import workbook  # written by hand: nothing of ours writes workbooks

    rows = [line.split(",") for line in long().splitlines()]
    sheet = {
        f"{'ABC'[place]}{number}": int(cell) if cell.isdigit() else cell
        for number, row in enumerate(rows, 1)
        for place, cell in enumerate(row)
    }
    assert alpha(workbook(tmp_path / "r.xlsx", {"ratings": sheet})) == right


def test_label_studio(write, alpha, right_words):
    raters = {rater: number + 1 for number, rater in enumerate(RATERS)}

    def annotation(rater: str, value: int, number: int) -> dict[str, object]:
        choice = {"from_name": "tox", "to_name": "text", "type": "choices",
                  "value": {"choices": [WORD[value]]}}  # fmt: skip
        return {"id": number, "completed_by": raters[rater], "was_cancelled": False,
                "result": [choice]}  # fmt: skip

    tasks = [
        {"id": n, "data": {"text": item}, "predictions": [],
         "annotations": [annotation(r, v, 100 * n + raters[r])
                         for (i, r), v in RATINGS.items() if i == item]}
        for n, item in enumerate(ITEMS, 1)
    ]  # fmt: skip
    small = [
        {"id": ITEMS.index(i) + 1, "text": i, "tox": WORD[v], "annotator": raters[r],
         "annotation_id": n, "created_at": "2026-01-01T10:00:00Z",
         "updated_at": "2026-01-01T10:00:00Z", "lead_time": 1.5}
        for n, ((i, r), v) in enumerate(RATINGS.items())
    ]  # fmt: skip
    assert alpha(write("r.json", json.dumps(tasks))) == right_words
    assert alpha(write("min.json", json.dumps(small))) == right_words


def test_nested_lists(tmp_path, alpha, right_words):
    import polars as pl

    frame = pl.DataFrame(
        {
            "id": ITEMS,
            "labels": [[WORD[v] for (i, _), v in RATINGS.items() if i == item] for item in ITEMS],
            "annotators": [[r for i, r in RATINGS if i == item] for item in ITEMS],
        }
    )
    frame.write_parquet(tmp_path / "r.parquet")
    assert alpha(tmp_path / "r.parquet") == right_words


def test_two_roles_and_one_column_left(write, alpha, right):
    assert alpha(write("r.csv", long("event,annotator,answer"))) == right


@pytest.mark.parametrize("case", ["Yes", "YES", " yes", "yes "])
def test_two_ways_to_write_a_label_are_warned_of(write, run, alpha, right_words, case):
    def word(value: int) -> str:
        return WORD[value]

    lines = long(write=word).splitlines()
    every = [n for n, line in enumerate(lines) if line.endswith(",yes")][::2]
    lines = [line[:-3] + f'"{case}"' if n in every else line for n, line in enumerate(lines)]
    path = write("r.csv", "\n".join(lines) + "\n")
    done = run("agree", path, "--bootstrap", 0, "--json")
    if done.json["alpha"]["value"] == right_words:
        return  # blanks at the ends are none
    (warning,) = [one for one in done.json["warnings"] if "--merge" in one]
    merge = re.search(r"--merge (\w+)", warning).group(1)
    assert alpha(path, "--merge", merge) == right_words


# --- predictions ----------------------------------------------------------------------------------


def _judge(i: int) -> int:
    return 1 + (7 * i + i // 3) % 5


SHARES = {item: (0.1 + 0.8 * (i % 5) / 4) for i, item in enumerate(ITEMS)}


def survey_of(run, ratings: Path, predictions: Path, *options: str):
    return run("survey", ratings, "-p", predictions, "--bootstrap", 0, "--no-ceiling", "--json",
               *options)  # fmt: skip


@pytest.fixture
def two_labels(write) -> Path:
    return write("ratings.csv", long(write=lambda v: "yes" if v > 2 else "no"))


@pytest.fixture
def worth(run, write, two_labels):
    """Score of the judge, from plain columns of probabilities."""
    plain = "item,judge:no,judge:yes\n" + "".join(f"{i},{1 - p},{p}\n" for i, p in SHARES.items())
    return survey_of(run, two_labels, write("p.csv", plain)).json["classifiers"][0]["score"]


@pytest.mark.parametrize("form", ["nested", "confidence", "rounded"])
def test_probabilities(run, write, two_labels, worth, form):
    if form == "nested":
        lines = [{"id": i, "judge": {"no": 1 - p, "yes": p}} for i, p in SHARES.items()]
        text = "".join(json.dumps(line) + "\n" for line in lines)
    elif form == "confidence":
        lines = [{"id": i, "judge": "yes" if p > 0.5 else "no", "judge_confidence": max(p, 1 - p)}
                 for i, p in SHARES.items()]  # fmt: skip
        text = "".join(json.dumps(line) + "\n" for line in lines)
    else:
        text = "item,judge:no,judge:yes\n" + "".join(
            f"{i},{1 - p:.4f},{p + 0.0001:.4f}\n" for i, p in SHARES.items()
        )
    done = survey_of(run, two_labels, write("q.csv" if form == "rounded" else "q.jsonl", text))
    assert done.code == 0, done.err
    found = done.json["classifiers"][0]["score"]["value"]
    # Rounding to four digits moves a log of .1 by .0001 / .1 / ln 2.
    assert found == pytest.approx(worth["value"], abs=2e-3 if form == "rounded" else 1e-12)


@pytest.mark.parametrize("said", ["score", "word"])
def test_scores_and_labels_that_raters_never_use_are_predictions(run, write, two_labels, said):
    values = {i: f"{p:.3f}" for i, p in SHARES.items()} if said == "score" else {
        i: "maybe" if n % 4 == 0 else "yes" for n, i in enumerate(ITEMS)}  # fmt: skip
    path = write("s.csv", "item,judge\n" + "".join(f"{i},{value}\n" for i, value in values.items()))
    done = survey_of(run, two_labels, path)
    assert done.code == 0, done.err
    assert [judge["calibration"] for judge in done.json["classifiers"]] != [None]
    (command,) = [
        step["command"]
        for step in run("look", two_labels, path, "--json").json["next"]
        if step["verb"] == "survey"
    ]
    assert run(*shlex.split(command)[1:], "--bootstrap", 0, "--no-ceiling").code == 0


# --- in Python ------------------------------------------------------------------------------------


def test_frames_arrays_and_dicts(right, tmp_path):
    columns = {
        "item": [i for i, _ in RATINGS],
        "rater": [r for _, r in RATINGS],
        "label": list(RATINGS.values()),
    }
    path = tmp_path / "r.parquet"
    write_rows(columns, path)
    matrix = [[RATINGS.get((item, rater)) for rater in RATERS] for item in ITEMS]
    for data in (pd.DataFrame(columns), columns, path, str(path), matrix):
        assert headcount.agree(data, bootstrap=0)["alpha"].value == right


def test_ordered_categories(right_words):
    frame = pd.DataFrame(
        {
            "item": [i for i, _ in RATINGS],
            "rater": [r for _, r in RATINGS],
            "label": pd.Categorical(
                [WORD[v] for v in RATINGS.values()], ["no", "unsure", "yes"], ordered=True
            ),
        }
    )
    labels = headcount.read_ratings(frame)
    assert (labels.scale.labels, labels.scale.kind) == (("no", "unsure", "yes"), "ordinal")


# --- comparisons ----------------------------------------------------------------------------------

GAMES = [("a", "b", 1), ("b", "c", 1), ("c", "a", 0), ("a", "c", 1), ("b", "a", 0.5), ("c", "b", 1),
         ("a", "b", 0), ("c", "a", 1)]  # fmt: skip


def _rows(form: str) -> str:
    decided = [(x, y, o) for x, y, o in GAMES if o != 0.5]
    if form == "winner and loser":
        return "winner,loser\n" + "".join(
            f"{x},{y}\n" if o else f"{y},{x}\n" for x, y, o in decided
        )
    if form == "one-hot":
        return "model_a,model_b,winner_model_a,winner_model_b,winner_tie\n" + "".join(
            f"{x},{y},{int(o == 1)},{int(o == 0)},{int(o == 0.5)}\n" for x, y, o in GAMES
        )
    if form == "AlpacaEval":
        code = {1: "1", 0: "2", 0.5: "1.5"}
        return "generator_1,generator_2,preference\n" + "".join(
            f"{x},{y},{code[o]}\n" for x, y, o in GAMES
        )
    stray = "a,b,NA\na,a,left\n" if form == "stray rows" else ""
    word = {1: "left", 0: "right", 0.5: "tie"}
    return "left,right,outcome\n" + "".join(f"{x},{y},{word[o]}\n" for x, y, o in GAMES) + stray


@pytest.mark.parametrize("form", ["winner and loser", "one-hot", "AlpacaEval", "stray rows"])
def test_comparisons(run, write, form):
    done = run("pairs", write("c.csv", _rows(form)), "--json")
    plain = "plain" if form != "winner and loser" else form
    games = [g for g in GAMES if form != "winner and loser" or g[2] != 0.5]
    assert done.code == 0, done.err
    assert done.json["data"]["ratings"] == len(games)
    if plain == "plain":
        expected = run("pairs", write("p.csv", _rows("plain")), "--json").json
        for one, other in zip(done.json["items"], expected["items"], strict=True):
            assert one["rating"] == other["rating"]
    if form == "stray rows":
        assert sum(done.json["data"]["dropped"].values()) == 2
