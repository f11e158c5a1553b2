"""Panels of classifiers, and raters as a sample."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from headcount import DataError, Labels, Predictions, panel_worth, survey
from headcount.equivalence.combiners import Frequency
from headcount.equivalence.power_curve import Design
from headcount.equivalence.prepare import Prepared
from headcount.equivalence.scorers import as_scorer
from headcount.equivalence.together import _PRIOR as RIDGE
from headcount.equivalence.together import Evidence, fit_pool, predict_pool
from headcount.equivalence.worth import RaterVariance, Without
from tests.equivalence import full

# Panels of classifiers: pools of log odds, what they are worth, and the choice of the best.


def judged(n: int, accuracies: list[float], *, raters: int = 5, seed: int = 1):
    """People who say what an item's state makes likely, and judges who see states more or less."""
    rng = np.random.default_rng(seed)
    state = rng.beta(0.5, 0.5, size=n)
    said = rng.random((n, raters)) < state[:, None]
    items = np.repeat(np.arange(n), raters)
    labels = Labels.from_triples(items, np.tile(np.arange(raters), n), said.ravel().astype(int))
    top = (state > 0.5).astype(int)
    judges = {
        f"j{k}": np.where(rng.random(n) < accuracy, top, 1 - top)
        for k, accuracy in enumerate(accuracies)
    }
    return labels, Predictions.from_labels(range(n), judges), judges


def slow_fit(evidence: Evidence, members: tuple[int, ...]) -> np.ndarray:
    """The same maximum by a general optimiser, item by item."""
    size, labels = len(members), len(evidence.base)

    def loss(at: np.ndarray) -> float:
        total = RIDGE / 2 * (((at[:size] - 1 / size) ** 2).sum() + (at[size:] ** 2).sum())
        for row, shares in zip(evidence.logs, evidence.shares, strict=True):
            logs = np.log(evidence.base) + at[size:]
            for weight, k in zip(at[:size], members, strict=True):
                logs = logs + weight * row[k]
            total -= shares @ (logs - np.log(np.exp(logs).sum()))
        return float(total)

    start = np.zeros(size + labels)
    return np.asarray(optimize.minimize(loss, start, method="BFGS", tol=1e-10).x)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 3), st.integers(1, 3))
def test_the_pool_is_the_maximum_that_a_general_optimiser_finds(seed, labels, members):
    rng = np.random.default_rng(seed)
    base = rng.dirichlet(np.full(labels, 5))
    logs = np.log(rng.dirichlet(np.ones(labels), size=(12, 3)) + 0.01) - np.log(base)
    evidence = Evidence(base=base, logs=logs, shares=rng.random((12, labels)) * 5, items=30)
    panel = tuple(range(members))
    # The optimiser stops at a gradient of about 1e-5, and the curvature is 1 or more.
    assert fit_pool(evidence, panel) == pytest.approx(slow_fit(evidence, panel), abs=1e-4)


def test_without_ratings_a_pool_is_the_geometric_mean():
    base = np.array([0.5, 0.5])
    odds = np.log(np.array([[[0.8, 0.2], [0.5, 0.5]]]) / base)
    evidence = Evidence(base=base, logs=odds, shares=np.zeros((1, 2)), items=10**9)
    found = predict_pool(evidence, (0, 1), fit_pool(evidence, (0, 1)))
    # sqrt(.8 x .5) to sqrt(.2 x .5) is 2 to 1; a billion items leave no room for one more.
    assert found[0] == pytest.approx([2 / 3, 1 / 3], abs=1e-6)


def test_copies_share_their_weight_and_add_nothing():
    labels, _, judges = judged(400, [0.85, 0.8])
    judges["copy"] = judges["j0"]
    found = panel_worth(labels, Predictions.from_labels(range(400), judges), bootstrap=50)
    by_name = {m.name: m for m in found.members}
    # The penalty of one item in 400 moves with the number of members.
    assert by_name["copy"].adds.value == pytest.approx(0, abs=1e-3)
    assert by_name["j1"].adds.low > 0
    assert found.best[1].members in (("j1", "copy"), ("j0", "j1"))


def test_one_binary_judge_is_worth_what_the_survey_says():
    labels, predictions, _ = judged(500, [0.9, 0.7])
    found = panel_worth(labels, predictions, bootstrap=0)
    known = survey(labels, predictions, bootstrap=0)
    for member in found.members:
        # Calibrated alike, but for one imaginary item here and a penalty there.
        assert member.alone.value == pytest.approx(known[member.name].worth.value, abs=0.03)


def test_every_panel_up_to_five_is_scored_and_all():
    labels, predictions, _ = judged(150, [0.9, 0.8, 0.8, 0.7, 0.7, 0.6])
    found = panel_worth(labels, predictions, bootstrap=20)
    names = [f"j{k}" for k in range(6)]
    expected = {c for size in range(1, 6) for c in combinations(names, size)}
    assert {one.members for one in found.panels} == expected
    assert [len(one.members) for one in found.best] == [1, 2, 3, 4, 5]
    scores = [one.score for one in found.panels]
    assert scores == sorted(scores, reverse=True)
    assert found.to_dict()["everyone"]["value"] == pytest.approx(found.everyone.value)


def test_the_order_of_items_changes_nothing():
    labels, predictions, judges = judged(120, [0.9, 0.8, 0.7])
    back = {name: [int(x) for x in said[::-1]] for name, said in judges.items()}
    other = Predictions.from_labels(range(119, -1, -1), back)
    one, two = (panel_worth(labels, said, bootstrap=20) for said in (predictions, other))
    assert one.to_dict()["best"] == two.to_dict()["best"]
    assert one.to_dict()["panels"] == two.to_dict()["panels"]


def test_the_choice_of_the_best_of_many_equals_is_not_rewarded():
    """Ten coins, of which the luckiest looks better than a coin on the items it was chosen by."""
    labels, predictions, _ = judged(100, [0.5] * 8)
    found = panel_worth(labels, predictions, bootstrap=0)
    pairs = [one.score for one in found.panels if len(one.members) == 2]
    assert max(pairs) > np.mean(pairs) + 0.003  # by luck
    assert found.best[1].worth.value < 0.05


def test_probabilities_are_used_as_they_are():
    rng = np.random.default_rng(3)
    labels, _, _ = judged(300, [0.9], seed=3)
    state = labels.matrix()[:, 1] / 5
    noisy = np.clip(state[:, None] + rng.normal(0, 0.25, size=(300, 2)), 0.05, 0.95)
    soft = Predictions.from_probabilities(
        range(300), ["0", "1"], {f"s{k}": np.c_[1 - noisy[:, k], noisy[:, k]] for k in range(2)}
    )
    hard = Predictions.from_labels(range(300), {f"s{k}": noisy[:, k] > 0.5 for k in range(2)})
    renamed = Predictions.from_labels(
        range(300), {c.name: c.probability.argmax(axis=1) for c in hard.classifiers}
    )
    by_soft = panel_worth(labels, soft, bootstrap=0).panels[0].score
    assert by_soft > panel_worth(labels, renamed, bootstrap=0).panels[0].score + 0.02


def test_few_items_give_words():
    labels, predictions, _ = judged(12, [0.9, 0.8])
    found = panel_worth(labels, predictions, bootstrap=20)
    assert "12 items are too few to tell" in str(found)
    assert found.best[0].worth.undefined


def test_one_classifier_is_no_panel():
    labels, predictions, _ = judged(50, [0.9])
    with pytest.raises(DataError, match="one classifier is not a panel"):
        panel_worth(labels, predictions)


def test_it_is_drawn():
    labels, predictions, _ = judged(60, [0.9, 0.8, 0.7])
    axes = panel_worth(labels, predictions, bootstrap=20).plot()
    assert axes.get_xlabel() == "classifiers in the panel"


def test_one_item_is_too_few_for_a_panel():
    """None was left to learn from, and weights summed to 0."""
    people = Labels.from_triples(["a"] * 3, ["r", "s", "t"], ["yes", "no", "yes"])
    judges = {"item": ["a"], "one": ["yes"], "two": ["no"]}
    with pytest.raises(DataError, match="1 item with ratings and predictions, too few"):
        panel_worth(people, judges, bootstrap=3)


# Raters as a sample: leaving out each of them, by hand and by enumeration.


def random_data(rng, items=30, raters=4, *, severity=1.0, missing=0.0):
    """Two labels; raters differ in how readily they say yes."""
    z = 1.5 * rng.standard_normal(items)
    bias = severity * rng.standard_normal(raters)
    yes = rng.random((items, raters)) < 1 / (1 + np.exp(-z[:, None] - bias))
    item, rater = np.nonzero(rng.random((items, raters)) >= missing)
    names = ["no", "yes"]
    labels = Labels.from_triples(
        item.tolist(),
        [f"r{r}" for r in rater],
        [names[int(yes[i, r])] for i, r in zip(item, rater, strict=True)],
    )
    p = np.clip(1 / (1 + np.exp(-z)), 0.02, 0.98)
    table = {"judge": np.column_stack([1 - p, p]).tolist()}
    return labels, Predictions.from_probabilities(range(items), names, table)


def change_by_hand(labels, probability, left_out, k):
    """Lead over k raters without a rater less the lead with all, survey by survey."""
    told: dict[int, dict[int, int]] = {}
    for item, rater, label in zip(labels.item, labels.rater, labels.label, strict=True):
        told.setdefault(int(item), {})[int(rater)] = int(label)

    def lead(some):
        leads = []
        for item, by in told.items():
            by = {rater: label for rater, label in by.items() if rater in some}
            h = np.mean([np.log2(probability[item, label]) for label in by.values()])
            scores = []
            for asked in combinations(by, k):
                counts = np.bincount([by[r] for r in asked] or [0], minlength=2) * bool(k)
                p = Frequency().predict(counts[None])[0]
                rest = [by[r] for r in by if r not in asked]
                scores.append(np.mean([np.log2(p[label]) for label in rest]))
            leads.append(h - np.mean(scores))
        return np.mean(leads)

    everybody = set(range(len(labels.raters)))
    return lead(everybody - {left_out}) - lead(everybody)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000))
def test_leaving_out_a_rater_by_enumeration(seed):
    """frequency learns nothing, so that every survey can be scored by hand."""
    labels, predictions = random_data(np.random.default_rng(seed), items=12)
    counts = labels.matrix()
    classifier = predictions.classifiers[0]
    prepared = Prepared(
        kept=np.ones(12, dtype=bool),
        items=labels.items,
        counts=counts,
        short=counts[:0],
        amateurs=None,
        n_raters=4,
        max_k=3,
        max_m=0,
        reference_raters=1,
        states=None,
        classifiers=(classifier,),
    )
    scorer = as_scorer("cross-entropy", labels.scale)
    design = Design(
        pools=prepared.pools(),
        reference=prepared.reference,
        classifiers=(classifier,),
        combiner=Frequency(),
        scorer=scorer,
    )
    found = Without(prepared, design, Frequency()).variance(labels, 0)
    for k in range(3):
        by_hand = [change_by_hand(labels, classifier.probability, r, k) for r in range(4)]
        assert found.jackknife[0, k] == pytest.approx(0.75 * np.sum(np.square(by_hand)), rel=1e-9)
    assert found.raters == pytest.approx(4)


def test_ends_by_hand():
    """With no luck, 3 raters and nothing else: t of 2 degrees of freedom is 4.303."""
    curve, h = np.array([0.0, 1.0, 1.5]), np.array([0.8])
    error = 0.1
    one = RaterVariance(np.full((1, 2), error**2), np.zeros((1, 2)), 3)
    still = (np.zeros((2, 3)), np.zeros((2, 1)))
    low, high = one.ends((curve, h), still, 0.95)
    half = 4.302653 * error
    assert low[0] == pytest.approx(0.8 - half, abs=1e-5)
    assert high[0] == pytest.approx(1 + (0.8 - (1 - half)) / 0.5, abs=1e-5)
    # Far beyond the curve it is open.
    assert one.ends((curve, np.array([1.4])), still, 0.95)[1][0] == np.inf


def test_luck_alone_leaves_the_interval_over_items():
    """What raters vary by no more than items let them expect is no difference of raters."""
    rng = np.random.default_rng(0)
    curve, h = np.array([0.0, 1.0, 1.5]), np.array([0.8])
    drawn = (curve + 0.05 * rng.standard_normal((500, 3)), h + 0 * rng.random((500, 1)))
    one = RaterVariance(np.full((1, 2), 1e-6), np.full((1, 2), 2e-6), 3)
    low, high = one.ends((curve, h), drawn, 0.95)
    assert low[0] == pytest.approx(0.8 - 1.96 * 0.05, abs=0.02)
    assert high[0] == pytest.approx(0.8 + 1.96 * 0.05, abs=0.02)


def test_intervals_for_raters_like_these_are_wider():
    labels, predictions = random_data(np.random.default_rng(1), items=200, raters=5)
    over_items = survey(labels, predictions, bootstrap=100)
    wider = survey(labels, predictions, bootstrap=100, intervals="sample")
    a, b = over_items["judge"].worth, wider["judge"].worth
    assert a.value == b.value
    assert b.low <= a.low <= a.high <= b.high
    assert (b.low, b.high) != (a.low, a.high)
    # With five raters both are told.
    assert over_items["judge"].like_these == b
    assert any("For raters like these" in str(note) for note in over_items.notes)
    assert wider.to_dict()["holds_for"] == "for raters like these"
    assert "for raters like these." in " ".join(full(wider).split())
    assert any("shares, differences and of the worth" in note for note in wider.notes)
    assert "those of the worth: for raters like these" in " ".join(full(wider).split())


def test_order_of_ratings_does_not_matter():
    labels, predictions = random_data(np.random.default_rng(2), items=40, raters=4)
    order = np.random.default_rng(0).permutation(len(labels.item))
    names = labels.scale.labels
    shuffled = Labels.from_triples(
        labels.items[labels.item[order]].tolist(),
        labels.raters[labels.rater[order]].tolist(),
        [names[code] for code in labels.label[order]],
    )
    found = [
        survey(each, predictions, bootstrap=50, intervals="sample")["judge"].worth
        for each in (labels, shuffled)
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("raters", "missing", "why"),
    [
        (2, 0.0, "2 raters cannot show how others would differ"),
        (
            3,
            0.0,
            "such intervals need items with three ratings and surveys of two raters (max_k=2)",
        ),
        (60, 0.9, "adds next to nothing"),
    ],
)
def test_says_why_raters_cannot_tell(raters, missing, why):
    data = random_data(np.random.default_rng(3), items=80, raters=raters, missing=missing)
    result = survey(*data, bootstrap=20, intervals="sample", max_k=1)
    assert any(why in str(note) for note in result.notes)
    assert "Intervals do not allow for the choice of raters" in " ".join(str(result).split())
    assert result.to_dict()["holds_for"] == "for raters drawn as these were"
    assert result["judge"].like_these is None


def test_more_items_alone_do_not_narrow_an_interval_for_raters_like_these():
    """Three raters show little of others, however many items they rate."""
    stars, of_judge = "example:stars", "example:judge"
    result = survey(stars, of_judge, bootstrap=100, intervals="sample", max_k=2)
    text = " ".join(str(result).split())
    assert "have more raters rate these items" in text
    assert "to halve the interval" not in text


def test_unknown_kind_of_intervals():
    from headcount.errors import OptionError

    labels, predictions = random_data(np.random.default_rng(4))
    with pytest.raises(OptionError, match="intervals"):
        survey(labels, predictions, intervals="random")


@pytest.mark.parametrize("draws", [0, 1, 2])
def test_few_draws_do_no_harm(draws):
    data = random_data(np.random.default_rng(5), items=40, raters=3)
    result = survey(*data, bootstrap=draws, intervals="sample")
    assert (result["judge"].like_these is not None) == (draws == 2)
