"""Words for yes and no: those of people, of programs, and of spreadsheets in other languages."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from itertools import combinations

from headcount.data.vocabulary import label_text, number_of

__all__ = ["spelling_ranks", "spelt_twice", "yes_or_no"]

_SPELLINGS = tuple(
    (frozenset(yes.split()), frozenset(no.split()))
    for yes, no in (
        ("1", "0"), ("y", "n"), ("yes", "no"), ("t", "f"), ("true", "false"),
        ("j", "n"), ("ja", "nein nee nej nei"), ("wahr", "falsch"), ("waar", "onwaar"),
        ("o", "n"), ("oui", "non"), ("vrai", "faux"), ("s", "n"), ("si sí sì", "no"),
        ("vero verdadero verdadeiro", "falso"), ("sim", "não nao"), ("da да", "nu ne нет"),
        ("tak", "nie"), ("prawda", "fałsz"), ("ano áno", "ne nie"), ("pravda", "nepravda"),
        ("igen", "nem"), ("igaz", "hamis"), ("evet", "hayır"), ("doğru", "yanlış"), ("kyllä", "ei"),
        ("истина", "ложь"), ("так", "ні"), ("是", "否 不是"), ("对 對", "错 錯 不对"), ("真", "假"),
        ("はい", "いいえ"), ("예 네", "아니요 아니오"), ("نعم", "لا"), ("हाँ", "नहीं"),
    )
)  # fmt: skip
"""Ways to write yes and no; the letters of several languages are alike."""
_YES = frozenset[str]().union(*(yes for yes, _ in _SPELLINGS))
_NO = frozenset[str]().union(*(no for _, no in _SPELLINGS))
_LONGEST_FIRST = tuple(sorted(_SPELLINGS, key=lambda pair: -len(min(pair[0]))))
MOST = 20
"""Labels of which some may be yes and no."""


def _plain(text: str) -> str:
    return label_text(text.strip().casefold())


def yes_or_no(text: str) -> str:
    """Write a word for yes or no as the English one; any other text stays.

    Examples
    --------
    >>> [yes_or_no(text) for text in ("TRUE", "Ja", "n", "0", "unsure")]
    ['yes', 'yes', 'no', 'no', 'unsure']
    """
    plain = _plain(text)
    return "yes" if plain in _YES else "no" if plain in _NO else text


def spelt_twice(texts: Collection[str]) -> bool:
    """Whether texts are yes and no in two ways: one of them whole, and a word of another at least.

    A letter alone may mean anything (N for none beside T and F), unless a word begins with it; and
    numbers besides 0 and 1 are steps of a scale.

    Examples
    --------
    >>> spelt_twice(["yes", "no", "Y", "N"]), spelt_twice(["ja", "nein", "?", "True"])
    (True, True)
    >>> spelt_twice(["yes", "no"]), spelt_twice(["T", "F", "N"]), spelt_twice(["0", "1", "2"])
    (False, False, False)
    >>> spelt_twice(["S", "N", "O"]), spelt_twice(["yes", "no", "si"])
    (False, True)
    """
    if len(texts) > MOST or any(number_of(text) not in (None, 0, 1) for text in texts):
        return False
    words = {_plain(text) for text in texts}
    whole = [words & (yes | no) for yes, no in _SPELLINGS if words & yes and words & no]
    if any(_are_two(one, other) for one, other in combinations(whole, 2)):
        return True
    known = frozenset[str]().union(*whole)
    return bool(whole) and any(
        len(word) > 1 or any(w[0] == word and yes_or_no(w) == yes_or_no(word) for w in known)
        for word in words & (_YES | _NO) - known
    )


def _are_two(one: Set[str], other: Set[str]) -> bool:
    """Whether spellings are two; those that share a letter may be letters for something else."""
    words = any(len(word) > 1 for word in one | other)
    return one.isdisjoint(other) or (words and one != other)


def spelling_ranks(uses: Mapping[str, int]) -> dict[str, int]:
    """Rank texts by how often yes and no are written in their way, the most frequent first.

    So that of Y, N, yes and no two stay that belong together.

    Examples
    --------
    >>> spelling_ranks({"Y": 5, "N": 1, "yes": 2, "no": 4, "unsure": 9})
    {'Y': 1, 'N': 1, 'yes': 0, 'no': 0, 'unsure': 0}
    """
    plain = {text: _plain(text) for text in uses}
    spellings = sorted(
        (yes | no for yes, no in _LONGEST_FIRST),
        key=lambda words: -sum(n for text, n in uses.items() if plain[text] in words),
    )
    return {
        text: next((rank for rank, words in enumerate(spellings) if plain[text] in words), 0)
        for text in uses
    }
