"""What the votes allow: independent errors, hard items, or families that err together."""
