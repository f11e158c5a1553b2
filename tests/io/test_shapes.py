"""Shapes in which people have ratings: each gives the numbers of the same ratings in long form."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from headcount import DataError, OptionError, agree, alt_test, blind, read_ratings, survey
from headcount.errors import HeadcountError
from headcount.io.ratings import SHAPES


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def drawn(items=40, raters=5, labels=("ok", "toxic"), seed=2):
    """Ratings as rows (item, rater, label)."""
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(items):
        share = rng.beta(0.6, 0.6)
        rows += [
            (f"i{item:02}", f"w{rater}", labels[int(rng.random() < share)])
            for rater in range(raters)
        ]
    return rows


def counts_of(rows):
    counted = {}
    for item, _, label in rows:
        counted.setdefault(item, {"ok": 0, "toxic": 0})[label] += 1
    return counted


def alpha(data, **options):
    return agree(read_ratings(data, **options), bootstrap=0)["alpha"].value


ROWS = drawn()
ALPHA = alpha(ROWS)


def csv(path, header, rows):
    return write(path, "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")


def lines(path, records):
    return write(path, "".join(json.dumps(record) + "\n" for record in records))


def test_every_shape_has_a_name():
    assert len({shape.name for shape in SHAPES}) == len(SHAPES)


def test_two_roles_and_one_column_left(tmp_path):
    path = csv(tmp_path / "r.csv", "event,annotator,answer", ROWS)
    labels = read_ratings(path)
    assert any("item = 'event'" in note for note in labels.notes)
    assert alpha(path) == ALPHA
    assert alpha(csv(tmp_path / "r.csv", "item,who,label", ROWS)) == ALPHA
    assert alpha(csv(tmp_path / "r.csv", "item,worker,toxicity", ROWS)) == ALPHA


def test_a_rater_called_judge_does_not_make_wide_data_long(tmp_path):
    path = write(tmp_path / "r.csv", "item,judge,ann\na,yes,yes\nb,no,no\nc,no,yes\n")
    with pytest.raises(DataError, match="no column found for the label"):
        read_ratings(path)


def test_a_fact_of_items_is_no_rater(tmp_path):
    rows = [(item, f"text of {item}", label) for item, _, label in ROWS]
    labels = read_ratings(csv(tmp_path / "r.csv", "item,text,label", rows))
    assert labels.anonymous
    rows = [(*row, n) for n, row in enumerate((item, label) for item, _, label in ROWS)]
    labels = read_ratings(csv(tmp_path / "r.csv", "item,label,seconds", rows))
    assert labels.anonymous


def test_a_column_of_numbers_off_the_scale_is_no_rater(tmp_path):
    path = tmp_path / "r.csv"
    rows = [f"e{i},{i % 40 + 1},{i % 5 + 1},{(i + i % 3) % 5 + 1}\n" for i in range(60)]
    path.write_text("essay,n_words,ann,bob\n" + "".join(rows))
    assert len(read_ratings(path)) == 120
    assert len(read_ratings(path, columns=["n_words", "ann", "bob"])) == 180


def test_without_raters(tmp_path):
    path = csv(tmp_path / "r.csv", "item,label", [(item, label) for item, _, label in ROWS])
    labels = read_ratings(path)
    assert labels.anonymous
    assert "by anonymous raters" in repr(labels)
    assert any("without raters" in note for note in labels.notes)
    named = agree(ROWS, bootstrap=0)
    result = agree(labels, bootstrap=0)
    for name in ("alpha", "fleiss", "ac1", "percent"):
        # Sums over ratings and over counts of labels round differently.
        assert result[name].value == pytest.approx(named[name].value, rel=1e-14), name
    assert "who gave which rating" in result["cohen"].undefined
    assert result.to_dict()["data"]["raters"] is None
    assert "anonymous raters" in str(result)
    with pytest.raises(DataError, match="comparing raters needs to know who gave which rating"):
        agree(labels, by_rater=True)
    with pytest.raises(DataError, match="blind evaluation needs to know"):
        blind(labels)
    with pytest.raises(DataError, match="the alternative annotator test needs to know"):
        alt_test(labels, {"item": ["i00"], "m": ["ok"]}, epsilon=0.1)
    curve = survey(labels, bootstrap=0, ceiling=False).to_dict()
    assert curve["curve"] == survey(ROWS, bootstrap=0, ceiling=False).to_dict()["curve"]


def test_the_order_of_anonymous_ratings_does_not_matter():
    rows = [{"item": item, "label": label} for item, _, label in ROWS]
    one, other = read_ratings(rows), read_ratings(rows[::-1])
    for name in ("item", "rater", "label", "raters"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()


@pytest.mark.parametrize(
    "header", ["item,n_ok,n_toxic", "item,count_ok,count_toxic", "item,ok_votes,toxic_votes"]
)
def test_counts_by_name(tmp_path, header):
    rows = [(item, *counted.values()) for item, counted in counts_of(ROWS).items()]
    rows[0] = (rows[0][0], 2, 1)
    labels = read_ratings(csv(tmp_path / "r.csv", header, rows))
    assert labels.anonymous
    assert labels.scale.labels == ("ok", "toxic")
    assert len(labels) == 5 * 40 - 2


def test_counts_are_read_as_the_caller_says(tmp_path):
    rows = [(item, *counted.values()) for item, counted in counts_of(ROWS).items()]
    path = csv(tmp_path / "r.csv", "item,ok,toxic", rows)
    with pytest.raises(DataError, match=r"shape='counts' .* shape='wide'"):
        read_ratings(path)
    assert agree(read_ratings(path, shape="counts"), bootstrap=0)["alpha"].value == ALPHA
    assert not read_ratings(path, shape="wide").anonymous
    # Named labels say that the cells are labels.
    assert not read_ratings(path, labels=["0", "1", "2", "3", "4", "5"]).anonymous
    assert read_ratings(path, labels=["ok", "toxic", "unsure"]).scale.labels[2] == "unsure"


@pytest.mark.parametrize(
    "name", ["n_total", "n_all", "total_count", "Total votes", "n_words", "n_missing"]
)
def test_what_counts_no_label_is_refused_beside_counts(tmp_path, name):
    rows = [(item, *counted.values()) for item, counted in counts_of(ROWS).items()]
    more = [(*row, sum(row[1:]) + 7 * (name == "n_words")) for row in rows]
    path = csv(tmp_path / "r.csv", f"item,n_ok,n_toxic,{name}", more)
    with pytest.raises(DataError, match=f"'{name}'.*ignore='{name}'"):
        read_ratings(path)
    assert agree(read_ratings(path, ignore=[name]), bootstrap=0)["alpha"].value == ALPHA


@pytest.mark.parametrize("names", ["fake,real", "rude,red", "r,g"])
def test_counts_of_labels_that_are_called_as_raters_are(tmp_path, names):
    rows = [(item, *counted.values()) for item, counted in counts_of(ROWS).items()]
    path = csv(tmp_path / "r.csv", f"item,{names}", rows)
    with pytest.raises(DataError, match="shape='counts'"):
        read_ratings(path)
    counted = read_ratings(path, labels=names.split(","))
    assert agree(counted, bootstrap=0)["alpha"].value == ALPHA


def test_ranks_in_rows_are_no_counts(tmp_path):
    ranks = [(f"i{n}", *np.roll([1, 2, 3, 4], n)) for n in range(12)]
    path = csv(tmp_path / "r.csv", "item,ann,bob,cy,dee", ranks)
    assert read_ratings(path).raters.tolist() == ["ann", "bob", "cy", "dee"]


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("item,ann,bob", [("a", 1, 2), ("b", 2, 1)]),
        ("item,ann,bob", [(i, i % 2, 1 - i % 2) for i in range(9)]),
        ("item,r1,r2", [(i, i % 4, 4 - i % 4) for i in range(9)]),
        ("item,ann,bob,eve", [(i, i % 5, i % 3, i % 2) for i in range(30)]),
    ],
)
def test_ratings_that_are_numbers_are_no_counts(tmp_path, header, rows):
    assert not read_ratings(csv(tmp_path / "r.csv", header, rows)).anonymous


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_counts_in_a_dict(tmp_path, suffix):
    records = [
        {"uid": item, "label_counter": counted, "label_dist": [0.5, 0.5], "majority": "ok"}
        for item, counted in counts_of(ROWS).items()
    ]
    path = tmp_path / f"r.{suffix}"
    if suffix == "jsonl":
        # Labels that nobody chose are left out, as tools do.
        for record in records:
            record["label_counter"] = {k: v for k, v in record["label_counter"].items() if v}
        lines(path, records)
    else:
        pl.DataFrame(records).write_parquet(path)
    assert alpha(path) == alpha(records) == ALPHA


def nested():
    items = {}
    for item, rater, label in ROWS:
        items.setdefault(item, []).append((rater, label))
    return items


@pytest.mark.parametrize("suffix", ["jsonl", "parquet", "frame", "pandas"])
def test_lists_of_raters_and_labels(tmp_path, suffix):
    records = [
        {"text": item, "annotators": [r for r, _ in given], "labels": [x for _, x in given]}
        for item, given in nested().items()
    ]
    data = {
        "jsonl": lambda: lines(tmp_path / "r.jsonl", records),
        "parquet": lambda: (
            pl.DataFrame(records).write_parquet(tmp_path / "r.parquet") or tmp_path / "r.parquet"
        ),
        "frame": lambda: pl.DataFrame(records),
        "pandas": lambda: pd.DataFrame(records),
    }[suffix]()
    labels = read_ratings(data)
    assert labels.raters.tolist() == ["w0", "w1", "w2", "w3", "w4"]
    assert agree(labels, bootstrap=0)["alpha"].value == ALPHA
    kept = [{k: v for k, v in record.items() if k != "annotators"} for record in records]
    assert read_ratings(kept).anonymous
    assert alpha(kept) == ALPHA
    records[3]["labels"].pop()
    with pytest.raises(DataError, match="row 3: 4 labels and 5 raters"):
        read_ratings(records)


@pytest.mark.parametrize("suffix", ["jsonl", "memory", "frame"])
def test_lists_of_records(tmp_path, suffix):
    records = [
        {"id": item, "annotations": [{"annotator": r, "label": x} for r, x in given]}
        for item, given in nested().items()
    ]
    data = {
        "jsonl": lambda: lines(tmp_path / "r.jsonl", records),
        "memory": lambda: records,
        "frame": lambda: pl.DataFrame(records),
    }[suffix]()
    assert alpha(data) == ALPHA
    assert read_ratings(data).raters.tolist() == ["w0", "w1", "w2", "w3", "w4"]


def transposed_rows():
    by_rater = {}
    for _, rater, label in ROWS:
        by_rater.setdefault(rater, []).append(label)
    return [(rater, *labels) for rater, labels in by_rater.items()]


def test_raters_as_rows(tmp_path):
    names = ",".join(f"q{i}" for i in range(40))
    path = csv(tmp_path / "r.csv", f"respondent,{names}", transposed_rows())
    labels = read_ratings(path, transpose=True)
    assert (len(labels.items), len(labels.raters)) == (40, 5)
    assert any("raters as rows" in note for note in labels.notes)
    assert alpha(path, transpose=True) == ALPHA
    with pytest.raises(DataError, match=r"as items or questions are.*transpose=True"):
        read_ratings(path)
    assert len(read_ratings(path, transpose=False).raters) == 40
    path = csv(tmp_path / "r.csv", f"id,{names}", transposed_rows())
    with pytest.raises(DataError, match=r"'q0', .* as items or questions are.*transpose=True"):
        read_ratings(path)
    assert alpha(path, transpose=True) == ALPHA
    with pytest.raises(OptionError, match="transpose must be True or False"):
        read_ratings(path, transpose="yes")


def wide_csv(path, first, names, rows):
    """A table of labels that says nothing but by its names."""
    labels = [[str((i * n) % 3) for i in range(len(names))] for n in range(1, len(rows) + 1)]
    lines = [[row, *own] for row, own in zip(rows, labels, strict=True)]
    return csv(path, ",".join([first, *names]), lines)


def test_a_table_much_wider_than_long_may_have_raters_as_rows(tmp_path):
    names = [f"w{i}" for i in range(30)]
    path = wide_csv(tmp_path / "r.csv", "item", names, "abc")
    assert len(read_ratings(path).raters) == 30  # by the name of the first column
    assert len(read_ratings(path, transpose=True).raters) == 3
    path = wide_csv(tmp_path / "r.csv", "id", [f"x{i}" for i in range(30)], "abc")
    with pytest.raises(DataError, match=r"3 rows and 30 columns, so .* transpose=True"):
        read_ratings(path)


PEOPLE = ("Ann", "Bob", "Mary Jo", "J. Smith")
FILES = ("cat.jpg", "dog.jpg", "sun.jpg", "sea.jpg", "ice.jpg")


@pytest.mark.parametrize(
    "first", ["annotator", "Coder", "rater name", "E-Mail", "full_name", "student", "radiologist"]
)
def test_rows_under_the_name_of_people_are_raters_where_that_is_said(tmp_path, first):
    path = wide_csv(tmp_path / "r.csv", first, FILES, PEOPLE)
    with pytest.raises(DataError, match=r"transpose=True if rows are raters.*transpose=False if"):
        read_ratings(path)
    read = read_ratings(path, transpose=True)
    assert (read.items.tolist(), read.raters.tolist()) == (sorted(FILES), sorted(PEOPLE))


@pytest.mark.parametrize(
    ("first", "names"),
    [
        ("name", ["cat", "dog", "sun"]),
        ("", [f"t{i}" for i in range(9)]),
        ("id", ["text_1", "text_2", "text_3"]),
        ("item", ["q1", "q2", "q3"]),
    ],
)
def test_rows_that_may_be_raters_are_not_guessed(tmp_path, first, names):
    path = wide_csv(tmp_path / "r.csv", first, names, PEOPLE)
    with pytest.raises(DataError, match="not clear whether a row is an item or a rater"):
        read_ratings(path)
    assert read_ratings(path, transpose=True).raters.tolist() == sorted(PEOPLE)
    assert read_ratings(path, transpose=False).items.tolist() == sorted(PEOPLE)


@pytest.mark.parametrize(
    ("first", "names", "rows"),
    [
        ("name", ["rater1", "rater2", "rater3"], PEOPLE),
        ("movie", ["ann", "bob"], ["Alien", "Brazil", "Casablanca"]),
        ("id", ["ann", "bob"], ["apple", "pear", "plum"]),
        ("", ["ann", "bob"], ["apple", "pear", "plum"]),
    ],
)
def test_rows_that_are_items_need_no_option(tmp_path, first, names, rows):
    read = read_ratings(wide_csv(tmp_path / "r.csv", first, names, rows))
    assert read.items.tolist() == sorted(rows)


def test_several_questions_in_columns(tmp_path):
    rows = [(*row, n % 3) for n, row in enumerate(ROWS)]
    path = csv(tmp_path / "r.csv", "item,rater,toxic,fluent", rows)
    with pytest.raises(DataError, match=r"2 questions have.*'toxic', 'fluent'.*question='toxic'"):
        read_ratings(path)
    assert alpha(path, question="toxic") == ALPHA
    assert alpha(path, label="toxic") == ALPHA
    assert read_ratings(path, question="fluent").scale.labels == ("0", "1", "2")
    with pytest.raises(DataError, match=r"no question 'toxicity'. Did you mean 'toxic'"):
        read_ratings(path, question="toxicity")


def test_several_questions_in_rows(tmp_path):
    rows = [(*row[:2], "toxic", row[2]) for row in ROWS] + [
        (*row[:2], "fluent", n % 3) for n, row in enumerate(ROWS)
    ]
    path = csv(tmp_path / "r.csv", "item,rater,aspect,answer", rows)
    with pytest.raises(DataError, match=r"2 questions have.*'toxic', 'fluent'"):
        read_ratings(path)
    labels = read_ratings(path, question="toxic")
    assert dict(labels.dropped) == {"another question": 200}
    assert agree(labels, bootstrap=0)["alpha"].value == ALPHA
    with pytest.raises(DataError, match="no question 'tox'"):
        read_ratings(path, question="tox")
    # One question needs no choice.
    path = csv(tmp_path / "r.csv", "item,rater,aspect,answer", rows[:200])
    assert alpha(path) == ALPHA


def ordered(make):
    order = ["poor", "fair", "good"]
    return make(["good", "poor", "fair", "fair"], order)


@pytest.mark.parametrize(
    "make",
    [
        lambda values, order: pd.Series(pd.Categorical(values, categories=order, ordered=True)),
        lambda values, order: pl.Series(values, dtype=pl.Enum(order)),
    ],
)
def test_ordered_categories_keep_their_order(make):
    frame = pd.DataFrame if isinstance(ordered(make), pd.Series) else pl.DataFrame
    labels = read_ratings(
        frame({"item": [1, 1, 2, 2], "rater": ["a", "b"] * 2, "label": ordered(make)})
    )
    assert labels.scale.labels == ("poor", "fair", "good")
    assert labels.scale.kind == "ordinal"
    assert agree(labels, bootstrap=0).provenance.scale == "ordinal"
    wide = read_ratings(frame({"item": [1, 2, 3, 4], "ann": ordered(make), "bob": ordered(make)}))
    assert wide.scale.kind == "ordinal"
    assert wide.scale.labels == ("poor", "fair", "good")
    arrow = pytest.importorskip("pyarrow")
    given = frame({"item": [1, 1, 2, 2], "rater": ["a", "b"] * 2, "label": ordered(make)})
    table = given.to_arrow() if isinstance(given, pl.DataFrame) else arrow.Table.from_pandas(given)
    assert read_ratings(table).scale == labels.scale


def test_categories_without_an_order_have_none():
    values = pd.Categorical(["good", "poor", "good", "poor"])
    labels = read_ratings(
        pd.DataFrame({"item": [1, 1, 2, 2], "rater": [1, 2, 1, 2], "label": values})
    )
    assert labels.scale.kind == "nominal"


def test_nothing_is_read_by_a_shape_that_it_does_not_have():
    """Tables of any columns are read or refused, never with another error."""
    rng = np.random.default_rng(1)
    names = ["item", "rater", "label", "n_x", "n_y", "labels", "question", "ann", "q1", ""]
    cells = [["a", "b", "a"], [1, 2, 1], [[1], [2], []], [{"x": 1}, {}, None], [None] * 3]
    read = 0
    for _ in range(300):
        chosen = rng.choice(len(names), rng.integers(1, 6), replace=False)
        table = {names[i]: cells[int(rng.integers(len(cells)))] for i in chosen}
        try:
            read += len(read_ratings(table, transpose=[None, True, False][int(rng.integers(3))]))
        except HeadcountError:
            continue
    assert read > 20


class TestPeopleInRows:
    """Rows of people, who may rate or be rated."""

    def table(self, first, names, *, domain=""):
        columns = {name: ["1", "2", "3", "2"] for name in names}
        return {first: [f"s{n}{domain}" for n in range(4)], **columns}

    @pytest.mark.parametrize("first", ["student", "user", "participant", "employee", "doctor"])
    def test_columns_tell_which(self, first):
        rated = read_ratings(self.table(first, ["teacher_a", "teacher_b", "teacher_c"]))
        assert (len(rated.items), len(rated.raters)) == (4, 3)
        with pytest.raises(DataError, match="transpose=True if rows are raters"):
            read_ratings(self.table(first, ["Q1", "Q2_1", "Q2_2"]))
        with pytest.raises(DataError, match=f"column '{first}' names people, who may rate or be"):
            read_ratings(self.table(first, ["Smith", "Jones", "Miller"]))

    def test_letters_or_addresses_are_asked_about(self):
        names = ["gpt", "claude", "llama"]
        with pytest.raises(DataError, match="names people"):
            read_ratings(self.table("email", names))

    def test_raters_in_rows_and_columns_are_refused(self):
        with pytest.raises(DataError, match="column 'annotator' is called as raters are"):
            read_ratings(self.table("annotator", ["rater_1", "rater_2", "rater_3"]))


def test_fractions_under_names_of_labels_are_refused(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("id,positive,negative\n1,0.3,0.4\n2,0.5,0.1\n3,0.2,0.2\n")
    with pytest.raises(DataError, match=r"named as labels are.*hold fractions"):
        read_ratings(path)


def test_columns_called_in_turn_are_raters_or_counts(tmp_path):
    rng = np.random.default_rng(1)
    path = tmp_path / "stars.csv"

    def written(low: int) -> None:
        rows = [f"i{n},{','.join(map(str, rng.integers(low, 6, 5)))}" for n in range(40)]
        path.write_text("\n".join(["item,1,2,3,4,5", *rows]), encoding="utf-8")

    written(0)
    with pytest.raises(DataError, match=r"in turn, as points of a scale.*shape='counts'.*'wide'"):
        read_ratings(path)
    assert len(read_ratings(path, shape="wide").raters) == 5
    assert read_ratings(path, shape="counts").scale.labels == ("1", "2", "3", "4", "5")
    written(1)  # raters without names: none says 0
    assert len(read_ratings(path).raters) == 5
