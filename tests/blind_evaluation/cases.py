"""Random votes for the tests of blind evaluation, and a slow way to count them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from headcount.blind_evaluation.votes import Votes, collect
from headcount.data.labels import Labels
from headcount.data.scale import Scale

MISSING = -1


def as_labels(table: np.ndarray, n_labels: int) -> Labels:
    """Labels from an items x classifiers table of codes; -1 is missing."""
    item, classifier = np.nonzero(table >= 0)
    return Labels(
        np.arange(len(table)),
        np.array([f"c{k}" for k in range(table.shape[1])], dtype=object),
        Scale(tuple(str(label) for label in range(n_labels))),
        item,
        classifier,
        table[item, classifier].astype(np.int64),
    )


def as_votes(table: np.ndarray, n_labels: int, **options: object) -> Votes:
    return collect(as_labels(table, n_labels), **options)  # pyright: ignore[reportArgumentType]


@st.composite
def vote_tables(draw: st.DrawFn, *, missing: bool = True) -> tuple[np.ndarray, int]:
    """Items x classifiers, each item with a vote at least, and the number of labels."""
    n_labels = draw(st.integers(2, 4))
    items, classifiers = draw(st.integers(2, 12)), draw(st.integers(2, 5))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    truth = rng.integers(0, n_labels, size=items)
    table = np.where(
        rng.random((items, classifiers)) < 0.6,
        truth[:, None],
        rng.integers(0, n_labels, size=(items, classifiers)),
    )
    if missing and draw(st.booleans()):
        gone = rng.random(table.shape) < 0.4
        gone[np.arange(items), rng.integers(0, classifiers, size=items)] = False
        table = np.where(gone, MISSING, table)
    return table, n_labels


def naive_score(pairs: list[tuple[float, int, int]], metric: str, label: int | None) -> float:
    """Metric from (weight, true label, given label), by counting; nan where it is 0 / 0."""
    n = {"tp": 0.0, "fp": 0.0, "fn": 0.0, "tn": 0.0}
    right = total = 0.0
    for weight, true, said in pairs:
        right += weight * (true == said)
        total += weight
        n[
            ("t" if (true == label) == (said == label) else "f") + ("p" if said == label else "n")
        ] += weight
    top, bottom = {
        "accuracy": (right, total),
        "precision": (n["tp"], n["tp"] + n["fp"]),
        "recall": (n["tp"], n["tp"] + n["fn"]),
        "specificity": (n["tn"], n["tn"] + n["fp"]),
        "f1": (2 * n["tp"], 2 * n["tp"] + n["fp"] + n["fn"]),
    }[metric]
    return top / bottom if bottom > 1e-12 else np.nan
