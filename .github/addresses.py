"""Give a release its addresses: links of the README that work on an index, urls, how to install.

    python .github/addresses.py https://github.com/OWNER/REPOSITORY v0.2.0

changes README.md, the install page, the notebooks and pyproject.toml of the working copy, which is
then built and thrown away. The repository is the one that releases, so no address stands in the
sources.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:)([^)#]+)")
"""Of a file of the project, as text or as picture (!)."""
PROJECT = "[project.scripts]\n"
"""The table before which the urls are put."""
PAGES = (
    "README.md", "docs/index.md", "docs/_site/notebooks.py", "docs/guide/install.md",
    "docs/guide/coders.md", "docs/guide/collect.md", "docs/methods/blind.md",
)  # fmt: skip
"""Files that say how to install: until it is released, from a clone."""
FROM_CLONE = re.compile(r"pip install (')?\.(\[[\w,]+\])?(')?(?: in a clone of the project)?")


def absolute(readme: str, repository: str, tag: str) -> str:
    """Write links to files of the project in full: to pages as shown, to pictures as they are."""

    def whole(link: re.Match[str]) -> str:
        picture, text, path = link.groups()
        return f"{picture}[{text}]({repository}/{'raw' if picture else 'blob'}/{tag}/{path}"

    return LINK.sub(whole, readme)


def urls(repository: str, tag: str) -> str:
    """Write the table of addresses for pyproject.toml."""
    addresses = {
        "Source": repository,
        "Documentation": f"{repository}/blob/{tag}/docs/index.md",
        "Changelog": f"{repository}/blob/{tag}/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }
    lines = [f'{name} = "{address}"\n' for name, address in addresses.items()]
    return "[project.urls]\n" + "".join(lines) + "\n"


def from_index(text: str) -> str:
    """Install the package from its index in place of a clone."""
    return FROM_CLONE.sub(
        lambda m: f"pip install {m[1] or ''}headcount{m[2] or ''}{m[3] or ''}", text
    )


def main(repository: str, tag: str, root: Path = ROOT) -> None:
    """Change the two files of a working copy."""
    repository = repository.rstrip("/")
    readme, project = root / "README.md", root / "pyproject.toml"
    readme.write_text(absolute(readme.read_text("utf-8"), repository, tag), "utf-8")
    for page in PAGES:
        path = root / page
        path.write_text(from_index(path.read_text("utf-8")), "utf-8")
    text = project.read_text("utf-8")
    if text.count(PROJECT) != 1 or "[project.urls]" in text:
        sys.exit(f"{project}: expected one {PROJECT.strip()}, and no [project.urls]")
    project.write_text(text.replace(PROJECT, urls(repository, tag) + PROJECT), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:3])
