"""The way of an adapter to the servers that write descriptions."""
