"""Labels that are sets, and a caller's distances: found, written one way, compared by a table."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import DataError, Labels, OptionError, agree, compare_agreement
from headcount.agreement.coefficients import COEFFICIENTS
from headcount.agreement.estimates import Engine
from headcount.agreement.prepare import prepare
from headcount.agreement.scales import SET_DISTANCES, Metric
from headcount.data.vocabulary import find_sets
from headcount.io.label_order import read_distances
from headcount.results.notes import Notes
from tests.agreement import naive
from tests.agreement.data import agree_by_share, as_labels, ragged, table
from tests.agreement.test_intervals import conger, slow


@pytest.fixture
def peers(golden):
    return golden("agreement_peers")


def found(texts):
    sets = find_sets(texts, np.ones(len(texts), dtype=int))
    return None if sets is None else sets.members


# Distances of sets.


def masi(a, b):
    """As Passonneau defines it."""
    kind = 1 if a == b else 2 / 3 if a <= b or b <= a else 1 / 3 if a & b else 0
    return 1 - kind * len(a & b) / len(a | b) if a | b else 0


def jaccard(a, b):
    return 1 - len(a & b) / len(a | b) if a | b else 0


sets_of = st.frozensets(st.sampled_from("abcd"), max_size=4)


@given(st.lists(sets_of, min_size=1, max_size=8))
def test_distances_of_sets(sets):
    for name, naively in (("masi", masi), ("jaccard", jaccard)):
        far = SET_DISTANCES[name].table([sorted(one) for one in sets])
        # Sums of ones over their number: a rounding error or two.
        assert far == pytest.approx(
            np.array([[naively(a, b) for b in sets] for a in sets]), abs=1e-12
        )


@pytest.mark.parametrize("distance", ["masi", "jaccard"])
def test_nltk(peers, distance):
    """Written to ten digits there."""
    data = peers["sets"]
    result = agree(table(data["rows"]), distance=distance, bootstrap=0)
    assert result["alpha"].value == pytest.approx(data[distance], abs=1e-9)


def test_nltk_with_missing_ratings(peers):
    data = peers["sets"]
    rows = [list(row) for row in data["rows"]]
    for item, rater in data["missing"]:
        rows[item][rater] = None
    result = agree(table(rows), distance="jaccard", bootstrap=0)
    assert result["alpha"].value == pytest.approx(data["jaccard_missing"], abs=1e-9)


@given(ragged(least=3), st.data())
@settings(max_examples=40, deadline=None)
def test_tables_of_distances_against_loops(drawn, draw):
    """Alpha, AC2 and the pooled kappa with any table, and with a rater left out."""
    data, labels = drawn
    q = len(labels)
    cells = draw.draw(st.lists(st.floats(0.1, 1), min_size=q * q, max_size=q * q))
    far = np.triu(np.array(cells).reshape(q, q), 1)
    far = far + far.T
    far = far / (far.max() or 1)
    if not far.any():
        return
    code = {label: row for row, label in enumerate(labels)}

    def apart(x, y):
        return far[code[x], code[y]]

    of_pairs = {(str(a), str(b)): float(apart(a, b)) for a in labels for b in labels}
    ready = prepare(*Metric.of(distance=of_pairs).apply(as_labels(data, labels), Notes()))
    values = Engine(ready, [COEFFICIENTS[n] for n in ("alpha", "ac2", "pooled_kappa")]).values
    if "alpha" in values:
        assert values["alpha"] == pytest.approx(naive.alpha(data, apart), abs=1e-9)
        influence = COEFFICIENTS["alpha"].influence(ready)
        for row, rater in enumerate(ready.labels.raters.tolist()):
            expected = slow(data, apart, by_rating=True, factor=None, skip=rater)
            assert influence.without[row] == pytest.approx(
                np.nan if expected is None else expected, abs=1e-9, nan_ok=True
            )
    if "ac2" in values:
        assert values["ac2"] == pytest.approx(naive.gwet(data, labels, apart), abs=1e-9)
    if "pooled_kappa" in values:
        assert values["pooled_kappa"] == pytest.approx(conger(data, apart), abs=1e-9)


# Which cells are sets.


@pytest.mark.parametrize(
    ("texts", "members"),
    [
        (["a;b", "b", "a"], (("a", "b"), ("b",), ("a",))),
        (["b | a", "a|b", "a"], (("a", "b"), ("a", "b"), ("a",))),
        (["joy, fear", "joy", "fear"], (("fear", "joy"), ("joy",), ("fear",))),
        (["1,2,3", "1", "2", "3"], (("1", "2", "3"), ("1",), ("2",), ("3",))),
        (["a;b;", "a;", "b"], (("a", "b"), ("a",), ("b",))),
        (['["a", "b"]', '["a"]', "[]"], (("a", "b"), ("a",), ())),
        (["['a', 'b']", "['b']"], (("a", "b"), ("b",))),
        (["a + b", "a", "b"], (("a", "b"), ("a",), ("b",))),
        (["a;b", "b;c", "a;c"], (("a", "b"), ("b", "c"), ("a", "c"))),
    ],
)
def test_cells_that_are_sets(texts, members):
    assert found(texts) == members


@pytest.mark.parametrize(
    "texts",
    [
        ["yes", "no"],
        ["Yes, surely", "Yes, perhaps", "No"],
        ["Agree, strongly", "Agree, slightly", "Disagree, strongly", "Disagree, slightly"],
        ["New York, NY", "Boston, MA", "Chicago, IL"],
        ["Smith, John", "Smith, Ann"],
        ["1,5", "2,5", "1", "2"],  # decimal commas
        ["good; and bad", "so;so"],
        [";", "|", ","],
        ["A+", "A", "B+", "B"],
        ["5 + years", "1 + years", "0"],
        ["a", "b", "other (please say; briefly)"],
        ["[1] Smith", "[2] Jones"],
        ["[x", "y]"],
    ],
)
def test_cells_that_are_labels(texts):
    assert found(texts) is None


def test_a_rater_who_cannot_decide_between_two_places():
    """A few '3;4' leave a scale as it is, and are named."""
    texts, uses = ["1", "2", "3", "4", "3;4"], np.array([30, 30, 30, 30, 3])
    assert find_sets(texts, uses) is None
    assert find_sets(texts, np.array([30, 30, 30, 30, 30])) is not None


def test_order_within_a_cell_plays_no_part(peers):
    rows = peers["sets"]["rows"]
    turned = [[";".join(reversed(cell.split(";"))) for cell in row] for row in rows]
    piped = [[cell.replace(";", " | ") for cell in row] for row in rows]
    listed = [[json.dumps(cell.split(";")) for cell in row] for row in rows]
    one = agree(table(rows), seed=1)
    for other in (turned, piped, listed):
        assert agree(table(other), seed=1)["alpha"] == one["alpha"]


def test_sets_are_told_and_can_be_turned_off(peers):
    rows = table(peers["sets"]["rows"])
    result = agree(rows)
    assert any("read as sets of 4 labels" in note for note in result.notes)
    assert any("sets='none'" in note for note in result.notes)
    assert "Krippendorff's alpha (MASI)" in str(result)
    document = result.to_dict()
    assert (document["scale"], document["distance"]) == ("sets", "MASI")
    assert document["members"] == ["anger", "fear", "joy", "sad"]
    plain = agree(rows, sets="none")
    assert plain.provenance.scale == "nominal"
    assert not any("sets" in note for note in plain.notes)
    said = agree(rows, sets=";")
    assert said["alpha"] == result["alpha"]
    assert not any("read as sets" in note for note in said.notes)


def test_categories_of_sets_are_their_members(peers):
    rows = peers["sets"]["rows"]
    by = {one.label: one for one in agree(table(rows), by_category=True).categories}
    assert sorted(by) == ["anger", "fear", "joy", "sad"]
    joy = table([[int("joy" in cell.split(";")) for cell in row] for row in rows])
    assert by["joy"].agreement.value == pytest.approx(agree(joy)["alpha"].value)


def test_a_label_may_be_called_others():
    found = agree(table([["others", "x"], ["x", "x"], ["others", "others"]]), by_category=True)
    assert [one.label for one in found.categories] == ["others", "x"]


def test_sets_where_agreement_is_compared(peers):
    rows = table(peers["sets"]["rows"])
    by = {item: str(item % 2) for item in range(15)}
    assert compare_agreement(rows, by=by).scale == "sets"
    assert compare_agreement(rows, against=["0"], distance="jaccard").scale == "sets"
    both = compare_agreement(rows, rows)
    assert both.differences[0].difference.value == 0
    assert both.groups[0].agreement.value == pytest.approx(peers["sets"]["masi"])
    curve = agree_by_share(rows, shares=[1.0], repeats=2)
    assert curve.points[0].coefficients["alpha"].value == pytest.approx(peers["sets"]["masi"])


# A caller's distances.

FAR = {("no", "maybe"): 1, ("maybe", "yes"): 1, ("no", "yes"): 4}
ROWS = [["no", "maybe", "no"], ["yes", "yes", "maybe"], ["no", "no", "no"], ["yes", "no", "yes"]]


def test_squared_places_are_the_interval_scale():
    numbers = [[{"no": 0, "maybe": 1, "yes": 2}[cell] for cell in row] for row in ROWS]
    own = agree(table(ROWS), distance=FAR, seed=1)
    interval = agree(table(numbers), scale="interval", seed=1)
    for name in ("alpha", "ac2"):
        assert own[name].value == pytest.approx(interval[name].value)
        assert own[name].low == pytest.approx(interval[name].low)
    assert own["conger"].value == pytest.approx(interval["conger_quadratic"].value)
    assert own["cohen"].value == pytest.approx(interval["cohen_quadratic"].value)
    assert own.to_dict()["distance"] == "own distances"


def test_forms_of_distances(tmp_path):
    names = ["maybe", "no", "yes"]  # the order of the labels
    far = np.array([[0, 1, 1], [1, 0, 4], [1, 4, 0]])
    frame = pd.DataFrame(far, index=names, columns=names)
    wide, long = tmp_path / "wide.csv", tmp_path / "long.csv"
    frame.loc[["yes", "no", "maybe"]].to_csv(wide, index_label="label")
    long.write_text("a,b,d\nno,maybe,1\nmaybe,yes,1\nno,yes,4\n")
    expected = agree(table(ROWS), distance=FAR)["alpha"].value
    for form in (frame.reset_index(names="label"), wide, long, str(long)):
        assert agree(table(ROWS), distance=form)["alpha"].value == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("label,x,y\nx,0,1\ny,2,0\n", ["row 2, column 'y'", "it was 2 before"]),
        ("label,x,y\nx,0,1\ny,1,3\n", ["row 3, column 'y'", "0 from itself"]),
        ("label,x,y\nx,0,-1\ny,-1,0\n", ["row 3, column 'x': -1"]),
        ("label,x,y\nx,0,\ny,1,0\n", ["row 2, column 'y': no distance"]),
        ("label,x,y\nx,0,far\ny,1,0\n", ["row 2, column 'y': expected a number"]),
        ("label,x,y\nx,0,1\nx,0,1\ny,1,0\n", ["row 3", "has a row already"]),
        ("a,b,d\nx,y,1\ny,x,2\n", ["row 3, column 'd'", "was 1 before"]),
        ("a,b,d\nx,y,1\ny,z,2\n", ["no distance of 'x' from 'z'"]),
        ("a,b,d\nx,x,1\nx,y,1\n", ["row 2", "0 from itself"]),
        ("a,b,d\nx,,1\n", ["row 2, column 'b'"]),
        ("a,b\nx,1\n", ["three columns"]),
    ],
)
def test_distances_that_are_none(tmp_path, text, words):
    path = tmp_path / "far.csv"
    path.write_text(text)
    with pytest.raises(DataError) as error:
        read_distances(path)
    for word in ["far.csv", *words]:
        assert word in str(error.value)


def test_distances_must_have_all_labels(tmp_path):
    with pytest.raises(DataError, match="no distance of 'maybe'"):
        agree(table(ROWS), distance={("no", "yes"): 1})
    with pytest.raises(DataError, match="every distance is 0"):
        agree(table(ROWS), distance=dict.fromkeys(combinations(["maybe", "no", "yes"], 2), 0))


def test_options_that_do_not_fit():
    labels = table(ROWS)
    with pytest.raises(OptionError, match="Did you mean 'masi'"):
        agree(labels, distance="maisi")
    with pytest.raises(DataError, match="no cell seems to hold several labels"):
        agree(labels, distance="masi")
    with pytest.raises(DataError, match="no label holds ';'"):
        agree(labels, sets=";")
    for options in ({"scale": "nominal"}, {"sets": ";"}):
        with pytest.raises(OptionError, match="both say how labels differ"):
            agree(labels, distance=FAR, **options)
    with pytest.raises(OptionError, match="Choose one"):
        agree(labels, distance="masi", sets="none")
    with pytest.raises(OptionError, match="sets must be"):
        agree(labels, sets=3)


# Other new coefficients beside peers.


def test_conger_is_that_of_irrcac(peers):
    data = peers["numbers"]
    result = agree(table(data["rows"]), bootstrap=0)
    for name, value in data["conger"].items():
        assert result[name].value == pytest.approx(value, abs=1e-9)  # written to ten digits


def test_values_and_intervals_of_irrcac(peers):
    """With all ratings, with some missing, and of two raters; `--bootstrap 0` shows these."""
    for data in peers["irrcac"]["tables"]:
        result = agree(table(data["rows"]), scale="nominal", bootstrap=0, intervals="fixed")
        for name, expected in data["found"].items():
            found = result[name]
            assert [found.value, found.low, found.high] == pytest.approx(expected, abs=2e-5)


def test_iccs_of_pingouin(peers):
    data = peers["numbers"]
    result = agree(table(data["rows"]), bootstrap=0, intervals="fixed")
    for name, (value, low, high) in data["icc"].items():
        assert result[name].value == pytest.approx(value, abs=1e-9)
        # Two decimals there; 5e-3 and what rounding adds.
        assert result[name].low == pytest.approx(low, abs=5.1e-3)
        assert result[name].high == pytest.approx(high, abs=5.1e-3)


def test_labels_of_declared_order_are_no_sets():
    labels = Labels.from_triples([1, 1, 2, 2], [1, 2, 1, 2], ["a;b", "a", "b", "b"])
    assert agree(labels, scale="nominal").provenance.scale == "nominal"


def test_lists_in_cells(peers, tmp_path):
    rows = [
        {"item": i, "rater": f"r{j}", "label": cell.split(";")}
        for i, row in enumerate(peers["sets"]["rows"])
        for j, cell in enumerate(row)
    ]
    path = tmp_path / "ratings.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    for form in (rows, pd.DataFrame(rows), path):
        result = agree(form)
        assert result["alpha"].value == pytest.approx(peers["sets"]["masi"], abs=1e-9)
        assert any("are lists" in note for note in result.notes)
