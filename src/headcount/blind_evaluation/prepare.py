"""What blind evaluation is given: checked, on one scale of labels, and reduced to rows of votes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from headcount import options
from headcount.blind_evaluation.families import (
    FEWEST_TO_WEIGH,
    MOST_TO_WEIGH,
    check_groups,
    families_of,
    find_copies,
    group_copies,
    groups_by_pattern,
    worth_of_groups,
)
from headcount.blind_evaluation.votes import (
    Votes,
    as_votes,
    collect,
    group_codes,
    soft_votes,
)
from headcount.data.facts import Facts
from headcount.data.labels import Labels, Scale
from headcount.data.predictions import Predictions
from headcount.data.vocabulary import (
    as_ids,
    as_labels,
    find_labels,
    label_text,
    number_of,
    number_text,
)
from headcount.engine.ratings import RatingsScan
from headcount.engine.taking import bring_votes
from headcount.errors import DataError, OptionError, closest, count, option, some, unknown_name
from headcount.io.findings import means_no_answer
from headcount.io.values import MERGES, match_items, spelt_as
from headcount.results.notes import Notes, Provenance
from headcount.results.result import command
from headcount.typing import Floats

__all__ = [
    "Truth",
    "Prepared",
    "People",
    "prepare",
    "prepare_any",
    "take_labelled",
    "drawn_of",
    "provenance_of",
    "take_groups",
    "known_confusion",
]


Truth = dict[Any, str]
"""Label of each item, as people gave it."""


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
    data: Any,
    people: People,
    *,
    seed: int,
    notes: Notes,
    one_by_one: str = "",
    every_two: str = "",
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
    every_two : str
        If every two classifiers are compared: what does for crowds of which these are too many.
    """
    inputs = _Inputs.of(data, people, notes, one_by_one)
    read = _labels(inputs, people, notes)
    if every_two and is_crowd(read[0]):
        labels = read[0]
        raise OptionError(
            f"{count(len(labels.raters), 'classifier')} with "
            f"{count(len(labels.scale), 'label')} are too many to compare every two. To label the "
            "items and find how good each worker is: "
            f"{command(every_two, labels.source)}."
        )
    # Where items are only named, no votes are counted, so that nobody needs to know how.
    return _prepared(inputs, people, seed, Notes() if one_by_one else notes, read)


def prepare_any(data: Any, people: People, *, seed: int, notes: Notes) -> Prepared:
    """Prepare votes; of crowds without tables of every two workers, which are too much."""
    inputs = _Inputs.of(data, people, notes)
    read = _labels(inputs, people, notes)
    labels, gold, _ = read
    if not is_crowd(labels):
        return _prepared(inputs, people, seed, notes, read)
    # Few of a crowd vote on any one item: a vote of a group would weigh nothing.
    if inputs.groups is not None or people.group_pattern is not None:
        name = "groups" if people.group_pattern is None else "group_pattern"
        raise OptionError(
            f"{option(name)}: {count(len(labels.raters), 'classifier')} are gone over in passes, "
            "without groups. Leave the option out, or evaluate some of the classifiers alone."
        )
    labels = _with_votes(labels, notes)
    names = [str(name) for name in labels.raters]
    votes = collect(
        labels,
        gold=gold,
        drawn=drawn_of(inputs.gold),
        seed=seed,
        known=known_confusion(people.confusion, names, labels.scale.labels, notes),
        soft=_soft(inputs.data, labels, people),
    )
    return Prepared(labels=labels, votes=votes, gold_votes=votes if gold else None, has_crowd=False)


@dataclass(frozen=True, eq=False)
class _Inputs:
    """What was given, read: votes, gold and crowd labels, and groups."""

    data: Any
    gold: Any
    crowd: Any
    groups: Any

    @classmethod
    def of(cls, data: Any, people: People, notes: Notes, one_by_one: str = "") -> _Inputs:
        from headcount.io.facts import read_groups, read_truth
        from headcount.io.predictions import read_votes

        if people.abstain is not None and not isinstance(data, Labels | Predictions):
            # Beside grades it would look like a code for 'no answer', which readers ask about.
            without = str(people.abstain)
            is_scan = isinstance(data, RatingsScan)
            data = data.without(without) if is_scan else read_votes(data, missing=[without])
        gold = _read(people.gold, read_truth, "gold")
        crowd = _read(people.crowd, read_truth, "crowd")
        named = {str(item) for truth in (gold, crowd) for item in truth or ()}
        if any(name.isdecimal() for name in named):
            named |= {"0"}  # where items are counted, ids from 0 show all the same
        data = bring_votes(data, apart=named, one_by_one=one_by_one)
        return cls(data, gold, crowd, _read(people.groups, read_groups, "groups"))


_Scaled = tuple[Labels, Truth | None, Truth | None]
"""Votes, gold and crowd labels on one scale."""


def _labels(inputs: _Inputs, people: People, notes: Notes) -> _Scaled:
    """Give votes and labels of people one scale."""
    from headcount.engine.taking import sources_of

    labels = take_labelled(inputs.data, notes)
    if people.abstain is not None:
        labels = without_label(labels, str(people.abstain), notes)
    sources = sources_of(inputs.gold, inputs.crowd, inputs.groups)
    labels = replace(labels, sources=(*labels.sources, *sources))
    gold, crowd = take_truth(inputs.gold, "gold", notes), take_truth(inputs.crowd, "crowd", notes)
    voted = labels.items
    if labels.item_times is not None:  # items that were counted together have no name
        voted = as_ids([str(item) for item in voted.tolist() if item is not None])
    for name, truth, given in (("gold", gold, inputs.gold), ("crowd", crowd, inputs.crowd)):
        if truth:
            labelled = as_ids([str(item) for item in truth])
            match_items(getattr(given, "source", name), labelled, labels.source, voted, notes)
    if people.at_least is None:
        labels = one_scale(labels, [gold, crowd], notes)
    else:
        at_least = options.number(people.at_least, "at_least")
        labels, (gold, crowd) = cut_at(labels, [gold, crowd], at_least)
    check_enough(labels, int(labels.times_of_items[np.unique(labels.item)].sum()))
    return labels, gold, crowd


def _prepared(inputs: _Inputs, people: People, seed: int, notes: Notes, read: _Scaled) -> Prepared:
    """Put items with the same votes together."""
    labels, gold, crowd = read
    names = [str(name) for name in labels.raters]
    groups = take_groups(inputs.groups, names, notes, pattern=people.group_pattern)
    alike = find_copies(labels)
    copies = group_copies(labels, alike, notes) if groups is None else None
    one_vote = np.ones(len(names))
    for members in alike:
        one_vote[list(members)] = 1 / len(members)
    soft = _soft(inputs.data, labels, people)
    before = known_confusion(people.confusion, names, labels.scale.labels, notes)
    worth: Floats | None = None

    def rows(truth: Truth | None, drawn: Mapping[str, float]) -> Votes:
        collected = collect(
            labels, gold=truth, groups=groups or copies, drawn=drawn, known=before, soft=soft,
            seed=seed,
        )  # fmt: skip
        return replace(collected, copied=copies is not None, one_vote=one_vote, worth=worth)

    worth = _worth(rows(None, {}), notes)
    of_gold, of_crowd = drawn_of(inputs.gold), drawn_of(inputs.crowd)
    votes = rows(gold, of_gold) if crowd is None else rows(crowd, of_crowd)
    on_gold = None if gold is None else votes if crowd is None else rows(gold, of_gold)
    return Prepared(labels=labels, votes=votes, gold_votes=on_gold, has_crowd=crowd is not None)


def provenance_of(labels: Labels, votes: Votes, **more: Any) -> Provenance:
    """Say where votes come from; `more` are the fields that methods add."""
    return Provenance(
        source=labels.source,
        sources=labels.sources,
        dropped=labels.dropped,
        items_used=votes.items,
        items_dropped=labels.n_items - votes.items,
        n_ratings=len(labels),
        n_raters=len(votes.classifiers),
        labels=votes.labels,
        backend=labels.backend,
        **more,
    )


def _worth(votes: Votes, notes: Notes) -> Floats | None:
    """Weigh votes of families: those given, or suggested by names or errors."""
    names = votes.classifiers
    if not FEWEST_TO_WEIGH <= len(names) <= MOST_TO_WEIGH:
        return None
    if votes.groups and not votes.copied:
        return worth_of_groups(votes, votes.group)
    families = families_of(votes)
    if not families:
        return None
    group, groups = group_codes(names, families)
    worth = worth_of_groups(votes, group)
    size = np.bincount(group)
    told = [
        f"{some([names[k] for k in np.flatnonzero(group == g)], 4)} count as "
        f"{worth[group == g].sum():.1f} votes"
        for g in range(len(groups))
        if size[g] > 1
    ]
    notes.info(
        "In the labels of items, votes of one family (recognised by name or errors) count less, "
        f"as a precaution: {'; '.join(told)}. Name others with {option('groups', ...)}."
    )
    return worth


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


def take_labelled(data: Any, notes: Notes) -> Labels:
    """Take labels that classifiers gave, or read them; raters are in the order of their names."""
    from headcount.engine.taking import take_votes

    votes = take_votes(data)
    labels = as_votes(votes) if isinstance(votes, Predictions) else votes
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
    from headcount.io.facts import read_truth

    labels = _read(truth, read_truth, name)
    notes.extend(getattr(labels, "notes", ()))
    return {item: label_text(str(label)) for item, label in labels.items()}


def drawn_of(truth: Any) -> Mapping[str, float]:
    """Find with which probability items were drawn, where what is known about them tells."""
    return truth.drawn if isinstance(truth, Facts) else {}


def _read(data: Any, read: Callable[..., Facts[str]], name: str) -> Any:
    """Read what is known about items or classifiers, unless it is a mapping or nothing."""
    from headcount.engine.taking import take_facts

    return data if data is None or _is_mapping(data) else take_facts(data, read, name)


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
    from headcount.io.facts import read_groups

    groups = _read(groups, read_groups, "groups")
    group_of = {str(name): str(group) for name, group in groups.items()}
    notes.extend(check_groups(names, group_of, noun))
    return group_of


def _is_mapping(value: object) -> bool:
    """Whether it maps one thing to another; columns by name are a table."""
    if not isinstance(value, Mapping):
        return False
    values = cast("Mapping[Any, Any]", value).values()
    return not any(isinstance(element, list | tuple | np.ndarray) for element in values)


# Votes and labels of people on one scale of labels.


def one_scale(labels: Labels, truths: list[Truth | None], notes: Notes) -> Labels:
    """Add the labels that only people give to the scale, but for those that mean 'no answer'."""
    _leave_unsure(labels, truths, notes)
    used = {label for truth in truths if truth is not None for label in truth.values()}
    extra = sorted(used - set(labels.scale.labels))
    if used and len(extra) == len(used):
        raise DataError(
            f"{labels.source}: no classifier gives any of the labels that people give: "
            f"{some(extra)}. Classifiers give {some(labels.scale.labels)}; write labels alike."
        )
    if not extra:
        return labels
    if twins := spelt_as(extra, labels.scale.labels, [way.name for way in MERGES]):
        examples = ", ".join(f"'{ours}' and '{theirs}'" for ours, theirs in [*twins.items()][:3])
        raise DataError(
            f"{labels.source}: people and classifiers write the same label in two ways: "
            f"{examples}. Write labels alike."
        )
    suggestions = [(name, closest(name, labels.scale.labels, cutoff=0.6)) for name in extra]
    near = ", ".join(f"'{name}' ('{close[0]}'?)" for name, close in suggestions if close)
    spelt = f" Correct what is only spelt otherwise: {near}." if near else ""
    notes.caution(
        f"{count(len(extra), 'label')} of people that no classifier gives: {some(extra)}.{spelt}"
    )
    names, _ = as_labels([*labels.scale.labels, *extra])
    code = find_labels(labels.scale.labels, names)
    return replace(labels, scale=Scale(names), label=code[labels.label])


def _leave_unsure(labels: Labels, truths: list[Truth | None], notes: Notes) -> None:
    """Leave out items of which people say that they do not know, which no classifier says."""
    for truth in truths:
        unsure = [
            item
            for item, label in (truth or {}).items()
            if label not in labels.scale.labels and means_no_answer(label)
        ]
        if truth is None or not unsure or len(unsure) == len(truth):
            continue
        answers = some(sorted({truth[item] for item in unsure}))
        notes.caution(
            f"{count(len(unsure), 'item')} of which people say {answers}, as no classifier does, "
            "left out of what people labelled."
        )
        for item in unsure:
            del truth[item]


def without_label(labels: Labels, abstain: str, notes: Notes) -> Labels:
    """Take a label for none: who gives it abstains."""
    name = label_text(abstain)
    if name not in labels.scale.labels and f"label is {name}" in labels.dropped:
        return labels  # left out when the data were read
    if name not in labels.scale.labels:
        raise unknown_name("label", name, list(labels.scale.labels), option_name="abstain")
    code = labels.scale.labels.index(name)
    kept = labels.label != code
    number = np.bincount(labels.rater[~kept], minlength=len(labels.raters))
    who = [f"{labels.raters[k]} {number[k]:,}" for k in np.argsort(-number, kind="stable")]
    notes.info(
        f"'{name}' counts as no label ({option('abstain')}): {count(int((~kept).sum()), 'label')} "
        f"of {len(labels):,} ({some([text for text in who if not text.endswith(' 0')], 5)})."
    )
    names = tuple(label for label in labels.scale.labels if label != name)
    return replace(
        labels,
        scale=Scale(names),
        item=labels.item[kept],
        rater=labels.rater[kept],
        label=find_labels(labels.scale.labels, [*names, name])[labels.label[kept]],
    )


def cut_at(
    labels: Labels, truths: list[Truth | None], at_least: float
) -> tuple[Labels, list[Truth | None]]:
    """Make labels below the cut one label, and the others another."""
    at = number_text(at_least)
    names = (f"below {at}", f"{at} or more")

    def side(label: str) -> int:
        number = number_of(label)
        if number is None:
            raise DataError(
                f"{labels.source}: label '{label}' is not a number, so it cannot be compared with "
                f"{at} ({option('at_least')}). Leave the option out, or write labels as numbers."
            )
        return int(number >= at_least)

    sides = np.array([side(label) for label in labels.scale.labels])
    if len(set(sides[labels.label].tolist())) == 1:
        raise DataError(
            f"{labels.source}: every label is {names[sides[labels.label[0]]]} "
            f"({option('at_least')}). Choose a number between labels, which are "
            f"{some(labels.scale.labels, 5)}."
        )
    cut = [
        None if truth is None else {item: names[side(label)] for item, label in truth.items()}
        for truth in truths
    ]
    return replace(labels, scale=Scale(names), label=sides[labels.label]), cut


def check_enough(labels: Labels, items: int) -> None:
    """Refuse votes of one classifier, of one label, or on one item with votes."""
    if len(labels.raters) < 2:
        raise DataError(
            f"{labels.source}: only one classifier or worker labelled. Two or more are needed, to "
            "be compared with each other."
        )
    if len(labels.scale) < 2:
        raise DataError(
            f"{labels.source}: every label is '{labels.scale.labels[0]}', so nothing "
            "distinguishes the classifiers."
        )
    if items < 2:
        raise DataError(
            f"{labels.source}: labels of one item only, which tell nothing of how good classifiers "
            "are. Give two items or more."
        )


# What is known about classifiers beforehand: how often each gave which label where which was true.

STRENGTH = 10.0
"""Labels for which a row of probabilities counts."""


def known_confusion(
    confusion: Any, classifiers: Sequence[str], labels: Sequence[str], notes: Notes
) -> Floats | None:
    """Put confusion matrices into one array: (classifiers, given labels, true labels) of counts.

    Parameters
    ----------
    confusion : path, frame or dict of columns
        Counts, or probabilities, which sum to 1 in each row and count for ten labels. Or None.
    classifiers, labels : sequence of str
    notes : Notes
        Takes who is unknown.
    """
    if confusion is None:
        return None
    from headcount.io.facts import read_confusion

    cells = read_confusion(confusion)
    out = np.zeros((len(classifiers), len(labels), len(labels)))
    index = {name: k for k, name in enumerate(classifiers)}
    code = {label: c for c, label in enumerate(labels)}
    unknown = [name for name in cells if name not in index]
    if len(unknown) == len(cells):
        raise DataError(
            f"{option('confusion')}: none of {some(unknown)} is a classifier. Classifiers are "
            f"{some(classifiers)}."
        )
    if unknown:
        notes.caution(
            f"Confusion matrices of {count(len(unknown), 'classifier')} without labels left out: "
            f"{some(unknown)}."
        )
    for name, own in cells.items():
        if name not in index:
            continue
        table = np.zeros((len(labels), len(labels)))  # true, given
        for (true, answer), value in own.items():
            if true not in code or answer not in code:
                other = true if true not in code else answer
                raise DataError(
                    f"{option('confusion')}, classifier '{name}': nobody gives label '{other}'. "
                    f"Labels are {some(labels, 10)}."
                )
            table[code[true], code[answer]] = value
        out[index[name]] = _counts(table).T
    notes.info(
        f"Known beforehand of {count(len(cells) - len(unknown), 'classifier')}: what each gave "
        f"where a label was true ({out.sum():,.0f} labels), which models add to the votes."
    )
    return out


def _counts(table: Floats) -> Floats:
    """Take counts as they are, and a table of probabilities for ten labels a row."""
    rows = table.sum(axis=1)
    filled = rows > 0
    if filled.any() and (np.abs(rows[filled] - 1) < 0.02).all():
        return STRENGTH * table
    return table


# Crowds that are too large to look at every two classifiers.

FEWEST = 10
"""Classifiers from which on they may be a crowd: of fewer, what they have in common tells more than
what each says."""
MOST_PAIRED = 3000
"""Classifiers times labels up to which tables of every two are made, which take a gigabyte."""


def is_crowd(labels: Labels) -> bool:
    """Whether there are too many classifiers to look at every two of them."""
    size = len(labels.raters)
    return size >= FEWEST and size * len(labels.scale) > MOST_PAIRED
