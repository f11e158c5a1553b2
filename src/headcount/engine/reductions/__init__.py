"""What each method needs of its data, added up in a database: one file a method."""
