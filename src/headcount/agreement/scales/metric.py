"""How labels are compared, as a caller says: the scale, sets in cells, distances of their own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from headcount import options
from headcount.agreement.scales.distances import Tabled
from headcount.agreement.scales.kinds import NOMINAL, SCALES, ScaleKind
from headcount.agreement.scales.sets import MASI, SET_DISTANCES, SetDistance
from headcount.data.distances import Distances
from headcount.data.labels import Labels
from headcount.data.scale import Scale
from headcount.data.sets import Sets, find_sets, split_all
from headcount.data.vocabulary import as_labels
from headcount.errors import DataError, OptionError, closest, count, option, some
from headcount.results.notes import Notes
from headcount.typing import Floats

__all__ = ["NO_SETS", "SETS", "Metric"]

NO_SETS = "none"
"""What to call the separator of cells that hold one label each."""
SETS, OWN = "sets", "distance"
"""Names of the scales of sets, and of a caller's distances."""
MOST_SETS = 5000
"""Different labels whose distances are held in a table, at most."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Metric:
    """How labels are compared.

    Parameters
    ----------
    scale : str or None
        The kind of scale; None to find it.
    sets : str or None
        What separates the labels of a cell, "none" if each cell holds one; None to find it.
    of_sets : SetDistance or None
        How far apart sets are; None: MASI, if labels are sets.
    own : Distances, array or None
        A caller's distances; the rows of an array are labels in the order of the scale.
    """

    scale: str | None = None
    sets: str | None = None
    of_sets: SetDistance | None = None
    own: Distances | NDArray[Any] | None = None

    @classmethod
    def of(cls, scale: Any = None, sets: Any = None, distance: Any = None) -> Metric:
        """Check the options, and read distances."""
        if scale is not None:
            options.one_of(scale, "scale", list(SCALES))
        if sets is not None and (not isinstance(sets, str) or not sets.strip()):
            raise OptionError(
                f"{option('sets')} must be what separates the labels of a cell, such as ';', or "
                f"'{NO_SETS}' if each cell holds one, not {sets!r}."
            )
        of_sets = SET_DISTANCES.get(distance.lower()) if isinstance(distance, str) else None
        own = None if distance is None or of_sets is not None else _own(distance)
        said = {
            "scale": scale is not None,
            "sets": sets not in (None, NO_SETS) or of_sets is not None,
            "distance": own is not None,
        }
        if len(told := [option(name) for name, is_said in said.items() if is_said]) > 1:
            raise OptionError(f"{told[0]} and {told[1]} both say how labels differ. Choose one.")
        if of_sets is not None and sets == NO_SETS:
            raise OptionError(
                f"{option('distance', of_sets.name)} is of sets, and each cell is to be one label "
                f"({option('sets', NO_SETS)}). Choose one."
            )
        return cls(scale=scale, sets=sets, of_sets=of_sets, own=own)

    def apply(self, labels: Labels, notes: Notes) -> tuple[Labels, str | ScaleKind | None]:
        """Give the labels, with sets written one way, and what kind of scale they are on.

        The kind is the name that the caller gave, or None to find it, where labels are no sets and
        have no distances of their own. Notes say what was found.
        """
        if self.own is not None:
            return labels, _of_table(_checked(self.own, labels))
        if self.scale is not None or self.sets == NO_SETS:
            return labels, self.scale
        sets = self._sets(labels)
        if sets is None:
            return labels, None
        distance = self.of_sets or MASI
        if self.sets is None:
            _note(notes, labels, sets, distance)
        return _as_sets(labels, sets, distance)

    def _sets(self, labels: Labels) -> Sets | None:
        texts = labels.scale.labels
        if self.sets is not None:
            found = split_all(texts, self.sets)
            if all(len(one) < 2 for one in found.members):
                raise DataError(
                    f"{labels.source}: no label holds '{self.sets}', which is to separate labels "
                    f"of a cell ({option('sets')})."
                )
            return found
        uses = np.bincount(labels.label, labels.times, len(texts)).astype(np.int64)
        found = find_sets(texts, uses) if labels.scale.kind == NOMINAL.name else None
        if found is None and self.of_sets is not None:
            raise DataError(
                f"{labels.source}: {option('distance', self.of_sets.name)} is of sets, and no cell "
                f"seems to hold several labels. Say what separates them: {option('sets', ';')}."
            )
        return found


def _own(distance: Any) -> Distances | NDArray[Any]:
    """Read distances; an array waits for the labels."""
    from headcount.io.facts.distances import read_distances

    if isinstance(distance, np.ndarray):
        return cast("NDArray[Any]", distance)
    if isinstance(distance, str) and not Path(distance).suffix and not Path(distance).exists():
        near = closest(distance, list(SET_DISTANCES))
        hint = f" Did you mean '{near[0]}'?" if near else ""
        raise OptionError(
            f"{option(OWN)} must be {' or '.join(SET_DISTANCES)}, for sets, or a file of "
            f"distances; there is no file '{distance}'.{hint}"
        )
    try:
        return read_distances(distance)
    except (DataError, OptionError) as error:
        if error.option is None:
            error.option = OWN
        raise


def _checked(own: Distances | NDArray[Any], labels: Labels) -> Floats:
    """Give the distances of the labels."""
    names = labels.scale.labels
    _check_size(labels, len(names))
    if isinstance(own, Distances):
        return own.of(names, labels.source)
    if own.shape != (len(names), len(names)):
        raise OptionError(
            f"{option(OWN)}: the array must have a row and a column for each of the "
            f"{count(len(names), 'label')} in order ({some(names, 8)}), not the shape {own.shape}."
        )
    pairs = [(a, b) for a in names for b in names]
    given = _own(dict(zip(pairs, own.ravel().tolist(), strict=True)))
    return _checked(given, labels)


def _of_table(table: Floats) -> ScaleKind:
    return ScaleKind(
        name=OWN,
        title="own distances",
        counts="a disagreement counts by your distances of labels",
        distance=partial(Tabled, table=table),
        ordered=False,
        tabled=True,
    )


def _as_sets(labels: Labels, sets: Sets, distance: SetDistance) -> tuple[Labels, ScaleKind]:
    names, place = as_labels(sets.names())
    _check_size(labels, len(names))
    members: list[tuple[str, ...]] = [()] * len(names)
    for code, held in zip(place.tolist(), sets.members, strict=True):
        members[code] = held
    kind = ScaleKind(
        name=SETS,
        title=distance.title,
        counts=distance.counts,
        distance=partial(Tabled, table=distance.table(members)),
        ordered=False,
        tabled=True,
        members=tuple(members),
    )
    return labels.relabelled(place, Scale(names)), kind


def _check_size(labels: Labels, different: int) -> None:
    if different > MOST_SETS:
        raise DataError(
            f"{labels.source}: {different:,} different labels are too many to compare each with "
            f"each; at most {MOST_SETS:,}."
        )


def _note(notes: Notes, labels: Labels, sets: Sets, distance: SetDistance) -> None:
    """Say that cells were read as sets, and how not to."""
    single = len({name for one in sets.members for name in one})
    notes.caution(
        f"{labels.source}: {sets.found_in(labels.scale.labels)}, and are read as sets of "
        f"{count(single, 'label')}, whatever their order; distances are {distance.title}'s. If "
        f"each cell is one label, say {option('sets', NO_SETS)}."
    )
