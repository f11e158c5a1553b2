"""How many comparisons to buy, from a pilot; which to ask next is in tasks/."""
