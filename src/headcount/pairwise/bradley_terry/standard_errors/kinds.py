"""What standard errors can be by, in options."""

from __future__ import annotations

__all__ = ["ERRORS", "HESSIAN", "ROBUST"]

ROBUST, HESSIAN = ERRORS = ("robust", "hessian")
"""By how much the answers vary, or as the model says."""
