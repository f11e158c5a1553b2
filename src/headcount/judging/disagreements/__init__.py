"""Where judge and people part: confusion, labels, groups of items, items to read again."""
