"""What files are, what looks wrong in them, and what to do next."""
