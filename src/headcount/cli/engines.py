"""Options of commands that reduce large data where they are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeGuard

import typer

from headcount.cli.help import LARGE
from headcount.cli.options import RatingColumns, ReadingOptions
from headcount.errors import OptionError, option

if TYPE_CHECKING:
    from headcount.data.labels import Labels
    from headcount.engine.asked import EngineChoice
    from headcount.engine.ratings import RatingsScan

__all__ = ["EngineOptions", "is_scan"]

EngineName = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=LARGE,
        help="Where data are reduced: duckdb, spark, or memory (read them whole). Default: memory "
        "for files that fit, else duckdb.",
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        rich_help_panel=LARGE,
        help="Memory that reading may take, such as 512MB; more goes to temporary files. Default: "
        "1GB.",
    ),
]
Remote = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        rich_help_panel=LARGE,
        help="Spark Connect server to use, such as sc://localhost:15002.",
    ),
]
Glob = Annotated[
    bool,
    typer.Option(
        "--glob",
        rich_help_panel=LARGE,
        help="The file is a pattern of several, such as 'labels/*.parquet'.",
    ),
]
NOT_THERE = ("merge", "format", "encoding", "sheet", "question", "transpose")
"""Options of readers that data which are reduced where they are do not have."""


@dataclass(frozen=True, kw_only=True)
class EngineOptions:
    """The options of a command that say where data are reduced, as they were given."""

    engine: EngineName = None
    memory: Memory = None
    remote: Remote = None
    glob: Glob = False

    def choice(self) -> EngineChoice:
        """Check the options."""
        from headcount.engine.asked import EngineChoice

        return EngineChoice.of(
            engine=self.engine, memory=self.memory, remote=self.remote, glob=self.glob
        )

    def take(
        self, ratings: Path, columns: RatingColumns, reading: ReadingOptions
    ) -> Labels | RatingsScan:
        """Read ratings, or name them to be reduced where they are: as asked, or by their size."""
        from headcount.engine.asked import MEMORY
        from headcount.engine.memory import BYTES_A_RATING
        from headcount.engine.ratings import scan_ratings
        from headcount.engine.take import about_rows, large

        choice = self.choice()
        keywords = {**columns.keywords(), **reading.keywords()}
        others = [name for name in NOT_THERE if keywords.pop(name) not in (None, [])]
        rows, engine = 0, choice.engine
        if engine is None and not choice.glob:
            rows = about_rows(ratings)
            fits = rows * BYTES_A_RATING <= choice.memory
            engine = MEMORY if fits or others or columns.duplicates != "error" else None
        if engine == MEMORY:
            return columns.read(ratings, reading)
        if others:
            raise OptionError(
                f"{option(others[0])} is for data that are read into memory, and these are reduced "
                f"where they are. Leave it out, or say {option('engine', MEMORY)}."
            )
        scan = scan_ratings(
            ratings if choice.engine != "spark" else str(ratings),
            **keywords,
            engine=choice.engine,
            memory=choice.memory,
            remote=choice.remote,
            glob=choice.glob,
        )
        return large(scan, rows) if rows else scan


def is_scan(taken: Labels | RatingsScan) -> TypeGuard[RatingsScan]:
    """Whether data are to be reduced where they are."""
    return hasattr(taken, "choice")
