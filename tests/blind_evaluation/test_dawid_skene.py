"""Dawid and Skene's EM: published numbers, the definition written out, and priors."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import DataError, Labels, OptionError, Scale, consensus
from headcount.blind_evaluation import dawid_skene as em
from headcount.blind_evaluation.dawid_skene import (
    Climbing,
    DawidSkene,
    Model,
    Parameters,
    best_names,
    climb,
    dawid_skene,
    fit,
    refits,
)
from headcount.blind_evaluation.metrics import choose_metrics
from headcount.blind_evaluation.prepare import known_confusion
from headcount.blind_evaluation.scoring import tables
from headcount.blind_evaluation.votes import Blocks, Votes, collect
from headcount.results.notes import Notes
from headcount.stats.draws import resample
from tests.blind_evaluation import naive

# Dawid and Skene's EM: published numbers, the definition written out, and what must not matter.

LETTERS = "abcdefgh"


# --- data -----------------------------------------------------------------------------------------


def as_labels(triples: list[naive.Triple], size: int) -> Labels:
    """Labels of coded votes, repetitions included, on a scale of `size` labels."""
    item, classifier, label = zip(*triples, strict=True)
    return Labels.from_triples(
        item,
        [LETTERS[k] for k in classifier],
        label,
        scale=Scale(tuple(str(x) for x in range(size))),
        duplicates="all",
    )


@st.composite
def small(draw: st.DrawFn) -> tuple[list[naive.Triple], int, int]:
    """Votes, labels and classifiers; some votes are missing, some repeated, some labels unused."""
    size, classifiers = draw(st.integers(2, 4)), draw(st.integers(1, 4))
    vote = st.tuples(st.integers(0, 7), st.integers(0, classifiers - 1), st.integers(0, size - 1))
    return draw(st.lists(vote, min_size=1, max_size=25)), size, classifiers


def simulated(
    items: int, classifiers: int, size: int, *, seed: int, missing: float = 0.3
) -> tuple[Labels, np.ndarray]:
    """Independent classifiers that are right 60 to 90 times in 100."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, size, items)
    right = rng.uniform(0.6, 0.9, classifiers)
    is_right = rng.random((items, classifiers)) < right
    wrong = (truth[:, None] + rng.integers(1, size, (items, classifiers))) % size
    label = np.where(is_right, truth[:, None], wrong)
    kept = rng.random((items, classifiers)) >= missing
    kept[:, 0] = True
    item, classifier = np.nonzero(kept)
    triples = list(zip(item.tolist(), classifier.tolist(), label[kept].tolist(), strict=True))
    return as_labels(triples, size), truth


def order_of(votes: Votes) -> list[int]:
    """Place of each classifier among the letters, which orders the naive result."""
    return [LETTERS.index(name) for name in votes.classifiers]


def objective(found: DawidSkene, votes: Votes) -> float:
    return at(found, votes).objective


def at(found: DawidSkene, votes: Votes) -> em.Step:
    weight = votes.multiplicity.astype(np.float64)
    model = Model(Blocks.of(votes, weight), found.vote_weight, found.smoothing)
    confusion = np.ascontiguousarray(found.confusion.swapaxes(1, 2))
    return model.step(Parameters(found.prior, confusion))


# --- published ------------------------------------------------------------------------------------


def anaesthetists(golden) -> Labels:
    triples = [
        (item, observer, label)
        for item, said in golden("dawid_skene")["votes"].items()
        for observer, labels in enumerate(said.split())
        for label in labels
    ]
    return Labels.from_triples(*zip(*triples, strict=True), duplicates="all")


def test_anaesthetists_as_published(golden):
    labels = anaesthetists(golden)
    assert len(labels) == 45 * 7
    found = fit(collect(labels), how=Climbing(smoothing=0))
    assert found.converged
    assert found.prior.round(2).tolist() == golden("dawid_skene")["prior"]
    # All digits of the note: the stopping rule leaves less than 1e-5.
    assert found.log_likelihood == pytest.approx(golden("dawid_skene")["log_likelihood"], abs=5e-5)


def accuracies(folder, labels: Labels, gold: dict[str, str], groups=None) -> tuple[float, float]:
    """Correlation of estimated with actual accuracy, and the prior of the last label."""
    votes = collect(labels, gold=gold, groups=groups)
    metrics = choose_metrics(votes.labels, names=["accuracy"])
    weight = votes.multiplicity.astype(np.float64)
    known = (votes.gold[:, None] == np.arange(len(votes.labels))).astype(np.float64)
    actual = metrics.scores(tables(votes, known, weight))[:, 0]
    found = fit(votes, vote_weight=votes.group_weight if groups else None)
    assert found.converged
    assert not found.switched
    estimated = metrics.scores(found.table)[:, 0]
    return float(np.corrcoef(estimated, actual)[0, 1]), float(found.prior[-1])


def test_bluebirds(data_folder):
    folder = data_folder / "blind" / "bluebirds"
    with (folder / "label.csv").open() as file:
        rows = list(csv.DictReader(file))
    labels = Labels.from_triples(*([row[name] for row in rows] for name in rows[0]))
    with (folder / "truth.csv").open() as file:
        gold = {row["item"]: row["truth"] for row in csv.DictReader(file)}
    assert accuracies(folder, labels, gold)[0] >= 0.95


def test_llm_judges_who_err_together_need_groups(data_folder):
    folder = data_folder / "blind" / "llmjudge"

    def relevant(path) -> dict[str, str]:
        lines = [line.split() for line in path.read_text().splitlines() if line.strip()]
        return {f"{query} {passage}": str(int(int(x) >= 2)) for query, _, passage, x in lines}

    files = {path.stem: relevant(path) for path in sorted((folder / "scores").glob("*.txt"))}
    triples = [(item, name, x) for name, said in files.items() for item, x in said.items()]
    labels = Labels.from_triples(*zip(*triples, strict=True))
    gold = relevant(folder / "gold_nist_qrels.txt")
    teams = {name: name.split("-")[0] for name in files}
    grouped, grouped_prior = accuracies(folder, labels, gold, teams)
    plain, plain_prior = accuracies(folder, labels, gold)
    assert len(files) == 33
    assert grouped >= 0.88
    # Where judges share errors the likelihood takes their agreement for truth: a known failure.
    assert plain < 0.5
    actual = np.mean([x == "1" for x in gold.values()])
    assert abs(grouped_prior - actual) < 0.02 < 0.05 < abs(plain_prior - actual)


# --- the definition, written out ------------------------------------------------------------------


@given(small(), st.sampled_from([0.0, 0.5]), st.booleans())
@settings(max_examples=60)
def test_every_step_is_that_of_the_definition(drawn, smoothing, weighted):
    triples, size, classifiers = drawn
    power = [1 / (1 + k) if weighted else 1.0 for k in range(classifiers)]
    votes = collect(as_labels(triples, size))
    order = order_of(votes)
    weight = votes.multiplicity.astype(np.float64)
    model = Model(Blocks.of(votes, weight), np.array([power[k] for k in order]), smoothing)
    path = naive.fit(
        triples, classes=size, classifiers=classifiers, steps=4, power=power, smoothing=smoothing
    )
    here = model.vote_shares()
    for expected in path:
        step = model.step(here)
        assert here.prior == pytest.approx(np.array(expected.prior), abs=1e-10)
        confusion = np.array(expected.confusion)[order].swapaxes(1, 2)
        # Where EM expects less than rounding, shares of it are shares of nothing.
        known = step.count.sum(axis=1, keepdims=True) > 1e-9
        assert np.where(known, here.confusion - confusion, 0) == pytest.approx(0, abs=1e-7)
        assert step.log_likelihood == pytest.approx(expected.log_likelihood, abs=1e-9)
        truth = model.posterior(here, votes)
        mine = dict(zip(_items(triples), truth[votes.row_of], strict=True))
        for item, row in expected.truth.items():
            assert mine[item] == pytest.approx(row, abs=1e-9)
        if len(order) == classifiers:  # others than those who vote have a prior, and no data
            assert step.objective == pytest.approx(expected.objective, abs=1e-8)
        here = step.after


def _items(triples: list[naive.Triple]) -> list[int]:
    return sorted({item for item, _, _ in triples})  # the order of Labels


@given(small(), st.sampled_from([0.0, 0.5]))
@settings(max_examples=40)
def test_converged_fit_is_where_the_definition_stays(drawn, smoothing):
    triples, size, _ = drawn
    votes = collect(as_labels(triples, size))
    found = fit(votes, how=Climbing(smoothing=smoothing, tolerance=1e-9))
    place = {k: i for i, k in enumerate(order_of(votes))}
    recoded = [(item, place[k], label) for item, k, label in triples]
    weight = {item: 1.0 for item, _, _ in triples}
    power = [1.0] * len(place)
    expected = naive.expect(
        recoded, found.prior.tolist(), found.confusion.tolist(), weight, power, smoothing
    )
    prior, confusion = naive.maximise(recoded, expected.truth, weight, len(place), smoothing)
    after = naive.expect(recoded, prior, confusion, weight, power, smoothing)
    assert found.converged
    assert found.log_likelihood == pytest.approx(expected.log_likelihood, abs=1e-9)
    assert found.trace[-1] == pytest.approx(expected.objective, abs=1e-9)
    assert after.objective - expected.objective < 2e-9
    truth = [expected.truth[item] for item in _items(triples)]
    assert found.truth[votes.row_of] == pytest.approx(np.array(truth), abs=1e-9)


@pytest.mark.parametrize("size", [2, 3, 5])
def test_leaps_reach_the_optimum_of_plain_em_in_fewer_passes(size, monkeypatch):
    labels, _ = simulated(400, 6, size, seed=size)
    votes = collect(labels)
    quick = fit(votes, how=Climbing(tolerance=1e-9))
    monkeypatch.setattr(em, "FAST_GAIN", 0.0)
    plain = fit(votes, how=Climbing(tolerance=1e-9))
    assert len(plain.trace) == plain.n_iter > quick.n_iter
    assert quick.trace[-1] == pytest.approx(plain.trace[-1], abs=1e-6)
    # A likelihood that is flat to 1e-7 fixes parameters to about its root.
    assert quick.truth == pytest.approx(plain.truth, abs=2e-3)


# --- what EM promises -----------------------------------------------------------------------------


@given(small(), st.sampled_from([0.0, 0.01, 0.5, 3.0]), st.booleans())
@settings(max_examples=60)
def test_likelihood_never_falls_and_nothing_is_nan(drawn, smoothing, weighted):
    triples, size, _ = drawn
    votes = collect(as_labels(triples, size))
    power = 1 / (1 + np.arange(len(votes.classifiers))) if weighted else None
    found = fit(votes, vote_weight=power, how=Climbing(smoothing=smoothing))
    assert found.converged
    assert (np.diff(found.trace) >= 0).all()
    assert np.isfinite(found.log_likelihood)
    assert found.prior.sum() == pytest.approx(1)
    assert found.confusion.sum(axis=2) == pytest.approx(1)
    assert found.truth.sum(axis=1) == pytest.approx(1)
    assert min(found.prior.min(), found.confusion.min(), found.truth.min()) >= 0
    unused = np.setdiff1d(np.arange(size), [label for _, _, label in triples])
    assert (found.prior[unused] == 0).all()


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
@pytest.mark.parametrize("size", [2, 3])
def test_no_other_parameters_nearby_are_better(size, smoothing):
    votes = collect(simulated(300, 5, size, seed=7)[0])
    found = fit(votes, how=Climbing(smoothing=smoothing, tolerance=1e-10))
    best = objective(found, votes)
    assert best == pytest.approx(found.trace[-1], abs=1e-9)
    rng = np.random.default_rng(1)
    for distance in (1e-4, 1e-3, 1e-2):
        for _ in range(20):
            prior = found.prior * np.exp(distance * rng.standard_normal(size))
            confusion = found.confusion * np.exp(
                distance * rng.standard_normal(found.confusion.shape)
            )
            moved = replace(
                found,
                prior=prior / prior.sum(),
                confusion=confusion / confusion.sum(axis=2, keepdims=True),
            )
            assert objective(moved, votes) <= best + 1e-9


def test_stops_at_the_limit_and_says_so():
    labels, _ = simulated(200, 4, 3, seed=3)
    found = fit(collect(labels), how=Climbing(max_iter=3))
    assert (found.converged, found.n_iter) == (False, 3)
    result = dawid_skene(labels, max_iter=3)
    assert "NOT converged" in repr(result)
    assert any("max_iter" in note for note in result.notes)


def test_finds_parameters_that_the_votes_were_drawn_with():
    labels, truth = simulated(20_000, 6, 2, seed=11, missing=0.2)
    result = dawid_skene(labels)
    rng = np.random.default_rng(11)
    rng.integers(0, 2, 20_000)
    right = rng.uniform(0.6, 0.9, 6)
    found = np.array([result.accuracy[LETTERS[k]] for k in range(6)])
    # Four standard errors of a share of 16,000 labels are .015; the truth is estimated, too.
    assert found == pytest.approx(right, abs=0.025)
    majority = collect(labels).counts().argmax(axis=1)[collect(labels).row_of]
    right_items = np.mean(result.label == truth[result.items].astype(str))
    assert right_items > np.mean(majority == truth[result.items]) + 0.01  # weighs raters


# --- what must not matter -------------------------------------------------------------------------


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
def test_names_of_labels_do_not_matter(smoothing):
    labels, _ = simulated(200, 5, 3, seed=5)
    to = np.array([2, 0, 1])
    votes, renamed = collect(labels), collect(replace(labels, label=to[labels.label]))
    before, after = (
        fit(votes, how=Climbing(smoothing=smoothing)),
        fit(renamed, how=Climbing(smoothing=smoothing)),
    )
    assert after.log_likelihood == pytest.approx(before.log_likelihood, abs=1e-6)
    assert after.prior[to] == pytest.approx(before.prior, abs=1e-6)
    assert after.confusion[:, to][:, :, to] == pytest.approx(before.confusion, abs=1e-6)
    found = after.truth[renamed.row_of][:, to]
    assert found == pytest.approx(before.truth[votes.row_of], abs=1e-6)


def test_order_of_items_and_classifiers_does_not_matter():
    labels, _ = simulated(200, 5, 3, seed=6)
    rng = np.random.default_rng(0)
    rows, to = rng.permutation(len(labels)), rng.permutation(5)
    other = replace(
        labels,
        item=(len(labels.items) - 1 - labels.item)[rows],
        rater=to[labels.rater][rows],
        label=labels.label[rows],
    )
    first, second = collect(labels), collect(other)
    before, after = fit(first), fit(second)
    assert after.log_likelihood == pytest.approx(before.log_likelihood, abs=1e-6)
    assert after.confusion[to] == pytest.approx(before.confusion, abs=1e-6)
    assert after.truth[second.row_of][::-1] == pytest.approx(before.truth[first.row_of], abs=1e-6)


def test_repeating_the_items_repeats_the_likelihood():
    labels, _ = simulated(100, 5, 3, seed=8)
    n = len(labels.items)
    thrice = replace(
        labels,
        items=np.arange(3 * n),
        item=np.concatenate([labels.item + n * time for time in range(3)]),
        rater=np.tile(labels.rater, 3),
        label=np.tile(labels.label, 3),
    )
    once = fit(collect(labels), how=Climbing(smoothing=0.5, tolerance=1e-9))
    # Thrice the data weigh as much against thrice the smoothing.
    more = fit(collect(thrice), how=Climbing(smoothing=1.5, tolerance=1e-9))
    assert more.log_likelihood == pytest.approx(3 * once.log_likelihood, abs=1e-5)
    assert more.confusion == pytest.approx(once.confusion, abs=1e-4)


def test_rows_put_together_fit_as_items_do():
    labels, _ = simulated(500, 4, 2, seed=9)
    votes = collect(labels)
    rows = [slice(votes.start[row], votes.start[row + 1]) for row in votes.row_of]
    single = replace(
        votes,
        start=np.concatenate([[0], np.cumsum([s.stop - s.start for s in rows])]),
        classifier=np.concatenate([votes.classifier[s] for s in rows]),
        label=np.concatenate([votes.label[s] for s in rows]),
        multiplicity=np.ones(len(rows), dtype=np.int64),
        row_of=np.arange(len(rows)),
    )
    together, apart = fit(votes), fit(single)
    assert len(together.truth) < len(apart.truth) == 500
    assert together.log_likelihood == pytest.approx(apart.log_likelihood, abs=1e-8)
    assert together.truth[votes.row_of] == pytest.approx(apart.truth, abs=1e-8)
    assert together.table == pytest.approx(apart.table, abs=1e-6)


def test_table_is_what_truth_and_votes_make():
    votes = collect(simulated(300, 5, 3, seed=10)[0])
    found = fit(votes)
    weight = votes.multiplicity.astype(np.float64)
    assert found.table == pytest.approx(tables(votes, found.truth, weight), abs=1e-9)


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
def test_a_group_of_copies_counts_as_one(smoothing):
    labels, _ = simulated(200, 4, 2, seed=12)
    alone = dawid_skene(labels, smoothing=smoothing, tolerance=1e-12)
    mine = labels.rater == 3
    name = str(labels.raters[3])
    copies = replace(
        labels,
        raters=np.array([*labels.raters, "copy 1", "copy 2"], dtype=object),
        item=np.concatenate([labels.item, np.tile(labels.item[mine], 2)]),
        rater=np.concatenate([labels.rater, np.repeat([4, 5], mine.sum())]),
        label=np.concatenate([labels.label, np.tile(labels.label[mine], 2)]),
    )
    groups = {name: "they", "copy 1": "they", "copy 2": "they"}
    grouped = dawid_skene(copies, smoothing=smoothing, groups=groups, tolerance=1e-12)
    assert grouped.weighted
    assert grouped.log_likelihood == pytest.approx(alone.log_likelihood, abs=1e-6)
    assert grouped.truth == pytest.approx(alone.truth, abs=1e-6)
    assert grouped.confusion["copy 1"] == pytest.approx(alone.confusion[name], abs=1e-6)
    apart = dawid_skene(copies, smoothing=smoothing)
    assert np.abs(apart.truth - alone.truth).max() > 0.05


# --- little data ----------------------------------------------------------------------------------


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
@pytest.mark.parametrize(
    "triples",
    [
        [(0, 0, 1)],
        [(0, 0, 0), (1, 0, 1), (2, 0, 1)],
        [(item, k, 2) for item in range(4) for k in range(3)],
        [(0, 0, 0), (0, 0, 1), (0, 0, 2)],
    ],
    ids=["one vote", "one classifier", "unanimous", "one item, three votes"],
)
def test_little_data(triples, smoothing):
    votes = collect(as_labels(triples, 3))
    found = fit(votes, how=Climbing(smoothing=smoothing))
    given = np.bincount([label for _, _, label in triples], minlength=3) > 0
    assert found.converged
    assert not found.switched
    assert (found.prior[~given] == 0).all()
    assert np.isfinite(found.truth).all()
    assert np.isfinite(found.confusion).all()
    # What nobody doubts is certain, and its likelihood 1; smoothing takes from the votes only.
    if given.sum() == 1 and smoothing == 0:
        assert found.log_likelihood == pytest.approx(0, abs=1e-12)


def test_many_votes_do_not_underflow():
    triples = [(item, k, (item + (k == 7)) % 2) for item in range(2) for k in range(8)] * 500
    found = fit(collect(as_labels(triples, 2)))
    assert np.isfinite(found.log_likelihood)
    assert found.truth.tolist() == [[1, 0], [0, 1]]


# --- names ----------------------------------------------------------------------------------------


def test_swapped_classes_are_seen():
    votes = collect(simulated(300, 6, 3, seed=13)[0])
    best = fit(votes)
    swap = [1, 2, 0]
    confusion = np.ascontiguousarray(best.confusion[:, swap].swapaxes(1, 2))
    model = Model(Blocks.of(votes, votes.multiplicity.astype(float)), best.vote_weight, 0.5)
    end = climb(model, Climbing(), Parameters(best.prior[swap], confusion))
    # Less than .001 apart: how near EM comes to an optimum depends on where it starts.
    assert end.trace[-1] == pytest.approx(best.trace[-1], abs=1e-4)
    assert best_names(end.step.count, best.vote_weight).tolist() == swap
    assert not best.switched


# --- refits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
def test_refits_are_fits_to_resampled_items(smoothing):
    labels, _ = simulated(400, 5, 3, seed=14)
    votes = collect(labels)
    fitted = fit(votes, how=Climbing(smoothing=smoothing))
    rng = np.random.default_rng(0)
    blocks = list(resample(votes.multiplicity, 6, rng, block=4))
    found = refits(votes, fitted, blocks)
    assert found.shape == (6, 5, 3, 3)
    for weight, table in zip(np.vstack(blocks), found, strict=True):
        cold = fit(votes, weight, how=Climbing(smoothing=smoothing))
        assert table == pytest.approx(cold.table, abs=1.0)  # of 400 items
        voted = np.bincount(votes.classifier, weights=weight[votes.row], minlength=5)
        assert table.sum(axis=(1, 2)) == pytest.approx(voted)


def test_refit_to_all_items_is_the_fit():
    votes = collect(simulated(400, 5, 2, seed=15)[0])
    fitted = fit(votes, vote_weight=np.linspace(0.5, 1, 5))
    found = refits(votes, fitted, [votes.multiplicity[None, :].astype(np.float64)])
    assert found[0] == pytest.approx(fitted.table, abs=0.05)  # of 400 items


def test_a_classifier_that_a_draw_leaves_out_is_no_trouble():
    triples = [(item, k, (item + k) % 2) for item in range(5) for k in range(2)] + [(9, 2, 1)]
    votes = collect(as_labels(triples, 2))
    weight = votes.multiplicity.astype(np.float64)
    weight[votes.row_of[-1]] = 0
    found = refits(votes, fit(votes, how=Climbing(smoothing=0)), [weight[None, :]])
    assert found[0, 2].sum() == 0
    assert np.isfinite(found).all()


# --- the public function --------------------------------------------------------------------------


def test_result(golden):
    labels = anaesthetists(golden)
    result = dawid_skene(labels, smoothing=0)
    assert list(result.prior) == ["1", "2", "3", "4"]
    assert result.truth.shape == (45, 4)
    assert repr(result).startswith("Dawid-Skene: 315 votes on 45 items by 5 raters, converged")
    assert "log-likelihood -192.89; prior 1 .40, 2 .42, 3 .11, 4 .07" in repr(result)
    assert any("repeat an item" in note for note in result.notes)
    frame = result.to_frame("polars")
    assert frame.columns == ["item", "label", "probability"]
    assert frame["label"].to_list() == result.label.tolist()
    assert frame["probability"].min() >= 0.25
    prior = np.array(list(result.prior.values()))
    assert result.accuracy["0"] == pytest.approx(prior @ np.diag(result.confusion["0"]))


def test_items_without_votes_are_left_out_and_counted():
    labels, _ = simulated(20, 3, 2, seed=16)
    more = replace(labels, items=np.arange(len(labels.items) + 2))
    result = dawid_skene(more)
    assert len(result.items) == len(result.label) == 20
    assert "2 items without votes left out." in result.notes


@pytest.mark.parametrize(
    "option",
    [{"smoothing": -1}, {"tolerance": float("nan")}, {"max_iter": 0}],
)
def test_options_that_make_no_sense(option):
    labels, _ = simulated(10, 3, 2, seed=17)
    with pytest.raises(OptionError, match=next(iter(option))):
        dawid_skene(labels, **option)


def test_votes_weigh_something():
    votes = collect(simulated(10, 3, 2, seed=18)[0])
    with pytest.raises(OptionError, match="vote_weight"):
        fit(votes, vote_weight=np.array([1.0, 0.0, 1.0]))


# What is known of classifiers beforehand enters the models as labels that they gave.

GOOD = {"y": {"y": 95, "n": 5}, "n": {"y": 5, "n": 95}}
GUESSES = {"y": {"y": 50, "n": 50}, "n": {"y": 50, "n": 50}}


def columns(cells: dict[str, dict[str, dict[str, float]]]) -> dict[str, list[object]]:
    """Write what classifiers gave where which label was true as columns."""
    rows = [
        (name, true, given, value)
        for name, table in cells.items()
        for true, row in table.items()
        for given, value in row.items()
    ]
    names = ("classifier", "true", "given", "count")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def votes_of(said: np.ndarray) -> Labels:
    items, who = np.indices(said.shape).reshape(2, -1)
    return Labels.from_triples(items, np.array(list("abc"))[who], said.ravel())


def slow(said: np.ndarray, known: np.ndarray, smoothing: float) -> tuple[np.ndarray, np.ndarray]:
    """EM item by item, 2,000 times, from shares of votes; classifiers x true x given."""
    n, classifiers = said.shape
    truth = np.array([[np.mean(row == c) for c in range(2)] for row in said])
    for _ in range(2000):
        prior = truth.mean(axis=0)
        table = known + smoothing
        for i in range(n):
            for k in range(classifiers):
                table = table + 0
                table[k, :, said[i, k]] += truth[i]
        table = table / table.sum(axis=2, keepdims=True)
        for i in range(n):
            p = prior.copy()
            for k in range(classifiers):
                p *= table[k, :, said[i, k]]
            truth[i] = p / p.sum()
    return truth, table


@settings(max_examples=3, deadline=None)
@given(st.integers(0, 10**6))
def test_dawid_skene_with_counts_is_what_plain_em_finds(seed):
    rng = np.random.default_rng(seed)
    true = rng.random(12) < 0.5
    said = np.where(rng.random((12, 3)) < [0.9, 0.8, 0.7], true[:, None], ~true[:, None])
    said = said.astype(int)
    said[0], said[1] = 0, 1
    known = rng.integers(1, 8, size=(3, 2, 2)).astype(float)
    labels = votes_of(said)
    votes = collect(labels, known=np.swapaxes(known, 1, 2))
    found = fit(votes, how=Climbing(tolerance=1e-12, max_iter=20_000))
    truth, table = slow(said, known, 0.5)
    # EM ends where a step gains 1e-12; parameters then are right to about its square root.
    assert found.truth[votes.row_of] == pytest.approx(truth, abs=1e-4)
    assert found.confusion == pytest.approx(table, abs=1e-4)


def test_who_is_known_to_be_good_is_believed_against_two_who_guess():
    rng = np.random.default_rng(1)
    said = np.where(rng.random((40, 3)) < 0.5, "y", "n")
    said[1:, 1] = said[1:, 0]  # two that agree but for one item: no copies, which count as one
    said[0, 1] = "n" if said[0, 0] == "y" else "y"
    labels = votes_of(said)
    for method in ("em", "one-coin", "easy-hard", "consensus"):
        plain = consensus(labels, method=method)
        known = consensus(
            labels, method=method, confusion=columns({"a": GUESSES, "b": GUESSES, "c": GOOD})
        )
        apart = said[:, 0] != said[:, 2]
        assert np.mean(known.labels.label[apart] == said[apart, 2]) > 0.8
        assert np.mean(plain.labels.label[apart] == said[apart, 2]) < 0.3


def test_a_file_and_columns_are_the_same(tmp_path):
    path = tmp_path / "known.csv"
    path.write_text("worker,true,given,count\na,y,y,8\na,y,n,2\na,n,n,9\na,n,y,1\n")
    nested = {"a": {"y": {"y": 8, "n": 2}, "n": {"n": 9, "y": 1}}}
    one, two = (
        known_confusion(given, ["a", "b"], ["n", "y"], Notes())
        for given in (str(path), columns(nested))
    )
    assert one == pytest.approx(two)
    assert np.array_equal(one[0].T, [[9, 1], [2, 8]])  # true, given
    assert not one[1].any()
    shares = {"a": {"y": {"y": 0.8, "n": 0.2}, "n": {"n": 0.9, "y": 0.1}}}
    ten = known_confusion(columns(shares), ["a", "b"], ["n", "y"], Notes())
    assert np.allclose(ten[0].T, [[9, 1], [2, 8]])  # probabilities count for ten


def test_what_cannot_be_used_is_refused(tmp_path):
    def take(given):
        return known_confusion(given, ["a"], ["n", "y"], Notes())

    with pytest.raises(DataError, match="none of 'z' is a classifier"):
        take(columns({"z": GOOD}))
    with pytest.raises(DataError, match="nobody gives label 'maybe'"):
        take(columns({"a": {"maybe": {"y": 1}}}))
    with pytest.raises(DataError, match="0 or more"):
        take(columns({"a": {"y": {"y": -1}}}))
    path = tmp_path / "known.csv"
    path.write_text("worker,true,given\na,y,y\n")
    with pytest.raises(DataError, match="expected the columns classifier, true, given and count"):
        take(str(path))
    path.write_text("worker,true,given,count\na,y,y,many\n")
    with pytest.raises(DataError, match="row 2, column 'count'"):
        take(str(path))
