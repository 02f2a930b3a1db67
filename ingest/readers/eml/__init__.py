"""Tables of EML documents, read as a stream."""
