"""What scores are worth in raters: estimates, differences, raters beside a classifier."""
