"""The same rater twice on an item: how far raters agree with themselves."""
