"""Figures as SVG inside a page: titled, in the page's colours, with ids of their own."""

from __future__ import annotations

import re
import warnings
from importlib import import_module
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

from headcount.errors import DataError, ExtraError
from headcount.results.base import Result
from headcount.results.drawing import COLOURS, new_figure

__all__ = ["figure_svg"]

SVG, LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
INK = ("#000000", "#222222", "#333333", "#444444")
"""Colours that stand for ink, which is light on a dark page."""
SOFT = ("#555555", "#666666", "#777777", "#888888")
FAINT = ("#b0b0b0", "#bbbbbb", "#cccccc", "#dddddd", "#eeeeee")
"""Colours of what is said by the way, and of rules and grids."""
FAMILY = re.compile(r"font-family: [^;]*;? ?")


def figure_svg(result: Result, name: str, title: str) -> str | None:
    """Draw a result; None if there is nothing to draw.

    Parameters
    ----------
    result : Result
    name : str
        What ids begin with, so that no two figures of a page share one.
    title : str
        What a screen reader says.
    """
    new_figure()  # tells if matplotlib is missing
    try:
        figure = result.plot().figure
    except ExtraError:
        raise
    except DataError:  # nothing to draw
        return None
    root = ElementTree.fromstring(_drawn(figure))  # of our own making
    _clean(root, name)
    _titled(root, name, title)
    ElementTree.register_namespace("", SVG)
    return ElementTree.tostring(root, encoding="unicode")


def _drawn(figure: Any) -> bytes:
    """Draw with text as text, which is small, can be read aloud and be found."""
    matplotlib: Any = import_module("matplotlib")  # its settings are typed by half

    out = BytesIO()
    settings = {"svg.fonttype": "none", "svg.hashsalt": "headcount"}
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        # A script that the font lacks: the browser has one that does not.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        # Names of labels that are as long as a page.
        warnings.filterwarnings("ignore", message="constrained_layout not applied")
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    return out.getvalue()


def _clean(root: ElementTree.Element, name: str) -> None:
    """Take away what only a file needs; make ids unique, and colours those of the page."""
    for child in list(root):
        if child.tag == f"{{{SVG}}}metadata":
            root.remove(child)
    for one in root.iter():
        if identity := one.attrib.pop("id", None):
            one.set("id", f"{name}-{identity}")
        if target := one.attrib.pop(f"{{{LINK}}}href", None):
            one.set("href", f"#{name}-{target[1:]}")
        for key in ("clip-path", "style", "fill", "stroke"):
            if key in one.attrib:
                one.set(key, _coloured(one.attrib[key]).replace("url(#", f"url(#{name}-"))
    used = {target[1:] for one in root.iter() if (target := one.get("href"))}
    used |= {clip[5:-1] for one in root.iter() if (clip := one.get("clip-path"))}
    for one in root.iter():
        if one.get("id") not in used:
            one.attrib.pop("id", None)


def _coloured(style: str) -> str:
    """Name colours, so that the page can say what they are by day and by night."""
    for colour in INK:
        style = style.replace(colour, "currentColor")
    for colour in SOFT:
        style = style.replace(colour, _variable("soft"))
    for colour in FAINT:
        style = style.replace(colour, _variable("rule"))
    for place, colour in enumerate(COLOURS):
        style = style.replace(colour.lower(), _variable(f"series-{place}"))
    return FAMILY.sub("", style.replace("#ffffff", _variable("paper")))


def _variable(name: str) -> str:
    """Write a variable of the style sheet, which begins with two dashes as flags do."""
    return f"var({2 * '-'}{name})"


def _titled(root: ElementTree.Element, name: str, title: str) -> None:
    """Give the figure a name for those who do not see it, and the size of its place."""
    root.attrib.pop("height", None)  # which follows from the view box
    root.set("style", f"width: {root.attrib.pop('width')}")
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title")
    heading = ElementTree.Element(f"{{{SVG}}}title", {"id": f"{name}-title"})
    heading.text = title
    root.insert(0, heading)
