"""Kernels of the Bradley-Terry fit: passes over cells, a cell being a pair and what came of it.

Every function is compiled, runs without Python's lock, and takes plain arrays.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from headcount.pairwise.bradley_terry.ties.codes import DAVIDSON, HALF, RAO_KUPPER
from headcount.stats.compiled import compiled

__all__ = ["add_up", "evaluate", "information", "sort_pairs", "squares", "times", "totals"]


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
    rater: Any,
    win: Any,
    tie: Any,
    loss: Any,
    theta: Any,
    slope: Any,
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
    n, by_rater = len(theta), len(rater) > 0
    size = n + len(slope) + 2
    gradient, diagonal = np.zeros(size), np.zeros(size)
    total, product, g_shift, g_cut, d_shift, d_cut = 0.0, 1.0, 0.0, 0.0, 0.0, 0.0
    log_tie = per_tie = tie_curve = 0.0
    if ties == RAO_KUPPER:
        # log(e^2t - 1) and its derivatives; t > 0
        log_tie = 2.0 * cut + math.log(-math.expm1(-2.0 * cut))
        per_tie = -2.0 / math.expm1(-2.0 * cut)
        tie_curve = per_tie * (per_tie - 2.0)
    for k in range(len(first)):
        all_ = win[k] + loss[k]
        if ties != HALF:
            all_ += tie[k]
            cross[k] = 0.0
        if all_ == 0.0:
            # As a third of the cells of a bootstrap draw are.
            score[k] = curve[k] = 0.0
            continue
        i, j = first[k], second[k]
        gap = theta[i] - theta[j]
        s = slope[rater[k]] if by_rater else 1.0
        eta = s * gap + shift
        if ties == HALF:
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
        elif ties == DAVIDSON:
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
        gradient[i] += s * g
        gradient[j] -= s * g
        diagonal[i] += s * s * c
        diagonal[j] += s * s * c
        if by_rater:
            gradient[n + rater[k]] += gap * g
            diagonal[n + rater[k]] += gap * gap * c
        g_shift += g
        d_shift += c
    gradient[size - 2], gradient[size - 1] = g_shift, g_cut
    diagonal[size - 2], diagonal[size - 1] = d_shift, d_cut
    return total - math.log(product), gradient, diagonal


@compiled(nogil=True)
def times(
    first: Any,
    second: Any,
    rater: Any,
    theta: Any,
    slope: Any,
    score: Any,
    curve: Any,
    cross: Any,
    v: Any,
) -> Any:
    """Negative Hessian of the log-likelihood times `v`, but for its last entry on the diagonal."""
    n, by_rater, by_cut = len(theta), len(rater) > 0, len(cross) > 0
    size = len(v)
    out = np.zeros(size)
    shift, cut = v[size - 2], v[size - 1]
    if not by_rater and not by_cut:
        h_shift = 0.0
        for k in range(len(first)):
            i, j = first[k], second[k]
            h = curve[k] * (v[i] - v[j] + shift)
            out[i] += h
            out[j] -= h
            h_shift += h
        out[size - 2] = h_shift
        return out
    for k in range(len(first)):
        i, j = first[k], second[k]
        s, of_slope, gap = 1.0, 0.0, 0.0
        if by_rater:
            s, of_slope, gap = slope[rater[k]], v[n + rater[k]], theta[i] - theta[j]
        step = s * (v[i] - v[j]) + gap * of_slope + shift
        h = curve[k] * step
        if by_cut:
            h += cross[k] * cut
            out[size - 1] += cross[k] * step
        if by_rater:
            # eta is a product, so its own second derivative counts as well.
            out[n + rater[k]] += gap * h - score[k] * (v[i] - v[j])
        h_item = s * h - score[k] * of_slope
        out[i] += h_item
        out[j] -= h_item
        out[size - 2] += h
    return out


@compiled(nogil=True)
def information(
    place: Any,
    size: Any,
    first: Any,
    second: Any,
    rater: Any,
    theta: Any,
    slope: Any,
    score: Any,
    curve: Any,
) -> Any:
    """Dense negative Hessian of the items and slopes that have a `place`; -1 is none."""
    n, by_rater = len(theta), len(rater) > 0
    out = np.zeros((size, size))
    for k in range(len(first)):
        i, j = place[first[k]], place[second[k]]
        if i < 0 or j < 0:
            continue
        s = slope[rater[k]] if by_rater else 1.0
        h = s * s * curve[k]
        out[i, i] += h
        out[j, j] += h
        out[i, j] -= h
        out[j, i] -= h
        if by_rater:
            r, gap = place[n + rater[k]], theta[first[k]] - theta[second[k]]
            mixed = gap * s * curve[k] - score[k]
            out[r, r] += gap * gap * curve[k]
            out[i, r] += mixed
            out[r, i] += mixed
            out[j, r] -= mixed
            out[r, j] -= mixed
    return out


@compiled(nogil=True)
def squares(first: Any, second: Any, rater: Any, slope: Any, curve: Any, diagonal: Any) -> Any:
    """Sum h_ij^2 / d_j over the cells of each item i: what a walk out and back adds."""
    out = np.zeros(len(diagonal))
    by_rater = len(rater) > 0
    for k in range(len(first)):
        i, j = first[k], second[k]
        s = slope[rater[k]] if by_rater else 1.0
        h = s * s * curve[k]
        out[i] += h * h / diagonal[j]
        out[j] += h * h / diagonal[i]
    return out
