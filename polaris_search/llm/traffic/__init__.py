"""Many requests to several servers: how many at a time, to which, and when again."""
