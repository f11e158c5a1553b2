"""Scott's pi, as a mean over pairs of raters."""

from __future__ import annotations

from headcount.agreement.coefficients.pair_mean import PairMean

__all__ = ["Scott"]


class Scott(PairMean):
    """Scott's pi.

    References
    ----------
    Scott (1955), "Reliability of content analysis: the case of nominal scale coding".
    """

    name = "scott"
    title = "Scott's pi"
    chance = "label frequencies of both raters"
    assumes = (
        "Mean over pairs of raters, each on the items that both rated; the two are taken to use "
        "labels equally often."
    )
    brief = True
    symbol = "pi"
    pooled = True
