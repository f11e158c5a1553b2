"""Answers about parts of a task are no ratings of it; a scale is one, whatever all say once."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from headcount import read_ratings
from headcount.errors import DataError

from .test_other_exports import GIVEN, ITEMS, PEOPLE, answer, ratings_of
from .test_variants import write_csv, write_json, write_lines


def label_studio(*beside: dict[str, Any]) -> list[dict[str, Any]]:
    """Tasks of which each annotation has a choice, and other results beside it."""
    return [
        {"id": f"x{i}", "data": {"text": "t"}, "predictions": [], "drafts": [],
         "annotations": [
            {"completed_by": who, "was_cancelled": False, "result": [
                {"from_name": "tone", "to_name": "t", "type": "choices",
                 "value": {"choices": [answer(i, j)]}}, *beside]}
            for j, who in enumerate(PEOPLE)]}
        for i in range(ITEMS)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "part",
    [{"value": {"format": "rle", "rle": [1, 2]}}, {"value": {"ranges": [{"start": 1, "end": 2}]}},
     {"value": {"sequence": [{"frame": 1}]}}, {"value": {"start": 0, "end": 3}},
     {"value": {}, "item_index": 0}],
)  # fmt: skip
def test_label_studio_answers_about_parts_are_left_out(tmp_path: Path, part: Any) -> None:
    value = part["value"] | {"choices": ["sure"]}
    one = {"from_name": "part", "to_name": "t", "type": "choices"} | part | {"value": value}
    read = read_ratings(write_json(tmp_path / "x.json", label_studio(one)))
    assert ratings_of(read) == GIVEN
    assert any("left out: 'part'" in note for note in read.notes)


@pytest.mark.parametrize(
    "task", [{"user_input": "in my words"}, {"_view_id": "image_manual"}, {"_view_id": "relations"}]
)
def test_prodigy_texts_and_marks_are_refused(tmp_path: Path, task: dict[str, Any]) -> None:
    rows = [{"_input_hash": i, "_task_hash": i, "answer": "accept", "_annotator_id": who} | task
            for i in range(ITEMS) for who in PEOPLE]  # fmt: skip
    path = write_lines(tmp_path / "x.jsonl", rows)
    with pytest.raises(DataError, match="no ratings of items"):
        read_ratings(path)
    choice = [row | {"options": [{"id": "a"}], "accept": ["a"]} for row in rows]
    assert len(read_ratings(write_lines(path, choice)).label) == len(rows)


def test_argilla_rankings_are_counted(tmp_path: Path) -> None:
    ranked = [[{"value": "a", "rank": 1}, {"value": "b", "rank": 2}]] * 2
    rows = [{"id": f"x{i}", "q.responses": ranked, "q.responses.users": ["u", "v"],
             "q.responses.status": ["submitted"] * 2} for i in range(3)]  # fmt: skip
    with pytest.raises(DataError, match=r"nothing is left to read \(6 ranking or spans\)"):
        read_ratings(write_lines(tmp_path / "x.jsonl", rows))


def test_doccano_categories_beside_spans(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as file:
        for j, who in enumerate(PEOPLE):
            rows = [{"id": f"x{i}", "text": "t", "cats": [answer(i, j)], "Comments": [],
                     "entities": [[0, 1, "NAME"]]} for i in range(ITEMS)]  # fmt: skip
            file.writestr(f"{who}.jsonl", "\n".join(map(json.dumps, rows)))
    read = read_ratings(tmp_path / "x.zip")
    assert ratings_of(read) == GIVEN
    assert any("spans beside the categories" in note for note in read.notes)


def qualtrics(path: Path, answers: list[list[str]], status: list[str]) -> Path:
    """Write respondents' answers; origins of other columns are only their names."""
    own, asked = ["Status", "ResponseId"], [f"Q{i}" for i in range(len(answers[0]))]
    rows = [
        [*own, *asked],
        [*own, *(f"Rate text {name}" for name in asked)],
        [json.dumps({"ImportId": name}) for name in own]
        + [json.dumps({"ImportId": f"QID{i}"}) for i in range(len(asked))],
        *(
            [state, f"R{i}", *row]
            for i, (state, row) in enumerate(zip(status, answers, strict=True))
        ),
    ]
    return write_csv(path, rows)


def test_qualtrics_a_point_that_all_give_one_item_is_of_the_scale(tmp_path: Path) -> None:
    answers = [["1", "4", "5"], ["2", "4", "3"], ["5", "4", "1"]]
    path = qualtrics(tmp_path / "x.csv", answers, ["IP Address"] * 3)
    read = read_ratings(path)
    assert (len(read.items), len(read.raters), len(read.label)) == (3, 3, 9)
    # An age is no point of a scale, and stands beside it.
    older = [[*row, age] for row, age in zip(answers, ["30", "41", "35"], strict=True)]
    with pytest.raises(DataError, match="2 questions have answers: 'Q', 'Q3'"):
        read_ratings(qualtrics(path, older, ["IP Address"] * 3))


def test_qualtrics_previews_are_known_by_the_name_of_the_column(tmp_path: Path) -> None:
    answers = [["1", "4", "5"], ["2", "4", "3"], ["5", "4", "1"]]
    read = read_ratings(
        qualtrics(tmp_path / "x.csv", answers, ["IP Address", "Survey Preview", "IP Address"])
    )
    assert sorted(map(str, read.raters)) == ["R0", "R2"]
    assert read.dropped == {"preview": 3}
