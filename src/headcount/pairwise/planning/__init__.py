"""How many comparisons to buy, and which."""
