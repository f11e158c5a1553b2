"""What to say: the coefficient to report, the verdict, what a reader should know."""
