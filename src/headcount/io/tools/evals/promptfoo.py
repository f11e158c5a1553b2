"""promptfoo: results as JSON, JSON lines and CSV."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from headcount.io.reading import Reading
from headcount.io.tools.base import Export, Tool
from headcount.io.tools.document import Document, Form
from headcount.io.tools.values import as_dict, as_list

__all__ = ["Promptfoo", "PromptfooTable"]

ERROR = 2
HUMAN = "human"
QUESTION = "verdict"


class Promptfoo(Tool):
    """Results with the verdict of each assertion."""

    name = "promptfoo"
    title = "promptfoo"

    def recognises(self, document: Document) -> bool:
        """Whether it has results with their grading."""
        results = as_dict(document.object.get("results"))
        if isinstance(results.get("results"), list) and "stats" in results:
            return True
        needed = {"promptIdx", "testIdx", "gradingResult", "namedScores"}
        return bool(document.head) and all(needed <= set(one) for one in document.head)

    def read(self, document: Document, reading: Reading) -> Export:
        """Read assertions as predictions, and the thumbs of the web view as ratings.

        A thumb overrides the verdict of the whole result, so that it is never read.
        """
        export = Export()
        results = as_dict(document.object.get("results")).get("results")
        rows = [as_dict(one) for one in as_list(results)] if results else document.records()
        export.records = len(rows)
        verdicts: list[tuple[str, str, str, Any]] = []
        for row in rows:
            if row.get("failureReason") == ERROR:
                export.drop("predictions", "error")
                continue
            parts = as_list(as_dict(row.get("gradingResult")).get("componentResults"))
            if not parts:
                export.drop("predictions", "without verdicts of assertions")
            used: Counter[str] = Counter()
            for part in map(as_dict, parts):
                assertion = as_dict(part.get("assertion"))
                if not assertion and "componentResults" in part:
                    continue  # a set of assertions, which are listed too
                label = "pass" if part.get("pass") else "fail"
                if assertion.get("type") == HUMAN:
                    export.rate(QUESTION, _item(row), HUMAN, label)
                    continue
                name = str(assertion.get("metric") or assertion.get("type") or "assertion")
                used[name] += 1
                name = name if used[name] == 1 else f"{name} {used[name]}"
                verdicts.append((name, _item(row), label, part.get("score")))
        for classifier in dict.fromkeys(name for name, *_ in verdicts):
            for name, item, label, score in verdicts:
                if name == classifier:
                    export.predict(QUESTION, item, name, label)
                    export.score(QUESTION, item, name, score)
        export.add_scores()
        if export.answers["ratings"]:
            export.notes.caution(
                f"{document.name}: ratings given in the web view do not say by whom; they are all "
                f"of the rater '{HUMAN}'."
            )
        return export


class PromptfooTable(Tool):
    """CSV, in which the columns of a verdict are there once for each prompt."""

    name = "promptfoo-csv"
    title = "promptfoo"

    def recognises(self, document: Document) -> bool:
        """Whether the columns of a verdict are there."""
        columns = document.columns if document.form is Form.COLUMNS else []
        return {"Status", "Score", "Named Scores", "Grader Reason"} <= set(columns)

    def read(self, document: Document, reading: Reading) -> Export:
        """Read the verdict of each row and prompt."""
        export, rows = Export(), document.rows()
        places = [i for i, name in enumerate(rows[0]) if name == "Status"]
        export.records = len(rows) - 1
        export.notes.warning(
            f"{document.name}: the verdict in the CSV is that of all assertions together, and a "
            "rating in the web view replaces it. The JSON (-o results.json) has each by itself."
        )
        for number, row in enumerate(rows[1:]):
            for prompt, place in enumerate(places):
                status = row[place].strip() if place < len(row) else ""
                if status == "ERROR":
                    export.drop("predictions", "error")
                else:
                    export.predict(QUESTION, f"{number}:{prompt}", "promptfoo", status)
        return export


def _item(row: Mapping[str, Any]) -> str:
    """Name a result: the test and the prompt, or what they are where they have no numbers."""
    if "testIdx" in row and "promptIdx" in row:
        return f"{row['testIdx']}:{row['promptIdx']}"
    provider, prompt = row.get("provider"), as_dict(row.get("prompt"))
    who = as_dict(provider).get("id", provider)
    return f"{json.dumps(row.get('vars'))}|{who}|{prompt.get('label')}"
