"""How far apart two labels are: the kinds of scale, sets of labels, distances of a caller."""
