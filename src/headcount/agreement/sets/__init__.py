"""Labels that are sets: several in one cell, and how far apart two sets are."""
