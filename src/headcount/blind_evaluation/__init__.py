"""Blind evaluation: how good classifiers are when nobody has gold labels."""
