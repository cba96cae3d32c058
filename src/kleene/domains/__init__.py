"""Abstract domains, one folder each; a domain knows structures and transformers, never the engine or another domain.

In reading order:

- `shape`: sets of three-valued structures
- `fesa`: one graph and one Boolean function
- `explicit`: concrete runs
"""
