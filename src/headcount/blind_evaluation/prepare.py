"""What blind evaluation is given: checked, on one scale of labels, and reduced to rows of votes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from headcount import options
from headcount.blind_evaluation.confusions import known_confusion
from headcount.blind_evaluation.copies import group_copies
from headcount.blind_evaluation.crowds.crowd import Crowd
from headcount.blind_evaluation.crowds.prepare import about_parts, is_crowd, store_parts, take_crowd
from headcount.blind_evaluation.dependence.groups import check_groups, groups_by_pattern
from headcount.blind_evaluation.scales import (
    Truth,
    check_enough,
    cut_at,
    one_scale,
    without_label,
)
from headcount.blind_evaluation.votes import Votes, as_votes, collect, soft_votes
from headcount.data.facts import Facts
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.data.vocabulary import label_text
from headcount.engine.reductions.vote_parts import VoteParts
from headcount.engine.reductions.votes import pull_votes
from headcount.engine.scans.ratings import RatingsScan
from headcount.errors import DataError, OptionError, count, option
from headcount.results.notes import Notes
from headcount.typing import Codes, Floats, Progress

__all__ = [
    "People",
    "Prepared",
    "drawn_of",
    "prepare",
    "prepare_any",
    "take_groups",
    "take_labelled",
    "take_truth",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class Prepared:
    """Votes of classifiers and labels of people.

    Parameters
    ----------
    labels : Labels
        What classifiers said, on one scale with what people said.
    votes : Votes
        The same as rows; with crowd labels for gold, if there are some.
    gold_votes : Votes or None
        Rows with gold; `votes` itself if there are no crowd labels, None without gold.
    has_crowd : bool
        Whether crowd labels stand in for gold in `votes`.
    """

    labels: Labels
    votes: Votes
    gold_votes: Votes | None
    has_crowd: bool

    @property
    def is_informed(self) -> bool:
        """Whether people labelled some items."""
        return self.has_crowd or self.gold_votes is not None


@dataclass(frozen=True, kw_only=True)
class People:
    """What people said, as :func:`headcount.blind` takes it, and which classifiers go together."""

    gold: Any = None
    crowd: Any = None
    groups: Any = None
    group_pattern: str | None = None
    at_least: float | None = None
    abstain: str | None = None
    confusion: Any = None


def prepare(
    data: Any, people: People, *, seed: int, notes: Notes, one_by_one: str = ""
) -> Prepared:
    """Read what has to be read, give all one scale, and put items with the same votes together.

    Parameters
    ----------
    data : Labels, Predictions, or what :func:`headcount.read_votes` takes
    people : People
    seed : int
        For the folds of items with gold.
    notes : Notes
        Takes what there is to say.
    one_by_one : str
        What needs every item by name, to begin a sentence with, if something does.
    """
    found = _Given.of(data, people, notes, one_by_one)
    if isinstance(found.data, VoteParts):
        raise DataError(f"{one_by_one} needs all votes, which do not fit into memory.")
    return _prepared(found, people, seed, notes, _labels(found, people, notes))


def prepare_any(
    data: Any, people: People, *, seed: int, notes: Notes, progress: Progress | None = None
) -> Prepared | Crowd:
    """Prepare votes; those of which every two classifiers, or all, are too much, in blocks."""
    found = _Given.of(data, people, notes)
    if isinstance(found.data, VoteParts):
        try:
            return _stored(replace(found.data, progress=progress), found, people, notes)
        finally:
            found.data.close()
    taken = _labels(found, people, notes)
    labels, gold, crowd = taken
    if not is_crowd(labels):
        return _prepared(found, people, seed, notes, taken)
    _refuse_groups(found, people, labels)
    labels = _with_votes(labels, notes)
    if gold is not None and crowd is not None:
        notes.caution("With crowd labels, gold is not used: there are too many classifiers.")
    names = [str(name) for name in labels.raters]
    truth, source = (gold, found.gold) if crowd is None else (crowd, found.crowd)
    votes = collect(
        labels,
        gold=truth,
        drawn=drawn_of(source),
        seed=seed,
        known=known_confusion(people.confusion, names, labels.scale.labels, notes),
        soft=_soft(found.data, labels, people),
    )
    return take_crowd(labels, votes, "gold" if crowd is None else "crowd labels")


@dataclass(frozen=True, eq=False)
class _Given:
    """What was given, read: votes, gold and crowd labels, and groups."""

    data: Any
    gold: Any
    crowd: Any
    groups: Any

    @classmethod
    def of(cls, data: Any, people: People, notes: Notes, one_by_one: str = "") -> _Given:
        from headcount.io.facts.groups import read_groups
        from headcount.io.facts.true_labels import read_truth
        from headcount.io.load import take_votes
        from headcount.io.predictions.votes import read_votes

        if people.abstain is not None and not isinstance(data, Labels | Predictions | VoteParts):
            # Beside grades it would look like a code for 'no answer', which readers ask about.
            without = str(people.abstain)
            is_scan = isinstance(data, RatingsScan)
            data = data.without(without) if is_scan else read_votes(data, missing=[without])
        gold, crowd = (
            _read(people.gold, read_truth, "gold"),
            _read(people.crowd, read_truth, "crowd"),
        )
        named = {str(item) for truth in (gold, crowd) for item in truth or ()}
        pulled = pull_votes(data, apart=named, one_by_one=one_by_one)
        data = take_votes(data) if pulled is None else pulled
        return cls(data, gold, crowd, _read(people.groups, read_groups, "groups"))


_Taken = tuple[Labels, Truth | None, Truth | None]
"""Votes, gold and crowd labels on one scale."""


def _labels(found: _Given, people: People, notes: Notes) -> _Taken:
    """Give votes and labels of people one scale."""
    from headcount.io.load import sources_of

    labels = take_labelled(found.data, notes)
    if people.abstain is not None:
        labels = without_label(labels, str(people.abstain), notes)
    sources = sources_of(found.gold, found.crowd, found.groups)
    labels = replace(labels, sources=(*labels.sources, *sources))
    gold, crowd = take_truth(found.gold, "gold", notes), take_truth(found.crowd, "crowd", notes)
    if people.at_least is None:
        labels = one_scale(labels, [gold, crowd], notes)
    else:
        at_least = options.number(people.at_least, "at_least")
        labels, (gold, crowd) = cut_at(labels, [gold, crowd], at_least)
    check_enough(labels, int(labels.times_of_items[np.unique(labels.item)].sum()))
    return labels, gold, crowd


def _prepared(found: _Given, people: People, seed: int, notes: Notes, taken: _Taken) -> Prepared:
    """Put items with the same votes together."""
    labels, gold, crowd = taken
    names = [str(name) for name in labels.raters]
    groups = take_groups(found.groups, names, notes, pattern=people.group_pattern)
    copies = group_copies(labels, notes) if groups is None else None
    soft = _soft(found.data, labels, people)
    before = known_confusion(people.confusion, names, labels.scale.labels, notes)

    def rows(truth: Truth | None, drawn: Mapping[str, float]) -> Votes:
        collected = collect(
            labels, gold=truth, groups=groups or copies, drawn=drawn, known=before, soft=soft,
            seed=seed,
        )  # fmt: skip
        return replace(collected, copied=copies is not None)

    of_gold, of_crowd = drawn_of(found.gold), drawn_of(found.crowd)
    votes = rows(gold, of_gold) if crowd is None else rows(crowd, of_crowd)
    on_gold = None if gold is None else votes if crowd is None else rows(gold, of_gold)
    return Prepared(labels=labels, votes=votes, gold_votes=on_gold, has_crowd=crowd is not None)


def _refuse_groups(found: _Given, people: People, labels: Labels) -> None:
    """Refuse groups of a crowd, of which few vote on any one item: a vote would weigh nothing."""
    if found.groups is not None or people.group_pattern is not None:
        name = "groups" if people.group_pattern is None else "group_pattern"
        raise OptionError(
            f"{option(name)}: {count(len(labels.raters), 'classifier')} are gone over in passes, "
            "without groups. Leave the option out, or evaluate some of the classifiers alone."
        )


def _with_votes(labels: Labels, notes: Notes) -> Labels:
    """Leave out classifiers of whom no label is left."""
    used = np.bincount(labels.rater, minlength=len(labels.raters)) > 0
    if used.all():
        return labels
    notes.info(f"{count(int((~used).sum()), 'classifier')} without any label left out.")
    code = np.cumsum(used) - 1
    return replace(labels, raters=labels.raters[used], rater=code[labels.rater])


def _soft(data: Any, labels: Labels, people: People) -> Floats | None:
    """Find the probabilities behind labels, if there are some."""
    return soft_votes(data, labels, people.at_least) if isinstance(data, Predictions) else None


def _stored(parts: VoteParts, found: _Given, people: People, notes: Notes) -> Crowd:
    """Write votes that do not fit into memory to files."""
    about = about_parts(parts)
    _refuse_groups(found, people, about)
    notes.extend(about.notes)
    label_code: Codes | None = None
    if people.at_least is not None:
        every = replace(about, label=np.arange(len(about.scale)))
        cut, _ = cut_at(every, [], options.number(people.at_least, "at_least"))
        about, label_code = replace(cut, label=about.label), cut.label
    check_enough(about, parts.rated.n_items)
    names = [str(name) for name in about.raters]
    return store_parts(
        parts,
        about,
        notes,
        label_code=label_code,
        known=known_confusion(people.confusion, names, about.scale.labels, notes),
    )


def take_labelled(data: Any, notes: Notes) -> Labels:
    """Take labels that classifiers gave, or read them; raters are in the order of their names."""
    from headcount.io.load import take_votes

    taken = take_votes(data)
    labels = as_votes(taken) if isinstance(taken, Predictions) else taken
    labels.check_raters("blind evaluation")
    notes.extend(labels.notes)
    order = np.argsort(labels.raters, kind="stable")
    if (order[1:] > order[:-1]).all():
        return labels
    code = np.empty(len(order), dtype=np.int64)
    code[order] = np.arange(len(order))
    return replace(labels, raters=labels.raters[order], rater=code[labels.rater])


def take_truth(truth: Any, name: str, notes: Notes) -> Truth | None:
    """Take a mapping of item to label, or read one from what :func:`headcount.read_truth` takes.

    `name` is the option by which it is given.
    """
    if truth is None:
        return None
    from headcount.io.facts.true_labels import read_truth

    labels = _read(truth, read_truth, name)
    notes.extend(getattr(labels, "notes", ()))
    return {item: label_text(str(label)) for item, label in labels.items()}


def drawn_of(truth: Any) -> Mapping[str, float]:
    """Find with which probability items were drawn, where what is known of them tells."""
    return truth.drawn if isinstance(truth, Facts) else {}


def _read(given: Any, read: Callable[..., Facts[str]], name: str) -> Any:
    """Read what is known of items or classifiers, unless it is a mapping or nothing."""
    from headcount.io.load import take_facts

    return given if given is None or _is_mapping(given) else take_facts(given, read, name)


def take_groups(
    groups: Any,
    names: list[str],
    notes: Notes,
    *,
    pattern: str | None = None,
    noun: str = "classifier",
) -> dict[str, str] | None:
    """Take a mapping of classifier to group, read one, or make one by a pattern of names."""
    if pattern is not None:
        if groups is not None:
            raise OptionError(
                f"give groups by name ({option('groups')}) or by a pattern "
                f"({option('group_pattern')}), not both."
            )
        groups = groups_by_pattern(names, pattern)
    if groups is None:
        return None
    from headcount.io.facts.groups import read_groups

    groups = _read(groups, read_groups, "groups")
    found = {str(name): str(group) for name, group in groups.items()}
    notes.extend(check_groups(names, found, noun))
    return found


def _is_mapping(value: object) -> bool:
    """Whether it maps one thing to another; columns by name are a table."""
    if not isinstance(value, Mapping):
        return False
    values = cast("Mapping[Any, Any]", value).values()
    return not any(isinstance(one, list | tuple | np.ndarray) for one in values)
