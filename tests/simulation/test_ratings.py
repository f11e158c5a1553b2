"""Synthetic data are what they are said to be."""

from __future__ import annotations

import numpy as np
import pytest

from headcount import OptionError, running_example, survey
from headcount.data.predictions import Classifier
from headcount.simulation.ratings import simulate_ratings
from headcount.simulation.states import (
    DirichletStates,
    DiscreteStates,
    SimulatedClassifier,
)

RUNNING = DiscreteStates([(0.8, 0.2), (0.1, 0.9), (0.5, 0.5)], (0.7, 0.2, 0.1))
BETA = DirichletStates((2, 5))
THREE = DirichletStates((1, 1, 0.5))
ALL = [RUNNING, BETA, THREE]
NAMES = ["discrete", "beta", "dirichlet"]


def mean(states):
    return states.posterior_mean(np.zeros((1, states.size), dtype=int))[0]


def matrix(made):
    """Label codes, items x raters; -1 where there is none."""
    labels = made.labels
    out = np.full((len(labels.items), len(labels.raters)), -1)
    out[labels.item, labels.rater] = labels.label
    return out


# States


@pytest.mark.parametrize("states", ALL, ids=NAMES)
def test_states_are_distributions_with_the_right_mean(states):
    drawn = states.draw(40_000, np.random.default_rng(1))
    assert drawn.shape == (40_000, states.size)
    assert (drawn >= 0).all()
    np.testing.assert_allclose(drawn.sum(axis=1), 1)
    # A standard deviation is at most .5, so that of the mean is at most .0025.
    np.testing.assert_allclose(drawn.mean(axis=0), mean(states), atol=0.01)


def test_moments_of_a_beta():
    drawn = BETA.draw(100_000, np.random.default_rng(2))[:, 0]
    # Mean a / n and variance ab / (n^2 (n + 1)), n = a + b. The standard deviation is .16, so the
    # standard error of the mean is .0005 and that of the variance about .0001.
    assert drawn.mean() == pytest.approx(2 / 7, abs=0.002)
    assert drawn.var() == pytest.approx(10 / (49 * 8), abs=0.0005)


def test_a_label_that_a_state_never_gives_rules_it_out():
    states = DiscreteStates([(1, 0), (0.5, 0.5)], (0.9, 0.1))
    np.testing.assert_allclose(states.posterior_mean([[5, 1]]), [[0.5, 0.5]])
    certain = DiscreteStates([(1, 0), (0, 1)], (1, 0))
    np.testing.assert_allclose(certain.posterior_mean([[0, 0], [2, 0]]), [[1, 0], [1, 0]])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DiscreteStates([(0.8, 0.3)]), "state 0.8,0.3: a state is a probability"),
        (lambda: DiscreteStates([(1.2, -0.2)]), "state 1.2,-0.2: .* none negative"),
        (lambda: DiscreteStates([(1.0,)]), "at least two labels"),
        (lambda: DiscreteStates([(float("nan"), 1)]), "state nan,1"),
        (lambda: DiscreteStates([(0.5, 0.5), (1, 0, 0)]), r"got states of \[2, 3\] labels"),
        (lambda: DiscreteStates([]), "same labels"),
        (lambda: DiscreteStates([(0.5, 0.5)], (1, 2)), "weights 1,2: 1 state .* as many weights"),
        (lambda: DiscreteStates([(0.5, 0.5)], (0,)), "not all 0"),
        (lambda: DiscreteStates([(0.5, 0.5)] * 2, (-1, 2)), "weights -1,2: .* none negative"),
        (lambda: DirichletStates((2, 0)), "alpha 2,0: .* positive number"),
        (lambda: DirichletStates((2,)), "at least two labels"),
        (lambda: DiscreteStates(123), "states must be a list of states, not 123"),
        (lambda: DiscreteStates([0.5, 0.5]), "state 0.5: a state is a probability"),
        (lambda: DirichletStates(5), "alpha 5: .* positive number"),
        (lambda: DirichletStates(("a", "b")), "alpha a,b"),
    ],
)
def test_states_that_make_no_sense(make, message):
    with pytest.raises(OptionError, match=message):
        make()


# Ratings


@pytest.mark.parametrize("states", ALL, ids=NAMES)
def test_labels_follow_the_states(states):
    made = simulate_ratings(20_000, 6, states=states, seed=3)
    shown = made.labels.counts()
    share = shown.patterns[shown.pattern] / 6
    # Given its state, the share of a label has a variance of at most .25 / 6; the mean over
    # 20,000 items has a standard error of at most .0015, with weights that are at most 1 too.
    np.testing.assert_allclose(share.mean(axis=0), made.states.mean(axis=0), atol=0.006)
    np.testing.assert_allclose(
        (share * made.states).mean(axis=0), (made.states**2).mean(axis=0), atol=0.006
    )
    # Two raters are independent given the state: they agree as often as the states say.
    table = matrix(made)
    agree = (table[:, 0] == table[:, 1]).mean()
    # Standard error at most .5 / sqrt(20,000) = .0035.
    assert agree == pytest.approx((made.states**2).sum(axis=1).mean(), abs=0.014)


def test_noise_is_uniform_over_the_labels():
    states = DiscreteStates([(1, 0, 0)])
    made = simulate_ratings(30_000, 2, states=states, noise=0.3, seed=4)
    share = np.bincount(made.labels.label, minlength=3) / len(made.labels)
    # 60,000 labels: standard error at most .002.
    np.testing.assert_allclose(share, [0.8, 0.1, 0.1], atol=0.008)


def test_one_option_changes_only_what_it_must():
    def make(**options):
        return simulate_ratings(300, 8, states=BETA, ratings=(2, 6), seed=5, **options)

    plain, noisy = make(), make(noise=0.2)
    np.testing.assert_array_equal(plain.states, noisy.states)
    np.testing.assert_array_equal(plain.labels.item, noisy.labels.item)
    np.testing.assert_array_equal(plain.labels.rater, noisy.labels.rater)
    changed = (plain.labels.label != noisy.labels.label).mean()
    assert 0 < changed < 0.2  # half of the noise hits the label that was there
    other = make(classifiers=["omniscient", "calibrated:7", "calibrated"])
    np.testing.assert_array_equal(plain.labels.label, other.labels.label)
    np.testing.assert_array_equal(
        plain.predictions.classifiers[2].probability, other.predictions.classifiers[2].probability
    )


def test_ragged_numbers_of_ratings():
    made = simulate_ratings(30_000, 9, states=BETA, ratings=(3, 6), seed=6)
    each = (matrix(made) >= 0).sum(axis=1)
    # A quarter of the items each; standard error .0025. Every rater does 4.5 / 9 of the items;
    # standard error .003.
    np.testing.assert_allclose(np.bincount(each)[3:] / 30_000, 0.25, atol=0.01)
    assert set(each) == {3, 4, 5, 6}
    np.testing.assert_allclose((matrix(made) >= 0).mean(axis=0), 0.5, atol=0.012)
    same = simulate_ratings(100, 9, states=BETA, ratings=4, seed=6)
    assert set((matrix(same) >= 0).sum(axis=1)) == {4}


def test_missing_ratings_are_missing_at_random():
    made = simulate_ratings(30_000, 5, states=BETA, missing=0.3, seed=7)
    there = matrix(made) >= 0
    # 30,000 items a rater: standard error .0026.
    np.testing.assert_allclose(there.mean(axis=0), 0.7, atol=0.01)
    # Binomial over items, so some have none; they remain items.
    assert (there.sum(axis=1) == 0).mean() == pytest.approx(0.3**5, abs=0.002)
    assert len(made.labels.items) == 30_000
    # Whether a rating is there says nothing of the state: 4 standard errors of .16 / 100.
    assert made.states[there[:, 0], 0].mean() == pytest.approx(2 / 7, abs=0.005)


def test_many_raters_are_drawn_in_blocks(monkeypatch):
    import headcount.simulation.ratings as module

    monkeypatch.setattr(module, "BLOCK", 50)
    made = simulate_ratings(101, 20, states=BETA, ratings=(1, 20), missing=0.1, seed=8)
    assert (matrix(made)[-3:] >= 0).any()


def test_experts_answer_from_the_state_and_amateurs_do_not():
    states = DiscreteStates([(1, 0)])
    made = simulate_ratings(
        20_000, 5, states=states, experts=2, noise=0.1, amateur_noise=0.5, seed=9
    )
    assert made.labels.raters.tolist() == [
        "expert_1",
        "expert_2",
        "amateur_1",
        "amateur_2",
        "amateur_3",
    ]
    assert made.experts == ("expert_1", "expert_2")
    wrong = (matrix(made) == 1).mean(axis=0)
    # Half of the random answers are wrong. Amateurs are random with 1 - .9 x .5 = .55. Standard
    # error at most .0032.
    np.testing.assert_allclose(wrong, [0.05] * 2 + [0.275] * 3, atol=0.013)
    # The omniscient classifier knows what a rater chosen at random will say.
    omniscient = made.predictions.classifiers[-1].probability
    np.testing.assert_allclose(omniscient[:, 1], (2 * 0.05 + 3 * 0.275) / 5)
    assert "; 2 experts; hard" in repr(made)


def test_the_same_seed_gives_the_same_data():
    one, two, other = (
        simulate_ratings(50, 4, states=BETA, noise=0.1, missing=0.2, seed=seed)
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(matrix(one), matrix(two))
    for a, b in zip(one.predictions.classifiers, two.predictions.classifiers, strict=True):
        np.testing.assert_array_equal(a.probability, b.probability)
    assert (matrix(one) != matrix(other)).any()
    # A generator goes on where it is.
    rng = np.random.default_rng(1)
    first, second = (simulate_ratings(50, 4, states=BETA, seed=rng) for _ in range(2))
    assert (first.states != second.states).any()


def test_names_of_labels_and_raters():
    made = simulate_ratings(5, 2, states=THREE, labels=["no", "unsure", "yes"])
    assert made.labels.scale.labels == made.predictions.labels == ("no", "unsure", "yes")
    assert made.labels.raters.tolist() == ["rater_1", "rater_2"]
    assert made.experts == ()
    many = simulate_ratings(5, 2, states=DirichletStates([1] * 27))
    assert many.labels.scale.labels[-1] == "27"
    assert made.truth.classifiers[0].probability is made.states


# Classifiers


@pytest.mark.parametrize("noise", [0, 0.3])
@pytest.mark.parametrize("states", ALL, ids=NAMES)
def test_calibrated_is_calibrated_and_soft_is_not(states, noise):
    made = simulate_ratings(
        60_000, 2, states=states, noise=noise, classifiers=["calibrated:4", "soft:4"], seed=10
    )
    said = matrix(made)[:, 0] == 0
    gaps = []
    for classifier in made.predictions.classifiers:
        p = classifier.probability[:, 0]
        cell = np.digitize(p, np.linspace(0, 1, 11))
        gap = 0
        for each in np.unique(cell):
            mine = cell == each
            n = int(mine.sum())
            # Standard errors of a share among n items; the 1 / n is for shares near 0 or 1.
            error = np.sqrt(p[mine].mean() * (1 - p[mine].mean()) / n) + 1 / n
            gap = max(gap, abs(said[mine].mean() - p[mine].mean()) / error)
        gaps.append(gap)
    # At most 10 cells in each of 8 cases: the largest of 80 standard normals is below 4 but once
    # in 200 such tests, and this one has a seed.
    assert gaps[0] < 4
    assert gaps[1] > 10


def test_hard_is_the_likeliest_label_of_the_same_view():
    made = simulate_ratings(2000, 2, states=THREE, noise=0.2, seed=11)
    hard, soft, calibrated, omniscient = (c.probability for c in made.predictions.classifiers)
    np.testing.assert_array_equal(hard.argmax(axis=1), calibrated.argmax(axis=1))
    assert set(hard.ravel()) == {0, 1}
    # Sharper by the square, on the odds.
    np.testing.assert_allclose(soft[:, 0] / soft[:, 1], (calibrated[:, 0] / calibrated[:, 1]) ** 2)
    np.testing.assert_allclose(omniscient, 0.8 * made.states + 0.2 / 3)
    for table in (soft, calibrated, omniscient):
        np.testing.assert_allclose(table.sum(axis=1), 1)
    even = simulate_ratings(2000, 2, states=THREE, noise=0.2, sharpness=1, seed=11)
    np.testing.assert_allclose(even.predictions.classifiers[1].probability, calibrated)
    extreme = simulate_ratings(200, 2, states=THREE, sharpness=1e6, seed=11)
    assert np.isfinite(extreme.predictions.classifiers[1].probability).all()


def test_a_classifier_that_has_seen_nothing_gives_the_mean():
    made = simulate_ratings(10, 2, states=BETA, classifiers=["calibrated:0"])
    np.testing.assert_allclose(made.predictions.classifiers[0].probability, [[2 / 7, 5 / 7]] * 10)


class Modest(SimulatedClassifier):
    """A classifier of a user's own: half way between what it expects and no idea at all."""

    kind = "modest"

    def predict(self, sight):
        return Classifier(self.name, "soft", (sight.expected + 1 / sight.expected.shape[1]) / 2)


def test_a_classifier_of_the_users_own_stands_beside_the_others():
    made = simulate_ratings(
        50, 2, states=THREE, classifiers=["calibrated", Modest(), Modest(5)], seed=2
    )
    calibrated, own, seen_more = made.predictions.classifiers
    assert (own.name, seen_more.name) == ("modest", "modest_5")
    np.testing.assert_allclose(own.probability, calibrated.probability / 2 + 1 / 6)
    assert (own.probability != seen_more.probability).any()
    with pytest.raises(OptionError, match="repeated: 'modest'"):
        simulate_ratings(5, 2, states=THREE, classifiers=[Modest(), Modest()])


@pytest.mark.parametrize("options", [{"items": 2.5}, {"raters": 10**12}, {"seed": "x"}])
def test_bad_sizes_of_the_running_example_are_refused(options):
    with pytest.raises(OptionError, match=f"{next(iter(options))} must be a whole number"):
        running_example(**options)


@pytest.fixture(scope="module")
def surveyed():
    """Score four soft classifiers, without and with noise in the raters."""
    wanted = ["soft", "calibrated:1", "calibrated:3", "omniscient"]
    results = []
    for noise in (0, 0.2):
        made = simulate_ratings(
            100_000, 8, states=RUNNING, noise=noise, classifiers=wanted, seed=12
        )
        results.append(survey(made.labels, made.predictions, bootstrap=0))
    return results


def test_omniscient_is_best_in_cross_entropy(surveyed):
    for result in surveyed:
        scores = {c.name: c.score.value for c in result.classifiers}
        assert max(scores, key=scores.__getitem__) == "omniscient"
        assert scores["omniscient"] > max(point.score.value for point in result.curve)
        assert scores["calibrated_3"] > scores["calibrated_1"] > scores["soft"]


def test_calibrated_is_worth_as_many_raters_as_it_has_seen(surveyed):
    plain, noisy = surveyed
    # The abc combiner of k raters gives the distribution of the next label given k labels, and so
    # does calibrated:k. Scores have standard errors of about .001 bits; the curve rises by .09
    # bits from 0 to 1 rater and by .02 from 3 to 4.
    assert plain["calibrated_1"].worth.value == pytest.approx(1, abs=0.05)
    assert plain["calibrated_3"].worth.value == pytest.approx(3, abs=0.15)
    # The paper: noise in the raters lowers the score of a classifier and raises its equivalence.
    for name in ("calibrated_1", "calibrated_3"):
        assert noisy[name].score.value < plain[name].score.value
        assert noisy[name].worth.value > plain[name].worth.value + 0.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"items": 0}, "items must be a whole number from 1 to 10,000,000, not 0"),
        ({"items": 2.5}, "items must be a whole number"),
        ({"items": 10**9}, "from 1 to 10,000,000, not 1,000,000,000"),
        ({"items": 10**7, "raters": 50}, "more than the 100,000,000 ratings"),
        ({"items": 10**7, "raters": 500, "ratings": 2}, "more than 1,000,000,000, the most"),
        ({"raters": 0}, "raters must be a whole number from 1 to"),
        ({"noise": 1.5}, "noise must be a number from 0 to 1, not 1.5"),
        ({"noise": float("nan")}, "not nan"),
        ({"noise": "much"}, "noise must be a number"),
        ({"amateur_noise": -1}, "amateur_noise must be a number from 0"),
        ({"missing": 1}, "missing must be a number from 0 to below 1, not 1"),
        ({"missing": 1 - 1e-12}, "no rating is left"),
        ({"ratings": 5}, "ratings 5: .* of the 4 raters"),
        ({"ratings": 0}, "ratings 0: .* at least 1 rating"),
        ({"ratings": (3, 2)}, "3:2: .* the least and then the most"),
        ({"ratings": 2.5}, "ratings must be a whole number"),
        ({"ratings": (1, 2, 3)}, "ratings must be a number of ratings, or the least and the most"),
        ({"experts": 5}, "experts must be a whole number from 0 to 4, not 5"),
        ({"amateur_noise": 0.2}, "needs experts and amateurs"),
        ({"amateur_noise": 0.2, "experts": 4}, "some but not all"),
        ({"classifiers": ["omnisient"]}, "unknown classifier .* did you mean 'omniscient'"),
        ({"classifiers": ["calibrated:x"]}, "classifier 'calibrated:x': the number after"),
        ({"classifiers": ["hard:-1"]}, "how many labels of an item it has seen"),
        ({"classifiers": ["omniscient:3"]}, "the omniscient classifier has none"),
        ({"classifiers": ["hard", "soft", "hard"]}, "repeated: 'hard'"),
        ({"classifiers": []}, "none is named. Known: hard, soft"),
        ({"classifiers": 5}, "classifiers must be a list of names among hard, soft"),
        ({"classifiers": [5]}, "unknown classifier '5'"),
        ({"classifiers": ["hard:5000"]}, "1,000 at most"),
        ({"sharpness": 0}, "sharpness must be a number above 0, such as 2, not 0"),
        ({"labels": ["a"]}, "labels names 1 label, but a state has 2"),
        ({"labels": 5}, "labels must be a list of names, not 5"),
        ({"labels": ["a", "a"]}, "repeated: 'a'"),
        ({"states": [(0.5, 0.5)]}, "states must be DiscreteStates or .* not list"),
        ({"seed": -1}, "of at least 0"),
        ({"seed": 1.5}, "seed must be a whole number"),
    ],
)
def test_every_message_says_what_to_do(options, message):
    settings = {"items": 9, "raters": 4, "states": BETA, **options}
    with pytest.raises(OptionError, match=message):
        simulate_ratings(settings.pop("items"), settings.pop("raters"), **settings)


def test_running_example_has_not_changed():
    """Numbers that documents and other tests rely on."""
    labels, predictions = running_example(6, 5, seed=1)
    np.testing.assert_array_equal(labels.label.reshape(6, 5).sum(axis=1), [1, 2, 0, 3, 1, 1])
    omniscient = predictions.classifiers[2].probability[:, 0]
    np.testing.assert_allclose(omniscient, [0.8, 0.5, 0.8, 0.5, 0.8, 0.8])
