"""Ids of items and raters, as JSON can hold them."""

from __future__ import annotations

__all__ = ["plain_id"]


def plain_id(name: object) -> object:
    """Write a whole number as text if it is too large for what reads JSON with floats.

    Examples
    --------
    >>> plain_id(7), plain_id(2**53 + 1), plain_id("a")
    (7, '9007199254740993', 'a')
    """
    return str(name) if isinstance(name, int) and abs(name) > 2**53 else name
