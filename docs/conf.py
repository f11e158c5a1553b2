"""The documentation site, built by ``make docs``: see :doc:`index`."""

import sys
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(Path(__file__).parent / "_site"))

project = "headcount"
author = "The headcount developers"
copyright = "2026, the headcount developers; MIT licence"
html_title = "headcount"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "mathml", "generated"]

exclude_patterns = ["_build", "_site"]
suppress_warnings = [
    "myst.header",  # pages begin sections where they like
    "misc.highlighting_failure",  # rows of CSV have no colours
]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
autodoc_typehints = "none"  # what arguments are is said in the docstrings, in words
autodoc_member_order = "bysource"
napoleon_use_rtype = False
napoleon_use_ivar = True

html_math_renderer = "mathml"
html_theme = "furo"
html_static_path = ["_site/static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}


def setup(app: Sphinx) -> None:
    """Let links to files of the project lead to their pages."""
    app.connect("source-read", _project_files)
    app.connect("source-read", _gallery)


def _project_files(app: Sphinx, page: str, text: list[str]) -> None:
    up = "../" * page.count("/")
    for name in ("CONTRIBUTING", "CHANGELOG"):
        text[0] = text[0].replace(f"]({up}../{name}.md", f"](/project/{name.lower()}.md")


def _gallery(app: Sphinx, page: str, text: list[str]) -> None:
    if page == "guide/gallery":
        import gallery

        text[0] = gallery.with_plots(text[0], Path(app.srcdir) / "reference/generated/gallery")
