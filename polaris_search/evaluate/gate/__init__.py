"""Whether a new adapter may take the current one's place: both sides' values in, a report out."""
