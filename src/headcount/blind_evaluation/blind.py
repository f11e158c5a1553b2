"""Blind evaluation end to end: labels of classifiers in, ranked estimates out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount import options
from headcount.blind_evaluation.dawid_skene import SMOOTHING, Climbing
from headcount.blind_evaluation.evidence import (
    Evidence,
    Judging,
    choose_judge,
    find_against,
    find_contradiction,
    gather,
    rankings,
    tell_few_items,
)
from headcount.blind_evaluation.labelling import ItemLabels, choose_model, label_items
from headcount.blind_evaluation.methods import (
    DIRECT,
    LABELLING,
    choose_methods,
    em_summary,
)
from headcount.blind_evaluation.metrics import METRICS, choose_metrics
from headcount.blind_evaluation.prepare import People, Prepared, prepare, provenance_of
from headcount.blind_evaluation.result import ENOUGH_GOLD, BlindProvenance, BlindResult
from headcount.blind_evaluation.scoring import (
    ENOUGH_ITEMS,
    Method,
    Scored,
    Settings,
    Task,
    score_all,
    seeds_of,
)
from headcount.blind_evaluation.truth_models import mixture
from headcount.blind_evaluation.votes import Blocks, vote_shares
from headcount.errors import DataError, OptionError, count, option
from headcount.results.notes import Notes, Provenance, few_draws
from headcount.results.result import Page, Result, Screen, command
from headcount.stats.draws import keys
from headcount.typing import Floats, Ids, Progress, Seed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "blind",
    "ItemsToLabel",
    "next_items",
]


def blind(
    labels: Any,
    *,
    gold: Any = None,
    crowd: Any = None,
    groups: Any = None,
    group_pattern: str | None = None,
    positive: str | None = None,
    at_least: float | None = None,
    abstain: str | None = None,
    confusion: Any = None,
    metrics: Sequence[str] = METRICS,
    methods: Sequence[Any] | None = None,
    bootstrap: int = 200,
    level: float = 0.95,
    seed: Seed = 0,
    smoothing: float = SMOOTHING,
    progress: Progress | None = None,
) -> BlindResult:
    """Estimate how good classifiers are from the labels that they give, and rank them.

    Parameters
    ----------
    labels : Labels, Predictions, path or frame
        The label that each classifier (judge, crowd worker) gave to each item, or what
        :func:`headcount.read_votes` takes; labels may be missing. If classifiers give
        probabilities, the most probable label is scored; shares of votes, and methods that learn
        from gold, use the probabilities.
    gold : mapping of item to label, path or frame, optional
        True labels of some items, or what :func:`headcount.read_truth` takes. They are used to
        score classifiers on these items (direct) and on all items (ppi), to train methods, and to
        test the blind ranking. If items were drawn with unequal probabilities (a column
        `probability`), they are weighted by the inverse.
    crowd : mapping of item to label, path or frame, optional
        Labels that people gave to some items, used in place of gold except in the test.
    groups : mapping of classifier to group, path or frame, optional
        Which classifiers may make the same errors: those of one team, or built on one model.
    group_pattern : str, optional
        A regular expression that finds the group of a classifier in its name, in place of `groups`,
        such as ``"^[^-]+"``, the part before a hyphen.
    positive : str, optional
        The label for precision, recall, specificity and F1. Default: the second of two labels; the
        mean over all labels if there are more.
    at_least : float, optional
        Turn numbers into two labels: this number or more is positive, less is negative.
    abstain : str, optional
        A label that means that a classifier abstains; it counts as missing.
    confusion : path, frame or dict of columns, optional
        Prior knowledge about classifiers: how often each gave a label when another was true, in
        columns classifier, true, given and count (or probability, which counts as ten labels per
        row). EM, one coin, easy/hard and consensus use these labels as Dirichlet priors.
    metrics : sequence of str
        Some of accuracy, precision, recall, specificity, f1. The first ranks the classifiers.
    methods : sequence of str, function or object, optional
        Names in :data:`headcount.blind_evaluation.methods.METHODS`, and methods of your
        own: functions of the votes that give the probability of each label, (rows, labels), or
        objects as in :mod:`headcount.blind_evaluation.methods`. Default: all that the data allow;
        those that need scikit-learn only if it is installed.
    bootstrap : int
        Number of bootstrap samples of items; with 0, normal intervals to first order.
    level : float
        Coverage of intervals, and confidence level of the tests that rank.
    seed : int or Generator
        Seed or generator of bootstrap and folds. Neither depends on the order of rows.
    smoothing : float
        Of Dawid-Skene: see :func:`headcount.dawid_skene`.
    progress : callable, optional
        Called with the number of bootstrap samples done and to do; if votes do not fit into memory,
        first with the votes read, and then with the blocks of each pass.

    Returns
    -------
    BlindResult

    Notes
    -----
    Estimates depend on items only through their rows of votes, so items with the same votes are
    counted together: ten classifiers and two labels make at most 1,024 rows. All methods share the
    same bootstrap samples. Blind estimates are valid only if classifiers err independently;
    diagnostics show whether they seem to. Classifiers are ranked by EM unless diagnostics warn,
    otherwise by the majority of the other classifiers (or groups), and by gold if there is
    enough of it.

    References
    ----------
    Jung and Lease (2012), Evaluating classifiers without expert labels. Dawid and Skene (1979).
    Angelopoulos, Duchi and Zrnic (2023), PPI++.

    Examples
    --------
    >>> import numpy as np
    >>> from headcount import Labels, blind
    >>> random = np.random.default_rng(1)
    >>> truth = random.integers(0, 2, size=(500, 1))
    >>> said = np.where(random.random((500, 4)) < [0.95, 0.85, 0.75, 0.65], truth, 1 - truth)
    >>> items, judges = np.indices(said.shape).reshape(2, -1)
    >>> result = blind(Labels.from_triples(items, judges, said.ravel()), bootstrap=100)
    >>> [c.name for c in result.classifiers]
    ['0', '1', '2', '3']
    >>> result["0"].estimates["em"]["accuracy"]
    0.9171 (0.8879 to 0.9619)

    A method of your own: what the first classifier says is true.

    >>> def first(votes):
    ...     "The first classifier is right."
    ...     return np.eye(len(votes.labels))[votes.label[votes.start[:-1]]]
    >>> mine = blind(Labels.from_triples(items, judges, said.ravel()), methods=["em", first])
    >>> round(mine["1"].estimates["first"]["accuracy"].value, 3), np.mean(said[:, 0] == said[:, 1])
    (0.792, np.float64(0.792))
    """
    people = People(
        gold=gold,
        crowd=crowd,
        groups=groups,
        group_pattern=group_pattern,
        at_least=at_least,
        abstain=abstain,
        confusion=confusion,
    )
    seed, named_seed = seeds_of(seed)
    settings = Settings(
        metrics=metrics,
        positive=positive,
        methods=methods,
        bootstrap=options.draws(bootstrap),
        level=options.level(level),
        seed=seed,
        named_seed=named_seed,
        smoothing=options.number(smoothing, "smoothing", least=0),
    )
    return evaluate(labels, people, settings, progress)


# Blind evaluation, step by step: what is prepared, scored and judged.


def evaluate(
    labels: Any, people: People, settings: Settings, progress: Progress | None
) -> BlindResult:
    """Score, diagnose and judge; how :func:`headcount.blind` and consensus begin."""
    progress = options.callback(progress)
    notes, found_notes = Notes(), Notes()
    data = prepare(labels, people, seed=settings.seed, notes=notes, every_two=LABELLING.name)
    votes = data.votes
    task = Task(
        votes=votes,
        metrics=choose_metrics(votes.labels, names=settings.metrics, positive=settings.positive),
        settings=settings,
        notes=found_notes,
    )
    chosen = choose_methods(
        settings.methods,
        groups=bool(votes.groups),
        gold=data.is_informed,
    )
    evidence = gather(
        task,
        chosen,
        people="crowd labels" if data.has_crowd else "gold",
        progress=progress,
    )
    judge, why = choose_judge(chosen.values(), votes, evidence.diagnostics)
    actual, contradiction = _on_gold(data, task, evidence)
    tell_few_items(votes.items, notes)
    if contradiction is not None and judge.informed:
        notes.warning(contradiction, short="gold contradicts the votes; go by the gold.", rank=0)
    _tell_unscored(judge, evidence, notes)
    judging = Judging(
        evidence=evidence,
        judge=judge,
        actual=actual,
        notes=notes,
        contradicted=contradiction is not None,
    )
    few = data.gold_votes is not None and DIRECT.items(data.gold_votes) < ENOUGH_GOLD
    if contradiction is None and few:
        contradiction = find_against(judging)
        judging = replace(judging, contradicted=contradiction is not None)
    judging.tell_few()
    worse_by_votes = () if contradiction else _worse_by_votes(judging)
    # Signs of dependence on few items are noise; the first warning is enough there.
    signs = () if votes.items < ENOUGH_ITEMS else evidence.diagnostics.warnings
    for more in (signs, found_notes, few_draws(settings.bootstrap, settings.level)):
        notes.extend(more)
    return BlindResult(
        classifiers=judging.classifiers,
        leaders=judging.leaders(),
        label_items=partial(_labels, data, task.settings.climbing),
        method=judge.name,
        why=why,
        contradiction=contradiction,
        worse_by_votes=worse_by_votes,
        gold_each=_gold_each(judging),
        diagnostics=evidence.diagnostics,
        explanations=evidence.explanations,
        by_explanations=judging.explained is not None,
        panel=evidence.panel,
        em={
            name: em_summary(fit, votes.labels)
            for name in evidence.shown
            if (fit := evidence.scored[name].fit) is not None
        },
        methods=chosen,
        notes=tuple(notes),
        provenance=_provenance(data, task, evidence),
    )


def _labels(data: Prepared, climbing: Climbing) -> ItemLabels:
    """Label items, as :func:`headcount.consensus` does."""
    blocks = Blocks.of(data.votes, data.votes.multiplicity.astype(np.float64))
    fitted = mixture(blocks, LABELLING.fits, climbing)
    choice = choose_model(fitted, blocks, data.votes, LABELLING.short, LABELLING.words)
    return label_items(data.labels, data.votes, blocks, choice.model, choice.name, choice.words)


def _tell_unscored(judge: Method, evidence: Evidence, notes: Notes) -> None:
    """Say that classifiers have no rank because none of their items has gold."""
    without = int(np.isnan(evidence.scored[judge.name].scores[0]).sum())
    total = len(evidence.votes.classifiers)
    if not judge.informed or not without or without == total:
        return
    tell = notes.warning if without > total / 2 else notes.caution
    tell(
        f"{without:,} of {count(total, 'classifier')} labelled no item with gold or crowd labels: "
        f"{judge.short} ranks the other {total - without:,} only. Rank all by votes "
        f"({option('methods', LABELLING.name)}), or have items of theirs labelled."
    )


def _provenance(prepared: Prepared, task: Task, evidence: Evidence) -> BlindProvenance:
    votes, labels, positive = prepared.votes, prepared.labels, task.metrics.positive
    level, bootstrap, seed = evidence.level, task.settings.bootstrap, task.settings.named_seed
    common = provenance_of(labels, votes, level=level, bootstrap=bootstrap, seed=seed)
    return BlindProvenance(
        **vars(common),
        distinct_rows=len(votes.multiplicity),
        positive=None if positive is None else votes.labels[positive],
        metrics=task.metrics.names,
        methods=evidence.shown,
        gold_items=0 if prepared.gold_votes is None else DIRECT.items(prepared.gold_votes),
        crowd_items=DIRECT.items(votes) if prepared.has_crowd else 0,
    )


# What gold says: actual scores, and whether they contradict the blind order.


def _on_gold(data: Prepared, task: Task, evidence: Evidence) -> tuple[Scored | None, str | None]:
    """Score on gold, and say how it contradicts the blind order, if it does; None without gold."""
    votes = data.gold_votes
    if votes is None:
        return None, None
    actual = None if data.has_crowd else evidence.scored.get(DIRECT.name)
    if actual is None:
        actual = score_all(replace(task, votes=votes), [DIRECT])[DIRECT.name]
    ranks = rankings(DIRECT, actual, votes, evidence.level)
    if ranks is None:
        return actual, None
    unaided = [method for method in evidence.methods.values() if not method.informed]
    judge, _ = choose_judge(unaided, evidence.votes, evidence.diagnostics)
    scores, items = evidence.scored[judge.name].scores[0], DIRECT.items(votes)
    found = find_contradiction(judge, scores, ranks[0], actual.scores[0], items)
    return actual, found


def _gold_each(judging: Judging) -> float | None:
    """Count the labels of items with gold that the median classifier has, where gold ranks."""
    sizes = judging.evidence.scored[judging.judge.name].sizes
    if sizes is None or not judging.judge.informed:
        return None
    return float(np.median(sizes.labelled))


def _worse_by_votes(judging: Judging) -> tuple[str, ...]:
    """Name the classifiers that are significantly worse by votes, where gold of each is too little.

    Worst first. Where items with gold are enough to rank by, but each classifier labelled few of
    them, votes tell far more classifiers apart; none where these seem to err together.
    """
    each, diagnostics = _gold_each(judging), judging.evidence.diagnostics
    if each is None or each >= ENOUGH_GOLD or diagnostics.dependent or diagnostics.disagree:
        return ()
    unaided = [m for m in judging.evidence.methods.values() if not m.informed]
    votes = judging.evidence.votes
    by_votes, _ = choose_judge(unaided, votes, diagnostics)
    ranked = replace(judging, judge=by_votes).classifiers
    return tuple(c.name for c in ranked[::-1] if c.rank is not None and c.rank > 1)


# Which items to label next: a random sample, which gold ought to be.


SALT = 2**32
"""What is added to the seed, so that draws have nothing to do with folds."""


def next_items(labels: Any, *, number: int, gold: Any = None, seed: Seed = 0) -> ItemsToLabel:
    r"""Draw items at random, for a person to label.

    With their labels, pass them as `gold` to :func:`headcount.blind`, which then scores classifiers
    without assumptions about their errors. Items on which classifiers disagree are not drawn more
    often, because this did not help on panels with gold (docs/methods/blind.md).

    Parameters
    ----------
    labels : Labels, Predictions, path or frame
        The labels by classifiers, as for :func:`headcount.blind`.
    number : int
        Items to draw.
    gold : mapping of item to label, path or frame, optional
        Labels that you already have, of a random sample. With the same seed the draw continues
        where it ended.
    seed : int or Generator
        Seed. The position of an item in the draw depends only on its id and the seed.

    Returns
    -------
    ItemsToLabel

    Notes
    -----
    O(votes + items log items).

    Examples
    --------
    >>> import numpy as np
    >>> from headcount import Labels, next_items
    >>> items, who = np.indices((100, 3)).reshape(2, -1)
    >>> labels = Labels.from_triples(items, who, (items + who) % 2)
    >>> ten, twenty = (next_items(labels, number=n) for n in (10, 20))
    >>> len(ten), list(ten.items) == list(twenty.items[:10])
    (10, True)
    """
    number = options.whole(number, "number", least=1)
    notes = Notes()
    seed, named_seed = seeds_of(seed)
    why = f"{option('number', number)}, which draws items by name,"
    data = prepare(labels, People(gold=gold), seed=seed, notes=notes, one_by_one=why)
    votes = data.votes
    if votes.drawn is not None:
        raise DataError(
            "the items with gold were drawn with probabilities that differ (column 'probability'), "
            "so that further ones would make no random sample. Leave the gold out, or the column "
            "if all had the same probability."
        )
    voted = np.flatnonzero(votes.row_of >= 0)
    row, items = votes.row_of[voted], data.labels.items[voted]
    has_gold = votes.gold[row] >= 0
    order = np.lexsort((items.astype(str), keys(items, seed + SALT)))
    left = order[~has_gold[order]]
    if number > len(left):
        raise OptionError(
            f"{option('number', number)}: there are {count(len(left), 'item')} without a label. "
            f"Ask for at most {len(left):,}."
        )
    shown = np.concatenate([np.flatnonzero(has_gold), left[:number]])
    names = np.array([*votes.labels, None], dtype=object)  # the last is for no label
    return ItemsToLabel(
        items=items[shown],
        label=names[votes.gold[row[shown]]],
        number=number,
        agreement=vote_shares(votes)[row[shown]].max(axis=1),
        notes=tuple(notes),
        provenance=provenance_of(data.labels, votes, seed=named_seed),
    )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ItemsToLabel(Result):
    """A random sample of items for a person to label.

    Parameters
    ----------
    items : array
        First the items that have a label, then the new ones in the order in which they were drawn.
    label : array of str or None
        Known labels; None for new items.
    number : int
        How many items are new.
    agreement : array of float
        The share of votes for the most common label of each item.
    file : str or None
        The file to which they were written.

    Examples
    --------
    >>> from headcount import next_items
    >>> len(next_items("example:votes", number=20))
    20
    """

    provenance: Provenance
    items: Ids
    label: Ids
    number: int
    agreement: Floats
    file: str | None = None

    def __len__(self) -> int:
        return self.number

    def _headline(self) -> list[str]:
        drawn = f"{count(self.number, 'item')} for a person to label, drawn at random from "
        labelled = len(self.items) - self.number
        rest = f"{self.provenance.items_used - labelled:,}"
        if not labelled:
            return [f"{drawn}{rest}."]
        return [f"{drawn}the {rest} without a label, and listed after the {labelled:,} with one."]

    def screen(self) -> Screen:
        """Say how many items to have labelled, and what to do with them."""
        step = f"have them labelled ({option('rows_file')}), and give the file back as gold."
        if self.file is not None:
            blind_by_gold = command("blind", self.provenance.source, files={"gold": self.file})
            step = f"fill in the column 'label', and give the file back as gold: {blind_by_gold}"
        return Screen(
            headline=self._headline(),
            data=f"{count(self.provenance.items_used, 'item')}",
            next=[step],
        )

    def page(self) -> Page:
        """Say how many items to have labelled."""
        return Page(self._headline(), [])

    def columns(self) -> dict[str, list[Any]]:
        """Return the file to fill in: item, label (blank for new items)."""
        return {"item": self.items.tolist(), "label": self.label.tolist()}

    def document(self) -> dict[str, Any]:
        """Return what ``to_dict()`` has beside data, options and notes (docs/reference/json.md)."""
        rows = zip(self.items.tolist(), self.label.tolist(), strict=True)
        return {
            "number": self.number,
            "items": [{"item": item, "label": label} for item, label in rows],
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw on how many of the items to label classifiers agree (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from headcount.blind_evaluation.plot import plot_items

        return plot_items(self, ax)
