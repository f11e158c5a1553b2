"""Figures beyond the first plot, and curves for LaTeX."""
