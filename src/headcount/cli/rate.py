"""`headcount rate`: the share of positive items that people would find."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from headcount.cli.flags import grouped
from headcount.cli.options import (
    AnswerOptions,
    ReadingOptions,
    VoteColumns,
    VotesFile,
)

__all__ = ["rate_command"]


@grouped
def rate_command(
    context: typer.Context,
    *,
    votes: VotesFile,
    people: Annotated[
        Path,
        typer.Argument(
            help="Labels that people gave to some of the items, drawn at random: item, rater, "
            "label; or item, label. An optional column probability: each item's sampling "
            "probability."
        ),
    ],
    positive: str | None = None,
    at_least: float | None = None,
    abstain: str | None = None,
    level: float = 0.95,
    columns: VoteColumns,
    reading: ReadingOptions,
    answer: AnswerOptions,
) -> None:
    """Estimate what share of all items people would call positive, from judges and some ratings."""
    answer.check()
    from headcount.blind_evaluation.rate import corrected_rate

    result = corrected_rate(
        columns.read(votes, reading, abstain),
        people,
        positive=positive,
        at_least=at_least,
        level=level,
    )
    answer.draw(result, context)
