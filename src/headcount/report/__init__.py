"""One page on everything that data can tell: answers, figures, tables, and how they were made."""
