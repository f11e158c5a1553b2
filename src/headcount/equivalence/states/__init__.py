"""The distribution of item states: how the labels that raters would give vary between items."""
