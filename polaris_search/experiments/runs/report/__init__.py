"""A run's cells as tables, plots and comparisons with what the paper published."""
