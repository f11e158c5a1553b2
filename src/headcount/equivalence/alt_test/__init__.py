"""The alternative annotator test: whether a classifier may stand in for a rater."""
