"""What to report: the first line, and the sentence for a paper."""

from __future__ import annotations

from headcount import agree, examples


def test_without_bootstrap_samples_only_intervals_that_exist_are_told():
    """Three raters have both kinds of interval; that for these raters takes bootstrap samples."""
    stars = examples.path("stars")
    both, one = agree(stars), agree(stars, bootstrap=0)
    assert both.report.these_raters is not None
    assert one.report.these_raters is None
    first = str(one).splitlines()
    assert not any("for these raters ;" in line or line.startswith(";") for line in first)
    assert one.report.estimate == both.report.estimate
