"""Votes and labels of people on one scale of labels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from headcount.data.labels import Labels
from headcount.data.scale import Scale
from headcount.data.vocabulary import as_labels, find_labels, label_text, number_of, number_text
from headcount.errors import DataError, closest, count, option, some, unknown_name
from headcount.io.values.merges import MERGES, spelt_as
from headcount.io.values.no_answer import means_no_answer
from headcount.results.notes import Notes

__all__ = ["Truth", "check_enough", "cut_at", "one_scale", "without_label"]

Truth = dict[Any, str]
"""Label of each item, as people gave it."""


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
        said = ", ".join(f"'{one}' and '{other}'" for one, other in [*twins.items()][:3])
        raise DataError(
            f"{labels.source}: people and classifiers write the same label in two ways: {said}. "
            "Write labels alike."
        )
    found = [(one, closest(one, labels.scale.labels, cutoff=0.6)) for one in extra]
    near = ", ".join(f"'{one}' ('{known[0]}'?)" for one, known in found if known)
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
        said = some(sorted({truth[item] for item in unsure}))
        notes.caution(
            f"{count(len(unsure), 'item')} of which people say {said}, as no classifier does, "
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
                f"{labels.source}: label '{label}' is no number, so it cannot be compared with "
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
            f"{labels.source}: one classifier only. Blind evaluation compares classifiers with "
            "each other, and needs two or more."
        )
    if len(labels.scale) < 2:
        raise DataError(
            f"{labels.source}: every label is '{labels.scale.labels[0]}', which tells classifiers "
            "apart in nothing."
        )
    if items < 2:
        raise DataError(
            f"{labels.source}: labels of one item only, which tell nothing of how good classifiers "
            "are. Give two items or more."
        )
