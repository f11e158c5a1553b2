"""The queue and the file: who gets what, what counts, and what survives."""

from __future__ import annotations

import shutil
import sqlite3
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.collect import store as store_module
from headcount.collect.plan import Plan, criteria_in, stop_of
from headcount.collect.store import NewTask, Store
from headcount.errors import DataError, OptionError
from headcount.io.tools import study as layout
from headcount.io.tools.study import answers_in, opened_study

from .conftest import items_file, new_study


def answers_of(store: Store) -> list[layout.Answer]:
    store.commit()
    with opened_study(store.path) as connection:
        return list(answers_in(connection))


def data_of(store: Store) -> list[layout.Answer]:
    return [answer for answer in answers_of(store) if answer.reason is None]


def answer_all(store: Store, raters: list[int], rng: np.random.Generator) -> None:
    going = list(raters)
    while going:
        rater = going[rng.integers(len(going))]
        shown = store.give(rater)
        if shown is None:
            going.remove(rater)
        else:
            store.answer(rater, shown.key, ["ok" if rng.random() < 0.5 else "toxic"])


@pytest.mark.parametrize("until", [None, "items 30"])
def test_every_item_gets_exactly_as_many_answers_as_wanted(tmp_path, until):
    store = new_study(tmp_path / "s.db", items_file(tmp_path), per_item=3, until=until)
    raters = [store.participant(f"r{n}") for n in range(5)]
    answer_all(store, raters, np.random.default_rng(0))
    data = data_of(store)
    assert Counter(Counter(a.item for a in data).values()) == {3: 30}
    assert len({(a.item, a.rater) for a in data}) == len(data) == 90
    assert store.progress() == (90, 90, 30)
    assert not store.can_go_on()
    store.close()


def test_items_with_the_fewest_answers_come_first_in_an_order_of_the_seed(tmp_path):
    items = items_file(tmp_path, 8)
    orders: list[list[str]] = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        store = new_study(tmp_path / f"{name}.db", items, per_item=2, seed=seed)
        one, two = store.participant("one"), store.participant("two")
        seen: list[str] = []
        for rater in [one] * 4 + [two] * 3:  # the first has another one before them
            shown = store.give(rater)
            assert shown is not None
            seen.append(shown.first["text"])
            store.answer(rater, shown.key, ["ok"])
        orders.append(seen)
        store.close()
    assert orders[0] == orders[1] != orders[2]
    assert len(set(orders[0])) == 7  # the second rater begins with what nobody has answered


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_what_is_left_lying_comes_back_and_a_late_answer_is_surplus(tmp_path):
    clock = Clock()
    new_study(tmp_path / "s.db", items_file(tmp_path, 1), per_item=1).close()
    store = Store(tmp_path / "s.db", clock)
    one, two, three = (store.participant(name) for name in ("one", "two", "three"))
    first = store.give(one)
    assert first is not None
    assert store.give(two) is None
    clock.now += store.plan.lease + 1
    again = store.give(two)
    assert again is not None
    assert again.task == first.task
    assert store.give(three) is None
    assert store.answer(one, first.key, ["ok"]) == "saved"  # too late, and kept
    assert store.answer(two, again.key, ["toxic"]) == "saved"
    assert [(a.rater, a.reason) for a in answers_of(store)] == [("one", "surplus"), ("two", None)]
    assert store.progress() == (1, 1, 1)
    store.close()


def test_a_late_answer_counts_if_nobody_else_has_the_item(tmp_path):
    clock = Clock()
    new_study(tmp_path / "s.db", items_file(tmp_path, 1), per_item=1).close()
    store = Store(tmp_path / "s.db", clock)
    one = store.participant("one")
    shown = store.give(one)
    clock.now += 10 * store.plan.lease
    assert shown is not None
    assert store.answer(one, shown.key, ["ok"]) == "saved"
    assert [a.reason for a in answers_of(store)] == [None]
    assert store.progress() == (1, 1, 1)
    store.close()


def test_the_same_form_counts_once_and_another_answer_to_it_is_told(tmp_path):
    store = new_study(tmp_path / "s.db", items_file(tmp_path), per_item=1)
    one, two = store.participant("one"), store.participant("two")
    shown = store.give(one)
    assert shown is not None
    outcomes = [store.answer(one, shown.key, [label]) for label in ("ok", "ok", "toxic")]
    assert outcomes == ["saved", "repeated", "changed"]
    assert store.answer(two, shown.key, ["ok"]) == "unknown"  # it is not theirs
    assert store.answer(one, "made up", ["ok"]) == "unknown"
    assert len(answers_of(store)) == 1
    store.close()


def test_undo_is_a_new_row_and_shows_the_item_again(tmp_path):
    store = new_study(tmp_path / "s.db", items_file(tmp_path), per_item=1)
    one = store.participant("one")
    shown = store.give(one)
    assert shown is not None
    store.answer(one, shown.key, ["ok"])
    last = store.last_answer(one)
    assert last is not None
    assert store.undo(one, last)
    assert not store.undo(one, last)
    again = store.give(one)
    assert again is not None
    assert again.task == shown.task
    assert again.key != shown.key
    assert store.answer(one, shown.key, ["ok"]) == "unknown"  # the old form is worth nothing
    store.answer(one, again.key, ["toxic"])
    assert [(a.labels, a.reason) for a in answers_of(store)] == [
        (("ok",), "undone"), (("toxic",), None)]  # fmt: skip
    with sqlite3.connect(store.path) as connection:
        assert connection.execute("SELECT count(*) FROM answers").fetchone()[0] == 3
    store.close()


def test_a_look_keeps_answers_as_they_are(tmp_path):
    store = new_study(tmp_path / "s.db", items_file(tmp_path), per_item=1)
    one = store.participant("one")
    shown = store.give(one)
    assert shown is not None
    store.answer(one, shown.key, ["ok"])
    number = store.last_answer(one)
    store.mark_looked(store.whole_tasks())
    assert number is not None
    assert not store.undo(one, number)
    assert store.last_answer(one) is None
    store.close()


def test_a_skipped_item_goes_to_others_and_not_back(tmp_path):
    store = new_study(tmp_path / "s.db", items_file(tmp_path, 1), per_item=1)
    one, two = store.participant("one"), store.participant("two")
    shown = store.give(one)
    assert shown is not None
    store.answer(one, shown.key, None)
    assert store.give(one) is None
    assert store.can_go_on()
    other = store.give(two)
    assert other is not None
    assert store.answer(two, other.key, None) == "saved"
    assert not store.can_go_on()
    assert not data_of(store)
    store.close()


def test_repeats_come_later_and_checks_in_between(tmp_path):
    items = items_file(tmp_path, 100)
    checks = tmp_path / "gold.csv"
    checks.write_text("id,label\n" + "".join(f"i{n},ok\n" for n in range(5)), encoding="utf-8")
    store = new_study(tmp_path / "s.db", items, checks=checks, per_item=2, repeat=0.1)
    raters = [store.participant(name) for name in ("one", "two")]
    answer_all(store, raters, np.random.default_rng(1))
    reasons = Counter(a.reason for a in answers_of(store))
    assert reasons[None] == 190
    assert reasons["check"] == 10
    assert 8 <= reasons["asked again"] <= 35
    for name in ("one", "two"):
        own = [a for a in answers_of(store) if a.rater == name]
        at = {a.item: k for k, a in enumerate(own) if a.reason is None}
        gaps = [k - at[a.item] for k, a in enumerate(own) if a.reason == "asked again"]
        assert min(gaps) >= 1
        assert np.median(gaps) > store_module.REPEAT_AFTER - 1
    store.close()


def test_nobody_answers_more_than_allowed(tmp_path):
    store = new_study(tmp_path / "s.db", items_file(tmp_path, 40), per_item=1, per_rater=7)
    raters = [store.participant(f"r{n}") for n in range(5)]
    answer_all(store, raters, np.random.default_rng(0))
    assert Counter(a.rater for a in data_of(store)) == {f"r{n}": 7 for n in range(5)}
    store.close()


def test_every_other_rater_of_a_pair_sees_the_sides_swapped(tmp_path):
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("left,right\na,b\nc,d\n", encoding="utf-8")
    sides = criteria_in("outcome=left,right,tie")
    store = new_study(tmp_path / "s.db", pairs, pairs=True, criteria=sides, per_item=2)
    for name in ("one", "two"):
        for _ in range(2):
            shown = store.give(rater := store.participant(name))
            assert shown is not None
            store.answer(rater, shown.key, ["left"])
    shown = {(a.item, a.other) for a in data_of(store)}
    assert shown == {("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")}
    store.close()


Step = st.tuples(st.sampled_from(["give", "answer", "skip", "undo", "late", "old"]),
                 st.integers(0, 3))  # fmt: skip


@settings(max_examples=15, deadline=None)
@given(steps=st.lists(Step, max_size=40), whole=st.booleans())
def test_whatever_happens_nothing_is_missed_exceeded_or_doubled(
    tmp_path_factory, steps: list[tuple[str, int]], whole: bool
):
    folder = tmp_path_factory.mktemp("any")
    until = "items 4" if whole else None
    new_study(folder / "s.db", items_file(folder, 4), per_item=2, until=until).close()
    clock = Clock()
    store = Store(folder / "s.db", clock)
    raters = [store.participant(f"r{n}") for n in range(4)]
    keys: dict[int, list[str]] = {rater: [] for rater in raters}
    for what, who in steps:
        rater = raters[who]
        if what == "late":
            clock.now += store.plan.lease + 1
        elif what == "undo":
            if (last := store.last_answer(rater)) is not None:
                assert store.undo(rater, last)
        elif what == "old" and keys[rater]:
            store.answer(rater, keys[rater][0], ["ok"])
        elif (shown := store.give(rater)) is not None:
            keys[rater].append(shown.key)
            if what in ("answer", "skip"):
                assert store.answer(rater, shown.key, ["ok"] if what == "answer" else None)
        rows = store._rows("SELECT id, answered, load FROM tasks")
        counts = {row["id"]: row["answered"] for row in rows}
        loads = {row["id"]: row["load"] for row in rows}
        data = data_of(store)
        assert Counter(a.task for a in data) == Counter(counts)  # zeros are equal
        assert len({(a.task, a.rater) for a in data}) == len(data)
        assert all(counts[task] <= load <= 2 for task, load in loads.items())
    before = sorted(loads_of(store).items())
    store.close()
    again = Store(folder / "s.db", clock)
    assert sorted(loads_of(again).items()) == before  # what was kept is what answers tell
    answer_all(again, raters, np.random.default_rng(0))
    assert max(Counter(a.task for a in data_of(again)).values(), default=0) <= 2
    again.close()


def loads_of(store: Store) -> dict[int, int]:
    with sqlite3.connect(store.path) as connection:
        return dict(connection.execute("SELECT id, load FROM tasks"))


# The file.


def test_a_second_process_refuses_and_a_third_may_after_the_first(tmp_path):
    store = new_study(tmp_path / "s.db", items_file(tmp_path))
    with pytest.raises(OptionError, match="being collected by another process"):
        Store(tmp_path / "s.db")
    store.close()
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["items.csv", "s.db"]
    Store(tmp_path / "s.db").close()


def test_a_newer_study_is_refused_and_an_older_one_is_migrated(tmp_path, monkeypatch):
    store = new_study(tmp_path / "s.db", items_file(tmp_path))
    answer_all(store, [store.participant("one")], np.random.default_rng(0))
    store.close()
    more = (*layout.MIGRATIONS, "ALTER TABLE raters ADD COLUMN email TEXT")
    with monkeypatch.context() as patch:
        for module in (layout, store_module):
            patch.setattr(module, "MIGRATIONS", more)
            patch.setattr(module, "VERSION", 2)
        newer = Store(tmp_path / "s.db")
        assert len(data_of(newer)) == 30
        assert newer.raters() == {"one": 1}
        newer.close()
    for refused in (Store, lambda path: list(opened_study(path).__enter__())):
        with pytest.raises(DataError, match=r"^'[^']*s.db' was written by a newer headcount"):
            refused(tmp_path / "s.db")
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["items.csv", "s.db"]


@pytest.mark.parametrize("what", ["other", "damaged", "view", "plan"])
def test_strange_databases_are_refused(tmp_path, what):
    path = tmp_path / "s.db"
    new_study(path, items_file(tmp_path)).close()
    with sqlite3.connect(path) as connection:
        if what == "other":
            connection.execute("PRAGMA application_id = 7")
        if what == "plan":
            connection.execute("DELETE FROM study WHERE key = 'plan'")
        else:
            connection.execute("DROP TABLE answers")
        if what == "view":
            connection.execute("CREATE VIEW answers AS SELECT 1 AS id")
    with pytest.raises(DataError, match=r"not a study|damaged|cannot be read as a study"):
        Store(path)
    assert not (tmp_path / "s.db-lock").exists()


def test_a_full_disk_acknowledges_nothing_and_goes_on_when_there_is_room(tmp_path):
    store = new_study(tmp_path / "s.db", items_file(tmp_path), per_item=1)
    one = store.participant("one")
    shown = store.give(one)
    assert shown is not None
    connection = store._connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(sqlite3.OperationalError, match="full"):
        store.answer(one, shown.key, ["ok"], "x" * 100_000)
    assert not answers_of(store)
    assert store.give(one) == shown
    connection.execute("PRAGMA max_page_count = 1000000")
    assert store.answer(one, shown.key, ["ok"], "x" * 100_000) == "saved"
    assert len(data_of(store)) == 1
    store.close()


class FullDisk:
    """A connection that cannot write what it was given, which shows at the end."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection, name)

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        if sql != "COMMIT":
            return self.connection.execute(sql, *values)
        self.connection.execute("ROLLBACK")
        raise sqlite3.OperationalError("database or disk is full")


@pytest.mark.parametrize("gathers", [False, True])
def test_a_disk_that_is_full_at_the_end_of_a_transaction_leaves_all_as_it_was(tmp_path, gathers):
    store = new_study(tmp_path / "s.db", items_file(tmp_path), per_item=1)
    raters = [store.participant(name) for name in ("one", "two")]
    shown = [store.give(rater) for rater in raters]
    store.gathers, real = gathers, store._connection
    store._connection = FullDisk(real)  # pyright: ignore[reportAttributeAccessIssue]
    failed = 0
    for rater, task in zip(raters, shown, strict=True):
        assert task is not None
        with suppress(sqlite3.OperationalError):
            store.answer(rater, task.key, ["ok"])
            failed -= 1
        failed += 1
    assert failed == (0 if gathers else 2)
    if gathers:
        with pytest.raises(sqlite3.OperationalError, match="full"):
            store.commit()
    store._connection = real
    assert [store.give(rater) for rater in raters] == shown
    answer_all(store, raters, np.random.default_rng(0))
    assert len(data_of(store)) == 30
    store.close()


def test_what_a_killed_server_left_is_not_read_into_another_study(tmp_path):
    (tmp_path / "s.db-wal").write_bytes(b"left")
    with pytest.raises(OptionError, match=r"'.*s.db-wal' already exists"):
        new_study(tmp_path / "s.db", items_file(tmp_path))
    assert not (tmp_path / "s.db").exists()


def test_a_copy_of_a_study_is_a_study(tmp_path):
    store = new_study(tmp_path / "s.db", items_file(tmp_path), per_item=1)
    answer_all(store, [store.participant("one")], np.random.default_rng(0))
    store.close()
    shutil.copy(tmp_path / "s.db", tmp_path / "copy.db")
    copy = Store(tmp_path / "copy.db")
    assert len(data_of(copy)) == 30
    copy.close()


# What a plan may be.


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"until": "labels 0.9"}, "goal of pairs"),
        ({"until": "alpha 0.1", "per_item": 1}, "two people or more"),
        ({"until": "ready"}, "verdict on a judge"),
        ({"until": "soon"}, "is not a goal"),
        ({"until": "alpha 2"}, "between 0 and 1"),
        ({"until": "items 0"}, "until"),
        ({"per_item": 0}, "per_item"),
        ({"repeat": 2.0}, "repeat"),
    ],
)
def test_plans_that_cannot_be_are_refused(given, says):
    with pytest.raises(OptionError, match=says):
        Plan(**{"source": "x", "criteria": criteria_in("a,b"), "per_item": 2, **given})


def test_goals_and_criteria():
    assert stop_of("top:3 0.9") == ("top:3", 0.9, True)
    assert criteria_in('"yes, surely",no')[0].labels == ("yes, surely", "no")
    for wrong in ("ok", "a,a", "x=1-5;x=a,b", ";", "1-500", "=a,b"):
        with pytest.raises(OptionError):
            criteria_in(wrong)


def test_nothing_is_left_of_a_study_that_could_not_be_made(tmp_path):
    plan = Plan(source="x", criteria=criteria_in("a,b"))
    with pytest.raises(KeyError):
        Store.create(tmp_path / "s.db", plan, {"a": {"text": "a"}}, [NewTask("b")])
    assert not list(tmp_path.iterdir())


def test_items_are_shown_by_name_of_column_or_asked_for(tmp_path):
    path = Path(tmp_path / "items.csv")
    path.write_text("id,title,body,judge\n1,a,b,toxic\n2,c,d,ok\n", encoding="utf-8")
    store = new_study(tmp_path / "s.db", path, show=("title", "body"))
    shown = store.give(store.participant("one"))
    assert shown is not None
    assert set(shown.first) == {"title", "body"}
    store.close()
    path.write_text("id,first,second\n1,a,b\n", encoding="utf-8")
    with pytest.raises(OptionError, match="Which should raters see"):
        new_study(tmp_path / "t.db", path)
