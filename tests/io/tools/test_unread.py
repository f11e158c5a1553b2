"""Exports of tools that are not read are refused by name, with what to do; forms are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headcount import read_comparisons, read_predictions, read_ratings
from headcount.errors import DataError

from .test_other_exports import ITEMS, PEOPLE, answer
from .test_variants import write_csv

UNREAD: dict[str, tuple[Any, str]] = {
    "webanno.tsv": ("#FORMAT=WebAnno TSV 3.3\n\n1-1\t0-5\tHello\t_\t\n1-2\t6-9\tyou\tX\t\n",
                    "INCEpTION or WebAnno.*no ratings of items"),
    "cvat.xml": ('<?xml version="1.0"?>\n<annotations><image id="0"/></annotations>', "CVAT"),
    "page.xls": ("<html><table><tr><td>item</td></tr></table></html>", "HTML"),
    "coco.json": ({"images": [], "annotations": [], "categories": []}, "COCO.*shapes"),
    "labelme.json": ({"version": "5", "shapes": [], "imagePath": "a.jpg"}, "LabelMe.*shapes"),
    "v7.json": ({"version": "2.0", "schema_ref": "x", "item": {}, "annotations": []}, "V7 Darwin"),
    "scale.json": ([{"task_id": f"t{i}", "type": "categorization", "status": "completed",
                     "params": {}, "response": {"category": "x"}} for i in range(3)],
                   "Scale.*what each worker said is not in it"),
    "redcap.csv": ("record_id,redcap_event_name,q1,q2,rating_complete\n1,,3,4,2\n2,,5,1,2\n",
                   "REDCap.*transpose=True if records are raters.*format='csv'"),
    "redcap_short.csv": ("record_id,q1,q2,rating_complete\n1,3,4,2\n2,5,1,2\n", "REDCap"),
    "evals.jsonl": ([{"spec": {"eval_name": "x"}}]
                    + [{"run_id": "r", "event_id": i, "sample_id": f"s{i}", "type": "match",
                        "data": {"correct": True}} for i in range(3)], "OpenAI evals.*sample_id"),
    "weave.jsonl": ([{"id": f"c{i}", "op_name": "weave:///x", "trace_id": "t", "inputs": {},
                      "output": {"scores": {}}} for i in range(3)], "Weave.*predict_and_score"),
    "trulens.csv": ("app_id,record_id,record_json,ts,Relevance,Relevance_calls\n"
                    "a,r1,{},t,.5,[]\na,r2,{},t,.7,[]\n", "TruLens.*_calls.*format='csv'"),
    "feedback.json": ([{"run_id": f"x{i}", "key": "tone", "score": 1, "value": None,
                        "feedback_source": {"type": "app"}} for i in range(3)],
                      r"LangSmith.*item \(run_id\).*to_pandas"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNREAD)
def test_refused_by_name(tmp_path: Path, name: str) -> None:
    content, message = UNREAD[name]
    path = tmp_path / name
    if name.endswith(".jsonl"):
        path.write_text("\n".join(map(json.dumps, content)))
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    for read in (read_ratings, read_predictions, read_comparisons):
        with pytest.raises(DataError, match=f"{path.name} .*{message}"):
            read(path)


def test_what_is_a_table_is_read_as_one_if_asked(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(UNREAD["redcap.csv"][0])
    ignore = ["redcap_event_name", "rating_complete"]
    read = read_ratings(path, format="csv", ignore=ignore, transpose=True)
    assert sorted(map(str, read.items)) == ["q1", "q2"]
    path.write_text(UNREAD["trulens.csv"][0])
    ignore = ["app_id", "record_json", "ts", "Relevance_calls"]
    scores = read_predictions(path, format="csv", ignore=ignore).scores
    assert [score.name for score in scores] == ["Relevance"]


def test_ragas_as_parquet_and_ratings_that_are_not(tmp_path: Path) -> None:
    rows = [{"user_input": f"q{i}", "retrieved_contexts": ["c"], "response": "a", "reference": "b",
             "faithfulness": None if i == 1 else i / 4} for i in range(4)]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "x.parquet")
    read = read_predictions(tmp_path / "x.parquet")
    assert [score.name for score in read.scores] == ["faithfulness"]
    assert read.dropped == {"empty": 1}
    header = ["id", "question", "answer", "contexts", "ann", "bob"]
    people = [[str(i), f"q{i}", "a", "c", str(1 + i % 2), str(1 + i // 2)] for i in range(4)]
    path = write_csv(tmp_path / "people.csv", [header, *people])
    found = read_ratings(path, ignore=["question", "answer", "contexts"])
    assert sorted(map(str, found.raters)) == ["ann", "bob"]


ASKED = [f"How is text {i}?" for i in range(ITEMS)]
FORMS = {
    "typeform": (["#"], ["Response Type", "Start Date (UTC)", "Stage Date (UTC)",
                         "Submit Date (UTC)", "Network ID", "Tags", "Ending"],
                 lambda who: ([f"token {who}"], ["completed", "2026-01-01 10:00:00", "",
                                                 "2026-01-01 10:05:00", f"n{who}", "", ""])),
    "kobo": (["start", "end"], ["_id", "_uuid", "_submission_time", "_validation_status",
                                "_status", "_submitted_by", "__version__", "_index"],
             lambda who: (["2026-01-01T10:00:00", "2026-01-01T10:05:00"],
                          ["7" + str(PEOPLE.index(who)), f"u {who}", "2026-01-01T10:06:00", "",
                           "submitted_via_web", "", "v1", str(PEOPLE.index(who) + 1)])),
}  # fmt: skip


@pytest.mark.parametrize("tool", FORMS)
def test_respondents_of_forms_are_raters(tmp_path: Path, tool: str) -> None:
    before, after, about = FORMS[tool]
    rows = [[*before, *ASKED, *after]]
    for j, who in enumerate(PEOPLE):
        first, last = about(who)
        rows.append([*first, *(answer(i, j) for i in range(ITEMS)), *last])
    read = read_ratings(write_csv(tmp_path / "form.csv", rows))
    assert sorted(map(str, read.items)) == ASKED
    assert [str(rater).split()[-1] for rater in read.raters] == list(PEOPLE)
    given = {(str(read.items[i]), int(j)): read.scale.labels[k]
             for i, j, k in zip(read.item, read.rater, read.label, strict=True)}  # fmt: skip
    assert given == {(ASKED[i], j): answer(i, j) for i in range(ITEMS) for j in range(len(PEOPLE))}


def test_a_point_that_all_give_one_item_of_a_form_is_of_the_scale(tmp_path: Path) -> None:
    rows = [["Timestamp", "A?", "B?", "C?"], ["t1", "1", "4", "5"], ["t2", "2", "4", "3"],
            ["t3", "5", "4", "1"]]  # fmt: skip
    read = read_ratings(write_csv(tmp_path / "form.csv", rows))
    assert (len(read.items), len(read.raters)) == (3, 3)
