"""What holds rows: files, relations of DuckDB, frames and tables of Spark."""
