"""A library without `main`: each exported function on every admissible input.

In reading order:

- `check`: the whole analysis
- `interface`: the functions that a file exports
- `operations`: the possible readings of a function: roles of its arguments, ownership of its result
- `inference`: selects a reading for each function by trials
- `client`: the most general client as C text
- `invariant`: facts about all objects between two operations
- `contract`: the facts as contracts of the functions
"""
