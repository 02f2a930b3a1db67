"""Query profiles: what a search asks of which field, as data, and the plan of one query."""
