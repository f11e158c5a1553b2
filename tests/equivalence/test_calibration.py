"""Calibration, and predictions that are not distributions over raters' labels."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import norm, rankdata
from sklearn.isotonic import IsotonicRegression

from headcount import (
    DataError,
    Labels,
    OptionError,
    Predictions,
    Scale,
    alt_test,
    read_predictions,
    running_example,
)
from headcount.data.predictions import Score
from headcount.equivalence import calibration as folding
from headcount.equivalence import classifiers
from headcount.equivalence.calibration import (
    CALIBRATIONS,
    MOST_CELLS,
    ORDERED_LOGIT_RIDGE,
    Isotonic,
    OrderedLogit,
    cross_fit,
    pooled,
    softening,
)
from headcount.equivalence.classifiers import cost_of_learning
from tests.equivalence import full, survey


def overconfident(items=4000, seed=1):
    """Ratings, and the calibrated classifier of the running example pushed towards 0 and 1."""
    labels, predictions = running_example(items, 8, seed=seed)
    p = predictions.classifiers[2].probability ** 3
    pushed = Predictions.from_probabilities(
        predictions.items, predictions.labels, {"pushed": p / p.sum(axis=1, keepdims=True)}
    )
    return labels, predictions, pushed


@pytest.mark.parametrize("method", list(CALIBRATIONS))
def test_calibration_repairs_a_distorted_classifier(method):
    labels, predictions, pushed = overconfident()
    best = survey(labels, predictions, bootstrap=0)["omniscient"].score.value
    result = survey(labels, pushed, calibrate=method, bootstrap=0)
    raw, repaired = result["pushed"], result[f"pushed ({method})"]
    assert [c.name for c in result.classifiers] == ["pushed", f"pushed ({method})"]
    assert raw.score.value < best - 0.02
    # Three values to learn from 4,000 items: each is known to .005, which costs next to nothing.
    assert repaired.score.value == pytest.approx(best, abs=0.003)
    assert any("10-fold cross-fitting" in n for n in result.notes)


@pytest.mark.parametrize("method", list(CALIBRATIONS))
def test_noise_stays_worthless(method):
    """Cross-fitting: a classifier that knows nothing gains nothing from being calibrated."""
    labels, predictions = running_example(300, 6, seed=2)
    noise = np.random.default_rng(0).dirichlet(np.ones(2), size=300)
    random = Predictions.from_probabilities(predictions.items, predictions.labels, {"noise": noise})
    result = survey(labels, random, calibrate=method, bootstrap=0)
    # In-sample isotonic regression would gain some .03 bits on these 300 items.
    assert result[f"noise ({method})"].gain.value < 0.005


def test_hard_classifiers_become_soft():
    labels, predictions = running_example(5000, 6, seed=2)
    result = survey(labels, predictions, calibrate="isotonic", bootstrap=0)
    assert [c.name for c in result.classifiers] == [
        "hard (empirical)",
        "calibrated",
        "calibrated (isotonic)",
        "omniscient",
        "omniscient (isotonic)",
    ]
    # The paper's calibrated classifier is the hard one with the true frequencies.
    softened = result["hard (empirical)"].score.value
    assert softened == pytest.approx(result["calibrated"].score.value, abs=0.002)


@pytest.mark.parametrize("method", list(CALIBRATIONS))
@pytest.mark.parametrize("n_labels", [2, 3])
def test_calibrated_probabilities_are_positive_and_sum_to_one(method, n_labels):
    rng = np.random.default_rng(3)
    probability = rng.dirichlet(np.full(n_labels, 0.3), size=60)
    reference = np.eye(n_labels)[rng.integers(0, n_labels - (n_labels > 2), 60)]
    how = CALIBRATIONS[method]
    chosen = np.eye(n_labels)[probability.argmax(axis=1)]
    for table, made_by in ((probability, how), (chosen, softening(how))):
        out = cross_fit(table, np.arange(60), reference, made_by, 3)
        assert (out > 0).all()
        np.testing.assert_allclose(out.sum(axis=1), 1)


def test_an_item_does_not_see_its_own_labels():
    rng = np.random.default_rng(3)
    probability = rng.dirichlet(np.ones(2), size=40)
    reference = np.eye(2)[rng.integers(0, 2, 40)]
    changed = reference.copy()
    changed[7] = changed[7][::-1]
    for method in CALIBRATIONS.values():
        before, after = (
            cross_fit(probability, np.arange(40), r, method, 1)[7] for r in (reference, changed)
        )
        np.testing.assert_array_equal(before, after)


def test_unknown_method():
    labels, predictions = running_example(30, 4)
    with pytest.raises(OptionError, match="did you mean 'isotonic'"):
        survey(labels, predictions, calibrate="isotonc")


@given(st.integers(0, 1000))
@settings(max_examples=30)
def test_isotonic_is_that_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    p, new = (np.round(rng.random((n, 1)), 1) for n in (40, 30))
    y, weight = rng.random((40, 1)), rng.integers(1, 4, 40).astype(float)
    rule = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(p, y[:, 0], weight)
    both = np.hstack
    made = Isotonic().fit(both([1 - p, p]), both([1 - y, y]), both([1 - new, new]), weight)
    n, base = weight.sum(), (weight @ y[:, 0] + 0.5) / (weight.sum() + 1)
    expected = (n * rule.predict(new[:, 0]) + base) / (n + 1)
    np.testing.assert_allclose(made[:, 1], expected, atol=1e-9)


def many_labels(n_labels=30, items=300, seed=0):
    """A judge who is a rater, three raters, and what is known of the next by the judge's label."""
    rng = np.random.default_rng(seed)
    states = rng.dirichlet(np.full(n_labels, 0.05), items)
    said = np.array([rng.choice(n_labels, 4, p=state) for state in states])
    # With a = .05 for each of L labels, the next is the same with 1.05 / (.05 L + 1).
    after = (np.eye(n_labels) + 0.05) / (1 + 0.05 * n_labels)
    shares = np.eye(n_labels)[said[:, :3]].mean(axis=1)
    return said, shares, after[said[:, 3]]


@pytest.mark.parametrize("items", [150, 600])
def test_many_labels_are_learned_and_not_remembered(items):
    errors = []
    for seed in range(4):
        said, shares, known = many_labels(items=items, seed=seed)
        table, ids = np.eye(30)[said[:, 3]], np.arange(items).astype(str)
        made = cross_fit(table, ids, shares, CALIBRATIONS["empirical"], 0, two_sided=True)
        errors.append((shares * np.log2(made / known)).sum(axis=1).mean())
    assert abs(np.mean(errors)) < 0.03  # .1 where imaginary items say any label


def test_the_cost_of_learning_counts_items_not_rows():
    rng = np.random.default_rng(1)
    shares, out, both = (rng.dirichlet(np.ones(12), 40) for _ in range(3))
    both = (out + both) / 2
    times = rng.integers(1, 4, 40)
    repeated = [np.repeat(each, times, axis=0) for each in (out, both, shares)]
    cost = cost_of_learning(*repeated, np.ones(times.sum()))
    assert cost_of_learning(out, both, shares, times.astype(float)) == pytest.approx(cost)
    assert cost_of_learning(out, out, shares, np.ones(40)) == 0


def test_words_stand_where_labels_are_too_many_to_learn(monkeypatch):
    said, _, _ = many_labels(12, 300)
    names = [f"topic {code}" for code in range(12)]
    rows = [(i, r, names[said[i, r]]) for i in range(300) for r in range(3)]
    labels = Labels.from_triples(*zip(*rows, strict=True))
    judged = {"item": list(range(300)), "judge": [names[code] for code in said[:, 3]]}
    told = survey(labels, judged, combiner="states", bootstrap=50)["judge"]
    assert told.worth.undefined is None
    monkeypatch.setattr(classifiers, "MOST_LEARNING", 0.0)
    soft = Predictions.from_probabilities(range(300), names, {"even": np.full((300, 12), 1 / 12)})
    result = survey(labels, judged, combiner="states", bootstrap=50)
    assert "judge is worth an unknown number of raters (300 items are too few" in full(result)
    assert "no wider here" not in full(result)
    assert any("too few to learn what raters say after each of 12" in n for n in result.notes)
    assert survey(labels, soft, combiner="states", bootstrap=0)["even"].worth.undefined is None


# Predictions that are not distributions over raters' labels: scores, other names, verdicts.


def slow_ordered_logit(x, shares, others):
    """The same likelihood, item by item, maximised without a gradient from several starts."""
    cuts = shares.shape[1] - 1
    normal = norm.ppf((rankdata(x) - 0.5) / len(x))

    def polynomials(at):
        """Powers less what lower ones explain (Gram and Schmidt), at other normal scores."""
        columns, seen = [np.ones(len(at))], [np.ones(len(x))]
        for power in (1, 2, 3):
            column, own = at**power, normal**power
            for c, s in zip(columns, seen, strict=True):
                part = (own @ s) / (s @ s)
                column, own = column - part * c, own - part * s
            columns.append(column / np.sqrt(np.mean(own**2)))
            seen.append(own / np.sqrt(np.mean(own**2)))
        return np.stack(columns[1:], axis=1)

    def probabilities(parameters, z):
        theta = np.concatenate([[-np.inf], np.sort(parameters[:cuts]), [np.inf]])
        return np.array([np.diff(expit(theta - e)) for e in z @ parameters[cuts:]])

    def loss(parameters):
        p = np.maximum(probabilities(parameters, z), 1e-300)
        return (
            -(shares * np.log(p)).sum() + ORDERED_LOGIT_RIDGE / 2 * (parameters[cuts:] ** 2).sum()
        )

    z = polynomials(normal)
    starts = [np.concatenate([np.linspace(-1, 1, cuts), [b, 0, 0]]) for b in (-0.5, 0.5)]
    options = {"xatol": 1e-8, "fatol": 1e-10, "maxiter": 20_000, "maxfev": 20_000}
    fits = [minimize(loss, s, method="Nelder-Mead", options=options) for s in starts]
    found = min(fits, key=lambda f: f.fun)
    base = (shares.sum(axis=0) + 1 / (cuts + 1)) / (len(x) + 1)
    between = [np.interp(one, np.sort(x), np.sort(normal)) for one in others]
    fitted = probabilities(found.x, polynomials(np.array(between)))
    return (len(x) * fitted + base) / (len(x) + 1)


@settings(max_examples=6)
@given(seed=st.integers(0, 2**32 - 1), labels=st.integers(2, 3))
def test_ordered_logit_equals_a_slow_one(seed, labels):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=40)
    state = np.digitize(x + rng.logistic(size=(3, 40)), np.linspace(-1, 1, labels - 1))
    shares = np.stack([(state == code).mean(axis=0) for code in range(labels)], axis=1)
    others = np.linspace(-2, 2, 7)
    ours = OrderedLogit().fit(x[:, None], shares, others[:, None], np.ones(40))
    # Nelder-Mead stops where the loss changes by 1e-10, L-BFGS where it changes by 2e-9 of it.
    np.testing.assert_allclose(ours, slow_ordered_logit(x, shares, others), atol=2e-3)


@pytest.mark.parametrize("name", ["ordered-logit", "logit"])
def test_probabilities_of_numbers(name):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 1))
    shares = np.eye(4)[np.digitize(x[:, 0] + rng.normal(size=200), [-1, 0.5])]  # the last: never
    fit = partial(CALIBRATIONS[name].fit, weight=np.ones(200))
    p = fit(x, shares, np.array([[-50.0], [0.0], [50.0]]))
    assert (p > 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert p[0].argmax() == 0
    assert p[2].argmax() == 2
    scaled = fit(-7 * x + 3, shares, np.array([[353.0], [3.0], [-347.0]]))
    np.testing.assert_allclose(scaled, p, atol=1e-3)  # units and direction do not matter
    bent = fit(np.exp(x), shares, np.exp([[-50.0], [0.0], [50.0]]))
    # Nor does how the score is bent, but for numbers between those learned from.
    np.testing.assert_allclose(bent, p, atol=0.01)
    constant = fit(0 * x, shares, np.zeros((1, 1)))
    np.testing.assert_allclose(constant[0], shares.mean(axis=0), atol=0.01)


def test_many_numbers_are_pooled():
    x = np.random.default_rng(0).normal(size=5000)
    shares = np.eye(2)[(x > 0).astype(int)]
    numbers, total = pooled(x, shares, np.ones(5000))
    assert len(numbers) == MOST_CELLS
    assert total.sum() == 5000
    assert pooled(np.array([1.0, 2, 1]), shares[:3], np.ones(3))[0].tolist() == [1, 2]


def test_two_sided_predictions_have_the_score_of_infinitely_many_items():
    """Held-out scores are too low, in-sample ones too high, and their mean is about right."""
    rng = np.random.default_rng(1)
    errors = {"held-out": [], "two-sided": []}
    for _ in range(40):
        x = rng.normal(size=100)
        truth = np.diff(
            np.pad(
                expit(np.array([-1, 0, 1]) - x[:, None]), ((0, 0), (1, 1)), constant_values=(0, 1)
            ),
            axis=1,
        )
        reference = np.array([rng.multinomial(3, p) for p in truth]) / 3
        best = (reference * np.log(truth)).sum(axis=1).mean()
        for name, errors_of in errors.items():
            p = cross_fit(
                x[:, None],
                np.arange(100),
                reference,
                OrderedLogit(),
                0,
                two_sided=name == "two-sided",
            )
            errors_of.append((reference * np.log(p)).sum(axis=1).mean() - best)
    # 6 parameters, 300 ratings: 6/2/300 = .01 nats either way; .004 is 3 standard errors.
    assert np.mean(errors["held-out"]) < -0.005
    assert abs(np.mean(errors["two-sided"])) < 0.004


def people(items=300, seed=0, words=("bad", "fair", "good"), kind="nominal"):
    """Ratings of items with a state each, and a score that knows the state but for some noise."""
    rng = np.random.default_rng(seed)
    state = rng.normal(size=items)
    said = np.digitize(state[:, None] + rng.logistic(size=(items, 4)) * 0.6, [-0.7, 0.7])
    item, rater = np.repeat(np.arange(items), 4), np.tile(np.arange(4), items)
    labels = Labels.from_triples(
        item, rater, [words[code] for code in said.ravel()], scale=Scale(tuple(words), kind=kind)
    )
    score = Score("judge", state + rng.normal(size=items) * 0.3)
    return labels, Predictions(items=labels.items, labels=(), classifiers=(), scores=(score,))


def test_a_score_is_worth_raters():
    labels, said = people()
    result = survey(labels, said, bootstrap=50)
    (c,) = result.classifiers
    # Labels have no order that anybody told of.
    assert (c.name, c.calibration) == ("judge", "logit")
    assert result.to_dict()["classifiers"][0]["calibration"] == "logit"
    assert c.worth.value > 1
    ranked = survey(labels, said, scale="ordinal", bootstrap=0)
    assert ranked["judge"].calibration == "ordered-logit"
    assert ranked.classifiers[0].score.value == pytest.approx(c.score.value, abs=0.02)
    for scorer in ("rps", "squared-error", "kappa", "agreement"):
        shown = survey(labels, said, scale="ordinal", scorer=scorer, bootstrap=0)
        assert shown["judge"].worth.value > 1


def test_a_score_from_one_to_five_against_words():
    labels, said = people()
    stars = np.clip(np.round(said.scores[0].values + 3), 1, 5).astype(int).tolist()
    judged = Predictions.from_labels(labels.items, {"stars": stars})
    result = survey(labels, judged, bootstrap=0)
    assert [(c.name, c.calibration) for c in result.classifiers] == [("stars", "logit")]
    assert any("'stars' (1 to 5)" in note for note in result.notes)
    assert result["stars"].worth.value > 0.8


def test_hard_numbers_are_shown_raw_and_calibrated_where_both_make_sense():
    labels, said = people(words=("1", "2", "3"))
    chosen = np.digitize(said.scores[0].values, [-0.7, 0.7]) + 1
    judged = Predictions.from_labels(labels.items, {"j": chosen.tolist()})

    def names(scorer):
        return [c.name for c in survey(labels, judged, scorer=scorer, bootstrap=0).classifiers]

    assert names("cross-entropy") == names("rps") == ["j"]
    assert names("squared-error") == names("absolute-error") == ["j", "j (ordered-logit)"]
    assert names("agreement") == names("kappa") == ["j"]
    names_only = survey(labels, judged, scale="nominal", bootstrap=0)
    assert names_only["j"].calibration == "empirical"
    both = survey(labels, judged, scorer="squared-error", bootstrap=0)
    assert both["j (ordered-logit)"].score.value > both["j"].score.value


def test_a_verdict_with_confidence_is_never_refused():
    rng = np.random.default_rng(0)
    state = 1 / (1 + np.exp(-2 * rng.normal(size=300)))
    said = np.where(rng.random((300, 4)) < state[:, None], "yes", "no")
    labels = Labels.from_triples(
        np.repeat(np.arange(300), 4), np.tile(np.arange(4), 300), said.ravel().tolist()
    )
    verdict = np.where(state > 0.5, "yes", "no")
    honest = np.maximum(state, 1 - state)
    sure = np.where(honest > 0.9, 1.0, honest)  # 1: probability 0 of what some raters say
    rows = {"item": labels.items.tolist(), "verdict": verdict.tolist(), "confidence": sure.tolist()}
    read = read_predictions(rows)
    result = survey(labels, read, bootstrap=0)
    assert [c.calibration for c in result.classifiers] == ["empirical"]  # of each confidence
    assert not any("its confidence is not used" in note for note in result.notes)
    mild = read_predictions(rows | {"confidence": (0.8 * honest + 0.1).tolist()})
    both = survey(labels, mild, scorer="brier", bootstrap=0)
    assert [c.name for c in both.classifiers] == ["verdict", "verdict (temperature)"]
    assert both["verdict (temperature)"].score.value > both["verdict"].score.value
    table = read.classifiers[0].probability
    told = Predictions.from_probabilities(labels.items, ["no", "yes"], {"p": table})
    assert any("would be minus infinity" in n for n in survey(labels, told, bootstrap=0).notes)


def test_a_confidence_that_tells_nothing_is_not_used():
    labels, said = people(300, words=("no", "yes", "maybe"))
    verdict = np.where(said.scores[0].values > 0, "yes", "no")
    sure = np.random.default_rng(3).uniform(0.5, 1, len(verdict))
    rows = {"item": labels.items.tolist(), "verdict": verdict.tolist()}
    result = survey(labels, read_predictions(rows | {"confidence": sure.tolist()}), bootstrap=0)
    alone = survey(labels, read_predictions(rows), bootstrap=0)
    assert result["verdict"].calibration == "empirical"
    assert result["verdict"].score.value == pytest.approx(alone["verdict"].score.value, abs=1e-12)
    assert any("its confidence is not used" in note for note in result.notes)


def test_an_item_that_is_not_scored_is_left_out_and_order_changes_nothing():
    labels, said = people(100)
    values = said.scores[0].values.copy()
    values[3] = np.nan
    some = Predictions(items=said.items, labels=(), classifiers=(), scores=(Score("j", values),))
    one = survey(labels, some, bootstrap=20)
    assert one.provenance.items_used == 99
    back = Predictions(
        items=said.items[::-1], labels=(), classifiers=(), scores=(Score("j", values[::-1]),)
    )
    other = survey(labels, back, bootstrap=20)
    assert one.to_dict()["classifiers"] == other.to_dict()["classifiers"]


def test_the_alt_test_takes_scores_beside_labels():
    labels, said = people(words=("1", "2", "3"))
    chosen = np.digitize(said.scores[0].values, [-0.7, 0.7]) + 1
    judged = Predictions.from_labels(labels.items, {"j": chosen.tolist()}) + said
    result = alt_test(labels, judged, epsilon=0.2)
    assert [c.name for c in result.classifiers] == ["j", "judge"]
    for name in ("j", "judge"):
        assert re.search(
            rf"^{name} (passes|fails) the alt-test at epsilon 0.2", str(result), re.MULTILINE
        )
    assert alt_test(labels, judged, epsilon=0.2, scale="nominal").scorer == "agreement"


def test_lists_of_numbers_are_no_labels():
    """Probabilities written as text would each count as a name of its own."""
    labels = Labels.from_triples([1, 1, 2, 2], list("abab"), ["no", "yes", "yes", "no"])
    said = Predictions.from_labels([1, 2], {"judge": ["Prediction: [0.1, 0.9]", "[.5, .5]"]})
    with pytest.raises(DataError, match=r"lists of numbers, which are not labels.*'judge:label'"):
        survey(labels, said)


def unordered(items, seed=0, raters=4):
    """Ratings 1 to 5 where 1 is taken for 4 and 2 for 5, and a judge who is one of the raters."""
    rng = np.random.default_rng(seed)
    kinds = np.full((5, 5), 0.02)
    kinds[np.arange(5), np.arange(5)] = 0.7
    kinds[[0, 1, 3, 4], [3, 4, 0, 1]] = 0.24
    kinds /= kinds.sum(axis=1, keepdims=True)
    above = np.cumsum(kinds[rng.integers(5, size=items)], axis=1)[:, None, :-1]
    said = (rng.random((items, raters + 1))[..., None] > above).sum(axis=-1) + 1
    item, rater = np.repeat(np.arange(items), raters), np.tile(np.arange(raters), items)
    labels = Labels.from_triples(item, rater, said[:, :raters].ravel().tolist())
    return labels, Predictions.from_labels(labels.items, {"judge": said[:, raters].tolist()})


def test_numbers_that_do_not_act_in_order_count_as_names():
    """A judge who is a rater is worth one, also where an ordered logit would see next to none."""
    labels, judged = unordered(1000)
    result = survey(labels, judged, bootstrap=100, ceiling=False)
    assert result["judge"].calibration == "empirical"
    worth = result["judge"].worth
    assert worth.low <= 1 <= worth.high
    assert worth.value == pytest.approx(1, abs=0.3)  # its standard error is about .1
    assert any("when the order of labels is not used" in note for note in result.notes)
    forced = survey(labels, judged, calibrate="ordered-logit", bootstrap=0, ceiling=False)
    assert forced["judge (ordered-logit)"].worth.value < 0.6


def test_labels_that_act_in_order_stay_in_order():
    for seed in range(2):
        labels, said = people(100, seed, words=("1", "2", "3"))
        chosen = np.digitize(said.scores[0].values, [-0.7, 0.7]) + 1
        judged = Predictions.from_labels(labels.items, {"j": chosen.tolist()}) + said
        result = survey(labels, judged, bootstrap=0, ceiling=False)
        assert [c.calibration for c in result.classifiers] == ["ordered-logit"] * 2


def test_some_of_very_many_items_decide(monkeypatch):
    """Which calibration is believed does not hang on all items, where some tell it as well."""
    labels, judged = unordered(1000)
    monkeypatch.setattr(folding, "ENOUGH", 300)
    result = survey(labels, judged, bootstrap=0, ceiling=False)
    assert result["judge"].calibration == "empirical"
