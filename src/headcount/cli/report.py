"""`headcount report`: everything that files can tell, on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from headcount.cli.flags import grouped
from headcount.cli.options import RatingColumns, ReadingOptions
from headcount.cli.output import check_page, say, show, write_page

__all__ = ["report_command"]


@grouped
def report_command(
    context: typer.Context,
    *,
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Files: ratings, predictions, comparisons, gold labels, in any order; or exports "
            "of tools."
        ),
    ],
    output: Path = Path("report.html"),
    level: float = 0.95,
    seed: int = 0,
    columns: RatingColumns,
    reading: ReadingOptions,
    as_json: bool = False,
    quiet: bool = False,
) -> None:
    """Write one self-contained HTML report: answers, figures, tables, and what looks wrong."""
    check_page(output)
    from headcount.engine.look import look
    from headcount.report.make_report import make_report

    looked = look(*files, **columns.keywords(), **reading.keywords(), engine="memory")
    report = make_report(looked, level=level, seed=seed)
    write_page(report, context, output)
    show(report, context, as_json=as_json, quiet=quiet)
    if not as_json and not quiet:
        say(f"page: {output}")
