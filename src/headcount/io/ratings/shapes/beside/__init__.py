"""What stands beside ratings and is none: totals, the truth, facts of items, other questions."""
