"""Blind evaluation: Dawid-Skene against crowd-kit, and ten classifiers with bootstrap refits.

Usage: python blind.py, which prints a Markdown section.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from harness import forget_peak, in_child, install, met, peak_mb, say, table
from headcount import Labels, Scale, blind, consensus, read_truth, read_votes
from headcount.blind_evaluation.dawid_skene import (
    TOLERANCE,
    Climbing,
    Model,
    Parameters,
    dawid_skene,
    fit,
)
from headcount.blind_evaluation.votes import Blocks, Votes, collect
from peers_blind import ITEMS, PEER_TOLERANCE, VOTES, WORKERS, crowd

REPEATS = 3
TARGET_FIT, TARGET_ITERATION = 8, 30
CLASSIFIERS, BOOTSTRAP, TARGET_SECONDS = 10, 200, 5
PEER_SECONDS = 1800
LABEL_SECONDS = 60
"""CPU time that a model of crowd-kit has to label one crowd."""

ENVIRONMENT = Path(__file__).parent.parent / ".bench-venv-blind"
PEERS = ["crowd-kit==1.4.2"]
CROWDS = (
    "bluebirds", "rte", "sentiment", "crowd/face", "crowd/SP_amt", "crowd/dog", "crowd/CF",
    "crowd/ZenIn", "crowd/product",
)  # fmt: skip


def main() -> str:
    reason = install(ENVIRONMENT, PEERS, "from crowdkit.aggregation import DawidSkene")
    peers = [f"Peers skipped: {reason}"] if reason else against_crowd_kit()
    labels = crowd_labels(with_peers=not reason)
    return "\n\n".join(["## Blind evaluation", *peers, *labels, *ten_classifiers()])


# --- data -----------------------------------------------------------------------------------------


def as_labels(item: np.ndarray, rater: np.ndarray, label: np.ndarray, classes: int) -> Labels:
    return Labels(
        items=np.arange(item.max() + 1),
        raters=np.array([f"rater_{i}" for i in range(rater.max() + 1)], dtype=object),
        scale=Scale(tuple(str(c) for c in range(classes))),
        item=item,
        rater=rater,
        label=label,
    )


def complete(items: int) -> Labels:
    """Ten independent classifiers that label every item, right 60 to 90 times in 100."""
    rng = np.random.default_rng(2)
    truth = rng.random(items) < 0.4
    right = np.linspace(0.6, 0.9, CLASSIFIERS)
    label = truth[:, None] ^ (rng.random((items, CLASSIFIERS)) > right)
    item = np.repeat(np.arange(items), CLASSIFIERS)
    rater = np.tile(np.arange(CLASSIFIERS), items)
    return as_labels(item, rater, label.ravel().astype(np.int64), 2)


# --- crowd-kit ------------------------------------------------------------------------------------


def against_crowd_kit() -> list[str]:
    rows: list[list[object]] = []
    steps: list[list[object]] = []
    for classes in (2, 5):
        say(f"headcount, Dawid-Skene, {classes} classes")
        ours = in_child(__file__, "crowd", classes)
        say(f"crowd-kit, {classes} classes, {ours['plain']} iterations: some minutes")
        with TemporaryDirectory() as folder:
            result = Path(folder, "result.npz")
            theirs = run_peer(classes, ours["plain"], result)
            reached = in_child(__file__, "reached", classes, result)["log_likelihood"]
        each = theirs["cpu"] / theirs["iterations"]
        by_fit, by_step = theirs["cpu"] / ours["cpu"], each / ours["pass_cpu"]
        name = f"{classes} classes"
        rows += [
            [
                f"{name}; converged fit, CPU",
                f"{theirs['cpu']:.1f} s",
                f"{ours['cpu']:.2f} s",
                f"{by_fit:.0f}x",
                f">= {TARGET_FIT}x",
                met(by_fit >= TARGET_FIT),
            ],
            [
                f"{name}; one iteration, CPU",
                f"{each:.2f} s",
                f"{ours['pass_cpu']:.3f} s",
                f"{by_step:.0f}x",
                f">= {TARGET_ITERATION}x",
                met(by_step >= TARGET_ITERATION),
            ],
            [
                f"{name}; peak memory",
                f"{theirs['mb']:,.0f} MB",
                f"{ours['mb']:,.0f} MB",
                f"{theirs['mb'] / ours['mb']:.1f}x",
                "less",
                met(ours["mb"] < theirs["mb"]),
            ],
        ]
        own = theirs["own_stop"]
        steps.append(
            [
                name,
                f"{theirs['iterations']}",
                f"{ours['plain_by_item']}",
                f"{own}" if own else "more",
                f"{reached - ours['log_likelihood']:+.1e}",
                f"{ours['n_iter']}",
                f"{ours['collect_cpu']:.2f} s",
                f"{ours['fit_cpu']:.2f} s",
                f"{ours['compile_cpu']:.1f} s",
            ]
        )
    header = ["Dawid-Skene", "crowd-kit", "headcount", "ratio", "target", "met"]
    detail = [
        "how they got there",
        "crowd-kit, iterations",
        f"to {TOLERANCE:g} an item",
        f"to its own rule ({PEER_TOLERANCE:g} a vote)",
        "its log-likelihood, less ours",
        "headcount, passes",
        "putting items together",
        "passes",
        "compiling, not counted",
    ]
    notes = (
        f"{ITEMS:,} items x {VOTES} votes by {WORKERS:,} workers, simulated. Same data, same "
        "machine, same run; CPU time on both sides. Both fit by maximum likelihood from vote "
        "shares (smoothing=0), until an EM step adds less than "
        f"{TOLERANCE:g} to the log-likelihood of all items. crowd-kit {theirs['version']} with "
        f"pandas {theirs['pandas']} counts the class prior once a vote in its loss, so that its "
        "own rule says nothing of convergence. It is made to go on (tol=-inf) for as many "
        "iterations as plain EM takes from the same start; headcount takes fewer, for it "
        f"extrapolates. headcount: median of {REPEATS} calls of `dawid_skene`, from coded votes to "
        "true labels. Each runs in a process of its own, whose whole memory is counted, data "
        "included. One iteration of headcount is one pass over the votes."
    )
    return ["### Dawid-Skene against crowd-kit", table(header, rows), notes, table(detail, steps)]


def measure_crowd(classes: int) -> dict[str, float]:
    """Fit the crowd's votes; count what plain EM would take."""
    compile_cpu = compiled(classes)
    labels = as_labels(*crowd(ITEMS, classes, seed=1), classes)
    forget_peak()
    cpu: list[float] = []
    for _ in range(REPEATS):
        start = time.process_time()
        result = dawid_skene(labels, smoothing=0)
        cpu.append(time.process_time() - start)
    mb = peak_mb()
    start = time.process_time()
    votes = collect(labels)
    middle = time.process_time()
    fit(votes, how=Climbing(smoothing=0))
    end = time.process_time()
    by_item, plain, pass_cpu = plain_em(votes)
    return {
        "compile_cpu": compile_cpu,
        "cpu": median(cpu),
        "mb": mb,
        "collect_cpu": middle - start,
        "fit_cpu": end - middle,
        "pass_cpu": pass_cpu,
        "n_iter": result.n_iter,
        "log_likelihood": result.log_likelihood,
        "plain_by_item": by_item,
        "plain": plain,
    }


def model_of(votes: Votes) -> Model:
    blocks = Blocks.of(votes, votes.multiplicity.astype(np.float64))
    return Model(blocks, np.ones(len(votes.classifiers)), 0.0)


def plain_em(votes: Votes) -> tuple[int, int, float]:
    """Iterations until a step gains less than the tolerance, an item and in all; CPU of one."""
    model = model_of(votes)
    now = model.step(model.vote_shares())
    n, by_item = 1, 0
    seconds: list[float] = []
    while True:
        start = time.process_time()
        following = model.step(now.after)
        seconds.append(time.process_time() - start)
        n += 1
        gain = following.objective - now.objective
        if not by_item and gain < TOLERANCE * votes.items:
            by_item = n
        if gain < TOLERANCE:
            return by_item, n, median(seconds)
        now = following


def measure_reached(classes: int, result: str) -> dict[str, float]:
    """Log-likelihood of crowd-kit's parameters."""
    votes = collect(as_labels(*crowd(ITEMS, classes, seed=1), classes))
    with np.load(result) as found:
        at = Parameters(found["prior"], np.ascontiguousarray(found["confusion"]))
    return {"log_likelihood": model_of(votes).step(at).log_likelihood}


def run_peer(classes: int, iterations: int, result: Path) -> dict[str, Any]:
    script = Path(__file__).with_name("peers_blind.py")
    command = [ENVIRONMENT / "bin/python", "-W", "ignore", script, classes, iterations, result]
    subprocess.run(
        [str(part) for part in command], stdout=subprocess.DEVNULL, check=True, timeout=PEER_SECONDS
    )
    with np.load(result) as found:
        return json.loads(str(found["found"]))


# --- labels of crowds -----------------------------------------------------------------------------


def crowd_labels(*, with_peers: bool) -> list[str]:
    """Labels right on real crowds with gold, by our models and by crowd-kit's."""
    folder = os.environ.get("HEADCOUNT_DATA")
    if folder is None:
        return ["### Labels of crowds", "Skipped: no HEADCOUNT_DATA (see docs/guide/data.md)."]
    home = Path(folder) / "blind"
    rows: list[list[object]] = []
    for model in ("majority", "one-coin", "em", "easy-hard", "consensus"):
        say(f"labels by {model}")
        rows.append([f"headcount {model}", *right_labels(home, model)])
    title = "headcount"
    if with_peers:
        say("labels by crowd-kit")
        script = Path(__file__).with_name("peers_labels.py")
        python = [str(ENVIRONMENT / "bin/python"), "-W", "ignore"]
        command = [*python, str(script), str(home), str(LABEL_SECONDS), *CROWDS]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        found = json.loads(done.stdout)
        title = f"headcount and crowd-kit {found['version']}"
        rows += [
            [f"crowd-kit {model}", *((found[name][model] or [np.nan])[0] for name in CROWDS)]
            for model in found[CROWDS[0]]
        ]
    body = [[row[0], *map(shown, row[1:]), shown(float(np.mean(row[1:])))] for row in rows]
    head = ["labels right", *(name.rsplit("/", 1)[-1] for name in CROWDS), "mean"]
    notes = (
        f"Where a model of crowd-kit needs more than {LABEL_SECONDS} s of CPU for a crowd, its "
        "place is empty."
    )
    return [f"### Labels of crowds, by {title}", table(head, body), notes]


def shown(share: float) -> str:
    return "" if np.isnan(share) else f"{share:.3f}"


def right_labels(home: Path, model: str) -> list[float]:
    """Share of the items with gold that a model labels rightly, on every crowd."""
    out: list[float] = []
    for name in CROWDS:
        votes = read_votes(home / name / "label.csv", duplicates="all")
        gold = {str(item): label for item, label in read_truth(home / name / "truth.csv").items()}
        found = consensus(votes, method=model).labels
        pairs = zip(found.items.tolist(), found.label.tolist(), strict=True)
        hits = [label == gold[str(item)] for item, label in pairs if str(item) in gold]
        out.append(float(np.mean(hits)))
    return out


# --- ten classifiers ------------------------------------------------------------------------------


def ten_classifiers() -> list[str]:
    say(f"{CLASSIFIERS} classifiers, {ITEMS:,} items, {BOOTSTRAP} refits")
    found = in_child(__file__, "ten")
    rows: list[list[object]] = []
    for name, title in (
        ("em", "EM"),
        ("all", "round robin, sampling, majority, leave one out, EM"),
    ):
        wall, cpu = found[name]
        target = [f"< {TARGET_SECONDS} s", met(wall < TARGET_SECONDS)]
        rows.append([title, f"{wall:.2f} s", f"{cpu:.2f} s", *target])
    header = [f"{CLASSIFIERS} classifiers, {ITEMS:,} items", "time", "CPU", "target", "met"]
    notes = (
        f"`blind` on labels that {CLASSIFIERS} classifiers give to every item: five metrics, "
        f"ranks, diagnostics, and percentile intervals from {BOOTSTRAP} bootstrap draws, each "
        f"fitted again to convergence. Median of {REPEATS} runs; peak memory "
        f"{found['mb']:,.0f} MB, data "
        f"included. Compiling ({found['compile_cpu']:.1f} s of CPU, once) is not counted. The "
        "target is on the time by the clock."
    )
    return ["### Ten classifiers with refits", table(header, rows), notes]


def measure_ten() -> dict[str, Any]:
    compile_cpu = compiled(2)
    labels = complete(ITEMS)
    blind(as_labels(*crowd(100, 2, seed=1), 2), bootstrap=1)  # imports are not what is measured
    forget_peak()
    found: dict[str, Any] = {"compile_cpu": compile_cpu}
    for name, methods in (("em", ["em"]), ("all", None)):
        runs: list[tuple[float, float]] = []
        for _ in range(REPEATS):
            wall, cpu = time.perf_counter(), time.process_time()
            blind(labels, methods=methods, bootstrap=BOOTSTRAP)
            runs.append((time.perf_counter() - wall, time.process_time() - cpu))
        found[name] = [median(wall for wall, _ in runs), median(cpu for _, cpu in runs)]
    return {**found, "mb": peak_mb()}


def compiled(classes: int) -> float:
    """Compile as on a first call, and say what it took."""
    with TemporaryDirectory() as folder:
        os.environ["NUMBA_CACHE_DIR"] = folder
        import numba  # noqa: F401, its import is not compiling

        labels = as_labels(*crowd(100, classes, seed=1), classes)
        start = time.process_time()
        dawid_skene(labels, max_iter=5)
        return time.process_time() - start


if __name__ == "__main__":
    if sys.argv[1:2] == ["crowd"]:
        print(json.dumps(measure_crowd(int(sys.argv[2]))))
    elif sys.argv[1:2] == ["reached"]:
        print(json.dumps(measure_reached(int(sys.argv[2]), sys.argv[3])))
    elif sys.argv[1:2] == ["ten"]:
        print(json.dumps(measure_ten()))
    else:
        print(main())
