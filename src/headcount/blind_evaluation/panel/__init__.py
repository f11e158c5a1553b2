"""What several classifiers are worth together."""
