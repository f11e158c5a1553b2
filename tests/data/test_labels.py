from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount import Counts, DataError, Labels, OptionError, Predictions, Scale, running_example
from headcount.data.vocabulary import as_ids, match_ids


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=12))
def test_counts_lead_back_to_items(rows):
    matrix = np.array(rows)
    counts = Counts.from_matrix(matrix)
    np.testing.assert_array_equal(counts.patterns[counts.pattern], matrix)
    np.testing.assert_array_equal(counts.ratings_per_item, matrix.sum(axis=1))
    assert counts.multiplicity.sum() == len(matrix)
    assert len({tuple(p) for p in counts.patterns.tolist()}) == len(counts.patterns)
    kept = counts.take(matrix[:, 0] > 0)
    np.testing.assert_array_equal(kept.patterns[kept.pattern], matrix[matrix[:, 0] > 0])
    assert (kept.multiplicity > 0).all()


def test_labels_count_labels():
    labels = Labels.from_triples(["b", "a", "b"], [1, 1, 2], ["x", "y", "x"])
    counts = labels.counts()
    np.testing.assert_array_equal(counts.patterns[counts.pattern], [[0, 1], [2, 0]])
    assert labels.items.tolist() == ["a", "b"]


def test_columns_of_different_lengths():
    with pytest.raises(DataError, match="same length, not 2, 1 and 2"):
        Labels.from_triples([1, 2], [1], ["a", "b"])


def test_labels_sort_as_numbers_where_they_are():
    labels = Labels.from_triples([1, 2, 3], [1, 1, 1], ["10", "9", "2.5"])
    assert labels.scale.labels == ("2.5", "9", "10")


def test_numbers_of_numpy_are_numbers():
    labels = Labels.from_triples([1, 1], [1, 2], [np.float64(0.2), np.float64(3.0)])
    assert labels.scale.labels == ("0.2", "3")


def test_scale_names_each_label_once():
    with pytest.raises(OptionError, match="repeated: 'a'"):
        Scale(("a", "b", "a"))
    with pytest.raises(OptionError, match="at least one"):
        Scale(())


def test_ids_meet_as_text_where_one_side_is_text():
    assert match_ids(as_ids(["1", "x"]), as_ids(["2", "1"])).tolist() == [1, -1]
    assert match_ids(as_ids(["1", "3"]), as_ids(["3", "1"])).tolist() == [1, 0]


def test_predictions_of_the_wrong_shape():
    with pytest.raises(DataError, match="2 items x 3 labels, got shape"):
        Predictions.from_probabilities([1, 2], ["a", "b", "c"], {"h": [[0.5, 0.5]] * 2})
    with pytest.raises(DataError, match="1 predictions for 2 items"):
        Predictions.from_labels([1, 2], {"h": ["a"]})
    with pytest.raises(DataError, match="more than one row of predictions: '1'"):
        Predictions.from_labels([1, 1], {"h": ["a", "b"]})
    with pytest.raises(DataError, match="no item id"):
        Predictions.from_labels([None, 1], {"h": ["a", "b"]})
    one, two = (Predictions.from_labels([i], {"h": ["a"]}) for i in (1, 2))
    with pytest.raises(DataError, match="same items"):
        one + two


def test_running_example_follows_the_urns():
    labels, predictions = running_example(100_000, 4, rng=3)
    share_of_cats = (labels.label == 0).mean()
    # 400,000 draws in 100,000 clusters: standard error about .001.
    assert share_of_cats == pytest.approx(0.7 * 0.8 + 0.2 * 0.1 + 0.1 * 0.5, abs=0.005)
    hard, calibrated, omniscient = (c.probability[:, 0] for c in predictions.classifiers)
    assert sorted(set(calibrated.round(2))) == [0.32, 0.77]
    assert sorted(set(omniscient)) == [0.1, 0.5, 0.8]
    assert hard[omniscient == 0.8].mean() == pytest.approx(0.9, abs=0.01)
    first = labels.label.reshape(-1, 4)[:, 0] == 0
    # Calibrated: raters say cat as often as it predicts.
    for p in set(calibrated):
        assert first[calibrated == p].mean() == pytest.approx(p, abs=0.01)
    with pytest.raises(OptionError, match="items must be a whole number from 1 to"):
        running_example(0, 3)
