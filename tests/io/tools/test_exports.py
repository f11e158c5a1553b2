"""Exports of other versions, forms and settings than the fixtures: read right, or refused."""

from __future__ import annotations

import csv
import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headcount import read_comparisons, read_predictions, read_ratings
from headcount.data.labels import Labels
from headcount.errors import DataError
from headcount.io.opening import read_export
from headcount.io.reading import Reading
from headcount.io.tools.exports import Kind
from tests.io.tools.test_fixtures import cells_of

# Exports of other versions and settings than the fixtures: read right, or refused and why.

LABELS = ("ja", "nein")
RATERS = ("ann", "bób", "eve")


def write_json(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content, ensure_ascii=False))
    return path


def write_lines(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records))
    return path


def write_csv(path: Path, rows: list[list[Any]]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def labels_of(path: Path, kind: Kind = "ratings", **options: Any) -> Counter[str | None]:
    table = read_export(path, kind, Reading(**options))
    assert table is not None
    return Counter(row["label"] for row in cells_of(table))


# --- Label Studio ---------------------------------------------------------------------------------


def result(name: str, field: str, value: Any) -> dict[str, Any]:
    return {"from_name": name, "to_name": "t", "type": field, "value": {field: value}}


def task(number: int, results: list[list[Any]], predictions: list[Any], **annotation: Any) -> Any:
    return {
        "id": number,
        "data": {"text": "größe"},
        "annotations": [
            {"id": i, "completed_by": {"id": i, "email": rater}, "result": own, **annotation}
            for i, (rater, own) in enumerate(zip(RATERS, results, strict=False))
        ],
        "predictions": predictions,
    }


def test_label_studio_reads_the_score_of_a_prediction_as_its_confidence(tmp_path: Path) -> None:
    tasks = [
        task(
            i,
            [[result("q", "choices", [LABELS[(i * k) % 2]])] for k in range(3)],
            [
                {"model_version": "bert", "score": 0.5 + i / 20,
                 "result": [result("q", "choices", [LABELS[i % 2]])]},
                {"model_version": "v2", "score": None,
                 "result": [result("q", "choices", ["nein"])]},
            ],
        )
        for i in range(1, 9)
    ]  # fmt: skip
    path = write_json(tmp_path / "x.json", tasks)
    bert, plain = read_predictions(path).classifiers
    assert (bert.name, bert.kind, plain.name, plain.kind) == ("bert", "soft", "v2", "hard")
    assert bert.probability[1].tolist() == pytest.approx([0.6, 0.4])
    assert bert.probability[0].tolist() == pytest.approx([0.45, 0.55])


@pytest.mark.parametrize("score", [lambda i: 0.0, lambda i: 10.0 * i], ids=["default", "logit"])
def test_scores_that_are_no_confidence_are_not_read(tmp_path: Path, score: Any) -> None:
    tasks = [
        task(i, [], [{"model_version": "m", "score": score(i),
                      "result": [result("q", "choices", [LABELS[i % 2]])]}])
        for i in range(1, 5)
    ]  # fmt: skip
    predictions = read_predictions(write_json(tmp_path / "x.json", tasks))
    assert predictions.classifiers[0].kind == "hard"
    assert any("are not read: they are not confidence" in note for note in predictions.notes)


def test_label_studio_says_which_annotations_are_ground_truth(tmp_path: Path) -> None:
    tasks = [task(i, [[result("q", "rating", i)]] * 2, [], ground_truth=True) for i in (1, 2)]
    path = write_json(tmp_path / "x.json", tasks)
    assert any("4 annotations marked as ground truth" in note for note in read_ratings(path).notes)


def test_label_studio_rankings_are_refused_by_name(tmp_path: Path) -> None:
    ranked = [result("rank", "ranker", {"rank": ["a", "b"]})]
    path = write_json(tmp_path / "x.json", [task(i, [ranked, ranked], []) for i in (1, 2)])
    with pytest.raises(DataError, match=r"no ratings can be read. Regions, .*'rank'"):
        read_ratings(path)


# --- Prodigy, doccano -----------------------------------------------------------------------------


@pytest.mark.parametrize(("style", "told"), [("multiple", 1), ("single", 0)])
def test_prodigy_to_accept_none_of_several_is_told(tmp_path: Path, style: str, told: int) -> None:
    records = [
        {"_input_hash": i, "_task_hash": i, "answer": "accept", "accept": own, "options": [],
         "_session_id": f"db-{who}", "config": {"choice_style": style}}
        for i, own in enumerate([[], ["A"], ["B"]])
        for who in "ab"
    ]  # fmt: skip
    labels = read_ratings(write_lines(tmp_path / "x.jsonl", records))
    assert (len(labels), labels.dropped) == (4, {"empty": 2})
    assert sum("2 answers accepted without a choice" in note for note in labels.notes) == told


def test_prodigy_compare_is_refused(tmp_path: Path) -> None:
    records = [
        {"_input_hash": i, "_task_hash": i, "answer": "accept", "accept": {"text": "a"},
         "reject": {"text": "b"}, "mapping": {"A": "accept", "B": "reject"}}
        for i in range(3)
    ]  # fmt: skip
    with pytest.raises(DataError, match="interface 'compare'"):
        read_ratings(write_lines(tmp_path / "x.jsonl", records))


def test_doccano_relations_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    record = {"id": 1, "text": "t", "entities": [], "relations": [], "Comments": []}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("admin.jsonl", json.dumps(record) + "\n" + json.dumps(record))
    with pytest.raises(DataError, match="labels of spans"):
        read_ratings(path)


# --- Mechanical Turk ------------------------------------------------------------------------------

BATCH = ["HITId", "AssignmentId", "WorkerId", "AssignmentStatus"]


def batch(path: Path, columns: list[str], answers: Any) -> Path:
    rows = [
        [f"H{i}", f"A{i}{k}", rater, "Approved", *answers(i, k)]
        for i in range(6)
        for k, rater in enumerate(RATERS)
    ]
    return write_csv(path, [[*BATCH, *columns], *rows])


def test_mturk_a_box_that_is_not_ticked_is_an_answer(tmp_path: Path) -> None:
    path = batch(tmp_path / "x.csv", ["Answer.ok.on"], lambda i, k: [str((i + k) % 2 == 0).lower()])
    assert labels_of(path) == {"True": 9, "False": 9}


def test_mturk_crowd_elements(tmp_path: Path) -> None:
    def answers(i: int, k: int) -> list[str]:
        own = {"several": {"labels": ["a", "b"] if k else ["a"]}, "flag": {"on": bool(i % 2)}}
        return [json.dumps([own])]

    path = batch(tmp_path / "x.csv", ["Answer.taskAnswers"], answers)
    assert labels_of(path, question="several") == {"a": 6, "a + b": 12}
    assert labels_of(path, question="flag") == {"True": 9, "False": 9}


def test_mturk_an_empty_record_is_no_answer(tmp_path: Path) -> None:
    path = batch(tmp_path / "x.csv", ["Answer.q"], lambda i, k: ["{}" if i < 2 else "ab"[k % 2]])
    assert labels_of(path) == {"a": 8, "b": 4}
    assert read_ratings(path).dropped == {"empty": 6}


# --- Qualtrics ------------------------------------------------------------------------------------


def qualtrics(path: Path, questions: dict[str, str], answer: Any, respondents: int = 10) -> Path:
    names = ["Status", "Finished", "ResponseId", *questions]
    sources = ["status", "finished", "_recordId", *questions.values()]
    rows = [
        ["0", "1", f"R_{r}", *(answer(r, j) for j in range(len(questions)))]
        for r in range(respondents)
    ]
    return write_csv(path, [names, names, [json.dumps({"ImportId": s}) for s in sources], *rows])


def test_qualtrics_side_by_side_columns_are_questions(tmp_path: Path) -> None:
    questions = {f"Q1#{part}_{row}": f"QID1#{part}_{row}" for part in (1, 2) for row in (1, 2, 3)}
    path = qualtrics(tmp_path / "x.csv", questions, lambda r, j: (r + j) % 3 + 1)
    assert labels_of(path, question="Q1#1") == {"1": 10, "2": 10, "3": 10}
    with pytest.raises(DataError, match="'Q1#1', 'Q1#2'"):
        read_ratings(path)


def test_qualtrics_of_a_scale_two_points_may_be_used(tmp_path: Path) -> None:
    questions = {f"Q{j}": f"QID{j}" for j in range(1, 6)}

    def answer(r: int, j: int) -> int:
        return 4 + r % 2 if j == 4 else (r * (j + 1)) % 5 + 1

    assert len(read_ratings(qualtrics(tmp_path / "x.csv", questions, answer)).items) == 5


def test_qualtrics_response_ids_by_their_name(tmp_path: Path) -> None:
    path = qualtrics(tmp_path / "x.csv", {"Q1_1": "QID1_1", "Q1_2": "QID1_2"}, lambda r, j: r % 3)
    path.write_text(path.read_text().replace("_recordId", "responseId"))
    assert len(read_ratings(path).raters) == 10


def test_qualtrics_loops_keep_their_questions_apart(tmp_path: Path) -> None:
    questions = {f"{i}_Q{q}": f"{i}_QID{q}" for i in (1, 2, 3) for q in (1, 2)}
    path = qualtrics(tmp_path / "x.csv", questions, lambda r, j: ["Yes", "No"][(r * j) % 2])
    with pytest.raises(DataError, match="2 questions have answers: 'Q1', 'Q2'"):
        read_ratings(path)
    assert sorted(read_ratings(path, question="Q2").items.tolist()) == ["1_Q2", "2_Q2", "3_Q2"]


def test_qualtrics_single_questions_are_one_whatever_their_answers(tmp_path: Path) -> None:
    questions = {f"Q{j}": f"QID{j}" for j in range(1, 6)}

    def answer(r: int, j: int) -> int:
        return r % 2 + 1 if j == 4 else (r * (j + 1)) % 5 + 1

    path = qualtrics(tmp_path / "x.csv", questions, answer)
    assert len(read_ratings(path, ignore=["Q5"]).items) == 4
    kept = read_ratings(path)
    assert len(kept.items) == 5
    assert any("5 single questions are read as one" in note for note in kept.notes)


# --- Hugging Face ---------------------------------------------------------------------------------


def test_lists_of_several_labels_beside_raters(tmp_path: Path) -> None:
    records = [
        {"id": i, "annotations": [["a"], ["b", "a"], []], "annotators": ["x", "y", "z"]}
        for i in range(4)
    ]
    path = write_lines(tmp_path / "x.jsonl", records)
    assert Counter(read_ratings(path).columns()["label"]) == {"a": 4, "a + b": 4}
    assert dict(read_ratings(path).dropped) == {"no label": 4}


def test_names_of_labels_in_parquet(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        {"id": [1, 2], "label": [[0, 1], [1, 1]], "annotators": [["x", "y"], ["x", "y"]]}
    )
    feature = {"feature": {"names": LABELS, "_type": "ClassLabel"}, "_type": "Sequence"}
    about = json.dumps({"info": {"features": {"label": feature}}})
    pq.write_table(table.replace_schema_metadata({"huggingface": about}), tmp_path / "x.parquet")
    read = read_ratings(tmp_path / "x.parquet")
    assert Counter(read.columns()["label"]) == {"ja": 1, "nein": 3}


# --- logs of evaluations --------------------------------------------------------------------------


def promptfoo(path: Path, parts: Any) -> Path:
    rows = [
        {"testIdx": i, "promptIdx": 0, "namedScores": {}, "failureReason": 0,
         "gradingResult": {"pass": True, "componentResults": parts(i)}}
        for i in range(8)
    ]  # fmt: skip
    return write_json(path, {"results": {"results": rows, "stats": {}, "version": 3}})


def assertion(kind: str, score: float, **more: Any) -> dict[str, Any]:
    return {"pass": score >= 0.5, "score": score, "assertion": {"type": kind}, **more}


def test_promptfoo_sets_of_assertions_are_left_out(tmp_path: Path) -> None:
    of_set = {"pass": True, "score": 1, "assertion": None, "componentResults": []}
    path = promptfoo(tmp_path / "x.json", lambda i: [of_set, assertion("g-eval", i % 2)])
    assert [one.name for one in read_predictions(path).classifiers] == ["g-eval"]


def inspect(path: Path, sample: Any) -> Path:
    samples = [{"id": i, "epoch": 1, **sample(i)} for i in range(8)]
    about = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}}
    return write_json(path, {**about, "samples": samples})


def test_inspect_labels_and_numbers_of_several_scorers(tmp_path: Path) -> None:
    path = inspect(
        tmp_path / "x.json",
        lambda i: {"scores": {"judge": {"value": "CI"[i % 2]}, "length": {"value": i + 0.5}}},
    )
    read = read_predictions(path)
    assert read.labels == ("C", "I")
    assert [one.name for one in read.scores] == ["length"]


def test_of_several_questions_of_judges_the_one_that_people_answered_is_read(
    tmp_path: Path,
) -> None:
    def given(name: str, kind: str, who: str, value: Any) -> dict[str, Any]:
        source = {"source_type": kind, "source_id": who}
        return {"assessment_name": name, "source": source, "feedback": {"value": value}}

    traces = [
        {"info": {"trace_id": f"t{i}", "assessments": [
            *(given("quality", "HUMAN", rater, LABELS[i % 2]) for rater in RATERS),
            given("quality", "LLM_JUDGE", "gpt", LABELS[i % 2]),
            given("relevance", "CODE", "default", i / 8),
        ]}}
        for i in range(8)
    ]  # fmt: skip
    path = write_json(tmp_path / "x.json", traces)
    read = read_predictions(path)
    assert [one.name for one in read.classifiers] == ["gpt"]
    assert any("not read: 'relevance'" in note for note in read.notes)
    assert [one.name for one in read_predictions(path, question="relevance").scores] == ["default"]


def test_argilla_suggestions_have_a_confidence(tmp_path: Path) -> None:
    records = [
        {"id": f"r{i}", "q.responses": [*LABELS], "q.responses.users": ["a", "b"],
         "q.responses.status": ["submitted", "submitted"], "q.suggestion": LABELS[i % 2],
         "q.suggestion.score": 0.5 + i / 20, "q.suggestion.agent": "gpt"}
        for i in range(8)
    ]  # fmt: skip
    (gpt,) = read_predictions(write_lines(tmp_path / "x.jsonl", records)).classifiers
    assert (gpt.kind, gpt.confident) == ("soft", True)


# Exports as tools write them in other versions, forms and settings: read right, or refused.

QUALITY_LABELS = ("good", "bad", "fair")
PEOPLE = ("ana", "ben", "cem")
ITEMS = 8


def answer(item: int, who: int) -> str:
    return QUALITY_LABELS[(item * (who + 2) + who // 2) % 3]


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
    assert [score.name for score in read.scores] == ["Bias"]


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


def test_argilla_as_csv_is_refused(tmp_path: Path) -> None:
    rows = [[str(cell) for cell in one.values()] for one in argilla()]
    path = write_csv(tmp_path / "x.csv", [list(argilla()[0]), *rows])
    with pytest.raises(DataError, match=r"Parquet or JSON lines"):
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


@pytest.mark.parametrize("ticked", [None, "true", True, "on"])
@pytest.mark.parametrize("names", [("True", "False"), ("true", "false")])
def test_potato_labels_may_be_true_and_false(tmp_path: Path, names: Any, ticked: Any) -> None:
    rows = [
        {"instance_id": f"x{i}", "user_id": who,
         "labels": {"fact": {names[(i + j) % 2]: ticked or names[(i + j) % 2]}}}
        for i in range(ITEMS) for j, who in enumerate(PEOPLE)
    ]  # fmt: skip
    read = read_ratings(write_lines(tmp_path / "x.jsonl", rows))
    assert (set(read.scale.labels), len(read)) == (set(names), len(rows))
    cells = [[f"x{i}", who, (i + j) % 2 == 0, (i + j) % 2 == 1]
             for i in range(ITEMS) for j, who in enumerate(PEOPLE)]  # fmt: skip
    header = ["instance_id", "user_id", *(f"fact.{name}" for name in names)]
    both = read_ratings(write_csv(tmp_path / "x.csv", [header, *cells]))
    assert ratings_of(both) == ratings_of(read)


def test_potato_one_box_is_answered_by_true_and_false(tmp_path: Path) -> None:
    rows = [
        {"instance_id": f"x{i}", "user_id": who,
         "labels": {"fact": {"answer": ["True", "False"][(i + j) % 2]}}}
        for i in range(ITEMS) for j, who in enumerate(PEOPLE)
    ]  # fmt: skip
    read = read_ratings(write_lines(tmp_path / "x.jsonl", rows))
    assert (set(read.scale.labels), len(read)) == ({"True", "False"}, len(rows))


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
    header = ["instance_id", "user_id", *(f"tone.{label}" for label in QUALITY_LABELS)]
    rows = [
        [
            item,
            who,
            *("true" if label == given else "" for label in QUALITY_LABELS),
            "room1",
            "{}",
            "[]",
        ]
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


def test_doccano_answers_in_own_words_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for who in PEOPLE:
            examples = [
                {"id": i, "text": "t", "label": [f"what {who} says of {i}"]} for i in range(ITEMS)
            ]
            archive.writestr(f"{who}.json", json.dumps(examples))
    with pytest.raises(DataError, match="'ana', 'ben', 'cem' share no scale"):
        read_ratings(tmp_path / "x.zip")


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


def test_lm_eval_lists_of_numbers_are_counted(tmp_path: Path) -> None:
    one = {"doc": {}, "resps": [], "filtered_resps": [], "target": "", "filter": "none"}
    records = [one | {"doc_id": i, "metrics": ["ppl"], "ppl": [-1.5, 2]} for i in range(ITEMS)]
    with pytest.raises(DataError, match="no predictions can be read \\(8 list of numbers\\)"):
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


# --- Qualtrics ------------------------------------------------------------------------------------


def test_qualtrics_questions_beside_a_table_are_asked_about(tmp_path: Path) -> None:
    questions = {"consent": "QID1", "Q2": "QID2"} | {f"Q3_{k}": f"QID3_{k}" for k in range(1, 6)}
    path = qualtrics(tmp_path / "x.csv", questions, lambda r, j: (r + j) % 3 + 1, respondents=3)
    with pytest.raises(DataError, match="2 questions have answers: 'consent', 'Q3'"):
        read_ratings(path)
    for options in ({"question": "Q3"}, {"ignore": ["consent", "Q2"]}):
        assert len(read_ratings(path, **options).items) == 5


def test_qualtrics_questions_about_respondents_are_asked_about(tmp_path: Path) -> None:
    questions = {"gender": "QID1"} | {f"Q{k}": f"QID{k}" for k in range(3, 8)}
    path = qualtrics(tmp_path / "x.csv", questions, lambda r, j: (r + j) % 3 + 1, respondents=3)
    with pytest.raises(DataError, match="'gender' may be no item as the other 5 columns"):
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
