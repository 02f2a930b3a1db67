"""One Elasticsearch server: where it is, how it is asked, and what can go wrong with it."""
