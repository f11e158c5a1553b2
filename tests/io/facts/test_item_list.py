"""Lists of items."""

from __future__ import annotations

import pytest

from headcount.errors import DataError
from headcount.io.facts.item_list import read_items


def test_items_are_read_once_each_in_order(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("text,item\nA,9\nB,10\nC,\nA,9\n", encoding="utf-8")
    assert read_items(path)[0] == ["9", "10"]


def test_a_list_without_a_header_can_be_seen_to_lose_an_item(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("q1\nq2\nq3\n", encoding="utf-8")
    items, told = read_items(path)
    assert items == ["q2", "q3"]
    assert told == "items.csv: 2 items in the column 'q1'."


def test_no_items_are_an_error(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("item,text\n,A\n", encoding="utf-8")
    with pytest.raises(DataError, match="no items; every row is blank"):
        read_items(path)
