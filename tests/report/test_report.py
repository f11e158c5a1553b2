"""Reports: what they hold, that each number is that of its method, and that names are text."""

from __future__ import annotations

import json
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest

import headcount
from headcount import DataError, judge, look, make_report
from headcount.report.html import figure_svg

from .conftest import HOSTILE

VOID = {"meta", "br", "img", "link", "input", "hr"}


class Outline(HTMLParser):
    """Tags of a page, its ids, and what it refers to; fails where tags do not close."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.targets: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert not self._open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            if name in ("href", "src", "xlink:href", "action", "data"):
                self.targets.append(value)
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self._open.pop() == tag


@pytest.fixture(scope="module")
def both():
    return make_report("example:ratings", "example:predictions", "example:gold")


@pytest.fixture(scope="module")
def html(both):
    return both.to_html()


def test_ratings_and_predictions_give_the_card_first_and_what_it_is_made_of(both):
    assert [part.title for part in both.parts] == [
        "May these judges stand in for a person here?",
        "The worth of each judge in raters",
        "How much the people agree",
        "The alternative annotator test",
        "Which classifier is better, by gold labels",
    ]


def test_numbers_are_those_of_the_calls_that_are_shown(both):
    steps = [part for part in both.parts if part.step is not None]
    assert [part.step.verb for part in steps] == ["judge", "blind"]
    for part in steps:
        # One of the calls suffices to show it, and is quick.
        if part.step.verb == "blind":
            again = eval(part.step.python, {n: getattr(headcount, n) for n in headcount.__all__})
            assert again.document() == part.result.document()


@pytest.mark.parametrize(
    ("files", "titles"),
    [
        (
            ["example:stars"],
            [
                "How much the raters agree",
                "How well a few raters predict the next one",
                "How reliable each rater is",
            ],
        ),
        (["example:votes"], ["Which classifier is better, without gold labels"]),
        (["example:comparisons"], ["Rating of every item, and who answers at random"]),
    ],
)
def test_any_subset_will_do(files, titles):
    report = make_report(*files)
    assert [part.title for part in report.parts] == titles
    Outline(report.to_html())


def test_two_files_of_judges_have_their_people_once(tmp_path):
    text = headcount.examples.path("judge").read_text("utf-8")
    (tmp_path / "judge_b.csv").write_text(text.replace("judge", "other"), encoding="utf-8")
    titles = [
        p.title
        for p in make_report("example:stars", "example:judge", tmp_path / "judge_b.csv").parts
    ]
    assert titles.count("How much the people agree") == 1
    assert "May this judge stand in for a person here? (judge_b.csv)" in titles


def test_the_page_is_whole_and_refers_to_nothing_outside(html):
    page = Outline(html)
    assert len(page.ids) == len(set(page.ids))
    assert page.targets
    assert all(target.startswith("#") for target in page.targets)
    assert {target[1:] for target in page.targets} <= set(page.ids)
    assert not {"link", "img", "iframe", "object", "base", "form"} & set(page.tags)
    assert page.tags.count("script") == 1
    assert "url(http" not in html
    assert "@import" not in html


def test_every_figure_has_a_title_and_its_data(html, both):
    figures = re.findall(r"<figure>.*?</figure>", html, re.DOTALL)
    assert len(figures) == len(both.parts) + 1  # and how often labels are given
    assert all('role="img"' in one and "<title id=" in one for one in figures)
    assert sum("<summary>Data of this figure</summary>" in one for one in figures) == len(
        both.parts
    )


def test_headings_of_tables_say_what_they_are_of(html):
    assert not re.search(r"<th(?! scope=)[ >]", html.replace("<thead", ""))


def test_the_page_has_each_answer_and_the_call_that_gives_it_again(html, both):
    text = unescape(re.sub(r"</?span[^>]*>", "", html))  # which keeps an interval on one line
    for part in both.parts:
        assert part.title in text
        assert part.step is None or part.step.verb + "(" in text
        assert all(sentence in text for sentence in part.result.page().headline)


def test_names_from_the_data_are_text(hostile):
    html = make_report(*hostile).to_html()
    page = Outline(html)
    assert page.tags.count("script") == 1
    assert "img" not in page.tags
    assert "b" not in page.tags or "<b>0</b>" not in html
    assert HOSTILE not in html
    assert HOSTILE.replace("<", "&lt;").replace(">", "&gt;") in html


def test_notebooks_show_names_as_text(hostile):
    html = judge(*hostile, bootstrap=20)._repr_html_()
    assert Outline(html).tags.count("script") == 0
    assert 'scope="col"' in html


def test_a_result_is_a_part_as_it_is(tmp_path):
    result = headcount.agree("example:stars", bootstrap=20)
    report = make_report(result)
    assert [part.result for part in report.parts] == [result]
    report.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == report.to_html()


def test_what_cannot_be_told_is_said():
    few = pl.DataFrame({"item": [1, 1, 2, 2], "rater": [*"abab"], "label": [*"xyxx"]})
    report = make_report(few)
    assert report.parts
    with pytest.raises(DataError):
        make_report(pl.DataFrame({"item": [1, 2], "rater": ["a", "b"], "label": ["x", "y"]}))


def test_what_was_looked_at_with_options_is_taken_as_it_is(tmp_path):
    path = tmp_path / "r.csv"
    rows = [
        f"{i},{a},{b},{a if i % 3 else b}" for i, (a, b) in enumerate(["12", "21", "22", "11"] * 9)
    ]
    path.write_text("\n".join(["item,ann,bob,eve", *rows, "99,99,1,2"]) + "\n")
    report = make_report(look(path, missing=["99"]))
    assert "missing=['99']" in report.parts[0].step.python
    assert "missing=['99']" in json.dumps(report.to_dict())


def test_ids_of_figures_are_their_own():
    result = headcount.survey("example:stars", bootstrap=20)
    drawn = [ElementTree.fromstring(figure_svg(result, name, "t")) for name in ("one", "two")]
    ids = [one.get("id") for root in drawn for one in root.iter() if one.get("id")]
    assert ids
    assert len(ids) == len(set(ids))
    text = ElementTree.tostring(drawn[0], encoding="unicode")
    assert "metadata" not in text
    assert "#000000" not in text


def test_the_same_report_is_the_same_page():
    pages = [make_report("example:comparisons").to_html() for _ in range(2)]
    assert pages[0] == pages[1]


def test_what_the_script_looks_for_is_on_the_page():
    page = make_report(judge("example:stars", "example:judge", bootstrap=20)).to_html()
    page = page.partition("<script")[0]
    script = (Path(headcount.__file__).parent / "report" / "page.js").read_text("utf-8")
    for text in ("people say", "Items to read again", "judge '"):
        assert text in script
        assert text in unescape(page)


def test_styles_and_scripts_are_files_that_are_installed():
    folder = Path(headcount.__file__).parent / "report"
    assert {"page.css", "page.js", "page.html"} <= {path.name for path in folder.iterdir()}
