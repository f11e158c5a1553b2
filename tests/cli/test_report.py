from __future__ import annotations

import re
import shlex
from html import unescape

import pytest

import headcount

from .json_page import undocumented


def test_report_writes_one_page_and_prints_the_answers(run, tmp_path):
    page = tmp_path / "out.html"
    done = run("report", "example:comparisons", "-o", page)
    assert done.code == 0
    assert "is rated highest" in done.out
    assert f"page: {page}" in re.sub(r"\n\s*", "", done.out) or "page:" in done.out
    html = unescape(page.read_text("utf-8"))
    assert "headcount pairs example:comparisons --by-rater" in html
    assert f"headcount report example:comparisons -o {page}" in html
    assert html.startswith("<!doctype html>")


def test_report_as_json_has_the_documents_of_its_parts(run, tmp_path):
    done = run("report", "example:comparisons", "-o", tmp_path / "out.html", "--json")
    assert [part["title"] for part in done.json["parts"]] == [
        "Rating of every item, and who answers at random"
    ]
    alone = run("pairs", "example:comparisons", "--by-rater", "--json").json
    assert done.json["parts"][0]["result"]["items"] == alone["items"]
    document = done.json
    for part in document["parts"]:
        part["result"] = {}  # as that command documents it
    document["files"] = {}
    assert not undocumented(document, "report")


def test_options_reach_the_methods_and_the_commands_that_are_shown(run, tmp_path):
    page = tmp_path / "out.html"
    run("report", "example:comparisons", "-o", page, "--level", 0.9)
    assert "headcount pairs example:comparisons --by-rater --level 0.9" in unescape(
        page.read_text("utf-8")
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "page.txt"], "must end in .html"),
        (["-o", "no/such/page.html"], "no such folder"),
        (["--level", 2], "--level must be"),
    ],
)
def test_what_cannot_be_written_is_refused(run, words, message):
    done = run("report", "example:comparisons", *words)
    assert done.code == 2
    assert message in done.err.replace("\n", " ")


def test_a_card_is_a_page_with_the_card_first(run, tmp_path):
    page = tmp_path / "card.html"
    words = ["example:stars", "example:judge", "--bootstrap", 20, "--alt-test", 0.1]
    done = run("judge", *words, "-o", page)
    assert done.code in (0, 1, 3)
    html = unescape(page.read_text("utf-8"))
    assert "<h1>May this judge stand in for a person here?</h1>" in html
    assert "headcount judge example:stars example:judge --bootstrap 20 --alt-test 0.1" in html
    assert "headcount agree example:stars --bootstrap 20 --by-rater --by-item" in html
    card = run("judge", *words, "--json").json
    assert card["judges"][0]["verdict"] in html


def test_commands_on_the_page_give_its_numbers(run, tmp_path):
    page, rated = tmp_path / "card.html", tmp_path / "people.csv"
    rows = headcount.examples.path("ratings").read_text("utf-8")
    rated.write_text(rows, encoding="utf-8")
    run("judge", rated, "example:votes", "--bootstrap", 20, "-q", "-o", page)
    html = unescape(page.read_text("utf-8"))
    shown = [
        one.replace("\\\n", "") for one in re.findall(r"<pre>headcount (.*?)</pre>", html, re.S)
    ]
    assert len(shown) == 8  # the card, six methods, the page itself
    for command in shown[1:-1]:
        again = run(*shlex.split(command.replace("\\\n", "")))
        assert again.code == 0
        # The sentences of the answer, as the page folds none.
        first = " ".join(again.out.split("\n\n")[0].split())
        assert first[:60] in " ".join(re.sub("<[^>]*>", " ", html).split())
