import numpy as np
import pytest

from headcount import DataError, read_ratings
from headcount.engine.reductions.patterns import patterns_of
from headcount.engine.scans.ratings import scan_ratings


def write(path, rows):
    path.write_text("item,rater,label\n" + "".join(f"{','.join(row)}\n" for row in rows))
    return path


ROWS = [
    ("a", "ann", "yes"),
    ("a ", "bob", "no"),
    ("b", "ann", "yes"),
    ("b", "bob", ""),
    ("c", "ann", "NA"),
    ("", "ann", "no"),
    ("d", " bob", "yes "),
    ("d", "", "no"),
    ("d", "cat", "no"),
]


def test_patterns_are_those_of_the_reader(tmp_path):
    path = write(tmp_path / "r.csv", ROWS)
    rated, _ = scan_ratings(path).open()
    read = read_ratings(path)
    patterns, multiplicity = patterns_of(rated)
    counts = read.counts()
    assert patterns.tolist() == counts.patterns.tolist()
    assert multiplicity.tolist() == counts.multiplicity.tolist()
    assert (rated.n_ratings, rated.n_raters) == (len(read), read.n_raters)
    assert dict(rated.dropped) == dict(read.dropped)
    assert rated.scale == read.scale


def test_repeated_ratings_are_found_exactly(tmp_path):
    rng = np.random.default_rng(0)
    rows = [(f"i{i}", f"w{r}", "xy"[rng.integers(2)]) for i in range(50)
            for r in rng.permutation(100)[:12]]  # fmt: skip
    scan_ratings(write(tmp_path / "r.csv", rows)).open()
    path = write(tmp_path / "s.csv", [*rows, rows[17]])
    with pytest.raises(DataError, match=r"1 rating repeats .* labels item 'i1' 2 times"):
        scan_ratings(path).open()
