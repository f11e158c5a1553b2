"""Raters who answer at random."""
