"""Ways to calibrate: make predictions mean what they say, without seeing what they predict.

To add one, write its class in a file of its own and put it into :data:`CALIBRATIONS`; users can
pass an object of their own with a `name`, a `softens` and a `fit`.
"""

from __future__ import annotations

from typing import Any

from headcount.equivalence.calibration.base import Calibration
from headcount.equivalence.calibration.empirical import Empirical
from headcount.equivalence.calibration.isotonic import Isotonic
from headcount.equivalence.calibration.logit import Logit
from headcount.equivalence.calibration.ordered_logit import OrderedLogit
from headcount.equivalence.calibration.platt import Platt
from headcount.equivalence.calibration.temperature import Temperature
from headcount.errors import OptionError, option, unknown_name

__all__ = ["CALIBRATIONS", "OF_NAMES", "OF_VERDICTS", "as_calibration", "of_numbers", "softening"]

CALIBRATIONS: dict[str, Calibration] = {
    c.name: c for c in (Isotonic(), Empirical(), Platt(), OrderedLogit(), Logit(), Temperature())
}
"""Ways to calibrate, by name."""
OF_NAMES = CALIBRATIONS[Empirical.name]
"""What makes probabilities of labels that are only names."""
OF_VERDICTS = CALIBRATIONS[Temperature.name]
"""What makes them of a verdict with its confidence."""


def as_calibration(calibration: Any) -> Calibration:
    """Find a way to calibrate by name; an object that calibrates is returned as it is."""
    if isinstance(calibration, str):
        if calibration not in CALIBRATIONS:
            raise unknown_name(
                "calibration", calibration, list(CALIBRATIONS), option_name="calibrate"
            )
        return CALIBRATIONS[calibration]
    if not isinstance(calibration, Calibration):
        raise OptionError(
            f"{option('calibrate')} must be one of {', '.join(CALIBRATIONS)}, or an object with "
            f"name, softens and fit, not {type(calibration).__name__}."
        )
    return calibration


def softening(calibration: Calibration) -> Calibration:
    """Find what makes probabilities of labels: `calibration` itself, or that of names."""
    return calibration if calibration.softens else OF_NAMES


def of_numbers(*, ordered: bool) -> Calibration:
    """Find what makes probabilities of numbers, where labels have an order or not."""
    return CALIBRATIONS[OrderedLogit.name if ordered else Logit.name]
