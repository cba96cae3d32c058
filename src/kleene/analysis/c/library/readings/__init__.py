"""How a function may be called.

In reading order:

- `operations`: one reading of a function: roles of its arguments, ownership of its result
- `candidates`: the possible readings of a function, the most plausible first
"""
