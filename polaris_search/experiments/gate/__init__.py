"""What a gate needs of the world: queries, tables, both sides' texts, and how they are found."""
