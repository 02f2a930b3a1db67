"""From a raw table to an enriched one: readers, name expansion, description, their order."""
