"""What the alternative annotator test found, and the forms in which to have it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from headcount.errors import count, unknown_name
from headcount.results.text import columns, wrap

__all__ = ["SHARE_TO_WIN", "AltTest", "AltTestClassifier", "AltTestRater", "Score"]

Score = Literal["agreement", "rmse"]

SHARE_TO_WIN = 0.5
"""A classifier passes if it wins this share of the raters."""


@dataclass(frozen=True)
class AltTestRater:
    """How a classifier fares against one rater.

    Parameters
    ----------
    rater : str or int
    items : int
        Items on which the two are compared: rated, predicted, and rated by somebody else.
    rho_f, rho_h : float
        Share of these items on which the classifier, or the rater, agrees with the other raters
        at least as well as its counterpart. A tie counts for both, so they sum to 1 or more.
    p_value, adjusted_p_value : float
        Of the hypothesis that the classifier is worse by epsilon or more; after
        Benjamini-Yekutieli.
    won : bool
        Whether that hypothesis is rejected.
    """

    rater: str | int
    items: int
    rho_f: float
    rho_h: float
    p_value: float
    adjusted_p_value: float
    won: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return dict(vars(self))


@dataclass(frozen=True, repr=False)
class AltTestClassifier:
    """The verdict on one classifier; its repr is the table of raters.

    Parameters
    ----------
    name : str
    epsilon : float
        The margin the verdict was reached at.
    passes_from : float
        Smallest epsilon at which the classifier passes: it passes at all larger ones and fails at
        all smaller ones. Below 0 it passes even at epsilon 0; from 1 on it always fails.
    raters : tuple of AltTestRater
    """

    name: str
    epsilon: float
    passes_from: float
    raters: tuple[AltTestRater, ...]

    @property
    def won(self) -> int:
        """Number of raters won."""
        return sum(rater.won for rater in self.raters)

    @property
    def needed(self) -> int:
        """Number of raters to win in order to pass."""
        return math.ceil(SHARE_TO_WIN * len(self.raters))

    @property
    def winning_rate(self) -> float:
        """Share of raters won, the paper's omega."""
        return self.won / len(self.raters)

    @property
    def advantage_probability(self) -> float:
        """Mean of rho_f over raters, the paper's rho: what to rank classifiers by."""
        return sum(rater.rho_f for rater in self.raters) / len(self.raters)

    @property
    def passes(self) -> bool:
        """Whether it wins at least half of the raters."""
        return self.won >= self.needed

    @property
    def change(self) -> str:
        """What would change the verdict, in words."""
        if self.passes_from < 0:
            return "passes even at epsilon 0"
        short = "" if self.passes else f"{count(self.needed - self.won, 'more rater')} must be won"
        if self.passes_from >= 1:
            return f"fails at every epsilon below 1; {short}"
        text = f"passes from epsilon {_round_up(self.passes_from, self)} on, fails below"
        return f"{text}; {short}" if short else text

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "name": self.name,
            "passes": self.passes,
            "winning_rate": self.winning_rate,
            "advantage_probability": self.advantage_probability,
            "raters_won": self.won,
            "raters_needed": self.needed,
            "passes_from": self.passes_from,
            "change": self.change,
            "raters": [rater.to_dict() for rater in self.raters],
        }

    def __repr__(self) -> str:
        head = ["rater", "items", "rho_f", "rho_h", "p", "adjusted p", "won"]
        body = [
            [
                str(rater.rater),
                f"{rater.items:,}",
                f"{rater.rho_f:.3f}",
                f"{rater.rho_h:.3f}",
                _p(rater.p_value),
                _p(rater.adjusted_p_value),
                "yes" if rater.won else "no",
            ]
            for rater in self.raters
        ]
        return "\n".join([_sentence(self), "", *columns(head, body)])


@dataclass(frozen=True, repr=False)
class AltTest:
    """Which classifiers may stand in for a rater.

    Parameters
    ----------
    classifiers : tuple of AltTestClassifier
        In the order of the predictions; ``result["name"]`` finds one.
    epsilon, q : float
        The margin granted to classifiers; the false discovery rate.
    scorer : {"agreement", "rmse"}
        How alignment with the other raters is measured.
    min_items : int
        Items a rater needs to be tested.
    items_used, items_dropped : int
    left_out : tuple of str or int
        Raters with too few items to be tested.
    notes : tuple of str
        What was left out, and what to be careful about, in sentences.
    """

    classifiers: tuple[AltTestClassifier, ...]
    epsilon: float
    q: float
    scorer: Score
    min_items: int
    items_used: int
    items_dropped: int
    left_out: tuple[str | int, ...]
    notes: tuple[str, ...]

    def __getitem__(self, name: str) -> AltTestClassifier:
        for classifier in self.classifiers:
            if classifier.name == name:
                return classifier
        raise unknown_name("classifier", name, [c.name for c in self.classifiers])

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "epsilon": self.epsilon,
            "q": self.q,
            "scorer": self.scorer,
            "min_items": self.min_items,
            "classifiers": [classifier.to_dict() for classifier in self.classifiers],
            "items": {"used": self.items_used, "dropped": self.items_dropped},
            "raters_left_out": list(self.left_out),
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        head = ["classifier", "alt-test", "won", "winning rate", "advantage probability"]
        head.append("passes from epsilon")
        body = [
            [
                c.name,
                "passes" if c.passes else "fails",
                f"{c.won:,} of {len(c.raters):,}",
                f"{c.winning_rate:.2f}",
                f"{c.advantage_probability:.3f}",
                _round_up(c.passes_from, c),
            ]
            for c in self.classifiers
        ]
        raters = len(self.classifiers[0].raters)
        size = f"{count(self.items_used, 'item')}, {count(raters, 'rater')}"
        if self.left_out:
            size += f" ({len(self.left_out):,} more with fewer than {self.min_items} items)"
        how = f"epsilon {self.epsilon:g}, false discovery rate {self.q:g}, scorer {self.scorer}"
        sentences = [_sentence(classifier) for classifier in self.classifiers]
        return "\n".join([*sentences, "", *columns(head, body), "", wrap(f"{size}; {how}")])


def _sentence(c: AltTestClassifier) -> str:
    verdict = "passes" if c.passes else "fails"
    return wrap(
        f"{c.name} {verdict} the alt-test at epsilon {c.epsilon:g}: it wins {c.won:,} of "
        f"{count(len(c.raters), 'rater')}, {c.needed:,} needed; {c.change}",
        indent="  ",
    )


def _round_up(x: float, c: AltTestClassifier) -> str:
    """Round up to where the classifier does pass, and never past the epsilon it passes at."""
    digits = 3
    while digits < 12 and (math.ceil(x * 10**digits) / 10**digits > c.epsilon) == c.passes:
        digits += 1
    return f"{math.ceil(x * 10**digits) / 10**digits:.{digits}f}"


def _p(p: float) -> str:
    return "<.0001" if p < 0.0001 else f"{p:.4f}"
