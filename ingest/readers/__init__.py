"""Readers: from a source that a person names to raw tables, one file per format.

Every reader yields a Row for a table and a Rejected for what it cannot take, in the order of the
source and holding one table at a time. `sources.read_sources` chooses the reader.
"""
