"""Which pairs to ask next, on which side, and whom."""
