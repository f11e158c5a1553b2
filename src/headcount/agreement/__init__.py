"""Agreement: how much raters agree, and whether it is more than chance."""

from headcount.agreement.agree import agree
from headcount.agreement.by_share import ShareCurve, agree_by_share
from headcount.agreement.paradoxes import PARADOXES, paradox
from headcount.agreement.result import AgreementResult

__all__ = ["PARADOXES", "AgreementResult", "ShareCurve", "agree", "agree_by_share", "paradox"]
