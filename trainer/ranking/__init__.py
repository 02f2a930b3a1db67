"""Which of a table's candidate descriptions serves its queries best, as a search would say it."""
