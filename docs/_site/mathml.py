"""Formulas as MathML, which every browser draws by itself: no script, no font, no request."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(self: Any, node: nodes.math) -> None:
    self.body.append(convert(node.astext(), display="inline"))
    raise nodes.SkipNode


def _block(self: Any, node: nodes.math_block) -> None:
    text = node.astext().replace("&", "").replace("\\\\", " \\\\ ")
    self.body.append(f'<div class="math">{convert(text, display="block")}</div>')
    raise nodes.SkipNode
