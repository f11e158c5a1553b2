"""Which column plays which part: by the name the user gives, or by the names people use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from headcount.errors import DataError, closest, some
from headcount.io.table import Table, open_table

__all__ = ["ROLES", "file_or_column", "find_role", "given_role", "missing_role", "near_role"]

ROLES: dict[str, tuple[str, ...]] = {
    "item": (
        "item", "item_id", "items", "task", "task_id", "id", "unit", "unit_id", "example",
        "example_id", "question", "question_id", "comment_id", "doc_id", "document_id", "text_id",
        "image_id", "hit_id", "hitid", "doc", "document", "image", "sample", "sample_id", "uid",
        "prompt_id", "query_id", "idx", "key",
    ),
    "rater": (
        "rater", "rater_id", "worker", "worker_id", "workerid", "annotator", "annotator_id",
        "performer", "coder", "coder_id", "assessor", "assessor_id", "labeler", "labeller",
        "judge", "judge_id", "reviewer", "participant", "participant_id", "respondent",
        "observer", "user", "user_id", "username",
    ),
    "label": (
        "label", "labels", "rating", "answer", "response", "annotation", "judgment", "judgement",
        "class", "category", "choice", "vote", "grade", "score", "value", "prediction",
    ),
    "classifier": ("classifier", "classifier_id", "model", "model_id", "system", "judge", "method"),
    "probability": ("probability", "prob", "proba", "p"),
    "left": (
        "left", "left_id", "left_item", "model_a", "item_a", "id_a", "option_a", "player_a",
        "text_a", "item_1", "item1", "player_1", "player1", "first", "a", "x",
    ),
    "right": (
        "right", "right_id", "right_item", "model_b", "item_b", "id_b", "option_b", "player_b",
        "text_b", "item_2", "item2", "player_2", "player2", "second", "b", "y",
    ),
    "outcome": (
        "outcome", "winner", "label", "result", "preference", "preferred", "choice", "answer",
        "vote", "response", "judgment", "judgement", "score_a", "score",
    ),
    "weight": ("weight", "weights", "sample_weight"),
}  # fmt: skip
"""Names by which columns are recognised, likeliest first."""


def find_role(names: Sequence[str], role: str) -> int | None:
    """Position of the column that plays a role, by its name; None if no name fits.

    Examples
    --------
    >>> find_role(["Task ID", "worker", "text"], "item")
    0
    """
    plain = [re.sub(r"[\s.\-]+", "_", name.strip().lower()) for name in names]
    for known in ROLES[role]:
        if known in plain:
            return plain.index(known)
    return None


def given_role(table: Table, role: str, name: str) -> int:
    """Position of the column that the user named for a role."""
    if name in table.names:
        return table.names.index(name)
    near = closest(name, table.names)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    raise DataError(
        f"{table.source} has no column '{name}' for the {role}.{hint} "
        f"Columns: {some(table.names, 12)}."
    )


def near_role(names: Sequence[str], role: str) -> str | None:
    """Name of the column that is likely a misspelt name for a role."""
    return next((name for name in names if closest(name, ROLES[role], cutoff=0.75)), None)


def missing_role(table: Table, role: str, found: dict[str, int]) -> DataError:
    """Error for a role that no column plays, with the columns that come closest."""
    taken = {table.names[column] for column in found.values()}
    near = near_role([name for name in table.names if name not in taken], role)
    hint = f" Did you mean '{near}'?" if near else ""
    return DataError(
        f"{table.source}: no column found for the {role}.{hint} Columns: {some(table.names, 12)}. "
        f"Name it with {role}='...' (--{role} NAME)."
    )


def file_or_column(source: str, ratings: Any, option: str) -> tuple[Table, int | None]:
    """Open what an option names: a file, or else the ratings, of which it is a column.

    Returns
    -------
    table : Table
    column : int or None
        Place of the column; None if a file was named.
    """
    if Path(source).is_file():
        return open_table(Path(source), name=option), None
    table = open_table(ratings, name="ratings")
    if source in table.names:
        return table, table.names.index(source)
    from headcount.io.files import neighbour

    near = [*closest(source, table.names), *filter(None, [neighbour(Path(source))])]
    hint = f" Did you mean '{near[0]}'?" if near else ""
    raise DataError(
        f"--{option} '{source}' is neither a file nor a column of {table.source}.{hint} "
        f"Columns: {some(table.names, 12)}."
    )
