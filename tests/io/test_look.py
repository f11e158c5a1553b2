"""What files are, what looks wrong in them, and what to do next."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from headcount import DataError, agree, examples, look, make_report, read_ratings, survey
from headcount.errors import option
from headcount.io.look_kinds import KINDS

WIDE = "item,ann,bob,eve\n1,1,2,1\n2,2,2,3\n3,3,3,1\n4,5,1,2\n5,5,4,4\n"
LONG = "item,rater,label\n" + "".join(
    f"{i},{r},{'ab'[(i * j) % 2]}\n" for i in range(8) for j, r in enumerate(("ann", "bob", "eve"))
)


@pytest.fixture
def write(tmp_path):
    def write(name: str, text: str | bytes):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


# --- what a file is -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("x.csv", LONG, "ratings"),
        ("x.csv", WIDE, "ratings"),
        ("x.csv", "task,worker,label\n1,a,x\n1,b,y\n2,a,x\n", "ratings"),
        ("x.csv", "item,n_ok,n_bad\n1,3,2\n2,0,5\n", "ratings"),
        ("x.csv", "item,judge,label\n1,ann,x\n1,bob,y\n2,ann,x\n", "ratings"),
        ("judges.csv", "item,judge,label\n1,ann,x\n1,bob,y\n2,ann,x\n", "predictions"),
        ("x.csv", "item,model,label\n1,m,x\n1,n,y\n2,m,x\n2,n,x\n", "predictions"),
        ("x.csv", "item,gpt-4o,llama-70b\n1,x,y\n2,x,x\n", "predictions"),
        ("x.csv", "item,m:x,m:y\n1,.2,.8\n2,.5,.5\n", "predictions"),
        ("x.csv", "item,verdict,confidence\n1,x,.8\n2,y,.5\n", "predictions"),
        ("x.csv", "item,judge\n1,4\n2,5\n", "predictions"),
        ("predictions.csv", "item,a,b\n1,x,y\n2,x,x\n", "predictions"),
        ("x.csv", "item,gold\n1,x\n2,y\n", "gold"),
        ("gold.csv", "item,label\n1,x\n2,y\n", "gold"),
        ("x.csv", "left,right,winner\na,b,left\nb,c,tie\n", "comparisons"),
        ("x.csv", "winner,loser\na,b\nb,c\n", "comparisons"),
        ("x.csv", "model_a,model_b,winner,judge\nm,n,model_a,z\nn,o,tie,z\n", "comparisons"),
        ("x.csv", "a,b,1\nb,c,0\nc,a,0.5\n", "comparisons"),
    ],
)
def test_the_kind_is_told(write, name, text, kind):
    (seen,) = look(write(name, text)).seen
    assert seen.kind == kind
    assert seen.refused is None


def test_every_kind_is_tried():
    assert {kind.name for kind in KINDS} == {
        "comparisons",
        "gold",
        "predictions",
        "ratings",
    }


def test_a_file_is_described(write):
    seen = look(write("r.csv", LONG.replace(",", ";"))).seen[0]
    assert (seen.source.format, seen.source.delimiter, seen.shape) == ("csv", ";", "long")
    assert seen.roles == {"item": "item", "rater": "rater", "label": "label"}
    assert (seen.counts["items"], seen.counts["raters"]) == (8, 3)
    assert seen.counts["ratings_per_item"] == {"min": 3, "median": 3.0, "max": 3}
    shares = {share.label: share.count for share in seen.balance["raters"]}
    assert sum(shares.values()) == 24


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("id = 'x',ann,bob,eve\n1,2,3,1\n2,3,3,2\n3,1,2,3\n", {"item": "id = 'x'"}),
        ("task,worker,label\n1,a,x\n1,b,y\n",
         {"item": "task", "rater": "worker", "label": "label"}),
        ("left,right,winner\na,b,left\nb,c,tie\n",
         {"left": "left", "right": "right", "outcome": "winner"}),
        ("item,gold\n1,x\n2,y\n", {"item": "item", "label": "gold"}),
        ("id,gpt-4o,llama\n1,x,y\n2,x,x\n", {"item": "id"}),
    ],
)  # fmt: skip
def test_roles_are_names_of_columns_whatever_they_are_called(write, text, roles):
    (seen,) = look(write("x.csv", text)).seen
    assert seen.roles == roles


def test_roles_that_the_user_names(write):
    text = "a,b,c\n1,x,yes\n1,y,no\n2,x,no\n2,y,no\n"
    (seen,) = look(write("x.csv", text), item="a", rater="b", label="c").seen
    assert seen.roles == {"item": "a", "rater": "b", "label": "c"}


def test_it_opens_with_one_sentence(write):
    found = str(look(write("r.csv", WIDE)))
    assert found.startswith("r.csv: 5 items x 3 raters, labels 1 to 5; CSV in wide format.\n")


SCREENS = ("ratings", "stars", "judge", "votes", "comparisons", "coding")


@pytest.mark.parametrize("name", SCREENS)
def test_the_first_screen_is_short_and_has_the_explicit_command(run, name):
    out = run("look", f"example:{name}").out
    assert len(out.splitlines()) <= 20
    assert len(out.split()) <= 150
    assert "headcount" in out.partition("Next:")[2]
    rest = run("look", f"example:{name}", "--details").out
    assert "Commands that leave nothing to guess:" in rest or name == "coding"


def test_labels_that_do_not_fit_are_counted_once(run, write):
    rows = "".join(f"i{n},{rater},{(7 * n + rater) % 40}\n" for n in range(60) for rater in (1, 2))
    path = write("r.csv", f"item,rater,label\n{rows}")
    assert "34 more labels; --json has all" in run("look", path).out
    assert "28 more labels; --json has all" in run("look", path, "--details").out


def test_gold_beside_votes_is_used_first(run):
    out = run("look", "example:ratings", "example:gold").out
    assert out.count("Next:") == 1
    assert "Next: headcount blind example:ratings --gold example:gold" in out


def test_what_is_left_out_stays_on_the_first_screen(run, write):
    rows = "".join(f"i{n},{n % 3},{n % 3},{n % 2},{n % 5}\n" for n in range(12))
    path = write("r.csv", f"item,ann,bob,gold,difficulty\n{rows}Total,1,2,3,4\n")
    out = run("look", path).out
    assert "Left out: 1 row (a row of totals)." in out
    assert "column 'gold' not read, because of its name" in out
    assert "column 'difficulty' not read, because of its name" in out


def test_data_in_memory():
    ratings = read_ratings("example:stars")
    assert look(ratings).seen[0].kind == "ratings"
    assert look({"item": [1, 2], "ann": ["x", "y"], "bob": ["x", "x"]}).seen[0].kind == "ratings"
    assert look([("a", "b", "left", "ann"), ("b", "c", "tie", "bob")]).seen[0].kind == "comparisons"


def test_an_export_holds_several_kinds():
    path = "tests/io/tools/fixtures/label_studio/json_expanded/snapshot.json"
    found = look(path)
    assert [one.kind for one in found.seen] == ["ratings", "predictions"]
    assert {one.tool for one in found.seen} == {"Label Studio"}


# --- what looks wrong -----------------------------------------------------------------------------


def test_what_is_refused_is_explained_and_read_as_the_refusal_says(write):
    path = write("r.csv", WIDE.replace("5,5,4,4", "5,5,99,4").replace("4,5,1,2", "4,99,1,2"))
    with pytest.raises(DataError):
        agree(path)
    found = look(path)
    assert found.seen[0].data is None
    assert any("'99'" in note and note.severity == "warning" for note in found.notes)
    found = look(path, missing=["99"])
    assert found.seen[0].options == {"missing": ["99"]}
    assert "99" not in found.seen[0].data.scale.labels
    assert found.seen[0].dropped == {"label is 99": 2}
    assert "missing=['99']" in found.steps[0].python


def test_what_the_user_says_is_used(write):
    path = write("r.csv", WIDE.replace("5,5,4,4", "5,5,99,4").replace("4,5,1,2", "4,99,1,2"))
    found = look(path, labels=["1", "2", "3", "4", "5", "99"])
    assert found.seen[0].refused is None
    assert "99" in found.seen[0].data.scale.labels


def test_repeated_answers(write):
    path = write("r.csv", LONG + "1,ann,a\n")
    assert "duplicates='first'" in look(path).seen[0].refused
    found = look(path, duplicates="first")
    assert found.seen[0].options == {"duplicates": "first"}
    assert found.seen[0].dropped == {"repeated": 1}


def test_columns_that_are_no_raters(write):
    rows = "".join(f"{i},{['sport', 'news'][i % 2]},{i % 3},{(i + 1) % 3}\n" for i in range(9))
    found = look(write("r.csv", "item,topic,ann,bob\n" + rows))
    assert any("'topic': left out" in note for note in found.notes)
    assert found.seen[0].counts["raters"] == 2


def test_texts_beside_raters_are_left_out_by_every_reader(write):
    rows = "".join(f"{i},text number {i},{i % 3},{(i + 1) % 3}\n" for i in range(9))
    found = look(write("r.csv", "item,text,ann,bob\n" + rows))
    assert found.seen[0].options == {}
    assert found.seen[0].counts["raters"] == 2
    assert any("'text'" in note for note in found.notes)


def test_a_column_that_one_of_several_files_has_is_left_out_of_it(write):
    people = write("r.csv", "item,ann,bob,x\n1,a,b,4\n2,a,a,3\n3,b,b,4\n")
    judge = write("j.csv", "item,gpt-4o\n1,a\n2,a\n3,b\n")
    found = look(people, judge, ignore=["x"])
    assert [seen.kind for seen in found.seen] == ["ratings", "predictions"]
    assert found.seen[0].counts["raters"] == 2


def test_twins(write):
    found = look(write("r.csv", LONG.replace("1,ann,b", "1,ann,B").replace("3,bob,b", "3,bob,B")))
    assert any("differ only by case" in note for note in found.notes)


def test_few_shared_items_are_told_by_look_and_by_survey():
    ratings = {
        "item": [str(i) for i in range(20)],
        "ann": ["x", "y"] * 10, "bob": ["x", "x"] * 10, "eve": ["y", "x"] * 10,
    }  # fmt: skip
    predictions = {"item": [str(i) for i in range(17, 30)], "m:x": [0.5] * 13, "m:y": [0.5] * 13}
    found = look(ratings, predictions)
    (told,) = [note for note in found.notes if "3 items are in both" in note]
    assert told.severity == "warning"
    assert found.shared[0].items == 3
    result = survey(ratings, predictions, bootstrap=0, ceiling=False)
    assert told in result.notes


def test_no_shared_items():
    found = look(
        {"item": ["a", "b"], "ann": ["x", "y"], "bob": ["x", "x"]},
        {"item": [1, 2], "gpt-4o": ["x", "y"], "llama": ["x", "x"]},
    )
    assert any(note.startswith("no item is in both") for note in found.notes)
    assert "survey" not in [step.verb for step in found.steps]


def test_labels_that_only_judges_use(write):
    ratings = write("r.csv", LONG)
    judge = write("judge.csv", "item,judge\n" + "".join(f"{i},{'abc'[i % 3]}\n" for i in range(8)))
    found = look(ratings, judge)
    assert any("'c'" in note and note.severity == "caution" for note in found.notes)
    # To both it is a name for what raters say there.
    assert [step.verb for step in found.steps[:2]] == ["judge", "survey"]


def test_a_judge_that_other_commands_refuse_is_not_suggested(write):
    ratings = write("r.csv", LONG)
    zebras = write("judge.csv", "item,judge\n" + "".join(f"{i},zebra\n" for i in range(8)))
    rows = "".join(f"{i + 1},{'ab'[i % 2]}\n" for i in range(8))
    later = write("other.csv", "item,judge\n" + rows)
    for judge in (zebras, later):
        assert "judge" not in [step.verb for step in look(ratings, judge).steps]


# --- what cannot be read --------------------------------------------------------------------------


def test_a_table_that_is_nothing_is_explained(write):
    found = look(write("x.csv", "one\n1\n2\n"))
    (seen,) = found.seen
    assert seen.kind is None
    assert seen.data is None
    assert "a single column" in seen.refused
    assert not found.steps
    with pytest.raises(DataError, match="nothing could be read"):
        found.tidy()


def test_an_export_that_is_refused_is_explained():
    path = "tests/io/tools/fixtures/doccano/all_jsonl_refused/all.jsonl"
    (seen,) = look(path).seen
    assert (seen.kind, seen.tool) == (None, "doccano")
    assert "collaborative" in seen.refused


@pytest.mark.parametrize("data", ["no_such_file.csv", "example:nothing", 123, None, {}])
def test_no_table_at_all(data):
    with pytest.raises(DataError):
        look(data)


def test_nothing():
    with pytest.raises(DataError, match="nothing to look at"):
        look()


# --- what comes back ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", examples.names())
def test_the_long_form_says_the_same(name):
    found = look(f"example:{name}")
    tidy = found.tidy()
    if name == "gold":
        assert len(tidy["item"]) == 60
        return
    again = look(tidy)
    assert again.seen[0].counts["items"] == found.seen[0].counts["items"]
    assert again.seen[0].kind == found.seen[0].kind


HERE = Path(__file__).parent
FILES = [
    *(f"example:{name}" for name in examples.names()),
    *sorted(
        str(path.relative_to(HERE.parent.parent))
        for folder in (HERE / "tools" / "fixtures", HERE.parent / "frozen" / "files")
        for path in folder.rglob("*")
        if path.suffix in {".csv", ".json", ".jsonl", ".tsv", ".xlsx", ".parquet"}
    ),
]


@pytest.mark.parametrize("file", FILES)
def test_the_explicit_command_reads_the_same(file):
    """What `look` prints as free of guesses gives the same data, word for word."""
    path = file if file.startswith("example:") else HERE.parent.parent / file
    try:
        found = look(path)
    except DataError:
        return
    kinds = {kind.name: kind for kind in KINDS}
    for seen in found.seen:
        if seen.kind in ("ratings", "predictions", "comparisons"):
            again = kinds[seen.kind].read(path, **seen.explicit)
            assert again.columns() == seen.data.columns()


def test_the_explicit_command_is_printed_and_runs(write, run):
    text = "subject,r1,r2,r3,mean\n" + "".join(
        f"s{n},{n % 3 + 1},{'NA' if n == 4 else (n * 2) % 3 + 1},{(n + n // 3) % 3 + 1},2\n"
        for n in range(12)
    )
    path = write("r.csv", text)
    assert "headcount agree" in run("look", path).out
    out = run("look", path, "--details").out
    block = out[out.index("Commands that leave nothing to guess:") :].split("\n\n")[0]
    command = shlex.split(" ".join(block.splitlines()[1:]).replace("\\ ", ""))
    assert command[:3] == ["headcount", "agree", str(path)]
    assert command[3:] == [
        "--missing", "NA", "--no-missing-words", "--item", "subject", "--columns", "r1,r2,r3",
    ]  # fmt: skip
    explicit = json.loads(run(*command[1:], "--json", "--bootstrap", "0").out)
    guessed = json.loads(run("agree", path, "--json", "--bootstrap", "0").out)
    assert explicit["n_ratings"] == guessed["n_ratings"] == 35
    assert explicit["alpha"] == guessed["alpha"]


@pytest.mark.parametrize(
    ("text", "explicit"),
    [
        (LONG, {"item": "item", "rater": "rater", "label": "label"}),
        (WIDE, {"item": "item", "columns": ["ann", "bob", "eve"]}),
        ("item,n_ok,n_bad\n1,3,2\n2,0,5\n",
         {"item": "item", "shape": "counts", "columns": ["n_bad", "n_ok"]}),
        ("left,right,winner,judge\na,b,left,x\nb,c,tie,y\n",
         {"left": "left", "right": "right", "outcome": "winner", "rater": "judge"}),
        ("id,gpt-4o,llama,latency_ms\n1,x,y,3\n2,x,x,4\n",
         {"item": "id", "ignore": ["latency_ms"]}),
    ],
)  # fmt: skip
def test_explicit_options(write, text, explicit):
    (seen,) = look(write("x.csv", text)).seen
    assert seen.explicit == explicit
    assert seen.document()["explicit"] == [
        {"option": name, "value": value} for name, value in explicit.items()
    ]


def test_repeated_rows_are_named_before_questions(write):
    rows = [(f"tweet {n}", who, "ab"[n % 2]) for n in range(40) for who in ("Anna", "Ben", "Cleo")]
    rows += [(item, who, "b") for item, who, _ in rows[:6]]
    text = "id,tweet,coder,tone\n" + "".join(
        f"{row[0][6:]}," + ",".join(row) + "\n" for row in rows
    )
    path = write("r.csv", text)
    assert "duplicates='first'" in look(path).seen[0].refused
    (seen,) = look(path, duplicates="first").seen
    assert seen.data.scale.labels == ("a", "b")
    assert seen.dropped == {"repeated": 6}


def test_python_that_is_suggested_runs():
    import headcount

    found = look("example:stars", "example:judge", "example:comparisons")
    names = {name: getattr(headcount, name) for name in headcount.__all__}
    verbs = ["judge", "survey", "agree", "pairs", "pairs", "make_report"]
    assert [step.verb for step in found.steps] == verbs
    quick = {
        "judge": ", bootstrap=0)", "survey": ", bootstrap=0, ceiling=False)",
        "agree": ", bootstrap=0)", "pairs": ")",
    }  # fmt: skip
    for step in found.steps[:-1]:
        assert str(eval(step.python[:-1] + quick[step.verb], names))


def test_a_report_is_suggested_of_all_files_as_they_are_read(tmp_path):
    found = look("example:stars", "example:judge")
    assert found.steps[-1].python == "make_report('example:stars', 'example:judge')"
    path = tmp_path / "r.csv"
    path.write_text("item,ann,bob\n1,1,2\n2,2,2\n3,99,1\n4,1,1\n5,2,1\n6,99,2\n")
    report = look(path, missing=["99"]).steps[-1]
    assert report.python == f"make_report(look({str(path)!r}, missing=['99']))"
    from headcount.cli.flags import shell

    assert shell(report.said) == f"headcount report {path} --missing 99"


def test_a_file_of_people_and_judges_is_named_once_to_judge():
    folder = Path(__file__).parent / "tools" / "fixtures" / "label_studio" / "json_expanded"
    found = look(folder / "snapshot.json")
    assert found.steps[0].python == f"judge({str(folder / 'snapshot.json')!r})"


def test_result_is_found_by_file_and_kind():
    found = look("example:stars", "example:judge")
    assert found["stars.csv"] is found["ratings"] is found["example:stars"]
    assert found.to_frame("pandas")["kind"].tolist() == ["ratings", "predictions"]
    assert json.dumps(found.to_dict())
    with pytest.raises(ValueError, match="unknown file"):
        found["x"]


def test_shell_quoting():
    from headcount.cli.flags import broken, shell

    step = {
        "verb": "agree",
        "data": "it's a  file.csv",
        "files": {"gold": "-x.csv"},
        "options": {"missing": ["-1", "99"], "transpose": False, "by_rater": True,
                    "where": ["a=b c", "d=e"]},
    }  # fmt: skip
    command = shell(step)
    assert shlex.split(command) == [
        "headcount", "agree", "it's a  file.csv", "--gold", "./-x.csv", "--missing=-1,99",
        "--no-transpose", "--by-rater", "--where", "a=b c", "--where", "d=e",
    ]  # fmt: skip
    assert "\\\n" in broken(command)
    assert shlex.split(broken(command).replace("\\\n", "")) == shlex.split(command)


def test_items_that_would_be_shared_if_written_alike():
    ratings = {"item": ["a1", "a1", "b2", "b2"], "rater": [1, 2, 1, 2], "label": [1, 2, 1, 2]}
    predictions = {"item": ["A1", "B2"], "judge": [1, 2]}
    with pytest.raises(DataError, match="2 items would be but for case"):
        survey(ratings, predictions)


def test_people_who_cannot_be_read_yet_are_named_beside_their_judge(write):
    rows = "".join(f"a{i},{r},{i % 3},{i % 2}\n" for i in range(8) for r in ("ann", "bob"))
    people = write("people.csv", f"answer_id,annotator,tone,wit\n{rows}")
    judges = write("j.csv", "answer_id,bot\n" + "".join(f"a{i},{i % 3}\n" for i in range(8)))
    found = str(look(people, judges))
    assert "PEOPLE.csv" not in found
    assert "people.csv', judges=" in found.replace("\n", " ")
    with pytest.raises(DataError, match="tone") as refused:
        make_report(people, judges)
    assert option("question", "tone") in refused.value.marked


def test_the_next_call_names_what_is_in_memory_as_a_variable():
    ratings = {"item": [1, 1, 2, 2], "rater": ["a", "b"] * 2, "label": ["x", "y", "x", "x"]}
    assert look(ratings).steps[0].python == "agree(ratings)"
    assert "Next: agree(read_ratings(ratings, item='item', " in str(look(ratings))
