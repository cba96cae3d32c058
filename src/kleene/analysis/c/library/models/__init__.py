"""Clients of a library that is proved.

In reading order:

- `model`: the proved functions as clients see them, as C text
- `clients`: checks a client with such models
"""
