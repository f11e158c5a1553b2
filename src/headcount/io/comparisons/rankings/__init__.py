"""How tables lay rankings out: several items that somebody put in order at once."""
