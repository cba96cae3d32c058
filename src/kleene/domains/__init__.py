"""Abstract domains, one folder each; a domain knows structures and transformers, never the engine.

Only `decomposed` knows another domain. In reading order:

- `shape`: sets of three-valued structures
- `decomposed`: the same, with heaps taken apart
- `fesa`: one graph and one Boolean function
- `explicit`: concrete runs
"""
