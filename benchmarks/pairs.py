"""Pairwise comparisons: Elo and Bradley-Terry against peers, bootstrap refits, simulation.

Usage: python pairs.py, which prints a Markdown section.
"""

from __future__ import annotations

import json
import math
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from harness import in_child, install, met, say, table
from headcount.data.comparisons import Comparisons
from headcount.pairwise.bradley_terry import bradley_terry
from headcount.pairwise.elo import Elo
from headcount.pairwise.experiment import labelling_experiment
from headcount.pairwise.methods import refit
from headcount.simulation.labelling import LabellingModel
from peers_pairs import ELO_REPEATS

COMPARISONS, ITEMS, TIES = 1_000_000, 10_000, 0.1
REPEATS = 7
SPREAD_REPEATS, PAUSE = 101, 0.05
TARGET_EVALICA, TARGET_ELO_RATING, TARGET_BT = 20, 50, 20
COMMAND_REPEATS, TARGET_COMMAND = 3, 5
GRADIENT = 1e-8
REFITS, TARGET_REFITS = 100, 30
TARGET_SIMULATION = 100
RECORDED = {512: 8.7, 32_768: 1335.0}
"""Seconds of the authors' scripts by number of items, recorded earlier; not measured here."""
REPORTS = 20

ENVIRONMENT = Path(__file__).parent.parent / ".bench-venv-pairs"
PEERS = ["elo-rating", "evalica", "arena-rank"]


def main() -> str:
    left, right, outcome = made_up()
    played = as_comparisons(left, right, outcome)
    reason = install(ENVIRONMENT, PEERS, "import elo_rating, evalica, arena_rank")
    peers: dict[str, dict[str, Any]] = {}
    if not reason:
        for peer in PEERS:
            say(f"{peer}: this may take a minute")
            peers[peer] = run_peer(peer, left, right, outcome)
    skipped = [f"Peers skipped: {reason}"] if reason else []
    return "\n\n".join(
        [
            "## Pairwise comparisons",
            f"{COMPARISONS:,} comparisons of {ITEMS:,} items, pairs drawn at random, ratings of "
            f"N(0, 1) logits, {TIES:.0%} ties. Same data, same machine, same run. Times are CPU "
            "seconds, for peers by the clock where that is less. headcount runs in one thread.",
            *skipped,
            *against_elo(played, peers),
            *against_bradley_terry(played, peers),
            *whole_command(played, peers),
            *refitting(played),
            *simulation(),
            *compiling(),
        ]
    )


# --- data -----------------------------------------------------------------------------------------


def made_up(comparisons: int = COMPARISONS, items: int = ITEMS) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(1)
    theta = rng.normal(size=items)
    left = rng.integers(items, size=comparisons)
    right = (left + rng.integers(1, items, size=comparisons)) % items
    wins = rng.random(comparisons) < 1 / (1 + np.exp(theta[right] - theta[left]))
    tie = rng.random(comparisons) < TIES
    return left, right, np.where(tie, 0.5, wins.astype(float))


def as_comparisons(left: np.ndarray, right: np.ndarray, outcome: np.ndarray) -> Comparisons:
    names = [str(item) for item in range(int(max(left.max(), right.max())) + 1)]
    return Comparisons.from_codes((left, right, names), outcome)


# --- Elo ------------------------------------------------------------------------------------------


def against_elo(played: Comparisons, peers: dict[str, dict[str, Any]]) -> list[str]:
    say("headcount, Elo")
    Elo().fit(played)  # imports, and what is compiled
    seconds: list[float] = []
    elo = Elo()
    for _ in range(SPREAD_REPEATS):
        elo = Elo()
        start = time.process_time()
        elo.fit(played)
        seconds.append(time.process_time() - start)
        # Another guest of the processor may slow it down for longer than a call takes.
        time.sleep(PAUSE)
    ratings = np.array([elo.rating(item) for item in range(ITEMS)])
    ours = median(seconds)
    rows: list[list[object]] = []
    for peer, how, key, target in (
        ("evalica", ", lists of items", "plain_elo", TARGET_EVALICA),
        ("evalica", ", arrays and an index", "elo", TARGET_EVALICA),
        ("elo-rating", "", "elo", TARGET_ELO_RATING),
    ):
        if peer not in peers:
            continue
        found = peers[peer]
        ratio = found[key] / ours
        apart = np.abs(np.array(found["elo_ratings"]) - ratings).max()
        rows.append(
            [
                f"{peer} {found['version']}{how}",
                f"{found[key]:.3f} s",
                f"{ours:.4f} s",
                f"{ratio:,.0f}x",
                f">= {target}x",
                met(ratio >= target),
                f"{apart:.0e}",
            ]
        )
    if not rows:
        return ["### An Elo pass", f"headcount: {ours:.4f} s."]
    header = ["peer", "theirs", "headcount", "ratio", "target", "met", "ratings differ by at most"]
    notes = (
        "One pass in the order given; base e, denominator 1, k = .1. headcount: median of "
        f"{SPREAD_REPEATS} calls of `Elo.fit` with pauses of {PAUSE:g} s, from coded comparisons "
        f"to a dictionary of ratings; peers: median of {ELO_REPEATS}. Making what a peer takes is "
        "not counted: a list of matches for elo-rating, a list of winners for evalica. evalica is "
        "called in two ways: with lists of items, which it codes itself, and with arrays of "
        "integers and an index of them, which is as near to coded comparisons as it gets."
    )
    return ["### An Elo pass", table(header, rows), notes]


# --- Bradley-Terry --------------------------------------------------------------------------------


def against_bradley_terry(played: Comparisons, peers: dict[str, dict[str, Any]]) -> list[str]:
    say("headcount, Bradley-Terry")
    bradley_terry(played.select(np.arange(1000)), prior=1.0)
    bradley_terry(played)
    seconds: list[float] = []
    for _ in range(REPEATS):
        start = time.process_time()
        fit = bradley_terry(played, tolerance=GRADIENT)
        seconds.append(time.process_time() - start)
    ours = median(seconds)
    reached = gradient(played, fit.rating)
    rows: list[list[object]] = []
    for peer, how in (("evalica", ""), ("arena-rank", ", data set made"), ("arena-rank", "")):
        if peer not in peers:
            continue
        found = peers[peer]
        theirs = np.array(found["bt_ratings"])
        taken = found["bt"] + (found["loading"] if peer == "arena-rank" and not how else 0.0)
        ratio = taken / ours
        rows.append(
            [
                f"{peer} {found['version']}{how}",
                f"{taken:.2f} s",
                f"{gradient(played, theirs):.0e}",
                f"{ours:.3f} s",
                f"{reached:.0e}",
                f"{ratio:,.0f}x",
                f">= {TARGET_BT}x",
                met(ratio >= TARGET_BT and reached <= GRADIENT),
                f"{np.abs(theirs - theirs.mean() - fit.rating).max():.0e}",
            ]
        )
    title = "### A Bradley-Terry fit"
    if not rows:
        return [title, f"headcount: {ours:.3f} s to a gradient of {reached:.0e}."]
    header = [
        "peer",
        "theirs",
        "their gradient",
        "headcount",
        "its gradient",
        "ratio",
        "target",
        "met",
        "ratings differ by at most",
    ]
    arena = peers["arena-rank"]
    notes = (
        f"headcount: median of {REPEATS} calls of `bradley_terry`, from coded comparisons to "
        "ratings with standard errors. The gradient is the largest derivative of the "
        "log-likelihood, in wins, computed in the same way for all. Peers stop by their default "
        f"criteria, once each: they would take longer to get to {GRADIENT:.0e}. evalica took "
        f"{peers['evalica']['iterations']} iterations with solver '{peers['evalica']['solver']}'. "
        f"arena-rank with jax {arena['jax']} is compiled before; its first fit took "
        f"{arena['first']:.1f} s. It first makes a data set of a frame ({arena['loading']:.1f} s: "
        "it codes items and adds up pairs); one row leaves that out, the other has it. headcount "
        "adds up pairs in its time, and gets items coded."
    )
    return [title, table(header, rows), notes]


def whole_command(played: Comparisons, peers: dict[str, dict[str, Any]]) -> list[str]:
    """Time `headcount pairs FILE`, from the start of Python to the printed answer."""
    say("headcount pairs, the whole command")
    title = "### The whole command"
    with TemporaryDirectory() as folder:
        path = Path(folder, "comparisons.csv")
        columns = played.columns()
        rows = zip(columns["left"], columns["right"], columns["outcome"], strict=True)
        lines = [f"item {left},item {right},{outcome}" for left, right, outcome in rows]
        path.write_text("\n".join(["left,right,outcome", *lines]))
        command = [sys.executable, "-m", "headcount", "pairs", str(path), "--quiet"]
        # Bytecode is kept, as an installer leaves it, though the environment may say otherwise.
        kept = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": folder}
        seconds = [children(command, kept) for _ in range(1 + COMMAND_REPEATS)][1:]  # one compiles
    ours = median(seconds)
    if "evalica" not in peers:
        return [title, f"headcount: {ours:.2f} s."]
    theirs = peers["evalica"]["bt"]
    ratio = theirs / ours
    row = [
        f"evalica {peers['evalica']['version']}, its call alone",
        f"{theirs:.2f} s",
        f"{ours:.2f} s",
        f"{ratio:,.1f}x",
        f">= {TARGET_COMMAND}x",
        met(ratio >= TARGET_COMMAND),
    ]
    notes = (
        f"headcount: median CPU time of {COMMAND_REPEATS} runs of `headcount pairs FILE --quiet` "
        "on a CSV file of names, from the start of Python to the answer: reading, ratings, robust "
        "errors, intervals of ranks and labels; modules are bytecode already, as after an "
        "installation. evalica: its call, as above, on integers in memory."
    )
    return [title, table(["peer", "theirs", "headcount", "ratio", "target", "met"], [row]), notes]


def children(command: list[str], environment: dict[str, str]) -> float:
    """CPU seconds of a process and its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def gradient(played: Comparisons, rating: np.ndarray) -> float:
    """Largest derivative of the log-likelihood with ties as half-wins."""
    gap = rating[played.left] - rating[played.right]
    excess = played.outcome - 1 / (1 + np.exp(-gap))
    by_item = np.bincount(played.left, excess, ITEMS) - np.bincount(played.right, excess, ITEMS)
    return float(np.abs(by_item).max())


def refitting(played: Comparisons) -> list[str]:
    say(f"headcount, {REFITS} refits")
    fit = bradley_terry(played)
    start = time.process_time(), time.perf_counter()
    refits = refit(played, fit, draws=REFITS)
    cpu, wall = time.process_time() - start[0], time.perf_counter() - start[1]
    spread = float(np.median(refits.ratings.std(axis=0, ddof=1)))
    header = ["refits", "time", "CPU", "target", "met"]
    in_time = met(cpu < TARGET_REFITS)
    rows = [[REFITS, f"{wall:.1f} s", f"{cpu:.1f} s", f"< {TARGET_REFITS} s", in_time]]
    notes = (
        "Comparisons get Poisson weights; each refit starts from the fit. The target is on the CPU "
        "time of one thread. Median over items of a rating's standard deviation over refits "
        f"{spread:.4f}, of its standard error {float(np.median(fit.standard_error)):.4f}."
    )
    return ["### Bootstrap", table(header, rows), notes]


# --- simulation -----------------------------------------------------------------------------------


def simulation() -> list[str]:
    rows: list[list[object]] = []
    for items, recorded in RECORDED.items():
        say(f"headcount, simulation of {items:,} items")
        model, reports = study(items)
        seconds: list[float] = []
        for seed in range(4):
            start = time.process_time()
            labelling_experiment(
                model, runs=1, comparisons=reports, methods=["majority", "elo"], seed=seed, jobs=1
            )
            seconds.append(time.process_time() - start)
        ours = median(seconds[1:])  # the first has imports, and what is compiled
        rows.append(
            [
                f"{items:,}",
                f"{reports[-1]:,}",
                len(reports),
                f"{recorded:,.1f} s",
                f"{ours:.3f} s",
                f"{recorded / ours:,.0f}x",
                f">= {TARGET_SIMULATION}x",
                met(recorded / ours >= TARGET_SIMULATION),
            ]
        )
    header = [
        "items",
        "comparisons",
        "reports",
        "authors' scripts (recorded)",
        "headcount",
        "ratio",
        "target",
        "met",
    ]
    notes = (
        "One study by both methods: majority votes, and Elo with k = .15 and 20 epochs, started "
        "again at each report, as the paper has it. The times of the authors' scripts are figures "
        "recorded earlier, **not measured in this run**; that of 32,768 items follows from their "
        "cost model. How many reports they made is not on record: headcount makes "
        f"{REPORTS} for 512 items, every 512 comparisons, and one for 32,768, at N ln N."
    )
    return ["### Simulation", table(header, rows), notes]


def study(items: int) -> tuple[LabellingModel, list[int]]:
    if items == 512:
        return LabellingModel(), [items * report for report in range(1, REPORTS + 1)]
    return LabellingModel(items=items), [round(items * math.log(items))]


# --- compiling ------------------------------------------------------------------------------------


def compiling() -> list[str]:
    rows: list[list[object]] = []
    for what in ("elo", "bradley-terry", "simulation"):
        say(f"first call, {what}")
        with TemporaryDirectory() as cache:
            os.environ["NUMBA_CACHE_DIR"] = cache
            try:
                first, later = (in_child(__file__, "first", what) for _ in range(2))
            finally:
                del os.environ["NUMBA_CACHE_DIR"]
        rows.append([what, f"{first['cpu']:.1f} s", f"{later['cpu']:.1f} s"])
    header = ["first call in a process", "nothing compiled yet", "compiled by an earlier process"]
    notes = (
        "On a few comparisons, with the import of numba. What is compiled is kept on disk, so the "
        "first column is paid once an installation."
    )
    return ["### Compiling", table(header, rows), notes]


def measure_first(what: str) -> dict[str, float]:
    played = as_comparisons(np.array([0, 1, 2, 0]), np.array([1, 2, 0, 2]), np.array([1.0] * 4))
    start = time.process_time()
    if what == "elo":
        Elo().fit(played)
    elif what == "bradley-terry":
        bradley_terry(played)
    else:
        labelling_experiment(LabellingModel(items=20), runs=1, jobs=1)
    return {"cpu": time.process_time() - start}


# --- the peers ------------------------------------------------------------------------------------


def run_peer(peer: str, left: np.ndarray, right: np.ndarray, outcome: np.ndarray) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        data, result = Path(folder, "comparisons.npz"), Path(folder, "result.json")
        np.savez(data, left=left, right=right, outcome=outcome, items=ITEMS)
        script = Path(__file__).with_name("peers_pairs.py")
        command = [ENVIRONMENT / "bin/python", "-W", "ignore", script, peer, data, result]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        return json.loads(result.read_text())


if __name__ == "__main__":
    if sys.argv[1:2] == ["first"]:
        print(json.dumps(measure_first(sys.argv[2])))
    else:
        print(main())
