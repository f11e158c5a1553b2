"""How much memory may be used, as users write it."""

from __future__ import annotations

import re

from headcount.errors import OptionError, option

__all__ = ["BYTES_A_RATING", "DEFAULT_MEMORY", "LEAST_MEMORY", "memory_of"]

DEFAULT_MEMORY = 10**9
"""Bytes that data may take before they are reduced where they are."""
BYTES_A_RATING = 120
"""Bytes that a rating takes when it is read into memory."""
LEAST_MEMORY = 128 * 10**6
"""Bytes that a database needs to work."""
_MOST_MEMORY = 10**15
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_WRITTEN = re.compile(r"(\d+(?:\.\d+)?)\s*(?:([kmgt]?)(i?)b?)", re.IGNORECASE)


def memory_of(given: object) -> int:
    """Read an amount of memory, in bytes.

    Examples
    --------
    >>> memory_of("1GB"), memory_of("512 MiB"), memory_of(2 * 10**9)
    (1000000000, 536870912, 2000000000)
    """
    if given is None:
        return DEFAULT_MEMORY
    found = _WRITTEN.fullmatch(str(given).strip()) if not isinstance(given, bool) else None
    if found is None:
        raise OptionError(
            f"{option('memory')} must be an amount of memory, such as '1GB' or '512MB', not "
            f"{given!r}."
        )
    number, unit, binary = found.groups()
    scale = _UNITS[unit.lower()]
    if binary and unit:
        scale = 1024 ** ("kmgt".index(unit.lower()) + 1)
    size = int(float(number) * scale)
    if size > _MOST_MEMORY:
        raise OptionError(
            f"{option('memory')} must be an amount that a machine has, such as '4GB', not "
            f"{given!r}."
        )
    if size < LEAST_MEMORY:
        raise OptionError(
            f"{option('memory')} must be at least 128MB, not {given!r}: the database needs that "
            "much to work."
        )
    return size
