"""Named experiments: rows times data sets, resumable, with tables that say how sure they are."""
