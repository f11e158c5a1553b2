"""Agreement of answers to the same pair."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from headcount.data.comparisons import Comparisons
from headcount.pairwise.answers.repeats import repeated_answers
from headcount.pairwise.pairs import pairs
from tests.pairwise.bradley_terry.data import random_comparisons


def slow(played):
    """All twos of answers to each pair, one after the other."""
    answers = {}
    for i in range(len(played)):
        a, b, share = int(played.left[i]), int(played.right[i]), float(played.outcome[i])
        a, b, share = (a, b, share) if a < b else (b, a, 1 - share)
        who = i if played.rater is None else int(played.rater[i])
        answers.setdefault((a, b), []).append((who, np.sign(share - 0.5)))
    total = weight = 0.0
    ties = []
    for given in answers.values():
        twos = [x[1] == y[1] for x, y in combinations(given, 2) if x[0] != y[0]]
        if twos:
            total += len(given) * np.mean(twos)
            weight += len(given)
            ties += [said == 0 for _, said in given]
    t = np.mean(ties)
    return total / weight, t**2 + (1 - t) ** 2 / 2


@pytest.mark.parametrize("raters", [0, 7])
def test_agreement_is_that_of_a_slow_twin(raters):
    played = random_comparisons(8, 300, ties=0.2, seed=3)
    if raters:
        rng = np.random.default_rng(1)
        names = [played.items[side].tolist() for side in (played.left, played.right)]
        played = Comparisons.from_columns(
            *names, played.outcome, rater=rng.integers(raters, size=len(played))
        )
    found, (agreement, chance) = repeated_answers(played, level=0.95), slow(played)
    assert found.agreement.value == pytest.approx(agreement)
    assert found.chance == pytest.approx(chance)
    assert found.kappa.value == pytest.approx((agreement - chance) / (1 - chance))
    assert found.agreement.low < agreement < found.agreement.high
    assert found.by_raters == bool(raters)


def test_all_the_same_and_all_different():
    same = Comparisons.from_columns("abab", "baba", [1, 0, 1, 0], rater="wxyz")
    assert repeated_answers(same, level=0.95).kappa.value == 1
    assert repeated_answers(same, level=0.95).agreement.low is None  # one pair
    once = Comparisons.from_columns("abc", "bca", [1, 1, 1])
    assert repeated_answers(once, level=0.95) is None
    own = Comparisons.from_columns("abab", "baba", [1, 0, 1, 0], rater="xxxx")
    assert repeated_answers(own, level=0.95) is None


def test_it_stands_with_the_answer():
    played = random_comparisons(6, 200, ties=0.1, seed=1)
    result = pairs(played)
    assert "two answers to the same pair agree in" in " ".join(str(result).split())
    assert result.to_dict()["agreement"]["pairs"] == 15


def test_few_pairs_are_words_and_no_number():
    played = Comparisons.from_columns("abab", "baba", [1, 0, 1, 1])
    said = repeated_answers(played, level=0.95).sentence
    assert "1 pair of items compared more than once, too few to tell" in said
    assert "%" not in said


def test_one_comparison_is_too_few():
    result = pairs(Comparisons.from_columns("a", "b", [1]))
    assert str(result).startswith("1 comparison is too few to tell which of 2 items is best.")
