"""Elo ratings."""
