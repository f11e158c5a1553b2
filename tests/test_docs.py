"""What the documentation shows is what happens."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from contextlib import suppress
from pathlib import Path

import pytest

from headcount import examples

from .readme_lines import commands, steps

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "headcount"
HOUSE, CONTRIBUTING = ROOT / "docs" / "reference" / "house.md", ROOT / "CONTRIBUTING.md"
CARD = ROOT / "docs" / "guide" / "judge.md"
PAGES = [
    ROOT / "README.md",
    CONTRIBUTING,
    *(
        page
        for room in (".", "guide", "methods", "reference", "studies")
        for page in sorted((ROOT / "docs" / room).glob("*.md"))
    ),
]


def blocks(path: Path, language: str) -> list[str]:
    text = path.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def running_example(tmp_path_factory):
    from headcount.cli.app import run

    folder = tmp_path_factory.mktemp("running-example")
    words = ["simulate", "running-example", "--items", "1000", "--raters", "10", "--seed", "1"]
    with suppress(SystemExit):
        run([*words, "-o", str(folder)])
    return folder


@pytest.fixture
def example_folder(tmp_path, monkeypatch, running_example):
    shutil.copytree(running_example, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("page", "code"),
    [(page.name, code) for page in PAGES for code in blocks(page, "python")],
)
def test_python_in_the_pages_runs(example_folder, page, code):
    names: dict[str, object] = {}
    exec(code, names)
    for line in code.splitlines():
        if found := re.match(r"([\w.\[\]\"]+)  # (\d.*)", line):
            assert repr(eval(found.group(1), names)) == found.group(2), page


DEMO = "headcount judge example:stars example:judge"


def test_the_tutorial_shows_the_real_output_of_the_demo(run):
    assert DEMO.removeprefix("headcount") in (ROOT / "Makefile").read_text(encoding="utf-8")
    words = DEMO.split()[1:]
    real = [*run(*words).out.split("\n\n"), *run(*words, "--details").out.split("\n\n")]
    real = [each.rstrip() for each in real]
    for paragraph in (one for block in blocks(CARD, "text")[:2] for one in block.split("\n\n")):
        assert paragraph.rstrip() in real


@pytest.fixture(scope="module")
def pictures():
    sys.path.insert(0, str(ROOT / "docs" / "scripts"))
    try:
        import pictures
    finally:
        sys.path.pop(0)
    return pictures, pictures.pictures()


def test_the_picture_of_the_readme_is_that_of_its_first_command(pictures):
    _, made = pictures
    (first, *_) = blocks(ROOT / "README.md", "console")
    assert first.startswith(f"$ {DEMO} --plot judge.png\n")
    assert (made["judge.png"].page, made["judge.png"].command) == ("README.md", DEMO)


def test_pictures_show_what_their_pages_say(pictures):
    module, made = pictures
    kept = json.loads(module.RECORD.read_text(encoding="utf-8"))
    drawn = {
        name: [tuple(point) for point in points] for name, points in kept.pop("sizing.png").items()
    }
    assert drawn == module.sizes(), "run docs/scripts/pictures.py"
    assert "](../images/sizing.png)" in (ROOT / "docs/guide/sizing.md").read_text(encoding="utf-8")
    assert kept.keys() == made.keys()
    for name, picture in made.items():
        text = (ROOT / picture.page).read_text(encoding="utf-8")
        folder = "docs/images" if picture.page == "README.md" else "../images"
        assert f"]({folder}/{name})" in text
        (shown,) = [
            block
            for block in blocks(ROOT / picture.page, "console")
            if re.search(rf"^\$ {re.escape(picture.command)}(?: --plot .*)?$", block, re.MULTILINE)
            and kept[name]["answer"] in block
        ]
        assert shown
        now = module.record(picture)
        assert now["answer"] == kept[name]["answer"], "run docs/scripts/pictures.py"
        assert now["drawn"].keys() == kept[name]["drawn"].keys()
        for column, values in now["drawn"].items():
            before = kept[name]["drawn"][column]
            assert values == pytest.approx(before, abs=1e-4), f"{name}: {column}"


INSTALLING = (ROOT / "README.md", ROOT / "docs" / "guide" / "install.md")


@pytest.mark.parametrize("page", INSTALLING, ids=lambda page: page.name)
def test_a_page_begins_with_what_works_in_a_fresh_clone(page):
    """`make wheel` runs all of it there; here, that the first lines are the ones that can run."""
    found = [code for kind, code in steps(page.read_text(encoding="utf-8")) if kind == "shell"]
    assert found[:2] == ["make demo", "make test"]
    assert found[2].startswith("pip install")
    installs = [code for code in found if code.startswith("pip")]
    assert all(re.fullmatch(r"pip install '?\.(\[\w+\])?'?", code) for code in installs)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extra in re.findall(r"\[(\w+)\]", "".join(installs)):
        assert extra in extras["optional-dependencies"]


def test_the_tutorial_shows_the_real_card_of_six_judges(data_folder, run, monkeypatch):
    monkeypatch.chdir(data_folder / "survey" / "judges")
    real = (
        run("judge", "cebab_stars_ratings.csv", "cebab_stars_judges.csv").out.rstrip().split("\n\n")
    )
    for paragraph in blocks(CARD, "text")[2].rstrip().split("\n\n"):
        assert paragraph in real


QUICK = {
    "survey": ("--bootstrap", 3, "--no-ceiling"),
    "agree": ("--bootstrap", 3),
    "judge": ("--bootstrap", 3),
}
"""What makes a command of the README quick, for the test."""


def readme_commands() -> list[str]:
    """Commands that stand in lines of their own, and those within sentences that name a file."""
    return commands((ROOT / "README.md").read_text(encoding="utf-8"))


@pytest.fixture
def users_folder(tmp_path, monkeypatch):
    """A folder with files of the names that the README has."""
    for name in examples.names():
        shutil.copy(examples.path(name), tmp_path / examples.path(name).name)
    monkeypatch.chdir(tmp_path)


def test_the_readme_has_commands():
    assert len(readme_commands()) >= 8


@pytest.mark.parametrize("command", readme_commands())
def test_every_command_of_the_readme_runs(users_folder, run, command):
    words = shlex.split(command)[1:]
    done = run(*words, *QUICK.get(words[0], ()))
    assert done.code == 0, done.err


def test_the_guide_shows_what_look_says(users_folder, run):
    shown = blocks(ROOT / "docs" / "guide" / "data.md", "text")[0]
    assert run("look", "ratings.csv", "predictions.csv").out == shown


def anchors(page: Path) -> set[str]:
    """Names of the headings of a page, as links spell them."""
    heads = re.findall(r"^#+ (.*)", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(((?!http)[^)\s]+)\)", page.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        there = page.parent / path if path else page
        assert there.exists() or there.parent.name == "generated", target
        assert not anchor or anchor in anchors(there), target


def test_studies_that_the_code_names_are_there():
    named = {
        name
        for folder in ("src", "tests", "docs")
        for file in [*(ROOT / folder).rglob("*.py"), *(ROOT / folder).rglob("*.md")]
        if not {"_build", "generated"} & set(file.parts)
        for name in re.findall(r"docs/studies/[\w/]+\.(?:md|py)", file.read_text(encoding="utf-8"))
    }
    assert named
    assert [name for name in sorted(named) if not (ROOT / name).is_file()] == []


def test_a_study_writes_its_own_section(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "studies" / "scripts")
    import pages

    monkeypatch.setattr(pages, "STUDIES", tmp_path)
    (tmp_path / "page.md").write_text("# Page\n\n## One\n\nold\n\n### Part\n\n## Two\n\nkept\n")
    pages.write_section("page.md", "# One\n\nnew\n\n## Part\n\n```sh\n# text\n```\n")
    one = "## One\n\nnew\n\n### Part\n\n```sh\n# text\n```\n"
    assert (tmp_path / "page.md").read_text() == f"# Page\n\n{one}\n## Two\n\nkept\n"
    with pytest.raises(SystemExit, match="no section"):
        pages.write_section("page.md", "# Three\n")


# --- the house ------------------------------------------------------------------------------------


def files_in(text: str) -> list[str]:
    """Files that a text names, such as `io/reading.py`, each once; not those in blocks of code."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    return list(dict.fromkeys(re.findall(r"`([\w./-]+\.(?:py|md))`", prose)))


@pytest.mark.parametrize("page", [HOUSE, CONTRIBUTING], ids=lambda page: page.name)
def test_files_that_a_page_names_are_there(page):
    named = files_in(page.read_text(encoding="utf-8"))
    assert len(named) > 10
    # A name without a folder, such as that of a door, is that of a file of some room.
    doors = {path.name for path in SOURCE.rglob("*.py")}
    missing = [
        name
        for name in named
        if not (SOURCE / name).is_file() and not (ROOT / name).is_file() and name not in doors
    ]
    assert not missing


def test_the_list_of_files_is_of_today(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "_site")
    import house

    page = HOUSE.read_text(encoding="utf-8")
    assert house.refreshed(page) == page, "write it anew: python docs/_site/house.py"
    files = {path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("[a-z]*.py")}
    assert files <= set(files_in(page))


def test_each_walk_names_a_dozen_files_at_most():
    _, *walks = re.split(r"^## ", HOUSE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    walks = [walk for walk in walks if walk.startswith("Walk: ")]
    assert [re.match(r"Walk: `headcount (\w+)", walk).group(1) for walk in walks] == [
        "survey",
        "agree",
        "blind",
        "pairs",
    ]
    assert max(len(files_in(walk)) for walk in walks) <= 12


def test_walks_end_in_what_is_printed(example_folder, run):
    run("simulate", "pairs", "--items", 20, "--raters", 10, "--comparisons", 150, "--seed", 1,
        "-o", ".")  # fmt: skip
    for walk in re.split(r"^## Walk: ", HOUSE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        command = re.match(r"`headcount ([^`]+)`", walk).group(1)
        printed = " ".join(run(*shlex.split(command)).out.split())
        (said,) = re.findall(r"prints it: (.*?) \|", walk)
        values = re.findall(r"`([^`]+)`|(\d\.\d+)", said)
        assert values
        for value in map("".join, values):
            assert value in printed, command


def test_the_picture_has_every_room():
    page = CONTRIBUTING.read_text(encoding="utf-8")
    drawn = re.findall(r"^    (?:\d\d| \d|  )  (\w+(?:/|\.py))  ", page, re.MULTILINE)
    rooms = [f"{path.parent.name}/" for path in SOURCE.glob("*/__init__.py")]
    modules = [path.name for path in SOURCE.glob("[a-z]*.py")]
    assert sorted(drawn) == sorted([*rooms, *modules])


def test_changes_that_add_one_of_a_kind_are_whole(tmp_path):
    if shutil.which("git") is None:
        pytest.skip("the changes are applied with git")
    ignored = shutil.ignore_patterns("__pycache__")
    for folder in ("src", "tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    (tmp_path / "docs" / "reference").mkdir(parents=True)
    for name in ("docs/reference/json.md", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    changes = blocks(CONTRIBUTING, "diff")
    for change in changes:
        command = ["git", "apply", "--verbose", "-"]
        done = subprocess.run(command, cwd=tmp_path, input=change, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    tests = re.findall(r"^--- /dev/null\n\+\+\+ b/(tests/\S+)", "".join(changes), re.MULTILINE)
    assert len(tests) == len(changes) == 7
    # The small kernels of these tests run as Python: to compile them takes longer.
    env = os.environ | {"PYTHONPATH": str(tmp_path / "src"), "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
