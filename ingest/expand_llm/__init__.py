"""Name expansion by a chat model, which is asked about what the lexical one leaves open."""
