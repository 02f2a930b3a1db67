"""Tables in Elasticsearch: one versioned index behind an alias, scores as in the embedded store."""
