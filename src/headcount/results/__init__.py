"""What every result has: notes, provenance, text, plots, frames, JSON."""
