"""Tables of information_schema exports: one row a column, in any order."""
