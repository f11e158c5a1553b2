"""Raters as a sample: what a classifier would be worth among other raters like these."""
