"""What a file can hold: how to tell it, how to read it, and what to count."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.data.facts import Facts
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.data.vocabulary import as_ids, number_of
from headcount.errors import count
from headcount.io.classifier_outputs import columns_of_shares
from headcount.io.comparisons import holds_comparisons, read_comparisons
from headcount.io.counted_ratings import COUNT_AFFIXES
from headcount.io.facts import read_truth
from headcount.io.predictions import columns_beside, read_predictions
from headcount.io.ratings import read_ratings, shape_of
from headcount.io.reading import ReadOptions
from headcount.io.roles import (
    are_raters,
    find_role,
    is_remark,
    is_summary,
    item_column,
    plain_name,
)
from headcount.io.shapes import Asked
from headcount.io.tables import Table
from headcount.typing import Flags, Floats, Ids, Ints

__all__ = [
    "Share",
    "Kind",
    "spread",
    "named",
    "shares",
    "rated_in_words",
    "Rated",
    "Compared",
    "Gold",
    "KINDS",
    "kind_of",
]


@dataclass(frozen=True, kw_only=True)
class Share:
    """How often a label is given: by all raters, or by one classifier.

    Parameters
    ----------
    label : str
    count : float
        How many times; for probabilities their sum.
    share : float
    """

    label: str
    count: float
    share: float


# What a kind of content is: how to tell it, how to read it, and what to count.

ALL_OPTIONS = frozenset(ReadOptions.__annotations__)
"""Options that every reader of tables takes."""


class Kind(ABC):
    """Something that a file can hold. To tell another, write one such class and list it.

    Attributes
    ----------
    name : str
    reader : str
        The name of the public function that reads it, `read`.
    takes : frozenset of str
        Options that it takes.
    """

    name: ClassVar[str]
    reader: ClassVar[str]
    read: ClassVar[Callable[..., Any]]
    takes: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def claims(self, table: Table, file: str) -> bool:
        """Whether a table is of this kind, by its columns; `file` is its name."""

    @abstractmethod
    def sentence(self, data: Any) -> str:
        """Say what was read, after the name of the file."""

    @abstractmethod
    def counts(self, data: Any) -> dict[str, Any]:
        """Count what was read."""

    def items(self, data: Any) -> Ids:
        """Ids of the items."""
        return data.items

    def balance(self, data: Any) -> dict[str, tuple[Share, ...]]:
        """How often each label is given, by whom."""
        return {}

    def shape(self, table: Table, options: Mapping[str, Any]) -> str | None:
        """How the table is laid out."""
        return None

    def explicit(
        self, data: Any, table: Table, shape: str | None, roles: Mapping[str, str]
    ) -> dict[str, Any]:
        """Options by which the table is read as it was, without a guess."""
        return {role: column for role, column in roles.items() if role in self.takes}

    def columns(self, data: Any) -> dict[str, list[Any]]:
        """Return it in long form."""
        return data.columns()


# Counts and labels in a few words.

MOST_LISTED = 8
"""Labels that a sentence lists."""


def spread(counts: Any) -> dict[str, float]:
    """Smallest, median and largest of counts above 0.

    Examples
    --------
    >>> spread(np.array([3, 0, 1, 2]))
    {'min': 1, 'median': 2.0, 'max': 3}
    """
    given = np.asarray(counts)
    given = given[given > 0]
    if not len(given):
        return {"min": 0, "median": 0.0, "max": 0}
    return {"min": int(given.min()), "median": float(np.median(given)), "max": int(given.max())}


def named(labels: Sequence[str]) -> str:
    """Write labels in a few words.

    Examples
    --------
    >>> named(["1", "2", "3", "4", "5"]), named(["ok", "toxic"]), named(["x"] * 40)
    ('labels 1 to 5', 'labels ok, toxic', '40 labels')
    """
    numbers = [number_of(label) for label in labels]
    whole = sorted(int(n) for n in numbers if n is not None and n == int(n))
    if len(labels) > 2 and whole == [*range(whole[0], whole[0] + len(labels))] if whole else False:
        return f"labels {whole[0]} to {whole[-1]}"
    if len(labels) > MOST_LISTED or sum(map(len, labels)) > 60:
        return count(len(labels), "label")
    return f"{'label' if len(labels) == 1 else 'labels'} {', '.join(labels)}"


def shares(labels: Sequence[str], counts: Floats | Ints) -> tuple[Share, ...]:
    """Make the share of each label from its count."""
    total = float(np.sum(counts)) or 1.0
    return tuple(
        Share(label=label, count=int(number) if number == int(number) else number,
              share=number / total)
        for label, number in zip(labels, counts.tolist(), strict=True)
    )  # fmt: skip


def rated_in_words(
    items: int, raters: int | None, per_item: Mapping[str, float], labels: Sequence[str]
) -> str:
    """Say how many items and raters there are, and which labels; `raters` is None if unknown."""
    low, high = f"{per_item['min']:,}", f"{per_item['max']:,}"
    each = low if low == high else f"{low} to {high}"
    who = "anonymous raters" if raters is None else count(raters, "rater")
    full = raters is not None and per_item["min"] == per_item["max"] == raters
    times = "" if full else f" ({each} rating{'' if each == '1' else 's'} per item)"
    return f"{count(items, 'item')} x {who}{times}, {named(labels)}"


# Ratings of items.


class Rated(Kind):
    """What raters say of items: anything that is nothing else."""

    name, reader = "ratings", "read_ratings"
    takes = ALL_OPTIONS | {
        "item", "rater", "label", "labels", "duplicates", "transpose", "columns", "shape",
        "exclude",
    }  # fmt: skip

    def claims(self, table: Table, file: str) -> bool:
        """Anything may be ratings."""
        return True

    read = staticmethod(read_ratings)

    def sentence(self, data: Labels) -> str:
        """Say how many items and raters there are."""
        counts = self.counts(data)
        per_item = counts["ratings_per_item"]
        return rated_in_words(counts["items"], counts["raters"], per_item, data.scale.labels)

    def counts(self, data: Labels) -> dict[str, Any]:
        """Count items, raters, ratings and labels."""
        by = None if data.anonymous else spread(np.bincount(data.rater))
        return {
            "items": len(np.unique(data.item)),
            "raters": data.n_raters,
            "ratings": len(data),
            "labels": len(data.scale),
            "ratings_per_item": spread(np.bincount(data.item)),
            "ratings_per_rater": by,
        }

    def balance(self, data: Labels) -> dict[str, tuple[Share, ...]]:
        """Return the share of each label."""
        counted = np.bincount(data.label, minlength=len(data.scale))
        return {"raters": shares(data.scale.labels, counted)}

    def shape(self, table: Table, options: Mapping[str, Any]) -> str:
        """Name of the shape that readers see."""
        given = {role: options.get(role) for role in ("item", "rater", "label")}
        asked = Asked(
            table,
            given,
            labels=options.get("labels"),
            question=options.get("question"),
            transpose=options.get("transpose"),
        )
        return shape_of(asked).name

    def explicit(
        self, data: Labels, table: Table, shape: str | None, roles: Mapping[str, str]
    ) -> dict[str, Any]:
        """Name the columns: by role, of raters, or of counted labels; and labels in their order."""
        words = any(number_of(label) is None for label in data.scale.labels)
        ordered = data.scale.kind == "ordinal" and words
        labels = {"labels": list(data.scale.labels)} if ordered else {}
        if shape == "long":
            return {**roles, **labels}
        if shape == "transposed":
            return {"transpose": True} | labels
        if shape not in ("wide", "counts"):
            return {role: column for role, column in roles.items() if role == "item"}
        name = roles.get("item", table.names[item_column(table)])
        item = {"item": name} if name in table.names else {}  # the column may have no name
        if shape == "wide":
            columns = [name for name in map(str, data.raters.tolist()) if name in table.names]
            return item | {"columns": columns} | labels
        counted = [_count_column(label, table.names) for label in data.scale.labels]
        return item | {"shape": shape, "columns": [name for name in counted if name]}


def _count_column(label: str, names: Sequence[str]) -> str:
    """Find the column that counts a label: called so, with n before it or count behind."""
    called = {name: {name, *(m[1] for a in COUNT_AFFIXES if (m := a.fullmatch(name)))}
              for name in names}  # fmt: skip
    return next((name for name, labels in called.items() if label in labels), "")


# What classifiers say of items.

MODEL_NAME = re.compile(
    r"(?i).*(?:gpt|llama|claude|gemini|gemma|mistral|mixtral|qwen|deepseek|phi-?\d|bert|command-r|"
    r"palm|model|classif|\bclf|judge|llm|verdict|predict|\bpred\b|baseline|system).*"
)
"""Names that columns of classifiers have."""
MODEL_FILE = re.compile(r"(?i).*(?:pred|judge|model|classif|llm|vote|system).*")
"""Names that files of predictions have, where columns do not tell."""
CONFIDENCE_NAMES = ("confidence", "probability", "prob", "probs", "probabilities", "proba")


class Predicted(Kind):
    """What classifiers say of items."""

    name, reader, takes = "predictions", "read_predictions", ALL_OPTIONS | {"item"}

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
        if any(name.strip().lower().endswith(CONFIDENCE_NAMES) for name in names):
            stems = [name[: name.lower().rfind(end)].rstrip("_ .-") for name in names
                     for end in CONFIDENCE_NAMES if name.strip().lower().endswith(end)]  # fmt: skip
            called = [name for name in names if are_raters([name, name])]
            flat = [plain_name(name) for name in names if name != names[item or 0]]
            said = [name for name in flat if not (is_remark(name, flat) or is_summary(name))]
            # Nobody knows of whom of several columns a bare 'confidence' is.
            several = not any(stems) and len(said) > 3
            return len(called) < 2 and not are_raters(stems) and not several
        index = 0 if item is None else item
        others = [name for i, name in enumerate(names) if i != index and name]
        if find_role(names, "rater", besides=index) is not None and len(others) > 1:
            return False
        codes, texts = table.codes(index)
        if len(texts) < len(codes):  # items repeat: one row per rating
            return False
        if len(others) == 1:
            return not table.nested()
        flat = [i for i in range(len(names)) if i != index and i not in table.nested()]
        if columns_of_shares(table, flat):
            return True
        models = sum(MODEL_NAME.fullmatch(name) is not None for name in others)
        return 2 * models > len(others) or MODEL_FILE.match(file) is not None

    read = staticmethod(read_predictions)

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

    def balance(self, data: Predictions) -> dict[str, tuple[Share, ...]]:
        """Return the share of each label, by classifier."""
        return {
            c.name: shares(data.labels, np.nansum(c.probability, axis=0)) for c in data.classifiers
        }

    def shape(self, table: Table, options: Mapping[str, Any]) -> str:
        """Whether a row is an item, or a prediction."""
        who, label = find_role(table.names, "classifier"), find_role(table.names, "label")
        return "wide" if who is None or label in (None, who) else "long"

    def explicit(
        self, data: Predictions, table: Table, shape: str | None, roles: Mapping[str, str]
    ) -> dict[str, Any]:
        """Name the item column, and those that are not read."""
        item = roles.get("item", table.names[item_column(table)])
        explicit: dict[str, Any] = {"item": item} if item in table.names else {}
        others = [i for i, name in enumerate(table.names) if name and name != item]
        beside = [table.names[i] for i in columns_beside(table, others)] if shape == "wide" else []
        return explicit | ({"ignore": beside} if beside else {})


# Comparisons of items, and rankings.


class Compared(Kind):
    """Which of two items won."""

    name, reader = "comparisons", "read_comparisons"
    takes = ALL_OPTIONS | {"left", "right", "outcome", "first_wins", "rater"}

    def claims(self, table: Table, file: str) -> bool:
        """Whether names of columns are those of comparisons or rankings."""
        return holds_comparisons(table)

    read = staticmethod(read_comparisons)

    def sentence(self, data: Comparisons) -> str:
        """Say how many, of what, by whom."""
        by = "" if data.raters is None else f" by {count(len(data.raters), 'rater')}"
        if data.n_rankings:
            of = f"{count(data.n_rankings, 'ranking')} of {count(len(data.items), 'item')}"
            return f"{of}{by}"
        ties = _number(data, data.outcome == 0.5)
        return (
            f"{count(len(data), 'comparison')} of {count(len(data.items), 'item')}{by}, "
            f"{count(ties, 'tie')}"
        )

    def counts(self, data: Comparisons) -> dict[str, Any]:
        """Count comparisons, items, raters and outcomes."""
        left, right = _number(data, data.outcome > 0.5), _number(data, data.outcome < 0.5)
        met = data.appearances
        return {
            "items": len(data.items),
            "raters": None if data.raters is None else len(data.raters),
            "comparisons": len(data),
            "rankings": data.n_rankings,
            "left": left,
            "right": right,
            "ties": len(data) - left - right,
            "comparisons_per_item": spread(met),
        }


def _number(data: Comparisons, chosen: Flags) -> int:
    """Count some of the answers, of which a row may stand for several."""
    return int(chosen.sum() if data.times is None else data.times[chosen].sum())


# The true labels of items.

GOLD_FILE = re.compile(r"(?i).*(?:gold|truth|qrels|reference).*")
"""Names that files of gold labels have, where columns do not tell."""
TRUTH = ("gold", "truth", "gold_label", "true_label", "ground_truth", "gold_value")


class Gold(Kind):
    """The true label of each item."""

    name, reader, takes = "gold", "read_truth", frozenset({"item", "label"})

    def claims(self, table: Table, file: str) -> bool:
        """Whether a column of two is called so, or the file, with one row per item."""
        names = table.names
        if table.form != "named" or len(names) != 2 or table.nested():
            return False
        item = find_role(names, "item")
        truth = [name.strip().lower() in TRUTH for name in names]
        if any(truth):
            return True
        label = find_role(names, "label", besides=item)
        codes, texts = table.codes(0 if item is None else item)
        once = len(texts) == len(codes)
        return once and label is not None and GOLD_FILE.match(file) is not None

    read = staticmethod(read_truth)

    def sentence(self, data: Facts[str]) -> str:
        """Say of how many items."""
        return f"gold labels of {count(len(data), 'item')}, {named(sorted(set(data.values())))}"

    def counts(self, data: Facts[str]) -> dict[str, Any]:
        """Count items and labels."""
        return {"items": len(data), "labels": len(set(data.values()))}

    def items(self, data: Facts[str]) -> Ids:
        """Ids of the items."""
        return as_ids(list(data))

    def balance(self, data: Facts[str]) -> dict[str, tuple[Share, ...]]:
        """Return the share of each true label."""
        labels = sorted(
            set(data.values()), key=lambda x: (number_of(x) is None, number_of(x) or 0.0, x)
        )
        given = list(data.values())
        return {"gold": shares(labels, np.array([given.count(label) for label in labels]))}

    def columns(self, data: Facts[str]) -> dict[str, list[Any]]:
        """Return one row per item."""
        return {"item": list(data), "gold": list(data.values())}


# The kinds of content, in the order in which they are tried.

KINDS: tuple[Kind, ...] = (Compared(), Gold(), Predicted(), Rated())
"""Kinds, in the order in which they are tried."""


def kind_of(table: Table, file: str) -> Kind:
    """Choose the kind of a table: the first in the list that claims it."""
    return next(kind for kind in KINDS if kind.claims(table, file))
