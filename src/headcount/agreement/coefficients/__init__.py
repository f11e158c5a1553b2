"""Coefficients of agreement, one class each, and what each takes for chance."""
