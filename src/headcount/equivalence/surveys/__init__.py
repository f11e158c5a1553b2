"""Surveys of k raters: all that the data hold, or a sample of them, and their power curve."""
