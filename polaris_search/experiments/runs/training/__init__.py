"""Runs that train: which data sets teach, which variations there are, and their commands."""
