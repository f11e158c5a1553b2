"""The engine equals plain enumeration of all subsets, on small random data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import Labels, Predictions, survey_equivalence
from tests.equivalence import naive, survey

PAIRS = [
    ("abc", "cross-entropy"),
    ("abc", "brier"),
    ("abc", "agreement"),
    ("frequency", "cross-entropy"),
    ("frequency", "brier"),
    ("frequency", "agreement"),
    ("plurality", "agreement"),
]


@st.composite
def rated_items(draw: st.DrawFn) -> tuple[list[list[str]], list[str]]:
    """Ragged ratings of 2 to 8 items with 2 to 4 labels, all of which are used."""
    labels = list("abcd")[: draw(st.integers(2, 4))]
    items = draw(
        st.lists(st.lists(st.sampled_from(labels), min_size=1, max_size=5), min_size=2, max_size=8)
    )
    used = sorted({label for item in items for label in item})
    if len(used) < 2 or max(map(len, items)) < 2:
        items.append(["a", "b"])
        used = sorted({label for item in items for label in item})
    return items, used


def as_labels(items: list[list[str]]) -> Labels:
    triples = [(i, j, label) for i, item in enumerate(items) for j, label in enumerate(item)]
    return Labels.from_triples(*zip(*triples, strict=True))


@pytest.mark.parametrize(("combiner", "scorer"), PAIRS)
@settings(max_examples=60)
@given(data=rated_items(), size=st.integers(1, 4))
def test_curve_equals_enumeration(combiner, scorer, data, size):
    items, labels = data
    max_k = min(size, max(map(len, items)) - 1)
    result = survey(as_labels(items), combiner=combiner, scorer=scorer, max_k=max_k, bootstrap=0)
    expected = naive.power_curve(items, labels, max_k, combiner, scorer)
    # Both are sums of some hundred terms of order 1 in double precision.
    assert [point.score.value for point in result.curve] == pytest.approx(expected, abs=1e-10)


@settings(max_examples=60)
@given(
    data=rated_items(),
    size=st.integers(1, 4),
    scorer=st.sampled_from(["cross-entropy", "brier", "agreement"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_classifier_and_equivalence_equal_enumeration(data, size, scorer, seed):
    items, labels = data
    max_k = min(size, max(map(len, items)) - 1)
    probability = np.random.default_rng(seed).dirichlet(np.ones(len(labels)), size=len(items))
    predictions = Predictions.from_probabilities(range(len(items)), labels, {"h": probability})
    result = survey(as_labels(items), predictions, scorer=scorer, max_k=max_k, bootstrap=0)

    as_dicts = [dict(zip(labels, row, strict=True)) for row in probability.tolist()]
    h = naive.classifier_score(items, as_dicts, max_k, scorer)
    assert result["h"].score.value == pytest.approx(h, abs=1e-10)
    curve = [point.score.value for point in result.curve]
    # So few items have no worth; the crossing itself is what it is.
    worth = naive.equivalence(curve, result["h"].score.value)
    found = survey_equivalence(curve, result["h"].score.value)
    assert found == pytest.approx(worth, abs=1e-9)
    assert result["h"].equivalence.undefined
