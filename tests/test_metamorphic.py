"""The same data in another order, file or frame give the same answer, to the last digit."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest

import headcount
from headcount import (
    read_comparisons,
    read_predictions,
    read_ratings,
    read_truth,
    read_votes,
)
from headcount.agreement.coefficients.catalogue import COEFFICIENTS
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

RATINGS, PREDICTIONS, COMPARISONS = sample_ratings(), sample_predictions(), sample_comparisons()
GOLD = {"item": [f"q{i}" for i in range(0, 40, 2)], "label": [1 + i % 3 for i in range(20)]}


def survey(**options: Any) -> Callable[..., Any]:
    def run(ratings, predictions):
        return headcount.survey(
            read_ratings(ratings),
            read_predictions(predictions),
            **{"bootstrap": 20, "rng": 3, "ceiling": False, **options},
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


def judge(ratings: Any, predictions: Any) -> Any:
    return headcount.judge(read_ratings(ratings), read_predictions(predictions), bootstrap=5, rng=3)


BOTH = {"ratings": RATINGS, "predictions": PREDICTIONS}
VOTES = {"ratings": RATINGS}
JUDGED = {"ratings": RATINGS, "gold": GOLD}
COMPARED = {"comparisons": COMPARISONS}
PILOT = {"comparisons": sample_comparisons(items=12, comparisons=400)}
h = headcount
VERBS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "look": (look, BOTH),
    "survey": (survey(), BOTH),
    "survey, sampled": (survey(method="sampled", samples=20), BOTH),
    "survey, calibrated": (survey(calibrate="isotonic"), BOTH),
    "survey, alt-test": (survey(alt_test=0.2), BOTH),
    "judge": (judge, {"ratings": RATINGS, "predictions": PREDICTIONS}),
    # All coefficients by name: Phi, which takes longer than all of them, is tried on its own.
    "agree": (
        of_ratings(
            h.agree, coefficients=[*COEFFICIENTS], bootstrap=20, rng=3, by_rater=True, by_item=True
        ),
        VOTES,
    ),
    "agree_by_share": (of_ratings(h.agree_by_share), VOTES),
    "phi": (of_ratings(h.phi), VOTES),
    "blind": (of_votes(h.blind, bootstrap=20, rng=3), VOTES),
    "blind, restarts": (of_votes(h.blind, bootstrap=5, rng=3, restarts=2), VOTES),
    "blind, gold": (
        of_votes(h.blind, bootstrap=10, rng=3, methods=["direct", "ppi"], compare=True),
        JUDGED,
    ),
    "dawid_skene": (of_ratings(h.dawid_skene), VOTES),
    "pairs": (of_comparisons(h.pairs, bootstrap=20, rng=3, by_rater=True), COMPARED),
    "pairs, by rater": (of_comparisons(h.pairs, bootstrap=20, rng=3, by="rater"), COMPARED),
    "pairs, elo": (of_comparisons(h.pairs, method="elo", bootstrap=3, rng=3), COMPARED),
    "bradley_terry": (of_comparisons(h.bradley_terry), COMPARED),
    "find_spammers": (of_comparisons(h.find_spammers), COMPARED),
    "next_pairs": (of_comparisons(h.next_pairs, number=5, rng=3), COMPARED),
    "plan": (of_comparisons(h.plan, items=50, budget=200, repeats=50, rng=3), PILOT),
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
    check_metamorphic(of_votes(h.blind, bootstrap=2, rng=3), JUDGED, cases=FEW)


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
    function = of_comparisons(h.pairs, method="elo", order="given", rng=3)
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
    "plan": (
        ("plan", "{comparisons}", "--items", "50", "--budget", "200", "--repeats", "50", "--json"),
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
        from headcount.io.tables.open_table import open_table

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
