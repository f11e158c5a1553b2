"""All coefficients, in the order in which they are shown, and how a caller chooses among them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headcount import options
from headcount.agreement.coefficients.alpha import Alpha
from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.coefficients.cohen import Cohen, CohenLinear, CohenQuadratic
from headcount.agreement.coefficients.conger import Conger, CongerLinear, CongerQuadratic
from headcount.agreement.coefficients.fleiss import Fleiss
from headcount.agreement.coefficients.gwet import AC1, AC2
from headcount.agreement.coefficients.icc import ICC1, ICC2, ICC3, ICC1k, ICC2k, ICC3k
from headcount.agreement.coefficients.kendall import KendallW
from headcount.agreement.coefficients.percent import Percent
from headcount.agreement.coefficients.scott import Scott
from headcount.agreement.coefficients.user_defined import OwnCoefficient
from headcount.errors import OptionError, option

__all__ = ["COEFFICIENTS", "PREFERRED", "choose", "recommended"]

_ALL: tuple[Coefficient, ...] = (
    Percent(),
    Alpha(),
    KendallW(),
    Fleiss(),
    AC1(),
    AC2(),
    Conger(),
    CongerLinear(),
    CongerQuadratic(),
    Scott(),
    Cohen(),
    CohenLinear(),
    CohenQuadratic(),
    ICC1(),
    ICC1k(),
    ICC2(),
    ICC2k(),
    ICC3(),
    ICC3k(),
)
COEFFICIENTS: dict[str, Coefficient] = {one.name: one for one in _ALL}
"""By name, in the order in which they are shown."""
PREFERRED = next(one for one in _ALL if one.recommended and one.corrected)
"""What to use where another coefficient says little."""


def recommended() -> tuple[Coefficient, ...]:
    """Return those to report first."""
    return tuple(one for one in _ALL if one.recommended)


def choose(
    coefficients: Any, *, others: Iterable[str] = (), taken: Iterable[str] = ()
) -> tuple[tuple[Coefficient, ...], tuple[str, ...]]:
    """Find the coefficients that a caller asks for.

    Parameters
    ----------
    coefficients : name, coefficient, function, or several of them; or None
        None: all of ours.
    others : iterable of str
        Names of what is no coefficient, but may be asked for along with them.
    taken : iterable of str
        Names that the caller's own may not have.

    Returns
    -------
    tuple of Coefficient
        Each once: ours in their usual order, then the caller's own.
    tuple of str
        Those of `others` that were asked for.

    Examples
    --------
    >>> [one.name for one in choose(["cohen", "alpha"])[0]]
    ['alpha', 'cohen']
    """
    if coefficients is None:
        return _ALL, ()
    names: list[str] = []
    own: dict[str, Coefficient] = {}
    known = [*COEFFICIENTS, *others]
    wanted = _listed(coefficients)
    if not wanted:
        raise OptionError(
            f"{option('coefficients')} is empty: name some of {', '.join(known)}, or leave it out."
        )
    for one in wanted:
        if isinstance(one, str):
            names.append(options.one_of(one, "coefficients", known, "coefficient"))
            continue
        made = _own(one)
        if own.setdefault(made.name, made) is not made or made.name in (*known, *taken):
            raise OptionError(
                f"{option('coefficients')}: something else is called '{made.name}' already; give "
                "your coefficient another name."
            )
    ours = [one for name, one in COEFFICIENTS.items() if name in names]
    return (*ours, *own.values()), tuple(name for name in others if name in names)


def _listed(coefficients: Any) -> list[Any]:
    """Make a list of one or several."""
    if isinstance(coefficients, str) or callable(coefficients) or hasattr(coefficients, "name"):
        return [coefficients]
    try:
        return list(coefficients)
    except TypeError:
        raise OptionError(
            f"{option('coefficients')} must be names among {', '.join(COEFFICIENTS)}, or "
            f"functions or coefficients of your own, not {coefficients!r}."
        ) from None


def _own(given: Any) -> Coefficient:
    """Take a caller's own: a coefficient, a function of a table, or an object that has one."""
    if isinstance(given, Coefficient):
        return given
    value = getattr(given, "value", given)
    name = getattr(given, "name", getattr(given, "__name__", None))
    if isinstance(given, type) or not callable(value) or not isinstance(name, str):
        raise OptionError(
            f"{option('coefficients')} takes names, functions of an (items, labels) table of "
            f"counts, and objects with a name and such a function, value; not {given!r}."
        )
    if not name.strip() or name == "<lambda>":
        raise OptionError(
            f"{option('coefficients')}: a coefficient of your own needs a name. Write it as a "
            "function with one (def), or give it an attribute 'name'."
        )
    return OwnCoefficient(
        value,
        name=name,
        title=getattr(given, "title", ""),
        chance=getattr(given, "chance", ""),
        assumes=getattr(given, "assumes", ""),
        corrected=bool(getattr(given, "corrected", False)),
    )
