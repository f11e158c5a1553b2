"""A table of named columns, and whatever one is made of: files, frames, rows, arrays."""
