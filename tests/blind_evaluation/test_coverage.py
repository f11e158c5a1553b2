"""Do 95% intervals hold the truth? If classifiers err independently, EM's do; else they do not.

Data sets are few, to be quick; docs/studies/blind.md has many.
"""

from __future__ import annotations

import numpy as np
import pytest

from headcount import Labels, blind
from headcount.blind_evaluation.methods import METHODS
from headcount.blind_evaluation.metrics import METRICS, choose_metrics
from headcount.blind_evaluation.scoring import Method, Settings, Task, score_all
from headcount.blind_evaluation.votes import collect
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate
from tests.blind_evaluation.cases import MISSING, as_labels

PRIORS = {2: np.array([0.6, 0.4]), 3: np.array([0.5, 0.3, 0.2])}
FAMILY = 8


def covered(
    labels: int,
    classifiers: int,
    items: int,
    *,
    missing: float = 0.0,
    shared: float = 0.0,
    data_sets: int = 10,
    method: str = "em",
) -> np.ndarray:
    """Share of intervals that hold the score on infinitely many items: (data sets, metrics).

    With `shared`, the first eight classifiers use one random number on that share of the items.
    Each then errs as often as before.
    """
    rng = np.random.default_rng([labels, classifiers, items])
    prior = PRIORS[labels]
    out = np.empty((data_sets, len(METRICS)))
    for seed in range(data_sets):
        confusion = np.empty((classifiers, labels, labels))
        for k, label in np.ndindex(classifiers, labels):
            right = rng.uniform(0.6, 0.95)
            wrong = (1 - right) * rng.dirichlet(np.full(labels - 1, 3.0))
            confusion[k, label] = np.insert(wrong, label, right)
        true = choose_metrics([str(x) for x in range(labels)]).scores(prior[:, None] * confusion)
        truth = rng.choice(labels, size=items, p=prior)
        luck = rng.random((items, classifiers))
        if shared:
            together = rng.random(items) < shared
            luck[together, :FAMILY] = rng.random((together.sum(), 1))
        below = confusion.cumsum(axis=-1)[:, truth].transpose(1, 0, 2)
        said = (luck[..., None] > below).sum(axis=-1).clip(0, labels - 1)
        said[rng.random(said.shape) < missing] = MISSING
        out[seed] = np.mean(held(as_labels(said, labels), METHODS[method], seed, true), axis=0)
    return out


def held(labels: Labels, method: Method, seed: int, true: np.ndarray) -> np.ndarray:
    """Whether intervals hold the true scores: (classifiers, metrics).

    Of a method alone: diagnostics, which nobody looks at here, would take a third of the time.
    """
    votes = collect(labels)
    settings = Settings(bootstrap=200, seed=seed)
    metrics = choose_metrics(votes.labels)
    task = Task(votes=votes, metrics=metrics, settings=settings, notes=Notes())
    scored = score_all(task, [method])[method.name]
    out = np.empty(true.shape, dtype=bool)
    for k, m in np.ndindex(*true.shape):
        draws = scored.draws[:, m, k]
        found = Estimate.from_draws(float(scored.scores[m, k]), draws[~np.isnan(draws)], level=0.95)
        out[k, m] = (found.low or 0) <= true[k, m] <= (found.high or 0)
    return out


def test_these_are_the_intervals_of_blind():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, size=(100, 1))
    labels = as_labels(np.where(rng.random((100, 4)) < 0.8, truth, 1 - truth), 2)
    result = blind(labels, methods=["em"], seed=3)
    ends = np.array(
        [[(e.low, e.high) for e in result[f"c{k}"].estimates["em"].values()] for k in range(4)]
    )
    for true in (ends[..., 0], ends[..., 1]):
        assert held(labels, METHODS["em"], 3, true).all()
    for true in (ends[..., 0] - 1e-9, ends[..., 1] + 1e-9):
        assert not held(labels, METHODS["em"], 3, true).any()


@pytest.fixture(scope="module")
def independent() -> np.ndarray:
    return np.concatenate(
        [
            covered(2, 10, 400, missing=0.3),
            covered(2, 5, 1000),
            covered(3, 10, 300),
            covered(3, 5, 600, missing=0.2),
        ]
    )


def test_em_holds_on_independent_classifiers(independent: np.ndarray):
    """40 data sets; the standard error of the mean is about a point. docs/studies has more."""
    assert 0.92 <= independent.mean() <= 0.98
    for m, metric in enumerate(METRICS):
        # One metric's mean has a standard error of about a point and a half.
        assert 0.91 <= independent[:, m].mean() <= 0.99, metric


def test_em_fails_on_classifiers_that_err_together():
    """Eight of twelve share their luck on 70% of the items: EM takes them for the truth."""
    assert covered(2, 12, 600, shared=0.7, data_sets=8).mean() < 0.4


def test_majority_fails_even_on_independent_classifiers():
    """It is biased, so that more items only make it surer: docs say so."""
    assert covered(2, 5, 2000, data_sets=10, method="majority").mean() < 0.8


def test_em_seldom_tells_equal_classifiers_apart():
    """Ranks share one error rate of 5%; a truth taken as given would make it 47% here."""
    rng = np.random.default_rng(1)
    apart = 0
    for seed in range(15):
        truth = rng.integers(0, 2, size=(500, 1))
        said = np.where(rng.random((500, 5)) < 0.78, truth, 1 - truth)
        result = blind(as_labels(said, 2), methods=["em"], metrics=["accuracy"], seed=seed)
        apart += any(c.rank != 1 for c in result.classifiers)
    assert apart <= 3  # more have a probability of .005 at 5%; so few, of .02 at 47%
