"""The version, where every floor can read it."""

__version__ = "0.2.0"
