"""What several classifiers are worth together, in raters."""
