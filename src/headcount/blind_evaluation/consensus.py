"""The consensus: the label of each item, how sure it is, and how good each worker is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headcount.blind_evaluation.blind import check_settings, evaluate
from headcount.blind_evaluation.methods import LABELLING
from headcount.blind_evaluation.prepare import People
from headcount.blind_evaluation.result import BlindResult
from headcount.blind_evaluation.truth_models import UNSURE, ItemLabels
from headcount.errors import count
from headcount.results.fields import Record, json_value, listing, rows, shown
from headcount.results.page import Page
from headcount.results.result import Result
from headcount.stats.estimate import Estimate
from headcount.typing import Progress, Seed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ConsensusResult", "Worker", "consensus"]


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
    bootstrap: int = 0,
    level: float = 0.95,
    seed: Seed = 0,
    progress: Progress | None = None,
) -> ConsensusResult:
    """Find the label of each item from what several workers said, and how good each worker is.

    Parameters
    ----------
    labels : Labels, Predictions, path or frame
        What each worker (or classifier) said of each item, or what :func:`headcount.read_votes`
        takes; some may be missing.
    method : str
        The model that finds the labels: consensus, majority, one-coin, em, easy-hard or another
        method of :func:`headcount.blind`.
    gold, groups, group_pattern, at_least, abstain, confusion
        As for :func:`headcount.blind`.
    bootstrap, level, seed, progress
        Of the intervals of the workers' accuracies; 0 bootstrap samples for normal intervals.

    Returns
    -------
    ConsensusResult

    Examples
    --------
    >>> from headcount import Labels, consensus
    >>> said = {"a": "yyn", "b": "nnn", "c": "yyy", "d": "nyn"}
    >>> rows = [(item, who, label) for item, row in said.items() for who, label in enumerate(row)]
    >>> result = consensus(Labels.from_triples(*zip(*rows, strict=True)), method="majority")
    >>> dict(zip(result.columns()["item"], result.columns()["label"]))
    {'a': 'y', 'b': 'n', 'c': 'y', 'd': 'n'}
    """
    people = People(
        gold=gold,
        groups=groups,
        group_pattern=group_pattern,
        at_least=at_least,
        abstain=abstain,
        confusion=confusion,
    )
    settings = check_settings(
        metrics=["accuracy"],
        methods=[method],
        labelling=method,
        bootstrap=bootstrap,
        level=level,
        seed=seed,
    )
    evaluation = evaluate(labels, people, settings, progress)
    return ConsensusResult(
        labels=evaluation.labels,
        workers=tuple(
            Worker(name=c.name, labelled=c.labelled, accuracy=c.score)
            for c in evaluation.classifiers
        ),
        evaluation=evaluation,
        provenance=evaluation.provenance,
        notes=evaluation.notes,
    )


@dataclass(frozen=True, kw_only=True)
class Worker(Record):
    """How good a worker is: items that it labelled, and how often it is right."""

    name: str = field(metadata=shown("worker"))
    labelled: int = field(metadata=shown("items"))
    accuracy: Estimate = field(metadata=shown("accuracy"))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ConsensusResult(Result):
    """The label of each item, and how good each worker is.

    Parameters
    ----------
    labels : ItemLabels
        The label of each item with the probability of every label.
    workers : tuple of Worker
        Best first: `name`, `labelled` items, and the estimated `accuracy`.
    evaluation : BlindResult
        The evaluation that they come from.

    Examples
    --------
    >>> from headcount import consensus
    >>> result = consensus("example:votes")
    >>> sorted({str(label) for label in result.columns()["label"]})
    ['ok', 'toxic']
    """

    labels: ItemLabels
    workers: tuple[Worker, ...]
    evaluation: BlindResult

    def page(self) -> Page:
        """Say how many items have a sure label, and how good the workers are."""
        summary, level = self.labels.to_dict(), self.provenance.level or 0.95
        shares = sorted(summary["shares"].items(), key=lambda pair: -pair[1])[:5]
        words = ", ".join(f"'{label}' {share:.1%}" for label, share in shares)
        return Page(
            headline=[
                f"{count(summary['items'], 'item')} labelled from "
                f"{count(len(self.workers), 'worker')}: {words}. "
                f"{count(summary['unsure'], 'item')} with a probability below {UNSURE:g}."
            ],
            blocks=[
                listing(
                    self.workers,
                    interval=f"{level:.0%} interval",
                    title="How often each worker is right",
                    noun="worker",
                )
            ],
        )

    def columns(self) -> dict[str, list[Any]]:
        """Return one row an item: `item`, `label`, the probability of each label, `votes`."""
        return self.labels.columns()

    def worker_columns(self) -> dict[str, list[Any]]:
        """Return one row a worker: `worker`, `labelled` items, `accuracy` and its interval."""
        columns = rows(self.workers)
        return {"worker": columns.pop("name"), **columns}

    def document(self) -> dict[str, Any]:
        """Return the summary of the labels, and the workers."""
        return json_value({"labels": self.labels, "workers": self.workers})

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the accuracies of the workers with their intervals (needs matplotlib)."""
        return self.evaluation.plot(ax)
