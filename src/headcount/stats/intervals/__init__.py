"""Ways to make an interval: from draws, from a standard error, or by the model itself."""
