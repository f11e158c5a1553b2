"""Exports of labelling tools and logs of evaluations, one reader a file."""
