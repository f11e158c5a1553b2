"""Small example data that come with headcount, to try every command on.

All of it is simulated (by `tests/data/make_examples.py`, always the same): nobody said any of this.
Wherever a file is taken, ``example:NAME`` is one of these.

Examples
--------
>>> from headcount import examples
>>> examples.names()[:6]
['ratings', 'predictions', 'votes', 'gold', 'stars', 'judge']
>>> examples.path("ratings").name, examples.path("coding").name
('ratings.csv', 'coding.xlsx')
>>> print(examples.about("stars"))
120 answers rated from 1 to 5 by three annotators
"""

from __future__ import annotations

from pathlib import Path

from headcount.errors import DataError, closest

__all__ = ["PREFIX", "about", "names", "path"]

PREFIX = "example:"
"""What the name of an example begins with, where a file is expected."""
_ABOUT = {
    "ratings": "200 comments, each rated ok or toxic by 5 of 12 raters",
    "predictions": "two classifiers on the comments: labels, probabilities",
    "votes": "labels of the comments by six LLM judges",
    "gold": "the true labels of 60 of the comments",
    "stars": "120 answers rated from 1 to 5 by three annotators",
    "judge": "an LLM judge's ratings of these answers, from 1 to 5",
    "comparisons": "300 answers of ten raters: which of two texts is better?",
    "battles": "600 battles of six models, with prompts and lengths",
    "export": "example:stars and the judge, exported by Label Studio",
    "coding": "the ratings of example:stars in an Excel file",
}
_SUFFIXES = {"export": ".json", "coding": ".xlsx"}
"""Of what is no CSV."""


def names() -> list[str]:
    """Names of the examples."""
    return list(_ABOUT)


def about(name: str) -> str:
    """Say in a line what an example holds."""
    return _ABOUT[_known(name)]


def path(name: str) -> Path:
    """Path of the file of an example.

    Parameters
    ----------
    name : str
        One of :func:`names`.
    """
    return Path(__file__).parent / f"{_known(name)}{_SUFFIXES.get(name, '.csv')}"


def _known(name: str) -> str:
    if name in _ABOUT:
        return name
    near = closest(str(name), _ABOUT, cutoff=0.7)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    raise DataError(f"no example '{name}'.{hint} Examples: {', '.join(_ABOUT)}.")
