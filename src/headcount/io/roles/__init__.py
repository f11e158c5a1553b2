"""Which column plays which part: item, rater, label and others."""
