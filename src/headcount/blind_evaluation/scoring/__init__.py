"""Scores by tables of truth and label, and what they are worth."""
