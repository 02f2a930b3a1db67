"""Adapters that were trained: their records, their states, and the one in use."""
