"""Truths that are drawn: who said what of which item; and cases, which hold a file that says so."""

from __future__ import annotations

import random
import re
import string
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Random = random.Random
Triple = tuple[str, str, str]
Cell = str | None

# Truths.

WORDS = (
    ("toxic", "ok"), ("real", "fake"), ("rude", "polite"), ("red", "green", "blue"), ("r", "n"),
    ("positive", "negative", "neutral"), ("yes", "no"), ("yes", "no", "unsure"), ("A", "B", "C"),
    ("entailment", "neutral", "contradiction"), ("süß", "sauer", "bitter"), ("spam", "ham"),
    ("not relevant", "relevant"), ("Ja", "Nein"), ("person", "place", "other", "event"),
    ("True", "False"), ("hate speech", "offensive", "neither"), ("e", "n", "c"),
    ("yes, fully", "partly", "no"), ("supported", "not_supported", "unclear"), ("1st", "2nd"),
    ("NA", "EU", "APAC"),
)  # fmt: skip
ORDERED = (
    ("low", "medium", "high"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("poor", "fair", "good", "excellent"),
    ("1 - poor", "2 - fair", "3 - good"),
    ("not at all", "a little", "somewhat", "very"),
)
NUMBERS = (
    tuple("12345"), tuple("1234567"), tuple("01"), tuple("12"), tuple("0123"),
    ("-2", "-1", "0", "1", "2"), tuple(str(n) for n in range(11)),
)  # fmt: skip
PEOPLE = (
    "Anna", "Ben", "Chloé", "Dirk", "Eve", "Jürgen", "Gus", "Zoë", "Ida", "Jo", "Kim", "Lea",
)  # fmt: skip
INITIALS = ("JS", "MK", "AB", "LT", "OP", "RR", "NA2", "EW", "ST")
MODELS = (
    "gpt-4o", "claude-3", "llama-70b", "bert_base", "mistral", "random-forest", "gemma2", "qwen",
)  # fmt: skip
TEXTS = (
    "Great phone, arrived early", "you absolute muppet", 'He said "no", then left',
    "The battery dies by noon", "meh", "Wie süß; wirklich", "Go away", "It is 5 o'clock",
)  # fmt: skip
SCALES = "nominal nominal interval interval ordinal decimal " * 4 + "thousands percent"
"""Kinds of labels, as often as they are drawn."""
MEASURES: dict[str, Callable[[int], str]] = {
    "decimal": lambda n: f"{n / 10:.1f}",
    "thousands": lambda n: f"{n * 50:,}",
    "percent": lambda n: f"{n}%",
}
"""How measurements are written."""
NO_PERSONS = ("gold", "majority", "consensus", "truth", "NA", "mean")
"""What raters are called who are raters all the same."""


@dataclass
class Truth:
    """Who said what: ratings as (item, rater, label), and the labels in order."""

    items: list[str]
    raters: list[str]
    labels: tuple[str, ...]
    scale: str
    triples: list[Triple]
    best: dict[str, str] = field(default_factory=dict[str, str])
    """The true label of each item."""

    def table(self) -> dict[tuple[str, str], str]:
        """Labels by item and rater."""
        return {(item, rater): label for item, rater, label in self.triples}


def draw_items(rng: Random, number: int) -> list[str]:
    """Call items as people do."""
    kind = rng.randrange(8)
    if kind == 6:
        return [str(uuid.UUID(int=rng.getrandbits(128), version=4)) for _ in range(number)]
    if kind == 7:
        return [f"{rng.choice(TEXTS)} {n}" for n in range(number)]
    names = ("{}", "{}", "{}", "i{}", "doc-{}", "{:04d}")
    start = (0, 1, 10_001, 1, 0, 1)[kind]
    return [names[kind].format(n) for n in range(start, start + number)]


def draw_raters(rng: Random, number: int, *, models: bool = False) -> list[str]:
    """Call raters as people do."""
    if models:
        return rng.sample(MODELS, min(number, len(MODELS)))
    kind = rng.randrange(11)
    if kind < 2:
        return rng.sample(PEOPLE, number)
    if kind == 2:
        return list(string.ascii_uppercase[:number])
    if kind == 3:
        return rng.sample(INITIALS, number)
    patterns = ("{}", "r{}", "coder_{}", "annotator{}", "worker{}@x.org", "Rater {}", "rating_{}")
    return [patterns[kind - 4].format(n) for n in range(1, number + 1)]


def draw_truth(rng: Random, *, models: bool = False, scales: str = "nominal") -> Truth:
    """Draw ratings around a true label of each item."""
    scale = rng.choice(scales.split())
    if scale in MEASURES:
        labels = tuple(MEASURES[scale](n) for n in range(101))
    else:
        sets = {"nominal": WORDS, "ordinal": ORDERED, "interval": NUMBERS}
        labels = ("e", "n", "c") if scale == "nli" else rng.choice(sets[scale])
    crowd = not models and rng.random() < 0.04
    many = rng.choice((2, 3, 3, 4, 5, 8))
    raters = draw_raters(rng, many, models=models)
    if crowd:  # many workers, each of whom sees some of the items
        raters = [f"w{n}" for n in range(25)]
    items = draw_items(rng, rng.randint(10, 40) if rng.random() < 0.95 else 150)
    careful = rng.uniform(0.7, 0.95)
    kept = 0.2 if crowd else 1.0 if rng.random() < 0.6 else rng.uniform(0.5, 0.95)

    def label(best: int) -> str:
        if len(labels) > 100:
            return labels[min(max(round(rng.gauss(best, 5)), 0), 100)]
        if rng.random() < careful:
            return labels[best]
        if scale in ("nominal", "nli"):
            return rng.choice(labels)
        return labels[min(max(best + rng.choice((-1, 1)), 0), len(labels) - 1)]

    best = {item: rng.randrange(len(labels)) for item in items}
    triples = [
        (item, rater, label(best[item]))
        for item in items
        for rater in raters
        if rng.random() < kept or (rater == raters[0] and item in items[:4])
    ]
    if len(raters) > 2 and rng.random() < 0.15:
        triples = _like_the_others(triples, raters[-1])
    if labels[0] == "NA" and "NA" not in {one[2] for one in triples}:
        triples[0] = (*triples[0][:2], "NA")
    return Truth(
        items=[item for item in items if any(one[0] == item for one in triples)],
        raters=[rater for rater in raters if any(one[1] == rater for one in triples)],
        labels=labels,
        scale="interval" if len(labels) > 100 else "nominal" if scale == "nli" else scale,
        triples=triples,
        best={item: labels[best[item]] for item in items},
    )


def _like_the_others(triples: list[Triple], rater: str) -> list[Triple]:
    """Let a rater say what most others say of each item."""
    votes: dict[str, Counter[str]] = {}
    for item, who, label in triples:
        if who != rater:
            votes.setdefault(item, Counter())[label] += 1
    return [
        (item, who, votes[item].most_common(1)[0][0] if who == rater and item in votes else label)
        for item, who, label in triples
    ]


@dataclass
class Sheet:
    """A table of texts: None is an empty cell."""

    names: list[str]
    rows: list[list[Cell]]

    def add(self, name: str, cells: list[Cell], place: int | None = None) -> None:
        """Put a column in a place, or at the end."""
        place = len(self.names) if place is None else place
        self.names.insert(place, name)
        for row, cell in zip(self.rows, cells, strict=True):
            row.insert(place, cell)

    def column(self, name: str) -> list[Cell]:
        """Return the cells of a column."""
        return [row[self.names.index(name)] for row in self.rows]


@dataclass
class Case:
    """A file or frame, what it says, and how to say so with options.

    `truth` is what it says without options, `named` what it says with `options`: these differ where
    a column called 'majority' is left out by its name unless it is named.
    """

    number: int
    rendering: str
    reader: str = "ratings"
    format: str = ""
    data: Any = None
    truth: Counter[Any] = field(default_factory=Counter[Any])
    named: Counter[Any] | None = None
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    scale: str | None = None
    labels: tuple[str, ...] = ()
    compare: str = "triples"
    """What is compared: triples; anonymous (items and labels); patterns (the labels of each item)
    or rows (the raters and labels of each item), where items have no names."""
    flaws: list[str] = field(default_factory=list[str])
    """Why it is not clean; what has none is to be read without any option."""
    sheet: Sheet | None = None
    refused: bool = False
    """Whether it is no such table, and must be refused."""
    best: dict[str, str] = field(default_factory=dict[str, str])
    gold: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The true labels of items, and a table of them to evaluate classifiers by."""
    look: bool = False
    """Whether it is also read by the options that `look` finds."""
    engine: bool = False
    """Whether it is also reduced by DuckDB."""


def finish(case: Case, truth: Truth) -> None:
    """Keep what a table says; a label NA is a missing value unless options say that it is none."""
    case.truth = compared(truth.triples, case.compare)
    if "NA" in truth.labels:
        case.flaws.append("a label NA")
        case.options["missing_words"] = False
        case.named = case.truth
        case.truth = compared([one for one in truth.triples if one[2] != "NA"], case.compare)
    case.scale, case.labels = truth.scale, truth.labels
    case.best = {item: truth.best[item] for item in truth.items}


def plain(text: object) -> str:
    """Write numbers alike: 1, 1.0 and '1'; ids with zeros before them stay as they are."""
    text = str(text)
    if re.fullmatch(r"\d+%", text):
        text = f"{int(text[:-1]) / 100:g}"
    if re.fullmatch(r"\d{1,3}(,\d{3})+", text):
        text = text.replace(",", "")
    try:
        number = float(text)
    except ValueError:
        return text.lower() if text in ("True", "False") else text
    if text.strip("-")[:1] == "0" and not text.strip("-0").startswith(".") and number:
        return text
    return f"{number:g}" if text.lower().strip("-") not in ("nan", "inf", "infinity") else text


def compared(triples: list[Triple], how: str) -> Counter[Any]:
    """Ratings in the form in which truth and reading are compared."""
    if how == "triples":
        return Counter((i, r, plain(x)) for i, r, x in triples)
    if how == "anonymous":
        return Counter((i, plain(x.lstrip("#"))) for i, _, x in triples)
    patterns: dict[str, list[Any]] = {}
    for i, r, x in triples:
        patterns.setdefault(i, []).append(plain(x) if how == "patterns" else (r, plain(x)))
    return Counter(tuple(sorted(labels)) for labels in patterns.values())
