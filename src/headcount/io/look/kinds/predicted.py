"""What classifiers say of items."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from headcount.data.predictions import Predictions
from headcount.errors import count
from headcount.io.look.kinds.base import ALL, Kind
from headcount.io.look.kinds.words import named, shares
from headcount.io.look.records import Share
from headcount.io.predictions.predictions import read_predictions
from headcount.io.predictions.probability_columns import columns_of_shares
from headcount.io.ratings.shapes.orientation import are_raters
from headcount.io.roles.roles import find_role
from headcount.io.tables.table import Table
from headcount.typing import Ids

__all__ = ["Predicted"]

MODEL_NAME = re.compile(
    r"(?i).*(?:gpt|llama|claude|gemini|gemma|mistral|mixtral|qwen|deepseek|phi-?\d|bert|command-r|"
    r"palm|model|classif|\bclf|judge|llm|verdict|predict|\bpred\b|baseline|system).*"
)
"""Names that columns of classifiers have."""
MODEL_FILE = re.compile(r"(?i).*(?:pred|judge|model|classif|llm|vote|system).*")
"""Names that files of predictions have, where columns do not tell."""
SURE = ("confidence", "probability", "prob", "probs", "probabilities", "proba")


class Predicted(Kind):
    """What classifiers say of items."""

    name, reader, takes = "predictions", "read_predictions", ALL | {"item"}

    def claims(self, table: Table, file: str) -> bool:
        """Whether names of columns, or else of the file, are those of classifiers."""
        names = table.names
        if table.form != "named":
            return False
        item = find_role(names, "item")
        who, label = find_role(names, "classifier"), find_role(names, "label", besides=item)
        if who is not None and label not in (None, who):
            people = find_role(names, "rater")
            return people in (None, who) and (people is None or MODEL_FILE.match(file) is not None)
        if sum(":" in name for name in names) > 1:
            return True
        people = find_role(names, "rater")
        if people is not None and label not in (None, people) and who is None:
            return False
        if any(name.strip().lower().endswith(SURE) for name in names):
            stems = [name[: name.lower().rfind(end)].rstrip("_ .-") for name in names
                     for end in SURE if name.strip().lower().endswith(end)]  # fmt: skip
            return not are_raters(stems)
        place = 0 if item is None else item
        others = [name for i, name in enumerate(names) if i != place and name]
        if find_role(names, "rater", besides=place) is not None and len(others) > 1:
            return False
        codes, texts = table.codes(place)
        if len(texts) < len(codes):  # items repeat: one row a rating
            return False
        if len(others) == 1:
            return not table.nested()
        flat = [i for i in range(len(names)) if i != place and i not in table.nested()]
        if columns_of_shares(table, flat):
            return True
        models = sum(MODEL_NAME.fullmatch(name) is not None for name in others)
        return 2 * models > len(others) or MODEL_FILE.match(file) is not None

    def read(self, data: Any, options: Mapping[str, Any]) -> Predictions:
        """Read predictions."""
        return read_predictions(data, **options)

    def sentence(self, data: Predictions) -> str:
        """Say of whom, for what."""
        who = len(data.classifiers) + len(data.scores)
        labels = f", {named(data.labels)}" if data.labels else ", scores"
        return (
            f"predictions of {count(who, 'classifier')} for {count(len(data.items), 'item')}"
            f"{labels}"
        )

    def counts(self, data: Predictions) -> dict[str, Any]:
        """Count items, and say who predicts what."""
        who = [{"name": c.name, "kind": c.kind, "items": int(c.predicted.sum())}
               for c in data.classifiers]  # fmt: skip
        who += [
            {"name": s.name, "kind": "score", "items": int((~np.isnan(s.values)).sum())}
            for s in data.scores
        ]
        return {"items": len(data.items), "labels": len(data.labels), "classifiers": who}

    def items(self, data: Predictions) -> Ids:
        """Ids of the items."""
        return data.items

    def balance(self, data: Predictions) -> dict[str, tuple[Share, ...]]:
        """Return the share of each label, by classifier."""
        return {
            c.name: shares(data.labels, np.nansum(c.probability, axis=0)) for c in data.classifiers
        }

    def shape(self, table: Table, options: Mapping[str, Any]) -> str:
        """Whether a row is an item, or a prediction."""
        who, label = find_role(table.names, "classifier"), find_role(table.names, "label")
        return "wide" if who is None or label in (None, who) else "long"

    def columns(self, data: Predictions) -> dict[str, list[Any]]:
        """Return one row a label that is predicted."""
        return data.columns()
