"""What a file can hold, one kind a file."""
