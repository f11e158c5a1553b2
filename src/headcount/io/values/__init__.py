"""What values of a column mean: missing, written in two ways, labels."""
