"""Agreement: how much raters agree, and whether it is more than chance."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from headcount.agreement.agree import agree
from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.result import AgreementResult

if TYPE_CHECKING:
    from headcount.agreement.by_share.by_share import agree_by_share
    from headcount.agreement.by_share.result import ShareCurve
    from headcount.agreement.comparing.compare import compare_agreement
    from headcount.agreement.comparing.result import AgreementComparison
    from headcount.agreement.paradoxes import PARADOXES, paradox

__all__ = [
    "PARADOXES",
    "AgreementComparison",
    "AgreementResult",
    "Coefficient",
    "ShareCurve",
    "agree",
    "agree_by_share",
    "compare_agreement",
    "paradox",
]

_HOMES = {
    "PARADOXES": "paradoxes",
    "AgreementComparison": "comparing.result",
    "ShareCurve": "by_share.result",
    "agree_by_share": "by_share.by_share",
    "compare_agreement": "comparing.compare",
    "paradox": "paradoxes",
}
"""Where names are that `agree` does without: importing them takes as long as it does."""


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
