"""Tests of survey equivalence; those that are not about the ceiling do without it, for speed."""

from functools import partial

import headcount

survey = partial(headcount.survey, ceiling=False)
