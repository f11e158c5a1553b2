"""Ordinary files of a third and a fourth round: what a plain reading would get wrong."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from headcount import (
    DataError,
    agree,
    blind,
    judge,
    look,
    read_comparisons,
    read_predictions,
    read_ratings,
    read_truth,
    read_votes,
    survey,
)
from headcount.io.findings import models_among
from headcount.io.label_order import in_order
from headcount.io.reading import recognised

# Ordinary files of a third round: what a plain reading of each would get wrong.

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
    "XS S M L XL", "one two three four five",
    "非常不同意 不同意 一般 同意 非常同意", "nie selten manchmal oft immer",
]  # fmt: skip
SENTENCES = [
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
    steps = ["never", "rarely", "sometimes", "often", "always"]
    assert alpha(said(steps)) == pytest.approx(alpha_of(STARS, "ordinal"))


@pytest.mark.parametrize(
    "names",
    ["F D C B A", "0-10 11-20 21+", "I II III IV",
     "A B C D", "A+ B O-", "1-0 0-0 2-1", "a d n", "type_1 type_2 type_3", "no yes maybe",
     "positive negative mixed", "2020-2022 2021-2023 2022-2024"],
)  # fmt: skip
def test_labels_that_are_names(names):
    assert in_order(names.split()) is None


def test_zeros_of_two_labels_are_no_matter():
    assert not severe(read_ratings(columns((STARS > 3).astype(int))))


def test_models_among_raters():
    read = read_ratings(columns(raters=["alice", "gpt-4o", "claude-3-opus"]))
    assert "judge_names=['claude-3-opus', 'gpt-4o'])" in severe(read)[0]
    people = np.array(["Claude", "Roberta", "o2", "bob 3"], dtype=object)
    assert not models_among("r.csv", people[:2])
    assert not models_among("r.csv", np.array(["gpt-4", "llama-3"], dtype=object))


@pytest.mark.parametrize("name", ["Konsens", "标准答案", "Vérité", "tie-break", "Musterlösung"])
def test_the_truth_in_other_words(name):
    assert read_ratings(columns(**{name: _TRUTH})).raters.tolist() == RATERS


REFUSED = [
    (columns(verdict=_TRUTH), r"'verdict' beside 'ann', 'bob', 'cy'.*columns=\['ann', 'bob'"),
    ({"item": ITEMS, "pre": STARS[:, 0], "post": STARS[:, 1]}, "by when items were rated"),
    (columns([["TRUE" if a > 3 else "FALSE", "Yes" if b > 3 else "No", int(c > 3)]
              for a, b, c in STARS]), "merge='yes-no'"),
    (said(["1", "02. Jan", "3", "4", "5"]), "'02. Jan' appears 22 times among numbers"),
    (said(["disagree", "neutral", "agree", "strongly agree", "don't know"]), "missing=.*don't kn"),
    ({"item": [i if k == 0 else None for i in ITEMS for k in range(3)], "rater": RATERS * 40,
      "label": STARS.ravel()}, "80 rows are below the first of each item: merged cells"),
    ({"item": ITEMS * 3, "rater": [r if n == 0 else None for r in RATERS for n in range(40)],
      "label": STARS.T.ravel()}, "117 rows are below the first of each rater: merged cells"),
    ({"record_id": np.repeat(ITEMS, 3), "redcap_event_name": RATERS * 40, "q": STARS.ravel()},
     r"repeat, so each row.*item='\.\.\.', rater='\.\.\.' and label="),
]  # fmt: skip


@pytest.mark.parametrize(("data", "match"), REFUSED)
def test_refused_with_what_to_do(data, match):
    with pytest.raises(DataError, match=match):
        read_ratings({name: list(column) for name, column in data.items()})


def test_what_refusals_of_form_tools_say_can_be_done():
    redcap = REFUSED[-1][0]
    kobo = {"_uuid": RATERS, "_submission_time": RATERS, "who": RATERS,
            **{f"g/item_{n}": row for n, row in enumerate(STARS)}}  # fmt: skip
    expected = pytest.approx(alpha_of(STARS))
    assert alpha(redcap, item="record_id", rater="redcap_event_name", label="q") == expected
    ignored = ["_uuid", "_submission_time"]
    assert alpha(kobo, transpose=True, rater="who", ignore=ignored) == expected
    each = {"_uuid": ITEMS, "_submission_time": ITEMS, "g/photo": ITEMS, "g/quality": STARS[:, 0]}
    with pytest.raises(DataError, match="answers of people to a survey"):
        read_ratings({name: list(column) for name, column in each.items()})


@pytest.mark.parametrize(
    ("mark", "match"),
    [
        ("{}?", "signs at the ends"), ("{}.", "signs at the ends"),
    ],
)  # fmt: skip
def test_labels_with_something_at_the_end(mark, match):
    rows = [[mark.format(v) if (n + k) % 9 == 0 else v for k, v in enumerate(row)]
            for n, row in enumerate(YES)]  # fmt: skip
    assert match in severe(read_ratings(columns(rows)))[0]
    merged = alpha(columns(rows), merge=["punctuation"])
    assert merged == pytest.approx(alpha_of(STARS > 3, "nominal"))


def test_other_differences_between_labels():
    hearts = [["❤️" if v == "yes" and n % 2 else "❤" if v == "yes" else "💔" for v in row]
              for n, row in enumerate(YES)]  # fmt: skip
    assert "merge=['unicode']" in severe(read_ratings(columns(hearts)))[0]


def levels(titles):
    names = [r for _ in titles for r in RATERS]
    rows = [[i, *row, *row[::-1]][: 1 + len(names)] for i, row in zip(ITEMS, STARS, strict=True)]
    above = [["", *(t for t in titles for _ in RATERS)], ["", *names], ["item", *[""] * len(names)]]
    return text(None, [*above, *rows])


KEYED = {i: dict(zip(RATERS, map(int, row), strict=True)) for i, row in zip(ITEMS, STARS)}  # noqa: B905
FILES = {
    "copies.csv": text(["id", "score", "score.1", "score.2"],
                       [[i, *row] for i, row in zip(ITEMS, STARS, strict=True)]),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_files_that_are_read_right(tmp_path, name):
    (tmp_path / name).write_text(FILES[name])
    read = read_ratings(tmp_path / name)
    assert (len(read.items), len(read.raters)) == (40, 3)
    assert agree(read, bootstrap=0)["alpha"].value == pytest.approx(alpha_of(STARS))


@pytest.mark.parametrize("titles", [["score"], ["toxic", "rude"]])
def test_levels_of_columns_are_refused_and_read_without_the_others(tmp_path, titles):
    written = levels(titles)
    (tmp_path / "r.csv").write_text(written)
    with pytest.raises(DataError, match="if the header has several rows, keep one"):
        read_ratings(tmp_path / "r.csv")
    lines = written.splitlines()
    one = ",".join(["item", *RATERS])
    (tmp_path / "r.csv").write_text("\n".join([one, *(x[: x.index(",") + 6] for x in lines[3:])]))
    assert alpha(tmp_path / "r.csv") == pytest.approx(alpha_of(STARS))


def test_lists_without_names_are_refused(tmp_path):
    (tmp_path / "r.json").write_text(json.dumps(STARS.tolist()))
    with pytest.raises(DataError, match="a list of lists, in which nothing names the columns"):
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
        {"elapsed": np.arange(40) / 10}, {"human": YES[:, 1]},
        {"gold": YES[:, 1]}, {"model_name": ["m1", "m2"] * 20},
    ],
)  # fmt: skip
@pytest.mark.parametrize(("verdict", "known"), [(VERDICT, ["no", "yes"]), (SCORE, list("12345"))])
def test_columns_beside_predictions(verdict, known, beside):
    more = {k: list(v) if isinstance(v, list | np.ndarray) else [v] * 40 for k, v in beside.items()}
    read = read_predictions({"item": ITEMS, "gpt": verdict, **more}, labels=known)
    assert judged(read) == {"gpt": verdict}


def test_a_column_that_no_name_tells_is_kept_and_refused():
    data = {"item": ITEMS, "gpt": VERDICT, "x": ["helpful"] * 40}
    assert list(judged(read_predictions(data, labels=["no", "yes"]))) == ["gpt", "x"]
    with pytest.raises(DataError, match=r"'x' uses none of the raters' labels.*ignore='x'"):
        survey(columns(YES), data, bootstrap=0)


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
    ["Answer: {}", "Final verdict: {}.", "[[{}]]", "<answer>{}</answer>",
     "\\boxed{{{}}}", "The answer is {}", "<think>hm</think>\n{}", "It is so. Rating: [[{}]]",
     "<verdict>{}</verdict><reason>abc</reason>", "Feedback: fine. [RESULT] {}"],
)  # fmt: skip
def test_what_judges_write_around_an_answer(write):
    for values in (VERDICT, SCORE):
        data = {"item": ITEMS, "gpt": [write.format(value) for value in values]}
        with pytest.raises(DataError, match=r"more than a number or a label\. Write that alone"):
            read_predictions(data)


@pytest.mark.parametrize("write", ["{}.", "**{}**", '"{}"'])
def test_signs_around_words_are_for_the_user_to_merge(write):
    data = {"item": ITEMS, "gpt": [write.format(value) for value in VERDICT]}
    read = read_predictions(data, labels=["no", "yes"], merge=["punctuation"])
    assert judged(read) == {"gpt": VERDICT}


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
        ([json.dumps({"tone": int(v), "fact": 3}) for v in SCORE], "more than a number or a label"),
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
    strange = {"item": ITEMS, "output": [{"verdict": v, "reason": "x"} for v in VERDICT]}
    with pytest.raises(DataError, match="Give the label a column of its own"):
        read_predictions(strange)


# Ordinary files of a fourth round: votes, gold labels, logs of judges, other languages.

MODELS = ["gpt", "llama", "qwen"]
TRUTH = YES[:, 0]
VOTES = {"item": ITEMS, **{name: YES[:, k] for k, name in enumerate(MODELS)}}
LONG = {"item": np.repeat(ITEMS, 3), "rater": RATERS * 40, "label": YES.ravel()}


def write(path, lines):
    path.write_text(lines, encoding="utf-8")
    return path


def names_of(read):
    return [one.name for one in read.classifiers]


def test_failures_among_votes_are_refused():
    given = YES.copy().astype(object)
    given[::9, 1] = "ERROR"
    votes = {"item": ITEMS, **{name: given[:, k] for k, name in enumerate(MODELS)}}
    with pytest.raises(DataError, match=r"5 of 120 labels are no answer: 'ERROR'.*missing=\['ERR"):
        read_votes(votes)
    assert len(read_votes(votes, missing=["ERROR"])) == 115
    assert len(read_votes(votes, labels=["ERROR", "no", "yes"]).scale) == 3


@pytest.mark.parametrize("name", ["human_label", "target", "human", "y_true"])
def test_what_people_say_is_no_vote(name):
    read = read_votes({**VOTES, name: TRUTH})
    assert read.raters.tolist() == MODELS
    assert any(f"'{name}': left out" in note for note in read.notes)


def test_a_time_beside_ids_makes_no_form():
    table = {"id": ITEMS, **columns(YES), "timestamp": [f"10:{n:02}" for n in range(40)]}
    table.pop("item", None)
    assert len(read_ratings(table, ignore=["timestamp"]).raters) == 3
    assert len(read_ratings(table).items) == 40


@pytest.mark.parametrize("when", ["timestamp", "submitted_at", "start_time"])
def test_a_time_beside_items_makes_no_form(when):
    data = {"item": ITEMS, when: [f"2024-01-02 10:{n:02}" for n in range(40)], **columns(YES)}
    if when == "timestamp":  # others may be a rater, by their names
        assert read_ratings(data).raters.tolist() == RATERS
    assert read_ratings(data, ignore=[when]).raters.tolist() == RATERS


def test_gold_without_a_header_is_refused(tmp_path):
    path = write(tmp_path / "g.csv", text(None, zip(ITEMS, TRUTH, strict=True)))
    with pytest.raises(DataError, match=r"first row seems to be data \(i00,.*such as item,gold"):
        read_truth(path)


def test_gold_that_does_not_know():
    gold = {item: "unsure" if n % 5 == 0 else TRUTH[n] for n, item in enumerate(ITEMS)}
    result = blind(VOTES, gold=gold, bootstrap=0, methods=["direct"])
    assert any("8 items of which people say 'unsure'" in note for note in result.notes)
    found = {one.name: one.estimates["direct"]["accuracy"].value for one in result.classifiers}
    known = np.arange(40) % 5 != 0
    for k, name in enumerate(MODELS):
        assert found[name] == pytest.approx((YES[:, k] == TRUTH)[known].mean())


def test_gold_that_is_misspelt():
    gold = {item: "yse" if n == 3 else TRUTH[n] for n, item in enumerate(ITEMS)}
    result = blind(VOTES, gold=gold, bootstrap=0, methods=["direct"])
    assert any("spelt otherwise: 'yse' ('yes'?)" in note for note in result.notes)


def test_a_judge_whose_items_are_numbered_from_one():
    people = {**columns(YES), "item": range(40)}
    with pytest.raises(DataError, match="from 0 to 39, and judges from 1 to 40"):
        judge(people, {"item": range(1, 41), "gpt": VERDICT}, bootstrap=20)


def test_a_column_that_no_rater_of_the_same_scale_gives():
    shares = {"id": ITEMS, "toxicity": (YES == "yes").mean(axis=1), "annotators": [3] * 40}
    with pytest.raises(DataError, match="only 'annotators' is a rater"):
        read_ratings(shares)
    data = {"item": range(12), "ann": [1, 2] * 6, "bob": [3, 4] * 6}
    assert len(read_ratings(data, labels=list("1234"))) == 24
    continuous = {"item": range(6), "ann": [1.5, 2.25, 3, 4, 5, 6], "bob": [7.5, 8, 9, 10, 11, 12]}
    assert len(read_ratings(continuous)) == 12


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("status", "submitted", "draft"),
        ("state", "approved", "returned"),
    ],
)
def test_answers_that_should_not_count_are_warned_of(name, good, bad):
    data = {**LONG, name: [bad if n % 10 == 0 else good for n in range(120)]}
    (warning,) = severe(read_ratings(data))
    assert f"12 rows of which '{name}' is '{bad}'" in warning
    assert f"where='{name}={good}'" in warning
    assert len(read_ratings(data, where=[f"{name}={good}"])) == 108


def test_answers_that_were_skipped():
    label = ["skip" if n % 12 == 0 else one for n, one in enumerate(YES.ravel())]
    with pytest.raises(DataError, match=r"'skip' appears 10 times.*missing=\['skip'\]"):
        read_ratings({**LONG, "label": label})
    assert read_ratings({**LONG, "label": label}, missing=["skip"]).scale.labels == ("no", "yes")
    unsure = ["unsure" if one == "skip" else one for one in label]
    assert len(read_ratings({**LONG, "label": unsure}).scale) == 3


def test_a_table_in_markdown(tmp_path):
    rows = [f"| {i} | {' | '.join(row)} |" for i, row in zip(ITEMS, YES, strict=True)]
    head = [f"| item | {' | '.join(RATERS)} |", "|------|:---:|----|---:|"]
    path = write(tmp_path / "r.md", "\n".join([*head, *rows]) + "\n")
    with pytest.raises(DataError, match=r"r\.md, row 2: the header again, or a line below it"):
        read_ratings(path)
    read = read_ratings(write(path, "\n".join([*head[:1], *rows]) + "\n"))
    assert (len(read.items), read.scale.labels) == (40, ("no", "yes"))
    assert agree(read, bootstrap=0)["alpha"].value == pytest.approx(alpha_of(YES == "yes"))


@pytest.mark.parametrize("start", [0, 1])
def test_numbers_of_rows_are_no_classifier(start):
    data = {"Unnamed: 0": range(start, start + 40), "item": ITEMS, "gpt": VERDICT}
    assert names_of(read_predictions(data)) == ["gpt"]
    assert not read_predictions(data).scores


def test_raters_of_wide_data_who_say_yes_in_other_words():
    data = columns([["TRUE" if a == "yes" else "FALSE", b, c] for a, b, c in YES])
    with pytest.raises(DataError, match=r"or add merge='yes-no'"):
        read_ratings(data)
    read = read_ratings(data, merge=["yes-no"])
    assert agree(read, bootstrap=0)["alpha"].value == pytest.approx(alpha_of(YES == "yes"))


def test_sentences_among_labels_of_raters():
    texts = [f"I would say {v}." if n % 8 == 0 else v for n, v in enumerate(VERDICT)]
    with pytest.raises(DataError, match="5 of 40 predictions are no answer: 'I would say"):
        read_predictions({"item": ITEMS, "gpt": texts}, labels=["no", "yes"])


def test_counts_of_tokens_are_no_probabilities():
    usage = [{"input_tokens": 12, "output_tokens": n} for n in range(40)]
    data = {"item": ITEMS, "model": ["gpt"] * 40, "verdict": VERDICT, "usage": usage}
    read = read_predictions(data)
    assert (names_of(read), read.labels) == (["gpt"], ("no", "yes"))
    del data["model"]
    assert read_predictions(data).labels == ("no", "yes")


@pytest.mark.parametrize("name", ["run", "judge_model", "seed"])
def test_rows_of_several_models_or_runs(name):
    data = {"item": ITEMS * 3, name: np.repeat(["1", "2", "3"], 40), "verdict": YES.T.ravel()}
    read = read_predictions(data)
    assert names_of(read) == ["1", "2", "3"]
    assert [read.labels[k] for k in read.classifiers[1].probability.argmax(axis=1)] == [*YES[:, 1]]
    with pytest.raises(DataError, match="call the column that tells them apart 'model'"):
        read_predictions({"item": ITEMS * 2, "verdict": VERDICT * 2})


WORDS = {
    "gb18030": "编号,标注员甲,标注员乙\n1,是,否\n2,否,否\n",
    "cp932": "番号,評価者A,評価者B\n1,はい,いいえ\n2,はい,はい\n",
    "cp1251": "номер,Аня,Боря\n1,да,нет\n2,нет,нет\n",
    "cp949": "번호,평가자1,평가자2\n1,예,아니요\n2,예,예\n",
}


@pytest.mark.parametrize("encoding", WORDS)
def test_text_of_other_languages(tmp_path, encoding):
    path = tmp_path / "r.csv"
    path.write_bytes(WORDS[encoding].encode(encoding))
    with pytest.raises(DataError, match=rf"not UTF-8, and .* not look like cp1252.*{encoding} \("):
        read_ratings(path)
    assert read_ratings(path, encoding=encoding).raters[0] in WORDS[encoding]


@pytest.mark.parametrize("word", ["größer", "Ä", "ça va", "não", "élève", "naïve café"])
def test_text_of_western_languages(tmp_path, word):
    path = tmp_path / "r.csv"
    path.write_bytes(f"item,label\n1,{word}\n2,x\n".encode("cp1252"))
    assert recognised(path, "r.csv", None).encoding == "cp1252"


def test_a_log_of_verdicts(tmp_path):
    rows = [
        {"id": i, "verdict": v, "reasoning": f"Because {i}.", "usage": {"tokens": 12}, "run": 1}
        for i, v in zip(ITEMS, VERDICT, strict=True)
    ]
    path = write(tmp_path / "p.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    read = read_predictions(path, labels=["no", "yes"])
    assert (len(read.classifiers), read.labels) == (1, ("no", "yes"))


def test_numbered_labels_whose_words_have_no_known_order():
    words = ["1 = bad", "2 = poor", "3 = ok", "4 = good", "5 = great"]
    data = said(words)
    assert read_ratings(data).scale.kind != "ordinal"
    read = read_ratings(data, labels=words)
    found = agree(read, scale="ordinal", bootstrap=0)["alpha"].value
    assert found == pytest.approx(alpha_of(STARS, "ordinal"))


SIDES = [
    ("links", "rechts", "gewinner", "unentschieden"),
    ("gauche", "droite", "résultat", "égalité"),
]


@pytest.mark.parametrize(("left", "right", "outcome", "tie"), SIDES)
def test_comparisons_in_other_languages(left, right, outcome, tie):
    data = {left: ["a", "b", "c"], right: ["b", "c", "a"], outcome: [left, tie, right]}
    assert read_comparisons(data).outcome.tolist() == [1, 0.5, 0]


def test_verdicts_on_two_answers_in_a_text():
    """What a text says is for its reader to take out; what is marked alone is read."""
    data = {"model_a": ["a", "b", "c"], "model_b": ["b", "c", "a"]}
    texts = [f"Both are fine, but one is longer. My verdict: [[{one}]]" for one in "ABC"]
    with pytest.raises(DataError, match=r"column 'judgment': outcome 'Both are fine, .*\.\.\.'"):
        read_comparisons(data | {"judgment": texts})
    read = read_comparisons(data | {"judgment": [text[-5:] for text in texts]})
    assert read.outcome.tolist() == [1, 0, 0.5]


def test_an_adjudicator_is_no_rater():
    rows = {name: [*column, *more] for (name, column), more in zip(
        LONG.items(), (ITEMS, ["Adjudicator"] * 40, TRUTH), strict=True)}  # fmt: skip
    assert read_ratings(rows, exclude=["Adjudicator"]).raters.tolist() == RATERS
    assert read_ratings(columns(YES, adjudicator=TRUTH)).raters.tolist() == RATERS


def lime(names):
    meta = {"id": [1, 2, 3], names[0]: ["2024-01-02"] * 3, names[1]: [4] * 3, names[2]: ["en"] * 3}
    asked = {f"Q1[SQ{n:03}]": row for n, row in enumerate(YES)}
    return {**meta, "seed": [17, 18, 19], **asked}


@pytest.mark.parametrize(
    "names",
    [("submitdate", "lastpage", "startlanguage"),
     ("Date submitted", "Last page", "Start language")],
)  # fmt: skip
def test_limesurvey(names):
    with pytest.raises(DataError, match=r"answers of people to a survey.*rater='id'"):
        read_ratings(lime(names))
    read = read_ratings(lime(names), transpose=True, rater="id", ignore=[*names, "seed"])
    assert (len(read.items), len(read.raters)) == (40, 3)
    assert agree(read, bootstrap=0)["alpha"].value == pytest.approx(alpha_of(YES == "yes"))


def test_a_last_item_on_which_all_agree_is_one():
    stars = {"rater": RATERS, **{f"t{n}": row for n, row in enumerate(STARS)}, "last": [2, 2, 2]}
    assert len(read_ratings(stars, transpose=True).items) == 41


def test_columns_of_either_file_are_left_out(tmp_path, run):
    ratings = write(
        tmp_path / "r.csv", text([*columns(YES)], zip(*columns(YES).values(), strict=True))
    )
    rows = [(i, v, 90) for i, v in zip(ITEMS, VERDICT, strict=True)]
    said_by = write(tmp_path / "p.csv", text(["item", "verdict", "confidence"], rows))
    options = ("-p", said_by, "--bootstrap", 0, "--no-ceiling", "--json")
    assert "--ignore" in run("survey", ratings, *options).err
    assert run("survey", ratings, *options, "--ignore", "confidence").code == 0
    assert run("judge", ratings, said_by, "--ignore", "confidence", "--bootstrap", 20).code == 0
    both = run("survey", ratings, *options, "--ignore", "confidence,cy")
    assert both.json["data"]["raters"] == 2
    assert "no column 'cz'" in run("survey", ratings, *options, "--ignore", "cz").err


def chat(item, content):
    body = {"model": "gpt-4o", "choices": [{"index": 0, "message": {"content": content}}]}
    return {"custom_id": item, "response": {"status_code": 200, "body": body}, "error": None}


def message(item, content):
    made = {"model": "claude-4", "content": [{"type": "text", "text": content}]}
    return {"custom_id": item, "result": {"type": "succeeded", "message": made}}


@pytest.mark.parametrize("answer", ["{}", "**{}**", '{{"reason": "so, well", "verdict": "{}"}}'])
@pytest.mark.parametrize(("made", "model"), [(chat, "gpt-4o"), (message, "claude-4")])
def test_files_of_batches(tmp_path, made, model, answer):
    rows = [made(i, answer.format(v)) for i, v in zip(ITEMS, VERDICT, strict=True)]
    path = write(tmp_path / "b.jsonl", "".join(json.dumps(row) + "\n" for row in rows[::-1]))
    read = read_predictions(path, labels=["no", "yes"], merge=["punctuation"])
    assert names_of(read) == [model]
    assert [read.labels[k] for k in read.classifiers[0].probability.argmax(axis=1)] == VERDICT
    assert [one.kind for one in look(path).seen] == ["predictions"]
