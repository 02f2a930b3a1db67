"""Unicode tables of the Python analyzers, and the script that probes them from a real server."""
