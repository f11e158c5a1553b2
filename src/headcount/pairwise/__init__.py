"""Pairwise comparisons: ratings of items from 'A or B?' answers."""
