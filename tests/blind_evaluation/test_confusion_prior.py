"""What is known of classifiers beforehand enters the models as labels that they gave."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import DataError, Labels, OptionError, blind
from headcount.blind_evaluation.confusions import known_confusion
from headcount.blind_evaluation.dawid_skene.fit import Climbing, fit
from headcount.blind_evaluation.votes import collect
from headcount.results.notes import Notes

GOOD = {"y": {"y": 95, "n": 5}, "n": {"y": 5, "n": 95}}
GUESSES = {"y": {"y": 50, "n": 50}, "n": {"y": 50, "n": 50}}


def votes_of(said: np.ndarray) -> Labels:
    items, who = np.indices(said.shape).reshape(2, -1)
    return Labels.from_triples(items, np.array(list("abc"))[who], said.ravel())


def slow(said: np.ndarray, known: np.ndarray, smoothing: float) -> tuple[np.ndarray, np.ndarray]:
    """EM item by item, 2,000 times, from shares of votes; classifiers x true x given."""
    n, classifiers = said.shape
    truth = np.array([[np.mean(row == c) for c in range(2)] for row in said])
    for _ in range(2000):
        prior = truth.mean(axis=0)
        table = known + smoothing
        for i in range(n):
            for k in range(classifiers):
                table = table + 0
                table[k, :, said[i, k]] += truth[i]
        table = table / table.sum(axis=2, keepdims=True)
        for i in range(n):
            p = prior.copy()
            for k in range(classifiers):
                p *= table[k, :, said[i, k]]
            truth[i] = p / p.sum()
    return truth, table


@settings(max_examples=3, deadline=None)
@given(st.integers(0, 10**6))
def test_dawid_skene_with_counts_is_what_plain_em_finds(seed):
    rng = np.random.default_rng(seed)
    true = rng.random(12) < 0.5
    said = np.where(rng.random((12, 3)) < [0.9, 0.8, 0.7], true[:, None], ~true[:, None])
    said = said.astype(int)
    said[0], said[1] = 0, 1
    known = rng.integers(1, 8, size=(3, 2, 2)).astype(float)
    labels = votes_of(said)
    votes = collect(labels, known=np.swapaxes(known, 1, 2))
    found = fit(votes, how=Climbing(tolerance=1e-12, max_iter=20_000))
    truth, table = slow(said, known, 0.5)
    # EM ends where a step gains 1e-12; parameters then are right to about its square root.
    assert found.truth[votes.row_of] == pytest.approx(truth, abs=1e-4)
    assert found.confusion == pytest.approx(table, abs=1e-4)


def test_who_is_known_to_be_good_is_believed_against_two_who_guess():
    rng = np.random.default_rng(1)
    said = np.where(rng.random((40, 3)) < 0.5, "y", "n")
    said[1:, 1] = said[1:, 0]  # two that agree but for one item: no copies, which count as one
    said[0, 1] = "n" if said[0, 0] == "y" else "y"
    labels = votes_of(said)
    for method in ("em", "one-coin", "easy-hard", "consensus"):
        plain = blind(labels, bootstrap=0, labels_by=method)
        known = blind(
            labels,
            bootstrap=0,
            labels_by=method,
            confusion={"a": GUESSES, "b": GUESSES, "c": GOOD},
        )
        apart = said[:, 0] != said[:, 2]
        assert np.mean(known.labels.label[apart] == said[apart, 2]) > 0.8
        assert np.mean(plain.labels.label[apart] == said[apart, 2]) < 0.3


def test_a_file_a_dict_and_what_a_result_holds_are_the_same(tmp_path):
    path = tmp_path / "known.csv"
    path.write_text("worker,true,given,count\na,y,y,8\na,y,n,2\na,n,n,9\na,n,y,1\n")
    nested = {"a": {"y": {"y": 8, "n": 2}, "n": {"n": 9, "y": 1}}}
    one, two = (
        known_confusion(given, ["a", "b"], ["n", "y"], Notes()) for given in (str(path), nested)
    )
    assert one == pytest.approx(two)
    assert np.array_equal(one[0].T, [[9, 1], [2, 8]])  # true, given
    assert not one[1].any()
    shares = {"a": {"y": {"y": 0.8, "n": 0.2}, "n": {"n": 0.9, "y": 0.1}}}
    ten = known_confusion(shares, ["a", "b"], ["n", "y"], Notes())
    assert np.allclose(ten[0].T, [[9, 1], [2, 8]])  # probabilities count for ten


def test_what_cannot_be_used_is_refused(tmp_path):
    def take(given):
        return known_confusion(given, ["a"], ["n", "y"], Notes())

    with pytest.raises(DataError, match="none of 'z' is a classifier"):
        take({"z": GOOD})
    with pytest.raises(DataError, match="nobody gives label 'maybe'"):
        take({"a": {"maybe": {"y": 1}}})
    with pytest.raises(OptionError, match="0 or more"):
        take({"a": {"y": {"y": -1}}})
    path = tmp_path / "known.csv"
    path.write_text("worker,true,given\na,y,y\n")
    with pytest.raises(DataError, match="expected the columns classifier, true, given and count"):
        take(str(path))
    path.write_text("worker,true,given,count\na,y,y,many\n")
    with pytest.raises(DataError, match="row 2, column 'count'"):
        take(str(path))
