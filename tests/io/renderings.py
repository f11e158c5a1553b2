"""Tables whose truth is known, laid out and written in the ways that people do it.

A case is its seed and its number. A truth (who said what of which item) is drawn and laid
out (long, wide, counts ...), with columns that are no ratings and perhaps a flaw; `written.py` then
writes it in some format. What the file says is kept beside it.
"""

from __future__ import annotations

import inspect
import random
import string
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import headcount

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
    if scale == "decimal":
        labels = tuple(f"{n / 10:.1f}" for n in range(101))
    else:
        sets = {"nominal": WORDS, "ordinal": ORDERED, "interval": NUMBERS}
        labels = rng.choice(sets[scale])
    raters = draw_raters(rng, rng.choice((2, 3, 3, 4, 5, 8)), models=models)
    items = draw_items(rng, rng.randint(10, 40))
    careful = rng.uniform(0.7, 0.95)
    kept = 1.0 if rng.random() < 0.6 else rng.uniform(0.5, 0.95)

    def label(best: int) -> str:
        if scale == "decimal":
            return labels[min(max(round(rng.gauss(best, 5)), 0), 100)]
        if rng.random() < careful:
            return labels[best]
        if scale == "nominal":
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
        scale="interval" if scale == "decimal" else scale,
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


# Tables: a layout makes one, which is then written in some format.

ITEM = (
    "item", "item_id", "id", "text_id", "doc", "doc_id", "question_id", "task_id", "example_id",
    "sample", "unit", "image_id", "comment_id", "Item", "Document ID",
)  # fmt: skip
RATER = (
    "rater", "annotator", "coder", "worker", "worker_id", "annotator_id", "judge", "user",
    "participant", "reviewer", "labeler", "Rater", "Coder ID", "user_id",
)  # fmt: skip
MODEL = ("model", "classifier", "model_id", "system")
LABEL = (
    "label", "rating", "score", "category", "answer", "annotation", "judgment", "class", "vote",
    "response", "Label", "Rating", "value",
)  # fmt: skip
MISSING = ("", "", "", "NA", "N/A", "nan", "NaN", "null", "#N/A", ".", "n/a", "NULL")
ODD_MISSING = ("-", "—", "–", "(blank)", "missing", "#REF!", "None", "none", "N.A.", "--")
BAD_WORDS = ("ok", "4?", "~3", "2 or 3", "n.v.t.", "see note", "?", "x")
TEXTS = (
    "Great phone, arrived early", "you absolute muppet", 'He said "no", then left',
    "The battery dies by noon", "meh", "Wie süß; wirklich", "Go away", "It is 5 o'clock",
)  # fmt: skip


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
    engine: bool = False
    """Whether it is also reduced by DuckDB."""


def _per_item(rng: Random, items: list[str], values: Callable[[], str]) -> dict[str, str]:
    return {item: values() for item in dict.fromkeys(items)}


def _decoy(rng: Random, name: str, items: list[str], truth: Truth) -> list[Cell]:
    """Cells of a column that is no rating."""
    rows = range(len(items))
    same: dict[str, Callable[[], str]] = {
        "text": lambda: rng.choice(TEXTS) + f" {rng.randrange(1000)}",
        "language": lambda: rng.choice(("en", "en", "de")),
        "n_words": lambda: str(rng.randint(3, 60)),
        "length": lambda: str(rng.randint(3, 60)),
        "weight": lambda: f"{rng.uniform(0.5, 2):.2f}",
        "batch": lambda: str(rng.randint(1, 3)),
        "source": lambda: rng.choice(("web", "app")),
        "model_score": lambda: f"{rng.random():.3f}",
        "author": lambda: rng.choice(PEOPLE),
        "user": lambda: rng.choice(PEOPLE),
        "rank": lambda: str(rng.randint(1, 5)),
        "year": lambda: str(rng.randint(2015, 2026)),
        "split": lambda: rng.choice(("train", "test")),
        "category": lambda: rng.choice(("sports", "politics", "film")),
        "answer": lambda: rng.choice(("sports", "politics", "film")),
        "difficulty": lambda: rng.choice(("easy", "hard")),
        "score": lambda: f"{rng.random():.2f}",
        "rating": lambda: str(rng.randint(1, 5)),
        "value": lambda: str(rng.randint(1, 5)),
    }
    if name in same:
        of_item = _per_item(rng, items, same[name])
        return [of_item[item] for item in items]
    if name in ("gold", "gold_label", "majority", "consensus"):
        return [truth.best[item] for item in items]
    if name in ("comment", "notes"):
        return [rng.choice(TEXTS) if rng.random() < 0.2 else None for _ in rows]
    if name in ("created_at", "timestamp"):
        return [f"2026-03-{1 + n % 28:02d}T10:{n % 60:02d}:00" for n in rows]
    if name in ("duration_seconds", "time_spent"):
        return [str(rng.randint(4, 90)) for _ in rows]
    if name == "confidence":
        return [str(rng.randint(1, 5)) for _ in rows]
    if name in ("mean", "average"):
        return [f"{rng.uniform(1, 5):.2f}" for _ in rows]
    if name == "status":
        return ["submitted" for _ in rows]
    return [str(n) for n in rows]  # numbers of rows: 'Unnamed: 0', 'index', 'row', 'id'


CLEAN_DECOYS = ("text", "comment", "created_at", "Unnamed: 0", "gold_label", "timestamp", "notes")
LONG_DECOYS = (*CLEAN_DECOYS, "duration_seconds", "language", "gold", "index", "status")
OTHER_DECOYS = (
    "weight", "n_words", "length", "batch", "source", "model_score", "confidence", "time_spent",
    "row", "author", "rank", "year", "split", "difficulty",
)  # fmt: skip
LONG_OTHER_DECOYS = (*OTHER_DECOYS, "score", "rating", "id", "user", "category", "value", "answer")
"""Columns whose names do not say whether they are ratings."""


def _add_decoys(rng: Random, case: Case, sheet: Sheet, items: list[str], truth: Truth) -> list[str]:
    """Add columns that are no ratings; those whose name does not say so are a flaw."""
    is_long = case.rendering in ("long", "votes long")
    clean = LONG_DECOYS if is_long else (*CLEAN_DECOYS, "gold", "majority", "consensus", "mean")
    if truth.scale != "interval":
        clean = tuple(name for name in clean if name != "mean")
    names = rng.sample(clean, rng.choice((0, 0, 0, 1, 1, 2, 3)))
    if rng.random() < 0.15:
        names.append(rng.choice(LONG_OTHER_DECOYS if is_long else OTHER_DECOYS))
        case.flaws.append(f"column '{names[-1]}'")
    taken = {name.casefold() for name in sheet.names}
    names = [name for name in names if name not in taken]
    for name in names:
        numbered = name in ("Unnamed: 0", "index", "row")
        place = 0 if numbered else rng.randint(1, len(sheet.names))
        sheet.add(name, _decoy(rng, name, items, truth), place)
    return names


def _missing_word(rng: Random, case: Case, truth: Truth) -> str:
    if "NA" in truth.labels:
        return ""
    if rng.random() < 0.1:
        word = rng.choice(ODD_MISSING)
        case.flaws.append(f"missing is '{word}'")
        return word
    return rng.choice(MISSING)


def _spoil(rng: Random, case: Case, truth: Truth) -> list[Triple]:
    """Spoil one rating of some truths; it then counts as missing. Returns what the file shows."""
    triples = list(truth.triples)
    if truth.scale != "interval" or len(triples) < 25 or rng.random() > 0.12:
        return triples
    whole = len(truth.labels) <= 11
    word = rng.choice(BAD_WORDS) if rng.random() < 0.7 or not whole else "55"
    spoilt = rng.randrange(len(triples))
    triples[spoilt] = (*triples[spoilt][:2], word)
    truth.triples.pop(spoilt)
    case.options["missing"] = [word]
    case.flaws.append(f"bad cell '{word}'")
    return triples


def _odd_rater(rng: Random, truth: Truth, names: tuple[str, ...] = NO_PERSONS) -> str | None:
    """Call one of three or more raters like somebody who is none."""
    if len(truth.raters) < 3 or rng.random() > 0.1:
        return None
    old, new = truth.raters[-1], rng.choice(names)
    truth.raters[-1] = new
    truth.triples = [(i, new if r == old else r, x) for i, r, x in truth.triples]
    return new


def _odd_items(rng: Random, case: Case, truth: Truth) -> None:
    """Call two items like missing values."""
    if rng.random() > 0.05 or truth.items[0].isdigit():
        return
    new = dict(zip(truth.items, ("null", "nan"), strict=False))
    truth.items = [new.get(item, item) for item in truth.items]
    truth.triples = [(new.get(i, i), r, x) for i, r, x in truth.triples]
    truth.best |= {new[item]: truth.best[item] for item in new}
    case.flaws.append("items 'null' and 'nan'")


SCALES = "nominal nominal interval interval ordinal decimal"


def long(rng: Random, case: Case, *, models: bool = False) -> Sheet:
    """Lay out a row a rating."""
    truth = draw_truth(rng, models=models, scales="nominal" if models else SCALES)
    item, rater = rng.choice(ITEM), rng.choice(MODEL if models else RATER)
    label = rng.choice(LABEL)
    who = "classifier" if models else "rater"
    case.options |= {"item": item, who: rater, "label": label}
    if not models and (odd := _odd_rater(rng, truth)):
        case.flaws.append(f"rater '{odd}'")
    _odd_items(rng, case, truth)
    shown = _spoil(rng, case, truth)
    rows: list[list[Cell]] = [list(triple) for triple in shown]
    if rng.random() < 0.2:
        word = _missing_word(rng, case, truth)
        rated = {triple[:2] for triple in shown}
        blank = [(i, r) for i in truth.items for r in truth.raters if (i, r) not in rated]
        rows += [[i, r, word or None] for i, r in blank]
    if rng.random() < 0.06:
        rows += [list(row) for row in rng.sample(rows, 2)]
        case.options["duplicates"] = "first"
        case.flaws.append("repeated rows")
    if rng.random() < 0.7:
        rng.shuffle(rows)
    sheet = Sheet([item, rater, label], rows)
    if rng.random() < 0.4:
        order = rng.sample(range(3), 3)
        sheet = Sheet([sheet.names[n] for n in order], [[row[n] for n in order] for row in rows])
    _add_decoys(rng, case, sheet, [row or "" for row in sheet.column(item)], truth)
    if "gold" in sheet.names or "gold_label" in sheet.names:
        case.flaws += ["gold beside blank labels"] * any(row[2] is None for row in rows)
    finish(case, truth)
    return sheet


def wide(rng: Random, case: Case, *, models: bool = False) -> Sheet:
    """Lay out a row an item and a column a rater."""
    truth = draw_truth(rng, models=models, scales="nominal" if models else SCALES)
    odd = None if models else _odd_rater(rng, truth)
    _odd_items(rng, case, truth)
    shown = {triple[:2]: triple[2] for triple in _spoil(rng, case, truth)}
    word = _missing_word(rng, case, truth) or None
    items = list(truth.items)
    if rng.random() < 0.3:
        rng.shuffle(items)
    item = rng.choice(ITEM if not items[0].endswith(" 0") else ("text", "sentence", "tweet", "doc"))
    raters = list(truth.raters)
    rng.shuffle(raters)
    rows: list[list[Cell]] = [[i, *(shown.get((i, r), word) for r in raters)] for i in items]
    sheet = Sheet([item, *raters], rows)
    decoys = _add_decoys(rng, case, sheet, items, truth)
    if not models and not decoys and rng.random() < 0.06:
        sheet = Sheet(raters, [row[1:] for row in rows])
        case.options |= {"columns": raters}
        case.compare = "rows"
        case.flaws.append("no column of items")
    elif models:
        case.options |= {"item": item} | ({"ignore": decoys} if decoys else {})
    else:
        case.options |= {"item": item, "columns": raters}
    finish(case, truth)
    if odd is not None and odd != "NA":
        case.named = case.truth if case.named is None else case.named
        case.truth = Counter(row for row in case.truth.elements() if row[1] != odd)
        case.flaws.append(f"rater '{odd}'")
    return sheet


def no_raters(rng: Random, case: Case) -> Sheet:
    """Lay out a row a rating, by nobody knows whom."""
    truth = draw_truth(rng, scales=SCALES)
    item, label = rng.choice(ITEM), rng.choice(LABEL)
    case.options |= {"item": item, "label": label}
    rows: list[list[Cell]] = [[i, x] for i, _, x in _spoil(rng, case, truth)]
    rng.shuffle(rows)
    sheet = Sheet([item, label], rows)
    case.compare = "anonymous"
    finish(case, truth)
    return sheet


def counted(rng: Random, case: Case) -> Sheet:
    """Lay out a row an item and label, with how many raters gave it."""
    truth = draw_truth(rng, scales="nominal nominal interval")
    item, label = rng.choice(ITEM), rng.choice(LABEL)
    tally = Counter((i, x) for i, _, x in truth.triples)
    rows: list[list[Cell]] = [[i, x, str(n)] for (i, x), n in tally.items()]
    case.options |= {"item": item, "label": label}
    case.compare = "anonymous"
    finish(case, truth)
    times = rng.choice(("count", "n", "freq", "frequency", "votes"))
    if times == "votes":
        case.flaws.append("counts called votes")
    return Sheet([item, label, times], rows)


def transposed(rng: Random, case: Case) -> Sheet:
    """Lay out a row a rater and a column an item."""
    truth = draw_truth(rng, scales=SCALES)
    shown = {triple[:2]: triple[2] for triple in _spoil(rng, case, truth)}
    word = _missing_word(rng, case, truth) or None
    name = rng.choice(RATER)
    rows: list[list[Cell]] = [
        [r, *(shown.get((i, r), word) for i in truth.items)] for r in truth.raters
    ]
    case.options |= {"transpose": True}
    finish(case, truth)
    return Sheet([name, *truth.items], rows)


def counts(rng: Random, case: Case) -> Sheet:
    """Lay out a row an item and a column a label, which counts its ratings."""
    truth = draw_truth(rng, scales="nominal nominal ordinal")
    pattern = rng.choice(
        ("n_{}", "n_{}", "{}_count", "count_{}", "num_{}", "{}", "votes_{}", "{}_votes", "#{}")
    )
    if pattern in ("{}", "votes_{}", "{}_votes", "#{}"):
        case.flaws.append("counts by bare names")
    used = [label for label in truth.labels if any(one[2] == label for one in truth.triples)]
    tally = Counter((item, label) for item, _, label in truth.triples)
    columns = [pattern.format(label) for label in used]
    blank = None if rng.random() < 0.2 else "0"
    rows: list[list[Cell]] = [
        [i, *(str(tally[i, x]) if tally[i, x] else blank for x in used)] for i in truth.items
    ]
    item = rng.choice(ITEM)
    sheet = Sheet([item, *columns], rows)
    if rng.random() < 0.15:
        name = rng.choice(
            ("n_total", "n_all", "total_count", "Total votes", "n_words", "n_missing")
        )
        cells = [str(sum(tally[i, x] for x in used)) for i in truth.items]
        if name in ("n_words", "n_missing"):
            cells = [str(rng.randint(0, 3 if name == "n_missing" else 50)) for _ in rows]
        sheet.add(name, [*cells], rng.choice((None, 1)))
        case.flaws.append(f"column '{name}'")
    if rng.random() < 0.2:
        sheet.add("text", _decoy(rng, "text", truth.items, truth), 1)
    case.options |= {"item": item, "shape": "counts", "columns": columns}
    case.compare = "anonymous"
    finish(case, truth)
    return sheet


def cross(rng: Random, case: Case) -> Sheet:
    """Lay out a row a label of one rater and a column a label of the other."""
    truth = draw_truth(rng, scales="nominal ordinal")
    first, second = truth.raters[:2]
    said = truth.table()
    both = [i for i in truth.items if (i, first) in said and (i, second) in said]
    truth.triples = [(i, r, said[i, r]) for i in both for r in (first, second)]
    tally = Counter((said[i, first], said[i, second]) for i in both)
    rows: list[list[Cell]] = [[x, *(str(tally[x, y]) for y in truth.labels)] for x in truth.labels]
    corner = rng.choice(("", "label", f"{first} \\ {second}", f"{first}/{second}"))
    sheet = Sheet([corner, *truth.labels], rows)
    if rng.random() < 0.3:
        sheet.add("Total", [str(sum(tally[x, y] for y in truth.labels)) for x in truth.labels])
        ends = [sum(tally[x, y] for x in truth.labels) for y in truth.labels]
        sheet.rows.append(["Total", *map(str, [*ends, sum(ends)])])
    case.compare = "patterns"
    finish(case, truth)
    return sheet


def comparisons(rng: Random, case: Case) -> Sheet:
    """Lay out a row an answer to 'A or B?'."""
    models = rng.sample(MODELS, rng.randint(3, 6))
    raters = draw_raters(rng, rng.randint(1, 4))
    style = rng.choice(("sides", "names", "winner and loser", "shares"))
    case.rendering = f"comparisons: {style}"
    case.reader = "comparisons"
    left, right, outcome = rng.choice(
        (
            ("left", "right", "outcome"), ("model_a", "model_b", "winner"),
            ("item_a", "item_b", "preference"), ("system_1", "system_2", "label"),
        )
    )  # fmt: skip
    left_wins = "1" if style != "shares" or outcome == "outcome" else rng.choice("01")
    ties = style != "winner and loser" and rng.random() < 0.5
    rows: list[list[Cell]] = []
    truth: Counter[Any] = Counter()
    words = {
        "sides": rng.choice((("left", "right", "tie"), ("A", "B", "tie"), (left, right, "tie"))),
        "shares": (left_wins, "10"[int(left_wins)], "0.5"),
    }
    for n in range(rng.randint(20, 60)):
        one, two = rng.sample(models, 2)
        better = models.index(one) < models.index(two)
        share = 0.5 if ties and n % 7 == 0 else float(better if rng.random() < 0.8 else not better)
        place = {1.0: 0, 0.0: 1, 0.5: 2}[share]
        if style == "winner and loser":
            cells: list[Cell] = [one, two] if share else [two, one]
        elif style == "names":
            cells = [one, two, (one, two, "tie")[place]]
        else:
            cells = [one, two, words[style][place]]
        rows.append([*cells, rng.choice(raters)])
        truth[(one, two, share) if one < two else (two, one, 1 - share)] += 1
    case.truth = truth
    rater = rng.choice(("rater", "annotator", "judge"))
    if style == "winner and loser":
        return Sheet(["winner", "loser", rater], rows)
    if style == "shares":
        case.flaws.append("1 may mean either side")
        if "first_wins" in inspect.signature(headcount.read_comparisons).parameters:
            case.options["first_wins"] = left_wins
    case.options |= {"left": left, "right": right, "outcome": outcome, "rater": rater}
    return Sheet([left, right, outcome, rater], rows)


def finish(case: Case, truth: Truth) -> None:
    """Keep what a table says; a label NA is a missing value unless options say that it is none."""
    case.truth = compared(truth.triples, case.compare)
    if "NA" in truth.labels and not case.rendering.startswith(("counts", "cross")):
        case.flaws.append("a label NA")
        case.options["missing_words"] = False
        case.named = case.truth
        case.truth = compared([one for one in truth.triples if one[2] != "NA"], case.compare)
    case.scale, case.labels = truth.scale, truth.labels


def plain(text: object) -> str:
    """Write numbers alike: 1, 1.0 and '1'; ids with zeros before them stay as they are."""
    text = str(text)
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
