"""The agent model of crowdsourced labelling: raters who vote on items, and who compare them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import md5
from typing import Any

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.data.labels import Labels, Scale
from headcount.data.vocabulary import encode
from headcount.errors import DataError, OptionError, count, option, some
from headcount.results.fields import Record
from headcount.typing import Codes, Flags, Floats, Ids, Seed

__all__ = [
    "LabellingModel",
    "take_model",
    "LabellingTruth",
    "simulate_comparisons",
    "simulate_votes",
    "simulate_answers",
]


# The parameters of the agent model of crowdsourced labelling.

MOST_ITEMS = 10_000_000
MOST_RATERS = 10_000_000
MOST_TASKS = 100_000_000
"""Votes, or comparisons, that can be simulated at once: they take a few gigabytes."""


@dataclass(frozen=True, kw_only=True)
class LabellingModel(Record):
    r"""Items, raters, and how raters differ: the parameters of the paper's Table 1.

    Item i has a true value :math:`\theta_i \sim N(0, 1)`; its true label is positive where
    :math:`\theta_i > 0`. Half of the items have a discriminatory feature :math:`d_i`, which should
    not count. Rater j perceives

    .. math:: p_{ij} = \sqrt{1 - w_j^2}\, \theta_i + w_j d_i + \sigma_p z_{ij},
              \qquad z_{ij} \sim N(0, 1),

    and perceives the same when asked again. A vote is positive if :math:`p_{ij}` exceeds the
    rater's threshold :math:`t_j \sim N(0, \sigma_t^2)`. Of two items the rater prefers the one
    perceived as larger, or says that they are equal if they differ by less than :math:`\delta`.

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
        Ambiguity in comparison, :math:`\delta`: the rater says that items are equal if their
        perceived values differ by less. Paper: .5.
    threshold_diversity : float
        Diversity in threshold, :math:`\sigma_t`: standard deviation of the raters' thresholds.
        Paper: .5. Its N(0, .5) looks like a variance, but its code uses .5 as the standard
        deviation.
    rater_bias : (float, float) or None
        a and b of the weight :math:`w_j = 2\,\mathrm{Beta}(a, b) - 1` that raters give to the
        discriminatory feature; None for no weight. Paper: None, and (2, 16) in its Figure 6, where
        the feature lowers what most raters perceive.
    spammers : float
        Share of the raters, rounded to whole raters, who do not look at items: they vote for
        either label and say left, equal or right with the same probability. Paper: 0.
    comparisons : int or None
        Number of comparison tasks, of different pairs, each answered by one rater drawn at random;
        None for as many as there are votes. Paper: up to many times the number of votes.
    votes : int
        Votes on each item, by different raters. Paper: 3. (In its code a rater may vote twice.)

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
        checked: dict[str, Any] = {
            "items": options.whole(self.items, "items", least=2, most=MOST_ITEMS),
            "raters": options.whole(self.raters, "raters", least=1, most=MOST_RATERS),
            "spammers": options.share(self.spammers, "spammers"),
            "votes": options.whole(self.votes, "votes"),
            "rater_bias": None if self.rater_bias is None else _beta(self.rater_bias),
        }
        for name in ("perception_ambiguity", "comparison_ambiguity", "threshold_diversity"):
            checked[name] = options.number(getattr(self, name), name, least=0)
        if self.comparisons is not None:
            checked["comparisons"] = options.whole(self.comparisons, "comparisons")
        for name, value in checked.items():
            object.__setattr__(self, name, value)  # plain numbers, also where numpy's were given
        if not 1 <= self.votes <= self.raters:
            raise OptionError(
                f"{option('votes')} {self.votes:,}: an item has at least 1 vote and at most one of "
                f"each of the {count(self.raters, 'rater')}. Have fewer votes or more raters."
            )
        if self.votes_asked > MOST_TASKS:
            raise OptionError(
                f"{self.items:,} items with {count(self.votes, 'vote')} each are more than the "
                f"{MOST_TASKS:,} votes that can be simulated at once; have fewer."
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

    def check_comparisons(self, n: int) -> int:
        """Refuse a number of comparisons that there are not enough pairs for, or too many."""
        n = options.whole(n, "comparisons")
        pairs = self.items * (self.items - 1) // 2
        if not 0 <= n <= pairs:
            raise OptionError(
                f"{option('comparisons')} {n:,}: pairs are compared once each, and "
                f"{count(self.items, 'item')} make {count(pairs, 'pair')}. Ask for at most as many."
            )
        if n > MOST_TASKS:
            raise OptionError(
                f"{option('comparisons')} {n:,} are more than the {MOST_TASKS:,} that can be "
                "simulated at once; ask for fewer."
            )
        return n


def _beta(value: Any) -> tuple[float, float]:
    """Check the two numbers of a Beta distribution."""
    numbers = options.listed(value, "rater_bias", "two numbers")
    shown = ",".join(map(str, numbers))
    if len(numbers) == 2:
        a, b = (options.number(each, "rater_bias", such_as="2,16") for each in numbers)
        if a > 0 and b > 0:
            return a, b
    raise OptionError(
        f"{option('rater_bias')} {shown}: a Beta distribution has two positive numbers, as in 2,16."
    )


def take_model(model: Any) -> LabellingModel:
    """Take the parameters of a crowd; the paper's for None."""
    if model is None:
        return LabellingModel()
    if not isinstance(model, LabellingModel):
        raise OptionError(
            f"{option('model')} must be a LabellingModel, such as LabellingModel(items=50), not "
            f"{model!r}."
        )
    return model


# The agent model of crowdsourced labelling: raters who vote on items, and who compare them.

LABELS = ("negative", "positive")


@dataclass(frozen=True, eq=False)
class LabellingTruth:
    """The truth behind simulated votes and comparisons.

    Parameters
    ----------
    theta : (items,) array of float
        True values.
    feature : (items,) array of bool
        Whether items have the discriminatory feature.
    threshold : (raters,) array of float
    weight : (raters,) array of float
        The weight that each rater gives to the discriminatory feature.
    spammer : (raters,) array of bool
    key : int
        The random key that determines how each rater perceives each item.
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
        sequence: Any = self.methods.bit_generator.seed_seq
        return sequence.spawn(n)

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
    model: LabellingModel | None = None, *, seed: Seed = 0
) -> tuple[Comparisons, LabellingTruth]:
    """Draw items, raters, and comparisons of random pairs of items.

    Pairs are drawn from all N(N-1)/2 without replacement, each is shown in a random position to
    one rater drawn at random.

    Parameters
    ----------
    model : LabellingModel, optional
        Default: the paper's parameters.
    seed : int or Generator
        Seed or generator. The same seed gives the same data, and :func:`simulate_votes` with the
        same seed has the same items and raters, who perceive an item in the same way when they vote
        on it.

    Returns
    -------
    Comparisons, LabellingTruth

    Notes
    -----
    O(items + raters + comparisons) time and memory. What rater j perceives in item i is not stored
    but computed when needed, from number jN + i of the SplitMix64 sequence that starts at the run's
    random key, made normal by Box and Muller's method. That costs 25 ns instead of
    8 N M bytes.

    Examples
    --------
    >>> comparisons, truth = simulate_comparisons(LabellingModel(items=50, spammers=0.1), seed=1)
    >>> comparisons
    Comparisons: 150 of 50 items by 100 raters (30 ties)
    >>> truth
    LabellingTruth: 50 items (28 positive), 100 raters (10 spammers)
    """
    model = take_model(model)
    streams = Streams.of(options.seed(seed))
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
    model: LabellingModel | None = None, *, seed: Seed = 0
) -> tuple[Labels, LabellingTruth]:
    """Draw items, raters, and votes of different raters on each item.

    Parameters
    ----------
    model : LabellingModel, optional
        Default: the paper's parameters.
    seed : int or Generator
        Seed or generator; see :func:`simulate_comparisons`.

    Returns
    -------
    Labels, LabellingTruth

    Notes
    -----
    O(items x votes + raters) time and memory.

    Examples
    --------
    >>> votes, truth = simulate_votes(LabellingModel(items=50, spammers=0.1), seed=1)
    >>> votes
    Labels: 150 ratings of 50 items by 100 raters; labels negative, positive
    """
    model = take_model(model)
    streams = Streams.of(options.seed(seed))
    truth = draw_truth(model, streams.truth)
    positive, rater = draw_votes(model, truth, streams.votes)
    names = np.arange(model.items)
    votes = Labels(
        items=names,
        raters=rater_names(model.raters),
        scale=Scale(LABELS),
        item=np.repeat(names, model.votes),
        rater=rater.ravel(),
        label=positive.ravel().astype(np.int64),
        source="simulation",
    )
    return votes, truth


def rater_names(raters: int) -> Ids:
    """Names of the raters, from rater_1 on."""
    return np.array([f"rater_{j + 1}" for j in range(raters)], dtype=object)


# Answers of a simulated crowd to given comparisons of items whose true values are known.


def simulate_answers(
    left: Sequence[object],
    right: Sequence[object],
    truth: Mapping[str, float],
    model: LabellingModel,
    *,
    seed: int = 0,
) -> Comparisons:
    """Have a simulated crowd compare pairs of items.

    Raters, and what each perceives in each item, depend on the seed alone, so that the same crowd
    answers one batch after another. Who answers a pair depends on the batch as well.

    Parameters
    ----------
    left, right : sequence
        Items of each pair.
    truth : mapping of str to float
        True values of all items.
    model : LabellingModel
        The crowd; its items, comparisons and votes do not matter.
    seed : int

    Examples
    --------
    >>> truth = {"a": 2.0, "b": 0.0, "c": -2.0}
    >>> crowd = LabellingModel(raters=3, perception_ambiguity=0.1)
    >>> simulate_answers("abc", "bca", truth, crowd).outcome
    array([1., 1., 0.])
    """
    from headcount.simulation._labelling_kernel import compare

    seed = options.whole(seed, "seed", least=0)
    names = sorted(truth)
    index = {name: k for k, name in enumerate(names)}
    unknown = [str(item) for item in dict.fromkeys([*left, *right]) if str(item) not in index]
    if unknown:
        raise DataError(f"no true value of {some(unknown)}. Check the names in both files.")
    model = replace(model, items=max(len(names), 2), comparisons=None, votes=1)
    crowd = draw_truth(model, Streams.of(np.random.default_rng(seed)).truth)
    batch = md5(repr([(str(a), str(b)) for a, b in zip(left, right, strict=True)]).encode())
    outcome, rater = compare(
        np.random.default_rng([seed, int(batch.hexdigest()[:8], 16)]),
        np.array([index[str(item)] for item in left], dtype=np.int64),
        np.array([index[str(item)] for item in right], dtype=np.int64),
        crowd.key,
        float(model.perception_ambiguity),
        float(model.comparison_ambiguity),
        np.array([truth[name] for name in names]),
        crowd.feature[: len(names)],
        crowd.weight,
        crowd.spammer,
    )
    codes, texts = encode([*left, *right])
    return Comparisons.from_codes(
        (codes[: len(left)], codes[len(left) :], texts),
        outcome,
        raters=(rater, [str(name) for name in rater_names(model.raters)]),
        source="simulation",
    )
