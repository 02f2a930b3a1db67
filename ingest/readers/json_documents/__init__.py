"""Large JSON documents, member by member."""
