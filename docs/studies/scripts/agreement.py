"""Do intervals of agreement hold for other raters? Simulated data sets whose truth is known.

Run ``python docs/studies/scripts/agreement.py`` to print the tables of ``agreement.md`` (ten minutes on
one core); ``--data-sets 50`` for a quick look, ``--part raters`` for one of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from headcount import Labels, Scale, agree, compare_agreement, phi
from headcount.agreement.coefficients import COEFFICIENTS
from headcount.agreement.estimates import Engine, like_these
from headcount.agreement.prepare import prepare
from headcount.agreement.raters import FIXED, SAMPLE, find_scope

LEVEL = 0.95


@dataclass(frozen=True)
class Population:
    """Items and raters that data sets are drawn from: latent value, severity, noise, thresholds."""

    scale: str
    cuts: tuple[float, ...]
    severity: float = 0.5
    spammers: float = 0.0
    camps: bool = False
    noise: float = 1.0

    def items(self, n, rng):
        return rng.normal(size=(n, 2)) * 1.2

    def raters(self, m, rng):
        return {
            "severity": rng.normal(size=m) * self.severity,
            "noise": self.noise * np.exp(rng.normal(size=m) * 0.3),
            "spams": rng.random(m) < self.spammers,
            "camp": (rng.random(m) < 0.5) & self.camps,
        }

    def rate(self, items, raters, item, rater, rng):
        """Labels, from 0, of the given pairs of an item and a rater."""
        seen = items[item, 0]
        # The other camp looks at something else, which has .3 in common with it.
        other = 0.3 * seen + np.sqrt(1 - 0.3**2) * items[item, 1]
        seen = np.where(raters["camp"][rater], other, seen)
        latent = (
            seen + raters["severity"][rater] + raters["noise"][rater] * rng.normal(size=len(item))
        )
        label = np.searchsorted(np.array(self.cuts), latent)
        return np.where(
            raters["spams"][rater], rng.integers(0, len(self.cuts) + 1, len(item)), label
        )


FIVE, TEN = (-1.5, -0.5, 0.5, 1.5), tuple(np.linspace(-2.7, 2.7, 10))
POPULATIONS = {
    "binary": Population("nominal", (0.0,)),
    "ordinal 1-5": Population("ordinal", FIVE),
    "0-10, severity": Population("interval", TEN, severity=0.75),
}
OWN = {
    "spammers (20%)": Population("nominal", (0.0,), spammers=0.2),
    "two camps of raters": Population("nominal", (0.0,), camps=True),
    "skewed (10% yes)": Population("nominal", (2.1,)),
    "1-5, severity": Population("interval", FIVE, severity=1.0),
}


@dataclass(frozen=True)
class Design:
    """Who rates what: `each` raters an item, out of `raters`; Zipf: some rate much more."""

    items: int
    raters: int
    each: int
    zipf: bool = False

    def pairs(self, rng):
        if self.raters == self.each:
            grid = np.indices((self.items, self.raters)).reshape(2, -1)
            return grid[0], grid[1]
        if self.raters == self.items * self.each:  # all raters new
            return np.repeat(np.arange(self.items), self.each), np.arange(self.raters)
        share = 1 / np.arange(1, self.raters + 1) if self.zipf else np.ones(self.raters)
        key = np.log(share) + rng.gumbel(size=(self.items, self.raters))
        chosen = np.argpartition(-key, self.each, axis=1)[:, : self.each]
        return np.repeat(np.arange(self.items), self.each), np.sort(chosen, axis=1).ravel()

    def draw(self, population, rng):
        item, rater = self.pairs(rng)
        items, raters = population.items(self.items, rng), population.raters(self.raters, rng)
        label = population.rate(items, raters, item, rater, rng)
        kind = population.scale if population.scale == "ordinal" else "nominal"
        names = tuple(map(str, range(len(population.cuts) + 1)))
        return Labels(
            np.arange(self.items), np.arange(self.raters), Scale(names, kind), item, rater, label
        )


DESIGNS = {
    "100 x 3": Design(100, 3, 3),
    "1000 x 3": Design(1000, 3, 3),
    "100 x 5": Design(100, 5, 5),
    "1000 x 5": Design(1000, 5, 5),
    "100 x 10": Design(100, 10, 10),
    "1000 x 10": Design(1000, 10, 10),
    "500, 5 of 20, Zipf": Design(500, 20, 5, zipf=True),
    "300, 3 of 20": Design(300, 20, 3),
    "100, 3 of 100": Design(100, 100, 3),
    "100, all new": Design(100, 300, 3),
}
OWN_DESIGNS = {
    "100 x 3": DESIGNS["100 x 3"],
    "100 x 5": DESIGNS["100 x 5"],
    "1000 x 5": DESIGNS["1000 x 5"],
    "300 x 10": Design(300, 10, 10),
    "300, 3 of 20": DESIGNS["300, 3 of 20"],
}
MORE_DESIGNS = {  # of the first three populations
    "sparse pairs: 200, 3 of 60": Design(200, 60, 3),
    "20 items x 5": Design(20, 5, 5),
    "20 items x 10": Design(20, 10, 10),
}


def truth(population, name, rng, *, k=None):
    """The coefficient on very many items and raters."""
    design = Design(20_000, 4_000, 8)
    item = np.repeat(np.arange(design.items), design.each)
    rater = rng.integers(0, design.raters, len(item))
    items, raters = population.items(design.items, rng), population.raters(design.raters, rng)
    label = population.rate(items, raters, item, rater, rng)
    kind = population.scale if population.scale == "ordinal" else "nominal"
    scale = Scale(tuple(map(str, range(len(population.cuts) + 1))), kind)
    keep = np.unique(item * design.raters + rater, return_index=True)[1]
    labels = Labels(
        np.arange(design.items),
        np.arange(design.raters),
        scale,
        item[keep],
        rater[keep],
        label[keep],
    )
    data = prepare(labels, population.scale)
    single = {"icc1k": "icc1", "icc2k": "icc2", "icc3k": "icc3"}.get(name, name)
    value = Engine(data, [COEFFICIENTS[single]]).values[single]
    return value if single == name else k * value / (1 + (k - 1) * value)


def cover(population, design, name, true, data_sets, rng):
    """Coverage and mean width: over items only, and for raters like these."""
    inside, width, counted = np.zeros(2), np.zeros(2), 0
    for _ in range(data_sets):
        data = prepare(design.draw(population, rng), population.scale)
        found = like_these(COEFFICIENTS[name], data)
        if found is None:
            continue
        counted += 1
        z, slope = found.scale.to(found.value), found.scale.slope(found.value)
        half = stdtrit(data.items_used - 1, (1 + LEVEL) / 2) * slope * np.sqrt(found.variance.items)
        items = found.scale.back(z - half), found.scale.back(z + half)
        crossed = find_scope(data.panel, SAMPLE).crossed
        for row, (low, high) in enumerate((items, found.ends(LEVEL) if crossed else items)):
            inside[row] += low <= true <= high
            width[row] += high - low
    return inside / counted, width / counted


def raters_part(options):
    print("population | design | alpha | items only | raters like these | width | width")
    cells = [(p, d) for p in POPULATIONS for d in {**DESIGNS, **MORE_DESIGNS}]
    cells += [(p, d) for p in OWN for d in OWN_DESIGNS]
    populations, designs = {**POPULATIONS, **OWN}, {**DESIGNS, **MORE_DESIGNS, **OWN_DESIGNS}
    true = {p: truth(one, "alpha", np.random.default_rng(1)) for p, one in populations.items()}
    for row, (p, d) in enumerate(cells):
        rng = np.random.default_rng([2, row])
        inside, width = cover(populations[p], designs[d], "alpha", true[p], options.data_sets, rng)
        print(
            f"| {p} | {d} | {true[p]:.3f} | {inside[0]:.3f} | {inside[1]:.3f} | {width[0]:.2f} | "
            f"{width[1]:.2f} |",
            flush=True,
        )


def few_part(options):
    """Few items, or a rare label: where words stand in place of an interval."""
    print("population | items x raters | words: share, coverage | approximate | plain")
    cases = {
        "binary": (POPULATIONS["binary"], (4, 6, 10, 15)),
        "ordinal 1-5": (POPULATIONS["ordinal 1-5"], (4, 6, 10, 15)),
        "skewed (10% yes)": (OWN["skewed (10% yes)"], (20, 50, 100, 200)),
        "skewed (5% yes)": (Population("nominal", (2.8,)), (20, 50, 100, 200)),
    }
    for row, (name, (population, sizes)) in enumerate(cases.items()):
        true = truth(population, "alpha", np.random.default_rng(1))
        for items in sizes:
            for raters in (3, 5, 10):
                rng = np.random.default_rng([10, row, items, raters])
                inside: dict[str, list[bool]] = {"words": [], "approximate": [], "plain": []}
                for _ in range(options.data_sets):
                    drawn = Design(items, raters, raters).draw(population, rng)
                    data = prepare(drawn, population.scale)
                    if data.one_label is not None:
                        continue
                    found = like_these(COEFFICIENTS["alpha"], data)
                    if found is None:
                        continue
                    kind = "approximate" if data.small else "plain"
                    low, high = found.ends(LEVEL)
                    inside["words" if data.too_small else kind].append(low <= true <= high)
                total = sum(map(len, inside.values()))
                cells = [
                    f"{len(each) / total:.2f}, {np.mean(each):.2f}" if each else "0"
                    for each in inside.values()
                ]
                print(f"| {name} | {items} x {raters} | {' | '.join(cells)} |", flush=True)


def marked_part(options):
    """What the first screen says of its interval, and whether it holds."""
    print("population | items x raters | for | words: share, coverage | approximate | plain")
    skewed, five = OWN["skewed (10% yes)"], POPULATIONS["ordinal 1-5"]
    spammers = Population("nominal", (0.0,), spammers=0.12)
    interval = replace(five, scale="interval")
    cells = [("skewed (10% yes)", skewed, n, m, SAMPLE) for n, m in ((300, 4), (300, 8), (300, 20))]
    cells += [("spammers (12%)", spammers, n, m, SAMPLE) for n in (30, 100) for m in (8, 12, 20)]
    careful = Population("nominal", (0.0,), severity=0.1, spammers=0.12, noise=0.25)
    cells += [("careful, but spammers (12%)", careful, 100, m, SAMPLE) for m in (8, 12, 20)]
    cells += [("no spammers", POPULATIONS["binary"], 100, m, SAMPLE) for m in (8, 12)]
    cells += [("ordinal 1-5", five, 30, m, FIXED) for m in (2, 4)]
    cells += [("1-5, severity", interval, 30, 4, FIXED)]
    cells += [("skewed (10% yes)", skewed, n, 4, FIXED) for n in (100, 300)]
    cells += [("spammers (12%)", spammers, 100, 8, FIXED)]
    for row, (name, population, items, raters, kind) in enumerate(cells):
        rng = np.random.default_rng([11, row])
        of_all = truth(population, "alpha", np.random.default_rng(1))
        inside: dict[str, list[bool]] = {"words": [], "approximate": [], "plain": []}
        for _ in range(options.data_sets):
            panel = population.raters(raters, rng)
            few, many = (of_panel(n, panel, population, rng) for n in (items, 20_000))
            options_of = {"coefficients": "alpha", "scale": population.scale}
            report = agree(few, intervals=kind.name, **options_of).report
            if report is None:
                inside["words"].append(False)
                continue
            true = of_all
            if kind is FIXED:
                true = agree(many, intervals="fixed", **options_of)["alpha"].value
            e = agree(few, intervals=kind.name, **options_of)["alpha"]
            how = "approximate" if report.approximate else "plain"
            holds = e.low is not None and e.low <= true <= e.high
            inside["words" if report.estimate.low is None else how].append(holds)
        shares = [
            f"{len(each) / options.data_sets:.2f}, {np.mean(each):.2f}" if each else "0"
            for each in inside.values()
        ]
        print(f"| {name} | {items} x {raters} | {kind.words} | {' | '.join(shares)} |", flush=True)


def of_panel(items, panel, population, rng):
    """Ratings of new items by raters who are given, all of everything."""
    raters = len(panel["severity"])
    item, rater = np.indices((items, raters)).reshape(2, -1)
    label = population.rate(population.items(items, rng), panel, item, rater, rng)
    kind = population.scale if population.scale == "ordinal" else "nominal"
    scale = Scale(tuple(map(str, range(len(population.cuts) + 1))), kind)
    return Labels(np.arange(items), np.arange(raters), scale, item, rater, label)


def coefficients_part(options):
    print("coefficient | population | design | truth | items only | raters like these")
    for p in ("0-10, severity", "ordinal 1-5", "skewed (10% yes)"):
        population = {**POPULATIONS, **OWN}[p]
        numeric = population.scale == "interval"
        for name, one in COEFFICIENTS.items():
            if one.over_pairs or (one.name.startswith("icc") and not numeric):
                continue
            if population.scale == "nominal" and name.endswith(("linear", "quadratic")):
                continue
            for d in ("100 x 5", "500, 5 of 20, Zipf", "300, 3 of 20"):
                design = DESIGNS[d]
                true = truth(population, name, np.random.default_rng(1), k=design.each)
                rng = np.random.default_rng([3, len(name), design.items])
                inside, _ = cover(population, design, name, true, options.data_sets, rng)
                print(
                    f"| {one.title} | {p} | {d} | {true:.3f} | {inside[0]:.3f} | {inside[1]:.3f} |",
                    flush=True,
                )


def differences_part(options):
    print("comparison | design | truth | items only | raters like these")
    sets, population = options.data_sets, POPULATIONS["binary"]

    def report(name, design, true, make):
        inside = np.zeros(2)
        for _ in range(sets):
            for row, kind in enumerate(("fixed", "sample")):
                found = make(kind)
                inside[row] += found.low <= true <= found.high
        fixed, sample = inside / sets
        print(f"| {name} | {design} | {true:+.3f} | {fixed:.3f} | {sample:.3f} |", flush=True)

    for name in ("100 x 5", "1000 x 5", "100 x 10", "300, 3 of 20"):
        design, rng = DESIGNS[name], np.random.default_rng([6, len(name)])
        halves = {i: i % 2 for i in range(design.items)}
        state = {}

        def strata(kind, rng=rng, design=design, state=state, halves=halves):
            if kind == "fixed":
                state["labels"] = design.draw(population, rng)
            return (
                compare_agreement(state["labels"], by=halves, intervals=kind)
                .differences[0]
                .difference
            )

        def panels(kind, rng=rng, design=design, state=state):
            """The same items by two panels."""
            if kind == "fixed":
                items = population.items(design.items, rng)
                for side in "ab":
                    state[side] = drawn_of(items, design, population, rng, side)
            pair = state["a"], state["b"]
            return compare_agreement(*pair, intervals=kind).differences[0].difference

        report("two strata, same raters", name, 0.0, strata)
        report("two panels, same items", name, 0.0, panels)
    for humans in (5, 10, 20):
        rng, state = np.random.default_rng([7, humans]), {}
        true = judged(3000, 60, rng)

        def judge(kind, rng=rng, humans=humans, state=state):
            if kind == "fixed":
                state["labels"] = with_judge(200, humans, rng)
            found = compare_agreement(state["labels"], against=[humans], intervals=kind)
            return found.differences[0].difference

        report("judge with humans less humans", f"200 x {humans}", true, judge)


def conger_part(options):
    print("items a pair shares | truth | mean Cohen | mean Scott | pooled Cohen")
    population, sets = POPULATIONS["binary"], max(options.data_sets // 10, 5)
    names = ["pooled_kappa", "cohen", "scott"]
    true = truth(population, "pooled_kappa", np.random.default_rng(1))
    for design in (Design(100, 3, 3), Design(300, 20, 3), Design(300, 50, 3), Design(300, 130, 3)):
        rng = np.random.default_rng([8, design.raters])
        found: dict[str, list[float]] = {name: [] for name in names}
        for _ in range(sets):
            data = prepare(design.draw(population, rng), "nominal")
            values = Engine(data, [COEFFICIENTS[name] for name in names]).values
            for name in names:
                found[name].append(values.get(name, np.nan))
        pairs = design.raters * (design.raters - 1) / 2
        shared = design.items * design.each * (design.each - 1) / 2 / pairs
        means = {name: np.nanmean(each) for name, each in found.items()}
        print(
            f"| {shared:.3g} | {true:.3f} | {means['cohen']:.3f} | {means['scott']:.3f} | "
            f"{means['pooled_kappa']:.3f} |",
            flush=True,
        )


def drawn_of(items, design, population, rng, side):
    item, rater = design.pairs(rng)
    raters = population.raters(design.raters, rng)
    label = population.rate(items, raters, item, rater, rng)
    names = np.array([f"{side}{j}" for j in range(design.raters)], dtype=object)
    scale = Scale(tuple(map(str, range(len(population.cuts) + 1))))
    return Labels(np.arange(design.items), names, scale, item, rater, label)


def with_judge(items, humans, rng):
    """Humans, and a judge without severity whose noise is that of the typical human."""
    population = POPULATIONS["binary"]
    raters = population.raters(humans + 1, rng)
    raters["severity"][humans], raters["noise"][humans] = 0.0, 0.7
    item, rater = np.indices((items, humans + 1)).reshape(2, -1)
    label = population.rate(population.items(items, rng), raters, item, rater, rng)
    every = np.arange(items), np.arange(humans + 1)
    return Labels(*every, Scale(("0", "1")), item, rater, label)


def judged(items, humans, rng):
    labels = [with_judge(items, humans, rng) for _ in range(3)]
    found = [compare_agreement(one, against=[humans]).differences[0].difference for one in labels]
    return float(np.mean([one.value for one in found]))


def beta_ratings(items, raters, p, points, rng, *, differ=0.0, new=False):
    """Ratings by Phi's model; raters may differ in precision, and be new for every item."""
    size = (items, raters) if new else raters
    mu, own = rng.random(items)[:, None], p * np.exp(rng.normal(size=size) * differ)
    return on_points(rng.beta(np.maximum(mu * own, 1e-6), np.maximum((1 - mu) * own, 1e-6)), points)


def on_points(x, points):
    """Labels of a table of numbers from 0 to 1, on so many points."""
    x = np.minimum((x * points).astype(int), points - 1)
    item, rater = np.indices(x.shape).reshape(2, -1)
    scale = Scale(tuple(map(str, range(points))))
    return Labels(np.arange(len(x)), np.arange(x.shape[1]), scale, item, rater, x.ravel())


def slipped(items, raters, p, points, slips, rng):
    """Ratings by Phi's model, some of which went to the lower end by a slip."""
    labels = beta_ratings(items, raters, p, points, rng)
    label = labels.label.copy()
    label[rng.choice(len(label), slips, replace=False)] = 0
    return replace(labels, label=label)


def polarised(items, raters, points, rng):
    """Half of the items split the raters between the ends, the others are agreed on."""
    torn = rng.integers(0, 2, (items, raters)) * 0.9 + 0.05 + 0.05 * rng.random((items, raters))
    agreed = rng.beta(np.full((items, raters), 20.0), 20.0)
    return on_points(np.where(np.arange(items)[:, None] % 2, torn, agreed), points)


def clipped(items, raters, points, rng):
    """Normal numbers, clipped to the scale: many at the lower end."""
    mean = rng.normal(size=(items, 1)) * 0.4
    x = mean + 0.3 * rng.normal(size=(items, raters))
    return on_points(np.clip(x, 0, 1), points)


def phi_part(options):
    sets = max(options.data_sets // 10, 5)
    print(f"withheld, {sets} data sets each")
    cases = {
        f"model, p = {p}, {k} points": (lambda r, p=p, k=k: beta_ratings(150, 5, p, k, r))
        for p in (1.5, 4, 12)
        for k in (5, 11, 101)
    }
    cases["half of the items polarised, 11 points"] = lambda r: polarised(150, 6, 11, r)
    cases["clipped normal, 101 points"] = lambda r: clipped(150, 6, 101, r)
    cases["clipped normal, 5 points"] = lambda r: clipped(150, 6, 5, r)
    for slips in (1, 5, 50):
        name = f"model, p = 40, 101 points, {slips} of 750 ratings at 0 by a slip"
        cases[name] = lambda r, n=slips: slipped(150, 5, 40, 101, n, r)
    for row, (name, make) in enumerate(cases.items()):
        rng = np.random.default_rng([4, row])
        found = [phi(make(rng), intervals="fixed") for _ in range(sets)]
        withheld = sum(one.withheld is not None for one in found)
        false = sum(one.verdict == "disagreement" for one in found)
        print(f"| {name} | {withheld} | {false} |", flush=True)
    print("raters who differ in precision: truth, coverage for these raters, for raters like these")
    for points in (5, 11):
        rng = np.random.default_rng([5, points])
        large = phi(beta_ratings(6000, 8, 4, points, rng, differ=0.6, new=True), intervals="fixed")
        true = (large.fitted or large.estimate).value
        for items, raters in ((100, 3), (200, 5), (200, 10)):
            found = [
                phi(beta_ratings(items, raters, 4, points, rng, differ=0.6)) for _ in range(sets)
            ]
            found = [one for one in found if one.withheld is None]
            fixed = np.mean(
                [one.these_raters.low <= true <= one.these_raters.high for one in found]
            )
            wide = np.mean([one.low <= true <= one.high for one in found])
            print(
                f"| {points} points | {items} x {raters} | {true:.3f} | {fixed:.2f} | {wide:.2f} |"
            )


PARTS: dict[str, Callable[[argparse.Namespace], None]] = {
    "raters": raters_part,
    "few": few_part,
    "marked": marked_part,
    "coefficients": coefficients_part,
    "conger": conger_part,
    "differences": differences_part,
    "phi": phi_part,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=400)
    parser.add_argument("--part", choices=PARTS, action="append")
    options = parser.parse_args()
    for part in options.part or PARTS:
        print(f"\n## {part}\n")
        PARTS[part](options)


if __name__ == "__main__":
    main()
