"""Databases that reduce data, what they spell in their own way, and what users ask of them."""
