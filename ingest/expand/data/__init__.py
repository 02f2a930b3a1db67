"""Word lists of the lexical expander; NOTICE.md says where each is from."""
