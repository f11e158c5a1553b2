"""Survey equivalence: against `surveyequivalence`, and as the items grow.

Usage: python survey.py, which prints a Markdown section.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from harness import forget_peak, held_mb, in_child, install, met, peak_mb, say, table
from headcount import Labels, Predictions, running_example, survey
from headcount.equivalence.result import SurveyResult

BOOTSTRAP = 500
REPEATS, SCALE_REPEATS = 7, 3
REFERENCE_SAMPLES = 2
ENOUGH = 1.2
"""A run of the reference is stopped once it has taken this many times what the target asks for.

What it took is then a lower bound, and says so."""
TARGET_SECONDS, TARGET_MB = 15, 2_000
SIZES = (1_000, 10_000, 100_000, 1_000_000)

REFERENCE = "surveyequivalence==0.1.3"
ENVIRONMENT = Path(__file__).parent.parent / ".bench-venv"
# It pins versions of 2023; it is installed without them, and with today's versions of what it
# imports.
IMPORTS = ["pandas<3", "numpy", "scipy", "scikit-learn", "matplotlib", "pathos", "multiprocess"]


def main() -> str:
    return "\n\n".join(
        ["## Survey equivalence", *against_reference(), "### As the items grow", *scaling()]
    )


# --- against surveyequivalence --------------------------------------------------------------------


@dataclass
class Case:
    """Data for both."""

    name: str
    labels: Labels
    predictions: Predictions
    scorer: str = "cross-entropy"
    target: int = 5_000


def running_case() -> Case:
    labels, predictions = running_example(1000, 10, seed=1)
    # Theirs takes distributions only.
    soft = tuple(c for c in predictions.classifiers if c.kind == "soft")
    return Case(
        "running example, 1,000 items x 10 ratings", labels, replace(predictions, classifiers=soft)
    )


def toxicity_case() -> Case:
    """Ratings of the size and shape of the paper's toxicity data: ragged, mostly 'no'."""
    rng = np.random.default_rng(2)
    items = 2000
    state = np.clip(rng.beta(0.35, 2.0, size=items), 0.005, 0.995)
    n_ratings = 8 + np.minimum(rng.negative_binomial(3, 0.3, size=items), 31)
    item = np.repeat(np.arange(items), n_ratings)
    rater = np.concatenate([np.arange(n) for n in n_ratings])
    toxic = rng.random(len(item)) < state[item]
    labels = Labels.from_triples(item, rater, np.where(toxic, "toxic", "civil"))
    columns = {
        "noisy": noisy(state, 1.2, rng),
        "biased": noisy(state, 0.8, rng, shift=0.7),
    }
    predictions = Predictions.from_probabilities(
        np.arange(items), labels.scale.labels, {k: v[:, ::-1] for k, v in columns.items()}
    )
    low, high = n_ratings.min(), n_ratings.max()
    return Case(f"ragged, 2,000 items x {low}-{high} ratings", labels, predictions)


def noisy(
    state: np.ndarray, spread: float, rng: np.random.Generator, *, shift: float = 0.0
) -> np.ndarray:
    """Probabilities of the two labels that are off by a normal error in the logit."""
    logit = np.log(state / (1 - state)) + shift + spread * rng.standard_normal(len(state))
    p = 1 / (1 + np.exp(-logit))
    return np.column_stack([p, 1 - p])


def against_reference() -> list[str]:
    title = "### Against surveyequivalence"
    reason = make_environment()
    if reason:
        return [title, f"Skipped: {reason}"]
    rows: list[list[object]] = []
    curves = versions = ""
    dropped = 0
    ragged = toxicity_case()
    for case in (running_case(), ragged, replace(ragged, scorer="auc", target=1_000)):
        say(f"headcount, {case.name}, {case.scorer}")
        seconds, result = time_headcount(case)
        say(f"surveyequivalence, {case.name}, {case.scorer}: this takes minutes")
        patience = ENOUGH * case.target * seconds
        bare = time_reference(case, result.provenance.max_k, 0, patience)
        fixed = bare["seconds"]
        if bare["stopped"]:
            ratio = fixed / seconds
            rows.append(
                [
                    f"{case.name}, {case.scorer}",
                    result.provenance.max_k,
                    f"> {fixed:.0f} s (stopped)",
                    "not reached",
                    f"> {fixed:.0f} s",
                    f"{seconds:.3f} s",
                    f"> {ratio:,.0f}x",
                    f">= {case.target:,}x",
                    met(ratio >= case.target),
                ]
            )
            continue
        # Without limit: what a stopped run took says nothing about the cost of a sample.
        some = time_reference(case, result.provenance.max_k, REFERENCE_SAMPLES)
        each = max(0.0, some["seconds"] - fixed) / REFERENCE_SAMPLES
        extrapolated = fixed + BOOTSTRAP * each
        ratio = extrapolated / seconds
        rows.append(
            [
                f"{case.name}, {case.scorer}",
                result.provenance.max_k,
                f"{fixed:.1f} s",
                f"{each:.1f} s",
                f"{extrapolated / 3600:.1f} h",
                f"{seconds:.3f} s",
                f"{ratio:,.0f}x",
                f">= {case.target:,}x",
                met(ratio >= case.target),
            ]
        )
        curves = curves or side_by_side(result, bare)
        dropped = result.provenance.items_dropped
        versions = ", ".join(f"{name} {v}" for name, v in bare["versions"].items())
    header = [
        "ABC, two soft classifiers",
        "largest k",
        "theirs, no bootstrap",
        "each bootstrap sample",
        f"{BOOTSTRAP} samples (extrapolated)",
        f"headcount, {BOOTSTRAP} samples",
        "ratio",
        "target",
        "met",
    ]
    notes = (
        "Same data, same machine, same run; CPU time on both sides, which other work on the "
        f"machine disturbs less. Theirs ({versions}) runs with one process, once without bootstrap "
        f"samples and once with {REFERENCE_SAMPLES}; the difference gives the cost of a sample, "
        f"and {BOOTSTRAP} of them are extrapolated linearly, not run. headcount: median of "
        f"{REPEATS} calls of `survey` without the ceiling, which theirs has not. Both learn the "
        "combiner once, from all items, and resample what is scored. Ragged ratings are padded "
        "with blanks, as in its own example; "
        "0.1.3 fails on them (KeyError: None), so a subclass of its combiner takes the "
        "blanks out. There its k counts columns, blank or not, and headcount's k counts ratings: "
        f"it leaves out {dropped:,} items with too few. Its AUC is that of the probability of the "
        "majority label, another number than headcount's; the row compares cost. A run without "
        f"bootstrap samples is stopped once it alone has taken {ENOUGH:g} times what the target "
        "asks of the whole; its row is then a lower bound."
    )
    return [
        title,
        table(header, rows),
        notes,
        "On the running example both answer the same question (scores in bits). Theirs draws 200 "
        "sets of raters where there are more (k = 4, 5 and 6); headcount counts them all. For a "
        "classifier better than the whole curve, theirs gives the largest k.",
        curves,
    ]


def side_by_side(result: SurveyResult, theirs: dict[str, Any]) -> str:
    pairs = [
        (f"score at k = {p.k}", score, p.score)
        for p, score in zip(result.curve, theirs["curve"], strict=True)
    ]
    for c in result.classifiers:
        pairs.append((f"score of {c.name}", theirs["scores"][c.name], c.score))
        pairs.append((f"{c.name}, worth in raters", theirs["equivalences"][c.name], c.worth))
    rows: list[list[object]] = []
    for what, their, our in pairs:
        apart = round(our.value - their, 6) + 0.0  # no -0
        rows.append(
            [
                what,
                f"{their:.6f}",
                our.show(our.value, 6),
                "" if our.censored else f"{apart:+.6f}",
            ]
        )
    return table(["", "surveyequivalence", "headcount", "difference"], rows)


def time_headcount(case: Case) -> tuple[float, SurveyResult]:
    seconds: list[float] = []
    for _ in range(REPEATS):
        start = time.process_time()
        result = survey(
            case.labels,
            case.predictions,
            combiner="abc",  # as theirs
            scorer=case.scorer,
            bootstrap=BOOTSTRAP,
            ceiling=False,  # theirs has none
        )
        seconds.append(time.process_time() - start)
    return median(seconds), result


def time_reference(
    case: Case, max_k: int, samples: int, patience: float = np.inf
) -> dict[str, Any]:
    labels = case.labels
    ratings: list[list[str]] = [[] for _ in labels.items]
    for item, label in zip(labels.item.tolist(), labels.label.tolist(), strict=True):
        ratings[item].append(labels.scale.labels[label])
    task = {
        "labels": labels.scale.labels,
        "ratings": ratings,
        "predictions": {c.name: c.probability.tolist() for c in case.predictions.classifiers},
        "max_k": max_k,
        "scorer": case.scorer,
    }
    with TemporaryDirectory() as folder:
        data, result = Path(folder, "data.json"), Path(folder, "result.json")
        data.write_text(json.dumps(task))
        script = Path(__file__).with_name("reference.py")
        command = [ENVIRONMENT / "bin/python", script, data, str(samples), result]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as run:
            while run.poll() is None:
                time.sleep(0.2)
                taken = cpu_seconds(run.pid)
                if taken > patience:
                    os.killpg(run.pid, signal.SIGKILL)  # and the process that it started
                    return {"seconds": taken, "stopped": True}
        return {**json.loads(result.read_text()), "stopped": False}


def cpu_seconds(group: int) -> float:
    """CPU time that the living processes of a group have taken; 0 where there is no /proc."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(") ")[2].split()
        except OSError:  # it has just ended
            continue
        if int(fields[2]) == group:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def make_environment() -> str:
    """Install the reference in an environment of its own; say why not if it cannot be."""
    if sys.version_info[:2] != (3, 11):
        return f"{REFERENCE} is measured on Python 3.11, and this is {sys.version.split()[0]}."
    return install(ENVIRONMENT, IMPORTS, "import surveyequivalence", alone=[REFERENCE])


# --- as the items grow ----------------------------------------------------------------------------


def scaling() -> list[str]:
    rows: list[list[object]] = []
    for kind in ("distinct", "few"):
        for items in SIZES:
            say(f"survey, {items:,} items, {kind} predictions")
            found = in_child(__file__, "scale", items, kind)
            last = items == SIZES[-1]
            is_met = found["seconds"] < TARGET_SECONDS and found["mb"] < TARGET_MB
            rows.append(
                [
                    f"{items:,}",
                    {"distinct": "all different", "few": "few values"}[kind],
                    f"{found['seconds']:.2f} s",
                    f"{found['mb']:,.0f} MB",
                    f"< {TARGET_SECONDS} s, < {TARGET_MB / 1000:g} GB" if last else "",
                    met(is_met) if last else "",
                ]
            )
    header = ["items (10 ratings each)", "predictions", "CPU time", "memory added", "target", "met"]
    notes = (
        "States and cross-entropy, the default, without the ceiling; two soft classifiers, "
        f"{BOOTSTRAP} bootstrap samples; median of {SCALE_REPEATS} calls in a process of its own. "
        "Memory is the peak during them less what was held before (the data). 'All different': "
        "every item has a probability of its own from each classifier, so no two items are alike. "
        "'Few values': the running example's classifiers, which give 2 and 3 different "
        "probabilities, and one that gives labels."
    )
    return [table(header, rows), notes]


def measure_scale(items: int, kind: str) -> dict[str, float]:
    labels, predictions = running_example(items, 10, seed=3)
    if kind == "distinct":
        rng = np.random.default_rng(4)
        state = next(c for c in predictions.classifiers if c.name == "omniscient").probability[:, 0]
        columns = {"good": noisy(state, 0.5, rng), "bad": noisy(state, 1.0, rng)}
        predictions = Predictions.from_probabilities(
            predictions.items, labels.scale.labels, columns
        )
    survey(*running_example(20, 3), bootstrap=1)  # imports are not what is measured
    forget_peak()
    before = held_mb()
    seconds: list[float] = []
    for _ in range(SCALE_REPEATS):
        start = time.process_time()
        survey(labels, predictions, bootstrap=BOOTSTRAP, ceiling=False)
        seconds.append(time.process_time() - start)
    return {"seconds": median(seconds), "mb": peak_mb() - before}


if __name__ == "__main__":
    if sys.argv[1:2] == ["scale"]:
        print(json.dumps(measure_scale(int(sys.argv[2]), sys.argv[3])))
    else:
        print(main())
