"""Plackett-Luce: Bradley-Terry for rankings of several items."""
