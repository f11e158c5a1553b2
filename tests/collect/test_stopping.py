"""A crowd over HTTP stops where the library's own loop stops."""

from __future__ import annotations

import time
from hashlib import sha256
from pathlib import Path

import pytest

from headcount import Comparisons, agree, judge, next_pairs, read_comparisons
from headcount.collect.evaluate import labels_of
from headcount.collect.monitor import FIRST_LOOK, next_look
from headcount.collect.plan import SIDES, Criterion
from headcount.io.tools.study import Answer, answers_in, opened_study

from .conftest import Serve, Served
from .visitor import Visitor


def draw(*parts: object) -> float:
    return int(sha256(repr(parts).encode()).hexdigest()[:8], 16) / 16**8


def label_of(rater: str, text: str) -> str:
    """What a simulated rater says of an item: the item's own label, mostly."""
    share = 0.9 if draw("item", text) < 0.4 else 0.1
    return "toxic" if draw(rater, text) < share else "ok"


def crowd(served: Served, most: int = 2000) -> int:
    """Let raters answer in turn until nothing is asked any more; return the answers."""
    visitors = {name: Visitor(link) for name, link in served.links.items() if name != "owner"}
    answers, until = 0, time.monotonic() + 60
    while served.store.state == "open" and answers < most and time.monotonic() < until:
        busy = False
        for name, visitor in visitors.items():
            if visitor.asked:
                visitor.answer(say(name, visitor.texts))
                answers, busy = answers + 1, True
            else:
                visitor.open(visitor.path)
        if not busy:
            time.sleep(0.02)
    for visitor in visitors.values():
        visitor.close()
    return answers


def say(name: str, texts: list[str]) -> str:
    if len(texts) == 1:
        return label_of(name, texts[0])
    higher = [float(text.rpartition(" ")[2]) + 4 * draw(text, *sorted(texts)) for text in texts]
    return SIDES[0] if higher[0] > higher[1] else SIDES[1]


def whole_items(path: Path, per_item: int) -> list[list[Answer]]:
    """Answers by item, in the order in which items got the last one."""
    with opened_study(path) as connection:
        answers = [answer for answer in answers_in(connection) if answer.reason is None]
    items: dict[int, list[Answer]] = {}
    done: list[list[Answer]] = []
    for answer in answers:
        items.setdefault(answer.task, []).append(answer)
        if len(items[answer.task]) == per_item:
            done.append(items[answer.task])
    return done


def test_until_alpha_is_as_narrow_as_wanted(serve: Serve):
    served = serve("anna,ben,carla,dan", number=90, per_item=3, until="alpha 0.2")
    crowd(served)
    looks = served.store.looks()
    assert served.store.state == "done"
    assert looks[-1]["decided"], [look.get("half_width") for look in looks]
    whole = whole_items(served.store.path, 3)
    items = 0
    for look in looks:  # the library's loop, by the same rule of when to look
        items = next_look(items)
        labels = labels_of([a for answers in whole[:items] for a in answers], served.store.plan)
        alpha = agree(labels, seed=0, intervals="fixed")["alpha"]
        assert alpha.low is not None
        assert alpha.high is not None
        half = (alpha.high - alpha.low) / 2
        assert (look["items"], look["decided"]) == (items, half <= 0.2)
        assert look["half_width"] == pytest.approx(half)
    assert len(whole) < 90  # it stopped before everything was answered


def test_until_the_verdict_on_a_judge(serve: Serve, tmp_path):
    judges = tmp_path / "judge.csv"
    texts = {f"i{n}": f"text of item {n}" for n in range(60)}
    # A judge about as good as a person, who goes by the item's own label.
    rows = [f"{item},{label_of('judge', text)}\n" for item, text in texts.items()]
    judges.write_text(f"item,judge\n{''.join(rows)}", encoding="utf-8")
    served = serve("anna,ben,carla", number=60, per_item=3, until="ready", judges=str(judges))
    crowd(served)
    looks = served.store.looks()
    whole = whole_items(served.store.path, 3)
    items = 0
    for look in looks:
        items = min(next_look(items), len(whole))
        labels = labels_of([a for answers in whole[:items] for a in answers], served.store.plan)
        card = judge(labels, judges, looks=True, bootstrap=0)
        assert look["verdicts"] == {"judge": card["judge"].readiness}
        assert look["items"] == items
    assert [look["decided"] for look in looks] == [False] * (len(looks) - 1) + [
        looks[-1]["verdicts"]["judge"] != "cannot tell yet"
    ]
    assert served.store.state == "done"


def test_until_items(serve: Serve):
    served = serve("anna,ben", number=40, per_item=2, until="items 12")
    crowd(served)
    assert served.store.looks()[-1]["items"] == 12
    assert served.monitor.final()[0].startswith("12 items of 12 have all answers.")


def test_pairs_are_chosen_and_stop_as_the_library_does(serve: Serve):
    criteria = (Criterion("outcome", SIDES),)
    served = serve(
        "anna", number=12, pairs=True, criteria=criteria, until="labels 0.75", seed=3, cost=0.1
    )
    crowd(served)
    assert served.store.state == "done"
    store = served.store
    items = [f"i{n}" for n in range(12)]
    tasks = next_pairs(items=items, until="labels 0.75", checks=0, seed=3)
    rows: list[tuple[str, str, str]] = []
    batch = 0
    while len(tasks):
        batch += 1
        for left, right in zip(tasks.left.tolist(), tasks.right.tolist(), strict=True):
            texts = [f"text of item {name[1:]}" for name in (left, right)]
            rows.append((left, right, say("anna", texts)))
        answers = Comparisons.from_columns(*zip(*rows, strict=True), rater=["anna"] * len(rows))
        tasks = next_pairs(
            answers, items=items, until="labels 0.75", checks=0, cost=0.1, seed=3 + batch
        )
    found = read_comparisons(store.path)
    assert len(found) == len(rows) == store.looks()[-1]["answers"]
    assert len(store.looks()) == batch
    assert store.looks()[-1]["decided"]
    assert tasks.standing is not None
    assert tasks.standing.done


def test_a_study_that_cannot_go_on_ends_and_says_why(serve: Serve):
    served = serve("anna,ben", number=30, per_item=2, until="alpha 0.01")
    crowd(served)
    assert served.store.state == "done"
    assert "undecided" in served.monitor.final()[0]
    assert served.store.looks()[-1]["items"] == 30  # what is left over is looked at as well


def test_when_looks_are():
    items, looks = 0, [0]
    while items < 1000:
        items = next_look(items)
        looks.append(items)
    assert looks[1] == FIRST_LOOK
    assert len(looks) < 40
