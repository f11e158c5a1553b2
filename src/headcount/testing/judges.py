"""A gate for tests: a judge that is no longer as good as people fails the suite."""

from __future__ import annotations

from typing import Any

from headcount.errors import QuestionsError, spelt
from headcount.judging.judge import judge
from headcount.judging.result import JudgeResult
from headcount.judging.rubric import RubricResult, judge_rubric

__all__ = ["assert_judge"]


def assert_judge(
    people: Any, judges: Any = None, *, allow_undecided: bool = False, **options: Any
) -> JudgeResult | RubricResult:
    """Check that each judge is ready, and meets the other conditions, as ``headcount judge`` does.

    Parameters
    ----------
    people, judges
        As :func:`headcount.judge` takes them.
    allow_undecided : bool
        Whether an undecided condition passes as well.
    **options
        Those of :func:`headcount.judge`, such as ``gate=Gate(worth_at_least=1)`` to ask for more
        than that each judge is ready.

    Returns
    -------
    JudgeResult

    Raises
    ------
    AssertionError
        Says which judge fails which condition, or how many more items are needed to tell.

    Examples
    --------
    >>> from headcount import Gate, examples
    >>> stars, judge = examples.path("stars"), examples.path("judge")
    >>> assert_judge(stars, judge).gate.status
    'pass'
    >>> try:
    ...     assert_judge(stars, judge, gate=Gate(worth_at_least=1))
    ... except AssertionError as error:
    ...     print(str(error)[:39])
    cannot tell: it takes 830 more items to
    """
    options = {"gate": True, **options}
    result: JudgeResult | RubricResult
    try:
        result = judge(people, judges, **options)
    except QuestionsError:
        result = judge_rubric(people, judges, **options)
    wanted = ("pass", "cannot tell") if allow_undecided else ("pass",)
    if result.gate is not None and result.gate.status not in wanted:
        raise AssertionError(spelt(result.gate.line))
    return result
