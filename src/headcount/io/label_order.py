"""Scales of labels: in which order words and grades are, and how far apart labels are."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

import numpy as np

from headcount.data.facts import Distances
from headcount.data.labels import Scale
from headcount.data.vocabulary import as_labels, find_labels, label_text, number_of
from headcount.errors import DataError, OptionError, option, some
from headcount.io.cells import MISSING_WORDS
from headcount.io.opening import open_table
from headcount.io.tables import Coded, Table
from headcount.io.values import MONTH
from headcount.results.notes import Notes

__all__ = [
    "declared_scale",
    "ordered_scale",
    "scale_of_words",
    "in_order",
    "read_distances",
]


# Scales of ratings: the labels that a user names, and words that are known to be in order.


def declared_scale(labels: Any) -> Scale | None:
    """Check the option that names all labels."""
    if labels is None:
        return None
    if isinstance(labels, str | bytes | Mapping) or not isinstance(labels, Collection):
        raise OptionError(
            f"{option('labels')} must be all the labels, such as ['no', 'yes'], not {labels!r}."
        )
    return Scale(tuple(map(str, cast("Collection[Any]", labels))))


def ordered_scale(order: tuple[str, ...] | None, labels: Coded) -> Scale | None:
    """Make a scale of ordered categories, if all labels are among them."""
    if order is None or (find_labels(labels[1], order) < 0).any():
        return None
    missing = [one for one in order if one in MISSING_WORDS]
    return Scale(tuple(one for one in order if one not in missing), kind="ordinal")


def scale_of_words(labels: Sequence[str], source: str, notes: Notes) -> Scale | None:
    """Make a scale of labels whose words are known to be in order, and say so."""
    steps = in_order(labels)
    if steps is None:
        return None
    notes.info(
        f"{source}: labels are taken to be in order, from '{steps[0]}' to '{steps[-1]}': "
        f"{some(steps, 12)}. If the order is another, name all labels with "
        f"{option('labels', '...')}; if there is none, say {option('scale', 'nominal')}."
    )
    return Scale(steps, kind="ordinal")


# Labels that name the steps of a scale, lowest first: never, sometimes, always; C, B-, B, A.

_BARE_POLES = (frozenset({"negative", "neutral", "positive"}),)
"""Labels that are steps to some and names to others."""
_NUMBERED = re.compile(r"\(?(\d+(?:\.\d+)?)\)?\s*(?:[-–—:=.,)]+\s*|\s)\s*\(?([^\d].*?)\)?")
_NUMBER_LAST = re.compile(
    r"([^\d(=:]*[^\d(=:\s-])\s*(?:[=:]|\s[-–—]|(?=\())\s*\(?(\d+(?:\.\d+)?)\)?"
)
"""A number, and what it means: ``1 - never``, ``5 (always)``; ``never (1)``, ``always = 5``."""
_MONTH = re.compile(MONTH)
"""Spreadsheets take 2-1 for a day of January."""
LEAST_ORDERED, MOST_ORDERED = 3, 20
"""Labels that have an order."""
LONGEST_STEP = 80
"""Letters of a text from which on it is no step of a scale."""


def in_order(labels: Sequence[str]) -> tuple[str, ...] | None:
    """Put labels in order, lowest first, if they are steps of a scale that is known.

    It is known by its words. Numbers of which some have words beside them are a scale too; numbers
    that all have words may be codes of names (``1 = cat``), and need words that are known.

    Examples
    --------
    >>> in_order(["often", "never", "sometimes"])
    ('never', 'sometimes', 'often')
    >>> in_order(["2", "3 (very good)", "1 (poor)"])
    ('1 (poor)', '2', '3 (very good)')
    >>> in_order(["1 = cat", "2 = dog", "3 = bird"])
    """
    if not LEAST_ORDERED <= len(labels) <= MOST_ORDERED or max(map(len, labels)) > LONGEST_STEP:
        return None
    plain = [_plain(label) for label in labels]
    written = [_parts(label.strip()) for label in labels]
    numbers = [number for number, _ in written]
    words = [_plain(word) for _, word in written]
    if any(map(_MONTH.fullmatch, words)):
        return None
    numbered = [number for number in numbers if number is not None]
    apart = len({*numbered}) == len(labels)
    bare = [number_of(label) is not None for label in labels]
    # '2 or 3' and '4?' are no steps with words beside them, but slips.
    in_words = all(
        re.fullmatch(r"\(?[^\W\d]\D*", word)
        for word, own in zip(words, bare, strict=True)
        if not own
    )
    close = bool(numbered) and max(numbered) - min(numbered) < MOST_ORDERED
    if apart and any(bare) and not all(bare) and in_words and close:
        return _sorted(labels, numbered)
    steps = _ladder_steps(words if numbered else plain)
    if steps is None or (numbered and not apart):
        return None
    return _sorted(labels, numbered if apart else steps)


def _parts(label: str) -> tuple[float | None, str]:
    """Take the number of a label apart from the words that say what it means."""
    if m := _NUMBERED.fullmatch(label):
        return float(m[1]), m[2]
    if m := _NUMBER_LAST.fullmatch(label):
        return float(m[2]), m[1]
    return number_of(label), label


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("\u2019", "'").split())


def _sorted(labels: Sequence[str], by: Sequence[float]) -> tuple[str, ...]:
    return tuple(label for _, label in sorted(zip(by, labels, strict=True)))


def _ladder_steps(words: Sequence[str]) -> list[float] | None:
    """Order of labels on the one scale that has them all, each on a step of its own."""
    if frozenset(words) in _BARE_POLES:
        return None
    found = _on_ladder(words)
    last = {word.rpartition(" ")[2] for word in words}
    if found is None and len(last) == 1:  # low risk, high risk
        return _on_ladder([word.rpartition(" ")[0] for word in words])
    return found


def _on_ladder(words: Sequence[str]) -> list[float] | None:
    """Place of each word on the one ladder that has them all, each on a step of its own."""
    for ladder in LADDERS:
        places = [next((n for n, s in enumerate(ladder) if word in s), None) for word in words]
        known = [float(place) for place in places if place is not None]
        if len({*known}) == len(words):
            return known
    return None


# Words of scales that are known, lowest first, in the languages in which files come.

_WRITTEN = (
    "very strongly disagree, strongly disagree|completely disagree|totally disagree, disagree, "
    "somewhat disagree|slightly disagree|mildly disagree, neutral|neither agree nor disagree|"
    "neither|undecided|unsure, somewhat agree|slightly agree|mildly agree, agree, "
    "strongly agree|completely agree|totally agree, very strongly agree",
    "never, almost never|very rarely, rarely|seldom, sometimes|occasionally, "
    "often|frequently, usually|very often, almost always, always",
    "terrible|awful|very bad|very poor, bad|poor, fair|average|acceptable|okay|ok|mediocre, "
    "good, very good, excellent|outstanding",
    "not at all, slightly|a little|a little bit, somewhat|moderately, quite|quite a bit, "
    "very|very much, extremely",
    "none|absent, minimal|very mild|trace, mild|slight, moderate, severe|marked, "
    "very severe|critical|extreme",
    "very low, low, medium|moderate|mid|average, high, very high",
    "very easy, easy, medium|moderate, hard|difficult, very hard|very difficult",
    "novice, beginner|basic, intermediate, advanced, expert",
    "trivial, minor, moderate|medium, major, critical|severe",
    "fail|failed, borderline|marginal|partial|partial pass, pass|passed",
    "unsafe, borderline|controversial, safe",
    "false, mostly false, half true, mostly true, true",
    "not important, slightly important, moderately important, important, very important",
    "much worse, slightly worse, about the same|same, slightly better, much better",
    "dislike, neutral|neither, like, love", "bad, neutral, good",
    "worst, worse, same|equal, better, best",
    "very unlikely|extremely unlikely, unlikely, possible|neutral|neither likely nor unlikely, "
    "likely, very likely|extremely likely",
    "irrelevant|not relevant|non-relevant, marginally relevant|slightly relevant, "
    "partially relevant|somewhat relevant, relevant, highly relevant|very relevant, "
    "perfectly relevant",
    "very dissatisfied, dissatisfied, neutral|neither satisfied nor dissatisfied, satisfied, "
    "very satisfied",
    "very negative, negative, neutral, positive, very positive",
    "strongly oppose, oppose, neutral, support, strongly support",
    "no, partially|partly|partial|in part|to some extent|somewhat, mostly|largely, yes|fully",
    "zero, one, two, three, four, five, six, seven, eight, nine, ten",
    "xxs, xs, s, m, l, xl, xxl, xxxl",
    "stimme überhaupt nicht zu|stimme gar nicht zu|stimme nicht zu|trifft überhaupt nicht zu|"
    "trifft gar nicht zu|trifft nicht zu, stimme eher nicht zu|trifft eher nicht zu, "
    "teils/teils|teils teils|weder noch|neutral|unentschieden, "
    "stimme eher zu|trifft eher zu, stimme zu|trifft zu, "
    "stimme voll und ganz zu|stimme voll zu|trifft voll und ganz zu|trifft voll zu|"
    "stimme vollkommen zu",
    "nie|niemals, selten, manchmal|gelegentlich, oft|häufig, meistens|sehr oft, immer",
    "ungenügend, mangelhaft, ausreichend, befriedigend, gut, sehr gut",
    "sehr schlecht, schlecht, mittel|mittelmäßig|mittelmässig|okay, gut, sehr gut",
    "sehr niedrig|sehr gering, niedrig|gering, mittel, hoch, sehr hoch",
    "gar nicht|überhaupt nicht, ein wenig|wenig, etwas|mittelmäßig, ziemlich, sehr, äußerst",
    "pas du tout d'accord, plutôt pas d'accord|pas d'accord, neutre|ni d'accord ni pas d'accord|"
    "sans opinion, plutôt d'accord, d'accord, tout à fait d'accord",
    "jamais, rarement, parfois|de temps en temps, souvent, toujours",
    "très mauvais, mauvais, moyen|passable, bon, très bon|excellent",
    "très faible, faible, moyen, élevé|fort, très élevé|très fort",
    "pas du tout, un peu, moyennement, beaucoup, énormément",
    "muy en desacuerdo|totalmente en desacuerdo, en desacuerdo, "
    "neutral|ni de acuerdo ni en desacuerdo|indiferente, de acuerdo, "
    "muy de acuerdo|totalmente de acuerdo",
    "nunca, casi nunca|rara vez, a veces|algunas veces, a menudo|frecuentemente, casi siempre, "
    "siempre",
    "muy malo, malo, regular, bueno, muy bueno|excelente",
    "muy bajo, bajo, medio, alto, muy alto",
    "discordo totalmente, discordo, neutro|não concordo nem discordo, concordo, "
    "concordo totalmente",
    "fortemente in disaccordo, in disaccordo, neutrale, d'accordo, fortemente d'accordo",
    "非常不同意|完全不同意|强烈不同意, 不同意|比较不同意, 一般|中立|不确定|普通, 同意|比较同意, "
    "非常同意|完全同意|强烈同意",
    "非常不满意, 不满意|比较不满意, 一般|中立, 满意|比较满意, 非常满意",
    "从不|从来没有, 很少, 有时, 经常, 总是",
    "很差|非常差, 差, 一般|中等, 好|良好, 很好|非常好|优秀",
    "全くそう思わない|まったくそう思わない, そう思わない|あまりそう思わない, "
    "どちらともいえない|どちらでもない, ややそう思う|そう思う, とてもそう思う|非常にそう思う",
    "低, 中, 高",
)  # fmt: skip

LADDERS = tuple(
    tuple(frozenset(step.split("|")) for step in ladder.split(", ")) for ladder in _WRITTEN
)
"""Scales, as steps; a step has several names."""


# Read how far apart labels are: a table of labels by labels, or one pair a row.

SAME_DISTANCE = 1e-9
"""Relative difference up to which two numbers are one that was written twice."""


def read_distances(data: Any, *, name: str = "distance") -> Distances:
    """Read distances of labels from a file, a frame, a dict or an array.

    Wide: the first column and the other columns are labels. Long: two columns of labels and one of
    distances, each pair once or twice; the distance of a label from itself may be left out.

    Parameters
    ----------
    data : path, frame, dict or array
        Also a dict of pairs ``{("a", "b"): 1}``.
    name : str
        What messages call it, if it is no file.

    Returns
    -------
    Distances

    Raises
    ------
    DataError
        If a distance is missing, negative or no number, is not 0 of a label from itself, or is
        another one way round; it names the row and the column.

    Examples
    --------
    >>> read_distances({("no", "maybe"): 1, ("maybe", "yes"): 1, ("no", "yes"): 3}).table
    array([[0., 1., 1.],
           [1., 0., 3.],
           [1., 3., 0.]])
    """
    if isinstance(data, Distances):
        return data
    table = open_table(_columns(data), name=name)
    rows = [label_text(text) for text in table.codes(0)[1]]
    names = [label_text(name) for name in table.names[1:]]
    wide = len(names) > 1 and set(names) == set(rows)
    if not wide and len(table.names) != 3:
        raise DataError(
            f"{table.source}: expected the same labels in the first column and as names of the "
            "others, or three columns (label, label, distance). Rows have "
            f"{some(rows)}, columns {some(names)}."
        )
    cells = _wide(table) if wide else _long(table)
    labels, place = as_labels([label for a, b, *_ in cells for label in (a, b)])
    pairs = place.reshape(-1, 2).tolist()
    out = np.full((len(labels), len(labels)), np.nan)
    for (a, b), (_, _, distance, at) in zip(pairs, cells, strict=True):
        what = f"{at}: '{labels[a]}' is {distance:g} from"
        if np.isnan(distance):
            raise DataError(f"{at}: no distance of '{labels[a]}' from '{labels[b]}'.")
        if distance < 0 or np.isinf(distance):
            raise DataError(f"{at}: {distance:g}. A distance is 0 or a positive number.")
        if a == b and distance:
            raise DataError(f"{what} itself; a label is 0 from itself.")
        before = out[a, b]
        if not np.isnan(before) and abs(before - distance) > SAME_DISTANCE * (before + distance):
            raise DataError(
                f"{what} '{labels[b]}'; it was {before:g} before. Give one distance for each two "
                "labels, the same both ways."
            )
        out[a, b] = out[b, a] = distance
    np.fill_diagonal(out, 0.0)
    for a, b in np.argwhere(np.isnan(out)).tolist():
        raise DataError(
            f"{table.source}: no distance of '{labels[a]}' from '{labels[b]}'. Give one of every "
            "two labels."
        )
    return Distances(labels, out, source=table.source, sources=table.sources)


def _columns(data: Any) -> Any:
    """Write a dict of pairs as columns."""
    pairs = cast("dict[Any, Any]", data) if isinstance(data, Mapping) else {}
    keys = [cast("tuple[Any, ...]", key) for key in pairs if isinstance(key, tuple)]
    if not keys or len(keys) < len(pairs) or any(len(key) != 2 for key in keys):
        return cast("Any", data)
    return {
        "a": [a for a, _ in keys],
        "b": [b for _, b in keys],
        "distance": list(pairs.values()),
    }


_Cell = tuple[str, str, float, str]
"""Two labels, how far apart they are, and where that stands."""


def _texts(table: Table, column: int) -> list[str]:
    """Labels of a column, none of them blank."""
    codes, texts = table.codes(column)
    if (codes < 0).any():
        raise DataError(f"{table.at(int((codes < 0).argmax()), column)}: a row without a label.")
    rows: list[int] = codes.tolist()
    return [label_text(texts[code]) for code in rows]


def _wide(table: Table) -> list[_Cell]:
    """Cells of a table of labels by labels."""
    labels = _texts(table, 0)
    for row, label in enumerate(labels):
        if label in labels[:row]:
            raise DataError(f"{table.at(row, 0)}: '{label}' has a row already.")
    return [
        (label, label_text(name), distance, table.at(row, column))
        for column, name in enumerate(table.names[1:], 1)
        for row, (label, distance) in enumerate(
            zip(labels, table.only_numbers(column).tolist(), strict=True)
        )
    ]


def _long(table: Table) -> list[_Cell]:
    """Cells of a table with a pair of labels a row."""
    pairs = zip(_texts(table, 0), _texts(table, 1), table.only_numbers(2).tolist(), strict=True)
    return [(a, b, far, table.at(row, 2)) for row, (a, b, far) in enumerate(pairs)]
