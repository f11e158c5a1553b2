"""Coefficients of agreement, and what each takes for chance."""
