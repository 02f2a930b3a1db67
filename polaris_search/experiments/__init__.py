"""Work that needs several of ingest, search and evaluate at once: whole evaluations."""
