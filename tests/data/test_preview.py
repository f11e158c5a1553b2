"""Data in a notebook: a sentence, and the first rows."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from headcount import Comparisons, Labels, read_comparisons, read_predictions, read_ratings


class Cells(HTMLParser):
    """The cells of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.inside = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.inside = tag in ("td", "th")
        if self.inside:
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.cells[-1] += data


def cells(data: Labels | Comparisons) -> list[str]:
    return Cells(data._repr_html_()).cells


def test_ratings():
    shown = read_ratings("example:ratings")
    assert cells(shown)[:6] == ["item", "rater", "label", "c001", "dot", "toxic"]
    assert "the first 5 of 1,000 ratings" in shown._repr_html_()
    assert "1,000 ratings of 200 items by 12 raters" in shown._repr_html_()


def test_ratings_without_raters():
    shown = read_ratings({"item": ["a", "a", "b"], "label": ["<b>", "y", "y"]})
    assert cells(shown)[:4] == ["item", "label", "a", "<b>"]
    assert "&lt;b&gt;" in shown._repr_html_()


def test_predictions():
    shown = read_predictions("example:predictions")
    assert cells(shown)[:3] == ["item", "keywords", "model"]
    assert cells(shown)[3:6] == ["c001", "toxic", "toxic 0.79, ok 0.21"]


def test_comparisons():
    shown = read_comparisons("example:comparisons")
    assert cells(shown)[:8] == [
        "left", "right", "outcome", "rater", "text_09", "text_07", "left", "ann",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["ratings", "votes", "stars"])
def test_the_long_form_of_ratings_is_read_again(name):
    before = read_ratings(f"example:{name}")
    after = read_ratings(before.columns())
    assert before.columns() == after.columns()


def test_the_long_form_of_predictions_is_read_again():
    before = read_predictions("example:predictions")
    after = read_predictions(before.columns())
    kinds = [(c.name, c.kind) for c in after.classifiers]
    assert kinds == [("keywords", "hard"), ("model", "soft")]
    for one, other in zip(before.classifiers, after.classifiers, strict=True):
        assert (one.probability == other.probability).all()


def test_the_long_form_of_comparisons_is_read_again():
    before = read_comparisons("example:comparisons")
    assert read_comparisons(before.columns()).columns() == before.columns()
