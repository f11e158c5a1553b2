"""Kernels of pairwise comparisons: compiled, on plain arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import NDArray

from headcount.pairwise.ties import DAVIDSON_CODE, HALF_CODE, RAO_KUPPER_CODE
from headcount.stats.arrays import compiled, part_of_kernel

__all__ = [
    "sort_pairs",
    "add_up",
    "totals",
    "evaluate",
    "times",
    "squares",
    "rate_steps",
    "elo_pass",
    "elo_excess",
    "majority",
    "elo",
]


# Kernels of the Bradley-Terry fit: passes over cells, a cell being a pair and what came of it.


@compiled(nogil=True)
def sort_pairs(left: Any, right: Any, sided: Any, merge: Any, n_items: Any) -> Any:
    """Put pairs in the order of their first and second item: a counting sort of each.

    Returns the first and second item of each cell, the cell of each pair, and whether left is
    second in it. `merge` makes one cell of equal pairs.
    """
    m = len(left)
    flipped = np.empty(m, dtype=np.bool_)
    of_first, of_second = np.zeros(n_items + 1, np.int64), np.zeros(n_items + 1, np.int64)
    for row in range(m):
        flip = not sided and left[row] > right[row]
        flipped[row] = flip
        i, j = (right[row], left[row]) if flip else (left[row], right[row])
        of_first[i + 1] += 1
        of_second[j + 1] += 1
    for k in range(n_items):
        of_first[k + 1] += of_first[k]
        of_second[k + 1] += of_second[k]
    # By the second item: rows, with their first item beside them, since looking it up is slow.
    rows, firsts = np.empty(m, dtype=np.int32), np.empty(m, dtype=np.int32)
    place = of_second.copy()
    for row in range(m):
        i, j = (right[row], left[row]) if flipped[row] else (left[row], right[row])
        rows[place[j]], firsts[place[j]] = row, i
        place[j] += 1
    # Those by the first.
    order, seconds = np.empty(m, dtype=np.int32), np.empty(m, dtype=np.int32)
    place = of_first.copy()
    for j in range(n_items):
        for at in range(of_second[j], of_second[j + 1]):
            i = firsts[at]
            order[place[i]], seconds[place[i]] = rows[at], j
            place[i] += 1
    out_first, out_second = np.empty(m, dtype=np.int32), np.empty(m, dtype=np.int32)
    cell = np.empty(m, dtype=np.int64)
    k = -1
    for i in range(n_items):
        for at in range(of_first[i], of_first[i + 1]):
            if not merge or at == of_first[i] or seconds[at] != out_second[k]:
                k += 1
                out_first[k], out_second[k] = i, seconds[at]
            cell[order[at]] = k
    return out_first[: k + 1].copy(), out_second[: k + 1].copy(), cell, flipped


@compiled(nogil=True)
def add_up(cell: Any, flipped: Any, outcome: Any, weight: Any, split: Any, n_cells: Any) -> Any:
    """Sum the weights of wins, ties and losses of each cell; `split` halves ties into both."""
    win, loss = np.zeros(n_cells), np.zeros(n_cells)
    tie = np.zeros(0 if split else n_cells)
    for row in range(len(cell)):
        k, w = cell[row], weight[row]
        share = 1.0 - outcome[row] if flipped[row] else outcome[row]
        if not split and share == 0.5:
            tie[k] += w
        else:
            win[k] += w * share
            loss[k] += w * (1.0 - share)
    return win, tie, loss


@compiled(nogil=True)
def totals(first: Any, second: Any, win: Any, tie: Any, loss: Any, n_items: Any) -> Any:
    """Points that each item won, ties as halves, and that it played for."""
    won, played = np.zeros(n_items), np.zeros(n_items)
    for k in range(len(first)):
        half = tie[k] / 2 if len(tie) else 0.0
        i, j = first[k], second[k]
        all_ = win[k] + loss[k] + 2 * half
        won[i] += win[k] + half
        won[j] += loss[k] + half
        played[i] += all_
        played[j] += all_
    return won, played


@compiled(nogil=True)
def evaluate(
    ties: Any,
    first: Any,
    second: Any,
    win: Any,
    tie: Any,
    loss: Any,
    theta: Any,
    shift: Any,
    cut: Any,
    score: Any,
    curve: Any,
    cross: Any,
) -> Any:
    """Log-likelihood, its gradient, and the diagonal of its negative Hessian.

    Of each cell, `score` gets the derivative in the log odds eta, `curve` the negative second
    derivative, `cross` the negative mixed one in eta and `cut`.
    """
    size = len(theta) + 2
    gradient, diagonal = np.zeros(size), np.zeros(size)
    total, product, g_shift, g_cut, d_shift, d_cut = 0.0, 1.0, 0.0, 0.0, 0.0, 0.0
    log_tie = per_tie = tie_curve = 0.0
    if ties == RAO_KUPPER_CODE:
        # log(e^2t - 1) and its derivatives; t > 0
        log_tie = 2.0 * cut + math.log(-math.expm1(-2.0 * cut))
        per_tie = -2.0 / math.expm1(-2.0 * cut)
        tie_curve = per_tie * (per_tie - 2.0)
    for k in range(len(first)):
        all_ = win[k] + loss[k]
        if ties != HALF_CODE:
            all_ += tie[k]
            cross[k] = 0.0
        if all_ == 0.0:
            # As a third of the cells of a bootstrap draw are.
            score[k] = curve[k] = 0.0
            continue
        i, j = first[k], second[k]
        eta = theta[i] - theta[j] + shift
        if ties == HALF_CODE:
            e = math.exp(-abs(eta))
            p = 1.0 / (1.0 + e)
            q = e * p  # not 1 - p, which is 0 too soon
            up = p if eta >= 0.0 else q
            total += win[k] * eta - all_ * max(eta, 0.0)
            whole = int(min(all_, 9.0))
            if whole == all_:
                # Nearly all cells: one logarithm of a product of many, each at most 2^9.
                for _ in range(whole):
                    product *= 1.0 + e
                if product > 1e300:
                    total -= math.log(product)
                    product = 1.0
            else:
                total -= all_ * math.log1p(e)
            g = win[k] - all_ * up
            c = all_ * p * q
        elif ties == DAVIDSON_CODE:
            top = max(abs(eta) / 2.0, cut)
            left, right = math.exp(eta / 2.0 - top), math.exp(-eta / 2.0 - top)
            drawn = math.exp(cut - top)
            sum_ = left + right + drawn
            left, right, drawn = left / sum_, right / sum_, drawn / sum_
            lead = left - right
            net = win[k] - loss[k]
            total += net * eta / 2.0 + tie[k] * cut - all_ * (top + math.log(sum_))
            g = (net - all_ * lead) / 2.0
            c = all_ * (left + right - lead * lead) / 4.0
            cross[k] = -all_ * drawn * lead / 2.0
            g_cut += tie[k] - all_ * drawn
            d_cut += all_ * drawn * (1.0 - drawn)
        else:
            a, b = eta - cut, -eta - cut
            ea, eb = math.exp(-abs(a)), math.exp(-abs(b))
            pa, pb = 1.0 / (1.0 + ea), 1.0 / (1.0 + eb)
            wins, losses = win[k] + tie[k], loss[k] + tie[k]
            total += wins * (min(a, 0.0) - math.log1p(ea)) + tie[k] * log_tie
            total += losses * (min(b, 0.0) - math.log1p(eb))
            qa, qb = ea * pa, eb * pb
            ga = wins * (qa if a >= 0.0 else pa)
            gb = losses * (qb if b >= 0.0 else pb)
            ca, cb = wins * pa * qa, losses * pb * qb
            g, c = ga - gb, ca + cb
            cross[k] = cb - ca
            g_cut += tie[k] * per_tie - ga - gb
            d_cut += c + tie[k] * tie_curve
        score[k], curve[k] = g, c
        gradient[i] += g
        gradient[j] -= g
        diagonal[i] += c
        diagonal[j] += c
        g_shift += g
        d_shift += c
    gradient[size - 2], gradient[size - 1] = g_shift, g_cut
    diagonal[size - 2], diagonal[size - 1] = d_shift, d_cut
    return total - math.log(product), gradient, diagonal


@compiled(nogil=True)
def times(first: Any, second: Any, curve: Any, cross: Any, v: Any) -> Any:
    """Negative Hessian of the log-likelihood times `v`, but for its last entry on the diagonal."""
    size, by_cut = len(v), len(cross) > 0
    out = np.zeros(size)
    shift, cut, h_shift = v[size - 2], v[size - 1], 0.0
    for k in range(len(first)):
        i, j = first[k], second[k]
        step = v[i] - v[j] + shift
        h = curve[k] * step
        if by_cut:
            h += cross[k] * cut
            out[size - 1] += cross[k] * step
        out[i] += h
        out[j] -= h
        h_shift += h
    out[size - 2] = h_shift
    return out


@compiled(nogil=True)
def squares(first: Any, second: Any, curve: Any, diagonal: Any) -> Any:
    """Sum h_ij^2 / d_j over the cells of each item i: what a walk out and back adds."""
    out = np.zeros(len(diagonal))
    for k in range(len(first)):
        i, j = first[k], second[k]
        h = curve[k]
        out[i] += h * h / diagonal[j]
        out[j] += h * h / diagonal[i]
    return out


# Bradley-Terry ratings after each of several numbers of comparisons, compiled.

NO_LINK = -1
MOST_SWEEPS = 200
LONGEST = 2.0


@compiled(100, nogil=True)
def rate_steps(
    start: Any,
    left: Any,
    right: Any,
    outcome: Any,
    weight: Any,
    slope: Any,
    steps: Any,
    precision: float,
) -> Any:
    """Most probable logits by the first steps[0], steps[1], ... comparisons; steps x items.

    Newton steps of one item at a time, round and round until none moves by more than .001, from
    where the number of comparisons before ended. Comparisons of an item are a linked list, to
    which new ones are added in front. O(comparisons) a round, of which a step needs about 5.

    Parameters
    ----------
    start : (items,) array
        Ratings to start from.
    left, right, outcome, weight : (comparisons,) arrays
    slope : (comparisons,) array
        How much of a difference in ratings counts: less than 1 where it is uncertain.
    steps : (steps,) array of int
        Rising.
    precision : float
        Of the normal prior around 0.
    """
    items = len(start)
    head = np.full(items, NO_LINK, dtype=np.int64)
    # Comparison c is link 2c in the list of its left item, and 2c + 1 in that of its right one.
    after = np.full(2 * len(left), NO_LINK, dtype=np.int64)
    rating = start.copy()
    rated = np.zeros((len(steps), items))
    done = 0
    for step in range(len(steps)):
        while done < steps[step]:
            after[2 * done], head[left[done]] = head[left[done]], 2 * done
            after[2 * done + 1], head[right[done]] = head[right[done]], 2 * done + 1
            done += 1
        for _ in range(MOST_SWEEPS if done else 0):
            moved = 0.0
            for i in range(items):
                gradient, curve = -precision * rating[i], precision
                link = head[i]
                while link != NO_LINK:
                    c = link // 2
                    on_left = link % 2 == 0
                    other = right[c] if on_left else left[c]
                    won = outcome[c] if on_left else 1.0 - outcome[c]
                    p = 0.5 * (1.0 + math.tanh(0.5 * slope[c] * (rating[i] - rating[other])))
                    gradient += weight[c] * (won - p)
                    curve += weight[c] * slope[c] * p * (1.0 - p)
                    link = after[link]
                move = min(max(gradient / curve, -LONGEST), LONGEST)
                rating[i] += move
                moved = max(moved, abs(move))
            if moved < 1e-3:
                break
        rated[step] = rating
    return rated


# Elo over many comparisons, compiled.
#
# `slope` is ln(base) / denominator. An empty `weight` means that all are 1: a million ones cost as
# much to read as the outcomes.

REACH = 8
"""Largest difference in logits that the table of the logistic function covers."""
NODES = 32
"""Nodes of the table a logit: a power of 2, so that steps between them are exact."""
DEGREE = 6
"""Of the Taylor polynomials: with half a step of 1/64, what is left out is below 1e-16."""


def _logistic_table() -> NDArray[np.float64]:
    """Taylor coefficients of the logistic function s at each node, from the one of degree 0 on.

    The derivative of a polynomial in s is one again, as s' = s - s^2.
    """
    node = np.arange(-REACH * NODES, REACH * NODES + 1) / NODES
    share = 1 / (1 + np.exp(-node))
    slope = Polynomial([0, 1, -1])
    derivative, columns = Polynomial([0, 1]), list[NDArray[np.float64]]()
    for order in range(DEGREE + 1):
        columns.append(derivative(share) / math.factorial(order))
        derivative = derivative.deriv() * slope
    return np.stack(columns, axis=1)


_TABLE = _logistic_table()


@part_of_kernel(fastmath={"contract"})  # multiply and add at once: a fifth of the time
def _expected(gap: Any) -> Any:
    """Share of the point expected.

    A comparison costs little but this, and a table takes half as long as an exponential and a
    division. Beyond the table the exponent is never positive, so nothing overflows.
    """
    if -REACH < gap < REACH:
        # Rounded; unsigned, as an index that may be negative costs a comparison more.
        node = np.uint64(gap * NODES + (REACH * NODES + 0.5))
        c = _TABLE[node]
        x = gap - (np.int64(node) - REACH * NODES) / NODES
        return c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * (c[5] + x * c[6])))))
    odds = math.exp(-abs(gap))
    return (1.0 if gap >= 0 else odds) / (1 + odds)


@compiled()
def elo_pass(
    rating: Any,
    seen: Any,
    left: Any,
    right: Any,
    outcome: Any,
    weight: Any,
    order: Any,
    k: Any,
    slope: Any,
) -> None:
    """Update ratings in place, comparison by comparison, and mark the items as seen.

    An empty `order` is that of the comparisons.
    """
    for at in range(len(left)):
        row = order[at] if len(order) else at
        i, j = np.uint64(left[row]), np.uint64(right[row])
        step = k * (outcome[row] - _expected(slope * (rating[i] - rating[j])))
        if len(weight):
            step *= weight[row]
        rating[i] += step
        rating[j] -= step
        seen[i] = seen[j] = True


@compiled()
def elo_excess(rating: Any, left: Any, right: Any, outcome: Any, weight: Any, slope: Any) -> Any:
    """Points that each item took beyond what the ratings lead to expect, and how many it could."""
    excess, played = np.zeros(len(rating)), np.zeros(len(rating))
    for row in range(len(left)):
        i, j = left[row], right[row]
        points = weight[row] if len(weight) else 1.0
        more = points * (outcome[row] - _expected(slope * (rating[i] - rating[j])))
        excess[i] += more
        excess[j] -= more
        played[i] += points
        played[j] += points
    return excess, played


# Kernels of the methods that are tried: the majority vote, and Elo as the paper runs it.


@compiled(nogil=True)
def majority(rng: Any, said: Any) -> Any:
    """Label of most votes for each item; a coin decides where there are as many for either."""
    items, votes = said.shape
    label = np.empty(items, dtype=np.bool_)
    for item in range(items):
        positive = 0
        for turn in range(votes):
            positive += said[item, turn]
        if 2 * positive == votes:
            label[item] = rng.random() < 0.5
        else:
            label[item] = 2 * positive > votes
    return label


@compiled(20, nogil=True)
def elo(
    rng: Any, items: int, left: Any, right: Any, outcome: Any, k: float, epochs: int, slope: float
):
    """Elo ratings from 0, through all comparisons in a new random order each epoch.

    The pass is written out here, with a plain exponential in place of Elo's table.
    """
    rating = np.zeros(items)
    order = np.arange(len(left))
    for _ in range(epochs):
        for place in range(len(order) - 1, 0, -1):
            other = int(rng.random() * (place + 1))
            order[place], order[other] = order[other], order[place]
        for at in order:
            a, b = left[at], right[at]
            step = k * (outcome[at] - 1.0 / (1.0 + math.exp(slope * (rating[b] - rating[a]))))
            rating[a] += step
            rating[b] -= step
    return rating
