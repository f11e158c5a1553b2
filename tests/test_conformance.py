"""Every public function, from outside: a result with all its doors, data, or an error of ours."""

from __future__ import annotations

import inspect
import json
import pickle
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import matplotlib.axes
import polars as pl
import pytest

import headcount
from headcount import Comparisons, HeadcountError, Labels, Predictions
from headcount.results.base import Result
from headcount.results.notes import Note

FUNCTIONS = {n: f for n in headcount.__all__ if inspect.isfunction(f := getattr(headcount, n))}


@cache
def ratings() -> Labels:
    return headcount.simulate_ratings(
        40, 5, states=headcount.DirichletStates([1, 1, 1]), labels=["1", "2", "3"], rng=1
    ).labels


@cache
def example() -> tuple[Labels, Predictions]:
    return headcount.running_example(60, 4, rng=1)


@cache
def comparisons() -> Comparisons:
    model = headcount.LabellingModel(items=30, raters=8, comparisons=400)
    return headcount.simulate_comparisons(model, rng=1)[0]


@cache
def populations() -> tuple[Comparisons, Comparisons, Comparisons]:
    return (
        Comparisons.from_columns("abca", "bcab", [1, 1, 1, 0]),
        Comparisons.from_columns("xyzx", "yzxy", [1, 1, 1, 0]),
        Comparisons.from_columns("abcabc", "xyzyzx", [1, 1, 1, 0, 0, 1]),
    )


def column(*values: object, **more: list[object]) -> pl.DataFrame:
    return pl.DataFrame({"item": list(values), **more})


# What a good call looks like; a function of __all__ that is not here fails the first test below.
GOOD: dict[str, Callable[[], Any]] = {
    "agree": lambda: headcount.agree(ratings(), bootstrap=50, by_rater=True, by_item=True),
    "agree_by_share": lambda: headcount.agree_by_share(ratings(), repeats=5),
    "alt_test": lambda: headcount.alt_test(*example(), epsilon=0.1, min_items=10),
    "anchor_items": lambda: headcount.anchor_items(populations()[0], average_of=populations()[1]),
    "blind": lambda: headcount.blind(ratings(), bootstrap=20),
    "bradley_terry": lambda: headcount.bradley_terry(comparisons()),
    "compare_agreement": lambda: headcount.compare_agreement(ratings(), ratings()),
    "corrected_rate": lambda: headcount.corrected_rate(ratings(), ratings(), positive="2"),
    "dawid_skene": lambda: headcount.dawid_skene(ratings()),
    "find_spammers": lambda: headcount.find_spammers(comparisons()),
    "labelling_experiment": lambda: headcount.labelling_experiment(
        headcount.LabellingModel(items=12, raters=6), runs=2, jobs=1
    ),
    "judge": lambda: headcount.judge(*example(), bootstrap=20, like_a_person=0.2),
    "join_populations": lambda: headcount.join_populations(*populations()),
    "make_report": lambda: headcount.make_report(ratings()),
    "look": lambda: headcount.look(ratings(), example()[1], comparisons()),
    "next_items": lambda: headcount.next_items(ratings(), number=5),
    "next_pairs": lambda: headcount.next_pairs(comparisons(), number=5),
    "pairs": lambda: headcount.pairs(comparisons(), by_rater=True),
    "panel_worth": lambda: headcount.panel_worth(*example(), bootstrap=20),
    "phi": lambda: headcount.phi(ratings()),
    "place_items": lambda: headcount.place_items(
        Comparisons.from_columns(["new", "new"], [0, 1], [1, 0]),
        headcount.bradley_terry(comparisons()),
    ),
    "plan": lambda: headcount.plan(comparisons(), items=20, target_f1=0.7, repeats=20),
    "plan_agreement": lambda: headcount.plan_agreement(ratings(), half_width=0.2),
    "survey": lambda: headcount.survey(*example(), bootstrap=20, ceiling=False),
    "survey_equivalence": lambda: headcount.survey_equivalence([-1.0, -0.5], [-0.7]),
    "read_anchors": lambda: headcount.read_anchors(column("a", "b", side=["positive", "negative"])),
    "read_comparisons": lambda: headcount.read_comparisons(
        pl.DataFrame({"left": ["a"], "right": ["b"], "outcome": ["left"]})
    ),
    "read_covariates": lambda: headcount.read_covariates(column("a", "b", length=[1, 2])),
    "read_experts": lambda: headcount.read_experts(
        "expert", pl.DataFrame({"item": [1], "rater": ["ann"], "label": [1], "expert": ["yes"]})
    ),
    "read_gold": lambda: headcount.read_gold(column("a", "b", value=[1.0, 2.0])),
    "read_groups": lambda: headcount.read_groups(
        pl.DataFrame({"classifier": ["a", "b"], "group": ["x", "x"]})
    ),
    "read_predictions": lambda: headcount.read_predictions(column("a", "b", judge=["x", "y"])),
    "read_ratings": lambda: headcount.read_ratings(
        column("a", "a", rater=["ann", "bob"], label=["x", "y"])
    ),
    "scan_ratings": lambda: headcount.scan_ratings("example:ratings"),
    "read_truth": lambda: headcount.read_truth(column("a", "b", label=["x", "y"])),
    "read_votes": lambda: headcount.read_votes(
        column("a", "a", classifier=["m", "n"], label=["x", "y"])
    ),
    "running_example": lambda: headcount.running_example(5, 3),
    "scan_comparisons": lambda: headcount.scan_comparisons("example:battles"),
    "simulate_comparisons": lambda: headcount.simulate_comparisons(
        headcount.LabellingModel(items=12, raters=6)
    ),
    "simulate_ratings": lambda: headcount.simulate_ratings(
        5, 3, states=headcount.DirichletStates([1, 1])
    ),
    "simulate_votes": lambda: headcount.simulate_votes(
        headcount.LabellingModel(items=12, raters=6)
    ),
}
# What must be given besides the first argument.
NEEDED: dict[str, Callable[[], dict[str, Any]]] = {
    "alt_test": lambda: {"predictions": example()[1], "epsilon": 0.1},
    "anchor_items": lambda: {"items": ["new"]},
    "corrected_rate": lambda: {"people": ratings(), "positive": "2"},
    "join_populations": lambda: {"comparisons_b": populations()[1], "bridges": populations()[2]},
    "next_items": lambda: {"number": 5},
    "next_pairs": lambda: {"number": 5},
    "panel_worth": lambda: {"predictions": example()[1]},
    "place_items": lambda: {"reference": headcount.bradley_terry(comparisons())},
    "plan": lambda: {"items": 20, "target_f1": 0.7},
    "plan_agreement": lambda: {"half_width": 0.2},
    "read_experts": lambda: {"ratings": column("a", rater=["ann"], label=[1])},
    "running_example": dict,
    "simulate_ratings": lambda: {"raters": 3, "states": headcount.DirichletStates([1, 1])},
    "survey_equivalence": lambda: {"score": [0.5]},
}
DATA = {
    "alt_test": ratings,
    "labelling_experiment": lambda: headcount.LabellingModel(items=12, raters=6),
    "running_example": lambda: 5,
    "simulate_comparisons": lambda: headcount.LabellingModel(items=12, raters=6),
    "simulate_ratings": lambda: 5,
    "simulate_votes": lambda: headcount.LabellingModel(items=12, raters=6),
    "join_populations": lambda: populations()[0],
    **dict.fromkeys(
        (
            "anchor_items",
            "bradley_terry",
            "find_spammers",
            "next_pairs",
            "pairs",
            "place_items",
            "plan",
        ),
        comparisons,
    ),
}
BAD = {"bootstrap": 2.5, "level": 2, "rng": 1.5}
RESULTS = [
    "agree", "agree_by_share", "alt_test", "anchor_items", "blind", "bradley_terry",
    "compare_agreement",
    "corrected_rate",
    "dawid_skene", "find_spammers", "join_populations", "labelling_experiment", "look",
    "make_report",
    "judge", "next_items", "next_pairs",
    "pairs", "panel_worth", "phi", "place_items", "plan", "plan_agreement", "survey",
]  # fmt: skip


def test_every_public_function_is_tried():
    assert GOOD.keys() == FUNCTIONS.keys()


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - set(RESULTS)))
def test_good_input_gives_data(name: str):
    found = GOOD[name]()
    assert found is not None
    assert not isinstance(found, Result)


@cache
def result_of(name: str) -> Any:
    return GOOD[name]()


@pytest.mark.parametrize("name", RESULTS)
class TestResult:
    def test_has_all_doors(self, name: str):
        result = result_of(name)
        assert isinstance(result, Result)
        assert type(result).__name__ in headcount.__all__, "what is returned is public"
        assert all(isinstance(note, Note) for note in result.notes)
        assert result.provenance.version == headcount.__version__

    def test_text_is_for_a_page_of_80_columns(self, name: str):
        result = result_of(name)
        assert str(result) == result.to_text()
        assert max(map(len, str(result).splitlines())) <= 80
        assert str(result).strip()
        assert not re.search(r"(?<!-)--[a-z]", str(result)), "no flags in the library"

    def test_document_is_json_and_counts_the_data(self, name: str):
        document = result_of(name).to_dict()
        assert json.loads(json.dumps(document, allow_nan=False)) == document
        assert {"items", "ratings", "raters", "labels"} <= document["data"].keys()
        assert document["data"]["items"].keys() == {"used", "dropped"}
        assert document["version"] == headcount.__version__
        assert document["notes"] == [str(note) for note in result_of(name).notes]

    @pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
    def test_rows_are_a_frame(self, name: str, backend: str):
        frame = result_of(name).to_frame(backend)
        assert type(frame).__module__.split(".")[0] == backend
        assert len(frame) > 0

    def test_plot_gives_axes(self, name: str):
        assert isinstance(result_of(name).plot(), matplotlib.axes.Axes)

    def test_html_has_the_answer(self, name: str):
        html = result_of(name)._repr_html_()
        assert html.count("<table") == html.count("</table>")
        assert 'class="answer"' in html

    def test_pickles(self, name: str):
        result = result_of(name)
        assert pickle.loads(pickle.dumps(result)).to_dict() == result.to_dict()


def arguments(name: str) -> dict[str, Any]:
    return NEEDED.get(name, dict)()


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
@pytest.mark.parametrize(
    "data",
    [123.5, None, object(), pl.DataFrame(), pl.DataFrame({"item": []}), {}, []],
    ids=["number", "None", "object", "no columns", "no rows", "no keys", "empty list"],
)
def test_bad_data_is_refused(name: str, data: object):
    if data is None and name in ("labelling_experiment", "simulate_comparisons", "simulate_votes"):
        pytest.skip("no model means the paper's")
    with pytest.raises(HeadcountError):
        FUNCTIONS[name](data, **arguments(name))


@pytest.mark.parametrize(
    ("name", "option"),
    [
        (name, option)
        for name, function in sorted(FUNCTIONS.items())
        for option in BAD
        if option in inspect.signature(function).parameters
    ],
)
def test_bad_options_are_refused_by_name(name: str, option: str):
    data = DATA.get(name, ratings)()
    with pytest.raises(headcount.OptionError) as error:
        FUNCTIONS[name](data, **arguments(name), **{option: BAD[option]})
    assert error.value.option == option
    assert str(BAD[option]) in str(error.value)


@pytest.mark.parametrize(
    "name", [n for n, f in FUNCTIONS.items() if "progress" in inspect.signature(f).parameters]
)
def test_progress_must_be_a_function(name: str):
    needed = NEEDED.get(name, dict)()
    with pytest.raises(headcount.OptionError) as error:
        FUNCTIONS[name](DATA.get(name, ratings)(), **needed, progress=123)
    assert error.value.option == "progress"


def test_a_crowd_is_checked_even_where_it_is_not_needed():
    with pytest.raises(headcount.OptionError) as error:
        headcount.plan(comparisons(), items=20, target_f1=0.7, repeats=2, model="zzz")  # type: ignore[arg-type]
    assert error.value.option == "model"
