"""Signs of dependence: by definition, by simulation, and on real judges and workers."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import Labels, blind
from headcount.agreement.coefficients import fleiss
from headcount.agreement.ratings import Patterns
from headcount.blind_evaluation import families as residuals
from headcount.blind_evaluation.dawid_skene import fit
from headcount.blind_evaluation.dependence import (
    Diagnostics,
    diagnose,
    fleiss_without,
    outliers,
    overlap,
    summary,
)
from headcount.blind_evaluation.families import (
    LEAST_INFORMATION,
    Residuals,
    background,
    effective_votes,
    find_copies,
    find_families,
    given_others,
    lower_bound,
    mean_pair,
    residual_correlation,
    shared_prefix,
    suspicion,
    weighted_product,
)
from headcount.blind_evaluation.prepare import People, prepare
from headcount.blind_evaluation.votes import Votes, collect
from headcount.results.notes import Notes
from headcount.results.tables import columns
from tests.blind_evaluation.cases import as_labels, as_votes, crowd, llm_judges, vote_tables


def weight_of(votes: Votes) -> np.ndarray:
    return votes.multiplicity.astype(float)


def naive_residual(table: np.ndarray, truth: np.ndarray, k: int, j: int) -> float:
    """Pooled within-class correlation of label indicators, item by item; nan where undefined."""
    n_labels = truth.shape[1]
    both = [m for m in range(len(table)) if table[m, k] >= 0 and table[m, j] >= 0]
    top = first = second = 0.0
    for c in range(n_labels):
        size = sum(truth[m, c] for m in both)
        if size == 0:
            continue
        for label in range(n_labels):
            mean = [sum(truth[m, c] for m in both if table[m, x] == label) / size for x in (k, j)]
            for m in both:
                a, b = (float(table[m, x] == label) for x in (k, j))
                top += truth[m, c] * (a - mean[0]) * (b - mean[1])
                first += truth[m, c] * (a - mean[0]) ** 2
                second += truth[m, c] * (b - mean[1]) ** 2
    return top / np.sqrt(first * second) if min(first, second) > 1e-8 else np.nan


@given(vote_tables(), st.integers(0, 10**6), st.booleans())
@settings(max_examples=60)
def test_residual_correlation_by_definition(case, seed, hard):
    table, n_labels = case
    votes = as_votes(table, n_labels)
    rng = np.random.default_rng(seed)
    rows = len(votes.multiplicity)
    truth = rng.dirichlet(np.ones(n_labels), rows)
    if hard:
        truth = np.eye(n_labels)[rng.integers(n_labels, size=rows)] * (rng.random((rows, 1)) < 0.9)
    found = residual_correlation(votes, weight_of(votes), truth)
    by_item = truth[votes.row_of]
    for k in range(table.shape[1]):
        for j in range(table.shape[1]):
            expected = naive_residual(table, by_item, k, j)
            # Sums of up to 50 terms that nearly cancel.
            np.testing.assert_allclose(found.correlation[k, j], expected, atol=1e-7)
            shared = (table[:, [k, j]] >= 0).all(axis=1)
            assert found.shared[k, j] == pytest.approx(by_item[shared].sum())
    assert (found.information <= found.shared + 1e-9).all()


def test_two_labels_have_the_correlation_of_errors():
    """With gold, R pools the classes' correlations of being wrong; here there is one class."""
    wrong = np.array([[1, 1], [1, 0], [0, 1], [0, 0], [0, 0], [1, 1]])
    votes = as_votes(1 - wrong, 2, gold=dict.fromkeys(range(6), "1"), folds=1)
    found = residual_correlation(votes, weight_of(votes), np.eye(2)[votes.gold])
    assert found.correlation[0, 1] == pytest.approx(np.corrcoef(wrong.T)[0, 1])
    # Half of the votes are wrong, as a coin's: all 6 items count.
    assert found.information[0, 1] == pytest.approx(6)


def test_only_the_same_wrong_label_goes_together():
    gold = dict.fromkeys(range(40), "0")
    half = np.repeat([0, 1], 20)
    same = as_votes(np.column_stack([half, half]), 3, gold=gold, folds=1)
    other = as_votes(np.column_stack([half, 2 * half]), 3, gold=gold, folds=1)
    found = [
        residual_correlation(v, weight_of(v), np.eye(3)[v.gold]).correlation[0, 1]
        for v in (same, other)
    ]
    # In the second they share only that label 0 is missing: half of the squared residuals.
    assert found == pytest.approx([1, 0.5])


@pytest.mark.parametrize("large", [0, 10**9])
def test_full_and_sparse_products_are_the_same(monkeypatch, large):
    monkeypatch.setattr(residuals, "LARGE", large)
    monkeypatch.setattr(residuals, "BLOCK", 100)
    votes = as_votes(np.random.default_rng(0).integers(-1, 2, (50, 7)), 2)
    left, right, weight = votes.indicator(0), votes.indicator(1), weight_of(votes)
    expected = left.toarray().T @ np.diag(weight) @ right.toarray()
    np.testing.assert_allclose(weighted_product(left, weight, right), expected)


@given(st.integers(1, 12), st.floats(0, 1))
def test_effective_votes_of_equal_correlations(size, r):
    """Kish's design effect: K / (1 + (K - 1) r)."""
    table = np.where(np.eye(size) > 0, 1, r)
    assert effective_votes(table) == pytest.approx(size / (1 + (size - 1) * r))


def test_effective_votes_at_the_ends():
    assert effective_votes(np.array([[1, -0.9], [-0.9, 1]])) == 2
    assert effective_votes(np.array([[1, -1.0], [-1.0, 1]])) == 2
    assert np.isnan(effective_votes(np.array([[1, np.nan], [np.nan, 1]])))
    assert effective_votes(np.array([[np.nan]])) == 1


def naive_overlap(table: np.ndarray, k: int, j: int, labels: list[int]) -> float:
    values = []
    for label in labels:
        shared = [m for m in range(len(table)) if table[m, k] >= 0 and table[m, j] >= 0]
        mine = {m for m in shared if table[m, k] == label}
        other = {m for m in shared if table[m, j] == label}
        if mine | other:
            values.append(len(mine & other) / len(mine | other))
    return sum(values) / len(values) if values else np.nan


@given(vote_tables())
@settings(max_examples=60)
def test_overlap_by_counting(case):
    table, n_labels = case
    votes = as_votes(table, n_labels)
    positive = 1 if n_labels == 2 else None
    found = overlap(votes, weight_of(votes), positive=positive)
    labels = [1] if n_labels == 2 else list(range(n_labels))
    for k in range(table.shape[1]):
        for j in range(table.shape[1]):
            np.testing.assert_allclose(found.jaccard[k, j], naive_overlap(table, k, j, labels))
            shared = (table[:, [k, j]] >= 0).all(axis=1)
            same = table[shared, k] == table[shared, j]
            np.testing.assert_allclose(found.agreement[k, j], same.mean() if len(same) else np.nan)


@given(vote_tables())
@settings(max_examples=60)
def test_fleiss_is_that_of_agreement(case):
    table, n_labels = case
    votes = as_votes(table, n_labels)
    found, without = fleiss_without(votes, weight_of(votes))

    def expected(part: np.ndarray) -> float:
        if (part < 0).all():
            return np.nan
        patterns = Patterns.from_labels(as_labels(part, n_labels))
        return float(fleiss(patterns)(patterns.multiplicity[None, :].astype(float))[0])

    np.testing.assert_allclose(found, expected(table), atol=1e-9)
    for k in range(table.shape[1]):
        np.testing.assert_allclose(without[k], expected(np.delete(table, k, 1)), atol=1e-9)


def classifiers(
    rng: np.random.Generator, n: int, total: int, *, family: int = 0, missing: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Votes of classifiers of which the first few err together, and the truth.

    The errors of the family are thresholds of a normal variable that is half shared.
    """
    truth = (rng.random(n) < 0.4).astype(int)
    right = rng.uniform(0.6, 0.9, total)
    noise = rng.normal(size=(n, total))
    noise[:, :family] = np.sqrt(0.8) * rng.normal(size=(n, 1)) + np.sqrt(0.2) * noise[:, :family]
    # Whether a vote is right, with probability `right`.
    is_right = noise < np.quantile(rng.normal(size=10**5), right)
    table = np.where(is_right, truth[:, None], 1 - truth[:, None])
    return np.where(rng.random(table.shape) < missing, -1, table), truth


def diagnosed(table: np.ndarray, n_labels: int = 2, **options) -> Diagnostics:
    votes = as_votes(table, n_labels, **options)
    return diagnose(votes, em_truth=fit(votes).truth, positive=1)


@pytest.mark.parametrize(
    ("total", "n", "missing"), [(5, 300, 0), (20, 100, 0), (10, 1000, 0.5), (60, 500, 0.9)]
)
def test_independent_classifiers_raise_no_alarm(total, n, missing):
    rng = np.random.default_rng(total)
    alarms = 0
    for _ in range(10):
        table, _ = classifiers(rng, n, total, missing=missing)
        table = table[(table >= 0).any(axis=1)]
        found = diagnosed(table)
        alarms += len(found.families)
        assert not found.dependent
        assert not any("unreliable" in warning for warning in found.warnings)
        # About 0: noise of 1 / sqrt(sum of information), and some for the fit.
        assert abs(found.mean_residual) < 0.06
    # The bound is for 5% of sets.
    assert alarms <= 1


def test_a_family_is_found_and_named():
    table, _ = classifiers(np.random.default_rng(1), 1500, 12, family=5)
    labels = as_labels(table, 2)
    names = [f"gpt-{x}" for x in "abcde"] + ["llama", "qwen", "phi", "yi", "olmo", "glm", "nova"]
    labels.raters[:] = names
    votes = collect(labels)
    found = diagnose(votes, em_truth=fit(votes).truth)
    assert [family.members for family in found.families] == [(0, 1, 2, 3, 4)]
    assert found.families[0].name == "gpt"
    assert found.dependent
    assert found.effective_votes < 9
    first = found.warnings[0]
    assert first.startswith("The 5 'gpt' classifiers err together (mean residual correlation 0.")
    assert "treat the EM column as unreliable" in first
    assert "group_pattern=..." in first

    grouped = collect(labels, groups=dict.fromkeys(names[:5], "gpt"))
    with_groups = diagnose(grouped, em_truth=fit(grouped).truth)
    assert with_groups.within > 0.3 > 0.1 > with_groups.between
    assert with_groups.warnings[0].startswith("The 5 classifiers of group 'gpt' err together")
    assert "grouped EM" in with_groups.warnings[0]
    # The family lies within a group, so that there is no more to say.
    assert not any("several groups" in warning for warning in with_groups.warnings)
    split = collect(labels, groups={"gpt-a": "x", "gpt-b": "x", "gpt-c": "y", "gpt-d": "y"})
    across = diagnose(split, em_truth=fit(split).truth)
    assert any("put them in one group" in warning for warning in across.warnings)


def test_copies_are_a_family():
    table, _ = classifiers(np.random.default_rng(2), 400, 6)
    found = diagnosed(np.column_stack([table, table[:, 0]]))
    assert [family.members for family in found.families] == [(0, 6)]
    assert found.families[0].correlation == pytest.approx(1)
    # Two of seven votes are one; the others are independent, up to noise.
    assert found.effective_votes == pytest.approx(7**2 / (7 + 2), abs=0.5)


def naive_given_others(table: np.ndarray, n_labels: int, k: int, j: int) -> float:
    """Residual correlation against the majority of the others, item by item."""
    truth = np.zeros((len(table), n_labels))
    for m, row in enumerate(table):
        others = [int(v) for i, v in enumerate(row) if v >= 0 and i not in (k, j)]
        counts = [others.count(label) for label in range(n_labels)]
        best = [label for label in range(n_labels) if counts[label] == max(counts) > 0]
        truth[m, best] = 1 / max(1, len(best))
    return naive_residual(table, truth, k, j)


@given(vote_tables())
@settings(max_examples=60)
def test_given_others_by_definition(case):
    table, n_labels = case
    votes = as_votes(table, n_labels)
    found = given_others(votes, weight_of(votes))
    for k in range(table.shape[1]):
        for j in range(table.shape[1]):
            expected = np.nan if k == j else naive_given_others(table, n_labels, k, j)
            np.testing.assert_allclose(found.correlation[k, j], expected, atol=1e-7)


@given(st.integers(0, 10**6), st.integers(0, 3))
def test_background_is_not_swayed_by_a_family(seed, family):
    rng = np.random.default_rng(seed)
    usual = rng.uniform(0.3, 0.7, 9)
    table = np.outer(usual, usual)
    table[:family, :family] = 0.95
    worth = np.full((9, 9), 100.0)
    np.testing.assert_allclose(background(Residuals(table, worth, worth)), usual, atol=1e-3)


def test_what_a_majority_gets_wrong_is_no_suspicion():
    """Five independent classifiers: a majority of three is often wrong, and both are right."""
    table, _ = classifiers(np.random.default_rng(10), 20000, 5)
    votes = as_votes(table, 2)
    off = np.triu_indices(5, 1)
    assert given_others(votes, weight_of(votes)).correlation[off].mean() > 0.1
    assert abs(suspicion(votes, weight_of(votes)).correlation[off]).max() < 0.05
    few = as_votes(table[:, :3], 2)
    assert np.isnan(suspicion(few, weight_of(few)).correlation).all()


def test_gold_shows_what_votes_cannot():
    """All share their errors: EM takes them for the truth, and only gold tells."""
    rng = np.random.default_rng(3)
    truth = (rng.random(600) < 0.5).astype(int)
    shared = np.where(rng.random(600) < 0.3, 1 - truth, truth)
    table = np.where(rng.random((600, 8)) < 0.1, 1 - shared[:, None], shared[:, None])
    gold = {i: str(t) for i, t in enumerate(truth)}
    found = diagnosed(table, gold=gold)
    assert abs(found.mean_residual) < 0.05
    # Two classifiers are wrong in .9 of the 30% and .1 of the rest: variance .34 x .66, and
    # covariance .3 x .81 + .7 x .01 - .34^2 = .1344.
    assert found.mean_residual_gold == pytest.approx(0.1344 / (0.34 * 0.66), abs=0.05)
    assert found.effective_votes_gold < 2
    assert any("what most get wrong looks right" in warning for warning in found.warnings)


def test_prior_against_gold_in_words():
    table, truth = classifiers(np.random.default_rng(4), 1000, 8)
    votes = as_votes(table, 2, gold={i: str(t) for i, t in enumerate(truth)})
    posterior = fit(votes).truth
    fine = diagnose(votes, em_truth=posterior)
    assert fine.prior_drift_gold < 0.03
    assert not any("with gold to be" in warning for warning in fine.warnings)
    turned = diagnose(votes, em_truth=np.full_like(posterior, 0.5))
    assert turned.prior_drift_gold == pytest.approx(abs(0.5 - truth.mean()))
    assert f"EM takes 50% of the 1,000 items with gold to be '1', and {truth.mean():.0%} are." in (
        turned.warnings
    )


def test_orders_that_disagree():
    table, _ = classifiers(np.random.default_rng(5), 300, 4)
    votes = as_votes(table, 2)
    scores = np.array([0.9, 0.8, 0.7, 0.6])
    same = diagnose(votes, orders=(scores, scores))
    assert same.rank_tau == 1
    other = diagnose(votes, orders=(scores, scores[::-1]))
    assert other.rank_tau == -1
    assert any("disagree on the order" in warning for warning in other.warnings)
    assert np.isnan(diagnose(votes).rank_tau)


def test_one_that_stands_apart():
    """The paper's C8: all but one agree, and the one finds other items."""
    rng = np.random.default_rng(6)
    table, _ = classifiers(rng, 500, 9)
    odd = (rng.random(500) < 0.1).astype(int)
    found = diagnosed(np.column_stack([table, odd * (1 - table[:, 0])]))
    assert found.outliers == (9,)
    warning = found.warnings[-1]
    assert warning.startswith("'c9' agrees far less with the others than is usual.")
    assert warning.endswith("blind evaluation cannot tell which.")
    assert found.fleiss_without[9] > found.fleiss
    assert ("  without 'c9'", f"{found.fleiss_without[9]:.2f}") in summary(found, "judge").body


def test_hardly_any_outliers_among_equals():
    """Accuracy between .6 and .9: of 400 classifiers fewer than 1% stand apart."""
    rng = np.random.default_rng(7)
    number = 0
    for _ in range(20):
        table, _ = classifiers(rng, 200, 20)
        votes = as_votes(table, 2)
        number += len(outliers(overlap(votes, weight_of(votes), positive=1)))
    assert number < 4
    votes = as_votes(np.array([[0, 0, 1], [1, 1, 0]]), 2)
    assert outliers(overlap(votes, weight_of(votes))) == ()


def test_three_classifiers_are_too_few():
    table, _ = classifiers(np.random.default_rng(8), 200, 3)
    assert "With 3 classifiers" in diagnosed(table).warnings[0]


@pytest.mark.parametrize("total", [2, 5])
def test_classifiers_that_always_agree(total):
    same = np.repeat(np.random.default_rng(0).integers(0, 2, (60, 1)), total, axis=1)
    assert diagnosed(same).warnings[0].startswith("No two classifiers differ")


def test_little_information_makes_no_family():
    """Two that share one rare error have a correlation of 1, which says nothing."""
    errors = np.zeros((40, 2), dtype=int)
    errors[0] = 1
    votes = as_votes(errors, 2, gold=dict.fromkeys(range(40), "0"), folds=1)
    found = residual_correlation(votes, weight_of(votes), np.eye(2)[votes.gold])
    assert found.correlation[0, 1] == pytest.approx(1)
    assert found.information[0, 1] < LEAST_INFORMATION
    assert lower_bound(found)[0, 1] == 0
    assert find_families(found, votes.classifiers) == ()


def test_mean_pair_weighs_by_information():
    table = np.array([[1, 0.5, 0.1], [0.5, 1, np.nan], [0.1, np.nan, 1]])
    worth = np.array([[9, 30, 10], [30, 9, 5], [10, 5, 9]], dtype=float)
    found = Residuals(table, worth, worth)
    assert mean_pair(found, np.ones((3, 3), dtype=bool)) == pytest.approx((15 + 1) / 40)
    assert np.isnan(mean_pair(found, np.eye(3, dtype=bool)))


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        (["gpt-4", "gpt-5"], "gpt"),
        (["gpt-turbo", "gpt-tiny"], "gpt"),
        (["team a/run1", "team a/run12"], "team a"),
        (["run10", "run11"], "run"),
        (["x1", "x2"], None),
        (["gpt-4", "claude"], None),
        (["llama", "llama"], "llama"),
    ],
)
def test_shared_prefix(members, expected):
    assert shared_prefix(members, [*members, "other"]) == expected


@given(vote_tables(), st.randoms())
@settings(max_examples=25)
def test_order_of_items_and_classifiers_does_not_matter(case, random):
    table, n_labels = case
    truth = np.random.default_rng(0).dirichlet(np.ones(n_labels), len(table))
    order, who = list(range(len(table))), list(range(table.shape[1]))
    random.shuffle(order)
    random.shuffle(who)

    def found(part: np.ndarray, by_item: np.ndarray) -> Diagnostics:
        # One row an item, so that each keeps its truth.
        labels = as_labels(part, n_labels)
        gold = {i: str(i % n_labels) for i in range(len(part))}
        votes = collect(labels, gold=gold, folds=len(part))
        own = np.zeros((len(votes.multiplicity), n_labels))
        own[votes.row_of] = by_item
        return diagnose(votes, em_truth=own)

    one, two = found(table, truth), found(table[order][:, who], truth[order])
    for a, b in (
        (one.residual.correlation, two.residual.correlation),
        (one.overlap.jaccard, two.overlap.jaccard),
    ):
        np.testing.assert_allclose(a[np.ix_(who, who)], b, atol=1e-7)
    np.testing.assert_allclose(one.fleiss_without[who], two.fleiss_without, atol=1e-9)


def test_json_has_no_nan():
    table, truth = classifiers(np.random.default_rng(9), 60, 5, missing=0.5)
    table = np.column_stack([table, np.full(60, -1)])
    table[0, 5] = 1
    table = table[(table >= 0).any(axis=1)]
    found = diagnosed(table, gold={0: str(truth[0])}, groups={"c0": "a", "c1": "a"})
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["residual_correlation"]["matrix"][5][0] is None
    assert set(document["fleiss"]["without"]) == {f"c{k}" for k in range(6)}
    table = summary(found, "judge")
    assert max(map(len, columns(table))) <= 80


def test_llm_judges_err_together(data_folder):
    labels, gold = llm_judges(data_folder)
    votes = collect(labels, gold=gold)
    found = diagnose(votes, em_truth=fit(votes).truth, positive=1)
    assert found.dependent
    assert "treat the EM column as unreliable" in found.warnings[0]
    assert "'NISTRetrieval' classifiers" in found.warnings[0]
    # Without gold it is too low, but follows what gold shows.
    assert found.mean_residual == pytest.approx(0.20, abs=0.01)
    assert found.mean_residual_gold == pytest.approx(0.42, abs=0.01)
    off = np.triu_indices(33, 1)
    assert found.residual_gold is not None
    blind, true = found.residual.correlation[off], found.residual_gold.correlation[off]
    assert np.corrcoef(blind, true)[0, 1] > 0.82
    teams = {str(name): str(name).split("-")[0] for name in labels.raters}
    grouped = collect(labels, groups=teams)
    with_groups = diagnose(grouped, em_truth=fit(grouped).truth)
    assert {group.name for group in with_groups.groups if group.together} == set(teams.values())
    assert with_groups.within > 1.5 * with_groups.between


@pytest.mark.parametrize("name", ["bluebirds", "rte", "sentiment"])
def test_crowds_raise_no_alarm(data_folder, name):
    labels, gold = crowd(data_folder, name)
    votes = collect(labels, gold=gold)
    found = diagnose(votes, em_truth=fit(votes).truth, positive=1)
    assert not found.dependent
    assert len(found.families) <= 1
    assert found.mean_residual < found.mean_residual_gold < 0.15


def test_the_headline_does_not_contradict_a_note_on_dependence():
    table, _ = classifiers(np.random.default_rng(2), 400, 12)
    near = table[:, 0].copy()
    near[0] = 1 - near[0]  # an exact copy would count as one with it
    result = blind(as_labels(np.column_stack([table, near]), 2), bootstrap=0)
    # Two of thirteen: so few that EM ranks all the same.
    assert result.method == "em"
    assert not result.diagnostics.dependent
    notes = [note for note in result.notes if "err together" in note]
    assert [note.severity for note in notes] == ["caution"]
    headline = str(result).split("caution:")[0]
    assert "no strong sign" not in headline
    assert "too few classifiers were found to err together" in result.why
    assert "The models assume (1) " in " ".join(headline.split())


# --- copies ---------------------------------------------------------------------------------------


def test_copies_count_as_one():
    """Labels and scores with a copy are those without it, and nobody is perfect for having one."""
    table, _ = classifiers(np.random.default_rng(3), 300, 5)
    with_copy = as_labels(np.column_stack([table, table[:, 2]]), 2)
    result, alone = blind(with_copy, bootstrap=0), blind(as_labels(table, 2), bootstrap=0)
    assert [note for note in result.notes if "'c2', 'c5' never differ (300 items)" in note]
    assert result.method == "grouped-em"
    assert "copies" in result.why
    # But for what the crowd is like, in which a copy is one more.
    assert np.mean(result.labels.label == alone.labels.label) > 0.98
    for name in ("c0", "c2", "c4"):
        found = result[name].estimates["grouped-em"]["accuracy"].value
        assert found == pytest.approx(alone[name].estimates["em"]["accuracy"].value, abs=1e-3)
    assert result["c5"].group == result["c2"].group == "copies of c2"
    assert result.explanations is not None
    assert result.explanations.explanations[0].families == (("c2", "c5"),)
    assert "(1) c2 and c5 err together; (2) " in " ".join(str(result).split())


def test_two_who_are_perfect_are_no_copies():
    """Others agree with them on .99 of 60 items: they may well do so on all."""
    table = np.repeat(np.arange(60)[:, None] % 2, 5, axis=1)
    table[0, 2] = table[1, 3] = table[2, 4] = 2 - 1 - table[0, 2]
    assert find_copies(as_labels(table, 2)) == []
    table[:40, 2:] = 1 - table[:40, 2:]
    assert find_copies(as_labels(table, 2)) == [(0, 1)]
    # Of few items anybody may give the same labels.
    assert find_copies(as_labels(table[30:49], 2)) == []


def test_judges_that_give_one_label_only_are_no_copies():
    """Where a label is rare, several may never give it: that takes no copying."""
    rng = np.random.default_rng(4)
    truth = (rng.random(300) < 0.1).astype(int)
    table = np.where(rng.random((300, 6)) < 0.85, truth[:, None], 1 - truth[:, None])
    table[:, :3] = 0
    assert find_copies(as_labels(table, 2)) == []
    table[0, :3] = 1
    assert find_copies(as_labels(table, 2)) == [(0, 1, 2)]


@pytest.mark.parametrize("named", [True, False])
def test_copies_count_once_within_a_family_that_has_a_name(named):
    """Of gpt-a, its copy and gpt-b the copies share a vote, and the family counts for less."""
    table, _ = classifiers(np.random.default_rng(3), 300, 5)
    same = np.random.default_rng(5).random(300) < 0.7
    table[:, 1] = np.where(same, table[:, 0], table[:, 1])
    names = ["gpt-a", "gpt-b", "claude", "llama", "qwen", "gpt-copy"]
    items, who = np.indices((300, 6)).reshape(2, -1)
    said = np.column_stack([table, table[:, 0]])
    labels = Labels.from_triples(items, np.array(names)[who], said.ravel())
    family = dict.fromkeys(("gpt-a", "gpt-b", "gpt-copy"), "family")
    votes = prepare(
        labels, People(groups=None if named else family), seed=0, notes=Notes()
    ).votes  # fmt: skip
    assert votes.worth is not None
    one_vote = dict(zip(votes.classifiers, votes.one_vote.tolist(), strict=True))
    worth = dict(zip(votes.classifiers, votes.worth.tolist(), strict=True))
    assert one_vote == dict.fromkeys(names, 1.0) | {"gpt-a": 0.5, "gpt-copy": 0.5}
    assert worth["gpt-a"] == worth["gpt-copy"] == worth["gpt-b"] / 2
    assert 0.5 <= worth["gpt-b"] < 0.9
    assert worth["claude"] == 1


def test_copies_leave_two_judges_of_three():
    table, _ = classifiers(np.random.default_rng(3), 300, 2)
    result = blind(as_labels(np.column_stack([table, table[:, 1]]), 2), bootstrap=0)
    assert str(result).startswith("With two groups of classifiers and no gold labels")


def test_groups_that_are_given_stay():
    table, _ = classifiers(np.random.default_rng(3), 300, 4)
    labels = as_labels(np.column_stack([table, table[:, 1]]), 2)
    groups = {"c0": "x", "c1": "x"}
    result = blind(labels, groups=groups, bootstrap=0)
    assert result.method == "leave-group-out"
    assert result["c4"].group == "c4"
