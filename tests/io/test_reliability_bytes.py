"""What once broke in the bytes of files: a test for each finding."""

from __future__ import annotations

import gzip
import time
import zlib
from pathlib import Path

import numpy as np
import pytest

from headcount import DataError, HeadcountError, agree, read_comparisons, read_ratings, read_truth
from headcount.io.tables.open_table import open_table
from headcount.io.write import write_rows

ROWS = [(f"i{i}", f"r{r}", "xyz"[(i * r + i) % 3]) for i in range(12) for r in range(3)]


def text(rows=ROWS) -> str:
    return "item,rater,label\n" + "".join(",".join(row) + "\n" for row in rows)


@pytest.mark.parametrize("name", ["run[1].csv", "all*.csv", "run?.csv", "{run1,b}.csv"])
def test_1_a_name_is_no_pattern(tmp_path: Path, name: str) -> None:
    (tmp_path / "run1.csv").write_text(text([*ROWS, ("other", "r0", "x")]), encoding="utf-8")
    (tmp_path / "all1.csv").write_text(text([*ROWS, ("more", "r0", "x")]), encoding="utf-8")
    (tmp_path / name).write_text(text(), encoding="utf-8")
    assert len(read_ratings(tmp_path / name)) == len(ROWS)


def test_1_a_pattern_is_no_name(tmp_path: Path) -> None:
    (tmp_path / "run1.csv").write_text(text(), encoding="utf-8")
    for name in ("run*.csv", "run[1].csv"):
        with pytest.raises(DataError, match="no such file"):
            read_ratings(tmp_path / name)


@pytest.mark.parametrize("folder", ["year=2024", "label=x"])
def test_2_names_of_folders_are_no_data(tmp_path: Path, folder: str) -> None:
    columns = dict(zip(("item", "rater", "label"), map(list, zip(*ROWS, strict=True)), strict=True))
    (tmp_path / folder).mkdir()
    for name in ("ratings.parquet", "ratings.csv", "ratings.jsonl"):
        write_rows(columns, tmp_path / folder / name)
        read = read_ratings(tmp_path / folder / name)
        assert read.scale.labels == ("x", "y", "z")
        assert len(read.raters) == 3


def test_3_keys_of_json_that_differ_by_case_are_two(tmp_path: Path) -> None:
    path = tmp_path / "wide.jsonl"
    lines = [f'{{"item": {i}, "ann": "x", "Ann": "y", "bob": "x"}}\n' for i in range(3)]
    path.write_text("".join(lines), encoding="utf-8")
    read = read_ratings(path)
    assert len(read) == 9
    assert set(read.raters.tolist()) == {"ann", "Ann", "bob"}


@pytest.mark.parametrize("where", [0.5, 0.9, -8, -1])
def test_4_a_corrupt_gzip_file_is_refused(tmp_path: Path, where: float) -> None:
    rng = np.random.default_rng(1)
    rows = [(f"i{i}", f"r{r}", "xyz"[rng.integers(3)]) for i in range(500) for r in range(3)]
    data = bytearray(gzip.compress(text(rows).encode(), 1))
    place = int(where) if where < 0 else int(len(data) * where)
    data[place] ^= 0x10
    path = tmp_path / "ratings.csv.gz"
    path.write_bytes(data)
    with pytest.raises(DataError, match="gz"):
        read_ratings(path)


def test_4_a_gzip_file_that_ends_early_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv.gz"
    path.write_bytes(gzip.compress(text().encode())[:-10])
    with pytest.raises(DataError, match="gz"):
        read_ratings(path)


def test_10_three_thousand_columns_are_read_quickly(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    names = [f"c{i}" for i in range(3000)]
    path.write_text(",".join(names) + "\n" + (",".join(["x"] * 3000) + "\n") * 5, encoding="utf-8")
    start = time.process_time()
    with pytest.raises(HeadcountError):
        read_ratings(path, item="item")
    assert time.process_time() - start < 5


def test_10_a_gzip_bomb_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "bomb.csv.gz"
    deflate = zlib.compressobj(9, wbits=31)
    data = deflate.compress(b"item,rater,label\n" + b"a,b,c\n" * 50_000)
    # A block that refers to nothing before it can be written again and again.
    data += deflate.flush(zlib.Z_FULL_FLUSH)
    block = deflate.compress(b"a,b,c\n" * 500_000) + deflate.flush(zlib.Z_FULL_FLUSH)
    path.write_bytes(data + block * 600)
    start = time.process_time()
    with pytest.raises(DataError, match=r"(?i)limit|expand|too large|times"):
        read_ratings(path)
    assert time.process_time() - start < 20


class Frame:
    """Makes frames, where pandas is installed."""

    @staticmethod
    def of(*args: object, **options: object):
        return pytest.importorskip("pandas").DataFrame(*args, **options)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Frame.of(),
        lambda: Frame.of([[1, 2, 3]], columns=["item", "label", "label"]),
        lambda: Frame.of({"item": [1, 1], "rater": [1, 2], "label": [["x"], {"y": 1}]}),
        lambda: {"item": [["x"], ["y"]], "rater": [1, 2], "label": [1, 1]},
        lambda: 123,
        lambda: object(),
    ],
)
def test_11_frames_that_hold_no_table_are_refused(make) -> None:
    with pytest.raises(HeadcountError):
        agree(make())


def test_11_a_gold_value_that_is_no_label_is_refused_or_read() -> None:
    with pytest.raises(HeadcountError):
        read_truth({"item": [1, 2], "label": [object(), ["x"]]})


def test_11_deeply_nested_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.jsonl"
    path.write_text('{"left": ' + "[" * 100_000 + "]" * 100_000 + "}\n", encoding="utf-8")
    for read in (read_ratings, read_comparisons):
        with pytest.raises(HeadcountError):
            read(path)


def test_12_labels_of_single_precision_are_the_same_in_file_and_frame(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    values = np.array([0.1, 0.2, 0.1, 0.7], dtype=np.float32)
    frame = pandas.DataFrame({"item": [1, 1, 2, 2], "rater": list("abab"), "label": values})
    path = tmp_path / "ratings.parquet"
    frame.to_parquet(path)
    assert read_ratings(path).scale.labels == read_ratings(frame).scale.labels


def test_a_column_named_by_very_many_digits_is_read_at_once():
    """Patterns that try every start of a number take minutes for this one."""
    before = time.process_time()
    table = {"item": [1, 2, 3], "1" * 9_000: [1, 2, 1], "bob": [1, 2, 2]}
    assert len(read_ratings(table).raters) == 2
    with pytest.raises(DataError, match="its name has 300,000 characters"):
        read_ratings({**table, "1" * 300_000: [1, 2, 1]})
    assert time.process_time() - before < 5


@pytest.mark.parametrize("way", ["codes", "numbers"])
def test_damaged_pages_of_parquet_are_refused(tmp_path, way):
    """A table may open, and fail only where a column of it is read."""
    path = tmp_path / "r.parquet"
    columns = {"item": list(range(300)), "x": [f"{i * 7919 % 300}" for i in range(300)]}
    write_rows(columns, path)
    whole = path.read_bytes()
    refused = 0
    for place in range(8, len(whole) - 200, 97):
        path.write_bytes(whole[:place] + bytes(8) + whole[place + 8 :])
        try:
            getattr(open_table(path, name="x"), way)(1)
        except DataError:
            refused += 1
    assert refused
