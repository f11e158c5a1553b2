"""`headcount simulate pairs`: a crowd that votes and compares, before paying a real one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headcount.cli.options import AsJson, Quiet
from headcount.cli.output import progress_bar, say, show
from headcount.errors import OptionError, count

if TYPE_CHECKING:
    from headcount.simulation.labelling_model import LabellingModel

__all__ = ["pairs_command"]


def pairs_command(
    context: typer.Context,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FOLDER", help="Folder to write one run's data to."),
    ] = None,
    runs: Annotated[
        int | None,
        typer.Option(help="Label this many simulated studies by votes and by comparisons."),
    ] = None,
    items: Annotated[int, typer.Option(help="Number of items.")] = 512,
    raters: Annotated[int, typer.Option(help="Number of raters.")] = 100,
    perception_ambiguity: Annotated[
        float, typer.Option(help="Standard deviation of what raters perceive in an item.")
    ] = 0.5,
    comparison_ambiguity: Annotated[
        float, typer.Option(help="Perceived values that differ by less are called equal.")
    ] = 0.5,
    threshold_diversity: Annotated[
        float, typer.Option(help="Standard deviation of the raters' thresholds.")
    ] = 0.5,
    rater_bias: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Raters weigh a discriminatory feature by 2 Beta(A, B) - 1; the paper's is "
            "2,16. Default: they do not.",
        ),
    ] = None,
    spammers: Annotated[float, typer.Option(help="Share of raters who answer at random.")] = 0.0,
    votes: Annotated[int, typer.Option(help="Votes on each item, by different raters.")] = 3,
    comparisons: Annotated[
        str | None,
        typer.Option(
            metavar="N[,N...]",
            help="Number of comparisons; with --runs several, separated by commas. Default: as "
            "many as votes.",
        ),
    ] = None,
    k: Annotated[float, typer.Option("--k", help="Step of Elo; near equilibrium with 32.")] = 0.15,
    epochs: Annotated[int, typer.Option(help="Epochs of Elo.")] = 20,
    level: Annotated[float, typer.Option(help="Share of the runs that intervals cover.")] = 0.95,
    seed: Annotated[int, typer.Option(help="The same seed gives the same data.")] = 1,
    jobs: Annotated[
        int | None, typer.Option(help="Runs at a time. Default: one per processor.")
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Simulate a crowd that votes on items and compares them.

    \b
    Write what one crowd said, a fifth of it spammers:
      headcount simulate pairs -o data --spammers 0.2
    Try both methods 100 times, at 3, 6 and 20 comparisons per item:
      headcount simulate pairs --runs 100 --comparisons 1536,3072,10240

    With -o: comparisons.csv (left, right, outcome, rater), votes.csv (item, rater, label),
    truth.csv (item, theta, label, feature) and raters.csv (rater, threshold, weight, spammer).
    With --runs: f1, accuracy and bias of the majority vote, of Elo as the paper runs it, and of
    Bradley-Terry. Defaults are the paper's.
    """  # noqa: D301 - click's mark of lines to keep is the character, not its name
    if output is None and runs is None:
        raise OptionError(
            "nothing to do: give a folder to write data to (-o data), a number of runs to try both "
            "methods in (--runs 100), or both."
        )
    if as_json and runs is None:
        raise OptionError("--json prints how well both methods do; say in how many runs (--runs).")
    grid = None if comparisons is None else _numbers(comparisons)
    if output is not None and grid is not None and len(grid) > 1 and runs is None:
        raise OptionError(
            f"--comparisons '{comparisons}': several numbers are for --runs. Data have one."
        )
    from headcount.simulation.labelling_model import LabellingModel

    model = LabellingModel(
        items=items,
        raters=raters,
        perception_ambiguity=perception_ambiguity,
        comparison_ambiguity=comparison_ambiguity,
        threshold_diversity=threshold_diversity,
        rater_bias=None if rater_bias is None else _beta(rater_bias),
        spammers=spammers,
        comparisons=None if grid is None else max(grid),
        votes=votes,
    )
    found = None
    if runs is not None:
        from headcount.pairwise.experiments.experiment import labelling_experiment

        with progress_bar("runs") as progress:
            found = labelling_experiment(
                model,
                runs=runs,
                comparisons=grid,
                k=k,
                epochs=epochs,
                level=level,
                rng=seed,
                jobs=jobs,
                progress=progress,
            )
    if output is not None:
        for line in _write(model, seed, output):
            say(line, err=as_json)
    if found is not None:
        show(found, context, as_json=as_json, quiet=quiet)


def _write(model: LabellingModel, seed: int, folder: Path) -> list[str]:
    """Write what one crowd said and the truth behind it; tell what is where."""
    from headcount.io.write import write_all, write_columns, write_comparisons, write_ratings
    from headcount.simulation.labelling import (
        LABELS,
        rater_names,
        simulate_comparisons,
        simulate_votes,
    )

    compared, truth = simulate_comparisons(model, rng=seed)
    voted, _ = simulate_votes(model, rng=seed)
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
        f"{folder / 'comparisons.csv'}: {compared}",
        f"{folder / 'votes.csv'}: {voted}",
        f"{folder / 'truth.csv'}: {count(int(truth.label.sum()), 'positive item')}",
        f"{folder / 'raters.csv'}: {count(int(truth.spammer.sum()), 'spammer')}",
    ]


def _numbers(text: str) -> list[int]:
    """Read '1536' or '1536,3072,10240'."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(
            f"--comparisons '{text}': give a number of comparisons, as in 1536, or several with "
            "commas, as in 1536,3072,10240."
        ) from None


def _beta(text: str) -> tuple[float, float]:
    """Read '2,16'."""
    try:
        a, b = (float(part) for part in text.split(","))
    except ValueError:
        raise OptionError(
            f"--rater-bias '{text}': give the two numbers of a Beta distribution, as in 2,16."
        ) from None
    return a, b
