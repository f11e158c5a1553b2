"""What files of exports are made of: bytes, text in columns, JSON, Parquet and archives."""
