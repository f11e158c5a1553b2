"""Calibration: predictions of any kind become probabilities of raters' labels, cross-fitted."""
