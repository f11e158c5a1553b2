"""Signs that classifiers do not err independently."""
