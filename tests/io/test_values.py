"""Values that are missing, look like codes, or are written in two ways; rows that are chosen."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest

from headcount import DataError, OptionError, agree, read_predictions, read_ratings
from headcount.io.findings import check_codes
from headcount.io.values import FORMS, merged
from headcount.results.notes import Notes


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def wide(path, values, *, items=60, raters=3, seed=1):
    """Write ratings of raters who mostly agree, drawn from `values`."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(len(values), items)
    rows = []
    for item in range(items):
        other = rng.choice(len(values), raters)
        own = np.where(rng.random(raters) < 0.7, truth[item], other)
        rows.append(",".join([f"i{item}", *(str(values[one]) for one in own)]))
    header = ",".join(["item", *(f"name{r}" for r in range(raters))])
    return write(path, "\n".join([header, *rows]) + "\n")


def severities(labels, severity):
    return [note for note in labels.notes if note.severity == severity]


WORDS = ["NA", "N/A", "n/a", "na", "NaN", "nan", "null", "NULL", "none", "None", ".", "-"]
WORDS += ["<NA>", "#N/A", ""]


@pytest.mark.parametrize("word", WORDS)
def test_the_usual_words_are_missing_unless_declared(tmp_path, word):
    path = write(tmp_path / "r.csv", f"item,rater,label\na,x,yes\na,y,{word}\nb,x,no\nb,y,{word}\n")
    labels = read_ratings(path)
    assert labels.scale.labels == ("no", "yes")
    assert len(labels) == 2
    assert dict(labels.dropped) == {f"label is {word}" if word else "no label": 2}
    assert any("label left out" in note or "read as missing" in note for note in labels.notes)
    if word:
        declared = read_ratings(path, labels=["no", "yes", word])
        assert len(declared) == 4
        assert not declared.dropped


def test_na_of_a_wide_file_gives_the_same_agreement_as_blanks(tmp_path):
    path = wide(tmp_path / "r.csv", [1, 2, 3, 4, 5, "NA"])
    blank = write(tmp_path / "blank.csv", path.read_text().replace("NA", ""))
    one, other = (agree(p, bootstrap=0) for p in (path, blank))
    assert one.provenance.scale == other.provenance.scale == "interval"
    assert one["alpha"].value == other["alpha"].value
    assert one.to_dict()["data"]["dropped"] == {"label is NA": path.read_text().count("NA")}


def test_a_word_that_may_be_a_label_is_warned_of(tmp_path):
    path = write(tmp_path / "r.csv", "item,ann,bob\na,none,cat\nb,none,none\nc,cat,dog\n")
    labels = read_ratings(path)
    (warning,) = severities(labels, "warning")
    assert "'none' (3 ratings) read as missing" in warning
    assert "labels=['cat', 'dog', 'none']" in warning


def test_minus_beside_plus_is_a_label(tmp_path):
    path = write(tmp_path / "r.csv", "item,ann,bob\na,+,-\nb,+,+\n")
    assert read_ratings(path).scale.labels == ("+", "-")


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([1, 2, 3, 4, 5, 99], ["99"]),
        ([1, 2, 3, 4, 5, 999], ["999"]),
        ([1, 2, 3, 4, 5, 88, 99], ["88", "99"]),
        ([0, 1, 77], ["77"]),
        ([1, 2, 3, 4, 5, -1], ["-1"]),
        ([0, 1, -1], ["-1"]),
        ([0, 1, 2, -9], ["-9"]),
        ([1, 2, 3, 4, 5, "Not sure"], ["Not sure"]),
        ([0, 1, "?"], ["?"]),
        ([1, 2, 3, "n.d.", "n.b."], ["n.d.", "n.b."]),
        ([1, 2, 3, 4, 5, 9], ["9"]),
        ([1, 2, 3, 4, 5, 6, 7, 9], ["9"]),
        ([1, 2, 3, 4, 8, 9], ["8", "9"]),
        (["no", "yes", 99], ["99"]),
        ([0.5, 1.5, 2, 3.25, 999], ["999"]),
    ],
)
def test_codes_for_no_answer_are_refused_with_the_choice(tmp_path, values, codes):
    path = wide(tmp_path / "r.csv", values, items=120)
    with pytest.raises(DataError, match=r"and may be a code|appears? .* times among") as caught:
        read_ratings(path)
    said = ", ".join(f"'{code}'" for code in codes)
    assert f"missing=[{said}]" in str(caught.value)
    assert "labels=[" in str(caught.value)
    assert caught.value.option == "missing"
    rest = [str(value) for value in values if str(value) not in codes]
    chosen = read_ratings(path, missing=codes)
    assert sorted(chosen.scale.labels) == sorted(rest)
    assert set(chosen.dropped) == {f"label is {code}" for code in codes}
    assert len(read_ratings(path, labels=[*rest, *codes])) == 360


@pytest.mark.parametrize(
    "values",
    [
        range(101),
        range(0, 101, 10),
        [0, 25, 50, 75, 99],
        range(1, 11),
        [1, 2, 3, 7, 8, 9],
        [-1, 1],
        [-2, -1, 0, 1, 2],
        [-1, -0.5, 0, 0.5, 1],
        np.random.default_rng(5).normal(size=50).round(3),
        np.random.default_rng(5).uniform(0, 100, size=50).round(1),
        [97, 98, 99],
        [1, 2, 3, "4 or more"],
        [1, 4, 5],
        [0, 10],
        [1, 2, 3, 4, 5, 10],
    ],
)
def test_plain_scales_are_believed(tmp_path, values):
    labels = read_ratings(wide(tmp_path / "r.csv", list(values), items=200))
    assert len(labels) == 600
    assert not labels.dropped


def test_99_gives_the_agreement_of_those_who_answered(tmp_path):
    path = wide(tmp_path / "r.csv", [1, 2, 3, 4, 5, 99])
    blank = write(tmp_path / "blank.csv", path.read_text().replace("99", ""))
    told = agree(read_ratings(path, missing="99"), bootstrap=0)["alpha"].value
    assert told == agree(blank, bootstrap=0)["alpha"].value


def test_a_rare_code_is_refused(tmp_path):
    path = wide(tmp_path / "r.csv", [1, 2, 3, 4, 5], items=200)
    lines = path.read_text().splitlines()
    lines[1] = "i0,99,1,1"
    with pytest.raises(DataError, match="'99' appears once"):
        read_ratings(write(path, "\n".join(lines)))


@pytest.mark.parametrize("cell", ["ok", "4?", "~3", "2 or 3", "n.v.t.", "55", "-44"])
def test_one_bad_cell_is_refused_and_named(tmp_path, cell):
    path = wide(tmp_path / "r.csv", [1, 2, 3, 4, 5], items=50)
    whole = read_ratings(path)
    lines = path.read_text().splitlines()
    lines[7] = f"i6,1,{cell},2"
    write(path, "\n".join(lines))
    with pytest.raises(DataError, match=r"r.csv, row 8, rater '\w+': .* appears once") as caught:
        read_ratings(path)
    assert f"missing=['{cell}']" in str(caught.value)
    left = read_ratings(path, missing=[cell])
    assert (len(left), left.scale.labels) == (len(whole) - 1, whole.scale.labels)
    assert len(read_ratings(path, labels=[*"12345", cell])) == len(whole)


def test_a_measurement_far_from_others_is_warned_of(tmp_path):
    values = np.random.default_rng(3).normal(120, 15, 300).round(1)
    values[17] = 12000
    path = write(
        tmp_path / "r.csv",
        "item,ann,bob\n" + "".join(f"i{n},{v},{v + 1}\n" for n, v in enumerate(values)),
    )
    warnings = severities(read_ratings(path), "warning")
    assert [note for note in warnings if "row 19" in note and "'12000.0'" in note]


def test_codes_are_numbers_however_they_are_written():
    codes = (np.array([0, 1, 2] * 5), ["1.0", "2.0", "99.0"])
    with pytest.raises(DataError, match=r"missing=\['99.0'\]"):
        check_codes(codes, "ratings")
    table = {"item": [1, 1, 2, 2], "rater": [1, 2, 1, 2], "label": [1.0, 2.0, 99.0, 1.0]}
    assert len(read_ratings(table, missing=[99])) == 3
    assert len(read_ratings(table, missing=99)) == 3


def test_missing_that_is_not_there_is_said(tmp_path):
    path = wide(tmp_path / "r.csv", [1, 2, 3])
    labels = read_ratings(path, missing=["98"])
    assert any("no label is '98'" in note for note in labels.notes)
    with pytest.raises(OptionError, match=r"'98' cannot be a label .* and missing"):
        read_ratings(path, missing=["98"], labels=["1", "2", "98"])


def test_ids_are_kept_whatever_they_are_called(tmp_path):
    text = "item,rater,label\na,x,yes\nnan,x,no\na,None,no\nb,NA,no\nnull,,no\n"
    labels = read_ratings(write(tmp_path / "r.csv", text))
    assert labels.raters.tolist() == ["NA", "None", "x"]
    assert labels.items.tolist() == ["a", "b", "nan", "null"]
    assert dict(labels.dropped) == {"no rater": 1}


NFC, NFD = unicodedata.normalize("NFC", "café"), unicodedata.normalize("NFD", "café")


@pytest.mark.parametrize(
    ("way", "one", "other"),
    [
        ("case", "yes", "Yes"),
        ("space", "very good", "very  good"),
        ("space", "very good", "very\u00a0good"),
        ("unicode", NFC, NFD),
        ("number", "1", "01"),
    ],
)
def test_twins_are_warned_of_and_merged_if_asked(tmp_path, way, one, other):
    rest = "7" if way == "number" else "n"
    rows = [f"{i},x,{one}\n{i},y,{other if i < 3 else one}\n{i},z,{rest}\n" for i in range(8)]
    path = write(tmp_path / "r.csv", "item,rater,label\n" + "".join(rows))
    labels = read_ratings(path)
    assert len(labels.scale.labels) == 3
    (warning,) = severities(labels, "warning")
    assert f"{one!r} (13) and {other!r} (3)" in warning
    assert f"merge=['{way}']" in warning
    done = read_ratings(path, merge=way)
    assert sorted(done.scale.labels) == sorted([one, rest])
    assert not severities(done, "warning")
    assert any(f"{other!r} (3) into {one!r} (13)" in note for note in done.notes)
    others = [kind.name for kind in FORMS if kind.name != way]
    assert len(read_ratings(path, merge=others).scale.labels) == 3


def test_yes_and_no_in_two_cases_agree_as_in_one(tmp_path):
    path = wide(tmp_path / "r.csv", ["yes", "no"])
    lower = agree(path, bootstrap=0)["alpha"].value
    lines = path.read_text().splitlines()
    mixed = [line.replace("yes", "Yes") if i % 2 else line for i, line in enumerate(lines)]
    half = [line.replace(",no", ",No", 1) if i % 3 else line for i, line in enumerate(mixed)]
    write(path, "\n".join(half))
    assert agree(path, bootstrap=0)["alpha"].value < lower
    assert agree(read_ratings(path, merge=["case"]), bootstrap=0)["alpha"].value == lower


SAID_YES = [
    ("Y", "N"),
    ("TRUE", "FALSE"),
]


@pytest.mark.parametrize(("yes", "no"), SAID_YES)
def test_yes_and_no_in_other_words_are_warned_of_and_merged_if_asked(tmp_path, yes, no):
    path = wide(tmp_path / "r.csv", ["yes", "no"])
    whole = read_ratings(path)
    lines = path.read_text().splitlines()
    other = [line.replace("yes", yes).replace("no", no) for line in lines]
    write(path, "\n".join(other[n] if n % 3 == 1 else line for n, line in enumerate(lines)))
    (warning,) = severities(read_ratings(path), "warning")
    assert "yes and no in several spellings count as different" in warning
    assert "merge='yes-no'" in warning
    done = read_ratings(path, merge="yes-no")
    assert done.scale.labels == ("no", "yes")
    assert (done.label == whole.label).all()


def test_yes_beside_1_is_refused_until_it_is_said_what_it_means(tmp_path):
    path = wide(tmp_path / "r.csv", ["yes", "no", 1, 0])
    with pytest.raises(DataError, match=r"among.*merge='yes-no' to read 1 as yes"):
        read_ratings(path)
    assert read_ratings(path, merge="yes-no").scale.labels == ("no", "yes")


def test_words_for_yes_and_no_stay_together():
    uses = {"Y": 3, "no": 3, "N": 2, "yes": 2}
    codes = np.repeat(np.arange(4), list(uses.values()))
    assert merged((codes, list(uses)), "label", ["yes-no"], "r", Notes())[1] == ["yes", "no"]


def test_raters_who_say_yes_in_other_words(tmp_path):
    rows = [f"{i},{'yes' if i % 2 else 'no'},{'Y' if i % 2 else 'N'}\n" for i in range(8)]
    path = write(tmp_path / "r.csv", "item,ann,bob\n" + "".join(rows))
    with pytest.raises(DataError, match=r"or add merge='yes-no'"):
        read_ratings(path)
    assert agree(read_ratings(path, merge="yes-no"), bootstrap=0)["alpha"].value == 1


def test_what_only_looks_like_yes_and_no():
    for texts in (
        ["F", "A", "N"],
        ["B", "I", "O", "S", "N"],
        ["T", "F", "N"],
        ["no", "yes", "1", "2"],
    ):
        notes = Notes()
        merged((np.arange(len(texts)), texts), "label", [], "r", notes)
        assert not notes
    notes = Notes()
    merged((np.arange(4), ["yes", "no", "y", "n"]), "item", ["yes-no"], "r", notes)
    assert not notes


def test_numbers_out_of_others():
    rows = [(i, r, f"{i % 5 + 1}/5" if r == "x" else f"{i % 5 * 2 + 2}/10") for i in range(9)
            for r in ("x", "y")]  # fmt: skip
    with pytest.raises(DataError, match="'1/5' hold more than a number or a label"):
        read_ratings(rows)
    names = sorted({label for *_, label in rows})
    assert len(read_ratings(rows, labels=names).scale) == 10
    said = {"item": [1, 2, 3], "judge": ["2/10", "1/5", "4/5"]}
    with pytest.raises(DataError, match="'judge': cells such as '2/10' hold more"):
        read_predictions(said)
    assert read_predictions(said, labels=said["judge"]).labels == ("1/5", "2/10", "4/5")


def test_items_and_raters_have_twins_too(tmp_path):
    text = "item,rater,label\na,ann,x\nA,bob,x\n1,Ann,y\n1.0,bob,x\nb,bob ,x\n"
    labels = read_ratings(write(tmp_path / "r.csv", text))
    warnings = severities(labels, "warning")
    assert len(warnings) == 2
    assert "items that differ only by case or number form" in warnings[0]
    assert "merge=['case', 'number']" in warnings[0]
    assert "raters that differ only by case count as different" in warnings[1]
    done = read_ratings(tmp_path / "r.csv", merge=("case", "number"))
    assert (len(done.items), len(done.raters)) == (3, 2)


def test_one_and_one_point_zero_are_one_label_and_said(tmp_path):
    path = write(tmp_path / "r.csv", "item,rater,label\na,x,1\na,y,1.0\nb,x,2\nb,y,2\n")
    labels = read_ratings(path)
    assert labels.scale.labels == ("1", "2")
    assert not severities(labels, "warning")
    assert any("the same number count as one: '1' (1) and '1.0' (1)" in n for n in labels.notes)


def test_a_merge_does_not_depend_on_the_order_of_rows():
    said = Notes()
    texts = ["yes", "Yes", "YES", "no"]
    one = merged((np.array([0, 1, 2, 3]), texts), "label", ["case"], "r", said)
    other = merged((np.array([3, 2, 1, 0]), texts[::-1]), "label", ["case"], "r", said)
    assert set(one[1]) == set(other[1])


def test_unknown_ways_to_merge_are_refused(tmp_path):
    path = wide(tmp_path / "r.csv", [1, 2])
    with pytest.raises(OptionError, match="unknown way to merge 'cases': did you mean 'case'"):
        read_ratings(path, merge="cases")


def test_rows_are_chosen(tmp_path):
    text = (
        "item,rater,label,status,round\n"
        "a,x,1,ok,1\na,y,2,rejected,1\nb,x,1,ok,2\nb,y,2,ok,1.0\nc,x,2,,1\n"
    )
    path = write(tmp_path / "r.csv", text)
    labels = read_ratings(path, where="status=ok")
    assert len(labels) == 3
    assert dict(labels.dropped) == {"not chosen by where": 2}
    assert len(read_ratings(path, where=["status=ok", "round=1"])) == 2
    assert len(read_ratings(path, where=["status=ok", "status=rejected"])) == 4
    assert len(read_ratings(path, where={"status": ["ok", "rejected"], "round": 1})) == 3
    assert len(read_ratings(path, where=["status="])) == 1
    for where, message in (
        (["status=okay"], "column 'status': no row has 'okay'. Did you mean 'ok'"),
        (["state=ok"], "no column 'state' for the rows to keep. Did you mean 'status'"),
        (["status=rejected", "round=2"], "no row fits"),
    ):
        with pytest.raises(DataError, match=message):
            read_ratings(path, where=where)
    with pytest.raises(OptionError, match="a column and a value, such as 'status=approved'"):
        read_ratings(path, where="status")


def test_a_column_that_chooses_rows_is_no_rater(tmp_path):
    path = write(tmp_path / "r.csv", "item,ann,bob,lang\na,1,2,en\nb,2,2,de\nc,1,1,en\n")
    labels = read_ratings(path, where=["lang=en"])
    assert labels.raters.tolist() == ["ann", "bob"]
    assert labels.items.tolist() == ["a", "c"]


def test_rows_in_messages_are_those_of_the_file(tmp_path):
    path = write(tmp_path / "r.csv", "item,rater,label,s\na,x,1,n\na,x,1,y\n\na,x,2,y\n")
    with pytest.raises(DataError, match="in rows 3 and 5"):
        read_ratings(path, where=["s=y"])


def test_rows_of_an_export_stay_an_export():
    from headcount.io.tables import ColumnTable, SomeRows

    table = ColumnTable([["a", "b"]], ["item"], "tasks.json")
    table.exported = True
    assert SomeRows(table, np.array([True, False]), "why").exported


def test_no_response_may_be_a_label_beside_names(tmp_path):
    """People may say of a text that it gives no response; skipping an item is no answer."""
    rows = [(i, r, ["Yes", "No", "No response"][(i + r) % 3]) for i in range(12) for r in range(3)]
    path = tmp_path / "r.csv"
    text = "item,rater,label\n" + "".join(f"i{i},r{r},{label}\n" for i, r, label in rows)
    path.write_text(text)
    read = read_ratings(path)
    assert read.scale.labels == ("No", "No response", "Yes")
    path.write_text(text.replace("No response", "skipped"))
    with pytest.raises(DataError, match=r"'skipped' appears 12 times.*missing=\['skipped'\]"):
        read_ratings(path)
