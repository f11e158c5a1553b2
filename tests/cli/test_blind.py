"""`headcount blind` from outside."""

from __future__ import annotations

import csv
import json
import re

import numpy as np
import pytest

from .json_page import documented, undocumented

ACCURACY = {"gpt-a": 0.95, "gpt-b": 0.9, "llama-a": 0.8, "llama-b": 0.75, "qwen": 0.65}
QUICK = ("--bootstrap", 20)
FEW = (*QUICK, "--methods", "leave-one-out,em,direct,ppi")


def told(text):
    """Undo the folding of lines."""
    return " ".join(text.split())


class Data:
    """Files about the same items: classifiers that err independently, and the truth."""

    def __init__(self, folder, items=150):
        random = np.random.default_rng(5)
        self.folder = folder
        self.truth = ["spam" if x else "ham" for x in random.random(items) < 0.4]
        other = {"spam": "ham", "ham": "spam"}
        self.said = {
            name: [t if x < accuracy else other[t] for t, x in zip(self.truth, luck, strict=True)]
            for (name, accuracy), luck in zip(
                ACCURACY.items(), random.random((len(ACCURACY), items)), strict=True
            )
        }
        self.items = [f"mail {i}" for i in range(items)]

    def write(self, name, header, rows):
        path = self.folder / name
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *rows])
        return path

    def wide(self):
        rows = zip(self.items, *self.said.values(), strict=True)
        return self.write("wide.csv", ["item", *self.said], rows)

    def long(self, who="classifier"):
        rows = [
            (item, name, label)
            for name, labels in self.said.items()
            for item, label in zip(self.items, labels, strict=True)
        ]
        return self.write(f"{who}.csv", ["item", who, "label"], rows)

    def gold(self, items=None):
        rows = list(zip(self.items, self.truth, strict=True))
        return self.write("gold.csv", ["item", "gold"], rows[:items])


@pytest.fixture
def data(tmp_path):
    return Data(tmp_path)


def scores(document, method="em", metric="accuracy"):
    return {c["name"]: c["estimates"][method][metric]["value"] for c in document["classifiers"]}


def fits(text):
    return max(map(len, text.splitlines())) <= 80


# --- what comes out -------------------------------------------------------------------------------


def test_answer_tables_and_notes(data, run):
    screen = run("blind", data.wide(), *QUICK).out
    assert len(screen.splitlines()) <= 20
    assert len(screen.split()) <= 150
    assert "in most public data sets with several LLM judges, such scores were" in told(screen)
    assert "headcount plan items" in told(screen)
    done = run("blind", data.wide(), *QUICK, "--details")
    assert done.code == 0, done.err
    # EM has the order right, but 20 bootstrap samples do not tell the best three apart.
    first = r"3 of 5 judges could be best \(gpt-a, gpt-b, llama-a\): accuracy"
    by = r" 0\.\d+ to 0\.9\d\d, estimated from the votes alone \(Dawid-Skene\)"
    assert re.match(first + by, told(done.out))
    assert re.search(r"ACC +95% interval +rank +PRE +REC +SPE +F1", done.out)
    for words in ("Accuracy by the votes alone", "leave", "Do judges err independently?"):
        assert words in done.out
    assert "with gold or crowd" not in done.out
    assert "This assumes that judges err independently." in told(done.out)
    assert "150 items, 750 labels by 5 judges; positive: 'spam'" in told(done.out)
    assert "5 raters: 'gpt-a', 'gpt-b'" in told(done.out)
    assert done.err == ""
    assert fits(done.out)


def test_long_wide_and_soft_files_agree(data, run):
    expected = run("blind", data.wide(), "--json", "--bootstrap", 0).json
    for who in ("classifier", "model", "worker", "judge"):
        done = run("blind", data.long(who), "--json", "--bootstrap", 0)
        assert done.code == 0, done.err
        assert scores(done.json) == pytest.approx(scores(expected), abs=1e-9)
    head = ["item", *(f"{name}:{x}" for name in data.said for x in ("ham", "spam"))]
    rows = [
        [item, *(p for labels in data.said.values() for p in P[labels[i]])]
        for i, item in enumerate(data.items)
    ]
    done = run("blind", data.write("soft.csv", head, rows), "--json", "--bootstrap", 0)
    assert done.code == 0, done.err
    assert scores(done.json) == pytest.approx(scores(expected), abs=1e-9)
    assert any("their likeliest label is scored" in note for note in done.json["notes"])


P = {"ham": (0.8, 0.2), "spam": (0.3, 0.7)}


def test_columns_by_name_and_columns_not_read(data, run):
    said = list(data.said)
    rows = zip(data.items, data.truth, *data.said.values(), strict=True)
    path = data.write("with_gold.csv", ["mail", "gold", *said], rows)
    options = ("--json", "--bootstrap", 0)
    for ignored in ((), ("--ignore", "gold")):  # a column called gold is nobody's vote anyway
        done = run("blind", path, *ignored, *options)
        assert {c["name"] for c in done.json["classifiers"]} == set(said)
    rows = [(label, item, who) for who in said for item, label in zip(
        data.items, data.said[who], strict=True)]  # fmt: skip
    path = data.write("odd.csv", ["verdict", "mail", "by"], rows)
    done = run(
        "blind", path, "--item", "mail", "--classifier", "by", "--label", "verdict", *options
    )
    assert scores(done.json) == pytest.approx(scores(run("blind", data.wide(), *options).json))


def test_gold(data, run):
    screen = run("blind", data.wide(), "--gold", data.gold(80), *QUICK).out
    assert "by 80 gold labels" in told(screen)
    assert "Panels of LLM judges" not in told(screen)
    assert len(screen.splitlines()) <= 20
    done = run("blind", data.wide(), "--gold", data.gold(80), *QUICK, "--details")
    assert done.code == 0, done.err
    assert "by PPI" in done.out
    assert "80 items have gold or crowd labels" in told(done.out)
    assert "Accuracy with gold or crowd labels" in done.out
    assert "gold for 80 items" in told(done.out)
    assert fits(done.out)
    document = run("blind", data.wide(), "--gold", data.gold(80), *FEW, "--json").json
    for c in document["classifiers"]:
        pairs = zip(data.said[c["name"]][:80], data.truth, strict=False)
        assert c["actual"]["accuracy"]["value"] == pytest.approx(
            np.mean([a == b for a, b in pairs])
        )


def test_a_crowd_votes_on_items(data, run):
    """Three people an item: two are right. Of the last ten items two people disagree."""
    rows = [
        (item, f"w{w}", {"spam": "ham", "ham": "spam"}[truth] if w == 2 else truth)
        for item, truth in zip(data.items[:60], data.truth, strict=False)
        for w in range(3)
    ]
    rows += [(item, w, label) for item in data.items[60:70] for w, label in TORN]
    path = data.write("crowd.csv", ["item", "worker", "label"], rows)
    done = run("blind", data.wide(), "--crowd", path, *FEW, "--json")
    assert done.code == 0, done.err
    assert done.json["crowd_items"] == 60
    assert done.json["gold_items"] == 0
    assert any("10 items left out, whose labels tie" in note for note in done.json["notes"])
    direct = scores(done.json, "direct")
    for name, labels in data.said.items():
        pairs = zip(labels[:60], data.truth, strict=False)
        assert direct[name] == pytest.approx(np.mean([a == b for a, b in pairs]))
    assert all(c["actual"] == {} for c in done.json["classifiers"])
    both = run("blind", data.wide(), "--crowd", path, "--gold", data.gold(), *FEW, "--details")
    assert both.code == 0, both.err
    assert "crowd labels for 60 items" in told(both.out)
    assert fits(both.out)


TORN = [("u", "spam"), ("v", "ham")]


def test_groups_from_a_file_and_by_pattern(data, run):
    path = data.write("groups.csv", ["model", "family"], [(n, n.split("-")[0]) for n in ACCURACY])
    file = run("blind", data.wide(), "--groups", path, *QUICK, "--json").json
    pattern = run("blind", data.wide(), "--group-pattern", "^[^-]+", *QUICK, "--json").json
    assert {c["name"]: c["group"] for c in file["classifiers"]} == {
        name: name.split("-")[0] for name in ACCURACY
    }
    assert [one["name"] for one in file["data"].pop("sources")] == ["wide.csv", "groups.csv"]
    assert [one["name"] for one in pattern["data"].pop("sources")] == ["wide.csv"]
    assert file == pattern
    assert {"leave-group-out", "grouped-em"} <= set(file["methods"])


def test_groups_that_do_not_fit_the_names(data, run):
    path = data.write("groups.csv", ["model", "family"], [("gpt-a", "gpt"), ("gpt-z", "gpt")])
    done = run("blind", data.wide(), "--groups", path, *QUICK, "--details")
    assert done.code == 0
    assert "caution: 1 name in the groups is not a classifier: 'gpt-z'" in told(done.out)
    assert "note: 4 classifiers in no group" in told(done.out)
    assert run("blind", data.wide(), "--group-pattern", "x?").code == 2  # nothing, everywhere
    path = data.write("groups.csv", ["model", "family"], [(n, "all") for n in ACCURACY])
    done = run("blind", data.wide(), "--groups", path, *QUICK, "--details")
    assert "warning: All classifiers are in one group" in told(done.out)
    path = data.write("groups.csv", ["model", "family"], [("GPT", "gpt")])
    done = run("blind", data.wide(), "--groups", path)
    assert done.code == 2
    assert "groups name no classifier of the data: 'GPT'" in told(done.err)


def test_metrics_methods_and_a_positive_label(data, run):
    options = (
        "--metric",
        "f1",
        "--metric",
        "recall",
        "--metric",
        "f1",
        "--methods",
        "majority, em",
        *QUICK,
        "--json",
    )
    document = run("blind", data.wide(), *options).json
    assert document["metrics"] == ["f1", "recall"]
    assert document["methods"] == ["majority", "em"]
    assert document["positive"] == "spam"
    ham = run("blind", data.wide(), *options, "--positive", "ham").json
    assert ham["positive"] == "ham"
    assert scores(ham, "majority", "recall") != scores(document, "majority", "recall")
    out = run("blind", data.wide(), *options[:-1], "--details").out
    assert re.search(r"judge +F1 +95% interval +rank +REC$", out, re.MULTILINE)


def test_graded_labels_are_cut(data, run):
    random = np.random.default_rng(0)
    grade = {"ham": [0, 1], "spam": [2, 3]}
    rows = [
        [item, *(random.choice(grade[labels[i]]) for labels in data.said.values())]
        for i, item in enumerate(data.items)
    ]
    path = data.write("grades.csv", ["item", *data.said], rows)
    cut = run("blind", path, "--at-least", 2, "--bootstrap", 0, "--json").json
    plain = run("blind", data.wide(), "--bootstrap", 0, "--json").json
    assert cut["labels"] == ["below 2", "2 or more"]
    assert scores(cut, metric="f1") == pytest.approx(scores(plain, metric="f1"), abs=1e-9)
    high = run("blind", path, "--at-least", 7)
    assert high.code == 2
    assert "every label is below 7 (--at-least)" in told(high.err)


def test_gold_that_contradicts_is_told_first(data, run):
    """Four copies of a bad classifier outvote two good ones."""
    random = np.random.default_rng(1)
    truth = np.array(data.truth) == "spam"
    bad = np.where(random.random(150) < 0.4, truth, ~truth)
    columns = [np.where(random.random(150) < 0.97, bad, ~bad) for _ in range(4)]
    columns += [np.where(random.random(150) < 0.95, truth, ~truth) for _ in range(2)]
    words = np.where(np.stack(columns, axis=1), "spam", "ham").tolist()
    rows = [(item, *row) for item, row in zip(data.items, words, strict=True)]
    path = data.write("copies.csv", ["item", *"abcdef"], rows)
    done = run("blind", path, "--gold", data.gold(), *FEW)
    assert "warning: gold contradicts the votes; go by the gold." in told(done.out)
    details = run("blind", path, "--gold", data.gold(), *FEW, "--details").out
    assert "warning: Gold contradicts the blind ranking: of" in told(details)
    few = run("blind", path, "--gold", data.gold(20), *FEW).out
    assert few.startswith("Gold contradicts the ")
    assert "label 10 more items: from 30 on gold ranks." in told(few)
    document = run("blind", path, "--gold", data.gold(), *FEW, "--json").json
    assert document["contradiction"] in document["notes"]
    assert next(iter(document)) == "contradiction"
    assert {c["name"] for c in document["classifiers"][:2]} == {"e", "f"}


def test_rows_go_to_a_file(data, run, tmp_path):
    done = run("blind", data.wide(), *QUICK, "--methods", "em", "-o", tmp_path / "rows.csv")
    assert done.code == 0, done.err
    with (tmp_path / "rows.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 5 * 5
    assert {row["classifier"] for row in rows} == set(ACCURACY)
    assert run("blind", data.wide(), "-o", tmp_path / "rows.doc").code == 2


def test_quiet_prints_the_answer_alone(data, run):
    done = run("blind", data.wide(), *QUICK, "-q")
    assert told(done.out).startswith("3 of 5 judges could be best (gpt-a,")
    assert "rank " not in done.out
    assert "raters" not in done.out
    few = run("blind", data.wide(), "--ignore", "llama-b,qwen", *QUICK, "-q")
    assert "(1 caution)" in told(few.out) or "(2 cautions)" in told(few.out)


def test_advice_names_flags(data, run):
    path = data.folder / "copies.csv"
    said = list(data.said.values())

    def near(one, k, copy):  # exact copies are a group without being told
        return one[k - 1] if k % 25 == copy else one[k]

    rows = [
        (i, *[near(s, k, copy) for copy in range(3) for s in said])
        for k, i in enumerate(data.items)
    ]
    names = [f"{name}/{copy}" for copy in range(3) for name in data.said]
    data.write("copies.csv", ["item", *names], rows)
    done = run("blind", path, *QUICK, "--details")
    assert "give groups (--groups FILE or --group-pattern" in told(done.out)
    assert "bootstrap=" not in done.out


# --- JSON -----------------------------------------------------------------------------------------


def test_json_is_documented(data, run):
    done = run(
        "blind", data.wide(), "--gold", data.gold(100), "--group-pattern", "^[^-]+",
        *QUICK, "--json", "--seed", 3,
    )  # fmt: skip
    assert done.code == 0, done.err
    document = done.json
    for c in document["classifiers"]:
        assert set(c) == {
            "name", "group", "estimates", "rank", "ranks", "labelled", "actual", "confusion",
            "grades", "score",
        }  # fmt: skip
        for method in document["methods"]:
            assert list(c["estimates"][method]) == document["metrics"]
            assert set(c["estimates"][method]["accuracy"]) >= {"value", "low", "high"}
    assert [c["rank"] for c in document["classifiers"]] == sorted(
        c["rank"] for c in document["classifiers"]
    )
    assert "err independently" in document["assumptions"]["em"]
    assert document["seed"] == 3
    assert not undocumented(document, "blind", data=[*data.said, "ham", "spam"])
    assert {*document["methods"], *document["metrics"]} <= documented("blind")


def test_json_of_scores_that_do_not_exist(data, run):
    """One classifier labels items of its own; another always says the same."""
    data.said["lonely"] = [""] * 150
    data.said["constant"] = ["ham"] * 150
    data.items += ["other 1", "other 2"]
    for name, labels in data.said.items():
        labels += ["spam", "ham"] if name == "lonely" else ["", ""]
    document = run("blind", data.wide(), *QUICK, "--json").json
    found = {c["name"]: c for c in document["classifiers"]}
    lonely = found["lonely"]["estimates"]["leave-one-out"]["accuracy"]
    assert lonely["value"] is None
    assert lonely["undefined"] == "nobody else labelled the items of 'lonely'"
    constant = found["constant"]["estimates"]["majority"]["precision"]
    assert constant["undefined"] == "'constant' never gives 'spam'"


# --- plots ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "start"), [("b.png", b"\x89PNG"), ("b.svg", b"<?xml"), ("b.pdf", b"%PDF")]
)
def test_plots(data, run, tmp_path, name, start):
    plot = tmp_path / name
    gold = () if name.endswith("pdf") else ("--gold", data.gold(60))
    done = run("blind", data.wide(), *gold, "--plot", plot, *QUICK, "--methods", "em")
    assert done.code == 0, done.err
    assert plot.read_bytes().startswith(start)
    assert done.out.endswith(f"plot: {plot}\n")


# --- wide enough for anything ---------------------------------------------------------------------


def test_forty_long_names_and_four_long_labels_fit_a_page(data, run):
    random = np.random.default_rng(2)
    labels = ["excellent answer", "good, but lengthy", "an answer nobody wants to read", "useless"]
    truth = random.integers(0, 4, size=80)
    said = np.where(random.random((80, 42)) < 0.7, truth[:, None], random.integers(0, 4, (80, 42)))
    names = [f"team-{k % 5} and a very long name of a large language model, {k}" for k in range(42)]
    rows = [[i, *(labels[x] for x in row)] for i, row in enumerate(said)]
    path = data.write("many.csv", ["item", *names], rows)
    gold = data.write("g.csv", ["item", "gold"], [(i, labels[t]) for i, t in enumerate(truth)])
    done = run(
        "blind", path, "--gold", gold, "--group-pattern", "^team-.", "--bootstrap", 2,
        "--methods", "sampling,majority,leave-one-out,leave-group-out,em,direct,ppi",
        "--plot", data.folder / "many.png", "--details",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert fits(done.out.partition("plot: ")[0])
    assert "macro averages" in done.out
    screen = run("blind", path, "--gold", gold, "--methods", "direct", "--bootstrap", 0)
    assert "and 36 more workers; --json has all" in screen.out
    assert fits(screen.out)


def test_two_and_three_classifiers(data, run):
    """Two tell how often they agree; among three nobody can see who errs together."""
    two = run("blind", data.wide(), "--ignore", "llama-a,llama-b,qwen", *QUICK)
    assert told(two.out).startswith(
        "With two classifiers and no gold labels, the data cannot show which is better. "
        "'gpt-a' and 'gpt-b' agree on 87% of the items that both labelled."
    )
    three = run("blind", data.wide(), "--ignore", "llama-b,qwen", *QUICK, "--details")
    assert "which among three classifiers nothing could" in told(three.out)


def test_one_gold_label_is_no_interval(data, run):
    done = run("blind", data.wide(), "--gold", data.gold(1), *FEW, "--json")
    assert done.code == 0, done.err
    direct = done.json["classifiers"][0]["estimates"]["direct"]["accuracy"]
    assert direct["value"] in (0, 1)
    assert direct["low"] is direct["high"] is None
    table = run(
        "blind", data.wide(), "--gold", data.gold(1), "--methods", "naive-bayes,direct", "--details"
    )
    assert "naive Bayes: too few gold labels" in told(table.out)


# --- real data ------------------------------------------------------------------------------------


def test_anaesthesia(data_folder, run):
    """Five anaesthetists, one of whom rated everybody three times (Dawid and Skene 1979)."""
    path = data_folder / "blind" / "dawid_skene_1979" / "anesthesia.csv"
    assert "--duplicates first" in run("blind", path).err
    done = run("blind", path, "--duplicates", "all", "--smoothing", 0, "--bootstrap", 0, "--json")
    assert done.code == 0, done.err
    em = done.json["em"]["em"]
    assert em["log_likelihood"] == pytest.approx(-192.8909, abs=5e-5)
    assert [round(p, 2) for p in em["prior"].values()] == [0.40, 0.42, 0.11, 0.07]
    assert em["converged"]
    smooth = run("blind", path, "--duplicates", "all", "--bootstrap", 0, "--json").json["em"]["em"]
    assert smooth["log_likelihood"] < em["log_likelihood"]


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--metric", "acuracy"], "did you mean 'accuracy'"),
        (["--methods", "em,majorty"], "did you mean 'majority'"),
        (["--methods", "leave-group-out"], "needs groups of classifiers"),
        (["--methods", "ppi"], "needs labels of some items"),
        (["--positive", "spm"], "did you mean 'spam'"),
        (["--at-least", "2"], "label 'ham' is not a number"),
        (["--bootstrap", "-1"], "--bootstrap must be a whole number from 0 to 1,000,000, not -1"),
        (["--smoothing", "-1"], "--smoothing must be a number of at least 0, not -1"),
        (["--level", "95"], "--level must be a number between 0 and 1"),
        (["--seed", "-1"], "--seed"),
        (["--duplicates", "last"], "Known: error, first, all"),
        (["--ignore", "gold"], "no column 'gold'"),
        (["--classifier", "who"], "no column 'who'"),
        (["--group-pattern", "("], "is not a regular expression"),
        (["--group-pattern", "claude"], "is found in no name"),
        (["--plot", "x.gif"], "must end in"),
        (["--gold", "nowhere.csv"], "no such file"),
        (["--crowd", "nowhere.csv"], "no such file"),
        (["--groups", "nowhere.csv"], "no such file"),
    ],
)
def test_bad_options_exit_2_with_one_message(data, run, options, message):
    done = run("blind", data.wide(), *options)
    assert done.code == 2
    assert done.out == ""
    assert message in told(done.err)
    assert done.err.count("headcount: ") == 1


def test_groups_twice(data, run):
    done = run("blind", data.wide(), "--groups", data.gold(), "--group-pattern", "^[^-]+")
    assert done.code == 2
    assert "by name (--groups) or by a pattern (--group-pattern), not both" in told(done.err)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("item,a,b\n", "has a header but no rows"),
        ("item,a\n1,x\n2,y\n", "only one classifier or worker labelled"),
        ("item,a,b\n1,x,y\n", "one item only"),
        ("item,a,b\n1,x,x\n2,x,x\n", "every label is 'x'"),
        ("item,a,b\n1,,\n2,,\n", "no ratings"),
        ("item,a,a\n1,x,y\n2,x,y\n", "several columns are called 'a'"),
        ("item,model,label\n1,a,x\n1,a,y\n", "labels item '1' in rows 2 and 3"),
    ],
)
def test_bad_data_exit_2_with_one_message(tmp_path, run, text, message):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    done = run("blind", path)
    assert done.code == 2
    assert done.out == ""
    assert message in told(done.err)
    assert done.err.count("headcount: ") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,gold\nelsewhere,ham\n", "no item is in both"),
        ("item,gold\nmail 0,\n", "no item has a label in 'gold'"),
        ("item,u,v\nmail 0,ham,ham\n", "which column is the label of items"),
        ("item,gold\nmail 0,1\nmail 1,0\n", "no classifier gives any of the labels that people"),
        ("item,gold\nmail 0,ham\nmail 1,Spam\n", "same label in two ways: 'Spam' and 'spam'"),
    ],
)
def test_bad_gold(data, run, text, message):
    path = data.folder / "bad.csv"
    path.write_text(text)
    done = run("blind", data.wide(), "--gold", path)
    assert done.code == 2
    assert message in told(done.err)


def test_gold_with_a_label_of_its_own(data, run):
    path = data.write("gold.csv", ["item", "gold"], [("mail 0", "ham"), ("mail 1", "phishing")])
    done = run("blind", data.wide(), "--gold", path, *FEW, "--json")
    assert done.code == 0, done.err
    assert done.json["labels"] == ["ham", "phishing", "spam"]
    note = "1 label of people that no classifier gives: 'phishing'."
    assert note in done.json["notes"]


def test_options_of_reading(tmp_path, run):
    """Rows that are chosen, and a code for no answer."""
    path = tmp_path / "votes.csv"
    random = np.random.default_rng(3)
    rows = [f"i{i},{','.join(random.choice(['x', 'y', '77'], 3))},{i % 2}" for i in range(60)]
    path.write_text("\n".join(["item,a,b,c,wave", *rows]) + "\n")
    how = ("--where", "wave=1", "--missing", "77", *QUICK, "--json")
    done = run("blind", path, *how)
    assert done.code == 0, done.err
    data = json.loads(done.out)["data"]
    assert data["labels"] == ["x", "y"]
    assert data["dropped"]["not chosen by where"] == 30


def test_labels_of_items_are_written(data, run, tmp_path):
    path, workers = tmp_path / "labels.csv", tmp_path / "workers.csv"
    plot = tmp_path / "workers.png"
    files = ("-o", path, "--workers-out", workers, "--plot", plot)
    done = run("consensus", data.wide(), "--method", "one-coin", *files)
    assert done.code == 0, done.err
    assert done.out.startswith("150 items labelled: 'ham' ")
    assert f"labels: {path}" in done.out.replace("\n", "")
    assert f"workers: {workers}" in done.out.replace("\n", "")
    assert plot.read_bytes().startswith(b"\x89PNG")
    head, *rows = path.read_text().splitlines()
    assert head == "item,label,probability:ham,probability:spam,votes,model"
    assert len(rows) == len(data.items)
    assert all(row.endswith(",one-coin") for row in rows)
    with workers.open() as file:
        found = list(csv.DictReader(file))
    assert list(found[0]) == [
        "worker", "true", "given", "count", "labelled", "accuracy", "accuracy_low", "accuracy_high",
    ]  # fmt: skip
    assert len(found) == 4 * len(ACCURACY)
    assert list(dict.fromkeys(row["worker"] for row in found)) == list(ACCURACY)  # the best first
    known = run("consensus", data.wide(), "--confusion", workers, "--details")
    assert "Known beforehand of 5 classifiers" in told(known.out)
    model = tmp_path / "model.json"
    done = run("consensus", data.wide(), "--method", "em", "--save-model", model)
    assert f"model: {model}" in done.out.replace("\n", "")
    again = run("consensus", data.wide(), "--model", model, "-o", path)
    assert again.code == 0, again.err
    assert path.read_text().splitlines()[1].endswith(",em")
    assert all(row["accuracy"] and not row["accuracy_low"] for row in found)  # five workers: none
    assert "labels: " not in done.out
    refused = run("consensus", data.wide(), "--method", "leave-one-out")
    assert refused.code == 2
    assert "unknown method 'leave-one-out'" in told(refused.err)


def test_a_next_step_writes_over_nothing(data, run, tmp_path):
    votes = tmp_path / "votes.csv"
    rows = [f"i{i},w{k},{'no' if i % 2 == (k > 9) else 'yes'}"  # two are always wrong
            for i in range(120) for k in range(12) if (i // 2 + k) % 3 == 0]  # fmt: skip
    votes.write_text("\n".join(["item,worker,label", *rows]) + "\n")
    labels = tmp_path / "labels.csv"
    files = ("-o", labels, f"--plot={tmp_path / 'plot.png'}", "--save-model", tmp_path / "m.json")
    done = run("consensus", votes, *files)
    assert done.code == 0, done.err
    step = done.out.partition("Next:")[2].partition("480 labels")[0]
    assert "--exclude-below" in step
    assert not any(name in step for name in ("labels.csv", "plot.png", "m.json", " -o "))


def test_the_document_of_a_consensus(data, run, tmp_path):
    path = tmp_path / "labels.csv"
    done = run("consensus", data.long("worker"), "-o", path, "--json")
    document = done.json
    assert not undocumented(document, "consensus", data={"ham", "spam"})
    assert document["labels"]["items"] == len(path.read_text().splitlines()) - 1 == 150
    assert {worker["name"] for worker in document["workers"]} == set(ACCURACY)
    quiet = run("consensus", data.long("worker"), "-q")
    assert quiet.out.startswith("150 items labelled: ")
    assert "accuracy" not in quiet.out


def test_rate(data, run, tmp_path):
    rows, plot = tmp_path / "rows.csv", tmp_path / "rates.png"
    done = run("rate", data.wide(), data.gold(60), "--json")
    assert done.code == 0, done.err
    document = done.json
    assert document["positive"] == "spam"
    assert document["rate"]["low"] < document["rate"]["value"] < document["rate"]["high"]
    assert not undocumented(document, "rate")
    text = run("rate", data.wide(), data.gold(60), "-o", rows, "--plot", plot)
    assert text.out.startswith("People would call ")
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert rows.exists()
    refused = run("rate", data.wide())
    assert refused.code == 2
    assert "missing argument 'PEOPLE'" in refused.err


def test_all_classifiers_are_printed(run, tmp_path):
    path = tmp_path / "many.csv"
    rows = [f"{i},worker {k},{'yn'[(i * k) % 3 == 0]}" for i in range(30) for k in range(50)]
    path.write_text("item,worker,label\n" + "\n".join(rows) + "\n")
    options = ("--methods", "majority", *QUICK)
    short, long = (run("blind", path, *options, *more).out for more in ((), ("--details",)))
    assert "and 44 more workers" in short
    assert "more classifiers" not in long
    assert all(f"worker {k}" in long for k in range(50))


def people_of(data):
    """Three raters who mostly say the truth."""
    random = np.random.default_rng(2)
    other = {"spam": "ham", "ham": "spam"}
    rows = [
        (item, f"rater {k}", t if random.random() < 0.85 else other[t])
        for item, t in zip(data.items, data.truth, strict=True)
        for k in range(3)
    ]
    return data.write("people.csv", ["item", "rater", "label"], rows)


def test_what_panels_are_worth_in_raters(data, run, tmp_path):
    people, rows, plot = people_of(data), tmp_path / "panels.csv", tmp_path / "panels.png"
    panels = ("--panels", *QUICK)
    done = run("survey", people, "-p", data.wide(), *panels, "-o", rows, "--plot", plot)
    assert done.code == 0, done.err
    assert done.out.startswith("All 5 classifiers together are worth")
    assert fits(done.out.partition("rows: ")[0])
    assert plot.read_bytes().startswith(b"\x89PNG")
    with rows.open() as file:
        assert len(list(csv.DictReader(file))) == 31  # 2^5 - 1
    document = run("survey", people, "-p", data.long(), *panels, "--json").json
    assert not undocumented(document, "survey --panels")
    same = run("survey", people, "-p", data.wide(), *panels, "--json").json
    assert same["best"] == document["best"]
    refused = run("survey", people, "--panels")
    assert refused.code == 2
    assert "--predictions" in refused.err


def test_items_to_label_next_come_back_as_gold(data, run, tmp_path):
    items = tmp_path / "items.csv"
    done = run("plan", "items", data.wide(), "--number", 60, "-o", items)
    assert done.code == 0, done.err
    assert done.out.startswith("60 items for a person to label, drawn at random from 150.")
    assert "give the file back as gold: headcount blind" in told(done.out)
    assert fits(done.out.partition("Next: ")[0])  # the path of the file is long
    truth = dict(zip(data.items, data.truth, strict=True))
    with items.open() as file:
        rows = [{**row, "label": truth[row["item"]]} for row in csv.DictReader(file)]
    assert len(rows) == 60
    filled = data.write("filled.csv", list(rows[0]), [list(row.values()) for row in rows])
    assert list(rows[0]) == ["item", "label"]
    scored = run("blind", data.wide(), "--gold", filled, *FEW)
    assert "by 60 gold labels" in told(scored.out)
    further = ("--number", 30, "--gold", filled, "--json")
    document = run("plan", "items", data.wide(), *further).json
    assert document["number"] == 30
    assert len(document["items"]) == 90
    assert not undocumented(document, "plan items")


def test_items_that_were_drawn_with_probabilities_count_by_their_inverse(data, run):
    truth = zip(data.items[:60], data.truth[:60], strict=True)
    rows = [(item, label, 0.2 + 0.6 * (k % 2)) for k, (item, label) in enumerate(truth)]
    filled = data.write("filled.csv", ["item", "label", "probability"], rows)
    scored = run("blind", data.wide(), "--gold", filled, *FEW, "--details")
    assert "items count by the inverse of the probability" in told(scored.out)
    rate = run("rate", data.wide(), filled, "--details")
    assert rate.code == 0, rate.err
    assert "inverse of the probability" in told(rate.out)


def test_known_confusions_and_labels_learned_from_gold(data, run, tmp_path):
    known = data.write(
        "known.csv",
        ["classifier", "true", "given", "count"],
        [("qwen", "spam", "spam", 65), ("qwen", "spam", "ham", 35)],
    )
    labels = tmp_path / "labels.csv"
    done = run(
        "consensus", data.wide(), "--confusion", known, "--gold", data.gold(80), "-o", labels,
    )  # fmt: skip
    assert done.code == 0, done.err
    ranked = run("blind", data.wide(), "--confusion", known, *QUICK, "--methods", "em", "--details")
    assert "Known beforehand of 1 classifier" in told(ranked.out)
    with labels.open() as file:
        found = list(csv.DictReader(file))
    assert {row["model"] for row in found} <= {"consensus", "naive Bayes", "gold"}
    truth = dict(zip(data.items, data.truth, strict=True))
    right = [row["label"] == truth[row["item"]] for row in found]
    assert np.mean(right) > 0.8


def test_gold_that_is_too_few_to_rank_is_told_of(data, run):
    done = run("blind", data.wide(), "--gold", data.gold(29), *QUICK, "--details")
    assert "and 29 gold or crowd labels are too few to rank by (30 are enough)" in told(done.out)
    done = run("blind", data.wide(), "--gold", data.gold(30), *QUICK, "--details")
    assert "too few to rank" not in done.out


def test_intervals_that_allow_for_hard_items_say_so_everywhere(data, run):
    done = run("blind", data.wide(), *QUICK, "--details")
    assert ("intervals allow for hard items" in told(done.out)) == (
        "those of the first table also if some items are hard" in told(done.out)
    )
