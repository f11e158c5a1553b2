"""Ratings in a source: where their columns are, which labels, who repeats one."""
