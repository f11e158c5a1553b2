"""Both laws, on curves for which the answer is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from headcount.errors import OptionError
from headcount.pairwise.planning.laws import LAWS, Law, choose_laws
from headcount.pairwise.planning.pilot.benchmarks import BENCHMARKS
from headcount.pairwise.planning.pilot.scaling_laws import crossing, fit_laws
from headcount.pairwise.planning.prepare import Question
from headcount.pairwise.planning.records import AccuracyCurve

SIZES = (20, 24, 30, 34, 40)


def growth(name, items):
    """g(N) of a law, written out."""
    return {"N": items, "N log N": items * math.log(items)}[name]


def curves(law, *, most=40.0, noise=0.0, repeats=30):
    """Curves on which f1 = .5 + .1 sqrt(n / g(N)), 0.8 where n = 9 g(N)."""
    rng = np.random.default_rng(0)
    made = []
    for size in SIZES:
        n = np.unique(np.linspace(0, most * growth(law, size), 400).astype(np.int64))
        f1 = np.minimum(0.5 + 0.1 * np.sqrt(n / growth(law, size)), 1.0)
        made.append(AccuracyCurve(size, n, f1 + noise * rng.normal(size=(repeats, len(n)))))
    return made


def fit(made, laws=LAWS, **options):
    question = Question(**{"items": 1000, "target_f1": 0.8, **options})
    return fit_laws(BENCHMARKS[0], made, question, laws, np.random.default_rng(1))


@pytest.mark.parametrize(("law", "place"), [("N", 0), ("N log N", 1)])
def test_the_law_that_made_the_curves_is_found(law, place):
    found = fit(curves(law))
    right, wrong = found.laws[place], found.laws[1 - place]
    assert found.fits == law == right.name
    # Linear interpolation between 400 points.
    assert right.factor == pytest.approx(9, rel=1e-3)
    assert right.comparisons.value == pytest.approx(9 * growth(law, 1000), rel=1e-3)
    assert right.spread < 0.005
    # ln 40 / ln 20 = 1.23: the other law is off by that much over the sizes.
    assert wrong.spread == pytest.approx(0.2, abs=0.03)
    for needed in found.needed:
        assert needed.comparisons.value == pytest.approx(9 * growth(law, needed.items), rel=5e-3)


def test_factor_is_the_least_squares_fit_of_log_n():
    made = curves("N", noise=0.02)
    found = fit(made)
    reached = np.array([each.comparisons.value for each in found.needed])
    for law in found.laws:
        design = np.log([growth(law.name, size) for size in SIZES])
        assert math.log(law.factor) == pytest.approx(np.mean(np.log(reached) - design))
        low, high = law.comparisons.low, law.comparisons.high
        assert low <= law.comparisons.value <= high


def test_no_law_is_preferred_where_noise_hides_it():
    assert fit(curves("N", noise=0.5, repeats=5, most=12)).fits is None


def test_a_target_that_is_not_reached_is_censored_not_extrapolated():
    found = fit(curves("N", most=4.0))  # f1 .7 at most
    assert all(each.comparisons.censored == "above" for each in found.needed)
    assert found.needed[0].f1.value == pytest.approx(0.7)
    for law in found.laws:
        assert math.isnan(law.factor)
        assert law.comparisons.censored == "above"
        assert law.comparisons.to_dict()["value"] is None
    # What 40 items tried, 4 comparisons an item, and for N log N what 20 items did.
    assert found.laws[0].comparisons.bounds == (0, 4000)
    tried = 80 / (20 * math.log(20)) * 1000 * math.log(1000)
    assert found.laws[1].comparisons.bounds == (0, math.floor(tried))
    assert found.fits is None


def test_laws_use_the_sizes_that_reached_the_target():
    made = curves("N")
    made[0] = AccuracyCurve(20, made[0].comparisons[:40], made[0].f1[:, :40])
    found = fit(made)
    assert [each.comparisons.censored for each in found.needed] == ["above"] + [None] * 4
    assert found.laws[0].factor == pytest.approx(9, rel=1e-3)


def test_budget_is_the_inverse_of_the_target():
    made = curves("N")
    for law, n in zip(("N", "N log N"), (9000, 20_000), strict=True):
        bought = {each.name: each.f1 for each in fit(made, budget=n, target_f1=None).laws}[law]
        rates = [n / growth(law, 1000) * growth(law, size) / size for size in SIZES]
        assert bought.value == pytest.approx(np.mean(0.5 + 0.1 * np.sqrt(rates)), abs=1e-3)
    assert fit(made, budget=9000, target_f1=None).laws[0].comparisons is None
    beyond = fit(made, budget=41_000, target_f1=None).laws[0].f1
    assert beyond.censored == "above"
    assert beyond.show(beyond.value) == "> 1"


def test_crossing_is_where_the_curve_is_first_as_high():
    n, f1 = np.array([0, 10, 20, 30]), np.array([0.5, 0.7, 0.7, 0.9])
    assert crossing(n, f1, 0.7) == 10
    assert crossing(n, f1, 0.8) == pytest.approx(25)
    assert crossing(n, f1, 0.91) == math.inf


class Power(Law):
    """A law of a user's own: n = a N^1.5."""

    name = "N^1.5"

    def growth(self, items):
        return items**1.5


def test_a_law_of_the_users_own_is_fitted_and_preferred_where_it_holds():
    made = []
    for size in SIZES:
        n = np.unique(np.linspace(0, 40 * size**1.5, 400).astype(np.int64))
        f1 = np.minimum(0.5 + 0.1 * np.sqrt(n / size**1.5), 1.0)
        made.append(AccuracyCurve(size, n, np.tile(f1, (30, 1))))
    found = fit(made, laws=(*LAWS, Power()))
    assert [law.name for law in found.laws] == ["N", "N log N", "N^1.5"]
    assert found.fits == "N^1.5"
    assert found.laws[2].comparisons.value == pytest.approx(9 * 1000**1.5, rel=1e-3)
    # Alone it has nothing to be better than.
    assert fit(made, laws=(Power(),)).fits is None


@pytest.mark.parametrize("laws", [123, ["N"], [], [Power(), Power()]])
def test_what_is_no_law_is_refused(laws):
    with pytest.raises(OptionError, match="laws must be"):
        choose_laws(laws)
