"""Options of commands that reduce large data where they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeGuard

import typer

from headcount.cli.help import LARGE
from headcount.cli.options import RatingColumns, ReadingOptions
from headcount.errors import OptionError, option

if TYPE_CHECKING:
    from headcount.data.labels import Labels
    from headcount.engine.engines.choice import EngineChoice
    from headcount.engine.scans.ratings import RatingsScan

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


@dataclass(frozen=True, kw_only=True)
class EngineOptions:
    """The options of a command that say where data are reduced, as they were given."""

    engine: EngineName = None
    memory: Memory = None
    remote: Remote = None
    glob: Glob = False

    def choice(self) -> EngineChoice:
        """Check the options."""
        from headcount.engine.engines.choice import EngineChoice

        return EngineChoice.of(
            engine=self.engine, memory=self.memory, remote=self.remote, glob=self.glob
        )

    def take(
        self,
        ratings: Path,
        columns: RatingColumns,
        reading: ReadingOptions,
        besides: Sequence[str] = (),
        *,
        duplicates: Sequence[str] = ("error", "first"),
        bins: int | None = None,
    ) -> Labels | RatingsScan:
        """Read ratings, or name them to be reduced where they are: as asked, or by their size.

        `besides` and `duplicates` as for :meth:`RatingColumns.read`; `bins` are of predictions.
        """
        from headcount.engine.scans.ratings import scan_ratings

        keywords = {**columns.keywords(duplicates), **reading.keywords()}
        keywords["ignore"] = [*keywords["ignore"], *besides]
        repeats = columns.duplicates not in ("error", "first")
        found = self._reduced(ratings, keywords, memory=repeats)
        if found is None:
            if bins is not None:
                raise OptionError(
                    f"{option('bins')} is for data that are reduced where they are, and these are "
                    f"read into memory. Leave it out, or say {option('engine', 'duckdb')}."
                )
            return columns.read(ratings, reading, besides, duplicates=duplicates)
        scan = scan_ratings(found.data, **keywords, **found.keywords, bins=bins)
        return scan.for_size(found.number) if found.number else scan

    def take_votes(self, votes: Path, keywords: dict[str, Any]) -> Any:
        """Read votes, or name them to be reduced where they are; `keywords` are a reader's."""
        from headcount.engine.scans.ratings import scan_ratings
        from headcount.io.predictions.votes import read_votes

        kept = dict(keywords)
        found = self._reduced(votes, kept)
        if found is None:
            return read_votes(votes, **keywords)
        rater = kept.pop("classifier")
        scan = scan_ratings(found.data, rater=rater, **kept, **found.keywords, name="votes")
        return scan.for_size(found.number) if found.number else scan

    def take_comparisons(self, comparisons: Path, keywords: dict[str, Any]) -> Any:
        """Read comparisons, or name them to be counted where they are."""
        from headcount.engine.scans.comparisons import scan_comparisons
        from headcount.io.comparisons.comparisons import read_comparisons

        kept = dict(keywords)
        found = self._reduced(comparisons, kept, ("merge",))
        if found is None:
            return read_comparisons(comparisons, **keywords)
        for name in ("clusters", "controls"):  # which the verb asks for itself
            del kept[name]
        scan = scan_comparisons(found.data, **kept, **found.keywords)
        return scan.for_size(found.number) if found.number else scan

    def refuse(self, name: str) -> None:
        """Refuse to reduce data for an option that needs them one by one."""
        from headcount.engine.engines.choice import MEMORY

        if self.choice().somewhere:
            raise OptionError(
                f"{option(name)} needs data one by one: read them into memory "
                f"({option('engine', MEMORY)})."
            )

    def _reduced(
        self,
        path: Path,
        keywords: dict[str, Any],
        there: Sequence[str] = (),
        *,
        memory: bool = False,
    ) -> _Reduced | None:
        """Say how data are reduced where they are; None if they are to be read.

        Takes from `keywords` what engines do not have, but for what is in `there`; with `memory`,
        data are read unless somebody asks for an engine.
        """
        from headcount.engine.engines.choice import MEMORY, ONLY_IN_MEMORY
        from headcount.engine.engines.memory import BYTES_A_RATING
        from headcount.engine.scans.memory_or_engine import about_ratings

        choice = self.choice()
        names = [name for name in ONLY_IN_MEMORY if name in keywords and name not in there]
        others = [name for name in names if keywords.pop(name) not in (None, [])]
        number, engine = 0, choice.engine
        if engine is None and not choice.glob:
            number = about_ratings(path)
            fits = number * BYTES_A_RATING <= choice.memory
            engine = MEMORY if fits or others or memory else None
        if engine == MEMORY:
            return None
        if others:
            raise OptionError(
                f"{option(others[0])} is for data that are read into memory, and these are reduced "
                f"where they are. Leave it out, or say {option('engine', MEMORY)}."
            )
        return _Reduced(path if choice.engine != "spark" else str(path), choice.keywords(), number)


@dataclass(frozen=True)
class _Reduced:
    """Data that are reduced where they are: how, and about how many if nobody asked for it."""

    data: Path | str
    keywords: dict[str, Any]
    number: int


def is_scan(taken: object) -> TypeGuard[RatingsScan]:
    """Whether ratings or votes are to be reduced where they are."""
    from headcount.engine.scans.ratings import RatingsScan

    return isinstance(taken, RatingsScan)
