"""Statistics that every method shares: estimates, resampling, grouping."""
