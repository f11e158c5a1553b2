"""Logs and results of evaluations, with verdicts of judges, one file a tool."""
