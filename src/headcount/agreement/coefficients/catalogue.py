"""The coefficients: their names, and in words what each takes for chance and assumes."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["COEFFICIENTS", "Coefficient", "title_of"]


@dataclass(frozen=True)
class Coefficient:
    """A name for programs, a title for people, and what the number rests on.

    `chance` says in a few words which ratings agree by chance; `assumes` is a sentence or two.
    """

    name: str
    title: str
    chance: str
    assumes: str


COEFFICIENTS: dict[str, Coefficient] = {
    c.name: c
    for c in (
        Coefficient(
            "percent",
            "percent agreement",
            "not corrected",
            "Share of agreeing pairs of ratings, a mean over items. Nothing is taken off for "
            "chance, so it is high where there are few labels or one label is common.",
        ),
        Coefficient(
            "alpha",
            "Krippendorff's alpha",
            "all ratings, mixed",
            "Raters are interchangeable; chance is any two of all ratings, without replacement. "
            "Disagreement counts by the distance of the scale, and an item by its number of "
            "ratings.",
        ),
        Coefficient(
            "fleiss",
            "Fleiss' kappa",
            "all ratings, mixed",
            "Raters are interchangeable and labels have no order; chance is two labels drawn as "
            "often as they occur, each item weighing the same. Low where one label is common.",
        ),
        Coefficient(
            "ac1",
            "Gwet's AC1",
            "guesses on hard items",
            "Raters are interchangeable and labels have no order; chance is a guess among all "
            "labels of the scale, made the rarer the more one label prevails. Stays high where "
            "one label is common, and depends on the number of labels.",
        ),
        Coefficient(
            "ac2",
            "Gwet's AC2",
            "guesses on hard items",
            "As AC1, with part credit for near labels: by ranks on ordinal, squared differences "
            "on interval, squared ratios on ratio scales. On a nominal scale it is AC1.",
        ),
        Coefficient(
            "scott",
            "Scott's pi",
            "both raters' ratings",
            "Mean over pairs of raters, each on the items that both rated; the two are taken to "
            "use labels equally often.",
        ),
        Coefficient(
            "cohen",
            "Cohen's kappa",
            "each rater's own",
            "Mean over pairs of raters, each on the items that both rated; each rater has a habit "
            "of their own, and agreement that habits explain is chance. Says little where pairs "
            "share few items.",
        ),
        Coefficient(
            "cohen_linear",
            "Cohen's, linear",
            "each rater's own",
            "As Cohen's kappa; a disagreement counts by the difference of labels, or of their "
            "places on an ordinal scale.",
        ),
        Coefficient(
            "cohen_quadratic",
            "Cohen's, quadratic",
            "each rater's own",
            "As Cohen's kappa; a disagreement counts by the squared difference of labels, or of "
            "their places on an ordinal scale.",
        ),
        Coefficient(
            "icc1",
            "ICC(1)",
            "variance within items",
            "Labels are numbers; each item has raters of its own, drawn at random. Share of the "
            "variance of one rating that is between items.",
        ),
        Coefficient(
            "icc2k",
            "ICC(2,k)",
            "raters and the rest",
            "Labels are numbers; raters are a random sample and may be lenient or strict, the same "
            "on all items. Reliability of the mean of an item's ratings, not of one rating.",
        ),
    )
}
"""By name, in the order in which they are shown."""


def title_of(name: str) -> str:
    """Title of a coefficient, or of Phi.

    Examples
    --------
    >>> title_of("ac1"), title_of("phi")
    ("Gwet's AC1", 'Phi')
    """
    return "Phi" if name == "phi" else COEFFICIENTS[name].title
