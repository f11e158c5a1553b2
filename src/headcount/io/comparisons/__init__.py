"""Read comparisons of two items."""
