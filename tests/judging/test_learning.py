from __future__ import annotations

import numpy as np
import pytest

from headcount import Labels, corrected_rate, judge
from headcount.data.predictions import Predictions
from headcount.data.scores import Score
from headcount.data.vocabulary import match_ids
from headcount.equivalence.calibration.ordered_logit import OrderedLogit
from headcount.equivalence.calibration.outputs import subjects_of
from headcount.judging.score_labels import Learning
from headcount.results.notes import Notes

RATED, ALL = 60, 200


def scored(seed=1, flip=None):
    """People on some items, and a judge whose scores are 3 minus twice the share of yes."""
    rng = np.random.default_rng(seed)
    state = rng.beta(1, 1, ALL)
    said = np.where(rng.random((3, RATED)) < state[:RATED], "yes", "no")
    if flip is not None:
        said[:, flip] = np.where(said[:, flip] == "yes", "no", "yes")
    people = Labels.from_triples(
        list(range(RATED)) * 3, np.repeat(["ann", "bob", "eve"], RATED), said.ravel()
    )
    judges = Predictions(
        items=np.arange(ALL),
        labels=(),
        classifiers=(),
        scores=(Score("lm", 3 - 2 * state + 0.05 * rng.normal(size=ALL)),),
    )
    return people, judges, state


def learned(people, judges):
    said = judges.among(people.scale.labels)
    subject = subjects_of(said, people.scale.labels, Notes())[0]
    return Learning(people, ordered=False).of_all(subject, match_ids(people.items, said.items))


def test_items_that_nobody_rated_are_told_by_all_that_somebody_did():
    people, judges, state = scored()
    table = learned(people, judges)
    scores = judges.scores[0].values
    shares = people.matrix() / 3
    by_hand = OrderedLogit().fit(scores[:RATED, None], shares, scores[RATED:, None])
    assert table[RATED:] == pytest.approx(by_hand)
    assert np.corrcoef(table[:, 1], state)[0, 1] > 0.9  # high scores mean no


def test_no_item_is_told_by_its_own_labels():
    people, judges, _ = scored()
    other, _, _ = scored(flip=7)
    one, two = learned(people, judges), learned(other, judges)
    assert one[7] == pytest.approx(two[7], abs=1e-12)
    assert (one[RATED:] != two[RATED:]).all()


def test_the_rate_of_scores_is_that_of_the_probabilities_they_stand_for():
    people, judges, state = scored()
    found = judge(people, judges, bootstrap=0).rate
    soft = Predictions.from_probabilities(
        range(ALL), people.scale.labels, {"lm": learned(people, judges)}
    )
    assert found.rate == corrected_rate(soft, people, positive="yes").rate
    assert found.rate.low < state.mean() < found.rate.high
    assert found.rate.high - found.rate.low < 0.4


def test_the_mean_grade_by_scores():
    rng = np.random.default_rng(1)
    state = rng.normal(size=ALL)
    stars = np.clip(np.rint(3 + state[None] + 0.7 * rng.normal(size=(3, ALL))), 1, 5)
    people = Labels.from_triples(
        list(range(RATED)) * 3, np.repeat(["a", "b", "c"], RATED), stars[:, :RATED].ravel()
    )
    judges = {"item": list(range(ALL)), "lm": (70 + 12 * state).tolist(), "coin": rng.random(ALL)}
    result = judge(people, judges, bootstrap=20)
    assert result.rate.rate.low < stars.mean() < result.rate.rate.high
    assert [one.name for one in result.rate.judges] == ["lm", "coin"]
    by = {one.name: one.corrected for one in result.rate.judges}
    assert by["lm"].high - by["lm"].low < by["coin"].high - by["coin"].low
    assert result.together is not None  # scores as labels, beside each other
    assert result.panels is not None
