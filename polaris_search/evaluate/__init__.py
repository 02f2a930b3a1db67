"""How good: retrieval measures, data set folders, TREC files, and the measure of name expansion."""
