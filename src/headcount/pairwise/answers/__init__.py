"""What was compared: the graph, its items that were compared often, and the order of rows."""
