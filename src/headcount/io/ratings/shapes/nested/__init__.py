"""Shapes of which cells hold lists or records."""
