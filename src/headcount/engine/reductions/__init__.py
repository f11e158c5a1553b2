"""What methods need of their data, added up in a database."""
