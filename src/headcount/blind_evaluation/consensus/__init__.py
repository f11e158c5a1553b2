"""Models of the true label of each item that do well on sparse crowds."""
