"""The ways to estimate how good classifiers are."""
