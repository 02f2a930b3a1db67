"""Smaller corpora of the same difficulty."""
