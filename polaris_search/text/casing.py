"""Lower case and plain letters as Elasticsearch makes them: a token in, a token out.

Lower-casing is Java's, one code point at a time (so no final sigma, and a dotted capital I gives a
plain i); folding to ASCII is Lucene's. Both come from tables, not from this Python's Unicode
version.
"""

from polaris_search.text.unicode_tables import ascii_map, lower_case_map


def lower_cased(token: str) -> str:
    """Return the token in lower case, as Lucene's lowercase filter."""
    return token.lower() if token.isascii() else token.translate(lower_case_map())


def folded_to_ascii(token: str) -> str:
    """Return the token with accented letters made plain, as Lucene's asciifolding filter."""
    return token if token.isascii() else token.translate(ascii_map())
