"""Descriptions: a table's names and context become six fields of text, by way of a chat model."""
