"""Tools whose exports are known, but not read: which they are, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headcount.errors import DataError, option
from headcount.io.formats.csv import Csv
from headcount.io.tools.document import Document, Form

__all__ = ["UNREAD", "Unread"]

TABLE = "Write a table with a column for the item, the rater and the label, and read that."


@dataclass(frozen=True, kw_only=True)
class Unread:
    """A tool whose exports are refused by name.

    Attributes
    ----------
    title : str
        Its name in sentences.
    is_its : callable
        Whether a document is of the tool.
    why : str
        Why it is not read, and what to do, as a sentence after its name.
    is_table : bool
        Whether it is a table of text, which can be read with some columns left out.
    """

    title: str
    is_its: Callable[[Document], bool]
    why: str
    is_table: bool = False

    def refused(self, document: Document) -> DataError:
        """Error for its export."""
        how = f" Read it as a table with {option('format', Csv.name)}." if self.is_table else ""
        return DataError(f"{document.name} ({self.title}): {self.why}{how}")


def _has(*fields: str) -> Callable[[Document], bool]:
    """Find documents of which all first records have some fields."""
    return lambda document: bool(document.head) and all({*fields} <= {*r} for r in document.head)


def _is_object(*fields: str) -> Callable[[Document], bool]:
    """Find documents that are one object with some fields."""
    return lambda document: {*fields} <= {*document.object}


def _begins(*starts: str) -> Callable[[Document], bool]:
    """Find texts that begin so."""
    return lambda document: (
        document.form is Form.COLUMNS and document.head_text.lstrip().lower().startswith(starts)
    )


def _has_columns(*names: str) -> Callable[[Document], bool]:
    return lambda document: {*names} <= {*document.columns}


def _is_redcap(document: Document) -> bool:
    names = document.columns if document.form is Form.COLUMNS else []
    marked = any(name.startswith("redcap_") for name in names)
    return marked or (names[:1] == ["record_id"] and any(n.endswith("_complete") for n in names))


def _is_openai_eval(document: Document) -> bool:
    events = [one for one in document.head if "spec" not in one and "final_report" not in one]
    return bool(events) and all({"run_id", "event_id", "sample_id", "data"} <= {*e} for e in events)


_SHAPES = "shapes in images are no ratings of items."
UNREAD: tuple[Unread, ...] = (
    Unread(
        title="INCEpTION or WebAnno",
        is_its=_begins("#format=webanno"),
        why=f"labels of words and spans are no ratings of items. {TABLE}",
    ),
    Unread(
        title="XML or HTML",
        is_its=_begins("<?xml", "<annotation", "<html", "<!doctype", "<table"),
        why=f"XML, as CVAT writes it, and pages of HTML are not read. {TABLE}",
    ),
    Unread(
        title="COCO",
        is_its=_is_object("images", "annotations", "categories"),
        why=f"{_SHAPES} {TABLE}",
    ),
    Unread(title="LabelMe", is_its=_is_object("shapes", "imagePath"), why=f"{_SHAPES} {TABLE}"),
    Unread(
        title="V7 Darwin",
        is_its=_is_object("version", "item", "annotations", "schema_ref"),
        why="a file for each image, with the label on which annotators settled. For tags of "
        f"whole images, export before consensus. {TABLE}",
    ),
    Unread(
        title="Scale",
        is_its=_has("task_id", "type", "status", "params", "response"),
        why="tasks with the answer that Scale delivers; what each worker said is not in it. Read "
        "it as predictions: write a table with columns item (task_id) and label, or of "
        "response.annotations, if it holds several.",
    ),
    Unread(
        title="REDCap",
        is_its=_is_redcap,
        why="whether a record is an item or a rater is not said, and columns of REDCap's own are "
        f"beside the ratings. Leave those out with {option('ignore', ...)} (redcap_..., "
        f"..._complete, ..._timestamp), and say {option('transpose', True)} if records are raters, "
        f"or {option('transpose', False)} if they are items.",
        is_table=True,
    ),
    Unread(
        title="OpenAI evals",
        is_its=_is_openai_eval,
        why="events of several kinds. Keep those of one (type match, say), and write a table with "
        "columns item (sample_id) and a judge's verdict (data.correct or data.choice).",
    ),
    Unread(
        title="Weights & Biases Weave",
        is_its=_has("op_name", "trace_id", "inputs", "output"),
        why="calls of all operations. Keep those of predict_and_score, and write a table with "
        "columns item (the example's id) and one for each scorer (output.scores).",
    ),
    Unread(
        title="TruLens",
        is_its=_has_columns("record_id", "record_json", "app_id"),
        why="columns of feedback functions are beside others. Leave those out with "
        f"{option('ignore', ...)} (app_..., ..._json, ..._calls, costs and times).",
        is_table=True,
    ),
    Unread(
        title="LangSmith",
        is_its=_has("run_id", "key", "score", "value", "feedback_source"),
        why="feedback of people and models. Write a table with columns item (run_id), rater "
        "(feedback_source.user_id) and label (score or value), for one key; that of models in a "
        "file of its own, as predictions. The frame of an experiment (to_pandas) is read as it is.",
    ),
)
"""In the order in which they are tried, after all tools that are read."""
