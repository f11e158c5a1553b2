from __future__ import annotations

from headcount.results.text import columns


def test_long_names_are_shortened_to_the_width_of_a_page():
    lines = columns(["name", "value"], [["x" * 200, "1.0"], ["short", "22.0"]])
    assert all(len(line) <= 80 for line in lines)
    assert "…" in lines[2]


def test_wide_characters_keep_columns_aligned():
    lines = columns(["name", "value"], [["名前", "1.0"], ["ab", "2.0"]])
    assert lines[2] == "名前    1.0"
    assert lines[3] == "ab      2.0"


def test_accents_take_no_room():
    lines = columns(["n", "value"], [["e\u0301", "1.0"], ["e", "2.0"]])
    assert lines[2].endswith("1.0")
    assert len(lines[2]) == len(lines[3]) + 1
