"""A gate for tests: a judge that is no longer as good as people fails the suite."""

from __future__ import annotations

from typing import Any

from headcount.errors import QuestionsError, spelt
from headcount.judging.judge import judge
from headcount.judging.result import JudgeResult
from headcount.judging.rubric import RubricResult, card_of, read_rubric

__all__ = ["assert_judge"]


def assert_judge(
    people: Any, judges: Any = None, *, allow_undecided: bool = False, **conditions: Any
) -> JudgeResult | RubricResult:
    """Check that each judge is ready, and meets what is asked besides, as ``headcount judge`` does.

    Parameters
    ----------
    people, judges
        As :func:`headcount.judge` takes them.
    allow_undecided : bool
        Whether an undecided condition passes as well.
    **conditions
        `worth_at_least`, `agree_like_a_person` and `alt_test`, to ask for more than that each judge
        is ready; and any other option of :func:`headcount.judge`.

    Returns
    -------
    JudgeResult

    Raises
    ------
    AssertionError
        Says which judge meets which condition not, or how many more items would tell.

    Examples
    --------
    >>> from headcount import examples
    >>> stars, judge = examples.path("stars"), examples.path("judge")
    >>> assert_judge(stars, judge).gate.status
    'pass'
    >>> try:
    ...     assert_judge(stars, judge, worth_at_least=1)
    ... except AssertionError as error:
    ...     print(str(error)[:57])
    cannot tell: judge is worth at least 1 rater: cannot tell
    """
    conditions = {"gate": True, **conditions}
    result: JudgeResult | RubricResult
    try:
        result = judge(people, judges, **conditions)
    except QuestionsError as error:
        result = card_of(read_rubric(people, judges, error=error), **conditions)
    wanted = ("pass", "cannot tell") if allow_undecided else ("pass",)
    if result.gate is not None and result.gate.status not in wanted:
        raise AssertionError(spelt(result.gate.line))
    return result
