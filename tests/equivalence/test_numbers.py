"""Predictions that are not distributions over raters' labels: scores, other names, verdicts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import norm, rankdata

from headcount import DataError, Labels, Predictions, Scale, read_predictions
from headcount.data.scores import Score
from headcount.equivalence.calibration import folding
from headcount.equivalence.calibration.catalogue import CALIBRATIONS
from headcount.equivalence.calibration.cross_fit import cross_fit
from headcount.equivalence.calibration.numbers import MOST_CELLS, pooled
from headcount.equivalence.calibration.ordered_logit import RIDGE, OrderedLogit
from tests.equivalence import survey


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
        return -(shares * np.log(p)).sum() + RIDGE / 2 * (parameters[cuts:] ** 2).sum()

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
    ours = OrderedLogit().fit(x[:, None], shares, others[:, None])
    # Nelder-Mead stops where the loss changes by 1e-10, L-BFGS where it changes by 2e-9 of it.
    np.testing.assert_allclose(ours, slow_ordered_logit(x, shares, others), atol=2e-3)


@pytest.mark.parametrize("name", ["ordered-logit", "logit"])
def test_probabilities_of_numbers(name):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 1))
    shares = np.eye(4)[np.digitize(x[:, 0] + rng.normal(size=200), [-1, 0.5])]  # the last: never
    p = CALIBRATIONS[name].fit(x, shares, np.array([[-50.0], [0.0], [50.0]]))
    assert (p > 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert p[0].argmax() == 0
    assert p[2].argmax() == 2
    scaled = CALIBRATIONS[name].fit(-7 * x + 3, shares, np.array([[353.0], [3.0], [-347.0]]))
    np.testing.assert_allclose(scaled, p, atol=1e-3)  # units and direction do not matter
    bent = CALIBRATIONS[name].fit(np.exp(x), shares, np.exp([[-50.0], [0.0], [50.0]]))
    # Nor does how the score is bent, but for numbers between those learned from.
    np.testing.assert_allclose(bent, p, atol=0.01)
    constant = CALIBRATIONS[name].fit(0 * x, shares, np.zeros((1, 1)))
    np.testing.assert_allclose(constant[0], shares.mean(axis=0), atol=0.01)


def test_many_numbers_are_pooled():
    x = np.random.default_rng(0).normal(size=5000)
    shares = np.eye(2)[(x > 0).astype(int)]
    numbers, total = pooled(x, shares)
    assert len(numbers) == MOST_CELLS
    assert total.sum() == 5000
    assert pooled(np.array([1.0, 2, 1]), shares[:3])[0].tolist() == [1, 2]


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
    assert c.equivalence.value > 1
    ranked = survey(labels, said, scale="ordinal", bootstrap=0)
    assert ranked["judge"].calibration == "ordered-logit"
    assert ranked.classifiers[0].score.value == pytest.approx(c.score.value, abs=0.02)
    for scorer in ("rps", "squared-error", "kappa", "agreement"):
        shown = survey(labels, said, scale="ordinal", scorer=scorer, bootstrap=0)
        assert shown["judge"].equivalence.value > 1


def test_a_score_from_one_to_five_against_words():
    labels, said = people()
    stars = np.clip(np.round(said.scores[0].values + 3), 1, 5).astype(int).tolist()
    judged = Predictions.from_labels(labels.items, {"stars": stars})
    result = survey(labels, judged, bootstrap=0)
    assert [(c.name, c.calibration) for c in result.classifiers] == [("stars", "logit")]
    assert any("'stars' (1 to 5)" in note for note in result.notes)
    assert result["stars"].equivalence.value > 0.8


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
    with pytest.raises(DataError, match="minus infinity"):
        survey(labels, told, bootstrap=0)  # whoever gives probabilities means 0


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


def test_worth_and_verdict_stand_in_one_row():
    labels, said = people(words=("1", "2", "3"))
    chosen = np.digitize(said.scores[0].values, [-0.7, 0.7]) + 1
    judged = Predictions.from_labels(labels.items, {"j": chosen.tolist()}) + said
    result = survey(labels, judged, alt_test=0.2, bootstrap=20)
    assert result.alt_test is not None
    assert [c.name for c in result.alt_test.classifiers] == ["j", "judge"]
    text = str(result)
    table = text[text.index("alt-test at epsilon 0.2, by rmse") :].splitlines()
    for name in ("j ", "judge "):
        (row,) = [line for line in table if line.startswith(name) and "of 4" in line]
        assert "(" in row  # the interval of its worth
    exact = survey(labels, judged, alt_test=0.2, alt_test_scorer="agreement", bootstrap=0)
    assert exact.to_dict()["alt_test"]["scorer"] == "agreement"


def test_lists_of_numbers_are_no_labels():
    """Probabilities written as text would each count as a name of its own."""
    labels = Labels.from_triples([1, 1, 2, 2], list("abab"), ["no", "yes", "yes", "no"])
    said = Predictions.from_labels([1, 2], {"judge": ["Prediction: [0.1, 0.9]", "[.5, .5]"]})
    with pytest.raises(DataError, match=r"lists of numbers, which are no labels.*'judge:label'"):
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
    worth = result["judge"].equivalence
    assert worth.low <= 1 <= worth.high
    assert worth.value == pytest.approx(1, abs=0.3)  # its standard error is about .1
    assert any("labels have an order, but" in note for note in result.notes)
    forced = survey(labels, judged, calibrate="ordered-logit", bootstrap=0, ceiling=False)
    assert forced["judge (ordered-logit)"].equivalence.value < 0.6


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
