"""Write ratings as tools export them, and within records."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

from tests.io.truth.formats import write
from tests.io.truth.layouts import ITEM, LABEL, RATER
from tests.io.truth.tables import (
    PEOPLE,
    SCALES,
    TEXTS,
    Case,
    Cell,
    Random,
    Sheet,
    Truth,
    draw_truth,
    finish,
)


def _said(truth: Truth, item: str) -> list[tuple[str, str]]:
    return [(rater, label) for i, rater, label in truth.triples if i == item]


def _text_of(truth: Truth, item: str) -> str:
    return f"{TEXTS[truth.items.index(item) % len(TEXTS)]} ({item})"


def nested_records(rng: Random, case: Case, truth: Truth) -> list[Any]:
    """Lay out an item a record, with a list of who said what."""
    item, rater, label = rng.choice(ITEM), rng.choice(RATER), rng.choice(LABEL)
    many = rng.choice(("annotations", "ratings", "labels", "judgments"))
    return [
        {
            item: i,
            "text": _text_of(truth, i),
            many: [{rater: r, label: x} for r, x in _said(truth, i)],
        }
        for i in truth.items
    ]


def nested_by_rater(rng: Random, case: Case, truth: Truth) -> list[Any]:
    """Lay out an item a record, with labels by rater."""
    item, many = rng.choice(ITEM), rng.choice(("annotations", "labels", "ratings"))
    if truth.scale == "interval" and many == "labels":
        many = "ratings"  # the other may hold counts of labels
    return [{item: i, many: dict(_said(truth, i))} for i in truth.items]


def nested_lists(rng: Random, case: Case, truth: Truth) -> list[Any]:
    """Lay out an item a record, with raters and labels in lists side by side."""
    item = rng.choice(ITEM)
    raters, labels = rng.choice((("annotators", "labels"), ("annotator_ids", "annotations")))
    return [
        {item: i, raters: [r for r, _ in _said(truth, i)], labels: [x for _, x in _said(truth, i)]}
        for i in truth.items
    ]


def nested_counts(rng: Random, case: Case, truth: Truth) -> list[Any]:
    """Lay out an item a record, with how often each label was given."""
    case.compare = "anonymous"
    finish(case, truth)
    item, many = rng.choice(ITEM), rng.choice(("label_counts", "votes", "counts", "labels"))
    case.options |= {"item": item, "shape": "counts"}
    if many == "labels":
        case.flaws.append("counts called labels")
    return [{item: i, many: dict(Counter(x for _, x in _said(truth, i)))} for i in truth.items]


def nested_rows(rng: Random, case: Case, truth: Truth) -> list[Any]:
    """Lay out an item a record, with a list of labels by nobody knows whom."""
    case.compare = "anonymous"
    finish(case, truth)
    item, many = rng.choice(ITEM), rng.choice(("labels", "annotations", "ratings"))
    return [{item: i, many: [x for _, x in _said(truth, i)]} for i in truth.items]


def label_studio(rng: Random, case: Case, truth: Truth) -> list[Any]:
    """Export tasks with their annotations."""
    return [
        {
            "id": int(i),
            "data": {"text": _text_of(truth, i)},
            "annotations": [
                {
                    "id": 9000 + n,
                    "completed_by": int(r),
                    "was_cancelled": False,
                    "ground_truth": False,
                    "lead_time": 4.2,
                    "created_at": "2026-03-01T10:00:00.000000Z",
                    "result": [
                        {
                            "id": f"r{n}",
                            "type": "choices",
                            "value": {"choices": [x]},
                            "origin": "manual",
                            "to_name": "text",
                            "from_name": "tone",
                        }
                    ],
                }
                for n, (r, x) in enumerate(_said(truth, i))
            ],
            "predictions": [],
            "project": 7,
            "total_annotations": len(_said(truth, i)),
        }
        for i in truth.items
    ]


def label_studio_min(rng: Random, case: Case, truth: Truth) -> list[Any]:
    """Export an annotation a record, as JSON-MIN."""
    return [
        {
            "text": _text_of(truth, i),
            "id": int(i),
            "tone": x,
            "annotator": int(r),
            "annotation_id": 9000 + n,
            "created_at": "2026-03-01T10:02:00.000000Z",
            "updated_at": "2026-03-01T10:02:30.000000Z",
            "lead_time": 6.2,
        }
        for n, (i, r, x) in enumerate(truth.triples)
    ]


def prodigy(rng: Random, case: Case, truth: Truth) -> list[Any]:
    """Export answers to a choice."""
    options = [{"id": label, "text": label.title()} for label in truth.labels]
    return [
        {
            "text": _text_of(truth, i),
            "_input_hash": int(i),
            "_task_hash": int(i) + 7,
            "options": options,
            "_view_id": "choice",
            "config": {"choice_style": "single"},
            "accept": [x],
            "answer": "accept",
            "_timestamp": 1772000000 + n,
            "_annotator_id": r,
            "_session_id": r,
        }
        for n, (i, r, x) in enumerate(truth.triples)
    ]


def argilla(rng: Random, case: Case, truth: Truth) -> list[Any]:
    """Export records with lists of responses."""
    return [
        {
            "id": i,
            "status": "completed",
            "_server_id": f"aaaaaaaa-0000-4000-8000-{n:012d}",
            "text": _text_of(truth, i),
            "label.responses": [x for _, x in _said(truth, i)],
            "label.responses.users": [r for r, _ in _said(truth, i)],
            "label.responses.status": ["submitted" for _ in _said(truth, i)],
            "label.suggestion": None,
            "label.suggestion.score": None,
            "label.suggestion.agent": None,
        }
        for n, i in enumerate(truth.items)
    ]


def argilla_nested(rng: Random, case: Case, truth: Truth) -> list[Any]:
    """Export records with their responses within."""
    return [
        {
            "id": i,
            "fields": {"text": _text_of(truth, i)},
            "metadata": {},
            "suggestions": {},
            "responses": {"label": [{"value": x, "user_id": r} for r, x in _said(truth, i)]},
            "vectors": {},
            "status": "completed",
            "_server_id": f"aaaaaaaa-0000-4000-8000-{n:012d}",
        }
        for n, i in enumerate(truth.items)
    ]


def ground_truth(rng: Random, case: Case, truth: Truth) -> list[Any]:
    """Export a manifest with what all workers said."""
    return [
        {
            "source-ref": i,
            "tone": {
                "annotationsFromAllWorkers": [
                    {
                        "workerId": r,
                        "annotationData": {
                            "content": json.dumps({"tone": {y: x == y for y in truth.labels}})
                        },
                    }
                    for r, x in _said(truth, i)
                ]
            },
            "tone-metadata": {"type": "groundtruth/custom", "job-name": "tone"},
        }
        for i in truth.items
    ]


def labelbox(rng: Random, case: Case, truth: Truth) -> list[Any]:
    """Export data rows with the labels of each project."""

    def label(n: int, rater: str, answer: str) -> dict[str, Any]:
        value = {"name": answer, "value": answer, "classifications": []}
        return {
            "label_kind": "Default",
            "id": f"l{n}",
            "label_details": {"created_by": rater, "reviews": []},
            "performance_details": {"seconds_to_create": 9, "skipped": False},
            "annotations": {
                "objects": [],
                "classifications": [{"name": "tone", "value": "tone", "radio_answer": value}],
                "relationships": [],
            },
        }

    return [
        {
            "data_row": {"id": f"d{i}", "global_key": i, "row_data": _text_of(truth, i)},
            "media_attributes": {"mime_type": "text/plain"},
            "attachments": [],
            "metadata_fields": [],
            "projects": {
                "p1": {
                    "name": "Comments",
                    "labels": [label(n, *said) for n, said in enumerate(_said(truth, i))],
                }
            },
        }
        for i in truth.items
    ]


def potato_lines(rng: Random, case: Case, truth: Truth) -> list[Any]:
    """Export an annotation a line, as Potato's second version does."""
    return [
        {"instance_id": i, "user_id": r, "labels": {"tone": {x: x}}, "spans": {}}
        for i, r, x in truth.triples
    ]


def _lewidi(rng: Random, case: Case, truth: Truth) -> dict[str, Any]:
    """Export items by id, as the shared tasks on disagreement do."""
    return {
        i: {
            "annotation task": "tone",
            "text": _text_of(truth, i),
            "number of annotations": len(_said(truth, i)),
            "annotations": ",".join(x for _, x in _said(truth, i)),
            "annotators": ",".join(r for r, _ in _said(truth, i)),
            "lang": "en",
            "hard_label": truth.best[i],
            "split": "train",
            "other_info": {},
        }
        for i in truth.items
    }


def mturk(truth: Truth) -> Sheet:
    """Export a batch of results."""
    before = ["HITId", "HITTypeId", "Title", "Reward", "CreationTime", "AssignmentId", "WorkerId"]
    after = ["AssignmentStatus", "AcceptTime", "SubmitTime", "WorkTimeInSeconds"]
    time = "Mon Mar 02 08:00:00 PST 2026"
    rows: list[list[Cell]] = [
        [
            *(i, "3TYPE", "Judge", "$0.05", time, f"3ASG{n:026d}", r, "Approved", time, time),
            *("41", f"c-{i}", _text_of(truth, i), x, None, None),
        ]
        for n, (i, r, x) in enumerate(truth.triples)
    ]
    names = ["Input.comment_id", "Input.comment", "Answer.tone.label", "Approve", "Reject"]
    return Sheet([*before, *after, *names], rows)


def toloka(truth: Truth) -> Sheet:
    """Export the assignments of a pool."""
    names = ["INPUT:image", "OUTPUT:result", "GOLDEN:result", "ASSIGNMENT:link"]
    names += ["ASSIGNMENT:assignment_id", "ASSIGNMENT:worker_id", "ASSIGNMENT:status"]
    rows: list[list[Cell]] = [
        [i, x, None, "https://x", f"asg-{n}", r, "APPROVED"]
        for n, (i, r, x) in enumerate(truth.triples)
    ]
    return Sheet(names, rows)


def appen(truth: Truth) -> Sheet:
    """Export the full report of a job."""
    names = ["_unit_id", "_created_at", "_golden", "_id", "_missed", "_started_at", "_tainted"]
    names += ["_channel", "_trust", "_worker_id", "_country", "tone", "tone_gold", "text"]
    rows: list[list[Cell]] = [
        [
            *(i, "3/1/2026 10:00:00", "false", str(9000 + n), None, "3/1/2026 09:59:00", "false"),
            *("elite", "0.93", r, "USA", x, None, _text_of(truth, i)),
        ]
        for n, (i, r, x) in enumerate(truth.triples)
    ]
    return Sheet(names, rows)


def potato(truth: Truth) -> Sheet:
    """Export an annotation a row, with a column a label."""
    names = ["instance_id", "user_id", *(f"tone.{label}" for label in truth.labels)]
    return Sheet(
        names, [[i, r, *(x if x == y else None for y in truth.labels)] for i, r, x in truth.triples]
    )


def label_studio_csv(truth: Truth) -> Sheet:
    """Export an annotation a row."""
    names = ["annotation_id", "annotator", "created_at", "id", "lead_time", "text", "tone"]
    names.append("updated_at")
    rows: list[list[Cell]] = [
        [
            *(str(9000 + n), r, "2026-03-01T10:02:00.000000Z", i, "6.2", _text_of(truth, i), x),
            "2026-03-01T10:02:30.000000Z",
        ]
        for n, (i, r, x) in enumerate(truth.triples)
    ]
    return Sheet(names, rows)


def phoenix(truth: Truth) -> Sheet:
    """Export annotations of spans."""
    names = ["span_id", "id", "annotation_name", "annotator_kind", "metadata", "identifier"]
    names += ["created_at", "source", "user_id", "result.label", "result.score"]
    rows: list[list[Cell]] = [
        [
            *(i, f"U{n}", "tone", "HUMAN", "{}", f"px-app:{r}", "2026-03-01T10:00:00+00:00"),
            *("APP", r, x, None),
        ]
        for n, (i, r, x) in enumerate(truth.triples)
    ]
    return Sheet(names, rows)


def qualtrics(truth: Truth) -> Sheet:
    """Export a respondent a row and a question a column, below three rows of names."""
    said = truth.table()
    before = ["StartDate", "EndDate", "Status", "Progress", "Duration (in seconds)", "Finished"]
    before += ["RecordedDate", "ResponseId", "DistributionChannel", "UserLanguage"]
    date = "2026-03-01 10:00:00"
    ids = [name[0].lower() + name[1:].split()[0] for name in before]
    ids = ["_recordId" if name == "responseId" else name for name in ids]
    ids += [i.replace("Q", "QID") for i in truth.items]
    rows: list[list[Cell]] = [
        [*before, *(f"Rate each answer - {i}" for i in truth.items)],
        [f'{{"ImportId":"{name}"}}' for name in ids],
    ]
    rows += [
        [
            *(date, date, "IP Address", "100", "61", "True", date, r, "anonymous", "EN"),
            *(said.get((i, r)) for i in truth.items),
        ]
        for r in truth.raters
    ]
    return Sheet([*before, *truth.items], rows)


def chaosnli(rng: Random, case: Case, truth: Truth) -> list[Any]:
    """Export how often each label was given to an item."""
    case.compare = "anonymous"
    finish(case, truth)
    counts = {i: Counter(x for _, x in _said(truth, i)) for i in truth.items}
    return [
        {
            "uid": i,
            "label_counter": dict(counts[i]),
            "majority_label": counts[i].most_common(1)[0][0],
            "label_dist": [counts[i][x] / counts[i].total() for x in truth.labels],
            "label_count": [counts[i][x] for x in truth.labels],
            "entropy": 0.5,
            "example": {"uid": i, "premise": "p", "hypothesis": "h", "source": "mnli"},
            "old_label": "n",
            "old_labels": ["neutral", "entailment", "neutral", "neutral", "contradiction"],
        }
        for i in truth.items
    ]


def doccano(rng: Random, case: Case, truth: Truth, folder: Path) -> Path:
    """Export a file a rater, in an archive."""
    path = folder / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for rater in truth.raters:
            lines = [
                json.dumps({"id": int(i), "text": _text_of(truth, i), "label": [x], "Comments": []})
                for i, r, x in truth.triples
                if r == rater
            ]
            archive.writestr(f"{rater}.jsonl", "\n".join(lines) + "\n")
    return path


def several_files(rng: Random, case: Case, folder: Path) -> list[Path]:
    """Write a file a rater, who is named by it; or rows of several raters in two files."""
    truth = draw_truth(rng, scales=SCALES)
    people = dict(zip(truth.raters, PEOPLE, strict=False))
    truth.raters = list(people.values())
    truth.triples = [(i, people[r], x) for i, r, x in truth.triples if r in people]
    truth.items = list(dict.fromkeys(i for i, _, _ in truth.triples))
    item, rater, label = rng.choice(ITEM), rng.choice(RATER), rng.choice(LABEL)
    case.options |= {"item": item, "label": label}
    if stacked := rng.random() < 0.4:
        case.options["rater"] = rater
        half = len(truth.triples) // 2
        parts = {"week1": truth.triples[:half], "week2": truth.triples[half:]}
    else:
        parts = {r: [one for one in truth.triples if one[1] == r] for r in truth.raters}
    paths: list[Path] = []
    for name, triples in parts.items():
        rows: list[list[Cell]] = [[i, r, x] if stacked else [i, x] for i, r, x in triples]
        sheet = Sheet([item, rater, label] if stacked else [item, label], rows)
        path = write(rng, case, sheet, folder)
        paths.append(path.rename(folder / f"{name}.csv"))
    finish(case, truth)
    return paths


NESTED = {
    "nested records": nested_records,
    "nested by rater": nested_by_rater,
    "nested lists": nested_lists,
    "nested counts": nested_counts,
    "nested labels": nested_rows,
}
RECORDS = {
    "label-studio": (label_studio, "json"),
    "label-studio-min": (label_studio_min, "json"),
    "prodigy": (prodigy, "jsonl"),
    "argilla": (argilla, "jsonl"),
    "argilla-nested": (argilla_nested, "json"),
    "ground-truth": (ground_truth, "jsonl"),
    "labelbox": (labelbox, "jsonl"),
    "potato": (potato_lines, "jsonl"),
    "chaosnli": (chaosnli, "jsonl"),
}
SHEETS = {
    "mturk": mturk,
    "toloka": toloka,
    "appen": appen,
    "potato": potato,
    "label-studio-min": label_studio_csv,
    "phoenix": phoenix,
    "qualtrics": qualtrics,
}


def export(rng: Random, case: Case, tool: str, folder: Path) -> Any:
    """Write ratings as a tool does."""
    scales = {"chaosnli": "nli", "qualtrics": "interval", "nested": "nominal interval"}
    truth = draw_truth(rng, scales=scales.get(tool.split()[0], "nominal ordinal"))
    if tool == "lewidi":  # which has commas between labels
        commas = {label: label.replace(",", "") for label in truth.labels}
        truth.labels = tuple(commas.values())
        truth.triples = [(i, r, commas[x]) for i, r, x in truth.triples]
        truth.best = {i: commas[x] for i, x in truth.best.items()}
    # Tools number tasks and users, or call users by names that are no numbers.
    numbers = tool in ("label-studio", "label-studio-min", "prodigy", "appen", "doccano")
    letter = "Q1_" if tool == "qualtrics" else "c"
    renamed = {i: str(n) if numbers else f"{letter}{n}" for n, i in enumerate(truth.items, 101)}
    user = "{}" if "studio" in tool else "R_{}abcDEF12345" if tool == "qualtrics" else "user-{}"
    people = {r: user.format(n) for n, r in enumerate(truth.raters, 1)}
    truth.items = list(renamed.values())
    truth.raters = list(people.values())
    truth.best = {renamed[i]: x for i, x in truth.best.items() if i in renamed}
    truth.triples = [(renamed[i], people[r], x) for i, r, x in truth.triples]
    finish(case, truth)
    if tool == "doccano":
        return doccano(rng, case, truth, folder)
    if tool == "lewidi":
        path = folder / "train.json"
        path.write_text(json.dumps(_lewidi(rng, case, truth)), encoding="utf-8")
        return path
    if tool in SHEETS and (tool not in RECORDS or rng.random() < 0.5):
        case.format = "tsv" if tool == "toloka" else "quoted" if tool == "mturk" else "csv"
        return write(rng, case, SHEETS[tool](truth), folder)
    make, suffix = (
        (NESTED[tool], rng.choice(("json", "jsonl"))) if tool in NESTED else RECORDS[tool]
    )
    case.format = suffix
    records = make(rng, case, truth)
    path = folder / f"export.{suffix}"
    lines = [json.dumps(record, ensure_ascii=rng.random() < 0.5) for record in records]
    text = "[" + ",\n".join(lines) + "]" if suffix == "json" else "\n".join(lines) + "\n"
    path.write_text(text, encoding="utf-8")
    return path


TOOLS = tuple(dict.fromkeys([*RECORDS, *SHEETS, "doccano", "lewidi"]))
