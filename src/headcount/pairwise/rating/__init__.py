"""Ratings of items, whatever method makes them: the methods, and from ratings to rated items."""
