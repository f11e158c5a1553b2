"""`headcount consensus`: the label of each item, and how good each worker is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import typer

from headcount.cli.flags import grouped
from headcount.cli.options import (
    AnswerOptions,
    EngineOptions,
    ReadingOptions,
    VoteColumns,
    VotesFile,
    is_scan,
)
from headcount.cli.output import check_rows, say

__all__ = ["consensus_command"]


@grouped
def consensus_command(
    context: typer.Context,
    *,
    votes: VotesFile,
    method: str = "consensus",
    gold: Path | None = None,
    groups: Path | None = None,
    group_pattern: str | None = None,
    at_least: float | None = None,
    abstain: str | None = None,
    confusion: Path | None = None,
    exclude_below: float | None = None,
    model: Path | None = None,
    save_model: Path | None = None,
    level: float = 0.95,
    seed: int = 0,
    columns: VoteColumns,
    reading: ReadingOptions,
    large: EngineOptions,
    answer: AnswerOptions,
    workers_out: Path | None = None,
) -> None:
    """Find the label of each item from the labels of several workers, and how good each worker is.

    -o writes the labels, with the probability of each.
    """
    answer.check()
    check_rows(workers_out)
    from headcount.blind_evaluation.consensus import consensus
    from headcount.io.write import write_rows

    read = large.take_votes(votes, columns.readers(reading, abstain))
    if answer.output is not None and is_scan(read):
        from headcount.engine.taking import bring_votes
        from headcount.errors import option

        read = bring_votes(read, one_by_one=option("output"))
    result = consensus(
        read,
        method=method,
        gold=gold,
        groups=groups,
        group_pattern=group_pattern,
        at_least=at_least,
        abstain=abstain,
        confusion=confusion,
        exclude_below=exclude_below,
        model=model,
        level=level,
        seed=seed,
    )
    if save_model is not None:
        result.save(save_model)
    if answer.output is not None:
        write_rows(result.labels.columns(), answer.output)
    if workers_out is not None:
        write_rows(result.worker_columns(), workers_out)
    replace(answer, output=None).draw(result, context)
    if not (answer.as_json or answer.quiet):
        for what, path in (
            ("labels", answer.output),
            ("workers", workers_out),
            ("model", save_model),
        ):
            if path is not None:
                say(f"{what}: {path}")
