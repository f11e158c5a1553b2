"""Several criteria and several runs: one table in many layouts, and twins of what runs come to."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import DataError, OptionError, judge, read_ratings
from headcount.cli.judge import with_usual
from headcount.errors import QuestionsError
from headcount.io.write import write_rows
from headcount.judging.judge import readiness_at
from headcount.judging.rubric import card_of, judge_rubric, read_rubric
from headcount.judging.runs import _contradiction, read_runs
from headcount.testing import assert_judge

CRITERIA, PEOPLE, ITEMS = ("tone", "style of writing", "style"), ("ann", "bob", "cid"), 100
FEW = {"bootstrap": 20}


def said(seed=1):
    """Labels of each criterion: people's rows, then two judges', of whom one is bad at style."""
    rng = np.random.default_rng(seed)
    out = {}
    for name in CRITERIA:
        truth = rng.integers(1, 6, ITEMS)
        rows = np.clip(truth + rng.integers(-1, 2, (5, ITEMS)), 1, 5)
        if name == "style":
            rows[4] = rng.integers(1, 6, ITEMS)
        out[name] = rows
    return out


def long(data, who, first, names):
    """Rows (item, rater) with a column a criterion."""
    rows = [(f"i{i}", k) for i in range(ITEMS) for k in range(len(names))]
    made = {"item": [item for item, _ in rows], who: [names[k] for _, k in rows]}
    return made | {
        name: [int(data[name][first + k][int(item[1:])]) for item, k in rows] for name in data
    }


def by_criterion(data, who, first, names):
    """Rows (item, criterion, rater)."""
    rows = [(i, c, k) for i in range(ITEMS) for c in data for k in range(len(names))]
    return {
        "item": [f"i{i}" for i, _, _ in rows],
        "criterion": [c for _, c, _ in rows],
        who: [names[k] for _, _, k in rows],
        "score": [int(data[c][first + k][i]) for i, c, k in rows],
    }


def wide(data, first, names, form):
    """One row an item, and columns called by two things."""
    made = {"item": [f"i{i}" for i in range(ITEMS)]}
    return made | {
        form.format(name=name, criterion=c.replace(" ", "-")): data[c][first + k].tolist()
        for c in data
        for k, name in enumerate(names)
    }


def wide_by_criterion(data, first, names):
    """Rows (item, criterion), and a column a judge."""
    rows = [(i, c) for i in range(ITEMS) for c in data]
    made = {"item": [f"i{i}" for i, _ in rows], "criterion": [c for _, c in rows]}
    return made | {
        name: [int(data[c][first + k][i]) for i, c in rows] for k, name in enumerate(names)
    }


JUDGES = ("gpt", "llama")
LAYOUTS = {
    "long": lambda d: (long(d, "rater", 0, PEOPLE), long(d, "judge", 3, JUDGES)),
    "criterion": lambda d: (by_criterion(d, "rater", 0, PEOPLE), wide_by_criterion(d, 3, JUDGES)),
    "wide": lambda d: (
        wide(d, 0, PEOPLE, "{name}_{criterion}"),
        wide(d, 3, JUDGES, "{criterion}_{name}"),
    ),
    "wide, the other way": lambda d: (
        wide(d, 0, PEOPLE, "{criterion}_{name}"),
        wide(d, 3, JUDGES, "{name}_{criterion}"),
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_read_as_the_same(layout):
    data = {name: rows for name, rows in said().items() if name != "style of writing"}
    if not layout.startswith("wide"):
        data = said()
    rubric = read_rubric(*LAYOUTS[layout](data))
    assert set(rubric) == set(data)
    for name, (rated, predictions) in rubric.items():
        assert rated.raters.tolist() == list(PEOPLE)
        assert [each.name for each in predictions.classifiers] == list(JUDGES)
        for item, rater, label in zip(rated.item, rated.rater, rated.label, strict=True):
            row = data[name][rater]
            assert int(rated.scale.labels[label]) == row[int(str(rated.items[item])[1:])]
        for k, each in enumerate(predictions.classifiers):
            codes = each.probability.argmax(axis=1)
            for item, code in zip(predictions.items, codes, strict=True):
                assert int(predictions.labels[code]) == data[name][3 + k][int(str(item)[1:])]


def test_one_unnamed_judge_has_a_column_a_criterion():
    data = said()
    people, judges = long(data, "rater", 0, PEOPLE), {"item": [f"i{i}" for i in range(ITEMS)]}
    judges |= {name.upper(): data[name][3].tolist() for name in data}
    rubric = read_rubric(people, judges)
    assert {each.name for _, p in rubric.values() for each in p.classifiers} == {"judge"}


def test_what_does_not_match_is_said():
    data = said()
    people = long(data, "rater", 0, PEOPLE)
    fewer = {name: data[name] for name in CRITERIA if name != "tone"}
    rubric = read_rubric(people, long(fewer, "judge", 3, JUDGES))
    notes = [str(note) for rated, _ in rubric.values() for note in rated.notes]
    assert any("no judge answers are left out: 'tone'" in note for note in notes)
    with pytest.raises(DataError, match="which of the criteria of people"):
        read_rubric(people, {"item": ["i1"], "humour": [3]})
    with pytest.raises(QuestionsError):
        judge(people, long(data, "judge", 3, JUDGES))


@pytest.fixture(scope="module")
def card():
    return judge_rubric(*LAYOUTS["long"](said()), gate=True, **FEW)


def test_a_row_a_criterion_and_judge(card):
    assert [(row.criterion, row.judge) for row in card.rows] == [
        (name, who) for name in CRITERIA for who in JUDGES
    ]
    for row in card.rows:
        alone = card[row.criterion][row.judge]
        assert (row.readiness, row.worth) == (alone.readiness, alone.worth)
    assert {r.judge: r.readiness for r in card.rows if r.criterion == "style"} == {
        "gpt": "ready",
        "llama": "not ready",
    }


def test_the_gate_asks_for_every_row(card):
    assert card.gate.status == "fail"
    assert card.gate.line.startswith("fail: style: llama")
    assert "tone" not in card.gate.line
    document = card.to_dict()
    assert document["gate"]["status"] == "fail"
    assert set(document["criteria"]) == set(CRITERIA)
    assert len(document["rows"]) == 6
    with pytest.raises(AssertionError, match="style"):
        assert_judge(*LAYOUTS["long"](said()), **FEW)


def test_holm_steps_down(card):
    decided = [row for row in card.rows if row.readiness != "cannot tell yet"]
    # By brute force: reject the surest first, at levels that grow less strict.
    sure, left = set(), len(card.rows)
    while True:
        level = 1 - 0.05 / left
        more = [
            (r.criterion, r.judge)
            for r in decided
            if (r.criterion, r.judge) not in sure
            and readiness_at(card[r.criterion], card[r.criterion][r.judge], level) == r.readiness
        ]
        if not more:
            break
        sure |= set(more)
        left = len(card.rows) - len(sure)
        if not left:
            break
    assert {(row.criterion, row.judge) for row in card.rows if row.of_all} == sure


def test_a_verdict_at_its_own_level_is_the_card_s(card):
    for result in card.cards.values():
        for each in result.judges:
            assert readiness_at(result, each, 0.95) == each.readiness


def test_the_grid_is_drawn(card):
    pytest.importorskip("matplotlib")
    axes = card.plot()
    assert [text.get_text() for text in axes.get_yticklabels()] == list(CRITERIA)
    assert sum("not ready" in text.get_text() for text in axes.texts) == 1
    assert "llama: ready on tone and style of writing; not ready on style." in str(card)


def test_options_of_one_criterion(card):
    with pytest.raises(OptionError, match="run is for one criterion at a time"):
        judge_rubric(*LAYOUTS["long"](said()), run=True)
    before = {name: predictions for name, (_, predictions) in read_rubric(
        *LAYOUTS["long"](said())
    ).items()}  # fmt: skip
    again = card_of(read_rubric(*LAYOUTS["long"](said())), before, **FEW)
    changes = [change for result in again.cards.values() for change in result.changes]
    assert len(changes) == 6
    assert all(change.kappa.value == 0 and not change.worse for change in changes)


def files_of(tmp_path, data):
    """Write people and judges, a column a criterion."""
    for name, columns in zip(("people.csv", "judges.csv"), LAYOUTS["long"](data), strict=True):
        write_rows(columns, tmp_path / name)
    return tmp_path / "people.csv", tmp_path / "judges.csv"


def test_a_page_has_the_grid_and_the_card_of_each_criterion(tmp_path, run):
    pytest.importorskip("matplotlib")
    page = tmp_path / "card.html"
    done = run("judge", *files_of(tmp_path, said()), "-o", page, "--bootstrap", 20)
    assert done.code == 0, done.err
    text = page.read_text()
    assert "llama: ready on tone and style of writing; not ready on style." in text
    for name in CRITERIA:
        assert f"{name}: may these judges stand in for a person here?" in text
    assert text.count("<svg") >= 1 + len(CRITERIA)


def test_groups_of_items_are_those_of_every_criterion(tmp_path, run):
    people, judges = files_of(tmp_path, said())
    rows = people.read_text().splitlines()
    topics = ["topic", *("math" if int(row.split(",")[0][1:]) % 2 else "code" for row in rows[1:])]
    people.write_text("\n".join(f"{row},{topic}" for row, topic in zip(rows, topics, strict=True)))
    done = run("judge", people, judges, "--by", "topic", "--json", "--bootstrap", 20)
    assert done.code == 0, done.err
    for card in done.json["criteria"].values():
        groups = card["judges"][0]["disagreement"]["groups"]
        assert {group["group"] for group in groups} == {"math", "code"}


@pytest.mark.parametrize("more", [("--looks", "l.json"), ("--run",), ("--save-map", "map.json")])
def test_what_is_for_one_criterion_names_the_command(tmp_path, run, more):
    done = run("judge", *files_of(tmp_path, said()), *more)
    assert done.code == 2
    error = " ".join(done.err.replace("\\\n", " ").split())
    assert f"{more[0]} is for one criterion at a time" in error
    assert "--question tone" in error
    assert "people.csv" in error


def test_runs_on_one_criterion(tmp_path, run):
    data = said()
    people, _ = files_of(tmp_path, data)
    judges = {"item": [f"i{i}" for i in range(ITEMS)] * 2, "run": [1] * ITEMS + [2] * ITEMS}
    judges |= {name: [*data[name][3].tolist(), *data[name][4].tolist()] for name in data}
    write_rows(judges, tmp_path / "runs.csv")
    more = ("--run", "run", "--question", "tone", "--json", "--bootstrap", 20)
    done = run("judge", people, tmp_path / "runs.csv", *more)
    assert done.code == 0, done.err
    assert [each["name"] for each in done.json["judges"]] == ["judge", "judge (majority of 2)"]
    assert done.json["runs"][0]["runs"] == 2


# Runs.


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=5), min_size=1, max_size=30))
def test_contradictions_are_pairs_of_runs_that_differ(answers):
    shares = [
        np.mean([a != b for a, b in combinations(each, 2)]) for each in answers if len(each) > 1
    ]
    if not shares:
        with pytest.raises(DataError, match="no runs"):
            _contradiction("j", answers, 1)
        return
    found = _contradiction("j", answers, 5)
    assert found.share.value == pytest.approx(np.mean(shares))
    assert found.items == len(shares)
    if len(shares) >= 10:
        assert found.share.low <= found.share.value <= found.share.high


def runs_of(seed=2, runs=5):
    rng = np.random.default_rng(seed)
    labels = rng.integers(1, 6, (runs, ITEMS))
    return labels, {
        "item": [f"i{i}" for _ in range(runs) for i in range(ITEMS)],
        "run": [k for k in range(runs) for _ in range(ITEMS)],
        "gpt": labels.ravel().tolist(),
    }


def test_the_majority_of_runs_and_one_of_them():
    labels, frame = runs_of()
    found, (own,) = read_runs(frame, "run", 0, [*"12345"])
    assert [each.name for each in found.classifiers] == ["gpt", "gpt (majority of 5)"]
    one, most = (each.probability.argmax(axis=1) for each in found.classifiers)
    for row, item in enumerate(found.items):
        answers = labels[:, int(str(item)[1:])]
        times = Counter(answers.tolist())
        assert int(found.labels[one[row]]) in times
        assert times[int(found.labels[most[row]])] == max(times.values())
    assert (own.runs, own.items) == (5, ITEMS)


def test_the_order_of_rows_changes_nothing():
    _, frame = runs_of()
    order = np.random.default_rng(3).permutation(len(frame["item"]))
    mixed = {name: [column[k] for k in order] for name, column in frame.items()}
    plain = {name: column for name, column in mixed.items() if name != "run"}
    tables = []
    for data, run in ((frame, "run"), (mixed, "run"), (plain, True)):
        found, (own,) = read_runs(data, run, 0, [*"12345"])
        tables.append([each.probability for each in found.classifiers])
        assert own.share.value == pytest.approx(0.8, abs=0.05)
    for other in tables[1:]:
        for a, b in zip(tables[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_scores_of_runs_are_averaged():
    rng = np.random.default_rng(4)
    values = rng.normal(size=(3, 40))
    frame = {
        "item": [f"i{i}" for _ in range(3) for i in range(40)],
        "run": [k for k in range(3) for _ in range(40)],
        "score": values.ravel().tolist(),
    }
    found, _ = read_runs(frame, "run", 0, ["no", "yes"])
    mean = next(each for each in found.scores if each.name.endswith("(mean of 3)"))
    wanted = [values[:, int(str(item)[1:])].mean() for item in found.items]
    np.testing.assert_allclose(mean.values, wanted)


def test_repeated_rows_name_the_option(tmp_path):
    labels, frame = runs_of()
    data = said()
    people = {"item": [f"i{i}" for i in range(ITEMS)]}
    people |= {name: data["tone"][k].tolist() for k, name in enumerate(PEOPLE)}
    with pytest.raises(DataError, match=r"runs of one judge, say so: run='run'"):
        judge(people, frame, **FEW)
    called = {**frame, "label": frame["gpt"]}
    del called["gpt"]
    with pytest.raises(DataError, match=r"'run' numbers runs.*run='run'"):
        judge(people, called, **FEW)
    # Runs that are numbered as people's labels are: whatever else is wrong, the option is named.
    numbered = {"item": frame["item"], "run": frame["run"], "rating": frame["gpt"]}
    with pytest.raises(DataError, match=r"runs of one judge, say so: run='run'"):
        judge(people, numbered, **FEW)
    card = judge(people, frame, run="run", **FEW)
    assert card.runs[0].runs == 5
    assert "Asked again, gpt contradicts itself" in str(card)
    assert json.dumps(card.to_dict()["runs"]).startswith('[{"judge": "gpt"')
    assert labels.shape == (5, ITEMS)


def test_people_who_rated_twice_stand_beside():
    _, frame = runs_of()
    data = said()["tone"]
    rows = [(i, k) for i in range(ITEMS) for k in range(3)]
    people = {
        "item": [f"i{i}" for i, _ in rows] * 2,
        "rater": [PEOPLE[k] for _, k in rows] * 2,
        "label": [int(data[k][i]) for i, k in rows] * 2,
    }
    rated = read_ratings(people, duplicates="retest")
    assert "people contradict themselves in 0%" in str(judge(rated, frame, run="run", **FEW))


def test_the_option_may_stand_alone():
    assert with_usual(["a", "b", "--run"]) == ["a", "b", "--run", ""]
    assert with_usual(["--run", "seed", "a"]) == ["--run", "seed", "a"]
