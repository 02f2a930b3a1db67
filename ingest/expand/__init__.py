"""Name expansion: a table's cryptic names become English words."""
