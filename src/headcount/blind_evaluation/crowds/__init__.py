"""Crowds of very many classifiers, or very many votes: what passes over the votes can tell."""
