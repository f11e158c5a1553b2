"""What a user asks of an engine: which, how much memory, where it runs, whether names are globs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headcount import options
from headcount.engine.engines.memory import memory_of
from headcount.errors import OptionError, option

__all__ = ["ENGINES", "MEMORY", "ONLY_IN_MEMORY", "EngineChoice"]

MEMORY = "memory"
"""Of no database: data are read into memory."""
ENGINES = ("duckdb", "spark", MEMORY)
"""What users may ask for."""
ONLY_IN_MEMORY = ("merge", "format", "encoding", "sheet", "question", "transpose")
"""Options of readers that data which are reduced where they are do not have."""


@dataclass(frozen=True, kw_only=True)
class EngineChoice:
    """Where data are reduced.

    Parameters
    ----------
    engine : {"duckdb", "spark", "memory"} or None
        None: by the kind of data and their size.
    memory : int
        Bytes.
    remote : str or None
        Address of a Spark Connect server.
    glob : bool
        Whether the name of a file is a pattern of several.
    """

    engine: str | None = None
    memory: int = 10**9
    remote: str | None = None
    glob: bool = False

    @classmethod
    def of(
        cls, *, engine: Any = None, memory: Any = None, remote: Any = None, glob: Any = False
    ) -> EngineChoice:
        """Check the options as a caller gives them."""
        if engine is not None:
            engine = options.one_of(engine, "engine", list(ENGINES), "engine")
        if remote is not None and (not isinstance(remote, str) or "://" not in remote):
            raise OptionError(
                f"{option('remote')} must be the address of a Spark Connect server, such as "
                f"'sc://localhost:15002', not {remote!r}."
            )
        if remote is not None and engine not in (None, "spark"):
            raise OptionError(
                f"{option('remote')} is an address of Spark, and {option('engine', engine)} is "
                "not. Leave one out."
            )
        if remote is not None:
            engine = "spark"
        if options.switch(glob, "glob") and engine == MEMORY:
            raise OptionError(
                f"{option('glob')} reads several files, and {option('engine', MEMORY)} one. Leave "
                "one out."
            )
        return cls(engine=engine, memory=memory_of(memory), remote=remote, glob=glob)

    @property
    def somewhere(self) -> bool:
        """Whether it was asked for that data are reduced where they are."""
        return self.glob or self.engine not in (None, MEMORY)

    def keywords(self) -> dict[str, Any]:
        """Return the options as a caller gives them."""
        return {
            "engine": self.engine,
            "memory": self.memory,
            "remote": self.remote,
            "glob": self.glob,
        }
