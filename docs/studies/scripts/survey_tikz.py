"""The power curve as a picture for LaTeX, to be ``\\input`` (pgfplots).

``python docs/studies/scripts/survey_tikz.py ratings.csv predictions.csv > curve.tex``
"""

from __future__ import annotations

import math
import sys

from headcount.equivalence.power_curve import tells_nothing
from headcount.equivalence.result import ClassifierResult, CurvePoint, SurveyResult
from headcount.equivalence.survey import survey
from headcount.stats.estimate import Estimate

COLOURS = ("blue", "red", "teal", "orange", "violet", "brown", "olive", "magenta")


def tikz(result: SurveyResult) -> str:
    r"""Write the power curve and its classifiers for ``\input``, with pgfplots.

    The document needs ``\usepackage{pgfplots}``. Bars are intervals; a classifier is a line at its
    score, and a mark where the curve reaches it; dashed is the curve beyond the data, as far as a
    worth is extrapolated.
    """
    p = result.provenance
    beyond = _beyond(result)
    most = beyond[-1][0] if beyond else p.max_k
    who = "experts" if result.amateurs else "raters"
    lines = [
        r"% Needs \usepackage{pgfplots}\pgfplotsset{compat=newest} in the preamble.",
        r"\begin{tikzpicture}",
        r"\begin{axis}[",
        f"  xlabel={{survey size $k$ ({who})}},",
        f"  ylabel={{{escaped(p.scorer)} ({escaped(p.unit)})}},",
        f"  xmin=0, xmax={most}, xtick distance={max(1, most // 8)}, enlarge x limits=0.05,",
        r"  legend style={at={(0.5,-0.2)}, anchor=north}, legend cell align=left,",
        r"]",
        *_curve(result.curve, "black", f"$k$ {who}"),
    ]
    if beyond:
        points = " ".join(f"({k},{_number(score)})" for k, score in beyond)
        lines += [
            rf"\addplot[black, densely dashed] coordinates {{{points}}};",
            r"\addlegendentry{extrapolated by the item states}",
        ]
    if result.amateurs:
        lines += _curve(result.amateurs, "gray", "$k$ amateurs")
    for place, classifier in enumerate(result.classifiers):
        lines += _classifier(classifier, COLOURS[place % len(COLOURS)], most)
    return "\n".join([*lines, r"\end{axis}", r"\end{tikzpicture}", ""])


def _beyond(result: SurveyResult) -> list[tuple[int, float]]:
    """Points of the curve from the largest survey on, as far as worths are extrapolated."""
    worths = [c.worth.value for c in result.classifiers if c.worth.extrapolated]
    if result.ceiling is None or not worths:
        return []
    pairs = zip(result.ceiling.sizes.tolist(), result.ceiling.curve.tolist(), strict=True)
    last = math.ceil(max(worths))
    return [(k, score) for k, score in pairs if result.provenance.max_k <= k <= last]


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


def _classifier(c: ClassifierResult, colour: str, most: int) -> list[str]:
    score, worth = _number(c.score.value), float(c.worth.value)
    lines = [
        rf"\addplot[{colour}, dashed] coordinates {{(0,{score}) ({most},{score})}};",
        rf"\addlegendentry{{{escaped(c.name)}: {_shown(c.worth)}}}",
    ]
    if math.isfinite(worth) and worth <= most:
        lines.append(
            rf"\addplot[{colour}, only marks, mark=*, forget plot] coordinates "
            rf"{{({_number(worth)},{score})}};"
        )
    return lines


def _shown(worth: Estimate) -> str:
    if worth.undefined is not None or tells_nothing(worth):
        return "undefined"
    about, digits = ("about ", 1) if worth.extrapolated else ("", 2)
    shown = about + escaped(worth.show(worth.value, digits))
    return f"{shown} ({escaped(interval)})" if (interval := worth.interval(digits)) else shown


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


if __name__ == "__main__":
    print(tikz(survey(*sys.argv[1:])), end="")
