"""Simulated crowds that vote and compare: which labels better, and for how many tasks."""
