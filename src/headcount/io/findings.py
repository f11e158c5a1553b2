"""What looks wrong in data that can be read: models among raters, codes for no answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise

import numpy as np

from headcount.data.vocabulary import count_uses, number_of
from headcount.errors import DataError, count, option, some
from headcount.io.cells import yes_or_no
from headcount.io.label_order import in_order
from headcount.io.tables import Coded
from headcount.io.values import Several
from headcount.results.notes import Note, Notes
from headcount.results.result import command
from headcount.typing import Codes, Ids

__all__ = [
    "models_among",
    "free_texts",
    "means_no_answer",
    "check_codes",
    "check_tick",
    "check_failures",
    "check_far",
    "check_mixed",
]


# What only the whole tells: notes that every command shows, `look` among them.

MOST_WORDS_REPEATED = 20
"""Different labels in words from which on those that hardly ever repeat are texts."""
LABELS_LOOKED_AT = 1_000
"""Labels that are looked at for words."""


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
    ["r.csv: models among the raters, by their names: 'llm'. Each counts as a rater. If the others
    are people, use judge('r.csv', judge_names=['llm']); to measure people alone, leave models
    out."]
    """
    names = [str(rater) for rater in raters.tolist()]
    models = [name for name in names if _is_model(name)]
    if not models or len(models) == len(names):
        return []
    judged = command("judge", source, judge_names=models[:12])
    return [
        Note(
            f"{source}: models among the raters, by their names: {some(models)}. Each counts as a "
            f"rater. If the others are people, use {judged}; to measure people alone, leave models "
            "out.",
            "warning",
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
    if len(labels) <= MOST_WORDS_REPEATED or 2 * len(labels) < ratings:
        return []
    words = [label for label in labels[:LABELS_LOOKED_AT] if number_of(label) is None]
    if 2 * len(words) < len(labels[:LABELS_LOOKED_AT]):
        return []
    return [
        Note(
            f"{source}: {len(labels):,} different labels in {ratings:,} ratings, such as "
            f"'{words[0]}': these seem to be answers in own words, not labels to agree on. Read "
            "another column, or code the answers first.",
            "warning",
        )
    ]


# Labels that stand for 'no answer' in surveys, such as 99: refused unless they are declared.

HIGH_CODES = frozenset({66, 77, 88, 96, 97, 98, 99, 666, 777, 888, 996, 997, 998, 999, 9999, 99999})
NEGATIVE_CODES = frozenset({-1, -7, -8, -9, -66, -77, -88, -97, -98, -99, -998, -999, -9999})
DIGIT_CODES = {8: 5, 9: 7}
"""Digits for 'no answer', and where scales of whole numbers end at most that have them."""
NO_ANSWER = frozenset(
    {
        "?", "??", "dk", "idk", "don't know", "dont know", "do not know", "i don't know",
        "i do not know", "not sure", "unsure", "can't tell", "cannot tell", "can't say", "skip",
        "skipped", "no answer", "no response", "not answered", "unanswered", "refused",
        "prefer not to say", "prefer not to answer", "missing", "blank", "not applicable",
        "unknown", "undecided", "x",
    }
)  # fmt: skip
"""Words for 'no answer', where the other labels are known to be in order."""
NEVER_LABELS = frozenset(
    {
        "skip", "skipped", "not answered", "unanswered", "prefer not to say",
        "prefer not to answer",
    }
)  # fmt: skip
"""Those that mean it beside names as well."""


def means_no_answer(label: str) -> bool:
    """Whether a label says that there is no answer: unsure, don't know, ?, skipped."""
    return _plain(label) in NO_ANSWER


def check_codes(labels: Coded, at: str, *, counts: Codes | None = None) -> None:
    """Refuse labels that look like codes for 'no answer', such as 99 on a scale of 1 to 5.

    Parameters
    ----------
    labels : codes and texts
    at : str
        Where they stand.
    counts : array of int, optional
        Uses of each text, where they are not those of the codes.

    Raises
    ------
    DataError
        If there is such a value, however rare.

    Examples
    --------
    >>> check_codes((np.array([0, 1, 2, 3] * 9), ["1", "2", "5", "99"]), "r.csv")
    Traceback (most recent call last):
    headcount.errors.DataError: r.csv: '99' appears 9 times beside '1', '2', '5', and may be a code.
    Correct it; or say missing=['99'] for no answer, or labels=['1', '2', '5', '99'] to count it as
    a label.
    """
    texts, uses = labels[1], _uses_and_numbers(labels, counts)[0]
    used = [texts[code] for code in uses]
    names = {*_codes_among_numbers(used), *_no_answer_among_words(used)}
    if names:
        odd = [code for code in uses if texts[code] in names]
        others = sorted({*used} - names, key=_in_order)
        raise _odd_labels(texts, uses, odd, at, f"beside {some(others)}, and may be a code")


def _codes_among_numbers(texts: Sequence[str]) -> list[str]:
    """Numbers that are known as codes, and lie outside the scale of two or more others."""
    numbers = {text: value for text in texts if (value := number_of(text)) is not None}
    known = HIGH_CODES | NEGATIVE_CODES | DIGIT_CODES.keys()
    scale = sorted(value for value in numbers.values() if value not in known)
    if len(scale) < 2 or len(numbers) < len(texts):
        return []
    low, high = scale[0], scale[-1]
    steps = low in (0, 1) and scale == list(np.arange(low, high + 1))
    end = high  # of a scale that goes on without a gap, 8 and 9 are steps
    while end + 1 in numbers.values():
        end += 1
    return [
        text
        for text, value in numbers.items()
        if (value in HIGH_CODES and value - high >= max(10, high - low))
        or (value in NEGATIVE_CODES and low >= 0)
        or (value in DIGIT_CODES and steps and high <= DIGIT_CODES[int(value)] and value > end)
    ]


def _no_answer_among_words(texts: Sequence[str]) -> list[str]:
    """Words for 'no answer' beside steps of a scale that is known, or those that are no label."""
    words = [text for text in texts if _plain(text) in NO_ANSWER]
    if words and in_order([text for text in texts if text not in words]) is not None:
        return words
    never = [text for text in words if _plain(text) in NEVER_LABELS]
    return never if len(texts) - len(never) > 1 else []


MOST_STEPS = 11
"""Steps of a scale of whole numbers, as from 0 to 10."""
FAR_FROM_STEPS, FAR_FROM_MEASUREMENTS = 2, 10
"""How many times as far as the scale is long a number lies outside it, so that no such scale holds
both; and of measurements, how many times as far as the middle half of them is wide."""


def check_mixed(labels: Coded, place: Callable[[int], str], *, counts: Codes | None = None) -> None:
    """Refuse words beside numbers, however few.

    Parameters
    ----------
    labels : codes and texts
    place : callable
        Says where the label of a code stands first.
    counts : array of int, optional
        Uses of each text, where they are counted.

    Examples
    --------
    >>> labels = (np.array([0, 1, 2, 0, 3]), ["1", "2", "5", "n.v.t."])
    >>> check_mixed(labels, lambda code: "r.csv, row 6")
    Traceback (most recent call last):
    headcount.errors.DataError: r.csv, row 6: 'n.v.t.' appears once among numbers. Correct it;
    or say missing=['n.v.t.'] for no answer, or labels=['1', '2', '5', 'n.v.t.'] to count it as a
    label.
    """
    uses, numbers = _uses_and_numbers(labels, counts)
    words = [code for code in uses if code not in numbers]
    if words and numbers:
        kinds = [(words, "among numbers"), (list(numbers), "among words")]
        odd, where = min(kinds, key=lambda kind: sum(uses[code] for code in kind[0]))
        error = _odd_labels(labels[1], uses, odd, place(odd[0]), where)
        if {yes_or_no(labels[1][code]) for code in uses} == {"yes", "no"}:
            error = DataError(f"{error} Or say {option('merge', 'yes-no')} to read 1 as yes.")
        raise error


def check_far(
    labels: Coded, place: Callable[[int], str], notes: Notes, *, counts: Codes | None = None
) -> None:
    """Refuse numbers far outside a scale of whole ones; warn of measurements far from others.

    Parameters
    ----------
    labels : codes and texts
    place : callable
        Says where the label of a code stands first.
    notes : Notes
    counts : array of int, optional
        Uses of each text, where they are counted.

    Examples
    --------
    >>> labels = (np.array([0, 1, 2, 0, 3]), ["1", "2", "5", "55"])
    >>> check_far(labels, lambda code: "r.csv, row 6", Notes())
    Traceback (most recent call last):
    headcount.errors.DataError: r.csv, row 6: '55' appears once far from the other labels. Correct
    it; or say missing=['55'] for no answer, or labels=['1', '2', '5', '55'] to count it as a label.
    """
    texts = labels[1]
    uses, numbers = _uses_and_numbers(labels, counts)
    if len(numbers) < len(uses):
        return
    if far := _far_from_steps(numbers, uses):
        raise _odd_labels(texts, uses, far, place(far[0]), "far from the other labels")
    for code in _far_from_measurements(numbers, uses):
        notes.warning(
            f"{place(code)}: '{texts[code]}' is far from all other numbers. Correct it if it is a "
            f"slip; {option('missing', Several([texts[code]]))} leaves it out."
        )


def _uses_and_numbers(
    labels: Coded, counts: Codes | None
) -> tuple[dict[int, int], dict[int, float]]:
    """Labels that are used, by their codes: how often, and those that are numbers as such."""
    texts, counts = labels[1], count_uses(*labels) if counts is None else counts
    uses: dict[int, int] = {code: number for code, number in enumerate(counts.tolist()) if number}
    numbers = {code: value for code in uses if (value := number_of(texts[code])) is not None}
    return uses, numbers


MOST_ODD = 4
"""Different labels unlike the others that may be slips, or words for no answer."""


def _odd_labels(
    texts: Sequence[str], uses: Mapping[int, int], odd: Sequence[int], at: str, where: str
) -> DataError:
    """Say which labels are not like the others, and every way in which they may be meant."""
    names = [texts[code] for code in odd]
    times = sum(uses[code] for code in odd)
    used = sorted((texts[code] for code in uses), key=_in_order)
    every = Several(used) if len(uses) - len(odd) <= 12 else ...
    it, appear = ("it", "appears") if len(odd) == 1 else ("them", "appear")
    often = "once" if times == 1 else f"{times:,} times"
    if len(odd) > MOST_ODD:  # hardly slips: another column, or names of labels
        return DataError(
            f"{at}: {some(names, 5)} {appear} {often} {where}. Read another column, or name all "
            f"labels with {option('labels', '...')} if all of them are labels."
        )
    return DataError(
        f"{at}: {some(names, 5)} {appear} {often} {where}. Correct {it}; or say "
        f"{option('missing', Several(names))} for no answer, or "
        f"{option('labels', every)} to count {it} as {'a label' if it == 'it' else 'labels'}."
    )


def _far_from_steps(numbers: Mapping[int, float], uses: Mapping[int, int]) -> list[int]:
    """Codes of numbers that lie far outside a short scale of whole numbers, on one side of it."""
    order = sorted(numbers, key=lambda code: numbers[code])
    if len(order) < 3 or any(value % 1 for value in numbers.values()):
        return []
    gaps = [numbers[b] - numbers[a] for a, b in pairwise(order)]
    cut = int(np.argmax(gaps)) + 1
    sides = sorted((order[:cut], order[cut:]), key=lambda side: sum(uses[code] for code in side))
    scale = [numbers[code] for code in sides[1]]
    length = max(scale) - min(scale)
    whole = numbers[order[-1]] - numbers[order[0]]
    far = length < MOST_STEPS <= whole and len(scale) > 1 and max(gaps) > FAR_FROM_STEPS * length
    return sides[0] if far else []


def _far_from_measurements(numbers: Mapping[int, float], uses: Mapping[int, int]) -> list[int]:
    """Codes of at most three numbers far from the middle half of many."""
    if len(numbers) <= MOST_STEPS:
        return []
    values = np.repeat([*numbers.values()], [uses[code] for code in numbers])
    low, high = np.quantile(values, [0.25, 0.75])
    far = FAR_FROM_MEASUREMENTS * (high - low)
    found = [code for code, value in numbers.items() if not low - far <= value <= high + far]
    return found if far > 0 and len(found) <= 3 else []


TICKS = frozenset(
    {
        "x", "✓", "✔", "☑", "✗", "1", "yes", "y", "true", "checked", "selected", "ja", "oui",
        "si", "t",
    }
)  # fmt: skip
"""How a box is ticked, where what is not ticked is left blank."""


def check_tick(used: Sequence[str], empty: int, source: str) -> None:
    """Refuse wide data in which the only label is a tick, and `empty` cells mean no.

    Examples
    --------
    >>> check_tick(["x"], 1, "r.csv")
    Traceback (most recent call last):
    headcount.errors.DataError: r.csv: every rating is 'x', and 1 cell is blank. A blank is read as
    missing, not as 'no': if it means that, write it into the blank cells; if nobody said anything
    else, name the labels with labels='...'.
    """
    if len(used) != 1 or not empty or _plain(used[0]) not in TICKS:
        return
    are = "is" if empty == 1 else "are"
    raise DataError(
        f"{source}: every rating is '{used[0]}', and {count(empty, 'cell')} {are} "
        "blank. A blank is read as missing, not as 'no': if it means that, write it into the blank "
        f"cells; if nobody said anything else, name the labels with {option('labels', '...')}."
    )


def _in_order(text: str) -> tuple[bool, float, str]:
    """Key that puts numbers first, in their order."""
    number = number_of(text)
    return number is None, number or 0.0, text


def _plain(text: str) -> str:
    """Write words in small letters, with straight quotes and single blanks."""
    return " ".join(text.lower().replace("\u2019", "'").split()).strip("()[].!")


# What stands in place of a verdict where a model or a program gave none: ERROR, I cannot help.

_FAILED = re.compile(
    r"\W*(?:error|exception|timeout|timed out|failed|failure|invalid|pars(?:e|ing)[ _-]?error|"
    r"refused?|refusal|rate[ _-]?limit|unparse?able)\W*\Z|\W*error\b.{3,}|"
    r"(?:i['’]?m |i am )?(?:so )?sorry\b|i (?:can ?not|can['’]t|am unable|won['’]t)\b|as an ai\b|"
    r"\?+\Z",
    re.IGNORECASE | re.DOTALL,
)
_UNSURE = re.compile(
    r"\W*(?:unknown|unclear|unsure|undetermined|cannot (?:determine|tell|judge)|not sure)\W*",
    re.IGNORECASE,
)
"""What does so where people cannot say it; nobody knows without them."""
WORDS_OF_LONG_TEXT = 4
"""Words of a text that is no label, where the others are labels of raters."""


def check_failures(
    uses: Mapping[str, int], at: str, *, what: str = "prediction", known: Sequence[str] = ()
) -> None:
    """Refuse answers that are none.

    Parameters
    ----------
    uses : mapping of str to int
        Answers, and how often each was given.
    at : str
        Where they stand, for the message.
    what : str
        What an answer is called.
    known : sequence of str
        Labels of raters, which are answers.

    Examples
    --------
    >>> check_failures({"yes": 9, "no": 8, "ERROR": 3}, "p.csv, column 'gpt'")
    Traceback (most recent call last):
    headcount.errors.DataError: p.csv, column 'gpt': 3 of 20 predictions are no answer: 'ERROR'.
    Leave these cells blank, or say missing=['ERROR']; if it is a label, people must be able to
    give it as well.
    """
    failed = [text for text in uses if _is_failure(text.strip(), known)]
    failed += [text for text in _sentences(uses, known) if text not in failed]
    if not failed or len(failed) == len(uses) or {*failed} & {*known}:
        return
    number, total = sum(uses[text] for text in failed), sum(uses.values())
    label = (
        "people must be able to give it as well"
        if known or what == "prediction"
        else f"name all labels with {option('labels', '...')}"
    )
    raise DataError(
        f"{at}: {number:,} of {count(total, what)} are no answer: "
        f"{some([text[:60] for text in failed])}. Leave these cells blank, or say "
        f"{option('missing', Several(failed[:12]))}; if it is a label, {label}."
    )


def _is_failure(text: str, known: Collection[str]) -> bool:
    return bool(_FAILED.match(text) or (known and _UNSURE.fullmatch(text)))


def _sentences(uses: Mapping[str, int], known: Collection[str]) -> list[str]:
    """Sentences among answers most of which are labels of raters, of which none is one."""
    if not known or max(len(label.split()) for label in known) >= WORDS_OF_LONG_TEXT:
        return []
    plain = sum(n for text, n in uses.items() if text in known)
    if 2 * plain <= sum(uses.values()):
        return []
    return [text for text in uses if len(text.split()) >= WORDS_OF_LONG_TEXT]
