"""Kernels give the same in Python, in which they begin, and as machine code."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from headcount.pairwise import _kernels as pair_kernels
from headcount.pairwise.ties import CODES
from headcount.simulation import _labelling_kernel as labelling_kernels
from headcount.stats import _rank_kernel as rank_kernels
from headcount.stats import arrays

ROOMS = (pair_kernels, labelling_kernels, rank_kernels)
RNG = np.random.default_rng(0)
N, ITEMS = 300, 12
FIRST = RNG.integers(0, ITEMS - 1, N)
SECOND = FIRST + 1
OUTCOME = RNG.choice([0.0, 0.5, 1.0], N)
WEIGHT, VALUES = RNG.random(N), RNG.normal(size=N)
THETA = RNG.normal(size=ITEMS)
KEY = np.uint64(2**63 + 5)
NOTHING = np.empty(0)
RATERS = (np.full(5, 0.3), RNG.random(5) < 0.5)


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


CALLS: dict[str, tuple[Any, ...]] = {
    "sort_pairs": (SECOND.astype(np.int32), FIRST.astype(np.int32), False, True, ITEMS),
    "add_up": (FIRST, VALUES > 0, OUTCOME, WEIGHT, False, ITEMS),
    "totals": (FIRST, SECOND, WEIGHT, OUTCOME, WEIGHT, ITEMS),
    "times": (FIRST, SECOND, WEIGHT, VALUES, RNG.normal(size=ITEMS + 2)),
    "squares": (FIRST, SECOND, WEIGHT, np.full(ITEMS, 2.0)),
    "rate_steps": (np.zeros(ITEMS), FIRST, SECOND, OUTCOME, WEIGHT, WEIGHT, np.array([50, N]), 0.5),
    "elo_pass": (THETA.copy(), np.zeros(ITEMS, bool), FIRST, SECOND, OUTCOME, NOTHING,
                 np.empty(0, np.int64), 0.1, 1.0),
    "elo_excess": (THETA, FIRST, SECOND, OUTCOME, WEIGHT, 1.0),
    "majority": (rng(), RNG.random((40, 4)) < 0.5),
    "elo": (rng(), ITEMS, FIRST, SECOND, OUTCOME, 0.1, 3, 1.0),
    "draw_pairs": (rng(), 40, 100),
    "compare": (rng(), FIRST, SECOND, KEY, 0.2, 0.1, THETA, THETA > 0, *RATERS),
    "vote": (rng(), 3, KEY, 0.2, THETA, THETA > 0, np.zeros(5), *RATERS),
    "told_apart": (np.sort(VALUES), WEIGHT, 1.96),
}  # fmt: skip
CASES = [*CALLS.items()] + [
    ("evaluate", (code, FIRST, SECOND, WEIGHT, OUTCOME, WEIGHT, THETA, 0.1, 0.4,
                  np.empty(N), np.empty(N), np.empty(N)))
    for code in CODES
]  # fmt: skip


def kernels() -> dict[str, Any]:
    """All kernels of the package, by name."""
    return {
        name: value
        for room in ROOMS
        for name, value in vars(room).items()
        if type(value).__name__ == "_Kernel"
    }


def test_all_are_called_here():
    assert {name for name, _ in CASES} == set(kernels())


@pytest.mark.parametrize(("name", "given"), CASES)
def test_machine_code_gives_what_python_gives(name, given, monkeypatch):
    fresh = type(made := kernels()[name])(made._function, made._times, made._options)
    monkeypatch.setattr(arrays, "has_numba", lambda: False)
    expected = _run(fresh, given)
    assert fresh._run is None
    monkeypatch.undo()
    monkeypatch.setattr(arrays, "INTERPRETED", 0)
    got = _run(fresh, given)
    assert fresh._run is not None
    # Compilers order sums and multiply and add at once: some last digits of sums of 300.
    for ours, theirs in zip(got, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


def _run(kernel: Any, given: tuple[Any, ...]) -> list[Any]:
    """Return what a kernel gives, and the arrays that it may have changed."""
    own = deepcopy(given)
    out = kernel(*own)
    outputs = list(out) if isinstance(out, tuple) else [] if out is None else [out]
    return outputs + [each for each in own if isinstance(each, np.ndarray)]


def test_little_work_needs_no_compiler_and_much_does(monkeypatch):
    kernel = kernels()["totals"]
    fresh = type(kernel)(kernel._function, kernel._times, kernel._options)
    monkeypatch.setattr(type(kernel), "taken", 0)
    monkeypatch.setattr(arrays, "INTERPRETED", 2 * N)
    for _ in range(2):
        fresh(*CALLS["totals"])
    assert fresh._run is None
    fresh(*CALLS["totals"])
    assert fresh._run is not None
