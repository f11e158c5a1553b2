"""Ordinary files of a third round: what a plain reading of each would get wrong."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from headcount import DataError, agree, read_predictions, read_ratings
from headcount.io.findings import models_among
from headcount.io.values.answers import marked_answers
from headcount.io.values.ladders import in_order
from headcount.io.values.zeros import check_zeros
from headcount.results.notes import Notes

RATERS = ["ann", "bob", "cy"]
_RNG = np.random.default_rng(11)
_TRUTH = _RNG.integers(1, 6, 40)
STARS = np.clip(_TRUTH[:, None] + _RNG.integers(-1, 2, (40, 3)), 1, 5)
ITEMS = [f"i{n:02}" for n in range(40)]
YES = np.where(STARS > 3, "yes", "no")


def alpha_of(values, kind="interval"):
    """Krippendorff's alpha by its definition; NaN is missing."""
    rows = [row[~np.isnan(row)] for row in np.array(values, dtype=float)]
    rows = [row for row in rows if len(row) > 1]
    flat = np.concatenate(rows)
    uses = {value: (flat == value).sum() for value in np.unique(flat)}
    steps = sorted(uses)

    def distance(a, b):
        if kind == "nominal":
            return float(a != b)
        if kind == "interval" or a == b:
            return (a - b) ** 2
        low, high = sorted((steps.index(a), steps.index(b)))
        between = sum(uses[step] for step in steps[low : high + 1])
        return (between - (uses[a] + uses[b]) / 2) ** 2

    within = sum(sum(distance(a, b) for a in row for b in row) / (len(row) - 1) for row in rows)
    pairs = sum(
        uses[a] * uses[b] * distance(a, b) for a in uses for b in uses if a != b
    )  # a pair of equals has distance 0
    return 1 - within / len(flat) / (pairs / (len(flat) * (len(flat) - 1)))


def text(header, rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([*([header] if header else []), *rows])
    return out.getvalue()


def columns(rows=STARS, raters=RATERS, **extra):
    """Return wide data in memory."""
    read = {name: [row[k] for row in rows] for k, name in enumerate(raters)}
    return {"item": ITEMS, **read, **extra}


def said(words, rows=STARS):
    return columns([[words[value - 1] for value in row] for row in rows])


def severe(read):
    return [str(note) for note in read.notes if note.severity == "warning"]


def alpha(data, **options):
    return agree(read_ratings(data, **options), bootstrap=0)["alpha"].value


ORDERED = [
    "F D C B A", "C B- B B+ A-", "0-10 11-20 21-30 31-40 41+", "<10 10-20 20-30 30-40 >40",
    "I II III IV V", "XS S M L XL", "SD D N A SA", "-- - 0 + ++", "A1 A2 B1 B2 C1",
    "Level_1 Level_2 Level_3 Level_4 Level_10", "one two three four five",
    "非常不同意 不同意 一般 同意 非常同意", "nie selten manchmal oft immer",
]  # fmt: skip
SENTENCES = [
    ["under 18", "18 to 24", "25 to 34", "35 to 44", "45 or older"],
    ["disagree (2)", "neutral (3)", "agree (4)", "strongly agree (5)", "very strongly agree (6)"],
    ["false", "mostly false", "half true", "mostly true", "true"],
    ["not important", "slightly important", "moderately important", "important", "very important"],
    ["much worse", "slightly worse", "about the same", "slightly better", "much better"],
    ["pas du tout d'accord", "plutôt pas d'accord", "neutre", "plutôt d'accord",
     "tout à fait d'accord"],
    ["stimme gar nicht zu", "stimme eher nicht zu", "weder noch", "stimme eher zu",
     "stimme voll und ganz zu"],
    ["very low risk", "low risk", "medium risk", "high risk", "very high risk"],
]  # fmt: skip


@pytest.mark.parametrize("steps", [*map(str.split, ORDERED), *SENTENCES])
def test_labels_in_order(steps):
    assert in_order(steps[::-1]) == tuple(steps)
    read = read_ratings(said(steps))
    assert (read.scale.labels, read.scale.kind) == (tuple(steps), "ordinal")
    assert any("taken to be in order" in note for note in read.notes)


def test_an_order_gives_the_ordinal_alpha():
    assert alpha(said(["F", "D", "C", "B", "A"])) == pytest.approx(alpha_of(STARS, "ordinal"))


@pytest.mark.parametrize(
    "names",
    ["A B C D", "A+ B O-", "1-0 0-0 2-1", "a d n", "type_1 type_2 type_3", "no yes maybe",
     "positive negative mixed", "2020-2022 2021-2023 2022-2024"],
)  # fmt: skip
def test_labels_that_are_names(names):
    assert in_order(names.split()) is None


def zeros(share=0.1):
    values = STARS.copy()
    values[np.random.default_rng(0).random(values.shape) < share] = 0
    return values, np.where(values == 0, np.nan, values)


def test_zeros_that_mean_not_rated():
    values, missing = zeros()
    with pytest.raises(DataError, match=r"15 of 120 ratings are '0', .* missing=\['0'\]"):
        read_ratings(columns(values))
    assert alpha(columns(values), missing=["0"]) == pytest.approx(alpha_of(missing))
    assert alpha(columns(values), labels=list("012345")) == pytest.approx(alpha_of(values))
    (note,) = severe(read_ratings(columns(zeros(0.02)[0])))
    assert "it is not clear that it is the lowest step" in note
    whole = STARS.copy()
    whole[30:] = 0
    assert "others say nothing else of these items" in severe(read_ratings(columns(whole)))[0]


@pytest.mark.parametrize("top", [3, 5, 10])
def test_zeros_that_are_a_step(top):
    rng = np.random.default_rng(top)
    values = np.clip(rng.integers(0, top + 1, (60, 1)) + rng.integers(-1, 2, (60, 3)), 0, top)
    notes = Notes()
    codes = np.repeat(np.arange(60), 3)
    check_zeros((values.ravel(), [str(n) for n in range(top + 1)]), codes, "r.csv", notes)
    assert not notes


def test_zeros_of_two_labels_are_no_matter():
    assert not severe(read_ratings(columns((STARS > 3).astype(int))))


def test_models_among_raters():
    read = read_ratings(columns(raters=["alice", "gpt-4o", "claude-3-opus"]))
    assert "names=['claude-3-opus', 'gpt-4o'] of headcount.judge" in severe(read)[0]
    people = np.array(["Claude", "Roberta", "o2", "bob 3"], dtype=object)
    assert not models_among("r.csv", people[:2])
    assert not models_among("r.csv", np.array(["gpt-4", "llama-3"], dtype=object))


def most(row):
    return max(set(row.tolist()), key=row.tolist().count)


@pytest.mark.parametrize(
    ("made", "rows", "how"),
    [
        (lambda row: "yes" if len({*row}) == 1 else "no", YES, "whether the others agree"),
        (lambda row: "no" if len({*row}) == 1 else "yes", YES, "whether the others agree"),
        (most, YES, "what most of the others say"),
        (lambda row: int(np.median(row)), STARS, "the median"),
        (lambda row: int(np.floor(np.mean(row) + 0.5)), STARS, "the mean, rounded,"),
        (max, STARS, "the highest"),
    ],
)
def test_columns_that_were_made_of_others(made, rows, how):
    read = read_ratings(columns(rows, x=[made(row) for row in rows]))
    assert read.raters.tolist() == RATERS
    assert any(how in note for note in read.notes)


def test_a_decision_beside_two_raters():
    rng = np.random.default_rng(2)
    one, two, three = (rng.random((3, 120)) < 0.2) ^ (np.arange(120) % 2 == 0)
    decided = np.where(np.arange(120) % 3 == 0, one, two)
    for third, warned in ((decided, True), (three, False)):
        data = {"item": range(120), "ann": one, "bob": two, "x": third}
        found = severe(read_ratings(data))
        assert [("wherever the others agree, 'x' says" in note) for note in found] == [
            True
        ] * warned


@pytest.mark.parametrize("name", ["Konsens", "标准答案", "Vérité", "tie-break", "Musterlösung"])
def test_the_truth_in_other_words(name):
    assert read_ratings(columns(**{name: _TRUTH})).raters.tolist() == RATERS


REFUSED = [
    (columns(verdict=_TRUTH), r"'verdict' beside 'ann', 'bob', 'cy'.*ignore='verdict'"),
    (columns(result=_TRUTH), "ignore='result'"),
    ({"item": ITEMS, "pre": STARS[:, 0], "post": STARS[:, 1]}, "by when items were rated"),
    (columns([["TRUE" if a > 3 else "FALSE", "Yes" if b > 3 else "No", int(c > 3)]
              for a, b, c in STARS]), "'ann' says 'FALSE', 'TRUE'; 'bob' says 'No', 'Yes'"),
    (said(["1", "02. Jan", "3", "4", "5"]), "a spreadsheet took 1-2, or the like"),
    (said(["disagree", "neutral", "agree", "strongly agree", "don't know"]), "missing=.*don't kn"),
    ({"item": [i if k == 0 else None for i in ITEMS for k in range(3)], "rater": RATERS * 40,
      "label": STARS.ravel()}, "80 rows are below the first of each item: merged cells"),
    ({"item": ITEMS * 3, "rater": [r if n == 0 else None for r in RATERS for n in range(40)],
      "label": STARS.T.ravel()}, "117 rows are below the first of each rater: merged cells"),
    ({"record_id": np.repeat(ITEMS, 3), "redcap_event_name": RATERS * 40, "q": STARS.ravel()},
     "item='record_id', rater='redcap_event_name' and label='q'"),
    ({"_uuid": RATERS, "_submission_time": RATERS, "who": RATERS,
      **{f"g/item_{n}": row for n, row in enumerate(STARS)}}, "ignore='who'"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "match"), REFUSED)
def test_refused_with_what_to_do(data, match):
    with pytest.raises(DataError, match=match):
        read_ratings({name: list(column) for name, column in data.items()})


def test_what_refusals_of_form_tools_say_can_be_done():
    redcap, kobo = (data for data, _ in REFUSED[-2:])
    expected = pytest.approx(alpha_of(STARS))
    assert alpha(redcap, item="record_id", rater="redcap_event_name", label="q") == expected
    ignored = ["_uuid", "_submission_time"]
    assert alpha(kobo, transpose=True, rater="who", ignore=ignored) == expected
    assert alpha(kobo, ignore=["who"]) == expected
    each = {"_uuid": ITEMS, "_submission_time": ITEMS, "g/photo": ITEMS, "g/quality": STARS[:, 0]}
    with pytest.raises(DataError, match="KoboToolbox or ODK"):
        read_ratings({name: list(column) for name, column in each.items()})


@pytest.mark.parametrize(
    ("mark", "match"),
    [
        ("{}?", "signs at the ends"), ("{}.", "signs at the ends"),
        ("{} (unsure)", "labels with a remark"),
    ],
)  # fmt: skip
def test_labels_with_something_at_the_end(mark, match):
    rows = [[mark.format(v) if (n + k) % 9 == 0 else v for k, v in enumerate(row)]
            for n, row in enumerate(YES)]  # fmt: skip
    assert match in severe(read_ratings(columns(rows)))[0]
    if "signs" in match:
        merged = alpha(columns(rows), merge=["punctuation"])
        assert merged == pytest.approx(alpha_of(STARS > 3, "nominal"))


def test_other_differences_between_labels():
    hearts = [["❤️" if v == "yes" and n % 2 else "❤" if v == "yes" else "💔" for v in row]
              for n, row in enumerate(YES)]  # fmt: skip
    assert "merge=['unicode']" in severe(read_ratings(columns(hearts)))[0]
    rows = YES.tolist()
    rows[5][1] = "yse"
    assert any("'yse' ('yes'?)" in note for note in read_ratings(columns(rows)).notes)
    larger = [[a, b, 2 * c] for a, b, c in STARS]
    assert "another scale?" in severe(read_ratings(columns(larger)))[0]


def levels(titles):
    names = [r for _ in titles for r in RATERS]
    rows = [[i, *row, *row[::-1]][: 1 + len(names)] for i, row in zip(ITEMS, STARS, strict=True)]
    above = [["", *(t for t in titles for _ in RATERS)], ["", *names], ["item", *[""] * len(names)]]
    return text(None, [*above, *rows])


KEYED = {i: dict(zip(RATERS, map(int, row), strict=True)) for i, row in zip(ITEMS, STARS)}  # noqa: B905
FILES = {
    "levels.csv": levels(["score"]),
    "copies.csv": text(["id", "score", "score.1", "score.2"],
                       [[i, *row] for i, row in zip(ITEMS, STARS, strict=True)]),
    "by_item.json": json.dumps(KEYED),
    "by_rater.json": json.dumps({r: {i: KEYED[i][r] for i in ITEMS} for r in RATERS}),
    "lists.json": json.dumps([["item", *RATERS], *([i, *KEYED[i].values()] for i in ITEMS)]),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_files_that_are_read_right(tmp_path, name):
    (tmp_path / name).write_text(FILES[name])
    read = read_ratings(tmp_path / name)
    assert (len(read.items), len(read.raters)) == (40, 3)
    assert agree(read, bootstrap=0)["alpha"].value == pytest.approx(alpha_of(STARS))


def test_levels_of_columns_are_raters_and_questions(tmp_path):
    (tmp_path / "r.csv").write_text(levels(["toxic", "rude"]))
    with pytest.raises(DataError, match="question='ann' or question='toxic'"):
        read_ratings(tmp_path / "r.csv")
    assert alpha(tmp_path / "r.csv", question="toxic") == pytest.approx(alpha_of(STARS))


def test_lists_without_names_are_refused(tmp_path):
    (tmp_path / "r.json").write_text(json.dumps(STARS.tolist()))
    with pytest.raises(DataError, match="a list of lists without names"):
        read_ratings(tmp_path / "r.json")


VERDICT = YES[:, 0].tolist()
SCORE = [str(value) for value in _TRUTH]


def judged(read):
    return {
        one.name: [read.labels[k] for k in one.probability.argmax(axis=1)]
        for one in read.classifiers
    } | {one.name: "score" for one in read.scores}


@pytest.mark.parametrize(
    "beside",
    [
        {"judge_model": "gpt-4o"}, {"run": "run-7"}, {"prompt_version": "v3"}, {"task": "tone"},
        {"temperature": 0}, {"dataset": "helpful"}, {"attempt": 1}, {"n": 1}, {"top_p": 1},
        {"finish_reason": "stop"}, {"Begründung": "weil"}, {"Modell": "gpt-4o"},
        {"cost_usd": np.arange(40) / 7}, {"tokens_in": np.arange(40)}, {"logprob": -np.arange(40)},
        {"elapsed": np.arange(40) / 10}, {"human": YES[:, 1]}, {"x": "helpful"},
        {"gold": YES[:, 1], "ok": YES[:, 0] == YES[:, 1]}, {"model_name": ["m1", "m2"] * 20},
    ],
)  # fmt: skip
@pytest.mark.parametrize(("verdict", "known"), [(VERDICT, ["no", "yes"]), (SCORE, list("12345"))])
def test_columns_beside_predictions(verdict, known, beside):
    more = {k: list(v) if isinstance(v, list | np.ndarray) else [v] * 40 for k, v in beside.items()}
    if "ok" in more:
        more = {"gold": more["gold"], "ok": [a == b for a, b in zip(verdict, more["gold"])]}  # noqa: B905
    if "ok" in more and verdict is SCORE:
        return  # no score is a label of the truth
    read = read_predictions({"item": ITEMS, "gpt": verdict, **more}, labels=known)
    assert judged(read) == {"gpt": verdict}


def test_a_model_that_is_named_in_a_column_names_its_verdicts():
    data = {"item": ITEMS, "judge": ["gpt-4o"] * 40, "verdict": VERDICT}
    assert judged(read_predictions(data)) == {"gpt-4o": VERDICT}
    two = {"item": ITEMS * 2, "model": ["a"] * 40 + ["b"] * 40, "verdict": VERDICT * 2}
    assert judged(read_predictions(two)) == {"a": VERDICT, "b": VERDICT}


def test_a_classifier_that_always_says_the_same_stays():
    data = {"item": ITEMS, "gpt": VERDICT, "always": ["no"] * 40}
    assert judged(read_predictions(data, labels=["no", "yes"]))["always"] == ["no"] * 40


@pytest.mark.parametrize(
    "write",
    ["{}.", "**{}**", "Answer: {}", '"{}"', "Final verdict: {}.", "[[{}]]", "<answer>{}</answer>",
     "\\boxed{{{}}}", "The answer is {}", "<think>hm</think>\n{}", "It is so. Rating: [[{}]]",
     'Here:\n```json\n{{"verdict": "{}"}}\n```', '{{"is_toxic": "{}", "reason": "x"}}',
     "<verdict>{}</verdict><reason>abc</reason>", "Feedback: fine. [RESULT] {}"],
)  # fmt: skip
def test_what_judges_write_around_an_answer(write):
    for values in (VERDICT, SCORE):
        data = {"item": ITEMS, "gpt": [write.format(value) for value in values]}
        assert judged(read_predictions(data)) == {"gpt": values}


def test_what_is_no_mark_stays():
    assert marked_answers(["yes", "yes."]) is None  # for the user to merge
    assert marked_answers(["[[A]] or [[B]]", "[[A]]"]) is None
    assert marked_answers(["no, it is not", "yes"]) is None


def with_failures(failure):
    return [failure if n % 8 == 0 else value for n, value in enumerate(VERDICT)]


@pytest.mark.parametrize(
    ("gpt", "match"),
    [
        (with_failures("ERROR"), r"5 of 40 predictions are no answer: 'ERROR'.*missing=\['ERROR'"),
        (with_failures("I cannot assist with that."), "are no answer: 'I cannot"),
        (with_failures("Error: rate limit exceeded"), "are no answer: 'Error: rate"),
        (with_failures("unclear"), "are no answer: 'unclear'"),
        ([f"I'm sorry, {n}" if n % 8 == 0 else v for n, v in enumerate(VERDICT)], "no answer"),
        ([json.dumps({"tone": int(v), "fact": 3}) for v in SCORE], "several answers: 'tone', 'fac"),
    ],
)  # fmt: skip
def test_what_is_no_verdict(gpt, match):
    with pytest.raises(DataError, match=match):
        read_predictions({"item": ITEMS, "gpt": gpt}, labels=["no", "yes"])


def test_failures_that_are_declared():
    data = {"item": ITEMS, "gpt": with_failures("ERROR")}
    read = read_predictions(data, missing=["ERROR"])
    assert read.labels == ("no", "yes")
    assert int(np.isnan(read.classifiers[0].probability).all(axis=1).sum()) == 5
    assert "ERROR" in read_predictions(data, labels=["ERROR", "no", "yes"]).labels


def test_other_forms_of_predictions(tmp_path):
    hot = {"item": ITEMS, "is_yes": (YES[:, 0] == "yes") * 1, "is_no": (YES[:, 0] == "no") * 1}
    assert [*judged(read_predictions(hot, labels=["no", "yes"])).values()] == [VERDICT]
    with pytest.raises(DataError, match=r"by what was asked.*ignore=\['gpt_tone'\]"):
        read_predictions({"item": ITEMS, "gpt_clarity": SCORE, "gpt_tone": SCORE})
    same = {"item": ITEMS, "gpt_tone": SCORE, "llama_tone": SCORE}
    assert len(read_predictions(same).classifiers) == 2
    (tmp_path / "p.csv").write_text(text(None, zip(ITEMS, VERDICT, strict=True)))
    with pytest.raises(DataError, match="the first row seems to be data"):
        read_predictions(tmp_path / "p.csv")
    (tmp_path / "p.json").write_text(json.dumps(dict(zip(ITEMS, VERDICT, strict=True))))
    assert judged(read_predictions(tmp_path / "p.json")) == {"value": VERDICT}
    nested = {"item": ITEMS, "output": [{"verdict": v, "reason": "x"} for v in VERDICT]}
    assert judged(read_predictions(nested)) == {"verdict": VERDICT}
    strange = {"item": ITEMS, "output": [{"said": v, "why": "x"} for v in VERDICT]}
    with pytest.raises(DataError, match="These hold 'said', 'why'"):
        read_predictions(strange)
