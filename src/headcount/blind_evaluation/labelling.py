"""The labels of items: how sure they are, what gold says of them, and the columns they make."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from headcount.blind_evaluation.gold_methods import features_of, one_hot, rows_of
from headcount.blind_evaluation.truth_models import Mixture, shrunk, tempered
from headcount.blind_evaluation.votes import (
    Blocks,
    LogLinear,
    TruthOf,
    Votes,
    counted,
    softmax,
    winners,
)
from headcount.data.labels import Labels
from headcount.errors import DataError, option
from headcount.results.result import to_frame
from headcount.stats.arrays import Matrix
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import BY_GOLD, share_interval
from headcount.typing import Codes, Flags, Floats, Ids

__all__ = [
    "UNSURE",
    "Choice",
    "ItemLabels",
    "choose_model",
    "label_items",
    "power_of",
    "shared_errors",
    "with_gold",
]

# How sure votes make a label: those that err together are worth fewer than they are.

POWERS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0)
MOST_LOST = 0.05
"""Log loss of a held-out vote by which a less sure model may be worse than the best."""
MOST_HELD_OUT = 20_000
"""Votes up to which all are held out in turn; of more, those on some of the items."""
MOST_LABELS = 10
"""Labels up to which every two are looked at."""
USUAL = 0.2
"""Correlation that errors are taken to have where there are more: about that of real crowds."""


def power_of(model: Mixture, votes: Votes, vote_weight: Floats) -> float:
    r"""Find the power to which probabilities are to be taken, for votes that err together.

    m votes whose errors have the correlation :math:`\rho` are worth :math:`m / (1 + (m - 1) \rho)`
    independent ones, so that log odds are :math:`1 / (1 + (m - 1) \rho)` of what models say that
    take them for independent. Held-out votes have a say: of all powers from there to 1 it is the
    least that predicts them no worse than the best by more than .05, in log loss. What most
    workers get wrong together no vote shows.
    """
    votes = _some(votes)
    weight = votes.multiplicity.astype(np.float64)
    number = votes.counts(vote_weight).sum(axis=1)
    mean = float(weight @ number / weight.sum())
    least = 1 / (1 + max(mean - 1, 0.0) * shared_errors(votes, weight))
    several = (np.diff(votes.start) > 1)[votes.row]
    if not several.any():
        return least
    powers = [least, *(power for power in POWERS if power > least)]
    full, others = model(votes), model.without_each(votes)
    losses = [_held_out(votes, weight, full, others, several, power) for power in powers]
    best = min(losses)
    return next(p for p, loss in zip(powers, losses, strict=True) if loss <= best + MOST_LOST)


def _some(votes: Votes) -> Votes:
    """Take some rows, evenly, of very many votes."""
    step = -(-len(votes.label) // MOST_HELD_OUT)
    if step == 1:
        return votes
    return rows_of(votes, np.arange(len(votes.multiplicity)) % step == 0)


def _held_out(
    votes: Votes, weight: Floats, full: Floats, others: Floats, several: Flags, power: float
) -> float:
    """Log loss of each vote given the others on its item, and what its voter does elsewhere."""
    often = weight[votes.row]
    truth, by_others = tempered(full, power), tempered(others, power)
    own = truth[votes.row]
    table = np.swapaxes(counted(votes, weight, truth), 1, 2)
    table = shrunk(table, table)
    rest = table[votes.classifier]
    rest[np.arange(len(own)), :, votes.label] -= own
    rest = np.maximum(rest, 1e-9)
    given = rest[np.arange(len(own)), :, votes.label] / rest.sum(axis=2)
    likely = (by_others * given).sum(axis=1)[several]
    return -float(often[several] @ np.log(np.maximum(likely, 1e-12)) / often[several].sum())


def shared_errors(votes: Votes, weight: Floats) -> float:
    r"""Correlation of the errors of two votes on one item, given the majority of the others.

    Of two votes on an item, each a row of zeros with a one at its label, and truth c by the
    others, it is the covariance over the variance within c, as if all voters were alike; 0 at
    least. O(rows x labels^2).

    Examples
    --------
    All five votes agree on half of the items, and two differ on the other half.

    >>> from headcount import Labels
    >>> from headcount.blind_evaluation.votes import collect
    >>> said = ["aaaaa"] * 5 + ["aaabb"] * 5
    >>> cells = [(i, k, label) for i, row in enumerate(said) for k, label in enumerate(row)]
    >>> votes = collect(Labels.from_triples(*zip(*cells, strict=True)))
    >>> round(shared_errors(votes, votes.multiplicity.astype(float)), 2)
    0.02
    """
    size = len(votes.labels)
    if size > MOST_LABELS:
        return USUAL
    counts = votes.label_counts()
    pairs = np.zeros((size, size, size))  # truth, first, second
    for a in range(size):
        for b in range(a, size):
            others = counts.copy()
            others[:, a] -= 1
            others[:, b] -= 1
            number = weight * counts[:, a] * (counts[:, b] - (a == b))
            there = number > 0
            truth = winners(np.maximum(others[there], 0))
            pairs[:, a, b] = number[there] @ truth
            pairs[:, b, a] = pairs[:, a, b]
    total = np.maximum(pairs.sum(axis=(1, 2)), 1e-12)
    chance = (pairs.sum(axis=2) ** 2).sum(axis=1) / total
    same = np.einsum("caa->c", pairs)
    spread = float((total - chance).sum())
    return max(0.0, float((same - chance).sum()) / spread) if spread > 1e-9 else 0.0


# What gold says: which model predicts gold that it has not seen, and how sure it may be.

ENOUGH_TO_CHOOSE = 10
"""Items with gold from which on these choose the model and its power."""
LIKE_VOTES = 0.7
"""Standard deviation of the logarithm of the power by gold around that by votes."""
RIDGE = 1.0
SMOOTHED = 4.0
"""Labels' worth of the crowd's table that naive Bayes adds to each worker's."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Choice:
    """The model that labels items.

    Parameters
    ----------
    model : Mixture
    name, words : str
        What it is called, and what it assumes.
    gold : int
        Items with gold that chose it; 0 if none did.
    right : Estimate or None
        Share of these that it labels right; of what it learned from others.
    votes_right : float or None
        The same of the model without gold.
    """

    model: Mixture
    name: str
    words: str
    gold: int = 0
    right: Estimate | None = None
    votes_right: float | None = None


TAUGHT = {
    "naive Bayes": "workers err as on the items with gold, independently of each other",
    "logistic regression": "votes tell the label as on the items with gold",
}
"""What learns from gold, and what it assumes."""


def choose_model(
    model: Mixture, blocks: Blocks, votes: Votes, name: str, words: str, level: float = 0.95
) -> Choice:
    r"""Take the model as it is, or what gold teaches if this predicts gold better.

    Gold labels of five folds are predicted by what the other four teach: by naive Bayes, and by
    logistic regression on the votes with a ridge. One of them labels the items if its log loss is
    lower than that of the model by more than a standard error of the difference. The power of each
    is the one that makes gold likeliest; that of the model by votes has a say, as a normal
    distribution of its logarithm.

    Parameters
    ----------
    model : Mixture
        By the votes.
    blocks : Blocks
    votes : Votes
        All votes, with gold.
    name, words : str
        Of the model.
    level : float
        Of the interval of the share of gold that is labelled right.
    """
    usual = power_of(model, votes, blocks.group_weight)
    plain = Choice(model=replace(model, power=usual), name=name, words=words)
    has_gold = votes.gold >= 0
    n = int(votes.multiplicity[has_gold].sum())
    if n < ENOUGH_TO_CHOOSE:
        return plain
    gold = rows_of(votes, has_gold)
    weight = gold.multiplicity * gold.gold_weight

    def tuned(truth: Floats) -> tuple[float, Floats]:
        """Power that suits gold best, and log loss of each row."""
        losses = {
            power: -np.log(np.maximum(_of_gold(gold, tempered(truth, power)), 1e-9))
            for power in (usual, *POWERS)
        }
        power = min(
            losses,
            key=lambda p: weight @ losses[p] + (np.log(p / usual) / LIKE_VOTES) ** 2 / 2,
        )
        return power, losses[power]

    def right_of(truth: Floats) -> Estimate:
        """Share of gold that is labelled right, with an interval for that of the others."""
        value = float(weight @ _of_gold(gold, winners(truth)) / weight.sum())
        size = float(weight.sum()) ** 2 / float(weight @ gold.gold_weight)
        # The labels of which it is said are a sample, too.
        low, high = share_interval(value, 1 / (1 / size + 1 / max(votes.items - n, 1)), level)
        return Estimate(value, float(low), float(high), level=level, method=BY_GOLD.name)

    seen = model(gold)
    power, loss = tuned(seen)
    right = right_of(seen)
    best = replace(
        plain, model=replace(model, power=power), gold=n, right=right, votes_right=right.value
    )
    if len(np.unique(gold.gold)) < 2:
        return best
    least = np.inf
    for taught, learn in (("naive Bayes", _naive_bayes), ("logistic regression", _logistic)):
        truth = np.zeros_like(seen)
        for part in np.unique(gold.fold):
            mine = gold.fold == part
            truth[mine] = learn(gold, weight * ~mine, blocks)(rows_of(gold, mine))
        power, own = tuned(truth)
        gain = loss - own
        mean = float(weight @ gain / weight.sum())
        error = float(np.sqrt(weight @ (gain - mean) ** 2)) / float(weight.sum())
        if mean > error and float(weight @ own) < least:
            least = float(weight @ own)
            best = Choice(
                model=Mixture((learn(gold, weight, blocks),), power),
                name=taught,
                words=TAUGHT[taught],
                gold=n,
                right=right_of(truth),
                votes_right=right.value,
            )
    return best


def _of_gold(votes: Votes, truth: Floats) -> Floats:
    """Probability of the gold label of each row."""
    return truth[np.arange(len(truth)), votes.gold]


def _naive_bayes(votes: Votes, weight: Floats, blocks: Blocks) -> LogLinear:
    """Learn how often each worker gives which label where which is true, and all of them."""
    size = len(votes.labels)
    truth = one_hot(votes.gold, size) * weight[:, None]
    table = np.zeros((blocks.n_classifiers, size, size))  # given, true
    np.add.at(table, (votes.classifier, votes.label), truth[votes.row])
    crowd = table.sum(axis=0) + 1
    table += SMOOTHED * crowd / crowd.sum(axis=0)
    score = np.log(table / table.sum(axis=1, keepdims=True))
    prior = np.log((truth.sum(axis=0) + 1) / (truth.sum() + size))
    return LogLinear(prior, score * blocks.group_weight[:, None, None])


def _logistic(votes: Votes, weight: Floats, blocks: Blocks) -> LogLinear:
    """Fit logistic regression of gold on who gave which label, with a ridge."""
    from scipy import optimize  # pyright: ignore[reportMissingTypeStubs]

    size, used = len(votes.labels), weight > 0
    features: Matrix = features_of(replace(votes, soft=None))[used]
    truth, often = one_hot(votes.gold[used], size), weight[used, None]
    shape = (features.shape[1], size)

    def loss(flat: Floats) -> tuple[float, Floats]:
        slope, intercept = flat[size:].reshape(shape), flat[:size]
        found = softmax(features @ slope + intercept)
        off = often * (found - truth)
        lost = -float((often * truth * np.log(np.maximum(found, 1e-300))).sum())
        gradient = np.concatenate([off.sum(axis=0), (features.T @ off + RIDGE * slope).ravel()])
        return lost + RIDGE / 2 * float((slope**2).sum()), gradient

    minimize: Any = cast("Any", optimize).minimize
    start = np.zeros(size + features.shape[1] * size)
    flat = minimize(loss, start, jac=True, method="L-BFGS-B").x
    score = flat[size:].reshape(blocks.n_classifiers, size, size)
    return LogLinear(flat[:size], np.ascontiguousarray(score))


# The labels, to be used or to be written.

UNSURE = 0.8
"""Probability of the likeliest label below which an item counts as unsure."""
CONTRADICT = 0.1
"""Share of the items from which on labels of two ways that differ are both given."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ItemLabels:
    """The label of each item with votes, by one model.

    Parameters
    ----------
    items : array
        None where items with the same votes were put together before they came here.
    label : (items,) array of str
        The likeliest, the first of those that tie; of items with gold that.
    probability : (items, labels) array
        Of each label; right only if what the model assumes is so.
    votes : (items,) array of int
        Labels that classifiers gave to the item.
    labels : tuple of str
    model, words : str
        The method that found them, and what it assumes.
    gold : (items,) array of bool
        Whether the label is gold.
    majority : (items,) array of str
        The label with most votes; empty where labels tie.
    backend : str or None
        The kind of frame that the votes came from.
    times : (items,) array of int or None
        How many items each stands for, where they were put together.
    """

    items: Ids
    label: Ids
    probability: Floats
    votes: Codes
    labels: tuple[str, ...]
    model: str
    words: str
    gold: Flags
    majority: Ids
    backend: str | None = None
    times: Codes | None = None

    def __len__(self) -> int:
        return len(self.items) if self.times is None else int(self.times.sum())

    @property
    def often(self) -> Floats:
        """How many items each stands for."""
        return np.ones(len(self.items)) if self.times is None else self.times.astype(np.float64)

    @property
    def contradicted(self) -> float:
        """Share of the items without gold that most workers give another label."""
        return self._share((self.label != self.majority) & (self.majority != ""))

    @property
    def tied(self) -> float:
        """Share of the items without gold on which labels tie for most votes."""
        return self._share(self.majority == "")

    def _share(self, chosen: Flags) -> float:
        often = self.often * ~self.gold
        return float(often @ chosen) / max(float(often.sum()), 1.0)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row per item: item, label, probability of each label, votes, model.

        Where the model and the majority contradict each other on more than a tenth of the items,
        `most_votes` stands beside, the label that most workers gave, if there is one. Probabilities
        have six digits: further ones differ between machines.

        Raises
        ------
        DataError
            If items were put together, so that they have no names.
        """
        if self.times is not None:
            raise DataError(
                "the labels of single items need votes one by one, and these were counted where "
                f"they are. Allow memory for all of them ({option('memory', ...)})."
            )
        rounded = _six_digits(self.probability).T.tolist()
        both = {"most_votes": self.majority.tolist()} if self.contradicted > CONTRADICT else {}
        return {
            "item": self.items.tolist(),
            "label": self.label.tolist(),
            **both,
            **{f"probability:{x}": own for x, own in zip(self.labels, rounded, strict=True)},
            "votes": self.votes.tolist(),
            "model": ["gold" if is_gold else self.model for is_gold in self.gold.tolist()],
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the rows as a data frame: pandas, polars or pyarrow."""
        return to_frame(self.columns(), backend or self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, a summary; items have a file of their own."""
        often, best = self.often, self.probability.max(axis=1)
        total = float(often.sum())
        shares = (often @ winners(self.probability) / total).tolist()
        return {
            "model": self.model,
            "assumes": self.words,
            "items": round(total),
            "shares": dict(zip(self.labels, shares, strict=True)),
            "mean_probability": float(often @ best / total),
            "unsure": round(float(often @ (best < UNSURE))),
            "gold": round(float(often @ self.gold)),
            "contradicts_majority": self.contradicted,
            "tied": self.tied,
        }


def _six_digits(probability: Floats) -> Floats:
    """Round to six digits, however small: none becomes 0."""
    size = np.floor(np.log10(np.maximum(probability, 1e-16)))
    scale = 10.0 ** (5 - size)
    return np.where(probability > 1e-16, np.round(probability * scale) / scale, probability)


def label_items(
    labels: Labels, votes: Votes, blocks: Blocks, truth_of: TruthOf, name: str, words: str
) -> ItemLabels:
    """Make the labels of items: gold where there is some, else what a model finds. One pass."""
    truth = with_gold(np.concatenate([truth_of(part) for part, _ in blocks]), votes)
    counts = np.concatenate([part.counts() for part, _ in blocks])
    voted = np.flatnonzero(votes.row_of >= 0)
    row = votes.row_of[voted]
    names = np.array(votes.labels, dtype=object)
    majority = names[counts.argmax(axis=1)]
    majority[winners(counts).max(axis=1) < 1] = ""
    return ItemLabels(
        items=labels.items[voted],
        label=names[truth.argmax(axis=1)][row],
        probability=truth[row],
        votes=np.diff(votes.start)[row],
        labels=votes.labels,
        model=name,
        words=words,
        gold=(votes.gold >= 0)[row],
        majority=majority[row],
        backend=labels.backend,
        times=None if labels.item_times is None else labels.item_times[voted],
    )


def with_gold(truth: Floats, votes: Votes) -> Floats:
    """Put gold in the place of what a model finds."""
    has_gold = (votes.gold >= 0)[:, None]
    return np.where(has_gold, one_hot(np.maximum(votes.gold, 0), truth.shape[1]), truth)
