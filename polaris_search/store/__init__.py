"""Where tables live: one protocol, two real stores with the same scores in the same order."""
