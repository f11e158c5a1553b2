"""`headcount simulate`: data in which the truth is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headcount.cli.help import App
from headcount.cli.output import say
from headcount.cli.simulate_answers import answers_command
from headcount.cli.simulate_pairs import pairs_command

if TYPE_CHECKING:
    from headcount.simulation.states import States

__all__ = ["simulate"]

simulate = App(no_args_is_help=True, help="Make data in which the truth is known.")

Output = Annotated[
    Path, typer.Option("-o", "--output", metavar="FOLDER", help="Folder to write to.")
]
Items = Annotated[int, typer.Option(help="Number of items.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same data.")]

RUNNING_EXAMPLE = ("0.8,0.2:0.7", "0.1,0.9:0.2", "0.5,0.5:0.1")
"""The states of the paper's running example, as --state writes them."""


@simulate.callback()
def _group() -> None:
    """Make data in which the truth is known."""


simulate.command("pairs")(pairs_command)
simulate.command("answers")(answers_command)


@simulate.command("running-example")
def running_example_command(
    output: Output,
    items: Items = 1000,
    raters: Annotated[int, typer.Option(help="Ratings of each item.")] = 10,
    seed: Seed = 1,
) -> None:
    """Write the running example of the survey paper.

    70% of items are called 'cat' by 80% of raters, 20% by 10%, 10% by half of them. Classifiers:
    hard, calibrated (.77 or .32) and omniscient.
    """
    from headcount.io.write import write_all, write_predictions, write_ratings
    from headcount.simulation.running_example import running_example

    labels, predictions = running_example(items, raters, rng=seed)
    write_all(
        output,
        {
            "ratings.csv": lambda path: write_ratings(labels, path),
            "predictions.csv": lambda path: write_predictions(predictions, path),
        },
    )
    say(f"{output / 'ratings.csv'}: {labels}")
    say(f"{output / 'predictions.csv'}: {predictions}")


@simulate.command("ratings")
def ratings_command(
    output: Output,
    items: Items = 1000,
    raters: Annotated[int, typer.Option(help="Number of raters.")] = 10,
    state: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STATE[:SHARE]",
            help="What raters say of an item: probabilities of the labels (0.8,0.2), or a "
            "distribution to draw them from (beta:2,5 or dirichlet:1,1,0.5). Repeat it for items "
            "of several kinds, each with its share of the items (0.8,0.2:0.7); without shares "
            "kinds are equally common. Default: the paper's running example.",
        ),
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Names of the labels, separated by commas, in the order of the states. "
            "Default: a,b,c ...",
        ),
    ] = None,
    noise: Annotated[
        float, typer.Option(help="Probability that a rater picks any label at random.")
    ] = 0.0,
    ratings: Annotated[
        str | None,
        typer.Option(
            metavar="N|LEAST:MOST",
            help="Ratings of an item, by raters drawn at random: a number, or any from LEAST to "
            "MOST. Default: everyone rates every item.",
        ),
    ] = None,
    missing: Annotated[float, typer.Option(help="Probability that a rating is lost.")] = 0.0,
    experts: Annotated[
        int, typer.Option(help="How many raters are experts; the others are amateurs. 0: no pools.")
    ] = 0,
    amateur_noise: Annotated[
        float, typer.Option(help="Noise of amateurs, on top of that of all raters.")
    ] = 0.0,
    classifiers: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Some of hard, soft, calibrated and omniscient, separated by commas. "
            "calibrated:5 has seen 5 labels of each item in private (default 3) and is worth 5 "
            "raters without noise; hard gives the likeliest label, soft exaggerates, omniscient "
            "knows the state.",
        ),
    ] = "hard,soft,calibrated,omniscient",
    sharpness: Annotated[
        float, typer.Option(help="How soft exaggerates: the power its probabilities are raised to.")
    ] = 2.0,
    seed: Seed = 1,
) -> None:
    """Write ratings, predictions and the states behind them.

    \b
    Two labels, 3 to 12 ratings per item, raters who do not always pay attention:
      headcount simulate ratings -o data --state beta:2,5 --raters 40
        --ratings 3:12 --noise 0.1
    Easy items and hard ones, 3 experts and 7 amateurs:
      headcount simulate ratings -o data --state beta:9,1:0.8
        --state 0.5,0.5:0.2 --experts 3 --amateur-noise 0.3
    Three labels:
      headcount simulate ratings -o data --state dirichlet:1,1,0.5
        --labels no,unsure,yes

    Files: ratings.csv, predictions.csv, states.csv (the truth, as predictions of 'state') and,
    with experts, raters.csv (rater, pool).
    """  # noqa: D301, click reads the backspace
    from headcount.errors import count
    from headcount.io.write import write_all, write_pools, write_predictions, write_ratings
    from headcount.simulation.ratings import simulate_ratings

    made = simulate_ratings(
        items,
        raters,
        states=_states(state or RUNNING_EXAMPLE),
        labels=None if labels is None else _labels(labels),
        noise=noise,
        ratings=None if ratings is None else _range(ratings),
        missing=missing,
        experts=experts,
        amateur_noise=amateur_noise,
        classifiers=_split(classifiers),
        sharpness=sharpness,
        rng=seed,
    )
    files: dict[str, Callable[[Path], None]] = {
        "ratings.csv": lambda path: write_ratings(made.labels, path),
        "predictions.csv": lambda path: write_predictions(made.predictions, path),
        "states.csv": lambda path: write_predictions(made.truth, path),
    }
    said: list[object] = [made.labels, made.predictions, "the state of each item"]
    if made.experts:
        files["raters.csv"] = lambda path: write_pools(made.labels, made.experts, path)
        said.append(f"{count(experts, 'expert')}, {count(raters - experts, 'amateur')}")
    write_all(output, files)
    for name, what in zip(files, said, strict=True):
        say(f"{output / name}: {what}")


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _labels(text: str) -> list[str]:
    """Names of labels; only such as can be read back from the files."""
    from headcount.data.vocabulary import as_labels
    from headcount.errors import OptionError, some
    from headcount.io.values.missing import WRITTEN_MISSING

    names = _split(text)
    wrong = [name for name in names if ":" in name or name in WRITTEN_MISSING]
    if wrong or len(as_labels(names)[0]) < len(names):
        raise OptionError(
            f"--labels '{text}': {some(wrong) if wrong else 'a label named twice'} would not be "
            "read back as it was written. Names differ, have no colon, and are not a word for a "
            "missing value, as nan is."
        )
    return names


def _range(text: str) -> tuple[int, int]:
    """Read '5' or '3:12'."""
    from headcount.errors import OptionError

    least, colon, most = text.partition(":")
    try:
        return int(least), int(most if colon else least)
    except ValueError:
        raise OptionError(
            f"--ratings '{text}': give a number of ratings, as in 5, or the least and the most, "
            "as in 3:12."
        ) from None


def _states(texts: Sequence[str]) -> States:
    """Read the states, one text a kind of item."""
    from headcount.errors import OptionError
    from headcount.simulation.states import DirichletStates, DiscreteStates, MixtureStates

    kinds = [_state(text) for text in texts]
    shares = [share for _, _, share in kinds if share is not None]
    if shares and len(shares) < len(kinds):
        raise OptionError(
            f"--state: {len(shares)} of {len(kinds)} states have a share of the items. Give one to "
            "each, as in 0.8,0.2:0.7, or to none."
        )
    weights = shares or None
    if not any(name for name, _, _ in kinds):
        return DiscreteStates([numbers for _, numbers, _ in kinds], weights)
    parts = [
        DirichletStates(numbers) if name else DiscreteStates([numbers])
        for name, numbers, _ in kinds
    ]
    return parts[0] if len(parts) == 1 else MixtureStates(parts, weights)


def _state(text: str) -> tuple[str, list[float], float | None]:
    """Read '[distribution:]numbers[:share]'; no distribution is an empty name."""
    from headcount.errors import OptionError, unknown_name

    pieces = [piece.strip() for piece in text.split(":")]
    name = pieces.pop(0) if pieces[0][:1].isalpha() else ""
    if name not in ("", "beta", "dirichlet"):
        raise unknown_name("distribution of states", name, ["beta", "dirichlet"])
    try:
        numbers, *share = [[float(part) for part in piece.split(",")] for piece in pieces]
        if len(share) > 1 or any(len(part) != 1 for part in share):
            raise ValueError
    except ValueError:
        raise OptionError(
            f"--state '{text}': write probabilities with commas (0.8,0.2), beta:2,5 or "
            "dirichlet:1,1,0.5; then, if you like, a colon and the share of the items (:0.7)."
        ) from None
    if name == "beta" and len(numbers) != 2:
        raise OptionError(
            f"--state '{text}': a Beta distribution has two numbers, as in beta:2,5. With more "
            "labels it is called dirichlet."
        )
    return name, numbers, share[0][0] if share else None
