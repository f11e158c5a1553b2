"""Read ratings and predictions from files and frames."""

from headcount.io.predictions import read_predictions
from headcount.io.ratings import read_ratings
from headcount.io.write import write_predictions, write_ratings

__all__ = ["read_predictions", "read_ratings", "write_predictions", "write_ratings"]
