"""The agent model of crowdsourced labelling: raters who vote on items, and who compare them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.data.labels import Labels
from headcount.data.scale import Scale
from headcount.errors import OptionError, count
from headcount.typing import Codes

__all__ = ["LabellingModel", "LabellingTruth", "simulate_comparisons", "simulate_votes"]

LABELS = ("negative", "positive")


@dataclass(frozen=True, kw_only=True)
class LabellingModel:
    r"""Items, raters, and what makes raters differ: the parameters of the paper's Table 1.

    Item i has a true value :math:`\theta_i \sim N(0, 1)`; its true label is positive where
    :math:`\theta_i > 0`. Half of the items have a discriminatory feature :math:`d_i`, which ought
    not to count. Rater j perceives

    .. math:: p_{ij} = \sqrt{1 - w_j^2}\, \theta_i + w_j d_i + \sigma_p z_{ij},
              \qquad z_{ij} \sim N(0, 1),

    the same whenever asked again. A vote is positive where :math:`p_{ij}` exceeds the rater's
    threshold :math:`t_j \sim N(0, \sigma_t^2)`. Of two items the rater prefers the one perceived
    as larger, or says that they are equal where they differ by less than :math:`\delta`.

    Parameters
    ----------
    items : int
        Number of items, N. Paper: 512.
    raters : int
        Number of raters, M. Paper: 100.
    perception_ambiguity : float
        Ambiguity in perception, :math:`\sigma_p`: standard deviation of what raters perceive
        around the true value. Paper: .5.
    comparison_ambiguity : float
        Ambiguity in comparison, :math:`\delta`: perceived values that differ by less are said to
        be equal. Paper: .5.
    threshold_diversity : float
        Diversity in threshold, :math:`\sigma_t`: standard deviation of the raters' thresholds.
        Paper: .5. Its N(0, .5) reads as a variance, but its code takes it for this.
    rater_bias : (float, float) or None
        a and b of the weight :math:`w_j = 2\,\mathrm{Beta}(a, b) - 1` that raters give to the
        discriminatory feature; None for no weight. Paper: None, and (2, 16) in its Figure 6, where
        the feature lowers what most raters perceive.
    spammers : float
        Share of the raters, rounded to whole raters, who do not look at items: they vote for
        either label and say left, equal or right with the same probability. Paper: 0.
    comparisons : int or None
        Number of comparison tasks, of different pairs, each by one rater drawn at random; None for
        as many as there are votes. Paper: up to many times the number of votes.
    votes : int
        Votes on each item, by different raters. Paper: 3. (Its code may ask a rater twice.)

    References
    ----------
    Narimanzadeh, Badie-Modiri, Smirnova and Chen, "Crowdsourcing subjective annotations using
    pairwise comparisons reduces bias and error compared to the majority-vote method", 2023,
    sections 2.1 and 4.2.

    Examples
    --------
    >>> LabellingModel(spammers=0.15).comparisons_asked
    1536
    """

    items: int = 512
    raters: int = 100
    perception_ambiguity: float = 0.5
    comparison_ambiguity: float = 0.5
    threshold_diversity: float = 0.5
    rater_bias: tuple[float, float] | None = None
    spammers: float = 0.0
    comparisons: int | None = None
    votes: int = 3

    def __post_init__(self) -> None:
        if self.items < 2 or self.raters < 1:
            raise OptionError(
                f"need at least two items and one rater, not {self.items} and {self.raters}."
            )
        for name in ("perception_ambiguity", "comparison_ambiguity", "threshold_diversity"):
            value = getattr(self, name)
            if not (value >= 0 and math.isfinite(value)):
                raise OptionError(f"{_told(name)} is a number from 0 on, not {value:g}.")
        if self.rater_bias is not None:
            a, b = self.rater_bias
            if not (0 < a < math.inf and 0 < b < math.inf):
                raise OptionError(
                    f"{_told('rater_bias')} {a:g},{b:g}: a Beta distribution has two positive "
                    "numbers, as in 2,16."
                )
        if not 0 <= self.spammers <= 1:
            raise OptionError(
                f"{_told('spammers')} is a share of the raters, from 0 to 1, not {self.spammers:g}."
            )
        if not 1 <= self.votes <= self.raters:
            raise OptionError(
                f"{_told('votes')} {self.votes}: an item has at least 1 vote and at most one of "
                f"each of the {count(self.raters, 'rater')}. Have fewer votes or more raters."
            )
        self.check_comparisons(self.comparisons_asked)

    @property
    def votes_asked(self) -> int:
        """Voting tasks in all: items times votes."""
        return self.items * self.votes

    @property
    def comparisons_asked(self) -> int:
        """Comparison tasks in all: as given, or else as many as votes, or as there are pairs."""
        if self.comparisons is None:
            return min(self.votes_asked, self.items * (self.items - 1) // 2)
        return self.comparisons

    def check_comparisons(self, n: int) -> None:
        """Refuse a number of comparisons that there are not enough pairs for."""
        pairs = self.items * (self.items - 1) // 2
        if not 0 <= n <= pairs:
            raise OptionError(
                f"{_told('comparisons')} {n:,}: pairs are compared once each, and "
                f"{count(self.items, 'item')} make {count(pairs, 'pair')}. Ask for at most as many."
            )


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

    theta: NDArray[np.float64]
    feature: NDArray[np.bool_]
    threshold: NDArray[np.float64]
    weight: NDArray[np.float64]
    spammer: NDArray[np.bool_]
    key: np.uint64

    @property
    def label(self) -> NDArray[np.bool_]:
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


Compared = tuple[Codes, Codes, NDArray[np.float64], Codes]


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
) -> tuple[NDArray[np.bool_], Codes]:
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
    model: LabellingModel | None = None, *, rng: int | np.random.Generator = 0
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
    model = LabellingModel() if model is None else model
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
    model: LabellingModel | None = None, *, rng: int | np.random.Generator = 0
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
    model = LabellingModel() if model is None else model
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


def rater_names(raters: int) -> NDArray[np.object_]:
    """Names of the raters, from rater_1 on."""
    return np.array([f"rater_{j + 1}" for j in range(raters)], dtype=object)


def _told(name: str) -> str:
    """Write a parameter as Python and the command line know it."""
    return f"{name} (--{name.replace('_', '-')})"
