"""Data on which coefficients have no value, and options that cannot be served."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from headcount import DataError, Labels, OptionError, Scale, phi, read_ratings
from headcount.agreement import agree
from headcount.agreement.coefficients import COEFFICIENTS
from tests.agreement.data import paradox, random_labels, table

CORRECTED = ["alpha", "fleiss", "scott", "cohen"]


def test_one_label():
    result = agree(table([["yes", "yes"], ["yes", "yes"]]))
    assert result["percent"].value == 1
    for name in CORRECTED:
        assert result[name].undefined == "every rating is 'yes'"
    assert result["ac1"].undefined == "'yes' is the only label of the scale"
    assert "undefined: every rating is 'yes'" in repr(result)


def test_one_label_of_two_that_are_declared():
    labels = table([["yes", "yes"], ["yes", "yes"]])
    result = agree(replace(labels, scale=Scale(("yes", "no"))))
    assert result["ac1"].value == 1
    assert result["alpha"].undefined == "every rating is 'yes'"
    assert result["icc1"].undefined == "every rating is 'yes'"


def test_one_label_where_it_counts():
    result = agree(table([["yes", "yes"], ["yes", "yes"], ["no", None]]))
    assert result["fleiss"].value == 1
    for name in ("alpha", "cohen", "scott"):
        assert result[name].undefined == (
            "every rating is 'yes' on the items with two ratings or more"
        )


def test_perfect_agreement():
    result = agree(table([[1, 1], [2, 2], [3, 3]]))
    for name, estimate in result.coefficients.items():
        assert estimate.value == pytest.approx(1, abs=1e-12), name
    assert any("every item is unanimous" in note for note in result.notes)


def test_one_rater():
    result = agree(table([["a"], ["b"]]), by_rater=True, by_item=True)
    assert {e.undefined for e in result.coefficients.values()} == {"there is only one rater"}
    assert result.raters[0].agreement.undefined == "nobody else rated the same items"
    assert result.items == ()
    assert result.pairs == ()
    assert repr(result).startswith("Agreement between raters cannot be measured: there is")


def test_no_pair_of_ratings():
    result = agree(table([["a", None], [None, "b"]]))
    assert {e.undefined for e in result.coefficients.values()} == {"no item has two ratings"}


def test_one_item():
    result = agree(table([[1, 2, 2, 4]]), by_item=True)
    assert result["percent"].value == pytest.approx(1 / 6)
    assert result["alpha"].value == pytest.approx(0, abs=1e-12)
    assert all(e.low is None for e in result.coefficients.values())
    assert result["icc1"].undefined == result["icc2k"].undefined == "there is one item"
    assert any(note.startswith("one item has two ratings") for note in result.notes)
    assert "without an interval" in repr(result)


def test_total_disagreement():
    result = agree(table([["a", "b"], ["b", "a"]]), bootstrap=20)
    assert result["percent"].value == 0
    assert result["cohen"].value == -1


def test_pairs_with_one_label_each():
    rows = [["a", "a", None], ["a", "a", None], ["b", None, "b"], ["b", None, "b"]]
    result = agree(table(rows), by_rater=True)
    assert result["alpha"].value == pytest.approx(1)
    assert result["cohen"].undefined.startswith("each pair of raters gave one label only")
    assert result.pairs == ()


def test_pairs_that_share_one_item_have_no_kappa():
    result = agree(table([["a", "b", None], ["b", None, "b"]]), bootstrap=0)
    assert result["scott"].undefined == "no two raters share more than one item"
    rows = [["a", "b", "a"], ["b", "b", None], ["a", "a", None]]
    some = agree(table(rows), bootstrap=0)
    assert any(note.startswith("2 of 3 pairs of raters share a single item") for note in some.notes)
    two = agree(table([row[:2] for row in rows]), bootstrap=0)
    assert some["cohen"].value == two["cohen"].value


def crowd(items, raters, seed=0):
    """Three of the raters an item; two are both right or both wrong 82% of the time."""
    rng = np.random.default_rng(seed)
    rows = [[None] * raters for _ in range(items)]
    for row in rows:
        true = rng.random() < 0.5
        for rater in rng.choice(raters, 3, replace=False):
            row[rater] = "yes" if true == (rng.random() < 0.9) else "no"
    return table(rows)


@pytest.mark.parametrize("bootstrap", [None, 0, 100])
@pytest.mark.parametrize("seed", range(4))
def test_no_interval_is_a_point_or_leaves_out_its_value(seed, bootstrap):
    rng = np.random.default_rng(seed)
    n = 25
    first = rng.integers(0, 2, n)
    opposite, one_label = (first, 1 - first), (np.ones(n, dtype=int), first)
    one_odd = (first, first, np.where(np.arange(n) == 0, 1 - first, first))
    for raters in (opposite, one_label, one_odd, [first] * 5):
        result = agree(np.column_stack(raters).tolist(), bootstrap=bootstrap)
        for e in result.coefficients.values():
            if e.undefined is None and e.low is not None:
                assert e.low - 1e-9 <= e.value <= e.high + 1e-9
                assert e.high - e.low > 1e-9
                assert bootstrap == 0 or e.high - e.low < 1.5


def test_means_over_pairs_that_share_many_items_are_shown():
    text = agree([[0, 0]] * 99 + [[0, 1]]).to_text(details=True)
    assert "share too few items" not in text
    assert "Cohen's kappa" in text


def test_pairs_of_measurements_are_not_counted_as_equal():
    rng = np.random.default_rng(3)
    state = rng.normal(120, 15, (60, 1))
    said = np.round(state + rng.normal(0, 5, (60, 3)), 1)
    pairs = agree(said.tolist(), by_rater=True).pairs
    assert pairs
    assert "percent" not in pairs[0].coefficients


def test_no_value_lies_outside_its_interval():
    """Means over pairs that share few items are low, draws of them lower still: no interval."""
    few = agree(crowd(200, 15), bootstrap=100, details=True)
    for name in ("scott", "cohen"):
        assert few[name].low is None
        assert COEFFICIENTS[name].title in few.to_text(details=True).split("not shown, since")[1]
    for result in (few, agree(crowd(200, 4), bootstrap=100)):
        for estimate in (*result.coefficients.values(), *result.these_raters.values()):
            assert estimate.low is None or estimate.low <= estimate.value <= estimate.high
    assert result["cohen"].low is not None  # pairs share 100 items


def test_pooled_kappa_is_not_low_where_pairs_share_few_items():
    values = [
        agree(crowd(200, 40, seed), coefficients=["pooled_kappa", "scott"], bootstrap=0)
        for seed in range(20)
    ]
    # Truth .64; a mean of 20 data sets of 200 items has a standard error of about .01.
    assert np.mean([v["pooled_kappa"].value for v in values]) == pytest.approx(0.64, abs=0.03)
    assert np.mean([v["scott"].value for v in values]) < 0.4


def test_pairs_left_out_are_counted():
    result = agree(table([["a", "a", "a"], ["a", "a", "b"]]), bootstrap=0, by_rater=True)
    assert any(
        note.startswith("1 of 3 pairs of raters share a single item, or gave one label")
        for note in result.notes
    )
    pair = result.pairs[-1]  # what has no kappa comes last
    assert pair.coefficients["cohen"].undefined == (
        "every rating is 'a' on the items that both rated"
    )


def test_items_and_raters_without_ratings():
    labels = table([["a", "b"], ["a", "a"]])
    more = replace(labels, items=np.array([7, 8, 9]), item=labels.item + 1)
    more = replace(more, raters=np.array(["x", "y", "z"], dtype=object))
    result = agree(more, by_item=True, by_rater=True, bootstrap=20)
    assert result["percent"].value == 0.5
    assert [item.item for item in result.items] == [8, 9]
    assert [rater.rater for rater in result.raters] == ["x", "y"]
    assert result.provenance.n_raters == 2
    assert "1 item without a rating left out." in result.notes


def test_scale_is_guessed_and_said():
    numbers = random_labels(20, 3, 4)
    result = agree(numbers, bootstrap=0)
    assert result.provenance.scale == "interval"
    assert result.provenance.scale_guessed
    assert any("taken to be interval" in note for note in result.notes)
    assert agree(random_labels(20, 3, 2), bootstrap=0).provenance.scale == "nominal"
    assert agree(table([["a", "b"], ["c", "c"]]), bootstrap=0).provenance.scale == "nominal"
    declared = replace(numbers, scale=Scale(numbers.scale.labels, kind="ordinal"))
    result = agree(declared, bootstrap=0)
    assert result.provenance.scale == "ordinal"
    assert not result.provenance.scale_guessed


def test_scales_that_do_not_fit():
    words = table([["a", "b"], ["c", "c"]])
    with pytest.raises(OptionError, match="needs labels that are numbers; 'a' is not a number"):
        agree(words, scale="interval")
    with pytest.raises(OptionError, match="numbers from 0 on, not -1"):
        agree(table([[-1, 2], [3, 3]]), scale="ratio")
    with pytest.raises(OptionError, match="did you mean 'nominal'"):
        agree(words, scale="nomial")
    result = agree(words, scale="ordinal", bootstrap=0)
    assert result["icc1"].undefined == "it needs numbers, and the scale is ordinal"
    result = agree(words, bootstrap=0)
    assert result["cohen_linear"].undefined == "labels have no order"


def test_ratio_scale_with_zeros():
    result = agree(table([[0, 0], [0, 0], [2, 4]]), scale="ratio", bootstrap=0)
    assert math.isfinite(result["alpha"].value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bootstrap": -1}, "from 0 to 1,000,000, not -1"),
        ({"level": 1.0}, "between 0 and 1"),
        ({"coefficients": ["kapa"]}, "unknown coefficient 'kapa'"),
        ({"seed": -1}, "of at least 0"),
    ],
)
def test_options(options, message):
    with pytest.raises(OptionError, match=message):
        agree(paradox("8a"), **options)


def test_limits_of_phi_where_it_is_not_measured():
    with pytest.raises(OptionError, match="which needs a scale with an order: say scale="):
        agree(paradox("8a"), limits=(0, 1))
    with pytest.raises(OptionError, match="not measured where coefficients are chosen"):
        agree(paradox("8a"), scale="interval", coefficients=["alpha"], limits=(0, 1))


def test_a_word_among_numbers_is_told():
    labels = table([[1, 2, 3], [2, 2, "n/a"], [5, 4, 5]])
    result = agree(labels, bootstrap=0)
    assert result.provenance.scale == "nominal"
    assert any("are numbers but for 'n/a'" in note for note in result.notes)
    for given in (agree(labels, scale="nominal", bootstrap=0), agree(table([["a", "b"]] * 3))):
        assert not any("are numbers but" in note for note in given.notes)


def test_too_few_draws_are_told():
    for draws, few in [(1, True), (41, False)]:
        notes = agree(paradox("8a"), bootstrap=draws, coefficients="alpha").notes
        assert any("cannot show the ends" in note for note in notes) == few


def test_pairs_that_share_few_items_are_told():
    """Each two of four raters share 19 items, or 20."""
    for items, few in [(19, True), (20, False)]:
        result = agree(random_labels(items, 4, 2), bootstrap=0, details=True)
        assert ("share too few items" in " ".join(result.to_text(details=True).split())) == few
        assert (result["cohen"].low is None) == few


def test_numbers_of_any_size():
    rows = np.array([[1, 2, 3], [5, 4, 5], [2, 2, 1], [3, 5, 4]])
    small, huge = (agree(table((rows * size).tolist()), bootstrap=0) for size in (1.0, 1e299))
    for name in ("alpha", "cohen_quadratic", "icc1", "icc2k"):
        assert huge[name].value == pytest.approx(small[name].value, rel=1e-9)
    assert huge["icc2k"].low == pytest.approx(small["icc2k"].low, rel=1e-9)


@pytest.mark.parametrize("verb", [agree, phi])
def test_not_labels(verb):
    with pytest.raises(DataError, match="not float"):
        verb(123.5)
    with pytest.raises(DataError, match=r"no such file: 'nowhere\.csv'"):
        verb("nowhere.csv")


@pytest.mark.parametrize("verb", [agree, phi])
def test_whatever_the_reader_takes(verb, tmp_path):
    rows = ["item,rater,label", *(f"{i},{r},{(i + r) % 3 + 1}" for i in range(9) for r in range(3))]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(rows))
    frame = pytest.importorskip("polars").read_csv(path)
    expected = verb(read_ratings(path)).columns()
    assert verb(path).columns() == verb(str(path)).columns() == expected
    assert verb(frame).columns() == expected


def test_no_ratings():
    none = np.zeros(0, dtype=np.int64)
    empty = Labels(np.arange(0), np.arange(0), Scale(("a",)), none, none, none)
    with pytest.raises(DataError, match="no ratings"):
        agree(empty)


def test_unknown_names():
    with pytest.raises(OptionError, match="did you mean 'alpha'"):
        agree(paradox("8a"), bootstrap=0)["alhpa"]
    with pytest.raises(OptionError, match="unknown paradox '9'"):
        paradox("9")


def test_too_many_pairs_of_ratings(monkeypatch):
    monkeypatch.setattr("headcount.agreement.coefficients.MOST_ROWS", 10)
    result = agree(paradox("8a"), bootstrap=0)
    assert result["cohen"].undefined == "40 pairs of ratings are too many to go through"
    assert result["alpha"].undefined is None


def test_many_values_take_memory_linear_in_ratings():
    """2,400 values once took 32 GB elsewhere; a table of them squared would be 46 MB."""
    import tracemalloc

    labels = random_labels(1500, 3, 2400, seed=1)
    agree(paradox("8a"), bootstrap=0)  # imports are not counted
    tracemalloc.start()
    for scale in ("ordinal", "interval"):
        agree(labels, scale=scale, bootstrap=20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 150 * 2**20


def test_every_coefficient_says_what_it_assumes():
    result = agree(paradox("8a"), bootstrap=0)
    assert list(result.assumptions) == list(COEFFICIENTS) == list(result.coefficients)
    assert all(text.endswith(".") for text in result.assumptions.values())


def test_words_in_the_order_of_the_alphabet_are_told():
    rows = [["low", "high"], ["low", "medium"], ["high", "high"]]
    told = agree(table(rows), scale="ordinal", bootstrap=0)
    assert any("order of the alphabet: 'high', 'low', 'medium'" in note for note in told.notes)
    names = Scale(("low", "medium", "high"))
    triples = [(i, j, x) for i, row in enumerate(rows) for j, x in enumerate(row)]
    ordered = Labels.from_triples(*zip(*triples, strict=True), scale=names)
    meant = agree(ordered, scale="ordinal", bootstrap=0)
    assert not any("alphabet" in note for note in meant.notes)
    assert meant["alpha"].value != pytest.approx(told["alpha"].value)
    for other in (table([[1, 2], [3, 1]]), table([["a", "b"], ["b", "b"]])):
        notes = agree(other, scale="ordinal", bootstrap=0).notes
        assert not any("alphabet" in note for note in notes)


# Sizes and rows that were read a second time.


def test_anonymous_ratings_are_not_paired(monkeypatch):
    """Nor are those of a crowd, unless somebody asks for what goes through all pairs."""
    labels = random_labels(30, 6, 3, seed=1)
    anonymous = replace(
        labels, anonymous=True, rater=np.arange(len(labels)), raters=np.arange(len(labels))
    )
    monkeypatch.setattr("headcount.agreement.rater_pairs._couples", None)
    found = agree(anonymous)
    assert found["cohen"].undefined == "it needs to know who gave which rating"
    assert found["alpha"].undefined is None
    monkeypatch.setattr("headcount.agreement.estimates.UNASKED", 10)
    assert "ask for it by name" in agree(labels)["pooled_kappa"].undefined
    assert agree(labels)["conger"].undefined is None


def test_measurements_are_not_compared_for_the_same_label():
    rng = np.random.default_rng(0)
    rows = (rng.normal(120, 15, (40, 1)) + rng.normal(0, 3, (40, 4))).round(1).tolist()
    result = agree(table(rows), by_rater=True)
    assert all(rater.agreement.undefined is not None for rater in result.raters)
    assert "same label" not in str(result)
    assert "ICC(2,1)" in str(agree(table(rows)))
    assert result.phi.estimate.undefined is not None


def test_a_share_is_never_rounded_to_all():
    rows = [["1", "1", "1"]] * 398 + [["1", "2", "2"]] * 2
    assert "'1' is more than 99%" in str(agree(table(rows), scale="nominal"))


def test_two_coders_see_cohens_kappa_and_why_alpha_is_low():
    rng = np.random.default_rng(0)
    true = rng.random((300, 1)) < 0.07
    yes = true ^ (rng.random((300, 2)) < 0.04)
    said = " ".join(str(agree(table(np.where(yes, "yes", "no").tolist()))).split())
    assert "Cohen's kappa" in said
    assert "of pairs agree, but 'no' is" in said
    assert "by chance" in said


def test_a_rater_with_whom_all_agree_has_no_interval_of_a_point():
    labels = table([["x", "x", "x"], ["y", "y", "y"], ["x", "x", "x"], ["y", "y", "y"]] * 5)
    result = agree(labels, by_rater=True)
    assert all((r.agreement.value, r.agreement.low) == (1.0, None) for r in result.raters)
    assert "1.000 to 1.000" not in result.to_text(details=True)
