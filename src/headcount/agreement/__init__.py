"""Agreement: how much raters agree, and whether it is more than chance."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from headcount.agreement.agree import agree
from headcount.agreement.estimates import Coefficient
from headcount.agreement.result import AgreementResult

if TYPE_CHECKING:
    from headcount.agreement.comparison import AgreementComparison, compare_agreement

__all__ = [
    "AgreementComparison",
    "AgreementResult",
    "Coefficient",
    "agree",
    "compare_agreement",
]

_HOMES = {
    "AgreementComparison": "comparison",
    "compare_agreement": "comparison",
}
"""Where names are that `agree` does without: importing them takes as long as it does."""


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
