"""The score of infinitely many raters, and of more raters than the data hold."""
