"""Crowds that are gone over in blocks get the scores that they would get at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount import OptionError, blind, consensus
from headcount.blind_evaluation import prepare
from headcount.blind_evaluation import votes as crowd
from headcount.blind_evaluation.dawid_skene import Climbing, Model, climb_best
from headcount.blind_evaluation.methods import group_shares
from headcount.blind_evaluation.plot import draw, plot_residuals
from headcount.blind_evaluation.scoring import crowd_tables, tables
from headcount.blind_evaluation.truth_models import easy_hard, one_coin
from headcount.blind_evaluation.votes import Blocks, Votes, crowd_blocks, leave_one_out
from headcount.data.labels import Labels
from tests.blind_evaluation.cases import as_labels, as_votes, vote_tables

SHOWN = ["majority", "sampling", "leave-one-out", "em", "one-coin", "easy-hard", "consensus"]


def small(votes: Votes, size: int) -> Blocks:
    """Cut votes into blocks of some votes each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crowd, "MOST_IN_BLOCK", size)
        return crowd_blocks(votes)


@given(vote_tables(), st.integers(1, 9))
def test_blocks_hold_every_vote_once(case: tuple[np.ndarray, int], size: int):
    votes = as_votes(*case)
    blocks = small(votes, size)
    whole = Blocks.of(votes, votes.multiplicity.astype(float))
    assert crowd_tables(blocks, leave_one_out) == pytest.approx(
        tables(votes, leave_one_out(votes), whole.pairs[0][1])  # pyright: ignore
    )
    for part, weight in blocks:
        assert len(part.label) <= size or len(weight) == 1
        assert part.start[0] == 0
        assert part.start[-1] == len(part.label) == len(part.classifier)


@given(vote_tables(), st.integers(1, 9))
def test_em_is_the_same_in_blocks(case: tuple[np.ndarray, int], size: int):
    votes = as_votes(*case)
    blocks = small(votes, size)
    power = np.linspace(0.5, 1, len(votes.classifiers))
    whole = Model(Blocks.of(votes, votes.multiplicity.astype(float)), power, 0.5)
    parts = Model(blocks, power, 0.5)
    assert parts.items == whole.items
    one, other = whole.vote_shares(), parts.vote_shares()
    assert other.confusion == pytest.approx(one.confusion)
    for _ in range(3):
        step, again = whole.step(one), parts.step(one)
        assert again.objective == pytest.approx(step.objective)
        assert again.count == pytest.approx(step.count, abs=1e-12)
        one = step.after
    how = Climbing(restarts=1)
    best, found = climb_best(whole, how), climb_best(parts, how)
    assert found.climb.step.log_likelihood == pytest.approx(best.climb.step.log_likelihood)


@given(vote_tables(), st.integers(1, 9))
def test_models_are_the_same_in_blocks(case: tuple[np.ndarray, int], size: int):
    votes = as_votes(*case)
    whole = Blocks.of(votes, votes.multiplicity.astype(float))
    for fit in (one_coin, easy_hard):
        one, other = fit(whole, group_shares), fit(small(votes, size), group_shares)
        # Sums over blocks round otherwise, and passes stop where nothing changes by 1e-4.
        assert other(votes) == pytest.approx(one(votes), abs=1e-3)


def crowd_of(rng: np.random.Generator, *, labels: int = 3) -> Labels:
    """Make 150 items with labels by 4 of 9 workers."""
    truth = rng.integers(0, labels, 150)
    right = np.linspace(0.5, 0.95, 9)
    table = np.where(
        rng.random((150, 9)) < right, truth[:, None], rng.integers(0, labels, (150, 9))
    )
    table[rng.random(table.shape) < 0.5] = -1
    table[(table < 0).all(axis=1), 0] = 0
    return as_labels(table, labels)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every crowd for a large one, in blocks of few votes."""
    monkeypatch.setattr(prepare, "MOST_PAIRED", 0)
    monkeypatch.setattr(prepare, "FEWEST", 2)
    monkeypatch.setattr(prepare, "FEW_CLASSIFIERS", 0)
    monkeypatch.setattr(crowd, "MOST_IN_BLOCK", 40)


@pytest.mark.parametrize(
    "asked",
    [
        {"methods": SHOWN},
        {"methods": SHOWN, "metrics": ["f1", "accuracy"]},
        {"methods": SHOWN, "at_least": 1, "min_labels": 70},
        {"methods": SHOWN, "confusion": {"c1": {"0": {"0": 30, "1": 2}}}},
    ],
)
def test_scores_are_those_of_all_votes_at_once(
    asked: dict[str, Any], request: pytest.FixtureRequest
):
    labels = crowd_of(np.random.default_rng(4))
    whole = blind(labels, bootstrap=0, **asked)
    request.getfixturevalue("large")
    found = blind(labels, bootstrap=0, **asked)
    assert whole.diagnostics is not None
    assert found.diagnostics is None
    assert found.method == "consensus"
    for one in whole.classifiers:
        same = found[one.name]
        assert same.labelled == one.labelled
        for method, scores in one.estimates.items():
            for metric, estimate in scores.items():
                other = same.estimates[method][metric]
                assert other.value == pytest.approx(estimate.value, abs=1e-9)
                if method in ("consensus", "one-coin", "easy-hard"):
                    assert (other.low, other.high) == pytest.approx((estimate.low, estimate.high))
        assert same.ranks["consensus"] == one.ranks["consensus"]
        # Intervals of confusions are left out of the whole where a warning speaks against them.
        for true, row in one.confusion.items():
            for given_, cell in row.items():
                assert same.confusion[true][given_].value == pytest.approx(cell.value, abs=1e-9)
        assert {name: e.value for name, e in same.grades.items()} == pytest.approx(
            {name: e.value for name, e in one.grades.items()}
        )
    assert found.labels.columns() == whole.labels.columns()
    assert found.em["em"]["log_likelihood"] == pytest.approx(whole.em["em"]["log_likelihood"])


@pytest.mark.parametrize("method", ["em", "majority"])
def test_labels_by_other_models_are_those_of_all_votes(method: str, request: pytest.FixtureRequest):
    labels = crowd_of(np.random.default_rng(4))
    whole = consensus(labels, method=method).columns()
    request.getfixturevalue("large")
    assert consensus(labels, method=method).columns() == whole


@pytest.mark.usefixtures("large")
def test_what_is_said(monkeypatch: pytest.MonkeyPatch):
    from headcount.blind_evaluation import crowds as analysis

    labels = crowd_of(np.random.default_rng(4))
    text = " ".join(str(blind(labels)).split())
    assert "could be best" in text or "is best" in text
    assert "9 classifiers are too many to compare every two: classifiers that err together" in text
    assert "Do classifiers err independently?" not in text
    assert "95% intervals of consensus by numbers of labels" in text
    assert "bootstrap" not in text
    monkeypatch.setattr(analysis, "MOST_RANKED", 5)
    monkeypatch.setattr(analysis, "MOST_LISTED", 5)
    found = blind(labels)
    assert str(found).startswith("9 classifiers, half of their scores between 0.")
    assert "first comes c8: accuracy 0." in str(found)
    assert not found.leaders
    assert [*found.classifiers[0].estimates] == ["consensus"]
    scores = [c.score.value for c in found.classifiers]
    assert scores == sorted(scores, reverse=True)
    # EM alone has no intervals that hold here.
    alone = blind(labels, methods=["em", "majority"])
    assert alone.method == "em"
    assert alone.classifiers[0].score.low is None
    assert "no intervals" in str(alone)


@pytest.mark.usefixtures("large")
def test_few_items_have_no_scores():
    found = str(blind(as_labels(np.array([[0, 1, 0], [1, 1, 0], [0, 0, 1]]), 2)))
    assert found.startswith("3 items are too few to tell which of 3 classifiers is best.")
    assert "0.6" not in found


@pytest.mark.usefixtures("large")
def test_what_needs_every_two_is_refused():
    labels = crowd_of(np.random.default_rng(4))
    with pytest.raises(OptionError, match="'round-robin' needs all votes and every two"):
        blind(labels, methods=["em", "round-robin"])
    with pytest.raises(OptionError, match=r"'round-robin' gives no labels"):
        consensus(labels, method="round-robin")
    with pytest.raises(OptionError, match="leaves nobody to rank"):
        blind(labels, min_labels=1000)
    with pytest.raises(OptionError, match="9 classifiers are gone over in passes, without groups"):
        blind(labels, group_pattern="c[012]|c.")
    with pytest.raises(OptionError, match=r"'leave-one-out'.*gives no labels of items"):
        consensus(labels, method="leave-one-out")
    found = blind(labels, methods=["em"])
    with pytest.raises(OptionError, match="they were not looked at"):
        plot_residuals(found)
    assert len(draw(found).axes) == 1
    with pytest.raises(OptionError, match="'ppi' needs all votes and every two"):
        blind(labels, gold={1: "1", 2: "0"}, methods=["ppi"])


@pytest.mark.parametrize("which", ["gold", "crowd"])
@pytest.mark.parametrize("number", [30, 90])
def test_gold(which: str, number: int, request: pytest.FixtureRequest):
    """Scores on gold, and their intervals, are those of all votes at once."""
    labels = crowd_of(np.random.default_rng(4))
    rng = np.random.default_rng(5)
    gold = {int(item): str(rng.integers(0, 3)) for item in rng.permutation(150)[:number]}
    asked: dict[str, Any] = {which: gold, "methods": ["direct", "em", "consensus"], "bootstrap": 0}
    whole = blind(labels, **asked)
    request.getfixturevalue("large")
    found = blind(labels, **asked)
    assert found.method == ("direct" if number >= 50 else "consensus")
    assert found.provenance.gold_items == whole.provenance.gold_items
    assert found.provenance.crowd_items == whole.provenance.crowd_items
    for one in whole.classifiers:
        for metric, estimate in one.estimates["direct"].items():
            other = found[one.name].estimates["direct"][metric]
            assert (other.value, other.low, other.high) == pytest.approx(
                (estimate.value, estimate.low, estimate.high)
            )
        assert bool(found[one.name].actual) == (which == "gold")
    text = " ".join(str(found).split())
    if number >= 50:
        assert text.startswith("Of 9 classifiers, c")  # who labelled 30 of them or more
        assert f"Direct was chosen because {number} items have" in text
    assert [*blind(labels, **{which: gold}).provenance.methods][-1] == "direct"


def test_items_with_gold_count_by_how_they_were_drawn(
    request: pytest.FixtureRequest, tmp_path: Path
):
    labels = crowd_of(np.random.default_rng(4))
    path = tmp_path / "gold.csv"
    rows = [f"{item},{item % 3},{0.2 + 0.5 * (item % 2)}" for item in range(70)]
    path.write_text("\n".join(["item,label,probability", *rows]) + "\n")
    asked: dict[str, Any] = {"gold": path, "methods": ["direct"], "bootstrap": 0}
    whole = blind(labels, **asked)
    request.getfixturevalue("large")
    found = blind(labels, **asked)
    for one in whole.classifiers:
        own, other = one.score, found[one.name].score
        assert (other.value, other.low, other.high) == pytest.approx((own.value, own.low, own.high))


def leaning(rng: np.random.Generator, lean: float) -> Labels:
    """Make 40 workers with 6 labels an item, who call what is not the first label so too often."""
    truth = rng.integers(0, 2, 1500)
    table = np.full((1500, 40), -1)
    for item, true in enumerate(truth):
        who = rng.permutation(40)[:6]
        right = 0.97 if true == 0 else 0.9 - lean
        table[item, who] = np.where(rng.random(6) < right, true, 1 - true)
    return as_labels(table, 2)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize(("lean", "warned"), [(0.0, False), (0.3, True)])
def test_a_crowd_that_leans_to_a_label(lean: float, warned: bool):
    found = blind(leaning(np.random.default_rng(1), lean))
    said = [note for note in found.notes if "lean to a label" in note]
    assert bool(said) == warned
    assert (found.classifiers[0].score.low is None) == warned
    assert (", but see the warning" in str(found)) == warned


@pytest.mark.usefixtures("large")
def test_orders_that_contradict_each_other(monkeypatch: pytest.MonkeyPatch):
    from headcount.blind_evaluation import crowds as signs
    from headcount.stats.ranks import kendall

    labels = crowd_of(np.random.default_rng(4))
    monkeypatch.setattr(signs, "LOW_TAU", 1.1)
    found = blind(labels, methods=["em", "leave-one-out"])
    tau = kendall(
        *(
            np.array([c.estimates[name]["accuracy"].value for c in found.classifiers])
            for name in ("em", "leave-one-out")
        )
    )
    assert any(f"(Kendall's tau {tau:.2f})" in note for note in found.notes)


def test_few_classifiers_are_no_crowd(monkeypatch: pytest.MonkeyPatch):
    """Of few, what they have in common is looked at, however many labels there are."""
    labels = crowd_of(np.random.default_rng(4))
    monkeypatch.setattr(prepare, "MOST_PAIRED", 26)
    assert blind(labels, bootstrap=0).diagnostics is not None
    monkeypatch.setattr(prepare, "FEWEST", 9)
    found = blind(labels, bootstrap=0)
    assert found.diagnostics is None
    assert "9 classifiers with 3 labels are too many" in found.why
    assert any("put labels into fewer groups" in note for note in found.notes)
    monkeypatch.setattr(prepare, "MOST_PAIRED", 27)
    assert blind(labels, bootstrap=0).diagnostics is not None


@pytest.mark.usefixtures("large")
def test_gold_that_contradicts_the_votes():
    labels = crowd_of(np.random.default_rng(4))
    best = blind(labels).labels.columns()
    right = dict(zip(best["item"][:40], best["label"][:40], strict=True))
    wrong = {item: str((int(label) + 1) % 3) for item, label in right.items()}

    def said(gold: dict[Any, str]) -> list[str]:
        return [note for note in blind(labels, gold=gold).notes if "labels by consensus" in note]

    assert not said(right)
    assert len(said(wrong)) == 1
    assert said(wrong)[0].startswith("On 40 items with gold, labels by consensus are right in 0%")
    few = dict([*right.items()][:20])
    assert any("with gold are too few to rank by" in note for note in blind(labels, gold=few).notes)


@pytest.mark.usefixtures("large")
def test_classifiers_without_labels_are_left_out():
    labels = crowd_of(np.random.default_rng(4))
    other = np.where(labels.rater == 3, 0, labels.label)
    asked = replace(labels, label=other)
    only = np.where(labels.rater == 3, 0, np.maximum(labels.label, 1))
    found = blind(replace(labels, label=only), abstain="0")
    assert "c3" not in [c.name for c in found.classifiers]
    assert any("1 classifier without any label left out" in note for note in found.notes)
    assert len(blind(asked).classifiers) == 9


@pytest.mark.usefixtures("large")
def test_nobody_shares_an_item():
    """Where no item has two labels, nothing tells how good anybody is, and words say so."""
    table = np.full((60, 6), -1)
    table[np.arange(60), np.arange(60) % 6] = np.arange(60) % 2
    labels = as_labels(table, 2)
    text = " ".join(str(blind(labels)).split())
    assert "0 items only have labels of two classifiers or more: nothing tells" in text
    assert "but see the warning" in text
    alone = str(blind(labels, methods=["leave-one-out"]))
    assert alone.startswith("No score of 6 classifiers by leave one out: nobody else labelled")


@pytest.mark.usefixtures("large")
def test_few_labels_stand_last_if_asked_for(monkeypatch: pytest.MonkeyPatch):
    from headcount.blind_evaluation import crowds as analysis

    monkeypatch.setattr(analysis, "MOST_RANKED", 5)
    labels = crowd_of(np.random.default_rng(4))
    number = sorted(c.labelled for c in blind(labels).classifiers)
    found = blind(labels, min_labels=number[4])
    few = [c.labelled < number[4] for c in found.classifiers]
    assert few == sorted(few)
    first = [c.score.value for c in found.classifiers if c.labelled >= number[4]]
    assert f"(median {np.median(first):.3f})" in " ".join(str(found).split())


@pytest.mark.usefixtures("large")
def test_probabilities_count_in_shares():
    """What classifiers are sure of moves shares of votes, in blocks as at once."""
    from headcount import Predictions

    rng = np.random.default_rng(2)
    table = rng.dirichlet([1, 1], size=(60, 3))
    frame = {"item": [*range(60)]}
    for k in range(3):
        frame[f"m{k}:no"], frame[f"m{k}:yes"] = table[:, k].T.round(3).tolist()
    from headcount import read_predictions

    data: Predictions = read_predictions(frame)
    found = blind(data, methods=["sampling", "em"], bootstrap=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prepare, "MOST_PAIRED", 3000)
        whole = blind(data, methods=["sampling", "em"], bootstrap=0)
    for c in whole.classifiers:
        for method, scores in c.estimates.items():
            value = found[c.name].estimates[method]["accuracy"].value
            assert value == pytest.approx(scores["accuracy"].value, abs=1e-9)
