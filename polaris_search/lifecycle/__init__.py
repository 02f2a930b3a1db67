"""What is done to all tables at once, in order: reindex, rollback, export, import.

One page tells each story; the steps belong to the layers below. The nightly loop, from clicks to a
refreshed adapter and a new generation, will live here too.
"""
