"""Rankings and best-worst sets, however they are laid out."""

from __future__ import annotations

import json

import pytest

from headcount.engine.look import look
from headcount.errors import DataError
from headcount.io.comparisons.comparisons import read_comparisons
from headcount.io.comparisons.rankings import recognise as rankings

ORDERS = [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]]
RATERS = ["x", "y", "z"]


def orders(made):
    """Items of each ranking, by points, best first; with ties in one set."""
    out = []
    for r in sorted(set(made.ranking.tolist())):
        mine = made.select(made.ranking == r)
        points = {}
        for a, b, share in zip(mine.left, mine.right, mine.outcome, strict=True):
            points[str(made.items[a])] = points.get(str(made.items[a]), 0) + share
            points[str(made.items[b])] = points.get(str(made.items[b]), 0) + 1 - share
        levels = sorted(set(points.values()), reverse=True)
        out.append([{i for i, p in points.items() if p == level} for level in levels])
    return out


def columns(prefix):
    return {f"{prefix}{place + 1}": [one[place] for one in ORDERS] for place in range(3)}


@pytest.mark.parametrize(
    "data",
    [
        columns("rank"),
        columns("item "),
        columns("Rank_") | {"rater": RATERS},
        dict(zip(("first", "second", "third"), columns("").values(), strict=True)),
        {"ranking": ["a > b > c", "b>c>a", "c > a > b"]},
        {"ranking": ["a,b,c", "b,c,a", "c,a,b"], "annotator": RATERS},
        [{"ranking": one, "rater": who} for one, who in zip(ORDERS, RATERS, strict=True)],
        {
            "rater": [who for who in RATERS for _ in range(3)],
            "model": [item for one in ORDERS for item in one],
            "rank": [1, 2, 3] * 3,
        },
        [tuple(one) for one in ORDERS],
    ],
)
def test_layouts(data):
    made = read_comparisons(data)
    assert made.n_rankings == 3
    assert orders(made) == [[{i} for i in one] for one in ORDERS]
    if made.raters is not None:
        assert made.raters.tolist() == RATERS
        assert len(set(made.rater[made.ranking == 0].tolist())) == 1


def test_files_without_a_header(tmp_path):
    even, uneven = tmp_path / "even.csv", tmp_path / "uneven.csv"
    even.write_text("a,b,c\nb,c,a\nc,a,b\n")
    uneven.write_text("a,b,c\nb,a\nc,a,b,d\nd,b,a,c\n")
    assert orders(read_comparisons(even)) == [[{i} for i in one] for one in ORDERS]
    made = read_comparisons(uneven)
    assert orders(made)[1:3] == [[{"b"}, {"a"}], [{"c"}, {"a"}, {"b"}, {"d"}]]


@pytest.mark.parametrize(
    "data",
    [
        {"ranking": ["a = b > c", "c > a = b"]},
        [{"ranking": [["a", "b"], "c"]}, {"ranking": ["c", ["b", "a"]]}],
        {"rank1": ["a=b", "c"], "rank2": ["c", "a = b"], "rank3": ["", ""]},
        {"ballot": [1, 1, 1, 2, 2, 2], "item": [*"abcabc"], "rank": [1, 1, 3, 2, 2, 1]},
    ],
)
def test_ties(data):
    assert orders(read_comparisons(data)) == [[{"a", "b"}, {"c"}], [{"c"}, {"a", "b"}]]


def test_best_and_worst_of_a_set():
    shown = {f"Item{i + 1}": [*items] for i, items in enumerate(("ab", "bc", "cd", "de"))}
    made = read_comparisons(shown | {"BestItem": ["a", "e"], "WorstItem": ["c", "b"]})
    assert made.n_rankings == 2
    assert len(made) == 10  # the two in the middle are not compared
    assert orders(made)[0] == [{"a"}, {"b", "d"}, {"c"}]
    best = read_comparisons(shown | {"best": ["a", "e"]})
    assert len(best) == 6


def test_an_answer_that_was_not_shown_is_left_out_and_said():
    shown = {"item1": ["a", "a"], "item2": ["b", "b"], "item3": ["c", "c"]}
    made = read_comparisons(shown | {"best": ["a", "z"], "worst": ["c", "c"]})
    assert any("'z' is not among the items" in note for note in made.notes)


def test_rankings_that_cannot_be_used_are_counted():
    data = {"rank1": ["a", "a", "b"], "rank2": ["b", "a", ""], "rank3": ["c", "b", ""]}
    made = read_comparisons(data)
    assert made.n_rankings == 1
    assert made.dropped == {"item twice in a ranking": 1, "fewer than two items": 1}
    with pytest.raises(DataError, match="no rankings"):
        read_comparisons({name: cells[1:] for name, cells in data.items()})


def test_pairs_stay_pairs():
    numbered = {"item1": ["a", "b"], "item2": ["b", "c"], "winner": ["a", "c"]}
    assert read_comparisons(numbered).ranking is None
    named = [("a", "b", "a"), ("c", "b", "b"), ("b", "a", "b")]
    assert read_comparisons(named).ranking is None


def test_look_recognises_rankings(tmp_path):
    path = tmp_path / "ranked.csv"
    path.write_text("rater,rank1,rank2,rank3\nx,a,b,c\ny,b,c,a\nz,c,a,b\n")
    found = look(path)
    assert "3 rankings of 3 items by 3 raters" in str(found)
    assert "pairs" in str(found)
    lists = tmp_path / "ranked.jsonl"
    lists.write_text("\n".join(json.dumps({"ranking": one}) for one in ORDERS))
    assert "3 rankings of 3 items" in str(look(lists))


def test_look_says_that_columns_of_models_may_be_ranked():
    ranks = {"voter": list("uvwxyz"), "gpt-4": [1, 2, 3, 1, 2, 3], "claude": [2, 3, 1, 3, 1, 2]}
    seen = look(ranks | {"llama": [3, 1, 2, 2, 3, 1]})
    assert seen.seen[0].kind == "predictions"
    assert any("reads them as rankings" in note for note in seen.notes)


def test_look_says_of_a_winner_no_side():
    seen = str(look({"winner": ["a", "b", "a"], "loser": ["b", "c", "c"]}))
    assert "3 wins, 0 ties; 2 comparisons per item" in seen
    once = str(look({"left": ["a"], "right": ["b"], "outcome": ["left"]}))
    assert "left wins 1 times, right 0, ties 0; 1 comparison per item" in once


def test_a_cell_that_is_too_long_for_the_reader_of_uneven_rows(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text(f"x,y\n{'a' * 200_000},b,c\nb,c\n")
    assert rankings.uneven_rows(path) is None


def test_uneven_rows_are_read_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "many.csv"
    path.write_text("a,b,c\n" + "b,a\nc,a,b\n" * 50)
    assert len(rankings.uneven_rows(path)) == 101
    monkeypatch.setattr(rankings, "MOST_TEXT", 20)
    assert rankings.uneven_rows(path) is None


def test_a_column_an_item_that_holds_its_rank(tmp_path):
    path = tmp_path / "ranks.csv"
    path.write_text("rater,apple,pear,plum\nann,1,2,3\nbob,2,1,3\ncem,1,,2\neve,1,2,2\n")
    made = read_comparisons(path)
    assert made.items.tolist() == ["apple", "pear", "plum"]
    assert made.raters.tolist() == ["ann", "bob", "cem", "eve"]
    assert made.n_rankings == 4
    got = sorted(
        (made.raters[r], *sorted([(made.items[a], s), (made.items[b], 1 - s)]))
        for a, b, s, r in zip(made.left, made.right, made.outcome, made.rater, strict=True)
    )
    assert [(who, one[0], two[0], one[1]) for who, one, two in got] == [
        ("ann", "apple", "pear", 1), ("ann", "apple", "plum", 1), ("ann", "pear", "plum", 1),
        ("bob", "apple", "pear", 0), ("bob", "apple", "plum", 1), ("bob", "pear", "plum", 1),
        ("cem", "apple", "plum", 1),
        ("eve", "apple", "pear", 1), ("eve", "apple", "plum", 1), ("eve", "pear", "plum", 0.5),
    ]  # fmt: skip
    assert any("1 is the best" in note for note in made.notes)
    assert any("`pairs` reads them as rankings" in note for note in look(path).notes)


@pytest.mark.parametrize(
    "rows", ["1,2,2\n2,3,3\n1,1,1\n", "1,5,3\n2,4,3\n3,1,2\n", "0.5,1,2\n1,2,3\n"]
)
def test_ratings_are_no_ranks(tmp_path, rows):
    path = tmp_path / "ratings.csv"
    path.write_text("apple,pear,plum\n" + rows)
    with pytest.raises(DataError, match="rankings have a column for each place"):
        read_comparisons(path)
