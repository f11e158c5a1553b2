"""What to report: the first line, and the sentence for a paper."""

from __future__ import annotations

import numpy as np

from headcount import Labels, agree, examples


def test_without_bootstrap_samples_only_intervals_that_exist_are_told():
    """Three raters have both kinds of interval; that for these raters takes bootstrap samples."""
    stars = examples.path("stars")
    both, one = agree(stars), agree(stars, bootstrap=0)
    assert both.report.these_raters is not None
    assert one.report.these_raters is None
    first = str(one).splitlines()
    assert not any("for these raters ;" in line or line.startswith(";") for line in first)
    assert one.report.estimate == both.report.estimate


def test_phi_does_not_speak_against_alpha_where_only_raters_are_too_few():
    """Of these five raters it can tell; of others like them nothing could with so few."""
    rng = np.random.default_rng(3)
    x = rng.normal(3, 1, (120, 1)) + np.array([0, 0.3, -0.5, 0.9, 0])
    x = np.clip(np.rint(x + np.array([0.6, 0.6, 0.7, 0.6, 2]) * rng.normal(size=(120, 5))), 1, 5)
    item, rater = np.indices(x.shape)
    labels = Labels.from_triples(
        item.ravel().tolist(), [f"r{j}" for j in rater.ravel()], x.astype(int).ravel().tolist()
    )
    result = agree(labels, bootstrap=50, limits=(1, 5))
    assert result.phi.verdict == "cannot tell"
    assert result.phi.these_raters.low > 0
    assert not any("bear out" in str(note) for note in result.notes)
    assert "Phi: for these raters agreement" in " ".join(str(result).split())
