"""The judge card end to end: what scores stand for, its page, and the action for GitHub."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from headcount import (
    DataError,
    Gate,
    Labels,
    OptionError,
    Predictions,
    agree,
    alt_test,
    examples,
    judge,
    read_predictions,
    read_ratings,
    survey,
)
from headcount.cli.flags import speller
from headcount.errors import named_in, option
from headcount.judging.judge import alt_test_of, notes_for_card
from headcount.judging.prepare import prepare
from headcount.results.notes import Note, Notes
from headcount.testing import assert_judge

STARS, JUDGE = examples.path("stars"), examples.path("judge")
FEW = {"bootstrap": 50}


def crowd(items=150, people=3, seed=1, *, coin=False):
    """People and a judge who is one of them, or flips a coin; two labels."""
    rng = np.random.default_rng(seed)
    state = rng.beta(0.5, 0.5, items)
    said = [np.where(rng.random(items) < state, "yes", "no").tolist() for _ in range(people)]
    who = np.repeat([f"p{k}" for k in range(people)], items)
    labels = Labels.from_triples(list(range(items)) * people, who, np.ravel(said).tolist())
    chance = np.full(items, 0.5) if coin else state
    judged = np.where(rng.random(items) < chance, "yes", "no").tolist()
    return labels, Predictions.from_labels(range(items), {"judge": judged})


def labels_of(judges):
    """What the first judge says, item by item."""
    return [judges.labels[k] for k in np.argmax(judges.classifiers[0].probability, axis=1)]


@pytest.fixture(scope="module")
def card():
    return judge(STARS, JUDGE, bootstrap=100)


def test_every_number_is_that_of_its_method(card):
    people, said = read_ratings(STARS), read_predictions(JUDGE)
    surveyed = survey(people, said, bootstrap=100)
    one = card["judge"]
    assert one.worth == surveyed["judge"].worth
    assert one.share == surveyed.ceiling.performance_ratio["judge"]
    assert card.agreement.report.estimate == agree(people).report.estimate
    tested = alt_test(people, said, epsilon=0.2)["judge"]
    assert card.alt_test["judge"].raters == tested.raters


def test_answers_are_in_the_order_of_the_questions(card):
    assert [one.number for one in card.answers] == [1, 2, 3, 4, 5]
    assert all(one.sentences for one in card.answers)
    said = card.to_text(details=True)
    assert said.startswith("May this judge stand in for a person here?\njudge is ready: ")
    places = [said.index(f"\n{n}. ") for n in range(1, 6)]
    assert places == sorted(places)
    assert all(len(line) <= 80 for line in said.splitlines())


def test_the_first_screen_is_short(card):
    said = str(card)
    assert len(said.splitlines()) <= 20
    assert len(said.split()) <= 150
    assert said.startswith("judge is ready: it agrees with people about as well as they agree")
    assert "Next: use it" in said
    standing = card["judge"].standing
    row = next(line.split() for line in said.splitlines() if line.startswith("weighted kappa"))
    assert row[2:4] == [f"{standing.kappa.value:.2f}", f"{standing.people_kappa.value:.2f}"]


def test_confusion_counts_every_rating(card):
    one = card["judge"].disagreement
    assert sum(map(sum, one.confusion)) == len(read_ratings(STARS))
    for row, found in zip(one.confusion, one.classes, strict=True):
        assert sum(row) == found.ratings
        assert found.recall.value == pytest.approx(
            row[one.judge_labels.index(found.label)] / sum(row)
        )


def test_items_to_read_again_are_the_worst(card):
    items = card["judge"].disagreement.items
    gaps = [round(one.distance - one.between, 9) for one in items]
    assert gaps == sorted(gaps, reverse=True)
    # People say 2, 2, 3 and the judge 5: (9 + 9 + 4) / 3 / 16 less 2 / 3 / 16.
    assert (items[0].item, items[0].judge) == ("a025", "5")
    assert items[0].said == {"nora": "2", "omar": "2", "pia": "3"}
    assert items[0].distance == pytest.approx(22 / 48)
    assert items[0].between == pytest.approx(2 / 48)


def test_a_coin_fails_and_few_items_cannot_tell():
    result = judge(*crowd(coin=True), gate=Gate(worth_at_least=1), **FEW)
    assert result.gate.status == "fail"
    result = judge(*crowd(20), gate=Gate(worth_at_least=1), **FEW)
    assert result.gate.status == "cannot tell"
    undecided = [one for one in result["judge"].conditions if one.status == "cannot tell"]
    assert [one.name for one in undecided] == ["agree_like_a_person", "bias", "worth_at_least"]
    assert all(one.more_items for one in undecided)
    assert result["judge"].verdict.startswith("Too few items for a verdict on judge")
    assert "label about" in result["judge"].next_step
    assert "a verdict needs" in result.gate.line


def test_a_judge_whose_labels_are_swapped_is_told_so():
    people, judges = crowd()
    swapped = [{"yes": "no", "no": "yes"}[one] for one in labels_of(judges)]
    result = judge(people, Predictions.from_labels(range(150), {"judge": swapped}), **FEW)
    assert result["judge"].status == "fail"
    assert "or are swapped" in result.answers[2].sentences[0]
    assert ".." not in str(result)


def test_without_a_gate_there_is_a_verdict_all_the_same():
    result = judge(*crowd(), **FEW)
    assert result.gate is None
    assert [one.name for one in result["judge"].conditions] == [
        "agree_like_a_person",
        "bias",
        "recall",
    ]
    assert result["judge"].readiness is not None


def test_people_who_agree_are_these_where_others_cannot_be_told():
    """The card says no more than agree does: of three raters the interval for others is wide."""
    people, said = crowd(items=20, seed=4)
    card = judge(people, said, **FEW)
    report = card.agreement.report
    assert report.estimate.low <= 0 < report.these_raters.low
    assert card.answers[0].sentences[0].startswith("Weakly, at least these people: ")


def test_few_items_do_not_say_that_people_do_not_agree():
    people, said = crowd(7)
    result = judge(people, said, **FEW)
    assert result.answers[0].sentences[0].startswith("Too few answers to tell")
    assert "have people label more items" in result["judge"].next_step


def test_people_who_do_not_agree_can_judge_nobody():
    rng = np.random.default_rng(1)
    said = {who: rng.choice(["x", "y"], 80).tolist() for who in ("ann", "bob", "eve")}
    judges = {"item": list(range(80)), "judge": rng.choice(["x", "y"], 80).tolist()}
    result = judge({"item": list(range(80)), **said}, judges, gate=True, **FEW)
    assert result.gate.status == "cannot tell"
    assert "cannot show how good any judge is" in result.answers[0].sentences[0]
    assert "people agree too little to judge against" in result["judge"].next_step


class TestInputs:
    def columns(self, file):
        table = read_ratings(file) if file == STARS else None
        assert table is not None
        texts = np.array(table.scale.labels, dtype=object)
        out = {"item": table.items.tolist()}
        for code, name in enumerate(table.raters.tolist()):
            mine = table.rater == code
            said = np.full(len(table.items), None, dtype=object)
            said[table.item[mine]] = texts[table.label[mine]]
            out[str(name)] = said.tolist()
        return out

    def judged(self):
        return labels_of(read_predictions(JUDGE))

    def test_one_table_with_a_column_of_the_judge(self, card):
        both = {**self.columns(STARS), "gpt": self.judged()}
        one = judge(both, judge_names=["gpt"], bootstrap=100)["gpt"]
        assert one.standing == card["judge"].standing
        assert one.worth == card["judge"].worth

    def test_raters_who_are_judges(self, card):
        both = read_ratings({**self.columns(STARS), "gpt": self.judged()})
        assert judge(both, judge_names=["gpt"], **FEW)["gpt"].standing == card["judge"].standing

    def test_scores_and_probabilities(self):
        items = self.columns(STARS)["item"]
        scores = [int(x) / 5 + 0.01 * (k % 7) for k, x in enumerate(self.judged())]
        one = judge(STARS, {"item": items, "gpt": scores}, **FEW)["gpt"]
        assert (one.kind, one.raw_worth) == ("scores", None)
        assert one.worth == one.calibrated_worth
        chances = np.eye(5)[[int(x) - 1 for x in self.judged()]] * 0.5 + 0.1
        soft = Predictions.from_probabilities(items, list("12345"), {"gpt": chances})
        one = judge(STARS, soft, **FEW)["gpt"]
        assert one.kind == "probabilities"
        assert one.worth == one.raw_worth
        assert one.calibrated_worth is not None

    def test_stars_for_people_who_say_good_or_bad(self):
        good = {
            name: said
            if name == "item"
            else [x and ("good" if int(x) > 3 else "bad") for x in said]
            for name, said in self.columns(STARS).items()
        }
        result = judge(good, JUDGE, gate=Gate(alt_test=0.2), **FEW)
        assert result["judge"].kind == "scores"
        assert result["judge"].disagreement.judge_labels[:2] == ("bad", "good")
        assert result.alt_test is not None
        assert "it answers on another scale (1 to 5; people use" in result["judge"].verdict

    def test_probability_zero_is_bounded(self):
        items = self.columns(STARS)["item"]
        certain = np.eye(5)[[int(x) - 1 for x in self.judged()]]
        soft = Predictions.from_probabilities(items, list("12345"), {"gpt": certain})
        result = judge(STARS, soft, **FEW)
        assert any("probability 0" in note for note in result.notes)

    def test_groups(self):
        groups = {item: "odd" if k % 2 else "even" for k, item in enumerate(
            read_ratings(STARS).items.tolist())}  # fmt: skip
        groups["a001"] = "alone"
        found = judge(STARS, JUDGE, by=groups, **FEW)["judge"].disagreement.groups
        assert {one.group for one in found} == {"odd", "even", "alone"}
        assert found[-1].group == "alone"  # too small for an interval: last
        assert found[-1].agreement.low is None
        assert sum(one.items for one in found) == 120

    def test_a_column_of_groups_is_no_rater(self):
        topic = ["math", "code"] * 60
        both = {**self.columns(STARS), "topic": topic}
        result = judge(both, JUDGE, by="topic", **FEW)
        assert result.provenance.by == "topic"
        assert {one.group for one in result["judge"].disagreement.groups} == {"math", "code"}

    @pytest.mark.parametrize(
        ("words", "way"), [(("NO", "YES"), "case"), (("False", "True"), "yes-no")]
    )
    def test_other_words_for_the_same_answers(self, words, way):
        people, said = crowd(100)
        same = judge(people, said, **FEW)["judge"]
        other = said.renamed(dict(zip(["no", "yes"], words, strict=True)))
        with pytest.raises(DataError, match=rf"'judge' uses none.*merge=\['{way}'\]"):
            judge(people, other, **FEW)
        merged = read_predictions(other.columns(), labels=people.scale.labels, merge=[way])
        assert judge(people, merged, **FEW)["judge"].standing == same.standing

    def test_a_judge_is_not_among_the_people(self):
        both = {**self.columns(STARS), "gpt": self.judged()}
        with pytest.raises(DataError, match=r"alike: 'nora', 'omar', 'pia' and 1 more\. A judge"):
            judge(both, both, **FEW)

    def test_what_is_refused(self):
        with pytest.raises(OptionError, match="which column is the judge"):
            judge(STARS)
        with pytest.raises(OptionError, match="there are no judges"):
            judge(read_ratings(STARS))
        with pytest.raises(OptionError, match="unknown judge 'nobody'"):
            judge(STARS, JUDGE, judge_names=["nobody"])
        with pytest.raises(OptionError, match="all raters are judges"):
            judge(read_ratings(STARS), judge_names=["nora", "omar", "pia"])
        with pytest.raises(DataError, match="Have a second person label some of the items"):
            judge({"item": [1, 2, 3], "ann": ["x", "y", "x"]}, {"item": [1, 2], "j": ["x", "y"]})
        with pytest.raises(DataError, match="no item"):
            judge(STARS, {"item": ["other"], "judge": ["3"]})


def test_several_judges():
    votes = examples.path("votes")
    result = judge(examples.path("ratings"), votes, **FEW)
    assert len(result.judges) == 6
    assert result.columns()["judge"] == [one.name for one in result.judges]
    some = judge(examples.path("ratings"), votes, judge_names=[result.judges[1].name], **FEW)
    assert [one.name for one in some.judges] == [result.judges[1].name]
    assert some.judges[0].standing == result.judges[1].standing
    json.dumps(result.to_dict(), allow_nan=False)


def test_several_judges_have_their_reasons_on_the_first_screen():
    rng = np.random.default_rng(11)
    quality = rng.normal(3, 1.1, (150, 1))
    people = np.clip(np.rint(quality + rng.normal(0, 0.7, (150, 3))), 1, 5).astype(int)
    said = {
        "person": np.clip(np.rint(quality[:, 0] + rng.normal(0, 0.6, 150)), 1, 5),
        "coin": rng.integers(1, 6, 150),
        "kind": np.clip(np.rint(quality[:, 0] + 1.3 + rng.normal(0, 0.6, 150)), 1, 5),
    }
    labels = Labels.from_triples(
        np.repeat(np.arange(150), 3), np.tile(np.arange(3), 150), people.ravel()
    )
    judges = Predictions.from_labels(
        range(150), {name: each.astype(int).tolist() for name, each in said.items()}
    )
    lines = str(judge(labels, judges, **FEW)).replace("\n", " ").split(". ")
    assert "Ready: person" in lines
    assert any(": coin (kappa" in line for line in lines)
    assert any("kind (" in line and "bias" in line for line in lines)


def test_items_that_nobody_rated_change_nothing():
    rng = np.random.default_rng(5)
    state = rng.beta(0.5, 0.5, 160)
    blur = np.linspace(0, 0.9, 8)
    said = {
        f"j{k}": np.where(rng.random(160) < state * (1 - b) + b / 2, "yes", "no").tolist()
        for k, b in enumerate(blur)
    }
    people = np.where(rng.random((3, 120)) < state[:120], "yes", "no").ravel().tolist()
    who = np.repeat(["a", "b", "c"], 120)
    labels = Labels.from_triples(list(range(120)) * 3, who, people)
    judges = Predictions.from_labels(range(160), said)
    result = judge(labels, judges, **FEW)
    assert not any("nobody rated" in note for note in result.notes)
    surveyed = survey(labels, judges, **FEW)
    assert [one.worth for one in result.judges] == [
        surveyed[one.name].worth for one in result.judges
    ]
    assert result.survey.comparisons == surveyed.comparisons


def test_probabilities_that_are_too_sure_are_worth_less_than_calibrated():
    labels, _ = crowd(200)
    rng = np.random.default_rng(1)
    state = rng.beta(0.5, 0.5, 200)  # as crowd draws it
    sure = np.clip(state**4 / (state**4 + (1 - state) ** 4), 0.0005, 0.9995)
    judges = Predictions.from_probabilities(
        range(200), ["no", "yes"], {"judge": np.column_stack([1 - sure, sure])}
    )
    one = judge(labels, judges, gate=Gate(worth_at_least=1), **FEW)["judge"]
    assert one.calibrated_worth.low > 1 > one.raw_worth.value


def test_assert_judge():
    assert assert_judge(STARS, JUDGE, gate=Gate(), **FEW).gate.status == "pass"
    with pytest.raises(
        AssertionError, match=r"cannot tell: .* to decide whether judge is worth at least 1 rater"
    ):
        assert_judge(STARS, JUDGE, gate=Gate(worth_at_least=1), **FEW)
    assert_judge(STARS, JUDGE, gate=Gate(worth_at_least=1), allow_undecided=True, **FEW)
    strict = Gate(agree_like_a_person=0.1)
    with pytest.raises(
        AssertionError, match="fail: judge is NOT ready: it agrees less with people"
    ):
        assert_judge(*crowd(coin=True), gate=strict, allow_undecided=True, **FEW)
    assert assert_judge(STARS, JUDGE, **FEW).gate.status == "pass"


AUTHORS = {
    "cebab_stars": (0.1, [(0.6, 0.8215), (0.8, 0.8666), (0.9, 0.8986), (0.6, 0.8532),
                          (0.9, 0.8941), (0.5, 0.8291)]),
    "10k_prompts": (0.15, [(0.3077, 0.6737), (0.0769, 0.6300), (0.6923, 0.7590),
                           (0.1538, 0.6692), (0.9231, 0.7968), (0.1538, 0.6736)]),
    "lgbteen": (0.2, [(0.25, 0.7148), (0.0, 0.6656), (0.75, 0.7724), (0.0, 0.7194),
                      (0.75, 0.7556), (0.25, 0.7466)]),
}  # fmt: skip
"""Epsilon, and each judge's winning rate and advantage probability by the authors' own code."""


@pytest.mark.parametrize("name", AUTHORS)
def test_alt_test_is_that_of_its_authors(name, data_folder):
    epsilon, expected = AUTHORS[name]
    folder = data_folder / "survey" / "judges"
    people = read_ratings(folder / f"{name}_ratings.csv")
    judges = read_predictions(folder / f"{name}_judges.csv")
    given = prepare(people, judges, scale=None, positive=None, by=None, notes=Notes())
    tested = alt_test_of(given, epsilon, None)
    assert [one.name for one in tested.classifiers] == [
        "gemini_flash", "gemini_pro", "gpt-4o", "llama-31", "gpt-4o-mini", "mistral-v03",
    ]  # fmt: skip
    found = [(c.winning_rate, c.advantage_probability) for c in tested.classifiers]
    for one, (rate, advantage) in zip(found, expected, strict=True):
        assert one == (pytest.approx(rate, abs=5e-5), pytest.approx(advantage, abs=5e-5))


def test_options_that_the_card_lacks_are_those_of_a_method():
    said = [
        Note(f"See {option('by_rater', True)}, {option('level', 0.9)}.", "caution"),
        Note("how labels were read"),
    ]
    assert list(notes_for_card(said, agree)) == ["See by_rater=True of headcount.agree, level=0.9."]
    flag = speller(None)(named_in(next(notes_for_card(said, agree)).marked)[0])
    assert flag == "headcount agree --by-rater"
    size = Note(f"another size: {option('max_k')}.", "caution")
    assert list(notes_for_card([size], survey)) == ["another size: max_k of headcount.survey."]


# The page on judges shows what the command prints.

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "judge.md"


def test_the_page_shows_the_real_card(run):
    # What stands there of real data is compared with the other pages, in test_docs.
    page, _, _ = PAGE.read_text(encoding="utf-8").partition("cebab_stars")
    shown = re.findall(r"^```text\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    short, whole = (
        run("judge", "example:stars", "example:judge", *more).out for more in ((), ("--details",))
    )
    assert len(shown) == 2
    assert shown[0].rstrip() in short
    assert shown[1].rstrip() in whole


# The action for GitHub: its script, run as the runner would.

ACTION = Path(__file__).parents[2] / "action.yml"
BASH = shutil.which("bash")


def script() -> str:
    """The last step of the action."""
    text = ACTION.read_text(encoding="utf-8")
    return textwrap.dedent(text[text.rindex("run: |\n") + len("run: |\n") :])


@pytest.mark.skipif(BASH is None, reason="no bash")
@pytest.mark.parametrize(
    ("inputs", "code", "status"),
    [
        ({"AGREE_LIKE_A_PERSON": "0.2"}, 0, "pass"),
        ({}, 0, "pass"),
        ({"PEOPLE": "bad_people.csv", "JUDGES": "bad_judge.csv"}, 1, "fail"),
        ({"PEOPLE": "--version"}, 2, None),
        ({"PEOPLE": "nothing.csv"}, 2, None),
        ({"JUDGE": "::set-output name=status::pass"}, 2, None),
        ({"AGREE_LIKE_A_PERSON": "0"}, 3, "cannot tell"),
        ({"AGREE_LIKE_A_PERSON": "0", "ALLOW_UNDECIDED": "true"}, 0, "cannot tell"),
        ({"WORTH_AT_LEAST": "$(touch hacked)"}, 2, None),
    ],
)
def test_the_script(tmp_path, inputs, code, status):
    shim = tmp_path / "headcount"
    shim.write_text(
        f'#!/bin/sh\nshift\nexec "{sys.executable}" -m headcount judge --bootstrap 20 "$@"\n'
    )
    shim.chmod(0o755)
    # A judge that says the opposite of what people do, and whose name is a command to the runner.
    said = ["yes", "no"] * 60
    rows = [f"{n},{rater},{label}" for n, label in enumerate(said) for rater in "abc"]
    (tmp_path / "bad_people.csv").write_text("\n".join(["item,rater,label", *rows]))
    wrong = [f"{n},{'no' if label == 'yes' else 'yes'}" for n, label in enumerate(said)]
    (tmp_path / "bad_judge.csv").write_text("\n".join(["item,::error::bad", *wrong]))
    names = re.findall(r"^        ([A-Z_]+): \$", ACTION.read_text(encoding="utf-8"), re.MULTILINE)
    environment = {
        **os.environ,
        **dict.fromkeys(names, ""),
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "PEOPLE": str(examples.path("stars")),
        "JUDGES": str(examples.path("judge")),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        **inputs,
    }
    done = subprocess.run(
        [str(BASH), "-eo", "pipefail", "-c", script()],
        env=environment, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout
    assert not (tmp_path / "hacked").exists()
    stopped = re.match(r"::stop-commands::([0-9a-f]{32})\n", done.stdout)
    assert stopped is not None  # before errors, too
    if status is not None:
        assert (tmp_path / "output").read_text() == f"status={status}\n"
        assert " annotators. " in (tmp_path / "summary").read_text()
        card, end, _ = done.stdout.partition(f"\n::{stopped[1]}::\n")
        assert end
        assert " annotators. " in card
