"""Read ratings, of whatever shape."""
