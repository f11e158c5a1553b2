"""Phi: agreement as concentration around a value of each item's own."""
