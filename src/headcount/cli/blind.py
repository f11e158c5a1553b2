"""`headcount blind`: how good classifiers are when nobody has gold labels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headcount.cli.engines import EngineOptions, is_scan
from headcount.cli.groups import grouped
from headcount.cli.help import OUTPUT, READING
from headcount.cli.options import (
    AllLabels,
    AnswerOptions,
    ItemColumn,
    LabelColumn,
    Level,
    ReadingOptions,
    Seed,
    column,
    drawing,
    names_in,
)
from headcount.cli.output import check_rows, progress_bar, say, write_plot
from headcount.errors import OptionError, option

if TYPE_CHECKING:
    from headcount.blind_evaluation.comparison.records import Comparison

__all__ = ["blind_command"]

OTHER_ANSWERS = {
    "next_": ("positive",),
    "people": ("gold", "crowd", "groups", "group_pattern", "positive", "at_least"),
    "rate": ("groups", "group_pattern"),
}
"""Options that ask something else than who is best, and what has no use there."""
OF_RANKING = (
    "confusion", "metric", "methods", "sampling_draws", "smoothing", "compare", "labels_out",
    "labels_by", "min_labels", "every", "plot_threshold", "plot_methods", "plot_quality", "jaccard",
)  # fmt: skip
"""Options that have no use in any of them."""


@grouped
def blind_command(
    context: typer.Context,
    *,
    predictions: Annotated[
        Path,
        typer.Argument(
            help="What classifiers said: long (item, classifier or worker, label), or wide (item, "
            "then one column of labels per classifier, or columns name:label of probabilities)."
        ),
    ],
    gold: Annotated[
        Path | None,
        typer.Option(
            help="True labels of some items (item, label; a column probability says with which "
            "probability an item was drawn)."
        ),
    ] = None,
    crowd: Annotated[
        Path | None,
        typer.Option(
            help="Labels by people of some items (item, label); of several per item the majority."
        ),
    ] = None,
    groups: Annotated[
        Path | None, typer.Option(help="Which classifiers may err together (classifier, group).")
    ] = None,
    group_pattern: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX", help="Group classifiers by a part of their names, such as '^[^-]+'."
        ),
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option(
            help="Positive label, for precision, recall, specificity, f1. Default: second of two."
        ),
    ] = None,
    at_least: Annotated[
        float | None, typer.Option(help="For numeric labels: this number and above are positive.")
    ] = None,
    abstain: Annotated[
        str | None,
        typer.Option(metavar="LABEL", help="Label by which a classifier abstains: no label."),
    ] = None,
    confusion: Annotated[
        Path | None,
        typer.Option(
            help="What is known of classifiers beforehand (classifier, true, given, count or "
            "probability): labels that models of the truth begin with."
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(help="accuracy, precision, recall, specificity or f1; the first one ranks."),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Separated by commas: round-robin, sampling, majority, leave-one-out, "
            "leave-group-out, em, grouped-em, consensus, one-coin, easy-hard; with gold or crowd "
            "labels also calibrated-majority, naive-bayes, glm, svm, adaboost, direct, ppi. "
            "Default: all that the data allow, but one-coin and easy-hard.",
        ),
    ] = None,
    sampling_draws: Annotated[
        int, typer.Option(help="Sets of labels to draw for sampling; 0 for their exact mean.")
    ] = 0,
    smoothing: Annotated[
        float, typer.Option(help="Votes that EM adds to each cell of a confusion matrix.")
    ] = 0.5,
    compare: Annotated[
        bool, typer.Option("--compare", help="Compare every method's estimates with gold.")
    ] = False,
    bootstrap: Annotated[
        int, typer.Option(help="Bootstrap samples of items; 0 for normal intervals.")
    ] = 200,
    labels_out: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=OUTPUT,
            help="Write the label of every item, with probabilities (.csv, .parquet, .jsonl).",
        ),
    ] = None,
    labels_by: Annotated[
        str | None,
        typer.Option(
            metavar="METHOD",
            help="Method that finds the labels of items: majority, one-coin, em, easy-hard or "
            "another of the methods. Default: consensus.",
        ),
    ] = None,
    min_labels: Annotated[
        int, typer.Option(help="Rank only classifiers that gave so many labels.")
    ] = 0,
    rate: Annotated[
        bool,
        typer.Option(
            "--rate",
            help="Estimate the share of positive items as people would say, from all labels and "
            "those that people gave to some (crowd labels or gold).",
        ),
    ] = False,
    people: Annotated[
        Path | None,
        typer.Option(
            help="Ratings by people (item, rater, label): tell what panels of classifiers are "
            "worth in raters, every panel of up to five and all."
        ),
    ] = None,
    next_: Annotated[
        int | None,
        typer.Option(
            "--next",
            metavar="N",
            help="Draw N items whose labels by a person would tell most, with known "
            "probabilities; write them with -o, fill in the labels and give them as gold.",
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", rich_help_panel=OUTPUT, help="Print every classifier.")
    ] = False,
    level: Level = 0.95,
    seed: Seed = 0,
    item: ItemColumn = None,
    classifier: Annotated[str | None, column("the classifier")] = None,
    label: LabelColumn = None,
    labels: AllLabels = None,
    duplicates: Annotated[
        str,
        typer.Option(
            rich_help_panel=READING,
            help="When a classifier labels an item twice: error, first (keep the first), or all "
            "(each is a vote).",
        ),
    ] = "error",
    reading: ReadingOptions,
    large: EngineOptions,
    answer: AnswerOptions,
    plot: Annotated[
        Path | None,
        drawing(
            "Draw scores, residual correlations, confusions and gold into a .png, .svg or "
            ".pdf file."
        ),
    ] = None,
    plot_threshold: Annotated[
        Path | None,
        drawing("Draw how good the labels of a majority are at every threshold (needs gold)."),
    ] = None,
    plot_methods: Annotated[
        Path | None, drawing("Draw how well every method estimates every metric (needs gold).")
    ] = None,
    plot_quality: Annotated[
        Path | None,
        drawing(
            "Draw how good the labels of methods are against how well they estimate (needs gold)."
        ),
    ] = None,
    jaccard: Annotated[
        bool,
        typer.Option(
            "--jaccard",
            rich_help_panel=OUTPUT,
            help="Print the overlap (Jaccard) of every two classifiers.",
        ),
    ] = False,
) -> None:
    """Estimate how good classifiers are from their labels alone, and say when not to believe it."""
    plots = (plot, plot_threshold, plot_methods, plot_quality)
    answer.check(plots)
    check_rows(labels_out)
    _check_together(context)
    from headcount import blind, corrected_rate, panel_worth
    from headcount.blind_evaluation.metrics import METRICS

    how = reading.keywords()
    if abstain is not None:
        how["missing"] = [*how["missing"], abstain]
    votes = large.take_votes(
        predictions,
        {
            "item": item,
            "classifier": classifier,
            "label": label,
            "labels": None if labels is None else names_in(labels),
            "duplicates": duplicates,
            **how,
        },
    )
    for name in _given(context, OTHER_ANSWERS):
        if is_scan(votes):
            raise OptionError(
                f"{option(name)} needs votes that are read into memory "
                f"({option('engine', 'memory')})."
            )
    if next_ is not None:
        from headcount import next_items

        chosen = next_items(
            votes,
            number=next_,
            gold=gold if crowd is None else crowd,
            groups=groups,
            group_pattern=group_pattern,
            at_least=at_least,
            abstain=abstain,
            rng=seed,
        )
        answer.draw(chosen, context, plot)
        return
    if people is not None:
        with progress_bar("bootstrap") as progress:
            worth = panel_worth(
                people, votes, bootstrap=bootstrap, level=level, rng=seed, progress=progress
            )
        answer.draw(worth, context, plot)
        return
    if rate:
        rated = gold if crowd is None else crowd
        if rated is None:
            raise OptionError(
                f"a rate needs labels by people of some items: give {option('crowd', ...)} (item, "
                f"rater, label) or {option('gold', ...)}."
            )
        found = corrected_rate(votes, rated, positive=positive, at_least=at_least, level=level)
        answer.draw(found, context, plot)
        return
    if labels_out is not None and is_scan(votes):
        from headcount.engine.reductions.votes import pull_votes

        # With gold, votes are counted where they do not fit, and items have no names then.
        both = gold is not None or crowd is not None
        needs = f"{option('labels_out')} beside gold" if both else ""
        votes = pull_votes(votes, named=option("labels_out"), one_by_one=needs)
    with progress_bar("evaluating") as progress:
        result = blind(
            votes,
            gold=gold,
            crowd=crowd,
            groups=groups,
            group_pattern=group_pattern,
            positive=positive,
            at_least=at_least,
            abstain=abstain,
            confusion=confusion,
            metrics=metric or METRICS,
            methods=None if methods is None else names_in(methods),
            bootstrap=bootstrap,
            level=level,
            rng=seed,
            sampling_draws=sampling_draws,
            smoothing=smoothing,
            compare=compare or any(path is not None for path in plots[1:]),
            labels_by=labels_by,
            min_labels=min_labels,
            progress=progress,
        )
    if jaccard and result.diagnostics is None:
        raise OptionError(
            f"{option('jaccard')} is about every two classifiers, and these are too many to look "
            "at: leave it out."
        )
    if labels_out is not None:
        from headcount.io.write import write_row_parts

        write_row_parts(result.labels.parts(), labels_out)
    if every:
        result = replace(result, most_rows=None)
    if jaccard:
        result = replace(result, overlap_shown=True)
    if result.comparison is not None:
        _draw_figures(result.comparison, plots[1:])
    if plot is not None:
        from headcount.blind_evaluation.plot import draw

        write_plot(draw(result), plot)
    answer.show(result, context, plots)
    if labels_out is not None and not (answer.as_json or answer.quiet):
        say(f"labels: {labels_out}")


def _check_together(context: typer.Context) -> None:
    """Refuse what would be left undone without a word."""
    asked = _given(context, OTHER_ANSWERS)
    if not asked:
        return
    idle = [*asked[1:], *_given(context, (*OF_RANKING, *OTHER_ANSWERS[asked[0]]))]
    if idle:
        raise OptionError(
            f"{', '.join(map(option, idle))}: of no use with {option(asked[0])}, which gives "
            "another answer. Leave one of them out."
        )


def _given(context: typer.Context, names: Iterable[str]) -> list[str]:
    """Those of some options that were given."""
    sources = {name: context.get_parameter_source(name) for name in names}
    return [name for name, one in sources.items() if one and one.name == "COMMANDLINE"]


def _draw_figures(comparison: Comparison, paths: tuple[Path | None, ...]) -> None:
    """Draw what the paper shows: thresholds, methods by metric, quality against correlation."""
    from headcount.blind_evaluation import figures

    threshold, methods, quality = paths
    if threshold is not None:
        write_plot(figures.plot_threshold(comparison).figure, threshold)
    if methods is not None:
        write_plot(figures.plot_methods(comparison), methods)
    if quality is not None:
        write_plot(figures.plot_quality(comparison).figure, quality)
