"""The exact BM25 index: Lucene's arithmetic in NumPy, the same scores as Elasticsearch's."""
