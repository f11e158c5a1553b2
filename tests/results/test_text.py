from __future__ import annotations

from headcount.results.drawing import plain
from headcount.results.html import answer_html, page_html
from headcount.results.notes import Note
from headcount.results.text import Page, Table, columns, page_text, visible, wrap


def test_long_names_are_shortened_to_the_width_of_a_page():
    lines = columns(Table(["name", "value"], [["x" * 200, "1.0"], ["short", "22.0"]]))
    assert all(len(line) <= 80 for line in lines)
    assert "…" in lines[2]


def test_wide_characters_keep_columns_aligned():
    lines = columns(Table(["name", "value"], [["名前", "1.0"], ["ab", "2.0"]]))
    assert lines[2] == "名前    1.0"
    assert lines[3] == "ab      2.0"


def test_accents_take_no_room():
    lines = columns(Table(["n", "value"], [["e\u0301", "1.0"], ["e", "2.0"]]))
    assert lines[2].endswith("1.0")
    assert len(lines[2]) == len(lines[3]) + 1


RUDE = "a\x1b]0;title\x07\x9b31m\u202eb\x7f"


def test_characters_that_steer_a_terminal_are_shown_by_number():
    page = Page([f"{RUDE} is worth 2"], [Table(["who", RUDE], [[RUDE, RUDE]]), RUDE], [RUDE])
    for text in (page_text(page, [Note(RUDE, "warning")]), page_html(page, [Note(RUDE)])):
        assert not set(RUDE) - {"a", "b"} - set("]0;title31m") & set(text)
        assert r"a\x1b]0;title\x07\x9b31m\u202eb\x7f" in text
    assert "\x1b" not in plain(RUDE)
    assert "\x1b" not in wrap(RUDE)
    assert wrap("two\nlines\tand more") == "two lines and more"


def test_a_line_break_in_a_name_does_not_break_a_table():
    (_, _, row) = columns(Table(["name", "value"], [["a\nb\tc", "1"]]))
    assert row == r"a\nb\tc      1"


def test_what_can_be_seen_stays_as_it_is():
    for text in ("søt 好 e\u0301 ∞", "👩\u200d🔬", ""):
        assert visible(text) == text


def test_a_name_of_a_million_letters_is_cut_at_once():
    lines = columns(Table(["item", "rating"], [["x" * 10**6, "1"], ["y" + "x" * 10**6, "2"]]))
    assert max(map(len, lines)) <= 80
    assert lines[2] != lines[3]


def test_options_are_not_broken_between_their_dashes():
    html = answer_html(Page(["give --by-rater, or a--b, to <tell>"]))
    assert '<span class="flag">--by-rater</span>, or a--b, to &lt;tell&gt;' in html
