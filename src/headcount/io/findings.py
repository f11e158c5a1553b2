"""What looks wrong in data that can be read: notes that every command shows, `look` among them.

What a single value tells (codes for 'no answer', words for missing, two ways to write one label) is
found where values are read, in :mod:`headcount.io.values`; here is what only the whole tells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from headcount.data.vocabulary import match_ids, number_of
from headcount.errors import count, of_verb, option, some
from headcount.io.values.merges import FORMS
from headcount.io.values.option_list import Several
from headcount.results.notes import Note
from headcount.typing import Codes, Ids

__all__ = [
    "LEAST_SHARED",
    "dominates",
    "few_shared",
    "free_texts",
    "models_among",
    "most_from_one",
    "none_shared",
]

LEAST_RATERS, LARGEST_PART = 3, 0.5
"""Of so many raters, one who gives more than this part of all answers is told of."""
MOST_WORDS = 20
"""Different labels in words from which on those that hardly ever repeat are texts."""
LOOKED_AT = 1_000
"""Labels that are looked at for words."""
LEAST_SHARED = 0.5
"""Part of the smaller of two sets of items that should be in the other."""


MODEL_WORDS = frozenset(
    {
        "gpt", "chatgpt", "openai", "anthropic", "sonnet", "llama", "gemini", "mistral", "mixtral",
        "qwen", "deepseek", "llm", "vicuna", "grok", "davinci", "deberta", "distilbert",
    }
)  # fmt: skip
MODEL_OR_PERSON = frozenset({"claude", "gemma", "roberta", "bert", "phi", "opus", "haiku", "o"})
"""Words in the names of models; the latter only beside a number."""


def _is_model(name: str) -> bool:
    """Whether a rater is called as a model is.

    Examples
    --------
    >>> [name for name in ("gpt4o", "Claude", "claude-3", "o3-mini", "bob 2") if _is_model(name)]
    ['gpt4o', 'claude-3', 'o3-mini']
    """
    words = {*re.findall("[a-z]+", name.lower())}
    numbered = any(letter.isdigit() for letter in name)
    return bool(words & MODEL_WORDS or (numbered and words & MODEL_OR_PERSON))


def models_among(source: str, raters: Ids) -> list[Note]:
    """Warn of raters who are models by their names, among others who are not.

    Examples
    --------
    >>> models_among("r.csv", np.array(["ann", "bob", "llm"], dtype=object))
    ["r.csv: by its name, 'llm' is a model, and counts as a rater like the 2 others. To compare it
    with people, say names=['llm'] of headcount.judge; to measure people alone, leave it out."]
    """
    names = [str(rater) for rater in raters.tolist()]
    models = [name for name in names if _is_model(name)]
    if not models or len(models) == len(names):
        return []
    one = len(models) == 1
    them = of_verb(option("names", Several(models[:12])), "judge", ["names"])
    others = len(names) - len(models)
    like = "the other one" if others == 1 else f"the {others:,} others"
    return [
        Note(
            f"{source}: by {'its name' if one else 'their names'}, {some(models)} "
            f"{'is a model, and counts as a rater' if one else 'are models, and count as raters'} "
            f"like {like}. To compare {'it' if one else 'them'} with people, say {them}; to "
            f"measure people alone, leave {'it' if one else 'them'} out.",
            "warning",
        )
    ]


def most_from_one(
    source: str, raters: Ids, rater: Codes, noun: str = "rating", times: Codes | None = None
) -> list[Note]:
    """Caution if one of several raters gave most of the answers.

    Parameters
    ----------
    source : str
    raters : array
        Who there is.
    rater : (answers,) array of int
        Who gave each; -1 where nobody knows.
    noun : str
        What an answer is called.
    times : (answers,) array of int, optional
        How many each stands for.

    Examples
    --------
    >>> most_from_one("r.csv", np.array(["ann", "bob", "eve"]), np.array([0] * 7 + [1, 2]))
    ["r.csv: 'ann' gave 7 of 9 ratings; what holds for all raters is mostly what holds for 'ann'."]
    """
    known = rater >= 0
    counts = np.bincount(rater[known], None if times is None else times[known], len(raters))
    total = int(counts.sum())
    if not total:
        return []
    most = (str(raters[int(counts.argmax())]), int(counts.max()))
    return dominates(source, int((counts > 0).sum()), most, total, noun)


def dominates(
    source: str, raters: int, most: tuple[str, int], total: int, noun: str = "rating"
) -> list[Note]:
    """Caution if the one of so many raters with the most answers gave most of all."""
    who, answers = most
    if raters < LEAST_RATERS or answers <= LARGEST_PART * total:
        return []
    return [
        Note(
            f"{source}: '{who}' gave {answers:,} of {count(total, noun)}; what holds for "
            f"all raters is mostly what holds for '{who}'.",
            "caution",
        )
    ]


def free_texts(source: str, labels: Sequence[str], ratings: int) -> list[Note]:
    """Warn if labels are words of which hardly any comes twice, as in answers in own words.

    Examples
    --------
    >>> free_texts("r.csv", [f"It is about {n}" for n in range(60)], 90)
    ["r.csv: 60 different labels in 90 ratings, such as 'It is about 0': these seem to be answers
    in own words, not labels to agree on. Read another column, or code the answers first."]
    """
    if len(labels) <= MOST_WORDS or 2 * len(labels) < ratings:
        return []
    words = [label for label in labels[:LOOKED_AT] if number_of(label) is None]
    if 2 * len(words) < len(labels[:LOOKED_AT]):
        return []
    return [
        Note(
            f"{source}: {len(labels):,} different labels in {ratings:,} ratings, such as "
            f"'{words[0]}': these seem to be answers in own words, not labels to agree on. Read "
            "another column, or code the answers first.",
            "warning",
        )
    ]


def none_shared(source: str, items: Ids, other_source: str, others: Ids) -> str:
    """Say that two sources have no item in common."""
    return (
        f"no item is in both {source} ({some(items.tolist())}) and {other_source} "
        f"({some(others.tolist())}).{_written_otherwise(items, others)} Check the item columns."
    )


def few_shared(source: str, items: Ids, other_source: str, others: Ids) -> list[Note]:
    """Warn if two sources have few items in common, or none.

    Examples
    --------
    >>> from headcount.data.vocabulary import as_ids
    >>> few_shared("r.csv", as_ids(["1", "2", "3"]), "p.csv", as_ids(["3", "4", "5", "6"]))
    ['1 item is in both r.csv (3 items) and p.csv (4 items): few. The others are left out where
    both are needed. Check the item columns.']
    """
    shared = int((match_ids(items, others) >= 0).sum())
    if not shared:
        return [Note(none_shared(source, items, other_source, others), "warning")]
    if shared >= LEAST_SHARED * min(len(items), len(others)):
        return _shifted(source, items, other_source, others)
    are = "is" if shared == 1 else "are"
    return [
        Note(
            f"{count(shared, 'item')} {are} in both {source} ({count(len(items), 'item')}) and "
            f"{other_source} ({count(len(others), 'item')}): few. The others are left out where "
            f"both are needed.{_written_otherwise(items, others)} Check the item columns.",
            "warning",
        )
    ]


def _shifted(source: str, items: Ids, other_source: str, others: Ids) -> list[Note]:
    """Warn if items are numbered from 0 in one source and from 1 in the other."""
    if items.dtype.kind not in "iu" or others.dtype.kind not in "iu" or len(items) != len(others):
        return []
    starts = {int(items.min()), int(others.min())}
    whole = all(int(one.max()) - int(one.min()) + 1 == len(one) for one in (items, others))
    if starts != {0, 1} or not whole:
        return []
    return [
        Note(
            f"items are numbered from {items.min()} in {source}, and from {others.min()} in "
            f"{other_source}: if that is the same list, each item stands beside the next one's "
            "answers. Number both alike.",
            "warning",
        )
    ]


def _stem(item: str) -> str:
    """Write a file or an address by its name alone: data/i01.jpg is i01."""
    return re.sub(r"\.\w{1,5}$", "", re.split(r"[/\\]", item.rstrip("/"))[-1])


def _written_otherwise(items: Ids, others: Ids) -> str:
    """Say how many items that are not shared would be if they were written alike."""
    mine = set(items[match_ids(items, others) < 0].tolist())
    theirs = set(others[match_ids(others, items) < 0].tolist())
    best: tuple[int, str] = (0, "")
    for what, same in (*((way.what, way.same) for way in FORMS), ("folder or ending", _stem)):
        alike = {same(str(item)): item for item in mine}
        pairs = [(alike[same(str(one))], one) for one in theirs if same(str(one)) in alike]
        if len(pairs) > best[0]:
            here, there = min(pairs, key=lambda pair: tuple(map(str, pair)))
            best = (
                len(pairs),
                f" {count(len(pairs), 'item')} would be but for {what} ('{here}' and "
                f"'{there}'): write {'it' if len(pairs) == 1 else 'them'} alike in both.",
            )
    return best[1]
