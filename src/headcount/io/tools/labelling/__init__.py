"""Labelling and survey tools, one file each."""
