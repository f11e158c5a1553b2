"""Models of ties, one class a file."""
