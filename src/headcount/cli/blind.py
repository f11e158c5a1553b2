"""`headcount blind`: how good classifiers are when nobody has gold labels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import typer

from headcount.cli.flags import Names, grouped
from headcount.cli.options import (
    AnswerOptions,
    EngineOptions,
    ReadingOptions,
    VoteColumns,
    VotesFile,
)
from headcount.cli.output import progress_bar

__all__ = ["blind_command"]


@grouped
def blind_command(
    context: typer.Context,
    *,
    predictions: VotesFile,
    gold: Path | None = None,
    crowd: Path | None = None,
    groups: Path | None = None,
    group_pattern: str | None = None,
    positive: str | None = None,
    at_least: float | None = None,
    abstain: str | None = None,
    confusion: Path | None = None,
    metric: list[str] | None = None,
    methods: Names | None = None,
    smoothing: float = 0.5,
    bootstrap: int = 200,
    level: float = 0.95,
    seed: int = 0,
    columns: VoteColumns,
    reading: ReadingOptions,
    large: EngineOptions,
    answer: AnswerOptions,
) -> None:
    """Estimate how good classifiers are from their labels alone, and say when not to believe it."""
    answer.check()
    from headcount import blind
    from headcount.blind_evaluation.metrics import METRICS

    votes = large.take_votes(predictions, columns.readers(reading, abstain))
    with progress_bar("evaluating") as progress:
        result = blind(
            votes,
            gold=gold,
            crowd=crowd,
            groups=groups,
            group_pattern=group_pattern,
            positive=positive,
            at_least=at_least,
            abstain=abstain,
            confusion=confusion,
            metrics=metric or METRICS,
            methods=methods,
            bootstrap=bootstrap,
            level=level,
            seed=seed,
            smoothing=smoothing,
            progress=progress,
        )
    if answer.details:
        result = replace(result, most_rows=None)
    answer.draw(result, context)
