"""Data in which the truth is known."""
