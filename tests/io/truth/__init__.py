"""Tables whose truth is known, laid out and written in the ways that people and tools do it."""
