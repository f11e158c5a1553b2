"""Methods as classes: each knows itself, and users can bring their own."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headcount
from headcount import OptionError, blind
from headcount.blind_evaluation.methods.base import FixedTruth, Method
from headcount.blind_evaluation.methods.catalogue import (
    CHECKING,
    DIAGNOSING,
    DIRECT,
    METHODS,
    choose_methods,
)
from headcount.blind_evaluation.methods.user_defined import own_method
from headcount.blind_evaluation.metrics import Metrics
from headcount.blind_evaluation.plot import plot_gold
from headcount.blind_evaluation.scoring.tables import tables
from headcount.blind_evaluation.votes import Votes
from tests.blind_evaluation.cases import as_labels

SOURCE = Path(headcount.__file__).parent


def table(items: int = 200, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(items) < 0.4).astype(int)
    right = rng.random((items, 5)) < [0.9, 0.85, 0.8, 0.7, 0.6]
    said = np.where(right, truth[:, None], 1 - truth[:, None])
    said[rng.random(said.shape) < 0.1] = -1
    said[:, 0] = np.abs(said[:, 0])
    return said, truth


def majority_again(votes: Votes) -> np.ndarray:
    """What most say is right."""
    truth = np.zeros((len(votes.multiplicity), len(votes.labels)))
    for row in range(len(truth)):
        labels = votes.label[votes.start[row] : votes.start[row + 1]].tolist()
        counts = [labels.count(code) for code in range(len(votes.labels))]
        best = [code for code, n in enumerate(counts) if n == max(counts)]
        truth[row, best] = 1 / len(best)
    return truth


class MyMajority:
    name = "mine"
    short = "my majority"
    words = "most are right"
    refitted = False

    def truth(self, votes: Votes) -> np.ndarray:
        return majority_again(votes)


class MyScores:
    """Scores of the majority, found without its truth being told."""

    name = "my scores"

    def scores(self, votes: Votes, metrics: Metrics) -> np.ndarray:
        weight = votes.multiplicity.astype(float)
        return metrics.scores(tables(votes, majority_again(votes), weight)).T


# --- the list -------------------------------------------------------------------------------------


def test_every_method_knows_itself():
    for name, method in METHODS.items():
        assert method.name == name
        assert method.short
        assert method.words
    assert (DIAGNOSING.name, CHECKING.name, DIRECT.name) == ("em", "leave-one-out", "direct")
    looks = [method.look for method in METHODS.values() if method.look is not None]
    assert len(set(looks)) == len(looks)


def test_a_name_is_spelt_in_the_file_of_its_class_alone():
    """Outside the command line, whose help lists them."""
    homes = {name: Path(_file_of(method)) for name, method in METHODS.items()}
    for path in (SOURCE / "blind_evaluation").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and node.value in homes:
                assert path == homes[node.value], f"{path.name} spells '{node.value}'"


def _file_of(method: Method) -> str:
    import inspect

    return inspect.getfile(type(method))


def test_default_methods_follow_the_data():
    alone = choose_methods(None, groups=False, gold=False, learn=False)
    by_votes = ["round-robin", "sampling", "majority", "leave-one-out", "em", "consensus"]
    assert list(alone) == by_votes
    everything = choose_methods(None, groups=True, gold=True, learn=True)
    assert everything == {n: method for n, method in METHODS.items() if not method.on_request}


# --- users' own -----------------------------------------------------------------------------------


def test_own_majority_is_the_majority():
    """As an object that says its truth needs no refit: every number is the same, ranks too."""
    said, truth = table()
    gold = {str(i): str(truth[i]) for i in range(20)}
    result = blind(
        as_labels(said, 2),
        methods=["majority", MyMajority()],
        gold=gold,
        bootstrap=50,
        compare=True,
    )
    assert result.provenance.methods == ("majority", "mine")
    for c in result.classifiers:
        assert c.estimates["mine"] == c.estimates["majority"]
        assert c.ranks["mine"] == c.ranks["majority"]
    assert result.comparison is not None
    assert result.comparison.by_score[0].tolist() == result.comparison.by_score[1].tolist()
    assert result.comparison.quality["mine"].tolist() == (
        result.comparison.quality["majority"].tolist()
    )
    assert result.to_dict()["assumptions"]["mine"] == "most are right"
    assert "my majority" in str(result).replace("\n", " ") or "majority  my" in str(result)
    frame = result.to_frame("polars")
    assert frame.filter(method="mine").shape[0] == 5 * 5
    axes = plot_gold(result)
    assert "my majority" in [text.get_text() for text in axes.get_legend().get_texts()]


def test_a_plain_function_is_a_method():
    """Found anew in each bootstrap sample, which for a majority changes nothing."""
    said, _ = table()
    result = blind(as_labels(said, 2), methods=["em", "majority", majority_again], bootstrap=40)
    assert result.provenance.methods == ("em", "majority", "majority_again")
    assert result.methods["majority_again"].words == "What most say is right"
    for c in result.classifiers:
        for metric, estimate in c.estimates["majority"].items():
            own = c.estimates["majority_again"][metric]
            assert (own.value, own.low, own.high) == pytest.approx(
                (estimate.value, estimate.low, estimate.high), abs=1e-12
            )


def test_own_scores_have_intervals_and_ranks_by_the_common_samples():
    said, _ = table()
    labels = as_labels(said, 2)
    result = blind(labels, methods=["majority", MyScores()], bootstrap=40)
    for c in result.classifiers:
        assert c.rank is not None
        assert c.ranks["my scores"]["accuracy"] is not None
        for metric, estimate in c.estimates["majority"].items():
            own = c.estimates["my scores"][metric]
            assert (own.value, own.low, own.high) == pytest.approx(
                (estimate.value, estimate.low, estimate.high), abs=1e-12
            )
    without = blind(labels, methods=[MyScores()], bootstrap=0)
    assert without.method == "my scores"
    assert without.classifiers[0].rank is None
    assert without.classifiers[0].estimates["my scores"]["accuracy"].low is None
    assert any("my scores has no intervals" in note for note in without.notes)
    assert "5 classifiers without ranks, by my scores" in str(without).replace("\n", " ")


def test_a_truth_may_depend_on_who_is_judged():
    class Others:
        name = "others"

        def truth(self, votes: Votes) -> np.ndarray:
            return METHODS["leave-one-out"].truth(votes)  # pyright: ignore

    said, _ = table(100)
    result = blind(as_labels(said, 2), methods=["leave-one-out", Others()], bootstrap=0)
    for c in result.classifiers:
        assert c.estimates["others"] == c.estimates["leave-one-out"]


def test_a_subclass_is_a_method_as_it_is():
    class Mine(FixedTruth):
        name = "first label"
        short = "first"
        words = "all items have the first label"

        def truth(self, votes: Votes) -> np.ndarray:
            return np.eye(len(votes.labels))[np.zeros(len(votes.multiplicity), dtype=int)]

    method = Mine()
    assert own_method(method) is method
    said, _ = table(60)
    result = blind(as_labels(said, 2), methods=[method], bootstrap=0, metrics=["accuracy"])
    for k in range(5):
        mine = said[:, k]
        expected = (mine[mine >= 0] == 0).mean()
        found = result[f"c{k}"].estimates["first label"]["accuracy"].value
        assert found == pytest.approx(expected)


def test_refitted_truths_see_the_sample():
    """The rarer label of a sample is true, whatever the votes: it changes with the sample."""
    seen: list[int] = []

    def drawn(votes: Votes) -> np.ndarray:
        seen.append(int((votes.multiplicity == 0).sum()))
        assert votes.multiplicity.sum() == 60
        return majority_again(votes)

    said, _ = table(60)
    blind(as_labels(said, 2), methods=[drawn], bootstrap=10)
    assert len(seen) == 11
    assert seen[0] == 0
    assert max(seen) > 0


def wrong_shape(votes: Votes) -> np.ndarray:
    return np.ones((3, 7))


def no_probabilities(votes: Votes) -> np.ndarray:
    return np.ones((len(votes.multiplicity), len(votes.labels)))


def no_array(votes: Votes) -> Any:
    return {"a": 1}


class WrongScores:
    name = "wrong"

    def scores(self, votes: Votes, metrics: Metrics) -> np.ndarray:
        return np.ones(3)


class NeedsGroups(MyMajority):
    grouped = True


class NeedsGold(MyMajority):
    informed = True


class Taken(MyMajority):
    name = "em"


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ([wrong_shape], "must return a probability of each label"),
        ([no_probabilities], "must return probabilities"),
        ([no_array], "must return an array of numbers"),
        ([WrongScores()], "must return a score for each metric and classifier"),
        ([NeedsGroups()], "needs groups of classifiers"),
        ([NeedsGold()], "needs labels of some items"),
        ([Taken()], "two methods are called 'em'"),
        ([MyMajority(), MyMajority()], "two methods are called 'mine'"),
        ([lambda votes: votes], "needs a name"),
        ([123], "must be names of methods, functions of votes"),
        (123, "must be names of methods, functions of votes"),
        ([MyMajority], "must be names of methods, functions of votes"),
        ([], "must name one method or more"),
    ],
)
def test_what_is_no_method_is_refused(methods: Any, message: str):
    said, _ = table(40)
    with pytest.raises(OptionError, match=message):
        blind(as_labels(said, 2), methods=methods, bootstrap=2)
