"""What to do next with the files that were seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.data.vocabulary import find_labels, match_ids
from headcount.errors import count, some
from headcount.io.look.records import Seen, Step

__all__ = ["next_steps", "unmatched"]

MOST_LABELS = 20
"""Labels beyond which no two raters agree but by chance."""


def next_steps(seen: Sequence[Seen]) -> list[Step]:
    """Choose what makes sense for these files: only what runs on them."""
    by: dict[str | None, list[Seen]] = {}
    for one in seen:
        by.setdefault(one.kind, []).append(one)
    steps: list[Step] = []
    gold, groups = by.get("gold", [])[:1], by.get("groups", [])[:1]
    files = {str(one.kind): one.given for one in (*gold, *groups)}
    for rated in by.get("ratings", []):
        predicted = by.get("predictions", [])
        steps += _of_ratings(rated, predicted, {} if predicted else files)
    rated_in = [one.given for one in by.get("ratings", [])]
    for predicted in by.get("predictions", []):
        if predicted.given in rated_in:
            continue  # of a file with both, the ratings would be read
        steps += _of_votes(predicted, _known(predicted.data, files, gold))
    for compared in by.get("comparisons", []):
        steps += _of_comparisons(compared)
    steps += _report(seen) if steps else []
    return list({step.python: step for step in steps}.values())


def _report(seen: Sequence[Seen]) -> Iterator[Step]:
    """All of it on one page, where one way of reading does for all files."""
    read = [one for one in seen if one.kind is not None]
    ways = [one.options for one in read if one.options]
    if not all(way == ways[0] for way in ways):
        return
    first, *more = dict.fromkeys(one.given for one in read)
    yield Step(
        verb="make_report", data=first, more=tuple(more), reader="look",
        reading=ways[0] if ways else {}, why="all of this on one page, report.html",
    )  # fmt: skip


def _of_ratings(rated: Seen, predicted: Sequence[Seen], files: Mapping[str, str]) -> Iterator[Step]:
    labels: Labels = rated.data
    several = _rated_items(labels, 2)
    reading = rated.options
    if several and len(np.unique(labels.label)) > 1:
        for one in predicted:
            yield from _of_judged(rated, one)
        yield Step(
            verb="agree", data=rated.given, reader="read_ratings", reading=reading,
            why="how much the raters agree",
        )  # fmt: skip
        if not predicted and several > 1:
            yield Step(
                verb="survey", data=rated.given, reader="read_ratings", reading=reading,
                why="how well a few raters predict the next one",
            )  # fmt: skip
        if not labels.anonymous and not predicted and several > 1 and not _continuous(labels):
            yield Step(
                verb="blind", data=rated.given, reader="read_votes", files=files,
                reading={name: value for name, value in reading.items() if name != "transpose"},
                why="who of them is reliable",
            )  # fmt: skip


def _of_judged(rated: Seen, predicted: Seen) -> Iterator[Step]:
    """How many raters classifiers are worth, where both are of the same items."""
    labels: Labels = rated.data
    predictions: Predictions = predicted.data
    same_file = rated.given == predicted.given
    if predicted.options and not (same_file and predicted.options == rated.options):
        return
    rated_twice = np.bincount(labels.item, minlength=len(labels.items)) >= 2
    everyone = np.ones(len(predictions.items), dtype=bool)
    for one in predictions.classifiers:
        everyone &= one.predicted
    where = match_ids(labels.items, predictions.items)
    if int((rated_twice & (where >= 0) & everyone[where]).sum()) < 2:
        return
    if not labels.anonymous:
        yield Step(
            verb="judge",
            data=rated.given,
            reader="read_ratings",
            reading=rated.options,
            files={} if same_file and not rated.options else {"judges": predicted.given},
            why="whether a judge may stand in for a person",
        )
    yield Step(
        verb="survey",
        data=rated.given,
        reader="read_ratings",
        reading=rated.options,
        files={"predictions": predicted.given},
        why="how many raters the classifiers are worth",
    )


def unmatched(labels: Labels, predictions: Predictions) -> str | None:
    """Say which labels classifiers use and raters do not; None if there are none."""
    place = find_labels(predictions.labels, labels.scale.labels)
    unknown = [name for name, code in zip(predictions.labels, place, strict=True) if code < 0]
    if not unknown:
        return None
    return (
        f"{predictions.source}: {count(len(unknown), 'label')} that no rater in {labels.source} "
        f"uses: {some(unknown)}. Raters use: {some(labels.scale.labels, 10)}."
    )


def _of_votes(predicted: Seen, files: Mapping[str, str]) -> Iterator[Step]:
    predictions: Predictions = predicted.data
    said = sum((one.predicted.astype(int) for one in predictions.classifiers), np.zeros(1, int))
    used = sum((np.nansum(one.probability, axis=0) for one in predictions.classifiers), np.zeros(1))
    if len(predictions.classifiers) < 2 or int((said > 1).sum()) < 2 or int((used > 0).sum()) < 2:
        return
    if predictions.scores and predicted.shape == "wide":
        return  # a column of scores beside those of labels is refused as no rater's
    yield Step(
        verb="blind", data=predicted.given, reader="read_votes", reading=predicted.options,
        files=files,
        why="which classifier is better, " + ("by gold labels" if files else "without gold labels"),
    )  # fmt: skip


def _known(
    predictions: Predictions, files: Mapping[str, str], gold: Sequence[Seen]
) -> dict[str, str]:
    """Files that say something of these predictions: gold labels of some of their items."""
    items = {str(item) for item in predictions.items.tolist()}
    known = dict(files)
    if gold and not items & set(gold[0].data):
        del known["gold"]
    return known


def _of_comparisons(compared: Seen) -> Iterator[Step]:
    raters = compared.data.raters
    yield Step(
        verb="pairs", data=compared.given, reader="read_comparisons", reading=compared.options,
        why="a rating of every item",
    )  # fmt: skip
    if raters is not None and len(raters) > 2:
        yield Step(
            verb="pairs", data=compared.given, reader="read_comparisons",
            reading=compared.options, options={"by_rater": True}, why="and who answers at random",
        )  # fmt: skip


def _rated_items(labels: Labels, times: int) -> int:
    return int((np.bincount(labels.item) >= times).sum())


def _continuous(labels: Labels) -> bool:
    """Whether labels are so many that no two raters agree but by chance."""
    return len(labels.scale) > MOST_LABELS
