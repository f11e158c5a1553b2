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


def panel(rows) -> Labels:
    item, rater = np.indices(np.shape(rows))
    labels = np.array(rows).ravel().tolist()
    return Labels.from_triples(item.ravel().tolist(), rater.ravel().tolist(), labels)


def test_too_few_items_have_words_in_place_of_an_interval():
    few = agree(panel([[1, 2, 1], [3, 3, 4], [2, 2, 2]]))
    assert few.report.estimate.low is None
    assert not few.report.at_least
    assert few.report.verdict == ""
    text = " ".join(str(few).split())
    assert "; without an interval, since 3 items are too few." in text
    assert few.report.sentence.endswith("(3 items, 3 raters; too few for an interval).")
    assert "95%" not in text


def test_a_rare_label_makes_items_few():
    """What counts is how many items hold the other labels, not how many there are."""
    rng = np.random.default_rng(1)
    truth = np.arange(100)[:, None]

    def rated(positive: int) -> str:
        yes = (truth < positive) ^ (rng.random((100, 7)) < 0.01)
        return " ".join(str(agree(panel(np.where(yes, "yes", "no")))).split())

    assert "without an interval, since 'no' is 96% of the ratings of 100 items" in rated(3)
    assert "of the ratings of 100 items: intervals are approximate" in rated(12)
    many = rated(40)
    assert "approximate, and rather" not in many
    assert "without an interval" not in many


def test_unanimous_items_have_no_words_on_few_raters():
    text = str(agree(panel([["x"] * 3, ["y"] * 3] * 20)))
    assert "every item is unanimous" in text
    assert "tell little" not in text
    assert "for raters like these" not in text
    alone = str(agree(panel([["x"] * 3] * 20)))
    assert "All other coefficients are undefined: every rating is 'x'." in alone


def test_a_tight_interval_around_zero_is_no_agreement_of_these_raters():
    rng = np.random.default_rng(0)
    result = agree(panel(rng.integers(0, 2, (100, 4)).astype(str)))
    assert result["alpha"].high > 0.2 > result.report.these_raters.high
    assert result.report.verdict.startswith("for these raters there is no agreement beyond chance")
    assert "ratings are too few" not in str(result)
