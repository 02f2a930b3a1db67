"""Text analysis that equals Elasticsearch token for token, and what a query's text asks for."""
