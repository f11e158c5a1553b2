"""`headcount simulate answers`: a crowd that answers the tasks of `headcount plan`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from headcount.cli.output import say
from headcount.errors import DataError

__all__ = ["answers_command"]


def answers_command(
    tasks: Annotated[
        Path, typer.Argument(help="Tasks, as `headcount plan` writes them: left, right.")
    ],
    truth: Annotated[
        Path,
        typer.Option(help="True values: item, theta, as `headcount simulate pairs` writes them."),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="File to write: left, right, outcome, rater.")
    ],
    raters: Annotated[int, typer.Option(help="Number of raters.")] = 100,
    perception_ambiguity: Annotated[
        float, typer.Option(help="Standard deviation of what raters perceive in an item.")
    ] = 0.5,
    comparison_ambiguity: Annotated[
        float, typer.Option(help="Perceived values that differ by less are called equal.")
    ] = 0.5,
    spammers: Annotated[float, typer.Option(help="Share of raters who answer at random.")] = 0.0,
    seed: Annotated[int, typer.Option(help="The same seed gives the same crowd.")] = 0,
) -> None:
    """Simulate a crowd's answers to the comparisons of a file.

    \b
    A project of 500 items without people:
      headcount simulate pairs --items 500 -o world
      headcount plan --items 500 --next 1000 -o tasks.csv
      headcount simulate answers tasks.csv --truth world/truth.csv -o answers.csv
    """  # noqa: D301 - click's mark of lines to keep is the character, not its name
    from headcount.io.facts.gold import read_gold
    from headcount.io.tables.open_table import open_table
    from headcount.io.write import write_comparisons
    from headcount.simulation.answers import simulate_answers
    from headcount.simulation.labelling_model import LabellingModel

    table = open_table(tasks, name="tasks")
    sides: dict[str, list[str]] = {}
    for side in ("left", "right"):
        if side not in table.names:
            raise DataError(f"{table.source}: no column '{side}'; give tasks with left and right.")
        codes, texts = table.codes(table.names.index(side))
        sides[side] = [texts[code] for code in codes.tolist() if code >= 0]
    model = LabellingModel(
        raters=raters,
        perception_ambiguity=perception_ambiguity,
        comparison_ambiguity=comparison_ambiguity,
        spammers=spammers,
        votes=1,
    )
    values = {str(item): float(value) for item, value in read_gold(truth, column="theta").items()}
    answers = simulate_answers(sides["left"], sides["right"], values, model, seed=seed)
    write_comparisons(answers, output)
    say(f"{output}: {answers}")
