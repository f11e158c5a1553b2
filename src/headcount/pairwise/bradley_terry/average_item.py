"""Where the average item lies, if a prior draws the ratings of some items in."""

from __future__ import annotations

import numpy as np

from headcount.typing import Floats

__all__ = ["WIDER", "average_moves"]

WIDER = 5.0
"""Times a prior is widened, for the average of ratings that it hardly draws in."""
FAR = 50.0


def average_moves(rating: Floats, sd: Floats, wider: Floats) -> float:
    """Find by how much ratings are too low, as seen from the average item.

    A prior draws in the items that lie far out. Where these are on one side, as with skewed ratings
    or a few items far above the others, their average moves as well, and with it the side on which
    items in the middle lie. A wider prior leaves the average where it is; the items in the middle,
    which both leave alone, tell how far apart the two averages are.

    Parameters
    ----------
    rating, sd : (items,) arrays
        With mean 0, and how far they may be off.
    wider : (items,) array
        Ratings with a prior that is wider, with mean 0.

    Examples
    --------
    >>> rating = np.array([-0.5, -0.4, 0.0, 0.1, 0.8])
    >>> wider = np.array([-0.7, -0.6, -0.2, -0.1, 1.6])
    >>> round(average_moves(rating, np.full(5, 0.3), wider), 2)
    -0.19
    """
    known = np.isfinite(rating) & np.isfinite(wider) & (sd > 0)
    if not known.any():
        return 0.0
    weight = np.exp(-0.5 * np.minimum((rating[known] / sd[known]) ** 2, FAR))
    return float(np.sum(weight * (wider - rating)[known]) / np.sum(weight))
