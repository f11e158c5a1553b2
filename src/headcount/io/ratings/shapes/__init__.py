"""Shapes in which ratings come, one class each."""
