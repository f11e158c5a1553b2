"""`headcount simulate`: data in which the truth is known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["simulate"]

simulate = typer.Typer(no_args_is_help=True, help="Make data in which the truth is known.")


@simulate.callback()
def _group() -> None:
    """Make data in which the truth is known."""


@simulate.command("running-example")
def running_example_command(
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder to write to.")],
    items: Annotated[int, typer.Option(help="Number of items.")] = 1000,
    raters: Annotated[int, typer.Option(help="Ratings of each item.")] = 10,
    seed: Annotated[int, typer.Option(help="The same seed gives the same data.")] = 1,
) -> None:
    """Write the paper's running example: an urn of urns and three classifiers.

    70% of items are called 'cat' by 80% of raters, 20% by 10%, 10% by half of them. Classifiers:
    hard, calibrated (.77 or .32) and omniscient.
    """
    from headcount.errors import DataError
    from headcount.io.write import write_predictions, write_ratings
    from headcount.labels.simulate import running_example

    labels, predictions = running_example(items, raters, rng=seed)
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot make the folder '{output}': {error.strerror}.") from None
    write_ratings(labels, output / "ratings.csv")
    write_predictions(predictions, output / "predictions.csv")
    typer.echo(f"{output / 'ratings.csv'}: {labels}")
    typer.echo(f"{output / 'predictions.csv'}: {predictions}")
