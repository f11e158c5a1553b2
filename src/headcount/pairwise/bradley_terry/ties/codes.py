"""Codes by which the compiled kernel knows the models of ties.

They have a file of their own because the kernel's needs numba, which takes long to import.
"""

from __future__ import annotations

__all__ = ["CODES", "DAVIDSON", "HALF", "RAO_KUPPER"]

HALF = 0
DAVIDSON = 1
RAO_KUPPER = 2
CODES = (HALF, DAVIDSON, RAO_KUPPER)
"""All of them."""
