"""The most general client of a library, and what its runs say about the library.

In reading order:

- `text`: the client as C text
- `calls`: the line of one operation
- `handed_out`: statements by which a client hands on the pointers that it gets
- `watch`: data that functions of the client end, and that nobody may use afterwards
- `allocators`: definitions of functions such as `xmalloc` that have no body
- `walks`: functions of a client that return any element of an object
- `asked`: the properties of a client
- `suspects`: the operation that keeps a client from being proved, where no alarm names one
- `places`: findings of a client, with the place in the library and the operations that lead there
"""
