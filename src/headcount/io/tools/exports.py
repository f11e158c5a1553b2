"""What an export holds, what a tool is that reads it, and tools that are not read."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection
from typing import Any, Literal, NamedTuple

from headcount.data.comparisons import OUTCOMES
from headcount.errors import DataError, option, some
from headcount.io.formats.csv import Csv
from headcount.io.reading import Reading
from headcount.io.tools.contents import BETWEEN, Document, Marks, text_of
from headcount.io.values import Several
from headcount.results.notes import Notes

__all__ = [
    "Kind",
    "KINDS",
    "Export",
    "Tool",
    "UNREAD",
]


# What a tool is: how to know its exports, and what is read of them.

Kind = Literal["ratings", "predictions", "comparisons"]
KINDS: dict[Kind, tuple[str, ...]] = {
    "ratings": ("item", "rater", "label"),
    "predictions": ("item", "classifier", "label"),
    "comparisons": ("left", "right", "outcome", "rater"),
}
"""What a file can hold, and the columns of each."""


class Row(NamedTuple):
    """One answer: the cells of the columns of its kind, and the question it answers.

    `confidence` is how sure a classifier is of its label, where it says so.
    """

    question: str
    cells: tuple[str | None, ...]
    confidence: float | None = None


class Export:
    """What a tool's file holds: answers by kind and question, and what was left out and why.

    Attributes
    ----------
    answers : dict of kind to list of Row
    notes : Notes
    absent : dict of kind to str
        Why the file holds nothing of a kind, and what to do, where the tool knows.
    records : int
        Records of the file.
    has_sets : bool
        Whether some answers have several labels.
    """

    def __init__(self, records: int = 0) -> None:
        self.answers: dict[Kind, list[Row]] = {kind: [] for kind in KINDS}
        self.notes = Notes()
        self.absent: dict[Kind, str] = {}
        self.records = records
        self._dropped: dict[Kind, Counter[tuple[str | None, str]]] = {
            kind: Counter() for kind in KINDS
        }
        self.has_sets = False

    def rate(self, question: str, item: Any, rater: Any, label: Any) -> None:
        """Add a rating; one without a label is dropped as empty."""
        self._add("ratings", question, (text_of(item), text_of(rater), self._label(label)))

    def predict(
        self, question: str, item: Any, classifier: Any, label: Any, confidence: Any = None
    ) -> None:
        """Add a prediction; one without a label is dropped as empty.

        `confidence` is how sure the classifier is of the label, as it says itself.
        """
        cells = (text_of(item), text_of(classifier), self._label(label))
        self._add("predictions", question, cells, _number(confidence))

    def compare(self, question: str, pair: tuple[Any, Any], outcome: Any, rater: Any) -> None:
        """Add a comparison of a left and a right thing: left, right or tie."""
        left, right = pair
        if text_of(left) == text_of(right):
            self.drop("comparisons", "compared with itself", question)
            return
        cells = (text_of(left), text_of(right), text_of(outcome), text_of(rater))
        self._add("comparisons", question, cells)

    def prefer(self, question: str, pair: tuple[Any, Any], answer: Any, rater: Any) -> None:
        """Add a comparison if two things were shown, and the answer is one of them or a tie."""
        if None in pair:
            return
        shown, chosen = tuple(map(text_of, pair)), text_of(answer)
        if chosen is None or None in shown:
            return
        if chosen.lower() in OUTCOMES or chosen in shown:
            self.compare(question, pair, chosen, rater)

    def drop(self, kind: Kind, reason: str, question: str | None = None, times: int = 1) -> None:
        """Count answers that are left out; without a question, of whatever question is read."""
        if times:
            self._dropped[kind][question, reason] += times

    def leave_out(self, document: Document, what: str, names: Collection[str]) -> None:
        """Say which questions are left out, if there are some, since they are not ratings."""
        if names:
            self.notes.info(
                f"{document.name}: {what} are not ratings; left out: {some(list(names), 6)}."
            )

    def questions(self, kind: Kind) -> list[str]:
        """Questions with answers of a kind, in the order of the file."""
        return list(dict.fromkeys(row.question for row in self.answers[kind]))

    def dropped(self, kind: Kind, question: str | None = None) -> dict[str, int]:
        """Answers left out of a question, or of all, by reason."""
        total: Counter[str] = Counter()
        for (own, reason), times in self._dropped[kind].items():
            if question is None or own in (None, question):
                total[reason] += times
        return dict(total)

    def _label(self, label: Any) -> str | None:
        text = text_of(label)
        self.has_sets |= isinstance(label, list) and text is not None and BETWEEN in text
        return text

    def _add(
        self,
        kind: Kind,
        question: str,
        cells: tuple[str | None, ...],
        confidence: float | None = None,
    ) -> None:
        if cells[2] is None:
            self.drop(kind, "empty", question)
        elif cells[0] is None:
            self.drop(kind, "without an item", question)
        else:
            self.answers[kind].append(Row(question, cells, confidence))


def _number(value: Any) -> float | None:
    """Return a finite number; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


class Tool(ABC):
    """A tool. To read another, write one such class and put it into the list of tools.

    Attributes
    ----------
    name : str
        What users call it as the format of a file.
    title : str
        Its name in sentences.
    kinds : tuple of str
        What its exports can hold; asked for anything else, a file is none of them.
    marks : tuple of tuples of str
        Names that its exports have; those of one are enough.
    """

    name: str
    title: str
    kinds: tuple[Kind, ...] = tuple(KINDS)
    marks: Marks

    def recognises(self, document: Document) -> bool:
        """Whether a file that has the marks is an export of the tool."""
        return True

    @abstractmethod
    def read(self, document: Document, reading: Reading) -> Export:
        """Read what the file holds, for all its questions."""

    def refused(self, document: Document, why: str) -> DataError:
        """Error for an export that cannot be read right."""
        return DataError(f"{document.name} ({self.title}): {why}")


# Tools whose exports are known, but not read: which they are, and what to do.


class Unread(NamedTuple):
    """A tool whose exports are refused by name: marks, or how a text begins, say whose it is.

    `what` says what they hold, as a sentence after its title.
    """

    title: str
    marks: Marks
    what: str

    def refused(self, document: Document) -> DataError:
        """Error for its export."""
        more = _redcap(document) if self.title == "REDCap" else _TABLE
        return DataError(f"{document.name} ({self.title}): {self.what} {more}")


_TABLE = (
    "Write a table with a column for the item, the rater and the label, and read that; if it is a "
    f"table, read it with {option('format', Csv.name)} and leave other columns out with "
    f"{option('ignore', ...)}."
)


def _redcap(document: Document) -> str:
    """Say what the columns may be, in options that read them."""
    record, *names = document.columns
    own = [n for n in names if n.startswith("redcap_") or n.endswith(("_complete", "_timestamp"))]
    fields = [name for name in names if name not in own] or ["..."]
    table, ignore = option("format", Csv.name), option("ignore", Several(own))
    events = [n for n in own if n in ("redcap_event_name", "redcap_repeat_instance")]
    several = (
        f" If each event or repeat is a rater: {table}, {option('item', record)}, "
        f"{option('rater', events[-1])} and {option('label', fields[0])}."
        if events
        else ""
    )
    return (
        f"If records are raters and fields items: {table}, {ignore} and "
        f"{option('transpose', True)}. If records are items and fields raters: {table}, {ignore} "
        f"and {option('transpose', False)}.{several}"
    )


UNREAD = (
    Unread("INCEpTION or WebAnno", (("#FORMAT=WebAnno*",),), "words and spans are not items."),
    Unread(
        "XML or HTML",
        (("<[?!a-zA-Z]*",),),
        "XML, as CVAT writes it, and pages of HTML are not read.",
    ),
    Unread("COCO", (("images", "annotations", "categories"),), "shapes in images are not items."),
    Unread("LabelMe", (("shapes", "imagePath"),), "shapes in images are not items."),
    Unread("V7 Darwin", (("version", "item", "schema_ref"),), "one label that annotators settled."),
    Unread(
        "Scale",
        (("task_id", "params", "response"),),
        "answers that Scale delivers; what each worker said is not in it. They are predictions.",
    ),
    Unread(
        "REDCap",
        (("COLUMNS", "redcap_*"), ("COLUMNS", "record_id", "*_complete")),
        "it does not say whether a record is an item or a rater.",
    ),
    Unread(
        "OpenAI evals",
        (("run_id", "event_id", "sample_id", "data"),),
        "events of several kinds; the item of those of a judge is sample_id.",
    ),
    Unread(
        "Weights & Biases Weave",
        (("op_name", "trace_id", "inputs", "output"),),
        "calls of all operations; those of predict_and_score have the scores.",
    ),
    Unread(
        "TruLens", (("record_id", "record_json", "app_id"),), "feedback is beside other columns."
    ),
    Unread(
        "LangSmith",
        (("run_id", "key", "score", "value", "feedback_source"),),
        "feedback of people and models: item = run_id, rater = feedback_source.user_id. The frame "
        "of an experiment (to_pandas) is read as it is.",
    ),
)
"""In the order in which they are tried, after all tools that are read."""
