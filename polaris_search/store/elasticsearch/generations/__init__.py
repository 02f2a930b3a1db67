"""Generations as indices behind an alias: built beside the live one, then swapped in."""
