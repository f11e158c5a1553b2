"""Lay truths out in the ways that people do it: a row a rating, a column a rater, counts ...

Each layout draws a truth, writes it into a table with columns that are no ratings and perhaps a
flaw, and keeps in the case what the table says and by which options it is read.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import headcount
from tests.io.truth.tables import (
    MODELS,
    NO_PERSONS,
    PEOPLE,
    SCALES,
    TEXTS,
    Case,
    Cell,
    Random,
    Sheet,
    Triple,
    Truth,
    draw_raters,
    draw_truth,
    finish,
    plain,
)

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
UNUSUAL = {
    "item": ("tweet_id", "post_id", "case", "sentence_id", "Case No."),
    "rater": ("name", "who", "person", "expert", "annotated_by", "Codierer"),
    "label": ("sentiment", "toxicity", "is_spam", "stars", "code", "tone", "Kategorie"),
}
"""Names of columns that say what is in them to people."""
MISSING = ("", "", "", "NA", "N/A", "nan", "NaN", "null", "#N/A", ".", "n/a", "NULL")
ODD_MISSING = ("-", "—", "–", "(blank)", "missing", "#REF!", "None", "none", "N.A.", "--")
MISSING_CODES = ("99", "-99", "999", "-9", "88")
BAD_WORDS = ("ok", "4?", "~3", "2 or 3", "n.v.t.", "see note", "?", "x")


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
        "likes": lambda: str(rng.randint(0, 400)),
        "n_tokens": lambda: str(rng.randint(4, 60)),
        "age": lambda: str(rng.randint(18, 70)),
        "platform": lambda: rng.choice(("twitter", "reddit")),
        "subreddit": lambda: rng.choice(("r/news", "r/aww", "r/ask")),
        "party": lambda: rng.choice(("Dem", "Rep", "Ind")),
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
    "row", "author", "rank", "year", "split", "difficulty", "likes", "platform", "age", "party",
    "n_tokens", "subreddit",
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
    if taken & {"text", "sentence", "tweet"}:  # items that numbers of rows may stand for
        taken |= {"Unnamed: 0", "index", "row", "text"}
    names = [name for name in names if name not in taken]
    for name in names:
        numbered = name in ("Unnamed: 0", "index", "row")
        place = 0 if numbered else rng.randint(1, len(sheet.names))
        sheet.add(name, _decoy(rng, name, items, truth), place)
    return names


def _missing_word(rng: Random, case: Case, truth: Truth) -> str:
    if "NA" in truth.labels:
        return ""
    whole = truth.scale == "interval" and len(truth.labels) <= 11
    if whole and rng.random() < 0.08 and "missing" not in case.options:
        code = rng.choice(MISSING_CODES)
        case.flaws.append(f"missing is {code}")
        case.options["missing"] = [code]
        return code
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


def _written_otherwise(rng: Random, case: Case, triples: list[Triple]) -> list[Triple]:
    """Write some labels with blanks around them, or whole numbers with a point: 4.0 is 4."""
    if rng.random() > 0.06:
        return triples
    whole = all(re.fullmatch(r"-?\d+", x) for *_, x in triples)
    case.flaws.append("4 and 4.0" if whole and rng.random() < 0.5 else "blanks around labels")
    write = "{}.0" if case.flaws[-1] == "4 and 4.0" else rng.choice((" {}", "{} ", "{}  "))
    return [(i, r, write.format(x) if rng.random() < 0.3 else x) for i, r, x in triples]


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


def long(rng: Random, case: Case, *, models: bool = False) -> Sheet:
    """Lay out a row a rating."""
    truth = draw_truth(rng, models=models, scales="nominal" if models else SCALES)
    item, rater = rng.choice(ITEM), rng.choice(MODEL if models else RATER)
    label = rng.choice(LABEL)
    who = "classifier" if models else "rater"
    if not models and rng.random() < 0.15:
        role = rng.choice(("item", "rater", "label"))
        name = rng.choice(UNUSUAL[role])
        item, rater, label = (
            name if role == own else old
            for own, old in (("item", item), ("rater", rater), ("label", label))
        )
        case.flaws.append(f"{role} called '{name}'")
    case.options |= {"item": item, who: rater, "label": label}
    if not models and (odd := _odd_rater(rng, truth)):
        case.flaws.append(f"rater '{odd}'")
    _odd_items(rng, case, truth)
    shown = _written_otherwise(rng, case, _spoil(rng, case, truth))
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
    if rng.random() < 0.03:
        rows.append([truth.items[0], None, truth.labels[0]])
        case.flaws.append("a row without a rater")
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
    cells = _written_otherwise(rng, case, _spoil(rng, case, truth))
    shown = {triple[:2]: triple[2] for triple in cells}
    word = _missing_word(rng, case, truth) or None
    items = list(truth.items)
    if rng.random() < 0.3:
        rng.shuffle(items)
    item = rng.choice((*ITEM, *UNUSUAL["item"], "filename"))
    if " " in items[0]:
        item = rng.choice(("text", "sentence", "tweet", "doc"))
    if not models and rng.random() < 0.1 and odd is None:
        pattern = rng.choice(("{}_label", "label_{}", "{} (score)", "score {}"))
        truth.raters = [pattern.format(r) for r in truth.raters]
        truth.triples = [(i, pattern.format(r), x) for i, r, x in truth.triples]
        shown = {(i, pattern.format(r)): x for (i, r), x in shown.items()}
    raters = list(truth.raters)
    rng.shuffle(raters)
    rows: list[list[Cell]] = [[i, *(shown.get((i, r), word) for r in raters)] for i in items]
    sheet = Sheet([item, *raters], rows)
    decoys = _add_decoys(rng, case, sheet, items, truth)
    if not models and odd is None and truth.scale == "interval" and rng.random() < 0.04:
        name = rng.choice(("Mean", "Total", "Average", "Sum"))
        last: list[Cell] = [None] * len(sheet.names)
        last[sheet.names.index(item)] = name
        for rater in raters:
            last[sheet.names.index(rater)] = f"{rng.uniform(1, 5):.2f}"
        sheet.rows.append(last)
        case.flaws.append(f"row '{name}'")
    elif not models and not decoys and odd is None and rng.random() < 0.06:
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
    sheet = Sheet([name, *truth.items], rows)
    if rng.random() < 0.1:
        about = rng.choice(("age", "gender", "country"))
        values = {"age": "23 31 45", "gender": "f m", "country": "DE US FR"}[about].split()
        sheet.add(about, [rng.choice(values) for _ in rows], 1)
        case.options["ignore"] = [about]
        case.flaws.append(f"column '{about}'")
    finish(case, truth)
    return sheet


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
    if "NA" in truth.labels:
        truth = draw_truth(rng, scales="ordinal")
    first, second = truth.raters[:2]
    said = {(i, r): truth.best[i] for i in truth.items for r in (first, second)} | truth.table()
    both = truth.items
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
    case.options["labels"] = list(truth.labels)
    finish(case, truth)
    return sheet


def comparisons(rng: Random, case: Case) -> Sheet:
    """Lay out a row an answer to 'A or B?'."""
    models = rng.sample(MODELS, rng.randint(3, 6))
    raters = draw_raters(rng, rng.randint(1, 4))
    style = rng.choice(("sides", "names", "winner and loser", "shares", "degrees"))
    case.rendering = f"comparisons: {style}"
    case.reader = "comparisons"
    left, right, outcome = rng.choice(
        (
            ("left", "right", "outcome"), ("model_a", "model_b", "winner"),
            ("item_a", "item_b", "preference"), ("system_1", "system_2", "label"),
        )
    )  # fmt: skip
    left_wins = "1" if style != "shares" or outcome == "outcome" else rng.choice("01")
    steps = rng.choice((("-1", "0", "1"), tuple("1234567"), ("-2", "-1", "0", "1", "2")))
    steps = steps if rng.random() < 0.5 else steps[::-1]
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
        elif style == "degrees":  # from the left item on
            middle = len(steps) // 2
            far = rng.randint(1, middle)
            cells = [one, two, steps[middle + far * (-1, 1, 0)[place]]]
        elif style == "names":
            cells = [one, two, (one, two, "tie")[place]]
        else:
            cells = [one, two, words[style][place]]
        rows.append([*cells, rng.choice(raters)])
        truth[(one, two, share) if one < two else (two, one, 1 - share)] += 1
    case.truth = truth
    rater = rng.choice(("rater", "annotator", "judge"))
    case.options |= {"rater": rater}
    if style == "winner and loser":
        return _beside_answers(rng, Sheet(["winner", "loser", rater], rows))
    if style == "shares":
        case.flaws.append("1 may mean either side")
        if "first_wins" in inspect.signature(headcount.read_comparisons).parameters:
            case.options["first_wins"] = left_wins
    if style == "degrees":
        case.flaws.append("either end may be the left item")
        if "first_wins" in inspect.signature(headcount.read_comparisons).parameters:
            case.options["first_wins"] = f"{steps[0]}:{steps[-1]}"
    case.options |= {"left": left, "right": right, "outcome": outcome}
    return _beside_answers(rng, Sheet([left, right, outcome, rater], rows))


def _beside_answers(rng: Random, sheet: Sheet) -> Sheet:
    """Add columns that tell of answers, as arenas do."""
    for name in rng.sample(("turn", "language", "tstamp", "prompt", "question_id", "comment"), 2):
        if rng.random() < 0.5:
            continue
        values = {"turn": "12", "language": ("English", "German"), "comment": (*TEXTS, None)}
        cells = [rng.choice(values.get(name, (f"{name} 1", f"{name} 2"))) for _ in sheet.rows]
        sheet.add(name, cells, rng.randint(0, len(sheet.names)))
    return sheet


def questions(rng: Random, case: Case) -> Sheet:
    """Lay out a row an answer to one of two questions."""
    truth, other = draw_truth(rng, scales=SCALES), draw_truth(rng, scales=SCALES)
    items = dict(zip(other.items, truth.items, strict=False))  # the same items and raters
    raters = dict(zip(other.raters, truth.raters, strict=False))
    other.triples = [
        (items[i], raters[r], x) for i, r, x in other.triples if i in items and r in raters
    ]
    item, rater, label = rng.choice(ITEM), rng.choice(RATER), rng.choice(LABEL)
    if "question" in item:
        item = "item"
    asked = rng.choice(("question", "aspect", "criterion", "dimension"))
    one, two = rng.sample(("tone", "style", "helpfulness", "toxicity"), 2)
    rows: list[list[Cell]] = [[i, r, one, x] for i, r, x in truth.triples]
    rows += [[i, r, two, x] for i, r, x in other.triples]
    rng.shuffle(rows)
    case.options |= {"item": item, "rater": rater, "label": label, "question": one}
    case.flaws.append("two questions")
    finish(case, truth)
    return Sheet([item, rater, asked, label], rows)


def spans(rng: Random, case: Case) -> Sheet:
    """Lay out a row a part of a text that somebody marked: no table of ratings."""
    truth = draw_truth(rng, scales="nominal")
    rows: list[list[Cell]] = []
    for i, r, x in truth.triples:
        for part in range(rng.randint(1, 3)):
            start = 20 * part + rng.randint(0, 9)
            rows.append([i, r, x, str(start), str(start + rng.randint(1, 9))])
    case.flaws.append("spans")
    case.refused = True
    return Sheet(["doc_id", "annotator", "label", "start", "end"], rows)


def predictions(rng: Random, case: Case) -> Sheet:
    """Lay out a row an item and a column a classifier and label, which is its probability."""
    truth = draw_truth(rng, models=True, scales="nominal")
    said = {(i, r): truth.best[i] for i in truth.items for r in truth.raters} | truth.table()
    truth.triples = [(i, r, x) for (i, r), x in said.items()]
    item = rng.choice(ITEM)
    names = [f"{r}:{x}" for r in truth.raters for x in truth.labels]
    rows: list[list[Cell]] = []
    for i in truth.items:
        row: list[Cell] = [i]
        for r in truth.raters:
            rest = rng.randint(1, 4) / 10
            low = rest / (len(truth.labels) - 1)
            row += [f"{1 - rest if said[i, r] == x else low:.4f}" for x in truth.labels]
        rows.append(row)
    case.reader = "predictions"
    case.options |= {"item": item}
    finish(case, truth)
    if case.named is not None:  # a column that says so predicts even a label NA
        case.truth, case.named = case.named, None
    return Sheet([item, *names], rows)


def gold(rng: Random, case: Case) -> Sheet:
    """Lay out the labels of classifiers, and the truth in a second table; compare accuracies."""
    lay_out = wide if rng.random() < 0.5 else long
    sheet = lay_out(rng, case, models=True)
    while "NA" in case.labels:  # which gold cannot say
        case.flaws, case.options = [], {}
        sheet = lay_out(rng, case, models=True)
    right: Counter[str] = Counter()
    votes: Counter[str] = Counter()
    best = case.best
    for i, r, x in case.truth.elements():
        votes[r] += 1
        right[r] += x == plain(best[i])
    case.reader = "gold"
    case.gold = {"item": list(best), "label": list(best.values())}
    if rng.random() < 0.2 and all(i.isdigit() for i in best) and min(map(int, best)) in (0, 1):
        shift = 1 if "0" in best else -1
        case.gold["item"] = [str(int(i) + shift) for i in best]
        case.flaws.append("gold numbered from elsewhere")
        case.refused = True
    case.named = None
    case.truth = Counter({(r, round(right[r] / votes[r], 6)): 1 for r in votes})
    case.flaws += [] if len({*best.values()}) > 1 else ["one true label"]
    return sheet


def rankings(rng: Random, case: Case) -> Sheet:
    """Lay out a row a ranking of the same items."""
    models = rng.sample(MODELS, rng.randint(3, 5))
    raters = [f"r{n}" for n in range(rng.randint(8, 20))]
    style = rng.choice(("ranks", "text", "places"))
    case.rendering, case.reader = f"rankings: {style}", "comparisons"
    rows: list[list[Cell]] = []
    for rater in raters:
        order = sorted(models, key=lambda model: models.index(model) + rng.gauss(0, 1.5))
        for n, one in enumerate(order):
            for two in order[n + 1 :]:
                case.truth[(one, two, 1.0) if one < two else (two, one, 0.0)] += 1
        if style == "ranks":
            rows.append([rater, *(str(order.index(model) + 1) for model in models)])
        elif style == "text":
            rows.append([rater, " > ".join(order)])
        else:
            rows.append([rater, *order])
    ranked = [f"{model}_rank" for model in models]
    if style == "ranks" and rng.random() < 0.3:
        ranked = models
        case.flaws.append("ranks by bare names")
    names = {"ranks": ranked, "text": ["ranking"], "places": [f"rank{n}" for n in range(1, 9)]}
    case.options["rater"] = "rater"
    return Sheet(["rater", *names[style][: len(rows[0]) - 1]], rows)
