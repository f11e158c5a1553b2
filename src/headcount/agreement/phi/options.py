"""What a caller of agreement may say of Phi."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headcount.agreement.phi.methods import UNBIASED
from headcount.agreement.phi.phi import phi
from headcount.agreement.phi.result import PhiResult
from headcount.agreement.prepare import Prepared
from headcount.agreement.scales.kinds import INTERVAL
from headcount.errors import OptionError, option

__all__ = ["PhiOptions"]


@dataclass(frozen=True, eq=False, kw_only=True)
class PhiOptions:
    """Options of :func:`headcount.phi`, kept together until it is known whether it is measured."""

    limits: tuple[float, float] | None = None
    method: str = UNBIASED.name
    gold: Mapping[object, float] | Any | None = None
    gold_sd: float | None = None

    @property
    def given(self) -> bool:
        """Whether there are any but the defaults."""
        others = (self.limits, self.gold, self.gold_sd)
        return self.method != UNBIASED.name or any(x is not None for x in others)

    def measure(
        self, data: Prepared, *, chosen: bool, level: float, raters: str
    ) -> PhiResult | None:
        """Measure Phi; None where labels have no order, or coefficients were chosen."""
        if not data.scale.ordered:
            scales = option("scale", INTERVAL.name)
            self._refuse(f"needs a scale with an order: say {scales}, or leave them out.")
            return None
        if chosen:
            self._refuse("is not measured where coefficients are chosen: see headcount.phi.")
            return None
        return phi(
            data.for_phi,
            limits=self.limits,
            method=self.method,
            gold=self.gold,
            gold_sd=self.gold_sd,
            level=level,
            raters=raters,
        )

    def _refuse(self, why: str) -> None:
        """Refuse them where Phi is not measured."""
        if self.given:
            raise OptionError(
                f"{option('limits')}, {option('method')}, {option('gold')} and "
                f"{option('gold_sd')} are of Phi, which {why}"
            )
