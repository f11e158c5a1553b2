"""Labels of items: the rules by which ratings are cut in two."""
