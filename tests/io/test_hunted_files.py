"""Ordinary files of a fourth round: votes, gold labels, logs of judges, other languages."""

from __future__ import annotations

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
)
from headcount.io.formats.text import recognised
from tests.io.test_more_files import (
    ITEMS,
    RATERS,
    STARS,
    VERDICT,
    YES,
    alpha_of,
    columns,
    said,
    severe,
    text,
)

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
    assert any(f"left out: '{name}'" in note for note in read.notes)


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
    result = judge(people, {"item": range(1, 41), "gpt": VERDICT}, bootstrap=20)
    assert any("numbered from 0" in note and "from 1" in note for note in result.notes)


def test_a_column_that_no_rater_of_the_same_scale_gives():
    shares = {"id": ITEMS, "toxicity": (YES == "yes").mean(axis=1), "annotators": [3] * 40}
    with pytest.raises(DataError, match="'toxicity' are below those of 'annotators'"):
        read_ratings(shares)
    data = {"item": range(12), "ann": [1, 2] * 6, "bob": [3, 4] * 6}
    assert len(read_ratings(data, labels=list("1234"))) == 24
    continuous = {"item": range(6), "ann": [1.5, 2.25, 3, 4, 5, 6], "bob": [7.5, 8, 9, 10, 11, 12]}
    assert len(read_ratings(continuous)) == 12


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("status", "submitted", "draft"), ("state", "approved", "returned"), ("valid", 1, 0),
        ("excluded", "no", "yes"), ("attention_passed", True, False),
    ],
)  # fmt: skip
def test_answers_that_should_not_count_are_warned_of(name, good, bad):
    data = {**LONG, name: [bad if n % 10 == 0 else good for n in range(120)]}
    (warning,) = severe(read_ratings(data))
    assert f"12 rows of which '{name}' is '{bad}'" in warning
    assert f"where='{name}={good}'" in warning
    assert len(read_ratings(data, where=[f"{name}={good}"])) == 108


def test_answers_that_were_skipped():
    label = ["skip" if n % 12 == 0 else one for n, one in enumerate(YES.ravel())]
    with pytest.raises(DataError, match=r"10 of 120 ratings are 'skip'.*missing=\['skip'\]"):
        read_ratings({**LONG, "label": label})
    assert read_ratings({**LONG, "label": label}, missing=["skip"]).scale.labels == ("no", "yes")
    unsure = ["unsure" if one == "skip" else one for one in label]
    assert len(read_ratings({**LONG, "label": unsure}).scale) == 3


def test_a_table_in_markdown(tmp_path):
    rows = [f"| {i} | {' | '.join(row)} |" for i, row in zip(ITEMS, YES, strict=True)]
    head = [f"| item | {' | '.join(RATERS)} |", "|------|:---:|----|---:|"]
    read = read_ratings(write(tmp_path / "r.md", "\n".join([*head, *rows]) + "\n"))
    assert (len(read.items), read.scale.labels) == (40, ("no", "yes"))
    assert any("1 row of dashes left out" in note for note in read.notes)
    assert agree(read, bootstrap=0)["alpha"].value == pytest.approx(alpha_of(YES == "yes"))


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("name", ["Unnamed: 0", "X"])
def test_numbers_of_rows_are_no_classifier(name, start):
    data = {name: range(start, start + 40), "item": ITEMS, "gpt": VERDICT}
    assert names_of(read_predictions(data)) == ["gpt"]
    assert not read_predictions(data).scores


def test_raters_of_wide_data_who_say_yes_in_other_words():
    data = columns([["TRUE" if a == "yes" else "FALSE", b, c] for a, b, c in YES])
    with pytest.raises(DataError, match=r"or say merge=\['yes-no'\]"):
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


@pytest.mark.parametrize("sign", [",", "|", "; "])
def test_answers_of_several_raters_in_a_cell(sign):
    data = {"id": ITEMS, "votes": [sign.join(row) for row in YES]}
    with pytest.raises(DataError, match="hold the answers of several raters"):
        read_ratings(data)


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
    with pytest.raises(DataError, match=rf"neither UTF-8 nor cp1252.*{encoding} \("):
        read_ratings(path)
    assert read_ratings(path, encoding=encoding).raters[0] in WORDS[encoding]


@pytest.mark.parametrize("word", ["größer", "Ä", "ça va", "não", "élève", "naïve café"])
def test_text_of_western_languages(tmp_path, word):
    path = tmp_path / "r.csv"
    path.write_bytes(f"item,label\n1,{word}\n2,x\n".encode("cp1252"))
    assert recognised(path, "r.csv", None).encoding == "cp1252"


def test_players_and_opponents_are_comparisons(tmp_path):
    rows = [(f"m{n % 4}", f"m{(n + 1) % 4}", ["1-0", "0-1", "1/2-1/2"][n % 3]) for n in range(30)]
    path = write(tmp_path / "c.csv", text(["player", "opponent", "result"], rows))
    assert [one.kind for one in look(path).seen] == ["comparisons"]


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
    (note,) = [note for note in read_ratings(data).notes if "have numbers" in note]
    assert f"scale='ordinal' with labels={words}" in note
    read = read_ratings(data, labels=words)
    found = agree(read, scale="ordinal", bootstrap=0)["alpha"].value
    assert found == pytest.approx(alpha_of(STARS, "ordinal"))


def test_digits_in_circles():
    read = read_ratings(said("①②③④⑤"))
    assert agree(read, bootstrap=0)["alpha"].value == pytest.approx(alpha_of(STARS))


SIDES = [
    ("links", "rechts", "gewinner", "unentschieden"),
    ("gauche", "droite", "résultat", "égalité"),
]


@pytest.mark.parametrize(("left", "right", "outcome", "tie"), SIDES)
def test_comparisons_in_other_languages(left, right, outcome, tie):
    data = {left: ["a", "b", "c"], right: ["b", "c", "a"], outcome: [left, tie, right]}
    assert read_comparisons(data).outcome.tolist() == [1, 0.5, 0]


def test_verdicts_on_two_answers_in_a_text():
    texts = [f"Both are fine, but one is longer. My verdict: [[{one}]]" for one in "ABC"]
    data = {"model_a": ["a", "b", "c"], "model_b": ["b", "c", "a"], "judgment": texts}
    assert read_comparisons(data).outcome.tolist() == [1, 0, 0.5]


def test_an_adjudicator_is_no_rater():
    rows = {name: [*column, *more] for (name, column), more in zip(
        LONG.items(), (ITEMS, ["Adjudicator"] * 40, TRUTH), strict=True)}  # fmt: skip
    assert read_ratings(rows).raters.tolist() == RATERS
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
    read = read_ratings(lime(names))
    assert (len(read.items), len(read.raters)) == (40, 3)
    assert agree(read, bootstrap=0)["alpha"].value == pytest.approx(alpha_of(YES == "yes"))


def test_columns_that_are_no_items_of_few_raters():
    data = {"rater": RATERS, "country": ["de", "fr", "it"], **{f"t{n}": row for n, row in
            enumerate(YES)}}  # fmt: skip
    with pytest.raises(DataError, match=r"column 'country'.*ignore='country'"):
        read_ratings(data, transpose=True)
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


@pytest.mark.parametrize(
    "answer",
    ["{}", "**{}**", '{{"reason": "so, well", "verdict": "{}"}}', "Hm.\n<verdict>{}</verdict>"],
)
@pytest.mark.parametrize(("made", "model"), [(chat, "gpt-4o"), (message, "claude-4")])
def test_files_of_batches(tmp_path, made, model, answer):
    rows = [made(i, answer.format(v)) for i, v in zip(ITEMS, VERDICT, strict=True)]
    path = write(tmp_path / "b.jsonl", "".join(json.dumps(row) + "\n" for row in rows[::-1]))
    read = read_predictions(path, labels=["no", "yes"])
    assert names_of(read) == [model]
    assert [read.labels[k] for k in read.classifiers[0].probability.argmax(axis=1)] == VERDICT
    assert [one.kind for one in look(path).seen] == ["predictions"]
