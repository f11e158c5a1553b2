"""How many items and raters it takes to measure agreement, from a pilot."""
