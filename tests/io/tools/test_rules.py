"""What each reader leaves out, asks for or refuses, where the fixtures do not show it."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from headcount.errors import DataError
from headcount.io.reading import Reading
from headcount.io.tables.table import Table
from headcount.io.tools.base import Kind
from headcount.io.tools.read import read_export

from .test_fixtures import cells_of


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
    with pytest.raises(DataError, match=r"nothing is left to read. Regions, .* left out: 'q'"):
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
    from .test_fixtures import FIXTURES, data_of

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
    with pytest.raises(DataError, match=r"it holds 'a/readme.txt', 'ratings.csv'. Unpack it"):
        read_export(path, "ratings", Reading())


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
    with pytest.raises(DataError, match="is not UTF-8, in a file that has letters in UTF-8"):
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


def test_tasks_that_were_imported_once_for_each_rater_are_one_item(tmp_path: Path) -> None:
    path, records = tmp_path / "min.json", _min_records([f"text {i}" for i in range(4)])
    path.write_text(json.dumps(records))
    table = read(path)
    assert len(rows(table)) == 12
    assert table.codes(0)[1] == ["1", "11", "21", "31"]
    assert any("the same 'text' is in several" in note for note in table.notes)
    tasks = [
        {"id": one["id"], "data": {"text": one["text"]}, "predictions": [
            {"model_version": "m", "result": [{"from_name": "mood", "value": {"choices": ["a"]}}]}],
         "annotations": [{"completed_by": one["annotator"], "result": [
             {"from_name": "mood", "value": {"choices": [one["mood"]]}}]}]}
        for one in records
    ]  # fmt: skip
    path.write_text(json.dumps(tasks))
    assert rows(read(path)) == rows(table)
    assert len(rows(read(path, "predictions"))) == 4
    assert read(path, "predictions").dropped == {"copy of the task": 8}


def test_tasks_of_one_rater_each_that_differ_stay_apart(tmp_path: Path) -> None:
    path, records = tmp_path / "min.json", _min_records(["a", "b"])
    path.write_text(json.dumps([one | {"text": f"{place}"} for place, one in enumerate(records)]))
    assert len(rows(read(path, question="mood"))) == 6
    assert read(path, question="mood").codes(0)[1] == ["1", "2", "3", "11", "12", "13"]


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
    assert any("1 score changed by people" in note for note in table.notes)
