"""Check plans of ratings by simulation: do the designs give the intervals that were promised?

Usage: python docs/studies/scripts/agreement_plan.py [--data-sets 200] [--pilots 60], which prints Markdown;
with `--data-sets 0` the table of pilots alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from headcount import Labels, plan_agreement
from headcount.agreement.coefficients import PREFERRED
from headcount.agreement.estimates import like_these
from headcount.agreement.planning import Components, Design, find_components
from headcount.agreement.prepare import prepare
from headcount.agreement.raters import SAMPLE, find_scope

LEVEL = 0.95
Population = Callable[[int, int, np.random.Generator], np.ndarray]


def binary(items: int, raters: int, rng: np.random.Generator) -> np.ndarray:
    """Items have one of two labels; raters differ in how often they see it."""
    truth = rng.random((items, 1)) < 0.4
    hit, false = rng.beta(16, 4, raters), rng.beta(3, 17, raters)
    return (rng.random((items, raters)) < np.where(truth, hit, false)).astype(int)


def ordered(items: int, raters: int, rng: np.random.Generator) -> np.ndarray:
    """Five points; raters differ in severity and in noise."""
    severity, noise = rng.normal(0, 0.4, raters), rng.uniform(0.4, 1.0, raters)
    x = rng.normal(3, 1, (items, 1)) + severity + noise * rng.normal(size=(items, raters))
    return np.clip(np.rint(x), 1, 5).astype(int)


def alike(items: int, raters: int, rng: np.random.Generator) -> np.ndarray:
    """Five points; raters are exchangeable."""
    x = rng.normal(3, 1, (items, 1)) + 0.8 * rng.normal(size=(items, raters))
    return np.clip(np.rint(x), 1, 5).astype(int)


def skewed(items: int, raters: int, rng: np.random.Generator) -> np.ndarray:
    """Two labels, one of them rare, and items that differ in how plain they are."""
    p = rng.beta(0.25, 1.6, (items, 1))
    lean = rng.normal(0, 0.3, raters)
    odds = np.log(np.clip(p, 1e-6, 1 - 1e-6) / np.clip(1 - p, 1e-6, 1)) + lean
    return (rng.random((items, raters)) < 1 / (1 + np.exp(-odds))).astype(int)


POPULATIONS: dict[str, Population] = {
    "two labels, raters differ": binary,
    "1-5, severity": ordered,
    "1-5, raters alike": alike,
    "two labels, one rare": skewed,
}
CROWDS = ((300, 20, 3), (300, 60, 5), (600, 30, 10))
DESIGNS = ((50, 5), (200, 5), (50, 20), (200, 10), (1000, 3))


def as_labels(table: np.ndarray) -> Labels:
    items, raters = table.shape
    values = np.arange(table.max() + 1)
    return Labels.from_codes(
        (np.repeat(np.arange(items), raters), [str(i) for i in range(items)]),
        (np.tile(np.arange(raters), items), [str(i) for i in range(raters)]),
        (table.ravel(), [str(x) for x in values.tolist()]),
    )


def crowd_labels(table: np.ndarray, each: int, rng: np.random.Generator) -> Labels:
    """Leave every item so many of its ratings."""
    kept = rng.permuted(np.tile(np.arange(table.shape[1]) < each, (len(table), 1)), axis=1)
    item, rater = np.nonzero(kept)
    return Labels.from_codes(
        (item, [str(i) for i in range(table.shape[0])]),
        (rater, [str(i) for i in range(table.shape[1])]),
        (table[kept], [str(x) for x in range(table.max() + 1)]),
    )


def half_width(labels: Labels) -> tuple[float, float]:
    """Alpha, and half of the width of its interval for raters like these."""
    found = like_these(PREFERRED, prepare(labels, None))
    if found is None:
        return np.nan, np.nan
    low, high = found.ends(LEVEL)
    return found.value, (high - low) / 2


def promised(data_sets: int) -> list[str]:
    """From a large pilot: the standard deviation and width that a design is said to have."""
    lines = [
        "| raters | items x raters | sd of alpha, promised | seen | half-width, promised | seen, "
        "median |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, draw in POPULATIONS.items():
        rng = np.random.default_rng(1)
        data = prepare(as_labels(draw(1500, 40, rng)), None)
        parts = find_components(PREFERRED, data, find_scope(data.panel, SAMPLE), rng)
        if parts is None:
            continue
        for items, raters in DESIGNS:
            variance = parts.variance(items, raters, raters)
            expected = parts.expect(items, raters, raters, LEVEL)
            seen = np.array(
                [half_width(as_labels(draw(items, raters, rng))) for _ in range(data_sets)]
            )
            lines.append(
                f"| {name} | {items:,} x {raters} | {variance.total**0.5:.3f} "
                f"| {np.nanstd(seen[:, 0], ddof=1):.3f} "
                f"| {(expected.high - expected.low) / 2:.3f} | {np.nanmedian(seen[:, 1]):.3f} |"
            )
    return lines


def crowds(data_sets: int) -> list[str]:
    """From a large pilot of a crowd, 2,000 items of 5 ratings by 60 raters: the same."""
    lines = [
        "| raters | items, raters, ratings of an item | sd of alpha, promised | seen | half-width, "
        "promised | seen, median |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, draw in POPULATIONS.items():
        rng = np.random.default_rng(3)
        data = prepare(crowd_labels(draw(2000, 60, rng), 5, rng), None)
        parts = find_components(PREFERRED, data, find_scope(data.panel, SAMPLE), rng)
        if parts is None:
            continue
        for items, raters, each in CROWDS:
            expected = parts.expect(items, raters, each, LEVEL)
            seen = np.array(
                [
                    half_width(crowd_labels(draw(items, raters, rng), each, rng))
                    for _ in range(data_sets)
                ]
            )
            lines.append(
                f"| {name} | {items:,}, {raters}, {each} "
                f"| {parts.variance(items, raters, each).total ** 0.5:.3f} "
                f"| {np.nanstd(seen[:, 0], ddof=1):.3f} "
                f"| {(expected.high - expected.low) / 2:.3f} | {np.nanmedian(seen[:, 1]):.3f} |"
            )
    return lines


PILOTS = ((100, 3), (50, 4), (100, 6), (200, 12))


def planned(pilots: int, wanted: float = 0.1) -> list[str]:
    """From small pilots: what half-width a design gives to expect, by a pilot of 1,500 x 40."""
    lines = [
        "| raters | pilot | for | items x raters, median | half-width, median | middle 80% | at "
        "most 1.25 times .1 |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, draw in POPULATIONS.items():
        rng = np.random.default_rng(1)
        data = prepare(as_labels(draw(1500, 40, rng)), None)
        parts = find_components(PREFERRED, data, find_scope(data.panel, SAMPLE), rng)
        if parts is None:
            continue
        for size in PILOTS:
            rng = np.random.default_rng(2)
            plans = [
                plan_agreement(as_labels(draw(*size, rng)), half_width=wanted)
                for _ in range(pilots)
            ]
            whom = plans[0].holds_for
            truth = replace(parts, crossed=plans[0].only is None)
            best = outcomes([one.best for one in plans], truth)
            items, raters = np.nanmedian(best[:, :2], axis=0)
            low, middle, high = np.nanquantile(best[:, 2], (0.1, 0.5, 0.9))
            kept = np.mean(best[:, 2] <= 1.25 * wanted)
            lines.append(
                f"| {name} | {size[0]} x {size[1]} | {whom} | {items:.0f} x {raters:.0f} "
                f"| {middle:.3f} | {low:.3f} to {high:.3f} | {kept:.0%} |"
            )
    return lines


def outcomes(designs: list[Design | None], parts: Components) -> np.ndarray:
    """Items, raters and the half-width to expect of each; nan where there is none."""
    rows: list[tuple[float, float, float]] = []
    for one in designs:
        if one is None:
            rows.append((np.nan, np.nan, np.nan))
            continue
        e = parts.expect(one.items, one.raters, one.each, LEVEL)
        rows.append((one.items, one.raters, (e.high - e.low) / 2))
    return np.array(rows)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-sets", type=int, default=200)
    parser.add_argument("--pilots", type=int, default=60)
    given = parser.parse_args()
    if given.data_sets:
        print(f"Data sets in each row: {given.data_sets}.\n")
        print("\n".join(promised(given.data_sets)), flush=True)
        print("\n" + "\n".join(crowds(given.data_sets)), flush=True)
    print(f"\nPilots in each row: {given.pilots}; half-width asked for: .1.\n")
    print("\n".join(planned(given.pilots)))


if __name__ == "__main__":
    main()
