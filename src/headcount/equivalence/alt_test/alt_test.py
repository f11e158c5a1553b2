"""The alternative annotator test: whether a classifier may stand in for one of the raters."""

from __future__ import annotations

from typing import Any

from headcount import options
from headcount.equivalence.alt_test.alignments import Alignment, as_alignment, fitting
from headcount.equivalence.alt_test.prepare import EPSILONS, MIN_ITEMS, note_default, prepare
from headcount.equivalence.alt_test.result import AltTest, AltTestClassifier
from headcount.equivalence.alt_test.verdicts import verdict_on
from headcount.equivalence.inputs.scale import on_scale
from headcount.io.load import take_labels, take_predictions
from headcount.results.notes import Notes
from headcount.results.provenance import Provenance

__all__ = ["alt_test"]


def alt_test(
    labels: Any,
    predictions: Any,
    *,
    epsilon: float,
    q: float = 0.05,
    scorer: str | Alignment | None = None,
    scale: str | None = None,
    min_items: int = MIN_ITEMS,
) -> AltTest:
    r"""Test whether each classifier represents the raters as well as one of them does.

    One rater j is left out at a time. On each item i that j rated, the others :math:`H_i - j` say
    who is closer to them, the classifier f or rater :math:`h_j`:

    .. math:: S_{ij}(y) = \frac{1}{|H_i| - 1} \sum_{k \in H_i - j} [y = h_k(i)]

    or :math:`-\sqrt{\mathrm{mean}_k (y - h_k(i))^2}` with scorer 'rmse'. A tie counts for both:

    .. math:: W^f_{ij} = [S_{ij}(f) \ge S_{ij}(h_j)], \quad W^h_{ij} = [S_{ij}(h_j) \ge S_{ij}(f)]

    with means :math:`\rho^f_j, \rho^h_j` over items. A one-sided paired t-test is made of
    :math:`\rho^f_j \le \rho^h_j - \varepsilon`, 'worse by the margin or more'. The raters for whom
    it is rejected at false discovery rate q (Benjamini and Yekutieli, valid however the tests
    depend on each other) are won. The *winning rate* :math:`\omega` is their share; with half or
    more the classifier passes. The *advantage probability* :math:`\rho` is the mean of
    :math:`\rho^f_j`.

    Parameters
    ----------
    labels : Labels, path or frame
        Ratings by raters who are known by the same name on all their items. Items with one rating
        are left out.
    predictions : Predictions, path or frame
        The classifiers, compared on the items that all of them predict. Probabilities count as
        their most probable label; labels that tie share the choice, and W is its expectation.
    epsilon : float
        What the classifier is forgiven for being cheaper than a rater, from 0 to 1. The paper
        suggests .2 where raters are experts, .15 where they are skilled, .1 for crowd workers, and
        less where raters agree little.
    q : float
        False discovery rate.
    scorer : {"agreement", "rmse"} or Alignment, optional
        How alignment with the others is measured: by the share who say the same, or by the error
        of numbers. Default: 'rmse' if there are more than two labels, and they are numbers or on
        an ordinal scale, as in the paper; else 'agreement'.
    scale : {"nominal", "ordinal", "interval"}, optional
        What labels are. Default: as they were read; numbers are taken for numbers.
    min_items : int
        Raters with fewer items are not tested, but stay among the others. The t-test wants 30.

    Returns
    -------
    AltTest

    Notes
    -----
    O(ratings) a classifier: an item's label counts (sums for 'rmse') less the rating left out are
    all there is to know of the others. The p-values fall as epsilon grows, so the epsilon from
    which a classifier passes is found by bisection, 40 passes over the raters.

    References
    ----------
    Calderon, Reichart and Dror, "The Alternative Annotator Test for LLM-as-a-Judge: How to
    Statistically Justify Replacing Human Annotators with LLMs", ACL 2025. Benjamini and Yekutieli,
    "The control of the false discovery rate in multiple testing under dependency", 2001.

    Examples
    --------
    >>> from headcount import running_example
    >>> result = alt_test(*running_example(200, 4, rng=1), epsilon=0.1)
    >>> result["omniscient"].winning_rate, result["omniscient"].change
    (1.0, 'passes even at epsilon 0')
    >>> print(result["hard"])
    hard passes the alt-test at epsilon 0.1: it wins 4 of 4 raters, 2 needed; passes
    from epsilon 0.017 on, fails below
    <BLANKLINE>
    rater    items  rho_f  rho_h       p  adjusted p  won
    -----------------------------------------------------
    rater_1    200  0.895  0.855  <.0001      0.0001  yes
    rater_2    200  0.895  0.835  <.0001      <.0001  yes
    rater_3    200  0.890  0.820  <.0001      <.0001  yes
    rater_4    200  0.905  0.810  <.0001      <.0001  yes
    """
    margin = options.number(epsilon, "epsilon", least=0, below=1, such_as=EPSILONS)
    rate = options.number(q, "q", above=0, below=0.5, such_as="0.05")
    least = options.whole(min_items, "min_items", least=2)
    labels = take_labels(labels)
    predictions = take_predictions(predictions, "predictions", labels=labels.scale.labels)
    labels.check_raters("the alternative annotator test")
    labels = on_scale(labels, scale)
    notes = Notes(labels.notes)
    said = predictions.among(labels.scale.labels)
    rule = scorer if scorer is not None else fitting(labels, declared=scale is not None)
    alignment = as_alignment(rule, labels, said.labels[len(labels.scale) :])
    prepared = prepare(labels, said, alignment, least, notes)
    if scorer is None:
        note_default(alignment.name, labels, notes)
    provenance = Provenance(
        source=labels.source,
        sources=(*labels.sources, *predictions.sources),
        dropped=labels.dropped,
        items_used=int(prepared.kept.sum()),
        items_dropped=int((~prepared.kept).sum()),
        n_ratings=len(prepared.item),
        n_raters=int((prepared.ratings > 0).sum()),
        labels=labels.scale.labels,
        backend=labels.backend,
    )
    verdicts = [
        verdict_on(classifier, prepared, labels.raters, alignment, epsilon=margin, q=rate)
        for classifier in prepared.classifiers
    ]
    return AltTest(
        classifiers=tuple(
            AltTestClassifier(
                name=verdict.name,
                epsilon=margin,
                passes_from=verdict.passes_from,
                raters=verdict.raters,
                provenance=provenance,
                notes=tuple(note for note in notes if note.severity != "info"),
            )
            for verdict in verdicts
        ),
        epsilon=margin,
        q=rate,
        scorer=alignment.name,
        min_items=least,
        left_out=tuple(prepared.left_out.tolist()),
        provenance=provenance,
        notes=tuple(notes),
    )
