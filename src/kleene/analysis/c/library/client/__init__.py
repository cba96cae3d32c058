"""The most general client of a library, and what its runs say about the library.

In reading order:

- `text`: the client as C text
- `calls`: the line of one operation
- `walks`: functions of a client that return any element of an object
- `places`: findings of a client, with the place in the library and the operations that lead there
"""
