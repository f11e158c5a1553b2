"""`headcount simulate`: data in which the truth is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headcount.cli.flags import App, Names, grouped
from headcount.cli.output import progress_bar, say, show
from headcount.errors import DataError, OptionError, count, unknown_name

if TYPE_CHECKING:
    from headcount.data.labels import Labels
    from headcount.data.predictions import Predictions
    from headcount.simulation.labelling import LabellingModel
    from headcount.simulation.states import States

__all__ = [
    "simulate_pairs_command",
    "simulate",
]


# `headcount simulate pairs`: a crowd that votes and compares, before paying a real one.


@grouped
def simulate_pairs_command(
    context: typer.Context,
    output: Path | None = None,
    runs: int | None = None,
    items: int = 512,
    raters: int = 100,
    perception_ambiguity: float = 0.5,
    comparison_ambiguity: float = 0.5,
    threshold_diversity: float = 0.5,
    rater_bias: str | None = None,
    spammers: float = 0.0,
    votes: int = 3,
    comparisons: str | None = None,
    k: float = 0.15,
    epochs: int = 20,
    level: float = 0.95,
    seed: int = 1,
    jobs: int | None = None,
    as_json: bool = False,
    quiet: bool = False,
) -> None:
    """Simulate a crowd that votes on items and compares them.

    \b
    Write what one crowd said, a fifth of it spammers:
      headcount simulate pairs -o data --spammers 0.2
    Try both methods 100 times, at 3, 6 and 20 comparisons per item:
      headcount simulate pairs --runs 100 --comparisons 1536,3072,10240

    With -o: comparisons.csv (left, right, outcome, rater), votes.csv (item, rater, label),
    truth.csv (item, theta, label, feature) and raters.csv (rater, threshold, weight, spammer).
    With --runs: f1, accuracy and bias of the majority vote, of Elo and of Bradley-Terry. The
    model, its defaults and the Elo ratings are those of Narimanzadeh et al. (2023), "Crowdsourcing
    subjective annotations using pairwise comparisons".
    """  # noqa: D301 - click's mark of lines to keep is the character, not its name
    if output is None and runs is None:
        raise OptionError(
            "nothing to do: give a folder to write data to (-o data), a number of runs to try both "
            "methods in (--runs 100), or both."
        )
    if as_json and runs is None:
        raise OptionError("--json prints how well both methods do; say in how many runs (--runs).")
    grid = None
    if comparisons is not None:
        several = (
            "a number of comparisons, as in 1536, or several with commas, as in 1536,3072,10240"
        )
        grid = _numbers(comparisons, "comparisons", several)
    if output is not None and grid is not None and len(grid) > 1 and runs is None:
        raise OptionError(
            f"--comparisons '{comparisons}': several numbers are for --runs. Data have one."
        )
    from headcount.simulation.labelling import LabellingModel

    beta: Any = None
    if rater_bias is not None:
        two = "the two numbers of a Beta distribution, as in 2,16"
        beta = tuple(_numbers(rater_bias, "rater-bias", two, kind=float))
    model = LabellingModel(
        items=items,
        raters=raters,
        perception_ambiguity=perception_ambiguity,
        comparison_ambiguity=comparison_ambiguity,
        threshold_diversity=threshold_diversity,
        rater_bias=beta,
        spammers=spammers,
        comparisons=None if grid is None else max(grid),
        votes=votes,
    )
    experiment = None
    if runs is not None:
        from headcount.pairwise.experiment import labelling_experiment

        with progress_bar("runs") as progress:
            experiment = labelling_experiment(
                model,
                runs=runs,
                comparisons=grid,
                k=k,
                epochs=epochs,
                level=level,
                seed=seed,
                jobs=jobs,
                progress=progress,
            )
    if output is not None:
        for line in _write(model, seed, output):
            say(line, err=as_json)
    if experiment is not None:
        show(experiment, context, as_json=as_json, quiet=quiet)


def _write(model: LabellingModel, seed: int, folder: Path) -> list[str]:
    """Write what one crowd said and the truth behind it; tell what is where."""
    from headcount.io.write import write_all, write_columns, write_comparisons, write_ratings
    from headcount.simulation.labelling import (
        LABELS,
        rater_names,
        simulate_comparisons,
        simulate_votes,
    )

    compared, truth = simulate_comparisons(model, seed=seed)
    voted, _ = simulate_votes(model, seed=seed)
    of_items: dict[str, list[object]] = {
        "item": list(range(model.items)),
        "theta": truth.theta.tolist(),
        "label": [LABELS[positive] for positive in truth.label.tolist()],
        "feature": truth.feature.astype(int).tolist(),
    }
    of_raters: dict[str, list[object]] = {
        "rater": rater_names(model.raters).tolist(),
        "threshold": truth.threshold.tolist(),
        "weight": truth.weight.tolist(),
        "spammer": truth.spammer.astype(int).tolist(),
    }
    write_all(
        folder,
        {
            "comparisons.csv": lambda path: write_comparisons(compared, path),
            "votes.csv": lambda path: write_ratings(voted, path),
            "truth.csv": lambda path: write_columns(of_items, path),
            "raters.csv": lambda path: write_columns(of_raters, path),
        },
    )
    return [
        f"{folder / 'comparisons.csv'}: {count(len(compared), 'comparison')} of "
        f"{count(model.items, 'item')}",
        f"{folder / 'votes.csv'}: {count(len(voted), 'label')} of the same items",
        f"{folder / 'truth.csv'}: the true label of each item "
        f"({int(truth.label.sum()):,} of {model.items:,} positive)",
        f"{folder / 'raters.csv'}: {count(model.raters, 'rater')} "
        f"({count(int(truth.spammer.sum()), 'spammer')})",
    ]


def _numbers(
    text: str, name: str, such_as: str, *, kind: type[int] | type[float] = int, between: str = ","
) -> list[Any]:
    """Read '1536' or '1536,3072,10240', of an option that is given as in `such_as`."""
    try:
        return [kind(part) for part in text.split(between)]
    except ValueError:
        raise OptionError(f"--{name} '{text}': give {such_as}.") from None


# `headcount simulate answers`: a crowd that answers the tasks of `headcount plan pairs`.


@grouped
def simulate_answers_command(
    tasks: Annotated[
        Path, typer.Argument(help="Tasks, as `headcount plan pairs` writes them: left, right.")
    ],
    truth: Path,
    output: Path,
    raters: int = 100,
    perception_ambiguity: float = 0.5,
    comparison_ambiguity: float = 0.5,
    spammers: float = 0.0,
    seed: int = 0,
) -> None:
    """Simulate a crowd's answers to the comparisons of a file.

    \b
    A project of 500 items without people:
      headcount simulate pairs --items 500 -o world
      headcount plan pairs --items world/truth.csv --number 1000 -o tasks.csv
      headcount simulate answers tasks.csv --truth world/truth.csv -o answers.csv
    """  # noqa: D301 - click's mark of lines to keep is the character, not its name
    from headcount.io.facts import read_gold
    from headcount.io.opening import open_table
    from headcount.io.write import write_comparisons
    from headcount.simulation.labelling import LabellingModel, simulate_answers

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
    say(f"{output}: {count(len(answers), 'comparison')} of {str(answers).partition(' of ')[2]}")


simulate = App(no_args_is_help=True, help="Make data in which the truth is known.")

CLASSIFIERS = Names(("hard", "soft", "calibrated", "omniscient"))
RUNNING_EXAMPLE = ("0.8,0.2:0.7", "0.1,0.9:0.2", "0.5,0.5:0.1")
"""The states of the paper's running example, as --state writes them."""


@simulate.callback()
def _group() -> None:
    """Make data in which the truth is known."""


simulate.command("pairs")(simulate_pairs_command)
simulate.command("answers")(simulate_answers_command)


@simulate.command("running-example")
@grouped
def simulate_running_example_command(
    output: Path,
    items: int = 1000,
    raters: int = 10,
    seed: int = 1,
) -> None:
    """Write the running example of Resnick et al.

    From their paper "Survey Equivalence". There are three kinds of items: 70% are called 'cat' by
    80% of raters, 20% by 10% of raters, and 10% by 50%. The classifiers are hard (gives a label),
    calibrated (gives 'cat' a probability of .77 or .32) and omniscient (knows the kind).
    """
    from headcount.io.write import write_all, write_predictions, write_ratings
    from headcount.simulation.ratings import running_example

    labels, predictions = running_example(items, raters, seed=seed)
    write_all(
        output,
        {
            "ratings.csv": lambda path: write_ratings(labels, path),
            "predictions.csv": lambda path: write_predictions(predictions, path),
        },
    )
    say(f"{output / 'ratings.csv'}: {_rated(labels)}")
    say(f"{output / 'predictions.csv'}: {_predicted(predictions)}")


def _rated(labels: Labels) -> str:
    """Say in a line what a file of ratings has."""
    of = f"{count(len(labels), 'rating')} of {count(labels.n_items, 'item')}"
    return f"{of} by {count(len(labels.raters), 'rater')}"


def _predicted(predictions: Predictions) -> str:
    """Say in a line what a file of predictions has."""
    return f"{count(len(predictions.classifiers), 'classifier')} on the same items"


@simulate.command("ratings")
@grouped
def simulate_ratings_command(
    output: Path,
    items: int = 1000,
    raters: int = 10,
    state: list[str] | None = None,
    labels: Names | None = None,
    noise: float = 0.0,
    ratings: str | None = None,
    missing: float = 0.0,
    experts: int = 0,
    amateur_noise: float = 0.0,
    classifiers: Names = CLASSIFIERS,
    sharpness: float = 2.0,
    seed: int = 1,
) -> None:
    """Write ratings, predictions and the states behind them.

    \b
    Two labels, 3 to 12 ratings per item, raters who do not always pay attention:
      headcount simulate ratings -o data --state beta:2,5 --raters 40 \\
        --ratings 3:12 --noise 0.1
    Easy items and hard ones, 3 experts and 7 amateurs:
      headcount simulate ratings -o data --state 0.9,0.1:0.8 \\
        --state 0.5,0.5:0.2 --experts 3 --amateur-noise 0.3
    Three labels:
      headcount simulate ratings -o data --state dirichlet:1,1,0.5 \\
        --labels no,unsure,yes

    Files: ratings.csv, predictions.csv, states.csv (the truth, as predictions of 'state') and,
    with experts, raters.csv (rater, pool).
    """  # noqa: D301, click reads the backspace
    from headcount.io.write import write_all, write_pools, write_predictions, write_ratings
    from headcount.simulation.ratings import simulate_ratings

    number: Any = None
    if ratings is not None:
        ends = "a number of ratings, as in 5, or the least and the most, as in 3:12"
        number = _numbers(ratings, "ratings", ends, between=":")
    made = simulate_ratings(
        items,
        raters,
        states=_states(state or RUNNING_EXAMPLE),
        labels=None if labels is None else _labels(labels),
        noise=noise,
        ratings=number[0] if number and len(number) == 1 else number,
        missing=missing,
        experts=experts,
        amateur_noise=amateur_noise,
        classifiers=classifiers,
        sharpness=sharpness,
        seed=seed,
    )
    files: dict[str, Callable[[Path], None]] = {
        "ratings.csv": lambda path: write_ratings(made.labels, path),
        "predictions.csv": lambda path: write_predictions(made.predictions, path),
        "states.csv": lambda path: write_predictions(made.truth, path),
    }
    contents = [_rated(made.labels), _predicted(made.predictions), "the state of each item"]
    if made.experts:
        files["raters.csv"] = lambda path: write_pools(made.labels, made.experts, path)
        contents.append(f"{count(experts, 'expert')}, {count(raters - experts, 'amateur')}")
    write_all(output, files)
    for name, what in zip(files, contents, strict=True):
        say(f"{output / name}: {what}")


def _labels(names: Names) -> Names:
    """Names of labels; only such as can be read back from the files."""
    from headcount.data.vocabulary import as_labels
    from headcount.errors import some
    from headcount.io.cells import MISSING_WORDS

    wrong = [name for name in names if ":" in name or name in MISSING_WORDS]
    if wrong or len(as_labels(names)[0]) < len(names):
        what = some(wrong) if wrong else "a label named twice"
        raise OptionError(
            f"--labels '{','.join(names)}': {what} would not be read back as it "
            "was written. Names differ, have no colon, and are not a word for a missing value, as "
            "nan is."
        )
    return names


def _states(texts: Sequence[str]) -> States:
    """Read the states, one text a kind of item; or the one distribution that they come from."""
    from headcount.simulation.states import DirichletStates, DiscreteStates

    kinds = [_state(text) for text in texts]
    if len(kinds) == 1 and kinds[0][0]:
        return DirichletStates(kinds[0][1])
    if any(name for name, _, _ in kinds):
        raise OptionError(
            "--state: a distribution stands alone. Give one, or several lists of probabilities."
        )
    shares = [share for _, _, share in kinds if share is not None]
    if shares and len(shares) < len(kinds):
        raise OptionError(
            f"--state: {len(shares)} of {len(kinds)} states have a share of the items. Give one to "
            "each, as in 0.8,0.2:0.7, or to none."
        )
    return DiscreteStates([numbers for _, numbers, _ in kinds], shares or None)


def _state(text: str) -> tuple[str, list[float], float | None]:
    """Read '[distribution:]numbers[:share]'; no distribution is an empty name."""
    pieces = [piece.strip() for piece in text.split(":")]
    name = pieces.pop(0) if pieces[0][:1].isalpha() else ""
    if name not in ("", "beta", "dirichlet"):
        raise unknown_name("distribution of states", name, ["beta", "dirichlet"])
    try:
        numbers, *share = [[float(part) for part in piece.split(",")] for piece in pieces]
        if len(share) > (not name) or any(len(part) != 1 for part in share):
            raise ValueError
    except ValueError:
        raise OptionError(
            f"--state '{text}': write probabilities with commas (0.8,0.2; then, if you like, a "
            "colon and the share of the items, :0.7), or beta:2,5 or dirichlet:1,1,0.5."
        ) from None
    if name == "beta" and len(numbers) != 2:
        raise OptionError(
            f"--state '{text}': a Beta distribution has two numbers, as in beta:2,5. With more "
            "labels it is called dirichlet."
        )
    return name, numbers, share[0][0] if share else None
