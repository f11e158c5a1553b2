"""Ask people: a small server, a study in one file, and when to stop."""
