"""Votes against comparisons, in simulated crowds."""
