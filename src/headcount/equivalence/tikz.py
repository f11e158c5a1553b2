"""The power curve as a picture for LaTeX."""

from __future__ import annotations

import math

from headcount.equivalence.records import ClassifierResult, CurvePoint, SurveyRecord
from headcount.stats.estimate import Estimate

__all__ = ["tikz"]

COLOURS = ("blue", "red", "teal", "orange", "violet", "brown", "olive", "magenta")


def tikz(result: SurveyRecord) -> str:
    r"""Write the power curve and its classifiers for ``\input``, with pgfplots.

    The document needs ``\usepackage{pgfplots}``. Bars are intervals; a classifier is a line at its
    score, and a mark where the curve reaches it.
    """
    p = result.provenance
    who = "experts" if result.amateurs else "raters"
    lines = [
        r"% Needs \usepackage{pgfplots}\pgfplotsset{compat=newest} in the preamble.",
        r"\begin{tikzpicture}",
        r"\begin{axis}[",
        f"  xlabel={{survey size $k$ ({who})}},",
        f"  ylabel={{{escaped(p.scorer)} ({escaped(p.unit)})}},",
        f"  xmin=0, xmax={p.max_k}, xtick distance={max(1, p.max_k // 8)},",
        r"  legend pos=outer north east, legend cell align=left,",
        r"]",
        *_curve(result.curve, "black", f"$k$ {who}"),
    ]
    if result.amateurs:
        lines += _curve(result.amateurs, "gray", "$k$ amateurs")
    for place, classifier in enumerate(result.classifiers):
        lines += _classifier(classifier, COLOURS[place % len(COLOURS)], p.max_k)
    return "\n".join([*lines, r"\end{axis}", r"\end{tikzpicture}", ""])


def _curve(points: tuple[CurvePoint, ...], colour: str, name: str) -> list[str]:
    rows = [f"  {point.k} {_number(point.score.value)} {_bars(point.score)}" for point in points]
    return [
        rf"\addplot+[{colour}, mark=*, mark options={{fill={colour}}}, error bars/.cd, "
        "y dir=both, y explicit]",
        "  table[y error plus=plus, y error minus=minus] {",
        "  k score plus minus",
        *rows,
        "};",
        rf"\addlegendentry{{{name}}}",
    ]


def _classifier(c: ClassifierResult, colour: str, max_k: int) -> list[str]:
    score, worth = _number(c.score.value), float(c.equivalence.value)
    lines = [
        rf"\addplot[{colour}, dashed] coordinates {{(0,{score}) ({max_k},{score})}};",
        rf"\addlegendentry{{{escaped(c.name)}: {escaped(c.equivalence.show(worth, 2))}}}",
    ]
    if math.isfinite(worth) and worth <= max_k:
        lines.append(
            rf"\addplot[{colour}, only marks, mark=*, forget plot] coordinates "
            rf"{{({_number(worth)},{score})}};"
        )
    return lines


def _bars(estimate: Estimate) -> str:
    """How far the interval reaches above and below the value."""
    value, low, high = float(estimate.value), estimate.low, estimate.high
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return "0 0"
    return f"{_number(max(high - value, 0.0))} {_number(max(value - low, 0.0))}"


def _number(value: float) -> str:
    return f"{value:.6g}"


def escaped(text: str) -> str:
    r"""Write what LaTeX would take for a command as text.

    Examples
    --------
    >>> escaped("gpt_4 > 100%")
    'gpt\\_4 $>$ 100\\%'
    """
    plain = {"\\": r"\textbackslash{}", "<": "$<$", ">": "$>$", "~": r"\textasciitilde{}",
             "^": r"\textasciicircum{}", "|": r"\textbar{}", "∞": r"$\infty$"}  # fmt: skip
    return "".join(plain.get(c, rf"\{c}" if c in "_%&#${}" else c) for c in text)
