"""The command in a process of its own: links, interrupts, kills, and studies as data."""

from __future__ import annotations

import random
import shlex
import signal
import sys
import threading
import time
from collections import Counter
from http.client import HTTPException
from pathlib import Path

import numpy as np
import pytest

from headcount import agree, judge, pairs, read_comparisons, read_ratings
from headcount.cli.app import run
from headcount.collect.plan import SIDES, Criterion, criteria_in
from headcount.collect.store import Store
from headcount.errors import DataError
from headcount.io.tools.study import answers_in, opened_study

from .conftest import items_file, new_study
from .test_store import answer_all
from .visitor import Server, Visitor, all_go_home


def command(capsys, *words: str) -> tuple[int, str]:
    """Run a command here; return its exit code and all that it says."""
    with pytest.raises(SystemExit) as ended:
        run(list(words))
    said = capsys.readouterr()
    return int(ended.value.code or 0), " ".join((said.out + said.err).split())


@pytest.fixture(autouse=True)
def at_home():
    yield
    all_go_home()


posix = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")


@posix
def test_a_study_from_its_links_to_its_end(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    items_file(tmp_path, 6)
    ask = ("--ask", "ok,toxic", "--per-item", "2", "--cost", "0.5")
    server = Server(tmp_path, "items.csv", *ask, "--raters", "anna,ben", "-o", "study.db")
    assert list(server.links) == ["anna", "ben", "owner"]
    code, said = command(capsys, "collect", "study.db", "--port", "0")
    assert (code, "being collected by another process" in said) == (2, True)
    anna = Visitor(server.links["anna"])
    for _ in range(3):
        anna.answer("ok")
    labels = read_ratings("study.db")  # while it is collected
    assert len(labels) == 3
    assert any("the study goes on" in note for note in labels.notes)
    for _ in range(20):
        anna.hang_up()
    link = server.links["anna"]
    said = server.end(signal.SIGINT)
    assert server.process.returncode == 0
    assert "3 of 12 answers; 0 items complete (2 answers each)." in said
    assert "Cost so far: 1.50." in said
    assert "To continue: headcount collect study.db" in said
    assert not {path.name for path in tmp_path.iterdir()} & {"study.db-wal", "study.db-lock"}
    port = link.partition("127.0.0.1:")[2].partition("/")[0]
    code, said = command(capsys, "collect", "study.db", "--per-item", "3", "--port", "0")
    assert (code, "and there are 2 raters" in said) == (2, True)
    again = Server(tmp_path, "study.db", "--raters", "carla")
    assert list(again.links) == ["carla"]
    now = again.links["carla"].partition("127.0.0.1:")[2].partition("/")[0]
    back = Visitor(link.replace(port, now))  # the old link works
    assert "3 answered" in back.page
    for visitor in (back, Visitor(again.links["carla"])):
        while visitor.asked:
            visitor.answer("ok")
    said, _ = again.process.communicate(timeout=60)  # ends by itself: everything is answered
    assert "12 of 12 answers; 6 items complete (2 answers each)." in said
    code, said = command(capsys, "collect", "study.db", "--export", "answers.csv")
    assert (code, said) == (0, "answers.csv: 12 answers.")
    lines = (tmp_path / "answers.csv").read_text().splitlines()
    assert lines[0] == "item,rater,label,seconds,time"
    assert len(lines) == 13
    again.end()


KILLS = 3


@posix
def test_kills_lose_no_acknowledged_answer_and_double_none(tmp_path):
    killed(tmp_path, KILLS, random.Random(1))


def killed(folder: Path, kills: int, rng: random.Random) -> None:
    """Kill the server at random times while raters answer, and count what is left."""
    items_file(folder, 600)
    words = ("items.csv", "--ask", "ok,toxic", "--per-item", "2", "--raters", "anna,ben,carla",
             "-o", "study.db")  # fmt: skip
    acknowledged: Counter[tuple[str, str]] = Counter()
    links: dict[str, str] = {}
    unsure: dict[str, dict[str, str]] = {}
    for _ in range(kills):
        server = Server(folder, *words)
        links = links or dict(server.links)
        port = server_port(server)
        words = ("study.db",)
        for name in ("anna", "ben", "carla"):
            links[name] = with_port(links[name], port)
        visitors = {name: Visitor(links[name]) for name in ("anna", "ben", "carla")}
        # What was sent when the server was killed is sent again, as a person would.
        for name, fields in unsure.items():
            visitors[name].answer(fields["label"], key=fields["key"])
            acknowledged[name, fields["text"]] += 1
        unsure = {}
        stop_at = rng.randrange(5, 40)
        doomed = time.monotonic() + rng.uniform(0.05, 0.5)
        answered = 0
        while True:
            name = rng.choice(list(visitors))
            visitor = visitors[name]
            (text,) = visitor.texts
            fields = {**visitor.fields(), "label": "ok", "text": text}
            try:
                if time.monotonic() > doomed or answered == stop_at:
                    # At any moment of the next requests, not only between them.
                    threading.Timer(rng.uniform(0, 0.02), server.process.kill).start()
                visitor.answer("ok")
            except (OSError, HTTPException):
                unsure[name] = fields
                break
            acknowledged[name, text] += 1
            answered += 1
        server.end()
        for one in visitors.values():
            one.close()
        with opened_study(folder / "study.db") as connection:
            answers = list(answers_in(connection))
        kept = Counter((a.rater, f"text of item {a.item[1:]}") for a in answers)
        assert max(kept.values()) == 1
        assert kept >= acknowledged
        assert sum(kept.values()) <= sum(acknowledged.values()) + len(unsure)


def server_port(server: Server) -> str:
    text = " ".join([*server.said, *server.links.values()])
    return text.partition("127.0.0.1:")[2][:5].strip("/; ")


def with_port(link: str, port: str) -> str:
    head, _, rest = link.partition("127.0.0.1:")
    return f"{head}127.0.0.1:{port}/{rest.partition('/')[2]}"


# A study as data.


def test_a_study_is_read_as_ratings(tmp_path):
    store = new_study(tmp_path / "s.db", items_file(tmp_path, 80), per_item=3, repeat=0.1)
    raters = [store.participant(name) for name in ("anna", "ben", "carla")]
    shown = store.give(raters[0])
    assert shown is not None
    store.answer(raters[0], shown.key, None)
    shown = store.give(raters[1])
    assert shown is not None
    store.answer(raters[1], shown.key, ["ok"])
    last = store.last_answer(raters[1])
    assert last is not None
    store.undo(raters[1], last)
    answer_all(store, raters, np.random.default_rng(0))
    store.close()
    path = tmp_path / "s.db"
    labels = read_ratings(path)
    assert len(labels) == 239  # all but the one that was skipped
    assert labels.dropped["skipped"] == labels.dropped["undone"] == 1
    repeated = labels.dropped["asked again"]
    assert repeated > 5
    again = read_ratings(path, duplicates="retest")
    assert again.again is not None
    assert len(again.again) == repeated
    assert len(again) == len(labels)
    assert agree(again, bootstrap=0).retest is not None
    judges = {"item": [f"i{n}" for n in range(80)], "gpt": ["ok", "toxic"] * 40}
    assert judge(path, judges, bootstrap=0).provenance.n_ratings == 239
    with pytest.raises(DataError, match="it holds ratings, but no comparisons"):
        read_comparisons(path)


def test_a_study_with_several_questions_asks_which(tmp_path):
    criteria = criteria_in("helpful=1-5;safe=yes,no")
    store = new_study(tmp_path / "s.db", items_file(tmp_path, 5), per_item=1, criteria=criteria)
    one = store.participant("one")
    while (shown := store.give(one)) is not None:
        store.answer(one, shown.key, ["3", "yes"])
    store.close()
    with pytest.raises(DataError, match="2 questions have answers"):
        read_ratings(tmp_path / "s.db")
    assert read_ratings(tmp_path / "s.db", question="safe").scale.labels == ("yes",)


@posix
def test_the_next_command_of_several_questions_names_one(tmp_path):
    items_file(tmp_path, 5)
    ask = ("--ask", "helpful=1-5;safe=yes,no")
    server = Server(tmp_path, "items.csv", *ask, "--links", "2", "-o", "study.db")
    assert Visitor(server.links["owner"]).status == 200
    said = server.end()  # nobody answered, so that there is nothing to measure yet
    assert "Next:" not in said
    assert said.endswith("To continue: headcount collect study.db\n")
    with pytest.raises(DataError, match="the study has no answers yet"):
        read_ratings(tmp_path / "study.db", question="safe")
    store = Store(tmp_path / "study.db")
    rater = store.participant("one")
    shown = store.give(rater)
    assert shown is not None
    store.answer(rater, shown.key, ["3", "yes"])
    store.close()
    server = Server(tmp_path, "study.db", "--new-links")
    assert Visitor(server.links["owner"]).status == 200
    assert server.end().endswith("Next: headcount agree study.db --question helpful\n")


def test_a_study_of_pairs_is_read_as_comparisons(tmp_path):
    store = new_study(
        tmp_path / "s.db", items_file(tmp_path, 10), pairs=True,
        criteria=(Criterion("outcome", SIDES),), per_item=2,
    )  # fmt: skip
    for name in ("one", "two"):
        rater = store.participant(name)
        while (shown := store.give(rater)) is not None:
            assert shown.second is not None
            values = [float(side["text"].split()[-1]) for side in (shown.first, shown.second)]
            store.answer(rater, shown.key, ["left" if values[0] > values[1] else "right"])
    store.close()
    comparisons = read_comparisons(tmp_path / "s.db")
    assert len(comparisons) == 40
    assert pairs(comparisons).items[0].item in ("i9", "i8")


def test_other_databases_are_refused(tmp_path):
    import sqlite3

    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE t (a)")
    connection.close()
    with pytest.raises(DataError, match="not read, as no PDF, image, database"):
        read_ratings(tmp_path / "other.db")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("items.csv", "say where to keep the study"),
        ("items.csv -o s.txt", "must end in .db"),
        ("items.csv -o s.db", "who is to answer?"),
        ("items.csv -o s.db --raters a,a --ask x,y", "two raters are called 'a'"),
        ("items.csv -o s.db --raters a", "which labels may raters choose?"),
        ("items.csv -o s.db --raters a --ask x,y --per-item 2", "there is 1 rater"),
        ("items.csv -o s.db --raters a --ask x,y --until ready", "give its answers (--judges"),
        ("items.csv -o s.db --raters a --ask x,y --until 'labels 0.9'", "add --pairs"),
        ("items.csv -o s.db --raters a --ask x,y --port 99999", "--port must be"),
        ("items.csv -o s.db --raters a --ask x,y --show nothing", "unknown column 'nothing'"),
        ("items.csv -o s.db --raters a --pairs --ask good,bad", "forbids ties"),
        ("items.csv --export a.csv", "is not a study"),
        ("nothing.csv -o s.db --raters a --ask x,y", "no such file"),
        ("nothing.csv --ask x,y", "no such file"),
        ("items.csv -o s.db --raters a --ask x,y --judges example:none", "no example 'none'"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_made(
    tmp_path, monkeypatch, capsys, words: str, says: str
):
    items_file(tmp_path)
    monkeypatch.chdir(tmp_path)
    port = [] if "--port" in words else ["--port", "0"]
    code, said = command(capsys, "collect", *shlex.split(words), *port)
    assert code == 2
    assert says in said
    assert [path.name for path in tmp_path.iterdir()] == ["items.csv"]
