"""The doors of results, what may be given, and that the order of rows does not matter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import matplotlib.axes
import numpy as np
import polars as pl
import pytest

from headcount import HeadcountError, Labels, blind, dawid_skene, read_truth
from headcount.blind_evaluation.dawid_skene import DawidSkeneResult
from headcount.blind_evaluation.methods import METHODS
from headcount.blind_evaluation.result import BlindResult, headline
from headcount.results.result import Result
from tests.blind_evaluation.cases import as_labels, study


def triples(items: int = 120, seed: int = 0) -> tuple[list[tuple[str, str, str]], dict[str, str]]:
    """Votes of five classifiers on named items, some missing, and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, items)
    right = rng.random((items, 5)) < [0.9, 0.85, 0.8, 0.7, 0.6]
    said = np.where(right, truth[:, None], 1 - truth[:, None])
    rows = [
        (f"item {i}", f"judge {k}", ["no", "yes"][said[i, k]])
        for i, k in np.ndindex(said.shape)
        if rng.random() < 0.9
    ]
    return rows, {f"item {i}": ["no", "yes"][t] for i, t in enumerate(truth)}


def labels_of(rows: list[tuple[str, str, str]]) -> Labels:
    return Labels.from_triples(*zip(*rows, strict=True))


QUICK = ["leave-group-out", "em", "naive-bayes", "direct", "ppi"]


# --- doors ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["blind", "blind with gold", "dawid_skene"])
def result(request: pytest.FixtureRequest) -> Result:
    rows, truth = triples()
    if request.param == "dawid_skene":
        return dawid_skene(labels_of(rows))
    gold = dict(list(truth.items())[:30]) if "gold" in request.param else None
    methods = ["em", "naive-bayes", "ppi"] if gold else None
    return blind(labels_of(rows), gold=gold, methods=methods, bootstrap=20)


def test_doors(result: Result):
    assert isinstance(result, Result)
    assert str(result) == repr(result)
    assert max(map(len, str(result).splitlines())) <= 80
    assert "<table>" in result._repr_html_()
    document = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert document["data"]["items"] == {"used": 120, "dropped": 0}
    assert document["data"]["raters"] == 5
    assert document["notes"] == [str(note) for note in result.notes]
    assert len(result.to_frame("polars")) == len(next(iter(result.columns().values())))
    axes = result.plot()
    assert isinstance(axes, matplotlib.axes.Axes)
    assert result.plot(axes) is axes


def test_result_of_dawid_skene():
    rows, _ = triples()
    result = dawid_skene(labels_of(rows))
    assert isinstance(result, DawidSkeneResult)
    document = result.to_dict()
    first = document["items"][0]
    assert first["label"] == result.label[0]
    assert first["probabilities"] == dict(zip(result.labels, result.truth[0].tolist(), strict=True))
    assert [r["rater"] for r in document["raters"]] == list(result.raters)
    assert np.array(document["raters"][1]["confusion"]).sum() == pytest.approx(2)
    assert result.backend is None


def test_old_names_of_the_provenance(result: Result):
    if isinstance(result, BlindResult):
        p = result.provenance
        assert (p.items_used, p.items_dropped) == (120, 0)


def test_a_headline_does_not_contradict_a_warning():
    """Copies of a bad classifier outvote good ones; 20 gold labels show it, but do not rank."""
    random = np.random.default_rng(1)
    truth = random.integers(0, 2, size=300)
    bad = np.where(random.random(300) < 0.2, truth, 1 - truth)
    columns = [np.where(random.random(300) < 0.97, bad, 1 - bad) for _ in range(4)]
    columns += [np.where(random.random(300) < 0.95, truth, 1 - truth) for _ in range(2)]
    gold = {str(i): str(t) for i, t in enumerate(truth[:20])}
    labels = as_labels(np.stack(columns, axis=1), 2)
    result = blind(labels, gold=gold, bootstrap=0, methods=["leave-one-out", "em", "direct"])
    assert result.contradiction is not None
    assert headline(result)[0] == result.contradiction
    assert result.contradiction.startswith("Gold contradicts the ")
    assert not result.leaders
    assert all(c.rank is None for c in result.classifiers)
    assert " is best" not in str(result)
    assert "comes first" not in str(result)
    ranked = blind(labels, gold={str(i): str(t) for i, t in enumerate(truth[:30])}, bootstrap=0)
    assert ranked.method == "ppi"
    assert set(ranked.leaders) == {"c4", "c5"}
    assert ranked.contradiction in ranked.to_dict()["warnings"]


def test_severities():
    rows, _ = triples()
    three = [row for row in rows if row[1] < "judge 3"]
    result = blind(labels_of(three), bootstrap=0)
    severity = {note.split(" ")[0]: note.severity for note in result.notes}
    assert severity == {"With": "caution", "Without": "caution"}
    unfinished = dawid_skene(labels_of(rows), max_iter=2)
    assert [note.severity for note in unfinished.notes] == ["warning"]
    assert unfinished.to_dict()["warnings"] == list(map(str, unfinished.notes))


# --- what may be given ----------------------------------------------------------------------------


def test_files_and_frames_for_everything(tmp_path: Path):
    rows, truth = triples()
    known = dict(list(truth.items())[:60])
    groups = {"judge 0": "a", "judge 1": "a"}
    quick: dict[str, Any] = {"bootstrap": 10, "methods": QUICK}
    expected = blind(labels_of(rows), gold=known, groups=groups, **quick).to_dict()
    votes = pl.DataFrame(rows, schema=["item", "model", "label"], orient="row")
    gold = pl.DataFrame({"item": list(known), "gold": list(known.values())})
    teams = pl.DataFrame({"model": list(groups), "group": list(groups.values())})
    for name, frame in (("votes", votes), ("gold", gold), ("groups", teams)):
        frame.write_csv(tmp_path / f"{name}.csv")
    from_frames = blind(votes, gold=gold, groups=teams, **quick)
    from_files = blind(
        tmp_path / "votes.csv",
        gold=str(tmp_path / "gold.csv"),
        groups=tmp_path / "groups.csv",
        **quick,
    )
    read = read_truth(gold)
    from_read = blind(votes, gold=read, groups=groups, **quick)
    for found in (from_frames, from_files, from_read):
        document = found.to_dict()
        for key in ("classifiers", "em", "diagnostics", "method"):
            assert document[key] == expected[key]
    assert any(note.startswith("gold: labels of 60 items") for note in from_frames.notes)
    assert dawid_skene(votes).log_likelihood == dawid_skene(labels_of(rows)).log_likelihood
    pattern = blind(votes, group_pattern=r"judge [01]$|judge", bootstrap=0)
    assert pattern["judge 0"].group == "judge 0"


@pytest.mark.parametrize(
    "options",
    [
        {"bootstrap": 2.5},
        {"bootstrap": True},
        {"level": 2},
        {"level": "x"},
        {"seed": 1.5},
        {"seed": None},
        {"smoothing": "x"},
        {"metrics": 123},
        {"metrics": []},
        {"methods": 123},
        {"at_least": "x"},
        {"gold": 123},
        {"crowd": 123},
        {"groups": 123},
        {"group_pattern": 123},
        {"positive": 1},
        {"groups": {"judge 0": "a"}, "group_pattern": "^j"},
    ],
)
def test_wrong_options_are_headcount_errors(options: dict[str, Any]):
    rows, _ = triples(20)
    with pytest.raises(HeadcountError):
        blind(labels_of(rows), **options)


@pytest.mark.parametrize("data", [123, None, {}, pl.DataFrame({"item": [], "a": [], "b": []})])
def test_wrong_data_are_headcount_errors(data: Any):
    for verb in (blind, dawid_skene):
        with pytest.raises(HeadcountError):
            verb(data)


@pytest.mark.parametrize(
    "options", [{"groups": 123}, {"groups": {"nobody": "a"}}, {"max_iter": 2.5}]
)
def test_wrong_options_of_dawid_skene(options: dict[str, Any]):
    rows, _ = triples(20)
    with pytest.raises(HeadcountError):
        dawid_skene(labels_of(rows), **options)


# --- draws ----------------------------------------------------------------------------------------


def test_the_order_of_rows_changes_no_digit():
    """Of any method: bootstrap and folds go by names and seed alone."""
    rows, truth = triples(80)
    gold = dict(list(truth.items())[:50])
    crowd = dict(list(truth.items())[30:70])
    order = np.random.default_rng(1).permutation(len(rows)).tolist()
    options: dict[str, Any] = {
        "groups": {"judge 0": "a", "judge 1": "a"},
        "bootstrap": 12,
        "methods": list(METHODS),
        "seed": 7,
    }
    turned = {
        name: dict(reversed(known.items())) for name, known in (("gold", gold), ("crowd", crowd))
    }
    for people in ({"gold": gold}, {"gold": gold, "crowd": crowd}):
        one = blind(labels_of(rows), **people, **options)
        two = blind(
            labels_of([rows[i] for i in order]),
            **{name: turned[name] for name in people},
            **options,
        )
        assert len(one.provenance.methods) == len(METHODS)
        assert json.dumps(one.to_dict()) == json.dumps(two.to_dict())
        compared = [
            study("blind_comparison").compare(labels_of(some), **known, **options).to_dict()
            for some, known in (
                (rows, people),
                ([rows[i] for i in order], {name: turned[name] for name in people}),
            )
        ]
        assert json.dumps(compared[0]) == json.dumps(compared[1])
    fits = [dawid_skene(labels_of(x)) for x in (rows, [rows[i] for i in order])]
    assert fits[0].log_likelihood == fits[1].log_likelihood
    assert fits[0].accuracy == fits[1].accuracy
    by_item = [dict(zip(f.items.tolist(), f.truth.tolist(), strict=True)) for f in fits]
    assert by_item[0] == by_item[1]


def test_the_fit_is_that_of_dawid_skene():
    """Whichever other methods there are."""
    rng = np.random.default_rng(0)
    labels = as_labels(rng.integers(0, 4, (60, 4)), 4)
    alone = dawid_skene(labels)
    for methods in (["em"], ["sampling", "round-robin", "em"]):
        found = blind(labels, methods=methods, seed=3, bootstrap=4)
        assert found.em["em"]["log_likelihood"] == alone.log_likelihood


def test_methods_share_bootstrap_samples():
    """What a method gives does not depend on which others are asked for."""
    rows, truth = triples()
    labels, gold = labels_of(rows), dict(list(truth.items())[:60])
    everything = blind(labels, gold=gold, bootstrap=15, methods=["sampling", *QUICK[1:]])
    for method in QUICK[1:]:
        alone = blind(labels, gold=gold, bootstrap=15, methods=[method])
        for c in alone.classifiers:
            assert c.estimates[method] == everything[c.name].estimates[method]


def test_a_generator_moves_on():
    rows, _ = triples(60)
    rng = np.random.default_rng(0)
    one, two = (blind(labels_of(rows), methods=["majority"], bootstrap=30, seed=rng) for _ in "ab")
    assert one.provenance.seed is None
    assert one["judge 0"].estimates != two["judge 0"].estimates


def test_workers_without_gold_are_counted_apart_and_a_crowd_is_no_panel():
    """Of 24 workers 12 labelled items with gold: the headline is about these."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 240)
    rows = []
    for item in range(240):
        first = 12 * (item >= 120)
        for worker in range(first + item % 4, first + 12, 4):
            right = rng.random() < 0.8
            rows.append((item, f"w{worker}", int(truth[item]) if right else 1 - int(truth[item])))
    labels = Labels.from_triples(*zip(*rows, strict=True))
    result = blind(labels, gold={i: str(truth[i]) for i in range(60)}, bootstrap=20)
    text = " ".join(str(result).split())
    assert result.method == "ppi"
    assert "among 12 workers" in text
    text = " ".join(result.to_text(details=True).split())
    assert "12 workers without a score by PPI not listed" in text
    assert "12 of 24 classifiers labelled no item with gold or crowd labels" in text
    assert result.panel is None
    assert "independent votes" not in text
    worth = result.diagnostics.to_dict()["effective_votes"]
    assert worth["value"] is None
    assert worth["gold"] is None
    assert "share fewer than 20 items" in worth["undefined"]


@pytest.mark.parametrize(
    ("judges", "method", "score", "confusion"),
    [(3, "em", True, True), (4, "em", False, True), (10, "em", False, False),
     (6, "consensus", True, True), (10, "consensus", False, False)],
)  # fmt: skip
def test_intervals_of_few_judges_are_called_approximate(
    judges: int, method: str, score: bool, confusion: bool
):
    """As docs/studies/blind.md found: EM holds from four on, given labels from ten on."""
    rng = np.random.default_rng(judges)
    truth = rng.integers(0, 2, 100)
    right = rng.random((100, judges)) < np.linspace(0.9, 0.7, judges)
    labels = as_labels(np.where(right, truth[:, None], 1 - truth[:, None]), 2)
    found = blind(labels, methods=[method], bootstrap=20)
    assert (found.is_approximate, found.confusion_is_approximate) == (score, confusion)
    if not found.by_explanations:
        assert ("intervals are approximate" in str(found)) == score
    gold = {i: str(truth[i]) for i in range(60)}
    assert not blind(labels, gold=gold, methods=["direct"], bootstrap=20).is_approximate
