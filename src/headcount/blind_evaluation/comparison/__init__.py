"""How well each method estimates, where gold is known."""
