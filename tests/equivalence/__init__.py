"""Tests of survey equivalence.

Those that are not about the ceiling do without it, for speed. Those of the engine use abc, whose
numbers can be derived by hand; `test_states_combiner.py` is about the default.
"""

from functools import partial

import headcount

survey = partial(headcount.survey, ceiling=False, combiner="abc")
