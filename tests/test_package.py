from __future__ import annotations

import subprocess
import sys

import pytest

import headcount

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
