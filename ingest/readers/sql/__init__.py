"""Tables of SQL databases, as they stand in their catalogs."""
