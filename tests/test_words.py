"""The same names everywhere, and phrases that do not come back."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest
import typer

import headcount
from headcount.cli import app

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "headcount"
DOCS = ROOT / "docs"

# --- names ----------------------------------------------------------------------------------------

OLD = {
    "rng": "seed",
    "full": "details",
    "like_a_person": "agree_like_a_person",
    "equivalence": "worth",
    "integer_equivalence": "integer_worth",
    "price": "cost",
    "names": "judge_names",
    "n_classes": "n_labels",
    "num_raters": "n_raters",
}
"""Names that were given up, and what they are called now: in Python, as flags and in JSON."""

VERBS = {
    "look": "look",
    "judge": "judge",
    "survey": "survey",
    "agree": "agree",
    "blind": "blind",
    "consensus": "consensus",
    "rate": "corrected_rate",
    "pairs": "pairs",
    "plan agreement": "plan_agreement",
    "plan comparisons": "plan",
    "plan items": "next_items",
    "plan pairs": "next_pairs",
}
"""Commands, and the function of each."""

PYTHON_ONLY = {
    "progress",  # a bar on the terminal
    "labels",  # what a command calls RATINGS or VOTES
    "comparisons",
    "data",
    "options",
    "people",
    "judge_names",  # --judge
    "metrics",  # --metric, once each
    "coefficients",  # --details has all
    "other",  # --compare
    "fit",
    "model",  # of a pilot, by its own flags
    "laws",
}
"""Parameters that a command has in another way."""

JSON_TOO = ("seed", "level", "bootstrap", "cost", "by")
"""Options that a document of JSON gives back, by the same name."""


def commands() -> dict[str, set[str]]:
    """Name the flags and arguments of every command, as Python spells them."""
    found: dict[str, set[str]] = {}

    def walk(command: object, path: tuple[str, ...]) -> None:
        for name, part in getattr(command, "commands", {}).items():
            walk(part, (*path, name))
        if path and not hasattr(command, "commands"):
            options = [option for one in command.params for option in (*one.opts, one.name)]
            found[" ".join(path)] = {name.lstrip("-").replace("-", "_") for name in options}

    walk(typer.main.get_command(app.commands()), ())
    return found


def parameters(name: str) -> set[str]:
    return set(inspect.signature(getattr(headcount, name)).parameters)


def keys() -> set[str]:
    """Name the keys of JSON that are documented."""
    text = (DOCS / "reference" / "json.md").read_text(encoding="utf-8")
    return set(re.findall(r"`(\w+)(?:\[\])?`", text))


def test_no_option_has_an_old_name():
    functions = [name for name in headcount.__all__ if inspect.isfunction(getattr(headcount, name))]
    places = {
        **{f"{name}()": parameters(name) for name in functions},
        **{f"headcount {name}": flags for name, flags in commands().items()},
        "docs/reference/json.md": keys(),
    }
    assert {where: sorted(OLD.keys() & names) for where, names in places.items()} == {
        where: [] for where in places
    }


@pytest.mark.parametrize("command", VERBS)
def test_a_parameter_and_its_flag_have_one_name(command):
    flags = commands()[command]
    assert sorted(parameters(VERBS[command]) - flags - PYTHON_ONLY) == []


def test_options_have_the_same_names_in_json():
    everywhere = set.union(*commands().values())
    for name in JSON_TOO:
        assert name in keys()
        assert name in everywhere
        assert any(name in parameters(verb) for verb in VERBS.values())


def test_a_result_says_what_its_json_says():
    survey = headcount.survey(*headcount.running_example(60, 3, seed=1), bootstrap=5, ceiling=False)
    document = survey.to_dict()["classifiers"][0]
    assert document["worth"]["value"] == pytest.approx(survey.classifiers[0].worth.value)
    assert {"seed", "level", "bootstrap"} <= survey.to_dict().keys()


# --- phrases --------------------------------------------------------------------------------------

PHRASES = (
    r"can(not)? be told",
    r"as far from the mark",
    r"do(es)? not mend",
    r"judge and people part\b",
    r"no rater's",
    r"what is known of",
    r"in the mean\b",
    r"tell in four cases",
    r", the whole interval",
    r"would a person stand",
    r"information there is",
    r"tells? little about others",
    r"nobody passes",
    r"hardly add to each other",
    r"a loss that is known",
    r"told apart by their worth",
    r"no test tells",
    r"harder for all",
    r"explanation that the votes allow",
    r"nothing speaks against",
    r"\bgo by gold\b",
    r"rather too narrow than",
    r"for those who work with it",
    r"counts chance only where",
    r"called by two things at once",
    r"which answers are a judge's",
    r"take the answers for gold",
    r"what can I ask of them",
    r"finds less than promised",
    r"\bknows no ties\b",
    r"never forgiven",
    r"not told by these data",
    r"it must be chance",
    r"agrees like a person \(kappa",
    r"are few to learn",
    r"who is how good",
    r"leaves? lying",
    r"not to be had",
    r"nobody vouches for",
    r"everybody's own affair",
    r"holds a mark",
    r"raters whom nobody has seen",
    r"in the judge's place",
    r"better than no rater does",
    r"\(a row an?\b",
    r"a column an? (rater|label|annotator|item)\b",
    r"all that files can tell on one page",
    r"stands in double quotes",
    r"what is asked besides",
    r"what alpha's interval is to",
    r"which of two items it is more",
    r"raters it takes, about",
    r"intervals do not count",
    r"compared as names",
    r"would tell; recalibrated",
    r"lean on the average",
    r"apart in nothing",
    r"that nothing compares",
    r"which is counted with",
    r"cannot be pinned down",
    r"of blind scores",
    r"links of before",
    r"or ask less of it",
    r"no use for agreement",
    r"are raters to say",
    r"more than any explanation",
    r"so that [^.]* are off\.",
    r"as the paper runs it",
    r"already seen; the first",
    r"as many or fewer",
    r"for the (cluster|stratum)\b",
    r"drawn as widely as",
    r"\btakes? these for the truth",
    r"\b(one|a) (row|line|entry|class) an? (item|rating|judge|classifier|kind|method|file)\b",
    r"again and again, so",
    r"as well, and no item",
    r"\d comparisons? to ask( next)?[,;.]",
    r"ask (about )?(more than )?[\d,]+ more comparisons",
    r"nothing guessed:",
    r"\bare of the same\b",
    r"raters to see\?",
    r"points vs average",
    r"tell what raters predict",
    r"which cannot be read as it is",
    r"whole number from \d+ on",
    r"number at least \d",
    r"of the items, .* items are needed",
    r"the central \d+%",
    r"come again and again",
    r"rater has own",
    r"been withheld",
    r"the same here:",
    r"rows have both labels",
    r"80% power, if",
    r"verdicts are by \d",
    r"\bstands? once\b",
    r"fails 'rates as high",
    r"better than all 2\b",
    r"(?<!there )\b(is|are) no (study|numbers?|model for|regular expression|ratings|raters)\b",
    r"lets? chance in",
    r"with them told",
    r"in a later version",
    r"some hundred times",
    r"the vocabularies that lead back",
    r"what it is taken to be",
)
"""Phrases that readers stumbled over. The list grows; nothing is taken out."""
PHRASE = re.compile("|".join(f"({phrase})" for phrase in PHRASES), re.IGNORECASE)


def prose(file: Path) -> str:
    """Return what a file says: a page as it is, of a module its strings."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        strings = [
            node.value
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        text = "\n\n".join(strings)
    return re.sub(r"[ \t]*\n[ \t]*(?=\S)", " ", text)


ON_PAGES = (
    r"hangs? together",
    r"\b(one|rows?|columns?) an? (rating|rater|person|item|criterion)\b",
    r"\b(ratings?|answers?|comparisons|votes|data sets) an? (item|row|cell|design|document|text)\b",
    r"holds? the truth",
    r"\bsurely\b",
    r"by luck",
)
"""Phrases that pages do not use, beside the screens that they show."""
ON_PAGE = re.compile("|".join(f"({phrase})" for phrase in ON_PAGES), re.IGNORECASE)

LATER = {"docs/guide/llm-judges.md"}
"""Pages that a script writes from large data, with what commands printed then."""
FILES = [
    *SOURCE.rglob("*.py"),
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(page for page in DOCS.rglob("*.md") if "generated" not in page.parts),
]


def test_phrases_do_not_come_back():
    hits = {
        file.relative_to(ROOT).as_posix(): sorted({hit.group().lower() for hit in found})
        for file in FILES
        if file.relative_to(ROOT).as_posix() not in LATER
        and (found := [*PHRASE.finditer(prose(file))])
    }
    assert not hits, "\n".join(f"{name}: {', '.join(said)}" for name, said in sorted(hits.items()))


def test_pages_say_per_item_and_cover():
    pages = [
        file for file in FILES if file.suffix == ".md" and file.stem not in ("house", "changelog")
    ]
    hits: dict[str, list[str]] = {}
    for page in pages:
        shown = re.compile(r"^```.*?^```|^ {4}.*$", re.DOTALL | re.MULTILINE)
        text = re.sub(r"\s+", " ", shown.sub("", page.read_text(encoding="utf-8")))
        if found := sorted({hit.group().lower() for hit in ON_PAGE.finditer(text)}):
            hits[page.relative_to(ROOT).as_posix()] = found
    assert not hits


# --- examples -------------------------------------------------------------------------------------


def test_every_public_name_and_every_result_has_an_example(monkeypatch):
    monkeypatch.syspath_prepend(DOCS / "_site")
    import generated

    public = {name: getattr(headcount, name) for name in headcount.__all__}
    found = {**public, **generated._returned(public.values())}
    assert [name for name, one in found.items() if ">>>" not in (inspect.getdoc(one) or "")] == []
