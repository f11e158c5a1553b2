"""The data model: who said what about which item, and what classifiers predicted."""

from headcount.labels.counts import Counts
from headcount.labels.labels import Labels
from headcount.labels.predictions import Classifier, Predictions
from headcount.labels.scale import Scale
from headcount.labels.simulate import running_example

__all__ = ["Classifier", "Counts", "Labels", "Predictions", "Scale", "running_example"]
