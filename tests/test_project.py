"""The project, the package and a release say the same everywhere."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import headcount

# What a project needs to be adopted says the same everywhere.

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_is_one():
    version = PROJECT["project"]["version"]
    assert headcount.__version__ == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)", changes, re.MULTILINE).group(1) == version


def test_hooks_lint_as_tests_do():
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert (
        f"ruff=={re.search('rev: v(.*)', hooks).group(1)}"
        in (PROJECT["project"]["optional-dependencies"]["dev"])
    )


def test_the_oldest_python_is_the_same_for_all():
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert PROJECT["tool"]["pyright"]["pythonVersion"] == oldest
    assert f'python: ["{oldest}"' in (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")


def test_the_paper_cites_what_its_bibliography_holds():
    text = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
    entries = (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8")
    cited = set(re.findall(r"@(\w+)[;\]]", text))
    assert cited == set(re.findall(r"^@\w+\{(\w+),", entries, re.MULTILINE))


def test_the_paper_has_the_parts_that_are_asked_for():
    text = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
    assert {"# Summary", "# Statement of need", "# References"} <= set(text.splitlines())
    assert len(text.split()) < 1100


HEAVY = ("duckdb", "scipy.stats", "numba", "matplotlib", "sklearn", "pandas", "pyarrow")


def loaded_after(code: str) -> set[str]:
    script = f"{code}\nimport sys; print('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("code", ["import headcount", "import headcount.cli"])
def test_import_loads_nothing_heavy(code: str):
    loaded = loaded_after(code)
    assert "headcount" in loaded
    assert not loaded & set(HEAVY)


def test_survey_on_arrays_needs_no_reader_and_no_plot_library():
    code = "from headcount import survey, running_example; survey(*running_example(20, 3))"
    assert not loaded_after(code) & {*HEAVY, "narwhals"}


def test_a_command_loads_no_compiler_of_fortran_that_scipy_imports():
    code = """
import sys
from headcount.cli import main
sys.argv = ["headcount", "agree", "example:ratings", "-q"]
try:
    main()
except SystemExit as done:
    assert not done.code
"""
    loaded = loaded_after(code)
    assert "scipy.special" in loaded
    assert not loaded & {"numpy.f2py.crackfortran", "numpy.testing._private"}


def test_public_names_are_exactly_all():
    assert set(headcount.__all__) == set(headcount._HOMES)
    for name in headcount.__all__:
        assert getattr(headcount, name).__name__ == name
    assert set(dir(headcount)) >= set(headcount.__all__)


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'kappa_of_nothing'"):
        headcount.kappa_of_nothing  # noqa: B018


def test_version_is_the_packages():
    from importlib.metadata import version

    assert headcount.__version__ == version("headcount")


# What a release writes into its README and metadata.

ADDRESS = "https://example.org/someone/headcount"


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release")
    addresses = runpy.run_path(str(ROOT / ".github/addresses.py"))
    for name in (*addresses["PAGES"], "pyproject.toml"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text((ROOT / name).read_text("utf-8"), "utf-8")
    addresses["main"](f"{ADDRESS}/", "v0.2.0", folder)
    return folder


@pytest.mark.parametrize(
    ("page", "line"),
    [
        ("README.md", "    pip install 'headcount[report]'\n"),
        ("docs/guide/install.md", "    pip install headcount  "),
        ("docs/index.md", "    pip install 'headcount[report]'\n"),
        ("docs/_site/notebooks.py", "pip install 'headcount[report,excel]'\n"),
        ("docs/guide/coders.md", "    pip install 'headcount[excel]'\n"),
        ("docs/guide/collect.md", "    pip install 'headcount[collect,report]'\n"),
        ("docs/methods/blind.md", "`pip install 'headcount[learn]'`"),
    ],
)
def test_a_release_is_installed_from_an_index(released, page, line):
    text = (released / page).read_text("utf-8")
    assert line in text
    assert not re.search(r"pip install '?\.", text)


def test_every_link_of_the_readme_is_whole_and_leads_to_a_file(released):
    text = (released / "README.md").read_text("utf-8")
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)#]+)", text)
    assert len(links) > 15
    for picture, link in links:
        kind = "raw" if picture else "blob"
        assert link.startswith(f"{ADDRESS}/{kind}/v0.2.0/")
        assert (ROOT / link.removeprefix(f"{ADDRESS}/{kind}/v0.2.0/")).is_file()


def test_project_urls(released):
    made = tomllib.loads((released / "pyproject.toml").read_text("utf-8"))["project"]
    assert made["urls"]["Source"] == ADDRESS
    assert made["urls"]["Changelog"] == f"{ADDRESS}/blob/v0.2.0/CHANGELOG.md"
    del made["urls"]
    assert made == tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
