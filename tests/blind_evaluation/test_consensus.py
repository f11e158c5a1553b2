"""The consensus: models of the true labels, labels of items, and who is best."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from headcount import DataError, Labels, OptionError, blind, consensus
from headcount.blind_evaluation.consensus import ConsensusResult
from headcount.blind_evaluation.dawid_skene import Climbing
from headcount.blind_evaluation.labelling import power_of, shared_errors
from headcount.blind_evaluation.methods import METHODS, worker_scores
from headcount.blind_evaluation.metrics import choose_metrics
from headcount.blind_evaluation.result import BlindResult
from headcount.blind_evaluation.truth_models import confusion_intervals, mixture
from headcount.blind_evaluation.votes import Blocks, collect, majority
from headcount.io.write import write_rows
from headcount.results.fields import MOST_ROWS
from tests.blind_evaluation.cases import as_labels, as_votes

# The consensus: the labels of `blind`, a majority by hand, and what is told of workers.


def crowd(workers: int = 6, items: int = 120, seed: int = 3) -> Labels:
    """Workers who are right in .65 to .95 of the items; a quarter of the votes are missing."""
    random = np.random.default_rng(seed)
    truth = random.random(items) < 0.4
    right = random.random((items, workers)) < np.linspace(0.65, 0.95, workers)
    table = np.where(right, truth[:, None], ~truth[:, None]).astype(np.int64)
    table[random.random(table.shape) < 0.25] = -1
    return as_labels(table, 2)


@pytest.mark.parametrize("method", ["consensus", "majority", "one-coin", "em", "easy-hard"])
def test_labels_are_those_of_the_model_and_less_sure(method: str) -> None:
    labels = crowd()
    found = consensus(labels, method=method)
    assert isinstance(found, ConsensusResult)
    votes = collect(labels)
    blocks = Blocks.of(votes, votes.multiplicity.astype(float))
    row = votes.row_of[votes.row_of >= 0]
    model = mixture(blocks, METHODS[method].fits, Climbing())
    truth = model(votes)[row]
    power = power_of(model, votes, np.ones(6))
    assert 0 < power < 1
    odds = truth**power
    assert found.labels.probability == pytest.approx(odds / odds.sum(axis=1, keepdims=True))
    assert (found.labels.probability.argmax(axis=1) == truth.argmax(axis=1)).all()
    assert found.to_dict()["labels"]["mean_probability"] < truth.max(axis=1).mean()
    if method in ("one-coin", "easy-hard", "consensus"):
        wanted = blind(labels, methods=[method], metrics=["accuracy"], bootstrap=0)
        scores = {
            each.name: each.estimates[method]["accuracy"].value for each in wanted.classifiers
        }
        # Blind evaluation scores with the probabilities of the model, not to a power.
        assert {each.name: each.accuracy.value for each in found.workers} == pytest.approx(
            scores, abs=0.08
        )
    if method == "consensus":
        assert found.columns() == wanted.labels.columns()
        assert found.to_dict()["labels"] == wanted.to_dict()["consensus"]


def test_workers_are_judged_by_the_model_before_it_is_made_less_sure() -> None:
    labels = crowd(items=150)
    votes = collect(labels)
    blocks = Blocks.of(votes, votes.multiplicity.astype(float))
    metrics = choose_metrics(votes.labels, names=["accuracy"])
    wanted = worker_scores(blocks, mixture(blocks, "errors", Climbing()), metrics).scores[0]
    found = {each.name: each.accuracy.value for each in consensus(labels, method="em").workers}
    assert [found[name] for name in votes.classifiers] == pytest.approx(wanted.tolist())


def test_a_majority_by_hand() -> None:
    """Three workers; c did not label items 5 and 6, and of item 6 a and b disagree."""
    said = {1: "yyn", 2: "nnn", 3: "yyy", 4: "nyn", 5: "yy", 6: "yn"}
    rows = [
        (item, worker, label)
        for item, row in said.items()
        for worker, label in zip("abc", row, strict=False)
    ]
    found = consensus(Labels.from_triples(*zip(*rows, strict=True)), method="majority")
    columns = found.columns()
    assert columns["item"] == [1, 2, 3, 4, 5, 6]
    assert columns["label"][:5] == list("ynyny")
    assert columns["votes"] == [3, 3, 3, 3, 2, 2]
    # Votes count alike: 3 of 3 say more than 2 of 2, these more than 2 of 3; a tie is half of each.
    two, _, three, _, both, tie = columns["probability:y"]
    assert 0.5 < two < both < three < 1
    assert tie == 0.5
    assert columns["probability:n"] == pytest.approx([1 - y for y in columns["probability:y"]])
    assert {each.name: each.labelled for each in found.workers} == {"a": 6, "b": 6, "c": 4}
    assert found.workers[0].name == "a"


def test_the_page_names_few_workers_and_python_all() -> None:
    labels = crowd(workers=MOST_ROWS + 3)
    found = consensus(labels)
    text = " ".join(str(found).split())
    assert text.startswith("120 items labelled: '0' ")
    assert "should be right, unless most workers err together" in text
    assert f", {MOST_ROWS + 3} workers" in text
    assert "and 1 more worker" in " ".join(found.to_text(details=True).split())
    assert len(found.to_dict()["workers"]) == 13
    columns = found.worker_columns()
    assert len(columns["worker"]) == 13 * 2 * 2
    assert columns["accuracy"] == sorted(columns["accuracy"], reverse=True)
    assert sum(columns["count"]) == pytest.approx(sum(each.labelled for each in found.workers))


def test_what_workers_out_writes_confusion_reads(tmp_path: Path) -> None:
    labels = crowd()
    found = consensus(labels)
    path = tmp_path / "workers.csv"
    write_rows(found.worker_columns(), path)
    again = consensus(labels, confusion=path)
    assert any("Known beforehand of 6 classifiers" in note for note in again.notes)
    for worker in again.workers:
        before = next(each for each in found.workers if each.name == worker.name)
        assert worker.accuracy.value == pytest.approx(before.accuracy.value, abs=0.05)


def test_a_model_labels_new_items_as_it_was_fitted(tmp_path: Path) -> None:
    labels = crowd(items=200)
    fit = consensus(labels)
    assert fit.predict(labels).columns() == fit.columns()
    path = tmp_path / "model.json"
    fit.save(path)
    assert consensus(labels, model=path).columns() == fit.columns()
    assert consensus(labels, model=fit).columns() == fit.columns()
    # Items and workers that it never saw: as the mean worker.
    new = Labels.from_triples(["x", "x", "y"], ["c5", "new", "c0"], ["0", "0", "1"])
    found = fit.predict(new)
    assert found.columns()["label"] == ["0", "1"]
    assert any("counted as its mean worker" in note for note in found.notes)
    strong, weak = fit.predict(
        Labels.from_triples(["x", "y"], ["c5", "c0"], ["0", "0"])
    ).labels.probability[:, 0]
    assert strong > weak
    with pytest.raises(DataError, match="does not know the labels '7'"):
        fit.predict(Labels.from_triples(["x"], ["c5"], ["7"]))
    path.write_text("{}")
    with pytest.raises(DataError, match="this is not a model of"):
        consensus(labels, model=path)


def test_poor_workers_are_left_out_if_asked() -> None:
    table, _ = simulated([0.9, 0.9, 0.85, 0.85, 0.8, 0.35, 0.4])
    labels = as_labels(table, 2)
    found = consensus(labels)
    below, poor = found.poor
    assert {each.name for each in poor} == {"c5", "c6"}
    again = consensus(labels, exclude_below=below)
    assert len(again.workers) == 5
    assert any(note.startswith("Without 2 workers: 'c5', 'c6'") for note in again.notes)
    with pytest.raises(OptionError, match="leaves fewer than two"):
        consensus(labels, exclude_below=0.99)


def test_leaving_out_workers_says_what_changes() -> None:
    table, _ = simulated([0.9, 0.9, 0.85, 0.85, 0.8, 0.35, 0.4])
    table[:3, :5] = -1  # items that only poor workers labelled
    labels = as_labels(table, 2)
    found = consensus(labels)
    again = consensus(labels, exclude_below=found.poor[0])
    before = dict(zip(found.labels.items.tolist(), found.labels.label, strict=True))
    after = dict(zip(again.labels.items.tolist(), again.labels.label, strict=True))
    changed = sum(before[item] != label for item, label in after.items())
    assert again.excluded is not None
    assert again.excluded.without == len(before) - len(after) == 3
    assert again.excluded.changed == changed
    assert "Without the 2 workers below" in str(again)
    assert "3 more items have no labels left." in " ".join(str(again).split())
    assert "leave out" not in str(again)
    same = consensus(labels, exclude_below=0.1)
    assert "No worker matches the consensus less than 10% of the time." in str(same)


# Gold: items carry it, and it chooses what labels the others.


def misled(seed: int = 1, items: int = 400) -> tuple[Labels, np.ndarray]:
    """Six of nine share the mistakes of one that is wrong more often than right."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, items)
    base = np.where(rng.random(items) < 0.45, truth, 1 - truth)
    family = np.where(rng.random((items, 6)) < 0.9, base[:, None], 1 - base[:, None])
    single = np.where(rng.random((items, 3)) < 0.85, truth[:, None], 1 - truth[:, None])
    return as_labels(np.column_stack([family, single]), 2), truth


def test_items_carry_their_gold_and_others_follow_what_it_teaches() -> None:
    labels, truth = misled()
    gold = {i: str(truth[i]) for i in range(60)}
    alone, found = consensus(labels), consensus(labels, gold=gold)
    assert [int(x) for x in found.labels.label[:60]] == truth[:60].tolist()
    assert (found.labels.probability.max(axis=1)[:60] == 1).all()
    assert found.columns()["model"][:60] == ["gold"] * 60
    rest = np.arange(60, 400)

    def right(result: ConsensusResult) -> float:
        return float(np.mean([int(result.labels.label[i]) == truth[i] for i in rest]))

    assert right(alone) < 0.6
    assert right(found) > 0.8
    assert found.choice is not None
    assert found.choice.name in ("naive Bayes", "logistic regression")
    assert "the votes alone" in str(found)
    # Both are given where they contradict each other.
    assert found.labels.contradicted > 0.1
    assert "most_votes" in found.columns()
    assert "of the items (to_frame() has them)" in " ".join(str(found).split())
    expected = found.to_dict()["labels"]["mean_probability"]
    assert abs(expected - (60 + right(found) * 340) / 400) < 0.12
    # The blind evaluation gives the same labels.
    assert blind(labels, gold=gold, bootstrap=0).labels.columns() == found.columns()


def test_gold_alone_says_how_many_labels_should_be_right() -> None:
    """Probabilities, of which those of gold are 1, are no second answer beside it."""
    labels, truth = misled()
    gold = {i: str(truth[i]) for i in range(60)}
    found = consensus(labels, gold=gold)
    assert found.choice is not None
    right = found.choice.right
    assert right is not None
    assert right.low < np.mean(found.labels.label[60:].astype(int) == truth[60:]) < right.high
    text = " ".join(str(found).split())
    ends = f"({right.low:.0%} to {right.high:.0%})"
    assert f"About {right.value:.0%} {ends} of the other labels should be right" in text
    assert text.count("right") - text.count("there are right if") == 1
    assert found.to_dict()["gold_right"]["low"] == pytest.approx(right.low, abs=1e-6)


def test_the_screen_says_what_decides_where_votes_tie() -> None:
    """Four of six share most errors, and nobody names them: ties are theirs, and labels too."""
    rng = np.random.default_rng([7, 6, 4, 29])
    truth, accuracy = rng.integers(0, 2, 200), rng.uniform(0.6, 0.92, 6)
    draw, shared = rng.random((200, 6)), rng.random((200, 1))
    together = (rng.random((200, 6)) < 0.8) & (np.arange(6) < 4)
    right = np.where(together, shared, draw) < accuracy
    found = consensus(as_labels(np.where(right, truth[:, None], 1 - truth[:, None]), 2))
    tied = found.to_dict()["labels"]["tied"]
    assert tied == np.mean(right.sum(axis=1) == 3) > 0.1
    text = " ".join(str(found).split())
    what = f"votes tie on {tied:.0%} of the items: labels there are right if classifiers err"
    assert f"{what} independently" in text
    # By the majority nothing is assumed beyond it.
    assert "votes tie on" not in " ".join(str(consensus(found.read, method="majority")).split())


def test_gold_says_how_sure_labels_may_be() -> None:
    """On a tenth of the items all but a few err: votes do not show it, gold does."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 600)
    hard = rng.random(600) < 0.3
    right = np.where(hard[:, None], 0.25, 0.9)
    table = np.where(rng.random((600, 9)) < right, truth[:, None], 1 - truth[:, None])
    labels = as_labels(table, 2)
    gold = {i: str(truth[i]) for i in range(100)}
    off = []
    for result in (consensus(labels), consensus(labels, gold=gold)):
        rest = slice(100, None)
        hit = np.mean([int(x) for x in result.labels.label[rest]] == truth[rest])
        off.append(float(result.labels.probability.max(axis=1)[rest].mean() - hit))
    assert off[0] > 0.1
    assert abs(off[1]) < 0.07


def test_correlation_of_errors_pair_by_pair() -> None:
    rng = np.random.default_rng(2)
    table = rng.integers(0, 3, size=(40, 5))
    table[rng.random(table.shape) < 0.2] = -1
    votes = as_votes(table, 3)
    pairs = np.zeros((3, 3, 3))
    for row in table:
        said = [k for k in range(5) if row[k] >= 0]
        for j in said:
            for k in said:
                others = np.bincount([row[m] for m in said if m not in (j, k)], minlength=3)
                if j == k or not others.sum():
                    continue
                best = others == others.max()
                pairs[:, row[j], row[k]] += best / best.sum()
    total = pairs.sum(axis=(1, 2))
    chance = (pairs.sum(axis=2) ** 2).sum(axis=1) / total
    wanted = (np.einsum("caa->c", pairs) - chance).sum() / (total - chance).sum()
    assert shared_errors(votes, votes.multiplicity.astype(float)) == pytest.approx(max(0, wanted))


def test_judges_whose_names_begin_alike_count_for_what_they_are_worth() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 500)
    base = np.where(rng.random(500) < 0.75, truth, 1 - truth)
    family = np.where(rng.random((500, 3)) < 0.95, base[:, None], 1 - base[:, None])
    single = np.where(rng.random((500, 2)) < 0.9, truth[:, None], 1 - truth[:, None])
    table = np.column_stack([family, single])
    names = ["gpt-4", "gpt-4o", "openai/gpt-4o-mini", "claude", "llama"]
    cells = [(i, names[k], str(x)) for i, row in enumerate(table) for k, x in enumerate(row)]
    found = consensus(Labels.from_triples(*zip(*cells, strict=True)))
    other = consensus(as_labels(table, 2))
    hits = [np.mean([int(x) for x in result.labels.label] == truth) for result in (found, other)]
    assert hits[0] > 0.85 > 0.8 > hits[1]
    assert any("votes of one family" in note for note in found.notes)


def test_few_judges_who_err_together_need_no_name_to_count_for_less() -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, (500, 1))
    drawn = rng.random((500, 4))
    drawn[:, 1] = np.where(rng.random(500) < 0.8, drawn[:, 0], drawn[:, 1])
    table = np.where(drawn < [0.6, 0.7, 0.8, 0.9], truth, 1 - truth)
    found = consensus(as_labels(table, 2))
    assert np.mean([int(x) for x in found.labels.label] == truth[:, 0]) > 0.87
    assert "'c0', 'c1' count as" in str(found.notes)
    alone = np.where(rng.random((500, 4)) < [0.6, 0.7, 0.8, 0.9], truth, 1 - truth)
    assert "count as" not in str(consensus(as_labels(alone, 2)).notes)


def test_gold_corrects_how_good_workers_are() -> None:
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 2, (800, 1))
    misled = rng.random((800, 1)) < 0.25
    right = np.where(misled, rng.random((800, 6)) < 0.1, rng.random((800, 6)) < 0.95)
    table = np.where(right, truth, 1 - truth)
    gold = {str(i): str(truth[i, 0]) for i in range(100)}
    workers = consensus(as_labels(table, 2), gold=gold).workers
    actual = {f"c{k}": right[:, k].mean() for k in range(6)}
    assert all(each.accuracy.low is None for each in workers)  # which would take labels as true
    assert {w.name: w.accuracy.value for w in workers} == pytest.approx(actual, abs=0.08)


@pytest.mark.parametrize("method", ["leave-one-out", "naive-bayes", "nobody"])
def test_a_method_without_labels_is_refused(method: str) -> None:
    with pytest.raises(OptionError, match=f"unknown method '{method}'"):
        consensus(crowd(), method=method)


# Labels of items, confusion matrices, the set of the best, and when there is no winner.


def simulated(
    right: list[float], items: int = 300, labels: int = 2, seed: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, labels, items)
    wrong = (truth[:, None] + rng.integers(1, labels, (items, len(right)))) % labels
    table = np.where(rng.random((items, len(right))) < right, truth[:, None], wrong)
    return table, truth


@pytest.fixture(scope="module")
def result() -> BlindResult:
    table, _ = simulated([0.9, 0.85, 0.8, 0.7, 0.65], labels=3)
    table[7] = -1
    return blind(as_labels(table, 3), bootstrap=40)


def test_every_item_with_votes_has_a_label(result: BlindResult):
    found = result.labels
    assert len(found) == 299
    assert found.model == "consensus"
    assert found.probability.sum(axis=1) == pytest.approx(1)
    assert found.label.tolist() == [found.labels[k] for k in found.probability.argmax(axis=1)]
    columns = found.columns()
    assert list(columns) == [
        "item", "label", "probability:0", "probability:1", "probability:2", "votes", "model",
    ]  # fmt: skip
    assert set(columns["votes"]) == {5}
    assert len(found.to_frame("polars")) == 299
    assert 7 not in columns["item"]


def test_labels_are_mostly_right(result: BlindResult):
    _, truth = simulated([0.9, 0.85, 0.8, 0.7, 0.65], labels=3)
    found = [int(label) for label in result.labels.label]
    assert np.mean(found == truth[result.labels.items]) > 0.9


def test_confusion_matrices_hold_what_was_simulated(result: BlindResult):
    for name, right in (("c0", 0.9), ("c4", 0.65)):
        confusion = result[name].confusion
        assert list(confusion) == ["0", "1", "2"]
        for true, row in confusion.items():
            assert sum(cell.value for cell in row.values()) == pytest.approx(1)
            cell = row[true]
            assert cell.low is not None
            assert cell.high is not None
            # About 100 items of each label: intervals of 95% with some room.
            assert cell.low - 0.05 < right < cell.high + 0.05
    document = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    cell = document["classifiers"][0]["confusion"]["0"]["1"]
    assert cell.keys() == {"value", "low", "high"}
    assert document["consensus"]["model"] == "consensus"
    assert document["consensus"]["items"] == 299
    assert sum(document["consensus"]["shares"].values()) == pytest.approx(1)


def test_confusions_of_a_certain_truth_by_hand():
    """Where the truth is certain the variance is that of a Beta posterior alone."""
    table = np.array([[0, 0, 0]] * 30 + [[1, 1, 1]] * 20 + [[1, 1, 0]] * 10)
    votes = as_votes(table, 2)
    blocks = Blocks.of(votes, votes.multiplicity.astype(float))
    value, low, high = confusion_intervals(blocks, majority, 0.95)
    assert value[0, 0] == pytest.approx(value[1, 0])
    assert value.sum(axis=2) == pytest.approx(1)
    assert value[2, 1, 0] > 0.2  # c2 gives 0 to ten of thirty that are 1
    assert (low <= value).all()
    assert (value <= high).all()
    # Thirty of thirty, and what the crowd adds: at least .89 (Clopper and Pearson).
    assert 0.89 < low[0, 0, 0] < 1


# --- the best -------------------------------------------------------------------------------------


def test_the_best_are_those_that_no_test_tells_from_the_first():
    table, truth = simulated([0.95, 0.94, 0.93, 0.6, 0.55], items=400)
    gold = {i: str(truth[i]) for i in range(400)}
    result = blind(as_labels(table, 2), gold=gold, bootstrap=20)
    assert set(result.leaders) == {"c0", "c1", "c2"}
    text = " ".join(str(result).split())
    assert text.startswith("3 of 5 judges could be best (c")
    assert result.to_dict()["leaders"] == list(result.leaders)


@pytest.mark.parametrize("seed", range(24))
def test_headline_and_table_name_the_same_best(seed: int):
    """With gold and without, complete and sparse, few and many items, equal and unequal."""
    rng = np.random.default_rng(seed)
    size, items, labels = int(rng.integers(3, 9)), int(rng.integers(20, 400)), seed % 2 + 2
    right = rng.uniform(0.5, 0.99, size).round(1 + seed % 2)
    table, truth = simulated(list(right), items, labels, seed)
    table[(rng.random(table.shape) < 0.3 * (seed % 3)) & (np.arange(size) > 1)] = -1
    gold = {i: str(truth[i]) for i in range(items // 2)} if seed % 4 == 3 else None
    result = blind(as_labels(table, labels), gold=gold, bootstrap=30)
    best = {c.name for c in result.classifiers if c.rank == 1}
    assert best == set(result.leaders)
    if not best:  # two rankings by votes contradict each other
        assert "No clear winner among" in str(result) or "without ranks" in str(result)
        return
    assert result.classifiers[0].name == result.leaders[0]  # the best score comes first
    lines = str(result).splitlines()
    at = head = next(n for n, line in enumerate(lines) if line.startswith("judge "))
    rows = [line.split() for line in lines[head + 2 : head + 2 + size]]
    assert {row[0] for row in rows if "no" not in row} == best
    first = " ".join(" ".join(lines[:at]).split())
    if "could be best" in first:
        assert first.startswith(f"{len(best)} of {size} judges")
    elif first.startswith("No clear winner"):
        assert len(best) == size
    elif "significantly worse" in first:
        assert first.startswith(f"{size - len(best)} of {size} judges")
    elif named := re.match(r"(\S+) (is best|comes first)", first):
        assert best == {named[1]}


def test_one_that_leads_is_named():
    table, truth = simulated([0.97, 0.7, 0.7, 0.6], items=400)
    gold = {i: str(truth[i]) for i in range(400)}
    result = blind(as_labels(table, 2), gold=gold, bootstrap=20)
    assert result.leaders == ("c0",)
    assert str(result).startswith("c0 is best: accuracy 0.9")


def test_intervals_stand_in_the_main_table():
    table, _ = simulated([0.9, 0.8, 0.7, 0.7])
    text = str(blind(as_labels(table, 2), bootstrap=40))
    head = next(line for line in text.splitlines() if "95% interval" in line)
    assert head.split()[:4] == ["judge", "accuracy", "95%", "interval"]


def test_groups_that_are_given_rank():
    table, _ = simulated([0.9, 0.85, 0.8, 0.75, 0.7], items=400)
    groups = {"c0": "a", "c1": "a", "c2": "b"}
    result = blind(as_labels(table, 2), groups=groups, bootstrap=20)
    assert result.method == "leave-group-out"
    assert "you gave groups" in result.why


def test_no_winner_where_two_orders_contradict_each_other():
    """Six share their mistakes; EM takes them for the truth, and the others turn that round."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 400)
    base = np.where(rng.random(400) < 0.65, truth, 1 - truth)
    family = np.where(rng.random((400, 4)) < 0.97, base[:, None], 1 - base[:, None])
    single = np.where(rng.random((400, 5)) < [0.8, 0.75, 0.7, 0.65, 0.6], truth[:, None],
                      1 - truth[:, None])  # fmt: skip
    result = blind(as_labels(np.column_stack([family, single]), 2), bootstrap=20)
    text = str(result)
    wrong = any("at least one of them is wrong" in note for note in result.notes)
    assert wrong == result.diagnostics.disagree
    assert not (wrong and " is best: accuracy" in text)
    assert not (wrong and "comes first" in text)


def test_sparse_crowds_are_ranked_by_consensus():
    rng = np.random.default_rng(6)
    table, _ = simulated(rng.uniform(0.6, 0.95, 15).tolist(), items=200)
    table[rng.random(table.shape) < 0.85] = -1
    table[(table < 0).all(axis=1), 0] = 0
    result = blind(as_labels(table, 2), bootstrap=20)
    assert result.method == "consensus"
    for c in result.classifiers:
        e = c.estimates["consensus"]["accuracy"]
        assert e.low is not None
        assert e.high is not None
        assert 0 < e.high - e.low < 1


def test_three_labels_are_not_the_best():
    """All right, they would have an accuracy of .999 (.995 to 1) by EM, and be best of all."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 80)
    table = np.where(rng.random((80, 5)) < 0.8, truth[:, None], 1 - truth[:, None])
    table[:, 4] = np.where(np.arange(80) < 3, truth, -1)
    found = blind(as_labels(table, 2), bootstrap=20)
    few = next(c for c in found.classifiers if c.labelled == 3)
    assert found.method == "consensus"
    assert few.estimates["consensus"]["accuracy"].value < 0.95
    assert few.estimates["em"]["accuracy"].low is None
    assert few.ranks["em"]["accuracy"] is None
    assert found.panel is not None
    assert found.panel.votes > 3


def test_nothing_is_sure_where_all_agree():
    table = np.repeat(np.arange(40)[:, None] % 2, 4, axis=1)
    for c in blind(as_labels(table, 2), bootstrap=20).classifiers:
        for scores in c.estimates.values():
            assert (
                scores["accuracy"].low != scores["accuracy"].high or scores["accuracy"].low is None
            )


# Families of judges, and few gold labels.


def panel(
    seed: int, *, items: int, judges: int, family: int = 0, misleading: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Draw what judges of .6 to .92 say, and the truth; a family shares 40% of the errors' draws.

    On misleading items judges are right in 15% of cases.
    """
    random = np.random.default_rng(seed)
    truth, accuracy = random.integers(0, 2, items), random.uniform(0.6, 0.92, judges)
    draw, shared = random.random((items, judges)), random.random((items, 1))
    together = (random.random((items, judges)) < 0.4) & (np.arange(judges) < family)
    right = np.where(together, shared, draw) < accuracy
    misled = random.random((items, 1)) < misleading
    right = np.where(misled, random.random((items, judges)) < 0.15, right)
    return np.where(right, truth[:, None], 1 - truth[:, None]), truth


def test_a_family_with_a_name_does_not_outvote_the_majority():
    """Labels are hardly ever far below the majority: in panels of weak judges no model holds."""
    names, below = ["gpt-4o", "gpt-4o-mini", "gpt-5", "claude", "llama"], 0
    for seed in range(40):
        said, truth = panel(seed, items=200, judges=5, family=3)
        items, who = np.indices(said.shape).reshape(2, -1)
        labels = Labels.from_triples(items, np.array(names)[who], said.ravel())
        found = np.array(consensus(labels).labels.label, dtype=int)
        lost = np.mean((said.sum(axis=1) > 2) == truth) - np.mean(found == truth)
        below += lost > 0.025
    assert below <= 1


def test_gold_contradicts_the_score_that_is_printed():
    """Too little gold to rank by speaks against the score in the table, and is said once."""
    for seed in (7, 8, 23):
        said, truth = panel(seed, items=300, judges=6, misleading=0.25)
        gold = {str(i): str(truth[i]) for i in range(25)}
        result = blind(as_labels(said, 2), gold=gold, bootstrap=0)
        assert result.contradiction is not None
        assert f"first with {result.classifiers[0].score.value:.3f}," in result.contradiction
        assert " ".join(str(result).split()).count("Gold contradicts the votes") == 1
        assert not result.leaders


def test_with_gold_no_condition_stands_behind_the_share_that_is_right():
    said, truth = panel(1, items=300, judges=6, misleading=0.25)
    gold = {str(i): str(truth[i]) for i in range(60)}
    assert "unless most workers err together" not in str(consensus(as_labels(said, 2), gold=gold))
    assert "unless most workers err together" in " ".join(
        str(consensus(as_labels(said, 2))).split()
    )
