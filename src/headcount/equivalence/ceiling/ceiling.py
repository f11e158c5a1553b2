"""The ceiling: how well infinitely many raters would predict the next one, and how to get near it.

Once the distribution of item states is known (see :func:`fit_states`), so is what surveys of any
size would score, those larger than the data hold included: the power curve can be continued, its
limit is the score of knowing the state itself, and the number of raters that reach a target can be
read off.

K ratings an item tell K moments of the distribution of states, and no more. Several distributions
may fit the data equally well and have different ceilings; then the ceiling is a range, whatever
the number of items. It is wide for 3 ratings an item and negligible for 10.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from headcount.equivalence.ceiling.larger_surveys import survey_score
from headcount.equivalence.ceiling.states import States, fit_states
from headcount.equivalence.combiners.base import Combiner
from headcount.equivalence.scorers.base import Kind, Scorer, most_probable
from headcount.typing import Codes, Floats

__all__ = ["Ceiling", "find_ceiling", "state_score"]


_NARROW = 0.002


@dataclass(frozen=True, eq=False)
class Ceiling:
    """The score of infinitely many raters.

    Parameters
    ----------
    states : States
        The distribution of item states: the centre of those that fit best.
    lowest, highest : States
        Among those that fit as well, the ones with the lowest and the highest ceiling.
    score, low, high : (...) array
        The ceiling under each of the three. Low and high differ by what the ratings of an item
        are too few to tell, not by chance; see :func:`range_estimate` for both.
    baseline : (...) array
        The score of no rater under `states`.
    """

    states: States
    lowest: States
    highest: States
    score: Floats
    low: Floats
    high: Floats
    baseline: Floats

    @property
    def gain(self) -> Floats:
        """Ceiling less the score of no rater: with abc and cross-entropy, information in bits."""
        return self.score - self.baseline

    @property
    def narrow(self) -> bool:
        """Whether the ratings tell the ceiling to within .2% of its gain (of each data set)."""
        return bool(np.all(self.high - self.low <= _NARROW * np.abs(self.gain)))


def state_score(states: States, scorer: Scorer, kind: Kind = "soft") -> Floats:
    r"""Score a prediction that knows the state of every item.

    The table has one row a state: prediction :math:`\theta_j`, distribution of the next label
    :math:`\theta_j`, weight :math:`g_j`. Where a label has to be predicted (`kind` is 'hard') it
    is the most probable one. O(states x labels), and O(states) a data set.

    Examples
    --------
    >>> from headcount.equivalence.scorers.catalogue import SCORERS
    >>> from headcount.data.scale import Scale
    >>> cross_entropy = SCORERS["cross-entropy"](Scale(("yes", "no")), None)
    >>> patterns = np.array([[4, 0], [3, 1], [2, 2], [1, 3], [0, 4]])
    >>> states = fit_states(patterns, np.array([17.0, 4, 6, 4, 1]))  # half sure, half open
    >>> state_score(states, cross_entropy).round(3)
    np.float64(-0.5)
    """
    prediction = most_probable(states.support) if kind == "hard" else states.support
    return np.asarray(scorer.score(prediction, states.support, states.weight, kind))


def find_ceiling(
    patterns: Codes, multiplicity: Floats, combiner: Combiner, scorer: Scorer
) -> Ceiling:
    r"""Find the score of infinitely many raters, and the range that fits the data as well.

    Parameters
    ----------
    patterns : (patterns, labels) array of int
        Label counts of items, of two labels; they may have different numbers of ratings.
    multiplicity : (patterns,) array
        How many items show each pattern.
    combiner, scorer
        What predicts (only its kind matters here, and its prediction from no rater), and what
        scores it.

    Notes
    -----
    For a scorer that is a mean over items the ends of the range are exact: the score is linear in
    the weights of the states, and among the distributions of maximal likelihood the one with the
    largest is found (`lean` of :func:`fit_states`). Other scorers, such as F1 or AUC, are
    linearised at the fit to find the ends, which are then scored as they are.

    With 5 ratings an item or more the estimate is nearly unbiased (within .01 bits for 1,000
    items); with 3 it is the middle of a range that the data cannot narrow, so say 'at least' and
    'at most' (`low` and `high`). See ``docs/studies/ceiling.md``.

    Three fits; see :func:`fit_states` for their cost.

    References
    ----------
    Resnick, Kong, Schoenebeck and Weninger, "Survey Equivalence", section 7, asks for it.

    Examples
    --------
    >>> from headcount import running_example
    >>> from headcount import ABC
    >>> from headcount.equivalence.scorers.catalogue import SCORERS
    >>> labels, _ = running_example(1000, 10, rng=1)
    >>> counts = labels.counts()
    >>> scorer = SCORERS["cross-entropy"](labels.scale, None)
    >>> ceiling = find_ceiling(counts.patterns, counts.multiplicity, ABC(), scorer)
    >>> ceiling.gain.round(3)  # the truth is .252 bits
    np.float64(0.266)
    >>> ceiling.narrow
    True
    """
    items = np.asarray(multiplicity, dtype=np.float64)
    states = fit_states(patterns, items)
    slope = _slope(states, scorer, combiner.kind)
    lowest = fit_states(patterns, items, lean=-slope)
    highest = fit_states(patterns, items, lean=slope)
    return _ceiling(states, lowest, highest, combiner, scorer)


def _ceiling(
    states: States, lowest: States, highest: States, combiner: Combiner, scorer: Scorer
) -> Ceiling:
    score, low, high = (
        state_score(each, scorer, combiner.kind) for each in (states, lowest, highest)
    )
    # Linearised scorers and rounding can leave the ends on the wrong side by next to nothing.
    return Ceiling(
        states=states,
        lowest=lowest,
        highest=highest,
        score=score,
        low=np.minimum(low, score),
        high=np.maximum(high, score),
        baseline=survey_score(states.support, states.weight, 0, combiner, scorer),
    )


def _slope(states: States, scorer: Scorer, kind: Kind) -> Floats:
    """How the ceiling changes as items are moved to each state; exact for means over items."""
    step = 1e-4
    moved = (1 - step) * states.weight + step * np.eye(len(states.weight))
    before = state_score(states, scorer, kind)
    return (state_score(replace(states, weight=moved), scorer, kind) - before) / step
