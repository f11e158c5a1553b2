"""Agreement: alpha against `krippendorff` and `evalica`, Phi against NUTS, and as the items grow.

Usage: python agreement.py, which prints a Markdown section.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from harness import ONE_THREAD, forget_peak, in_child, install, met, peak_mb, say, table
from headcount import Labels, phi
from headcount.agreement import agree
from headcount.agreement.phi import PhiResult
from headcount.agreement.phi_posterior import phi_of
from peers_agreement import CHAINS, DRAWS, EVALICA_RESAMPLES, KRIPPENDORFF_RESAMPLES, TUNE

BOOTSTRAP = 1000
REPEATS, SCALE_REPEATS = 7, 3
POINTS, PRECISION = 5, 5.0
ALPHA_SIZE, ALPHA_SEED = (100_000, 20), 1
TARGET_KRIPPENDORFF, TARGET_NUTS = 100, 200
COMMAND_SIZE, TARGET_COMMAND = (20_000, 10), 10
NUTS_SIZES, RATERS = (50, 500, 7_000), 5
NUTS_SECONDS = 900
TARGET_ERRORS = 3
SCALE_ITEMS, TARGET_SECONDS = 1_000_000, 5
MEMORY_ITEMS, VALUES, TARGET_MB = 20_000, 2_400, 300

ENVIRONMENT = Path(__file__).parent.parent / ".bench-venv-agreement"
PEERS = ["krippendorff", "evalica", "pymc<6", "nutpie", "numba", "arviz<1"]


def main() -> str:
    reason = install(ENVIRONMENT, PEERS, "import krippendorff, evalica, pymc, nutpie, arviz")
    peers = (
        [f"Peers skipped: {reason}"]
        if reason
        else [*against_alpha(), *whole_command(), *against_nuts()]
    )
    return "\n\n".join(["## Agreement", *peers, *scaling(), *memory()])


# --- data -----------------------------------------------------------------------------------------


def made_up(items: int, raters: int, points: int, *, seed: int) -> np.ndarray:
    """Ratings of Phi's own model, on a scale of points from 0: (items, raters)."""
    rng = np.random.default_rng(seed)
    mu = rng.uniform(0.05, 0.95, size=(items, 1))
    x = rng.beta(mu * PRECISION, (1 - mu) * PRECISION, size=(items, raters))
    return np.minimum((x * points).astype(np.int64), points - 1)


def as_labels(ratings: np.ndarray, points: int) -> Labels:
    items, raters = ratings.shape
    return Labels.from_codes(
        (np.repeat(np.arange(items), raters), [str(i) for i in range(items)]),
        (np.tile(np.arange(raters), items), [str(i) for i in range(raters)]),
        (ratings.ravel(), [str(i + 1) for i in range(points)]),
    )


# --- alpha ----------------------------------------------------------------------------------------


def against_alpha() -> list[str]:
    items, raters = ALPHA_SIZE
    ratings = made_up(items, raters, POINTS, seed=ALPHA_SEED)
    say("krippendorff and evalica")
    by_items = run_peer("krippendorff", ratings + 1, environment=ONE_THREAD)
    by_pairs = run_peer("evalica", ratings + 1, environment=ONE_THREAD)
    rows: list[list[object]] = []
    apart = 0.0
    for level in ("nominal", "interval"):
        say(f"headcount, alpha, {level}")
        ours = in_child(__file__, "alpha", level, environment=ONE_THREAD)
        seconds, value = ours["cpu"], ours["value"]
        one, other = by_items[level], by_pairs[level]
        apart = max(apart, abs(one["value"] - value), abs(other["value"] - value))
        for name, fixed, each, least in (
            ("krippendorff, ratings resampled", 0.0, one["by_ratings"], TARGET_KRIPPENDORFF),
            ("krippendorff, counts resampled", 0.0, one["by_counts"], TARGET_KRIPPENDORFF),
            ("evalica, its own bootstrap", other["fixed"], other["each"], 1),
        ):
            ratio = (fixed + BOOTSTRAP * each) / seconds
            rows.append(
                [
                    f"{level}; {name}",
                    f"{fixed:.1f} s" if fixed else "",
                    f"{each:.3f} s",
                    f"{fixed + BOOTSTRAP * each:.0f} s",
                    f"{seconds:.2f} s",
                    f"{ratio:,.0f}x",
                    f">= {least}x" if least > 1 else "ahead",
                    met(ratio >= least if least > 1 else ratio > 1),
                ]
            )
    header = [
        "alpha; peer",
        "theirs, before resampling",
        "each resample",
        f"{BOOTSTRAP:,} resamples (extrapolated)",
        f"headcount, {BOOTSTRAP:,} resamples",
        "ratio",
        "target",
        "met",
    ]
    few, more = EVALICA_RESAMPLES
    notes = (
        f"Krippendorff's alpha on {items:,} items x {raters} raters, {POINTS} points. Same data, "
        "same machine, same run; CPU time on both sides, which other work on the machine disturbs "
        f"less, with linear algebra in one thread. headcount: median of {REPEATS} calls of "
        f"`agree`, from coded labels to the interval. {named(by_items)} has no interval: "
        f"items are drawn with replacement and it is called again, {KRIPPENDORFF_RESAMPLES} times, "
        "extrapolated linearly, not run. It is called in two ways, with ratings and with counts of "
        "values by item; the counts are made once, and their making is not counted. "
        f"{named(by_pairs)}, solver "
        f"'{by_pairs['solver']}', is run with {few} and with {more} resamples; the difference "
        "gives the cost of one. It resamples pairs of ratings as if they were independent, with "
        "the expected disagreement fixed, so its interval is another one; the row compares cost. "
        f"The three give the same alpha, within {apart:.0e}. Standard deviation of the interval "
        f"alpha over resamples: krippendorff {one['sd']:.5f}, headcount {ours['sd']:.5f} (its "
        f"interval over 3.92), evalica {other['sd']:.5f}."
    )
    return ["### Alpha against krippendorff and evalica", table(header, rows), notes]


def measure_alpha(level: str) -> dict[str, float]:
    """CPU seconds, alpha, and its standard deviation by the width of the interval."""
    labels = as_labels(made_up(*ALPHA_SIZE, POINTS, seed=ALPHA_SEED), POINTS)
    seconds: list[float] = []
    for _ in range(REPEATS):
        start = time.process_time()
        result = agree(labels, scale=level, coefficients=["alpha"], bootstrap=BOOTSTRAP)
        seconds.append(time.process_time() - start)
    alpha = result["alpha"]
    sd = (alpha.high - alpha.low) / (2 * 1.96)
    return {"cpu": median(seconds), "value": alpha.value, "sd": sd}


def whole_command() -> list[str]:
    """Time `headcount agree FILE`, start and reading included, beside the peer's draws alone."""
    items, raters = COMMAND_SIZE
    rows: list[list[object]] = []
    for points, level in ((2, "nominal"), (POINTS, "interval")):
        say(f"whole command, {points} labels")
        ratings = made_up(items, raters, points, seed=ALPHA_SEED)
        theirs = run_peer("krippendorff", ratings + 1, environment=ONE_THREAD)[level]["by_ratings"]
        ours = median(command_seconds(ratings, points) for _ in range(SCALE_REPEATS))
        ratio = BOOTSTRAP * theirs / ours
        rows.append(
            [
                f"{points} labels, {level}",
                f"{BOOTSTRAP * theirs:.1f} s",
                f"{ours:.2f} s",
                f"{ratio:.0f}x",
                f">= {TARGET_COMMAND}x",
                met(ratio >= TARGET_COMMAND),
            ]
        )
    header = [
        "labels",
        f"krippendorff, {BOOTSTRAP:,} resamples (extrapolated)",
        "headcount agree FILE, whole command",
        "ratio",
        "target",
        "met",
    ]
    notes = (
        f"{items:,} items x {raters} raters, a CSV file of one row per rating. CPU time, that of "
        "the system included. headcount starts Python, reads the file and finds all coefficients "
        "with their intervals, and Phi where labels are numbers; krippendorff finds alpha alone, "
        f"from an array, {KRIPPENDORFF_RESAMPLES} times, extrapolated linearly. Median of "
        f"{SCALE_REPEATS} commands."
    )
    return ["### The whole command against krippendorff alone", table(header, rows), notes]


def command_seconds(ratings: np.ndarray, points: int) -> float:
    """CPU seconds of `headcount agree` on a file; two labels are words."""
    names = ["no", "yes"] if points == 2 else [str(i + 1) for i in range(points)]
    with TemporaryDirectory() as folder:
        path = Path(folder, "ratings.csv")
        lines = (f"{i},r{j},{names[x]}" for (i, j), x in np.ndenumerate(ratings))
        path.write_text("item,rater,label\n" + "\n".join(lines) + "\n")
        before = os.times()
        subprocess.run(
            [sys.executable, "-m", "headcount", "agree", path],
            stdout=subprocess.DEVNULL,
            check=True,
            env=os.environ | ONE_THREAD,
        )
        after = os.times()
    user = after.children_user - before.children_user
    return user + after.children_system - before.children_system


# --- Phi ------------------------------------------------------------------------------------------


def against_nuts() -> list[str]:
    title = "### Phi against NUTS"
    cost: list[list[object]] = []
    means: list[list[object]] = []
    skipped: list[str] = []
    versions = ""
    for items in NUTS_SIZES:
        ratings = made_up(items, RATERS, POINTS, seed=2)
        seconds, result = time_phi(as_labels(ratings, POINTS))
        say(f"NUTS, {items:,} items: this takes minutes")
        try:
            # The paper's squeeze, with as many raters as points: the middle of a point.
            theirs = run_peer("nuts", (ratings / (POINTS - 1) * (RATERS - 1) + 0.5) / RATERS)
        except subprocess.TimeoutExpired:
            skipped.append(f"{items:,} items: NUTS stopped after {NUTS_SECONDS} s, not compared.")
            continue
        versions = named(theirs)
        ratio = theirs["cpu"] / seconds
        last = items == NUTS_SIZES[-1]
        cost.append(
            [
                f"{items:,} x {RATERS}",
                f"{theirs['compile_cpu']:.1f} s",
                f"{theirs['cpu']:.1f} s",
                f"{theirs['wall']:.1f} s",
                f"{seconds:.4f} s",
                f"{ratio:,.0f}x",
                f">= {TARGET_NUTS}x" if last else "",
                met(ratio >= TARGET_NUTS) if last else "",
            ]
        )
        means += side_by_side(items, result, theirs)
    if not cost:
        return [title, *skipped]
    header = [
        "items x raters",
        "NUTS, compiling, CPU",
        "sampling, CPU",
        "sampling, wall",
        "headcount, CPU",
        "ratio of CPU, without compiling",
        "target",
        "met",
    ]
    compared = [
        "items, posterior mean of",
        "NUTS",
        "Monte Carlo error",
        "effective draws",
        "headcount",
        "difference in errors",
        f"within {TARGET_ERRORS}",
    ]
    notes = (
        f"Phi with its interval on a {POINTS}-point scale, method 'paper': squeezed ratings, flat "
        f"priors on all mu and on p. NUTS: {versions}, {CHAINS} chains of {TUNE:,} draws to tune "
        f"and {DRAWS:,} to keep, as many threads; CPU time of all threads. Its default of six "
        "chains would take more. Each item has its mu, as in the paper, and compiling draws on "
        f"what an earlier run has left in PyTensor's cache. headcount: median of {REPEATS} calls "
        "of `phi`, from coded labels to the interval; a quadrature, without Monte Carlo error."
    )
    return [
        title,
        table(header, cost),
        notes,
        *skipped,
        "Both answer the same question:",
        table(compared, means),
    ]


def time_phi(labels: Labels) -> tuple[float, PhiResult]:
    seconds: list[float] = []
    phi(labels, limits=(1, POINTS), method="paper")  # imports are not what is measured
    for _ in range(REPEATS):
        start = time.process_time()
        result = phi(labels, limits=(1, POINTS), method="paper")
        seconds.append(time.process_time() - start)
    return median(seconds), result


def side_by_side(items: int, result: PhiResult, theirs: dict[str, Any]) -> list[list[object]]:
    mass, curve = result.posterior.mass, result.posterior.curve
    ours = {"p": float(mass @ curve), "phi": float(mass @ phi_of(curve))}
    rows: list[list[object]] = []
    for name, shown in (("p", "p"), ("phi", "Phi")):
        found = theirs[name]
        errors = (ours[name] - found["mean"]) / found["error"]
        rows.append(
            [
                f"{items:,}, {shown}",
                f"{found['mean']:.5f}",
                f"{found['error']:.5f}",
                f"{found['ess']:,.0f}",
                f"{ours[name]:.5f}",
                f"{errors:+.2f}",
                met(abs(errors) <= TARGET_ERRORS),
            ]
        )
    low, high = theirs["hdi"]
    rows.append(
        [
            f"{items:,}, 95% interval of Phi",
            f"{low:.4f} to {high:.4f}",
            f"r-hat {theirs['rhat']:.3f}",
            f"{theirs['divergences']} divergences",
            f"{result.low:.4f} to {result.high:.4f}",
            "",
            "",
        ]
    )
    return rows


# --- the peers ------------------------------------------------------------------------------------


def run_peer(
    peer: str, ratings: np.ndarray, *, environment: Mapping[str, str] | None = None
) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        data, result = Path(folder, "ratings.npy"), Path(folder, "result.json")
        np.save(data, ratings)
        script = Path(__file__).with_name("peers_agreement.py")
        command = [ENVIRONMENT / "bin/python", "-W", "ignore", script, peer, data, result]
        env = os.environ | (environment or {})
        subprocess.run(
            command, stdout=subprocess.DEVNULL, check=True, timeout=NUTS_SECONDS, env=env
        )
        return json.loads(result.read_text())


def named(found: dict[str, Any]) -> str:
    """Name a peer with its version, and what it was run with."""
    first, *others = (f"{name} {version}" for name, version in found["versions"].items())
    return f"{first} with {' and '.join(others)}"


# --- as the items grow ----------------------------------------------------------------------------


def scaling() -> list[str]:
    rows: list[list[object]] = []
    for method, points in (("unbiased", 5), ("paper", 5), ("unbiased", 1001), ("paper", 1001)):
        say(f"Phi, {SCALE_ITEMS:,} items, method {method}, {points} points")
        found = in_child(__file__, "scale", method, points)
        rows.append(
            [
                f"'{method}', {points:,} points",
                f"{found['wall']:.2f} s",
                f"{found['cpu']:.2f} s",
                f"{found['mb']:,.0f} MB",
                f"< {TARGET_SECONDS} s",
                met(found["wall"] < TARGET_SECONDS),
            ]
        )
    header = ["Phi, method and scale", "time", "CPU", "peak memory", "target", "met"]
    notes = (
        f"{SCALE_ITEMS:,} items x {RATERS} raters; median of {SCALE_REPEATS} calls of `phi` in a "
        "process of its own, from coded labels to the interval. The target is on the time by the "
        "clock. Memory is that of the whole process, data included. On 1,001 points ratings count "
        "as continuous numbers, but for the two ends ('unbiased')."
    )
    return [f"### Phi on {SCALE_ITEMS:,} items", table(header, rows), notes]


def measure_scale(method: str, points: int) -> dict[str, float]:
    phi(as_labels(made_up(20, RATERS, points, seed=3), points), limits=(1, points))  # imports
    labels = as_labels(made_up(SCALE_ITEMS, RATERS, points, seed=3), points)
    forget_peak()
    wall: list[float] = []
    cpu: list[float] = []
    for _ in range(SCALE_REPEATS):
        start = time.perf_counter(), time.process_time()
        phi(labels, limits=(1, points), method=method)
        wall.append(time.perf_counter() - start[0])
        cpu.append(time.process_time() - start[1])
    return {"wall": median(wall), "cpu": median(cpu), "mb": peak_mb()}


def memory() -> list[str]:
    rows: list[list[object]] = []
    for level in ("interval", "ordinal", "ratio"):
        say(f"alpha, {VALUES:,} values, {level}")
        found = in_child(__file__, "memory", level)
        rows.append(
            [
                level,
                f"{found['values']:,}",
                f"{found['cpu']:.2f} s",
                f"{found['mb']:,.0f} MB",
                f"< {TARGET_MB} MB" if level == "interval" else "",
                met(found["mb"] < TARGET_MB) if level == "interval" else "",
            ]
        )
    header = ["alpha", "distinct values", "CPU", "peak memory", "target", "met"]
    notes = (
        f"{MEMORY_ITEMS:,} items x {RATERS} raters, {BOOTSTRAP:,} bootstrap samples, in a process "
        "of its own. Memory is that of the whole process, Python and data included. `krippendorff` "
        "is not run here: it makes an array of items x values x values, which would be "
        f"{MEMORY_ITEMS * VALUES**2 * 8 / 1e9:,.0f} GB."
    )
    return ["### Alpha with many values", table(header, rows), notes]


def measure_memory(level: str) -> dict[str, float]:
    ratings = made_up(MEMORY_ITEMS, RATERS, VALUES, seed=4)
    labels = as_labels(ratings, VALUES)
    forget_peak()
    start = time.process_time()
    agree(labels, scale=level, coefficients=["alpha"], bootstrap=BOOTSTRAP)
    cpu = time.process_time() - start
    return {"cpu": cpu, "mb": peak_mb(), "values": len(np.unique(ratings))}


if __name__ == "__main__":
    if sys.argv[1:2] == ["alpha"]:
        print(json.dumps(measure_alpha(sys.argv[2])))
    elif sys.argv[1:2] == ["scale"]:
        print(json.dumps(measure_scale(sys.argv[2], int(sys.argv[3]))))
    elif sys.argv[1:2] == ["memory"]:
        print(json.dumps(measure_memory(sys.argv[2])))
    else:
        print(main())
