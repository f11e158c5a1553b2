"""The parameters of the agent model of crowdsourced labelling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headcount import options
from headcount.errors import OptionError, count, option

__all__ = ["LabellingModel", "take_model"]

MOST_ITEMS = 10_000_000
MOST_RATERS = 10_000_000
MOST_TASKS = 100_000_000
"""Votes, or comparisons, that can be simulated at once: they take a few gigabytes."""


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


def _beta(given: Any) -> tuple[float, float]:
    """Check the two numbers of a Beta distribution."""
    numbers = options.listed(given, "rater_bias", "two numbers")
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
