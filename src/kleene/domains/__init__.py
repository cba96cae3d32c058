"""Abstract domains, one folder each; a domain knows structures and transformers, never the engine or another domain."""
