"""The posterior of Phi: prior, likelihood of items, its maximum and its integral."""
