"""Tables in one folder: SQLite keeps them, exact BM25 index files beside it find them."""
