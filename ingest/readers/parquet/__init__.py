"""Tables of Parquet files: their schemas, never their rows."""
