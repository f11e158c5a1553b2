"""Exports of labelling tools and logs of evaluations, one class each, in files by family."""
