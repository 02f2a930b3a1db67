"""Preference pairs made ready: read strictly, measured in tokens, split by query."""
