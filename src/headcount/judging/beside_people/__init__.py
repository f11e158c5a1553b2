"""Where a person would stand: each person with the others, and the judge in their places."""
