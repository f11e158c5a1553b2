"""Bradley-Terry ratings by maximum likelihood."""
