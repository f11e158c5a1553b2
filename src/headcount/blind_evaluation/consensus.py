"""The consensus: the label of each item, how sure it is, and how good each worker is."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount import options
from headcount._version import __version__
from headcount.blind_evaluation.labelling import (
    CONTRADICT,
    UNSURE,
    Choice,
    ItemLabels,
    choose_model,
    label_items,
    with_gold,
)
from headcount.blind_evaluation.methods import (
    LABELLING,
    METHODS,
    Consensus,
    Majority,
    worker_scores,
)
from headcount.blind_evaluation.metrics import choose_metrics
from headcount.blind_evaluation.prepare import (
    People,
    cut_at,
    prepare_any,
    provenance_of,
    take_labelled,
    without_label,
)
from headcount.blind_evaluation.result import (
    FEW_FOR_LABELS,
    MOST_JUDGES,
    TO_LABEL,
    are_people,
)
from headcount.blind_evaluation.scoring import (
    ENOUGH_ITEMS,
    Method,
    Settings,
    crowd_tables,
    seeds_of,
)
from headcount.blind_evaluation.truth_models import Mixture, mixture
from headcount.blind_evaluation.votes import (
    Blocks,
    LogLinear,
    TruthOf,
    collect,
    crowd_blocks,
    majority,
)
from headcount.data.labels import Labels, Scale
from headcount.data.vocabulary import find_labels, match_ids
from headcount.errors import DataError, OptionError, count, option, some, unknown_name
from headcount.results.fields import Record, json_value, listing, rows, shown
from headcount.results.notes import Notes
from headcount.results.result import Page, Result, Screen, again, command
from headcount.results.tables import Table
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import BY_CROWD
from headcount.typing import Codes, Floats, Seed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ConsensusResult", "LabelModel", "Worker", "consensus"]


MODELS = {name: method for name, method in METHODS.items() if method.fits}
"""The methods that label items."""


def consensus(
    labels: Any,
    *,
    method: str = LABELLING.name,
    gold: Any = None,
    groups: Any = None,
    group_pattern: str | None = None,
    at_least: float | None = None,
    abstain: str | None = None,
    confusion: Any = None,
    exclude_below: float | None = None,
    model: Any = None,
    level: float = 0.95,
    seed: Seed = 0,
) -> ConsensusResult:
    """Estimate the label of each item from labels by several workers, and how good they are.

    Parameters
    ----------
    labels : Labels, Predictions, path or frame
        The label that each worker (or classifier) gave to each item, or what
        :func:`headcount.read_votes` takes; labels may be missing.
    method : str
        The model that estimates the labels: consensus, majority, one-coin, em or easy-hard.
    gold, groups, group_pattern, at_least, abstain, confusion
        As for :func:`headcount.blind`. Items with gold keep their gold label. With ten gold labels
        or more, gold also chooses the model for the other items and calibrates it.
    exclude_below : float, optional
        Leave out workers who match the consensus less often than this, and compute it again.
    model : ConsensusResult, LabelModel or path, optional
        The result of an earlier call, or a file that its ``save`` wrote; it labels these items.
    level : float
        Coverage of the intervals of workers' accuracies.
    seed : int or Generator
        Seed or generator for the folds of items with gold.

    Returns
    -------
    ConsensusResult

    Notes
    -----
    Probabilities of the model are raised to a power, which allows for correlated errors
    (:func:`headcount.blind_evaluation.labelling.power_of`). O(votes x labels) per pass over the
    votes, with some tens of passes.

    Examples
    --------
    >>> from headcount import Labels, consensus
    >>> said = {"a": "yyn", "b": "nnn", "c": "yyy", "d": "nyn"}
    >>> rows = [(item, who, label) for item, row in said.items() for who, label in enumerate(row)]
    >>> result = consensus(Labels.from_triples(*zip(*rows, strict=True)), method="majority")
    >>> dict(zip(result.columns()["item"], result.columns()["label"]))
    {'a': 'y', 'b': 'n', 'c': 'y', 'd': 'n'}

    The same model for new items:

    >>> result.predict(Labels.from_triples(["e", "e"], ["0", "1"], ["y", "y"])).columns()["label"]
    ['y']
    """
    if model is not None:
        return _model(model).predict(labels)
    people = People(
        gold=gold,
        groups=groups,
        group_pattern=group_pattern,
        at_least=at_least,
        abstain=abstain,
        confusion=confusion,
    )
    if method not in MODELS:
        raise unknown_name("method", method, list(MODELS), option_name="method")
    seed, named_seed = seeds_of(seed)
    settings = Settings(level=options.level(level), seed=seed, named_seed=named_seed)
    result = _label(labels, people, MODELS[method], settings)
    if exclude_below is None:
        return result
    least = options.share(exclude_below, "exclude_below")
    poor = {each.name for each in result.workers if each.accuracy.value < least}
    if not poor:
        return replace(result, excluded=Excluded(below=least))
    if len(poor) > len(result.workers) - 2:
        raise OptionError(
            f"{option('exclude_below', least)} leaves fewer than two of "
            f"{count(len(result.workers), 'worker')}. Take a lower number."
        )
    people = replace(people, at_least=None, abstain=None)
    fewer = _label(_without(result.read, poor), people, MODELS[method], settings, without=poor)
    index = match_ids(result.labels.items, fewer.labels.items)
    often, rest = result.labels.often, index >= 0
    changed = result.labels.label[rest] != fewer.labels.label[index[rest]]
    excluded = Excluded(
        below=least,
        workers=len(poor),
        changed=round(float(often[rest] @ changed)),
        without=round(float(often[~rest].sum())),
    )
    return replace(fewer, excluded=excluded)


def _without(labels: Labels, names: set[str]) -> Labels:
    """Leave out what some workers said."""
    kept = np.array([str(name) not in names for name in labels.raters.tolist()])
    said = kept[labels.rater]
    return replace(
        labels,
        raters=labels.raters[kept],
        item=labels.item[said],
        rater=(np.cumsum(kept) - 1)[labels.rater[said]],
        label=labels.label[said],
    )


def _label(
    labels: Any, people: People, method: Method, settings: Settings, without: Collection[str] = ()
) -> ConsensusResult:
    """Fit the model, and label items and workers by it."""
    notes = Notes()
    if without:
        notes.info(f"Without {count(len(without), 'worker')}: {some(sorted(without), 5)}.")
    data = prepare_any(labels, people, seed=settings.seed, notes=notes)
    about, votes = data.labels, data.votes
    blocks = crowd_blocks(votes)
    choice: Choice | None = None
    name, words = method.name, method.words
    # Models count whole labels; shares of votes go by probabilities where there are some.
    if votes.soft is not None and isinstance(method, Majority):
        truth_of: TruthOf = majority
        by_votes = truth_of
    else:
        fitted = mixture(blocks, method.fits, settings.climbing)
        choice = choose_model(fitted, blocks, votes, method.short, method.words, settings.level)
        truth_of, words = choice.model, choice.words
        name = name if choice.name == method.short else choice.name
        # Less sure probabilities fit workers only where it is gold that made them so.
        by_votes = truth_of if choice.gold else fitted
    found = label_items(about, votes, blocks, truth_of, name, words)
    known = {id(part): with_gold(by_votes(part), part) for part, _ in blocks}
    # Intervals take the labels for granted: not where few judges made them, or gold corrects them.
    taken = blocks.n_classifiers >= FEW_FOR_LABELS and not (choice is not None and choice.gold)
    workers, table = _workers(blocks, lambda part: known[id(part)], settings.level, taken=taken)
    names = votes.classifiers
    model = None
    if choice is not None:
        model = LabelModel(
            labels=votes.labels,
            workers=names,
            accuracy=tuple(each.accuracy.value for each in workers),
            mixture=choice.model,
            name=name,
            words=choice.words,
            at_least=people.at_least,
            abstain=people.abstain,
        )
    _tell(found, choice, notes)
    order = sorted(range(len(names)), key=lambda k: -workers[k].accuracy.value)
    return ConsensusResult(
        labels=found,
        workers=tuple(replace(workers[k], name=names[k]) for k in order),
        confusion=dict(zip(names, table, strict=True)),
        choice=choice,
        model=model,
        read=about,
        provenance=provenance_of(
            about, votes, level=settings.level, bootstrap=0, seed=settings.named_seed
        ),
        notes=tuple(notes),
    )


def _workers(
    blocks: Blocks, truth_of: TruthOf, level: float, *, taken: bool
) -> tuple[list[Worker], Floats]:
    """Find how often each worker is right given the labels, and what it gives where one is true."""
    metrics = choose_metrics(next(iter(blocks))[0].labels, names=["accuracy"])
    scored = worker_scores(blocks, truth_of, metrics)
    table = crowd_tables(blocks, truth_of)
    labelled = table.sum(axis=(1, 2)).round().astype(np.int64).tolist()
    share = np.clip(scored.scores[0], 0, 1)
    effective = np.zeros_like(share) if scored.sizes is None else scored.sizes.effective[0]
    low, high = metrics.interval(0, share, effective, level)
    ends = zip(share.tolist(), low.tolist(), high.tolist(), labelled, strict=True)
    workers = [
        Worker(
            name="",
            labelled=number,
            accuracy=Estimate(value, low=lower, high=upper, level=level, method=BY_CROWD.name)
            if taken and number
            else Estimate(value),
        )
        for value, lower, upper, number in ends
    ]
    return workers, table


def _tell(found: ItemLabels, choice: Choice | None, notes: Notes) -> None:
    """Say where the model and the majority contradict each other."""
    several = int(found.often @ (found.votes > 1))
    if several < ENOUGH_ITEMS:
        notes.warning(
            f"{count(several, 'item')} only have labels of two workers or more: nothing tells how "
            "good they are.",
            short=f"{count(several, 'item')} have two labels or more: nothing tells how good "
            "workers are.",
            rank=0,
        )
    apart, tied = found.contradicted, found.tied
    both = f"the model contradicts the majority on {apart:.0%} of the items ({option('rows_file')})"
    ways = (apart, both), (tied, f"votes tie on {tied:.0%} of the items")
    cases = [text for share, text in ways if share > CONTRADICT]
    if cases and found.model != Majority.name:
        there = f"{' and '.join(cases)}: labels there are right if {found.words.partition(';')[0]}."
        notes.caution(f"{there[0].upper()}{there[1:]}", short=there, rank=1)


# A fitted model, for items that come later.


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelModel:
    """What labels items by the votes of known workers; of others as of the mean worker.

    Parameters
    ----------
    labels, workers : tuple of str
    accuracy : tuple of float
        Of each worker.
    mixture : Mixture
    name, words : str
        What the model is called, and what it assumes.
    at_least : float or None
    abstain : str or None
        How votes are read.
    """

    labels: tuple[str, ...]
    workers: tuple[str, ...]
    accuracy: tuple[float, ...]
    mixture: Mixture
    name: str
    words: str
    at_least: float | None = None
    abstain: str | None = None

    def predict(self, data: Any) -> ConsensusResult:
        """Label items by votes, which may be on new items and by new workers."""
        notes = Notes()
        said = take_labelled(data, notes)
        if self.abstain is not None and self.abstain in said.scale.labels:
            said = without_label(said, self.abstain, notes)
        if self.at_least is not None:
            said, _ = cut_at(said, [], self.at_least)
        code = find_labels(said.scale.labels, self.labels)
        if (code < 0).any():
            unknown = [x for x, c in zip(said.scale.labels, code, strict=True) if c < 0]
            raise DataError(
                f"{said.source}: the model does not know the labels {some(unknown)}. It knows "
                f"{some(self.labels, 10)}."
            )
        said = replace(said, scale=Scale(self.labels), label=code[said.label])
        votes = collect(said)
        index = {name: k for k, name in enumerate(self.workers)}
        place: Codes = np.array(
            [index.get(name, len(index)) for name in votes.classifiers], dtype=np.int64
        )
        new = [votes.classifiers[k] for k in np.flatnonzero(place == len(index))]
        if new:
            notes.caution(
                f"{count(len(new), 'worker')} that the model does not know counted as its mean "
                f"worker: {some(new, 5)}.",
                short=f"{count(len(new), 'new worker')} counted as the model's mean worker.",
                rank=2,
            )
        parts = tuple(
            replace(part, score=_with_mean(part.score)[place]) for part in self.mixture.parts
        )
        blocks = crowd_blocks(votes)
        found = label_items(
            said, votes, blocks, replace(self.mixture, parts=parts), self.name, self.words
        )
        _tell(found, None, notes)
        accuracy = [*self.accuracy, float(np.mean(self.accuracy))]
        known = zip(votes.classifiers, votes.labelled, place, strict=True)
        workers = [
            Worker(name=name, labelled=int(number), accuracy=Estimate(accuracy[int(k)]))
            for name, number, k in known
        ]
        return ConsensusResult(
            labels=found,
            workers=tuple(sorted(workers, key=lambda each: -each.accuracy.value)),
            confusion={},
            choice=None,
            model=self,
            read=said,
            provenance=provenance_of(said, votes, level=0.95, bootstrap=0),
            notes=tuple(notes),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; :meth:`from_dict` reads it."""
        return {
            "headcount": __version__,
            "labels": list(self.labels),
            "workers": list(self.workers),
            "accuracy": list(self.accuracy),
            "name": self.name,
            "assumes": self.words,
            "at_least": self.at_least,
            "abstain": self.abstain,
            "power": self.mixture.power,
            "weights": list(self.mixture.weights),
            "parts": [
                {
                    "kinds": part.kinds,
                    "prior": np.maximum(part.prior, LOWEST).tolist(),
                    "score": np.maximum(part.score, LOWEST).tolist(),
                }
                for part in self.mixture.parts
            ],
        }

    @classmethod
    def from_dict(cls, document: Any) -> LabelModel:
        """Read what :meth:`to_dict` wrote."""
        parts = tuple(
            LogLinear(np.array(part["prior"]), np.array(part["score"]), int(part["kinds"]))
            for part in document["parts"]
        )
        return cls(
            labels=tuple(document["labels"]),
            workers=tuple(document["workers"]),
            accuracy=tuple(document["accuracy"]),
            mixture=Mixture(parts, float(document["power"]), tuple(document["weights"])),
            name=document["name"],
            words=document["assumes"],
            at_least=document["at_least"],
            abstain=document["abstain"],
        )


LOWEST = -700.0
"""Logarithm that stands for that of 0, which JSON does not have."""


def _with_mean(score: Floats) -> Floats:
    """Add what the mean worker's labels say, after the others."""
    mean = np.log(np.maximum(np.exp(np.maximum(score, LOWEST)).mean(axis=0), 1e-300))
    return np.concatenate([score, mean[None]])


def _model(source: Any) -> LabelModel:
    """Take a model, or read one."""
    if isinstance(source, LabelModel):
        return source
    if isinstance(source, ConsensusResult):
        return source.fitted
    path = Path(source)
    try:
        return LabelModel.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file ({option('model')}).") from None
    except (KeyError, TypeError, ValueError, OSError):
        raise DataError(
            f"{path}: this is not a model of {option('save_model', ...)}, which {option('model')} "
            "takes."
        ) from None


# What comes out.


@dataclass(frozen=True, kw_only=True)
class Worker(Record):
    """How good a worker is: items that it labelled, and how often it is right."""

    name: str = field(metadata=shown("worker"))
    labelled: int = field(metadata=shown("items"))
    accuracy: Estimate = field(metadata=shown("matches the label"))


@dataclass(frozen=True, kw_only=True)
class Excluded(Record):
    """What leaving out workers changed.

    Parameters
    ----------
    below : float
        Workers who match the consensus less often were left out.
    workers : int
        How many were.
    changed : int
        Items that have another label since.
    without : int
        Items that only they labelled.
    """

    below: float
    workers: int = 0
    changed: int = 0
    without: int = 0

    def sentence(self, items: int) -> str:
        """Say what changed, of so many items that are labelled still."""
        if not self.workers:
            return f"No worker matches the consensus less than {self.below:.0%} of the time."
        changed = f"{self.changed:,} of the {items:,} labels change"
        if not self.changed:
            changed = f"all {items:,} labels stay the same"
        verb = "has" if self.without == 1 else "have"
        none = f"; {count(self.without, 'more item')} {verb} no labels left"
        return (
            f"Without the {count(self.workers, 'worker')} below {self.below:.0%}, {changed}"
            f"{none if self.without else ''}."
        )


MOST_POOR, MOST_IN_TABLE = 6, 12
"""Workers that a sentence names, and up to which there is a table."""
BROKEN = (
    "If these are LLM judges: in public data sets with several of them, about 20 percentage points "
    "fewer labels were right than estimated."
)
"""What panels of LLM judges with gold showed (docs/studies/crowds.md)."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ConsensusResult(Result):
    """The label of each item, and how good each worker is.

    Parameters
    ----------
    labels : ItemLabels
        The label of each item with the probability of every label.
    workers : tuple of Worker
        Best first: `name`, `labelled` items, and the estimated `accuracy`.
    confusion : mapping of worker to (labels, labels) array
        Expected number of times that the worker gave a label (column) when a label is true (row).
    choice : Choice or None
        The model that labels items, and its accuracy on gold.
    model : LabelModel or None
        The fitted model for new items: see :meth:`predict`.
    read : Labels
        The votes.
    excluded : Excluded or None
        What leaving out workers changed, if `exclude_below` was given.

    Examples
    --------
    >>> from headcount import consensus
    >>> result = consensus("example:votes")
    >>> sorted({str(label) for label in result.columns()["label"]})
    ['ok', 'toxic']
    """

    labels: ItemLabels
    workers: tuple[Worker, ...]
    confusion: dict[str, Floats]
    choice: Choice | None
    model: LabelModel | None
    read: Labels
    excluded: Excluded | None = None

    @property
    def fitted(self) -> LabelModel:
        """The fitted model, for new items; an error if the method has none."""
        if self.model is None:
            raise OptionError(
                f"the {self.labels.model} of probabilities is not a model for new items. Take "
                f"{option('method', LABELLING.name)}."
            )
        return self.model

    def predict(self, labels: Any) -> ConsensusResult:
        """Label new items by the votes on them, as this model was fitted.

        Parameters
        ----------
        labels : Labels, Predictions, path or frame
            As :func:`headcount.consensus` takes; workers that are new count as the mean worker.
        """
        return self.fitted.predict(labels)

    def save(self, path: str | Path) -> None:
        """Write the model as JSON, for ``consensus(..., model=path)``."""
        from headcount.io.write import replacing

        document = json.dumps(self.fitted.to_dict())
        with replacing(Path(path)) as temporary:
            temporary.write_text(document, encoding="utf-8")

    @property
    def poor(self) -> tuple[float, list[Worker]]:
        """Share of matches below which a worker is poor, and those who are, worst first.

        Half way from chance to the median worker, rounded to .05; with enough labels to know.
        """
        chance = 1 / len(self.provenance.labels)
        middle = float(np.median([each.accuracy.value for each in self.workers]))
        below = round(20 * (chance + middle) / 2) / 20
        poor = [
            each
            for each in self.workers
            if each.accuracy.value < below and each.labelled >= ENOUGH_ITEMS
        ]
        return below, poor[::-1]

    @property
    def _is_panel(self) -> bool:
        """Whether these are few who labelled most items, and gold says nothing of them."""
        few, gold = len(self.workers) <= MOST_JUDGES, self.choice is None or self.choice.gold
        labelled = sum(each.labelled for each in self.workers)
        return few and not gold and 2 * labelled >= len(self.labels) * len(self.workers)

    def _headline(self) -> list[str]:
        summary = self.labels.to_dict()
        shares = sorted(summary["shares"].items(), key=lambda pair: -pair[1])
        most = ", ".join(f"'{label}' {share:.1%}" for label, share in shares[:5])
        rest = f" and {count(len(shares) - 5, 'more label')}" if len(shares) > 5 else ""
        unsure = summary["unsure"]
        gold = f", {summary['gold']:,} by gold" if summary["gold"] else ""
        lines = [f"{count(summary['items'], 'item')} labelled{gold}: {most}{rest}."]
        if summary["gold"] == summary["items"]:
            lines = [f"All {summary['items']:,} labels are your gold labels: {most}{rest}."]
        else:
            lines.append(
                f"{self._share_right()}; {count(unsure, 'item')} {'is' if unsure == 1 else 'are'} "
                f"uncertain (probability below {UNSURE:.0%})."
            )
        lines += [BROKEN] if self._is_panel and not are_people(self.notes) else []
        lines += [] if self.excluded is None else [self.excluded.sentence(summary["items"])]
        return lines

    def _share_right(self) -> str:
        """Say how many labels should be right: by gold, which shows errors that most share."""
        choice = self.choice
        if choice is None or choice.right is None:
            mean = self.labels.to_dict()["mean_probability"]
            return f"About {mean:.0%} should be right, unless most workers err together"
        right, by = choice.right, ""
        if right.value != choice.votes_right:
            by = f" ({choice.name}; by the votes alone {choice.votes_right:.0%})"
        return (
            f"About {right.value:.0%} ({right.low:.0%} to {right.high:.0%}) of the other labels "
            f"should be right, judging by {choice.gold:,} gold labels withheld in turn{by}"
        )

    def _poor_sentence(self) -> str:
        below, poor = self.poor
        if not poor:
            return ""
        named = ", ".join(
            f"{each.name} ({each.accuracy.value:.0%} of {each.labelled:,} labels)"
            for each in poor[:MOST_POOR]
        )
        rest = f" and {len(poor) - MOST_POOR:,} more" if len(poor) > MOST_POOR else ""
        number = sum(each.labelled for each in poor)
        does = "matches" if len(poor) == 1 else "match"
        return (
            f"{count(len(poor), 'worker')} ({number:,} labels) {does} the consensus less than "
            f"{below:.0%} of the time (half way from chance to the median): {named}{rest}."
        )

    def screen(self) -> Screen:
        """Say how many items have a sure label, and which workers do not match them."""
        below, poor = self.poor
        sentence = self._poor_sentence()
        few = len(self.workers) <= MOST_IN_TABLE
        summary, steps = self.labels.to_dict(), list[str]()
        given = summary["gold"] == summary["items"]
        if summary["unsure"]:
            steps.append(
                f"look at the {count(summary['unsure'], 'uncertain item')} ({option('rows_file')})."
            )
        left = len(self.workers) - len(poor)
        if poor and left > 2 and self.confusion and not given and self.excluded is None:
            who = "the worker" if len(poor) == 1 else f"the {len(poor):,} workers"
            steps.append(
                f"leave out {who} below {below:.0%}, and see what changes: "
                f"{again(exclude_below=below)}"
            )
        if self._is_panel and len(self.labels) >= ENOUGH_ITEMS:
            number = min(TO_LABEL, len(self.labels))
            then = command("next_items", self.provenance.source, number=number)
            steps.append(f"have {number} items labelled, and give them back as gold: {then}")
        return Screen(
            headline=[*self._headline(), *([sentence] if sentence and not few else [])],
            table=self._table("") if few else None,
            data=f"{self.provenance.n_ratings or 0:,} labels, {len(self.workers):,} workers",
            next=steps[-1:],
        )

    def _table(self, title: str) -> Table:
        level = self.provenance.level or 0.95
        if all(each.accuracy.low is None for each in self.workers):
            body = [[w.name, f"{w.labelled:,}", f"{w.accuracy.value:.3f}"] for w in self.workers]
            few = ""
            if len(self.workers) < FEW_FOR_LABELS:
                few = f"intervals need {FEW_FOR_LABELS} workers or more"
            head = ["worker", "items", "matches the label"]
            return Table(head, body[:MOST_IN_TABLE], title=title, more=few)
        return listing(
            self.workers,
            interval=f"{level:.0%} interval",
            title=title,
            noun="worker",
            most=MOST_IN_TABLE,
        )

    def page(self) -> Page:
        """Say how many items have a sure label, and how good the workers are."""
        sentence = self._poor_sentence()
        average = f", the {Consensus.title}" if self.labels.model == Consensus.name else ""
        return Page(
            headline=[*self._headline(), *([sentence] if sentence else [])],
            blocks=[self._table("How often each worker matches these labels")],
            foot=[
                f"Labels by {self.labels.model}{average}. It assumes: "
                f"{self.labels.words.replace('classifiers', 'workers')}."
            ],
        )

    def columns(self) -> dict[str, list[Any]]:
        """Return one row per item: `item`, `label`, the probability of each label, `votes`."""
        return self.labels.columns()

    def worker_columns(self) -> dict[str, list[Any]]:
        """Return confusion matrices, a row per worker, true label and given label.

        Columns: `worker`, `true`, `given` and `count` (the expected number), which `confusion`
        takes; and of the worker `labelled` items and `accuracy` with its interval.
        """
        cells = [
            (each, true, given, value)
            for each in self.workers
            for true, row in zip(
                self.provenance.labels, self.confusion.get(each.name, ()), strict=False
            )
            for given, value in zip(self.provenance.labels, row.tolist(), strict=True)
        ]
        columns = rows([each for each, *_ in cells])
        return {
            "worker": columns.pop("name"),
            "true": [true for _, true, *_ in cells],
            "given": [given for *_, given, _ in cells],
            "count": [round(value, 6) for *_, value in cells],
            **columns,
        }

    def document(self) -> dict[str, Any]:
        """Return the summary of the labels, and the workers."""
        choice = self.choice
        return json_value(
            {
                "labels": self.labels,
                "workers": self.workers,
                "gold_right": None if choice is None else choice.right,
                "gold_right_by_votes": None if choice is None else choice.votes_right,
                "excluded": self.excluded,
            }
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the accuracies of the workers with their intervals (needs matplotlib)."""
        from headcount.blind_evaluation.plot import plot_right

        right = [(worker.name, worker.accuracy) for worker in self.workers]
        words = "accuracy, if these labels are right"
        return plot_right(right, words, self.provenance.level or 0.95, ax)
