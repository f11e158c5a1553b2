"""Compare agreement: of two sets of ratings, of strata, or of some raters with the others."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import combinations
from typing import Any

from headcount import options
from headcount.agreement.coefficients.catalogue import COEFFICIENTS, PREFERRED
from headcount.agreement.comparing.groups import Group, against_raters, by_stratum, two_files
from headcount.agreement.comparing.part import difference
from headcount.agreement.comparing.records import Difference
from headcount.agreement.comparing.result import AgreementComparison
from headcount.agreement.raters.populations import FIXED, RATERS, SAMPLE, RaterKind, find_scope
from headcount.agreement.recommendation.notes import few_raters
from headcount.agreement.scales.metric import Metric
from headcount.data.labels import Labels
from headcount.errors import OptionError, option
from headcount.io.load import named_apart, take_labels
from headcount.results.notes import Notes
from headcount.results.provenance import Provenance

__all__ = ["compare_agreement"]


def compare_agreement(
    labels: Labels | Any,
    other: Labels | Any | None = None,
    *,
    by: Mapping[Any, Any] | None = None,
    against: Collection[object] | None = None,
    coefficient: str = PREFERRED.name,
    scale: str | None = None,
    sets: str | None = None,
    distance: Any = None,
    level: float = 0.95,
    raters: str = SAMPLE.name,
) -> AgreementComparison:
    """Compare how much raters agree, with an interval of the difference.

    Give one of `other` (the same items or others, the same raters or others), `by` (strata of the
    items) and `against` (some raters, such as an LLM or novices, against the others).

    Parameters
    ----------
    labels, other : Labels, path, frame or array
        Ratings, or what :func:`headcount.read_ratings` reads.
    by : mapping of item to stratum
        Items without one are left out.
    against : collection of raters
        Compared is how much they agree with the others, less how much the others agree with each
        other, both by Conger's kappa on the scale of the labels.
    coefficient : str
        Of :func:`headcount.agree`; not with `against`.
    scale, sets, distance, level, raters
        As in :func:`headcount.agree`.

    Returns
    -------
    AgreementComparison

    Notes
    -----
    Items and raters that are in both groups are left out of both at once, so that what is common to
    them cancels (:func:`~headcount.agreement.comparing.part.difference`). O(ratings).

    Examples
    --------
    >>> from headcount import compare_agreement, running_example
    >>> labels, _ = running_example(200, 6, rng=1)
    >>> half = {item: "first" if item < 100 else "second" for item in range(200)}
    >>> compare_agreement(labels, by=half).differences[0].difference.value > -1
    True
    """
    kind = RATERS[options.one_of(raters, "raters", list(RATERS))]
    one = COEFFICIENTS[options.one_of(coefficient, "coefficient", list(COEFFICIENTS))]
    level, metric = options.level(level), Metric.of(scale, sets, distance)
    if sum(x is not None for x in (other, by, against)) != 1:
        raise OptionError(
            f"give one of {option('other')}, {option('by')} and {option('against')}: what to "
            "compare agreement with."
        )
    given, labels = labels, take_labels(labels)
    if other is not None:
        labels, other = named_apart((given, other), (labels, take_labels(other)))
    notes = Notes(labels.notes)
    if against is not None:
        groups, one = against_raters(labels, against, metric, notes)
    elif other is not None:
        notes.extend(other.notes)
        groups = two_files(labels, other, one, metric, notes)
    else:
        groups = by_stratum(labels, by or {}, one, metric, notes)
    crossed, few = _crossed(groups, kind, notes)
    found: list[Difference] = []
    for a, b in combinations(groups, 2):
        contrast = difference(a.part, b.part, level, crossed=crossed)
        these = difference(a.part, b.part, level, crossed=False).estimate if few else None
        found.append(
            Difference(
                a=a.name,
                b=b.name,
                difference=contrast.estimate,
                p_higher=contrast.p_higher,
                these_raters=these,
            )
        )
    return AgreementComparison(
        provenance=Provenance(
            source=labels.source,
            sources=labels.sources,
            dropped=labels.dropped,
            items_used=groups[0].data.items_used,
            items_dropped=len(labels.items) - groups[0].data.items_used,
            n_ratings=len(labels),
            n_raters=labels.n_raters,
            labels=labels.scale.labels,
            level=level,
            backend=labels.backend,
        ),
        notes=tuple(notes),
        coefficient=one,
        scale=groups[0].data.scale.name,
        distance=groups[0].data.scale.title or None,
        holds_for=(SAMPLE if crossed else FIXED).words,
        groups=tuple(each.record(one, level, crossed=crossed, few=few) for each in groups),
        differences=tuple(sorted(found, key=lambda d: -abs(d.difference.value))),
    )


def _crossed(groups: list[Group], kind: RaterKind, notes: Notes) -> tuple[bool, bool]:
    """Whether raters are a sample in all groups, and few; a note says if they cannot be."""
    scopes = [find_scope(each.part.panel, kind) for each in groups]
    if all(scope.crossed for scope in scopes):
        few = any(scope.few for scope in scopes)
        if few:
            notes.caution(few_raters(min(each.part.panel.raters for each in groups)))
        return True, few
    if why := next((scope.why for scope in scopes if scope.kind is FIXED and scope.why), ""):
        notes.caution(f"intervals hold {FIXED.words} only: {why}.")
    return False, False
