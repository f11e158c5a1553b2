"""Text and tables: as wide as the page where that can be, and rows that can be told apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.errors import spelt
from headcount.results.notes import Note
from headcount.results.plotting import plain
from headcount.results.result import (
    Page,
    Screen,
    again,
    answer_html,
    brief_text,
    command,
    page_html,
    page_text,
    screen_html,
    screen_text,
)
from headcount.results.tables import GAP, Table, columns, fold, table_lines, visible, width_of, wrap


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
    assert '<span class="whole">--by-rater</span>, or a--b, to &lt;tell&gt;' in html


# Tables: as wide as the page where that can be, and rows that can be told apart.

LETTERS = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cf", "Mn", "Me", "Zs"])
NAMES = st.one_of(
    st.text(LETTERS, min_size=1, max_size=60),
    st.builds(
        "{}{}{}".format,
        st.sampled_from(["", "meta-llama/Meta-Llama-3.1-", "a-long-name-of-a-model-"]),
        st.integers(0, 30),
        st.sampled_from(["", "-Instruct-Turbo-2024-07-18-fp8"]),
    ),
)
WIDTHS = st.sampled_from([40, 50, 60, 80, 120])


def table_of(names, heads, cell="0.123", **options):
    return Table(["name", *heads], [[name, *[cell] * len(heads)] for name in names], **options)


def rows_of(lines, names):
    """The rows of a table that was not parted."""
    rule = next(i for i, line in enumerate(lines) if line and not line.strip("-"))
    return lines[rule + 1 : rule + 1 + len(names)]


@given(
    st.lists(NAMES, min_size=1, max_size=12, unique=True),
    st.lists(st.sampled_from(["rank", "95% interval", "worth in raters", "f1"]), max_size=12),
    WIDTHS,
)
def test_no_line_is_wider_than_the_page_and_rows_stay_distinct(names, heads, width):
    lines = columns(table_of(names, heads), width=width)
    assert max(map(width_of, lines)) <= width
    parts = "\n".join(lines).split("\n\n")
    for part in parts:
        shown = rows_of(part.splitlines(), names)
        assert len(set(shown)) == len(names)
    assert sum(part.count("0.123") for part in parts) == len(names) * len(heads) + sum(
        "0.123" in name for name in names
    ) * len(parts)


@given(st.lists(NAMES, min_size=1, max_size=12, unique=True), WIDTHS)
def test_names_that_fit_are_whole(names, width):
    lines = columns(table_of(names, ["rank"]), width=width)
    if max(map(width_of, names)) + GAP + len("0.123") <= width:
        assert [row[: -len("0.123")].rstrip() for row in rows_of(lines, names)] == [
            name.rstrip() for name in names
        ]


@given(st.lists(NAMES, min_size=2, max_size=8, unique=True), WIDTHS)
def test_pairs_keep_both_names(names, width):
    names = [name for name in names if "–" not in name]
    pairs = [f"{a} – {b}" for a in names for b in names if a != b]
    lines = columns(table_of(pairs, ["kappa"]), width=width)
    shown = rows_of(lines, pairs)
    assert all(" – " in row for row in shown)
    assert len(set(shown)) == len(pairs)


@pytest.mark.parametrize("width", [40, 50, 60, 80, 120])
def test_names_that_differ_in_the_middle_only_are_cut_there(width):
    names = [f"{'x' * 100}{k}{'y' * 100}" for k in range(12)]
    shown = rows_of(columns(table_of(names, ["f1"]), width=width), names)
    assert all(f"x{k}y" in row for k, row in enumerate(shown))


def test_names_that_differ_all_over_are_numbered_as_a_last_resort():
    names = [f"{'ab'[k // 2]}{'x' * 90}{'ab'[k % 2]}{'y' * 90}" for k in range(4)]
    shown = rows_of(columns(table_of(names, ["f1"]), width=40), names)
    assert len(set(shown)) == 4


def test_the_same_name_stays_the_same():
    names = ["a long name of a row that is too long to fit" * 2] * 2
    one, other = rows_of(columns(table_of(names, ["f1"])), names)
    assert one == other


def test_heads_stand_in_one_line_where_there_is_room():
    heads = ["worth in raters", "95% interval"]
    assert columns(table_of(["a"], heads))[0] == "name  worth in raters  95% interval"
    assert columns(table_of(["a"], heads), width=30)[:2] == [
        "name  worth in       95%",
        "        raters  interval",
    ]


def test_columns_that_do_not_fit_follow_below_and_a_score_keeps_its_rank():
    heads = ["accuracy", "rank", "precision", "rank", "specificity", "rank"]
    lines = columns(table_of(["a-classifier"], heads, together=2), width=40)
    assert lines == [
        "name          accuracy   rank",
        "-----------------------------",
        "a-classifier     0.123  0.123",
        "",
        "name          precision   rank",
        "------------------------------",
        "a-classifier      0.123  0.123",
        "",
        "name          specificity   rank",
        "--------------------------------",
        "a-classifier        0.123  0.123",
    ]


def test_words_are_folded_and_not_cut():
    table = Table(["sign", "value"], [["  within a group of many words", "0.12"]], words=True)
    assert table_lines(table, width=24)[2:] == ["  within a group    0.12", "    of many words"]


@given(st.text(LETTERS | st.just(" ")), st.integers(1, 30))
def test_folding_loses_no_word(text, width):
    lines = fold(text, width, "  ")
    assert " ".join(lines).split() == text.split()
    assert all(width_of(line) <= width for line in lines if len(line.split()) > 1)


# The first screen.


def test_a_screen_shows_two_cautions_by_rank_and_counts_the_rest():
    notes = [
        Note("a long story of size", "caution", short="Few items.", rank=4),
        Note("a long story of clusters", "caution", short="Items are parts of texts.", rank=3),
        Note("a long story of a leak", "warning", short="The judge copies bob."),
        Note("only of interest to few", "caution"),
        Note("read with care", short="a.csv: long (item, rater, label)"),
        Note("how it was drawn"),
    ]
    screen = Screen(["j is ready."], data="9 items", next=["collect more."])
    assert screen_text(screen, notes).splitlines() == [
        "j is ready.",
        "",
        "warning: The judge copies bob.",
        "caution: Items are parts of texts.",
        "Next: collect more.",
        "9 items. a.csv: long (item, rater, label). 2 more cautions, 1 note:",
        "print(result.to_text(details=True))",
    ]
    assert brief_text(screen.headline, notes) == "j is ready. (1 warning, 3 cautions)"
    page = screen_html(screen, Page(["j is ready."], ["all"]), notes)
    assert page.index("copies bob") < page.index("<details>") < page.index("how it was drawn")


def test_the_next_step_is_the_command_that_was_typed_with_more_options():
    from headcount.cli.flags import speller

    write = speller(None, words=["agree", "data/my people.csv", "--level", "0.9"])
    step = spelt(again(bootstrap=2000), write)
    assert step == "headcount agree 'data/my people.csv' --level 0.9 --bootstrap 2000"
    other = command("judge", "my people.csv", files={"judges": "j.csv"}, gate=True)
    assert spelt(other, write) == "headcount judge 'data/my people.csv' j.csv --gate"
    assert spelt(other) == "judge('my people.csv', judges='j.csv', gate=True)"
    write = speller(None, words=["judge", "--gate", "--", "people.csv", "j.csv"])
    step = spelt(again(exclude="bob"), write)
    assert step == "headcount judge --gate --exclude bob -- people.csv j.csv"
