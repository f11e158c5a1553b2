"""The agent model of crowdsourced labelling: raters who vote on items, and who compare them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.data.labels import Labels
from headcount.data.scale import Scale
from headcount.errors import count
from headcount.simulation.labelling_model import LabellingModel, take_model
from headcount.typing import Codes, Flags, Floats, Ids, Seed

__all__ = ["LabellingModel", "LabellingTruth", "simulate_comparisons", "simulate_votes"]

LABELS = ("negative", "positive")


@dataclass(frozen=True, eq=False)
class LabellingTruth:
    """What a simulation knows and a study does not.

    Parameters
    ----------
    theta : (items,) array of float
        True values.
    feature : (items,) array of bool
        Whether items have the discriminatory feature.
    threshold : (raters,) array of float
    weight : (raters,) array of float
        What the discriminatory feature weighs with each rater.
    spammer : (raters,) array of bool
    key : int
        What fixes how each rater perceives each item.
    """

    theta: Floats
    feature: Flags
    threshold: Floats
    weight: Floats
    spammer: Flags
    key: np.uint64

    @property
    def label(self) -> Flags:
        """True labels: whether the true value is above 0."""
        return self.theta > 0

    def __repr__(self) -> str:
        positive, spammers = int(self.label.sum()), int(self.spammer.sum())
        return (
            f"LabellingTruth: {count(len(self.theta), 'item')} ({positive:,} positive), "
            f"{count(len(self.weight), 'rater')} ({count(spammers, 'spammer')})"
        )


@dataclass(frozen=True, eq=False)
class Streams:
    """Random numbers of a run, one stream a purpose: other votes leave comparisons as they are."""

    truth: np.random.Generator
    votes: np.random.Generator
    comparisons: np.random.Generator
    methods: np.random.Generator

    @classmethod
    def of(cls, rng: np.random.Generator) -> Streams:
        """Spawn the streams of one run."""
        return cls(*rng.spawn(4))

    def seeds(self, n: int) -> list[np.random.SeedSequence]:
        """Spawn seeds for the methods that are tried, from each of which several can start."""
        known: Any = self.methods.bit_generator.seed_seq
        return known.spawn(n)

    def again(self, seed: np.random.SeedSequence) -> np.random.Generator:
        """Start a generator from a seed: the same numbers each time."""
        return np.random.Generator(type(self.methods.bit_generator)(seed))


def draw_truth(model: LabellingModel, rng: np.random.Generator) -> LabellingTruth:
    """Draw items and raters. A stream for each purpose, so that one parameter changes one thing."""
    of_items, of_feature, of_threshold, of_weight, of_spammer = rng.spawn(5)
    weight = np.zeros(model.raters)
    if model.rater_bias is not None:
        weight = 2 * of_weight.beta(*model.rater_bias, model.raters) - 1
    # Who comes first in a random order, so that more spammers are the same ones and others.
    spammer = of_spammer.permutation(model.raters) < round(model.spammers * model.raters)
    return LabellingTruth(
        theta=of_items.standard_normal(model.items),
        feature=of_feature.random(model.items) < 0.5,
        threshold=model.threshold_diversity * of_threshold.standard_normal(model.raters),
        weight=weight,
        spammer=spammer,
        key=rng.integers(0, 2**64, dtype=np.uint64),
    )


Compared = tuple[Codes, Codes, Floats, Codes]


def draw_comparisons(
    model: LabellingModel, truth: LabellingTruth, n: int, rng: np.random.Generator
) -> Compared:
    """Left, right, outcome and rater of n comparisons."""
    from headcount.simulation._labelling_kernel import compare, draw_pairs

    of_pairs, of_answers = rng.spawn(2)
    left, right = draw_pairs(of_pairs, model.items, n)
    outcome, rater = compare(
        of_answers,
        left,
        right,
        truth.key,
        float(model.perception_ambiguity),
        float(model.comparison_ambiguity),
        truth.theta,
        truth.feature,
        truth.weight,
        truth.spammer,
    )
    return left, right, outcome, rater


def draw_votes(
    model: LabellingModel, truth: LabellingTruth, rng: np.random.Generator
) -> tuple[Flags, Codes]:
    """Whether votes are positive, and whose they are; items x votes."""
    from headcount.simulation._labelling_kernel import vote

    return vote(
        rng,
        model.votes,
        truth.key,
        float(model.perception_ambiguity),
        truth.theta,
        truth.feature,
        truth.threshold,
        truth.weight,
        truth.spammer,
    )


def simulate_comparisons(
    model: LabellingModel | None = None, *, rng: Seed = 0
) -> tuple[Comparisons, LabellingTruth]:
    """Draw items, raters, and comparisons of random pairs of items.

    Pairs are drawn from all N(N-1)/2 without replacement, each is shown in a random position to
    one rater drawn at random.

    Parameters
    ----------
    model : LabellingModel, optional
        Default: the paper's parameters.
    rng : int or Generator
        Seed or generator. The same seed gives the same data; with :func:`simulate_votes`, the same
        items and raters, who see the same in an item whether they vote on it or compare it.

    Returns
    -------
    Comparisons, LabellingTruth

    Notes
    -----
    O(items + raters + comparisons) time and memory. What rater j perceives in item i is not stored:
    it is computed where it is needed, as number jN + i of the SplitMix64 sequence that starts at
    the run's random key, turned normal by Box and Muller's method. That costs 25 ns instead of
    8 N M bytes.

    Examples
    --------
    >>> comparisons, truth = simulate_comparisons(LabellingModel(items=50, spammers=0.1), rng=1)
    >>> comparisons
    Comparisons: 150 of 50 items by 100 raters (30 ties)
    >>> truth
    LabellingTruth: 50 items (28 positive), 100 raters (10 spammers)
    """
    model = take_model(model)
    streams = Streams.of(options.seed(rng))
    truth = draw_truth(model, streams.truth)
    left, right, outcome, rater = draw_comparisons(
        model, truth, model.comparisons_asked, streams.comparisons
    )
    compared = Comparisons(
        items=np.arange(model.items),
        left=left,
        right=right,
        outcome=outcome,
        rater=rater,
        raters=rater_names(model.raters),
        source="simulation",
    )
    return compared, truth


def simulate_votes(
    model: LabellingModel | None = None, *, rng: Seed = 0
) -> tuple[Labels, LabellingTruth]:
    """Draw items, raters, and votes of different raters on each item.

    Parameters
    ----------
    model : LabellingModel, optional
        Default: the paper's parameters.
    rng : int or Generator
        Seed or generator; see :func:`simulate_comparisons`.

    Returns
    -------
    Labels, LabellingTruth

    Notes
    -----
    O(items x votes + raters) time and memory.

    Examples
    --------
    >>> votes, truth = simulate_votes(LabellingModel(items=50, spammers=0.1), rng=1)
    >>> votes
    Labels: 150 ratings of 50 items by 100 raters; labels negative, positive
    """
    model = take_model(model)
    streams = Streams.of(options.seed(rng))
    truth = draw_truth(model, streams.truth)
    said, rater = draw_votes(model, truth, streams.votes)
    names = np.arange(model.items)
    votes = Labels(
        items=names,
        raters=rater_names(model.raters),
        scale=Scale(LABELS),
        item=np.repeat(names, model.votes),
        rater=rater.ravel(),
        label=said.ravel().astype(np.int64),
        source="simulation",
    )
    return votes, truth


def rater_names(raters: int) -> Ids:
    """Names of the raters, from rater_1 on."""
    return np.array([f"rater_{j + 1}" for j in range(raters)], dtype=object)
