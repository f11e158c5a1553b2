"""Exports as tools write them in other versions, forms and settings: read right, or refused."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headcount import read_comparisons, read_predictions, read_ratings
from headcount.data.labels import Labels
from headcount.errors import DataError

from .test_variants import qualtrics, write_csv, write_json, write_lines

LABELS = ("good", "bad", "fair")
PEOPLE = ("ana", "ben", "cem")
ITEMS = 8


def answer(item: int, who: int) -> str:
    return LABELS[(item * (who + 2) + who // 2) % 3]


GIVEN = {(f"x{i}", who): answer(i, j) for i in range(ITEMS) for j, who in enumerate(PEOPLE)}


def ratings_of(labels: Labels) -> dict[tuple[str, str], str]:
    return {
        (str(labels.items[i]), str(labels.raters[j])): labels.scale.labels[k]
        for i, j, k in zip(labels.item, labels.rater, labels.label, strict=True)
    }


# --- DeepEval -------------------------------------------------------------------------------------


def deepeval(success: Any, **more: Any) -> list[dict[str, Any]]:
    metric = {"name": "Bias", "threshold": 0.5, "success": success, "error": None}
    return [
        {"name": "case", "metricsData": [metric | {"score": i / 10}], **more} for i in range(ITEMS)
    ]


def test_deepeval_a_metric_without_a_verdict_has_a_score_only(tmp_path: Path) -> None:
    read = read_predictions(write_json(tmp_path / "x.json", {"testCases": deepeval(None)}))
    assert not read.classifiers
    assert [score.name for score in read.scores] == ["Bias score"]
    assert read.dropped == {"without a verdict": ITEMS}


def test_deepeval_cases_of_one_name_and_no_order_are_told_apart(tmp_path: Path) -> None:
    path = write_json(tmp_path / "x.json", {"testCases": deepeval(True, order=None)})
    assert len(read_predictions(path).items) == ITEMS


def test_deepeval_the_latest_run_is_wrapped(tmp_path: Path) -> None:
    run = {"testRunData": {"testCases": deepeval(True)}, "testRunLink": None}
    assert len(read_predictions(write_json(tmp_path / "x.json", run)).items) == ITEMS


def test_deepeval_labels_of_classifiers(tmp_path: Path) -> None:
    cases = [
        {"name": f"x{i}", "metrics_data": None, "index": i,
         "classifications": [{"name": "tone", "label": answer(i, 0), "success": None,
                              "evaluation_model": "gpt"}]}
        for i in range(ITEMS)
    ]  # fmt: skip
    read = read_predictions(write_json(tmp_path / "x.json", {"test_results": cases}))
    assert [one.name for one in read.classifiers] == ["gpt"]
    assert set(read.labels) == {answer(i, 0) for i in range(ITEMS)}


# --- Phoenix --------------------------------------------------------------------------------------


def phoenix(place: int, **more: Any) -> list[dict[str, Any]]:
    return [
        {"name": "tone", "annotator_kind": "HUMAN", "user_id": who, "span_id": f"x{i}",
         "result": {"label": answer(i, j), "score": None}, "identifier": "", **more}
        for i in range(ITEMS) for j, who in enumerate(PEOPLE)
    ]  # fmt: skip


def test_phoenix_documents_of_a_span_are_items(tmp_path: Path) -> None:
    data = [*phoenix(0, document_position=0), *phoenix(1, document_position=1)]
    read = read_ratings(write_json(tmp_path / "x.json", {"data": data, "next_cursor": None}))
    assert len(read.items) == 2 * ITEMS
    assert len(read.label) == len(data)


def test_phoenix_a_page_of_several_is_warned_of(tmp_path: Path) -> None:
    read = read_ratings(write_json(tmp_path / "x.json", {"data": phoenix(0), "next_cursor": "b"}))
    assert any(n.severity == "warning" and "one page of several" in n for n in read.notes)


def test_phoenix_experiments_hold_what_evaluators_say(tmp_path: Path) -> None:
    runs = [
        {"example_id": f"x{i}", "repetition_number": 1, "input": {}, "output": "o", "error": None,
         "latency_ms": 1.5, "start_time": "t",
         "annotations": [{"name": "tone", "annotator_kind": "LLM", "label": answer(i, 0),
                          "score": 1.0, "error": None}]}
        for i in range(ITEMS)
    ]  # fmt: skip
    path = write_json(tmp_path / "x.json", runs)
    assert [one.name for one in read_predictions(path).classifiers] == ["LLM"]
    with pytest.raises(DataError, match="predictions, but no ratings"):
        read_ratings(path)
    again = [run | {"repetition_number": 2} for run in runs]
    assert len(read_predictions(write_json(path, [*runs, *again])).items) == 2 * ITEMS


# --- Argilla --------------------------------------------------------------------------------------


def argilla() -> list[dict[str, Any]]:
    return [
        {"id": f"x{i}", "text": "t", "tone.responses": [answer(i, j) for j in range(3)],
         "tone.responses.users": list(PEOPLE), "tone.responses.status": ["submitted"] * 3,
         "tone.suggestion": answer(i, 0), "tone.suggestion.score": 0.5 + i / 20,
         "tone.suggestion.agent": "bert"}
        for i in range(ITEMS)
    ]  # fmt: skip


def test_argilla_as_columns(tmp_path: Path) -> None:
    columns = {name: [one[name] for one in argilla()] for name in argilla()[0]}
    assert ratings_of(read_ratings(write_json(tmp_path / "x.json", columns))) == GIVEN


def test_argilla_as_csv(tmp_path: Path) -> None:
    rows = [[str(cell) for cell in one.values()] for one in argilla()]
    path = write_csv(tmp_path / "x.csv", [list(argilla()[0]), *rows])
    assert ratings_of(read_ratings(path)) == GIVEN
    assert [one.kind for one in read_predictions(path).classifiers] == ["soft"]
    for column in (2, 3):  # as numpy writes it
        rows[2][column] = rows[2][column].replace("', '", "' '")
    write_csv(path, [list(argilla()[0]), *rows])
    with pytest.raises(DataError, match=r"record 3, column 'tone.responses'.*Parquet or JSON"):
        read_ratings(path)


# --- Potato ---------------------------------------------------------------------------------------


def potato(item: int, who: str, label: str, **more: Any) -> dict[str, Any]:
    return {"instance_id": f"x{item}", "user_id": who, "labels": {"tone": {label: "true"}}, **more}


@pytest.mark.parametrize("kind", ["llm", "tool", "oracle"])
def test_potato_machines_are_no_raters(tmp_path: Path, kind: str) -> None:
    people = [
        potato(i, who, answer(i, j), annotator_origin={"kind": "human"})
        for i in range(ITEMS)
        for j, who in enumerate(PEOPLE)
    ]
    machine = [
        potato(i, "gpt", "good", annotator_origin={"kind": kind, "id": "gpt"}) for i in range(ITEMS)
    ]
    path = write_lines(tmp_path / "x.jsonl", [*people, *machine])
    read = read_ratings(path)
    assert ratings_of(read) == GIVEN
    assert read.dropped == {"machine rater (predictions)": ITEMS}
    assert [one.name for one in read_predictions(path).classifiers] == ["gpt"]


def test_potato_states_of_machines(tmp_path: Path) -> None:
    for j, who in enumerate((*PEOPLE, "gpt")):
        state: dict[str, Any] = {"user_id": who} | (
            {"origin": {"kind": "llm", "id": who}} if who == "gpt" else {}
        )
        state["instance_id_to_label_to_value"] = {
            f"x{i}": [[{"schema": "tone", "name": answer(i, j)}, "true"]] for i in range(ITEMS)
        }
        (tmp_path / who).mkdir()
        write_json(tmp_path / who / "user_state.json", state)
    assert ratings_of(read_ratings(tmp_path)) == GIVEN


def test_potato_spans_and_rooms_are_no_labels(tmp_path: Path) -> None:
    header = ["instance_id", "user_id", *(f"tone.{label}" for label in LABELS)]
    rows = [
        [item, who, *("true" if label == given else "" for label in LABELS), "room1", "{}", "[]"]
        for (item, who), given in GIVEN.items()
    ]
    beside = ["tone._room_id", "tone._room", "ents._spans"]
    path = write_csv(tmp_path / "x.csv", [[*header, *beside], *rows])
    assert ratings_of(read_ratings(path)) == GIVEN


def test_potato_schemas_as_json_in_a_table(tmp_path: Path) -> None:
    columns = {
        "instance_id": [item for item, _ in GIVEN],
        "user_id": [who for _, who in GIVEN],
        "tone": [json.dumps({label: "true"}) for label in GIVEN.values()],
    }
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    assert ratings_of(read_ratings(tmp_path / "x.parquet")) == GIVEN


# --- doccano, Toloka, Label Studio, Mechanical Turk, lm-eval, Langfuse ----------------------------


def test_doccano_an_annotator_without_labels(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for j, who in enumerate(PEOPLE):
            examples = [
                {"id": f"x{i}", "text": "t", "label": [answer(i, j)], "Comments": []}
                for i in range(ITEMS)
            ]
            archive.writestr(f"{who}.json", json.dumps(examples))
        archive.writestr("dan.json", "[]\n")
    assert ratings_of(read_ratings(tmp_path / "x.zip")) == GIVEN


def test_doccano_answers_in_own_words_are_warned_of(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for who in PEOPLE:
            examples = [
                {"id": i, "text": "t", "label": [f"what {who} says of {i}"]} for i in range(ITEMS)
            ]
            archive.writestr(f"{who}.json", json.dumps(examples))
    read = read_ratings(tmp_path / "x.zip")
    assert any(n.severity == "warning" and "in own words" in n for n in read.notes)


def test_toloka_side_by_side(tmp_path: Path) -> None:
    header = ["INPUT:left", "INPUT:right", "OUTPUT:result", "ASSIGNMENT:worker_id",
              "ASSIGNMENT:status", "ASSIGNMENT:task_id"]  # fmt: skip
    rows = [
        [f"m{i % 3}", f"m{(i + 1) % 3}", ("left", "right")[i % 2], "ana", "APPROVED", f"t{i}"]
        for i in range(ITEMS)
    ]
    read = read_comparisons(write_csv(tmp_path / "x.csv", [header, *rows]))
    assert len(read.left) == ITEMS
    assert read.items.tolist() == ["m0", "m1", "m2"]


def test_label_studio_as_lines(tmp_path: Path) -> None:
    tasks = [
        {"id": f"x{i}", "data": {"text": str(i)}, "predictions": [], "annotations": [
            {"id": j, "completed_by": who, "was_cancelled": False, "result": [
                {"from_name": "tone", "type": "choices", "value": {"choices": [answer(i, j)]}}]}
            for j, who in enumerate(PEOPLE)]}
        for i in range(ITEMS)
    ]  # fmt: skip
    assert ratings_of(read_ratings(write_lines(tmp_path / "x.jsonl", tasks))) == GIVEN


def test_turkle_has_no_status(tmp_path: Path) -> None:
    header = ["HITId", "HITTypeId", "AssignmentId", "WorkerId", "WorkTimeInSeconds", "Input.text",
              "Answer.tone", "Turkle.Username"]  # fmt: skip
    rows = [[i, 1, f"{i}{w}", w, 12, "t", label, w] for (i, w), label in GIVEN.items()]
    assert ratings_of(read_ratings(write_csv(tmp_path / "x.csv", [header, *rows]))) == GIVEN


def test_mturk_tasks_that_show_the_same_are_one_item(tmp_path: Path) -> None:
    header = ["HITId", "AssignmentId", "WorkerId", "AssignmentStatus", "Input.text", "Answer.tone"]
    rows = [
        [f"{item}{who}", f"{item}{who}", who, "Approved", item, label]
        for (item, who), label in GIVEN.items()
    ]
    read = read_ratings(write_csv(tmp_path / "x.csv", [header, *rows]))
    assert len(read.items) == ITEMS
    assert any("those are one item" in note for note in read.notes)


def test_lm_eval_lists_of_numbers_are_counted(tmp_path: Path) -> None:
    one = {"doc": {}, "resps": [], "filtered_resps": [], "target": "", "filter": "none"}
    records = [one | {"doc_id": i, "metrics": ["ppl"], "ppl": [-1.5, 2]} for i in range(ITEMS)]
    with pytest.raises(DataError, match="nothing is left to read \\(8 list of numbers\\)"):
        read_predictions(write_lines(tmp_path / "x.jsonl", records))


def test_langfuse_a_page_of_several_is_warned_of(tmp_path: Path) -> None:
    scores = [
        {"name": "tone", "traceId": item, "authorUserId": who, "source": "ANNOTATION",
         "dataType": "CATEGORICAL", "stringValue": label, "value": 1}
        for (item, who), label in GIVEN.items()
    ]  # fmt: skip
    meta = {"page": 1, "limit": 24, "totalItems": 99, "totalPages": 5}
    read = read_ratings(write_json(tmp_path / "x.json", {"data": scores, "meta": meta}))
    assert ratings_of(read) == GIVEN
    assert any(n.severity == "warning" and "one page of several" in n for n in read.notes)


# --- Inspect --------------------------------------------------------------------------------------


def test_inspect_says_when_it_reads_summaries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headcount.io.tools.evals.inspect.MOST_SAMPLES", 5)
    samples = [
        {"id": i, "epoch": 1, "scores": {"judge": {"value": "CI"[i % 2]}}} for i in range(ITEMS)
    ]
    with zipfile.ZipFile(tmp_path / "x.eval", "w") as archive:
        for one in samples:
            archive.writestr(f"samples/{one['id']}_epoch_1.json", json.dumps(one))
        archive.writestr("summaries.json", json.dumps(samples))
        archive.writestr("header.json", json.dumps({"version": 2, "eval": {}, "status": "success"}))
    read = read_predictions(tmp_path / "x.eval")
    assert len(read.items) == ITEMS
    assert any("read by their summaries" in note for note in read.notes)


# --- Qualtrics ------------------------------------------------------------------------------------


def test_qualtrics_questions_beside_a_table_are_asked_about(tmp_path: Path) -> None:
    questions = {"consent": "QID1", "Q2": "QID2"} | {f"Q3_{k}": f"QID3_{k}" for k in range(1, 6)}
    path = qualtrics(tmp_path / "x.csv", questions, lambda r, j: (r + j) % 3 + 1, respondents=3)
    with pytest.raises(DataError, match="'consent', 'Q2' seem questions apart") as error:
        read_ratings(path)
    assert "ignore=['consent', 'Q2']" in str(error.value)
    assert len(read_ratings(path, ignore=["consent", "Q2"]).items) == 5


def test_qualtrics_questions_about_respondents_are_asked_about(tmp_path: Path) -> None:
    questions = {"gender": "QID1"} | {f"Q{k}": f"QID{k}" for k in range(3, 8)}
    path = qualtrics(tmp_path / "x.csv", questions, lambda r, j: (r + j) % 3 + 1, respondents=3)
    with pytest.raises(DataError, match="'gender' seems a question of its own"):
        read_ratings(path)


def test_qualtrics_tables_that_ask_other_things_are_questions(tmp_path: Path) -> None:
    questions = {f"Q{q}_{k}": f"QID{q}_{k}" for q in (3, 4) for k in (1, 2, 3)}
    path = qualtrics(tmp_path / "x.csv", questions, lambda r, j: (r + j) % 3 + 1)
    lines = path.read_text().split("\n")
    asked = [f"{word} it? - item {k}" for word in ("How good is", "How clear is") for k in range(3)]
    lines[1] = ",".join(["Status", "Finished", "ResponseId", *asked])
    path.write_text("\n".join(lines))
    with pytest.raises(DataError, match="2 questions have answers: 'Q3', 'Q4'"):
        read_ratings(path)
    assert len(read_ratings(path, question="Q4").items) == 3
