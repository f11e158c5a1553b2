"""Dawid and Skene's model of the truth and of everybody's errors."""
