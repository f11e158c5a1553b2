"""Data that users name to be reduced where they are."""
