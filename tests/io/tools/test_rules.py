"""What readers of exports leave out, ask for or refuse, and exports that are not read."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headcount import read_comparisons, read_predictions, read_ratings
from headcount.errors import DataError
from headcount.io.opening import read_export
from headcount.io.reading import Reading
from headcount.io.tables import Table
from headcount.io.tools.exports import Kind
from tests.io.tools.test_exports import (
    GIVEN,
    ITEMS,
    PEOPLE,
    answer,
    ratings_of,
    write_csv,
    write_json,
    write_lines,
)
from tests.io.tools.test_fixtures import cells_of

# What each reader leaves out, asks for or refuses, where the fixtures do not show it.


def read(path: Path, kind: Kind = "ratings", **options: Any) -> Table:
    table = read_export(path, kind, Reading(**options))
    assert table is not None
    return table


def rows(table: Table) -> list[tuple[str | None, ...]]:
    return [tuple(row.values()) for row in cells_of(table)]


def annotation(rater: object, *results: dict[str, Any], at: str = "2026-01-01") -> dict[str, Any]:
    return {"completed_by": rater, "result": list(results), "updated_at": at}


def choice(label: str, **value: Any) -> dict[str, Any]:
    return {"from_name": "q", "type": "choices", "value": {"choices": [label], **value}}


def label_studio(tmp_path: Path, *annotations: dict[str, Any]) -> Path:
    path = tmp_path / "export.json"
    task = {"id": 1, "data": {"text": "t"}, "annotations": list(annotations), "predictions": []}
    path.write_text(json.dumps([task]))
    return path


def test_label_studio_takes_the_last_answer_of_a_rater(tmp_path: Path) -> None:
    first, last = annotation(1, choice("a"), at="2026-02-02"), annotation(1, choice("b"))
    table = read(label_studio(tmp_path, first, last, annotation(2, choice("b"))))
    assert sorted(rows(table)) == [("1", "1", "a"), ("1", "2", "b")]
    assert dict(table.dropped) == {"replaced by a later answer": 1}


def test_label_studio_refuses_several_answers_in_one_annotation(tmp_path: Path) -> None:
    path = label_studio(tmp_path, annotation(1, choice("a"), choice("b")))
    with pytest.raises(DataError, match="several answers to 'q' in one annotation"):
        read(path)


def test_label_studio_leaves_out_answers_about_regions(tmp_path: Path) -> None:
    path = label_studio(tmp_path, annotation(1, choice("a", start=0, end=3)))
    with pytest.raises(DataError, match=r"no ratings can be read. Regions, .* left out: 'q'"):
        read(path)


def test_label_studio_without_names_of_what_is_compared(tmp_path: Path) -> None:
    side = {"from_name": "q", "type": "pairwise", "value": {"selected": "left"}}
    path = label_studio(tmp_path, annotation(1, side))
    with pytest.raises(DataError, match="model_a and model_b"):
        read(path, "comparisons")
    assert rows(read(path)) == [("1", "1", "left")]


def test_label_studio_csv_in_which_all_agree_needs_the_question(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_text(
        "annotation_id,annotator,created_at,id,lead_time,q,text,updated_at\n"
        "1,1,x,1,2,yes,t,x\n2,2,x,1,2,yes,t,x\n"
    )
    with pytest.raises(DataError, match="'q', 'text'") as error:
        read(path)
    assert error.value.option == "question"
    assert rows(read(path, question="q")) == [("1", "1", "yes"), ("1", "2", "yes")]


def qualtrics(tmp_path: Path, questions: dict[str, str], answers: list[list[str]]) -> Path:
    sources = ["status", "finished", "_recordId", *questions.values()]
    file = io.StringIO()
    write = csv.writer(file).writerow
    write(["Status", "Finished", "ResponseId", *questions])
    write(["x"] * len(sources))
    write([json.dumps({"ImportId": source}) for source in sources])
    for number, own in enumerate(answers):
        write(["IP Address", "True", f"R_{number}", *own])
    path = tmp_path / "survey.csv"
    path.write_text(file.getvalue())
    return path


def test_qualtrics_keeps_scales_apart(tmp_path: Path) -> None:
    questions = {"Q1_1": "QID1_1", "Q1_2": "QID1_2", "Sex": "QID2", "Order": "QID1_DO_1"}
    path = qualtrics(tmp_path, questions, [["1", "2", "female", "1"], ["2", "-99", "male", "2"]])
    with pytest.raises(DataError, match="'Q1', 'Sex'"):
        read(path)
    wanted = [("Q1_1", "R_0", "1"), ("Q1_1", "R_1", "2"), ("Q1_2", "R_0", "2")]
    for table in (read(path, question="Q1"), read(path, ignore=("Sex",))):
        assert sorted(rows(table)) == wanted
        assert any("-99" in note for note in table.notes)


def test_what_is_ignored_must_be_there(tmp_path: Path) -> None:
    path = qualtrics(tmp_path, {"Q1_1": "QID1_1", "Q1_2": "QID1_2"}, [["1", "2"], ["2", "1"]])
    assert rows(read(path, ignore=("Q1_2",))) == [("Q1_1", "R_0", "1"), ("Q1_1", "R_1", "2")]
    with pytest.raises(DataError, match="no 'Q1_3' to ignore"):
        read(path, ignore=("Q1_3",))


def test_qualtrics_reads_sliders(tmp_path: Path) -> None:
    answers = [[str(i), str(i + 50)] for i in range(30)]
    path = qualtrics(tmp_path, {"Q1_1": "QID1_1", "Q1_2": "QID1_2"}, answers)
    assert read(path).rows == 60


def test_prodigy_with_several_labels_asks(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text(
        "\n".join(
            json.dumps(
                {"_input_hash": 1, "_task_hash": i, "label": label, "answer": "accept",
                 "_session_id": "2024-02-06_10-17-19"}
            )
            for i, label in enumerate(["A", "B"])
        )
    )  # fmt: skip
    with pytest.raises(DataError, match="'A', 'B'"):
        read(path)
    table = read(path, question="B")
    assert table.rows == 1
    assert [note.severity for note in table.notes if "sessions" in note] == ["warning"]


def test_argilla_without_statuses_warns() -> None:
    from tests.io.tools.test_fixtures import FIXTURES, data_of

    table = read(data_of(FIXTURES / "argilla" / "to_json_nested"))
    assert [note.severity for note in table.notes if "drafts" in note] == ["warning"]


def test_inspect_refuses_later_versions(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    log = {"version": 3, "status": "success", "eval": {"task": "t", "model": "m"}, "samples": []}
    path.write_text(json.dumps(log))
    with pytest.raises(DataError, match="version 3"):
        read(path, "predictions")


def test_several_labels_are_one_and_said(tmp_path: Path) -> None:
    path = tmp_path / "alice.jsonl"
    records = [{"id": i, "text": "t", "label": own, "Comments": []} for i, own in
               enumerate([["b", "a"], ["a", "b"], ["a"]])]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, records)))
    table = read(path)
    assert [row[2] for row in rows(table)] == ["a + b", "a + b", "a"]
    assert any("several labels" in note for note in table.notes)


def test_an_archive_that_is_no_export_is_named(tmp_path: Path) -> None:
    path = tmp_path / "files.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/readme.txt", "hello")
        archive.writestr("ratings.csv", "item,ann,bob\n1,x,y\n")
    with pytest.raises(DataError, match=r"no export that is known. Unpack it, and give the file"):
        read_ratings(path)


def test_names_of_columns_in_cp1252_are_read_as_the_cells_are(tmp_path: Path) -> None:
    path = tmp_path / "assignments.tsv"
    rows = ["INPUT:imåge\tOUTPUT:result\tASSIGNMENT:worker_id"]
    rows += [f"bild {i}\tja, på\tw{w}" for i in range(3) for w in range(2)]
    path.write_bytes("\n".join(rows).encode("cp1252"))
    table = read_export(path, "ratings", Reading())
    assert table is not None
    assert table.codes(2)[1] == ["ja, på"]
    assert any("cp1252" in note for note in table.notes)


def test_an_export_that_is_partly_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "assignments.tsv"
    text = "INPUT:image\tOUTPUT:result\tASSIGNMENT:worker_id\na\tpå\tw1\nb\t"
    path.write_bytes(text.encode() + "på\tw2\n".encode("cp1252"))
    with pytest.raises(DataError, match="row 3: bytes that are not UTF-8, and the text does"):
        read_export(path, "ratings", Reading())


def test_a_record_without_a_field_that_every_one_has_is_named(tmp_path: Path) -> None:
    source = {"source_type": "HUMAN", "source_id": "ann"}
    whole = {"assessment_name": "good", "source": source, "feedback": {"value": True}}
    traces = [{"trace_id": f"t{i}", "assessments": [whole]} for i in range(60)]
    traces.append({"trace_id": "t60", "assessments": [{"source": source, "feedback": {}}]})
    path = tmp_path / "traces.jsonl"
    path.write_text("".join(json.dumps(trace) + "\n" for trace in traces))
    with pytest.raises(DataError, match="a record has no 'assessment_name', which MLflow writes"):
        read(path)


def _min_records(texts: list[str]) -> list[dict[str, Any]]:
    """Label Studio's short JSON of tasks that were imported once for each rater."""
    return [
        {"id": 10 * i + who, "text": text, "language": "en", "mood": "ab"[(i * who) % 2],
         "annotator": who, "annotation_id": i, "lead_time": 1.5, "created_at": "x",
         "updated_at": "x"}
        for i, text in enumerate(texts) for who in (1, 2, 3)
    ]  # fmt: skip


def test_the_advice_for_short_records_of_one_rater_each_works(tmp_path: Path) -> None:
    path, records = tmp_path / "min.json", _min_records(["a", "b", "c"])
    path.write_text(json.dumps(records))
    with pytest.raises(DataError, match=r"format='json', item='...'.*rater='annotator'"):
        read(path)
    labels = read_ratings(path, format="json", item="text", rater="annotator", label="mood")
    assert (len(labels.items), len(labels.raters), len(labels)) == (3, 3, 9)
    assert read(path, question="mood").codes(0)[1] == [str(one["id"]) for one in records]


def test_a_score_that_people_changed_is_the_one_of_the_scorer(tmp_path: Path) -> None:
    edit = {"value": "C", "provenance": {"author": "ann", "timestamp": "2026-03-01T10:00:00Z"}}
    score = {"value": "C", "history": [{"value": "I", "provenance": None}, edit]}
    other = {"value": "C", "history": []}
    samples = [{"id": i + 1, "scores": {"judge": one}} for i, one in enumerate((score, other))]
    path = tmp_path / "log.json"
    log = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}}
    path.write_text(json.dumps(log | {"samples": samples}))
    table = read(path, "predictions")
    assert rows(table) == [("1", "judge", "I"), ("2", "judge", "C")]
    assert any("1 answer changed by people" in note for note in table.notes)


# Answers about parts of a task are no ratings of it; a scale is one, whatever all say once.


def label_studio_tasks(*beside: dict[str, Any]) -> list[dict[str, Any]]:
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
    read = read_ratings(write_json(tmp_path / "x.json", label_studio_tasks(one)))
    assert ratings_of(read) == GIVEN
    assert any("left out: 'part'" in note for note in read.notes)


@pytest.mark.parametrize(
    "task", [{"user_input": "in my words"}, {"_view_id": "image_manual"}, {"_view_id": "relations"}]
)
def test_prodigy_texts_and_marks_are_refused(tmp_path: Path, task: dict[str, Any]) -> None:
    rows = [{"_input_hash": i, "_task_hash": i, "answer": "accept", "_annotator_id": who} | task
            for i in range(ITEMS) for who in PEOPLE]  # fmt: skip
    path = write_lines(tmp_path / "x.jsonl", rows)
    with pytest.raises(DataError, match="not ratings of items"):
        read_ratings(path)
    choice = [row | {"options": [{"id": "a"}], "accept": ["a"]} for row in rows]
    assert len(read_ratings(write_lines(path, choice)).label) == len(rows)


def test_argilla_rankings_are_counted(tmp_path: Path) -> None:
    ranked = [[{"value": "a", "rank": 1}, {"value": "b", "rank": 2}]] * 2
    rows = [{"id": f"x{i}", "q.responses": ranked, "q.responses.users": ["u", "v"],
             "q.responses.status": ["submitted"] * 2} for i in range(3)]  # fmt: skip
    with pytest.raises(DataError, match=r"no ratings can be read \(6 ranking or spans\)"):
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


def write_qualtrics(path: Path, answers: list[list[str]], status: list[str]) -> Path:
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
    path = write_qualtrics(tmp_path / "x.csv", answers, ["IP Address"] * 3)
    read = read_ratings(path)
    assert (len(read.items), len(read.raters), len(read.label)) == (3, 3, 9)
    # An age is no point of a scale, and stands beside it.
    older = [[*row, age] for row, age in zip(answers, ["30", "41", "35"], strict=True)]
    with pytest.raises(
        DataError, match="'30', '35', '41' appear 3 times far from the other labels"
    ):
        read_ratings(write_qualtrics(path, older, ["IP Address"] * 3))
    assert len(read_ratings(path, ignore=["Q3"]).items) == 3


def test_qualtrics_previews_are_known_by_the_name_of_the_column(tmp_path: Path) -> None:
    answers = [["1", "4", "5"], ["2", "4", "3"], ["5", "4", "1"]]
    read = read_ratings(
        write_qualtrics(tmp_path / "x.csv", answers, ["IP Address", "Survey Preview", "IP Address"])
    )
    assert sorted(map(str, read.raters)) == ["R0", "R2"]
    assert read.dropped == {"preview": 3}


# Exports of tools that are not read are refused by name, with what to do; forms are read.

UNREAD: dict[str, tuple[Any, str]] = {
    "webanno.tsv": ("#FORMAT=WebAnno TSV 3.3\n\n1-1\t0-5\tHello\t_\t\n1-2\t6-9\tyou\tX\t\n",
                    "INCEpTION or WebAnno.*are not items"),
    "cvat.xml": ('<?xml version="1.0"?>\n<annotations><image id="0"/></annotations>', "CVAT"),
    "page.xls": ("<html><table><tr><td>item</td></tr></table></html>", "HTML"),
    "coco.json": ({"images": [], "annotations": [], "categories": []}, "COCO.*shapes"),
    "labelme.json": ({"version": "5", "shapes": [], "imagePath": "a.jpg"}, "LabelMe.*shapes"),
    "v7.json": ({"version": "2.0", "schema_ref": "x", "item": {}, "annotations": []}, "V7 Darwin"),
    "scale.json": ([{"task_id": f"t{i}", "type": "categorization", "status": "completed",
                     "params": {}, "response": {"category": "x"}} for i in range(3)],
                   "Scale.*what each worker said is not in it"),
    "redcap.csv": ("record_id,redcap_event_name,q1,q2,rating_complete\n1,,3,4,2\n2,,5,1,2\n",
                   "REDCap.*If records are raters.*format='csv'.*transpose=True"),
    "redcap_short.csv": ("record_id,q1,q2,rating_complete\n1,3,4,2\n2,5,1,2\n", "REDCap"),
    "evals.jsonl": ([{"spec": {"eval_name": "x"}}]
                    + [{"run_id": "r", "event_id": i, "sample_id": f"s{i}", "type": "match",
                        "data": {"correct": True}} for i in range(3)], "OpenAI evals.*sample_id"),
    "weave.jsonl": ([{"id": f"c{i}", "op_name": "weave:///x", "trace_id": "t", "inputs": {},
                      "output": {"scores": {}}} for i in range(3)], "Weave.*predict_and_score"),
    "trulens.csv": ("app_id,record_id,record_json,ts,Relevance,Relevance_calls\n"
                    "a,r1,{},t,.5,[]\na,r2,{},t,.7,[]\n", "TruLens.*format='csv'.*ignore"),
    "feedback.json": ([{"run_id": f"x{i}", "key": "tone", "score": 1, "value": None,
                        "feedback_source": {"type": "app"}} for i in range(3)],
                      "LangSmith.*item = run_id.*to_pandas"),
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


@pytest.mark.parametrize(("transpose", "items"), [(True, ["q1", "q2"]), (False, ["1", "2"])])
def test_the_advice_for_redcap_works(tmp_path: Path, transpose: bool, items: list[str]) -> None:
    path = tmp_path / "x.csv"
    path.write_text(UNREAD["redcap.csv"][0])
    ignore = ["redcap_event_name", "rating_complete"]
    with pytest.raises(DataError) as error:
        read_ratings(path)
    assert f"format='csv', ignore={ignore} and transpose={transpose}" in str(error.value)
    read = read_ratings(path, format="csv", ignore=ignore, transpose=transpose)
    assert sorted(map(str, read.items)) == items


def test_the_advice_for_redcap_with_events_works(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    rows = [f"{i},{who}_arm_1,{answer(i, j)},2" for i in range(8) for j, who in enumerate("ab")]
    path.write_text("\n".join(["record_id,redcap_event_name,tone,rating_complete", *rows]))
    with pytest.raises(DataError) as error:
        read_ratings(path)
    assert "item='record_id', rater='redcap_event_name' and label='tone'" in str(error.value)
    read = read_ratings(
        path, format="csv", item="record_id", rater="redcap_event_name", label="tone"
    )
    assert (len(read.items), len(read.raters), len(read)) == (8, 2, 16)


def test_what_is_a_table_is_read_as_one_if_asked(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
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
def test_forms_are_read_as_their_refusal_says(tmp_path: Path, tool: str) -> None:
    before, after, about = FORMS[tool]
    who_answered = {"typeform": "#", "kobo": "_uuid"}[tool]
    rows = [[*before, *ASKED, *after]]
    for j, who in enumerate(PEOPLE):
        first, last = about(who)
        rows.append([*first, *(answer(i, j) for i in range(ITEMS)), *last])
    path = write_csv(tmp_path / "form.csv", rows)
    beside = [name for name in (*before, *after) if name != who_answered]
    with pytest.raises(DataError, match="answers of people to a survey") as refusal:
        read_ratings(path)
    assert f"transpose=True, with rater='{who_answered}'" in str(refusal.value)
    assert f"ignore={beside}" in str(refusal.value)
    read = read_ratings(path, transpose=True, rater=who_answered, ignore=beside)
    assert sorted(map(str, read.items)) == ASKED
    assert [str(rater).split()[-1] for rater in read.raters] == list(PEOPLE)
    given = {(str(read.items[i]), int(j)): read.scale.labels[k]
             for i, j, k in zip(read.item, read.rater, read.label, strict=True)}  # fmt: skip
    assert given == {(ASKED[i], j): answer(i, j) for i in range(ITEMS) for j in range(len(PEOPLE))}


def test_a_point_that_all_give_one_item_of_a_form_is_of_the_scale(tmp_path: Path) -> None:
    rows = [["Timestamp", "A?", "B?", "C?"], ["t1", "1", "4", "5"], ["t2", "2", "4", "3"],
            ["t3", "5", "4", "1"]]  # fmt: skip
    path = write_csv(tmp_path / "form.csv", rows)
    read = read_ratings(path, transpose=True, rater="Timestamp")
    assert (len(read.items), len(read.raters)) == (3, 3)
