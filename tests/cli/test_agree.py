from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from .json_page import undocumented

DOCS = Path(__file__).parents[2] / "docs"
RATINGS = """item,rater,label
a,ann,1
a,bob,2
a,eve,1
b,ann,4
b,bob,5
b,eve,5
c,ann,3
c,bob,3
c,eve,2
d,ann,5
d,bob,5
"""


@pytest.fixture
def ratings(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(RATINGS)
    return path


def test_answer_table_and_notes(ratings, run):
    done = run("agree", ratings, "--by-rater", "--by-item")
    assert done.code == 0, done.err
    assert done.out.startswith("Krippendorff's alpha (interval) = .")
    for words in ("Krippendorff's alpha", "Phi", "each rater against the others", "most contested"):
        assert words in done.out
    assert all(len(line) <= 80 for line in done.out.splitlines())
    words = " ".join(done.out.split())
    assert "the scale is taken to be interval; say --scale NAME if it is another" in words
    assert "limits 1 to 5 inferred" in words
    assert "give --limits if the scale is wider" in words
    assert done.err == ""


def test_json_is_documented(ratings, run):
    done = run("agree", ratings, "--json", "--by-rater", "--by-item", "--limits", 1, 5, "--seed", 2)
    document = json.loads(done.out)
    for name in ("percent", "fleiss", "alpha", "ac1", "cohen", "icc1"):
        assert set(document[name]) >= {"value", "low", "high", "undefined"}
    assert document["phi"]["verdict"] == "cannot tell"  # eleven ratings are few
    assert document["phi"]["limits"] == [1, 5]
    assert document["phi"]["undefined"] is None
    assert {r["rater"] for r in document["raters"]} == {"ann", "bob", "eve"}
    assert len(document["items"]) == 4
    assert not undocumented(document, "agree", data=[*"12345", "ann", "bob", "eve"])


def test_limits_and_plot(ratings, tmp_path, run):
    plot = tmp_path / "agree.png"
    limits = ("--limits", 1, 5)
    done = run("agree", ratings, *limits, "--plot", plot, "--json")
    assert done.code == 0, done.err
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert done.json["phi"]["method"] == "unbiased"


def test_rows_and_quiet(ratings, tmp_path, run):
    rows = tmp_path / "rows.csv"
    done = run("agree", ratings, "-o", rows, "-q")
    assert done.code == 0, done.err
    assert done.out.startswith("Krippendorff's alpha (interval) = .90, without an interval")
    assert "Scale: interval" not in done.out
    head, *lines = rows.read_text().splitlines()
    assert head == "kind,name,title,value,low,high,method,undefined,chance,assumes"
    assert [line.split(",")[1] for line in lines][:2] == ["percent", "alpha"]
    assert {line.split(",")[0] for line in lines} == {"coefficient", "phi"}
    assert run("agree", ratings, "-o", tmp_path / "rows.xml").code == 2


def test_raters_that_are_not_shown_are_in_the_json(tmp_path, run):
    path = tmp_path / "many.csv"
    rows = [f"{i},r{r},{'ab'[(i * r) % 2]}" for i in range(6) for r in range(12)]
    path.write_text("\n".join(["item,rater,label", *rows]))
    done = run("agree", path, "--by-rater", "--bootstrap", 0)
    assert "and 2 more raters; --json has all" in done.out


def test_nominal_has_no_phi(ratings, run):
    done = run("agree", ratings, "--scale", "nominal", "--json")
    assert done.json["phi"] is None
    assert done.json["scale"] == "nominal"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--scale", "nominl"], "did you mean 'nominal'"),
        (["--scale", "nominal", "--limits", "1", "5"], "are of Phi"),
        (["--limits", "1", "4"], "5"),
        (["--bootstrap", "-1"], "--bootstrap"),
        (["--plot", "x.gif"], "must end in"),
        (["--ignore", "gold"], "no column 'gold'"),
    ],
)
def test_bad_options_exit_2_with_one_message(ratings, run, options, message):
    done = run("agree", ratings, *options)
    assert done.code == 2
    assert done.out == ""
    assert message in " ".join(done.err.split())


def test_columns_are_ignored(tmp_path, run):
    path = tmp_path / "wide.csv"
    rows = [f"{i},{1 + i % 5},{1 + (i + 1) % 5},{'xy'[i % 2]},3\n" for i in range(40)]
    path.write_text("item,ann,bob,condition,gold\n" + "".join(rows))
    plain = run("agree", path, "--json")
    assert any("'condition'" in note and "left out" in note for note in plain.json["notes"])
    for command in ("agree", "survey"):
        done = run(command, path, "--ignore", "gold, condition", "--bootstrap", 0, "--json")
        assert done.code == 0, done.err
        assert any("2 raters: 'ann', 'bob'" in note for note in done.json["notes"])
        assert done.json["labels"] == ["1", "2", "3", "4", "5"]


def test_the_page_shows_what_is_printed(tmp_path, run):
    page = (DOCS / "methods" / "agreement.md").read_text(encoding="utf-8")
    data, shown = (
        re.findall(rf"^```{of}\n(.*?)^```", page, re.DOTALL | re.M)[0] for of in ("csv", "text")
    )
    path = tmp_path / "essays.csv"
    path.write_text(data)
    assert run("agree", path, "--limits", 1, 5).out == shown


def test_comparisons(tmp_path, run):
    rows = [
        f"{i},r{r},{'abc'[(i * r + i) % 3 if r % 2 else i % 3]},{'xy'[i % 2]}"
        for i in range(40)
        for r in range(7)
    ]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(["item,rater,label,topic", *rows]))
    plot = tmp_path / "strata.png"
    by = run("agree", path, "--by", "topic", "--json", "--plot", plot)
    assert by.code == 0, by.err
    assert [group["name"] for group in by.json["groups"]] == ["x", "y"]
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert not undocumented(by.json, "agree", data="xy")
    against = run("agree", path, "--ignore", "topic", "--against", "r1")
    assert "r1 with the others" in against.out
    both = run("agree", path, "--by", "topic", "--against", "r1")
    assert both.code == 2
    assert "give one of --compare, --by and --against" in " ".join(both.err.split())
    other = run("agree", path, "--ignore", "topic", "--compare", path)
    words = " ".join(other.out.split())
    assert "Agreement is the same for ratings.csv (1) and for ratings.csv (2): Kripp" in words
    assert "has no column 'topc'" in run("agree", path, "--by", "topc").err
    for words in (("agree", "example:coding"), ("judge", "example:coding", "example:judge")):
        refused = " ".join(run(*words, "--by", "item").err.split())
        assert "--by item names the column of the items. Name a column that groups" in refused


EMOTIONS = [
    ("joy;fear", "fear;joy", "joy"),
    ("joy", "joy", "joy"),
    ("fear", "fear;anger", "anger"),
    ("anger", "anger", "anger"),
    ("fear", "fear", "joy;fear"),
]


def test_sets_and_distances(tmp_path, run):
    path = tmp_path / "emotions.csv"
    path.write_text(
        "item,ann,bob,eve\n"
        + "\n".join(f"{i},{a},{b},{c}" for i, (a, b, c) in enumerate(EMOTIONS * 4))
    )
    done = run("agree", path)
    words = " ".join(done.out.split())
    assert "Krippendorff's alpha (MASI)" in words
    details = " ".join(run("agree", path, "--details").out.split())
    assert "If each cell is one label, say --sets none." in details
    jaccard = run("agree", path, "--sets", ";", "--distance", "jaccard", "--by-category", "--json")
    assert jaccard.json["distance"] == "Jaccard"
    assert {one["label"] for one in jaccard.json["categories"]} == {"anger", "fear", "joy"}
    assert not undocumented(jaccard.json, "agree")
    assert run("agree", path, "--sets", "none", "--json").json["scale"] == "nominal"
    wrong = run("agree", path, "--distance", "jacard")
    assert wrong.code == 2
    assert "--distance must be masi or jaccard" in " ".join(wrong.err.split())
    far = tmp_path / "far.csv"
    far.write_text("a,b,distance\njoy,fear,1\n")
    missing = run("agree", path, "--sets", "none", "--distance", far)
    assert missing.code == 2
    assert "far.csv: no distance of 'anger'" in missing.err


def test_the_same_rater_twice(tmp_path, run):
    rows = [
        f"{i},{r},{'abc'[(i + (r == 'x') * (i % 4 == 0)) % 3]}" for i in range(30) for r in "xyz"
    ]
    again = [f"{i},{r},{'abc'[(i + (i % 5 == 0)) % 3]}" for i in range(30) for r in "xyz"]
    path = tmp_path / "twice.csv"
    path.write_text("\n".join(["item,rater,label", *rows, *again]))
    refused = run("agree", path)
    assert refused.code == 2
    refused = run("agree", path)
    assert refused.code == 2
    ready = " ".join(refused.err.replace(" \\\n", " ").split()).partition("themselves: ")[2]
    assert re.match(r"headcount agree \S*twice\.csv --duplicates retest\.", ready), ready
    blind = " ".join(run("blind", path).err.split())
    assert "To count each as a vote: --duplicates all." in blind
    assert "retest" not in blind
    done = run("agree", path, "--duplicates", "retest")
    assert "Ratings repeated by the same rater: " in done.out
    assert "each rater with themselves" in done.out
    document = run("agree", path, "--duplicates", "retest", "--json").json
    assert document["retest"]["ratings"] == 90
    assert not undocumented(document, "agree")
    other = run("survey", path, "--duplicates", "retest")
    assert other.code == 2
    assert "Known: error, first." in other.err


def test_comparisons_are_sent_to_pairs(run):
    for command in ("agree", "survey", "consensus"):
        done = run(command, "example:comparisons")
        assert done.code == 2
        assert "holds comparisons, two items per row" in done.err
        assert "headcount pairs example:comparisons" in done.err


def test_models_among_raters_are_judged_by_a_command_that_runs(run):
    told = " ".join(run("agree", "example:votes").out.split())
    assert "use headcount judge example:votes --judge gpt-a,gpt-b,llama-a,llama-b" in told
