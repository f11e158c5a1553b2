"""Independent errors, hard items or families: slow twin, recovery, invariants."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.special import expit

from headcount import Labels, blind, read_votes
from headcount.blind_evaluation.explanation_models import (
    ADDED,
    Both,
    Difficulty,
    Explanation,
    Families,
    Fitted,
    Independent,
    Pattern,
    agreement,
    covariance,
    fit,
)
from headcount.blind_evaluation.explanations import Explained, condition, explain
from headcount.blind_evaluation.result import BlindResult, ranking
from headcount.blind_evaluation.votes import collect
from tests.blind_evaluation.cases import as_labels, as_votes


def pattern_of(table: np.ndarray, labels: int) -> Pattern:
    said = np.stack([(table == c).astype(float) for c in range(labels)])
    return Pattern(said=said, voted=said.sum(axis=0), weight=np.ones(len(table)))


def drawn(right: np.ndarray, truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.where(rng.random((len(truth), right.shape[-1])) < right, truth[:, None],
                    1 - truth[:, None])  # fmt: skip


def hard_items(seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 600)
    right = expit(np.linspace(0.8, 3, 8) + 2 * rng.normal(size=(600, 1)))
    return drawn(right, truth, rng), truth


def family(members: int, size: int, seed: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 600)
    table = drawn(np.linspace(0.7, 0.9, size), truth, rng)
    base = drawn(np.array([0.72]), truth, rng)[:, 0]
    for k in range(members):
        table[:, k] = np.where(rng.random(600) < 0.75, base, table[:, k])
    return table, truth


def likelihood(
    table: np.ndarray, prior: list[float], model: Explanation, gold: np.ndarray | None = None
) -> float:
    """Log-likelihood by loops, from what the model supposes of items and classifiers."""
    labels, total = len(prior), 0.0
    nodes = [
        [(x, float(p), bool(d)) for x, p, d in zip(h.nodes, h.share, h.draws, strict=True)]
        for h in model.hidden
    ]
    for i, row in enumerate(table):
        parts = []
        for c, state in product(range(labels), product(*nodes)):
            if gold is not None and gold[i] not in (-1, c):
                continue
            others = [label for label in range(labels) if label != c]
            # Every label that each property may draw errors to, if it does.
            for drawn in product(*(others if draws else [None] for _, _, draws in state)):
                p = prior[c]
                for (_, share, _), label in zip(state, drawn, strict=True):
                    p *= share * (1 if label is None else model.spread[c, label])
                for j, label in enumerate(row):
                    if label < 0:
                        continue
                    own = [h.members[j] for h in model.hidden]
                    odds = model.ease[c, j] + sum(
                        h.slope * x
                        for h, (x, _, _), is_in in zip(model.hidden, state, own, strict=True)
                        if is_in
                    )
                    right = expit(odds)
                    wrong = model.spread[c, label]
                    for h, to, is_in in zip(model.hidden, drawn, own, strict=True):
                        if is_in and to is not None:
                            wrong = h.pull * (label == to) + (1 - h.pull) * wrong
                    p *= right if label == c else (1 - right) * wrong
                parts.append(p)
        total += math.log(sum(parts))
    return total


def make(kind: str, start: np.ndarray) -> Explanation:
    members = np.arange(start.shape[1]) < 3
    if kind == "difficulty":
        return Difficulty(start, draws=len(start) > 2)
    if kind == "families":
        return Families(start, (members,))
    return Independent(start) if kind == "independent" else Both(Families(start, (members,)))


@pytest.mark.parametrize("with_gold", [False, True])
@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("kind", ["independent", "difficulty", "families", "both"])
def test_likelihood_by_loops(kind, labels, with_gold):
    """At the fitted parameters, on 40 items with missing votes, and gold of every third."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, labels, 40)
    table = (truth[:, None] + (rng.random((40, 5)) > 0.8) * rng.integers(1, 3, (40, 1))) % labels
    gold = np.where(np.arange(40) % 3 == 0, truth, -1) if with_gold else None
    table[rng.random(table.shape) < 0.2] = -1
    table[(table < 0).all(axis=1), 0] = 1
    model = make(kind, np.full((labels, 5), 0.8))
    pattern = replace(pattern_of(table, labels), gold=gold)
    fit(pattern, model, steps=6)
    held = np.full(labels, 1 / labels)
    slow = likelihood(table, held.tolist(), model, gold)
    # One step more gives the likelihood of the parameters before it.
    assert fit(pattern, model, held, steps=1).log_likelihood == pytest.approx(slow, abs=1e-3)


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("kind", ["independent", "difficulty", "families", "both"])
def test_agreement_by_draws(kind, labels):
    """How often two agree by a model, against 200,000 items that are drawn from it."""
    model = make(kind, np.linspace(0.6, 0.85, 5 * labels).reshape(labels, 5))
    rng = np.random.default_rng(3)
    truth, n = rng.integers(0, labels, 200_000), 200_000
    odds = model.ease[truth]
    wrong = np.repeat(model.spread[truth][:, None], 5, axis=1)
    for h in model.hidden:
        node = rng.choice(len(h.nodes), n, p=h.share)
        odds = odds + h.slope * np.outer(h.nodes[node], h.members)
        like = (truth + rng.integers(1, labels, n)) % labels
        pull = h.pull * np.outer(h.draws[node], h.members)[:, :, None]
        wrong = pull * np.eye(labels)[like][:, None] + (1 - pull) * wrong
    chance = np.cumsum(wrong, axis=2)
    error = (rng.random((n, 5, 1)) > chance).sum(axis=2).clip(0, labels - 1)
    table = np.where(rng.random((n, 5)) < expit(odds), truth[:, None], error)
    found = agreement(model, model.prior / labels)
    for j, k in ((0, 1), (1, 2), (0, 4), (3, 4)):
        assert found[j, k] == pytest.approx((table[:, j] == table[:, k]).mean(), abs=6e-3)


def test_steps_never_lose_likelihood():
    table, _ = hard_items(3)
    reached = []
    for steps in range(1, 12):
        for kind in (Independent, Difficulty):
            start = kind(np.full((2, 8), 0.8))
            found: Fitted = fit(pattern_of(table, 2), start, steps=steps)
            reached.append((kind.__name__, found.log_likelihood))
    for name in ("Independent", "Difficulty"):
        climbed = [value for kind, value in reached if kind == name]
        # Half a hit is added to every count, so that the likelihood alone may lose a trifle.
        assert (np.diff(climbed) > -0.05).all()


def test_independent_errors_are_called_so():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 600)
    found = explain(as_votes(drawn(np.linspace(0.65, 0.9, 7), truth, rng), 2))
    assert found is not None
    assert found.explanations[0].kind == "independent"
    assert not any(one.kind == "families" for one in found.explanations)


def test_hard_items_are_called_difficulty():
    table, truth = hard_items()
    found = explain(as_votes(table, 2))
    assert found is not None
    assert [one.kind for one in found.explanations] == ["difficulty"]
    actual = (table == truth[:, None]).mean(axis=0)
    error = [abs(found.explanations[0].accuracy[f"c{k}"] - actual[k]) for k in range(8)]
    alone = fit(pattern_of(table, 2), Independent(np.full((2, 8), 0.8)))
    assert np.mean(error) < 0.75 * np.abs(alone.accuracy - actual).mean()


def test_a_family_is_named():
    table, truth = family(6, 10)
    found = explain(as_votes(table, 2))
    assert found is not None
    best = found.explanations[0]
    assert best.families == (tuple(f"c{k}" for k in range(6)),)
    actual = (table == truth[:, None]).mean(axis=0)
    assert np.mean([abs(best.accuracy[f"c{k}"] - actual[k]) for k in range(10)]) < 0.03


def test_three_of_five_are_listed_and_gold_would_tell():
    table, truth = family(3, 5)
    found = explain(as_votes(table, 2))
    assert found is not None
    listed = [one for one in found.explanations if one.families == (("c0", "c1", "c2"),)]
    assert listed
    assert len(found.explanations) > 1
    assert found.gold_needed is not None
    assert found.gold_needed < 100
    actual = (table == truth[:, None]).mean(axis=0)
    assert np.mean([abs(listed[0].accuracy[f"c{k}"] - actual[k]) for k in range(5)]) < 0.05
    document = found.to_dict()
    assert document["explanations"][0]["bic"] == 0


def test_order_of_items_does_not_matter():
    table, _ = family(3, 6)
    one = explain(as_votes(table, 2))
    two = explain(as_votes(table[np.random.default_rng(1).permutation(600)], 2))
    assert one is not None
    assert two is not None
    assert one.to_dict() == two.to_dict()


def test_few_classifiers_have_no_explanation():
    table, _ = hard_items()
    assert explain(as_votes(table[:, :3], 2)) is None


# --- what the headline makes of it ----------------------------------------------------------------


def first_lines(result: BlindResult) -> str:
    return " ".join(str(result).split("\n\n")[0].split())


def test_scores_of_the_headline_allow_for_hard_items():
    table, _ = hard_items()
    result = blind(as_labels(table, 2), bootstrap=40)
    assert result.explanations is not None
    right = [result.explanations.explanations[0].accuracy[name] for name in result.leaders]
    said = first_lines(result)
    assert f"accuracy {min(right):.3f} to {max(right):.3f}, allowing for hard items" in said
    assert "This assumes that judges err independently, apart from hard items." in said


def test_no_member_of_the_only_family_is_called_best():
    """Votes of the others favour the six that err together; the explanation says who is best."""
    table, _ = family(6, 10)
    result = blind(as_labels(table, 2), bootstrap=40)
    assert result.explanations is not None
    ranked = result["c9"].ranks["leave-one-out"]["accuracy"]
    assert ranked is not None
    assert ranked > 6
    assert result.leaders[0] == "c9"
    assert not set(result.leaders) & {f"c{k}" for k in range(6)}
    assert "The models assume (1) " in " ".join(first_lines(result).split())


# --- several explanations -------------------------------------------------------------------------


def test_the_interval_holds_those_of_all_explanations():
    """In table, JSON and frame; ranks are the best by any; and each explanation's best has 1."""
    table, truth = family(3, 5)
    result = blind(as_labels(table, 2), bootstrap=40)
    found = result.explanations
    assert found is not None
    assert len(found.explanations) > 1
    assert result.by_explanations
    for c in result.classifiers:
        own = [one.estimates[c.name] for one in found.explanations]
        assert c.score.low == min(one.low for one in own if one.low is not None)
        assert c.score.high == max(one.high for one in own if one.high is not None)
        assert c.score.value == own[0].value
        assert c.rank == min(one.ranks[c.name] for one in found.explanations)
        assert c.score.low < (table[:, int(c.name[1:])] == truth).mean() < c.score.high
    for one in found.explanations:
        best = max(one.accuracy, key=lambda name: one.accuracy[name])
        assert one.ranks[best] == 1
        assert best in result.leaders
    document = result.to_dict()
    assert document["by_explanations"]
    assert document["classifiers"][0]["score"]["low"] == result.classifiers[0].score.low
    assert f" {result.classifiers[0].score.interval()}\n" in str(result)
    assert "right: interval" not in str(result)  # of labels that rest on independent errors


def test_ranks_of_an_explanation_go_by_paired_tests():
    """Errors that go together make differences surer than intervals that overlap would have it."""
    table, _ = hard_items()
    found = explain(as_votes(table, 2))
    assert found is not None
    one = found.explanations[0]
    pattern, model = pattern_of(table, 2), Difficulty(np.full((2, 8), 0.8))
    fitted = fit(pattern, model)
    spread = fitted.covariance(pattern)
    best = int(np.argmax(fitted.accuracy))
    apart = spread[best, best] + spread.diagonal() - 2 * spread[best]
    z = (fitted.accuracy[best] - fitted.accuracy) / np.sqrt(np.maximum(apart, 1e-12))
    # Surely told apart, or surely not, whatever Holm's correction of 28 tests makes of it.
    assert all(one.ranks[f"c{k}"] > 1 for k in np.flatnonzero(z > 3.5))
    assert all(one.ranks[f"c{k}"] == 1 for k in np.flatnonzero(z < 1.9))
    assert (z > 3.5).any()


def test_intervals_of_em_allow_for_hard_items():
    """Votes of 4 judges on 100 items hardly tell: the interval of EM alone would be too short."""
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 2, 100)
    right = expit(np.linspace(0.8, 3, 4) + 2 * rng.normal(size=(100, 1)))
    result = blind(as_labels(drawn(right, truth, rng), 2), bootstrap=60)
    found = result.explanations
    assert found is not None
    assert {one.kind for one in found.explanations} == {"independent", "difficulty"}
    assert not result.by_explanations
    hard = next(one for one in found.explanations if one.kind == "difficulty")
    for c in result.classifiers:
        em, other = c.estimates["em"]["accuracy"], hard.estimates[c.name]
        assert em.low is not None
        assert em.high is not None
        assert other.low is not None
        assert other.high is not None
        assert (c.score.low, c.score.high) == (min(em.low, other.low), max(em.high, other.high))
        assert c.score.value == em.value
    assert "intervals allow for hard items" in " ".join(result.to_text(details=True).split())


def test_biased_methods_have_no_intervals_in_the_main_table():
    rng = np.random.default_rng(9)
    truth = rng.integers(0, 2, 200)
    labels = as_labels(drawn(np.array([0.9, 0.8, 0.7]), truth, rng), 2)
    result = blind(labels, methods=["leave-one-out"], bootstrap=40)
    assert result["c0"].estimates["leave-one-out"]["accuracy"].low is not None
    assert result["c0"].score.low is None
    text = " ".join(result.to_text(details=True).split())
    assert "no intervals, since leave one out is biased" in text
    assert "95% interval rank" not in text


# --- standard errors ------------------------------------------------------------------------------


def by_item(table: np.ndarray, parameters: np.ndarray, nodes: np.ndarray, prior: np.ndarray):
    """Log-likelihood of each item, and accuracies, if some items are harder: two labels."""
    size = table.shape[1]
    ease, slope, odds = parameters[: 2 * size].reshape(2, size), parameters[-2], parameters[-1]
    common = np.array([expit(odds), 1 - expit(odds)])
    total, accuracy = np.zeros(len(table)), np.zeros(size)
    for c in range(2):
        for node, chance in zip(nodes, prior, strict=True):
            right = expit(ease[c] + slope * node)
            each = np.where(table == c, right, 1 - right)
            total += common[c] * chance * np.where(table < 0, 1, each).prod(axis=1)
            accuracy += common[c] * chance * right
    return np.log(total), accuracy


def test_standard_errors_by_differences():
    """The same information and derivatives, found by changing each parameter a little."""
    table, _ = hard_items()
    table = table[:200, :5].copy()
    table[np.random.default_rng(1).random(table.shape) < 0.1] = -1
    table[(table < 0).all(axis=1), 0] = 1
    pattern, model = pattern_of(table, 2), Difficulty(np.full((2, 5), 0.8))
    found = fit(pattern, model)
    # At the parameters before the last update, which the standard errors are not of: again here.
    common = np.array([0.45, 0.55])
    log = np.einsum("crj,chj->crh", pattern.said, np.log(model.right)) + np.einsum(
        "crj,chj->crh", pattern.voted - pattern.said, np.log(1 - model.right)
    )
    joint = np.exp(log) * common[:, None, None] * model.prior[:, None]
    spread = covariance(pattern, model, common, joint / joint.sum(axis=(0, 2))[:, None])
    at = np.array([*model.ease.ravel(), model.hidden[0].slope, np.log(0.45 / 0.55)])
    scores, change = [], []
    for p in range(len(at)):
        step = np.zeros(len(at))
        step[p] = 1e-5
        high, low = (
            by_item(table, at + s, model.hidden[0].nodes, model.prior[0]) for s in (step, -step)
        )
        scores.append((high[0] - low[0]) / 2e-5)
        change.append((high[1] - low[1]) / 2e-5)
    information = np.array(scores) @ np.array(scores).T + np.diag([ADDED / 2] * 10 + [0] * 2)
    change = np.array(change)
    expected = change.T @ np.linalg.solve(information, change)
    # Differences of steps of 1e-5, and a millionth that keeps the information regular.
    assert spread == pytest.approx(expected, rel=1e-3, abs=1e-7)
    error, own = (np.sqrt(table.diagonal()) for table in (expected, found.covariance(pattern)))
    assert own == pytest.approx(error, rel=0.3)


def test_intervals_hold_under_difficulty():
    """30 data sets of 600 items and 8 classifiers: .94 in the study, where EM's hold .2."""
    nodes, weight = np.polynomial.hermite_e.hermegauss(61)
    true = weight @ expit(np.linspace(0.8, 3, 8) + 2 * nodes[:, None]) / weight.sum()
    held = []
    for seed in range(30):
        table, _ = hard_items(seed)
        pattern = pattern_of(table, 2)
        found = fit(pattern, Difficulty(np.full((2, 8), 0.8)))
        error = np.sqrt(found.covariance(pattern).diagonal())
        held += (np.abs(found.accuracy - true) < 1.96 * error).tolist()
        assert abs((found.accuracy - true).mean()) < 0.12
    # Classifiers of one data set are off together: the error of the mean is about .03.
    assert np.mean(held) > 0.85


def test_hard_items_make_no_group_guilty():
    """Errors of all go together; those of a group that shares more are said to, and with both."""
    table, _ = hard_items()
    groups = {f"c{k}": "one" if k < 3 else "two" for k in range(8)}
    alike = blind(as_labels(table, 2), groups=groups, methods=["leave-group-out"], bootstrap=0)
    assert [note for note in alike.notes if "items are hard" in note]
    assert not [note for note in alike.notes if "err together" in note]
    table[:, 1] = np.where(np.arange(600) % 3 > 0, table[:, 0], table[:, 1])
    table[:, 2] = np.where(np.arange(600) % 3 < 2, table[:, 0], table[:, 2])
    found = blind(as_labels(table, 2), groups=groups, methods=["leave-group-out"], bootstrap=0)
    assert [note for note in found.notes if "of group 'one' err together" in note]
    assert not [note for note in found.notes if "give groups" in note]


def test_gold_decides_where_votes_do_not():
    """Three of five share a base: votes take that for hard items, and gold of 60 items tells."""
    table, truth = family(3, 5, seed=11)
    votes = explain(as_votes(table, 2))
    gold = {i: str(truth[i]) for i in range(60)}
    known = blind(as_labels(table, 2), gold=gold, methods=["direct"], bootstrap=0).explanations
    assert votes is not None
    assert known is not None
    assert votes.explanations[0].kind == "difficulty"
    assert not [one for one in known.explanations if one.kind == "difficulty"]
    assert known.gold_items == 60
    assert known.explanations[0].families == (("c0", "c1", "c2"),)
    actual = (table == truth[:, None]).mean(axis=0)
    error = [abs(known.explanations[0].accuracy[f"c{k}"] - actual[k]) for k in range(5)]
    assert max(error) < 0.05


def shared_wrong(seed: int = 4, difficulty: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Four of ten share which wrong label of three they give."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, 500)
    odds = np.linspace(0.7, 2.2, 10) + difficulty * rng.normal(size=(500, 1))
    wrong = (truth[:, None] + rng.integers(1, 3, size=(500, 10))) % 3
    table = np.where(rng.random((500, 10)) < expit(odds), truth[:, None], wrong)
    base = np.where(rng.random(500) < 0.72, truth, (truth + rng.integers(1, 3, 500)) % 3)
    for k in range(4):
        table[:, k] = np.where(rng.random(500) < 0.75, base, table[:, k])
    return table, truth


@pytest.mark.parametrize("difficulty", [0.0, 1.5])
def test_a_family_that_shares_wrong_labels(difficulty):
    """It is named, also where items are hard beside that, and no other is."""
    table, truth = shared_wrong(difficulty=difficulty)
    result = blind(as_labels(table, 3), methods=["em"], bootstrap=0)
    found = result.explanations
    assert found is not None
    first = found.explanations[0]
    assert first.kind == ("difficulty and families" if difficulty else "families")
    assert first.families == (("c0", "c1", "c2", "c3"),)
    assert found.unexplained == ()
    actual = (table == truth[:, None]).mean(axis=0)
    assert np.mean([abs(first.accuracy[f"c{k}"] - actual[k]) for k in range(10)]) < 0.03
    notes = " ".join(result.notes)
    assert "err together" in notes
    assert ("items are hard" in notes) == (difficulty > 0)


def test_four_families_are_named():
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 500)
    table = drawn(np.linspace(0.65, 0.85, 10), truth, rng)
    for k in range(0, 8, 2):
        table[:, k] = np.where(rng.random(500) < 0.7, table[:, k + 1], table[:, k])
    found = explain(as_votes(table, 2))
    assert found is not None
    assert found.explanations[0].families == tuple((f"c{k}", f"c{k + 1}") for k in range(0, 8, 2))


def test_what_no_explanation_accounts_for_is_said():
    """Seven pairs share more than half of their answers: more families than are tried."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 500)
    table = drawn(np.linspace(0.65, 0.85, 14), truth, rng)
    for k in range(0, 14, 2):
        table[:, k] = np.where(rng.random(500) < 0.7, table[:, k + 1], table[:, k])
    result = blind(as_labels(table, 2), methods=["em"], bootstrap=0)
    found = result.explanations
    assert found is not None
    assert found.unexplained
    assert all(one.low is None for one in found.explanations[0].estimates.values())
    assert [note for note in result.notes if "No explanation that was tried accounts" in note]
    alike = explain(as_votes(hard_items()[0], 2))
    assert alike is not None
    assert alike.unexplained == ()


def test_neighbours_are_no_family():
    """Errors on five grades are neighbours for all alike: nobody errs together for that."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 5, 500)
        step = rng.choice([-1, 1], size=(500, 8))
        wrong = truth[:, None] + step
        wrong = np.where((wrong < 0) | (wrong > 4), truth[:, None] - step, wrong)
        right = rng.random((500, 8)) < np.linspace(0.65, 0.9, 8)
        found = explain(as_votes(np.where(right, truth[:, None], wrong), 5))
        assert found is not None
        assert found.explanations[0].kind == "independent"
        assert not found.has_families
        assert found.unexplained == ()


def test_hard_items_that_look_like_another_label_make_nobody_guilty():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 4, 500)
    right = expit(np.linspace(0.8, 3, 7) + 2 * rng.normal(size=(500, 1)))
    like = (truth + rng.integers(1, 4, 500))[:, None] % 4
    wrong = (truth[:, None] + rng.integers(1, 4, size=right.shape)) % 4
    wrong = np.where(rng.random(right.shape) < 0.75, like, wrong)
    found = explain(as_votes(np.where(rng.random(right.shape) < right, truth[:, None], wrong), 4))
    assert found is not None
    assert [one.kind for one in found.explanations] == ["difficulty"]


def test_no_label_is_true_nearly_everywhere():
    """Raters who differ on many items: that all are 'toxic', and most raters wrong, fits best."""
    labels = read_votes("example:ratings")
    assert isinstance(labels, Labels)
    found = explain(collect(labels))
    assert found is not None
    for one in found.explanations:
        assert np.mean(list(one.accuracy.values())) > 0.6


def test_no_explanation_has_all_below_a_guess():
    """Hard items and a family: difficulty alone takes the errors of the others for the truth."""
    rng = np.random.default_rng(101)
    truth = rng.integers(0, 2, 500)
    rng.random((500, 10)), rng.integers(1, 2, (500, 10))  # as the study draws
    table = drawn(expit(np.linspace(0.8, 2.5, 10) + 1.5 * rng.normal(size=(500, 1))), truth, rng)
    base = drawn(np.array([0.72]), truth, rng)[:, 0]
    for k in range(4):
        table[:, k] = np.where(rng.random(500) < 0.75, base, table[:, k])
    found = explain(as_votes(table, 2))
    assert found is not None
    assert ("c0", "c1", "c2", "c3") in found.explanations[0].families
    for one in found.explanations:
        assert np.mean(list(one.accuracy.values())) > 0.5


def test_a_family_of_six_is_named_in_full():
    """One name more is as short as 'and 1 other'."""
    said = {}
    for size in (5, 6, 7):
        members = tuple("abcdefg"[:size])
        one = Explained(kind="families", families=(members,), bic=0.0, estimates={}, ranks={})
        said[size] = condition(one)
    assert said[5] == "a, b, c, d and e err together"
    assert said[6] == "a, b, c, d, e and f err together"
    assert said[7] == "a, b, c, d, e and 2 others err together"


def test_without_ranks_nothing_is_said_of_them():
    """Two camps of four: EM and the votes of the others contradict each other."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 300)
    said = np.where(rng.random((300, 8)) < 0.8, truth[:, None], 1 - truth[:, None])
    for camp in (slice(0, 4), slice(4, 8)):
        base = np.where(rng.random(300) < 0.72, truth, 1 - truth)
        said[:, camp] = np.where(rng.random((300, 4)) < 0.75, base[:, None], said[:, camp])
    result = blind(as_labels(said, 2), bootstrap=20, methods=["em", "consensus", "leave-one-out"])
    assert result.by_explanations
    result = replace(
        result, classifiers=tuple(replace(one, rank=None) for one in result.classifiers)
    )
    assert "significantly better" not in str(ranking(result).more)
