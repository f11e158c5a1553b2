"""The states of items, the combiner that uses them, and classifiers together with raters."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import logsumexp

from headcount import (
    DirichletStates,
    Labels,
    OptionError,
    Predictions,
    running_example,
    simulate_ratings,
    survey,
)
from headcount.equivalence.ceiling import fit_states as fit_ceiling_states
from headcount.equivalence.combiners import LearnedStates
from headcount.equivalence.power_curve import compositions
from headcount.equivalence.states import fit_dirichlet, fit_states, make_support
from headcount.equivalence.surveys import Pool, PooledItems
from headcount.equivalence.together import fit_log_pool
from tests.equivalence.test_surveys import saved_predictions

# The distribution of item states: certified optimum, monotone likelihood, known cases.


def log_likelihood(patterns, multiplicity, support, weight):
    """Term by term, as the formula says."""
    total = 0.0
    for pattern, m in zip(patterns, multiplicity, strict=True):
        chance = sum(
            g * np.prod([t ** int(w) for t, w in zip(theta, pattern, strict=True)])
            for theta, g in zip(support, weight, strict=True)
        )
        total += m * np.log(chance) if m else 0.0
    return total


def directional_derivative(patterns, multiplicity, states):
    f = np.prod(states.support[None] ** patterns[:, None], axis=-1)
    return (multiplicity / (f @ states.weight)) @ f / multiplicity.sum() - 1


@st.composite
def tables(draw):
    patterns = compositions(draw(st.integers(1, 6)), 2)
    size = len(patterns)
    multiplicity = draw(st.lists(st.integers(0, 30), min_size=size, max_size=size))
    if not any(multiplicity):
        multiplicity[0] = 1
    return patterns, np.array(multiplicity, dtype=float)


@settings(max_examples=40, deadline=None)
@given(tables())
def test_fit_is_certified_and_its_likelihood_is_what_it_says(table):
    patterns, multiplicity = table
    states = fit_ceiling_states(patterns, multiplicity)
    assert states.converged
    assert states.weight.min() >= 0
    assert states.weight.sum() == pytest.approx(1, abs=1e-12)
    shown = multiplicity > 0
    # Lindsay: at the optimum no direction gains, and those with weight neither lose.
    gap = directional_derivative(patterns[shown], multiplicity[shown], states)
    assert gap.max() <= 2e-8
    assert states.weight @ np.abs(gap) <= 1e-6
    assert states.log_likelihood == pytest.approx(
        log_likelihood(patterns, multiplicity, states.support, states.weight), abs=1e-8
    )


@settings(max_examples=25, deadline=None)
@given(tables())
def test_likelihood_is_monotone(table):
    patterns, multiplicity = table
    path = [
        float(fit_ceiling_states(patterns, multiplicity, max_iter=steps).log_likelihood)
        for steps in range(12)
    ]
    # Rounding of a sum of up to 200 logs is some 1e-12.
    assert np.all(np.diff(path) >= -1e-8 * multiplicity.sum())


def test_stopped_early_says_so():
    patterns = compositions(4, 2)
    states = fit_ceiling_states(patterns, np.array([9.0, 2, 4, 1, 7]), max_iter=2)
    assert not states.converged
    assert states.n_iter == 2
    assert states.gap > 1e-8


@pytest.mark.filterwarnings("ignore:Values in x were outside bounds")  # SLSQP's own steps
@pytest.mark.parametrize("seed", range(3))
def test_same_optimum_as_a_general_solver(seed):
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(seed)
    patterns = compositions(5, 2)
    multiplicity = rng.integers(0, 40, size=6).astype(float)
    theta = np.linspace(0, 1, 9)
    support = np.column_stack([theta, 1 - theta])
    f = np.prod(support[None] ** patterns[:, None], axis=-1)
    n = multiplicity.sum()
    found = optimize.minimize(
        lambda w: -multiplicity @ np.log(f @ w) / n,
        np.full(9, 1 / 9),
        jac=lambda w: -(multiplicity / (f @ w)) @ f / n,
        bounds=[(1e-12, 1)] * 9,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": np.ones_like},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    states = fit_ceiling_states(patterns, multiplicity, support=support)
    # SLSQP stops where a step gains 1e-14 an item; it is good to about 1e-7 in all.
    assert states.log_likelihood == pytest.approx(-n * found.fun, abs=1e-4)
    assert states.log_likelihood >= -n * found.fun - 1e-6


def test_two_ratings_have_a_closed_form():
    """With 2 ratings the fit is exact where yes-yes and no-no are common enough: 4ac >= b^2."""
    patterns = np.array([[2, 0], [1, 1], [0, 2]])
    states = fit_ceiling_states(patterns, np.array([50.0, 20, 30]))
    f = np.prod(states.support[None] ** patterns[:, None], axis=-1) @ states.weight
    assert f * [1, 2, 1] == pytest.approx([0.5, 0.2, 0.3], abs=1e-6)
    # Less varied than one coin: all items have the same state, the mean.
    alike = fit_ceiling_states(patterns, np.array([10.0, 80, 10]))
    assert alike.weight @ (alike.support[:, 0] - 0.5) ** 2 == pytest.approx(0, abs=1e-6)


def test_one_rating_an_item_tells_the_mean_only():
    patterns = np.array([[1, 0], [0, 1]])
    states = fit_ceiling_states(patterns, np.array([30.0, 70]))
    assert states.weight @ states.support == pytest.approx([0.3, 0.7], abs=1e-6)
    square = states.support[:, 0] ** 2
    low = fit_ceiling_states(patterns, np.array([30.0, 70]), lean=-square)
    high = fit_ceiling_states(patterns, np.array([30.0, 70]), lean=square)
    # Between all items alike (the grid steps by .02 there) and all items sure.
    assert low.weight @ square == pytest.approx(0.09, abs=1e-3)
    assert high.weight @ square == pytest.approx(0.3, abs=1e-3)


def test_leaning_costs_no_likelihood():
    rng = np.random.default_rng(0)
    counts = np.bincount(rng.binomial(3, rng.random(500)), minlength=4).astype(float)
    patterns = np.column_stack([np.arange(4), 3 - np.arange(4)])
    states = fit_ceiling_states(patterns, counts)
    sharp = np.abs(states.support[:, 0] - 0.5)
    ends = [fit_ceiling_states(patterns, counts, lean=s * sharp) for s in (-1, 1)]
    for end in ends:
        # A leaning weighs .02 items, so it can cost at most .02 x log of its spread.
        assert end.log_likelihood == pytest.approx(states.log_likelihood, abs=0.02)
    low, high = (end.weight @ sharp for end in ends)
    assert low < states.weight @ sharp < high


def test_ragged_patterns_and_labels_never_used():
    patterns = np.array([[3, 0, 0], [0, 0, 2], [1, 0, 1], [2, 0, 3]])
    states = fit_ceiling_states(patterns, np.array([10.0, 5, 3, 4]))
    assert states.support.shape[1] == 3
    assert not states.support[:, 1].any()
    assert states.converged


def test_support_is_fine_enough():
    """Twice as many states gain next to nothing: less than .01 in log-likelihood."""
    rng = np.random.default_rng(4)
    for ratings in (3, 10, 40):
        count = np.bincount(rng.binomial(ratings, rng.beta(0.5, 1, 2000)), minlength=ratings + 1)
        patterns = np.column_stack([np.arange(ratings + 1), ratings - np.arange(ratings + 1)])
        states = fit_ceiling_states(patterns, count.astype(float))
        theta = np.sin(np.linspace(0, np.pi / 2, 2 * len(states.support) - 1)) ** 2
        finer = fit_ceiling_states(
            patterns, count.astype(float), support=np.column_stack([theta, 1 - theta])
        )
        assert 0 <= finer.log_likelihood - states.log_likelihood + 1e-4 < 0.02


def test_one_label():
    states = fit_ceiling_states(np.array([[3], [2]]), np.array([4.0, 1.0]))
    assert states.weight == pytest.approx([1.0])
    assert states.log_likelihood == pytest.approx(0)


# The default combiner: states fitted to the items, each scored with itself in and out.


def urn_log_likelihood(a, patterns, multiplicity):
    """Of the Dirichlet-multinomial: draw after draw from Polya's urn, with the penalty."""
    total = 0.0
    for pattern, m in zip(patterns, multiplicity, strict=True):
        urn = np.array(a, dtype=float)
        for label, times in enumerate(pattern):
            for _ in range(times):
                total += m * np.log(urn[label] / urn.sum())
                urn[label] += 1
    return total - 0.5 * ((np.log(np.sum(a)) - np.log(len(a) / 2)) / 3) ** 2


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(2, 5))
def test_no_neighbour_is_more_likely_than_the_fitted_dirichlet(seed, labels, raters):
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(raters, rng.dirichlet(np.ones(labels), size=40))
    patterns, multiplicity = np.unique(counts, axis=0, return_counts=True)
    (a,) = fit_dirichlet(patterns, multiplicity[None].astype(float))
    best = urn_log_likelihood(a, patterns, multiplicity)
    for _ in range(10):
        near = np.clip(a * np.exp(0.05 * rng.standard_normal(labels)), np.exp(-7), np.exp(7))
        # Steps stop when they are smaller than 1e-5, where the likelihood is flat to 1e-6.
        assert urn_log_likelihood(near, patterns, multiplicity) <= best + 1e-6


def test_dirichlet_of_many_data_sets_is_that_of_each():
    patterns = np.array([[3, 0], [2, 1], [1, 2], [0, 3]])
    draws = np.array([[20.0, 5, 5, 20], [5, 20, 20, 5], [40, 1, 0, 2]])
    together = fit_dirichlet(patterns, draws)
    for one, draw in zip(together, draws, strict=True):
        assert fit_dirichlet(patterns, draw[None])[0] == pytest.approx(one, rel=1e-3)


@pytest.mark.parametrize("a", [(1.0, 2.0), (0.2, 0.3), (1.0, 0.5, 2.0), (0.3,) * 5])
def test_support_stands_for_the_dirichlet(a):
    """Means are a / A, second moments a (a + 1) / A (A + 1), to which 1,024 points come near."""
    a = np.array(a)
    support = make_support(a, 5)
    (weight,) = support.weigh(a[None])
    total = a.sum()
    assert weight @ support.theta == pytest.approx(a / total, rel=0.005)
    square = a * (a + 1) / (total * (total + 1))
    assert weight @ support.theta**2 == pytest.approx(square, rel=0.05)
    (other,) = support.weigh(2 * a[None])
    assert other @ support.theta == pytest.approx(a / total, rel=0.005)


def test_predictions_are_those_of_bayes_rule():
    """A slow twin: one observation, state by state."""
    counts = np.random.default_rng(0).multinomial(
        4, [[0.7, 0.2, 0.1]] * 30 + [[0.1, 0.1, 0.8]] * 30
    )
    patterns, multiplicity = np.unique(counts, axis=0, return_counts=True)
    fit = fit_states(patterns, multiplicity, seed=1)
    observed = np.array([2, 0, 1])
    for row, weight in enumerate([fit.weight, *fit.fold_weight]):
        joint = np.zeros(3)
        for theta, g in zip(fit.theta, weight, strict=True):
            joint += g * theta * np.prod(theta**observed)
        assert fit.predict(observed[None])[row, 0] == pytest.approx(joint / joint.sum(), abs=1e-8)


def test_folds_hold_all_items_once_and_know_nothing_of_their_own():
    patterns = np.array([[3, 0], [2, 1], [0, 3]])
    fit = fit_states(patterns, np.array([7, 1, 13]), seed=3)
    assert fit.fold_share.sum(axis=0) == pytest.approx(1)
    # The only item with 2 of 3 is in one fold; where it is left out, it is less expected.
    (fold,) = np.flatnonzero(fit.fold_share[:, 1])
    likelihood = np.prod(fit.theta ** patterns[1], axis=1)
    others = np.delete(np.arange(len(fit.fold_weight)), fold)
    assert fit.fold_weight[fold] @ likelihood < (fit.fold_weight[others] @ likelihood).min()


def test_scores_are_the_mean_of_in_and_out():
    """The curve by hand: every item, every survey, both predictions."""
    made = simulate_ratings(25, 3, states=DirichletStates((1.0, 1.0)), seed=1).labels
    result = survey(made, bootstrap=0)
    counts = made.matrix()
    patterns, pattern = np.unique(counts, axis=0, return_inverse=True)
    items = PooledItems(Pool(patterns), pattern.ravel(), 2)
    fit, before = items.states, -np.inf
    for k, point in enumerate(result.curve):
        total = 0.0
        for p in pattern.ravel():
            surveys = Pool(patterns[[p]]).surveys(k)
            for y, chance, reference in zip(
                surveys.observed[surveys.state], surveys.probability, surveys.reference, strict=True
            ):
                each = np.log2(fit.predict(y[None])[:, 0]) @ reference
                out = fit.fold_share[:, p] @ each[1:]
                total += chance * (each[0] + out) / 2 / len(pattern)
        before = max(total, before)  # more raters are never worse
        assert point.score.value == pytest.approx(before, abs=1e-9)


def test_the_order_and_names_of_items_change_nothing():
    labels, _ = running_example(120, 4, seed=2)
    first = survey(labels, bootstrap=50, seed=5)
    order = np.random.default_rng(0).permutation(120)
    table = labels.label.reshape(120, 4)[order]
    again = Labels.from_triples(
        np.repeat([f"x{i}" for i in range(120)], 4),
        np.tile(np.arange(4), 120),
        np.array(labels.scale.labels)[table].ravel(),
    )
    curve = survey(again, bootstrap=50, seed=5).curve
    assert [p.score for p in curve] == [p.score for p in first.curve]


def test_published_data(data_folder):
    """abc has 1.969, 3.359 and 1.854: with so many items learning costs little."""
    for data, labels, worth in (
        ("running_example", ["pos", "neg"], {"calibrated hard classifier": (1.963, 0.02)}),
        ("toxicity", ["a", "n"], {0: (3.351, 0.03), 1: (1.851, 0.03)}),
    ):
        folder = data_folder / "survey" / data
        predictions = saved_predictions(folder / "soft_predictions.csv", labels)
        max_k = 7 if data == "toxicity" else None
        result = survey(folder / "ratings_wide.csv", predictions, max_k=max_k, bootstrap=0)
        found = {c.name: c.worth.value for c in result.classifiers}
        values = sorted(found.values(), reverse=True)
        for key, (expected, tolerance) in worth.items():
            value = found[key] if isinstance(key, str) else values[key]
            assert value == pytest.approx(expected, abs=tolerance)


def test_learning_costs_no_raters():
    """The failure of abc: five labels, 100 items, a classifier that is worth 2 raters.

    Over 60 data sets abc said 'more than 4' in most; a median of 20 errs by some .25.
    """
    rng = np.random.default_rng(0)
    values = {"states": [], "abc": []}
    for _ in range(20):
        theta = rng.dirichlet(np.ones(5), size=100)
        label = (rng.random((100, 5))[..., None] > np.cumsum(theta, axis=1)[:, None, :-1]).sum(-1)
        judge = (rng.multinomial(2, theta) + 1) / 7
        labels = Labels.from_triples(
            np.repeat(np.arange(100), 5), np.tile(np.arange(5), 100), label.ravel()
        )
        predictions = Predictions.from_probabilities(range(100), list("01234"), {"m": judge})
        for combiner, found in values.items():
            run = survey(labels, predictions, combiner=combiner, bootstrap=0, ceiling=False)
            found.append(run["m"].worth.value)
    assert np.median(values["abc"]) == np.inf
    assert np.median(values["states"]) == pytest.approx(2, abs=0.7)


def test_many_labels_are_counted_on_both_sides():
    made = simulate_ratings(300, 4, states=DirichletStates((0.3,) * 12), seed=1).labels
    ours = survey(made, bootstrap=0, max_k=1)
    theirs = survey(made, bootstrap=0, max_k=1, combiner="abc")
    for one, other in zip(ours.curve, theirs.curve, strict=True):
        assert one.score.value > other.score.value  # the half that has seen the item


def test_beyond_the_data_a_worth_is_extrapolated_and_says_so():
    rng = np.random.default_rng(3)
    theta = rng.dirichlet([1.0, 1.0], size=2000)
    labels = Labels.from_triples(
        np.repeat(np.arange(2000), 3),
        np.tile(np.arange(3), 2000),
        (rng.random((2000, 3)) > theta[:, :1]).astype(int).ravel(),
    )
    judges = {f"m{m}": (rng.multinomial(m, theta) + 1) / (m + 2) for m in (1, 3, 20)}
    predictions = Predictions.from_probabilities(range(2000), ["0", "1"], judges)
    result = survey(labels, predictions, bootstrap=100)
    assert not result["m1"].worth.extrapolated
    worth = result["m3"].worth
    assert worth.extrapolated
    assert worth.low < 3 < worth.high
    assert worth.to_dict()["extrapolated"] is True
    details = " ".join(result.to_text(details=True).split())
    assert "about 3." in details
    assert "raters beyond 2 are extrapolated" in details
    assert result["m20"].worth.censored == "above"
    assert "m20 is worth more than 4 raters" in str(result)
    abc = survey(labels, predictions, bootstrap=0, combiner="abc")
    assert abc["m3"].worth.censored == "above"


def test_few_items_give_words():
    labels, predictions = running_example(12, 4, seed=1)
    result = survey(labels, predictions, bootstrap=50)
    worth = result["calibrated"].worth
    assert worth.undefined == "12 items are too few to tell"
    assert result.curve[1].score.low is None
    assert str(result).startswith("12 items are too few to tell how many raters a classifier is")


def test_abc_warns_where_learning_costs():
    made = simulate_ratings(100, 4, states=DirichletStates((1.0,) * 5), seed=1).labels
    assert any("too few items to learn from" in n for n in survey(made, combiner="abc").notes)
    labels, _ = running_example(1000, 6, seed=1)
    assert not any("to learn from" in n for n in survey(labels, combiner="abc").notes)


def test_sampled_surveys_come_near():
    labels, predictions = running_example(300, 5, seed=1)
    exact = survey(labels, predictions, bootstrap=0)
    sampled = survey(labels, predictions, bootstrap=0, samples=200)
    for one, other in zip(exact.curve, sampled.curve, strict=True):
        # All sets of raters are asked; only folds are drawn, which differ by a thousandth.
        assert one.score.value == pytest.approx(other.score.value, abs=2e-3)


def test_learned_states_predict():
    labels, _ = running_example(500, 6, seed=1)
    learned = survey(labels, bootstrap=0).learned
    assert isinstance(learned, LearnedStates)
    after = learned.predict(np.array([[0, 0], [3, 0], [0, 3]]))
    assert after.sum(axis=1) == pytest.approx(1)
    assert after[1, 0] > after[0, 0] > after[2, 0]


def test_a_result_predicts_after_given_labels():
    labels, _ = running_example(500, 6, seed=1)
    for combiner in ("states", "abc", "frequency", "plurality"):
        scorer = "agreement" if combiner == "plurality" else "cross-entropy"
        result = survey(labels, combiner=combiner, scorer=scorer, bootstrap=0, ceiling=False)
        after = result.predict({"cat": 3})
        assert sum(after.values()) == pytest.approx(1)
        assert after["cat"] > result.predict({"dog": 2, "cat": 1})["cat"]
    with pytest.raises(OptionError, match="unknown label 'bird'"):
        result.predict({"bird": 1})
    with pytest.raises(OptionError, match="counts must be a whole number"):
        result.predict({"cat": -1})


def test_abc_predicts_a_new_item_as_one_that_has_no_ratings_of_its_own():
    """Leaving nothing out: a new item learns from all 3, of which 2 begin with cat."""
    labels = Labels.from_triples(
        [1, 1, 2, 2, 3, 3], [1, 2] * 3, ["cat", "cat", "cat", "dog", "dog", "dog"]
    )
    after = survey(labels, combiner="abc", bootstrap=0).predict({"cat": 1})
    # Chances that an item shows cat and then cat, or dog: 1 + 0 + 0 and 0 + 1/2 + 0.
    assert after["cat"] == pytest.approx(1 / 1.5)


def test_abc_predicts_after_more_labels_than_any_item_has():
    """Each shorter survey is looked at once: after 31 labels there are 252, and many ways down."""
    labels, _ = running_example(200, 4, seed=1)
    result = survey(labels, combiner="abc", bootstrap=0)
    after = result.predict({"cat": 20, "dog": 11})
    # No item has so many: the mean over the surveys of five, whichever raters are missing.
    mean = 0.0
    for cats in range(6):
        chance = math.comb(20, cats) * math.comb(11, 5 - cats) / math.comb(31, 5)
        mean += chance * result.predict({"cat": cats, "dog": 5 - cats})["cat"]
    assert after["cat"] == pytest.approx(mean)
    with pytest.raises(OptionError, match="counts are of too many ratings"):
        result.predict({"cat": 1000})


def test_a_single_item_can_be_fitted():
    """Held out, it leaves no item to learn from: the fold keeps the Dirichlet distribution."""
    fitted = fit_states(np.array([[2, 1]]), np.array([1]))
    predicted = fitted.predict(np.array([[0, 0], [1, 0]]))
    assert np.isfinite(predicted).all()
    np.testing.assert_allclose(predicted.sum(axis=-1), 1)


def test_items_with_few_ratings_help_to_fit_states():
    """A third of the items have two ratings: they are not scored, but their states count."""
    rng = np.random.default_rng(7)
    theta = rng.beta(0.6, 0.6, size=300)
    n = np.where(np.arange(300) < 200, 5, 2)
    item = np.repeat(np.arange(300), n)
    said = np.where(rng.random(len(item)) < theta[item], "yes", "no")
    rater = [f"{i}" for i in range(len(item))]
    labels = Labels.from_triples(item.tolist(), rater, said.tolist())
    result = survey(labels, max_k=4, bootstrap=20)
    assert result.provenance.items_used == 200
    patterns, multiplicity = np.unique(labels.matrix(), axis=0, return_counts=True)
    fit = fit_states(patterns, multiplicity)
    expected = fit.predict(np.array([[0, 2]]))[0, 0, 1]
    # Folds differ with the order of patterns, and so may the number of steps.
    assert result.predict({"yes": 2})["yes"] == pytest.approx(expected, abs=0.01)


def test_items_of_another_kind_do_not_help():
    """Those with two ratings are all agreed, the others open: held-out items speak against them."""
    patterns = np.array([[5, 0], [4, 1], [3, 2], [2, 3], [1, 4], [0, 5]])
    multiplicity = np.array([6, 31, 63, 63, 31, 6])
    short = np.repeat(np.array([[2, 0], [0, 2]]), 100, axis=0)
    pool = PooledItems(Pool(patterns), np.repeat(np.arange(6), multiplicity), 4, 0, short)
    assert len(pool.states.patterns) == 6


def many_labels(items, labels, raters=4, seed=0):
    """Ratings of so many labels that what follows an observation has to be counted, and a judge."""
    rng = np.random.default_rng(seed)
    states = rng.dirichlet(np.full(labels, 2 / labels), size=items)
    above = np.cumsum(states, axis=1)[:, None, :-1]
    said = (rng.random((items, raters + 1))[..., None] > above).sum(axis=-1)
    names = [f"l{code}" for code in range(labels)]
    rated = Labels.from_triples(
        np.repeat(np.arange(items), raters),
        np.tile(np.arange(raters), items),
        [names[code] for code in said[:, :raters].ravel()],
    )
    judged = [names[code] for code in said[:, raters]]
    return rated, Predictions.from_labels(rated.items, {"judge": judged})


def test_surveys_that_many_labels_cannot_teach_are_left_out():
    """Scored with themselves in, items would only be remembered, and the curve would shoot up."""
    labels, judged = many_labels(300, 12)
    result = survey(labels, judged, bootstrap=50)
    assert result.provenance.max_k == 1
    assert any("surveys are of up to 1 rater, not 3" in note for note in result.notes)
    assert not any("moves" in note for note in result.notes)
    worth = result["judge"].worth  # a rater
    assert worth.low < 1 <= worth.high


@pytest.mark.parametrize(("items", "labels", "raters"), [(150, 12, 3), (300, 20, 3), (150, 60, 3)])
def test_many_labels_are_smoothed_and_not_remembered(items, labels, raters):
    """Surveys of one rater score what who knows the states scores, to .06 bits.

    Counted alone, those of 60 labels came out .4 bits too high.
    """

    def known(counts):
        a = {label: number + 2 / labels for label, number in counts.items()}
        return {label: number / sum(a.values()) for label, number in a.items()}

    errors = []
    for seed in range(3):
        rated, _ = many_labels(items, labels, raters, seed)
        made = survey(rated, bootstrap=0, ceiling=False).curve
        best = survey(rated, combiner=known, bootstrap=0, ceiling=False).curve
        errors.append([made[k].score.value - best[k].score.value for k in (0, 1)])
    assert np.abs(np.mean(errors, axis=0)).max() < 0.06


def test_a_few_items_a_label_give_a_worth_that_is_called_approximate():
    labels, judged = many_labels(200, 12, 3)
    result = survey(labels, judged, bootstrap=50)
    assert result["judge"].worth.undefined is None
    assert any("intervals of 'judge' allow for that, and are approx" in n for n in result.notes)
    # Probabilities need not be learned, and their intervals cover: docs/studies/survey.md.
    even = {"even": np.full((200, 12), 1 / 12)}
    soft = Predictions.from_probabilities(labels.items, labels.scale.labels, even)
    assert not any("approximate" in note for note in survey(labels, soft, bootstrap=50).notes)


def test_too_few_ratings_for_so_many_labels_give_words():
    result = survey(*many_labels(60, 40), bootstrap=50)
    assert result["judge"].worth.undefined is not None
    assert "60 items are too few, for so many labels, to tell how many raters" in str(result)
    assert any(
        note.severity == "warning" and "Put labels into fewer" in note for note in result.notes
    )
    assert result.comparisons == ()


# Classifiers and raters together: what is learned, and what is told of it.


@pytest.mark.parametrize("truth", [1, 2])
def test_a_classifier_and_a_rater_are_worth_one_rater_more(truth):
    """A classifier that saw labels of other raters, and one more of them, by construction."""
    rng = np.random.default_rng(truth)
    theta = rng.dirichlet([1.0, 2.0], size=3000)
    labels = Labels.from_triples(
        np.repeat(np.arange(3000), 5),
        np.tile(np.arange(5), 3000),
        (rng.random((3000, 5)) > theta[:, :1]).astype(int).ravel(),
    )
    judge = (rng.multinomial(truth, theta) + np.array([1, 2])) / (truth + 3)
    predictions = Predictions.from_probabilities(range(3000), ["0", "1"], {"m": judge})
    result = survey(labels, predictions, bootstrap=50)
    one = result["m"].with_rater.worth
    # The standard error of a worth is some .15 here.
    assert one.value == pytest.approx(truth + 1, abs=0.45)
    assert one.low < one.value < one.high
    assert result.to_dict()["classifiers"][0]["with_rater"]["k"] == 1
    assert f"Together with one rater, m is worth {one.value:.2f} raters" in str(result)
    assert "with 1" in result.to_text(details=True)


def test_a_classifier_that_knows_nothing_adds_nothing():
    labels, _ = running_example(400, 5, seed=3)
    coin = np.random.default_rng(0).dirichlet([20.0, 20.0], size=400)
    predictions = Predictions.from_probabilities(labels.items, labels.scale.labels, {"coin": coin})
    result = survey(labels, predictions, bootstrap=0)
    one = result["coin"].with_rater.worth
    assert one.value == pytest.approx(1, abs=0.1)
    assert survey(labels, predictions, bootstrap=0, combiner="abc")["coin"].with_rater is None


def test_with_a_rater_no_more_than_one_beyond_the_largest_survey():
    """Two beyond, ordinal labels' intervals cover too little: docs/studies/survey.md."""
    labels, predictions = running_example(300, 3, seed=3)
    result = survey(labels, predictions, bootstrap=20)
    assert result["omniscient"].worth.bounds == (0, 4)
    together = result["omniscient"].with_rater.worth
    assert (together.bounds, together.censored) == ((0, 3), "above")


class TestLogPool:
    """Coefficients against scipy, and against refits without each item."""

    @pytest.fixture
    def rows(self):
        rng = np.random.default_rng(5)
        logs = np.log(rng.dirichlet([1.0, 1.0, 1.0], size=(120, 2))).transpose(0, 2, 1)
        reference = rng.dirichlet([0.3, 0.3, 0.3], size=120)
        item = np.repeat(np.arange(40), 3)
        within = np.tile([0.5, 0.3, 0.2], 40)
        return logs, reference, np.stack([within * (1 + item % 3), within]), item

    @staticmethod
    def slow(logs, reference, weight, start):
        def loss(b):
            log_q = logs @ b
            log_q = log_q - logsumexp(log_q, axis=1, keepdims=True)
            return -weight @ (reference * log_q).sum(axis=1) + 0.5 * ((b - start) ** 2).sum()

        return minimize(loss, start, method="BFGS", options={"gtol": 1e-9}).x

    def test_maximises_the_likelihood(self, rows):
        start = np.array([1.0, 0.0])
        found, _ = fit_log_pool(*rows, start)
        np.testing.assert_allclose(found, self.slow(*rows[:2], rows[2][0], start), atol=1e-5)

    def test_leaves_one_item_of_each_kind_out(self, rows):
        logs, reference, (among, within), item = rows
        start = np.array([1.0, 0.0])
        found, without = fit_log_pool(*rows, start)
        for kind in range(5):
            left = among - np.where(item == kind, within, 0)
            refit = self.slow(logs, reference, left, start)
            # To first order: what is left is small beside what leaving out moves.
            moved = np.abs(refit - found).max()
            np.testing.assert_allclose(without[kind], refit, atol=0.25 * moved)


def test_who_knows_the_label_may_have_all_there_is_to_know():
    """States of few kinds are taken for smoother ones, whose ceiling is too high."""
    rng = np.random.default_rng(2)
    truth = rng.integers(2, size=300)
    label = np.where(rng.random((300, 5)) < 0.1, 1 - truth[:, None], truth[:, None])
    labels = Labels.from_triples(
        np.repeat(np.arange(300), 5), np.tile(np.arange(5), 300), label.ravel()
    )
    knows = [{"item": str(i), "judge": str(t)} for i, t in enumerate(truth)]
    result = survey(labels, knows, bootstrap=100)
    assert result.ceiling.performance_ratio["judge"].high == 1
    # Half of the time it says the other label: then a rater does add something.
    errs = np.where(rng.random(300) < 0.3, 1 - truth, truth)
    half = [{"item": str(i), "judge": str(t)} for i, t in enumerate(errs)]
    share = survey(labels, half, bootstrap=100).ceiling.performance_ratio["judge"]
    assert share.value < share.high < 0.5


def test_predictions_are_rounded_where_they_are_many(monkeypatch):
    """Rounding by a fiftieth of a log moves a score by the square of that, and no more."""
    labels, _ = running_example(600, 4, seed=3)
    judge = np.random.default_rng(0).dirichlet([2.0, 2.0], size=600)
    predictions = Predictions.from_probabilities(labels.items, labels.scale.labels, {"m": judge})

    def score():
        return survey(labels, predictions, bootstrap=0)["m"].with_rater.score.value

    exact = score()
    monkeypatch.setattr("headcount.equivalence.together.ROUND_FROM", 1)
    rounded = score()
    assert rounded != exact
    # Half of what is averaged is by one of twenty folds, which rounding draws anew.
    assert rounded == pytest.approx(exact, abs=1e-3)
