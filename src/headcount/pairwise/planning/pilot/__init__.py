"""How the labels of a pilot depend on its size: the way of the paper, and its laws."""
