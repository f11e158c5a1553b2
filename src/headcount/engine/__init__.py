"""Reduce data where they live, on DuckDB or Spark: only sums and counts come back."""
