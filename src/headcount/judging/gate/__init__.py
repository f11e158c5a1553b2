"""Conditions that a judge may be asked to meet, each decided on an interval."""
