"""The agent model, against a literal one, in its limits, and against the numbers of the paper."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest
from sklearn.metrics import f1_score

from headcount.errors import OptionError
from headcount.pairwise import _kernels as methods
from headcount.pairwise import experiment as experiment_runs
from headcount.pairwise.experiment import (
    LabellingMethod,
    labelling_experiment,
    score_labels,
    tell_undefined,
)
from headcount.results.notes import Notes
from headcount.simulation import _labelling_kernel as kernel
from headcount.simulation.labelling import (
    LabellingModel,
    LabellingTruth,
    simulate_comparisons,
    simulate_votes,
)


def f1(truth, predicted):
    """Harmonic mean of precision and recall."""
    right = np.sum(truth & predicted)
    if not truth.any() and not predicted.any():
        return np.nan
    if not right:
        return 0.0
    precision, recall = right / predicted.sum(), right / truth.sum()
    return 2 * precision * recall / (precision + recall)


def literal_run(model: LabellingModel, k: float, epochs: int, rng: np.random.Generator):
    """One run as the paper words it: every perceived value stored, every step spelt out."""
    theta = rng.normal(0, 1, model.items)
    feature = rng.integers(0, 2, model.items)
    raters = []
    for _ in range(model.raters):
        w = 0.0 if model.rater_bias is None else 2 * rng.beta(*model.rater_bias) - 1
        base = np.sqrt(1 - w**2) * theta + w * feature
        perceived = base + rng.normal(0, model.perception_ambiguity, model.items)
        raters.append((rng.normal(0, model.threshold_diversity), perceived))
    spammers = set(rng.choice(model.raters, round(model.spammers * model.raters), replace=False))

    voted = []
    for item in range(model.items):
        ballots = 0
        for rater in rng.choice(model.raters, model.votes, replace=False):
            threshold, perceived = raters[rater]
            if rater in spammers:
                ballots += rng.integers(2)
            else:
                ballots += perceived[item] > threshold
        half = model.votes / 2
        voted.append(rng.integers(2) == 1 if ballots == half else ballots > half)

    pairs = list(itertools.combinations(range(model.items), 2))
    played = []
    for at in rng.choice(len(pairs), model.comparisons_asked, replace=False):
        a, b = pairs[at]
        rater = rng.integers(model.raters)
        perceived = raters[rater][1]
        gap = perceived[a] - perceived[b]
        if rater in spammers:
            outcome = rng.choice([0, 0.5, 1])
        elif abs(gap) < model.comparison_ambiguity:
            outcome = 0.5
        else:
            outcome = float(gap > 0)
        played.append((a, b, outcome))
    rating = [0.0] * model.items
    for _ in range(epochs):
        for at in rng.permutation(len(played)):
            a, b, outcome = played[at]
            expected = 1 / (1 + 10 ** ((rating[b] - rating[a]) / 400))
            rating[a] += k * (outcome - expected)
            rating[b] -= k * (outcome - expected)

    scores = []
    truth = theta > 0
    for predicted in (np.array(voted), np.array(rating) > 0):
        scores += [f1(truth, predicted), f1(~truth, ~predicted), np.mean(truth == predicted)]
        gap = (predicted.astype(float) - truth)[feature == 1]
        scores.append(gap.mean() if len(gap) else np.nan)
    return scores


@pytest.mark.parametrize(
    ("model", "k"),
    [
        (LabellingModel(items=20, raters=6, comparisons=40), 0.15),
        (
            LabellingModel(
                items=16,
                raters=7,
                perception_ambiguity=0.9,
                comparison_ambiguity=0.8,
                threshold_diversity=0.2,
                rater_bias=(2, 8),
                spammers=0.3,
                comparisons=100,  # of 120: drawn by the shuffle
                votes=4,
            ),
            32.0,
        ),
    ],
)
def test_a_literal_model_agrees_in_distribution(model, k):
    rng = np.random.default_rng(5)
    slow = np.array([literal_run(model, k, 5, rng) for _ in range(600)])
    found = labelling_experiment(model, runs=2000, methods=["majority", "elo"], k=k, epochs=5)
    fast = np.concatenate([found.scores["majority"][:, 0], found.scores["elo"][:, 0]], axis=1)
    for moment in (lambda x: x, lambda x: (x - np.nanmean(x, axis=0)) ** 2):
        a, b = moment(slow), moment(fast)
        error = np.sqrt(np.nanvar(a, axis=0) / len(a) + np.nanvar(b, axis=0) / len(b))
        # Four standard errors: 1 in 1,000 for any of 16 numbers, had the seeds not been fixed.
        assert np.all(np.abs(np.nanmean(a, axis=0) - np.nanmean(b, axis=0)) < 4 * error)


def test_f1_of_the_paper(golden):
    published = golden("pairs_simulation")
    grid = published["comparisons"]
    for k, f1 in published["f1"].items():
        found = labelling_experiment(
            runs=60, comparisons=grid, methods=["majority", "elo"], k=float(k), seed=2
        )
        # Theirs has a standard error of .003, a mean over 60 runs one of .002: three of both.
        tolerance = 3 * math.hypot(published["standard_error"], 0.002)
        np.testing.assert_allclose(found.values("elo").mean(axis=0), f1, atol=tolerance)
        votes = found.values("majority").mean()
        assert votes == pytest.approx(published["f1_majority_of_3"], abs=tolerance)


def test_f1_without_comparisons_is_that_of_calling_all_negative(golden):
    found = labelling_experiment(runs=60, comparisons=[0], methods=["elo", "bradley-terry"])
    wanted = golden("pairs_simulation")["f1_negative_without_comparisons"]
    for method in found.scores:
        assert not found.values(method).any()
        # Given to two digits; half of 512 items, so a share of negatives within .003 on average.
        assert found.values(method, "f1_negative").mean() == pytest.approx(wanted, abs=0.01)


@pytest.mark.parametrize("items", [128, 512])
def test_comparisons_an_item_for_an_f1_of_80(golden, items):
    """Larger numbers of items are in docs/studies/pairs.md."""
    needed = golden("pairs_simulation")["comparisons_per_item_for_f1_80"][str(items)]
    model = LabellingModel(items=items, comparisons=round(needed * items))
    found = labelling_experiment(model, runs=25_600 // items, methods=["elo"], seed=4)
    f1 = (found.values("elo") + found.values("elo", "f1_negative")) / 2
    # f1 rises by .1 for one more comparison an item, of which .05 are not to be relied on; the
    # mean over 25,600 items has a standard error of .0025.
    assert f1.mean() == pytest.approx(0.8, abs=0.05 * 0.1 + 2 * 0.0025)


def test_comparisons_needed_grow_as_items_do():
    """f1 depends on n / N: were it on n / (N ln N), it would be .05 lower for more items."""
    f1 = {}
    for items, runs in ((64, 400), (1024, 25)):
        model = LabellingModel(items=items, comparisons=2 * items)
        f1[items] = labelling_experiment(model, runs=runs, methods=["elo"], seed=3).values("elo")
    error = math.sqrt(sum(x.var() / len(x) for x in f1.values()))
    assert error < 0.005
    assert f1[64].mean() == pytest.approx(f1[1024].mean(), abs=4 * error)


def test_converged_ratings_do_better_than_a_small_step():
    found = labelling_experiment(runs=40, comparisons=[3000])
    gap = found.values("bradley-terry") - found.values("elo")
    assert gap.mean() > 5 * gap.std() / math.sqrt(40)


def test_a_small_step_counts_wins():
    model = LabellingModel(items=100, comparisons=2000)
    comparisons, _ = simulate_comparisons(model, seed=1)
    played = comparisons.left, comparisons.right, comparisons.outcome
    rating = methods.elo(np.random.default_rng(0), 100, *played, 0.15, 20, math.log(10) / 400)
    wins = np.bincount(played[0], played[2] - 0.5, 100) - np.bincount(
        played[1], played[2] - 0.5, 100
    )
    assert np.corrcoef(rating, wins)[0, 1] > 0.999
    assert rating.mean() == pytest.approx(0, abs=1e-12)


# What is drawn


@pytest.mark.parametrize("n", [4, 7, 8, 15])
def test_pairs_are_different_and_all_alike_likely(n):
    """15 pairs of 6 items: below and above half of them, and all."""
    rng = np.random.default_rng(n)
    first, either, left = np.zeros(36), np.zeros(36), 0
    for _ in range(3000):
        a, b = kernel.draw_pairs(rng, 6, n)
        codes = 6 * np.minimum(a, b) + np.maximum(a, b)
        assert len(set(codes)) == n
        first[codes[0]] += 1
        either[codes] += 1
        left += a[0] < b[0]
    possible = [6 * a + b for a in range(6) for b in range(a + 1, 6)]
    assert either.sum() == either[possible].sum() == 3000 * n
    assert chisquare(first[possible]).pvalue > 1e-3
    # Without replacement counts vary less than a chi-square wants: a one-sided check.
    assert chisquare(either[possible]).pvalue > 1e-3
    assert abs(left - 1500) < 4 * math.sqrt(750)


@pytest.mark.parametrize("high", [1, 2, 3, 1000, 94_906_266, 134_217_729])
def test_pairs_are_numbered_without_a_gap(high):
    """Also where the square root of the number is not exact any more."""
    start = high * (high - 1) // 2
    assert kernel._pair(start) == (0, high)
    assert kernel._pair(start + high - 1) == (high - 1, high)
    assert kernel._pair(start + high) == (0, high + 1)


def perceived(truth: LabellingTruth, raters: int, ambiguity: float = 1.0):
    """What raters see beyond the true value."""
    zero = np.zeros(len(truth.theta))
    with np.errstate(over="ignore"):  # the sequence of random numbers wraps around
        return np.array(
            [
                [
                    kernel._perceived(truth.key, ambiguity, zero, zero > 0, truth.weight, j, i)
                    for i in range(len(zero))
                ]
                for j in range(raters)
            ]
        )


def test_perception_is_normal_and_independent():
    _, truth = simulate_comparisons(LabellingModel(items=400, raters=50), seed=3)
    z = perceived(truth, 50)
    assert kstest(z.ravel(), "norm").pvalue > 1e-3
    limit = 4 / math.sqrt(z.size)
    assert abs(np.corrcoef(z[:-1].ravel(), z[1:].ravel())[0, 1]) < limit
    assert abs(np.corrcoef(z[:, :-1].ravel(), z[:, 1:].ravel())[0, 1]) < limit
    assert abs(np.corrcoef(z[:, :-1].ravel() ** 2, z[:, 1:].ravel() ** 2)[0, 1]) < limit


def test_noise_is_independent_across_runs():
    """Neither items, nor thresholds, nor what raters perceive repeat from run to run."""
    model = LabellingModel(items=300, raters=40)
    runs = [simulate_comparisons(model, seed=g)[1] for g in np.random.default_rng(0).spawn(4)]
    noise = [perceived(truth, 40).ravel() for truth in runs]
    for x, y in itertools.combinations(range(4), 2):
        for one, other in (
            (noise[x], noise[y]),
            (runs[x].theta, runs[y].theta),
            (runs[x].threshold, runs[y].threshold),
        ):
            assert abs(np.corrcoef(one, other)[0, 1]) < 4 / math.sqrt(len(one))


def test_a_rater_sees_the_same_in_an_item_whenever_asked():
    """The only rater puts items in one order, and votes for those above a threshold."""
    model = LabellingModel(
        items=40, raters=1, votes=1, comparisons=780, perception_ambiguity=2, comparison_ambiguity=0
    )
    comparisons, truth = simulate_comparisons(model, seed=8)
    votes, same = simulate_votes(model, seed=8)
    np.testing.assert_array_equal(truth.theta, same.theta)
    winner = np.where(comparisons.outcome == 1, comparisons.left, comparisons.right)
    wins = np.bincount(winner, minlength=40)
    assert sorted(wins) == list(range(40))
    positive = votes.label[np.argsort(votes.item)] == 1
    assert 0 < positive.sum() < 40
    assert wins[positive].min() > wins[~positive].max()
    assert np.corrcoef(wins, truth.theta)[0, 1] < 0.9  # it is not the truth that is ordered


def test_votes_are_by_different_raters():
    votes, _ = simulate_votes(LabellingModel(items=50, raters=5, votes=4), seed=1)
    by_item = votes.rater.reshape(50, 4)
    assert all(len(set(row)) == 4 for row in by_item.tolist())
    assert chisquare(np.bincount(votes.rater, minlength=5)).pvalue > 1e-3


def test_comparisons_within_the_ambiguity_are_ties():
    model = LabellingModel(perception_ambiguity=0, comparison_ambiguity=0.7, comparisons=4000)
    comparisons, truth = simulate_comparisons(model, seed=1)
    gap = truth.theta[comparisons.left] - truth.theta[comparisons.right]
    wanted = np.where(np.abs(gap) < 0.7, 0.5, gap > 0)
    np.testing.assert_array_equal(comparisons.outcome, wanted)


def test_a_discriminatory_feature_weighs_what_it_should():
    model = LabellingModel(
        rater_bias=(2, 16), perception_ambiguity=0, threshold_diversity=0, comparison_ambiguity=0
    )
    votes, truth = simulate_votes(model, seed=1)
    w = truth.weight[votes.rater]
    assert w.mean() == pytest.approx(2 * 2 / 18 - 1, abs=0.1)
    seen = np.sqrt(1 - w**2) * truth.theta[votes.item] + w * truth.feature[votes.item]
    np.testing.assert_array_equal(votes.label, seen > 0)


# Limits


def test_votes_without_ambiguity_are_the_truth():
    model = LabellingModel(perception_ambiguity=0, threshold_diversity=0)
    found = labelling_experiment(model, runs=3, methods=["majority"])
    np.testing.assert_array_equal(found.scores["majority"][:, 0], [[1, 1, 1, 0]] * 3)


def test_all_comparisons_without_ambiguity_part_items_at_the_middle():
    """Comparisons know no zero: f1 falls short of 1 by the items between it and the median."""
    model = LabellingModel(
        items=200, comparisons=19900, perception_ambiguity=0, comparison_ambiguity=0
    )
    comparisons, truth = simulate_comparisons(model, seed=4)
    played = comparisons.left, comparisons.right, comparisons.outcome
    rating = methods.elo(np.random.default_rng(0), 200, *played, 0.001, 20, math.log(10) / 400)
    np.testing.assert_array_equal(rating > 0, truth.theta > np.median(truth.theta))
    found = labelling_experiment(
        LabellingModel(items=1000, perception_ambiguity=0, comparison_ambiguity=0),
        comparisons=[200_000],
        runs=5,
        methods=["elo", "bradley-terry"],
    )
    for method in found.scores:
        assert found.values(method).mean() > 0.96


def test_spammers_alone_know_nothing():
    model = LabellingModel(spammers=1, comparisons=3000)
    found = labelling_experiment(model, runs=40)
    for method in found.scores:
        # 40 x 512 coin flips have a standard error of .0035.
        assert found.values(method, "accuracy").mean() == pytest.approx(0.5, abs=0.014)
    comparisons, truth = simulate_comparisons(model, seed=2)
    assert truth.spammer.all()
    assert chisquare(np.unique(comparisons.outcome, return_counts=True)[1]).pvalue > 1e-3
    votes, _ = simulate_votes(model, seed=2)
    assert chisquare(np.bincount(votes.label)).pvalue > 1e-3


def test_a_coin_decides_where_votes_are_even():
    rng = np.random.default_rng(0)
    said = np.array([[1, 1, 0], [0, 1, 0]], dtype=bool)
    assert methods.majority(rng, said).tolist() == [True, False]
    even = np.tile([[True, False]], (4000, 1))
    assert abs(methods.majority(rng, even).sum() - 2000) < 4 * math.sqrt(1000)


def test_bias_follows_the_raters_and_is_larger_in_votes():
    bias = {}
    for shape in ((2, 16), None, (16, 2)):
        found = labelling_experiment(LabellingModel(rater_bias=shape), runs=20, seed=1)
        bias[shape] = {method: found.values(method, "bias").mean() for method in found.scores}
    for method in ("majority", "elo", "bradley-terry"):
        assert bias[2, 16][method] < -0.15
        # Means over 20 runs with a standard deviation of .03.
        assert bias[None][method] == pytest.approx(0, abs=0.03)
        assert bias[16, 2][method] > 0.15
    assert bias[2, 16]["majority"] < bias[2, 16]["elo"] - 0.05


def test_diverse_thresholds_hurt_votes_alone():
    few, many = (
        labelling_experiment(LabellingModel(threshold_diversity=d), runs=10) for d in (0, 2)
    )
    np.testing.assert_array_equal(few.scores["elo"], many.scores["elo"])
    assert many.values("majority").mean() < few.values("majority").mean() - 0.1


# Seeds and jobs


def test_same_seed_same_answer_whatever_the_jobs():
    model = LabellingModel(items=60, spammers=0.2, rater_bias=(2, 16))
    options = {"comparisons": [50, 180], "seed": 7}
    one = labelling_experiment(model, runs=6, jobs=1, **options)
    for jobs in (2, 5, None):
        many = labelling_experiment(model, runs=6, jobs=jobs, **options)
        for method in one.scores:
            np.testing.assert_array_equal(one.scores[method], many.scores[method])
    fewer = labelling_experiment(model, runs=2, methods=["elo"], **options)
    np.testing.assert_array_equal(fewer.scores["elo"], one.scores["elo"][:2])
    other = labelling_experiment(model, runs=6, comparisons=[50, 180], seed=8)
    assert not np.array_equal(other.scores["elo"], one.scores["elo"])
    assert len({tuple(run) for run in one.values("elo").tolist()}) > 1


def test_one_parameter_changes_one_thing():
    base = LabellingModel(items=50)
    comparisons, truth = simulate_comparisons(base, seed=1)
    more_votes, _ = simulate_comparisons(LabellingModel(items=50, votes=5, comparisons=150), seed=1)
    np.testing.assert_array_equal(comparisons.outcome, more_votes.outcome)
    _, spammed = simulate_comparisons(LabellingModel(items=50, spammers=0.3), seed=1)
    _, less = simulate_comparisons(LabellingModel(items=50, spammers=0.1), seed=1)
    np.testing.assert_array_equal(truth.theta, spammed.theta)
    assert (less.spammer.sum(), spammed.spammer.sum()) == (10, 30)
    assert np.all(spammed.spammer >= less.spammer)


def test_progress_is_told_and_an_interrupt_stops_what_has_not_begun(monkeypatch):
    told = []
    labelling_experiment(runs=5, methods=["majority"], progress=lambda *x: told.append(x))
    assert told == [(i, 5) for i in range(1, 6)]

    begun, run = [], experiment_runs._run

    def counted(*args):
        begun.append(1)
        return run(*args)

    def interrupt(done, total):
        raise KeyboardInterrupt

    monkeypatch.setattr(experiment_runs, "_run", counted)
    with pytest.raises(KeyboardInterrupt):
        labelling_experiment(runs=3000, jobs=1, progress=interrupt)
    assert len(begun) < 300  # those that began before the word came


# Scores and results

labels = st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1)


@given(labels)
def test_scores_are_those_of_scikit_learn(rows):
    label, truth, feature = np.array(rows, dtype=bool).T
    found = score_labels(label, truth, feature)
    gap = [int(a) - int(b) for a, b, shown in rows if shown]
    wanted = [
        f1_score(truth, label, zero_division=np.nan),
        f1_score(~truth, ~label, zero_division=np.nan),
        np.mean(label == truth),
        np.mean(gap) if gap else np.nan,
    ]
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_a_result_is_told_in_80_columns_and_as_a_frame():
    model = LabellingModel(items=40, rater_bias=(2, 16))
    found = labelling_experiment(model, runs=8, comparisons=[60, 120], level=0.5, seed=2)
    text = repr(found).splitlines()
    assert all(len(line) <= 80 for line in text)
    assert text[0].startswith("elo, 120 comparisons: f1 is higher than that of 120 votes in")
    head = ["method", "tasks", "f1", "f1", "negative", "accuracy", "bias"]
    assert head in [line.split() for line in text]
    assert "Intervals: the middle 50% of 8 runs." in repr(found)
    frame = found.to_frame("pandas")
    assert list(frame) == ["run", "method", "tasks", "f1", "f1_negative", "accuracy", "bias"]
    assert len(frame) == 8 * (1 + 2 + 2)
    elo = frame[(frame.method == "elo") & (frame.tasks == 120)].sort_values("run")
    np.testing.assert_array_equal(elo.f1, found.values("elo")[:, 1])
    told = found.to_dict()
    assert [(row["method"], row["tasks"]) for row in told["methods"]] == [
        ("majority", 120),
        ("elo", 60),
        ("elo", 120),
        ("bradley-terry", 60),
        ("bradley-terry", 120),
    ]
    f1 = told["methods"][2]["f1"]
    values = np.sort(found.values("elo")[:, 1])
    assert f1["value"] == pytest.approx(values.mean())
    assert (f1["low"], f1["high"]) == (values[1], values[6])  # outwards from 25% and 75% of 7
    assert f1["standard_error"] == pytest.approx(values.std(ddof=1) / math.sqrt(8))
    wins = found.difference("elo")[:, 1] > 0
    assert told["differences"][1]["runs_with_higher_f1"] == wins.sum()
    assert (told["seed"], told["level"], told["k"], told["epochs"]) == (2, 0.5, 0.15, 20)
    p = found.provenance
    assert (p.k, p.epochs, p.version) == (0.15, 20, told["version"])
    assert told["data"]["items"]["used"] == 40
    axes = found.plot()
    assert [text.get_text() for text in axes.get_legend().get_texts()] == list(found.scores)
    assert found.plot(ax=axes) is axes
    assert "bradley-terry" in found._repr_html_()


def test_one_run_has_no_interval():
    found = labelling_experiment(LabellingModel(items=30), runs=1)
    assert found.estimate("elo").low is None
    assert "Intervals" not in repr(found)
    assert found.to_dict()["methods"][0]["f1"]["standard_error"] is None


def test_an_undefined_score_is_said_and_left_out():
    scores = np.array([[[0.5, 0.5, 0.5, np.nan]], [[0.7, 0.5, 0.5, 0.1]]])
    notes = Notes()
    tell_undefined({"elo": scores}, notes)
    (note,) = notes
    assert "a score is undefined in 1 of 2 runs" in note
    made = labelling_experiment(LabellingModel(items=20, comparisons=9), runs=2, methods=["elo"])
    found, none = (replace(made, scores={"elo": part}) for part in (scores, scores[:1]))
    assert found.estimate("elo", "bias").value == 0.1
    assert none.estimate("elo", "bias").undefined
    assert none.to_dict()["methods"][0]["bias"]["value"] is None
    assert "undefined" in repr(none)


class AllPositive(LabellingMethod):
    """A method of a user's own, which looks at nothing."""

    name = "all positive"

    def label(self, study):
        return np.ones(study.items, dtype=bool)


def test_a_method_of_the_users_own_stands_beside_the_others():
    model = LabellingModel(items=40)
    found = labelling_experiment(model, runs=3, methods=["elo", "majority", AllPositive()])
    assert list(found.scores) == ["majority", "elo", "all positive"]
    assert found.compared == ("elo", "all positive")
    assert not found.values("all positive", "f1_negative").any()
    plain = labelling_experiment(model, runs=3, methods=["elo"])
    np.testing.assert_array_equal(found.scores["elo"], plain.scores["elo"])
    assert repr(plain).startswith("elo, 120 tasks: mean f1 ")
    with pytest.raises(OptionError, match="two methods have the same name"):
        labelling_experiment(model, methods=[AllPositive(), AllPositive()])


@pytest.mark.parametrize("make", [simulate_comparisons, simulate_votes, labelling_experiment])
def test_what_is_no_model_is_refused(make):
    with pytest.raises(OptionError, match="model must be a LabellingModel"):
        make(123)
    with pytest.raises(OptionError, match="seed must be a whole number"):
        make(LabellingModel(items=9), seed=1.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"items": 1}, "items must be a whole number from 2 to 10,000,000, not 1"),
        ({"items": 2.5}, "items must be a whole number"),
        ({"items": 10**9}, "from 2 to 10,000,000, not 1,000,000,000"),
        ({"items": 10**7, "votes": 50}, "more than the 100,000,000 votes"),
        ({"items": 10**6, "comparisons": 10**9}, "more than the 100,000,000 that can be sim"),
        ({"comparisons": 2.5}, "comparisons must be a whole number"),
        ({"raters": 0}, "raters must be a whole number from 1 to 10,000,000"),
        ({"perception_ambiguity": -1}, "perception_ambiguity must be a number of at least 0"),
        ({"threshold_diversity": math.nan}, "number of at least 0, not nan"),
        ({"comparison_ambiguity": math.inf}, "not inf"),
        ({"rater_bias": (0, 2)}, "two positive numbers"),
        ({"rater_bias": 3}, "rater_bias must be a list of two numbers, not 3"),
        ({"rater_bias": (1, 2, 3)}, "two positive numbers"),
        ({"spammers": 1.1}, "spammers must be a number from 0 to 1, not 1.1"),
        ({"votes": 101}, "at most one of each of the 100 raters"),
        ({"votes": 0}, "at least 1 vote"),
        ({"items": 10, "comparisons": 46}, "10 items make 45 pairs"),
        ({"comparisons": -1}, "at most as many"),
    ],
)
def test_parameters_that_make_no_sense(options, message):
    with pytest.raises(OptionError, match=message):
        LabellingModel(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"runs": 0}, "runs must be a whole number from 1 to 1,000,000, not 0"),
        ({"runs": 2.5}, "runs must be a whole number"),
        ({"jobs": 0}, "jobs must be a whole number"),
        ({"epochs": 0}, "epochs must be a whole number"),
        ({"k": 0}, "k must be a number above 0"),
        ({"methods": 5}, "methods must be a list of methods"),
        ({"comparisons": 5}, "comparisons must be a list of numbers"),
        ({"level": 1}, "between 0 and 1"),
        ({"methods": ["ello"]}, "did you mean 'elo'"),
        ({"methods": []}, "at least one of"),
        ({"comparisons": []}, "at least one number"),
        ({"comparisons": [10**6]}, "512 items make 130,816 pairs"),
    ],
)
def test_options_that_make_no_sense(options, message):
    with pytest.raises(OptionError, match=message):
        labelling_experiment(**options)


def test_few_items_are_compared_as_often_as_they_can():
    assert LabellingModel(items=4).comparisons_asked == 6
    comparisons, _ = simulate_comparisons(LabellingModel(items=4), seed=0)
    assert len(comparisons) == 6
