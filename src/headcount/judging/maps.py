"""Maps of a judge's answers to people's labels: learned, kept in a file, applied to new answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from headcount.data.predictions import Predictions
from headcount.data.vocabulary import match_ids
from headcount.errors import DataError, OptionError, option, some
from headcount.judging.prepare import Judged, Prepared
from headcount.stats.draws import keys
from headcount.typing import Codes, Floats, Ids

__all__ = [
    "LabelMap",
    "Map",
    "check_maps",
    "labels_recalibrated",
    "learn_map",
    "learn_maps",
    "map_labels",
    "recalibrated",
    "take_maps",
    "write_maps",
]

# The map itself: labels as frequent as people's, in the judge's own order.

FOLDS = 10
"""Parts of items; each is mapped by what the others teach."""


@dataclass(frozen=True, eq=False)
class Map:
    """A monotone map of a judge's labels or scores to people's labels.

    A value is replaced by the label that people give at its place: the share of values below it,
    and a part of those equal to it, which is drawn for each item.

    Parameters
    ----------
    values : array
        What the judge says of the items it was learned from, sorted.
    shares : (labels,) array
        How often people give each label, lowest first.
    """

    values: Floats
    shares: Floats

    def __call__(self, values: Floats, part: Floats) -> Codes:
        """Map values; `part`, from 0 to 1, breaks ties."""
        low = np.searchsorted(self.values, values, side="left") / len(self.values)
        high = np.searchsorted(self.values, values, side="right") / len(self.values)
        place = low + part * (high - low)
        ends = np.cumsum(self.shares)[:-1]
        return np.searchsorted(ends, place, side="right")


def learn_map(values: Floats, counts: Codes) -> Map:
    """Learn the map from a judge's values and people's label counts of the same items.

    Examples
    --------
    >>> made = learn_map(np.array([2.0, 3, 3, 4]), np.array([[1, 0], [1, 0], [1, 0], [0, 1]]))
    >>> made(np.array([2.0, 3, 4]), np.array([0.5, 0.5, 0.5]))
    array([0, 0, 1])
    """
    shares = (counts / counts.sum(axis=1, keepdims=True)).mean(axis=0)
    return Map(np.sort(values), shares)


def recalibrated(values: Floats, counts: Codes, items: Ids, seed: int) -> Codes:
    """Map each item by what the other folds teach: labels, or -1 where the judge says nothing.

    Folds and ties are keyed by seed and item, so that rows in another order change nothing.
    """
    label = np.full(len(values), -1)
    used = np.flatnonzero(np.isfinite(values) & (counts.sum(axis=1) > 0))
    if len(used) < FOLDS:
        return label
    order = np.argsort(keys(items[used], seed), kind="stable")
    fold = np.empty(len(used), dtype=np.int64)
    fold[order] = np.arange(len(used)) % FOLDS
    part = keys(items[used], seed + 1) / 2.0**32
    for number in range(FOLDS):
        others, own = used[fold != number], fold == number
        made = learn_map(values[others], counts[others])
        label[used[own]] = made(values[used[own]], part[own])
    return label


# Maps of judges, with what is needed to apply them to new answers.

FORMAT, VERSION = "headcount maps", 1


@dataclass(frozen=True, kw_only=True)
class LabelMap:
    """A monotone map of what one judge says to people's labels.

    An answer becomes the label at the same place among people's: the share of the judge's answers
    below it, and a part of those equal to it that is drawn by seed and item.

    Parameters
    ----------
    judge : str
    labels : tuple of str
        People's, lowest first.
    shares : tuple of float
        How often people give each.
    answers : mapping of str to float, or None
        What the judge's labels count; None where it gives numbers of its own.
    values : tuple of float
        What the judge said of the items it was learned from, sorted, each value once.
    counts : tuple of int
        How often it said each.
    seed : int
    """

    judge: str
    labels: tuple[str, ...]
    shares: tuple[float, ...]
    answers: Mapping[str, float] | None
    values: tuple[float, ...]
    counts: tuple[int, ...]
    seed: int

    def codes(self, values: Floats, items: Ids) -> Codes:
        """Map answers as numbers to places of labels, lowest first; -1 where there is none."""
        learned = Map(np.repeat(self.values, self.counts), np.array(self.shares))
        out = np.full(len(values), -1)
        there = np.isfinite(values)
        part = keys(items[there], self.seed + 1) / 2.0**32
        out[there] = learned(values[there], part)
        return out

    def numbers(self, predictions: Predictions) -> Floats:
        """Take what the judge says of items as numbers: scores, labels or mean of probabilities."""
        for score in predictions.scores:
            if score.name == self.judge and self.answers is None:
                return score.values
        table = next((c for c in predictions.classifiers if c.name == self.judge), None)
        if table is None or self.answers is None:
            raise DataError(
                f"{predictions.source}: no answers of '{self.judge}' of its map's kind."
            )
        used = np.nansum(table.probability, axis=0) > 0
        labels = predictions.labels
        unknown = [labels[k] for k in np.flatnonzero(used) if labels[k] not in self.answers]
        if unknown:
            raise DataError(
                f"{predictions.source}: '{self.judge}' says {some(unknown)}, which its map does "
                "not have. Learn it again from answers that include these."
            )
        return table.probability @ np.array([self.answers.get(label, 0.0) for label in labels])


def learn_maps(prepared: Prepared, seed: int) -> tuple[LabelMap, ...]:
    """Learn a map of each judge whose answers have an order, from all rated items."""
    if prepared.values is None:
        return ()
    people = prepared.people
    order = np.argsort(prepared.values[: len(people.scale)], kind="stable")
    counts = people.matrix()[:, order]
    labels = [str(label) for label in people.scale.labels]
    out: list[LabelMap] = []
    for judged in prepared.judges:
        if judged.order is None:
            continue
        used = np.isfinite(judged.order) & (counts.sum(axis=1) > 0)
        learned = learn_map(judged.order[used], counts[used])
        values, times = np.unique(learned.values, return_counts=True)
        named = zip(prepared.labels, prepared.values.tolist(), strict=True)
        out.append(
            LabelMap(
                judge=judged.name,
                labels=tuple(labels[int(k)] for k in order),
                shares=tuple(learned.shares.tolist()),
                answers=None if judged.kind == "scores" else dict(named),
                values=tuple(values.tolist()),
                counts=tuple(times.tolist()),
                seed=seed,
            )
        )
    return tuple(out)


def labels_recalibrated(judged: Judged, prepared: Prepared, seed: int) -> Judged | None:
    """Map the judge's answers, each by what other items teach; None where they have no order."""
    if judged.order is None or prepared.values is None:
        return None
    people = prepared.people
    # Columns of label counts in the order of their values, lowest first.
    order = np.argsort(prepared.values[: len(people.scale)], kind="stable")
    places = recalibrated(judged.order, people.matrix()[:, order], people.items, seed)
    label = np.where(places >= 0, order[places], -1)
    return Judged(name=judged.name, kind=judged.kind, label=label)


def map_labels(
    predictions: Predictions, maps: Sequence[LabelMap], prepared: Prepared | None = None
) -> Predictions:
    """Put the judges' answers through their maps; with `prepared`, rated items by cross-fitting.

    What a map learned from an item does not decide the label of that item then, so that the labels
    may be judged by the same people.
    """
    by_judge = {each.judge: each for each in maps}
    columns: dict[str, list[str | None]] = {}
    for judge in [*predictions.classifiers, *predictions.scores]:
        if judge.name not in by_judge:
            continue
        label_map = by_judge[judge.name]
        places = label_map.codes(label_map.numbers(predictions), predictions.items)
        texts = np.array([*label_map.labels, None], dtype=object)[places]
        if prepared is not None:
            own = next(each for each in prepared.judges if each.name == judge.name)
            made = labels_recalibrated(own, prepared, label_map.seed)
            index = match_ids(prepared.people.items, predictions.items)
            there = index >= 0
            if made is not None:
                names = np.array([*prepared.labels, None], dtype=object)
                texts[index[there]] = names[made.label[there]]
        columns[judge.name] = texts.tolist()
    if not columns:
        names = [judge.name for judge in (*predictions.classifiers, *predictions.scores)]
        raise DataError(f"there is no map for {some(names)}; maps are for {some(list(by_judge))}.")
    return Predictions.from_labels(predictions.items.tolist(), columns, source=predictions.source)


def take_maps(maps: Any) -> tuple[LabelMap, ...]:
    """Take maps as they are given: as such, or in a file."""
    if isinstance(maps, LabelMap):
        return (maps,)
    if not isinstance(maps, str | Path):
        return tuple(maps)
    path = Path(maps)
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["format"] != FORMAT or document["version"] > VERSION:
            raise ValueError
        return tuple(_from_dict(each) for each in document["maps"])
    except OSError as error:
        raise DataError(f"cannot read the map '{path}': {error.strerror}.") from None
    except (ValueError, KeyError, TypeError):
        raise OptionError(
            f"{option('label_map', path)}: '{path}' is not a map that this version reads. Make one "
            f"with {option('save_map', 'map.json')}."
        ) from None


def _from_dict(form: dict[str, Any]) -> LabelMap:
    lists = {name: tuple(form[name]) for name in ("labels", "shares", "values", "counts")}
    return LabelMap(judge=form["judge"], answers=form["answers"], seed=form["seed"], **lists)


def write_maps(maps: Sequence[LabelMap], path: Path) -> None:
    """Write maps as JSON."""
    from headcount.io.write import replacing

    check_maps(maps)
    document = {"format": FORMAT, "version": VERSION, "maps": [asdict(each) for each in maps]}
    with replacing(path) as file:
        file.write_text(json.dumps(document), encoding="utf-8")


def check_maps(maps: Sequence[LabelMap]) -> None:
    """Refuse to go on without a map."""
    if not maps:
        raise DataError(
            "nothing can be recalibrated: the labels have no order. If they have one, say so "
            f"({option('scale', 'ordinal')})."
        )
