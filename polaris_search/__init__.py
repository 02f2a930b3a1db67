"""Polaris Search: keyword search over tables whose names are cryptic."""

__version__ = "0.1.0"
