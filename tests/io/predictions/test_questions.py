"""Judges that answer several questions of an item."""

from __future__ import annotations

import pytest

from headcount import DataError, read_predictions

ROWS = [
    {"sample_id": f"s{n}", "judge": judge, "criterion": asked, "score": (n + shift) % 3}
    for n in range(6)
    for judge, shift in (("gpt", 0), ("claude", 1))
    for asked, shift in (("helpful", shift), ("safe", 2))
]


def test_questions_of_judges_are_listed_and_chosen():
    with pytest.raises(DataError, match="several questions of each item: 'helpful', 'safe'"):
        read_predictions(ROWS)
    made = read_predictions(ROWS, question="safe")
    assert [one.name for one in made.classifiers] == ["claude", "gpt"]
    expected = [[str((n + 2) % 3) == label for label in made.labels] for n in range(6)]
    for one in made.classifiers:
        assert one.probability.tolist() == expected


def test_the_question_of_other_data_is_that_of_all_rows():
    one = [row for row in ROWS if row["criterion"] == "safe"]
    made = read_predictions(one, question="harmless")
    assert made.classifiers[0].predicted.all()
    wide = {"item": ["a", "b"], "gpt": ["x", "y"]}
    assert read_predictions(wide, question="safe").labels == ("x", "y")
