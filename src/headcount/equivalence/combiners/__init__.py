"""Combiners: what a survey of k raters predicts for the next rater."""
