"""Abstract domains, one folder each; a domain knows structures and transformers, never the engine. Only `decomposed` uses another one.

In reading order:

- `shape`: sets of three-valued structures
- `decomposed`: products of parts of the heap, over the shape domain
- `fesa`: one graph and one Boolean function
- `explicit`: concrete runs
"""
