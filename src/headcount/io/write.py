"""Write what headcount reads, in the forms that it reads, whole or not at all."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np

from headcount.errors import DataError
from headcount.labels.labels import Labels
from headcount.labels.predictions import Predictions
from headcount.pairwise.comparisons import OUTCOMES, Comparisons

__all__ = [
    "replacing",
    "write_all",
    "write_columns",
    "write_comparisons",
    "write_pools",
    "write_predictions",
    "write_ratings",
]


@contextmanager
def replacing(path: Path) -> Generator[Path]:
    """Give a temporary file to write, and put it in the place of `path` only when all went well."""
    if path.is_dir():
        raise DataError(f"cannot write '{path}': it is a folder. Remove it, or write elsewhere.")
    try:
        with NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.stem}.", suffix=path.suffix, delete=False
        ) as file:
            temporary = Path(file.name)
    except OSError as error:
        raise DataError(f"cannot write '{path}': {error.strerror}.") from None
    try:
        yield temporary
        # A temporary file is private; a result has the permissions of any new file.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(path)
    except OSError as error:
        raise DataError(f"cannot write '{path}': {error.strerror or error}.") from None
    finally:
        temporary.unlink(missing_ok=True)


def write_all(folder: Path, files: Mapping[str, Callable[[Path], None]]) -> None:
    """Write several files into a folder, which is made if need be: all of them or none.

    Parameters
    ----------
    folder : Path
    files : mapping of str to callable
        For each name of a file, what writes it to a path.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot make the folder '{folder}': {error.strerror}.") from None
    with ExitStack() as stack:
        for name, write in files.items():
            write(stack.enter_context(replacing(folder / name)))


def write_ratings(labels: Labels, path: Path) -> None:
    """Write ratings as long CSV: item, rater, label."""
    names = np.array(labels.scale.labels, dtype=object)
    columns = labels.items[labels.item], labels.raters[labels.rater], names[labels.label]
    _write(path, ["item", "rater", "label"], (column.tolist() for column in columns))


def write_predictions(predictions: Predictions, path: Path) -> None:
    """Write predictions as wide CSV: a column of labels, or columns name:label."""
    header: list[str] = ["item"]
    columns: list[list[object]] = [predictions.items.tolist()]
    labels = np.array([*predictions.labels, ""], dtype=object)
    for classifier in predictions.classifiers:
        if classifier.kind == "hard":
            header.append(classifier.name)
            table = np.nan_to_num(classifier.probability)
            codes = np.where(classifier.predicted, table.argmax(axis=1), -1)
            columns.append(labels[codes].tolist())
            continue
        for label, column in zip(predictions.labels, classifier.probability.T, strict=True):
            header.append(f"{classifier.name}:{label}")
            columns.append(["" if np.isnan(p) else repr(p) for p in column.tolist()])
    _write(path, header, columns)


def write_pools(labels: Labels, experts: Iterable[str], path: Path) -> None:
    """Write who is an expert and who an amateur, as CSV: rater, pool."""
    known = set(experts)
    raters: list[str] = [str(rater) for rater in labels.raters]
    pools = ["expert" if rater in known else "amateur" for rater in raters]
    _write(path, ["rater", "pool"], [raters, pools])


def write_comparisons(comparisons: Comparisons, path: Path) -> None:
    """Write comparisons as CSV: left, right, outcome (in words, or as a share) and rater."""
    words = {share: word for word, share in OUTCOMES.items()}
    columns: dict[str, Sequence[object]] = {
        "left": comparisons.items[comparisons.left].tolist(),
        "right": comparisons.items[comparisons.right].tolist(),
        "outcome": [words.get(share, share) for share in comparisons.outcome.tolist()],
    }
    if comparisons.rater is not None and comparisons.raters is not None:
        columns["rater"] = comparisons.raters[comparisons.rater].tolist()
    if comparisons.weight is not None:
        columns["weight"] = comparisons.weight.tolist()
    write_columns(columns, path)


def write_columns(columns: Mapping[str, Sequence[object]], path: Path) -> None:
    """Write named columns as CSV."""
    _write(path, list(columns), columns.values())


def _write(path: Path, header: Sequence[str], columns: Iterable[Sequence[object]]) -> None:
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(zip(*columns, strict=True))
