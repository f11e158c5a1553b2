"""Do intervals of ratings and ranks hold, and are raters judged fairly?

    python docs/studies/scripts/pairs_errors.py [--sets 100] [--parts errors ranks raters style rankings
        many]

Data are simulated, so that the truth is known; the page pairs.md has what this printed.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.io.comparisons import read_comparisons
from headcount.pairwise.bradley_terry import bradley_terry
from headcount.pairwise.pairs import pairs
from headcount.pairwise.spammers import find_spammers
from headcount.stats.estimate import Estimate


def drawn(
    rng: np.random.Generator,
    theta: np.ndarray,
    n: int,
    *,
    ties: float = 0.0,
    clusters: int = 0,
    taste: float = 0.0,
    exposure: np.ndarray | None = None,
    weights: bool = False,
    shift: float = 0.0,
) -> Comparisons:
    """Draw comparisons; clusters have tastes of their own, items are shown more or less often."""
    items = len(theta)
    chance = np.full(items, 1 / items) if exposure is None else exposure / exposure.sum()
    left = rng.choice(items, n, p=chance)
    right = rng.choice(items, n, p=chance)
    while (same := left == right).any():
        right[same] = rng.choice(items, int(same.sum()), p=chance)
    cluster = rng.integers(0, max(clusters, 1), n)
    own = taste * rng.normal(size=(max(clusters, 1), items))
    eta = theta[left] - theta[right] + own[cluster, left] - own[cluster, right] + shift
    outcome = (rng.random(n) < 1 / (1 + np.exp(-eta))).astype(float)
    outcome[rng.random(n) < ties] = 0.5
    return Comparisons(
        np.arange(items),
        left,
        right,
        outcome,
        weight=rng.choice([0.5, 1.0, 3.0], n) if weights else None,
        clusters={"cluster": cluster} if clusters else {},
    )


ERRORS = {
    "plain": ({}, {}),
    "ties .8": ({"ties": 0.8}, {}),
    "weights .5, 1, 3": ({"weights": True}, {}),
    "position and ties": ({"ties": 0.4, "shift": 0.5}, {"position": True}),
    "unequal exposure": ({"exposure": np.geomspace(1, 20, 20)}, {}),
    "two clumps": ({"clumps": True}, {}),
    **{
        f"taste 1, {g} clusters": ({"clusters": g, "taste": 1.0}, {"cluster": "cluster"})
        for g in (4, 5, 10, 20, 60, 200)
    },
}


def errors(sets: int) -> None:
    """Coverage of 95% intervals of ratings: 20 items, 1,000 comparisons."""
    print("| design | by the model | width | robust | width |")
    print("|---|---|---|---|---|")
    for number, (name, (design, options)) in enumerate(ERRORS.items()):
        rng = np.random.default_rng(number)
        hits, widths = {"hessian": [], "robust": []}, {"hessian": [], "robust": []}
        for _ in range(sets):
            theta = abilities(rng, 20, "clumps" if design.get("clumps") else 1.0)
            data = drawn(rng, theta, 1000, **{k: v for k, v in design.items() if k != "clumps"})
            # Ties take away from both sides: what half wins are about is a flatter curve.
            truth = _limit(theta, design)
            for kind in hits:
                fit = bradley_terry(data, errors=kind, **options)
                if not fit.finite.all():
                    continue
                ends = [fit.parameter(i).estimate() for i in range(20)]
                low, high = (np.array([getattr(e, end) for e in ends]) for end in ("low", "high"))
                hits[kind].append(np.mean((low <= truth) & (truth <= high)))
                widths[kind].append(np.mean(high - low))
        row = [f"{np.mean(hits[k]):.3f} | {np.mean(widths[k]):.2f}" for k in hits]
        print(f"| {name} | {' | '.join(row)} |", flush=True)


def _limit(theta: np.ndarray, design: dict) -> np.ndarray:
    """Find the ratings that infinitely many comparisons would have."""
    truth, items = theta - theta.mean(), len(theta)
    share, taste = design.get("ties", 0.0), design.get("taste", 0.0)
    if not share and not taste:
        return truth
    left, right = (side.ravel() for side in np.indices((items, items)))
    kept = left != right
    left, right = left[kept], right[kept]
    nodes, weight = np.polynomial.hermite_e.hermegauss(21)
    gap = (theta[left] - theta[right])[:, None] + taste * np.sqrt(2) * nodes
    win = (1 / (1 + np.exp(-gap))) @ (weight / weight.sum())
    p = (1 - share) * win + share / 2
    shift = design.get("shift", 0.0)
    if shift:
        up = 1 / (1 + np.exp(-(gap + shift)))
        p = (1 - share) * (up @ (weight / weight.sum())) + share / 2
    both = Comparisons(
        np.arange(items),
        np.concatenate([left, left]),
        np.concatenate([right, right]),
        np.concatenate([np.ones(len(p)), np.zeros(len(p))]),
        weight=1e4 * np.concatenate([p, 1 - p]),
    )
    return bradley_terry(both, errors="hessian", position=bool(shift)).rating


def abilities(rng: np.random.Generator, items: int, kind: str | float) -> np.ndarray:
    """Draw ratings: normal with a standard deviation, or two clumps."""
    if kind == "clumps":
        return np.where(np.arange(items) < items // 2, 1.0, -1.0) + rng.normal(0, 0.02, items)
    return rng.normal(0, float(kind), items)


def ranks(sets: int) -> None:
    """Coverage of intervals of ranks: 100 comparisons per item."""
    print("| items | spread | on average | width | Arena's | worst tenth | best holds 1 | each |")
    print("|---|---|---|---|---|---|---|---|")
    for number, (items, kind) in enumerate(
        [(30, 0.02), (30, 0.1), (30, 1.0), (30, "clumps"), (200, 0.1), (200, 1.0)]
    ):
        rng = np.random.default_rng(100 + number)
        hits, widths, arena, best, each = [], [], [], [], []
        for _ in range(sets if items < 100 else max(sets // 4, 5)):
            theta = abilities(rng, items, kind)
            data = drawn(rng, theta, 50 * items)
            true = 1 + np.sum(theta > theta[:, None], axis=1)
            rated = {i.item: i for i in pairs(data).items}
            found = {k: i.rank for k, i in rated.items()}
            low, high = np.array([(found[k].low, found[k].high) for k in range(items)]).T
            arena.append(overlapping([rated[k].rating for k in range(items)]))
            inside = (low <= true) & (true <= high)
            order = np.argsort(true)
            hits.append(inside[order])
            widths.append(np.mean(high - low + 1))
            best.append(low[order[0]] == 1)
            if items < 100:
                wide = {i.item: i.rank for i in pairs(data, ranks="each").items}
                each.append([wide[k].low <= true[k] <= wide[k].high for k in range(items)])
        by_rank = np.mean(hits, axis=0)
        worst = np.sort(by_rank)[: max(items // 10, 1)].mean()
        alone = f"{np.mean(each):.3f}" if each else ""
        print(
            f"| {items} | {kind} | {np.mean(hits):.3f} | {np.mean(widths):.1f} | "
            f"{np.mean(arena):.1f} | {worst:.3f} | {np.mean(best):.2f} | {alone} |",
            flush=True,
        )


def overlapping(ratings: list[Estimate]) -> float:
    """Mean width of ranks by Arena's rule: who is above has an interval that lies above."""
    low, high = (np.array([getattr(r, end) for r in ratings]) for end in ("low", "high"))
    above = np.sum(low > high[:, None], axis=1)
    below = np.sum(high < low[:, None], axis=1)
    return float(np.mean(len(ratings) - above - below))


def crowds(rng: np.random.Generator, kind: str, each: int) -> tuple[Comparisons, np.ndarray]:
    """Eighty raters of 60 items, 12 of whom answer at random unless the kind is without spam."""
    items, raters = 60, 80
    spam = np.arange(raters) < (0 if "no spam" in kind else 12)
    theta = rng.normal(0, 1.5, items)
    own = np.zeros((raters, items))
    if "taste" in kind:
        own = rng.normal(0, 1.0, (raters, items))
    if "minority" in kind:
        own[-12:] = rng.normal(0, 1.5, items) - theta
    rater = np.repeat(np.arange(raters), each)
    left = rng.integers(0, items, len(rater))
    right = (left + rng.integers(1, items, len(rater))) % items
    eta = theta[left] - theta[right] + own[rater, left] - own[rater, right]
    width = rng.uniform(0.0, 2.0, raters) if "tie width" in kind else np.zeros(raters)
    noise = rng.logistic(size=len(rater))
    felt = np.where(spam[rater], 3 * noise, eta + noise)
    outcome = np.where(np.abs(felt) < width[rater], 0.5, (felt > 0).astype(float))
    data = Comparisons(
        np.arange(items), left, right, outcome, rater=rater, raters=np.arange(raters)
    )
    return data, spam


def kinds() -> Iterator[tuple[str, int]]:
    """List kinds of crowds and answers a rater."""
    for kind in ("plain", "own tie width, no spam", "own tie width", "own taste", "minority"):
        yield kind, 40
    yield "plain", 15


def raters(sets: int) -> None:
    """Honest raters accused, and spammers found."""
    print("| crowd | answers | honest accused | spammers found | other verdicts of spammers |")
    print("|---|---|---|---|---|")
    for number, (kind, each) in enumerate(kinds()):
        rng = np.random.default_rng(200 + number)
        said = Counter()
        for _ in range(sets):
            data, spam = crowds(rng, kind, each)
            for r in find_spammers(data).raters:
                said[bool(spam[int(str(r.rater))]), r.verdict] += 1
        honest = sum(n for (spammer, _), n in said.items() if not spammer)
        planted = sum(n for (spammer, _), n in said.items() if spammer)
        rest = ", ".join(
            f"{verdict} {n}"
            for (spammer, verdict), n in sorted(said.items())
            if spammer and verdict != "spammer"
        )
        print(
            f"| {kind} | {each} | {said[False, 'spammer']} of {honest} | "
            f"{said[True, 'spammer']} of {planted} | {rest} |",
            flush=True,
        )


def style(sets: int) -> None:
    """Coverage with style control: 20 items, some of which are long; 1,000 comparisons."""
    print("| raters like length by | ratings | not controlled | coefficient |")
    print("|---|---|---|---|")
    for number, gamma in enumerate((0.0, 0.5, 1.0)):
        rng = np.random.default_rng(300 + number)
        hits, bare, effects = [], [], []
        for _ in range(sets):
            theta, habit = rng.normal(size=(2, 20))
            left = rng.integers(0, 20, 1000)
            right = (left + rng.integers(1, 20, 1000)) % 20
            longer = habit[left] - habit[right] + rng.normal(0, 1.4, 1000)
            eta = theta[left] - theta[right] + gamma * longer
            won = (rng.random(1000) < 1 / (1 + np.exp(-eta))).astype(float)
            data = Comparisons(np.arange(20), left, right, won, controls={"a:b": longer})
            fit, plain = bradley_terry(data, control="a:b"), bradley_terry(data)
            if not fit.finite.all():
                continue
            truth = theta - theta.mean()
            for one, into in ((fit, hits), (plain, bare)):
                ends = [one.parameter(i).estimate() for i in range(20)]
                inside = [e.low <= t <= e.high for e, t in zip(ends, truth, strict=True)]
                into.append(np.mean(inside))
            found, unit = fit.control_effects[0].estimate(), fit.control_units[0]
            effects.append(found.low <= gamma * unit <= found.high)
        print(
            f"| {gamma} | {np.mean(hits):.3f} | {np.mean(bare):.3f} | {np.mean(effects):.3f} |",
            flush=True,
        )


def ordered(
    rng: np.random.Generator, theta: np.ndarray, n: int, *, raters: int = 0, taste: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Draw n rankings of 4 items, best first, by raters with tastes of their own."""
    who = rng.integers(0, max(raters, 1), n)
    own = taste * rng.normal(size=(max(raters, 1), len(theta)))
    shown = np.array([rng.permutation(len(theta))[:4] for _ in range(n)])
    seen = theta[shown] + own[who[:, None], shown] + rng.gumbel(size=(n, 4))
    return np.take_along_axis(shown, np.argsort(-seen, axis=1), axis=1), who


def as_data(order: np.ndarray, who: np.ndarray | None, kind: str) -> Comparisons:
    """Make rankings, rankings with a tie in the middle, or best-worst sets of orders."""
    rows = order.tolist()
    rater = None if who is None else who.tolist()
    if kind == "best-worst":
        shown = {"items": [sorted(row) for row in rows]}
        ends = {"best": [row[0] for row in rows], "worst": [row[-1] for row in rows]}
        return read_comparisons(shown | ends | ({} if rater is None else {"rater": rater}))
    if kind == "middle tied":
        rows = [[a, [b, c], d] for a, b, c, d in rows]
    return Comparisons.from_rankings(rows, rater=rater)


def rankings(sets: int) -> None:
    """Share of intervals that hold what very many rankings of the same kind would say."""
    theta = np.random.default_rng(0).normal(size=12)
    for kind in ("ranking", "middle tied", "best-worst"):
        for n, raters, taste in ((60, 0, 0.0), (300, 0, 0.0), (300, 12, 1.0), (300, 30, 1.0)):
            rng = np.random.default_rng(1)
            many, _ = ordered(rng, theta, 40_000, raters=40_000 if taste else 0, taste=taste)
            truth = bradley_terry(as_data(many, None, kind), errors="hessian").rating
            held, width = [], []
            for _ in range(sets):
                order, who = ordered(rng, theta, n, raters=raters, taste=taste)
                fit = bradley_terry(as_data(order, who if raters else None, kind))
                if len(fit.items) < len(theta) or not fit.finite.all():
                    continue
                ends = [fit.parameter(i).estimate() for i in range(len(theta))]
                held += [e.low <= t <= e.high for e, t in zip(ends, truth, strict=True)]
                width += [e.high - e.low for e in ends]
            who = f"{raters} raters, taste {taste:g}" if raters else "each for itself"
            print(f"| {kind} | {n} | {who} | {np.mean(held):.3f} | {np.mean(width):.2f} |")


def many(sets: int) -> None:
    """Share of intervals that hold with 2,500 items, by clusters with tastes or without."""
    for taste, clusters in ((0.0, 100), (1.0, 100), (1.0, 20)):
        rng = np.random.default_rng(1)
        held = {"cluster": [], "none": []}
        for _ in range(sets):
            theta = rng.normal(size=2500) * 0.7
            cluster = np.repeat(np.arange(clusters), 60_000 // clusters)
            # Each cluster shows a part of the items, and each of these again and again.
            seen = np.array([rng.permutation(2500)[: 20_000 // clusters] for _ in range(clusters)])
            a, b = rng.integers(0, seen.shape[1], (2, 60_000))
            b = np.where(a == b, (b + 1) % seen.shape[1], b)
            left, right = seen[cluster, a], seen[cluster, b]
            own = taste * rng.normal(size=(clusters, 2500))
            eta = theta[left] - theta[right] + own[cluster, left] - own[cluster, right]
            win = (rng.random(60_000) < 1 / (1 + np.exp(-eta))).astype(float)
            played = Comparisons(np.arange(2500), left, right, win, clusters={"cluster": cluster})
            shrunk = theta / np.sqrt(1 + 2 * taste**2 / 1.7**2)  # what the average rater answers
            for how, out in held.items():
                fit = bradley_terry(played, cluster=how)
                ends = [fit.parameter(i).estimate() for i in np.flatnonzero(fit.finite).tolist()]
                truth = (shrunk - shrunk.mean())[fit.finite]
                out += [e.low <= t <= e.high for e, t in zip(ends, truth, strict=True)]
        print(
            f"| {taste:g} | {clusters} | {np.mean(held['none']):.3f} | "
            f"{np.mean(held['cluster']):.3f} |"
        )


PARTS = {
    "errors": errors,
    "ranks": ranks,
    "raters": raters,
    "style": style,
    "rankings": rankings,
    "many": many,
}


def main() -> None:
    """Run the parts asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--parts", nargs="*", default=list(PARTS), choices=list(PARTS))
    asked = parser.parse_args()
    for part in asked.parts:
        print(f"\n{part}, {asked.sets} data sets a row\n", flush=True)
        PARTS[part](asked.sets)


if __name__ == "__main__":
    main()
