"""Agreement: how much raters agree, and whether it is more than chance."""

from headcount.agreement.agree import agree
from headcount.agreement.by_share.by_share import agree_by_share
from headcount.agreement.by_share.result import ShareCurve
from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.comparing.compare import compare_agreement
from headcount.agreement.comparing.result import AgreementComparison
from headcount.agreement.paradoxes import PARADOXES, paradox
from headcount.agreement.result import AgreementResult

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
