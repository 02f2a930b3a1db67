"""Tables of dbt projects: manifest.json, and catalog.json beside it."""
