"""Raters as a sample: how a coefficient would change with other raters like these."""
