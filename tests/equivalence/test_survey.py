"""Survey equivalence as a user of the library meets it."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount import (
    DataError,
    Labels,
    OptionError,
    Predictions,
    alt_test,
    judge,
    read_predictions,
    running_example,
    survey_equivalence,
)
from headcount.equivalence.combiners import Frequency, FromCounts
from headcount.equivalence.worth import compare
from tests.equivalence import full, survey


@pytest.fixture(scope="module")
def example():
    return running_example(300, 6, seed=5)


def values(result):
    return [p.score.value for p in result.curve] + [c.score.value for c in result.classifiers]


def relabelled(labels: Labels, items=None, raters=None, names=None) -> Labels:
    """The same ratings with items, raters or labels renamed or in another order."""
    item = labels.items[labels.item] if items is None else items[labels.item]
    rater = labels.raters[labels.rater] if raters is None else raters[labels.rater]
    old = np.array(labels.scale.labels if names is None else names, dtype=object)
    order = np.random.default_rng(3).permutation(len(labels))
    return Labels.from_triples(item[order], rater[order], old[labels.label][order])


def test_order_and_names_of_items_raters_and_labels_do_not_matter(example):
    labels, predictions = example
    expected = survey(labels, predictions, bootstrap=0)
    shuffled = survey(relabelled(labels), predictions, bootstrap=0)
    assert values(shuffled) == pytest.approx(values(expected), abs=1e-12)
    renamed = relabelled(labels, raters=np.roll(labels.raters, 2), names=("zebra", "ant"))
    soft = predictions.classifiers[1]
    swapped = Predictions.from_probabilities(
        predictions.items, ["zebra", "ant"], {"calibrated": soft.probability}
    )
    result = survey(renamed, swapped, bootstrap=0)
    assert result["calibrated"].score.value == pytest.approx(expected["calibrated"].score.value)
    assert result["calibrated"].worth.value == pytest.approx(expected["calibrated"].worth.value)


def test_duplicating_every_item_changes_only_what_leaving_one_out_changes(example):
    labels, _ = example
    twice = Labels.from_triples(
        np.concatenate([labels.item, labels.item + len(labels.items)]),
        np.tile(labels.rater, 2),
        np.tile(labels.label, 2),
    )
    for combiner, scorer in [("frequency", "brier"), ("plurality", "agreement")]:
        once = survey(labels, combiner=combiner, scorer=scorer, bootstrap=0)
        again = survey(twice, combiner=combiner, scorer=scorer, bootstrap=0)
        assert values(again) == pytest.approx(values(once), abs=1e-12)
    # abc leaves one of two copies out, so the other copy tells on it: scores can only rise.
    once, again = survey(labels, bootstrap=0), survey(twice, bootstrap=0)
    assert all(a >= b for a, b in zip(values(again), values(once), strict=True))


def test_same_seed_same_answer_and_a_wider_level_is_wider(example):
    labels, predictions = example
    first, second, other = (survey(labels, predictions, seed=s, bootstrap=200) for s in (1, 1, 2))
    assert first == second
    assert first.curve[1].score.low != other.curve[1].score.low
    wide = survey(labels, predictions, seed=1, bootstrap=200, level=0.99)["calibrated"].worth
    narrow = first["calibrated"].worth
    assert wide.low < narrow.low < narrow.high < wide.high


def test_bootstrap_draws_are_those_of_resampled_data(example):
    """The spread of the draws is that of scores recomputed on resampled labels."""
    labels, predictions = example
    matrix = labels.label.reshape(300, 6)
    soft = predictions.classifiers[1].probability
    rng = np.random.default_rng(0)
    curves, scores = [], []
    for _ in range(60):
        drawn = rng.integers(0, 300, 300)
        again = Labels.from_triples(
            np.repeat(np.arange(300), 6), np.tile(np.arange(6), 300), matrix[drawn].ravel()
        )
        names = [str(c) for c in range(2)]
        again_predictions = Predictions.from_probabilities(range(300), names, {"c": soft[drawn]})
        result = survey(again, again_predictions, bootstrap=0)
        curves.append(result.curve[3].score.value)
        scores.append(result["c"].score.value)
    result = survey(labels, predictions, bootstrap=2000, level=0.6827, seed=1)
    for draws, estimate in [
        (curves, result.curve[3].score),
        (scores, result["calibrated"].score),
    ]:
        # Half the central 68% interval is one standard deviation; 60 draws know theirs to 9%.
        assert (estimate.high - estimate.low) / 2 == pytest.approx(np.std(draws), rel=0.3)


def test_ragged_items_are_dropped_and_counted():
    rows = [(i, j, "yn"[(i + j) % 2]) for i in range(20) for j in range(2 if i < 3 else 5)]
    labels = Labels.from_triples(*zip(*rows, strict=True))
    result = survey(labels, bootstrap=0)
    # 17 of 20 items have 5 ratings, less than 90%; all have 2.
    assert result.provenance.max_k == 1
    assert (result.provenance.items_used, result.provenance.items_dropped) == (20, 0)
    result = survey(labels, max_k=4, bootstrap=0)
    assert (result.provenance.items_used, result.provenance.items_dropped) == (17, 3)
    assert any("3 of 20 items left out: fewer than 5 ratings" in note for note in result.notes)
    assert result.provenance.ratings_per_item == (5, 5, 5)


def test_default_size_keeps_nine_items_in_ten():
    rows = [(i, j, "yn"[(i * j) % 2]) for i in range(20) for j in range(2 if i < 2 else 5)]
    labels = Labels.from_triples(*zip(*rows, strict=True))
    assert survey(labels, bootstrap=0).provenance.max_k == 4


def test_each_item_weighs_the_same():
    """An item with many ratings does not outweigh one with few, for curve and classifier."""
    rows = [("a", j, "y") for j in range(10)] + [("b", j, "n") for j in range(2)]
    labels = Labels.from_triples(*zip(*rows, strict=True))
    predictions = Predictions.from_labels(["a", "b"], {"h": ["y", "y"]})
    result = survey(labels, predictions, combiner="plurality", scorer="agreement", bootstrap=0)
    assert result["h"].score.value == 0.5


def test_scores_are_finite_where_sequences_have_no_support():
    rows = [(0, j, "a") for j in range(3)] + [(1, j, "b") for j in range(3)]
    rows += [(2, 0, "a"), (2, 1, "b"), (2, 2, "a")]
    result = survey(Labels.from_triples(*zip(*rows, strict=True)), bootstrap=0)
    assert all(math.isfinite(point.score.value) for point in result.curve)


def test_censored_equivalences_and_interval_ends():
    labels, predictions = running_example(200, 4, seed=1)
    awful = Predictions.from_probabilities(
        predictions.items, predictions.labels, {"awful": np.tile([0.01, 0.99], (200, 1))}
    )
    result = survey(labels, predictions + awful, bootstrap=100)
    omniscient, bad = result["omniscient"].worth, result["awful"].worth
    assert (omniscient.value, omniscient.censored) == (math.inf, "above")
    assert (bad.value, bad.censored) == (-math.inf, "below")
    assert omniscient.to_dict() == {
        "value": None,
        "low": None if omniscient.low == math.inf else omniscient.low,
        "high": None,
        "censored": "above",
        "low_censored": None if omniscient.low <= 3 else "above",
        "high_censored": "above",
    }
    assert "> 3" in full(result)
    assert "< 0" in full(result)
    assert result["awful"].integer_worth.censored == "below"


def test_integer_worth_is_the_smallest_survey_that_does_as_well(example):
    result = survey(*example, bootstrap=50)
    for classifier in result.classifiers:
        h, k = classifier.score.value, classifier.integer_worth.value
        reaching = [p.k for p in result.curve if p.score.value >= h]
        assert k == (reaching[0] if reaching else math.inf)


# Sixty-fourths: scores that differ do so by more than rounding.
SIXTY_FOURTHS = st.integers(-320, 320).map(lambda i: i / 64)


@given(curve=st.lists(SIXTY_FOURTHS, min_size=2, max_size=8), h=SIXTY_FOURTHS)
def test_equivalence_is_the_leftmost_crossing(curve, h):
    value = float(survey_equivalence(curve, h))
    if h < curve[0]:
        assert value == -math.inf
    elif max(curve) < h:
        assert value == math.inf
    else:
        assert 0 <= value <= len(curve) - 1
        on_curve = np.interp(value, np.arange(len(curve)), curve)
        assert on_curve == pytest.approx(h, abs=1e-6)
        left = math.ceil(value) - 1
        assert all(c < h for c in curve[: left + 1])


def test_equal_scores_are_worth_exactly_k():
    curve = [0.5, 0.7, 0.7, 0.8]
    assert survey_equivalence(curve, [0.5, 0.7, 0.8]).tolist() == [0, 1, 3]


def test_rounding_does_not_move_an_equivalence():
    curve = [0.5, 0.7, 0.7 + 1e-16, 0.8]
    assert survey_equivalence(curve, [0.5 - 1e-16, 0.7 + 1e-15, 0.8 + 1e-16]).tolist() == [0, 1, 3]


def test_a_written_combiner_is_a_function_of_counts(example):
    labels, _ = example

    def plurality(counts):
        most = max(counts.values())
        top = [label for label, n in counts.items() if n == most]
        return {label: (label in top) / len(top) for label in counts}

    ours = survey(labels, combiner="plurality", scorer="agreement", bootstrap=0)
    theirs = survey(labels, combiner=plurality, scorer="agreement", bootstrap=0)
    assert values(ours) == pytest.approx(values(theirs), abs=1e-12)
    assert theirs.provenance.combiner == "plurality"
    always = survey(labels, combiner=lambda counts: "cat", scorer="agreement", bootstrap=0)
    assert always.curve[0].score.value == pytest.approx((labels.label == 0).mean(), abs=0.01)


@pytest.mark.parametrize(
    ("combiner", "message"),
    [
        (lambda counts: "cow", "returned label 'cow'"),
        (lambda counts: {"cat": 0.5, "dog": 0.7}, "probabilities that sum to 1"),
        (lambda counts: {"cat": 0.5, "cow": 0.5}, "probabilities that sum to 1"),
    ],
)
def test_a_written_combiner_that_errs_is_told(example, combiner, message):
    with pytest.raises(OptionError, match=message):
        survey(example[0], combiner=combiner, scorer="brier", bootstrap=0)


def test_a_combiner_that_says_never_is_refused_by_cross_entropy(example):
    with pytest.raises(OptionError, match="minus infinity"):
        survey(example[0], combiner=Frequency(eps=0), bootstrap=0)
    assert math.isfinite(
        survey(example[0], combiner=Frequency(eps=0), scorer="brier", bootstrap=0)
        .curve[1]
        .score.value
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"combiner": "frequncy"}, "did you mean 'frequency'"),
        ({"scorer": "accuracy"}, "Known: cross-entropy, agreement, brier"),
        (
            {"combiner": "plurality"},
            "use combiner states or abc or frequency; .* use scorer agreement or prec",
        ),
        ({"max_k": 0}, "whole number of at least 1, not 0"),
        ({"max_k": 6}, "Ask for at most 5"),
        ({"bootstrap": -1}, "whole number from 0 to 1,000,000, not -1"),
        ({"level": 95}, "between 0 and 1"),
    ],
)
def test_options_out_of_range(example, options, message):
    with pytest.raises(OptionError, match=message):
        survey(*example, **options)


def test_frequency_eps_out_of_range():
    with pytest.raises(OptionError, match="eps"):
        Frequency(eps=0.5)


def test_only_what_has_too_many_outcomes_is_sampled():
    rng = np.random.default_rng(0)
    matrix = rng.integers(0, 12, size=(3, 60))
    labels = Labels.from_triples(
        np.repeat(np.arange(3), 60), np.tile(np.arange(60), 3), matrix.ravel()
    )
    options = {"scorer": "brier", "samples": None, "bootstrap": 0}
    result = survey(labels, max_k=30, **options)
    assert result.provenance.method == "sampled"
    assert any("different outcomes" in note for note in result.notes)
    assert survey(labels, max_k=6, **options).provenance.method == "exact"


def test_hard_classifier_under_a_probability_scorer():
    labels, predictions = running_example(50, 4, seed=1)
    result = survey(labels, predictions, bootstrap=0)
    assert [c.name for c in result.classifiers] == ["hard", "calibrated", "omniscient"]
    assert any("cross-fitting" in note and "'hard' (empirical)" in note for note in result.notes)
    only = Predictions(predictions.items, predictions.labels, predictions.classifiers[:1])
    (alone,) = survey(labels, only, bootstrap=0).classifiers
    assert alone.score.value == result["hard"].score.value
    agreement = survey(labels, predictions, combiner="plurality", scorer="agreement", bootstrap=0)
    assert len(agreement.classifiers) == 3


def test_soft_prediction_under_agreement_shares_ties():
    labels = Labels.from_triples([1, 1, 2, 2], [1, 2, 1, 2], ["a", "a", "b", "a"])
    predictions = Predictions.from_probabilities(
        [1, 2], ["a", "b"], {"h": [[0.5, 0.5], [0.9, 0.1]]}
    )
    result = survey(labels, predictions, combiner="plurality", scorer="agreement", bootstrap=0)
    assert result["h"].score.value == 0.5  # half of item 1, and one of two raters of item 2


def test_probability_zero_on_a_label_that_was_given():
    labels = Labels.from_triples([1, 1, 2, 2], [1, 2, 1, 2], ["a", "a", "b", "a"])
    predictions = Predictions.from_probabilities([1, 2], ["a", "b"], {"h": [[1, 0], [1, 0]]})
    result = survey(labels, predictions, bootstrap=0)
    assert result["h"].score.value == pytest.approx((3 * math.log2(0.999) + math.log2(0.001)) / 4)
    assert any("h: probability 0 of labels that raters gave, of 1 item ('2')." in n
               for n in result.notes)  # fmt: skip
    assert survey(labels, predictions, scorer="brier", bootstrap=0)["h"].score.value == -0.5


def test_overlap_of_items():
    labels = Labels.from_triples([1, 1, 2, 2, 3, 3], [1, 2] * 3, ["a", "a", "b", "a", "b", "b"])
    predictions = Predictions.from_probabilities(
        [2, 1, 9], ["a", "b"], {"h": [[0.4, 0.6], [0.7, 0.3], [0.5, 0.5]]}
    )
    result = survey(labels, predictions, bootstrap=0)
    assert (result.provenance.items_used, result.provenance.items_dropped) == (2, 1)
    assert any("1 item that nobody rated are left out: '9'" in note for note in result.notes)
    assert any("1 rated item not predicted" in note and "'3'" in note for note in result.notes)
    apart = Predictions.from_probabilities(["x", "y"], ["a", "b"], {"h": [[0.5, 0.5]] * 2})
    with pytest.raises(DataError, match=r"'1', '2', '3'.*'x', 'y'"):
        survey(labels, apart)


def test_yes_and_no_in_the_words_of_a_classifier():
    labels = Labels.from_triples([1, 1, 2, 2, 3, 3], [1, 2] * 3, ["yes", "yes", *["no"] * 4])
    numbers = Predictions.from_labels([1, 2, 3], {"h": ["1", "0", "0"]})
    result = survey(labels, numbers, bootstrap=0)
    assert any("add merge=['yes-no']" in note for note in result.notes)
    words = {"item": [1, 2, 3], "h": ["TRUE", "FALSE", "FALSE"]}
    with pytest.raises(DataError, match=r"raters give 'no', 'yes'\. .*add merge=\['yes-no'\]"):
        survey(labels, words, bootstrap=0)
    merged = read_predictions(words, labels=labels.scale.labels, merge=["yes-no"])
    same = Predictions.from_labels([1, 2, 3], {"h": ["yes", "no", "no"]})
    score, known = (survey(labels, one, bootstrap=0)["h"].score for one in (merged, same))
    assert score.value == known.value


def test_some_labels_that_no_rater_uses():
    """Names that no rater uses stand for what raters say where they are given."""
    labels, predictions = running_example(300, 5, seed=1)
    spelt = predictions.classifiers[0].probability @ [0, 1]
    said = Predictions.from_labels(
        predictions.items, {"h": np.where(spelt, "Dogg", labels.scale.labels[0]).tolist()}
    )
    result = survey(labels, said, bootstrap=0)
    assert any("no rater uses: 'Dogg'" in n and "'Dogg' ('dog'?)" in n for n in result.notes)
    known = survey(labels, predictions, bootstrap=0)["hard"]
    assert result["h"].score.value == pytest.approx(known.score.value)


def test_no_label_that_a_rater_uses_is_refused():
    """A wrong column or file must not be taken for names of its own."""
    labels, predictions = running_example(300, 5, seed=1)
    said = Predictions.from_labels(predictions.items, {"animal": ["zebra"] * 150 + ["gnu"] * 150})
    with pytest.raises(DataError) as refusal:
        survey(labels, said, bootstrap=0)
    text = str(refusal.value)
    assert "'animal' uses none of the raters' labels. It gives 'gnu', 'zebra'; raters give" in text
    assert "give the column or file that holds them" in text
    both = said + predictions
    with pytest.raises(DataError, match=r"'animal' uses none of the raters'.*ignore='animal'"):
        survey(labels, both, bootstrap=0)


@pytest.mark.parametrize(
    ("triples", "message"),
    [
        (([1, 1], [1, 2], ["yes", "yes"]), "every rating is 'yes'"),
        (([1, 2], [1, 1], ["yes", "no"]), "no item has two ratings"),
    ],
)
def test_data_that_hold_no_answer(triples, message):
    with pytest.raises(DataError, match=message):
        survey(Labels.from_triples(*triples))


def test_two_patterns_make_a_curve_by_hand():
    """Two items, aab and abb: c_0 and c_1 worked out on paper.

    Left one out, the other item alone teaches. k=0: item aab has 2/3 a; abb says a with 1/3.
    Score of aab: (2/3) log2(1/3) + (1/3) log2(2/3); abb is the mirror image.
    k=1 on aab: observe a (2/3), next a or b with 1/2 each; on abb after a comes b always, but
    nothing supports a: one imaginary item with the k=0 prediction (1/3, 2/3), and abb shows a
    in 1/3 of surveys: p(a) = (1/3) / (4/3) = 1/4, p(b) = 3/4. Observe b (1/3), next a always;
    abb after b: a 1/2, b 1/2.
    """
    rows = [
        ("i", 1, "a"),
        ("i", 2, "a"),
        ("i", 3, "b"),
        ("j", 1, "a"),
        ("j", 2, "b"),
        ("j", 3, "b"),
    ]
    result = survey(Labels.from_triples(*zip(*rows, strict=True)), max_k=1, bootstrap=0)
    c0 = 2 / 3 * math.log2(1 / 3) + 1 / 3 * math.log2(2 / 3)
    c1 = 2 / 3 * (math.log2(1 / 4) + math.log2(3 / 4)) / 2 + 1 / 3 * math.log2(1 / 2)
    assert values(result) == pytest.approx([c0, c1], abs=1e-12)


def test_intervals_hold_the_estimate_with_several_labels_and_thin_support():
    """Copies of an item in a bootstrap draw must not tell abc about the item itself."""
    rng = np.random.default_rng(1)
    n, raters, n_labels = 100, 6, 5
    states = rng.dirichlet(np.ones(n_labels), size=n)
    says = (rng.random((n, raters, 1)) > states.cumsum(axis=1)[:, None, :]).sum(axis=2)
    labels = Labels.from_triples(
        np.repeat(np.arange(n), raters), np.tile(np.arange(raters), n), says.ravel()
    )
    for point in survey(labels, bootstrap=200).curve:
        assert point.score.low < point.score.value < point.score.high


def test_an_isolated_item_with_many_ratings_is_exact():
    """100 yes of 100 beside 60, 50 and 40: leaving it out leaves next to nothing, exactly."""
    yes = [100, 60, 50, 40]
    rows = [(i, j, "y" if j < w else "n") for i, w in enumerate(yes) for j in range(100)]
    result = survey(Labels.from_triples(*zip(*rows, strict=True)), max_k=45, bootstrap=0)
    for k in (1, 20, 45):
        expected = float(
            sum(_isolated(w, yes[:i] + yes[i + 1 :], k) for i, w in enumerate(yes)) / 4
        )
        assert result.curve[k].score.value == pytest.approx(expected, abs=1e-9)


def _isolated(w: int, others: list[int], k: int) -> float:
    """Score of one item by exact fractions; every observation is supported by another item."""

    def shows(n_yes: int, y: int) -> Fraction:
        return Fraction(comb(n_yes, y) * comb(100 - n_yes, k - y), comb(100, k))

    total = 0.0
    for y in range(k + 1):
        p = shows(w, y)
        if not p:
            continue
        weight = [shows(o, y) for o in others]
        yes = sum(c * Fraction(o - y, 100 - k) for c, o in zip(weight, others, strict=True))
        share = yes / sum(weight)
        next_yes = Fraction(w - y, 100 - k)
        total += float(p) * sum(
            float(q) * math.log2(s) for q, s in ((next_yes, share), (1 - next_yes, 1 - share)) if q
        )
    return total


def test_comparisons_of_classifiers():
    labels, predictions = running_example(400, 6, seed=2)
    result = survey(labels, predictions, combiner="plurality", scorer="agreement", bootstrap=100)
    assert [(c.a, c.b) for c in result.comparisons] == [
        ("hard", "calibrated"),
        ("hard", "omniscient"),
        ("calibrated", "omniscient"),
    ]
    same = result.comparisons[0]  # calibrated says what hard says
    assert (same.raters.value, same.raters.low, same.raters.high) == (0, 0, 0)
    assert same.p_a_better == 0.5
    hard = result["hard"]
    beats = [hard.score.value > p.score.value for p in result.curve]
    assert [p > 0.5 for p in hard.p_beats] == beats
    assert survey(labels, predictions, bootstrap=0)["calibrated"].p_beats is None


def test_differences_of_censored_classifiers():
    labels, predictions = running_example(300, 4, seed=1)
    extra = Predictions.from_probabilities(
        predictions.items,
        predictions.labels,
        {
            "also great": predictions.classifiers[2].probability * 0.999 + 0.0005,
            "awful": np.tile([0.01, 0.99], (300, 1)),
        },
    )
    result = survey(labels, predictions + extra, bootstrap=50)
    by_name = {(c.a, c.b): c for c in result.comparisons}
    great = by_name["omniscient", "also great"].raters
    assert great.undefined == "both are censored on the same side"
    assert math.isnan(great.value)
    worth = result["calibrated"].worth.value
    less = by_name["calibrated", "omniscient"].raters
    assert (less.value, less.censored) == (-math.inf, "below")
    assert less.show(less.value, 2) == f"< {worth - 3:.2f}"
    assert by_name["omniscient", "awful"].raters.show(math.inf) == "> 3"
    assert by_name["omniscient", "awful"].p_a_better == 1
    few = Predictions(predictions.items, predictions.labels, predictions.classifiers[1:])
    assert "both censored" in full(survey(labels, few + extra, bootstrap=50))


def test_a_combiner_object():
    class Optimist(FromCounts):
        name, kind = "optimist", "hard"

        def predict(self, observed):
            return np.eye(2)[(observed[:, 0] == 0).astype(int)]

    labels, _ = running_example(50, 4, seed=1)
    ours = survey(labels, combiner=Optimist(), scorer="agreement", bootstrap=0)
    theirs = survey(
        labels,
        combiner=lambda counts: "cat" if counts["cat"] or not any(counts.values()) else "dog",
        scorer="agreement",
        bootstrap=0,
    )
    assert values(ours)[1:] == pytest.approx(values(theirs)[1:])


def test_frames_and_other_things_are_not_labels(example):
    with pytest.raises(DataError, match=r"^ratings"):
        survey([1, 2])
    with pytest.raises(DataError, match=r"^predictions"):
        survey(example[0], [1, 2])
    with pytest.raises(OptionError, match=r"whole number .* not 1\.5"):
        survey(*example, bootstrap=1.5)


def test_judges_that_cover_items_with_few_ratings_are_not_refused_for_a_size_nobody_asked_for():
    labels, predictions = running_example(120, 3, seed=1)
    more = Labels.from_triples(
        [f"more {i}" for i in range(40) for _ in range(5)],
        [f"rater_{r}" for _ in range(40) for r in range(5)],
        ["cat", "dog", "cat", "cat", "dog"] * 40,
    )
    both = Labels.from_triples(
        [*labels.items[labels.item], *more.items[more.item]],
        [*labels.raters[labels.rater], *more.raters[more.rater]],
        [*np.array(labels.scale.labels)[labels.label], *np.array(["cat", "dog"])[more.label]],
    )
    # Items with five ratings are predicted by nobody.
    result = survey(both, predictions, bootstrap=0)
    assert result.provenance.max_k == 2


def test_who_scores_less_is_never_worth_more_in_the_interval_of_a_difference():
    def compared(b_score):
        (found,) = compare(
            ["a", "b"],
            np.array([2.4, np.inf]),
            np.array([[np.inf, np.inf], [2.0, np.inf], [np.inf, np.inf]]),
            np.array([[0.1, b_score], [0.0, b_score], [0.2, b_score]]),
            max_k=4,
            level=0.95,
        )
        return found

    assert compared(0.3).p_a_better == 0
    assert compared(0.3).raters.high == 0
    # Where either may score higher, both ends stay open.
    assert compared(0.15).raters.high == math.inf


def test_three_items_are_not_said_to_have_approximate_intervals():
    labels, predictions = running_example(3, 3, seed=2)
    hard = Predictions(predictions.items, predictions.labels, predictions.classifiers[:1])
    assert not any("approximate" in str(note) for note in survey(labels, hard).notes)


@pytest.mark.parametrize("scorer", ["rps", "kappa", "squared-error", "spearman", "correlation"])
def test_names_that_are_digits_have_no_order_if_the_caller_says_so(scorer):
    labels = Labels.from_triples([1, 1, 2, 2], ["a", "b", "a", "b"], [1, 2, 2, 2])
    with pytest.raises(OptionError, match="says that they are names"):
        survey(labels, scorer=scorer, scale="nominal", bootstrap=0)


@pytest.mark.parametrize("verb", [survey, judge, partial(alt_test, epsilon=0.1)])
def test_a_label_that_only_the_case_tells_apart_is_refused(verb):
    rng = np.random.default_rng(5)
    items = np.repeat(np.arange(90), 3)
    texts = np.where((items % 2 + rng.random(len(items))) > 0.8, "toxic", "fine").tolist()
    labels = Labels.from_triples(items.tolist(), ["a", "b", "c"] * 90, texts)
    table = np.where(np.arange(90)[:, None] % 2, [[0.8, 0.2]], [[0.3, 0.7]])
    names = ("TOXIC", "fine")
    soft = Predictions.from_probabilities(list(range(90)), names, {"m": table})
    hard = Predictions.from_labels(
        list(range(90)), {"m": [names[code] for code in table.argmax(axis=1)]}
    )
    for said in (soft, hard):
        with pytest.raises(DataError, match=r"'m' says 'TOXIC' where raters say 'toxic'.*'case'"):
            verb(labels, said)


def test_a_judge_of_probabilities_with_a_label_of_its_own_has_a_card():
    rng = np.random.default_rng(6)
    items = np.repeat(np.arange(90), 3)
    texts = np.where((items % 2 + rng.random(len(items))) > 0.8, "toxic", "fine").tolist()
    labels = Labels.from_triples(items.tolist(), ["a", "b", "c"] * 90, texts)
    table = np.where(np.arange(90)[:, None] % 2, [[0.7, 0.2, 0.1]], [[0.2, 0.7, 0.1]])
    names = ("toxic", "fine", "unsure")
    said = Predictions.from_probabilities(list(range(90)), names, {"m": table})
    assert judge(labels, said)["m"].readiness is not None
