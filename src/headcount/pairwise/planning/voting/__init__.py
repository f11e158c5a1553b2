"""What votes would take in place of comparisons."""
