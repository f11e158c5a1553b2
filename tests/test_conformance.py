"""Every public function from outside, and the same data in another order, file or frame."""

from __future__ import annotations

import inspect
import json
import math
import pickle
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import matplotlib.axes
import numpy as np
import polars as pl
import pytest

import headcount
from headcount import (
    Comparisons,
    HeadcountError,
    Labels,
    Predictions,
    read_comparisons,
    read_predictions,
    read_ratings,
    read_truth,
    read_votes,
)
from headcount.agreement.coefficients import COEFFICIENTS
from headcount.pairwise.methods import EloMethod
from headcount.results.notes import Note
from headcount.results.result import Result
from headcount.testing import (
    Case,
    Written,
    check_metamorphic,
    command,
    differences,
    metamorphic_cases,
    sample_comparisons,
    sample_predictions,
    sample_ratings,
)

# Every public function, from outside: a result with all its doors, data, or an error of ours.

FUNCTIONS = {n: f for n in headcount.__all__ if inspect.isfunction(f := getattr(headcount, n))}


@cache
def ratings() -> Labels:
    return headcount.simulate_ratings(
        40, 5, states=headcount.DirichletStates([1, 1, 1]), labels=["1", "2", "3"], seed=1
    ).labels


@cache
def example() -> tuple[Labels, Predictions]:
    return headcount.running_example(60, 4, seed=1)


@cache
def comparisons() -> Comparisons:
    model = headcount.LabellingModel(items=30, raters=8, comparisons=400)
    return headcount.simulate_comparisons(model, seed=1)[0]


def populations() -> tuple[Comparisons, Comparisons]:
    return (
        Comparisons.from_columns("abca", "bcab", [1, 1, 1, 0]),
        Comparisons.from_columns("xyzx", "yzxy", [1, 1, 1, 0]),
    )


def column(*values: object, **more: list[object]) -> pl.DataFrame:
    return pl.DataFrame({"item": list(values), **more})


# What a good call looks like; a function of __all__ that is not here fails the first test below.
GOOD: dict[str, Callable[[], Any]] = {
    "agree": lambda: headcount.agree(ratings(), bootstrap=50, by_rater=True, by_item=True),
    "alt_test": lambda: headcount.alt_test(*example(), epsilon=0.1, min_items=10),
    "anchor_items": lambda: headcount.anchor_items(populations()[0], average_of=populations()[1]),
    "blind": lambda: headcount.blind(ratings(), bootstrap=20),
    "compare_agreement": lambda: headcount.compare_agreement(ratings(), ratings()),
    "consensus": lambda: headcount.consensus(ratings()),
    "corrected_rate": lambda: headcount.corrected_rate(ratings(), ratings(), positive="2"),
    "dawid_skene": lambda: headcount.dawid_skene(ratings()),
    "labelling_experiment": lambda: headcount.labelling_experiment(
        headcount.LabellingModel(items=12, raters=6), runs=2, jobs=1
    ),
    "judge": lambda: headcount.judge(*example(), bootstrap=20, gate=True),
    "make_report": lambda: headcount.make_report(ratings()),
    "look": lambda: headcount.look(ratings(), example()[1], comparisons()),
    "next_items": lambda: headcount.next_items(ratings(), number=5),
    "next_pairs": lambda: headcount.next_pairs(comparisons(), number=5),
    "pairs": lambda: headcount.pairs(comparisons(), by_rater=True),
    "panel_worth": lambda: headcount.panel_worth(*example(), bootstrap=20),
    "phi": lambda: headcount.phi(ratings()),
    "plan": lambda: headcount.plan(comparisons(), items=20, target_f1=0.7, repeats=20),
    "plan_agreement": lambda: headcount.plan_agreement(ratings(), half_width=0.2),
    "survey": lambda: headcount.survey(*example(), bootstrap=20, ceiling=False),
    "survey_equivalence": lambda: headcount.survey_equivalence([-1.0, -0.5], [-0.7]),
    "read_comparisons": lambda: headcount.read_comparisons(
        pl.DataFrame({"left": ["a"], "right": ["b"], "outcome": ["left"]})
    ),
    "read_gold": lambda: headcount.read_gold(column("a", "b", value=[1.0, 2.0])),
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
    "next_items": lambda: {"number": 5},
    "next_pairs": lambda: {"number": 5},
    "panel_worth": lambda: {"predictions": example()[1]},
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
    **dict.fromkeys(
        (
            "anchor_items",
            "next_pairs",
            "pairs",
            "plan",
        ),
        comparisons,
    ),
}
BAD = {"bootstrap": 2.5, "level": 2, "seed": 1.5}
RESULTS = [
    "agree", "alt_test", "anchor_items", "blind",
    "compare_agreement",
    "consensus",
    "corrected_rate",
    "dawid_skene", "labelling_experiment", "look",
    "make_report",
    "judge", "next_items", "next_pairs",
    "pairs", "panel_worth", "phi", "plan", "plan_agreement", "survey",
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
        returned = inspect.signature(FUNCTIONS[name]).return_annotation
        assert type(result).__name__ == returned, "what is returned is what is documented"
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


# The same data in another order, file or frame give the same answer, to the last digit.

RATINGS, PREDICTIONS, COMPARISONS = sample_ratings(), sample_predictions(), sample_comparisons()
GOLD = {"item": [f"q{i}" for i in range(0, 40, 2)], "label": [1 + i % 3 for i in range(20)]}


def survey(**options: Any) -> Callable[..., Any]:
    def run(ratings, predictions):
        return headcount.survey(
            read_ratings(ratings),
            read_predictions(predictions),
            **{"bootstrap": 20, "seed": 3, "ceiling": False, **options},
        )

    return run


def look(ratings, predictions):
    """What is in files, without what is said of the files themselves."""
    found = headcount.look(read_ratings(ratings), read_predictions(predictions)).to_dict()
    return {"counts": [one["counts"] for one in found["files"]], "shared": found["shared"]}


def of_ratings(verb: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return lambda ratings: verb(read_ratings(ratings), **options)


def of_votes(verb: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    def run(ratings, gold=None):
        known = {} if gold is None else {"gold": read_truth(gold)}
        return verb(read_votes(ratings, name="ratings"), **known, **options)

    return run


def of_comparisons(verb: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return lambda comparisons: verb(read_comparisons(comparisons), **options)


def alternative(ratings: Any, predictions: Any) -> Any:
    return headcount.alt_test(read_ratings(ratings), read_predictions(predictions), epsilon=0.2)


def judge(ratings: Any, predictions: Any) -> Any:
    return headcount.judge(
        read_ratings(ratings), read_predictions(predictions), bootstrap=5, seed=3
    )


BOTH = {"ratings": RATINGS, "predictions": PREDICTIONS}
VOTES = {"ratings": RATINGS}
JUDGED = {"ratings": RATINGS, "gold": GOLD}
COMPARED = {"comparisons": COMPARISONS}
PILOT = {"comparisons": sample_comparisons(items=12, comparisons=400)}
h = headcount
VERBS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "look": (look, BOTH),
    "survey": (survey(), BOTH),
    "survey, sampled": (survey(samples=20), BOTH),
    "survey, calibrated": (survey(calibrate="isotonic"), BOTH),
    "alt_test": (alternative, BOTH),
    "judge": (judge, {"ratings": RATINGS, "predictions": PREDICTIONS}),
    # All coefficients by name: Phi, which takes longer than all of them, is tried on its own.
    "agree": (
        of_ratings(
            h.agree, coefficients=[*COEFFICIENTS], bootstrap=20, seed=3, by_rater=True, by_item=True
        ),
        VOTES,
    ),
    "phi": (of_ratings(h.phi), VOTES),
    "blind": (of_votes(h.blind, bootstrap=20, seed=3), VOTES),
    "blind, gold": (
        of_votes(h.blind, bootstrap=10, seed=3, methods=["direct", "ppi"]),
        JUDGED,
    ),
    "consensus": (of_votes(h.consensus, seed=3), VOTES),
    "dawid_skene": (of_ratings(h.dawid_skene), VOTES),
    "pairs": (of_comparisons(h.pairs, bootstrap=20, seed=3, by_rater=True), COMPARED),
    "pairs, by rater": (of_comparisons(h.pairs, bootstrap=20, seed=3, cluster="rater"), COMPARED),
    "pairs, elo": (of_comparisons(h.pairs, method="elo", bootstrap=3, seed=3), COMPARED),
    "next_pairs": (of_comparisons(h.next_pairs, number=5, seed=3), COMPARED),
    "plan": (of_comparisons(h.plan, items=50, budget=200, repeats=50, seed=3), PILOT),
}


def whole(data: Any) -> Any:
    """All that a method can see of data: every array with its type, but not where it is from."""
    if is_dataclass(data) and not isinstance(data, type):
        apart = ("source", "sources", "notes", "backend")
        return {f.name: whole(getattr(data, f.name)) for f in fields(data) if f.name not in apart}
    if isinstance(data, np.ndarray):
        return [str(data.dtype), data.tolist()]
    if isinstance(data, Mapping):
        return {str(name): whole(value) for name, value in data.items()}
    if isinstance(data, tuple | list):
        return [whole(one) for one in data]
    return data


READERS: list[tuple[Callable[..., Any], Any]] = [
    (read_ratings, RATINGS),
    (read_predictions, PREDICTIONS),
    (read_votes, RATINGS),
    (read_truth, GOLD),
    (read_comparisons, COMPARISONS),
]


@pytest.mark.parametrize(("read", "table"), READERS)
def test_every_form_is_read_as_the_same_data(read, table):
    """To the last bit: what a method is given is then the same, whatever the form."""
    ordered = read is read_comparisons  # which keeps the order of rows, for Elo
    cases = metamorphic_cases(ordered=ordered)
    check_metamorphic(lambda table: whole(read(table)), {"table": table}, cases=cases)


FEW = [c for c in metamorphic_cases() if c.name in ("rows mixed (1)", "wide", "pandas")]
"""Forms for another way to run a method that all forms are tried on, and for what takes long."""
IN_MEMORY = [case for case in metamorphic_cases() if not case.is_file]
"""Forms for what a command runs alike below, on all that are files."""


def forms(name: str) -> Any:
    """Which forms a verb is tried on."""
    if name in ("survey", "judge", "plan"):
        return IN_MEMORY
    return FEW if ", " in name else None


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_gives_the_same_answer(name):
    function, tables = VERBS[name]
    check_metamorphic(function, tables, cases=forms(name))


def test_all_methods_of_blind_evaluation_give_the_same_answer():
    assert len(FEW) == 3
    check_metamorphic(of_votes(h.blind, bootstrap=2, seed=3), JUDGED, cases=FEW)


def test_the_ceiling_of_a_survey_is_the_same():
    """Of two labels: of more, finding it takes long."""
    tables = {
        "ratings": RATINGS | {"label": [min(label, 2) for label in RATINGS["label"]]},
        "predictions": {
            "item": [f"q{i}" for i in range(40)],
            "lm:1": [0.25, 0.75] * 20,
            "lm:2": [0.75, 0.25] * 20,
        },
    }
    check_metamorphic(survey(ceiling=True, bootstrap=5), tables)


def test_elo_in_the_given_order_goes_by_it():
    """What depends on the order of rows still does not depend on the file."""
    function = of_comparisons(h.pairs, method=EloMethod(order="given"), seed=3)
    check_metamorphic(function, COMPARED, cases=metamorphic_cases(ordered=True))


METHODS = ("--methods", "em,direct,ppi")  # those that learn are tried above
COMMANDS = {
    "survey": (
        (
            "survey",
            "{ratings}",
            "--predictions",
            "{predictions}",
            "--bootstrap",
            "10",
            "--no-ceiling",
            "--json",
        ),
        BOTH,
    ),
    "judge": (("judge", "{ratings}", "{predictions}", "--bootstrap", "5", "--json"), BOTH),
    "agree": (("agree", "{ratings}", "--bootstrap", "10", "--scale", "nominal", "--json"), VOTES),
    "blind": (
        ("blind", "{ratings}", "--gold", "{gold}", *METHODS, "--bootstrap", "5", "--json"),
        JUDGED,
    ),
    "pairs": (("pairs", "{comparisons}", "--bootstrap", "10", "--json"), COMPARED),
    "consensus": (("consensus", "{ratings}", "--json"), VOTES),
    "rate": (("rate", "{ratings}", "{gold}", "--positive", "2", "--json"), JUDGED),
    "plan": (
        (
            "plan",
            "comparisons",
            "{comparisons}",
            "--items",
            "50",
            "--budget",
            "200",
            "--repeats",
            "50",
            "--json",
        ),
        PILOT,
    ),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_gives_the_same_document(name):
    arguments, tables = COMMANDS[name]
    check_metamorphic(command(*arguments), tables, cases=metamorphic_cases(files_only=True))


# --- the suite itself -----------------------------------------------------------------------------


def test_an_answer_that_goes_by_rows_is_found():
    def first(ratings):
        labels = read_ratings(ratings)
        return {"items": len(labels.items), "first": open_first(ratings)}

    def open_first(ratings):
        from headcount.io.opening import open_table

        return open_table(ratings, name="ratings").codes(0)[1][0]

    with pytest.raises(AssertionError, match=r"depends on the form") as caught:
        check_metamorphic(first, VOTES)
    names = {line.split(": ")[0] for line in str(caught.value).splitlines()[1:]}
    assert "rows backwards" in names
    assert not names & {"pandas", "polars", "pyarrow", "duckdb", ".parquet", ".jsonl.gz"}


def test_a_case_that_does_not_hold_what_it_should_is_found():
    class OneRowLess(Case):
        name = "one row less"

        def make(self, columns, path):
            return Written(".csv").make({n: values[1:] for n, values in columns.items()}, path)

    with pytest.raises(AssertionError, match="one row less: ratings is"):
        check_metamorphic(
            lambda ratings: {"ratings": len(read_ratings(ratings))}, VOTES, cases=[OneRowLess()]
        )


def test_differences_are_told_to_the_last_digit():
    nan = float("nan")
    assert differences({"a": nan, "b": (1, "x")}, {"a": nan, "b": [1, "x"]}) == []
    found = differences({"a": 0.1, "b": [1], "c": 1}, {"a": 0.1, "b": [1, 2], "d": 1})
    assert [one.where for one in found] == ["b", "c", "d"]
    found = differences({"a": 0.1}, {"a": math.nextafter(0.1, 1)})
    assert [one.where for one in found] == ["a"]
    assert differences({"a": 1, "b": 2}, {"a": 2, "b": 2}, ignore=["a"]) == []


def test_cases_have_names_of_their_own():
    names = [case.name for case in metamorphic_cases()]
    assert len(set(names)) == len(names) >= 16
    assert {"pandas", "polars", "pyarrow", "duckdb", ".parquet", ".tsv", "wide"} <= set(names)
    assert all(case.is_file for case in metamorphic_cases(files_only=True))
    assert "rows backwards" not in [case.name for case in metamorphic_cases(ordered=True)]


def test_a_command_that_fails_says_so():
    with pytest.raises(AssertionError, match=re.escape("headcount agree no.csv ended with 2")):
        command("agree", "{ratings}")(ratings="no.csv")
