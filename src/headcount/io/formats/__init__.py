"""Formats of files, one class each."""
