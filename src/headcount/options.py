"""Every option, once: what it is for, what it takes, and what to say of anything else.

`OPTIONS` says what options are for: flags, their help and the pages about commands are made of it.
Each check is given what the caller gave and returns it, of the right type; or it raises an
:class:`~headcount.errors.OptionError` that names the option.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from headcount.errors import OptionError, option, unknown_name

if TYPE_CHECKING:
    import numpy as np

    from headcount.typing import Progress, Seed

__all__ = [
    "LARGE",
    "OPTIONS",
    "OUTPUT",
    "READING",
    "Option",
    "callback",
    "draws",
    "level",
    "listed",
    "number",
    "of",
    "one_of",
    "seed",
    "seed_number",
    "several_of",
    "share",
    "switch",
    "whole",
]

# What options are for.

READING, LARGE, OUTPUT = "Reading the file", "Large data", "Output"
"""Groups of options that most commands share."""
ANCHORS = "Placing items among others"


class Option(NamedTuple):
    """What an option is for.

    Parameters
    ----------
    help : str
        What the help page of a command says about it.
    value : str
        What its value is called there; by its type if "".
    group : str
        Group of options in which it stands.
    seldom : bool
        Whether most people do without it: then only --help-all shows it.
    """

    help: str
    value: str = ""
    group: str = ""
    seldom: bool = False


OPTIONS = {
    # Files, large data and answers
    "details": Option("Print all tables and notes.", group=OUTPUT),
    "bootstrap": Option("Bootstrap samples of items; 0 for intervals by the normal approximation."),
    "agree.bootstrap": Option(
        "Take percentiles of this many bootstrap samples of items; 0 for intervals by large-sample "
        "formulas. Default: a jackknife."
    ),
    "judge.bootstrap": Option("Bootstrap samples of items.", seldom=True),
    "pairs.bootstrap": Option(
        "Bootstrap samples; 0 for intervals by the normal approximation (Elo: none)."
    ),
    "survey.bootstrap": Option("Bootstrap samples of items; 0 for no intervals."),
    "level": Option("Confidence level of the intervals."),
    "simulate_pairs.level": Option("Share of the runs that the printed ranges contain."),
    "seed": Option("Seed of random draws: the same seed gives the same answer."),
    "plot": Option("Draw the answer into this .png, .svg or .pdf file.", group=OUTPUT),
    "as_json": Option("Print one JSON document instead of text.", group=OUTPUT),
    "output": Option(
        "Write the rows to this .csv, .parquet or .jsonl file.",
        group=OUTPUT,
    ),
    "judge.output": Option(
        "Write the card as a page, .html; or its rows, .csv, .parquet or .jsonl.",
        group=OUTPUT,
    ),
    "look.output": Option(
        "Write what was read in long form: .csv, .parquet or .jsonl.",
        group=OUTPUT,
    ),
    "report.output": Option("Write the page to this .html file.", group=OUTPUT),
    "simulate_pairs.output": Option("Folder to write one run's data to.", value="FOLDER"),
    "simulate_answers.output": Option("File to write: left, right, outcome, rater."),
    "simulate_running_example.output": Option("Folder to write to.", value="FOLDER"),
    "simulate_ratings.output": Option("Folder to write to.", value="FOLDER"),
    "quiet": Option("Print the answer alone.", group=OUTPUT),
    "ignore": Option(
        "Columns not to read, separated by commas, such as those of wide data that are not raters.",
        value="NAMES",
        group=READING,
    ),
    "where": Option(
        "Read only rows with this value; may be given several times.",
        value="COLUMN=VALUE",
        group=READING,
        seldom=True,
    ),
    "missing": Option(
        "Labels that mean 'no answer', separated by commas, such as 99,-1.",
        value="NAMES",
        group=READING,
    ),
    "missing_words": Option(
        "Whether NA, N/A, nan, null, none, '.', '-', #N/A mean 'no answer' as blank does.",
        group=READING,
        seldom=True,
    ),
    "simulate_ratings.missing": Option("Probability that a rating is lost."),
    "merge": Option(
        "Differences between labels to ignore, separated by commas: case, space, unicode, "
        "punctuation, number, yes-no.",
        value="NAMES",
        group=READING,
        seldom=True,
    ),
    "format": Option("Format of the file. Default: recognised.", group=READING, seldom=True),
    "encoding": Option(
        "Encoding of the file, such as cp1252. Default: recognised.", group=READING, seldom=True
    ),
    "sheet": Option(
        "Sheet of an Excel workbook. Default: the one that contains such data.",
        group=READING,
        seldom=True,
    ),
    "question": Option(
        "Which question to read, if several were asked about each item.", group=READING
    ),
    "item": Option("Column of the item.", value="COLUMN", group=READING),
    "rater": Option("Column of the rater.", value="COLUMN", group=READING),
    "label": Option("Column of the label.", value="COLUMN", group=READING),
    "pairs.label": Option(
        "Cut ratings into labels at the average item (sign), at a quantile (quantile:0.75), "
        "or so that the labels of known items come out right (anchors:FILE, with item and label: "
        "positive, negative or boundary)."
    ),
    "labels": Option(
        "All labels that raters could choose, separated by commas. Quote a label that contains a "
        "comma. Default: the labels in the data.",
        value="NAMES",
        group=READING,
    ),
    "simulate_ratings.labels": Option(
        "Names of the labels, separated by commas, in the order of the states. Default: a,b,c ...",
        value="NAMES",
    ),
    "duplicates": Option(
        "When somebody labels an item twice: error, or first (keep the first); for classifiers "
        "also all (each is a vote).",
        group=READING,
        seldom=True,
    ),
    "agree.duplicates": Option(
        "When somebody labels an item twice: error, first (keep the first) or retest (compare the "
        "two).",
        group=READING,
    ),
    "columns": Option(
        "In wide data, the columns that are raters, separated by commas; other columns are "
        "ignored.",
        value="NAMES",
        group=READING,
    ),
    **dict.fromkeys(
        ("pairs.columns", "plan_comparisons.columns", "plan_pairs.columns"),
        Option(
            "Columns with the rank of one item each, separated by commas; other columns are "
            "ignored.",
            value="NAMES",
            group=READING,
        ),
    ),
    "shape": Option(
        "How data are laid out: long (one row per rating), wide (one column per rater) or counts "
        "(one column per label). Default: decided by the column names.",
        group=READING,
    ),
    "exclude": Option(
        "Raters to leave out, separated by commas.", value="NAMES", group=READING, seldom=True
    ),
    "transpose": Option(
        "Whether raters are the rows of wide data. Default: no, or refused.",
        group=READING,
        seldom=True,
    ),
    "classifier": Option("Column of the classifier or worker.", value="COLUMN", group=READING),
    "left": Option("Column of the left item.", value="COLUMN", group=READING),
    "right": Option("Column of the right item.", value="COLUMN", group=READING),
    "outcome": Option("Column of the outcome.", value="COLUMN", group=READING),
    "first_wins": Option(
        "The outcome that means that the left item won. For a scale from 1 to 7: 1 (or 1:7) if 1 "
        "means that the left item won.",
        value="VALUE",
        group=READING,
    ),
    "engine": Option(
        "Where data are reduced: duckdb, spark, a Spark Connect server such as "
        "sc://localhost:15002, or memory (read them whole). Default: memory for files that fit, "
        "else duckdb.",
        value="NAME|ADDRESS",
        group=LARGE,
        seldom=True,
    ),
    "memory": Option(
        "Memory that reading may take, such as 4GB, half of it for the database; more goes to "
        "temporary files. Default: 1GB, and 2GB for the database.",
        value="SIZE",
        group=LARGE,
        seldom=True,
    ),
    "glob": Option(
        "The file is a pattern of several, such as 'labels/*.parquet'.", group=LARGE, seldom=True
    ),
    # agree, and what other commands share with it
    "scale": Option(
        "What labels are: nominal, ordinal or interval. Default: interval for numbers, nominal "
        "for other labels."
    ),
    "agree.scale": Option("nominal, ordinal, interval or ratio. Default: guessed; a note says so."),
    "units": Option("Units of the ratings: logit, or elo (400 points for odds of 10)."),
    "fix": Option(
        "Set an item's rating, such as gpt-4=1000; or keep the ratings of an earlier board (a file "
        "that -o wrote) and place new items among them.",
        value="ITEM=RATING|FILE",
    ),
    "pairs.by": Option("Also make a board for each value of this column."),
    "plan_agreement.scale": Option("Scale of the labels: nominal, ordinal, interval or ratio."),
    "sets": Option(
        "What separates labels where a cell has several, such as ';'; none if each has one. "
        "Default: recognised; a note says so.",
        value="SEPARATOR",
        seldom=True,
    ),
    "distance": Option(
        "How far apart labels are: masi or jaccard for sets, or a file of your own distances "
        "(labels by labels, or label, label, distance).",
        value="NAME|FILE",
        seldom=True,
    ),
    "limits": Option(
        "Ends of the scale, for Phi. Default: the labels' own; a note says so.", seldom=True
    ),
    "consensus.method": Option(
        "Model that finds the labels: consensus, majority, one-coin, em or easy-hard."
    ),
    "pairs.method": Option(
        "How to rate: bradley-terry (maximum likelihood; rankings: plackett-luce) or elo."
    ),
    "blind.gold": Option(
        "True labels of some items (item, label; an optional column probability: each item's "
        "sampling probability)."
    ),
    "consensus.gold": Option("True labels of some items (item, label)."),
    "plan_items.gold": Option("Labels you already have (item, label)."),
    "intervals": Option(
        "Which raters the intervals apply to: sample (raters like these), or fixed (these raters "
        "only)."
    ),
    "survey.intervals": Option(
        "Which raters the intervals of the worth apply to: fixed (these raters), or sample (wider: "
        "other raters like these as well)."
    ),
    "by_rater": Option("Compare each rater with the others."),
    "pairs.by_rater": Option("Assess raters, and find those who answer at random."),
    "by_item": Option("List items, most contested first."),
    "by_category": Option("Agreement on each label against all others."),
    "compare": Option("Other ratings to compare agreement with."),
    "by": Option("A column of the ratings: compare agreement by its values."),
    "judge.by": Option(
        "Column of PEOPLE that groups items: agreement in each group.", value="COLUMN"
    ),
    "against": Option(
        "Raters, separated by commas: compare how well they agree with the other raters with how "
        "well those agree among themselves."
    ),
    "items": Option("Number of items."),
    "plan_comparisons.items": Option(
        "Items to label: a file of them, or their number.", value="FILE|N"
    ),
    "plan_pairs.items": Option(
        "All items: a file of them, or their number if they are called 1 to N.", value="FILE|N"
    ),
    "ratings": Option(
        "Ratings of an item, by raters drawn at random: a number, or any from LEAST to MOST. "
        "Default: everyone rates every item.",
        value="N|LEAST:MOST",
    ),
    # survey
    "combiner": Option(
        "How k labels become a prediction: by the fitted states of items (states), by what "
        "followed the same labels on other items (abc), or as a frequency, plurality or mean. "
        "Default: states; mean for numbers with more than ten values."
    ),
    "scorer": Option(
        "How it is scored: cross-entropy, agreement, brier, precision, recall, f1, auc, "
        "correlation or dmi; for numbers and ordered labels also squared-error, absolute-error, "
        "rps, spearman, kappa or kappa-linear. Default: cross-entropy; correlation for numbers "
        "with more than ten values."
    ),
    "max_k": Option(
        "The most raters to predict from; items need one more rating than that. Default: the "
        "largest that keeps 90% of the items, up to 50."
    ),
    "reference": Option(
        "Score against the most common label of this many raters, or against true states of the "
        "items (a file with columns state:label). Default: one rater.",
        value="N|FILE",
        seldom=True,
    ),
    "samples": Option(
        "Draw this many sets of raters of each size. Default: count all surveys; 200 where they "
        "are too many.",
        seldom=True,
    ),
    "calibrate": Option(
        "Show calibrated classifiers beside raw ones: isotonic, empirical, ordered-logit, logit or "
        "temperature, cross-fitted by item. Default: probabilities are used as they are; labels "
        "and scores are turned into probabilities by the method that fits best."
    ),
    "ceiling": Option("Estimate the score of infinitely many raters.", seldom=True),
    "panels": Option(
        "Show what panels of several classifiers are worth in raters instead: every panel of up to "
        "five, and all."
    ),
    # judge
    "judge_names": Option(
        "Judges to look at, separated by commas. Without a file of judges: the columns or "
        "raters of PEOPLE that are judges.",
        value="NAMES",
    ),
    "gate": Option("Exit with 0 only if every judge is ready.", group="Gate"),
    "baseline": Option(
        "Labels that an earlier judge gave to these items: show what has changed; exit 1 if "
        "significantly worse.",
        value="FILE",
        group="Gate",
    ),
    "text": Option(
        "Column of PEOPLE with what items say, shown with the items to read again.",
        value="COLUMN",
        seldom=True,
    ),
    "run": Option(
        "The judge labelled items several times: the column that numbers the runs; without a "
        "column, rows that repeat an item are runs.",
        value="[COLUMN]",
    ),
    "judge.cost": Option(
        "What a label costs: judge=0.002,person=0.15.", value="PRICES", seldom=True
    ),
    "label_map": Option(
        "Maps of judges' answers to people's labels, from an earlier run, to apply first.",
        value="FILE",
        seldom=True,
    ),
    "save_map": Option(
        "Keep what was learned to recalibrate the judges (.json).",
        value="FILE",
        group=OUTPUT,
        seldom=True,
    ),
    "recalibrate": Option(
        "Write the judges with recalibrated labels (.csv).", value="FILE", group=OUTPUT
    ),
    "worth_at_least": Option(
        "Gate: each judge is ready and worth at least this many raters.",
        value="RATERS",
        group="Gate",
    ),
    "agree_like_a_person": Option(
        "Gate: each judge is ready, with a kappa at most MARGIN below a person's; 0.2 if none is "
        "given.",
        value="[MARGIN]",
        group="Gate",
    ),
    "looks": Option(
        "Check again as items are added (sequential testing): a file (.json) that records the "
        "checks. The verdict then stays valid for any number of them.",
        value="FILE",
        group="Gate",
    ),
    "alt_test": Option(
        "Gate: each judge is ready and passes the alternative annotator test; epsilon 0.2 if none "
        "is given.",
        value="[EPSILON]",
        group="Gate",
    ),
    # blind, consensus and rate
    "crowd": Option(
        "Labels that people gave to some items (item, label); if an item has several, the majority "
        "counts."
    ),
    "groups": Option(
        "Which classifiers or workers may make the same errors (classifier or worker, group)."
    ),
    "group_pattern": Option(
        "Group classifiers or workers by a part of their names, such as '^[^-]+'.",
        value="REGEX",
        seldom=True,
    ),
    "positive": Option(
        "Positive label, for precision, recall, specificity, f1. Default: second of two."
    ),
    "judge.positive": Option("The label to count. Default: the second of two labels.", seldom=True),
    "rate.positive": Option("The label to count. Default: the second of two."),
    "survey.positive": Option(
        "The label that precision, recall, f1 and auc are computed for. Default: mean of all."
    ),
    "at_least": Option("For numeric labels: this number and above are positive."),
    "plan_agreement.at_least": Option("Show that alpha is at least this, such as 0.667."),
    "abstain": Option(
        "Label that means that a classifier or worker abstains; counts as no label.", value="LABEL"
    ),
    "confusion": Option(
        "What is known about classifiers or workers beforehand (classifier, true, given, count "
        "or probability): labels that models of the truth begin with.",
        seldom=True,
    ),
    "metric": Option("accuracy, precision, recall, specificity or f1; the first one ranks."),
    "methods": Option(
        "Separated by commas. Default: all that the data allow of majority, leave-one-out, "
        "leave-group-out, em, grouped-em, consensus; with gold or crowd labels also direct and "
        "ppi. On request also: round-robin, sampling, one-coin, easy-hard, calibrated-majority, "
        "naive-bayes, glm, svm, adaboost.",
        value="NAMES",
    ),
    "smoothing": Option("Votes that EM adds to each cell of a confusion matrix.", seldom=True),
    "workers_out": Option(
        "Write accuracy and confusion matrix of each worker to this .csv, .parquet or .jsonl "
        "file; later runs can start from them.",
        group=OUTPUT,
    ),
    "exclude_below": Option(
        "Leave out workers who match the consensus less often than this, and compute it again.",
        value="SHARE",
    ),
    "model": Option("Label the items by this model, saved by an earlier run.", value="FILE"),
    "save_model": Option("Write the fitted model to this .json file.", group=OUTPUT),
    "votes": Option("Votes on each item, by different raters."),
    "predictions": Option(
        "Predictions: item, then for each classifier a column of labels, or columns "
        "name:label of probabilities, or a column of scores; or long (item, classifier, "
        "label[, probability]).",
    ),
    "cluster": Option(
        "Column of the group (such as a document) that items belong to; items in a group are "
        "resampled together.",
        value="COLUMN",
    ),
    "cluster_pattern": Option(
        "Like --cluster, but the group of an item is the part of its id that the first group of "
        "this regular expression matches.",
        value="REGEX",
        seldom=True,
    ),
    # pairs
    "ties": Option("How to treat ties: half (half a win for each item), davidson or rao-kupper."),
    "position": Option("Fit the advantage of the left side."),
    "prior": Option(
        "Standard deviation of a normal prior of ratings, in logits, which keeps them finite: a "
        "number, fitted, none or auto (fitted if a rating would otherwise be infinite).",
        value="SD",
    ),
    "pairs.cluster": Option(
        "Columns whose comparisons are not independent, such as prompt or prompt,rater; auto "
        "(raters) or none. A bootstrap draws them whole.",
        value="COLUMN[,COLUMN]",
    ),
    "control": Option(
        "Rate as if items did not differ in these columns of numbers, such as len_a:len_b; "
        "len_a:len_b:relative for (a - b) / (a + b) (style control).",
        value="LEFT:RIGHT[,...]",
        seldom=True,
    ),
    "ranks": Option(
        "Rank intervals that hold on average over items, or for each item.", seldom=True
    ),
    "k": Option("Step of Elo; near equilibrium with 32.", seldom=True),
    "epochs": Option("Epochs of Elo.", seldom=True),
    "anchors": Option(
        "Comparisons of rated items. The items of --items, or the average of --average-of, are "
        "placed among them.",
        group=ANCHORS,
    ),
    "drop_spammers": Option("Rate without raters who answer at random, and name them."),
    "plan_pairs.checks": Option(
        "Share of the tasks that repeat another one with sides swapped.", seldom=True
    ),
    "weight": Option("Column of weights.", value="COLUMN", group=READING, seldom=True),
    "plot_graph": Option(
        "Draw which items were compared, and how often each was.", group=OUTPUT, seldom=True
    ),
    "plot_raters": Option(
        "Draw raters by agreement and slope; needs --by-rater.", group=OUTPUT, seldom=True
    ),
    "comparisons": Option(
        "Number of comparisons; with --runs several, separated by commas. Default: as many as"
        " votes.",
        value="N[,N...]",
    ),
    # plan
    "half_width": Option("Target half-width of alpha's interval, such as 0.1."),
    "alpha": Option("Without a pilot: the alpha to expect, such as 0.7."),
    "n_labels": Option("Without a pilot: how many labels there are."),
    "n_raters": Option(
        "Raters who will rate. Default: the pilot's if fewer than six, otherwise chosen by the "
        "plan; required without a pilot."
    ),
    "cost": Option("Cost of one answer, for the total."),
    "target_f1": Option("Find how many comparisons label the items with this f1."),
    "budget": Option("Find the f1 of labels from this many comparisons."),
    "laws": Option(
        "Add the two laws of Narimanzadeh et al. (2023), by random sets of the pilot.", seldom=True
    ),
    "perception_ambiguity": Option(
        "Standard deviation of what raters perceive in an item.", seldom=True
    ),
    "comparison_ambiguity": Option(
        "Perceived values that differ by less are called equal.", seldom=True
    ),
    "threshold_diversity": Option("Standard deviation of the raters' thresholds.", seldom=True),
    "repeats": Option("Random sets of items of each size.", seldom=True),
    "average_of": Option(
        "Comparisons of another set of items, whose average is to be placed.", group=ANCHORS
    ),
    "simulate_ratings.state": Option(
        "How likely raters are to give an item each label (0.8,0.2). Repeat the option for several "
        "kinds of items, each with its share of the items (0.8,0.2:0.7; by default all kinds are "
        "equally common). Or a distribution to draw the probabilities from (beta:2,5 or "
        "dirichlet:1,1,0.5). Default: the running example of Resnick et al.",
        value="STATE[:SHARE]",
    ),
    "place": Option(
        "How many items, the nearest to the average, are placed.", group=ANCHORS, seldom=True
    ),
    "width": Option(
        "Stop when an item's interval is as narrow, in logits.", group=ANCHORS, seldom=True
    ),
    "labels_out": Option(
        "Write which anchors lie above the average of the other set, and how sure.",
        group=ANCHORS,
        seldom=True,
    ),
    "number": Option("Choose this many comparisons.", value="N"),
    "plan_items.number": Option("Items to choose.", value="N"),
    "until": Option(
        "When to stop: 'labels 0.9' (nine labels in ten are right), 'top:10 0.8' (eight of "
        "the best ten are found) or 'ratings 0.9' (their reliability).",
        value="'GOAL SHARE'",
    ),
    "goal": Option(
        "What the answers are for: ratings, labels or top:K. Default: that of --until, or ratings.",
        value="GOAL",
        seldom=True,
    ),
    "tasks_for": Option(
        "What to write: rows (.csv, .parquet or .jsonl) or label-studio (.json).",
        seldom=True,
    ),
    "per_rater": Option("Maximum number of tasks per rater."),
    # collect
    "ask": Option(
        "Labels to choose from: 'ok,toxic', 1-5, or several questions: 'helpful=1-5;safe=yes,no'. "
        "For pairs: left,right,tie.",
        value="LABELS",
    ),
    "prompt": Option("The question above each item.", value="TEXT"),
    "show": Option(
        "Columns of the items that raters see, separated by commas. Default: the only one beside "
        "the ids, or text. Nothing else is ever sent.",
        value="COLUMNS",
    ),
    "pairs": Option("Ask about pairs of items: which of the two?"),
    "per_item": Option(
        "Answers to each item, or each pair, by different people. Default: 3; for pairs 1."
    ),
    "collect.raters": Option("Names of raters, separated by commas: each gets a link.", "NAMES"),
    "links": Option("Make links for this many raters, named rater-1, rater-2, ..."),
    "link_per": Option(
        "One link for everybody of a panel, who is known by this parameter of the address, such "
        "as PROLIFIC_PID; the last page shows a completion code.",
        value="PARAMETER",
        seldom=True,
    ),
    "collect.until": Option(
        "When to stop: ready (the verdict on the judges), 'alpha 0.1' (half the width of its "
        "interval), 'items 300'; for pairs 'labels 0.9', 'top:3 0.9'. Default: when all is done.",
        value="GOAL",
    ),
    "judges": Option("Labels that judges gave to the items; no rater ever sees them."),
    "collect.checks": Option(
        "Items (item, label) or pairs (left, right, outcome) with a known answer, asked in between "
        "to check raters; not counted as data."
    ),
    "repeat": Option(
        "Share of a rater's items to ask again later, such as 5%, for `headcount agree "
        "--duplicates retest`.",
        value="SHARE",
    ),
    "collect.cost": Option("Cost of one answer, for the total."),
    "lease": Option(
        "Minutes after which an item that was not answered goes to somebody else. Default: 30.",
        value="MINUTES",
        seldom=True,
    ),
    "collect.per_rater": Option("Maximum number of answers per rater."),
    "collect.seed": Option("Seed of the order of the items, and of all draws. Default: 0."),
    "host": Option("Address to listen on. 127.0.0.1 is this machine only.", group="Server"),
    "port": Option("Port to listen on; 0 for any.", group="Server"),
    "url": Option(
        "Public address of the links behind a TLS proxy, such as https://labels.example.org.",
        value="ADDRESS",
        group="Server",
    ),
    "new_links": Option("Replace all links, and print the new ones.", group="Server"),
    "collect.output": Option("The study to make, .db: everything is in it.", group=OUTPUT),
    "export": Option(
        "Write the answers of a study to this .csv, .parquet or .jsonl file.", group=OUTPUT
    ),
    # simulate
    "runs": Option(
        "Number of studies to simulate and to label both ways, by votes and by comparisons."
    ),
    "raters": Option("Number of raters."),
    "simulate_running_example.raters": Option("Ratings of each item."),
    "rater_bias": Option(
        "Raters weigh a discriminatory feature by 2 Beta(A, B) - 1; Narimanzadeh et al. have 2,16. "
        "Default: they give it no weight.",
        value="A,B",
    ),
    "spammers": Option("Share of raters who answer at random."),
    "jobs": Option("Number of runs in parallel. Default: one per processor."),
    "truth": Option("True values: item, theta, as `headcount simulate pairs` writes them."),
    "noise": Option("Probability that a rater picks any label at random."),
    "experts": Option("How many raters are experts; the others are amateurs. 0: no pools."),
    "survey.experts": Option(
        "Who is an expert: a file of raters, or a column of the ratings. Experts are then the"
        " reference, and amateurs get a curve of their own.",
        seldom=True,
    ),
    "amateur_noise": Option("Noise of amateurs, on top of that of all raters."),
    "classifiers": Option(
        "Some of hard, soft, calibrated and omniscient, separated by commas. calibrated:5 has"
        " seen 5 labels of each item in private (default 3) and is worth 5 raters without "
        "noise; hard gives the likeliest label, soft exaggerates, omniscient knows the state.",
        value="NAMES",
    ),
    "sharpness": Option("How soft exaggerates: the power its probabilities are raised to."),
}
"""Options by name; 'command.name' where a command has another meaning for the name."""


def of(command: str, name: str) -> Option:
    """Find what an option is for in a command, such as "agree" or "plan_pairs".

    Examples
    --------
    >>> of("survey", "level").help, of("simulate_pairs", "level").help
    ('Confidence level of the intervals.', 'Share of the runs that the printed ranges contain.')
    """
    return OPTIONS.get(f"{command}.{name}") or OPTIONS[name]


# Checks.

Name = TypeVar("Name", bound=str)

MOST_DRAWS = 1_000_000
"""Draws that may be asked for."""


def level(value: Any, name: str = "level") -> float:
    """Coverage of intervals: a number between 0 and 1.

    Examples
    --------
    >>> level(0.95)
    0.95
    >>> level(95)
    Traceback (most recent call last):
    headcount.errors.OptionError: level must be a number between 0 and 1, such as 0.95, not 95.
    Did you mean 0.95?
    """
    checked = _number(value)
    if checked is None or not 0 < checked < 1:
        shown = _shown(value) if checked is None else f"{checked:g}"
        hint = f" Did you mean {checked / 100:g}?" if checked and 1 < checked < 100 else ""
        raise OptionError(
            f"{option(name)} must be a number between 0 and 1, such as 0.95, not {shown}.{hint}"
        )
    return checked


def draws(value: Any, name: str = "bootstrap") -> int:
    """Bootstrap samples to draw: a whole number from 0 (none) to a million."""
    return whole(value, name, least=0, most=MOST_DRAWS)


def seed(value: Any, name: str = "seed") -> np.random.Generator:
    """Make a generator from a seed: a whole number of at least 0; a generator is used as it is."""
    import numpy as np

    if isinstance(value, np.random.Generator):
        return value
    return np.random.default_rng(whole(value, name, least=0))


def seed_number(value: Seed) -> int | None:
    """Return the seed that a caller gave; None for a generator."""
    import numpy as np

    return None if isinstance(value, np.random.Generator) else int(value)


def whole(value: Any, name: str, *, least: int | None = None, most: int | None = None) -> int:
    """Check a whole number, within limits.

    Examples
    --------
    >>> whole(3, "max_k", least=1)
    3
    >>> whole(2.5, "max_k", least=1)
    Traceback (most recent call last):
    headcount.errors.OptionError: max_k must be a whole number of at least 1, not 2.5.
    """
    try:
        checked = None if _is_bool(value) else operator.index(value)
    except TypeError:
        checked = None
    if (
        checked is None
        or not (least is None or checked >= least)
        or not (most is None or checked <= most)
    ):
        limits = "" if least is None else f" of at least {least:,}"
        if least is not None and most is not None:
            limits = f" from {least:,} to {most:,}"
        raise OptionError(f"{option(name)} must be a whole number{limits}, not {_shown(value)}.")
    return checked


def number(
    value: Any,
    name: str,
    *,
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
    such_as: str = "",
) -> float:
    """Check a finite number, within limits that it may reach (least, most) or not (above, below).

    Examples
    --------
    >>> number(0.001, "target", above=0, below=0.5)
    0.001
    >>> number("x", "target", above=0, below=0.5, such_as="0.001")
    Traceback (most recent call last):
    headcount.errors.OptionError: target must be a number above 0 and below 0.5, such as 0.001,
    not 'x'.
    """
    checked = _number(value)
    if (
        checked is None
        or not (above is None or checked > above)
        or not (least is None or checked >= least)
        or not (below is None or checked < below)
        or not (most is None or checked <= most)
    ):
        ends = ("above", above), ("of at least", least), ("below", below), ("at most", most)
        text = " and ".join(f"{word} {limit:g}" for word, limit in ends if limit is not None)
        if least is not None and (below, most) != (None, None):
            text = f"from {least:g} to {f'below {below:g}' if most is None else f'{most:g}'}"
        text = f"a number {text}".rstrip()
        example = f", such as {such_as}" if such_as else ""
        shown = _shown(value) if checked is None else f"{checked:,.15g}"
        raise OptionError(f"{option(name)} must be {text}{example}, not {shown}.")
    return checked


def share(value: Any, name: str) -> float:
    """Check a share: a number from 0 to 1."""
    return number(value, name, least=0, most=1)


def switch(value: Any, name: str) -> bool:
    """Check what is either on or off."""
    if not _is_bool(value):
        raise OptionError(f"{option(name)} must be True or False, not {_shown(value)}.")
    return bool(value)


def one_of(value: Any, name: str, choices: Sequence[Name], kind: str = "") -> Name:
    """Find a name among `choices`; `kind` is what messages call it, the option's name if "".

    Examples
    --------
    >>> one_of("davidsen", "ties", ["half", "davidson"])
    Traceback (most recent call last):
    headcount.errors.OptionError: unknown ties 'davidsen': did you mean 'davidson'? Known: half,
    davidson.
    """
    for choice in choices:
        if isinstance(value, str) and choice == value:
            return choice
    raise unknown_name(kind or name, value, choices, option_name=name)


def several_of(value: Any, name: str, choices: Sequence[Name], kind: str = "") -> tuple[Name, ...]:
    """Find names among those known, each once and in the order given; a text is one name."""
    if isinstance(value, str):
        value = [value]
    try:
        wanted = list(value)
    except TypeError:
        raise OptionError(
            f"{option(name)} must be names among {', '.join(choices)}, not {_shown(value)}."
        ) from None
    return tuple(dict.fromkeys(one_of(each, name, choices, kind) for each in wanted))


def callback(value: Any, name: str = "progress") -> Progress | None:
    """Check what is called with what is done and what there is to do; None for nothing.

    Examples
    --------
    >>> callback(123)
    Traceback (most recent call last):
    headcount.errors.OptionError: progress must be a function of what is done and what there is to
    do, or None, not 123.
    """
    if value is not None and not callable(value):
        raise OptionError(
            f"{option(name)} must be a function of what is done and what there is to do, or None, "
            f"not {_shown(value)}."
        )
    return cast("Progress | None", value)


def listed(value: Any, name: str, what: str) -> list[Any]:
    """Check a list of any things; `what` says which, in the plural. A text is one thing.

    Examples
    --------
    >>> listed(("a", "b"), "items", "items"), listed("a", "items", "items")
    (['a', 'b'], ['a'])
    >>> listed(123, "items", "items")
    Traceback (most recent call last):
    headcount.errors.OptionError: items must be a list of items, not 123.
    """
    try:
        return [value] if isinstance(value, str) else list(value)
    except TypeError:
        raise OptionError(
            f"{option(name)} must be a list of {what}, not {_shown(value)}."
        ) from None


def _number(value: Any) -> float | None:
    """Read a finite number; None for anything else, text included."""
    if _is_bool(value) or isinstance(value, str | bytes):
        return None
    try:
        checked = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return checked if math.isfinite(checked) else None


def _is_bool(value: object) -> bool:
    import numpy as np

    return isinstance(value, bool | np.bool_)


def _shown(value: object) -> str:
    """Write what was given, in one short line."""
    text = f"{value:,}" if type(value) is int else repr(value)
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}..."
