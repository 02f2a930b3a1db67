"""Writing many tables: cut into chunks, sent side by side, each write accounted for."""
