"""Which items a person is to label next."""
